-- SPEC 5: following the pages of a file from its first line to its end rebuilds it, byte for byte, whatever the
-- budgets, through abridge.page and through read_file; and no page mixes two states of a file that changes meanwhile.
-- ABRIDGE_SEED=n repeats a run; a failure prints it.
local abridge = require "support.unsaved"
local core = require "abridge.core"
local host = require "abridge.base.host"
local merge = require "support.merge"
local plain = require "support.plain"
local random = require "support.random"
local redact = require "abridge.redact"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local must = random.must
local dir

--- A file of any kind: empty, of long lines, CRLF, no final newline, multibyte, larger than a stride of an index.
local function random_text()
  if random.chance(40) then return "" end
  local text = random.text(random.choose { 20, 300, 300 })
  if random.chance(5) then text = text:gsub("\n", "\r\n") end
  if random.chance(8) then text = ("%s\n%s"):format(text, ("\195\169long "):rep(random.below(200))) end
  if random.chance(30) then text = text:rep(math.ceil(70000 / (#text + 1))) end
  if random.chance(3) then text = text:gsub("\n+$", "") end
  return text
end

local function random_budgets(least)
  local opts = {}
  if random.chance(3) then opts.max_lines = random.between(1, 8) end
  if random.chance(4) then opts.max_chars = random.between(least, least + 300) end
  if random.chance(8) then opts.max_tokens = random.between(least, least + 100) end
  if random.chance(2) or not (opts.max_chars or opts.max_tokens) then
    opts.max_bytes = random.between(least, least + 300)
  end
  return opts
end

--- For large texts pages of a size that keeps their number small.
local function scaled(opts, size)
  if size < 20000 then return opts end
  for _, key in ipairs { "max_bytes", "max_chars", "max_tokens" } do
    if opts[key] then opts[key] = opts[key] + 5000 end
  end
  opts.max_lines = opts.max_lines and opts.max_lines * 200
  return opts
end

--- Follow pages to the end. `turn(offset, column)` gives a page: what it shows and its ledger.
local function follow(turn)
  local parts, offset, column = {}, 1, nil
  for n = 1, 5000 do
    local content, cut = turn(offset, column)
    must(content, "page %d at %d, %d: %s", n, offset, column or 0, cut)
    parts[#parts + 1] = content
    if not cut.next_offset then
      must(not cut.truncated, "no place to go on after page %d at %d, %d", n, offset, column or 0)
      if cut.final_newline then parts[#parts + 1] = "\n" end
      return table.concat(parts), n
    end
    if not cut.next_column then parts[#parts + 1] = "\n" end
    must(cut.next_offset > offset or (cut.next_column or 0) > (column or 0), "stands still at %d", offset)
    -- a line that was left out for being long is shown from its column 1 on
    if cut.first_line_exceeds_limit then parts[#parts] = nil end
    offset, column = cut.next_offset, cut.next_column
  end
  error "no end"
end

describe("pages one after the other #once", function()
  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("rebuild files through abridge.page", function()
    local pages, indexed = 0, abridge.index()
    random.each(1000, function(case)
      local text = random_text()
      local path = dir:write("f", text)
      assert(uv.fs_utime(path, 1000000000 + case, 1000000000 + case))
      local opts = scaled(random_budgets(16), #text) -- 16 tokens of any kind fit a char
      opts.binary, opts.long_line = true, "split"
      opts.index = random.chance(2) and indexed or nil
      if random.chance(4) then opts.limit = random.between(1, 5) * (#text > 20000 and 200 or 1) end
      local rebuilt, n = follow(function(offset, column)
        opts.offset, opts.column = offset, column
        local content, cut = abridge.page(path, opts)
        must(content, "%s", cut)
        opts.version = cut.version
        must(not cut.changed, "a file that stays the same is said to have changed")
        must(not opts.max_bytes or #content <= opts.max_bytes, "%d bytes of %d", #content, opts.max_bytes)
        must(not plain.ledger_error(cut), "%s", plain.ledger_error(cut))
        return content, cut
      end)
      must(rebuilt == text, "want %s, got %s", text, rebuilt)
      pages = pages + n
    end)
    assert.is_true(pages > random.found(4000))
  end)

  -- through read_file --------------------------------------------------------------------------

  --- Each line without its number, which must be the right one.
  local function without_numbers(body, first)
    local lines, number = {}, first - 1
    if body == "" then return body end
    for line in (body .. "\n"):gmatch "([^\n]*)\n" do
      number = number + 1
      local said, rest = line:match "^ *(%d+)\t(.*)$"
      if not said and line == "" then break end -- after a final newline
      must(tonumber(said) == number, "line %d has the number %s in %s", number, said, body)
      must(#line - #rest == math.max(7, #said + 1), "the number of %s is not six wide", line)
      lines[#lines + 1] = rest
    end
    return table.concat(lines, "\n") .. (body:sub(-1) == "\n" and "\n" or "")
  end

  local function reader(session, path, more)
    return function(offset, column)
      local result = session:call("read_file", merge({ path = path, offset = offset, column = column }, more))
      if result.is_error then return nil, result.content end
      abridge.assert_conforms("read_file", result)
      local block, cut = result.truncation, result.details.cut
      cut.kept = cut.kept or {}
      must(not plain.ledger_error(cut), "%s", plain.ledger_error(cut))
      must(not cut.truncated or block.next_offset == cut.next_offset, "block and ledger disagree")
      must(not result.content:find "changed since", "a file that stays the same is said to have changed")
      local limits = session:limits "read_file"
      must(not limits.max_bytes or #result.content <= limits.max_bytes, "%d bytes", #result.content)
      must(not limits.max_chars or core.count_chars(result.content) <= limits.max_chars, "too many chars")
      local body = result.content:sub(1, block.bytes_returned)
      return more.line_numbers and without_numbers(body, offset) or body, cut, result
    end
  end

  local PATTERNS = { { "a", "<\195\169>" }, { "x+", "-" }, "word", "l.n" }
  local redactor = redact.compile("spec", PATTERNS, 0)

  it("rebuild files through read_file, in each profile that can go on, with numbers and redacted", function()
    local pages, numbered, hidden = 0, 0, 0
    random.each(500, function()
      local text = random_text():gsub("%z", "0")
      local path = dir:write("f", text)
      local limits = scaled(random_budgets(30), #text)
      local profile = random.choose { "default", "pi", "contract", "dispatcher" }
      if profile == "dispatcher" then limits.max_line_chars = false end
      local session = abridge.session {
        profile = profile,
        limits = { read_file = limits },
        tools = random.chance(2) and { "read_file" } or nil,
        redact = random.chance(3) and PATTERNS or nil,
      }
      local more = { line_numbers = random.chance(3) or nil }
      if random.chance(4) then more.limit = random.between(1, 5) * (#text > 20000 and 200 or 1) end
      local whole = core.head(session.opts.redact and redactor:text(text) or text, {
        max_lines = 2 ^ 53,
        utf8 = "replace",
      })
      local rebuilt, n = follow(reader(session, path, more))
      must(rebuilt == whole, "want %s, got %s (%s)", whole, rebuilt, profile)
      pages = pages + n
      if more.line_numbers then numbered = numbered + n end
      if session.opts.redact then hidden = hidden + n end
    end)
    assert.is_true(pages > random.found(2500))
    assert.is_true(numbered > random.found(500) and hidden > random.found(500))
  end)

  it("rebuild the lines as far as max_line_chars shows them", function()
    local shortened = 0
    random.each(150, function()
      local text = random_text():gsub("%z", "0")
      local path = dir:write("f", text)
      local most = random.choose { 0, 1, 5, 30 }
      local session = abridge.session {
        profile = "dispatcher",
        limits = { read_file = { max_line_chars = most, max_lines = random.between(1, 50) * math.ceil(#text / 1000) } },
      }
      local whole = core.head(text, { max_lines = 2 ^ 53, utf8 = "replace" })
      local want = whole:gsub("[^\n]+", function(line)
        return (abridge.line(line, most))
      end)
      local rebuilt = follow(reader(session, path, { line_numbers = random.chance(2) or nil }))
      must(rebuilt == want, "want %s, got %s", want, rebuilt)
      if want ~= whole then shortened = shortened + 1 end
    end)
    assert.is_true(shortened > random.found(50))
  end)

  it("show each line once", function()
    local lines = {}
    for i = 1, 5000 do
      lines[i] = ("%d %s"):format(i, ("z"):rep(i % 90))
    end
    local path = dir:write("lines", table.concat(lines, "\n") .. "\n")
    local rebuilt, n = follow(reader(abridge.session(), path, {}))
    assert.equal(table.concat(lines, "\n") .. "\n", rebuilt)
    assert.is_true(n > 5 and n < 15)
  end)

  it("go on at every budget that holds a char, whatever there is to say", function()
    local text = "short\n" .. ("\195\169"):rep(40) .. "\n\nlast"
    local path = dir:write("f", text)
    for budget = 2, 60 do
      for _, numbers in ipairs { true, false } do
        local limits = { max_bytes = budget + (numbers and 7 or 0) }
        local session = abridge.session { tools = { "read_file" }, limits = { read_file = limits } }
        local rebuilt = follow(reader(session, path, { line_numbers = numbers or nil }))
        assert.equal(text, rebuilt)
      end
    end
  end)
end)

-- a file that changes ----------------------------------------------------------------------------

describe("a file that changes while it is paged #once", function()
  local WIDTH = 64

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  --- Lines of one generation: each says which, and its own number.
  local function generation(name, from, to)
    local lines = {}
    for i = from, to do
      local line = ("%s %d "):format(name, i)
      lines[#lines + 1] = line .. ("."):rep(WIDTH - 1 - #line)
    end
    return table.concat(lines, "\n") .. "\n"
  end

  --- A shell that takes the file through some states, again and again, until it is told to stop or its folder is gone.
  local function writer(steps)
    os.remove(dir:at "stop")
    local script = "cd %s && echo started; while [ -d %s ] && [ ! -e stop ]; do %s; done 2>/dev/null"
    local folder = tmpdir.quote(dir.path)
    local pipe = assert(io.popen(script:format(folder, folder, steps)))
    assert.equal("started", pipe:read "*l")
    return function()
      dir:write("stop", "")
      pipe:close()
    end
  end

  --- Why a page mixes states of the file, or nil.
  local function torn(content, cut, offset)
    if cut.total_bytes ~= cut.total_lines * WIDTH then return "totals disagree" end
    local name, number = nil, offset - 1
    for _, line in ipairs(plain.lines(content)) do
      number = number + 1
      local said, at = line:match "^(%w+) (%d+) %.+$"
      if not said then return "a line is broken: " .. line end
      if tonumber(at) ~= number then return ("line %d says that it is %s"):format(number, at) end
      name = name or said
      if said ~= name then return ("a page of %s and %s"):format(name, said) end
    end
    if number > cut.total_lines then return "more lines than there are" end
  end

  local EXPECTED = { EOFFSET = true, EIO = true, ENOENT = true }

  local PAGES, MOST_PAGES = 400, 20000

  --- Page the file while it is being written, until some pages were shown and some said that the file had changed.
  local function hammer(steps)
    local stop = writer(steps)
    local index, version = abridge.index(), nil
    local rounds, shown, changed, problem = 0, 0, 0, nil
    while rounds < PAGES or (rounds < MOST_PAGES and (shown < 100 or changed < 10)) do
      rounds = rounds + 1
      local offset = rounds % 3 == 0 and 1 or random.between(1, 7000)
      local opts = { offset = offset, index = rounds % 2 == 0 and index or nil, max_bytes = 20000, version = version }
      local content, cut, code = abridge.page(dir:at "f", opts)
      if content then
        shown = shown + 1
        if cut.changed then changed = changed + 1 end
        problem = problem or not cut.changed and torn(content, cut, offset) or nil
        version = cut.version
      elseif not EXPECTED[code] then
        problem = problem or cut
      end
    end
    stop()
    assert.is_nil(problem)
    assert.is_true(shown >= 100 and changed >= 10, ("%d pages, %d changed"):format(shown, changed))
  end

  before_each(function()
    for i = 1, 4 do
      dir:write("g" .. i, generation("g" .. i, 1, 6000 + i))
      dir:write("more" .. i, generation("g" .. i, 6001 + i, 6100 + i))
    end
    dir:write("last1", generation("g1", 6102, 6300))
    dir:write("f", dir:read "g1")
  end)

  it("is paged whole or said to change, when it grows", function()
    hammer "cp g1 new && mv new f; cat more1 >> f; cat last1 >> f"
  end)

  it("is paged whole or said to change, when another takes its place", function()
    hammer "for i in 1 2 3 4; do cp g$i new; mv new f; done"
  end)

  it("is paged whole or said to change, when it is written anew", function()
    hammer "for i in 1 2 3 4; do cat g$i > f; cat more$i >> f; done"
  end)

  it("is paged whole or said to change through read_file, redacted and with numbers too", function()
    local stop = writer "for i in 1 2 3 4; do cat g$i > f; cp g$i new; mv new f; cat more$i >> f; done"
    local problem
    for round = 1, 150 do
      local session = abridge.session { redact = round % 4 == 0 and { "nothing%d" } or nil }
      local offset = random.between(1, 7000)
      local result = session:call("read_file", {
        path = dir:at "f",
        offset = offset,
        line_numbers = round % 2 == 0 or nil,
      })
      abridge.assert_conforms("read_file", result)
      if not result.is_error then
        local cut = result.details.cut
        local body = result.content:sub(1, result.truncation.bytes_returned):gsub("[ ]*%d+\t", "")
        problem = problem or (not cut.changed and torn(body, cut, offset)) or nil
      elseif not EXPECTED[result.details.error_code] then
        problem = problem or result.content
      end
    end
    stop()
    assert.is_nil(problem)
  end)

  it("is read up to where it ended when a log goes on growing", function()
    local path = dir:at "log"
    local log = assert(io.open(path, "wb"))
    log:setvbuf "full"
    local lines, offset, version, read = 0, 1, nil, {}
    for round = 1, 60 do
      for _ = 1, round % 7 * 10 do
        lines = lines + 1
        log:write(generation("log", lines, lines))
      end
      log:flush()
      if lines >= offset then
        local content, cut = abridge.page(path, { offset = offset, version = version, max_bytes = "1MB" })
        assert.equal(lines, cut.total_lines)
        assert.equal(version ~= nil and cut.version ~= version or nil, cut.changed)
        read[#read + 1], version, offset = content, cut.version, lines + 1
      else
        assert.equal("EOFFSET", select(3, abridge.page(path, { offset = offset })))
      end
    end
    log:close()
    assert.equal(generation("log", 1, lines), table.concat(read))
  end)

  it("fails with EIO when it shrinks for good under an open page", function()
    local path = dir:write("shrinks", ("line\n"):rep(100000))
    local page = assert(core.page(path, { max_bytes = 100 }))
    dir:write("shrinks", "line\n")
    local bytes, code, message = page:read(0, 1000)
    assert.is_nil(bytes)
    assert.same({ "EIO", "the file changes while it is read" }, { code, message })
    assert.is_true(page:about().changed)
    page:close()
  end)
end)
