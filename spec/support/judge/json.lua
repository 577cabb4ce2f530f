--- Judges a cut of a JSON document, or of one record: it parses, shows the source in its order, and tells every gap.
local json_text = require "support.judge.json_text"

local M = {}

M.DEEPEST = 200
M.BLOB_CHARS, M.BLOB_SHOWN = 256, 32
local SMALLEST = { object = "{}", array = "[]", string = '""' }
local UNITS = { object = "members", array = "elements", string = "chars" }
local MARKER_COST = 50 -- at least what a marker in JSON takes

--- A document: its text, its tree, and its nodes by where they start.
function M.document(text)
  local root = json_text.parse(text)
  if not root then return nil end
  local doc = { text = text, root = root, at = {} }
  json_text.each(root, function(node)
    doc.at[node.from] = node
  end)
  return doc
end

--- A part of a document without the blanks between its tokens.
local function tight(text, from, to)
  local parts, at = {}, from
  while at <= to do
    local stop = at
    if text:sub(at, at) == '"' then
      repeat
        stop = text:find('["\\]', stop + 1)
        local escapes = text:sub(stop, stop) == "\\"
        if escapes then stop = stop + 1 end
      until not escapes
    end
    if not text:find("^[ \t\r\n]", at) then parts[#parts + 1] = text:sub(at, stop) end
    at = stop + 1
  end
  return table.concat(parts)
end

--- A document without its blanks, but for the newlines after the children of the outermost value.
function M.compact(doc, one_line)
  local text, root = doc.text, doc.root
  if not root.items or #root.items == 0 then return tight(text, root.from, root.to) end
  local blanks, at = one_line and "[ \t\r\n]" or "[ \t\r]", root.from
  local parts = { text:sub(at, at) }
  for i, item in ipairs(root.items) do
    local from = root.kind == "object" and root.keys[i].from or item.from
    if i > 1 then parts[#parts + 1] = text:sub(at + 1, from - 1):gsub(blanks, "") end
    parts[#parts + 1], at = tight(text, from, item.to), item.to
  end
  parts[#parts + 1] = text:sub(at + 1, root.to):gsub(blanks, "")
  return table.concat(parts)
end

--- What a piece of a view's content shows of a document that starts at byte `start` of the source.
function M.piece(view, doc, from, to, start)
  return {
    view = view,
    doc = doc,
    text = view.content:sub(from, to),
    origin = function(at)
      local origin = view.origin[from + at - 1]
      return origin and origin - start + 1
    end,
    marker = function(at)
      return view.marker_at[from + at - 1]
    end,
    lacks = {},
  }
end

--- Is a string base64 or a data URI, too long to be shown?
function M.is_blob(text, node)
  if node.kind ~= "string" or node.to - node.from - 1 <= M.BLOB_CHARS then return false end
  if node.blob == nil then
    local inside = text:sub(node.from + 1, node.to - 1)
    local plain = not inside:find "[^%w+/=_-]" and inside:find "%l" and inside:find "%u" and inside:find "%d"
    node.blob = (plain or inside:find "^data:[^,]*;base64,") and true or false
  end
  return node.blob
end

local function key_size(node)
  local key = node.parent and node.parent.kind == "object" and node.parent.keys[node.index]
  return key and key.to - key.from + 3 or 0
end

--- White space and comma in front of a value or its key.
local function lead(node)
  local parent = node.parent
  if not parent then return 0 end
  local before = node.index > 1 and parent.items[node.index - 1].to or parent.from
  local key = parent.kind == "object" and parent.keys[node.index]
  return (key and key.from or node.from) - before - 1
end

--- At most what a value takes with the brackets, keys and markers that it needs to stand.
function M.standing(node)
  local cost = node.to - node.from + 1 + key_size(node) + lead(node)
  while node.parent do
    node = node.parent
    cost = cost + 2 + key_size(node) + 2 * lead(node) + MARKER_COST
  end
  return cost
end

--- The largest standing cost of a value that is no object or array with something inside.
function M.largest(doc)
  if not doc.largest then
    local largest = 0
    json_text.each(doc.root, function(node)
      if not node.items or #node.items == 0 then largest = math.max(largest, M.standing(node)) end
    end)
    doc.largest = largest
  end
  return doc.largest
end

local function shown(text)
  return (("%q"):format(#text > 60 and text:sub(1, 57) .. "..." or text):gsub("\n", "n"))
end

--- The numbers of a marker that is a whole JSON string; nil with a fault.
local function numbers(piece, node, unit)
  local text = piece.text:sub(node.from + 1, node.to - 1)
  local form = unit == "members" and "^(%d+) of (%d+) omitted$" or "^%.%.%. (%d+) of (%d+) omitted %.%.%.$"
  local n, total = text:match(form)
  if not n then return piece.view:fault("marker", "%s does not tell of %s", shown(text), unit) end
  return tonumber(n), tonumber(total)
end

local function is_marker(piece, node)
  for at = node.from, node.to do
    if piece.origin(at) then return false end
  end
  return true
end

--- The key of a member's marker is dots, no key of the members shown, and no longer than it has to be.
local function check_marker_key(piece, node, source, seen)
  local key = node.parent.keys[node.index]
  local text = piece.text:sub(key.from + 1, key.to - 1)
  if not is_marker(piece, key) or not text:find "^%.%.%.+$" then
    return piece.view:fault("marker", "%s is no key of a marker", shown(text))
  end
  if seen[text] then piece.view:fault("marker", "the key %s of a marker is there already", shown(text)) end
  local dots, keys = 3, {}
  for _, range in ipairs(source.keys) do
    keys[json_text.decoded(piece.doc.text, range.from, range.to)] = true
  end
  while keys[("."):rep(dots)] do
    dots = dots + 1
  end
  if #text > math.max(dots, 3 + #source.keys) then
    piece.view:fault("marker", "the key %s of a marker has too many dots", shown(text))
  end
end

local function real_keys(piece, node)
  local seen = {}
  for i, key in ipairs(node.keys) do
    if not is_marker(piece, node.items[i]) then seen[(json_text.decoded(piece.text, key.from, key.to))] = true end
  end
  return seen
end

--- The gaps of a container: what the markers tell, where, and what is missing.
local function read_gaps(piece, node, source)
  local gaps, gap = {}, { after = 0, told = {} }
  local unit = UNITS[source.kind]
  local seen = source.kind == "object" and real_keys(piece, node)
  for _, item in ipairs(node.items) do
    if is_marker(piece, item) then
      local n, total = numbers(piece, item, unit)
      if n and total ~= #source.items then
        piece.view:fault("total", "a marker tells of %d %s, the source has %d", total, unit, #source.items)
      end
      if seen then
        check_marker_key(piece, item, source, seen)
        local key = node.keys[item.index]
        seen[piece.text:sub(key.from + 1, key.to - 1)] = true
      end
      gap.told[#gap.told + 1] = n or 0
    else
      local origin = piece.origin(item.from)
      local child = origin and piece.doc.at[origin]
      if not child or child.parent ~= source then
        piece.view:fault("shape", "%s is not of its parent", shown(piece.text:sub(item.from, item.to)))
        return nil
      end
      gap.n = child.index - gap.after - 1
      gaps[#gaps + 1] = gap
      gap = { after = child.index, told = {} }
    end
  end
  gap.n = #source.items - gap.after
  gaps[#gaps + 1] = gap
  return gaps
end

local function sum(list)
  local total = 0
  for _, n in ipairs(list) do
    total = total + n
  end
  return total
end

--- Elements: each gap has one marker with its number.
local function check_elements(piece, gaps, may_be_silent)
  for _, gap in ipairs(gaps) do
    if #gap.told > 1 then piece.view:fault("gap", "%d markers in one gap of an array", #gap.told) end
    if gap.n > 0 and #gap.told == 0 and not may_be_silent then
      piece.view:fault("gap", "%d elements after element %d are not told", gap.n, gap.after)
    elseif #gap.told > 0 and sum(gap.told) ~= gap.n then
      piece.view:fault("gap", "%d elements told after element %d, %d left out", sum(gap.told), gap.after, gap.n)
    end
  end
end

--- Members: one marker for all, or one a gap.
local function check_members(piece, gaps, lacking, may_be_silent)
  local told, markers, exact = 0, 0, true
  for _, gap in ipairs(gaps) do
    told, markers = told + sum(gap.told), markers + #gap.told
    exact = exact and #gap.told <= 1 and sum(gap.told) == gap.n
  end
  if markers == 0 and (lacking == 0 or may_be_silent) then return end
  if told ~= lacking then
    piece.view:fault("gap", "%d members told, %d left out", told, lacking)
  elseif markers > 1 and not exact then
    piece.view:fault("gap", "%d markers of an object, not one a gap", markers)
  end
end

--- Note what a value lacks, for `cut.items`: between `least` and `most` bytes.
local function note_lack(piece, source, total, kept, least, most)
  piece.lacks[#piece.lacks + 1] =
    { node = source, unit = UNITS[source.kind], total = total, kept = kept, least = least, most = most }
end

local function check_container(piece, node, source, may_be_silent)
  local gaps = read_gaps(piece, node, source)
  if not gaps then return end
  local lacking, least, most = 0, 0, 0
  for _, gap in ipairs(gaps) do
    lacking = lacking + gap.n
    for i = gap.after + 1, gap.after + gap.n do
      local item = source.items[i]
      local before = i > 1 and source.items[i - 1].to or source.from
      least, most = least + item.to - item.from + 1, most + item.to - before
    end
    if gap.n > 0 then
      local last = gap.after + gap.n
      local past = last < #source.items and 0 or source.to - source.items[last].to
      most = most + past + 2
    end
  end
  if source.kind == "array" then
    check_elements(piece, gaps, may_be_silent)
  else
    check_members(piece, gaps, lacking, may_be_silent)
  end
  if lacking > 0 then note_lack(piece, source, #source.items, #source.items - lacking, least, most) end
end

--- The stretches of a string's inside: `{ from=, to=, marker= }` in the content.
local function stretches(piece, node)
  local list, at = {}, node.from + 1
  while at < node.to do
    local marker, stretch = piece.marker(at), { from = at, marker = piece.marker(at) }
    while
      at < node.to
      and piece.marker(at) == marker
      and (marker or at == stretch.from or piece.origin(at) == piece.origin(at - 1) + 1)
    do
      at = at + 1
    end
    stretch.to = at - 1
    list[#list + 1] = stretch
  end
  return list
end

--- Does a marker tell of what a string lacks that is a document itself: its lines, rows, hunks, or its values?
local function is_inner(text)
  return text:find "^\\?n?%.%.%. %[%d+ %l[^%]]* omitted%] %.%.%." ~= nil
    or text:find '^,?\\".*%d+ of %d+ omitted' ~= nil
end

local function check_chars_told(piece, stretch, n, total)
  if not stretch then return piece.view:fault("gap", "%d chars left out of a string are not told", n) end
  local text = piece.text:sub(stretch.from, stretch.to)
  if not text:find("chars omitted", 1, true) and is_inner(text) then return end
  local told, of = text:match "^%.%.%. %[(%d+) of (%d+) chars omitted%] %.%.%.$"
  if not told then return piece.view:fault("marker", "%s does not tell of chars", shown(text)) end
  if tonumber(told) ~= n then piece.view:fault("gap", "%s chars told, %d left out", told, n) end
  if tonumber(of) ~= total then piece.view:fault("total", "a marker tells of %s chars of %d", of, total) end
end

--- A string that shows in part: it is cut between chars, and each gap is told.
local function check_string(piece, node, source, may_be_silent)
  if piece.view:is_whole(piece.start + node.from, piece.start + node.to) then return end
  local starts, number = json_text.char_starts(piece.doc.text, source.from, source.to), {}
  for i, at in ipairs(starts) do
    number[at] = i
  end
  local total, next_char, kept, marker = #starts - 1, 1, 0, nil
  local function reach(char)
    if char > next_char and not (may_be_silent and not marker) then
      check_chars_told(piece, marker, char - next_char, total)
    elseif marker and char == next_char then
      piece.view:fault("gap", "a marker in a string that lacks nothing there")
    end
    marker = nil
  end
  for _, stretch in ipairs(stretches(piece, node)) do
    if stretch.marker then
      if marker then piece.view:fault("gap", "two markers in one gap of a string") end
      marker = stretch
    else
      local first, past = number[piece.origin(stretch.from)], number[piece.origin(stretch.to) + 1]
      if not first or not past then
        return piece.view:fault(
          "char",
          "a string is cut inside a char or an escape: %s",
          shown(piece.text:sub(stretch.from, stretch.to))
        )
      end
      reach(first)
      next_char, kept = past, kept + past - first
    end
  end
  reach(total + 1)
  local bytes = 0
  for at = node.from + 1, node.to - 1 do
    if piece.origin(at) then bytes = bytes + 1 end
  end
  local omitted = source.to - source.from - 1 - bytes
  if kept < total then note_lack(piece, source, total, kept, omitted, omitted) end
  return kept
end

--- A string of little size is whole or left out, unless it is base64.
local function check_share(piece, source)
  local budget = piece.view.opts.max_bytes
  if not piece.view:is_bound_by_bytes() or piece.share == false or M.is_blob(piece.doc.text, source) then return end
  if M.standing(source) * 50 <= budget then
    piece.view:fault(
      "part",
      "a string of %d bytes shows in part, in a budget of %d",
      source.to - source.from + 1,
      budget
    )
  end
end

local function check_value(piece, node, source, may_be_silent)
  if node.kind ~= source.kind or piece.origin(node.to) ~= source.to then
    return piece.view:fault("shape", "%s is not what stands in the source", shown(piece.text:sub(node.from, node.to)))
  end
  if node.items then
    if node.depth > M.DEEPEST then piece.view:fault("depth", "%d deep", node.depth) end
    return check_container(piece, node, source, may_be_silent)
  end
  if node.kind ~= "string" then
    if not piece.view:is_whole(piece.start + node.from, piece.start + node.to) then
      piece.view:fault("scalar", "%s is in part", shown(piece.text:sub(node.from, node.to)))
    end
    return
  end
  local before = #piece.lacks
  check_string(piece, node, source, may_be_silent)
  if #piece.lacks == before then
    if M.is_blob(piece.doc.text, source) then
      piece.view:fault("blob", "base64 of %d bytes is whole", source.to - source.from)
    end
    return
  end
  local lack = piece.lacks[#piece.lacks]
  if M.is_blob(piece.doc.text, source) then
    lack.blob = true
    if lack.kept > M.BLOB_SHOWN then piece.view:fault("blob", "%d chars of base64", lack.kept) end
  end
  check_share(piece, source)
end

local function check_keys(piece, node, source)
  for i, key in ipairs(node.keys) do
    if not is_marker(piece, node.items[i]) then
      local child = piece.doc.at[piece.origin(node.items[i].from) or 0]
      local want = child and child.parent == source and source.keys[child.index]
      local whole = piece.view:is_whole(piece.start + key.from, piece.start + key.to)
      if want and not (whole and piece.origin(key.from) == want.from and piece.origin(key.to) == want.to) then
        piece.view:fault("key", "%s is not the key of its value", shown(piece.text:sub(key.from, key.to)))
      end
    end
  end
end

local function bare(piece, root)
  local text = piece.text:match "^%s*(.-)%s*$"
  if text ~= SMALLEST[root.kind] then return false end
  local budget = piece.view.opts.max_bytes or math.huge
  local n = root.items and #root.items or #json_text.char_starts(piece.doc.text, root.from, root.to) - 1
  local needs = root.kind == "array" and ('["... %d of %d omitted ..."]'):format(n, n)
    or root.kind == "object" and ('{"...":"%d of %d omitted"}'):format(n, n)
    or ('"... [%d of %d chars omitted] ..."'):format(n, n)
  return #needs + 3 > budget or piece.view.opts.max_chars or piece.view.opts.max_tokens or piece.view.opts.reserve
end

--- Judge a piece; its `lacks` are then what it leaves out. Returns its tree, or nil where it is no JSON.
function M.check(piece, from)
  piece.start = from - 1
  local root = json_text.parse(piece.text)
  if not root then return piece.view:fault("parse", "%s is no JSON", shown(piece.text)) end
  local origin, source = piece.origin(root.from), piece.doc.root
  if origin ~= source.from then return piece.view:fault("shape", "the root is not the source's") end
  local may_be_silent = piece.view.opts.marker == "none" or bare(piece, source)
  json_text.each(root, function(node)
    local at = piece.origin(node.from)
    local match = at and piece.doc.at[at]
    if match then
      check_value(piece, node, match, may_be_silent)
      if node.kind == "object" then check_keys(piece, node, match) end
    elseif not is_marker(piece, node) then
      piece.view:fault("shape", "%s is no value of the source", shown(piece.text:sub(node.from, node.to)))
    end
  end)
  return root
end

--- Do `cut.items` tell what is left out: each value that lacks something, the largest gaps first, 16 at most?
function M.check_items(view, doc, lacks)
  local items = view.cut.items or {}
  local free = {}
  for _, lack in ipairs(lacks) do
    lack.of, lack.unsure = json_text.pointer(doc.text, lack.node)
    free[lack] = true
  end
  local want = math.min(16, #lacks)
  if #items ~= want then view:fault("items", "%d items, %d values lack something", #items, #lacks) end
  local last
  for i, item in ipairs(items) do
    local found
    for _, lack in ipairs(lacks) do
      local named = lack.of == item.of or lack.unsure
      if
        free[lack]
        and named
        and lack.unit == item.unit
        and lack.total == item.total
        and lack.kept == item.kept
        and (not found or lack.most > found.most)
      then
        found = lack -- of several of one pointer, as keys may be there twice, the largest comes first
      end
    end
    if not found then
      view:fault(
        "items",
        "item %d, %s of %s, %s of %s, is not so",
        i,
        tostring(item.unit),
        tostring(item.of),
        tostring(item.kept),
        tostring(item.total)
      )
    else
      free[found] = nil
      if last and last.most < found.least then
        view:fault("items", "item %d lacks more than the one in front of it", i)
      end
      last = found
    end
  end
  for lack in pairs(free) do
    if last and #items == 16 and lack.least > last.most then
      view:fault("items", "%s lacks more than the last item", lack.of)
    end
  end
end

--- Blanks that show are newlines after children of the outermost value, or in markers.
local function check_blanks(view, doc)
  local at, strings = 1, {}
  json_text.each(doc.root, function(node)
    if node.kind == "string" then strings[#strings + 1] = node end
    for _, key in ipairs(node.keys or {}) do
      strings[#strings + 1] = key
    end
  end)
  local inside = {}
  for _, node in ipairs(strings) do
    for i = node.from, node.to do
      inside[i] = true
    end
  end
  while at <= #view.content do
    local origin = view.origin[at]
    if origin and not inside[origin] and view.content:find("^[ \t\r\n]", at) then
      local between = view.content:sub(at, at) == "\n" and origin > doc.root.from
      for i, item in ipairs(doc.root.items or {}) do
        local from = doc.root.kind == "object" and doc.root.keys[i].from or item.from
        between = between and not (origin >= from and origin <= item.to)
      end
      if not between then view:fault("blanks", "byte %d of the source is a blank that shows", origin) end
    end
    at = at + 1
  end
end

--- A document of which nothing but blanks is left out.
function M.judge_compact(view, doc)
  if view.content ~= M.compact(doc, view.opts.max_lines and not view.content:find "\n") then
    view:fault("compact", "it is not the document without its blanks")
  end
  check_blanks(view, doc)
end

--- Judge the cut of a whole document.
function M.judge(view, doc)
  local content, opts = view.content, view.opts
  local root = doc.root
  local smallest = SMALLEST[root.kind]
  if
    not opts.reserve
    and opts.max_bytes
    and not (opts.max_chars or opts.max_tokens or opts.max_lines)
    and opts.max_bytes >= #smallest
    and content == ""
  then
    view:fault("smallest", "nothing in a budget of %d", opts.max_bytes)
  end
  if content == "" then return end
  if content:sub(1, 3) == "\239\187\191" then view:fault("bom", "a cut starts with a BOM") end
  local piece = M.piece(view, doc, 1, #content, 1)
  if not M.check(piece, 1) then return end
  check_blanks(view, doc)
  M.check_items(view, doc, piece.lacks)
  if opts.marker == "none" and #(view.cut.markers or {}) > 0 then view:fault("marker", "there are markers") end
  local lacking
  for _, lack in ipairs(piece.lacks) do
    lacking = lacking or not lack.blob
  end
  local budget = opts.max_bytes
  if lacking and view:is_bound_by_bytes() and M.largest(doc) * 50 <= budget and #content < 0.9 * budget then
    view:fault("use", "%d of %d bytes used, the largest value takes %d", #content, budget, M.largest(doc))
  end
end

return M
