-- What holds for every text and every budget, on random ones. ABRIDGE_SEED=n repeats a run; a failure prints it.
local abridge = require "abridge"
local plain = require "support.plain"
local random = require "support.random"

local below, chance, choose = random.below, random.chance, random.choose
local CASES = 9000

---One of the list, or nothing: the default.
local function maybe(list)
  return list[below(#list + 1) + 1]
end

local ALPHABETS = {
  { "a", "b", "\n" },
  { "a", "bc def ", "\n", "\n", "\r\n" },
  { "a", "\n", "\195\169", "\226\130\172", "\240\159\152\128" },
  { "\n", "\195\169", "\255", "\226\130", "\169", "\192\128", "\237\160\128", "x" },
  { "0", "\0", "\n", "\r", "\240\159\152\128", "\240\159" },
  { "word ", "long line of words ", "longer", "\n" },
  { "\n", "x" },
  { ("z"):rep(45), ("z"):rep(40) .. "\n", "error: x", "\n", "y\n", "\195\169" },
}
local VALID = { true, true, true, false, false, true, true, true } -- of the alphabets

local function random_text(which)
  which = which or below(#ALPHABETS) + 1
  local alphabet, parts = ALPHABETS[which], {}
  for i = 1, (chance(4) and below(6)) or below(which == 8 and 12 or 50) do
    parts[i] = choose(alphabet)
  end
  return table.concat(parts), VALID[which]
end

---None, odd, any up to the size, or near it from both sides.
local function random_budget(size)
  if chance(3) then return math.max(0, size - 80 + below(90)) end
  if chance(12) then return choose { 0, 1, 7, 2 ^ 53 } end
  return below(size + 2)
end

-- Counters that never fall as text grows.
local COUNTERS = {
  function(s)
    return math.ceil(#s / 4)
  end,
  function(s)
    return (select(2, s:gsub("%S+", "")))
  end,
}

---Options with at least one budget of a sensible size for the text.
local function random_opts(text, strategy)
  local opts = { strategy = strategy }
  repeat
    opts.max_bytes = chance(2) and random_budget(#text + 20) or nil
    opts.max_lines = chance(4) and random_budget(12) or nil
    opts.max_chars = chance(4) and random_budget(#text + 20) or nil
    opts.max_tokens = chance(4) and random_budget(#text / 3 - #text / 3 % 1 + 3) or nil
  until opts.max_bytes or opts.max_lines or opts.max_chars or opts.max_tokens
  if opts.max_tokens and chance(2) then
    opts.count_tokens = choose(COUNTERS)
  elseif chance(3) then
    opts.token_safety = choose { 0.5, 1, 2 }
  end
  opts.reserve = chance(4) and choose { "[cut]", "", "\n\n[n]", "\195\169" } or nil
  opts.utf8 = choose { "keep", "replace" }
  opts.long_line = maybe { "omit", "split" }
  if strategy == "head_tail" then
    opts.head_ratio = maybe { 0, 0.25, 0.3, 0.5, 0.75, 1 }
    opts.snap = choose { "line", "char" }
  end
  if strategy == "head_tail" or strategy == "priority" or strategy == "auto" then
    opts.marker = choose { "inside", "inside", "outside", "none" }
    opts.marker_text = maybe { "-", "<{lines}>", "<{bytes}>", "{chars}", "", "\195\169{lines}/{bytes}/{chars}", "\255" }
  end
  return opts
end

-- ---------------------------------------------------------------- the plain reading of the words of the contract

---Bytes of the char at i, and whether it is well-formed.
local function char_at(s, i)
  local a, b, c, d = s:byte(i, i + 3)
  local function tail(x)
    return x and x >= 0x80 and x <= 0xBF
  end
  if a < 0x80 then
    return 1, true
  elseif a < 0xE0 then
    if a >= 0xC0 and tail(b) and (a - 0xC0) * 64 + b - 0x80 >= 0x80 then return 2, true end
  elseif a < 0xF0 then
    if tail(b) and tail(c) then
      local code = ((a - 0xE0) * 64 + b - 0x80) * 64 + c - 0x80
      if code >= 0x800 and (code < 0xD800 or code > 0xDFFF) then return 3, true end
    end
  elseif a < 0xF8 and tail(b) and tail(c) and tail(d) then
    local code = (((a - 0xF0) * 64 + b - 0x80) * 64 + c - 0x80) * 64 + d - 0x80
    if code >= 0x10000 and code <= 0x10FFFF then return 4, true end
  end
  return 1, false
end

---Chars of s, the number of its invalid bytes, and the set of the offsets where a char starts (#s + 1 too).
local function chars_of(s)
  local chars, invalid, starts, i = 0, 0, {}, 1
  while i <= #s do
    local size, ok = char_at(s, i)
    chars, invalid, starts[i] = chars + 1, invalid + (ok and 0 or 1), true
    i = i + size
  end
  starts[#s + 1] = true
  return chars, invalid, starts
end

local function count_chars(s)
  if not s:find "[\128-\255]" then return #s end
  return (chars_of(s))
end

---s as shown: each invalid byte as U+FFFD where the options say so.
local function shown(s, opts)
  if opts.utf8 ~= "replace" or not s:find "[\128-\255]" then return s end
  local parts, i = {}, 1
  while i <= #s do
    local size, ok = char_at(s, i)
    parts[#parts + 1] = ok and s:sub(i, i + size - 1) or "\239\191\189"
    i = i + size
  end
  return table.concat(parts)
end

local function count_newlines(s)
  return (select(2, s:gsub("\n", "")))
end

local function count_lines(s)
  return count_newlines(s) + ((#s > 0 and s:sub(-1) ~= "\n") and 1 or 0)
end

---First byte of each line.
local function line_starts(s)
  local starts, at = {}, 1
  while at <= #s do
    starts[#starts + 1] = at
    at = (s:find("\n", at, true) or #s) + 1
  end
  return starts
end

---The first budget that `text` (as shown) is over when `reserve` is set aside, lines aside. `chars` where parts of
---the text stood apart in the source: loose bytes that come to stand together are still chars of their own.
local function over(text, opts, reserve, chars)
  reserve = reserve or ""
  if opts.max_bytes and #text > math.max(opts.max_bytes - #reserve, 0) then return "bytes" end
  if opts.max_chars and (chars or count_chars(text)) > math.max(opts.max_chars - count_chars(reserve), 0) then
    return "chars"
  end
  if opts.max_tokens then
    local too_long = #text > math.max(16 * opts.max_tokens - #reserve, 0)
    if too_long or plain.tokens(text .. reserve, opts) > opts.max_tokens then return "tokens" end
  end
end

-- ---------------------------------------------------------------- failures that can be repeated

---A function that raises with the case's data unless `fact` holds.
local function checker(text, opts, content, cut)
  return function(fact, what, ...)
    if not fact then
      local more = { ... }
      for i = 1, select("#", ...) do
        more[i] = random.shown(more[i])
      end
      error(
        ("%s [%s]\n  text %s\n  opts %s\n  content %s\n  cut %s"):format(
          what,
          table.concat(more, ", "),
          random.shown(text),
          random.shown(opts),
          random.shown(content),
          random.shown(cut)
        ),
        0
      )
    end
  end
end

-- ---------------------------------------------------------------- head and tail, written a second time

---The k lines at the end of `text` that `side` is about; the newline before or after them is not theirs.
local function whole_lines(text, starts, side, k)
  if k == 0 then
    return ""
  elseif side == "tail" then
    return text:sub(starts[#starts - k + 1])
  end
  local next_line = starts[k + 1]
  return next_line and text:sub(1, next_line - 2) or (text:gsub("\n$", ""))
end

---What rules 1, 2 and 9 give: content, and what the cut says of it.
local function reference(text, opts)
  local side, starts = opts.strategy, line_starts(text)
  local max_lines, reserve = opts.max_lines or math.huge, opts.reserve
  local all = shown(text, opts)
  if #starts <= max_lines then
    if not over(all, opts) then return all, { truncated = false, output_lines = #starts, output_bytes = #text } end
    local without = text:sub(1, -2)
    if text:sub(-1) == "\n" and not over(shown(without, opts), opts) then
      return shown(without, opts),
        { truncated = false, output_lines = #starts, output_bytes = #without, final_newline = true }
    end
  end
  local k = 0
  local function over_with(lines)
    return over(shown(whole_lines(text, starts, side, lines), opts), opts, reserve)
  end
  while k < #starts and k < max_lines and not over_with(k + 1) do
    k = k + 1
  end
  local by = k >= max_lines and "lines" or over_with(k + 1)
  local kept = whole_lines(text, starts, side, k)
  local want = {
    truncated = true,
    truncated_by = by,
    output_lines = k,
    output_bytes = #kept,
    last_line_partial = false,
    first_line_exceeds_limit = false,
  }
  local long_line = opts.long_line or (side == "head" and "omit" or "split")
  if k == 0 and by ~= "lines" and long_line == "omit" then
    want.first_line_exceeds_limit = side == "head"
  elseif k == 0 and by ~= "lines" then
    local _, _, is_start = chars_of(text)
    local from, to, step = 1, #text, 1
    if side == "tail" then
      from, to, step = #text, 1, -1
    end
    for i = from, to, step do
      local part = side == "head" and text:sub(1, i) or text:sub(i)
      if is_start[side == "head" and i + 1 or i] then
        if over(shown(part, opts), opts, reserve) then break end
        kept = part
      end
    end
    want.output_lines, want.output_bytes, want.last_line_partial = #kept > 0 and 1 or 0, #kept, #kept > 0
  end
  return shown(kept, opts), want
end

-- ---------------------------------------------------------------- what holds for every cut

---Checks totals and ledger; returns the ranges' texts.
local function check_ledger(check, text, opts, cut)
  local chars, _, is_start = chars_of(text)
  check(cut.strategy == opts.strategy, "strategy")
  check(cut.total_bytes == #text, "total_bytes")
  check(cut.total_lines == count_lines(text), "total_lines")
  check(cut.total_chars == (opts.max_chars and chars or nil), "total_chars", chars)
  for _, unit in ipairs { "max_lines", "max_bytes", "max_chars", "max_tokens" } do
    check(cut[unit] == opts[unit], unit)
  end
  local parts, kept, last = {}, 0, 0
  for i, range in ipairs(cut.kept) do
    check(range.first_byte > last and range.last_byte >= range.first_byte, "ranges ascend, none empty")
    check(range.last_byte <= #text, "ranges lie in the source")
    check(is_start[range.first_byte] and is_start[range.last_byte + 1], "no range ends inside a char")
    parts[i] = text:sub(range.first_byte, range.last_byte)
    local first_line = 1 + count_newlines(text:sub(1, range.first_byte - 1))
    local last_line = 1 + count_newlines(text:sub(1, range.last_byte - 1))
    check(range.first_line == first_line, "first_line", first_line)
    local empty_behind = parts[i]:sub(-1) == "\n" and range.last_byte < #text
    local right = range.last_line == last_line or (empty_behind and range.last_line == last_line + 1)
    check(right, "last_line", last_line)
    kept, last = kept + #parts[i], range.last_byte
  end
  check(cut.output_bytes == kept, "output_bytes", kept)
  check(cut.omitted_bytes == #text - kept, "omitted_bytes")
  check(cut.omitted_lines == cut.total_lines - cut.output_lines, "omitted_lines")
  check(cut.output_lines <= (opts.max_lines or math.huge), "max_lines bounds output_lines")
  check((cut.truncated_by ~= nil) == cut.truncated, "truncated_by tells of a cut, and only then")
  return parts
end

---Checks what a cut that is none must be.
local function check_untruncated(check, text, opts, content, cut)
  local all = shown(text, opts)
  check(cut.total_lines <= (opts.max_lines or math.huge), "too many lines are a cut")
  if cut.final_newline then
    check(text:sub(-1) == "\n" and content == all:sub(1, -2), "only the final newline is missing")
    check(over(all, opts), "a final newline that fits is kept")
    check(cut.omitted_bytes == 1 and cut.omitted_lines == 0, "a final newline is one byte and no line")
  else
    check(content == all, "all of it")
    check(cut.omitted_bytes == 0 and #cut.kept == (#text > 0 and 1 or 0), "one range, or none")
  end
  check(not over(content, opts), "within the budgets")
  if opts.utf8 == "keep" then check(#content <= #text, "never longer than the input") end
end

---Checks that the whole text was indeed over a budget.
local function check_truncated(check, text, opts, cut)
  local all = shown(text, opts)
  local fits = cut.total_lines <= (opts.max_lines or math.huge)
    and (not over(all, opts) or (text:sub(-1) == "\n" and not over(shown(text:sub(1, -2), opts), opts)))
  check(not fits, "a text that fits is not cut")
end

---Checks that what the budgets bound stays within them together with the reserve, or else is nothing.
local function check_budgets(check, counted, opts, kept)
  if opts.reserve and over(opts.reserve, opts) then
    check(kept == "", "nothing beside a reserve that is over the budget")
  else
    check(not over(counted .. (opts.reserve or ""), opts), "content and reserve within the budgets")
  end
end

-- ---------------------------------------------------------------- head_tail

local DEFAULT_MARKER = {
  line = "... [{lines} lines, {bytes} bytes omitted] ...",
  char = "\n\n... [{chars} characters truncated] ...\n\n",
  in_line = "... [{bytes} bytes omitted] ...", -- in place of that of lines, where no whole line is left out
}

local function print_marker(format, lines, bytes, chars)
  return (
    format:gsub("{(%a+)}", {
      lines = ("%d"):format(lines),
      bytes = ("%d"):format(bytes),
      chars = ("%d"):format(chars),
    })
  )
end

---What stands between the sides: the marker, with snap=line on a line of its own.
local function joint_of(marker, opts, head_lines, tail_lines)
  if opts.snap == "char" then
    return marker
  elseif marker == "" then
    return head_lines > 0 and tail_lines > 0 and "\n" or ""
  end
  return (head_lines > 0 and "\n" or "") .. marker .. (tail_lines > 0 and "\n" or "")
end

---The two sides of a cut: bytes of each and lines of each, and the newline that a head without marker may end in.
local function sides_of(text, opts, cut, no_marker)
  local head, tail = 0, 0
  for _, range in ipairs(cut.kept) do
    if range.first_byte == 1 then
      head = range.last_byte
    else
      tail = range.last_byte - range.first_byte + 1
    end
  end
  local head_lines, tail_lines = count_lines(text:sub(1, head)), count_lines(text:sub(#text - tail + 1))
  for _, range in ipairs(cut.kept) do
    if range.first_byte == 1 then head_lines = range.last_line end
  end
  local shared = head > 0 and tail > 0 and head_lines + tail_lines > cut.total_lines
  -- a first line that is empty may be chosen and leave no byte
  if head == 0 and cut.output_lines - tail_lines == 1 then head_lines = 1 end
  if
    no_marker
    and opts.snap == "line"
    and tail > 0
    and head > 0
    and text:sub(head, head) == "\n"
    and head_lines == count_newlines(text:sub(1, head))
  then
    head = head - 1 -- the newline that keeps the sides apart
  end
  return head, tail, head_lines, tail_lines, shared
end

---Checks content, budgets and rule 5 of a head_tail that cut.
local function check_head_tail(check, text, opts, content, cut)
  local snap, marker_mode = opts.snap, opts.marker or "inside"
  local ratio = opts.head_ratio or 0.3
  local format = marker_mode == "none" and "" or opts.marker_text or DEFAULT_MARKER[snap]
  local total_chars = count_chars(text)
  local widest = shown(print_marker(format, cut.total_lines, cut.total_bytes, total_chars), opts)
  if marker_mode == "inside" and (opts.max_lines == 0 or over(widest, opts, opts.reserve)) then
    format, widest = "", ""
  end
  local outside = marker_mode == "outside" and format ~= "" -- an empty one leaves the source's own newline
  local head, tail, head_lines, tail_lines, shared = sides_of(text, opts, cut, format == "")
  check(cut.output_lines == head_lines + tail_lines - (shared and 1 or 0), "output_lines", head_lines, tail_lines)

  -- the content is head, joint, tail
  local kept_chars = 0
  for _, range in ipairs(cut.kept) do
    kept_chars = kept_chars + count_chars(text:sub(range.first_byte, range.last_byte))
  end
  local in_line = format == DEFAULT_MARKER.line and cut.omitted_lines == 0
  local own = in_line and DEFAULT_MARKER.in_line or format
  local marker = print_marker(own, cut.omitted_lines, cut.omitted_bytes, total_chars - kept_chars)
  local first, last = text:sub(1, head), text:sub(#text - tail + 1)
  local joint = joint_of(marker, opts, head_lines, tail_lines)
  local want = shown(first, opts) .. shown(joint, opts) .. shown(last, opts)
  check(content == want, "content is head, marker, tail", want)

  -- budgets are hard
  local counted = outside and shown(first, opts) .. shown(last, opts) or content
  check_budgets(check, counted, opts, first .. last)

  -- and are used; where the sides touch, tokens may fall as one grows, and bisection ends early
  local exact = not (opts.max_tokens and (outside or (format == "" and snap == "char")))
  local function forbidden(h, t, h_lines, t_lines)
    -- a line that both sides cut is weighed in both: each side has its share of the lines
    if h_lines + t_lines > (opts.max_lines or math.huge) then return "lines" end
    local between = outside and "" or joint_of(widest, opts, h_lines, t_lines)
    local front, back = shown(text:sub(1, h), opts), shown(text:sub(#text - t + 1), opts)
    local chars = opts.max_chars and count_chars(front) + count_chars(between) + count_chars(back)
    return over(front .. between .. back, opts, opts.reserve, chars)
  end
  local function fits(...)
    return not forbidden(...)
  end
  local gap_first, gap_last = head + 1, #text - tail
  if exact and ratio > 0 and gap_first <= gap_last then
    local partial = head > 0 and head_lines > 0 and text:sub(gap_first, gap_first) ~= "\n"
    local h, h_lines
    if snap == "char" or (head_lines == 0 and text:sub(1, 1) ~= "\n") or partial then
      h = head + char_at(text, gap_first)
      h_lines = count_lines(text:sub(1, h))
    else -- the next line
      h = (text:find("\n", head_lines == 0 and 1 or gap_first + 1, true) or #text + 1) - 1
      h_lines = head_lines + 1
    end
    if h > head and h < gap_last then -- an empty first line is no gain
      check(not fits(h, tail, h_lines, tail_lines), "the head could take more", h)
    end
  end
  if exact and ratio < 1 and gap_first <= gap_last then
    local t = tail + 1
    local _, _, is_start = chars_of(text)
    local whole = snap == "line" and tail > 0 and text:sub(gap_last, gap_last) == "\n"
    if whole then
      local starts = line_starts(text)
      t = #text - starts[#starts - tail_lines] + 1
    else
      while not is_start[#text - t + 1] do
        t = t + 1
      end
    end
    if #text - t > head then -- all of it is over budget
      local t_lines = whole and tail_lines + 1 or count_lines(text:sub(#text - t + 1))
      check(not fits(head, t, head_lines, t_lines), "the tail could take more", t)
    end
  end
  return { head = head, tail = tail, head_lines = head_lines, tail_lines = tail_lines }, forbidden
end

-- ---------------------------------------------------------------- the budget that bound

---The one that the kept part fills most, of those the source exceeds; lines only where they are full at a line's end.
local function used_most(text, opts, cut, in_line)
  local kept = {}
  for i, range in ipairs(cut.kept) do
    kept[i] = shown(text:sub(range.first_byte, range.last_byte), opts)
  end
  local all, part = shown(text, opts), table.concat(kept)
  local function alone(unit)
    local key = "max_" .. unit
    return opts[key] and { [key] = opts[key], count_tokens = opts.count_tokens, token_safety = opts.token_safety }
  end
  local used = {
    lines = cut.output_lines,
    bytes = #part,
    chars = cut.output_chars,
    tokens = opts.max_tokens and plain.tokens(part, opts),
  }
  local best, most = nil, -1
  for _, unit in ipairs { "lines", "bytes", "chars", "tokens" } do
    local budget = opts["max_" .. unit]
    local counts
    if unit == "lines" then
      counts = budget and cut.total_lines > budget and cut.output_lines >= budget and not in_line
    else
      counts = budget and over(all, alone(unit)) ~= nil
    end
    if counts and unit == "tokens" then -- of a source that is over another budget, as much as that lets through counts
      local part_n = opts.max_bytes or opts.max_chars and opts.max_chars * 4 or 16 * opts.max_tokens
      local first = text
      if #text > part_n + 8 then first = text:sub(1, part_n + 8):gsub("[\194-\244][\128-\191]?[\128-\191]?$", "") end
      counts = #all > 16 * budget or over(shown(first, opts), alone(unit)) ~= nil
    end
    local share = counts and (budget == 0 and 1 or used[unit] / budget)
    if share and share > most then
      best, most = unit, share
    end
  end
  return best
end

---Checks that a head_tail names the budget that bound it. `forbidden` tells what forbids these sides.
local function check_bound(check, text, opts, cut, sides, forbidden)
  local head, tail = sides.head, sides.tail
  local head_inside = head > 0 and text:sub(head, head) ~= "\n" and text:sub(head + 1, head + 1) ~= "\n"
  if opts.snap == "line" then head_inside = head > 0 and text:sub(head + 1, head + 1) ~= "\n" end
  local tail_inside = tail > 0 and text:sub(-tail - 1, -tail - 1) ~= "\n"
  local by_tail = sides.tail_lines > 0 or (sides.head_lines == 0 and (opts.head_ratio or 0.3) < 1)
  local in_line = tail_inside
  if not by_tail then in_line = head_inside end
  local want
  if opts.snap == "char" or (head_inside and tail_inside) then
    want = used_most(text, opts, cut, in_line)
  else
    local starts, h, t = line_starts(text), head, tail
    local h_lines, t_lines = sides.head_lines, sides.tail_lines
    if by_tail then
      t_lines = t_lines + (tail_inside and 0 or 1)
      t = #text - starts[#starts - t_lines + 1] + 1
    else
      h_lines = h_lines + (head_inside and 0 or 1)
      h = #whole_lines(text, starts, "head", h_lines)
    end
    local left = text:sub(h + 1, #text - t)
    if h_lines + t_lines > #starts or left == "" or left == "\n" and h_lines + t_lines == #starts then
      local many = #starts > (opts.max_lines or math.huge)
      want = many and "lines" or over(shown(text, opts), opts, opts.reserve) -- nothing would be left out
    else
      want = forbidden(h, t, h_lines, t_lines)
    end
  end
  check(want == nil or cut.truncated_by == want, "truncated_by", want)
end

-- ---------------------------------------------------------------- the properties

describe("head and tail #few", function()
  it("are what a plain reading of the rules gives", function()
    random.each(CASES, function()
      local text = random_text()
      local opts = random_opts(text, choose { "head", "tail" })
      local content, cut = abridge.cut(text, opts)
      local check = checker(text, opts, content, cut)
      local want, want_cut = reference(text, opts)
      check(content == want, "content", want)
      for key, value in pairs(want_cut) do
        check(cut[key] == value, key, value)
      end
      check(cut.final_newline == want_cut.final_newline, "final_newline")
      local parts = check_ledger(check, text, opts, cut)
      check(shown(table.concat(parts), opts) == content, "the ranges are the content")
      if cut.truncated then
        check_truncated(check, text, opts, cut)
        check_budgets(check, content, opts, content)
      else
        check_untruncated(check, text, opts, content, cut)
      end
    end)
  end)

  it("never keep less of a text when a budget grows", function()
    random.each(CASES, function()
      local text = random_text()
      local opts = random_opts(text, choose { "head", "tail" })
      local content, cut = abridge.cut(text, opts)
      local check = checker(text, opts, content, cut)
      local key = choose { "max_lines", "max_bytes", "max_chars", "max_tokens" }
      if opts[key] and opts[key] < 2 ^ 53 then
        local before = opts[key]
        opts[key] = before + 1 + below(4)
        local larger = abridge.cut(text, opts)
        check(#larger >= #content, "content shrinks when " .. key .. " grows", before, larger)
      end
    end)
  end)

  it("leave their own result as it is", function()
    random.each(CASES / 5, function()
      local text = random_text()
      local opts = {
        strategy = choose { "head", "tail" },
        max_bytes = random_budget(#text),
        utf8 = choose { "keep", "replace" },
        long_line = choose { "omit", "split" },
      }
      local content, cut = abridge.cut(text, opts)
      local again, again_cut = abridge.cut(content, opts)
      local check = checker(text, opts, content, cut)
      check(again == content and not again_cut.truncated, "cut again", again)
    end)
  end)
end)

describe("head_tail #few", function()
  it("keeps its budgets and uses them", function()
    random.each(CASES, function()
      local text = random_text()
      local opts = random_opts(text, "head_tail")
      local content, cut = abridge.cut(text, opts)
      local check = checker(text, opts, content, cut)
      check_ledger(check, text, opts, cut)
      if cut.truncated then
        check_truncated(check, text, opts, cut)
        local sides, forbidden = check_head_tail(check, text, opts, content, cut)
        check_bound(check, text, opts, cut, sides, forbidden)
      else
        check_untruncated(check, text, opts, content, cut)
      end
    end)
  end)
end)

describe("priority #few", function()
  it("keeps its budgets, and what it keeps stands in the content in order", function()
    random.each(CASES, function()
      local text = random_text()
      local opts = random_opts(text, "priority")
      local content, cut = abridge.cut(text, opts)
      local check = checker(text, opts, content, cut)
      local parts = check_ledger(check, text, opts, cut)
      if not cut.truncated then return check_untruncated(check, text, opts, content, cut) end
      check_truncated(check, text, opts, cut)
      local kept, at = {}, 1
      for i, part in ipairs(parts) do
        kept[i] = shown(part, opts)
        local first, last = content:find(kept[i], at, true)
        check(first, "a range that the content lacks", kept[i])
        at = last + 1
      end
      local counted = opts.marker == "outside" and table.concat(kept) or content
      if counted ~= "" then check_budgets(check, counted, opts, table.concat(kept)) end
    end)
  end)
end)

-- Where a cut nearly fits, each byte of it counts: all budgets there, for texts of long lines beside short ones.
describe("a budget near the size of the text #few", function()
  local function within(strategy)
    random.each(CASES / 9, function()
      local text = random_text(8)
      local opts = { strategy = strategy, utf8 = choose { "keep", "replace" } }
      opts.marker_text = (strategy == "head_tail" or strategy == "priority") and maybe { "-" } or nil
      local size = #shown(text, opts)
      for budget = math.max(0, size - 40), size + 5 do
        for _, key in ipairs { "max_bytes", "max_chars" } do
          opts.max_bytes, opts.max_chars = nil, nil
          opts[key] = budget
          local content, cut = abridge.cut(text, opts)
          local check = checker(text, opts, content, cut)
          check(not over(content, opts), "over budget", budget)
          check(cut.truncated == (cut.output_bytes < #text - (cut.final_newline and 1 or 0)), "truncated")
          check(#content <= size, "longer than the input")
        end
      end
    end)
  end

  for _, strategy in ipairs { "head", "tail", "head_tail", "priority" } do
    it("holds for " .. strategy, function()
      within(strategy)
    end)
  end
end)

describe("a budget of 0 #few", function()
  local texts = {
    log = "build a\nerror: x failed\n" .. ("build c\n"):rep(50) .. "done\n",
    text = ("local x = 1\nfunction foo() return x end\n"):rep(30),
    json = '{"a": [1, 2, 3, "' .. ("x "):rep(900) .. '"],\n"b": "y"}\n',
    strings = '"' .. ("abc "):rep(400) .. '"',
    json_lines = ('{"id":1,"name":"a"}\n'):rep(60),
    table = "NAME   READY   STATUS\n" .. ("web-1  1/1     Running\n"):rep(50),
    diff = "diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n",
    binary = "\127ELF" .. ("\0\1\2"):rep(300),
    one_line = ("x"):rep(2000),
    empty_lines = ("\n"):rep(100),
    char = "a",
  }
  local parts = {}
  for _, name in ipairs { "log", "table", "json", "diff", "text" } do
    parts[#parts + 1] = texts[name]
  end
  texts.mixed = table.concat(parts)
  local budgets = { "max_lines", "max_bytes", "max_chars", "max_tokens" }

  --- Options with these budgets 0, one bit each, the others large or not set.
  local function with(strategy, zeros, large)
    local opts = { strategy = strategy }
    for i, name in ipairs(budgets) do
      opts[name] = math.floor(zeros / 2 ^ (i - 1)) % 2 == 1 and 0 or large or nil
    end
    return opts
  end

  local function shows_nothing(text, opts)
    local stream = abridge.stream(opts)
    stream:write(text)
    local streamed, told = stream:finish()
    stream:close()
    for content, cut in pairs {
      [abridge.cut(text, opts) .. "."] = select(2, abridge.cut(text, opts)),
      [streamed .. ","] = told,
    } do
      local check = checker(text, opts, content, cut)
      check(#content == 1, "something shows")
      check(cut.truncated and #cut.kept == 0 and cut.omitted_bytes == #text, "the ledger has something")
      check(#(cut.markers or {}) == 0, "a marker is told")
    end
  end

  it("cuts every text to nothing, by every strategy, alone and with others", function()
    for _, strategy in ipairs { "head", "tail", "head_tail", "priority", "auto" } do
      for zeros = 1, 15 do
        for _, text in pairs(texts) do
          for large = 0, 1 do
            local opts = with(strategy, zeros, large == 1 and 1e6 or nil)
            shows_nothing(text, opts)
            if strategy ~= "head" and strategy ~= "tail" then
              opts.marker = "none"
              shows_nothing(text, opts)
              opts.marker = "inside"
              opts.snap = strategy == "head_tail" and "char" or nil
              shows_nothing(text, opts)
            end
          end
        end
      end
    end
  end)
end)

describe("a cut #few", function()
  it("of valid UTF-8 is valid UTF-8, and with utf8=replace any cut is", function()
    random.each(CASES, function()
      local text, valid = random_text()
      local opts = random_opts(text, choose { "auto", "head", "tail", "head_tail", "priority" })
      if opts.marker_text == "\255" then opts.marker_text = "\195\169" end
      local content, cut = abridge.cut(text, opts)
      local _, invalid = chars_of(content)
      local check = checker(text, opts, content, cut)
      check(invalid == 0 or not (valid or opts.utf8 == "replace"), "invalid UTF-8", invalid)
    end)
  end)

  it("counts as the naive counts do", function()
    random.each(CASES / 3, function()
      local text = random_text()
      local check = checker(text)
      local chars, invalid = chars_of(text)
      local got, got_invalid = abridge.count_chars(text)
      check(got == chars and got_invalid == invalid, "count_chars", got, got_invalid)
      check(abridge.count_lines(text) == count_lines(text), "count_lines")
    end)
  end)
end)
