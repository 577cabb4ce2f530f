-- A full output in Neovim: searches that go on while the editor works and can be stopped, shell commands that show the
-- same lines, and that no callback takes long, whatever the output is.
local abridge = require "abridge"
local host = require "abridge.base.host"
local main_loop = require "support.main_loop"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api) then
  describe("inside Neovim, a pager", function()
    pending "is not there: this host is not Neovim"
  end)
  return
end

local nvim = require "abridge.nvim"
local buffer = require "abridge.nvim.buffer"
local pager = require "abridge.nvim.pager"
local windows = require "support.windows"
local api = vim.api
local type_keys, eventually, close_all = windows.move, windows.eventually, windows.close_all

local SHARE = 1 / 4 -- of all that is done, that one callback may do; the machine and the collector of garbage vary
local MOST_PAINTED = { fast = 6000, slow = 1200 } -- rows and marks of a callback; the texts have up to a million

--- Everything loaded that a cursor needs.
local function loaded(seen)
  eventually(function()
    return seen.filling == nil
  end, "loading does not end")
end

local function open(text, cut)
  local function name(buf)
    buffer.name(buf, "output", "/runs/one", 1)
  end
  local seen = pager.open(windows.source_of(text), { cut = cut, name = name })
  loaded(seen)
  return seen
end

local put_back = {}

--- Put `fn` in the place of a function of `owner`, until all are put back.
local function replace(owner, name, fn)
  local plain = owner[name]
  owner[name] = fn
  table.insert(put_back, 1, function()
    owner[name] = plain
  end)
  return plain
end

local function put_all_back()
  for _, restore in ipairs(put_back) do
    restore()
  end
  put_back = {}
end

--- Count rows that are set and marks, from now on.
---@return fun(): number so far, as nanoseconds: main_loop tells of a millisecond for each
local function count_painting()
  local count = 0
  local set_lines, set_extmark
  set_lines = replace(api, "nvim_buf_set_lines", function(buf, first, last, strict, lines)
    count = count + #lines
    return set_lines(buf, first, last, strict, lines)
  end)
  set_extmark = replace(api, "nvim_buf_set_extmark", function(...)
    count = count + 1
    return set_extmark(...)
  end)
  return function()
    return count * 1e6
  end
end

--- A text of a gigabyte that is nowhere: the same block again and again, but for an end.
local function gigabyte()
  local GB, block, last = 2 ^ 30, ("a line of a gigabyte, and one more\n"):rep(64 * 1024), "\nthe needle\n"
  return pager.open({
    size = GB,
    read = function(at, bytes)
      local parts, stop = {}, math.min(at + bytes, GB)
      while at < stop do
        local from = at >= GB - #last and at - (GB - #last) + 1 or at % #block + 1
        local source = at >= GB - #last and last or block
        local part = source:sub(from, from + math.min(stop, at < GB - #last and GB - #last or GB) - at - 1)
        parts[#parts + 1], at = part, at + #part
      end
      return table.concat(parts)
    end,
  }, {})
end

describe("a search in a full output", function()
  after_each(close_all)

  it("says how far it is, lets the editor work, and ends where the text is", function()
    local seen = gigabyte()
    loaded(seen)
    local told = main_loop.time_callbacks(main_loop.processor_time)
    seen:find "the needle"
    local shares, moved = {}, false
    eventually(function()
      local share = tonumber(vim.b[seen.buf].abridge_status:match "^looking for the needle  (%d+)%% of 1GB$")
      if share and share ~= shares[#shares] then shares[#shares + 1] = share end
      if share and not moved then
        type_keys "5j"
        moved = api.nvim_win_get_cursor(0)[1] == 6
      end
      return not seen.seeking
    end, "the search does not end")
    local times = told()
    assert.is_true(moved, "the cursor cannot be moved meanwhile")
    assert.is_true(#shares >= 2, "no progress is told")
    for i = 2, #shares do
      assert.is_true(shares[i] > shares[i - 1])
    end
    assert.equal("the needle", vim.fn.getline ".")
    assert.matches("^line %? of %?  100%%", vim.b[seen.buf].abridge_status)
    print(("  callbacks of a search in 1 GB: p99 %.1f ms, at most %.1f ms"):format(times.p99, times.max))
    assert.is_true(times.max <= SHARE * times.total, times.max)
  end)

  it("is stopped by Ctrl-C and by any jump, and leaves the cursor where it is", function()
    local seen = gigabyte()
    loaded(seen)
    for _, keys in ipairs { "<C-c>", "gg", "50%" } do
      seen:find "nowhere to be found"
      eventually(function()
        return (vim.b[seen.buf].abridge_status:find "^looking for nowhere")
      end)
      type_keys(keys)
      assert.is_nil(seen.seeking)
      assert.matches("^line ", vim.b[seen.buf].abridge_status)
      loaded(seen)
    end
    assert.matches("  50%%", vim.b[seen.buf].abridge_status)
  end)

  it("highlights what it looks for, and nothing else once that is another text", function()
    local seen = open "a.c\nabc\na.c\n"
    seen:find "a.c"
    eventually(function()
      return vim.fn.line "." == 3
    end)
    seen:find("\\b", true)
    vim.wait(50, function()
      return not seen.seeking
    end, 5)
    local matches = vim.fn.getmatches()
    assert.equal(1, #matches)
    assert.equal(-1, vim.fn.match("abc", matches[1].pattern))
    assert.equal(1, vim.fn.match("a\\bc", matches[1].pattern))
  end)

  it("finds the nearest place, both ways, where there are many", function()
    local seen = open(("ab"):rep(300000) .. "\n")
    seen:go(400001)
    loaded(seen)
    seen:find "b"
    local function here()
      eventually(function()
        return not (seen.seeking or seen.filling)
      end, "the search does not end")
      local row, column = unpack(api.nvim_win_get_cursor(0))
      return seen.excerpt.rows[row].first + column
    end
    assert.equal(400003, here())
    type_keys "gN"
    assert.equal(400001, here())
  end)
end)

describe("parts of a full output", function()
  after_each(close_all)

  it("are told of the line that the cursor is on", function()
    local records, work = {}, {}
    for i = 1, 60 do
      records[i] = ('  {"id": %d, "status": "ok"}'):format(i)
      work[i] = ("[%d/60] compiling module_%d.c"):format(i, i)
    end
    local document = "[\n" .. table.concat(records, ",\n") .. "\n]\n"
    local text = document .. table.concat(work, "\n") .. "\nx.c:1:2: error: no\nmake: *** [all] Error 1\n"
    local _, cut = abridge.auto(text, { max_bytes = 1500 })
    assert.equal("mixed", cut.kind)
    local seen = open(text, cut)
    windows.says(seen.buf, "part 1 of 2: json")
    type_keys "G"
    windows.says(seen.buf, "part 2 of 2: log")
  end)
end)

describe("lines in a full output", function()
  after_each(close_all)

  it("are counted where no ledger knows them, and shown", function()
    local lines = {}
    for i = 1, 6000 do
      lines[i] = ("line %d"):format(i)
    end
    local seen = open(table.concat(lines, "\n") .. "\n", { kept = {}, total_bytes = 64893, total_lines = 6000 })
    for _, keys in ipairs { "50%", "30%", "99%" } do
      type_keys(keys)
      local want = vim.fn.getline("."):match "%d+"
      windows.says(seen.buf, ("^line %s of 6000  %s"):format(want, keys:gsub("%%", "%%%%")))
      local row = vim.fn.line "." - 1
      local ns = api.nvim_create_namespace "abridge"
      local sides
      local shows = vim.wait(5000, function()
        local marks = api.nvim_buf_get_extmarks(seen.buf, ns, { row, 0 }, { row, -1 }, { details = true })
        sides = vim.tbl_map(function(mark)
          return mark[4].virt_text and mark[4].virt_text[1][1] or nil
        end, marks)
        return vim.tbl_contains(sides, want .. " ")
      end)
      assert.is_true(shows, vim.inspect(sides))
    end
  end)

  it("are not counted to the middle of a gigabyte, which stays quiet", function()
    local seen = gigabyte()
    loaded(seen)
    seen:go(2 ^ 29)
    loaded(seen)
    assert.is_nil(seen.counting)
    assert.matches("^line %? of %?  50%%", vim.b[seen.buf].abridge_status)
    seen:go(2 ^ 27)
    eventually(function()
      return not (seen.filling or seen.counting)
    end)
    assert.matches("^line %d+ of %?  13%%", vim.b[seen.buf].abridge_status)
  end)
end)

describe("gy in a full output", function()
  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    close_all()
    dir:remove()
  end)

  local function shell(command)
    local file = assert(io.popen(command))
    local text = file:read "*a"
    file:close()
    return text
  end

  --- What the window shows, as text.
  local function on_screen()
    local lines = api.nvim_buf_get_lines(0, vim.fn.line "w0" - 1, vim.fn.line "w$", false)
    return (table.concat(lines, "\n"):gsub("\n*$", "") .. "\n") -- the last row may be a newline's
  end

  --- Open the full output of a command.
  local function page_of(command, run_dir)
    local session = abridge.session { run_dir = run_dir, limits = { run_command = { max_lines = 20 } } }
    session:call("run_command", { command = command })
    session:close()
    local buf = assert(nvim.log(run_dir))
    eventually(function()
      return api.nvim_buf_line_count(buf) == 2
    end)
    type_keys "<CR>"
    assert.equal("abridge-output", vim.bo.filetype)
  end

  it("yanks a command that shows the lines on the screen", function()
    page_of("seq -f 'line %.0f of it' 5000", dir:at "a run's")
    for _, keys in ipairs { "gg", "1234G", "G", "]o", "50%" } do
      type_keys(keys)
      vim.wait(100, function()
        return false
      end, 10)
      vim.fn.setreg('"', "")
      type_keys "gy"
      local command = vim.fn.getreg '"'
      assert.matches("^sed %-n '%d+,%d+p;%d+q' ", command)
      assert.equal(on_screen(), shell(command), command)
    end
    type_keys '"agy'
    assert.equal(vim.fn.getreg '"', vim.fn.getreg "a")
  end)

  it("yanks bytes while the lines on the screen have no numbers", function()
    local seen = gigabyte()
    loaded(seen)
    seen.command = {
      of_bytes = function(from, to)
        return ("bytes %.0f to %.0f"):format(from, to)
      end,
    }
    seen:go(2 ^ 29)
    loaded(seen)
    type_keys "gy"
    assert.matches("^bytes %d+ to %d+$", vim.fn.getreg '"')
  end)

  it("yanks a command that shows the lines that are selected", function()
    page_of("seq -f 'line %.0f of it' 5000", dir:at "run")
    for keys, number in pairs { Vjjgy = 1234, vkkgy = 1236, ["<C-v>2jgy"] = 1234 } do
      vim.fn.setreg('"', "")
      type_keys(number .. "G")
      eventually(function() -- it shows, with the lines around it
        local row = vim.fn.line "."
        return table
          .concat(api.nvim_buf_get_lines(0, math.max(row - 3, 0), row + 2, false))
          :find "line 1234 of it.*line 1236 of it" and vim.fn.getline(row) == ("line %d of it"):format(number)
      end)
      type_keys(keys)
      assert.equal("line 1234 of it\nline 1235 of it\nline 1236 of it\n", shell(vim.fn.getreg '"'), keys)
      assert.equal("n", vim.fn.mode())
    end
  end)

  it("yanks a call of abridge log where the output has no file", function()
    page_of("printf 'a\\nb\\nc\\n'", dir:at "run")
    type_keys "gy"
    local command = vim.fn.getreg '"'
    assert.equal(("abridge log %s call-1 --offset 1 --limit 3"):format(dir:at "run"), command)
    local shown = shell(command:gsub("^abridge", tmpdir.quote(tmpdir.root() .. "/build/bin/abridge")))
    assert.equal("a\nb\nc\n", shown)
  end)
end)

describe("a full output after :edit", function()
  after_each(close_all)

  it("is as it was: its text, what is dimmed, the cursor, its status", function()
    local text = seq(1, 5000, "line %d")
    local cut = {
      truncated = true,
      total_lines = 5000,
      output_lines = 1,
      output_bytes = 6,
      strategy = "head",
      kept = { { first_byte = 1, last_byte = 6, first_line = 1, last_line = 1 } },
    }
    local seen = open(text, cut)
    seen:go_to_line(3000)
    eventually(function()
      return vim.fn.getline "." == "line 3000"
    end)
    loaded(seen)
    type_keys "2j4l"
    loaded(seen)
    local status = vim.b.abridge_status
    assert.matches("^line 3002 of 5000  ", status)
    vim.cmd "edit"
    eventually(function()
      return vim.fn.getline "." == "line 3002"
    end)
    loaded(seen)
    assert.equal(5, vim.fn.col ".")
    assert.equal(status, vim.b.abridge_status)
    assert.same({ "nofile", false, false }, { vim.bo.buftype, vim.bo.modifiable, vim.bo.modified })
    local marks = api.nvim_buf_get_extmarks(
      0,
      api.nvim_create_namespace "abridge",
      { vim.fn.line "." - 1, 0 },
      { vim.fn.line "." - 1, -1 },
      { details = true }
    )
    local groups = {}
    for _, mark in ipairs(marks) do
      groups[#groups + 1] = mark[4].hl_group
    end
    assert.same({ "AbridgeOmitted" }, groups)
    vim.cmd "edit | bwipeout" -- nothing is drawn any more
    vim.wait(20, function()
      return false
    end, 5)
  end)
end)

describe("a full output of anything", function()
  after_each(function()
    put_all_back()
    close_all()
  end)

  it("is painted in parts, however large it is, and in small ones where the machine is slow #few", function()
    local kept = {}
    for i = 1, 5000 do
      kept[i] = { first_byte = i * 40, last_byte = i * 40 + 9, first_line = 1, last_line = 1 }
    end
    local cut = { truncated = true, total_lines = 1, output_lines = 1, output_bytes = 50000, kept = kept }
    local texts = {
      lines = ("a line of some words that is as long as lines are\n"):rep(20000),
      newlines = ("\n"):rep(1000000),
      ["one line"] = ("x"):rep(1000000),
      binary = ("\127ELF\1\2\0\200\255"):rep(100000),
      colours = ("\27[31mred\27[0m text\n"):rep(50000),
      gaps = { ("\1\200ab"):rep(50000) },
    }
    for speed, takes in pairs { fast = 0, slow = 50 } do
      local now, painted = 0, count_painting()
      replace(host, "now", function()
        now = now + takes
        return now
      end)
      for name, text in pairs(texts) do
        local ledger = type(text) == "table" and cut or nil
        if ledger then
          text, cut.total_bytes = text[1], #text[1]
        end
        local seen = open(text, ledger)
        local told, counts = main_loop.time_callbacks(painted), {}
        for i = 1, 20 do
          local from = painted()
          seen:go(math.floor(#text * i / 21))
          counts[#counts + 1] = painted() - from
          loaded(seen)
          vim.cmd "normal! L50j"
          from = painted()
          vim.cmd "doautocmd <nomodeline> CursorMoved"
          counts[#counts + 1] = painted() - from
          loaded(seen)
        end
        local most = math.max(told().max, main_loop.told(counts).max)
        assert.is_true(most <= MOST_PAINTED[speed], ("%s, %s: %d"):format(name, speed, most))
        vim.cmd "bwipeout"
      end
      put_all_back()
    end
  end)
end)
