-- Logs whose events have values of any type in every field: nothing that reads them raises.
-- ABRIDGE_SEED=n repeats a run; a failure prints it.
local abridge = require "abridge"
local call_words = require "abridge.run.call_words"
local contains = require "support.contains"
local host = require "abridge.base.host"
local otel = require "abridge.otel"
local random = require "support.random"
local report = require "abridge.report"
local stats = require "abridge.run.stats"
local tmpdir = require "support.tmpdir"

local PROGRAM = require("support.command").program()
local json = host.json()

-- values, as JSON spells them -------------------------------------------------------------

local function quoted(text)
  return '"' .. text:gsub('[%c"\\\127-\255]', function(char)
    return ("\\u%04x"):format(char:byte())
  end) .. '"'
end

local ATOMS = {
  "[]",
  "{}",
  "null",
  "true",
  "false",
  "0",
  "1",
  "-1",
  "3",
  "9",
  "0.5",
  "1e300",
  "-1e300",
  "1e999",
  "NaN",
  "9007199254740993",
  "12345678901234567890",
  '""',
  '"x"',
  '"head"',
  '"lines"',
  '"size_cap"',
  '"call-1"',
  '"call-999999999999999999999"',
  '"artifacts/0001-run_command.log"',
  '"artifacts/../../etc/passwd"',
  '"\\ud800"',
  '"{\\"a\\":1e999}"',
  '"[[[["',
  quoted "\0\27[31m<script>",
  quoted(("y"):rep(5000)),
}

local KEYS = {
  "path",
  "bytes",
  "error",
  "kept",
  "first_byte",
  "last_byte",
  "first_line",
  "last_line",
  "total_lines",
  "total_bytes",
  "output_lines",
  "output_bytes",
  "truncated",
  "truncated_by",
  "reason",
  "resume_hint",
  "bytes_returned",
  "bytes_total",
  "next_offset",
  "items",
  "unit",
  "of",
  "total",
  "markers",
  "strategy",
  "kind",
  "max_lines",
  "hits",
  "failures",
  "found",
  "command",
  "pattern",
  "sql",
  "offset",
  "limit",
  "failure",
  "1",
  "2",
}

local function value(depth)
  local kind = random.below(depth > 0 and 8 or 5)
  if kind < 5 then return random.choose(ATOMS) end
  if kind == 6 and random.chance(6) then
    local levels = random.choose { 10, 300, 990 }
    return ("["):rep(levels) .. ("]"):rep(levels)
  end
  local parts = {}
  for i = 1, random.below(6) do
    local inner = value(depth - 1)
    parts[i] = kind == 5 and inner or quoted(random.choose(KEYS)) .. ":" .. inner
  end
  local all = table.concat(parts, ",")
  return kind == 5 and "[" .. all .. "]" or "{" .. all .. "}"
end

-- events ----------------------------------------------------------------------------------

local CALL = { "call_id", "input", "seq", "time", "tool" }
local CUT = '{"strategy":"head","truncated":true,"total_lines":3,"total_bytes":9,"output_lines":1,"output_bytes":3,'
  .. '"truncated_by":"lines","kept":[{"first_byte":1,"last_byte":3,"first_line":1,"last_line":1}],'
  .. '"items":[{"unit":"rows","total":3,"kept":1}],"markers":[{"first_byte":1,"last_byte":2}]}'
local FIELDS = {
  bytes_in = "9",
  bytes_shown = "3",
  bytes_total = "9",
  call_id = '"call-1"',
  content = '"abc\\ndef\\n"',
  cut = CUT,
  details = '{"exit_code":1}',
  duration_ms = "5",
  exit_code = "1",
  exit_line = '"[exit]"',
  failure = '"exit"',
  full_output = '{"path":"artifacts/0001-run_command.log","bytes":9}',
  input = '{"command":"x"}',
  is_error = "false",
  log_error = '"x"',
  metadata = '{"a":1}',
  notice = '"n"',
  seq = "2",
  signal = '"SIGTERM"',
  time = "1700000001",
  tool = '"run_command"',
  truncation = '{"truncated":true,"reason":"size_cap","bytes_returned":3,"bytes_total":9,"resume_hint":"h"}',
}
local NAMES = {}
for name in pairs(FIELDS) do
  NAMES[#NAMES + 1] = name
end
table.sort(NAMES)

--- An event of that type, some fields and some within them replaced; `ids` are those of the run.
local function event(kind, ids)
  local fields = {}
  for _, name in ipairs(kind == "tool_call" and CALL or NAMES) do
    fields[name] = FIELDS[name]
  end
  fields.call_id = random.choose(ids)
  for _ = 1, random.below(4) do
    local name = random.choose(NAMES)
    if fields[name] then fields[name] = value(3) end
  end
  local inside = random.choose { "truncation", "cut", "full_output" }
  if fields[inside] and random.chance(3) then
    fields[inside] = fields[inside]:gsub('("[%a_]+":)([%w"][^,{}%[%]]*)', function(name, old)
      return name .. (random.chance(4) and random.choose(ATOMS) or old)
    end)
  end
  local parts = { '"type":' .. quoted(kind) }
  for _, name in ipairs(NAMES) do
    if fields[name] then parts[#parts + 1] = quoted(name) .. ":" .. fields[name] end
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

describe("a log with values of any type #few", function()
  if not (host.uv() and json) then return pending "luv or a JSON library is missing" end

  local dir

  setup(function()
    dir = tmpdir.new()
    dir:sh [[mkdir -m 700 run run/artifacts; printf 'abc\ndef\ng' > run/artifacts/0001-run_command.log
      chmod 600 run/artifacts/*]]
  end)

  teardown(function()
    dir:remove()
  end)

  local function write_log(lines)
    dir:write("run/events.jsonl", table.concat(lines, "\n") .. "\n")
    dir:sh "chmod 600 run/events.jsonl"
  end

  local function random_log()
    local lines, ids = {}, { '"call-1"', '"call-2"', random.choose(ATOMS), random.choose(ATOMS) }
    if random.chance(3) then ids = { random.choose { "[]", "{}", "null", "1", "true" } } end
    for i = 1, random.between(1, 60) do
      lines[i] = random.chance(20) and value(3)
        or event(random.choose { "tool_call", "tool_result", "tool_result", "display" }, ids)
    end
    write_log(lines)
  end

  local function page_of(run)
    local parts = {}
    assert(report.write(run, function(text)
      parts[#parts + 1] = text
      if #parts % 7 == 0 then collectgarbage() end -- what is gone leaves its address to others
    end))
    return table.concat(parts)
  end

  --- Everything that reads a log.
  local function read_all()
    local run = assert(abridge.open_run(dir:at "run"))
    page_of(run)
    stats.order(assert(run:stats()))
    for _, one in ipairs(assert(run:events())) do
      json.encode(otel.attributes(one, { content = true, call = one }))
      call_words.input(one.input)
      call_words.note(one)
      if one.call_id then run:full_output(one.call_id) end
    end
    run:close()
    local session = assert(abridge.session { run_dir = dir:at "run" })
    session:events()
    session:cap("tool", "text")
    session:close()
  end

  it("makes nothing raise that reads it", function()
    random.each(120, function()
      random_log()
      read_all()
    end)
  end)

  it("is reported, listed and summed up by the command", function()
    random.each(8, function()
      random_log()
      for _, words in ipairs { "report run -o page.html", "log run", "log run --json", "log run --stats" } do
        local _, err, code = dir:sh(PROGRAM .. " " .. words)
        assert.equal(0, code, err)
        assert.falsy(err:find "%.lua:%d", err)
      end
    end)
  end)

  it("sums up sizes that are too large for a sum", function()
    local line = '{"type":"tool_result","tool":"x","call_id":"a","content":"","bytes_total":9007199254740991}'
    write_log { line, line, line }
    contains(dir:run(PROGRAM .. " log run --stats"), " 8PB ")
  end)

  it("has a page of calls whose ids are no strings", function()
    for _, id in ipairs { "[]", "{}", "null", "false", "7" } do
      local lines = {}
      for i = 1, 200 do
        lines[2 * i - 1] = ('{"type":"tool_call","call_id":%s,"tool":"x"}'):format(id)
        lines[2 * i] = ('{"type":"tool_result","call_id":%s,"tool":[],"content":"a"}'):format(id)
      end
      write_log(lines)
      local run = assert(abridge.open_run(dir:at "run"))
      local page, count = page_of(run), 0
      for _ in page:gmatch "<details" do
        count = count + 1
      end
      assert.equal(200, count)
      assert.equal(0, run.broken)
      assert.falsy(page:find("table: ", 1, true))
      run:close()
    end
  end)
end)
