--- The limits of one session: the rows of a profile with the host's overrides, checked.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local limit = require "abridge.output.limit"
local notice = require "abridge.output.notice"
local profiles = require "abridge.output.profiles"
local window = require "abridge.output.window"

local M = {}

--- The rows of a profile that are not limits of a tool.
local NOT_TOOLS = { ceiling = true, aliases = true }
--- The one tool of this package whose output isn't a page: without limits of its own the ceiling cuts it in its way.
local NO_PAGES = "run_command"

---@class abridge.LimitTable
---@field rows table<string, abridge.Limits> the profile's
---@field overrides table<string, table> the session's, by the tools' own names
---@field ceiling abridge.Limits|nil
---@field ceiling_is_own boolean|nil it is the profile's, so a row of the profile may exceed it
---@field aliases table<string, string>
---@field window integer|nil tokens that a share such as "5%" is of
---@field only table<string, true>|nil the tools that a session has unless it says otherwise; nil: all
local LimitTable = {}
LimitTable.__index = LimitTable

--- Take a session's limits of a tool over those of the profile.
local function override(self, who, tool, row, deeper)
  local where = ("%s: limits.%s"):format(who, check.name(tool))
  if type(row) ~= "table" then check.fail(("%s must be a table, got %s"):format(where, check.show(row)), deeper) end
  row = check.copied(row)
  window.take_share(where, row, self.window, deeper)
  local name = self.aliases[tool] or tool
  for key, value in pairs(row) do
    if value == false and not limit.is_limit(key) then limit.fail_unknown(where, key, value, deeper) end
  end
  if name == "read_file" and (row.strategy == "priority" or row.strategy == "auto") then
    local wanted = "%s: strategy must be head, tail, head_tail or pipeline for pages, got %s"
    check.fail(wanted:format(where, check.show(row.strategy)), deeper)
  end
  local over = check.copied(self.overrides[name] or {}) -- an alias and the tool's own name may both be given
  for key, value in pairs(row) do
    over[key] = value
  end
  local all = limit.copy(self.rows[name] or self.rows["*"], over)
  limit.checked(where, limit.with_strategy(name, all), deeper + 1)
  self.overrides[name] = over
end

--- Set the ceiling: the session's over that of the profile.
local function set_ceiling(self, who, profile, ceiling, deeper)
  local limits = limit.copy(profile.ceiling, ceiling)
  for key, value in pairs(limits) do
    if key ~= "max_bytes" and key ~= "head_ratio" then
      check.fail(("%s: unknown key 'ceiling.%s' (value %s)"):format(who, check.name(key), check.show(value)), deeper)
    end
  end
  self.ceiling = limits.max_bytes and limit.checked(who .. ": ceiling", limits, deeper + 1)
  self.ceiling_is_own = not (ceiling and ceiling.max_bytes)
end

---@class (exact) abridge.LimitTableOptions
---@field limits? table<string, table> by tool, over those of the profile
---@field ceiling? table|false over that of the profile; false: none
---@field aliases? table<string, string> more of them
---@field window? integer tokens

--- The limits of a session. Raises at the caller's level, or `deeper` levels out.
---@param who string
---@param profile string its name
---@param opts abridge.LimitTableOptions
---@param deeper integer
---@return abridge.LimitTable
function M.new(who, profile, opts, deeper)
  local given = profiles.all[profile]
  if not given then check.fail(("%s: unknown profile %s"):format(who, check.show(profile)), deeper) end
  local aliases = limit.copy(given.aliases, opts.aliases)
  local self = setmetatable({ rows = {}, overrides = {}, aliases = aliases, window = opts.window }, LimitTable)
  for name, row in pairs(given) do
    if not NOT_TOOLS[name] then self.rows[name] = row end
  end
  for _, name in pairs(given.aliases or {}) do
    self.only = self.only or {}
    self.only[name] = true
  end
  for tool, row in pairs(opts.limits or {}) do
    override(self, who, tool, row, deeper + 1)
  end
  if opts.ceiling ~= false then set_ceiling(self, who, given, opts.ceiling, deeper + 1) end
  return self
end

--- The same with limits of a tool over its own. Raises if they are wrong.
---@param who string
---@param tool string
---@param row table<string, any>
---@return abridge.LimitTable
function LimitTable:with(who, tool, row)
  local other = setmetatable(check.copied(self), LimitTable)
  other.overrides = check.copied(self.overrides)
  override(other, who, tool, row, 1)
  return other
end

--- Let a ceiling of the profile's own through so many bytes; one that the caller gave stays.
---@param max_bytes integer
function LimitTable:raise_ceiling(max_bytes)
  if not self.ceiling or not self.ceiling_is_own then return end
  self.ceiling = limit.copy(self.ceiling, { max_bytes = math.max(self.ceiling.max_bytes, max_bytes) })
end

--- The limits of a tool: its row, or those it was registered with, or the row "*"; and over them the session's. Here
--- `output` becomes a byte budget.
---@param tool string the tool's own name
---@param own? abridge.Limits of the tool's registration
---@return abridge.Limits
function LimitTable:of(tool, own)
  local base = own or self.rows[tool] or limit.copy(self.rows["*"], self.overrides["*"])
  local limits = limit.copy(base, self.overrides[tool])
  limits.max_bytes = limits.max_bytes and core.parse_size(limits.max_bytes)
  local budget = limits.output and profiles.exec_budgets[limits.output]
  if budget and budget < (limits.max_bytes or math.huge) then limits.max_bytes = budget end
  return limit.with_strategy(tool, limits)
end

--- A ceiling as limits of a cut: both ends, hard, cut anywhere between chars.
---@param max_bytes integer
---@param head_ratio? number
---@return abridge.Limits
function M.ceiling(max_bytes, head_ratio)
  return {
    strategy = "head_tail",
    snap = "char",
    head_ratio = head_ratio or 0.5,
    max_bytes = max_bytes,
    marker_text = notice.ceiling_marker,
  }
end

--- The ceiling as limits of a cut.
---@param tool? string a tool's name
---@return abridge.Limits|nil
function LimitTable:ceiling_limits(tool)
  if not self.ceiling then return nil end
  local row = tool and self.ceiling_is_own and self.rows[self.aliases[tool] or tool] or {}
  return M.ceiling(math.max(self.ceiling.max_bytes, row.max_bytes or 0), self.ceiling.head_ratio)
end

--- The same with the ceiling in them, for a tool of this package, whose output the ceiling then need not cut again. A
--- pipeline knows no bytes, so its result is put under the ceiling.
---@param tool string
---@return abridge.Limits
function LimitTable:under_ceiling(tool)
  local limits = self:of(tool)
  local ceiling = self:ceiling_limits(tool)
  if not ceiling or limits.strategy == "pipeline" then return limits end
  if next(limits) == nil and tool == NO_PAGES then return ceiling end
  return limit.narrowed(limits, { max_bytes = ceiling.max_bytes })
end

--- Limits of a tool that is not of this package, with the ceiling if that binds.
---@param tool string
---@param limits abridge.Limits
---@return abridge.Limits
function LimitTable:with_ceiling(tool, limits)
  local ceiling = self:ceiling_limits(tool)
  if not ceiling or limits.strategy == "pipeline" then return limits end
  if not limit.has_budget(limits) then return limit.copy(limits, ceiling) end
  return limit.narrowed(limits, { max_bytes = ceiling.max_bytes })
end

--- The bytes of the ceiling if that bounds a tool of this package, else nil.
---@param tool string
---@return integer|nil
function LimitTable:ceiling_bound(tool)
  local own, limits = self:of(tool).max_bytes, self:under_ceiling(tool).max_bytes
  return limits ~= own and limits or nil
end

return M
