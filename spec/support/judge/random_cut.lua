--- Right cuts of JSON and of diffs at random, made from the contract: what the judge must let pass. They fill no
--- budget.
local json_text = require "support.judge.json_text"
local random = require "support.random"
local written = require "support.judge.written"

local M = {}

local DEEPEST = 200

local function put(state, from, to)
  if to >= from then state.pieces[#state.pieces + 1] = { from = from, to = to } end
end

local function mark(state, text)
  state.pieces[#state.pieces + 1] = { marker = text }
end

--- Where a value with its key starts, and with the comma and the blanks in front of it.
local function starts(node)
  local parent = node.parent
  local key = parent.kind == "object" and parent.keys[node.index]
  local before = node.index > 1 and parent.items[node.index - 1].to or parent.from
  return key and key.from or node.from, before + 1
end

local function note(state, node, unit, total, kept, bytes)
  local item = { unit = unit, of = json_text.pointer(state.text, node), total = total, kept = kept }
  state.items[#state.items + 1] = { item = item, bytes = bytes, n = #state.items }
end

local function cut_string(state, node)
  local chars = json_text.char_starts(state.text, node.from, node.to)
  local total = #chars - 1
  local blob = node.to - node.from - 1 > 256
  if total < 2 or not (blob or random.chance(3)) then return put(state, node.from, node.to) end
  local first = random.between(1, blob and math.min(16, total) or total)
  local last = blob and math.max(first, total - 15) or random.between(first, total)
  put(state, node.from, chars[first] - 1)
  mark(state, ("... [%d of %d chars omitted] ..."):format(last - first + 1, total))
  put(state, chars[last + 1], node.to)
  note(state, node, "chars", total, total - (last - first + 1), chars[last + 1] - chars[first])
end

local function marker_key(state, node)
  local keys, dots = {}, 3
  for _, key in ipairs(node.keys) do
    keys[json_text.decoded(state.text, key.from, key.to)] = true
  end
  return function()
    while keys[("."):rep(dots)] do
      dots = dots + 1
    end
    dots = dots + 1
    return ('"%s":'):format(("."):rep(dots - 1))
  end
end

--- Which children stay.
local function chosen(node)
  local keep, n, odds = {}, 0, random.choose { 1, 2, 2, 5 }
  for i = 1, #node.items do
    if node.depth < DEEPEST + (node.items[i].items and 0 or 1) and random.chance(odds) then
      keep[i], n = true, n + 1
    end
  end
  return keep, n
end

local emit

local function emit_container(state, node)
  local total = #node.items
  if total == 0 then return put(state, node.from, node.to) end
  local keep, kept = chosen(node)
  local is_object = node.kind == "object"
  local key = is_object and marker_key(state, node)
  local one_for_all, told, omitted = is_object and random.chance(2), false, 0
  put(state, node.from, node.from)
  local last, shown = 0, false
  local function gap(n, past)
    if n == 0 then return end
    for i = past - n, past - 1 do
      local _, from = starts(node.items[i])
      omitted = omitted + node.items[i].to - from + 1
    end
    if one_for_all and told then return end
    told = true
    local form = is_object and "%d of %d omitted" or "... %d of %d omitted ..."
    local words = form:format(one_for_all and total - kept or n, total)
    mark(state, (shown and "," or "") .. (key and key() or "") .. '"' .. words .. '"')
    shown = true
  end
  for i = 1, total do
    if keep[i] then
      gap(i - last - 1, i)
      local value, lead = starts(node.items[i])
      if shown then
        put(state, lead, value - 1)
      elseif i == 1 then
        put(state, lead, value - 1)
      end
      emit(state, node.items[i], value)
      last, shown = i, true
    end
  end
  gap(total - last, total + 1)
  put(state, last == total and node.items[total].to + 1 or node.to, node.to)
  if kept < total then note(state, node, is_object and "members" or "elements", total, kept, omitted) end
end

function emit(state, node, from)
  put(state, from, node.from - 1)
  if node.items then
    emit_container(state, node)
  elseif node.kind == "string" then
    cut_string(state, node)
  else
    put(state, node.from, node.to)
  end
end

--- A right cut of a JSON document: content, cut.
function M.json(text)
  local root = json_text.parse(text)
  local state = { text = text, pieces = {}, items = {} }
  emit(state, root, root.from)
  table.sort(state.items, function(a, b)
    return a.bytes > b.bytes or a.bytes == b.bytes and a.n < b.n
  end)
  local items = {}
  for i = 1, math.min(16, #state.items) do
    items[i] = state.items[i].item
  end
  return written.build(text, state.pieces, { kind = "json", items = items })
end

--- A right cut of a diff that `support.judge.diff` has taken apart: some hunks, the rest named and told.
function M.diff(source)
  local pieces, files, hunks, total, missing = {}, 0, 0, 0, { n = 0, plus = 0, minus = 0 }
  local function put_lines(first, last)
    pieces[#pieces + 1] = { from = source.lines[first].from, to = math.min(#source.text, source.lines[last].to + 1) }
  end
  local function tell()
    if missing.n > 0 then
      pieces[#pieces + 1] =
        { marker = ("... [%d hunks, +%d -%d omitted] ...\n"):format(missing.n, missing.plus, missing.minus) }
    end
    missing = { n = 0, plus = 0, minus = 0 }
  end
  local keep = {}
  for _, part in ipairs(source.parts) do
    if part.kind == "hunk" then keep[part] = random.chance(2) end
  end
  for _, part in ipairs(source.parts) do
    if part.kind == "text" then
      tell()
      local n = part.last - part.first + 1
      if random.chance(2) then
        put_lines(part.first, part.last)
      else
        pieces[#pieces + 1] = { marker = ("... [%d lines omitted] ...\n"):format(n) }
      end
    elseif part.kind == "header" then
      tell()
      local file, any = source.files[part.file], false
      for _, hunk in ipairs(file.hunks) do
        any = any or keep[hunk]
      end
      if any or (#file.hunks == 0 and random.chance(2)) then
        put_lines(part.first, part.last)
        files = files + 1
      else
        put_lines(part.first, part.first)
        if #file.hunks == 0 and part.first == part.last then files = files + 1 end
      end
    elseif keep[part] then
      tell()
      put_lines(part.first, part.last)
      hunks, total = hunks + 1, total + 1
    else
      missing.n, missing.plus, missing.minus = missing.n + 1, missing.plus + part.plus, missing.minus + part.minus
      total = total + 1
    end
  end
  tell()
  local items =
    { { unit = "files", total = #source.files, kept = files }, { unit = "hunks", total = total, kept = hunks } }
  return written.build(source.text, pieces, { kind = "diff", items = items })
end

return M
