--- n lines that start with their number and are filled up to a width, newline not counted; as wide as the number unless
--- told otherwise.
return function(n, width)
  local lines = {}
  for i = 1, n do
    lines[i] = tostring(i) .. ("x"):rep((width or 0) - #tostring(i)) .. "\n"
  end
  return table.concat(lines)
end
