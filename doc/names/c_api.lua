--- What csrc/abridge.h declares: macros, types with their fields and values, functions.

local M = {}

--- Text on one line, with the blanks that the declaration needs.
local function flat(text)
  return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

local function macros(text, out)
  text = text:gsub("\\\n", " ")
  for macro in text:gmatch "\n#define (ABR_[^\n]*)" do
    local line = flat(macro):gsub("^(ABR_VERSION) .*", "%1") -- whatever it is by now
    if not line:find "^ABR_API" then out[#out + 1] = "#define " .. line end
  end
end

--- The values of an enum, with their numbers: where each stands is part of the ABI.
local function values(body, out)
  local number = -1
  for entry in body:gmatch "[^,]+" do
    local name, set = flat(entry):match "^([%w_]+) ?=? ?(.*)$"
    if name then
      number = tonumber(set) or number + 1
      out[#out + 1] = ("    %s = %s"):format(name, set ~= "" and set or number)
    end
  end
end

local function fields(body, out)
  for field in body:gmatch "[^;]+" do
    if field:find "%S" then out[#out + 1] = "    " .. flat(field) end
  end
end

--- The declarations of a text without comments and preprocessor lines, in their order.
local function declarations(text, out)
  local at = 1
  while true do
    local from, to, head, body, tail = text:find("^%s*([^;{]*)(%b{})([^;]*);", at)
    if not from then
      from, to, head = text:find("^%s*([^;{}]*);", at)
      body, tail = nil, ""
    end
    if not from then return end
    out[#out + 1] = flat(head .. " " .. tail):gsub("^ABR_API ", "")
    if body then (head:find "enum" and values or fields)(body:sub(2, -2), out) end
    at = to + 1
  end
end

---@return string[]
function M.lines()
  local file = assert(io.open "csrc/abridge.h")
  local text = file:read("*a"):gsub("/%*.-%*/", " ")
  file:close()
  local out = {}
  macros(text, out)
  text = text:gsub("\\\n", " "):gsub("\n#[^\n]*", "\n"):gsub("\n#[^\n]*", "\n"):gsub('extern "C" {', "")
  declarations(text, out)
  return out
end

return M
