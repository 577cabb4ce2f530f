--- The rivals that run in programs of their own, each over all the files at once.
local measure = require "run.measure"

local M = {}

---@class (exact) bench.Case
---@field file string
---@field bytes integer
---@field lines integer
---@field max_lines integer
---@field max_bytes integer

--- What the rivals of a program said of each case: { seconds =, lines =, kept = }, or { why = }; by name.
local function run(argv, cases)
  for _, case in ipairs(cases) do
    argv[#argv + 1] = case.file
    argv[#argv + 1] = ("%d"):format(case.max_lines)
    argv[#argv + 1] = ("%d"):format(case.max_bytes)
  end
  local said = {}
  for number, name, seconds, rest in measure.output_of(argv):gmatch "(%d+)\t(%w+)\t(%S+)\t([^\n]*)\n" do
    local lines, kept = rest:match "^(%d+)\t(%d+)$"
    said[name] = said[name] or {}
    said[name][tonumber(number)] = seconds == "-" and { why = rest }
      or { seconds = tonumber(seconds), lines = tonumber(lines), kept = tonumber(kept) }
  end
  return said
end

--- The same of a program that may be missing or unable: then { why = } stands for each of `names`.
local function attempt(program, argv, cases, names)
  local ok, said = false, "no " .. program .. " here"
  if measure.has(program) then
    ok, said = pcall(run, argv, cases)
  end
  if ok then return said end
  local failed = {}
  for _, name in ipairs(names) do
    failed[name] = { why = said:match "[^\n]*" }
  end
  return failed
end

--- The Lua rivals in Lua 5.4: `split`, `find`, and `abridge` itself. Not in this process: with what they leave in it
--- every program that is started later would start slower.
---@param cases bench.Case[]
function M.lua(cases)
  return run({ "lua5.4", "bench/run/rival.lua", ("%.6f"):format(measure.seconds) }, cases)
end

--- Lua 5.4, LuaJIT with the module built for Lua 5.1, Python and pi: the programs that are there.
---@param cases bench.Case[]
---@return table<string, table> seconds by rival, then by case; or { why = } of a rival that is not there
function M.run(cases)
  local seconds = ("%.6f"):format(measure.seconds)
  local found = {}
  local lua = M.lua(cases)
  found.split, found.find = lua.split, lua.find
  local with_path = "LUA_CPATH=" .. os.getenv("LUA_CPATH"):gsub("build/5.4/", "build/5.1/")
  local jit_argv = { "env", with_path, "luajit", "bench/run/rival.lua", seconds }
  local jit = attempt("luajit", jit_argv, cases, { "split", "find", "abridge" })
  found.jit_split, found.jit_find, found.jit_abridge = jit.split, jit.find, jit.abridge
  found.python = attempt("python3", { "python3", "bench/run/rival.py", seconds }, cases, { "split" }).split
  found.pi = M.pi(cases, seconds)
  return found
end

--- pi, where `make` could fetch it: build/bench/pi.txt has the path of its module, or says why not.
function M.pi(cases, seconds)
  local file = io.open "build/bench/pi.txt"
  local said = file and file:read "*l" or "- run by make bench alone"
  if file then file:close() end
  if said:sub(1, 2) == "- " then return { why = said:sub(3) } end
  local argv = { "node", "--max-old-space-size=8192", "bench/run/rival.mjs", said, seconds }
  return attempt("node", argv, cases, { "pi" }).pi
end

return M
