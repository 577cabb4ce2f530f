--- run_command: a shell command, both its outputs in the order written, however it ends.

local core = require "abridge.core"
local data = require "abridge.data"
local host = require "abridge.host"
local notice = require "abridge.notice"
local process = require "abridge.process"

local M = {
  name = "run_command",
  description = "Run a shell command (sh -c) and return its output, stdout and stderr together.",
  input_schema = {
    type = "object",
    properties = {
      command = { type = "string", description = "The command" },
      timeout = { type = "number", minimum = 0.001, description = "Seconds until it is stopped" },
      cwd = { type = "string", description = "Folder to run it in" },
    },
    required = { "command" },
  },
}

--- What is kept of an output that only a text at hand can be cut of. The oldest bytes beyond it go, counted.
local MAX_COLLECTED = 64 * 1024 * 1024

--- So that programs neither page, nor prompt, nor draw.
local QUIET = { PAGER = "cat", GIT_TERMINAL_PROMPT = "0", NO_COLOR = "1", TERM = "dumb" }

---@return true|nil ready
---@return string|nil message what is missing
function M.ready()
  local uv, message = host.uv()
  return uv and true, message
end

local function newlines(text)
  return core.count_lines(text) - (text:sub(-1) == "\n" and 0 or 1)
end

--- Chunks of output for a cut that needs the text at hand (a pipeline, no limits at all): the last MAX_COLLECTED bytes
--- at least; what goes is counted.
local function collector()
  local chunks, first, size = {}, 1, 0
  local self = { dropped = { bytes = 0, lines = 0 } }
  function self.write(_, chunk)
    chunks[#chunks + 1] = chunk
    size = size + #chunk
    while size - #chunks[first] >= MAX_COLLECTED do
      local old = chunks[first]
      size = size - #old
      self.dropped.bytes, self.dropped.lines = self.dropped.bytes + #old, self.dropped.lines + newlines(old)
      chunks[first] = false -- keeps the list a sequence
      first = first + 1
    end
  end
  function self.text()
    return table.concat(chunks, "", first)
  end
  return self
end

--- Totals and ranges as if nothing had been dropped.
local function count_dropped(dropped)
  if not dropped or dropped.bytes == 0 then return nil end
  return function(cut)
    data.shift(cut, dropped.bytes, dropped.lines)
    cut.total_bytes, cut.total_lines = cut.total_bytes + dropped.bytes, cut.total_lines + dropped.lines
    cut.omitted_bytes, cut.omitted_lines = cut.omitted_bytes + dropped.bytes, cut.omitted_lines + dropped.lines
    cut.truncated_by = cut.truncated_by or "bytes"
    cut.truncated = true
  end
end

local function environment(changes)
  local env = {}
  for name, value in pairs(QUIET) do
    env[name] = value
  end
  for name, value in pairs(changes or {}) do
    env[name] = value
  end
  return env
end

local function outcome_details(outcome, dropped)
  return {
    exit_code = outcome.code,
    signal = outcome.signal,
    signal_number = outcome.signal_number,
    timed_out = outcome.timed_out or nil,
    cancelled = outcome.cancelled or nil,
    background = outcome.background or nil,
    read_error = outcome.error,
    dropped_bytes = dropped,
  }
end

function M.execute(input, ctx, done)
  local timeout = input.timeout or ctx.timeout
  local opts = { -- first: a folder outside the session's root raises
    cwd = input.cwd and ctx.path(input.cwd) or ctx.cwd,
    env = environment(ctx.env),
    timeout = timeout,
  }
  local stream = ctx.stream()
  local output = stream or collector()
  local child, message = process.spawn({ "sh", "-c", input.command }, opts, {
    on_output = function(chunk)
      output:write(chunk)
      if stream then ctx.update(stream) end
    end,
    on_exit = function(outcome)
      local text = not stream and output.text() or nil
      local dropped = output.dropped and output.dropped.bytes > 0 and output.dropped or nil
      local failed = outcome.timed_out or outcome.cancelled or outcome.signal or outcome.code ~= 0
      done {
        stream = stream,
        text = text,
        adjust = count_dropped(output.dropped),
        empty = notice.no_output,
        exit = notice.exit_line(outcome, timeout),
        notice = {
          background = outcome.background or nil,
          total_lines = dropped and core.count_lines(text) + dropped.lines,
        },
        is_error = failed and true or false,
        details = outcome_details(outcome, dropped and dropped.bytes),
      }
    end,
  })
  if not child then
    if stream then stream:close() end
    return { text = notice.message("spawn", { what = message }), is_error = true }
  end
  return function()
    child:cancel()
    return true -- done() comes with what was printed so far
  end
end

return M
