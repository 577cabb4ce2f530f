--- How good the token estimate is: `make bench-tokens`.
---
---   lua bench/tokens.lua FOLDER     with the corpus that bench/tokens.mjs made there
---
--- Prints, for each kind of text, the median and the 95th percentile of the error against o200k_base, compared with
--- bytes/4 and chars/4; the mean of the kinds' medians and the p95 of all samples, for the half that the estimate's
--- costs were fitted to and for the half that was held out; how often text would be over a budget in spite of the
--- safety factor; how many MB/s it estimates.

local abridge = require "abridge"
local core = require "abridge.core"

local folder = arg[1]
local SPEED_SIZE = 64e6

local METHODS = {
  {
    "estimate",
    function(sample)
      return abridge.estimate_tokens(sample.text)
    end,
  },
  {
    "bytes/4",
    function(sample)
      return #sample.text / 4
    end,
  },
  {
    "chars/4",
    function(sample)
      return sample.chars / 4
    end,
  },
}

local function read(name)
  local file = assert(io.open(folder .. "/" .. name, "rb"))
  local content = file:read "*a"
  file:close()
  return content
end

local function load_samples()
  local all, at, samples = read "samples", 1, {}
  for kind, part, bytes, chars, tokens in read("samples.tsv"):gmatch "([^\t\n]+)\t(%a+)\t(%d+)\t(%d+)\t(%d+)" do
    local text = all:sub(at, at + bytes - 1)
    at = at + bytes
    samples[#samples + 1] = { kind = kind, part = part, text = text, chars = chars, tokens = tonumber(tokens) }
  end
  return samples, all
end

--- The value that a share of the list is below.
local function quantile(list, share)
  local sorted = {}
  for i, value in ipairs(list) do
    sorted[i] = value
  end
  table.sort(sorted)
  return sorted[math.min(#sorted, math.floor(#sorted * share) + 1)]
end

local function median(list)
  return quantile(list, 0.5)
end

--- Errors of a method as shares of the count, by kind and for all kinds together.
local function errors_of(samples, method, part)
  local by_kind, all, kinds = {}, {}, {}
  for _, sample in ipairs(samples) do
    if not part or sample.part == part then
      local off = math.abs(method(sample) / sample.tokens - 1)
      if not by_kind[sample.kind] then
        by_kind[sample.kind] = {}
        kinds[#kinds + 1] = sample.kind
      end
      table.insert(by_kind[sample.kind], off)
      all[#all + 1] = off
    end
  end
  return by_kind, all, kinds
end

local function mean_of_medians(by_kind)
  local sum, n = 0, 0
  for _, list in pairs(by_kind) do
    sum, n = sum + median(list), n + 1
  end
  return sum / n
end

local function print_kinds(samples)
  local columns, kinds = {}, nil
  for i, method in ipairs(METHODS) do
    local by_kind, _, names = errors_of(samples, method[2])
    columns[i], kinds = by_kind, names
  end
  print(("%-18s %8s   %-16s %-16s %-16s"):format("median / p95, %", "samples", "estimate", "bytes/4", "chars/4"))
  for _, kind in ipairs(kinds) do
    local cells = {}
    for i, by_kind in ipairs(columns) do
      cells[i] = ("%6.1f / %-7.1f"):format(100 * median(by_kind[kind]), 100 * quantile(by_kind[kind], 0.95))
    end
    print(("%-18s %8d %s"):format(kind, #columns[1][kind], table.concat(cells, " ")))
  end
end

local function print_totals(samples)
  print(("\n%-28s %-16s %-16s %-16s"):format("mean of medians / p95, %", "estimate", "bytes/4", "chars/4"))
  for _, part in ipairs { { "all" }, { "fitted to", "fitted" }, { "held out", "held" } } do
    local cells, count = {}, 0
    for i, method in ipairs(METHODS) do
      local by_kind, all = errors_of(samples, method[2], part[2])
      cells[i] = ("%6.1f / %-7.1f"):format(100 * mean_of_medians(by_kind), 100 * quantile(all, 0.95))
      count = #all
    end
    print(("%-12s %6d samples %s"):format(part[1], count, table.concat(cells, " ")))
  end
end

local function print_safety(samples)
  for _, safety in ipairs { 1, 1.35 } do
    local over = 0
    for _, sample in ipairs(samples) do
      if core.weigh_tokens(sample.text, safety) < sample.tokens then over = over + 1 end
    end
    print(("over the estimate x %-4s      %5.2f %% of samples"):format(safety, 100 * over / #samples))
  end
end

--- The best of several rounds, in MB/s.
local function speed(text)
  local best = math.huge
  for _ = 1, 9 do
    local start = os.clock()
    abridge.estimate_tokens(text)
    best = math.min(best, os.clock() - start)
  end
  return #text / best / 1e6
end

local samples, all = load_samples()
print_kinds(samples)
print_totals(samples)
print ""
print_safety(samples)
print(("speed                         %5.0f MB/s"):format(speed(all:rep(math.ceil(SPEED_SIZE / #all)))))
