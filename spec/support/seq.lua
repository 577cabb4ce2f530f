--- What `seq FROM TO` prints.
return function(from, to)
  local lines = {}
  for i = from, to do
    lines[#lines + 1] = ("%d\n"):format(i)
  end
  return table.concat(lines)
end
