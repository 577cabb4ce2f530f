--- A counter of one token a byte, and what it was asked: how often, and how much at the most.
return function()
  local calls = { count = 0, longest = 0 }
  return function(text)
    calls.count = calls.count + 1
    calls.longest = math.max(calls.longest, #text)
    return #text
  end,
    calls
end
