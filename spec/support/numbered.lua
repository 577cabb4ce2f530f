--- Texts of numbered lines.

--- "line 1" to "line n", no newline behind the last one.
return function(n, what)
  local all = {}
  for i = 1, n do
    all[i] = (what or "line") .. " " .. i
  end
  return table.concat(all, "\n")
end
