--- What examples/agent.lua works on in the suite and in `make agent`: a project whose test fails amid thousands of
--- lines of noise, a file of 20,000 lines that has what is needed to mend it, and the script of a model that mends it.

local abridge = require "abridge"
local contains = require "support.contains"
local encode = require "abridge.base.encode"
local history = require "abridge.history"
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

--- The script of a model that mends the project. All that it knows it has from the results it is sent.
---@return fun()
function M.script()
  local pages = 0
  local function model()
    local run, broken = coroutine.yield {
      call("run_command", { command = "sh tests.sh" }),
      {
        name = "list_directory",
        json = '{"path": ".',
      },
    }
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

local own_fit = history.fit

-- what it costs ---------------------------------------------------------------------

--- What history.fit replaces: the oldest results go where a request is over its budget, as many as it takes.
local function clear_oldest(messages, opts)
  local all, clear = opts.max_tokens, "[Cleared to save room. Call the tool again to see it]"
  local function tokens()
    local _, report = own_fit(messages, { format = opts.format, max_tokens = all })
    return report.tokens_before
  end
  local size = tokens()
  for _, message in ipairs(messages) do
    if size <= all then break end
    if message.role == "tool" and message.content ~= clear then
      message.content, size = clear, size - abridge.estimate_tokens(message.content) * 1.35
    end
  end
  size = tokens()
  return messages, { tokens_after = size, fits = size <= all }
end

--- Tokens of all requests, and of what each has in common with the one before it from its start: what a provider with
--- a prompt cache need not read again.
local function cost_of(requests)
  local sent, cached, before = 0, 0, {}
  for _, request in ipairs(requests) do
    local parts, same = {}, true
    for i, message in ipairs(request.request.messages) do
      parts[i] = encode.json(message)
      same = same and parts[i] == before[i]
      local tokens = abridge.estimate_tokens(parts[i])
      sent, cached = sent + tokens, cached + (same and tokens or 0)
    end
    before = parts
  end
  return sent, cached
end

--- The example at work.
---@param fit? function in place of history.fit
---@return string text
---@return table savings of the agent
---@return table[] requests
local function at_work(fit)
  local seed, dir = random.seed, tmpdir.new()
  random.seed = 1
  M.prepare(dir)
  random.seed = seed
  local server = model_server.new(M.script())
  local agent = dofile "examples/agent.lua"
  history.fit = fit or own_fit
  local opts = { root = dir.path, run_dir = false, url = server.url "/v1/chat/completions" }
  local ok, text, savings = pcall(agent.run, M.task, opts)
  history.fit = own_fit
  server.close()
  dir:remove()
  if not ok then error(server.failed or text, 0) end
  savings.table = agent.table_of(savings)
  return text, savings, server.requests
end

local function row(name, requests)
  local sent, cached = cost_of(requests)
  return ("%-34s %8d %12d %12d%%"):format(name, #requests, sent, math.floor(100 * cached / sent + 0.5))
end

--- What the example at work prints, and what its requests cost with a cruder ageing: the same each time.
---@return string
function M.show()
  local text, savings, requests = at_work()
  local _, _, crude = at_work(clear_oldest)
  local lines = {
    ("task:  %s\nmodel: %s\n\n%s\n"):format(M.task, text, savings.table),
    ("%-34s %8s %12s %13s"):format("within 24000 tokens", "requests", "tokens sent", "same prefix"),
    row("oldest results cleared as needed", crude),
    row("history.fit", requests),
  }
  return table.concat(lines, "\n")
end

if arg and arg[0] and arg[0]:find "agent_scene%.lua$" then print(M.show()) end

return M
