--- Calls of tools that go well.

local abridge = require "abridge"
local assert = require "luassert"

--- The result of a call, which conforms and is no error.
return function(session, tool, input)
  local result = session:call(tool, input)
  abridge.assert_conforms(tool, result)
  assert.is_false(result.is_error, result.content)
  return result
end
