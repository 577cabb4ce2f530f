-- examples/agent.lua against a scripted model that knows only what it is sent.
local abridge = require "abridge"
local agent_scene = require "support.agent_scene"
local host = require "abridge.base.host"
local model_server = require "support.model_server"
local paths = require "support.paths"
local process = require "abridge.process"
local tmpdir = require "support.tmpdir"

local BUDGET = 24000 -- tokens of each request

describe("examples/agent.lua #once", function()
  if not host.uv() then return pending "luv is missing" end

  local agent = dofile "examples/agent.lua"
  local tmpname = os.tmpname
  local dir, scene, model, temporary

  before_each(function()
    dir = tmpdir.new()
    scene = agent_scene.prepare(dir)
    temporary = {}
    os.tmpname = function() -- luacheck: ignore 122
      temporary[#temporary + 1] = tmpname()
      return temporary[#temporary]
    end
  end)

  after_each(function()
    os.tmpname = tmpname -- luacheck: ignore 122
    if model then model.close() end
    model = nil
    dir:remove()
    for _, path in ipairs(temporary) do
      assert.is_nil(io.open(path), path .. " was left")
    end
  end)

  local function run(path, opts)
    opts.url, opts.root, opts.run_dir = model.url(path), dir.path, dir:at "run"
    local ok, text, savings = pcall(agent.run, agent_scene.task, opts)
    if model.failed then error(model.failed, 0) end
    if not ok then error(text, 0) end
    return text, savings
  end

  --- What the project's tests say and how they end.
  local function test_result()
    local output, _, code = dir:sh "sh tests.sh"
    return output:match "[^\n]*error: [^\n]*", code, output
  end

  --- What tools printed, of pages the pages alone, against what the model got.
  local function check_savings(text, savings)
    local rows = savings.stats.tools
    local pages = rows.read_file
    assert.is_true(pages.bytes_printed <= #dir:read "rates.txt" and pages.bytes_printed > 0.99 * pages.bytes_returned)
    assert.equal(tonumber(text:match "on page (%d+)"), rows.read_file.calls)
    assert.equal(2, rows.run_command.calls)
    assert.is_true(rows.run_command.bytes_printed > 2 * 6000 * 30)
    assert.is_true(rows.run_command.bytes_shown < rows.run_command.bytes_printed / 10)
    local shown = 0
    for _, event in ipairs(abridge.open_run(dir:at "run"):events { type = "tool_result" }) do
      shown = shown + #event.content
    end
    local lines = {}
    for line in agent.table_of(savings):gmatch "[^\n]+" do
      lines[#lines + 1] = line
    end
    local names = 0
    for _ in pairs(rows) do
      names = names + 1
    end
    assert.equal(names + 3, #lines)
    assert.matches("^tool +calls +printed +to the model +saved$", lines[1])
    shown = abridge.format_size(shown):gsub("%.", "%%.")
    assert.matches("^all +%d+ +[%d.]+[KM]B +" .. shown .. " +%d+%%$", lines[#lines - 1])
    local requests, largest = lines[#lines]:match "^(%d+) requests, the largest (%d+) tokens of 24000$"
    assert.equal(#model.requests, tonumber(requests))
    local most = 0
    for _, request in ipairs(model.requests) do
      most = math.max(most, request.tokens)
    end
    assert.equal(most, tonumber(largest))
  end

  for path, key_header in pairs { ["/v1/chat/completions"] = "authorization", ["/v1/messages"] = "x-api-key" } do
    it("mends a project over " .. path .. " within its budget, and tells what was saved", function()
      local failure, code, output = test_result()
      assert.matches("region " .. scene.region .. " has rate " .. scene.wrong, failure, 1, true)
      assert.equal(1, code)
      assert.is_nil(abridge.head_tail(output, { max_bytes = "30KB" }):find(failure, 1, true)) -- priority finds it

      model = model_server.new(agent_scene.script())
      local text, savings = run(path, { budget = BUDGET, key = "k3y", model = "scripted" })
      assert.matches("Region " .. scene.region .. " has rate " .. scene.rate, text, 1, true)
      failure, code = test_result()
      assert.is_nil(failure)
      assert.equal(0, code)

      local pages = tonumber(text:match "on page (%d+)")
      assert.is_true(pages >= 10, pages .. " pages")
      assert.equal(pages + 5, #model.requests)
      for _, request in ipairs(model.requests) do
        assert.is_true(request.tokens <= BUDGET, request.tokens .. " tokens")
        assert.is_true(request.bytes <= 4 * BUDGET, request.bytes .. " bytes")
        assert.matches("k3y$", request.headers[key_header])
      end
      check_savings(text, savings)
    end)
  end

  it("ends with what the endpoint says when that refuses a request, and when there is none", function()
    model = model_server.new(agent_scene.script())
    local _, said = pcall(run, "/v2/other", {})
    assert.matches('/v2/other: {"error":"no such API"}', said, 1, true)
    local url = model.url "/v1/messages"
    model.close()
    model = nil
    local ok
    ok, said = pcall(agent.run, "task", { url = url, root = dir.path, run_dir = false })
    assert.is_false(ok)
    assert.matches(url, said, 1, true)
  end)

  it("sends nothing that is over its budget", function()
    model = model_server.new(agent_scene.script())
    local ok, said = pcall(run, "/v1/messages", { budget = 200 })
    assert.is_false(ok)
    assert.matches("^The next request takes %d+ tokens of 200$", said)
    assert.equal(0, #model.requests)
  end)

  it("is a command too, told by the environment where the model is", function()
    local interpreter = tmpdir.interpreter()
    if not interpreter then return pending "Neovim is no interpreter of scripts here" end
    local root = tmpdir.root()
    local function command(env, ...)
      local version = _VERSION:match "%d+%.%d+"
      env.LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(root, root)
      env.LUA_CPATH = ("%s/build/%s/?.so;%s"):format(root, version, package.cpath)
      env.XDG_STATE_HOME, env.ABRIDGE_STATE_DIR = dir:at "state", false
      local chunks, outcome = {}, nil
      assert(process.spawn({ interpreter, root .. "/examples/agent.lua", ... }, { env = env, cwd = dir.path }, {
        on_output = function(chunk)
          chunks[#chunks + 1] = chunk
        end,
        on_exit = function(ended)
          outcome = ended
        end,
      }))
      host.wait(function()
        return outcome ~= nil
      end, 60)
      return table.concat(chunks), outcome and outcome.code
    end
    model = model_server.new(agent_scene.script())
    local output, code = command({ MODEL_URL = false }, "task")
    assert.matches("^usage: MODEL_URL=", output)
    assert.equal(2, code)
    output, code = command({ MODEL_URL = model.url "/v2/other" }, "task")
    assert.matches("no such API", output)
    assert.equal(1, code)
    output, code = command({ MODEL_URL = model.url "/v1/chat/completions", MODEL_KEY = "k3y" }, agent_scene.task)
    assert.is_nil(model.failed)
    assert.equal(0, code)
    assert.matches("\ntool_result edit_file 21B\n", output)
    assert.matches("\nRegion " .. scene.region .. " has rate " .. scene.rate, output, 1, true)
    assert.matches("\nall +%d+", output)
    assert.equal("Bearer k3y", model.requests[1].headers.authorization)
  end)

  it("prints what README.md shows, but for a few tokens", function()
    local printed, readme = agent_scene.show(), assert(paths.read "README.md")
    local shown = readme:match "\n```\n(tool +calls .-)\n```"
    local function without_tokens(text)
      return (text:gsub("largest %d+", "largest N"):gsub("(%d+) +%d+ +%d+%%", "%1 N"))
    end
    local function tokens(text)
      local all = { tonumber(text:match "largest (%d+)") }
      for sent, same in text:gmatch "%d +(%d%d%d%d%d+) +(%d+)%%\n?" do
        all[#all + 1], all[#all + 2] = tonumber(sent), 1000 * tonumber(same)
      end
      return all
    end
    printed = printed:match "\n\n(tool +calls .*)$"
    assert.equal(without_tokens(shown), without_tokens(printed))
    local told, found = tokens(shown), tokens(printed)
    assert.equal(5, #told)
    for i, count in ipairs(found) do
      assert.is_true(math.abs(count - told[i]) <= math.max(0.01 * told[i], 1000), printed)
    end
    assert.is_true(found[1] <= BUDGET and found[4] < found[2] and found[5] > found[3], printed)
  end)
end)
