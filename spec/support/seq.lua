--- What `seq -f FORMAT FROM TO` prints; the numbers alone without a format.
return function(from, to, format)
  local lines = {}
  for i = from, to do
    lines[#lines + 1] = (format or "%d"):format(i) .. "\n"
  end
  return table.concat(lines)
end
