--- Fails where a value is more than plain data, has an empty table in it, or cannot be encoded as JSON.

local host = require "abridge.base.host"

local library = host.in_nvim and rawget(_G, "vim").json or require "cjson" -- a second one beside our own

local PLAIN = { string = true, number = true, boolean = true, table = true }

local function walk(value, where)
  assert(PLAIN[type(value)], where .. " is a " .. type(value))
  if type(value) ~= "table" then return end
  assert(next(value) ~= nil, where .. " is an empty table")
  assert(getmetatable(value) == nil, where .. " has a metatable")
  for key, inner in pairs(value) do
    walk(inner, where .. "." .. tostring(key))
  end
end

return function(value)
  walk(value, "result")
  assert(type(library.encode(value)) == "string")
  assert(type(host.json().encode(value)) == "string")
end
