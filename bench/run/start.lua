--- How long the command takes to start as `make install` puts it somewhere, beside programs that people call as often,
--- and what a request to one that runs takes. Wall time, from the fork to the exit.
local host = require "abridge.base.host"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"

local uv = host.uv()

local ONE_FILE = ("build/one/%s/abridge"):format(uv.os_uname().machine)
local CAP = { "cap", "run_command", "--no-save" }

local function joined(a, b)
  local all = {}
  for _, list in ipairs { a, b } do
    for _, word in ipairs(list) do
      all[#all + 1] = word
    end
  end
  return all
end

--- The command as it is installed; it lies below a new folder, the second value.
local function installed()
  local dir = os.tmpname()
  os.remove(dir)
  local line = "unset MAKEFLAGS MAKELEVEL; make -s install LUA=lua5.4 PREFIX=/usr DESTDIR='%s' 1>&2"
  local done = os.execute(line:format(dir))
  if done ~= true and done ~= 0 then error("make install failed", 0) end
  return { "lua5.4", dir .. "/usr/bin/abridge" }, dir
end

--- A run of a program, with a file as its stdin; nil where the program is not here.
local function starter(argv, input)
  local args = {}
  for i = 2, #argv do
    args[i - 1] = argv[i]
  end
  local null = assert(uv.fs_open("/dev/null", "r+", 0))
  local function start()
    local from = input and assert(uv.fs_open(input, "r", 0)) or null
    local code
    local handle = uv.spawn(argv[1], { args = args, stdio = { from, null, null } }, function(exit)
      code = exit
    end)
    while handle and not code do
      uv.run "once"
    end
    if handle then uv.close(handle) end
    if input then uv.fs_close(from) end
    return code
  end
  return start() == 0 and start or nil
end

--- A request of 1 KB to an `abridge serve` that runs, and what ends it.
local function asker(argv, text)
  local stdin, stdout = uv.new_pipe(false), uv.new_pipe(false)
  local handle = uv.spawn(
    argv[1],
    { args = { argv[2], "serve", "--no-save" }, stdio = { stdin, stdout } },
    function() end
  )
  local line = host.json().encode { id = 1, method = "cap", params = { tool = "run_command", text = text } } .. "\n"
  local answered
  uv.read_start(stdout, function(_, chunk)
    answered = answered or chunk == nil or chunk:find("\n", 1, true) ~= nil
  end)
  return function()
    answered = false
    uv.write(stdin, line)
    while not answered do
      uv.run "once"
    end
  end, function()
    for _, one in ipairs { stdin, stdout, handle } do
      uv.close(one)
    end
    uv.run "nowait"
  end
end

return function()
  local text = ("a line of the output\n"):rep(49)
  local input = os.tmpname()
  local file = assert(io.open(input, "wb"))
  file:write(text)
  file:close()
  local command, dir = installed()
  local names, runs = {}, {}
  local function add(name, run)
    if run then
      names[#names + 1], runs[#runs + 1] = name, run
    end
  end
  add("jq --version", starter { "jq", "--version" })
  add("rg --version", starter { "rg", "--version" })
  add("lua5.4 that does nothing", starter { "lua5.4", "-e", "" })
  add("abridge --version", starter(joined(command, { "--version" })))
  add("abridge --version, one file", starter { ONE_FILE, "--version" })
  add("abridge cap, 1KB", starter(joined(command, CAP), input))
  add("abridge cap, 1KB, one file", starter(joined({ ONE_FILE }, CAP), input))
  local ask, close = asker(command, text)
  add("cap of 1KB by abridge serve", ask)
  local medians = measure.turns(runs)
  close()
  os.remove(input)
  os.execute(("rm -rf '%s'"):format(dir))
  local rows = {}
  for i, name in ipairs(names) do
    local ratio = names[1] == "jq --version" and report.digits(medians[i] / medians[1]) .. " x" or "-"
    rows[i] = { name, report.time(medians[i]), ratio }
    if name == "abridge --version" then targets.measured("start", medians[i] * 1e3) end
    if name == "abridge cap, 1KB" then targets.measured("start_cap", medians[i] * 1e3) end
  end
  report.print("Start of the command", { "time", "jq" }, rows)
end
