--- The facts needed of an SQL statement before it is sent: how many statements it is, its words and its placeholders.
--- This isn't a parser: it tells strings, quoted names and comments from the rest, as each engine does.

local M = {}

---@class (exact) abridge.SqlDialect How an engine reads anything but plain words.
---@field hash? boolean `#` starts a comment
---@field dash_blank? boolean `--` starts a comment only before a blank
---@field nested? boolean comments nest
---@field live? boolean `/*!` is no comment: its contents are run
---@field brackets? boolean `[name]`
---@field dollars? boolean `$tag$ ... $tag$`
---@field triggers? boolean the body of CREATE TRIGGER has semicolons
---@field variables? boolean `$name::part(anything but blanks)` is one variable, with `@`, `#` and `:` too
---@field returns? boolean a carriage return ends a `--` comment
--- the quotes in which a backslash escapes, for each setting that a server may have; "E": in E'...' alone
---@field escapes? string[]

---@type table<string, abridge.SqlDialect>
M.dialects = {
  SQLite3 = { brackets = true, triggers = true, variables = true },
  PostgreSQL = { nested = true, dollars = true, returns = true, escapes = { "", "E", "'" } },
  MySQL = { hash = true, dash_blank = true, live = true, escapes = { "", "'", "'\"" } },
}

---@class (exact) abridge.SqlReading One way to read a statement.
--- words in upper case, `?` for a placeholder, other characters one by one, `''` for a quoted part; no semicolons in
--- front
---@field tokens string[]
---@field quoted table<integer, string> what the quotes hold, in upper case, by the place of the token
---@field start integer where the first token is
---@field count integer statements in it, empty ones not counted
---@field holes integer placeholders written `?`
---@field named boolean there are others too (`?1`, `:name`, `@name`, `$name`)

local function to_line_end(sql, at, dialect)
  return (sql:find(dialect.returns and "[\r\n]" or "\n", at) or #sql + 1) - 1
end

--- Last byte of a comment that starts at `at`; one that is not closed goes to the end.
local function comment_end(sql, at, nested)
  local depth, from = 1, at + 2
  while depth > 0 do
    local star = sql:find("*/", from, true)
    local slash = nested and sql:find("/*", from, true)
    if not star then return #sql end
    if slash and slash < star then
      depth, from = depth + 1, slash + 2
    else
      depth, from = depth - 1, star + 2
    end
  end
  return from - 1
end

--- Last byte of a quoted text that starts at `at`.
local function quoted_end(sql, at, close, escapes)
  local from = at + 1
  while true do
    local found = sql:find(escapes and "[\\" .. close .. "]" or close, from, not escapes)
    if not found then return #sql end
    if sql:sub(found, found) == "\\" or sql:sub(found + 1, found + 1) == close and close ~= "]" then
      from = found + 2
    else
      return found
    end
  end
end

local function dollar_end(sql, at)
  local tag = sql:match("^%$[%a_\128-\255]?[%w_\128-\255]*%$", at)
  if not tag or tag:find "^%$%d" then return nil end
  local close = sql:find(tag, at + #tag, true)
  return close and close + #tag - 1 or #sql
end

--- Last byte of a blank, comment, string or quoted name at `at`, or nil; second, whether it is a token.
---@param escaping string quotes in which a backslash escapes
local function skipped(sql, at, dialect, escaping)
  local pair, char = sql:sub(at, at + 1), sql:sub(at, at)
  local blank = sql:match("^%s+()", at) or sql:match("^\239\187\191()", at)
  if blank then return blank - 1, false end
  if pair == "--" and (not dialect.dash_blank or at + 2 > #sql or sql:find("^[%c ]", at + 2)) then
    return to_line_end(sql, at, dialect), false
  end
  if char == "#" and dialect.hash then return to_line_end(sql, at, dialect), false end
  if pair == "/*" and not (dialect.live and sql:find("^M?!", at + 2)) then
    return comment_end(sql, at, dialect.nested), false
  end
  if char == "'" or char == '"' or char == "`" then
    return quoted_end(sql, at, char, escaping:find(char, 1, true)), true
  end
  if char == "[" and dialect.brackets then return quoted_end(sql, at, "]"), true end
  if char == "$" and dialect.dollars then return dollar_end(sql, at), true end
end

--- Last byte of a variable as Tcl writes them, or nil.
local function variable_end(sql, at)
  local last, named = at, false
  while true do
    local stop = sql:match("^[%w_$\128-\255]+()", last + 1)
    if not stop and sql:sub(last + 1, last + 2) ~= "::" then break end
    last, named = stop and stop - 1 or last + 2, named or stop ~= nil
  end
  if not named then return nil end
  local stop = sql:match("^%([^ \t\n\f\r)]*%)?()", last + 1)
  return stop and stop - 1 or last
end

--- One token at `at`, in upper case, and its last byte.
local function token_at(sql, at, dialect)
  local variable = dialect.variables and sql:find("^[$@#:]", at) and variable_end(sql, at)
  if variable then return sql:sub(at, variable):upper(), variable end
  local word = sql:match("^[%a_\128-\255][%w_$\128-\255]*", at)
    or sql:match("^%d[%w_.]*", at)
    or sql:match("^%?%d*", at)
    or sql:match("^[:@$][%w_:]+", at)
    or sql:sub(at, at)
  return word:upper(), at + #word - 1
end

local function is_trigger(tokens)
  if tokens[1] ~= "CREATE" then return false end
  local second = tokens[2]
  return second == "TRIGGER" or (second == "TEMP" or second == "TEMPORARY") and tokens[3] == "TRIGGER"
end

--- How many statements a list of tokens has; a trigger ends only at the semicolon after its last END.
local function count_statements(tokens, dialect)
  local trigger = dialect.triggers and is_trigger(tokens)
  local count, open = 0, false
  for i, token in ipairs(tokens) do
    if token ~= ";" then
      if not open then
        count, open = count + 1, true
      end
    elseif not trigger or (tokens[i - 1] == "END" and tokens[i - 2] == ";") then
      open, trigger = false, false
    end
  end
  return count
end

--- The quotes in which a backslash escapes at `at`, and whether it does because of an E, before this string or before
--- the one that it continues.
local function escapes_at(sql, at, escaping, last)
  if escaping ~= "E" then return escaping end
  if sql:sub(at, at) ~= "'" then return "" end
  local marked = last.token == "E" and last.stop == at - 1 or last.token == "''" and last.marked
  return marked and "'" or "", marked
end

local function reading(sql, dialect, escaping)
  local self = { tokens = {}, quoted = {}, holes = 0, named = false }
  local at, tokens, before = 1, self.tokens, {}
  while at <= #sql do
    local escapes, marked = escapes_at(sql, at, escaping, before)
    local last, stands = skipped(sql, at, dialect, escapes)
    local token = stands and "''"
    if not last then
      token, last = token_at(sql, at, dialect)
    end
    if token == ";" and #tokens == 0 then token = nil end -- an empty statement
    if token then
      tokens[#tokens + 1] = token
      self.start = self.start or at
      before = { token = token, stop = last, marked = marked }
      if stands then self.quoted[#tokens] = sql:sub(at + 1, last - 1):upper() end
    end
    if token == "?" then
      self.holes = self.holes + 1
    elseif token and token:find "^[?:@$]%w" then
      self.named = true
    end
    at = last + 1
  end
  self.count = count_statements(tokens, dialect)
  return self
end

--- Read a text of SQL in every way that the engine may read it: forbidden words must be in none of them.
---@param sql string
---@param dialect abridge.SqlDialect
---@return abridge.SqlReading[]
function M.readings(sql, dialect)
  local all = {}
  for i, escaping in ipairs(sql:find("\\", 1, true) and dialect.escapes or { "" }) do
    all[i] = reading(sql, dialect, escaping)
  end
  return all
end

--- The first word of a statement after any opening brackets, and its place among the tokens.
---@param found abridge.SqlReading
---@return string|nil word
---@return integer at
function M.first_word(found)
  local at = 1
  while found.tokens[at] == "(" do
    at = at + 1
  end
  return found.tokens[at], at
end

--- Is this word among the tokens?
---@param found abridge.SqlReading
---@param word string in upper case
---@return boolean
function M.has(found, word)
  for _, token in ipairs(found.tokens) do
    if token == word then return true end
  end
  return false
end

return M
