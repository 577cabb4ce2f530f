--- A cut as a judge sees it: which byte of the content is which byte of the source, and which belong to a marker.
local M = {}

local View = {}
View.__index = View

--- The view of a cut. `origin[i]` is the source's byte that byte i of the content is, false in a marker;
--- `marker_at[i]` the number of the marker that byte i is in.
function M.new(source, opts, content, cut)
  local view = setmetatable({
    source = source,
    opts = opts or {},
    content = content,
    cut = cut,
    origin = {},
    marker_at = {},
    faults = {},
  }, View)
  return view
end

--- Note a broken rule: its name, and what is wrong.
function View:fault(rule, format, ...)
  self.faults[#self.faults + 1] = rule .. ": " .. format:format(...)
end

local function is_ascending(ranges, last)
  local at = 0
  for _, range in ipairs(ranges) do
    if range.first_byte <= at or range.last_byte < range.first_byte then return false end
    at = range.last_byte
  end
  return at <= last
end

--- Fill the map from the content to the source; false, with a fault, where the ledger does not tell it.
function View:read_ledger()
  local cut, content = self.cut, self.content
  local markers, kept = cut.markers or {}, cut.kept
  if not kept then return self:fault("ledger", "cut.kept is missing") end
  if not is_ascending(markers, #content) then
    return self:fault("ledger", "markers are not ascending ranges of the content")
  end
  if not is_ascending(kept, #self.source) then
    return self:fault("ledger", "kept ranges are not ascending ranges of the source")
  end
  for i, marker in ipairs(markers) do
    for at = marker.first_byte, marker.last_byte do
      self.marker_at[at] = i
    end
  end
  local at = 1
  for i, range in ipairs(kept) do
    for byte = range.first_byte, range.last_byte do
      while self.marker_at[at] do
        self.origin[at], at = false, at + 1
      end
      if self.source:byte(byte) == content:byte(at) then
        self.origin[at], at = byte, at + 1
      elseif not (cut.compact and self.source:find("^[ \t\r\n]", byte)) then
        return self:fault("ledger", "byte %d of the content is not byte %d of the source, in range %d", at, byte, i)
      end
    end
  end
  while self.marker_at[at] do
    self.origin[at], at = false, at + 1
  end
  if at ~= #content + 1 then
    return self:fault("ledger", "the content has %d bytes, ranges and markers %d", #content, at - 1)
  end
  local shown = 0
  for i = 1, #content do
    if self.origin[i] then shown = shown + 1 end
  end
  if (cut.compact and cut.shown_bytes or cut.output_bytes) ~= shown then
    return self:fault("ledger", "%d bytes of the content are of the source, not what the ledger says", shown)
  end
  return true
end

--- Are these bytes of the content one stretch of the source?
function View:is_whole(from, to)
  local first = self.origin[from]
  if not first then return false end
  for at = from, to do
    if self.origin[at] ~= first + at - from then return false end
  end
  return true
end

--- Is `max_bytes` all that limits the cut?
function View:is_bound_by_bytes()
  local opts = self.opts
  return opts.max_bytes and not (opts.max_lines or opts.max_chars or opts.max_tokens or opts.reserve) or false
end

--- The lines of the content: `{ from=, to=, marker= }` without their newlines; `marker` is the number of the marker
--- that a line is, `broken` is true of a line that is in part a marker.
function View:lines()
  local lines, from = {}, 1
  while from <= #self.content do
    local to = (self.content:find("\n", from, true) or #self.content + 1) - 1
    local line = { from = from, to = to, text = self.content:sub(from, to) }
    for at = from, to do
      local marker = self.marker_at[at]
      if marker then
        line.marked = true
        line.marker = line.marker or marker
      else
        line.sourced = true
      end
    end
    if line.marked and line.sourced then
      line.broken, line.marker = true, nil
    end
    lines[#lines + 1], from = line, to + 2
  end
  return lines
end

return M
