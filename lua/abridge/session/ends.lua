--- How the calls of a session ended, and the places of their full outputs, for a conversation that is shortened later.
--- From the events: in memory, and of a run that goes on in its folder from its log.

local M = {}

---@class (exact) abridge.CallEnd
---@field failed boolean
---@field exit? string its exit line
---@field path? string of its full output

--- The end of a call, from the event of its result.
local function end_of(event)
  local cut = type(event.cut) == "table" and event.cut or {}
  return { failed = event.is_error == true, exit = event.exit_line, path = cut.full_output_path }
end

local function add(ends, event)
  local id = event.call_id
  if type(id) ~= "string" then return end
  ends[id] = ends[id] or {}
  table.insert(ends[id], end_of(event))
end

--- Remember how a call ended.
---@param self abridge.Session
---@param event table its `tool_result`
function M.note(self, event)
  add(self.ends, event)
end

--- The ends of earlier calls in the same folder, read once.
local function earlier(self)
  if not self.ends_before then
    local ends, last = {}, self.events_before
    for _, event in ipairs(last > 0 and self:events { type = "tool_result" } or {}) do
      if type(event.seq) == "number" and event.seq <= last then add(ends, event) end
    end
    self.ends_before = ends
  end
  return self.ends_before
end

--- How the `nth` call with this id ended; nil if the session does not know.
---@param self abridge.Session
---@param id any
---@param nth integer
---@return abridge.CallEnd|nil
function M.find(self, id, nth)
  if type(id) ~= "string" then return nil end
  local own, before = self.ends[id] or {}, {}
  if not own[nth] then before = earlier(self)[id] or {} end
  return before[nth] or own[nth - #before]
end

return M
