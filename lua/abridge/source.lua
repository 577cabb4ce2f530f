--- Where a tool's output comes from when it is cut: a stream that goes through redaction, under a call's limits.

local core = require "abridge.core"

local M = {}

---@class abridge.Source A stream whose chunks are redacted before anything is kept of them.
---@field private stream userdata
---@field private redaction? table
---@field private room integer bytes until a file may be needed
---@field closed? boolean
local Source = {}
Source.__index = Source
Source.__name = "abridge.Source"

local LINES_ONLY = 1024 * 1024 -- bytes that a stream keeps which is limited in lines alone

--- Bytes that are at hand whatever the budgets: until more have come nothing is written to disk.
local function at_hand(opts)
  return math.min(
    opts.max_bytes or LINES_ONLY,
    opts.max_chars or LINES_ONLY,
    opts.max_tokens or LINES_ONLY
  )
end

--- Open a stream.
---@param opts table as abridge.stream takes
---@param redactor? abridge.Redactor
---@param before_file? fun() called once, before the full output may be opened
---@return abridge.Source
function M.open(opts, redactor, before_file)
  local self = { stream = core.stream(opts), redaction = redactor and redactor:stream(), room = at_hand(opts) }
  self.before_file = opts.full_output and before_file or nil
  return setmetatable(self, Source)
end

local function prepare_file(self)
  local before_file = self.before_file
  self.before_file = nil
  if before_file then before_file() end
end

--- Is this value a source?
---@param value any
---@return boolean
function M.is_source(value)
  return type(value) == "table" and getmetatable(value) == Source
end

--- Add a chunk.
---@param chunk string
---@return true|nil ok
---@return string|nil message
---@return string|nil code
function Source:write(chunk)
  if self.redaction then chunk = self.redaction:feed(chunk) end
  self.room = self.room - #chunk
  if self.room < 0 and self.before_file then prepare_file(self) end
  return self.stream:write(chunk)
end

--- Put budgets in force under the stream's own, for this cut and those after it.
---@param budgets table<string, integer>
function Source:lower(budgets)
  self.lowered = budgets
end

--- What narrows a cut: what it was called with, and what the source was lowered to.
local function narrowed(self, narrower)
  if not self.lowered then return narrower end
  local all = {}
  for key, value in pairs(narrower or {}) do
    all[key] = value
  end
  for key, budget in pairs(self.lowered) do
    all[key] = math.min(all[key] or budget, budget)
  end
  return all
end

--- The cut of what has come so far. What redaction still holds back is not in it.
---@param narrower? table budgets under the stream's own, and `reserve`
---@return string content
---@return abridge.Cut cut
function Source:snapshot(narrower)
  return self.stream:snapshot(narrowed(self, narrower))
end

--- The cut of all that came; the full output is complete then. Snapshots may follow.
---@param narrower? table
---@return string content
---@return abridge.Cut cut
function Source:finish(narrower)
  narrower = narrowed(self, narrower)
  if self.finished then return self.stream:snapshot(narrower) end
  self.finished = true
  if self.redaction then
    self.stream:write(self.redaction:finish())
    self.redaction = nil
  end
  if self.before_file and select(2, self.stream:snapshot(narrower)).truncated then prepare_file(self) end
  return self.stream:finish(narrower)
end

--- Release the stream. Idempotent.
function Source:close()
  self.closed = true
  self.stream:close()
end

return M
