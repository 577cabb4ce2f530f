--- The records of a text, slowly: lines, or those of RFC 4180, whose quoted fields may hold newlines.
local M = {}

--- Lines with something in them: `{ from=, to= }` without their newlines.
function M.lines(text)
  local records, at = {}, 1
  while at <= #text do
    local to = (text:find("\n", at, true) or #text + 1) - 1
    if text:find("[^%s]", at) and text:sub(at, to):find "%S" then records[#records + 1] = { from = at, to = to } end
    at = to + 2
  end
  return records
end

--- The end of the record that starts at `at`, without its newline; a quote that opens no field is a char.
local function record_end(text, at, delimiter)
  local opens, quoted = true, false
  while at <= #text do
    local char = text:sub(at, at)
    if quoted then
      if char == '"' then
        if text:sub(at + 1, at + 1) == '"' then
          at = at + 1
        else
          quoted = false
        end
      end
    elseif char == "\n" then
      return at - 1
    else
      quoted = opens and char == '"'
      opens = char == delimiter
    end
    at = at + 1
  end
  return #text
end

function M.records(text, delimiter)
  local records, at = {}, 1
  while at <= #text do
    local to = record_end(text, at, delimiter)
    if text:sub(at, to):find "%S" then records[#records + 1] = { from = at, to = to } end
    at = to + 2
  end
  return records
end

return M
