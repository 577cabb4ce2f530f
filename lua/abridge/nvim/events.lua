--- Our autocommands: the `User` events AbridgeRunStart, AbridgeRunDone and AbridgeCall.

local M = {}

---@type table<abridge.Session, table<any, true>> ids of the calls of `:Abridge run`, of which AbridgeRunDone tells
local own = setmetatable({}, { __mode = "k" })

--- Tell of something. An error of a handler is its own: Neovim reports it.
---@param name string
---@param data table
local function send(name, data)
  local opts = { pattern = name, modeline = false }
  if vim.fn.has "nvim-0.8" == 1 then
    opts.data = data
  else
    vim.g.abridge_event = data -- before 0.8 events have no data
  end
  pcall(vim.api.nvim_exec_autocmds, "User", opts)
  vim.g.abridge_event = nil
end

--- How much a call printed and how many failures are in it, as far as its cut tells.
local function with_amounts(data, cut)
  cut = type(cut) == "table" and cut or {}
  data.lines, data.bytes = cut.total_lines or 0, cut.total_bytes or 0
  data.failures = type(cut.failures) == "table" and cut.failures.found or 0
  return data
end

--- A command of `:Abridge run` has started.
---@param run abridge.nvim.CommandRun
---@param session abridge.Session that runs it
function M.started(run, session)
  own[session] = own[session] or {}
  own[session][run.call_id] = true
  send("AbridgeRunStart", { call_id = run.call_id, command = run.command, buf = run.buf })
end

--- A command of `:Abridge run` has ended.
---@param run abridge.nvim.CommandRun
function M.done(run)
  local details = run.result.details or {}
  local data = { call_id = run.call_id, command = run.command, exit_code = details.exit_code }
  send("AbridgeRunDone", with_amounts(data, details.cut))
end

--- Tell of each call of a session that its log has; not of a command of `:Abridge run`.
---@param session abridge.Session
---@return abridge.Session
function M.follow(session)
  function session.announce(event)
    if event.type ~= "tool_result" then return end
    vim.schedule(function() -- a command that could not be started has ended before its window knows its id
      local commands = own[session] or {}
      if commands[event.call_id] then
        commands[event.call_id] = nil
        return
      end
      send(
        "AbridgeCall",
        with_amounts({
          call_id = event.call_id,
          tool = event.tool,
          exit_code = event.exit_code,
        }, event.cut)
      )
    end)
  end
  return session
end

return M
