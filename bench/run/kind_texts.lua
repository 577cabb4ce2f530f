--- A text of each kind, of any size: what comes first, a block of some 100 KB that may come again and again, and what
--- comes last. The blocks are deterministic.
local M = {}

M.kinds = require("abridge.base.kinds").options

local function times(count, line)
  local lines = {}
  for i = 1, count do
    lines[i] = line(i)
  end
  return table.concat(lines)
end

local RECORD = '{"id":%d,"name":"worker-%d","status":"%s","took":%d.%d,"tags":["a","b%d"],'
  .. '"at":{"host":"h%d","ok":true}}'

local function record(i)
  local status = i % 300 == 7 and "failed" or "ok"
  return RECORD:format(i, i % 16, status, i * 31 % 900, i % 10, i % 7, i % 3)
end

local WORDS = { "the", "cart", "adds", "an", "item", "where", "its", "price", "is", "known", "and", "tells", "so" }

local function prose(i)
  local words = {}
  for w = 1, 6 + i % 7 do
    words[w] = WORDS[(i * 7 + w * 5) % #WORDS + 1]
  end
  return table.concat(words, " ")
end

local function source_line(i)
  local shapes = {
    "local function %s_%d(self, n)\n",
    "  if self.%s[%d] == nil then return nil end\n",
    "  -- %s, as of %d\n",
    "  self.count = self.count + %s.size * %d\n",
    "  return table.concat(self.%s, n, %d)\n",
    "end -- %s %d\n",
  }
  local shape = shapes[(i - 1) % #shapes + 1]
  return shape:format(shape:find("-- %s", 1, true) and prose(i) or WORDS[i % #WORDS + 1], i)
end

local function hunk(i)
  local at = i * 20
  return table.concat {
    ("@@ -%d,4 +%d,5 @@ function name_%d\n"):format(at, at, i),
    " local kept = {}\n",
    ("-  return list[%d]\n"):format(i),
    ("+  local item = list[%d]\n"):format(i),
    "+  return item\n",
    " end\n",
    "\n",
  }
end

local function file_of_diff(i)
  local path = ("src/%s/file_%d.lua"):format(WORDS[i % #WORDS + 1], i)
  local head = "diff --git a/%s b/%s\nindex %07x..%07x 100644\n--- a/%s\n+++ b/%s\n"
  return head:format(path, path, i * 7919, i * 104729 % 0xfffffff, path, path) .. times(5, hunk)
end

local MAKERS = {
  log = function()
    return "",
      times(1500, function(i)
        return ("[%6d] cc -O2 -Wall -c src/unit_%d.c -o build/unit_%d.o\n"):format(i, i % 1000, i % 1000)
          .. (i % 700 == 9 and ("src/unit_%d.c:3:1: error: expected ';'\n"):format(i) or "")
      end),
      "make: *** [all] Error 2\n"
  end,
  text = function()
    return "", times(2400, source_line), ""
  end,
  json = function()
    return '{"page":1,"items":[',
      times(1000, function(i)
        return record(i) .. ","
      end),
      record(0) .. '],"total":9}\n'
  end,
  json_lines = function()
    return "", times(1000, function(i)
      return record(i) .. "\n"
    end), ""
  end,
  table = function()
    return "id,name,status,note\n",
      times(2000, function(i)
        return ('%d,worker-%d,%s,"%s, ""as said"""\n'):format(i, i % 16, i % 300 == 7 and "FAILED" or "ok", prose(i))
      end),
      ""
  end,
  diff = function()
    return "", times(150, file_of_diff), ""
  end,
  binary = function()
    return "\127ELF\2\1\1\0", ("\0\1\2\200\255\0abc\0\16"):rep(9000), ""
  end,
}

local made = {}

--- The three parts of a text of a kind.
---@param kind string
---@return string first
---@return string block
---@return string last
function M.parts(kind)
  made[kind] = made[kind] or { MAKERS[kind]() }
  return made[kind][1], made[kind][2], made[kind][3]
end

--- A text of a kind, of at least one block and about `size` bytes.
---@param kind string
---@param size number
---@return string
function M.of(kind, size)
  local first, block, last = M.parts(kind)
  return first .. block:rep(math.max(1, math.floor(size / #block))) .. last
end

--- JSON of about `size` bytes in which `count` records of many failed, evenly spread.
---@param size number
---@param count integer
---@return string
function M.failures(size, count)
  local all, records = math.max(count, math.floor(size / #record(1000))), {}
  for i = 1, all do
    records[i] = record(i * 300)
  end
  for i = 1, count do
    local at = math.floor((i - 0.5) * all / count) + 1
    records[at] = records[at]:gsub('"ok"', '"failed"', 1)
  end
  return '{"items":[' .. table.concat(records, ",") .. "]}"
end

return M
