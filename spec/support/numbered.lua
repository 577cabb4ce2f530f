--- Texts of numbered lines.

--- n lines from "line 1" on, or from `first`, without a newline after the last one.
return function(n, what, first)
  local all = {}
  for i = 1, n do
    all[i] = (what or "line") .. " " .. (first or 1) + i - 1
  end
  return table.concat(all, "\n")
end
