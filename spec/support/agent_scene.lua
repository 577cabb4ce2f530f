--- What examples/agent.lua works on in the suite and in `make agent`: a project whose test fails amid thousands of
--- lines of noise, a file of 20,000 lines that has what is needed to mend it, and the script of a model that mends it.

local model_server = require "support.model_server"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local M = {}

local LINES = 20000
local PRICES = 8
local CHECKS = 3000 -- of a test before and after those that count

M.task = "The tests (sh tests.sh) fail. Correct prices.sh by what rates.txt says, and run them again."

local TESTS = [[
# Compares the rates of prices.sh with those of rates.txt.
awk 'BEGIN { for (i = 1; i <= CHECKS; i++) printf "ok %d - list %d parses, 0 errors, 0 failed\n", i, i }'
failed=0
for region in $(sed -n 's/^ *\([0-9]*\)) .*/\1/p' prices.sh); do
  want=$(sed -n "s/^region $region rate \([0-9.]*\)$/\1/p" rates.txt)
  got=$(sh prices.sh $region)
  line=$(grep -n "^ *$region)" prices.sh | cut -d: -f1)
  if [ "$got" = "$want" ]; then
    echo "ok - region $region has its rate"
  else
    echo "prices.sh:$line: error: region $region has rate $got, rates.txt has another"
    failed=1
  fi
done
awk 'BEGIN { for (i = 1; i <= CHECKS; i++) printf "ok %d - total %d adds up, 0 errors, 0 failed\n", i, i }'
exit $failed
]]

local function new_rate()
  return ("0.%04d"):format(random.between(1000, 9998))
end

--- Write the project into a folder. `wrong` is the region whose rate in prices.sh is not the one of rates.txt.
---@param dir table of tmpdir
---@return table scene
function M.prepare(dir)
  random.start(1)
  local rates, regions = {}, {}
  for i = 1, LINES do
    rates[i] = ("region %05d rate %s"):format((i * 7919) % LINES + 20000, new_rate())
  end
  for i = 1, PRICES do
    regions[i] = random.between(1, LINES)
  end
  local at = random.between(LINES - 8000, LINES - 3000) -- far from the first page
  regions[random.between(1, PRICES)] = at
  local scene = { at = at, dir = dir.path }
  scene.region, scene.rate = rates[at]:match "^region (%d+) rate ([%d.]+)$"
  scene.wrong = ("%.4f"):format(tonumber(scene.rate) + 0.0001)
  local prices, seen = { "case $1 in" }, {}
  for _, line in ipairs(regions) do
    local region, rate = rates[line]:match "^region (%d+) rate ([%d.]+)$"
    if not seen[region] then
      prices[#prices + 1] = ("  %s) echo %s ;;"):format(region, region == scene.region and scene.wrong or rate)
    end
    seen[region] = true
  end
  prices[#prices + 1] = "esac"
  dir:write("prices.sh", table.concat(prices, "\n") .. "\n")
  dir:write("rates.txt", table.concat(rates, "\n") .. "\n")
  dir:write("tests.sh", (TESTS:gsub("CHECKS", tostring(CHECKS))))
  return scene
end

local function call(name, input)
  return { name = name, input = input }
end

local function contains(text, wanted)
  return assert(text:find(wanted, 1, true) and text, "not in the result: " .. wanted .. "\n" .. text)
end

--- The script of a model that mends the project. All that it knows it has from the results it is sent.
---@return fun()
function M.script()
  local pages = 0
  local function model()
    local run, broken = coroutine.yield { call("run_command", { command = "sh tests.sh" }), {
      name = "list_directory",
      json = '{"path": ".',
    } }
    contains(broken.content, "Invalid input: not JSON")
    contains(run.content, "Command exited with code 1")
    local file, region, wrong = run.content:match "(%S+):%d+: error: region (%d+) has rate ([%d.]+), "
    assert(file, "the error is not in sight")

    local shown = coroutine.yield { { name = "search_files", nameless = true, input = { pattern = region .. "\\)" } } }
    contains(shown.content, file .. ":")

    local offset, rate
    repeat
      local page = coroutine.yield { call("read_file", { path = "rates.txt", offset = offset }) }
      pages = pages + 1
      rate = page.content:match("region " .. region .. " rate ([%d.]+)")
      offset = tonumber(page.content:match "%[Showing lines %d+%-%d+ of %d+ [^\n]*Use offset=(%d+) to continue%]$")
    until rate or not offset
    assert(rate, "rates.txt ended")

    local old, new = region .. ") echo " .. wrong, region .. ") echo " .. rate
    local edited = coroutine.yield { call("edit_file", { path = file, old = old, new = new }) }
    contains(edited.content, "Replaced in " .. file)

    run = coroutine.yield { call("run_command", { command = "sh tests.sh && echo all passed" }) }
    contains(run.content, "all passed")
    return ("Region %s has rate %s now; it was on page %d of rates.txt. All tests pass."):format(region, rate, pages)
  end
  return model
end

--- What the example at work prints: the same each time.
---@return string
function M.show()
  local seed, dir = random.seed, tmpdir.new()
  random.seed = 1
  M.prepare(dir)
  random.seed = seed
  local server = model_server.new(M.script())
  local agent = dofile "examples/agent.lua"
  local opts = { root = dir.path, run_dir = false, url = server.url "/v1/chat/completions" }
  local ok, text, savings = pcall(agent.run, M.task, opts)
  server.close()
  dir:remove()
  if not ok then error(server.failed or text, 0) end
  return ("task:  %s\nmodel: %s\n\n%s"):format(M.task, text, agent.table_of(savings))
end

if arg and arg[0] and arg[0]:find "agent_scene%.lua$" then print(M.show()) end

return M
