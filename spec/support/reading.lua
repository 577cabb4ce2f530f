--- Files of numbered lines, and read_file on them, in the folder of a spec.

local abridge = require "abridge"

local M = {}

--- Lines "line 1" to "line n", filled up with dots to `width` bytes.
function M.numbered(n, width)
  local lines = {}
  for i = 1, n do
    lines[i] = ("line %d"):format(i) .. ("."):rep((width or 0) - #("line %d"):format(i))
  end
  return table.concat(lines, "\n") .. "\n"
end

--- The result of read_file in a session that starts from a folder; `limits` are those of the tool.
---@param folder string
---@param input table|string a string is the path alone
---@param limits table|nil
---@param opts table|nil of the session
function M.read(folder, input, limits, opts)
  opts = opts or {}
  opts.cwd = opts.cwd or folder
  opts.limits = opts.limits or { read_file = limits }
  if type(input) == "string" then input = { path = input } end
  return abridge.session(opts):call("read_file", input)
end

return M
