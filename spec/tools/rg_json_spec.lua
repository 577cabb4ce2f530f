local host = require "abridge.base.host"
local random = require "support.random"
local rg_json = require "abridge.search.rg_json"

local json = host.json()

local ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(bytes)
  local groups = {}
  for i = 1, #bytes, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    local n = a * 65536 + (b or 0) * 256 + (c or 0)
    for k = 3, 0, -1 do
      local digit = math.floor(n / 64 ^ k) % 64
      groups[#groups + 1] = (k == 0 and not c or k == 1 and not b) and "=" or ALPHABET:sub(digit + 1, digit + 1)
    end
  end
  return table.concat(groups)
end

local ESCAPES = { ["\n"] = "\\n", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\" }

--- A field as rg writes it.
local function field(text, as_bytes)
  if as_bytes then return ('{"bytes":"%s"}'):format(base64(text)) end
  local escaped = text:gsub('[%z\1-\31"\\]', function(c)
    return ESCAPES[c] or ("\\u%04x"):format(c:byte())
  end)
  return '{"text":"' .. escaped .. '"}'
end

local function match_json(path, line, first, last, as_bytes)
  return ('{"type":"match","data":{"path":%s,"lines":%s,"line_number":7,"absolute_offset":42,"submatches":'):format(
    field(path),
    field(line, as_bytes)
  ) .. ('[{"match":%s,"start":%d,"end":%d}]}}\n'):format(field(line:sub(first, last), as_bytes), first - 1, last)
end

local function read(text, chunk_size)
  local events = {}
  local feed = rg_json.reader(json, function(event)
    events[#events + 1] = event
  end)
  for i = 1, #text, chunk_size do
    feed(text:sub(i, i + chunk_size - 1))
  end
  return events
end

describe("the reader of rg's JSON", function()
  it("reads base64 of every length", function()
    random.each(20, function()
      local bytes = random.bytes(random.below(50))
      random.must(rg_json.base64(base64(bytes)) == bytes, "%s", bytes)
    end)
    assert.equal("", rg_json.base64 "")
    assert.equal("abc", rg_json.base64 "YWJjZA") -- an incomplete group
  end)

  it("gives the events of whole lines, whatever the chunks", function()
    local text = '{"type":"begin","data":{"path":{"text":"./a"}}}\n'
      .. match_json('./a\n"b', 'say "needle"\t\\\n', 6, 11)
      .. '{"type":"context","data":{"path":{"text":"./a"},"lines":{"text":"next\\n"},"line_number":8,'
      .. '"absolute_offset":60,"submatches":[]}}\n'
      .. match_json("./a", "\255needle\r\n", 2, 7, true)
      .. '{"type":"end","data":{"path":{"text":"./a"},"binary_offset":null,"stats":{}}}\n'
      .. '{"data":{},"type":"summary"}\n'
    for _, size in ipairs { 1, 7, #text } do
      local events = read(text, size)
      assert.equal(6, #events)
      assert.same({
        kind = "match",
        path = './a\n"b',
        line = 'say "needle"\t\\\n',
        whole = true,
        number = 7,
        offset = 42,
        first = 6,
        last = 11,
        match = "needle",
      }, events[2])
      assert.equal("next\n", events[3].line)
      assert.equal(0, events[3].last)
      assert.equal("\255needle\r\n", events[4].line)
      assert.equal("end", events[5].kind)
    end
  end)

  it("keeps the start of a long line alone, and where its match is", function()
    random.each(8, function(case)
      local piece = random.choose { 'x"\\', "plain ", "\195\169", "\1", '},"line_number":', '},"start":' }
      local function of(kib)
        return piece:rep(math.ceil(kib * 1024 / #piece))
      end
      local before, after = of(random.between(60, 320)), of(random.below(200))
      local needle = random.chance(3) and of(100) or "needle"
      local line = before .. needle .. after .. "\n"
      local as_bytes = random.chance(3)
      local text = match_json("./a", line, #before + 1, #before + #needle, as_bytes) .. match_json("./b", "x\n", 1, 1)
      if #text < 300 * 1024 then return end
      local events = read(text, random.choose { 65536, 1000, #text })
      random.must(#events == 2, "case %d: %d events", case, #events)
      local event = events[1]
      random.must(event.path == "./a" and event.number == 7 and event.offset == 42, "head of %d", case)
      random.must(event.first == #before + 1 and event.last == #before + #needle, "match at %d", event.first)
      random.must(#event.line >= 40000 and line:sub(1, #event.line) == event.line, "start of %d bytes", #event.line)
      random.must(event.whole == (event.line == line), "whole %s", event.whole)
      random.must(needle:sub(1, #event.match) == event.match and event.match ~= "", "match %s", event.match)
      random.must(events[2].line == "x\n" and events[2].whole, "the next event")
    end)
  end)

  it("reads a long line of context", function()
    local line = ("c"):rep(400 * 1024) .. "\n"
    local text = '{"type":"context","data":{"path":{"text":"./a"},"lines":%s,"line_number":8,"absolute_offset":60,'
    local events = read((text .. '"submatches":[]}}\n'):format(field(line)), 65536)
    assert.equal("context", events[1].kind)
    assert.equal(8, events[1].number)
    assert.is_false(events[1].whole)
    assert.equal(line:sub(1, #events[1].line), events[1].line)
  end)

  it("stops when it is told to", function()
    local seen = 0
    local feed = rg_json.reader(json, function()
      seen = seen + 1
      return seen == 2
    end)
    assert.is_true(feed(match_json("./a", "x\n", 1, 1):rep(5)))
    assert.equal(2, seen)
  end)

  it("raises on what is not rg's", function()
    assert.has_error(function()
      read("no JSON\n", 100)
    end)
    assert.has_error(function()
      read(("x"):rep(300 * 1024) .. "\n", 65536)
    end)
  end)
end)
