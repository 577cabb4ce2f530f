--- Text for the programs of the cases: the same few lines many times over, and the one that differs.

local M = {}

--- `make(i)` for every i from 1 to n, joined.
function M.each(n, make)
  local parts = {}
  for i = 1, n do
    parts[i] = make(i)
  end
  return table.concat(parts)
end

--- The text with each `$name` replaced by `values.name`.
function M.fill(text, values)
  return (
    text:gsub("%$([%a_]+)", function(name)
      local value = values[name]
      return value and tostring(value)
    end)
  )
end

return M
