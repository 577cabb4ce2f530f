--- The values that a flag, or a word, may take: how it is read, the words for a wrong one, how a shell completes
--- it.

local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"

local M = {}

---@class (exact) abridge.cli.Value
---@field read fun(text: string): any nil if it is wrong
---@field expected? string the sort of value, for messages
---@field words? string[] all that it may be
---@field complete? "file"|"folder"|"command" offered by shells for it

local function count(text)
  local n = text:find "^%d+$" and tonumber(text)
  return n and n <= 2 ^ 53 and n or nil
end

--- A number that a test is true of.
local function number(expected, test)
  return {
    expected = expected,
    read = function(text)
      local n = tonumber(text)
      return n and test(n) and n or nil
    end,
  }
end

local function same(text)
  return text
end

---@type abridge.cli.Value
M.count = { read = count, expected = "an integer from 0 to 2^53" }

---@type abridge.cli.Value
M.positive = {
  expected = "an integer from 1 to 2^53",
  read = function(text)
    local n = count(text)
    return n and n > 0 and n or nil
  end,
}

M.seconds = number("a number of seconds over 0", function(n)
  return n > 0 and n < math.huge
end)

M.ratio = number("a number from 0 to 1", function(n)
  return n >= 0 and n <= 1
end)

---@type abridge.cli.Value
M.size = {
  expected = "a size such as 30720 or 30KB",
  read = function(text)
    return (core.parse_size(text))
  end,
}

---@type abridge.cli.Value
M.text = { read = same }

---@type abridge.cli.Value
M.id = {
  expected = "a text of one line",
  read = function(text)
    return text ~= "" and not text:find "%c" and text or nil
  end,
}

---@type abridge.cli.Value
M.json = {
  expected = "JSON",
  read = function(text)
    local json = host.json()
    local ok, value = pcall(json and json.decode or error, text)
    if ok then return value end
  end,
}

--- A JSON object.
---@type abridge.cli.Value
M.object = {
  expected = "a JSON object",
  read = function(text)
    local value = text:find "^%s*{" and M.json.read(text)
    return type(value) == "table" and value or nil
  end,
}

--- How the names of tools begin; "" is the usual way.
---@type abridge.cli.Value
M.tool_prefix = {
  expected = "letters, digits, _ and -, 40 at most",
  read = function(text)
    return text:find "^[%w_-]*$" and #text <= 40 and text or nil
  end,
}

--- The name of a signal, and its number on this system if it is known.
---@type abridge.cli.Value
M.signal = {
  expected = "the name of a signal, such as TERM",
  read = function(text)
    local name, uv = text:upper():gsub("^SIG", ""), host.uv()
    local is_name = name:find "^%u[%u%d+-]*$" and #name <= 16
    return is_name and { name = name, number = uv and uv.constants["SIG" .. name] } or nil
  end,
}

---@type abridge.cli.Value
M.file = { read = same, complete = "file" }

---@type abridge.cli.Value
M.folder = { read = same, complete = "folder" }

--- A program and its own words.
---@type abridge.cli.Value
M.command = { read = same, complete = "command" }

--- One of these words.
---@param words string[]
---@return abridge.cli.Value
function M.one_of(words)
  local allowed = {}
  for _, word in ipairs(words) do
    allowed[word] = word
  end
  return {
    words = words,
    expected = "one of " .. table.concat(words, ", "),
    read = function(text)
      return allowed[text]
    end,
  }
end

--- One of these words is offered, any is taken.
---@param words string[]
---@return abridge.cli.Value
function M.such_as(words)
  return { read = same, words = words }
end

return M
