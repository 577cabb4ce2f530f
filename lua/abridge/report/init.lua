--- A run as one HTML page that needs nothing else: no font, no picture, no request, and up to 1,000 calls no script.
--- The log is read twice: for the sums and the timeline, then call by call, so a page may be larger than memory.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local real_path = require "abridge.base.real_path"
local share = require "abridge.output.share"
local call_words = require "abridge.run.call_words"
local reader = require "abridge.run.reader"
local stats = require "abridge.run.stats"
local calls_of = require "abridge.report.call"
local escape = require "abridge.report.escape"
local failures = require "abridge.report.failures"
local full_output = require "abridge.report.full_output"
local overview = require "abridge.report.overview"
local script = require "abridge.report.script"
local style = require "abridge.report.style"
local words = require "abridge.report.words"

local M = {}

local MOST_AT_ONCE = 20 * script.SECTION -- calls; from that on the script makes elements of them

-- Bytes that all calls have together, so that a browser opens the page at once. The model's view of a call is cut to an
-- even share if it is larger; full outputs are copied if there is room, the smallest first.
local CONTENT_ROOM = 6 * 1024 * 1024
local FULL_ROOM = 6 * 1024 * 1024

-- the calls ---------------------------------------------------------------------

--- A function that tells which call an event belongs to, in the order of the calls.
local function numbering()
  local open, count = {}, 0
  return function(event)
    local id = tostring(event.call_id)
    local index = event.type == "tool_result" and open[id]
    if not index then
      count = count + 1
      index = count
    end
    open[id] = event.type == "tool_call" and index or nil
    return index
  end
end

local function is_of_call(event)
  return event.type == "tool_call" or event.type == "tool_result"
end

--- Is a value seconds since 1970, of a year with four digits?
local function is_time(value)
  return type(value) == "number" and value >= 0 and value < 2.5e11
end

local function new_call(index, event)
  return {
    index = index,
    tool = call_words.one_line(event.tool),
    time = is_time(event.time) and event.time or nil,
    ended = false,
    failed = false,
    cut = false,
    content = 0,
    full = 0,
  }
end

local function end_call(call, event, cost)
  local block = type(event.truncation) == "table" and event.truncation or {}
  local kept = type(event.full_output) == "table" and event.full_output or {}
  call.ended, call.failed, call.cut = true, event.is_error == true, block.truncated == true
  call.exit = type(event.exit_line) == "string" and call_words.one_line(event.exit_line) or nil
  local said = call.exit or event.content
  call.how = call.failed and type(said) == "string" and call_words.one_line(said:match "[^\r\n]+" or "") or nil
  call.why = call.failed and failures.line(reader.shown_text(event)) or nil
  call.cost = cost
  call.content = type(event.content) == "string" and #event.content or 0
  call.full = kept.path and type(kept.bytes) == "number" and kept.bytes or 0
end

--- Count the failures that a result left out, by its tool.
local function count_hidden(hidden, event)
  local cut = type(event.cut) == "table" and event.cut or {}
  local found = type(cut.failures) == "table" and cut.failures or {}
  if type(event.tool) ~= "string" or not check.are_counts(found, "found", "kept") or found.found <= found.kept then
    return
  end
  local row = hidden[event.tool] or { calls = 0, failures = 0 }
  row.calls, row.failures = row.calls + 1, row.failures + found.found - found.kept
  hidden[event.tool] = row
end

--- The facts about all calls that the page needs before it shows one.
local function survey(run)
  local calls, sums, index_of, hidden = {}, stats.new(), numbering(), {}
  local position, message, code = run:each(function(event)
    local cost = sums:add(event)
    if not is_of_call(event) then return end
    local index = index_of(event)
    calls[index] = calls[index] or new_call(index, event)
    if event.type == "tool_result" then
      end_call(calls[index], event, cost)
      count_hidden(hidden, event)
    end
  end)
  if not position then return nil, message, code end
  local lost = run.broken + run.too_long
  return { calls = calls, sums = sums:sums(), position = position, lost = lost, hidden = hidden }
end

--- Share the page's room out among the calls.
local function give_room(calls)
  local contents, by_size = {}, {}
  for i, call in ipairs(calls) do
    contents[i], by_size[i] = call.content, call
  end
  for i, room in ipairs(share.fair(contents, CONTENT_ROOM)) do
    calls[i].content_room = room
  end
  table.sort(by_size, function(a, b)
    if a.full ~= b.full then return a.full < b.full end
    return a.index < b.index
  end)
  local room = FULL_ROOM
  for _, call in ipairs(by_size) do
    room = room - call.full
    call.full_room = room >= 0 and full_output.MOST or 0
  end
end

--- The end of a section after a call, or the start of one before its first call; "" if not.
local function ending(index)
  return index == 0 and "" or index > MOST_AT_ONCE and "</noscript></section>\n" or "</section>\n"
end

local function beginning(index)
  if index % script.SECTION ~= 1 then return "" end
  return ending(index - 1) .. (index > MOST_AT_ONCE and '<section class="later"><noscript>\n' or "<section>\n")
end

--- Write each call, in their order. Results may come in another.
local function write_calls(run, all, link, out)
  local inputs, ready, next_index, index_of = {}, {}, 1, numbering()
  local function flush()
    while ready[next_index] do
      out(beginning(next_index))
      out(ready[next_index])
      ready[next_index], next_index = nil, next_index + 1
    end
  end
  local position, message, code = run:each(function(event, _, start)
    if start >= all.position then return false end
    if not is_of_call(event) then return end
    local index = index_of(event)
    local call = all.calls[index]
    if not call or event.type == "tool_result" and not call.ended then return false end -- not the log it was
    if event.type == "tool_result" then
      ready[index], inputs[index] = calls_of.html(call, inputs[index], event, run, link), nil
    elseif call.ended then
      inputs[index] = event.input
    else
      ready[index] = calls_of.without_result(call, event.input)
    end
    flush()
  end)
  out(ending(next_index - 1))
  return position, message, code
end

-- the page --------------------------------------------------------------------------

local HEAD = [[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{css}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p class="dim">{period}</p>
]]

local LIST = [[
</header>
<main>
<h2>Calls</h2>
<input class="pick" type="radio" name="pick" id="all" checked><input class="pick" type="radio" name="pick" id="bad">
<input class="pick" type="radio" name="pick" id="cut">
<p class="tabs"><label for="all">all</label><label for="bad">failed</label><label for="cut">cut</label></p>
<div class="head"><span class="t" data-n="#">tool</span><span class="q">asked</span><span class="h">kept</span>
<span class="s" data-p="printed" data-d="time">seen</span></div>
]]

local FOOT = [[
</main>
<footer>{lost}<p>Tokens are estimates: of what the model saw by its text, of what was printed at the rate of what shows.
Of a page of a file the page alone counts; what later calls read of full outputs is taken off what was saved.
From <code>{dir}</code>, by abridge {version}.</p></footer>
{script}</body>
</html>
]]

local function filled(template, values)
  return (template:gsub("{(%l+)}", values))
end

local function policy(is_long)
  local scripts = is_long and (" script-src 'sha256-%s';"):format(script.sha256) or ""
  local form = "default-src 'none';%s style-src 'sha256-%s'; base-uri 'none'; form-action 'none'"
  return form:format(scripts, style.sha256)
end

local function lost_note(count)
  return count == 0 and "" or words.span("bad", words.counted(count, "line") .. " of the log could not be read.", "p")
end

--- A function that gives the address of a file of the run: relative if it lies below the page's folder, so that both
--- can be sent together.
local function linker(run, base)
  local from = base and base:gsub("/*$", "/")
  local real = from and real_path.existing(run.dir)
  local inside = real and real:sub(1, #from) == from and "./" .. real:sub(#from + 1)
  if real and real .. "/" == from then inside = "." end
  return function(path)
    if not inside then return escape.file_url(path) end
    return escape.path(inside .. path:sub(#run.dir + 1))
  end
end

--- Write the page of a run. Cost: two passes over the log, and a read of each full output of up to 1 MB.
---@param run abridge.Run
---@param out fun(text: string) may raise
---@param base? string the folder that the page will lie in, without links, if it is known
---@return true|nil ok
---@return string|nil message
---@return string|nil code
function M.write(run, out, base)
  local all, message, code = survey(run)
  if not all then return nil, message, code end
  give_room(all.calls)
  local is_long = #all.calls > MOST_AT_ONCE
  local title = "Run " .. (run.dir:match "([^/]+)$" or run.dir)
  out(filled(HEAD, {
    policy = policy(is_long),
    title = escape.plain(title),
    css = style.css,
    period = escape.text(overview.period(all.calls, all.sums.all)),
  }))
  out(failures.html(all.calls))
  out(overview.sums(all.sums.all))
  out(overview.timeline(all.calls, all.sums.all))
  local names = stats.order(all.sums)
  out(overview.tools(all.sums, names))
  out(overview.wishes(all.sums, names, all.hidden))
  out(LIST)
  local position
  position, message, code = write_calls(run, all, linker(run, base), out)
  if not position then return nil, message, code end
  out(filled(FOOT, {
    dir = escape.text(run.dir),
    version = core.version,
    lost = lost_note(all.lost),
    script = is_long and "<script>" .. script.code .. "</script>\n" or "",
  }))
  return true
end

return M
