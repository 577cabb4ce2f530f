--- The first table, with what the others have put into it; of two values for a key the later one stays.
return function(into, ...)
  for i = 1, select("#", ...) do
    for key, value in pairs((select(i, ...)) or {}) do
      into[key] = value
    end
  end
  return into
end
