--- Key paths of JSON: `/items/*/name`, where `*` is every element of an array, and every member of an object with more
--- than 32 members. What a cut shows of them is compared with a greedy pick of real members.
local json_text = require "support.judge.json_text"

local M = {}

M.MAP = 32 -- an object with more members is a map: its members count as one
M.SHARE = 0.75 -- of a budget, for shape
local MARKER = { object = '"...":"%d of %d omitted",', array = '"... %d of %d omitted ...",' }
local LONG = 64 -- chars that the pick shows of a long string

--- Give each node the path of its place.
local function set_paths(text, root)
  root.path = ""
  json_text.each(root, function(node)
    local is_map = node.kind == "array" or #(node.items or {}) > M.MAP
    for i, item in ipairs(node.items or {}) do
      local key = not is_map and node.keys[i]
      item.path = node.path .. "/" .. (key and json_text.decoded(text, key.from, key.to) or "*")
    end
  end)
end

--- The paths of a document: those of every member, as keys of a table, and their number.
function M.of(doc)
  if not doc.paths then
    set_paths(doc.text, doc.root)
    doc.paths, doc.path_count = {}, 0
    json_text.each(doc.root, function(node)
      if node.parent and node.parent.kind == "object" and not doc.paths[node.path] then
        doc.paths[node.path], doc.path_count = true, doc.path_count + 1
      end
    end)
  end
  return doc.paths, doc.path_count
end

--- How many of the paths a cut shows: of the members whose value is the source's.
function M.shown(doc, content, origin)
  M.of(doc)
  local root = json_text.parse(content)
  local seen, n = {}, 0
  if not root then return 0 end
  json_text.each(root, function(node)
    local at = origin(node.from)
    local source = at and doc.at[at]
    if source and source.parent and source.parent.kind == "object" and not seen[source.path] then
      seen[source.path], n = true, n + 1
    end
  end)
  return n
end

--- The bytes that a node adds when its parent stands: white space, comma, key, and the value in its smallest form.
local function cost_of(node)
  local parent, bytes = node.parent, 0
  if parent then
    local before = node.index > 1 and parent.items[node.index - 1].to + 1 or parent.from + 1
    bytes = node.from - before + (node.index > 1 and 0 or 1)
  end
  local size = node.to - node.from + 1
  if not node.items then return bytes + math.min(size, LONG) end
  if #node.items == 0 then return bytes + size end
  local gap = node.to - node.items[#node.items].to - 1
  return bytes + math.min(size, 2 + gap + #MARKER[node.kind]:format(#node.items, #node.items))
end

--- A heap of candidates by cost.
local function push(heap, entry)
  local i = #heap + 1
  heap[i] = entry
  while i > 1 do
    local up = math.floor(i / 2)
    if heap[up].cost <= heap[i].cost then break end
    heap[up], heap[i], i = heap[i], heap[up], up
  end
end

local function pop(heap)
  local top, last = heap[1], table.remove(heap)
  if #heap == 0 then return top end
  heap[1] = last
  local i = 1
  while true do
    local least = i
    for child = 2 * i, 2 * i + 1 do
      if heap[child] and heap[child].cost < heap[least].cost then least = child end
    end
    if least == i then return top end
    heap[least], heap[i], i = heap[i], heap[least], least
  end
end

--- Put the members that can be shown next below a shown node into the heap, through elements that are not shown yet.
local function offer(heap, seen, node, through)
  for _, item in ipairs(node.items or {}) do
    local cost = through + cost_of(item)
    if node.kind == "object" and not seen[item.path] then
      push(heap, { cost = cost, node = item })
    elseif item.items and #item.items > 0 and not item.shown then
      offer(heap, seen, item, cost)
    end
  end
end

--- The bytes of a node and of what stands above it, as far as it is not shown; marks all as shown.
local function show(node, seen)
  local cost, fresh = 0, {}
  while node and not node.shown do
    cost, node.shown = cost + cost_of(node), true
    fresh[#fresh + 1] = node
    node = node.parent
  end
  for _, one in ipairs(fresh) do
    if one.parent and one.parent.kind == "object" then seen[one.path] = true end
  end
  return cost, fresh
end

local function cost_now(node)
  local cost = 0
  while node and not node.shown do
    cost, node = cost + cost_of(node), node.parent
  end
  return cost
end

--- How many paths a greedy pick shows within three quarters of a budget: the cheapest member of a new path first.
function M.oracle(doc, budget)
  M.of(doc)
  json_text.each(doc.root, function(node)
    node.shown = nil
  end)
  local room, heap, seen, n = budget * M.SHARE, {}, {}, 0
  room = room - show(doc.root, seen)
  if room < 0 then return 0 end
  offer(heap, seen, doc.root, 0)
  while #heap > 0 do
    local best = pop(heap)
    if not seen[best.node.path] and not best.node.shown then
      local cost = cost_now(best.node)
      if cost <= room then
        local _, fresh = show(best.node, seen)
        room, n = room - cost, n + 1
        for _, one in ipairs(fresh) do
          offer(heap, seen, one, 0)
        end
      end
    end
  end
  return n
end

return M
