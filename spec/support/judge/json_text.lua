--- A strict and slow JSON parser (RFC 8259) that keeps where each value stands. It has a stack of its own, so that
--- depth is no matter.
local plain = require "support.plain"

local M = {}

local SPACES = { [" "] = true, ["\t"] = true, ["\n"] = true, ["\r"] = true }
local PLAIN = { ['"'] = true, ["\\"] = true, ["/"] = true, b = true, f = true, n = true, r = true, t = true }
local LITERALS = { "true", "false", "null" }

local function skip(text, at)
  while SPACES[text:sub(at, at)] do
    at = at + 1
  end
  return at
end

--- Past a string that opens at `at`; nil where there is none.
local function string_end(text, at)
  if text:sub(at, at) ~= '"' then return nil end
  at = at + 1
  while true do
    at = text:find('["\\\1-\31]', at)
    local char = at and text:sub(at, at)
    if char == '"' then return at + 1 end
    if char ~= "\\" then return nil end
    local escaped = text:sub(at + 1, at + 1)
    if PLAIN[escaped] then
      at = at + 2
    elseif escaped == "u" and text:find("^%x%x%x%x", at + 2) then
      at = at + 6
    else
      return nil
    end
  end
end

--- Past a number that starts at `at`; nil where there is none.
local function number_end(text, at)
  local _, last = text:find("^%-?[1-9]%d*", at)
  if not last then
    _, last = text:find("^%-?0", at)
  end
  if not last then return nil end
  if text:find("^%.", last + 1) then
    _, last = text:find("^%.%d+", last + 1)
    if not last then return nil end
  end
  if text:find("^[eE]", last + 1) then
    _, last = text:find("^[eE][+-]?%d+", last + 1)
    if not last then return nil end
  end
  return last + 1
end

local function scalar(text, at)
  local past = string_end(text, at)
  if past then return past, "string" end
  past = number_end(text, at)
  if past then return past, "number" end
  for _, word in ipairs(LITERALS) do
    if text:sub(at, at + #word - 1) == word then return at + #word, "literal" end
  end
end

--- Is it UTF-8 without NUL? What is not is no JSON.
local function is_text(text)
  if text:find("\0", 1, true) then return false end
  local at = 1
  while true do
    at = text:find("[\128-\255]", at)
    if not at then return true end
    local last
    for _, pattern in ipairs(plain.SEQUENCES) do
      last = last or select(2, text:find(pattern, at))
    end
    if not last then return false end
    at = last + 1
  end
end

--- Hang a value into the container on top; returns past it, or nil.
local function add(parent, node)
  if not parent then return end
  parent.items[#parent.items + 1] = node
  node.parent, node.index = parent, #parent.items
  if parent.kind == "object" then parent.keys[#parent.items] = parent.key end
end

--- Read a key and its colon; returns where the value starts, or nil.
local function read_key(text, at, parent)
  local past = string_end(text, at)
  if not past then return nil end
  parent.key = { from = at, to = past - 1 }
  at = skip(text, past)
  if text:sub(at, at) ~= ":" then return nil end
  return skip(text, at + 1)
end

local CLOSERS = { object = "}", array = "]" }

--- After a value: close what closes, pass a comma. Returns the place of the next member or element and the container
--- that it is in, or the end of the document and nil; nil, nil where it is no JSON.
local function after_value(text, at, top)
  while top do
    at = skip(text, at)
    local char = text:sub(at, at)
    if char == "," then return skip(text, at + 1), top end
    if char ~= CLOSERS[top.kind] then return nil end
    top.to, at, top = at, at + 1, top.parent
  end
  return at, nil
end

local function parse(text, at)
  local root, top = nil, nil
  while true do
    if top and top.kind == "object" then
      at = read_key(text, at, top)
      if not at then return nil end
    end
    local char = text:sub(at, at)
    local node = { from = at }
    if char == "{" or char == "[" then
      node.kind, node.items, node.keys = char == "{" and "object" or "array", {}, {}
    else
      node.to, node.kind = scalar(text, at)
      if not node.to then return nil end
      node.to = node.to - 1
    end
    add(top, node)
    node.depth = top and top.depth + 1 or 1
    root = root or node
    if node.items then
      at = skip(text, at + 1)
      if text:sub(at, at) ~= CLOSERS[node.kind] then
        top = node
      else
        node.to = at
      end
    end
    if node.to then
      at, top = after_value(text, node.to + 1, top)
      if not at then return nil end
      if not top then return root, at end
    end
  end
end

--- The tree of a document: `{ kind=, from=, to=, depth=, parent=, index=, items=, keys= }`, `keys[i]` with the range
--- of a member's key, quotes included; nil where it is no JSON. A BOM in front and blanks around are allowed.
function M.parse(text)
  if not is_text(text) then return nil end
  local start = skip(text, text:sub(1, 3) == "\239\187\191" and 4 or 1)
  local root, past = parse(text, start)
  if not root or skip(text, past) ~= #text + 1 then return nil end
  return root
end

--- Run `visit` on every node, parents first.
function M.each(root, visit)
  local stack = { root }
  while #stack > 0 do
    local node = table.remove(stack)
    visit(node)
    for i = #(node.items or {}), 1, -1 do
      stack[#stack + 1] = node.items[i]
    end
  end
end

local function code_of(text, at)
  return text:sub(at, at + 1) == "\\u" and tonumber(text:sub(at + 2, at + 5), 16) or nil
end

--- Where the chars of a string start, between its quotes: a code point, an escape, or two escapes of a surrogate
--- pair. One place more, past the last char.
function M.char_starts(text, from, to)
  local starts, at = {}, from + 1
  while at < to do
    starts[#starts + 1] = at
    local byte = text:byte(at)
    local code = code_of(text, at)
    if code then
      local low = code >= 0xD800 and code <= 0xDBFF and code_of(text, at + 6) or 0
      at = at + ((low >= 0xDC00 and low <= 0xDFFF) and 12 or 6)
    elseif byte == 92 then
      at = at + 2
    else
      at = at + (byte < 128 and 1 or byte < 224 and 2 or byte < 240 and 3 or 4)
    end
  end
  starts[#starts + 1] = to
  return starts
end

local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function utf8_of(code)
  if code < 0x80 then return string.char(code) end
  local tail = {}
  local limit = 0x40
  while code >= limit do
    table.insert(tail, 1, string.char(0x80 + code % 64))
    code = math.floor(code / 64)
    limit = (#tail == 1) and 0x20 or (#tail == 2) and 0x10 or 0x08
  end
  local lead = ({ 0xC0, 0xE0, 0xF0 })[#tail]
  return string.char(lead + code) .. table.concat(tail)
end

--- What a string says, and whether it has a surrogate without its other half (shown as U+FFFD).
function M.decoded(text, from, to)
  local starts, parts, lone = M.char_starts(text, from, to), {}, false
  for i = 1, #starts - 1 do
    local at, past = starts[i], starts[i + 1]
    local code = code_of(text, at)
    if code and past - at == 12 then
      parts[i] = utf8_of(0x10000 + (code - 0xD800) * 1024 + code_of(text, at + 6) - 0xDC00)
    elseif code and code >= 0xD800 and code <= 0xDFFF then
      parts[i], lone = "\239\191\189", true
    elseif code then
      parts[i] = utf8_of(code)
    elseif text:sub(at, at) == "\\" then
      local char = text:sub(at + 1, at + 1)
      parts[i] = ESCAPES[char] or char
    else
      parts[i] = text:sub(at, past - 1)
    end
  end
  return table.concat(parts), lone
end

--- The JSON pointer of a node, and whether a key on its way has a lone surrogate.
function M.pointer(text, node)
  local words, lone = {}, false
  while node.parent do
    local word
    if node.parent.kind == "object" then
      local key = node.parent.keys[node.index]
      local half
      word, half = M.decoded(text, key.from, key.to)
      lone = lone or half
      word = word:gsub("~", "~0"):gsub("/", "~1")
    else
      word = ("%d"):format(node.index - 1)
    end
    table.insert(words, 1, word)
    node = node.parent
  end
  return #words > 0 and "/" .. table.concat(words, "/") or "", lone
end

return M
