-- A model's view of real outputs, each cut by its kind, and of a real big file: `make demo`.
local abridge = require "abridge"

local SHOWN = 3 -- lines of each end that this demo prints
local MIN_LINES = 100000

local function lines_of(content)
  local lines = {}
  for line in (content .. "\n"):gmatch "([^\n]*)\n" do
    lines[#lines + 1] = #line > 100 and line:sub(1, 100) .. "..." or line
  end
  return lines
end

local function show(title, result)
  local cut = result.details.cut
  print("\n== " .. title)
  print(("raw output:   %s in %d lines"):format(abridge.format_size(cut.total_bytes), cut.total_lines))
  if cut.kind then print("cut as:       " .. cut.kind) end
  print(("model gets:   %s, %d of the lines:"):format(abridge.format_size(#result.content), cut.output_lines))
  local lines = lines_of(result.content)
  for i, line in ipairs(lines) do
    if i == SHOWN + 1 and #lines > 2 * SHOWN + 2 then print "      |  (...)" end
    if i <= SHOWN or i > #lines - SHOWN - 2 then print("      |  " .. line) end
  end
  print("the block:    " .. abridge.info.parse(result.truncation):to_json())
end

--- A text file of over 100,000 lines: one that this machine has, or else a listing of its files, made here.
local function big_file(session)
  local candidates = "wc -l /var/lib/apt/lists/*_Packages /var/lib/dpkg/available /usr/share/dict/words 2>/dev/null"
  local found = session:call("run_command", { command = candidates }).content
  for count, path in found:gmatch "(%d+) (/%S+)" do
    if tonumber(count) > MIN_LINES then return path end
  end
  local made = os.tmpname()
  local list = "find / -xdev -ls > FILE 2>/dev/null; "
    .. "while [ $(wc -l < FILE) -le MIN ]; do cat FILE FILE > FILE.2; mv FILE.2 FILE; done"
  session:call("run_command", { command = (list:gsub("FILE", made):gsub("MIN", tostring(MIN_LINES))) })
  return made, true
end

--- Commands that print a listing, a log, a diff and JSON on most machines.
local COMMANDS = {
  "find /usr -ls; ls /no/such/folder",
  "cat /var/log/dpkg.log",
  "git diff HEAD~20",
  "cat $(find /usr -xdev -name '*.json' -size +100k | sort | head -n 1)",
}

local session = abridge.session { timeout = 50, limits = { run_command = { max_bytes = "8KB" } } }
for _, command in ipairs(COMMANDS) do
  local result = session:call("run_command", { command = command })
  if result.truncation.truncated then
    show("run_command: " .. command, result)
  else
    print(("\n== run_command: %s\nprints too little here to be cut"):format(command))
  end
end

local path, made = big_file(session)
show("read_file: " .. path, session:call("read_file", { path = path }))
local result = session:call("read_file", { path = path, offset = 60000, limit = 5 })
show("read_file: the same, offset=60000 limit=5", result)
if made then os.remove(path) end
session:close()
