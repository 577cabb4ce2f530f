--- A private folder for specs of runs: sessions in it, and programs that write to runs and are limited or killed.

local host = require "abridge.base.host"
local merge = require "support.merge"
local opened = require "support.opened"
local tmpdir = require "support.tmpdir"

local M = {}

-- Runs commands in a session, and prints their results as JSON.
local CALLER = [[
local abridge = require "abridge"
local host = require "abridge.base.host"
local opts = host.json().decode(arg[1])
local session, message, code = abridge.session(opts)
if not session then
  print(host.json().encode { message = message, code = code })
  os.exit(0)
end
local results = {}
for i = 2, #arg do
  results[#results + 1] = session:call("run_command", { command = arg[i] })
end
session:close()
io.stdout:write(host.json().encode { results = results, run_dir = session.run.dir }, "\n")
]]

--- The result of a command; `more` is other input.
function M.run(session, command, more)
  return session:call("run_command", merge({ command = command }, more))
end

--- A folder of tmpdir with methods for runs.
function M.new()
  local dir, runs = tmpdir.new(), 0
  dir:write("caller.lua", CALLER)

  --- A path for a run that nobody has used yet.
  function dir:new_path()
    runs = runs + 1
    return self:at("run" .. runs)
  end

  --- A session in this folder; opened.close closes it.
  function dir:open(opts)
    return opened.session(merge({ cwd = self.path }, opts))
  end

  --- The results of commands in a session of another process, which a shell runs after `before` (say, "ulimit -f 8; ").
  function dir:in_child(before, opts, ...)
    local json = host.json()
    -- through a pipe: a limit on file sizes must not hit what it prints
    local command = before .. self:lua_command("caller.lua", json.encode(opts), ...)
    local out, err = self:sh("{ " .. command .. "; echo status $?; } | cat")
    if err ~= "" then error(err) end
    local said, status = out:match "^(.*)status (%d+)\n$"
    if status ~= "0" then error("status " .. status) end
    return json.decode(said)
  end

  return dir
end

--- The numbers of events.
function M.seqs(events)
  local list = {}
  for i, event in ipairs(assert(events)) do
    list[i] = event.seq
  end
  return list
end

return M
