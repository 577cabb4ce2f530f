--- The `abridge log` command: the calls of a run, and pages of what they would have shown in full.

local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local flags = require "abridge.cli.flags"
local host = require "abridge.base.host"
local strings = require "abridge.base.strings"
local display = require "abridge.output.display"
local kept = require "abridge.output.kept"
local terminal = require "abridge.cli.terminal"

local M = {}

local MOST_CELLS = 200 -- of a name: a column is as wide as the longest

--- Text that cannot move a terminal's cursor or reverse what it shows: a model may have made up the names in a log.
---@param value any
---@return string
function M.visible(value)
  local text = tostring(value == nil and "-" or value):gsub("\194[\128-\159]", "?"):gsub("%c", "?")
  text = text:gsub("\226\128[\168-\174]", "?"):gsub("\226\129[\166-\169]", "?")
  if #text <= MOST_CELLS or core.cells(text) <= MOST_CELLS then return text end
  return text:sub(1, core.fit_cells(text, MOST_CELLS - 3)) .. "..."
end

local function printed_size(bytes)
  local ok, shown = pcall(core.format_size, bytes)
  return ok and shown or "-"
end

--- Columns of the list: heading, least width and alignment.
local COLUMNS = {
  { "CALL", 7 },
  { "TOOL", 14 },
  { "IN", 8, right = true },
  { "SHOWN", 8, right = true },
  { "REASON", 11 },
  { "TIME", 7, right = true },
  { "KEPT", 0 },
}

--- The cells of a call in the list, from its result if it has one.
local function row_of(event)
  local block = type(event.truncation) == "table" and event.truncation or {}
  local printed, shown = require("abridge.run.reader").sizes(event)
  return {
    M.visible(event.call_id),
    M.visible(event.tool),
    printed_size(printed),
    printed_size(shown),
    block.truncated and M.visible(block.reason) or "-",
    display.duration(event.duration_ms) or "-",
    M.visible(kept.words(event.cut) or ""),
  }
end

local function print_row(row, widths)
  local cells = {}
  for i, column in ipairs(COLUMNS) do
    local padding = (" "):rep(widths[i] - core.cells(row[i]))
    cells[i] = column.right and padding .. row[i] or row[i] .. padding
  end
  terminal.out((table.concat(cells, "  "):gsub(" +$", "")), "\n")
end

--- Print the headings; returns the widths that the rows need.
local function start_list(rows)
  local headings, widths = {}, {}
  for i, column in ipairs(COLUMNS) do
    headings[i], widths[i] = column[1], column[2]
    for _, row in ipairs(rows) do
      widths[i] = math.max(widths[i], core.cells(row[i]))
    end
  end
  print_row(headings, widths)
  terminal.flush()
  return widths
end

--- Report lines that were left out.
local function tell_long(run)
  if run.too_long == 0 then return end
  local lines = run.too_long == 1 and "line" or "lines"
  io.stderr:write(("abridge: %d %s of over %s left out\n"):format(run.too_long, lines, core.format_size(files.LINE)))
end

local FOLLOW_MS = 100 -- between two looks at the log

--- Show each event of a run until interrupted, until our reader has gone, or until the run is deleted. An error in
--- `show` ends it too.
local function follow(run, show)
  local uv = host.uv()
  local position, stopped, failure = 0, false, nil
  local function stop()
    stopped = true
  end
  local function look()
    if core.has_no_reader(1) then
      uv.kill(uv.os_getpid(), "sigpipe") -- as a write would end us; where that is ignored, stop
      return stop()
    end
    local ok, raised = pcall(function()
      position = run:each(function(event, line)
        show(event, line)
        terminal.flush()
        return not stopped
      end, position)
      tell_long(run)
    end)
    if not ok then failure = raised end
    if not (ok and position) then stop() end
  end
  local off = terminal.on_signals(stop)
  local timer = uv.new_timer()
  uv.timer_start(timer, 0, FOLLOW_MS, function()
    if not stopped then look() end
  end)
  host.wait(function()
    return stopped
  end)
  uv.close(timer)
  off()
  host.pump()
  if failure ~= nil and not (type(failure) == "table" and failure.closed) then error(failure, 0) end
  return 0
end

--- List calls as they end, those that have ended first.
local function follow_calls(run, as_json)
  if as_json then
    return follow(run, function(_, line)
      terminal.out(line, "\n")
    end)
  end
  local rows = {}
  for _, event in ipairs(run:events { type = "tool_result" } or {}) do
    rows[#rows + 1] = row_of(event)
  end
  local widths = start_list(rows)
  return follow(run, function(event)
    if event.type ~= "tool_result" then return end
    local row = row_of(event)
    for i in ipairs(COLUMNS) do
      widths[i] = math.max(widths[i], core.cells(row[i]))
    end
    print_row(row, widths)
  end)
end

--- List the calls in the order they were made, even those without a result.
local function list_calls(run, as_json)
  local rows, open = {}, {}
  local position, message = run:each(function(event, line)
    if as_json then return terminal.out(line, "\n") end
    local at = event.type == "tool_result" and open[event.call_id] or #rows + 1
    rows[at] = row_of(event)
    open[event.call_id or ""] = event.type == "tool_call" and at or nil
  end)
  if not position then terminal.fail(message) end
  tell_long(run)
  if run.broken > 0 then io.stderr:write(("abridge: %d broken lines left out\n"):format(run.broken)) end
  if as_json then return 0 end
  local widths = start_list(rows)
  for _, row in ipairs(rows) do
    print_row(row, widths)
  end
  return 0
end

--- Print a page of a full output: the pages of a text, printed one after the other, are that text.
local function print_page(run, call_id, args)
  local other = args.other
  local at = { offset = other.offset, limit = other.limit, column = other.column }
  local content, page = run:full_output(call_id, at)
  if not content then terminal.fail(page) end
  if args.switches.json then
    terminal.print_json { content = strings.valid(content), page = page }
    return 0
  end
  terminal.out(content, ((page.next_offset and not page.next_column) or page.final_newline) and "\n" or "")
  terminal.flush() -- before what is said of it
  if page.full_output_error then
    io.stderr:write("abridge: not the whole output: ", M.visible(page.full_output_error), "\n")
  end
  if page.next_offset then
    local column = page.next_column and (" --column %.0f"):format(page.next_column) or ""
    local note = "abridge: lines %.0f-%.0f of %.0f, go on with --offset %.0f%s\n"
    io.stderr:write(note:format(page.first_line, page.last_line, page.total_lines, page.next_offset, column))
  end
  return 0
end

--- Run `abridge log`. Returns the exit code.
---@param args table as the command line was read
---@return integer
function M.run(args)
  local dir, call_id = args.words[1], args.words[2]
  if not dir or #args.words > 2 then
    flags.bad("log needs RUN_DIR and at most one CALL_ID, got %d words", #args.words)
  end
  for _, name in ipairs { "offset", "limit", "column" } do
    if args.other[name] and not call_id then flags.bad("--%s needs a CALL_ID", name) end
  end
  if args.switches.follow and call_id then flags.bad "--follow lists calls and takes no CALL_ID" end
  local run, message = require("abridge.run.reader").open(dir)
  if not run then terminal.fail(message) end
  local code
  if call_id then
    code = print_page(run, call_id, args)
  elseif args.switches.follow then
    code = follow_calls(run, args.switches.json)
  else
    code = list_calls(run, args.switches.json)
  end
  run:close()
  return code
end

return M
