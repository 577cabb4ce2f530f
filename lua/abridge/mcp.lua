--- Results of MCP tools under one budget. Their shapes are those of the MCP specification of 2026-07-28 and before
--- (tools/call, resources/read), and what mcphub.nvim 6.2 makes of them (`parse_response`).

local check = require "abridge.base.check"
local crude = require "abridge.base.crude"
local encode = require "abridge.base.encode"
local options = require "abridge.hosts.options"
local safe = require "abridge.hosts.safe"
local tell = require "abridge.hosts.tell"
local mcp_view = require "abridge.hosts.mcp_view"
local structured_content = require "abridge.hosts.structured"

local M = {}

local WHO = "abridge.mcp.cap"

--- The keys in `_meta` of the block and of the counts of passed content.
M.truncation_key, M.parts_key = mcp_view.truncation_key, mcp_view.parts_key

--- Structured content cut to its share, or nil: it stays an object or array, with nothing inserted.
---@return any|nil value
---@return string|nil said what tells of the cut
---@return abridge.Block|nil block
---@return string|nil body the value as JSON
local function cut_structured(tool, json, limits, budgets, opts)
  local content, block, cut, problem = require("abridge.output.share").cap(tool, json, limits, budgets, opts, true)
  if problem then tell.crude(tool, problem) end
  if problem or not cut or cut.kind ~= "json" or not cut.items then return nil end
  local body = content:sub(1, block.bytes_returned)
  local value = structured_content.decoded(body)
  if value == nil then return nil end
  return value, content:sub(#body + 1):match "^\n*(.*)$", block, body
end

--- The text in place of structured content: it is cut to nothing, for its full output.
local function left_out(tool, json, limits, budgets, opts)
  local share, cut = require "abridge.output.share", nil
  if json then
    local none = {}
    for name in pairs(budgets) do
      none[name] = 0
    end
    local _, _, ledger, problem = share.cap(tool, json, limits, none, opts)
    if problem then tell.crude(tool, problem) end
    cut = ledger
  end
  local registry = require "abridge.session.registry"
  local names = opts.session and registry.names(opts.session, share.tool_names(opts)) or {}
  return require("abridge.output.notice").structured(json and #json, cut, names)
end

---@class (exact) abridge.McpStructured What structured content takes beside the texts
---@field text string the JSON that stays; "" if none does
---@field said? string a text to append, where there is room
---@field lines integer of `text`
---@field taken boolean `text` was cut to its share
---@field info abridge.Info

--- Structured content stays as it is if it is within its share, or is cut, or left out. If the texts say the same, it
--- is sent once, as these.
---@param told string[] the texts, redacted as the structured content is
---@return abridge.McpStructured|nil
local function structured(tool, view, told, limits, opts)
  local share, info = require "abridge.output.share", require "abridge.output.info"
  local value = view.out.structuredContent
  local json, texts = encode.json(value), check.copied(view.texts)
  if json and structured_content.is_repeated(told, value, json) then
    view.out.structuredContent = nil
    return nil
  end
  texts[#texts + 1] = json
  local budgets, whole = share.out(texts, limits)
  if json and whole[#texts] then return { text = json, lines = 1, taken = true, info = info.not_truncated(#json) } end
  local said, block, body
  if json then
    value, said, block, body = cut_structured(tool, json, limits, budgets[#texts], opts)
    view.out.structuredContent = value
    if value ~= nil then
      if said == "" then said = nil end
      local cut = info.without_resume(block.bytes_returned, block.bytes_total, block.reason)
      return { text = body, said = said, lines = 1, taken = true, info = cut }
    end
  end
  view.out.structuredContent = nil
  if json and #texts == 1 then
    view:append(json)
    view:add(view.out.content[#view.out.content], "text")
    return nil
  end
  said = left_out(tool, json, limits, budgets[#texts], opts)
  return { text = "", said = said, lines = 0, taken = false, info = info.without_resume(0, json and #json, "size_cap") }
end

--- The options for a result: it has the chars that it asks for, as far as the session lets it.
local function widened(tool, value, opts)
  local most = opts.session and opts.session.opts.max_result_chars
  local asked = most and type(value) == "table" and require("abridge.output.yielded").chars_asked(value._meta)
  if not asked then return opts end
  local under = require "abridge.session.under"
  opts = check.copied(opts)
  opts.session = under.with_chars(WHO, opts.session, tool, math.min(asked, most))
  return opts
end

local function capped(tool, value, opts)
  opts = widened(tool, value, opts)
  local share, shown = require "abridge.output.share", safe.redacted(value, opts)
  local view, limits = mcp_view.open(shown), share.limits(tool, opts)
  local told, beside = view.texts, nil
  if shown ~= value then view:take_texts(value) end
  if view.out.structuredContent ~= nil then beside = structured(tool, view, told, limits, opts) end
  local contents, blocks = {}, {}
  local budgets, whole = share.out(view.texts, limits, beside)
  for i, text in ipairs(view.texts) do
    local _, problem
    contents[i], blocks[i], _, problem = share.cap(tool, text, limits, budgets[i], opts)
    if problem then tell.crude(tool, problem) end
  end
  view:put(contents)
  if beside and beside.said and whole[#view.texts + 1] then view:append(beside.said) end
  blocks[#blocks + 1] = beside and beside.info
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
    check.fail(WHO .. ": tool_name must be a string, got " .. check.show(tool_name))
  end
  local problem
  opts, problem = options.open(options.checked(WHO, opts))
  local ok, result = pcall(function()
    if type(value) ~= "table" or value.content ~= nil or type(value.result) ~= "table" then
      if problem then error(problem, 0) end
      return capped(tool_name, value, opts)
    end
    local response = check.copied(value) -- of JSON-RPC
    response.result = M.cap(tool_name, value.result, opts)
    return response
  end)
  return ok and result or crudely(tool_name, value, opts, result)
end

return M
