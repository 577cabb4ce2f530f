--- Caps for adapters, which never raise and never give everything: when something inside fails, the user is told and
--- the text is cut crudely. Loads without the core, so that an adapter still cuts if the core is missing.

local check = require "abridge.base.check"
local crude = require "abridge.base.crude"
local options = require "abridge.hosts.options"
local tell = require "abridge.hosts.tell"
local profiles = require "abridge.output.profiles"

local M = {}

--- A value as the session redacts it, all strings of a table too; the value itself if there is nothing to hide.
---@param value any
---@param opts { session: any }
---@return any
function M.redacted(value, opts)
  local asked = options.asked(opts)
  if asked and asked.redact and value ~= nil then return crude.withheld end
  local redactor = type(opts.session) == "table" and opts.session.redactor
  if not redactor or value == nil then return value end
  local ok, shown, changed = pcall(redactor.data, redactor, value)
  if not ok then return crude.withheld end
  return changed and shown or value
end

--- A size as the core reads it, for use without a core: 30720 or "30KB".
local function bytes_of(size)
  if type(size) ~= "string" then return size end
  local number, unit = size:lower():match "^(%d+%.?%d*) ?([kmgtp]?b?)$"
  local scale = number and ("bkmgtp"):find(unit:sub(1, 1), 1, true) -- 1 for no unit
  return number and math.floor(tonumber(number) * 1024 ^ (math.max(scale, 1) - 1)) or nil
end

--- Budgets of a crude cut: those in force if they are known, else those that were asked for, else little.
---@param tool string
---@param opts { session: any, limits: abridge.Limits|nil }
---@return table<string, any>
function M.crude_budgets(tool, opts)
  local ok, limits = pcall(function()
    return require("abridge.output.share").limits(tool, opts)
  end)
  local asked = options.asked(opts)
  if not ok then limits = opts.limits or asked and options.limits_asked(asked, tool) or {} end
  local budgets = check.copied(limits)
  budgets.max_bytes = bytes_of(budgets.max_bytes)
  local named = profiles.exec_budgets[budgets.output]
  if named and named < (budgets.max_bytes or math.huge) then budgets.max_bytes = named end
  return budgets
end

--- A text of a tool cut crudely because something failed, which is reported once. Never raises.
local function cut_crudely(tool, text, opts, why)
  tell.crude(tool, why)
  return (crude.cut(M.redacted(text, opts), M.crude_budgets(tool, opts)))
end

--- Cap one text of a tool. Never raises, and never gives everything: if something inside fails, it cuts crudely and
--- reports why.
---@param tool any its name
---@param text string
---@param opts abridge.SafeOptions
---@return string content
function M.cap(tool, text, opts)
  local unopened
  tool = check.name(tool)
  opts, unopened = options.open(opts)
  local ok, content, problem = pcall(function()
    if unopened then error(unopened, 0) end
    local share = require "abridge.output.share"
    local content, _, _, problem = share.cap(tool, text, share.limits(tool, opts), {}, opts)
    return content, problem
  end)
  if not ok then return cut_crudely(tool, text, opts, content) end
  if problem then tell.crude(tool, problem) end
  return content
end

return M
