--- Random JSON, NDJSON and tables, from the seed of `random`. Each maker returns a text and what is known of it:
--- `kind`, for tables `delimiter` and `header_lines`, and `needles`, strings that a reader needs.
local random = require "support.random"

local M = {}

local WORDS =
  { "alpha", "be", "gamma delta", "x", "the quick brown fox", "na\195\175ve", "\230\151\165\230\156\172", "" }
local ODD = {
  "\\n",
  "\\u00e9",
  "\\ud83d\\ude00",
  "\\ud800",
  "\\udc00x",
  '\\"',
  "\\\\",
  "\\/",
  "\240\159\152\128",
  "\127",
  "\226\128\168",
  "\\t",
}
local NUMBERS = { "0", "-0", "1e400", "12", "-3.25E-7", "1234567890123456789012345678901234567890", "0.1", "100" }
local KEYS =
  { "id", "name", "state", "size", "when", "a/b", "m~n", "", "\\u0041", "...", "k\195\169y", "long key of some words" }
local BASE64 = { "A", "b", "Z", "q", "3", "7", "x", "R", "9", "m", "0" }

local function quoted(text)
  return '"' .. text .. '"'
end

local function base64(n)
  return random.join(BASE64, n) .. "=="
end

local function words(n)
  local parts = {}
  for i = 1, n do
    parts[i] = random.chance(5) and random.choose(ODD) or random.choose(WORDS)
  end
  return table.concat(parts, " ")
end

local function scalar()
  local draw = random.below(20)
  if draw < 6 then return random.choose(NUMBERS) end
  if draw < 9 then return random.choose { "true", "false", "null" } end
  if draw == 9 and random.chance(3) then return quoted(base64(random.between(200, 900))) end
  if draw == 10 and random.chance(3) then
    return quoted("data:image/png;base64," .. base64(random.between(250, 900)))
  end
  if draw == 11 then return quoted(words(random.between(20, 120))) end
  return quoted(words(random.below(5)))
end

--- How a document is laid out: what stands after a bracket, a comma, a colon.
local function layout()
  return random.choose {
    { colon = ":" },
    { colon = ": ", indent = "  " },
    { colon = ": ", indent = "\t" },
    { colon = ": ", comma = " " },
    { colon = " :\r\n", comma = " \t", pad = " " },
  }
end

local function break_line(form, depth)
  return form.indent and "\n" .. form.indent:rep(depth) or form.pad or ""
end

local function wrap(form, depth, open, items, close)
  if #items == 0 then return open .. (random.chance(8) and " " or "") .. close end
  local inner = break_line(form, depth + 1)
  return open
    .. inner
    .. table.concat(items, "," .. (form.indent and inner or form.comma or ""))
    .. break_line(form, depth)
    .. close
end

local value

local function object(form, depth, size)
  local members = {}
  for i = 1, random.below(8) do
    local key = random.choose(KEYS)
    if random.chance(2) and key ~= "..." then key = key .. i end
    members[i] = quoted(key) .. form.colon .. value(form, depth + 1, size / 4)
  end
  return wrap(form, depth, "{", members, "}")
end

--- An object that maps ids to things of one shape.
local function map(form, depth, size)
  local members = {}
  for i = 1, random.between(2, math.max(3, math.min(120, math.floor(size)))) do
    members[i] = quoted(("key-%d"):format(i * 17)) .. form.colon .. value(form, depth + 1, size / 40)
  end
  return wrap(form, depth, "{", members, "}")
end

local function array(form, depth, size)
  local elements = {}
  local same = random.chance(2)
  for i = 1, random.below(math.max(4, math.floor(size))) do
    elements[i] = same and scalar() or value(form, depth + 1, size / 8)
  end
  return wrap(form, depth, "[", elements, "]")
end

function value(form, depth, size)
  if size < 1 or depth > 30 then return scalar() end
  local draw = random.below(10)
  if draw < 4 then return object(form, depth, size) end
  if draw < 7 then return array(form, depth, size) end
  if draw == 7 then return map(form, depth, size) end
  return scalar()
end

--- One value below many brackets.
local function deep(form)
  local open, close = {}, {}
  for i = 1, random.choose { 5, 150, 199, 200, 201, 202, 260, 3000 } do
    local is_array = random.chance(2)
    local side = random.chance(3) and (is_array and "1," or '"s":[1,2],') or ""
    open[i] = is_array and "[" .. side or "{" .. side .. '"k"' .. form.colon
    table.insert(close, 1, is_array and "]" or "}")
  end
  return table.concat(open) .. quoted(words(4)) .. table.concat(close)
end

local FAILURES = {
  { '"status"', '"failed"', '"error"', '"disk %d is full"' },
  { '"state"', '"ERROR"', '"message"', '"connection %d refused by peer"' },
  { '"level"', '"fatal"', '"msg"', '"worker %d died: out of memory"' },
}

local function record(form, depth, i, failure)
  local members = {
    '"id"' .. form.colon .. ("%d"):format(1000 + i),
    '"name"' .. form.colon .. quoted(("item-%d"):format(i)),
    '"ms"' .. form.colon .. ("%d"):format(20 + i * 7 % 60),
  }
  local row = failure or { '"status"', '"ok"', '"error"', "null" }
  members[4] = row[1] .. form.colon .. row[2]
  members[5] = row[3] .. form.colon .. row[4]:format(i)
  return wrap(form, depth, "{", members, "}"), row[4]:format(i)
end

--- Which few of n records fail, at most one in twenty.
local function failing(n)
  local which = {}
  for _ = 1, random.between(1, math.max(1, math.min(4, math.floor(n / 20)))) do
    which[random.between(1, n)] = random.choose(FAILURES)
  end
  return which
end

--- An array of records of one shape, some of them failed, below a key or two.
function M.similar(most)
  local form, n, elements, needles = layout(), random.between(60, most or 500), {}, {}
  local which = failing(n)
  for i = 1, n do
    local text, message = record(form, 2, i, which[i])
    elements[i] = text
    if which[i] then needles[#needles + 1] = message end
  end
  local list = wrap(form, 1, "[", elements, "]")
  local count = ('"count"%s%d'):format(form.colon, n)
  return wrap(form, 0, "{", { count, '"items"' .. form.colon .. list }, "}"), { kind = "json", needles = needles }
end

--- Any JSON document: an object, an array or a string, blanks around it, at times a BOM.
function M.json(size)
  local form, draw = layout(), random.below(12)
  local text
  if draw == 0 then
    text = deep(form)
  elseif draw == 1 then
    text = quoted(random.chance(3) and base64(random.between(300, 3000)) or words(random.between(1, 300)))
  elseif draw == 2 then
    text = M.similar(120)
  elseif draw < 5 then
    text = array(form, 0, size)
  elseif draw == 5 then
    text = map(form, 0, size)
  else
    text = object(form, 0, size * 4)
  end
  if random.chance(6) then text = "\239\187\191" .. text end
  if random.chance(3) then text = text .. "\n" end
  return text, { kind = "json" }
end

--- NDJSON: records of one shape or of any, some of them in trouble, bad lines and blank ones between them.
function M.json_lines(most)
  local form = random.choose { { colon = ":" }, { colon = ": ", comma = " " } }
  local n, list, needles = random.between(30, most or 300), {}, {}
  local which = failing(n)
  local any = random.chance(4)
  for i = 1, n do
    local text, message = record(form, 0, i, which[i])
    if which[i] then needles[#needles + 1] = message end
    if any and not which[i] and random.chance(3) then text = '{"any":' .. value(form, 1, 6) .. "}" end
    list[#list + 1] = text:gsub("\r\n", " ")
    if random.chance(40) then list[#list + 1] = "" end
    if i > 20 and random.chance(150) then
      local bad = ("%s <- truncated by signal %d"):format('{"id":' .. i .. ',"na', i)
      list[#list + 1] = bad
      needles[#needles + 1] = bad
    end
  end
  return table.concat(list, random.chance(6) and "\r\n" or "\n") .. (random.chance(4) and "" or "\n"),
    { kind = "json_lines", needles = needles }
end

--- What `jq` prints of many elements: documents of several lines, some of them in trouble.
function M.json_documents(most)
  local form = random.choose { { colon = ": ", indent = "  " }, { colon = ": ", indent = "\t" } }
  local n, list, needles = random.between(30, most or 300), {}, {}
  local which = failing(n)
  for i = 1, n do
    local text, message = record(form, 0, i, which[i])
    if which[i] then needles[#needles + 1] = message end
    list[i] = random.chance(8) and not which[i] and '{"id":' .. i .. "}" or text
  end
  return table.concat(list, "\n") .. "\n", { kind = "json_lines", needles = needles }
end

local function field(text, delimiter)
  if text:find '["\n]' or text:find(delimiter, 1, true) or random.chance(12) then
    return quoted((text:gsub('"', '""')))
  end
  return text
end

--- CSV or TSV with a header; fields with quotes, delimiters and newlines in them, some rows in trouble.
function M.delimited(most)
  local delimiter = random.choose { ",", ";", "\t", "|" }
  local n, list, needles = random.between(30, most or 300), {}, {}
  local newlines = random.chance(2)
  local which = failing(n)
  list[1] = table.concat({ "id", "name", "amount", "status", "note" }, delimiter)
  for i = 1, n do
    local note = random.choose {
      "fine",
      "",
      'as "agreed"',
      "one" .. delimiter .. " two",
      newlines and "first\nsecond\n" or "plain",
    }
    local row = { ("%d"):format(1000 + i), ("name %d"):format(i), ("%d.%02d"):format(i * 3, i % 100), "shipped", note }
    if which[i] then
      row[4], row[5] = "FAILED", ("payment %d refused"):format(i)
      needles[#needles + 1] = row[5]
    end
    for at = 1, #row do
      row[at] = field(row[at], delimiter)
    end
    list[#list + 1] = table.concat(row, delimiter)
  end
  return table.concat(list, random.chance(5) and "\r\n" or "\n") .. (random.chance(4) and "" or "\n"),
    { kind = "table", delimiter = delimiter, header_lines = 1, needles = needles }
end

--- Columns aligned under a header, as `kubectl get` and `ps` print them.
function M.aligned(most)
  local n, needles = random.between(30, most or 300), {}
  local which = failing(n)
  local form = "%-36s %-8s %-18s %-10s %s"
  local list = { form:format("NAME", "READY", "STATUS", "RESTARTS", "AGE") }
  for i = 1, n do
    local status, restarts = "Running", "0"
    if which[i] then
      status, restarts = random.choose { "CrashLoopBackOff", "ImagePullBackOff", "Error" }, tostring(i)
    end
    local name = ("worker-%d-%s"):format(i, random.join({ "a", "b", "7", "x" }, 5))
    if which[i] then needles[#needles + 1] = name end
    list[#list + 1] =
      form:format(name, which[i] and "0/1" or "1/1", status, restarts, ("%dd"):format(random.between(1, 90)))
  end
  return table.concat(list, "\n") .. "\n", { kind = "table", header_lines = 1, needles = needles }
end

-- How database clients draw: what stands left of a row, between its cells and right of it; rulings above, below the
-- names and at the end; whether rows are counted.
local DRAWINGS = {
  { " ", " | ", "", nil, { "-", "-+-", "" }, nil, true }, -- psql
  { "| ", " | ", " |", { "+-", "-+-", "-+" }, { "+-", "-+-", "-+" }, { "+-", "-+-", "-+" }, true }, -- mysql
  { "| ", " | ", " |", nil, { "|-", "-|-", "-|" } }, -- Markdown
  {
    "│ ",
    " │ ",
    " │",
    { "┌─", "─┬─", "─┐" },
    { "├─", "─┼─", "─┤" },
    { "└─", "─┴─", "─┘" },
  }, -- sqlite3
}

--- A table as `psql`, `mysql`, `sqlite3 -box` and Markdown draw it; some rows in trouble, some cells empty.
function M.drawn(most)
  local n, needles = random.between(30, most or 300), {}
  local which = failing(n)
  local form = random.choose(DRAWINGS)
  local widths = { 6, 16, 8, 30 }
  local function ruling(ends)
    if not ends then return nil end
    local dash, parts = ends[1]:find "─" and "─" or "-", {}
    for i, width in ipairs(widths) do
      parts[i] = dash:rep(width)
    end
    return ends[1] .. table.concat(parts, ends[2]) .. (ends[3] == "" and "-" or ends[3])
  end
  local function row(...)
    local cells = { ... }
    for i, width in ipairs(widths) do
      cells[i] = (i == 1 and "%" .. width .. "s" or "%-" .. width .. "s"):format(cells[i])
    end
    return form[1] .. table.concat(cells, form[2]) .. form[3]
  end
  local list = { ruling(form[4]) }
  list[#list + 1] = row("id", "name", "state", "note")
  list[#list + 1] = ruling(form[5])
  local header = #list
  for i = 1, n do
    local name = ("job-%s"):format(random.join({ "a", "b", "7", "x" }, 8))
    if which[i] then needles[#needles + 1] = name end
    local note = which[i] and "connection refused" or random.choose { "wrote rows", "", "a + b" }
    list[#list + 1] = row(tostring(i), name, which[i] and "failed" or "done", note)
  end
  list[#list + 1] = ruling(form[6])
  if form[7] then list[#list + 1] = ("(%d rows)"):format(n) end
  return table.concat(list, "\n") .. (random.chance(4) and "\n\n" or "\n"),
    { kind = "table", drawn = true, header_lines = header, needles = needles }
end

--- A hunk of so many lines, and the header of its file.
local function small_diff(files)
  local list = {}
  for f = 1, files do
    local name = ("src/%s%d.lua"):format(random.choose { "cart", "till", "read me" }, f)
    list[#list + 1] = ("diff --git a/%s b/%s\nindex 1234567..89abcde 100644\n--- a/%s\n+++ b/%s"):format(
      name,
      name,
      name,
      name
    )
    local n = random.between(12, 40)
    list[#list + 1] = ("@@ -1,%d +1,%d @@"):format(n + 1, n + 1)
    for i = 1, n do
      list[#list + 1] = (" local total_%d = count(%d)"):format(i, i * f)
    end
    list[#list + 1] = "-return nil\n+return total"
  end
  return table.concat(list, "\n") .. "\n"
end

--- What a build prints, and how it fails.
local function small_log(lines)
  local list = {}
  for i = 1, lines do
    list[#list + 1] = ("[%d/%d] Building C object src/part_%d.o"):format(i, lines, i)
  end
  list[#list + 1] = "src/cart.c:12:5: error: expected ';' before 'return'"
  list[#list + 1] = "make: *** [Makefile:4: src/cart.o] Error 1"
  return table.concat(list, "\n") .. "\n", list[#list - 1]
end

local MIXED = {
  json = function()
    local text = M.similar(80):gsub("^%s+", ""):gsub("%s+$", "")
    return text .. "\n"
  end,
  json_lines = function()
    local list = {}
    for i = 1, random.between(16, 60) do
      list[i] = ('{"id":%d,"name":"item %d","state":"%s"}'):format(i, i, random.choose { "ok", "ok", "failed" })
    end
    return table.concat(list, "\n") .. "\n"
  end,
  diff = function()
    return small_diff(random.between(2, 6))
  end,
  log = function()
    return small_log(random.between(12, 100)) -- a few lines among many records are records in trouble
  end,
  table = function()
    local list = { " id |   name   | state", "----+----------+--------" }
    local n = random.between(40, 90)
    for i = 1, n do
      list[#list + 1] = ("%3d | item %-3d | %s"):format(i, i, random.choose { "ok", "ok", "failed" })
    end
    return table.concat(list, "\n") .. ("\n(%d rows)\n"):format(n)
  end,
  text = function()
    local list = {}
    for i = 1, random.between(8, 60) do
      list[i] = random.choose { "local function part_%d(a, b)", "  return a + %d * b", "end", "-- counts %d things" }
      list[i] = list[i]:gsub("%%d", tostring(i))
    end
    return table.concat(list, "\n") .. "\n"
  end,
}

--- What several commands print, none of it too small to be a part: documents, records, diffs, source and the log of a
--- build that fails.
function M.mixed()
  local parts, texts, needles = {}, {}, {}
  local kinds = { random.choose { "json", "diff" }, "log" }
  for _ = 1, random.below(3) do
    kinds[#kinds + 1] = random.choose { "json", "json_lines", "diff", "text", "table" }
  end
  for i = #kinds, 2, -1 do
    local k = random.between(1, i)
    kinds[i], kinds[k] = kinds[k], kinds[i]
  end
  for i, kind in ipairs(kinds) do
    local text, needle = MIXED[kind]()
    local before = i > 1 and kinds[i - 1] or ""
    if kind:match "^%a+" ~= before:match "^%a+" then -- two diffs are one, two documents of a line are records
      parts[#parts + 1] = { kind = kind, text = text }
      texts[#texts + 1], needles[#needles + 1] = text, needle
    end
  end
  return table.concat(texts), { kind = "mixed", parts = parts, needles = needles }
end

return M
