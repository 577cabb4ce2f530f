-- What lua_memory.c has fail at each of its allocations: one case at least for each function of the core, and whole
-- calls of a session. A case's `run` opens objects by `keep`, which `close` closes, and returns a string.
package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
local core = require "abridge.core"

local uv = require "luv"
for _, name in ipairs { "fs_open", "fs_opendir" } do -- luv loses what is open when it cannot say so
  uv[name] = rawget(_G, "spared")(uv[name])
end

local tmp = os.getenv "TMPDIR" or "/tmp"
local dir = os.tmpname()
os.remove(dir)
dir = tmp .. "/" .. dir:match "[^/]+$"

local TEXT = ("plain\nsrc/a.c:3:1: error: no 'x'\n\27[31mred\27[0m\r\n\195\169\255\n"):rep(40)

local opened = {}
local function keep(object)
  opened[#opened + 1] = object
  return object
end

local function close()
  for i = #opened, 1, -1 do
    opened[i]:close()
    opened[i] = nil
  end
  os.remove(dir .. "/full.log")
  os.remove(dir)
end

--- A result that tells all of a cut.
local function told(content, cut)
  local keys, parts = {}, { content }
  for key in pairs(cut) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  for i, key in ipairs(keys) do
    local value = cut[key]
    parts[i + 1] = key .. "=" .. (type(value) == "table" and (value.found or #value) or tostring(value))
  end
  return table.concat(parts, "\n")
end

--- Do it again when memory ran out, which is said in a result.
local function must(ok, message, code)
  if ok == nil then error(code .. ": " .. message, 0) end
  return ok
end

local cases, covered = {}, {}

local function case(name, run, closes)
  cases[#cases + 1] = { name = name, run = run, close = closes or close }
  covered[name:match "^%S+"] = true
end

local function count_tokens(text)
  return #text // 3
end

for _, strategy in ipairs { "head", "tail", "head_tail", "priority", "auto" } do
  case(strategy, function()
    return told(core[strategy](TEXT, { max_bytes = 300 }))
  end)
  case("cut " .. strategy, function()
    local opts = { strategy = strategy, max_tokens = 90, utf8 = "replace", reserve = "a notice", clean = true }
    opts.count_tokens = count_tokens
    if strategy == "priority" or strategy == "auto" then
      opts.hits = { "red*", { text = "plain", word = true }, "e" }
    end
    if strategy == "head_tail" then opts.marker_text = "<{lines} {chars}>\n" end
    return told(core.cut(TEXT, opts))
  end)
  case("stream " .. strategy, function()
    local stream = keep(core.stream {
      strategy = strategy,
      max_bytes = 400,
      max_tokens = 100,
      count_tokens = count_tokens,
      clean = true,
      full_output = { dir = dir, name = "full.log" },
    })
    for at = 1, #TEXT, 999 do
      must(stream:write(TEXT:sub(at, at + 998)))
    end
    stream:snapshot { reserve = "x" }
    local content, cut = stream:finish { max_bytes = 200 }
    cut.full_output_path, cut.full_output_bytes, cut.full_output_error, cut.full_output_code = nil, nil, nil, nil
    return told(content, cut)
  end)
end

case("stream of lines", function()
  local stream = keep(core.stream { strategy = "tail", max_lines = 5 })
  must(stream:write(TEXT))
  stream:preview "and more"
  return told(stream:snapshot()) .. tostring(stream)
end)
case("pipeline", function()
  return told(core.pipeline(TEXT, { max_chars = 500, max_lines = 9, indicators = true }))
end)
case("cut redacted", function()
  return told(core.head(TEXT, { max_bytes = 300, redact = { { "error", "<%0>" } } }))
end)
case("stream redacted", function()
  local stream = keep(core.stream { strategy = "tail", max_bytes = 300, redact = { "err%a+" }, clean = true })
  for at = 1, #TEXT, 500 do
    must(stream:write(TEXT:sub(at, at + 499)))
  end
  return told(stream:finish())
end)
for _, name in ipairs { "clean", "strip" } do
  case(name, function()
    local text, stats = core[name](TEXT, { color = true })
    return text .. stats.color
  end)
end
case("has_unseen", function()
  return tostring(core.has_unseen(TEXT)) .. " seen"
end)
case("seen", function()
  return core.seen(TEXT .. "\27[1mx", true)
end)
for _, name in ipairs { "cleaner", "stripper", "decoder" } do
  case(name, function()
    local cleaner = keep(core[name]())
    local first = cleaner:write(TEXT)
    return first .. #cleaner:pending() .. cleaner:finish()
  end)
end
case("explain", function()
  return #core.explain(TEXT, { strategy = "priority", max_bytes = 100 }) .. " lines"
end)
local SPLICED = '{"a":[1,{"b":"text\\n"}],"c":2}'
case("splice_find", function()
  local found = core.splice_find(SPLICED, { "/a/1/b", "/c", "/d" })
  return found["/a/1/b"].type .. found["/c"].first .. tostring(core.splice_find("[", { "" }))
end)
case("splice_list", function()
  local values, count = core.splice_list(SPLICED, 5)
  return values[1].name .. values[2].type .. count
end)
case("splice_edit", function()
  return core.splice_edit(SPLICED, { { pointer = "/c", remove = true }, { pointer = "/a/0", insert = "[]" } })
end)
case("splice_text", function()
  return (core.splice_text(SPLICED, 14, 21))
end)
case("judge", function()
  local judged = core.judge(TEXT, { max_bytes = 1, hits = { "x" } }, 1, #TEXT, 5)
  return judged.lines .. " lines, " .. #judged.told
end)
case("kind_reason", function()
  return core.kind_reason(TEXT).by .. " it is"
end)
case("kind_name", function()
  return core.kind_name(TEXT) .. " alone"
end)
case("kind", function()
  return core.kind(TEXT) .. " it is"
end)
case("locations", function()
  local list, from = core.locations(TEXT, { max_lines = 3 })
  local more = core.locations(TEXT, { from = from })
  return list[1].file .. ":" .. list[1].lnum .. ": " .. list[1].message .. #list .. " " .. #more
end)
case("magic", function()
  return core.magic "\127ELF" .. tostring(core.magic(TEXT))
end)
case("is_utf16", function()
  return tostring(core.is_utf16(TEXT)) .. tostring(core.is_utf16 "\255\254a\0")
end)
case("is_binary", function()
  return tostring(core.is_binary(TEXT, true)) .. tostring(core.is_binary(TEXT))
end)
case("stream of a binary", function()
  local full = { dir = dir, name = "full.log" }
  local stream = keep(core.stream { max_bytes = 300, clean = true, redact = { "x" }, full_output = full })
  must(stream:write "\127ELF")
  stream:snapshot()
  must(stream:write(("\0\1"):rep(5000)))
  return told(stream:finish())
end)
case("line", function()
  return (core.line(("x"):rep(50) .. TEXT:sub(1, 5) .. ("y"):rep(50), 20, { 51, 55 }))
end)

local source = arg and arg[0] or "spec/c/lua_memory.lua"
local index
case("page", function()
  index = core.index()
  local parts = {}
  for offset = 1, 41, 20 do
    local page = keep(assert(core.page(source, {
      offset = offset,
      max_bytes = 500,
      max_chars = 400,
      strategy = "head",
      index = index,
      long_line = "split",
    })))
    parts[#parts + 1] = told(page:snapshot()) .. tostring(page:read(1, 20)) .. page:about().total_lines
  end
  return table.concat(parts) .. tostring(index:bytes() > 0)
end)
case("page_in_steps", function()
  local page = keep(assert(core.page_in_steps("LICENSE", { offset = 3, column = 2, max_chars = 100 })))
  repeat
    local is_open, code, message = page:step(0)
    must(is_open, message, code)
  until is_open
  return told(page:snapshot())
end)
case("page_text", function()
  local page = keep(core.page_text(TEXT, { offset = 3, column = 2, max_bytes = 100, strategy = "head" }))
  return told(page:finish { max_bytes = 50 })
end)
local JSON = '{"a": [' .. ('{"id": 1, "text": "' .. ("x"):rep(50) .. '"},\n'):rep(40) .. '0], "b": {"c": 1, "d": 2}}'
case("page of JSON", function()
  local parts = {}
  for _, pointer in ipairs { "", "/a/3", "/a", "/b/c", "/nowhere/0" } do
    local page, code, detail = core.page_text(JSON, { pointer = pointer, max_bytes = 400 })
    parts[#parts + 1] = page and told(keep(page):snapshot()) or code .. detail.what
  end
  return table.concat(parts)
end)
case("json_in_parts", function()
  local page = keep(core.json_in_parts(JSON:sub(1, 500), { pointer = "/a/0", max_bytes = 400, max_chars = 300 }))
  must(page:write(JSON:sub(501)))
  must(page:step(1))
  return told(page:snapshot { max_bytes = 200 })
end)
case("index", function()
  return type(core.index())
end)
case("read_file", function()
  local start, size = core.read_file(source, 3, 100)
  return must(start, size, "") .. size
end)
local source_fd = rawget(_G, "source_fd")
case("read_fd", function()
  return must(core.read_fd(source_fd(), 100)) .. "\n"
end)
case("stream:read_fd", function()
  local parts = {}
  for _, cleaner in ipairs { false, keep(core.cleaner()) } do
    local stream = keep(core.stream { strategy = "tail", max_bytes = 300, clean = not cleaner })
    local fd = source_fd()
    repeat
      local n = must(stream:read_fd(fd, 1000, cleaner or nil))
    until n == 0
    parts[#parts + 1] = told(stream:finish())
  end
  return table.concat(parts)
end)
case("widen_pipe", function()
  return tostring(core.widen_pipe(source_fd())) .. TEXT
end)
case("has_no_reader", function()
  return tostring(core.has_no_reader(source_fd())) .. TEXT
end)
case("has_unread", function()
  return tostring(core.has_unread(source_fd())) .. " is there"
end)
case("private_folder", function()
  return tostring(must(core.private_folder(dir)))
end)
case("save", function()
  os.remove(dir .. "/full.log")
  os.remove(dir)
  local _, bytes, message, code = core.save(dir, "full.log", TEXT)
  must(message == nil or nil, message, code)
  return bytes .. " bytes"
end)
case("log", function()
  local log, message, code = core.log(dir, "full.log")
  keep(must(log, message, code))
  must(log:append "{}\n")
  return tostring(log:size() > 0)
end)
case("pcall", function()
  local ok, text = core.pcall(function(...)
    return TEXT .. select("#", ...)
  end, 1, 2)
  if not ok then error(text, 0) end
  return text
end)
case("count_lines", function()
  return tostring(core.count_lines(TEXT)) .. TEXT
end)
case("count_chars", function()
  return tostring(core.count_chars(TEXT)) .. TEXT
end)
case("estimate_tokens", function()
  return core.estimate_tokens(TEXT) .. " tokens"
end)
case("weigh_tokens", function()
  return core.weigh_tokens(TEXT, 1.5) .. " tokens"
end)
case("format_size", function()
  return core.format_size(#TEXT * 1000)
end)
case("simd", function()
  return core.simd() .. " instructions"
end)
case("parse_size", function()
  return core.parse_size "30KB" .. " bytes"
end)
case("find_line", function()
  return core.find_line(TEXT, 7) .. " is where"
end)
case("find_char", function()
  return core.find_char(TEXT, 7) .. " is where"
end)
case("cells", function()
  return core.cells(TEXT) .. " cells"
end)
case("fit_cells", function()
  return core.fit_cells(TEXT, 10) .. " bytes"
end)
case("base64_bytes", function()
  return core.base64_bytes(("QUJD"):rep(100), 256) .. " bytes"
end)
case("snapshot", function()
  return #core.snapshot({ role = "user", content = { "a", "b" } }, 2, 8) .. " entries"
end)
case("is_as", function()
  local message = { role = "user", content = { { type = "text", text = "a" }, n = 1 } }
  return tostring(core.is_as(message, core.snapshot(message, 2, 8), 2))
end)
case("info_json", function()
  local info = require "abridge.output.info"
  return info.with_resume(10, 20, 3, 'Use "offset"=3\n\255', "line_cap"):to_json()
end)
case("load", function()
  package.loaded["abridge.core"] = nil
  local loaded = require "abridge.core"
  package.loaded["abridge.core"] = core
  return loaded.version
end)

-- sessions: what a tool's text goes through, its log and its full output

local run_dir = dir .. "-run"

--- A session that lacks memory may say less, but within the budget and with the block; an error result is one.
local function shown(result)
  if result.is_error then error(result.content, 0) end
  assert(result.truncation and #result.content <= 500 and #result.content > 0, "a result without block or budget")
  return "within the budget " .. #opened
end

local function open_session(opts)
  local session = keep(require("abridge").session(opts))
  session:register {
    name = "many",
    description = "Many lines",
    input_schema = { type = "object", properties = { n = { type = "integer" } }, required = { "n" } },
    execute = function(input, ctx)
      local stream = ctx.stream()
      must(stream:write(TEXT:rep(input.n)))
      ctx.update(stream)
      return stream
    end,
  }
  return session
end

local LIMITS = { ["*"] = { max_bytes = 500 }, many = { max_bytes = 500, strategy = "priority", clean = true } }

case("session:call", function()
  local session = open_session { run_dir = false, limits = LIMITS, redact = { "err%a+" } }
  return shown(session:call("many", { n = 20 }))
end)
case("session:cap", function()
  local session = open_session { run_dir = false, limits = LIMITS }
  return shown(session:cap("other", { content = { { type = "text", text = TEXT } } }))
end)
local function remove_run()
  os.remove(run_dir .. "/artifacts/0001-many.log")
  os.remove(run_dir .. "/artifacts")
  for _, name in ipairs { "events.jsonl", "lock", "" } do
    os.remove(run_dir .. "/" .. name)
  end
end

local function call_in_run()
  local session = open_session { run_dir = run_dir, limits = LIMITS }
  return shown(session:call("many", '{"n":30}')), session:events()
end

call_in_run() -- a run that is read here
close()
case("open_run", function()
  local run = keep(assert(require("abridge").open_run(run_dir)))
  local events = run:events { tool = "many" }
  return events[1].tool .. #run:full_output(events[1].call_id)
end)
case("remove the run", function()
  return ("x"):rep(100) .. #opened
end, remove_run)

case("session with a run", function()
  return (call_in_run())
end, function()
  close()
  remove_run()
end)

for name, value in pairs(core) do
  if type(value) == "function" and not covered[name] then error("no case for the core's function " .. name) end
end

return cases
