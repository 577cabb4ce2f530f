--- A session with one tool of the host, without a run's folder unless told otherwise.

local abridge = require "abridge"

---@param execute function of the tool, which is called "tool" unless its definition says otherwise
---@param definition table|nil what else the tool has
---@param opts table|nil of the session
return function(execute, definition, opts)
  opts = opts or {}
  if opts.run_dir == nil then opts.run_dir = false end
  local session = abridge.session(opts)
  definition = definition or {}
  definition.name, definition.execute = definition.name or "tool", execute
  session:register(definition)
  return session
end
