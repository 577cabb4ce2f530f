--- Raises unless all these words are in a text.
return function(text, ...)
  for _, words in ipairs { ... } do
    if not text:find(words, 1, true) then error(("%q is not in:\n%s"):format(words, text), 2) end
  end
end
