--- The command :Abridge. Its code is loaded when it is first used.

local M = {}

local USAGE = "usage: :Abridge run [COMMAND], :Abridge log [RUN_DIR], :Abridge pick, :Abridge quickfix [CALL]"
  .. " or :Abridge install [FILE]"

local SUBCOMMANDS = {
  install = function(rest)
    local file = rest ~= "" and require("abridge.nvim.complete").typed_path(rest) or nil
    require("abridge.nvim.install").command(file)
  end,
  log = function(rest, mods)
    local dir = rest ~= "" and require("abridge.nvim.complete").typed_path(rest) or nil
    local buf, message = require("abridge.nvim.log").open(dir, mods)
    if not buf then error(message, 0) end
  end,
  pick = function(rest)
    if rest ~= "" then error(USAGE, 0) end
    require("abridge.nvim.pick").open()
  end,
  quickfix = function(rest)
    local number = tonumber(rest:match "^%d+$")
    if rest ~= "" and not number then error(USAGE, 0) end
    require("abridge.nvim.quickfix").open(number)
  end,
  run = function(rest, mods)
    local window = require "abridge.nvim.command_window"
    if rest == "" then return window.show_latest(mods) end
    window.typed(rest, mods)
  end,
}

local function execute(args)
  local name, rest = args.args:match "^(%S*)%s*(.-)%s*$"
  if not SUBCOMMANDS[name] then error(USAGE, 0) end
  SUBCOMMANDS[name](rest, args.mods)
end

--- Completions at the cursor.
---@param lead string the word so far
---@param line string the command line up to the cursor
---@return string[]
local function complete(lead, line)
  local words = line:match "Abridge!?%s+(.*)$" or ""
  local name, rest = words:match "^(%S+)%s+(.*)$"
  if not name then
    return vim.tbl_filter(function(known)
      return vim.startswith(known, lead)
    end, { "install", "log", "pick", "quickfix", "run" })
  end
  if name == "install" then return require("abridge.nvim.complete").paths(lead) end
  if name == "log" then return require("abridge.nvim.complete").folders(lead) end
  if name ~= "run" then return {} end
  return require("abridge.nvim.complete").shell_words(lead, not rest:find "%s")
end

--- Fill buffers that Neovim brings back by their names: see `abridge.nvim.restore`.
local function restore_buffers()
  vim.api.nvim_create_autocmd({ "BufReadCmd", "BufFilePost" }, {
    group = vim.api.nvim_create_augroup("abridge_restore", { clear = true }),
    pattern = "abridge://*",
    callback = function(event)
      if require("abridge.nvim.buffer").is_ours(event.buf) then return end
      require("abridge.nvim.restore").load(event.buf)
    end,
  })
end

--- Make the command :Abridge.
function M.create()
  restore_buffers()
  vim.api.nvim_create_user_command("Abridge", function(args)
    local ok, message = pcall(execute, args)
    if not ok then
      local buffer = require "abridge.nvim.buffer"
      buffer.complain(buffer.reason(message))
    end
  end, {
    nargs = "*",
    desc = "Run a command as a model would see it, look at a run's log, or install the core",
    complete = function(lead, line, position)
      return complete(lead, line:sub(1, position))
    end,
  })
end

return M
