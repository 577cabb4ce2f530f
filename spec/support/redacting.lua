--- A secret for specs of redaction: what hides it, and where it still shows.

local merge = require "support.merge"
local opened = require "support.opened"
local paths = require "support.paths"

local M = {}

M.MARK = "[redacted]"

--- A function that hides a secret of one line wherever it stands, as a redactor of patterns does.
function M.hider(secret)
  return function(line)
    local from = 1
    while true do
      local first, last = line:find(secret, from, true)
      if not first then return line end
      line = line:sub(1, first - 1) .. M.MARK .. line:sub(last + 1)
      from = first + #M.MARK
    end
  end
end

local folders = 0

--- A session with a run folder of its own in `dir`, and the events that its host hears; opened.close closes it.
function M.session(dir, opts)
  folders = folders + 1
  local seen = {}
  local own = { cwd = dir.path, run_dir = dir:at("redacted" .. folders) }
  function own.on_event(event)
    seen[#seen + 1] = event
  end
  merge(own, opts)
  return assert(opened.session(own)), seen
end

--- Every run of `size` bytes of a secret; all of it unless told otherwise.
function M.parts_of(secret, size)
  size = size or #secret
  local parts = {}
  for at = 1, #secret - size + 1 do
    parts[#parts + 1] = secret:sub(at, at + size - 1)
  end
  return parts
end

local UNESCAPED = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function char_of(code)
  if code < 0x80 then return string.char(code) end
  if code < 0x800 then return string.char(0xC0 + math.floor(code / 64), 0x80 + code % 64) end
  return string.char(0xE0 + math.floor(code / 4096), 0x80 + math.floor(code / 64) % 64, 0x80 + code % 64)
end

local function unescaped(text)
  return (
    text:gsub("\\(.)(%x?%x?%x?%x?)", function(char, code)
      if char == "u" and #code == 4 then return char_of(tonumber(code, 16)) end
      return (UNESCAPED[char] or char) .. code
    end)
  )
end

local function leak_in(text, parts)
  for _ = 1, 3 do
    for _, part in ipairs(parts) do
      if text:find(part, 1, true) then return ("%q in %q"):format(part, text:sub(1, 400)) end
    end
    text = unescaped(text)
  end
end

--- The part that a value shows somewhere, unescaped up to twice, and the text it is in; nil when it shows none.
function M.leak(value, parts, visited)
  visited = visited or {}
  if type(value) == "string" then return leak_in(value, parts) end
  if type(value) ~= "table" or visited[value] then return nil end
  visited[value] = true
  for key, inner in next, value do
    local found = M.leak(key, parts, visited) or M.leak(inner, parts, visited)
    if found then return found end
  end
end

--- The same of all files in a session's run folder and of their names.
function M.leak_on_disk(session, parts)
  local path = session.run.dir
  local found = leak_in(paths.read(path .. "/events.jsonl") or "", parts)
  for _, name in ipairs(paths.names(path .. "/artifacts")) do
    found = found or leak_in(name, parts) or leak_in(paths.read(path .. "/artifacts/" .. name), parts)
  end
  return found
end

return M
