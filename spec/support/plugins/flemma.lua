--- flemma.nvim itself, driven as its stand-in is: its truncate module as `original`, its `flemma.tools.truncate` and
--- its tool "read".

local M = {}

local vim = rawget(_G, "vim")

M.original = require "flemma.utilities.truncate"

--- Everything of the plugin is loaded anew, so that the truncate module is taken from where the user put it.
function M.load()
  local preload = package.preload.flemma
  for name in pairs(package.loaded) do
    if name == "flemma" or name:find "^flemma%." then package.loaded[name] = nil end
  end
  package.preload.flemma = nil -- luacheck: ignore 122
  require("flemma").setup {}
  package.preload.flemma = preload -- luacheck: ignore 122
  local base, tools = require "flemma.utilities.truncate", require "flemma.tools.truncate"
  local tool = require("flemma.tools.registry").get "read"

  --- A page of the tool "read", and where to go on.
  local function read(lines, offset)
    local path, buf = vim.fn.tempname(), vim.api.nvim_create_buf(false, true)
    vim.fn.writefile(lines, path)
    local ctx = require("flemma.tools.executor").build_execution_context {
      bufnr = buf,
      cwd = vim.fn.getcwd(),
      timeout = 30,
      tool_name = "read",
    }
    local output = tool.execute({ label = "page", path = path, offset = offset }, ctx).output
    vim.api.nvim_buf_delete(buf, { force = true })
    vim.fn.delete(path)
    local content, next_offset = output:match "^(.*)\n\n%[Showing lines [^\n]*Use offset=(%d+) to continue%.%]$"
    return content or output, tonumber(next_offset)
  end

  --- A line of the tool "grep", which is made in its midst.
  local function grep(path, number, line)
    return path .. ":" .. number .. ":" .. base.truncate_line(line).text
  end

  return { base = base, tools = tools, read = read, grep = grep }
end

function M.unload()
  package.loaded["flemma.utilities.truncate"] = nil
  package.preload["flemma.utilities.truncate"] = nil -- luacheck: ignore 122
  os.remove((os.getenv "TMPDIR" or "/tmp") .. "/flemma___.txt") -- where its tool keeps what it cut
end

return M
