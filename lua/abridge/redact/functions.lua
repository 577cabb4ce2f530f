--- Redaction by a function of whole lines.
---
--- The function is given a line and returns what to show instead. It must not yield and should depend on its argument
--- alone. A longer line is split after each 64 KiB at the first of 257 places where the split makes no difference: the
--- function gives the same for the piece and the next 256 bytes apart as for both together (tried with the 256 bytes
--- before the place first). A secret across the place would have made a difference. If there is no such place (the
--- function adds to every line, or a secret has more than 256 bytes), "[redacted]" stands for everything from the last
--- one in the 1,024 bytes before, or from the start of the piece, to the next one. Not hidden is the part of a secret
--- of more than 256 bytes that ends up in another piece, if the function does not recognise it alone. Cost: a protected
--- call a line; for each piece of a longer line three, and three with 512 bytes.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local rules = require "abridge.redact.rules"

local find, gsub, sub = string.find, string.gsub, string.sub

local M = {}

local HIDDEN, PIECE, OVERLAP = rules.hidden, rules.piece, rules.overlap
local EDGE = 1024 -- bytes before a border searched for a place to stop showing
local WHOLE_TRIES = 16 -- splits tried with the whole piece, at one border

local Function = {}
Function.__index = Function
Function.room = PIECE + 2 * OVERLAP - 1
M.room = Function.room
Function.step, Function.step_back = 1, 1 -- bytes from a place where a long line may be split to the next
Function.calls = true -- lines go to a function of the caller's

--- The line as the function returns it, or nil when it fails, as it does when called from itself.
function Function:call(line)
  local ok, shown = false, "the redact function was called from itself"
  if not self.busy then
    self.busy = true
    ok, shown = core.pcall(self.fn, line)
    self.busy = false
  end
  if ok and type(shown) == "string" then return shown end
  if not self.redactor.error then
    local told, message = pcall(tostring, shown)
    if ok then message = ("the redact function returned %s in place of a string"):format(check.show(shown)) end
    self.redactor.error = (ok or told) and message or "the redact function raised"
  end
  return nil
end

--- Redact whole lines, a newline before the first and after each.
function Function:lines(text)
  return "\n"
    .. gsub(sub(text, 2), "([^\n]*)\n", function(line)
      local shown = self:call(line) or HIDDEN
      if shown ~= line then return shown .. "\n" end
    end)
end

local FunctionLine = {}
FunctionLine.__index = FunctionLine

--- Start a line over 64 KiB that `kind:call` redacts in pieces.
---@param kind table
---@return table
function M.long_line(kind)
  return setmetatable({
    kind = kind,
    size = PIECE, -- bytes from the start of a piece to the first place where it may end
    hiding = false, -- nothing is shown until a place is found
  }, FunctionLine)
end

Function.long_line = M.long_line

--- `left` redacted, if `left` and `right` apart give the same as both together; else nil.
function FunctionLine:apart(left, right)
  local together = self.kind:call(left .. right)
  local first = together and self.kind:call(left)
  local second = first and self.kind:call(right)
  return second and together == first .. second and first or nil
end

local function in_char(text, at)
  return find(sub(text, at - 3, at), "[\192-\255][\128-\191]+$")
end

--- The first of some places where a piece may end, as the first byte after it; and the piece redacted (not while
--- hiding).
function FunctionLine:place(text, from, first, last, step)
  local tries, furthest = WHOLE_TRIES, math.max(first, last)
  for try = first, last, step do
    local at = try
    while math.abs(step) > 1 and at < furthest and in_char(text, at) do
      at = at + 1 -- or chars might lie across every place
    end
    if not in_char(text, at) then
      local left, right = sub(text, math.max(from, at - OVERLAP), at - 1), sub(text, at, at + OVERLAP - 1)
      local shown = self:apart(left, right)
      if shown and not self.hiding then
        if tries == 0 then return nil end
        tries = tries - 1
        shown = self:apart(sub(text, from, at - 1), right)
      end
      if shown then return at, shown end
    end
  end
end

--- Take as much of a long line as can be redacted; text[from .. to] is its next part. Returns the start of the rest.
function FunctionLine:take(text, from, to, out)
  while to - from + 1 >= self.size + 2 * OVERLAP do
    local border = from + self.size
    local at, shown = self:place(text, from, border, border + OVERLAP, self.kind.step)
    if at then
      if not self.hiding then out[#out + 1] = shown end
      self.size, self.hiding = PIECE, false
    elseif self.hiding then
      self.size = math.min(2 * self.size, PIECE) -- a function that allows no cut at all is not asked at every byte
    else
      local _, before = self:place(text, from, border - 1, border - EDGE, -self.kind.step_back)
      out[#out + 1] = before or ""
      out[#out + 1] = HIDDEN
      self.size, self.hiding = OVERLAP, true
    end
    from = at or border + OVERLAP
  end
  return from
end

--- The end of the line.
function FunctionLine:close(text, from, to, out)
  if not self.hiding then out[#out + 1] = self.kind:call(sub(text, from, to)) or HIDDEN end
end

--- Bytes that are held back: none.
function FunctionLine.held()
  return 0
end

--- A redactor's kind that calls a function; `redactor.error` is its first failure.
---@param fn fun(line: string): string
---@param redactor abridge.Redactor
---@return table kind
function M.new(fn, redactor)
  return setmetatable({ fn = fn, redactor = redactor }, Function)
end

return M
