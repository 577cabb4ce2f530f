--- Two tools beside a server's own: with them a model without a shell looks into full outputs, and nowhere else.

local encode = require "abridge.base.encode"

local M = {}

local BUILT_IN = { "read_file", "search_files" }
local SUFFIXES = { read_file = "_read", search_files = "_search" }
local NOTICED = { read_file = "read", search_files = "search" } -- as notices know them
local ABOUT = "For the full outputs of results that were cut, whose paths their notices tell. "
local NOTHING_KEPT = "No full output is kept yet"

---@class abridge.proxy.OwnTools
---@field private session abridge.Session whose run folder is looked into
---@field private prefix string
---@field private own table<string, string> our name for each name that the client knows
---@field private names table<string, string> the reverse
local OwnTools = {}
OwnTools.__index = OwnTools

---@param session abridge.Session
---@param prefix? string of their names; "abridge" unless set
---@return abridge.proxy.OwnTools
function M.new(session, prefix)
  return setmetatable({ session = session, prefix = prefix or "abridge", own = {}, names = {} }, OwnTools)
end

--- Choose names that no tool of the server has, and have the notices name them.
---@param taken table<string, any> by name
function OwnTools:settle(taken)
  local noticed = {}
  self.own, self.names = {}, {}
  for _, built_in in ipairs(BUILT_IN) do
    local base, number = self.prefix .. SUFFIXES[built_in], 1
    local name = base
    while taken[name] do
      number = number + 1
      name = ("%s_%d"):format(base, number)
    end
    self.own[name], self.names[built_in], noticed[NOTICED[built_in]] = built_in, name, name
  end
  self.session.opts.tool_names = noticed
end

--- Is this one of ours, by the names that the client was told?
---@param name string|nil
---@return boolean
function OwnTools:has(name)
  return name ~= nil and self.own[name] ~= nil
end

--- A session that reads in the folder of full outputs; nil while there is none.
local function reader(self)
  local dir = self.session.run:planned_dir()
  if not self.reader and dir then
    local ok, session = pcall(require("abridge.session").new, { tools = BUILT_IN, root = dir, run_dir = false })
    self.reader = ok and session or nil
  end
  return self.reader
end

--- Their definitions for the client, as JSON.
---@return string[]
function OwnTools:definitions()
  local session = assert(require("abridge.session").new { tools = BUILT_IN, run_dir = false })
  local list = {}
  for _, definition in ipairs(session:definitions "mcp") do
    definition.name = self.names[definition.name]
    definition.description = ABOUT .. definition.description
    list[#list + 1] = encode.json(definition)
  end
  session:close()
  return list
end

--- Do a call; `done` gets the result as JSON, now or later.
---@param name string
---@param input string JSON
---@param done fun(result: string)
function OwnTools:call(name, input, done)
  local function answered(text, is_error)
    local content = ('{"content":[{"type":"text","text":%s}],"isError":%s}'):format(
      encode.string(text),
      tostring(is_error)
    )
    done(content)
  end
  local session = reader(self)
  if not session then return answered(NOTHING_KEPT, true) end
  session:call(self.own[name], input, {
    on_done = function(result)
      answered(result.content, result.is_error == true)
    end,
  })
end

function OwnTools:close()
  if self.reader then self.reader:close() end
end

return M
