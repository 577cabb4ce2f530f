--- Lua: busted, luacheck, tracebacks of two interpreters, Neovim without a screen.

local text = require "score.text"
local each, fill = text.each, text.fill

local SPEC = [[
describe("the $what of part $part", function()
  for i = 1, $n do
    it("$does number " .. i .. " of the parser", function()
      $body
    end)
  end
end)
]]

local EQUAL = "assert.equal(i * $part, $part * i)"
local FAULT = "assert.equal('utf-8', i ~= 23 and 'utf-8' or 'latin-1')"

--- A busted suite of 12 files with one failing test; `before` runs first in every test, `what` and `does` name them.
local function suite(dir, before, what, does)
  for part = 1, 12 do
    local body = before .. (part == 7 and FAULT or EQUAL)
    local spec = fill(fill(SPEC, { body = body, n = 90, what = what, does = does }), { part = part })
    dir:write(("spec/part_%02d_spec.lua"):format(part), spec)
  end
end

local TABLES = [[
describe("part $part", function()
  for i = 1, 60 do
    it("counts the errors of report " .. i .. " and finds none", function()
      print("[error] request " .. i .. " failed, trying again")
      local counted = { part = $part, report = { lines = { "a", "b", "c" }, failed = 0 }, errors = {} }
      local last = i == $odd and "d" or "c"
      local wanted = { part = $part, report = { lines = { "a", "b", last }, failed = 0 }, errors = {} }
      assert.same(wanted, counted)
    end)
  end
end)
]]

local IMPORT = [[
local rows, errors = 0, 0

local function price(row, text)
  return tonumber(text) or error("row " .. row .. " has the price '" .. text .. "'")
end

local function import(n)
  for row = 1, n do
    local ok = pcall(price, row, row % 7 == 0 and "none" or tostring(row))
    if not ok then errors = errors + 1 end
    rows = rows + price(row, row == 1877 and "12,50" or tostring(row)) * 0 + 1
    print(("row %d is in, %d errors were skipped"):format(row, errors))
  end
end

io.stdout:setvbuf "line"
import(2000)
]]

local LINTED = [[
local total, spare = 0, $i
local function add_$i(list, unused)
  for index, value in pairs(list) do total = total + value end
  for index = 1, 3 do local total = index end
  return totl
end
return { add = add_$i }
]]

local LINT_FAULT = [[
local M = {}
function M.render(list)
  for _, item in ipairs(list) do
    print(item.name
  end
end
return M
]]

local WORKER = [[
local function price(order)
  return order.rate.net * order.amount
end

local function total(orders)
  local sum = 0
  for _, order in ipairs(orders) do sum = sum + price(order) end
  return sum
end

local function handle(job)
  local orders = {}
  for i = 1, 4 do orders[i] = { amount = i, rate = { net = job } } end
  if job == $fault then orders[3].rate = nil end
  return total(orders)
end

io.stdout:setvbuf "line"
for job = 1, 2000 do
  $call
  print(("job %d: 4 orders priced, retries=0"):format(job))
end
print "2000 jobs done"
os.exit(lost and 1 or 0)
]]

local CATCH = [[local ok, trace = xpcall(function() handle(job) end, debug.traceback)
  if not ok then
    lost = true
    io.stderr:write("job failed: ", trace, "\n")
  end]]

local VIM_PART = [[
let g:part_$i = $i
function! Part_$i() abort
  return g:part_$i * 2
endfunction
call Part_$i()
]]

return {
  {
    name = "busted-tap",
    language = "Lua",
    tool = "busted",
    tools = { "busted" },
    family = "script-test",
    write = function(dir)
      suite(dir, "", "error handler", "reports failure")
    end,
    command = "busted -o TAP spec",
    exits = 1,
    block = { { from = "not ok 563 - the error handler", to = "# (string) 'utf-8'" } },
    needles = {
      { "root cause", "not ok 563 - the error handler of part 7 reports failure number 23 of the parser" },
      { "location", "# Failure message: spec/part_07_spec.lua:4: Expected objects to be equal." },
      { "detail", "# (string) 'latin-1'" },
    },
  },
  {
    name = "busted-plain",
    language = "Lua",
    tool = "busted",
    tools = { "busted" },
    family = "script-test",
    write = function(dir)
      suite(
        dir,
        'print("[debug] part $part: request " .. i .. " sent, waiting for the reply"); ',
        "scanner",
        "reads token"
      )
    end,
    command = "busted -o plainTerminal spec",
    exits = 1,
    block = { { from = "Failure -> spec/part_07_spec.lua", to = "(string) 'utf-8'" } },
    needles = {
      { "root cause", "the scanner of part 7 reads token number 23 of the parser" },
      { "location", "spec/part_07_spec.lua:4: Expected objects to be equal." },
      { "detail", "(string) 'latin-1'" },
      { "summary", "1079 successes / 1 failure / 0 errors / 0 pending" },
    },
  },
  {
    name = "busted-tables",
    language = "Lua",
    tool = "busted",
    tools = { "busted" },
    family = "script-test",
    ci = "github",
    write = function(dir)
      for part = 1, 10 do
        dir:write(("spec/part_%02d_spec.lua"):format(part), fill(TABLES, { part = part, odd = part == 4 and 17 or 99 }))
      end
    end,
    command = "busted -o plainTerminal spec",
    exits = 1,
    block = { { from = "Failure -> spec/part_04_spec.lua", to = "*[3] = 'd' } } }" } },
  },
  {
    name = "lua-pcall",
    language = "Lua",
    tool = "lua",
    tools = { "lua5.4" },
    family = "script-run",
    ci = "jenkins",
    write = function(dir)
      dir:write("import.lua", IMPORT)
    end,
    command = "lua5.4 import.lua",
    exits = 1,
    block = { { from = "lua5.4: import.lua:4: row 1877", to = "import.lua:17: in main chunk" } },
  },
  {
    name = "luacheck",
    tools = { "luacheck" },
    family = "lint",
    write = function(dir)
      for i = 1, 160 do
        dir:write(("src/part_%03d.lua"):format(i), i == 57 and LINT_FAULT or fill(LINTED, { i = i }))
      end
    end,
    command = "luacheck --no-config --no-cache --no-color src",
    exits = 2,
    needles = {
      { "root cause", like = "src/part_057%.lua:5:3: expected '%)' .* near 'end'" },
      { "summary", "1 error in 160 files" },
    },
  },
  {
    name = "lua-job-failed",
    language = "Lua",
    tool = "lua",
    tools = { "lua5.4" },
    family = "lua-run",
    write = function(dir)
      dir:write("worker.lua", fill(WORKER, { call = CATCH, fault = 871 }))
    end,
    command = "lua5.4 worker.lua",
    exits = 1,
    block = { { from = "job failed: worker.lua:2:", to = "worker.lua:20: in main chunk" } },
    needles = {
      { "root cause", "worker.lua:2: attempt to index a nil value (field 'rate')" },
      { "location", "worker.lua:2: in upvalue 'price'" },
    },
  },
  {
    name = "lua-early-job",
    language = "Lua",
    tool = "lua",
    tools = { "lua5.1" },
    family = "lua-run",
    write = function(dir)
      dir:write("worker.lua", fill(WORKER, { call = CATCH, fault = 60 }))
    end,
    command = "lua5.1 worker.lua",
    exits = 1,
    block = { { from = "job failed: worker.lua:2:", to = "worker.lua:20: in main chunk" } },
    needles = {
      { "root cause", "worker.lua:2: attempt to index field 'rate' (a nil value)" },
      { "location", "worker.lua:2: in function 'price'" },
    },
  },
  {
    name = "luajit-traceback",
    language = "Lua",
    tool = "luajit",
    tools = { "luajit" },
    family = "lua-run",
    write = function(dir)
      dir:write("worker.lua", fill(WORKER, { call = "handle(job)", fault = 1999 }))
    end,
    command = "luajit worker.lua",
    exits = 1,
    block = { { from = "luajit: worker.lua:2:", to = "worker.lua:20: in main chunk" } },
    needles = {
      { "root cause", "luajit: worker.lua:2: attempt to index field 'rate' (a nil value)" },
      { "location", "worker.lua:2: in function 'price'" },
      { "location", "in main chunk" },
    },
  },
  {
    name = "nvim-source",
    tools = { "nvim" },
    family = "editor",
    write = function(dir)
      for i = 1, 500 do
        local fault = i == 197 and "let g:ready = g:part_960 + 1\n" or ""
        dir:write(("plugin/part_%03d.vim"):format(i), fill(VIM_PART, { i = i }) .. fault)
      end
      dir:write("all.vim", each(500, function(i)
        return ("source plugin/part_%03d.vim\n"):format(i)
      end) .. 'if !exists("g:ready") | echomsg "not ready" | cquit | endif\n')
    end,
    command = "nvim --headless -u NONE -i NONE -n -V2 -c 'source all.vim' -c qa",
    exits = 1,
    needles = {
      { "root cause", "E121: Undefined variable: g:part_960" },
      { "location", like = "Error detected while processing .*part_197%.vim:" },
      { "summary", "not ready" },
    },
  },
}
