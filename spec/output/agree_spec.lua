-- One text is cut once: of a tool's view and the ceiling the one that binds is applied, and block, ledger, protocol
-- and notice speak of what shows. ABRIDGE_SEED=n repeats a run.
local abridge = require "abridge"
local result_rules = require "abridge.output.result_rules"
local opened = require "support.opened"
local random = require "support.random"
local wide_lines = require "support.wide_lines"

local must = random.must
local MARKER = "\n... [%d bytes truncated; head + tail kept] ...\n"

after_each(opened.close)

---A session with one tool, that yields a value or runs a function.
local function session_with(opts, value, limits)
  local session = opened.session(opts)
  session:register {
    name = "tool",
    limits = limits,
    execute = type(value) == "function" and value or function()
      return value
    end,
  }
  return session
end

---Raises unless all that is said of a result agrees and fits its text.
local function check_agreement(result, text)
  local block, cut = result.truncation, result.details.cut
  local told = abridge.protocol(result)
  must(block.truncated == cut.truncated, "block %s, ledger %s", block.truncated, cut.truncated)
  must(told.truncated == block.truncated, "protocol %s, block %s", told.truncated, block.truncated)
  must(abridge.protocol(cut).truncated == block.truncated, "protocol of the ledger differs")
  must(told.units == (cut.truncated_by or "bytes"), "units %s", told.units)
  must(told.units ~= "bytes" or told.total == block.bytes_total, "total %s, block %s", told.total, block.bytes_total)
  must(cut.total_bytes == #text, "total_bytes %s of %s", cut.total_bytes, #text)

  -- what the ledger says is kept shows, in order, and nothing else but markers
  local body, at, rest = result.content:sub(1, block.bytes_returned), 1, {}
  for _, range in ipairs(cut.kept or {}) do
    local kept = text:sub(range.first_byte, range.last_byte)
    local first, last = body:find(kept, at, true)
    must(first, "range %d-%d does not show in %s", range.first_byte, range.last_byte, body)
    rest[#rest + 1] = body:sub(at, first - 1)
    at = last + 1
  end
  local kept = 0
  for _, range in ipairs(cut.kept or {}) do
    kept = kept + range.last_byte - range.first_byte + 1
  end
  local marked = 0
  for _, marker in ipairs(cut.markers or {}) do
    marked = marked + marker.last_byte - marker.first_byte + 1
  end
  must(#body - marked == kept, "%d bytes of content, %d of them markers, %d kept", #body, marked, kept)

  -- the notice names the budget that bound
  local notice = result.details.notice
  local limit = notice and notice:match "%(([^()]*) limit%)"
  if limit then
    local budget = cut["max_" .. cut.truncated_by]
    local want = cut.truncated_by == "bytes" and abridge.format_size(budget)
      or ("%d %s"):format(budget, cut.truncated_by:sub(1, -2))
    must(limit == want, "the notice says %s, the ledger %s", limit, want)
    local shown, total = notice:match "Showing (%d+) of (%d+) lines"
    must(not shown or tonumber(shown) == cut.output_lines and tonumber(total) == cut.total_lines, "%s", notice)
    must(not (shown and shown == total), "as if all showed: %s", notice)
  end
  local by_lines = cut.truncated_by == "lines"
  must(block.reason ~= "line_cap" or by_lines, "reason line_cap, bound by %s", cut.truncated_by)
end

describe("a view and the ceiling together", function()
  local text = wide_lines(5000, 100)

  it("cut once, and the ledger speaks of what shows", function()
    local session = session_with({ ceiling = { max_bytes = 64 * 1024 }, run_dir = false }, text, { max_lines = 2000 })
    local result = session:call("tool", {})
    local cut = result.details.cut
    assert.is_true(#result.content <= 64 * 1024)
    assert.equal(2, #cut.kept)
    assert.equal(1, cut.kept[1].first_byte)
    assert.equal(#text, cut.kept[2].last_byte)
    assert.same({ true, "bytes", #text, 65536 }, { cut.truncated, cut.truncated_by, cut.total_bytes, cut.max_bytes })
    assert.truthy(result.content:find(MARKER:format(cut.omitted_bytes), 1, true))
    assert.is_nil(result.content:find("Showing", 1, true))
    assert.same(
      { truncated = true, bytes_returned = #result.content, bytes_total = #text, reason = "size_cap" },
      result.truncation
    )
    check_agreement(result, text)
  end)

  it("leave the view alone where it binds", function()
    local session = session_with({ ceiling = { max_bytes = "64KB" }, run_dir = false }, text, { max_lines = 20 })
    local result = session:call("tool", {})
    assert.matches("%[Showing 20 of 5000 lines %(20 line limit%)%]$", result.content)
    assert.equal("line_cap", result.truncation.reason)
    assert.is_nil(result.metadata)
    check_agreement(result, text)
  end)

  it("keep the view's budgets under the ceiling's way", function()
    local short = wide_lines(50, 10) .. wide_lines(50, 300)
    local session = session_with(
      { ceiling = { max_bytes = 2000 }, run_dir = false },
      short,
      { strategy = "tail", max_lines = 10 }
    )
    local result = session:call("tool", {})
    assert.is_true(result.details.cut.output_lines <= 10)
    assert.is_true(#result.content <= 2000)
    check_agreement(result, short)
  end)

  it("cut a stream of the tool's as they cut a string", function()
    for _, limits in ipairs {
      { max_lines = 2000 },
      { strategy = "tail", max_lines = 900 },
      {},
      { strategy = "pipeline", max_chars = 60000 },
    } do
      local as_string = session_with({ ceiling = { max_bytes = 3000 }, run_dir = false }, text, limits):call("tool", {})
      local as_stream = session_with({ ceiling = { max_bytes = 3000 }, run_dir = false }, function(_, ctx, done)
        local stream = ctx.stream()
        for at = 1, #text, 777 do
          stream:write(text:sub(at, at + 776))
        end
        done(stream)
      end, limits):call("tool", {})
      assert.equal(as_string.content, as_stream.content)
      assert.same(as_string.truncation, as_stream.truncation)
      assert.same(as_string.details.cut.kept, as_stream.details.cut.kept)
      check_agreement(as_stream, text)
    end
  end)

  it("keep the exit line of a command, and how much there was", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    local session = opened.session { profile = "pipeline", ceiling = { max_bytes = 500 }, run_dir = false }
    local result = session:call("run_command", { command = "seq 1000; exit 3" })
    assert.is_true(#result.content <= 500)
    assert.equal("Command exited with code 3", result.details.exit_line)
    assert.matches("\n1000\n\nCommand exited with code 3$", result.content)
    assert.equal(3893, result.truncation.bytes_total)
    assert.is_true(result.details.cut.truncated)
  end)

  it("agree with each other for any text, view and ceiling", function()
    local PROFILES = { "default", "contract", "dispatcher", "pi", "pipeline" }
    random.each(1500, function()
      local text_of = random.text(120):gsub("[^\n\32-\126]", "") -- nothing that is cleaned, or shows as something else
      local limits
      if random.chance(2) then
        limits = { strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" } }
        limits[random.choose { "max_lines", "max_bytes", "max_chars", "max_tokens" }] = random.below(300)
        if random.chance(2) then limits.max_lines = random.below(30) end
      end
      local profile = random.choose(PROFILES)
      local most = random.chance(4) and random.below(40) or random.below(600)
      local ceiling = not random.chance(4) and { max_bytes = most }
      local session = session_with({ profile = profile, ceiling = ceiling, run_dir = false }, text_of, limits)
      local result
      if random.chance(3) then
        result = session:cap(random.choose { "tool", "other", "run_command", "web_fetch" }, text_of)
      else
        result = session:call("tool", {})
      end
      local ok, why = pcall(function()
        check_agreement(result, text_of)
        result_rules.check(result, { ceiling = ceiling and ceiling.max_bytes or nil, whole = text_of })
      end)
      must(
        ok,
        "%s: profile %s, ceiling %s, limits %s, text %s, content %s",
        why,
        profile,
        ceiling and most,
        limits and require("abridge.base.host").json().encode(limits),
        text_of,
        result.content
      )
      opened.close()
    end)
  end)
end)

describe("limits of items", function()
  local function listing(limit, opts)
    opts = opts or {}
    opts.run_dir = false
    local session = opened.session(opts)
    local tmpdir = require "support.tmpdir"
    local dir = tmpdir.new()
    for i = 1, 20 do
      dir:write(("f%02d"):format(i), "x\n")
    end
    local result = session:call("list_directory", { path = dir.path, limit = limit, offset = 3 })
    local found = session:call("find_files", { path = dir.path, pattern = "*", limit = limit })
    local searched = session:call("search_files", { path = dir.path, pattern = "x", limit = limit })
    dir:remove()
    return result, found, searched
  end

  it("are told by block, ledger and protocol alike", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    local listed, found, searched = listing(5)
    for _, result in ipairs { listed, found, searched } do
      assert.is_true(result.truncation.truncated)
      assert.is_true(result.details.cut.truncated)
      assert.is_nil(result.details.cut.truncated_by)
      assert.is_true(abridge.protocol(result).truncated)
      assert.equal(result.truncation.bytes_total, abridge.protocol(result).total)
    end
    assert.same({ truncated_total = 20 }, listed.metadata)
    assert.same({ truncated_total = 20 }, found.metadata)
    assert.same({ truncated_total = 6 }, searched.metadata)
    local cut = listed.details.cut -- a ledger of all entries
    assert.same({ { first_byte = 9, last_byte = 27, first_line = 3, last_line = 7 } }, cut.kept)
    assert.same({ 20, 79, 15, 60 }, { cut.total_lines, cut.total_bytes, cut.omitted_lines, cut.omitted_bytes })
    assert.equal(8, abridge.protocol(listed).offset)
  end)
end)

describe("an update under the ceiling", function()
  it("shows no more than the result will", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    for _, as_stream in ipairs { true, false } do
      local sizes = {}
      local session = session_with({ ceiling = { max_bytes = 300 }, run_dir = false }, function(_, ctx, done)
        local text = wide_lines(100, 50)
        local stream = ctx.stream()
        stream:write(text)
        ctx.update(as_stream and stream or text)
        done(stream)
      end, { max_lines = 50 })
      local job = session:call("tool", {}, {
        on_update = function(content, cut)
          sizes[#sizes + 1] = #content
          assert.equal("head_tail", cut.strategy)
        end,
      })
      job:wait()
      assert.is_true(#sizes > 0)
      for _, size in ipairs(sizes) do
        assert.is_true(size <= 300)
      end
    end
  end)
end)
