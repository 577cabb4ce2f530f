--- An SQLite file opened by LuaSQL for reading alone: the engine itself has no way to write to it.

local M = {}

local BUSY_MS = 1000 -- how long a statement waits for a writer to finish
local DRIVER = "luasql.sqlite3"

--- LuaSQL for sqlite3.
---@return table|nil driver
---@return string|nil message what to install
function M.driver()
  local ok, driver = pcall(require, DRIVER)
  if ok then return driver end
  local hint = "`luarocks install luasql-sqlite3`, or your system's lua-sql-sqlite3 package"
  return nil, "LuaSQL for SQLite is missing: " .. hint
end

--- The file as a URI that says how to open it, with everything in the path escaped that could mean something else. An
--- SQLite without URIs looks for a folder named "file:.", finds none and opens nothing.
local function uri_of(path)
  if path:sub(1, 1) ~= "/" then path = "./" .. path end
  local escaped = path:gsub("^/+", "/"):gsub("[^%w_./-]", function(char)
    return ("%%%02X"):format(char:byte())
  end)
  return "file:" .. escaped .. "?mode=ro"
end

--- Open a file that exists; none is created.
---@param path string
---@return table|nil conn a LuaSQL connection
---@return string|fun() close closes the connection; the message when there is none
function M.open(path)
  local driver, missing = M.driver()
  if not driver then return nil, missing end
  local env = driver.sqlite3()
  local conn, message = env:connect(uri_of(path), BUSY_MS)
  if not conn then
    env:close()
    return nil, (tostring(message):gsub("^LuaSQL: ", ""))
  end
  return conn, function()
    conn:close()
    env:close()
  end
end

return M
