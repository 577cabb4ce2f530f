--- A function of a host's table replaced in place.

local M = {}

local replaced = setmetatable({}, { __mode = "k" }) -- by owner and name: a function that puts the old one back

--- Replace a function, once: a second call changes nothing.
---@param owner table
---@param name string
---@param make fun(original: function): function
---@return fun() undo puts the host's own back, unless it has been replaced again since; idempotent
function M.replace(owner, name, make)
  replaced[owner] = replaced[owner] or {}
  if replaced[owner][name] then return replaced[owner][name] end
  local original, own = owner[name], rawget(owner, name)
  local ours = make(original)
  local function undo()
    if rawget(owner, name) ~= ours then return end
    rawset(owner, name, own)
    replaced[owner][name] = nil
  end
  rawset(owner, name, ours)
  replaced[owner][name] = undo
  return undo
end

return M
