-- Streams as a caller sees them: their life, misuse, counters. stream_property_spec.lua has the cuts,
-- private_file_spec.lua the full output.
local abridge = require "abridge"
local plain = require "support.plain"
local seq = require "support.seq"

local MB = 1024 * 1024

--- Memory that this process has in use, in bytes; nil where the system does not tell.
local function resident()
  local file = io.open("/proc/self/status", "rb")
  local kb = file and file:read("*a"):match "VmRSS:%s+(%d+) kB"
  if file then file:close() end
  return kb and tonumber(kb) * 1024
end

describe("a stream", function()
  it("is written, looked at, finished and closed", function()
    local s = abridge.stream { strategy = "tail", max_lines = 2 }
    assert.is_true(s:write "one\ntw")
    assert.is_true(s:write "o\nthree\n")
    local content, cut = s:snapshot()
    assert.equal("two\nthree\n", content)
    assert.is_true(cut.truncated)
    assert.is_true(s:write "four")
    content, cut = s:finish()
    assert.equal("three\nfour", content)
    assert.same({ 4, 18, 2, 10 }, { cut.total_lines, cut.total_bytes, cut.output_lines, cut.output_bytes })
    assert.equal("lines", cut.truncated_by)
    assert.same({ { first_byte = 9, last_byte = 18, first_line = 3, last_line = 4 } }, cut.kept)
    s:close()
  end)

  it("without a byte is the empty text", function()
    for _, strategy in ipairs { "head", "tail", "head_tail" } do
      local s = abridge.stream { strategy = strategy, max_bytes = 0 }
      assert.is_true(s:write "")
      local content, cut = s:finish()
      assert.equal("", content)
      assert.same({ false, 0, 0, {} }, { cut.truncated, cut.total_lines, cut.total_bytes, cut.kept })
    end
  end)

  it("takes its budgets as sizes too", function()
    local _, cut = abridge.stream({ strategy = "head", max_bytes = "30KB" }):finish { max_bytes = "1.5KB" }
    assert.equal(1536, cut.max_bytes)
  end)

  it("limited in lines alone is limited in bytes too, and says so", function()
    local s = abridge.stream { strategy = "tail", max_lines = 5 }
    s:write(("x"):rep(MB) .. "y\n")
    local content, cut = s:finish()
    assert.equal(MB, cut.max_bytes)
    assert.equal(5, cut.max_lines)
    assert.equal(MB, #content)
    assert.equal("bytes", cut.truncated_by)
    for _, key in ipairs { "max_bytes", "max_chars", "max_tokens" } do
      cut = select(2, abridge.stream({ strategy = "tail", max_lines = 5, [key] = 2 ^ 53 }):finish())
      assert.equal(2 ^ 53, cut[key])
      if key ~= "max_bytes" then assert.is_nil(cut.max_bytes) end
    end
  end)

  it("costs nothing for a budget that is not used", function()
    local before = resident()
    local streams = {}
    for i = 1, 100 do
      streams[i] = abridge.stream { strategy = "head_tail", max_bytes = 2 ^ 53 }
      streams[i]:write "some text\n"
      assert.equal("some text\n", (streams[i]:snapshot()))
    end
    if before then assert.is_true(resident() - before < 16 * MB) end
    for _, s in ipairs(streams) do
      s:close()
    end
  end)

  it("gives a text that fits as it came, NUL and all", function()
    local text = "a\0b\r\n\255\n"
    for _, strategy in ipairs { "head", "tail", "head_tail" } do
      local s = abridge.stream { strategy = strategy, max_bytes = #text }
      for i = 1, #text do
        s:write(text:sub(i, i))
      end
      assert.equal(text, (s:finish()))
    end
  end)

  it("can be looked at after its end", function()
    local s = abridge.stream { strategy = "head", max_lines = 1 }
    s:write "one\ntwo\n"
    local content, cut = s:finish()
    local again, again_cut = s:snapshot()
    assert.equal(content, again)
    assert.same(cut, again_cut)
    assert.equal("", (s:snapshot { max_lines = 0 }))
  end)

  it("does not mind later changes of its options", function()
    local opts = { strategy = "head_tail", max_bytes = 24, reserve = ("re"):rep(2), marker_text = ("<{lines}>"):rep(1) }
    local s = abridge.stream(opts)
    opts.max_bytes, opts.reserve, opts.marker_text = 0, nil, nil
    collectgarbage()
    s:write "one\ntwo\nthree\nfour\nfive\nsix\n"
    local want = { max_bytes = 24, reserve = "rere", marker_text = "<{lines}>" }
    assert.equal((abridge.head_tail("one\ntwo\nthree\nfour\nfive\nsix\n", want)), (s:finish()))
  end)

  it("tells its state", function()
    local s = abridge.stream { strategy = "head", max_bytes = 1 }
    assert.equal("abridge.stream (open)", tostring(s))
    s:finish()
    assert.equal("abridge.stream (finished)", tostring(s))
    s:close()
    assert.equal("abridge.stream (closed)", tostring(s))
  end)
end)

describe("one cut of a stream", function()
  local function filled()
    local s = abridge.stream { strategy = "tail", max_lines = 4, max_bytes = 100 }
    s:write(seq(1, 9, "line %d"))
    return s
  end

  it("may have lower budgets and another reserve", function()
    local s = filled()
    assert.equal("line 9\n", (s:snapshot { max_bytes = 13 }))
    assert.equal("line 8\nline 9\n", (s:snapshot { max_lines = 2 }))
    assert.equal("line 9\n", (s:snapshot { max_bytes = 14, reserve = "[cut]" }))
    assert.equal(28, #s:snapshot {})
    local content, cut = s:finish { max_bytes = 20 }
    assert.equal("line 8\nline 9\n", content)
    assert.equal(20, cut.max_bytes)
    s:close()
  end)

  it("may not have higher budgets than the stream", function()
    local s = filled()
    for key, value in pairs { max_bytes = 101, max_lines = 5, max_chars = 10 } do
      local message = plain.misuse(function()
        local content = s:finish { [key] = value }
        return content
      end)
      assert.matches("^stream:finish: ", message)
    end
    assert.equal(28, #s:finish { max_bytes = 100, max_lines = 4 })
  end)

  it("takes no option but budgets, reserve and long_line", function()
    local s = filled()
    for key, value in pairs { strategy = "head", utf8 = "keep", max_byte = 3, full_output = false } do
      local message = plain.misuse(function()
        local content = s:snapshot { [key] = value }
        return content
      end)
      assert.matches("^stream:snapshot: .*" .. key, message)
    end
    local message = plain.misuse(function()
      local content = s:finish(30)
      return content
    end)
    assert.equal("stream:finish: opts must be a table, got 30", message)
    message = plain.misuse(function()
      local content = s:finish { max_bytes = -1 }
      return content
    end)
    assert.matches("^stream:finish: max_bytes must be .*, got %-1$", message)
    s:finish()
  end)
end)

describe("the end of a stream", function()
  it("comes once", function()
    local s = abridge.stream { strategy = "head", max_bytes = 9 }
    s:finish()
    for method, call in pairs {
      write = function()
        local ok = s:write "x"
        return ok
      end,
      finish = function()
        local content = s:finish()
        return content
      end,
    } do
      assert.equal("stream:" .. method .. ": the stream is finished", plain.misuse(call))
    end
    s:close()
  end)

  it("may be closed twice, and used no more", function()
    local s = abridge.stream { strategy = "head", max_bytes = 9 }
    s:write "text"
    s:close()
    s:close()
    for _, method in ipairs { "write", "finish", "snapshot" } do
      local message = plain.misuse(function()
        local content = s[method](s, "text")
        return content
      end)
      assert.equal("stream:" .. method .. ": the stream is closed", message)
    end
  end)

  it("comes with the collector", function()
    local before = resident()
    local chunk = ("x"):rep(16 * MB)
    for _ = 1, 25 do
      abridge
        .stream({
          strategy = "tail",
          max_bytes = 32 * MB,
          count_tokens = function()
            return 0
          end,
        })
        :write(chunk)
      collectgarbage()
    end
    if before then assert.is_true(resident() - before < 100 * MB) end
  end)

  it("comes with the end of a scope, on hosts that have it", function()
    local load_text = loadstring or load
    local code = [[
      local abridge = ...
      local kept
      do
        local s <close> = abridge.stream { strategy = "head", max_bytes = 9 }
        kept = s
      end
      return kept]]
    local chunk = load_text(code)
    assert.equal(_VERSION >= "Lua 5.4", chunk ~= nil)
    if chunk then assert.equal("abridge.stream (closed)", tostring(chunk(abridge))) end
  end)

  it("is safe in any order with the collector", function()
    for _ = 1, 10 do
      local s = abridge.stream {
        strategy = "tail",
        max_tokens = 3,
        count_tokens = function(text)
          return #text
        end,
      }
      s:write "some words\n"
      s:finish()
      s:close()
      s = nil -- luacheck: ignore 311
      collectgarbage()
    end
  end)
end)

describe("a stream without a strategy", function()
  it("is auto", function()
    local text = ("a line\n"):rep(50)
    local stream = abridge.stream { max_lines = 5 }
    stream:write(text)
    local content, cut = stream:finish()
    stream:close()
    assert.equal((abridge.auto(text, { max_lines = 5 })), content)
    assert.equal("auto", cut.strategy)
  end)
end)

describe("misuse of a stream", function()
  it("is told with name and value", function()
    local cases = {
      { nil, "opts must be a table, got nil" },
      { "tail", 'opts must be a table, got "tail"' },
      { {}, "no budget given" },
      { { strategy = "middle", max_bytes = 1 }, 'strategy must be .*, got "middle"' },
      { { strategy = "tail" }, "no budget given" },
      { { strategy = "tail", max_bytes = 1.5 }, "max_bytes must be .*, got 1.5" },
      { { strategy = "tail", max_bytes = 2 ^ 53 * 2 }, "max_bytes must be" },
      { { strategy = "tail", max_bytes = 1, max_byte = 2 }, "unknown option 'max_byte' %(value 2%)" },
      { { strategy = "tail", max_bytes = 1, marker = "none" }, "marker" },
      { { strategy = "tail", max_bytes = 1, full_output = true }, "full_output must be .*, got true" },
      { { strategy = "tail", max_bytes = 1, full_output = "d" }, "full_output must be" },
      { { strategy = "tail", max_bytes = 1, full_output = { dir = "d" } }, "full_output.name must be .*, got nil" },
      { { strategy = "tail", max_bytes = 1, full_output = { name = "n" } }, "full_output.dir must be .*, got nil" },
      { { strategy = "tail", max_bytes = 1, full_output = { dir = "a\0b", name = "n" } }, "full_output.dir must be" },
      { { strategy = "tail", max_bytes = 1, full_output = { dir = "d", name = "" } }, "full_output.name must be" },
      {
        { strategy = "tail", max_bytes = 1, full_output = { dir = "d", name = "n", nmae = "m" } },
        "unknown key 'nmae' in full_output %(value \"m\"%)",
      },
      { { strategy = "tail", max_tokens = 1, count_tokens = 1 }, "count_tokens must be a function, got 1" },
    }
    for _, case in ipairs(cases) do
      local message = plain.misuse(function()
        local s = abridge.stream(case[1])
        return s
      end)
      assert.matches("^abridge%.stream: .*" .. case[2], message)
    end
  end)

  it("leaves a stream as it was that holds text back", function()
    local s = abridge.stream { strategy = "tail", max_bytes = 100, redact = { "secret%d+" } }
    s:write "a secret7 and "
    for _, wrong in ipairs { 5, print, "x" } do
      assert.matches("^stream:finish: ", plain.raised(s.finish, s, wrong))
    end
    s:write "more"
    assert.equal("a [redacted] and more", (s:finish()))
  end)

  it("of a method is told too", function()
    local s = abridge.stream { strategy = "tail", max_bytes = 1 }
    for _, chunk in ipairs { 5, false, {} } do
      local message = plain.misuse(function()
        local ok = s:write(chunk)
        return ok
      end)
      assert.matches("^stream:write: chunk must be a string", message)
    end
    assert.matches("chunk must be a string", plain.raised(s.write, s))
    for _, method in ipairs { "write", "snapshot", "finish", "close" } do
      for _, wrong in ipairs { 1, "s", io.stdout, {} } do
        assert.matches("abridge%.stream expected", plain.raised(s[method], wrong, "x"))
      end
      assert.is_false(pcall(s[method]))
    end
    s:close()
  end)
end)

describe("the counter of a stream", function()
  local function counting(counter)
    local s = abridge.stream { strategy = "head_tail", max_tokens = 60, count_tokens = counter }
    s:write(seq(1, 50, "line %d"))
    return s
  end

  it("runs in finish and snapshot alone, a few times each", function()
    local calls = 0
    local s = counting(function(text)
      calls = calls + 1
      return #text
    end)
    assert.equal(0, calls)
    s:snapshot()
    assert.is_true(calls > 0 and calls < 60)
    calls = 0
    s:finish()
    assert.is_true(calls > 0 and calls < 60)
    s:close()
  end)

  it("may raise anything; the stream goes on", function()
    for _, thrown in ipairs { "a message", { code = 5 }, false } do
      local left
      local s = counting(function(text)
        left = left - 1
        if left == 0 then error(thrown, 0) end
        return #text
      end)
      for at = 1, 4 do
        left = at
        assert.equal(thrown, plain.raised(s.finish, s))
        left = at
        assert.equal(thrown, plain.raised(s.snapshot, s))
      end
      s:write "more\n"
      left = 1000
      local content, cut = s:finish()
      local want = {
        max_tokens = 60,
        count_tokens = function(text)
          return #text
        end,
      }
      assert.equal((abridge.head_tail(seq(1, 50, "line %d") .. "more\n", want)), content)
      assert.equal(51, cut.total_lines)
      s:close()
    end
  end)

  it("must answer with a count", function()
    for _, answer in ipairs { -1, 0.5, "x", {}, 0 / 0 } do
      local s = counting(function()
        return answer
      end)
      assert.matches("count_tokens must return an integer", plain.raised(s.finish, s))
      s:close()
    end
  end)

  it("may not yield", function()
    local s = counting(function()
      return coroutine.yield()
    end)
    local thread = coroutine.create(function()
      return s:finish()
    end)
    local ok, message = coroutine.resume(thread)
    assert.is_false(ok)
    assert.matches("yield", message)
    s:close()
  end)

  it("may run on another coroutine than the one that opened the stream", function()
    local s
    coroutine.wrap(function()
      s = counting(function(text)
        return #text
      end)
    end)()
    collectgarbage()
    local content = coroutine.wrap(function()
      return (s:finish())
    end)()
    local want = {
      max_tokens = 60,
      count_tokens = function(text)
        return #text
      end,
    }
    assert.equal((abridge.head_tail(seq(1, 50, "line %d"), want)), content)
    s:close()
  end)

  it("may not touch the stream that is being cut", function()
    local s
    local seen = {}
    local calls = {
      write = function()
        s:write(("x"):rep(5000))
      end,
      snapshot = function()
        s:snapshot()
      end,
      finish = function()
        s:finish()
      end,
      close = function()
        s:close()
      end,
    }
    s = counting(function(text)
      for name, call in pairs(calls) do
        local _, message = pcall(call)
        seen[name] = message
      end
      return #text
    end)
    local content, cut = s:finish()
    for name in pairs(calls) do
      assert.matches("stream:" .. name .. ": the stream is being cut", tostring(seen[name]))
    end
    local want = {
      max_tokens = 60,
      count_tokens = function(text)
        return #text
      end,
    }
    assert.equal((abridge.head_tail(seq(1, 50, "line %d"), want)), content)
    assert.equal(50, cut.total_lines)
    s:close()
  end)

  it("may use other streams", function()
    local s = counting(function(text)
      local other = abridge.stream {
        strategy = "tail",
        max_tokens = 2,
        count_tokens = function(t)
          return #t
        end,
      }
      other:write(text)
      assert(#other:finish() <= 2)
      other:close()
      return #text
    end)
    assert.is_true(#s:finish() <= 60)
    s:close()
  end)
end)

describe("a cut of a stream", function()
  it("may split a long line that the stream omits, for once", function()
    local stream = abridge.stream { strategy = "head", max_bytes = 20 }
    stream:write(("x"):rep(30) .. "\nsecond\n")
    local content, cut = stream:snapshot()
    assert.same({ "", true }, { content, cut.first_line_exceeds_limit })
    content, cut = stream:snapshot { long_line = "split" }
    assert.same({ ("x"):rep(20), false, "bytes" }, { content, cut.first_line_exceeds_limit, cut.truncated_by })
    assert.equal("", (stream:snapshot()))
    assert.has_error(function()
      stream:snapshot { long_line = "cut" }
    end, 'stream:snapshot: long_line must be "omit" or "split", got "cut"')
    stream:close()
  end)
end)
