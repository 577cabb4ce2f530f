--- Texts that have one thing of 1 to 64 MB in them: a number, a key, a line, an escape sequence and so on.
local random = require "support.random"

local M = {}

local DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
local COMMIT = "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b>\n\n    it\n\n" .. DIFF
local LOG_IN_JSON = '{"code":1,"out":"' .. ("12:00:01 INFO step done\\n"):rep(2500) .. "error: "
local LOG, TEXT = "12:00:01 INFO step done\n", "some text here\n"

--- What stands around the long thing, which is a run of `unit`; `lines` are of the same kind, and may stand in front.
local SHAPES = {
  { name = "number", before = "[1,", unit = "9", after = ",2]" },
  { name = "fraction", before = "[1,-0.", unit = "1", after = "e-5,2]" },
  { name = "exponent", before = "[1,7e", unit = "7", after = ",2]" },
  { name = "key", before = '{"a":1,"', unit = "k", after = '":2,"z":[3]}' },
  { name = "nested key", before = '[{"k":{"', unit = "e", after = '":1}},2]' },
  { name = "key of escapes", before = '{"a":[1,{"', unit = "\\u00e9", after = '":2}]}' },
  { name = "string", before = '{"a":["b","', unit = "s", after = '","c"]}' },
  { name = "string of escapes", before = '["', unit = "\\n", after = '",1]' },
  { name = "line of a log in a string", before = LOG_IN_JSON, unit = "w", after = '\\nerror: x\\n","b":1}' },
  { name = "escapes of a log in a string", before = LOG_IN_JSON, unit = "\\\\", after = '\\nerror: x\\n"}' },
  { name = "lines of a log in a string", before = LOG_IN_JSON, unit = "\\u00e9\\n", after = 'error: x\\n"}' },
  {
    name = "line of a log in an array",
    before = '["error: a"' .. (',"step done"'):rep(99) .. ',"',
    unit = "x",
    after = '"]',
  },
  { name = "data", before = '{"image":"', unit = "QUJD", after = '","b":1}' },
  { name = "blanks", before = '{"a":1,', unit = " ", after = '"b":[2]}' },
  { name = "newlines", before = "[1,", unit = "\n", after = '"x"]' },
  { name = "levels", before = "[1,", unit = "[", after = "" },
  { name = "elements", before = "[", unit = "1,", after = "2]" },
  { name = "objects", before = '{"a":[', unit = '{"id":1,"error":null},', after = "2]}" },
  { name = "record", lines = '{"id":1,"ok":true}\n', before = '{"id":2,"t":"', unit = "x", after = '"}\n{"id":3}' },
  { name = "record of levels", lines = '{"id":1}\n', before = '{"id":', unit = "[", after = '\n{"id":3}\n' },
  { name = "records", lines = '{"id":1}\n', before = "", unit = '{"id":2,"error":"no"}\n', after = '{"id":3' },
  { name = "field", lines = "a,b,c\n1,2,3\n", before = "4,", unit = "x", after = ",6\n7,8,9" },
  { name = "quoted field", lines = "a,b,c\n1,2,3\n", before = '4,"', unit = "x\n", after = '",6\n7,8,9\n' },
  { name = "quotes", lines = "a,b,c\n1,2,3\n", before = '4,"', unit = '""', after = '",6\n' },
  { name = "last field", lines = "a\tb\tc\n1\t2\t3\n", before = "4\t5\t", unit = "y", after = "" },
  {
    name = "cell",
    lines = "NAME   READY   AGE\nweb    1/1     5d\n",
    before = "db     ",
    unit = "z",
    after = "  9d\n",
  },
  { name = "hunk header", lines = DIFF, before = "@@ -9,1 +9,1 @@ ", unit = "f", after = "\n-c\n+d\n" },
  {
    name = "hunk",
    lines = DIFF,
    before = "@@ -9,0 +9,99999999 @@\n",
    unit = "+added\n",
    after = "diff --git a/y b/y\n",
  },
  {
    name = "line of a hunk",
    lines = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n",
    before = "+",
    unit = "w",
    after = "\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d",
  },
  {
    name = "path",
    lines = DIFF,
    before = "diff --git a/",
    unit = "p/",
    after = " b/q\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-c\n+d\n",
  },
  {
    name = "commit message",
    lines = COMMIT,
    before = "commit 1123456789abcdef0123456789abcdef01234567\n\n    ",
    unit = "m",
    after = "\n\ndiff --git a/y b/y\n",
  },
  {
    name = "lines of a message",
    lines = COMMIT,
    before = "commit 1123456789abcdef0123456789abcdef01234567\n\n",
    unit = "    more\n",
    after = "\ndiff --git a/y b/y\n",
  },
  { name = "line", lines = LOG, before = "error: ", unit = "word ", after = "failed\nmake: *** [x] Error 1\n" },
  { name = "line of bytes", lines = LOG, before = "", unit = "\255", after = "\nend" },
  { name = "line of half chars", lines = TEXT, before = "", unit = "\240\159\152", after = "\n" },
  { name = "line of chars", lines = TEXT, before = "", unit = "\240\159\152\128", after = "!" },
  { name = "blank lines", lines = TEXT, before = "", unit = "\n", after = "end\n" },
  { name = "blank line", lines = TEXT, before = "", unit = " ", after = "end\n" },
  { name = "lines of failures", lines = "ok 1\n", before = "", unit = "error: it failed\n", after = "3 failed\n" },
  { name = "progress", lines = LOG, before = "", unit = "10%\r", after = "\ndone\n" },
  { name = "link", lines = LOG, before = "\27]8;;", unit = "u", after = "\7link\27]8;;\7\n" },
  { name = "parameters", lines = LOG, before = "\27[", unit = "1;", after = "mred\27[0m\n" },
  { name = "device string", lines = LOG, before = "\27P", unit = "q", after = "\27\\\n" },
  { name = "colors", lines = LOG, before = "", unit = "\27[31m", after = "red\n" },
  { name = "moves", lines = LOG, before = "wide", unit = "\27[2A\27[9C", after = "x\n" },
  { name = "backspaces", lines = LOG, before = "x", unit = "y\b", after = "\n" },
}

local MB = 1024 * 1024

--- How many, each size as often as one twice as large.
function M.size(from, to)
  return math.floor(from * 2 ^ (random.below(10001) / 10000 * math.log(to / from) / math.log(2)))
end

--- A text, and the name of its shape.
function M.text()
  local shape = random.choose(SHAPES)
  local lead = shape.lines and shape.lines:rep(1 + random.below(3) * random.below(12000)) or ""
  local n = math.floor(M.size(MB, 64 * MB) / #shape.unit)
  return lead .. shape.before .. shape.unit:rep(n) .. shape.after, shape.name
end

return M
