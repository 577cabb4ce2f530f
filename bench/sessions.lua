-- Makes the conversations that examples/replay.lua is measured on: editing sessions over hundreds of calls on copies of
-- repositories, with the real outputs of real tools.
--
--   lua bench/sessions.lua OUT [REPOSITORY ...]     this repository and what else is given; writes OUT/*.json
--
-- The model is a script. As people do, it works at a task for a while, goes back to files it knows, and names things it
-- has seen: most a moment ago, some long before, both those that only a tool printed and those it made up itself. The
-- same folders give the same calls; what they print is the machine's.
local abridge = require "abridge"
local json = require "cjson"

local REPLIES = 420
local MOST_FILES = 400 -- of a repository
local FILES = { c = true, h = true, js = true, lua = true, md = true, mjs = true, pm = true, py = true, sh = true }
local FILE_BYTES = 60000

-- chance, the same on every machine ------------------------------------------------------------

local state = 1

local function below(n)
  state = state * 16807 % 2147483647
  return state % n
end

local function choose(list)
  return list[below(#list) + 1]
end

--- One of a list, late ones far more likely: half of the time one of the last eight, else one of the last `far`.
local function recent(list, far)
  local n = #list
  if below(2) == 0 then return list[n - below(math.min(n, 8))] end
  if below(4) > 0 then return list[n - below(math.min(n, far or 60))] end
  return choose(list)
end

-- a repository -----------------------------------------------------------------------------------

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function lines_of(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do
    lines[#lines + 1] = line
  end
  pipe:close()
  return lines
end

--- A copy of a repository in a temporary folder, under git, and the files in it that are edited.
local function copied(repository)
  local dir = lines_of("mktemp -d")[1]
  local quoted = "'" .. repository:gsub("'", "'\\''") .. "'"
  assert(
    os.execute(
      (
        "cd %s && find . -type f -size -100k -not -path '*/.git/*' -not -path '*/build/*' "
        .. "-not -path '*/data/*' -not -path '*/__pycache__/*' | LC_ALL=C sort "
        .. "| head -n 2000 | tar -cf - -T - | tar -xf - -C %s"
      ):format(quoted, dir)
    )
  )
  os.execute(
    ("cd %s && git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm start"):format(dir)
  )
  local files = {}
  for _, path in ipairs(lines_of(("cd %s && git ls-files"):format(dir))) do
    local size = #read(dir .. "/" .. path)
    if FILES[path:match "%.(%w+)$"] and size > 1500 and size < FILE_BYTES and #files < MOST_FILES then
      files[#files + 1] = path
    end
  end
  return dir, files
end

-- the model that is a script -----------------------------------------------------------------------

local Model = {}
Model.__index = Model

--- A name that it makes up.
function Model:new_name()
  local first = { "load", "fit", "read", "make", "check", "merge", "count", "split", "find", "close" }
  local second = { "rows", "spans", "names", "header", "budget", "cursor", "table", "notice", "window", "entry" }
  self.made = self.made + 1
  local name = ("%s_%s_%d%d"):format(choose(first), choose(second), self.made, below(10))
  self.own[#self.own + 1] = name
  return name
end

--- A name for an edit: its own or one that a tool printed, of a moment ago or of long ago.
function Model:name()
  local kind = below(10)
  if kind < 2 or #self.own == 0 then return self:new_name() end
  if kind < 5 then return recent(self.own, 40) end
  if #self.seen == 0 then return self:new_name() end
  return recent(self.seen, 400)
end

--- Remember names that a tool printed.
function Model:see(text)
  local picked = 0
  for name in text:gmatch "[%a_][%w_%.]+[%w_]" do
    if #name >= 9 and #name <= 40 and picked < 12 and below(9) == 0 then
      self.seen[#self.seen + 1], picked = name, picked + 1
    end
  end
end

--- Lines of a file as it is now, for an edit.
function Model:excerpt(path)
  local lines = {}
  for line in (read(self.dir .. "/" .. path) .. "\n"):gmatch "(.-)\n" do
    lines[#lines + 1] = line
  end
  local n = 3 + below(14)
  local first = below(math.max(#lines - n, 1)) + 1
  return table.concat(lines, "\n", first, math.min(first + n, #lines))
end

--- Source that it writes: a line a name or two.
function Model:source(path, n)
  local out = {}
  local open = path:find "%.py$" and "    %s = %s(%s, %d)" or "  local %s = %s(%s, %d)"
  for i = 1, n do
    out[i] = open:format(self:name(), self:name(), self:name(), below(1000))
  end
  return table.concat(out, "\n")
end

local function call(name, input)
  return { name = name, input = input }
end

function Model:edit(path)
  local old = self:excerpt(path)
  local new = old:gsub("[^\n]*$", "") .. self:source(path, 2 + below(12)) .. "\n" .. old:match "[^\n]*$"
  return call("edit_file", { path = path, old = old, new = new })
end

function Model:command(path)
  local compile = path:find "%.lua$" and "luac5.4 -p " .. path
    or path:find "%.[ch]$" and "gcc -std=c11 -fsyntax-only -Wall -Wextra -I csrc " .. path
    or path:find "%.py$" and "python3 -m py_compile " .. path
    or "wc -lc " .. path
  return call("run_command", {
    command = choose {
      compile,
      compile .. "; echo status $?",
      "git diff " .. path,
      "git diff --stat && git status --short",
      ("grep -n '%s' -r . | head -40"):format(self:name()),
      ("grep -c '' %s && grep -n 'return' %s | tail -60"):format(path, path),
      "git log --oneline -5 && ls -la " .. (path:match "^(.*)/" or "."),
      ("awk 'length > 100' %s | head -50; sed -n '%d,+60p' %s"):format(path, 1 + below(200), path),
    },
  })
end

--- The calls of the next reply.
function Model:calls()
  local path, step = self.path, self.step
  self.step = step + 1
  if step == 1 then
    return { call("search_files", { pattern = self:name():match "%w+$", path = path:match "^[^/]+" }) }
  end
  if step == 2 then
    local offset = below(3) == 0 and 1 + 40 * below(6) or nil
    return { call("read_file", { path = path, offset = offset, limit = below(2) == 0 and 120 + 40 * below(4) or nil }) }
  end
  if step == 3 and below(2) == 0 then
    return { call("read_file", { path = recent(self.known) }), call("read_file", { path = recent(self.known) }) }
  end
  local kind = below(10)
  if kind < 4 then return { self:edit(path) } end
  if kind < 5 then
    local new = ("%s/%s.%s"):format(path:match "^(.*)/" or ".", self:new_name(), path:match "[^.]*$")
    return { call("write_file", { path = new, text = self:source(path, 20 + below(80)) .. "\n" }) }
  end
  if kind < 6 then return { call("read_file", { path = recent(self.known), limit = 150 }) } end
  return { self:command(path) }
end

--- Begin another task: at a file it knows, or one of the first listing.
function Model:next_task()
  self.step, self.left = 1, 6 + below(14)
  self.path = #self.known > 3 and below(3) > 0 and recent(self.known) or choose(self.files)
  self.known[#self.known + 1] = self.path
end

-- a session -------------------------------------------------------------------------------------------

local function text_field(description)
  return { type = "string", description = description }
end

local function add_tools(session)
  session:register {
    name = "edit_file",
    input_schema = { type = "object", properties = { path = text_field "", old = text_field "", new = text_field "" } },
    execute = function(input, ctx)
      local path = ctx.path(input.path)
      local text = read(path)
      local first, last = text:find(input.old, 1, true)
      if not first then error("No such text in " .. input.path, 0) end
      write(path, text:sub(1, first - 1) .. input.new .. text:sub(last + 1))
      return "Replaced in " .. input.path
    end,
  }
  session:register {
    name = "write_file",
    input_schema = { type = "object", properties = { path = text_field "", text = text_field "" } },
    execute = function(input, ctx)
      write(ctx.path(input.path), input.text)
      return ("Wrote %d bytes to %s"):format(#input.text, input.path)
    end,
  }
end

local THOUGHTS = {
  "Let me see how this is done elsewhere.",
  "That names what I was looking for.",
  "Now the same in the other place, and then a check.",
  "",
}

--- A conversation in the form of Chat Completions.
local function recorded(repository, seed)
  state = seed
  local dir, files = copied(repository)
  local session = assert(abridge.session { root = dir, run_dir = false })
  add_tools(session)
  local model = setmetatable({ dir = dir, files = files, known = {}, seen = {}, own = {}, made = 0 }, Model)
  local messages = { { role = "user", content = "Bring these files up to the new interface, one after the other." } }
  local calls = { call("find_files", { pattern = "*" }), call("list_directory", { path = "." }) }
  model:next_task()
  for i = 1, REPLIES do
    local reply = { role = "assistant", content = choose(THOUGHTS), tool_calls = {} }
    if below(4) == 0 then reply.content = ("I shall use `%s` for that."):format(model:name()) end
    messages[#messages + 1] = reply
    for k, made in ipairs(calls) do
      local id = ("call_%d_%d"):format(i, k)
      local part = { name = made.name, arguments = json.encode(made.input) }
      reply.tool_calls[k] = { id = id, type = "function", ["function"] = part }
      local result = session:call(made.name, made.input)
      model:see(result.content)
      messages[#messages + 1] = { role = "tool", tool_call_id = id, content = result.content }
    end
    model.left = model.left - 1
    if model.left == 0 then
      if below(4) == 0 then
        messages[#messages + 1] = { role = "assistant", content = "That is done." }
        messages[#messages + 1] = { role = "user", content = "Good. Go on with the next one." }
      end
      model:next_task()
    end
    calls = model:calls()
  end
  session:close()
  os.execute("rm -rf " .. dir)
  return messages
end

local out = assert(arg[1], "usage: lua bench/sessions.lua OUT [REPOSITORY ...]")
local here = arg[0]:match "^(.*)/bench/" or "."
os.execute("mkdir -p '" .. out .. "'")
for i, repository in ipairs { here, (table.unpack or unpack)(arg, 2) } do
  local messages = recorded(repository, 100 + i)
  write(("%s/session-%d.json"):format(out, i), json.encode { format = "openai", messages = messages })
  print(("%s: %d messages"):format(repository, #messages))
end
