--- abridge in Neovim. `require` has no side effects and loads nothing else: `setup` or plugin/abridge.lua make the
--- user command.

local M = {}

local SETUP = "abridge.nvim.setup"

---@class (exact) abridge.nvim.SetupOptions
---@field session? abridge.SessionOptions of the session that :Abridge run works with
---@field install? { url: string|nil } the place of releases for :Abridge install, each in a folder `vVERSION`

--- Set options and make the command :Abridge. Need not be called; `abridge.setup` is the same. Raises on a wrong
--- option, and outside Neovim. The editor's session is opened with `session` when it is first used; one that is already
--- open keeps its options.
---@param opts? abridge.nvim.SetupOptions
function M.setup(opts)
  local check = require "abridge.base.check"
  if not require("abridge.base.host").in_nvim then check.fail(SETUP .. ": this host is not Neovim") end
  opts = check.options(SETUP, opts, { session = "table", install = "table" }, 1)
  if opts.install then
    local install = require "abridge.nvim.install"
    install.releases = check.options(SETUP .. ": install", opts.install, { url = install.check_url }, 1).url
  end
  if opts.session then require("abridge.nvim.run").configure(SETUP, opts.session) end
  require("abridge.nvim.command").create()
end

-- Tail calls: misuse raises at the level of the caller.

--- Show a result in a buffer: see `abridge.nvim.render`.
---@param buf integer
---@param result abridge.Result
---@param opts? abridge.nvim.RenderOptions
---@return integer|nil row
---@return integer|string count or message
function M.render(buf, result, opts)
  return require("abridge.nvim.render").render(buf, result, opts)
end

--- Call a tool and show its output while it runs: see `abridge.nvim.run`.
---@param session abridge.Session
---@param tool string
---@param input table|string
---@param opts? abridge.nvim.RunOptions
---@return abridge.Job job
function M.run(session, tool, input, opts)
  return require("abridge.nvim.run").run(session, tool, input, opts)
end

--- The editor's session: see `abridge.nvim.run`.
---@return abridge.Session session
function M.session()
  return require("abridge.nvim.run").session()
end

--- List the calls of a run: see `abridge.nvim.log`.
---@param run_dir? string
---@param mods? string
---@return integer|nil buf
---@return string|nil message
function M.log(run_dir, mods)
  return require("abridge.nvim.log").open(run_dir, mods)
end

--- State of the commands of `:Abridge run`, for a status line: `running 12s`, `2 running`; empty when none runs. Cheap.
---@return string text
function M.status()
  local window = package.loaded["abridge.nvim.command_window"]
  return window and window.status() or ""
end

return M
