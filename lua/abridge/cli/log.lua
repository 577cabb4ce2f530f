--- The `abridge log` command: the calls of a run, and pages of their full outputs.

local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local columns = require "abridge.cli.columns"
local host = require "abridge.base.host"
local strings = require "abridge.base.strings"
local display = require "abridge.output.display"
local kept = require "abridge.output.kept"
local progress = require "abridge.cli.progress"
local stats = require "abridge.run.stats"
local terminal = require "abridge.cli.terminal"

local M = {}

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
  local printed, shown = stats.sizes(event)
  return {
    styles = { event.is_error == true and "error" or nil, [5] = block.truncated and "notice" or nil },
    terminal.visible(event.call_id),
    terminal.visible(event.tool),
    printed_size(printed),
    printed_size(shown),
    block.truncated and terminal.visible(block.reason) or "-",
    display.duration(event.duration_ms) or "-",
    terminal.visible(kept.words(event.cut) or ""),
  }
end

--- Report lines that were left out.
local function tell_left_out(run)
  local function tell(count, what)
    local lines = count == 1 and "line" or "lines"
    if count > 0 then io.stderr:write(("abridge: %d %s left out\n"):format(count, what:format(lines))) end
  end
  tell(run.too_long, "%s of over " .. core.format_size(files.LINE))
  tell(run.broken, "broken %s")
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
      uv.kill(uv.os_getpid(), "sigpipe") -- as a write would end us; if that is ignored, stop
      return stop()
    end
    local ok, raised = pcall(function()
      position = run:each(function(event, line)
        show(event, line)
        terminal.flush()
        return not stopped
      end, position)
      tell_left_out(run)
    end)
    if not ok then failure = raised end
    if not (ok and position) then stop() end
  end
  local off = terminal.on_signals(stop)
  local cancel = host.after(0, function()
    if not stopped then look() end
  end, FOLLOW_MS)
  host.wait(function()
    return stopped
  end)
  cancel()
  off()
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
  progress.of_run(run, function()
    for _, event in ipairs(run:events { type = "tool_result" } or {}) do
      rows[#rows + 1] = row_of(event)
    end
  end)
  local widths = columns.start(COLUMNS, rows)
  return follow(run, function(event)
    if event.type ~= "tool_result" then return end
    local row = row_of(event)
    columns.widen(COLUMNS, row, widths)
    columns.print_row(COLUMNS, row, widths)
  end)
end

--- List the calls in the order they were made, even those without a result.
local function list_calls(run, as_json)
  local rows, open = {}, {}
  local function list()
    local position, message = run:each(function(event, line)
      if as_json then return terminal.out(line, "\n") end
      local at = event.type == "tool_result" and open[event.call_id] or #rows + 1
      rows[at] = row_of(event)
      open[event.call_id or ""] = event.type == "tool_call" and at or nil
    end)
    if not position then terminal.fail(message) end
  end
  if as_json then
    list()
  else
    progress.of_run(run, list)
  end
  tell_left_out(run)
  if as_json then return 0 end
  columns.print(COLUMNS, rows)
  return 0
end

--- Print a page of a full output: the pages of a text, printed one after the other, are that text.
local function print_page(run, call_id, args)
  local other = args.other
  local at = { offset = other.offset, limit = other.limit, column = other.column }
  local content, page
  progress.of_run(run, function()
    content, page = run:full_output(call_id, at)
  end)
  if not content then terminal.fail(page) end
  if args.switches.json then
    terminal.print_json { content = strings.valid(content), page = page }
    return 0
  end
  terminal.content(content, ((page.next_offset and not page.next_column) or page.final_newline) and "\n" or "")
  terminal.end_line()
  terminal.flush() -- before the words on it
  if page.full_output_error then
    io.stderr:write("abridge: not the whole output: ", terminal.visible(page.full_output_error), "\n")
  end
  if page.next_offset then
    local column = page.next_column and (" --column %.0f"):format(page.next_column) or ""
    local note = "abridge: lines %.0f-%.0f of %.0f, go on with --offset %.0f%s\n"
    io.stderr:write(note:format(page.first_line, page.last_line, page.total_lines, page.next_offset, column))
  end
  return 0
end

--- Print the cost of a run's calls.
local function print_stats(run, as_json)
  local sums, message
  progress.of_run(run, function()
    sums, message = run:stats()
  end)
  if not sums then terminal.fail(message) end
  tell_left_out(run)
  if as_json then
    terminal.print_json(sums)
  else
    require("abridge.cli.stats").print(sums, terminal.visible)
  end
  return 0
end

--- Run `abridge log`. Returns the exit code.
---@param args table as the command line was read
---@return integer
function M.run(args)
  local dir, call_id = args.words[1], args.words[2]
  if not dir or #args.words > 2 then
    terminal.bad("log needs RUN_DIR and at most one CALL_ID, got %d words", #args.words)
  end
  for _, name in ipairs { "offset", "limit", "column" } do
    if args.other[name] and not call_id then terminal.bad("--%s needs a CALL_ID", name) end
  end
  if args.switches.follow and call_id then terminal.bad "--follow lists calls and takes no CALL_ID" end
  if args.switches.stats and (call_id or args.switches.follow) then
    terminal.bad "--stats sums up a run and takes no CALL_ID and no --follow"
  end
  local run, message = require("abridge.run.reader").open(dir)
  if not run then terminal.fail(message) end
  local code
  if call_id then
    code = print_page(run, call_id, args)
  elseif args.switches.stats then
    code = print_stats(run, args.switches.json)
  elseif args.switches.follow then
    code = follow_calls(run, args.switches.json)
  else
    code = list_calls(run, args.switches.json)
  end
  run:close()
  return code
end

return M
