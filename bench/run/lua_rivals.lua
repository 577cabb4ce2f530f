--- What a Lua script would do by itself: the last lines of a text within a budget, and how many lines it has.
local M = {}

--- All lines into a table, then whole lines from the end.
function M.split(text, max_lines, max_bytes)
  local lines, n = {}, 0
  for line in text:gmatch "([^\n]*)\n?" do
    n = n + 1
    lines[n] = line
  end
  if lines[n] == "" then n = n - 1 end
  local first, bytes = n + 1, 0
  while first > 1 and n - first + 1 < max_lines and bytes + #lines[first - 1] + 1 <= max_bytes do
    first = first - 1
    bytes = bytes + #lines[first] + 1
  end
  return table.concat(lines, "\n", first, n) .. "\n", n
end

--- Where lines start, by string.find; nothing is made of a line.
function M.find(text, max_lines, max_bytes)
  local starts, n, at = { 1 }, 0, 1
  while true do
    local newline = text:find("\n", at, true)
    if not newline then break end
    n, at = n + 1, newline + 1
    starts[n + 1] = at
  end
  if at <= #text then
    n = n + 1
    starts[n + 1] = #text + 1
  end
  local first = n + 1
  while first > 1 and n - first + 1 < max_lines and #text + 1 - starts[first - 1] <= max_bytes do
    first = first - 1
  end
  return text:sub(starts[first]), n
end

return M
