--- A call whose output is shown in a buffer while it runs; the editor's session.

local check = require "abridge.base.check"

local M = {}

local WHO = "abridge.nvim.run"

---@class (exact) abridge.nvim.RunOptions
---@field buf? integer the buffer; the current one unless set
--- 0-based; the lines go before it, or to the end of the buffer. That place is marked when `run` is called and moves
--- with the text around it, so calls that end in any order stay where they were made; of two for one row, the first is
--- on top
---@field row? integer
---@field max_lines? integer those of `abridge.display`
---@field width? integer
---@field id? string the call's id
--- `function(result, message)`, called when the API may be used; `message` says why the result is not in the buffer
---@field on_done? fun(result: abridge.Result, message: string|nil)

local OPTIONS = {
  buf = function(value)
    if not check.is_count(value) then return "the number of a buffer" end
  end,
  row = "number",
  max_lines = "number",
  width = "number",
  id = "string",
  on_done = "function",
}

local calls = 0

--- Call a tool and render its output.
local function start(session, tool, input, opts)
  local render = require "abridge.nvim.render" -- not before: without a core, options can still be set
  calls = calls + 1
  local buf = opts.buf or 0
  if buf == 0 then buf = vim.api.nvim_get_current_buf() end
  local at = { row = opts.row, max_lines = opts.max_lines, width = opts.width, key = "abridge.nvim.run " .. calls }
  render.reserve(buf, at.key, opts.row)
  local entry = session:find(tool)
  local name = entry and entry.name or tool -- an alias would not tell that it is a command
  return session:call(tool, input, {
    id = opts.id,
    on_update = function(content, cut)
      render.render(buf, { tool = name, content = content, details = { cut = cut } }, at)
    end,
    on_done = function(result)
      local row, message = render.render(buf, result, at)
      if opts.on_done then opts.on_done(result, not row and message or nil) end
    end,
  })
end

--- Call a tool of a session, and show in a buffer the model's view so far, at most every 100 ms, and then the
--- result with its notice. Returns at once. If the buffer is wiped out, the call runs on. Raises as `session:call`
--- does.
---@param session abridge.Session
---@param tool string
---@param input table|string
---@param opts? abridge.nvim.RunOptions
---@return abridge.Job
function M.run(session, tool, input, opts)
  if type(session) ~= "table" or type(session.find) ~= "function" then
    check.fail(("%s: session must be a session, got %s"):format(WHO, check.show(session)))
  elseif type(tool) ~= "string" then
    check.fail(("%s: tool must be a string, got %s"):format(WHO, check.show(tool)))
  end
  opts = check.options(WHO, opts, OPTIONS, 1)
  local job = start(session, tool, input, opts)
  return job -- no tail call: the level of an error counts this function
end

-- the editor's session ----------------------------------------------------------------

local editor = { opts = {} }
local NO_TOOLS = { read = false, search = false } -- who reads its results has other tools than the session

--- Set the options of the editor's session. Raises on a wrong one, at the level of the caller's caller.
---@param who string the public function
---@param opts table options of `abridge.session`, which only a core can check
function M.configure(who, opts)
  local found, sessions = pcall(require, "abridge.session")
  local why = found and sessions.wrong(opts)
  if why then check.fail(("%s: session: %s"):format(who, why), 1) end
  editor.opts = check.copied(opts)
end

--- The editor's session, opened when it is first used, closed when the editor ends. Unless `run_dir` says otherwise its
--- log is in a folder of its own in the user's state directory. Raises if it cannot be opened.
---@return abridge.Session
function M.session()
  local open = editor.session
  if open and not open.closed then return open end
  local opts = check.copied(editor.opts)
  opts.tool_names = opts.tool_names or NO_TOOLS
  local session, message = require("abridge.session").logged(opts)
  if not session then error(message, 0) end
  editor.session = require("abridge.nvim.events").follow(session)
  vim.api.nvim_create_autocmd("VimLeavePre", {
    group = vim.api.nvim_create_augroup("abridge_session", { clear = true }),
    callback = function()
      session:close()
    end,
  })
  return session
end

--- The run folder of the editor's session; nil while there is none.
---@return string|nil
function M.current_dir()
  local open = editor.session
  return open and open.run:log_dir() or nil
end

return M
