--- run_command: a shell command, both its outputs in the order written, however it ends.

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

--- Chunks of output, the last MAX_COLLECTED bytes of them at least.
local function collector()
  local chunks, first, size, dropped = {}, 1, 0, 0
  return {
    add = function(chunk)
      chunks[#chunks + 1] = chunk
      size = size + #chunk
      while size - #chunks[first] >= MAX_COLLECTED do
        size, dropped = size - #chunks[first], dropped + #chunks[first]
        chunks[first] = false -- keeps the list a sequence
        first = first + 1
      end
    end,
    text = function()
      return table.concat(chunks, "", first), dropped
    end,
  }
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
    dropped_bytes = dropped > 0 and dropped or nil,
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
        exit = notice.exit_line(outcome, timeout),
        notice = { background = outcome.background or nil, shell = ctx.names.shell, read = ctx.names.read },
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
