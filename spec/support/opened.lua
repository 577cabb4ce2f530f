--- Sessions that are closed when the test that opened them is over: `after_each(opened.close)`.

local abridge = require "abridge"

local M = {}

local sessions = {}

--- The same as abridge.session.
function M.session(opts)
  local session, message, code = abridge.session(opts)
  sessions[#sessions + 1] = session
  return session, message, code
end

--- Close them all, the last first.
function M.close()
  for i = #sessions, 1, -1 do
    sessions[i]:close()
    sessions[i] = nil
  end
end

return M
