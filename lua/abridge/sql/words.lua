--- The statements allowed on a read-only database, by their words. The words refuse things that the engine's own means
--- leave open: other files, settings of the connection, effects outside the transaction.

local statement = require "abridge.sql.statement"

local M = {}

local function set_of(words)
  local set = {}
  for word in words:gmatch "%S+" do
    set[word] = true
  end
  return set
end

-- words that change rows ------------------------------------------------------------------

local WRITING = set_of "INSERT UPDATE DELETE REPLACE MERGE"
local LOCKING = set_of "FOR KEY" -- SELECT ... FOR UPDATE

--- Is this token a name, or the start of an operand?
local function is_operand(token)
  return token ~= nil and token:find "^[%a_'\128-\255]" ~= nil
end

--- The word that changes rows inside or after a WITH or an EXPLAIN, or nil. Some engines take these words as names too:
--- one that changes rows follows a bracket, or the words of the EXPLAIN.
local function changes_rows(found, explained)
  local tokens = found.tokens
  for i, token in ipairs(tokens) do
    local before = tokens[i - 1]
    local begins = before == "(" or before == ")" or (explained and not LOCKING[before])
    if WRITING[token] and begins and is_operand(tokens[i + 1]) then return token end
  end
end

-- SQLite -----------------------------------------------------------------------------------

local SQLITE_READING = set_of "SELECT WITH VALUES"

--- Pragmas that only report, with an argument that names their subject, or without.
local TELLING = set_of [[TABLE_INFO TABLE_XINFO TABLE_LIST INDEX_LIST INDEX_INFO INDEX_XINFO FOREIGN_KEY_LIST
  FOREIGN_KEY_CHECK INTEGRITY_CHECK QUICK_CHECK DATABASE_LIST COLLATION_LIST FUNCTION_LIST MODULE_LIST PRAGMA_LIST
  COMPILE_OPTIONS]]
local TELLING_ALONE = set_of [[APPLICATION_ID AUTO_VACUUM DATA_VERSION ENCODING FOREIGN_KEYS FREELIST_COUNT JOURNAL_MODE
  PAGE_COUNT PAGE_SIZE QUERY_ONLY SCHEMA_VERSION USER_VERSION]]

--- Functions of the engine, its shell and its extensions that reach outside the database or show addresses in memory.
local REACHING = set_of [[LOAD_EXTENSION ICU_LOAD_COLLATION FTS3_TOKENIZER READFILE WRITEFILE EDIT EVAL FSDIR LSMODE
  ZIPFILE SQLAR_COMPRESS BLOBFROMFILE BLOBTOFILE LOAD_FILE BYTECODE]]

--- Is this pragma more than a harmless report? It is unless known to be.
local function pragma_acts(found, at)
  local name, after = found.tokens[at + 1], at + 2
  if found.tokens[after] == "." then
    name, after = found.tokens[at + 3], at + 4
  end
  local argument = found.tokens[after]
  if not name then return false end -- the engine will say so
  return not (TELLING[name] or (TELLING_ALONE[name] and (argument == nil or argument == ";")))
end

--- A function or table, quoted or not, that is called with a bracket and reaches outside.
local function reaches(found)
  for i, token in ipairs(found.tokens) do
    local name = found.tokens[i + 1] == "(" and (found.quoted[i] or token)
    if name and REACHING[name] then return name end
  end
end

--- The forbidden part of a statement for SQLite, or nil.
---@param found abridge.SqlReading
---@return string|nil what
function M.sqlite(found)
  local word, at = statement.first_word(found)
  if word == "EXPLAIN" then -- not run, but some pragmas act while they are compiled
    at = at + (found.tokens[at + 1] == "QUERY" and 3 or 1)
    word = found.tokens[at]
  end
  if word == "PRAGMA" then return pragma_acts(found, at) and "PRAGMA " .. found.tokens[at + 1] or nil end
  if word and not SQLITE_READING[word] then return word end
  return changes_rows(found) or reaches(found)
end

-- servers ----------------------------------------------------------------------------------

local READING = set_of "SELECT WITH VALUES TABLE SHOW EXPLAIN DESCRIBE DESC"
local EXPLAINING = set_of "EXPLAIN DESCRIBE DESC"
local FILES = set_of "OUTFILE DUMPFILE"

--- The forbidden part of a statement for a server, or nil.
---@param found abridge.SqlReading
---@return string|nil what
function M.server(found)
  local word = statement.first_word(found)
  if not READING[word] then return word end
  for i, token in ipairs(found.tokens) do
    local after = found.tokens[i + 1]
    if token == "INTO" then return FILES[after] and "INTO " .. after or "INTO" end
    if token == "/" and after == "*" then return "/*!" end
  end
  return changes_rows(found, EXPLAINING[word])
end

--- The same for MySQL, where a SELECT can also set variables and read files on the server.
---@param found abridge.SqlReading
---@return string|nil what
function M.mysql(found)
  local what = M.server(found)
  if what then return what end
  for i, token in ipairs(found.tokens) do
    local before = found.tokens[i - 1]
    if token == "=" and before and before:find ":$" then return ":=" end
  end
  return reaches(found)
end

return M
