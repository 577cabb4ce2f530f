--- Results of MCP tools under one budget. Their shapes are those of the MCP specification of 2026-07-28 and before
--- (tools/call, resources/read), and what mcphub.nvim 6.2 makes of them (`parse_response`).

local check = require "abridge.base.check"
local crude = require "abridge.base.crude"
local options = require "abridge.hosts.options"
local safe = require "abridge.hosts.safe"
local tell = require "abridge.hosts.tell"
local mcp_view = require "abridge.hosts.mcp_view"

local M = {}

--- The keys in `_meta` of the block and of the counts of what passed.
M.truncation_key, M.parts_key = mcp_view.truncation_key, mcp_view.parts_key

--- The structured content of a view as JSON; nil where it has none.
local function json_of(view)
  return (require("abridge.base.encode").json(view.out.structuredContent))
end

--- Structured content stays as it is, becomes the text if there is none, or is left out.
---@return string|nil beside what shares the budget with the texts
---@return boolean|nil left_out
---@return abridge.Info|nil info
local function structured(tool, view, limits, opts)
  local share, info = require "abridge.output.share", require "abridge.output.info"
  local json, texts = json_of(view), check.copied(view.texts)
  texts[#texts + 1] = json
  local budgets, whole = share.out(texts, limits)
  if json and whole[#texts] then return json, false, info.not_truncated(#json) end
  view.out.structuredContent = nil
  if json and #texts == 1 then
    view:append(json)
    view:add(view.out.content[#view.out.content], "text")
    return nil
  end
  local cut
  if json then -- cut to nothing, for its full output
    local none = {}
    for name in pairs(budgets[#texts]) do
      none[name] = 0
    end
    local _, problem
    _, _, cut, problem = share.cap(tool, json, limits, none, opts)
    if problem then tell.crude(tool, problem) end
  end
  local said = require("abridge.output.notice").structured(json and #json, cut)
  return said, true, info.without_resume(0, json and #json, "size_cap")
end

local function capped(tool, value, opts)
  local share, shown = require "abridge.output.share", safe.redacted(value, opts)
  local view, limits = mcp_view.open(shown), share.limits(tool, opts)
  if shown ~= value then view:take_texts(value) end
  local beside, left_out, info
  if view.out.structuredContent ~= nil then
    beside, left_out, info = structured(tool, view, limits, opts)
  end
  local texts, contents, blocks = check.copied(view.texts), {}, {}
  texts[#texts + 1] = beside
  local budgets, whole = share.out(texts, limits, left_out)
  for i, text in ipairs(view.texts) do
    local _, problem
    contents[i], blocks[i], _, problem = share.cap(tool, text, limits, budgets[i], opts)
    if problem then tell.crude(tool, problem) end
  end
  view:put(contents)
  if left_out and whole[#texts] then view:append(beside) end
  blocks[#blocks + 1] = info
  return view:tell(require("abridge.output.info").joined(blocks):to_table())
end

--- The result if something inside failed.
local function crudely(tool, value, opts, why)
  tell.crude(tool, why)
  local ok, view = pcall(mcp_view.open, safe.redacted(value, opts))
  if not ok then view = mcp_view.open((crude.cut(safe.redacted((crude.cut(value)), opts)))) end
  return view:tell(view:put_crudely(safe.crude_budgets(tool, opts)))
end

--- Cap the result of an MCP tool: its texts share one budget, everything else passes and is counted. The value is not
--- changed. Never raises because of the value; misuse of the other arguments raises.
---@param tool_name string
---@param value any
---@param opts? abridge.SafeOptions
---@return table result of the same shape, what was cut and what passed in its `_meta`
function M.cap(tool_name, value, opts)
  if type(tool_name) ~= "string" then
    check.fail("abridge.mcp.cap: tool_name must be a string, got " .. check.show(tool_name))
  end
  opts = options.checked("abridge.mcp.cap", opts)
  local ok, result = pcall(function()
    if type(value) ~= "table" or value.content ~= nil or type(value.result) ~= "table" then
      return capped(tool_name, value, opts)
    end
    local response = check.copied(value) -- of JSON-RPC
    response.result = M.cap(tool_name, value.result, opts)
    return response
  end)
  return ok and result or crudely(tool_name, value, opts, result)
end

return M
