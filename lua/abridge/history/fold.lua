--- A conversation under a budget, as a fold: at every place before a reply, and at the end, what is too old makes room.
--- A step at an earlier place finds nothing to do in what a later one left, so that a host which gives back what it got
--- and one that rebuilds the raw history get the same bytes.

local share = require "abridge.output.share"
local stub = require "abridge.history.stub"
local tokens = require "abridge.history.tokens"

local M = {}

---@class (exact) abridge.history.Result A result on its way through the fold.
---@field message integer index of its message
---@field k integer its place among the results of that message
---@field at? integer its place among all results
---@field content abridge.history.Content as it is now
---@field removed abridge.history.Removed with its content as it came
---@field key? string of its call
---@field excluded boolean
---@field stub? { text: string, tokens: integer }|false
---@field is_stub? boolean
---@field cut? string what is left of its text

---@class abridge.history.Fold
---@field total integer tokens
---@field private turn abridge.history.Result[] results after the last reply
---@field private kept abridge.history.Result[] those before it that stay, oldest first
---@field private unweighed abridge.history.Result[] older ones, not looked at yet
---@field private old abridge.history.Result[] older ones that may go, oldest first
---@field private frees integer tokens that they would free
---@field private latest table<string, abridge.history.Result> the last result of a call by its key that did not fail
local Fold = {}
Fold.__index = Fold

---@class (exact) abridge.history.Work What becomes of one result.
---@field stub fun(result: abridge.history.Result): string|nil
---@field cut fun(result: abridge.history.Result, most: integer): string its text within so many tokens

---@param opts table of `history.fit`
---@param weigher abridge.history.Weigher
---@param work abridge.history.Work
---@return abridge.history.Fold
function M.new(opts, weigher, work)
  return setmetatable({
    opts = opts,
    weigher = weigher,
    work = work,
    total = 0,
    turn = {},
    kept = {},
    first_kept = 1,
    next_kept = 1,
    results = 0,
    unweighed = {},
    old = {},
    frees = 0,
    latest = {},
  }, Fold)
end

-- what may go ------------------------------------------------------------------------

--- May this result be replaced, and does that save anything?
local function may_shrink(self, result)
  if result.is_stub or result.excluded or result.content.tokens <= stub.MOST then return false end
  if result.stub == nil then
    local text = not stub.is_stub(result.content.text) and self.work.stub(result) or nil
    result.stub = text and { text = text, tokens = self.weigher:text(text) } or false
  end
  return result.stub and result.stub.tokens < result.content.tokens
end

local function to_stub(self, result)
  self.total = self.total - result.content.tokens + result.stub.tokens
  result.is_stub = true
end

--- Look at the results that became old since the last time.
local function weigh_old(self)
  for _, result in ipairs(self.unweighed) do
    if may_shrink(self, result) then
      self.old[#self.old + 1] = result
      self.frees = self.frees + result.content.tokens - result.stub.tokens
    end
  end
  self.unweighed = {}
end

local function is_blob(result)
  return tokens.is_blob(result.content)
end

local function is_superseded(result, self)
  local latest = result.key and self.latest[result.key]
  return latest and latest.at > result.at
end

local function is_any()
  return true
end

--- Replace old results until the target is met: images and base64, then what was asked again, then the rest.
local function remove_old(self)
  local target = self.opts.target * self.opts.max_tokens
  for _, goes in ipairs { is_blob, is_superseded, is_any } do
    for _, result in ipairs(self.old) do
      if self.total <= target then break end
      if not result.is_stub and goes(result, self) then
        self.frees = self.frees - result.content.tokens + result.stub.tokens
        to_stub(self, result)
      end
    end
  end
  local left = {}
  for _, result in ipairs(self.old) do
    if not result.is_stub then left[#left + 1] = result end
  end
  self.old = left
end

-- what goes where that is not enough -----------------------------------------------------

--- Replace the results that stay otherwise, the oldest first. What a step passed is small, and remains so.
local function remove_kept(self)
  for i = math.max(self.first_kept, self.next_kept), #self.kept do
    if self.total <= self.opts.max_tokens then return end
    if may_shrink(self, self.kept[i]) then to_stub(self, self.kept[i]) end
    self.next_kept = i + 1
  end
end

--- Cut the last turn's results to what is left, each to the same at most.
local function cut_turn(self)
  local long, sizes, room = {}, {}, self.opts.max_tokens - self.total
  for _, result in ipairs(self.turn) do
    local size = result.content.text_tokens
    if size > stub.MOST and not result.excluded and not stub.is_stub(result.content.text) then
      long[#long + 1], sizes[#sizes + 1], room = result, size, room + size
    end
  end
  local shares = share.fair(sizes, room)
  for i, result in ipairs(long) do
    local most = math.max(shares[i], stub.MOST)
    local text = sizes[i] > most and self.work.cut(result, most)
    local size = text and self.weigher:text(text)
    if text and size < sizes[i] then
      local content = result.content
      self.total = self.total - sizes[i] + size
      result.cut = text
      result.content = setmetatable({
        text = text,
        text_tokens = size,
        tokens = content.tokens - sizes[i] + size,
      }, { __index = content })
      result.stub = nil -- its lines and size are those of what it replaces
    end
  end
end

-- the fold -----------------------------------------------------------------------------

--- Make room, if there is too much.
function Fold:step()
  local opts = self.opts
  local max = opts.max_tokens
  if self.total <= opts.trigger * max then return end
  weigh_old(self)
  if self.total > max or self.frees >= opts.clear_at_least * max then remove_old(self) end
  if self.total <= max then return end
  remove_kept(self)
  if self.total > max then cut_turn(self) end
end

--- The next message is a reply: the results so far are those of an earlier turn.
function Fold:begin_reply()
  for _, result in ipairs(self.turn) do
    self.kept[#self.kept + 1] = result
  end
  self.turn = {}
  while #self.kept - self.first_kept >= self.opts.keep do
    self.unweighed[#self.unweighed + 1] = self.kept[self.first_kept]
    self.kept[self.first_kept] = false
    self.first_kept = self.first_kept + 1
  end
end

--- Add what always stays.
---@param count integer tokens
function Fold:add(count)
  self.total = self.total + count
end

--- Add the next result.
---@param result abridge.history.Result
function Fold:add_result(result)
  self.results = self.results + 1
  result.at, self.total = self.results, self.total + result.content.tokens
  self.turn[#self.turn + 1] = result
  if result.key and not result.removed.failed then self.latest[result.key] = result end
end

return M
