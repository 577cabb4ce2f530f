--- A conversation under a budget, as a fold: at every place before a reply, and at the end, what is too old makes room.
--- A step at an earlier place finds nothing to do in what a later one left, so that a host which gives back what it got
--- and one that rebuilds the raw history get the same bytes.

local share = require "abridge.output.share"
local shrink = require "abridge.history.shrink"
local stub = require "abridge.history.stub"
local tokens = require "abridge.history.tokens"

local M = {}

---@class abridge.history.Fold
---@field total integer tokens; what always stays is added by the caller
---@field private results integer how many there are
---@field private turn abridge.history.Result[] results after the last reply
---@field private kept abridge.history.Result[] those before it that stay, oldest first
---@field private unweighed abridge.history.Result[] older ones, not looked at yet
---@field private old abridge.history.Result[] older ones that may go, oldest first
---@field private frees integer tokens that they would free
---@field private latest table<string, abridge.history.Result> the last result of a call by its key that did not fail
local Fold = {}
Fold.__index = Fold

---@param opts table of `history.fit`
---@param weigher abridge.history.Weigher
---@return abridge.history.Fold
function M.new(opts, weigher)
  return setmetatable({
    opts = opts,
    weigher = weigher,
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
    local is_stub = stub.is_stub(result.content.text) -- of a fit under other options
    result.stub = not is_stub and shrink.stub(result, self.opts, self.weigher) or false
  end
  return result.stub and result.stub.tokens < result.content.tokens
end

local function to_stub(self, result)
  self.total = self.total - result.content.tokens + result.stub.tokens
  result.is_stub = true
end

--- Look at the results that became old since the last time.
local function weigh_old(self)
  if #self.unweighed == 0 then return end
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
  local latest = result.call and self.latest[result.call.key]
  return latest and latest.at > result.at
end

local function is_any()
  return true
end

--- Replace old results until the target is met: images and base64, then what was asked again, then the rest.
local function remove_old(self)
  local target = self.opts.target * self.opts.max_tokens
  if #self.old == 0 then return end
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

--- Replace the results that stay otherwise, the oldest first. What a step passed over stays as it is.
local function remove_kept(self)
  for i = math.max(self.first_kept, self.next_kept), #self.kept do
    if self.total <= self.opts.max_tokens then return end
    if may_shrink(self, self.kept[i]) then to_stub(self, self.kept[i]) end
    self.next_kept = i + 1
  end
end

--- Put a shorter text in a result's place.
local function to_cut(self, result, text, size)
  local content = result.content
  local saved = content.text_tokens - size
  self.total = self.total - saved
  result.cut, result.stub = text, nil
  result.content = {
    text = text,
    text_tokens = size,
    tokens = content.tokens - saved,
    media = content.media,
    media_bytes = content.media_bytes,
  }
end

--- The results of the last turn that may be cut.
local function long_ones(self)
  local long
  for _, result in ipairs(self.turn) do
    local content = result.content
    if content.text_tokens > stub.MOST and not result.excluded and not stub.is_stub(content.text) then
      long = long or {}
      long[#long + 1] = result
    end
  end
  return long
end

--- Cut the last turn's results to what is left, the largest to the same size.
local function cut_turn(self)
  local long, sizes, room = long_ones(self), {}, self.opts.max_tokens - self.total
  for i, result in ipairs(long or {}) do
    sizes[i] = result.content.text_tokens
    room = room + sizes[i]
  end
  local shares = long and share.fair(sizes, room)
  for i, result in ipairs(long or {}) do
    local most = math.max(shares[i], stub.MOST)
    if sizes[i] > most then
      local text = shrink.cut(result, most, self.opts)
      local size = self.weigher:text(text)
      if size < sizes[i] then to_cut(self, result, text, size) end
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

--- A fold that goes on from here, while this one stays as it is. What the fork does to a result is done to another in
--- its place.
---@return abridge.history.Fold
---@return table<abridge.history.Result, abridge.history.Result> forks by result
function Fold:fork()
  local fork, forks = setmetatable({}, Fold), {}
  for key, value in pairs(self) do
    fork[key] = value
  end
  local function forked(results, from)
    local list = {}
    for i = from, #results do
      list[#list + 1] = setmetatable({}, { __index = results[i] })
      forks[results[i]] = list[#list]
    end
    return list
  end
  fork.turn, fork.old, fork.unweighed = {}, forked(self.old, 1), forked(self.unweighed, 1)
  fork.kept, fork.first_kept = forked(self.kept, self.first_kept), 1
  fork.next_kept = math.max(self.next_kept - self.first_kept + 1, 1)
  fork.latest = setmetatable({}, { __index = self.latest })
  return fork, forks
end

--- The next message is a reply: the results so far are those of an earlier turn.
function Fold:begin_reply()
  local turn, kept, count = self.turn, self.kept, #self.kept
  for i = 1, #turn do
    count = count + 1
    kept[count], turn[i] = turn[i], nil
  end
  while count - self.first_kept >= self.opts.keep do
    self.unweighed[#self.unweighed + 1] = kept[self.first_kept]
    kept[self.first_kept] = false
    self.first_kept = self.first_kept + 1
  end
end

--- Add the next result.
---@param result abridge.history.Result
function Fold:add(result)
  local at, call = self.results + 1, result.call
  self.results, result.at = at, at
  self.total = self.total + result.content.tokens
  self.turn[#self.turn + 1] = result
  if call and not result.failed then self.latest[call.key] = result end
end

return M
