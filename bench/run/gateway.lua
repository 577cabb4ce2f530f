--- What the gateway adds to a request in nginx, beside a plain proxy and one that decodes and encodes the body with
--- lua-cjson: a conversation of some 300 KB, one exchange more with each request; then what a worker holds over 10,000.
local host = require "abridge.base.host"
local measure = require "run.measure"
local report = require "run.report"

package.path = package.path .. ";spec/?.lua"
local nginx = require "support.nginx"

local uv = host.uv()

local WAYS = { { "plain proxy", "/plain/sink" }, { "lua-cjson", "/cjson/sink" }, { "gateway", "/sink" } }
local START, STEPS = 100, 60 -- exchanges of a conversation before it is measured, and requests measured
local RESULT = 2800 -- bytes, about
local INIT = 'gateway = require("abridge.gateway.nginx").new { max_tokens = 60000 }'
local REQUESTS, EVERY = 10000, 1000 -- whose memory is looked at

local line_of = 0

--- A conversation that grows: gives the next request's body.
local function conversation(who, bytes)
  local messages, calls = { ('{"role":"user","content":"Mend the tests of %s."}'):format(who) }, 0
  return function(exchanges)
    for _ = 1, exchanges do
      calls = calls + 1
      local lines = {}
      for i = 1, math.ceil(bytes / 45) do
        line_of = line_of + 1
        lines[i] = ("src/part%d.c:%d: checked %d of them\\n"):format(calls, i, line_of)
      end
      local call = '"tool_calls":[{"id":"c%d","type":"function","function":{"name":"run","arguments":"{}"}}]}'
      messages[#messages + 1] = ('{"role":"assistant","content":"Step %d",' .. call):format(calls, calls)
      messages[#messages + 1] = ('{"role":"tool","tool_call_id":"c%d","content":"%s"}'):format(
        calls,
        table.concat(lines)
      )
    end
    return '{"model":"m","messages":[' .. table.concat(messages, ",") .. "]}"
  end
end

--- A connection that is kept: `post(path, body, done)`.
local function connection(path)
  local pipe, waiting, came, open = uv.new_pipe(false), nil, "", false
  pipe:connect(path, function(problem)
    assert(not problem, problem)
    open = true
    pipe:read_start(function(failed, chunk)
      assert(not failed and chunk, failed or "nginx closed a connection")
      came = came .. chunk
      if came:find "\r\n\r\n.*ok\r\n0\r\n\r\n$" or came:find "\r\n\r\nok$" then
        local done = waiting
        came = ""
        done()
      end
    end)
  end)
  while not open do
    uv.run "once"
  end
  return {
    post = function(to, body, done)
      waiting = done
      pipe:write { ("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"):format(to, #body), body }
    end,
    close = function()
      pipe:close()
      host.pump()
    end,
  }
end

--- Seconds of each request, so many conversations at once, each on its own connection.
local function seconds_of(server, way, conversations)
  local all, connections, grown, tag = {}, {}, {}, way[2] .. conversations
  for i = 1, conversations do
    connections[i] = connection(server.dir.path .. "/gateway.sock")
    grown[i] = conversation(tag .. i, RESULT)
  end
  for step = 0, STEPS do
    local left, bodies = conversations, {}
    for i = 1, conversations do
      bodies[i] = grown[i](step == 0 and START or 1)
    end
    for i = 1, conversations do
      local began = uv.hrtime()
      connections[i].post(way[2], bodies[i], function()
        if step > 0 then all[#all + 1] = (uv.hrtime() - began) / 1e9 end
        left = left - 1
      end)
    end
    while left > 0 do
      uv.run "once"
    end
  end
  for _, one in ipairs(connections) do
    one.close()
  end
  table.sort(all)
  return all
end

local function latency(server)
  for _, conversations in ipairs { 1, 8 } do
    local rows, plain = {}, nil
    for i, way in ipairs(WAYS) do
      local all = seconds_of(server, way, conversations)
      local median, p99 = measure.median(all), all[math.ceil(#all * 0.99)]
      plain = plain or { median, p99 }
      rows[i] = { way[1], report.time(median), report.time(p99) }
      for k, value in ipairs { median - plain[1], p99 - plain[2] } do
        rows[i][k + 3] = i == 1 and "-" or ("%.2f ms"):format(value * 1e3)
      end
    end
    local title = "One exchange more of a conversation of 300 KB to 500 KB, %d at once, one worker"
    report.print(title:format(conversations), { "median", "p99", "adds, median", "adds, p99" }, rows)
  end
end

local function memory(server)
  local one, rows, grow = connection(server.dir.path .. "/gateway.sock"), {}, nil
  for i = 1, REQUESTS do
    if (i - 1) % 50 == 0 then grow = conversation("memory" .. i, 900) end
    local done = false
    one.post("/sink", grow(1), function()
      done = true
    end)
    while not done do
      uv.run "once"
    end
    if i % EVERY == 0 then
      local kib = tonumber((server.dir:run "curl -sS --unix-socket gateway.sock http://x/memory"))
      local resident = server.dir:run "ps -o rss= --ppid $(cat nginx.pid) | sort -n | tail -n 1"
      rows[#rows + 1] =
        { ("%d requests"):format(i), ("%.1f MB"):format(kib / 1024), ("%.0f MB"):format(tonumber(resident) / 1024) }
    end
  end
  one.close()
  report.print("What a worker holds, a new conversation every 50 requests", { "Lua", "resident" }, rows)
end

return function()
  if not nginx.is_here() then error("no nginx in build/nginx: .ci/nginx.sh", 0) end
  local server = nginx.start(INIT, nil, nil, "4m")
  local ok, why = pcall(function()
    latency(server)
    memory(server)
  end)
  server:stop()
  if not ok then error(why, 0) end
end
