--- Random numbers and texts for property tests, the same on every host. ABRIDGE_SEED=n repeats a run.
--- A property is tried on the first tenth of its cases; ABRIDGE_CASES=n has it tried on n times as many as it asks for,
--- and `make check` on all.
local M = {}

M.seed = tonumber(os.getenv "ABRIDGE_SEED") or os.time()

local share = tonumber(os.getenv "ABRIDGE_CASES") or 0.1
local FEWEST = 4

local state = 1

--- Start the generator for one case of one property.
function M.start(case)
  state = (M.seed * 31 + case * 7919) % 2147483646 + 1
  for _ = 1, 3 do
    state = state * 16807 % 2147483647
  end
end

--- An integer from 0 to n - 1.
function M.below(n)
  state = state * 16807 % 2147483647
  return state % n
end

--- An integer from `from` to `to`.
function M.between(from, to)
  return from + M.below(to - from + 1)
end

function M.choose(list)
  return list[M.below(#list) + 1]
end

--- True once in n times.
function M.chance(n)
  return M.below(n) == 0
end

--- n pieces of an alphabet in a row.
function M.join(alphabet, n)
  local parts = {}
  for i = 1, n do
    parts[i] = M.choose(alphabet)
  end
  return table.concat(parts)
end

M.alphabets = {
  { "a", "b", "\n" },
  { "a", "bc def ", "\n", "\n", "\r\n" },
  { "a", "\n", "\195\169", "\226\130\172", "\240\159\152\128" },
  { "\n", "\195\169", "\255", "\226\130", "\169", "\192\128", "\237\160\128", "x" },
  { "0", "\0", "\n", "\r", "\240\159\152\128", "\240\159" },
  { "word ", "a line of words ", "longer", "\n" },
  { "\n", "x" },
  { ("long "):rep(30), "\n", "short" },
  { ("z"):rep(45), ("z"):rep(40) .. "\n", "error: x", "\n", "y\n" },
}

--- A budget near the size of a text, from both sides: that is where a cut nearly fits.
function M.near(size)
  return math.max(0, size + M.between(-60, 12))
end

--- A text of up to `most` pieces of some alphabet.
function M.text(most)
  return M.join(M.choose(M.alphabets), M.chance(6) and M.below(6) or M.below(most + 1))
end

--- n random bytes.
function M.bytes(n)
  local parts = {}
  for i = 1, n do
    parts[i] = string.char(M.below(256))
  end
  return table.concat(parts)
end

--- The chunks of a text, of up to `most` bytes each, and where each ends.
function M.chunks(text, most)
  local last = 0
  return function()
    if last == #text then return nil end
    local first = last + 1
    last = math.min(#text, last + M.between(1, most))
    return text:sub(first, last), last
  end
end

--- How many of so many cases this host tries: its share, but not under four.
function M.some(cases)
  return math.max(math.ceil(cases * share), math.min(cases, FEWEST))
end

--- The numbers from `from` to `to`, `step` or 1 apart; on hosts that try a share of the cases, this share of them,
--- evenly spread from one drawn at random.
function M.sweep(from, to, step)
  step = step or 1
  local every = math.max(1, math.floor(1 / share))
  M.start(from)
  local at = from + (M.below(every) - every) * step
  return function()
    at = at + every * step
    return at <= to and at or nil
  end
end

--- How many a property finds at least on this host, where it finds over `n` on all its cases.
function M.found(n)
  return share < 1 and n * share / 2 or n
end

--- Run a property on this host's share of `cases` random cases; what fails is raised with the seed that repeats it.
function M.each(cases, property)
  for case = 1, M.some(cases) do
    M.start(case)
    local ok, message = pcall(property, case)
    if not ok then
      error(("ABRIDGE_SEED=%.0f ABRIDGE_CASES=%g, case %d: %s"):format(M.seed, share, case, tostring(message)), 2)
    end
  end
end

--- A value in words: strings quoted, the keys of a table in order.
function M.shown(value)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local words = {}
  for key, item in pairs(value) do
    words[#words + 1] = tostring(key) .. "=" .. M.shown(item)
  end
  table.sort(words)
  return "{" .. table.concat(words, ", ") .. "}"
end

--- What a property raises: a message with values as `shown` has them.
function M.must(condition, format, ...)
  if condition then return end
  local values = { n = select("#", ...), ... }
  for i = 1, values.n do
    values[i] = M.shown(values[i])
  end
  error(format:format((table.unpack or unpack)(values, 1, values.n)), 2)
end

return M
