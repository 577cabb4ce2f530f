--- Redaction by a function of whole lines.
---
--- A function is given the line and returns what stands in its place. It must not yield and should depend on nothing
--- but its argument. A longer line is cut after each 64 KiB at the first of 257 places where the cut does not matter:
--- where the piece and the next 256 bytes give, one by one, what they give together (tried with the 256 bytes in
--- front of the place first). A secret across the place would have made a difference. Where there is no such place
--- (the function adds to every line, a secret has more than 256 bytes), "[redacted]" stands for everything from the
--- last one in the 1,024 bytes in front, or from the start of the piece, to the next one. Not hidden is what is left
--- in another piece of a secret of more than 256 bytes, if the function does not know it by itself.
--- Cost: a protected call a line; for each piece of a longer line three, and three with 512 bytes.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local rules = require "abridge.redact.rules"

local find, gsub, sub = string.find, string.gsub, string.sub

local M = {}

local HIDDEN, PIECE, OVERLAP = rules.hidden, rules.piece, rules.overlap
local EDGE = 1024 -- bytes in front of a border in which the end of what may be shown is looked for
local WHOLE_TRIES = 16 -- trials of a cut with the whole piece, a border

local Function = {}
Function.__index = Function
Function.room = PIECE + 2 * OVERLAP - 1
Function.calls = true -- lines are handed to a function of the caller's

--- What the function makes of a line, or nil when it fails, as it does where it calls what would call it again.
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

function Function:lines(text)
  return "\n"
    .. gsub(sub(text, 2), "([^\n]*)\n", function(line)
      local shown = self:call(line) or HIDDEN
      if shown ~= line then return shown .. "\n" end
    end)
end

local FunctionLine = {}
FunctionLine.__index = FunctionLine

function Function:long_line()
  return setmetatable({
    kind = self,
    size = PIECE, -- bytes from the start of a piece to the first place where it may end
    hiding = false, -- nothing is shown until a place is found
  }, FunctionLine)
end

--- Does it not matter for what is shown that `left` and `right` are given one by one? What `left` gives, then.
function FunctionLine:apart(left, right)
  local together = self.kind:call(left .. right)
  local first = together and self.kind:call(left)
  local second = first and self.kind:call(right)
  return second and together == first .. second and first or nil
end

--- The first place of a row where a piece may end, as the first byte behind it; and what the piece gives (not while
--- hiding).
function FunctionLine:place(text, from, first, last, step)
  local tries = WHOLE_TRIES
  for at = first, last, step do
    local in_char = find(sub(text, at - 3, at), "[\192-\255][\128-\191]+$")
    if not in_char then
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

function FunctionLine:take(text, from, to, out)
  while to - from + 1 >= self.size + 2 * OVERLAP do
    local border = from + self.size
    local at, shown = self:place(text, from, border, border + OVERLAP, 1)
    if at then
      if not self.hiding then out[#out + 1] = shown end
      self.size, self.hiding = PIECE, false
    elseif self.hiding then
      self.size = math.min(2 * self.size, PIECE) -- a function that allows no cut at all is not asked at every byte
    else
      local _, before = self:place(text, from, border - 1, border - EDGE, -1)
      out[#out + 1] = before or ""
      out[#out + 1] = HIDDEN
      self.size, self.hiding = OVERLAP, true
    end
    from = at or border + OVERLAP
  end
  return from
end

function FunctionLine:close(text, from, to, out)
  if not self.hiding then out[#out + 1] = self.kind:call(sub(text, from, to)) or HIDDEN end
end

function FunctionLine.held()
  return 0
end

--- What redacts by a function; what goes wrong in it is told in `redactor.error`.
---@param fn fun(line: string): string
---@param redactor abridge.Redactor
---@return table kind
function M.new(fn, redactor)
  return setmetatable({ fn = fn, redactor = redactor }, Function)
end

return M
