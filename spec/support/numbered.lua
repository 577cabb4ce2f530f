local seq = require "support.seq"

--- n lines from "line 1" on, or from `first`, without a newline after the last one.
return function(n, what, first)
  first = first or 1
  return seq(first, first + n - 1, (what or "line") .. " %d"):sub(1, -2)
end
