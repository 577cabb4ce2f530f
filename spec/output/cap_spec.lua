-- abridge.cap: for hosts that run their tools themselves (SPEC 9).
local abridge = require "abridge"
local json = require("abridge.base.host").json()
local plain = require "support.plain"
local random = require "support.random"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local must = random.must
local KB = 1024
local TOOLS = {
  "read_file",
  "run_command",
  "search_files",
  "find_files",
  "list_directory",
  "sql_query",
  "web_fetch",
  "mine",
  "*",
}

--- The limits of a tool of the default profile.
local function limits_of(tool)
  return abridge.profiles.default[tool] or abridge.profiles.default["*"]
end

local function conforms(block)
  abridge.assert_conforms("cap", { truncation = block })
end

describe("cap #few", function()
  it("leaves a text within the limits alone", function()
    for _, text in ipairs { "", "a", "a\n", "a\n\n", "\n", "\t\195\169", "[a]", "x\n\n[Showing lines 1-2 of 3]" } do
      local content, cut, block = abridge.cap(text, "run_command")
      assert.equal(text, content)
      assert.is_false(cut.truncated)
      assert.same({ truncated = false, bytes_returned = #text, bytes_total = #text, reason = "size_cap" }, block)
    end
    assert.equal("\0\255", (abridge.cap("\0\255", { max_lines = 1, strategy = "head" })))
  end)

  it("cleans where the tool's limits say so", function()
    local content, cut, block = abridge.cap("10%\r20%\r\27[1mdone\27[m\n\0\255", "run_command")
    assert.equal("done\n\239\191\189", content)
    assert.equal(8, cut.total_bytes)
    assert.equal(22, cut.raw_bytes)
    conforms(block)
    assert.equal("x", (abridge.cap("\27[1mx", "*")))
    assert.equal("\27[1mx", (abridge.cap("\27[1mx", "*", { limits = { clean = false } })))
    assert.equal("x", (abridge.cap("\27[1mx", { max_lines = 1, clean = true })))
    content, cut = abridge.cap(("a\rb\n"):rep(5000), "run_command")
    assert.matches("b\nb\n\n%[Showing 2000 of 5000 lines %(2000 line limit%)%]$", content)
    assert.equal(20000, cut.raw_bytes)
    assert.equal(10000, cut.total_bytes)
    assert.equal("x\27[m", (abridge.cap("x\27[m", { max_lines = 1, clean = { color = false } })))
  end)

  it("cleans a text for read_file that is no page before it counts", function()
    local rows = ("\27[1mx\27[m\n"):rep(100)
    for _, case in ipairs {
      { "```lua\n" .. rows .. "```\n", { wrapper = true } },
      { rows, { first_line = 5 } },
    } do
      case[2].limits = { clean = true, max_bytes = 120 }
      local content, cut = abridge.cap(case[1], "read_file", case[2])
      assert.is_nil(content:find("\27", 1, true))
      assert.is_true(cut.truncated)
      assert.equal(#case[1], cut.raw_bytes)
      assert.equal(#abridge.clean(case[1]), cut.total_bytes)
      assert.equal(cut.total_bytes, cut.output_bytes + cut.omitted_bytes)
    end
  end)

  it("cuts by a tool's limits of the default profile", function()
    local content, cut, block = abridge.cap(seq(1, 5000), "run_command")
    assert.equal("1\n2\n", content:sub(1, 4))
    assert.equal("4999\n5000\n\n[Showing 2000 of 5000 lines (2000 line limit)]", content:match "4999.*")
    assert.equal(2000, cut.output_lines)
    assert.equal("lines", cut.truncated_by)
    assert.same({
      truncated = true,
      bytes_returned = #content:match "^(.-\n)\n%[Showing",
      bytes_total = #seq(1, 5000),
      reason = "line_cap",
    }, block)
  end)

  it("cuts read_file from the start", function()
    local content = abridge.cap(seq(1, 5000), "read_file")
    assert.equal("1\n2\n", content:sub(1, 4))
    assert.equal("1999\n2000\n\n[Showing lines 1-2000 of 5000. Use offset=2001 to continue]", content:match "1999.*")
  end)

  it("cuts by limits that are given", function()
    local content, cut, block = abridge.cap("a\nb\nc\n", { max_lines = 2, strategy = "tail" })
    assert.equal("b\nc\n\n[Showing lines 2-3 of 3]", content)
    assert.equal("tail", cut.strategy)
    assert.equal("line_cap", block.reason)
    content, cut, block = abridge.cap(seq(1, 100), { max_bytes = "100B" })
    assert.is_true(#content <= 100)
    assert.equal("auto", cut.strategy)
    assert.equal("size_cap", block.reason)
    content, cut = abridge.cap("text", {})
    assert.equal("text", content)
    assert.is_false(cut.truncated)
  end)

  it("cuts a table as the JSON that it becomes", function()
    local list = {}
    for i = 1, 500 do
      list[i] = { id = i, name = "item " .. i }
    end
    for _, tool in ipairs { "run_command", "other" } do
      local _, cut = abridge.cap({ items = list }, tool)
      assert.equal("json", cut.kind)
      assert.equal("json", select(2, abridge.cap(list, { max_bytes = 300 })).kind)
    end
    assert.equal("json", select(2, abridge.cap { 1 }).kind)
    assert.is_nil(select(2, abridge.cap({ 1 }, { max_lines = 3, strategy = "tail" })).kind)
    assert.equal("log", select(2, abridge.cap({ 1 }, { max_lines = 3, kind = "log" })).kind)
    assert.equal(abridge.kind "5", select(2, abridge.cap(5)).kind)
  end)

  it("shows a table as JSON that parses, within any budget, with a notice of its elements", function()
    local list = {}
    for i = 1, 500 do
      list[i] = { id = i, name = "item " .. i, state = i == 300 and "failed" or "fine" }
    end
    for budget = 0, 3000, 37 do
      local content, cut, block = abridge.cap({ items = list }, { max_bytes = budget })
      assert.is_true(#content <= budget, content)
      local body = content:sub(1, block.bytes_returned)
      if budget >= 2 then assert.equal("table", type(json.decode(body)), body) end
      if budget >= 1000 then
        local item = cut.items[1]
        assert.same({ "elements", "/items", 500 }, { item.unit, item.of, item.total })
        assert.truthy(body:find('"failed"', 1, true))
        local said = ("[Showing %d of 500 elements of /items, "):format(item.kept)
        assert.truthy(content:find(said, #body, true), content)
      end
    end
  end)

  it("takes the limits of * where it is told nothing, or of a tool it does not know", function()
    for _, tool in ipairs { "*", "github__search", "" } do
      local content, cut = abridge.cap(seq(1, 5000), tool)
      assert.same({ (abridge.cap(seq(1, 5000))) }, { content })
      assert.equal("auto", cut.strategy)
      assert.equal(2000, cut.output_lines)
    end
  end)

  it("keeps every tool's content within its limits", function()
    local long = ("some words in a line\n"):rep(20000)
    for _, tool in ipairs(TOOLS) do
      local content, cut, block = abridge.cap(long, tool)
      assert.is_true(#content <= limits_of(tool).max_bytes, tool)
      assert.is_true(cut.truncated)
      assert.is_true(block.truncated)
      assert.is_nil(content:find "[{}]", tool .. ": " .. content:sub(-100))
      conforms(block)
    end
  end)

  it("quotes the path where the notice has one", function()
    -- without a shell tool a long line is split, and the notice needs no path
    local content = abridge.cap(("x"):rep(40 * KB), "read_file", { path = "a b" })
    assert.matches("%[Showing chars 1%-%d+ of line 1 %(30KB limit%)%. Use offset=1 column=%d+ to continue%]$", content)
    assert.is_true(#content <= 30 * KB)
  end)

  it("shows the start of a first line that is over the budget, whatever the tool but read_file", function()
    for _, tool in ipairs { "web_fetch", "search_files", "mine" } do
      local content, cut = abridge.cap(("x"):rep(300000), tool)
      assert.is_true(cut.truncated)
      assert.is_true(cut.output_bytes > 20000, tool)
      assert.is_true(#content <= (cut.max_bytes or 0), tool)
    end
  end)

  it("puts a resume sentence in place of ours", function()
    local content = abridge.cap(seq(1, 5000), "read_file", { resume = "Call view with from={next}." })
    assert.equal("1999\n2000\n\n[Showing lines 1-2000 of 5000. Call view with from=2001.]", content:match "1999.*")
  end)
end)

describe("cap on what is no string #few", function()
  it("never raises", function()
    for _, tool in ipairs(TOOLS) do
      for _, value in ipairs { 5, -1.5, 0 / 0, math.huge, true, false, {}, { 1, 2 }, { a = "b" }, print, io.stdout } do
        local content, cut, block = abridge.cap(value, tool)
        assert.equal("string", type(content))
        assert.equal(#content, cut.total_bytes)
        conforms(block)
      end
      assert.equal("", (abridge.cap(nil, tool)))
    end
    assert.equal("string", type((abridge.cap(coroutine.create(function() end)))))
  end)

  it("encodes it first", function()
    assert.equal("", (abridge.cap(nil)))
    assert.equal("5", (abridge.cap(5)))
    assert.equal("1.5", (abridge.cap(1.5)))
    assert.equal("true", (abridge.cap(true)))
    assert.equal('{"a":[1,2]}', (abridge.cap { a = { 1, 2 } }))
    assert.equal("function: ", (abridge.cap(print)):sub(1, 10))
  end)

  it("says of tables that are no JSON what is wrong, and raises for none", function()
    local cyclic, deep = {}, {}
    cyclic[1] = cyclic
    local inner = deep
    for _ = 1, 2000 do
      inner[1] = {}
      inner = inner[1]
    end
    for _, value in ipairs { cyclic, deep, { print }, { [{}] = 1 }, { 0 / 0 } } do
      assert.matches("^This value cannot be written as JSON: ", (abridge.cap(value)))
    end
  end)

  it("never raises for values that cannot be shown", function()
    local function raises()
      error "no"
    end
    for _, value in ipairs {
      setmetatable({ print }, { __tostring = raises }),
      setmetatable({ print }, {
        __tostring = function()
          return 5
        end,
      }),
      setmetatable({}, { __index = raises, __pairs = raises, __len = raises }),
    } do
      local ok, content = pcall(abridge.cap, value)
      assert.is_true(ok, content)
      assert.equal("string", type(content))
    end
  end)

  it("cuts the encoded text like any other", function()
    local list = {}
    for i = 1, 20000 do
      list[i] = i
    end
    local content, cut = abridge.cap(list, "web_fetch")
    assert.is_true(#content <= 100 * KB)
    assert.is_true(cut.truncated)
    assert.equal(#json.encode(list), cut.total_bytes)
  end)
end)

describe("cap misuse #few", function()
  local wrong = {
    { { "x", 5 }, "tool_or_limits", "5" },
    { { "x", true }, "tool_or_limits", "true" },
    { { "x", { max_lins = 5 } }, "max_lins", "5" },
    { { "x", { max_lines = -1 } }, "max_lines", "-1" },
    { { "x", { max_bytes = "30XB" } }, "max_bytes", '"30XB"' },
    { { "x", { strategy = "middle" } }, "strategy", '"middle"' },
    { { "x", "read_file", "path" }, "opts", '"path"' },
    { { "x", "read_file", { pth = "f" } }, "'pth'", '"f"' },
    { { "x", "read_file", { path = 5 } }, "path", "5" },
    { { "x", "read_file", { resume = "no place" } }, "resume", '"no place"' },
    { { "x", "read_file", { resume = 5 } }, "resume", "5" },
    { { "x", "read_file", { wrapper = "yes" } }, "wrapper", '"yes"' },
    { { "x", "read_file", { save = 5 } }, "save", "5" },
    { { "x", "read_file", { save = "" } }, "save", '""' },
  }
  it("raises at the caller's level, naming argument and value", function()
    for _, case in ipairs(wrong) do
      local message = plain.misuse(function()
        abridge.cap((table.unpack or unpack)(case[1], 1, 3))
      end)
      assert.matches("^abridge%.cap: ", message)
      assert.truthy(message:find(case[2], 1, true), message)
      assert.truthy(message:find(case[3], 1, true), message)
    end
  end)

  it("raises whatever the text is", function()
    assert.has_error(function()
      abridge.cap(nil, 5)
    end)
    assert.has_error(function()
      abridge.cap({}, { max_lins = 5 })
    end)
  end)
end)

describe("cap with a folder for the full output #few", function()
  local dir
  before_each(function()
    dir = tmpdir.new()
  end)
  after_each(function()
    dir:remove()
  end)

  it("keeps what was cut there, in private, and the notice says where", function()
    local text = seq(1, 3000)
    for i = 1, 2 do
      local content, cut = abridge.cap(text, "run_command", { save = dir:at "outputs" })
      local path = dir:at(("outputs/%04d-run_command.log"):format(i))
      assert.equal(path, cut.full_output_path)
      assert.equal(#text, cut.full_output_bytes)
      assert.equal(text, dir:read(path:sub(#dir.path + 2)))
      assert.truthy(content:find("Full output: " .. path .. "]", 1, true))
    end
    assert.equal("-rw-------", dir:sh("ls -l outputs/0001-run_command.log"):sub(1, 10))
    assert.equal("drwx------", dir:sh("ls -ld outputs"):sub(1, 10))
  end)

  it("keeps it whole where the text stands in a wrapper", function()
    local text = "```\n" .. seq(1, 3000) .. "```\n"
    local _, cut = abridge.cap(text, "run_command", { save = dir:at "outputs", wrapper = true })
    assert.equal(text, dir:read(cut.full_output_path:sub(#dir.path + 2)))
  end)

  it("keeps nothing of a text that fits", function()
    local _, cut = abridge.cap("short", "run_command", { save = dir:at "outputs" })
    assert.is_nil(cut.full_output_path)
    assert.equal("", (dir:sh "ls"))
  end)

  it("goes on with a number that is free", function()
    dir:sh "mkdir -m 700 used && touch used/0001-run_command.log used/0002-run_command.log"
    local _, cut = abridge.cap(seq(1, 3000), "run_command", { save = dir:at "used" })
    assert.equal(dir:at "used/0003-run_command.log", cut.full_output_path)
  end)

  it("says so where the folder is not private, and cuts all the same", function()
    dir:sh "mkdir -m 755 open"
    local content, cut = abridge.cap(seq(1, 3000), "run_command", { save = dir:at "open" })
    assert.is_nil(cut.full_output_path)
    assert.equal("EPERM", cut.full_output_code)
    assert.truthy(content:find("Full output not kept: ", 1, true))
    assert.is_true(cut.truncated)
  end)
end)

describe("cap on its own output #few", function()
  local function unchanged(text, limits, opts)
    local content = abridge.cap(text, limits, opts)
    local again, cut, block = abridge.cap(content, limits, opts)
    must(again == content, "%s\nbecame %s\nand then %s", text, content, again)
    must(not cut.truncated, "%s was cut again", content)
    must(not block.truncated, "%s is said to be cut again", content)
  end

  it("changes nothing, whatever the tool", function()
    random.each(60, function()
      local tool = random.choose(TOOLS)
      local text = random.join(random.choose(random.alphabets), random.choose { 3000, 30000, 60000 })
      local ok, message = pcall(unchanged, text, tool)
      if not ok then error(tool .. ": " .. tostring(message):sub(-300), 0) end
    end)
  end)

  local function shown(limits)
    local words = {}
    for key, value in pairs(limits) do
      words[#words + 1] = key .. "=" .. tostring(value)
    end
    return table.concat(words, " ")
  end

  --- The property for random limits of one kind.
  local function for_limits(make)
    random.each(1500, function()
      local text, limits = random.text(80), make()
      local ok, message = pcall(unchanged, text, limits)
      if not ok then error(shown(limits) .. ": " .. tostring(message), 0) end
    end)
  end

  for _, key in ipairs { "max_lines", "max_bytes", "max_chars", "max_tokens" } do
    for _, strategy in ipairs { "head", "tail", "head_tail" } do
      it(("changes nothing, %s by %s"):format(strategy, key), function()
        for_limits(function()
          return { strategy = strategy, [key] = random.below(150) }
        end)
      end)
    end
  end

  it("changes nothing, by lines and bytes together", function()
    for_limits(function()
      local strategy = random.choose { "head", "tail", "head_tail" }
      return { strategy = strategy, max_lines = random.below(20), max_bytes = random.below(200) }
    end)
  end)

  it("changes nothing, few lines, with any ratio", function()
    for_limits(function()
      return { strategy = "head_tail", max_lines = random.below(6), head_ratio = random.choose { 0, 0.3, 0.5, 1 } }
    end)
  end)

  it("changes nothing, with a marker of the caller's", function()
    for_limits(function()
      local marker = random.choose { "~", "\n-- {lines} --\n" }
      return { strategy = "head_tail", max_lines = random.below(6), marker_text = marker }
    end)
  end)

  it("changes nothing, cut between chars", function()
    for_limits(function()
      return { strategy = "head_tail", snap = "char", max_chars = random.below(150), max_lines = random.between(1, 50) }
    end)
  end)

  it("changes nothing, with the marker outside", function()
    for_limits(function()
      return { strategy = "head_tail", marker = "outside", snap = "char", max_chars = random.below(150) }
    end)
  end)

  it("changes nothing, pipeline by chars", function()
    for_limits(function()
      return { strategy = "pipeline", max_chars = random.below(150) }
    end)
  end)

  it("changes nothing, pipeline by lines", function()
    for_limits(function()
      return { strategy = "pipeline", max_lines = random.below(20), indicators = random.chance(2) }
    end)
  end)

  it("changes nothing, pipeline by both", function()
    for_limits(function()
      local limits = { strategy = "pipeline", max_chars = random.below(150), max_lines = random.below(20) }
      limits.indicators = random.chance(2)
      return limits
    end)
  end)

  it("changes nothing, with a wrapper", function()
    random.each(500, function()
      local pair = random.choose { { "```\n", "```" }, { "<a>\n", "</a>\n" } }
      local limits = { [random.choose { "max_lines", "max_bytes" }] = random.below(150) }
      local text = pair[1] .. random.text(60) .. "\n" .. pair[2]
      local ok, message = pcall(unchanged, text, limits, { wrapper = true })
      if not ok then error(shown(limits) .. ": " .. tostring(message), 0) end
    end)
  end)
end)

describe("cap of a file's text #few", function()
  it("says in the block where the notice says to go on, inside a line too", function()
    local content, cut, block = abridge.cap(("x"):rep(60000), "read_file")
    local column = content:match "Use offset=1 column=(%d+) to continue%]$"
    assert.equal(tonumber(column), cut.next_column)
    assert.equal("call read_file with offset=1 column=" .. column, block.resume_hint)
    content, cut, block = abridge.cap(("line\n"):rep(5000), "read_file")
    assert.matches("Use offset=2001 to continue%]$", content)
    assert.equal(2001, cut.next_offset)
    assert.equal(2001, block.next_offset)
  end)

  it("tells the size of a line that a pipeline split", function()
    local _, cut = abridge.pipeline(("x"):rep(50), { max_chars = 10, head_ratio = 0 })
    assert.equal("[Showing last 10B of line 1 (line is 50B)]", abridge.notice("run_command", cut))
  end)
end)

describe("a listing that was made elsewhere #few", function()
  local cases = {
    { "list_directory", 500, "[500 entries limit reached. Use limit=1000 for more]" },
    { "find_files", 1000, "[1000 results limit reached. Use limit=2000 for more, or refine pattern]" },
  }
  for _, case in ipairs(cases) do
    local tool, most, notice = case[1], case[2], case[3]
    it("keeps to the limit of " .. tool, function()
      local content, cut, block = abridge.cap(seq(1, 1316, "name%d"), tool)
      assert.equal(seq(1, most, "name%d") .. "\n" .. notice, content)
      assert.same({ "lines", most, 1316 }, { cut.truncated_by, cut.output_lines, cut.total_lines })
      assert.equal("item_cap", block.reason)
      assert.equal(seq(1, most, "name%d"), (abridge.cap(seq(1, most, "name%d"), tool)))
      local session = abridge.session { run_dir = false }
      local result = session:cap(tool, seq(1, 1316, "name%d"))
      assert.equal(content, result.content)
      assert.same({ truncated_total = 1316 }, result.metadata)
      assert.same({ "item_cap", true }, { result.truncation.reason, abridge.protocol(result).truncated })
      session:close()
    end)

    it("names another limit of " .. tool .. " where that is what binds", function()
      assert.matches(
        "\n%[1000B limit reached%]$",
        (abridge.cap(seq(1, 1316, "name%d"), tool, { limits = { max_bytes = 1000 } }))
      )
      local content = abridge.cap(seq(1, 1316, "name%d"), tool, { limits = { max_lines = 7 } })
      assert.equal(seq(1, 7, "name%d") .. "\n[7 line limit reached]", content)
    end)
  end
end)
