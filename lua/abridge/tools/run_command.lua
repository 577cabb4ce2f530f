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

--- What is kept of an output until it is cut. Beyond it the oldest bytes go, counted.
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

--- Chunks of output, the last MAX_COLLECTED bytes of them at least; what goes is counted.
local function collector()
  local chunks, first, size = {}, 1, 0
  local dropped = { bytes = 0, lines = 0 }
  return {
    add = function(chunk)
      chunks[#chunks + 1] = chunk
      size = size + #chunk
      while size - #chunks[first] >= MAX_COLLECTED do
        local old = chunks[first]
        size = size - #old
        dropped.bytes, dropped.lines = dropped.bytes + #old, dropped.lines + newlines(old)
        chunks[first] = false -- keeps the list a sequence
        first = first + 1
      end
    end,
    text = function()
      return table.concat(chunks, "", first), dropped
    end,
  }
end

--- Totals and ranges as if nothing had been dropped.
local function count_dropped(dropped)
  return function(cut)
    data.shift(cut, dropped.bytes, dropped.lines)
    cut.total_bytes = cut.total_bytes + dropped.bytes
    cut.total_lines = cut.total_lines + dropped.lines
    cut.omitted_bytes = cut.omitted_bytes + dropped.bytes
    cut.omitted_lines = cut.omitted_lines + dropped.lines
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
    dropped_bytes = dropped.bytes > 0 and dropped.bytes or nil,
  }
end

function M.execute(input, ctx, done)
  local output = collector()
  local timeout = input.timeout or ctx.timeout
  local opts = {
    cwd = input.cwd and ctx.path(input.cwd) or ctx.cwd,
    env = environment(ctx.env),
    timeout = timeout,
  }
  local child, message = process.spawn({ "sh", "-c", input.command }, opts, {
    on_output = output.add,
    on_exit = function(outcome)
      local text, dropped = output.text()
      local failed = outcome.timed_out or outcome.cancelled or outcome.signal or outcome.code ~= 0
      done {
        text = text,
        empty = notice.no_output,
        adjust = count_dropped(dropped),
        exit = notice.exit_line(outcome, timeout),
        notice = {
          background = outcome.background or nil,
          total_lines = dropped.lines > 0 and core.count_lines(text) + dropped.lines or nil,
        },
        is_error = failed and true or false,
        details = outcome_details(outcome, dropped),
      }
    end,
  })
  if not child then
    return { text = notice.message("spawn", { what = message }), is_error = true }
  end
  return function()
    child:cancel()
    return true -- done() comes with what was printed so far
  end
end

return M
