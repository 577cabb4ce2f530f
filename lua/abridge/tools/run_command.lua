--- run_command: a shell command; stdout and stderr in the order written, however it ends.

local host = require "abridge.base.host"
local plain_data = require "abridge.base.plain_data"
local limit = require "abridge.output.limit"
local profiles = require "abridge.output.profiles"
local sentences = require "abridge.output.sentences"
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
      output = {
        type = "string",
        enum = { "silent", "concise", "normal", "verbose" },
        description = "How much of its output to show",
      },
    },
    required = { "command" },
  },
}

--- So that programs neither page, nor prompt, nor draw.
local QUIET = { PAGER = "cat", GIT_TERMINAL_PROMPT = "0", NO_COLOR = "1", TERM = "dumb" }

--- The schema for a session: a timeout has the session's maximum.
---@param session { timeout_max: number }
---@return table input_schema
function M.schema(session)
  local schema = plain_data.copy(M.input_schema, true)
  schema.properties.timeout.maximum = session.timeout_max
  return schema
end

--- The definition for a model, with the budgets for output that it may choose from here.
---@param session abridge.Session
---@return string description
---@return table input_schema
function M.define(session)
  local outputs, schema = limit.outputs(session:limits "run_command"), M.schema(session)
  schema.properties.output = #outputs > 0
      and {
        type = "string",
        enum = outputs,
        description = sentences.outputs(profiles.exec_budgets[outputs[1]], profiles.exec_budgets[outputs[#outputs]]),
      }
    or nil
  return M.description, schema
end

---@return true|nil ready
---@return string|nil message what is missing
function M.ready()
  local uv, message = host.uv()
  return uv and true, message
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

local function outcome_details(outcome)
  return {
    exit_code = outcome.code,
    signal = outcome.signal,
    signal_number = outcome.signal_number,
    timed_out = outcome.timed_out or nil,
    cancelled = outcome.cancelled or nil,
    background = outcome.background or nil,
    read_error = outcome.error,
  }
end

--- The limits of an output that is complete: "auto" shows little of a success if the rest can be looked up.
---@return abridge.Limits
---@return string|nil problem why the last of the output could not be kept
local function final_limits(stream, limits, failed)
  if limits.output ~= "auto" or failed then return limits end
  local few = limit.under_output(limits, "auto", profiles.auto_success)
  if few == limits then return limits end
  stream:lower { max_bytes = few.max_bytes }
  local ok, problem, cut = pcall(stream.finish, stream)
  if not ok then -- without memory
    stream:lower { max_bytes = limits.max_bytes }
    return limits, (tostring(problem):gsub("^stream:finish: ", ""))
  end
  if not cut.truncated or (cut.full_output_path and not cut.full_output_error) then return few end
  stream:lower { max_bytes = limits.max_bytes }
  return limits
end

--- The result of a command that could not be started; the message may name its folder.
local function not_started(message, code, cwd, ctx)
  local details = { error_code = code }
  local first, last = message:find(cwd or "\0", 1, true)
  if first then
    message = message:sub(1, first - 1) .. sentences.path(ctx.redacted(cwd)) .. message:sub(last + 1)
    details.path = ctx.redacted(cwd)
  end
  return { text = sentences.message("spawn", { what = message }), is_error = true, details = details }
end

function M.execute(input, ctx, done)
  local stream = ctx.stream()
  local limits = limit.under_output(ctx.limits, input.output)
  if limits ~= ctx.limits then stream:lower { max_bytes = limits.max_bytes } end
  local timeout = input.timeout or ctx.timeout
  local opts = {
    cwd = input.cwd and ctx.path(input.cwd) or ctx.cwd,
    env = environment(ctx.env),
    timeout = timeout,
  }
  local child, message, code = process.spawn({ "sh", "-c", input.command }, opts, {
    read_output = function(fd, most)
      local n, why, code = stream:read_fd(fd, most)
      if n and n > 0 then ctx.update(stream) end
      return n, why, code
    end,
    on_exit = function(outcome)
      outcome.error = outcome.error or outcome.handler_error ~= nil and sentences.part_lost or nil
      local failed = outcome.timed_out or outcome.cancelled or outcome.signal or outcome.code ~= 0 or outcome.error
      local final, problem = final_limits(stream, limits, failed)
      outcome.error = outcome.error or problem
      failed = failed or problem
      done {
        stream = stream,
        limits = final,
        empty = not outcome.error and sentences.no_output or nil,
        exit = sentences.exit_line(outcome, timeout),
        notice = { background = outcome.background or nil },
        is_error = failed and true or false,
        details = outcome_details(outcome),
      }
    end,
  })
  if not child then
    stream:close()
    return not_started(message, code, opts.cwd, ctx)
  end
  return function()
    child:cancel()
    return true -- done() comes with the output so far
  end
end

return M
