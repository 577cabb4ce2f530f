-- Text inside a fence or tags, or beside them, tags without lines of their own, and where the text stands in its file:
-- for hosts that print a heading around what their tools found.
local abridge = require "abridge"
local core = require "abridge.core"
local json = require("abridge.base.host").json()
local hint = require "support.hint"
local plain = require "support.plain"
local random = require "support.random"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local must = random.must

local function numbered(n, first)
  first = first or 1
  return seq(first, first + n - 1):sub(1, -2)
end

local function conforms(block)
  abridge.assert_conforms("cap", { truncation = block })
end

--- Fails where ledger, totals or limits of a cut inside a wrapper do not hold.
local function holds(text, limits, opts)
  local content, cut, block = abridge.cap(text, limits, opts)
  local wrong = plain.ledger_error(cut)
  must(not wrong, "%s: %s", text, wrong)
  must(cut.total_bytes == #text, "%s: total_bytes %d", text, cut.total_bytes)
  must(cut.total_lines == plain.count_lines(text), "%s: total_lines %d", text, cut.total_lines)
  must(#content <= (limits.max_bytes or math.huge), "%s: content %s", text, content)
  must(#plain.chars(content) <= (limits.max_chars or math.huge), "%s: content %s", text, content)
  must(cut.output_lines <= (limits.max_lines or math.huge), "%s: %d lines", text, cut.output_lines)
  must(cut.truncated or content == text or cut.final_newline, "%s: content %s", text, content)
  must(block.truncated == cut.truncated, "block and ledger differ")
  local last = 0
  for _, range in ipairs(cut.kept or {}) do
    must(range.first_line >= last, "%s: range at %d is out of order", text, range.first_byte)
    last = range.last_line
  end
  must(last <= cut.total_lines, "%s: line %d of %d", text, last, cut.total_lines)
  must(cut.output_lines <= cut.total_lines, "%s: %d lines shown", text, cut.output_lines)
  conforms(block)
end

describe("cap with a wrapper #few", function()
  local body = numbered(100) .. "\n"
  local function wrapped(open, inside, close, limits)
    local content, cut, block = abridge.cap(open .. inside .. close, limits or { max_lines = 10 }, { wrapper = true })
    local wrong = plain.ledger_error(cut)
    assert.is_nil(wrong)
    assert.equal(#open + #inside + #close, cut.total_bytes)
    conforms(block)
    return content, cut, block
  end

  for name, pair in pairs {
    ["a fence"] = { "```\n", "```" },
    ["a fence with a language"] = { "```lua\n", "```\n" },
    ["a fence with attributes"] = { '```lua title="a b"\n', "```" },
    ["a longer fence"] = { "`````\n", "`````" },
    ["a tag pair"] = { "<output>\n", "</output>" },
    ["a tag pair with attributes"] = { '<file path="a/b.lua">\n', "</file>\n" },
    ["a tag with - and :"] = { "<ns:my-tag>\n", "</ns:my-tag>" },
  } do
    it("keeps " .. name .. ", and cuts inside", function()
      local open, close = pair[1], pair[2]
      local content, cut, block = wrapped(open, body, close)
      assert.equal(open .. "1\n2\n", content:sub(1, #open + 4))
      assert.is_true(cut.truncated)
      assert.is_true(block.truncated)
      local bare = close:gsub("\n$", "")
      local at, last = content:find("\n" .. bare .. "\n\n[", 1, true)
      assert.truthy(at, content)
      assert.equal("]", content:sub(-1))
      assert.is_nil(content:find("Showing", 1, true) and content:sub(1, last - 1):find("Showing", 1, true))
    end)
  end

  it("leaves a wrapped text within the limits alone", function()
    for _, text in ipairs { "```\na\n```", "```lua\na\n```\n", "<a>\nb\n</a>", "```\n```", "```\n\n```" } do
      assert.equal(text, (abridge.cap(text, { max_bytes = 1000, max_lines = 100 }, { wrapper = true })))
    end
  end)

  it("takes the outermost fence", function()
    local inside = "text\n```lua\nx\n```\n" .. body
    local content = wrapped("````md\n", inside, "````", { max_lines = 6 })
    assert.equal("````md\ntext\n```lua\n", content:sub(1, 19))
    assert.truthy(content:find("\n````\n\n[", 1, true), content)
    content = wrapped("```md\n", inside, "```", { max_lines = 6 })
    assert.truthy(content:find("\n```\n\n[", 1, true), content)
  end)

  it("cuts the plain text where the wrapper is not closed, or is none", function()
    for _, text in ipairs {
      "```lua\n" .. body,
      "```lua\n" .. body .. "``",
      "````\n" .. body .. "```",
      "<a>\n" .. body .. "</b>",
      "<a>\n" .. body,
      "before\n```\n" .. body .. "```",
      "<a b\n" .. body .. "</a>",
      "``\n" .. body .. "``",
    } do
      assert.equal((abridge.cap(text, { max_lines = 10 })), (abridge.cap(text, { max_lines = 10 }, { wrapper = true })))
    end
  end)

  it("keeps no more lines than max_lines, wrapper and all", function()
    for n = 0, 20 do
      local _, cut = wrapped("```\n", body, "```", { max_lines = n })
      assert.is_true(cut.output_lines <= n, ("%d lines of %d"):format(cut.output_lines, n))
    end
  end)

  it("keeps within the budget, however small", function()
    for n = 0, 120 do
      for _, pair in ipairs { { "```lua\n", "```" }, { '<file path="a">\n', "</file>\n" } } do
        local content = wrapped(pair[1], body, pair[2], { max_bytes = n })
        assert.is_true(#content <= n, ("%d bytes of %d: %s"):format(#content, n, content))
        content = wrapped(pair[1], body, pair[2], { max_chars = n })
        assert.is_true(#content <= n)
        content = wrapped(pair[1], body, pair[2], { max_tokens = n })
        assert.is_true(core.weigh_tokens(content) <= n)
      end
    end
  end)

  it("holds for random texts", function()
    random.each(1500, function()
      local pair = random.choose { { "```\n", "```" }, { "```lua\n", "```\n" }, { "<a b='c'>\n", "</a>" } }
      local inside = random.text(60)
      if not inside:find "\n$" then inside = inside .. "\n" end
      local limits = { strategy = random.choose { "head", "tail", "head_tail" } }
      limits[random.choose { "max_bytes", "max_chars", "max_lines" }] = random.below(200)
      local text = pair[1] .. inside .. pair[2]
      holds(text, limits, { wrapper = true })
    end)
  end)
end)

describe("the budget of a wrapped text #few", function()
  local function matches_of(pattern)
    return function(text)
      return select(2, text:gsub(pattern, ""))
    end
  end
  local counters = { -- false: the estimate
    false,
    function(text)
      return math.ceil(#text / 4)
    end,
    matches_of "%S+",
    function(text)
      return matches_of "%w+"(text) + matches_of "[^%w%s]"(text)
    end,
  }
  local wrappers = {
    { "```\n", "\n```", true },
    { "```lua\n", "\n```\n", true },
    { "<a b='c'>\n", "\n</a>", true },
    { '<file path="x/y z.lua">\n', "\n</file>\n", true },
    { "<t>", "</t>", "beside" },
    { "Read `a`:\n```\n", "\n```", "beside" },
    { "<out>\n```json\n", "\n```\n</out>", "beside" },
  }

  it("holds where the tokens of the wrapper and of what is inside do not add up", function()
    local words = matches_of "%S+"
    local content = abridge.cap(
      "<t>word longer\na line of words </t>",
      { max_tokens = 3, count_tokens = words },
      { wrapper = "beside" }
    )
    assert.is_true(words(content) <= 3, content)
  end)

  it("bounds all that is shown, tokens of the joined whole too, for random texts and counters", function()
    local kept = 0
    random.each(12000, function()
      local around, counter = random.choose(wrappers), random.choose(counters)
      local text = around[1] .. random.text(80) .. around[2]
      local limits = { strategy = random.choose { "head", "tail", "head_tail", "priority", "auto" } }
      limits.max_tokens = random.below(120)
      limits.count_tokens = counter or nil
      for _, budget in ipairs { "max_bytes", "max_chars", "max_lines" } do
        if random.chance(3) then limits[budget] = random.below(budget == "max_lines" and 30 or 300) end
      end
      local content, cut = abridge.cap(text, limits, { wrapper = around[3] })
      local tokens = (counter or core.weigh_tokens)(content)
      must(tokens <= limits.max_tokens, "%d of %d tokens: %s", tokens, limits.max_tokens, content)
      must(#content <= (limits.max_bytes or math.huge), "%d bytes: %s", #content, content)
      must(#plain.chars(content) <= (limits.max_chars or math.huge), "%s", content)
      must(cut.output_lines <= (limits.max_lines or math.huge), "%d lines: %s", cut.output_lines, content)
      if cut.truncated and content:sub(1, #around[1]) == around[1] then kept = kept + 1 end
    end)
    assert.is_true(kept >= random.found(1000), kept)
  end)
end)

describe('cap with wrapper = "beside"', function()
  local body = numbered(100)
  local beside = { wrapper = "beside" }

  for name, around in pairs {
    ["a fence"] = { "```\n", "\n```" },
    ["a tag pair"] = { "<a>\n", "\n</a>" },
    ["a tag pair on the lines of the text"] = { '<attachment url="x">', "</attachment>" },
    ["a heading before a fence"] = { "Read `a`:\n````lua\n", "\n````" },
    ["a heading and a blank line"] = { "Read `a`:\n\n````lua\n", "\n````\n" },
    ["lines after a fence"] = { "```\n", "\n```\n\nNOTE:\n- a" },
    ["a fence inside tags"] = { "<a>Found:\n```\n", "\n```\n\nNOTE</a>" },
    ["a fence on the lines of the tags"] = { '<a type="b">\n```diff\n', "\n```\n</a>" },
  } do
    it("keeps " .. name, function()
      local open, close = around[1], around[2]
      local text = open .. body .. close
      local content, cut, block = abridge.cap(text, { max_lines = 30, strategy = "head" }, beside)
      assert.equal(open .. "1\n2\n", content:sub(1, #open + 4))
      local kept, said = content:match "^(.*[^\n])\n+(%[[^\n]*%])$"
      assert.matches("^%[Showing lines 1%-%d+ of 100%]$", said)
      local bare = close:gsub("\n$", "")
      assert.equal(bare, kept:sub(-#bare))
      assert.is_nil(plain.ledger_error(cut))
      assert.equal(#text, cut.total_bytes)
      assert.equal(plain.count_lines(text), cut.total_lines)
      assert.is_true(cut.output_lines <= 30)
      assert.is_true(block.truncated)
      assert.equal(text, (abridge.cap(text, { max_lines = 200 }, beside)))
    end)
  end

  it("takes a document of several fences for what it is: text", function()
    for _, text in ipairs {
      "intro\n```\n" .. body .. "\n```\nmore\n```\n" .. body .. "\n```",
      ("x\n"):rep(600) .. "```\n" .. body .. "\n```",
      "intro\n```\n" .. body .. "\n```\n" .. ("x\n"):rep(600),
      "intro\n````\n" .. body .. "\n```",
      "intro\n```\n" .. body,
      "<a>" .. body .. "</b>",
      "<a>" .. body,
    } do
      assert.equal((abridge.cap(text, { max_lines = 10 })), (abridge.cap(text, { max_lines = 10 }, beside)))
    end
  end)

  it("takes no more than 1 KiB beside a fence for a part of the wrapper", function()
    local long, limits = ("x\n"):rep(600), { max_bytes = 10000 }
    for _, text in ipairs {
      long .. "```\n" .. numbered(5000) .. "\n```",
      "intro\n```\n" .. numbered(5000) .. "\n```\n" .. long,
    } do
      assert.equal((abridge.cap(text, limits)), (abridge.cap(text, limits, beside)))
    end
  end)

  it("counts the line that a part of a wrapper stands on, once", function()
    for strategy, both in pairs { head = false, tail = false, head_tail = true } do
      local text = "<a>" .. body .. "</a>"
      local content, cut = abridge.cap(text, { strategy = strategy, max_lines = 30, snap = "line" }, beside)
      local shown = 0
      for line in content:gmatch "[^\n]+" do
        if line:find "%d" and not line:find "[.%[]" then shown = shown + 1 end
      end
      assert.equal(shown + (both and 0 or 1), cut.output_lines)
      assert.equal(100, cut.total_lines)
    end
  end)

  it("counts a line over budget of read_file in part", function()
    local text = "Read:\n```\n" .. ("x"):rep(50000) .. "\nnext\n```"
    local content = abridge.cap(text, "read_file", { wrapper = "beside", resume = "Use from={next0}" })
    assert.equal("Read:\n```\nxxx", content:sub(1, 13))
    assert.matches("xxx\n```\n\n%[Showing first 29%.%d+KB of line 1 %(line is 48%.8KB%)%. Use from=1%]$", content)
    assert.is_true(#content <= 30 * 1024)
  end)

  it("holds for random texts", function()
    random.each(1500, function()
      local around = random.choose {
        { "h\n```\n", "\n```" },
        { "<a>", "</a>" },
        { "<a b='c'>h\n```x\n", "\n```\nf</a>\n" },
        { "<a>", "\n</a>" },
        { "<a>\n", "</a>" },
      }
      local inside = random.text(60)
      local limits = { strategy = random.choose { "head", "tail", "head_tail" } }
      limits[random.choose { "max_bytes", "max_chars", "max_lines" }] = random.below(200)
      local text = around[1] .. inside .. around[2]
      holds(text, limits, beside)
    end)
  end)
end)

describe("cap of a part of a file #few", function()
  it("counts lines from the first one on, and tells no total", function()
    local limits = { max_lines = 10 }
    local content = abridge.cap(numbered(50, 101), "read_file", { first_line = 101, limits = limits })
    assert.matches("\n110\n\n%[Showing lines 101%-110%. Use offset=111 to continue%]$", content)
    content = abridge.cap("```\n" .. numbered(50, 101) .. "\n```", "read_file", {
      first_line = 101,
      limits = limits,
      wrapper = true,
      resume = "Use from={next0} to={next}",
    })
    assert.matches("\n107\n```\n\n%[Showing lines 101%-107%. Use from=107 to=108%]$", content)
    limits = { strategy = "head_tail", max_lines = 10, head_ratio = 0.5 }
    content = abridge.cap(numbered(50, 101), "read_file", { first_line = 101, limits = limits })
    assert.matches("%[Showing 10 lines %(10 line limit%)%. Use offset=106 to continue%]$", content)
  end)

  it("has a block without a place to go on, which would be one of the text", function()
    local _, _, block = abridge.cap(numbered(50), "read_file", { first_line = 7, limits = { max_lines = 10 } })
    assert.is_true(block.truncated)
    assert.is_nil(block.next_offset)
  end)

  it("stays within the limits where its numbers are wide", function()
    for _, first in ipairs { 1, 95, 9995, 999999999 } do
      for max = 0, 300 do
        local opts = { first_line = first, limits = { max_bytes = max, max_lines = false } }
        assert.is_true(#abridge.cap(numbered(99, first), "read_file", opts) <= max)
      end
    end
  end)
end)

describe("cap with limits for this text #few", function()
  it("takes them in place of the tool's, key by key", function()
    local text = numbered(3000)
    local five = { limits = { max_lines = 5 } }
    assert.matches("%[Showing lines 1%-5 of 3000%. Use offset=6", (abridge.cap(text, "read_file", five)))
    assert.equal(text, (abridge.cap(text, "read_file", { limits = { max_lines = false } })))
    assert.matches("%[Showing 5 of 3000 lines", (abridge.cap(text, { max_lines = 9 }, five)))
    assert.matches("%[Showing 5 of 3000", (abridge.cap(text, nil, five)))
  end)

  it("takes {next0} in a sentence on how to go on, in the block too", function()
    local content, _, block = abridge.cap(numbered(3000), "read_file", { resume = "Use line={next0} to continue" })
    assert.matches("%[Showing lines 1%-2000 of 3000%. Use line=2000 to continue%]$", content)
    assert.equal("Use line=2000 to continue", block.resume_hint)
    assert.equal(2001, block.next_offset)
  end)

  it("refuses wrong limits", function()
    for _, case in ipairs {
      { { limits = 5 }, "abridge.cap: limits must be a table, got 5" },
      {
        { limits = { max_lines = -1 } },
        "abridge.cap: limits.read_file: max_lines must be an integer from 0 to 2^53, got -1",
      },
      { { limits = { max_lins = 1 } }, "abridge.cap: limits.read_file: unknown limit 'max_lins' (value 1)" },
      { { first_line = 0 }, "abridge.cap: first_line must be an integer from 1 to 2^53, got 0" },
      { { first_line = "1" }, 'abridge.cap: first_line must be an integer from 1 to 2^53, got "1"' },
      { { resume = "go on" }, 'abridge.cap: resume must be a sentence with {next} or {next0} in it, got "go on"' },
      { { wrapper = "inside" }, 'abridge.cap: wrapper must be a boolean or "beside", got "inside"' },
    } do
      local said = plain.misuse(function()
        local content = abridge.cap("x", "read_file", case[1])
        return content
      end)
      assert.equal(case[2], said)
    end
  end)
end)

describe("session:cap with options #few", function()
  local session
  before_each(function()
    session = abridge.session { run_dir = false }
  end)
  after_each(function()
    session:close()
  end)

  it("takes the options of cap", function()
    local text = "Read:\n```\n" .. numbered(50, 101) .. "\n```"
    local opts = { wrapper = "beside", first_line = 101, resume = "Use at={next0}", limits = { max_lines = 13 } }
    local result = session:cap("read_file", text, opts)
    assert.matches("^Read:\n```\n101\n.*\n109\n```\n\n%[Showing lines 101%-109%. Use at=109%]$", result.content)
    assert.equal("[Showing lines 101-109. Use at=109]", result.details.notice)
    assert.is_true(result.truncation.truncated)
    assert.equal(#text, result.details.cut.total_bytes)
  end)

  it("shows a text for read_file that has no wrapper as the first page of a file", function()
    local result = session:cap("read_file", ("x"):rep(50000), { wrapper = "beside" })
    assert.is_nil(result.details.inner_error)
    assert.matches("Use offset=1 column=%d+ to continue%]$", result.content)
  end)

  it("redacts what it cuts inside a wrapper", function()
    local own = abridge.session { run_dir = false, redact = { "secret" } }
    for _, tool in ipairs { "read_file", "run_command", "mine" } do
      local result = own:cap(tool, "```\nsecret\n" .. numbered(5000) .. "\nsecret\n```", { wrapper = true })
      assert.is_nil(result.content:find "secret")
      assert.matches("^```\n%[redacted%]\n", result.content)
    end
    own:close()
  end)

  it("leaves a whole output out, and says so", function()
    local result = session:cap("mine", numbered(5000), { left_out = true })
    assert.equal("[Output of 23.3KB left out: this call is at its limit]", result.content)
    assert.equal(result.content, result.details.notice)
    assert.is_true(result.truncation.truncated)
    assert.equal(0, result.truncation.bytes_returned)
    assert.equal(0, result.details.cut.output_bytes)
    assert.equal("", session:cap("mine", "", { left_out = true }).content)
    assert.equal(result.content, session:cap("read_file", numbered(5000), { left_out = true }).content)
  end)

  it("keeps what it leaves out whole in a file, where there is JSON for a log", function()
    if not json then return pending "JSON is missing" end
    local dir = tmpdir.new()
    local own = abridge.session { run_dir = dir:at "run" }
    local result = own:cap("mine", numbered(5000), { left_out = true })
    local path = dir:at "run/artifacts/0001-mine.log"
    local said = "[Output of 23.3KB left out: this call is at its limit. Full output: %s%s]"
    assert.equal(said:format(path, hint), result.content)
    assert.equal(numbered(5000), dir:read "run/artifacts/0001-mine.log")
    assert.equal(result.content, own:events({ type = "tool_result" })[1].content)
    own:close()
    dir:remove()
  end)

  it("refuses wrong ones, at the caller's line", function()
    for _, case in ipairs {
      { { limits = { max_lines = -1 } }, "session:cap: limits: max_lines must be an integer from 0 to 2^53, got -1" },
      {
        { limits = { max_bytes = "much" } },
        'session:cap: limits: max_bytes must be bytes, or a size such as "30KB", got "much"',
      },
      { { left_out = 1 }, "session:cap: left_out must be a boolean, got 1" },
      { { save = "x" }, "session:cap: unknown option 'save' (value \"x\")" },
      { 5, "session:cap: opts must be a table, got 5" },
    } do
      local said = plain.misuse(function()
        local result = session:cap("mine", "x", case[1])
        return result
      end)
      assert.equal(case[2], said)
    end
  end)
end)
