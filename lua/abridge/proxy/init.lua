--- The proxy between an MCP client and a server. From the requests it learns the tool of each result, and cuts results
--- over their tool's limits. It moves lines, and knows no pipes.

local host = require "abridge.base.host"
local splice = require "abridge.base.splice"
local check = require "abridge.base.check"
local message = require "abridge.proxy.message"
local result = require "abridge.proxy.result"
local single = require "abridge.proxy.single"
local yielded = require "abridge.output.yielded"
local registry = require "abridge.session.registry"
local under = require "abridge.session.under"

local M = {}

local WHO = "abridge mcp"
local MOST_PENDING = 10000 -- requests without an answer; those that were cancelled may never get one
local MOST_TOOLS = 10000
local MOST_SCHEMA = 1024 * 1024 -- bytes of a tool's description that are read

---@class abridge.proxy.Tool
---@field name string as the session knows it
---@field listed? boolean the server told of it
---@field output_schema? table decoded
---@field chars? integer that it asks for

---@class abridge.proxy.Options
---@field max_result_chars? integer that a tool may ask for
---@field keep_structured? boolean
---@field warn fun(message: string) told what goes wrong
---@field tools? abridge.proxy.OwnTools to add to the server's
---@field send? fun(line: string) to the client, with `tools`

---@class abridge.Proxy
---@field private session abridge.Session
---@field private opts abridge.proxy.Options
---@field private pending table<string, { method: string, name: string|nil, number: integer }> by id
---@field private count integer of requests so far
---@field private tools table<string, abridge.proxy.Tool>
local Proxy = {}
Proxy.__index = Proxy

--- The name by which a session knows a tool of a server: that of one of ours would have its notices.
---@param name string
---@return string
function M.own_name(name)
  for _, built_in in ipairs(registry.built_in) do
    if name == built_in then return "mcp__" .. name end
  end
  return name
end

---@param session abridge.Session
---@param opts abridge.proxy.Options
---@return abridge.Proxy
function M.new(session, opts)
  return setmetatable({ session = session, opts = opts, pending = {}, order = {}, count = 0, tools = {} }, Proxy)
end

-- from the client -----------------------------------------------------------------------

local WATCHED = { ["tools/call"] = true, ["tools/list"] = true, initialize = true }

function Proxy:remember(request)
  self.count = self.count + 1
  self.pending[request.id] = { method = request.method, name = request.name, number = self.count }
  self.order[self.count] = request.id
  local oldest = self.count - MOST_PENDING
  local id = self.order[oldest]
  self.order[oldest] = nil
  if id and self.pending[id] and self.pending[id].number == oldest then self.pending[id] = nil end
end

--- Answer a call of a tool of ours.
function Proxy:answer_own(line, request)
  local at = request.arguments
  local input = at and at.type == "object" and line:sub(at.first, at.last) or "{}"
  self.opts.tools:call(request.name, input, function(json)
    self.opts.send(('{"jsonrpc":"2.0","id":%s,"result":%s}\n'):format(request.spelled_id, json))
  end)
end

--- The line that goes to the server in place of one from the client: the same, but for calls of tools of ours.
---@param line string
---@return string
function Proxy:from_client(line)
  local ok, requests = pcall(message.of, line)
  if not ok then
    self.opts.warn("a line of the client passed as it came: " .. check.reason(requests))
    return line
  end
  local edits = {}
  for _, request in ipairs(requests) do
    local own = self.opts.tools and request.method == "tools/call" and self.opts.tools:has(request.name)
    if own and request.id then
      self:answer_own(line, request)
      edits[#edits + 1] = { pointer = request.pointer, remove = true }
    elseif request.id and WATCHED[request.method] then
      self:remember(request)
    elseif request.id and request.method then
      self.pending[request.id] = nil -- an id that is used again
    end
  end
  if #edits == 0 then return line end
  if #edits == #requests then return "" end
  return splice.edit(line, edits) or line
end

-- from the server -----------------------------------------------------------------------

--- An object that stands there, decoded; nil if it is none, or too large.
local function decoded(line, at)
  local json = host.json()
  if not at or not json or at.last - at.first > MOST_SCHEMA then return nil end
  local ok, data = pcall(json.decode, line:sub(at.first, at.last))
  return ok and type(data) == "table" and data or nil
end

--- A tool's declaration; only the parts in use are decoded.
local function tool_of(line, value)
  local found = message.find(line, { "/name", "/outputSchema", "/_meta" }, value.first, value.last)
  local name = message.text(line, found["/name"])
  if not name then return nil end
  local tool = { name = M.own_name(name), listed = true, output_schema = decoded(line, found["/outputSchema"]) }
  if found["/outputSchema"] and not tool.output_schema then tool.output_schema = { ["not"] = {} } end
  tool.chars = yielded.chars_asked(decoded(line, found["/_meta"]))
  return name, tool
end

--- A tool by the server's name for it.
function Proxy:tool_named(name)
  return self.tools[name] or { name = M.own_name(name) }
end

--- Take note of a page of the server's tools; edits that add ours to the last one.
function Proxy:learn(line, answer)
  local found = message.find(line, { "/tools", "/nextCursor" }, answer.result.first, answer.result.last)
  local list, edits, own = found["/tools"], {}, self.opts.tools
  for _, value in ipairs(list and splice.list(line, MOST_TOOLS, list.first, list.last) or {}) do
    if value.type == "object" then
      local name, tool = tool_of(line, value)
      if name then self.tools[name] = tool end
    end
  end
  local more = found["/nextCursor"]
  if not own or not self.has_tools or not list or (more and more.type == "string") then return edits end
  own:settle(self.tools)
  for _, definition in ipairs(own:definitions()) do
    edits[#edits + 1] = { pointer = answer.pointer .. "/result/tools/-", insert = definition }
  end
  return edits
end

--- The session with the limits that a result asks for, or else its tool.
function Proxy:session_for(tool, line, at)
  local most = self.opts.max_result_chars
  if not most then return self.session end
  local meta = at.type == "object" and message.find(line, { "/_meta" }, at.first, at.last)["/_meta"]
  local chars = yielded.chars_asked(decoded(line, meta)) or tool.chars
  return chars and under.with_chars(WHO, self.session, tool.name, math.min(chars, most)) or self.session
end

--- The edits of a tool's result.
function Proxy:cut(line, answer, name)
  local tool = self:tool_named(name)
  local session = self:session_for(tool, line, answer.result)
  return result.edits(session, line, answer, tool, self.opts.keep_structured or false)
end

--- The edits of an answer to a request that was noted.
function Proxy:edits_of(line, answer, request)
  if request.method == "tools/call" and request.name then return self:cut(line, answer, request.name) end
  if request.method == "tools/list" then return self:learn(line, answer) end
  if request.method == "initialize" then
    local found = message.find(line, { "/capabilities/tools" }, answer.result.first, answer.result.last)
    self.has_tools = found["/capabilities/tools"] ~= nil
  end
  return {}
end

--- The same, or on a failure a crude cut of a call's result.
function Proxy:edits_or_crude(line, answer, request)
  local ok, edits = pcall(self.edits_of, self, line, answer, request)
  if ok then return edits end
  local name, why = request.name, check.reason(edits)
  if not name then
    self.opts.warn(("an answer to %s passed as it came: %s"):format(request.method, why))
    return {}
  end
  self.opts.warn(("a result of %s was cut crudely: %s"):format(name, why))
  return result.crude_edits(self.session, line, answer, self:tool_named(name).name)
end

--- A line with its answers cut, or nil if none has to be. Raises if the line cannot be read.
function Proxy:cut_line(line, edits_of)
  local edits, answered = {}, {}
  for _, answer in ipairs(message.of(line)) do
    local request = answer.id and not answer.method and self.pending[answer.id]
    answered[#answered + 1] = request and answer.id or nil
    if request and answer.result then
      for _, edit in ipairs(edits_of(self, line, answer, request)) do
        edits[#edits + 1] = edit
      end
    end
  end
  local edited = #edits > 0 and (splice.edit(line, edits) or error "two results in one place") or nil
  for _, id in ipairs(answered) do
    self.pending[id] = nil
  end
  return edited
end

--- The client's line for one from the server: the same bytes but for the cuts.
---@param line string
---@return string
function Proxy:from_server(line)
  local ok, edited = pcall(self.cut_line, self, line, self.edits_of)
  if not ok then
    ok, edited = pcall(self.cut_line, self, single.line(line) or line, self.edits_or_crude)
  end
  if ok then return edited or line end
  self.opts.warn("a line of the server passed as it came: " .. check.reason(edited))
  return line
end

return M
