--- A private folder for the files of one spec, and what specs need to start programs in it.

local environment = require "support.environment"
local host = require "abridge.base.host"
local paths = require "support.paths"

local M = {}

local Dir = {}
Dir.__index = Dir

--- A word as `sh` reads it back.
function M.quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

--- A new folder; call `remove` when the spec is done.
function M.new()
  local base = (os.getenv "TMPDIR" or "/tmp"):gsub("/+$", "")
  local path = assert(host.uv().fs_mkdtemp(base .. "/abridge-spec-XXXXXX"))
  return setmetatable({ path = path }, Dir)
end

--- The path of a file of this folder.
function Dir:at(name)
  return self.path .. "/" .. name
end

--- Write a file; returns its path.
function Dir:write(name, text)
  local file = assert(io.open(self:at(name), "wb"))
  assert(file:write(text))
  file:close()
  return self:at(name)
end

--- What a file holds; nil when it is not there.
function Dir:read(name)
  return (paths.read(self:at(name)))
end

--- Run a shell script in this folder: what it wrote to stdout, to stderr, and its exit code.
function Dir:sh(script)
  local redirect = (" >%s 2>%s"):format(M.quote(self:at ".out"), M.quote(self:at ".err"))
  local line = "cd %s && { (%s)%s; echo $? >%s; }"
  os.execute(line:format(M.quote(self.path), script, redirect, M.quote(self:at ".code")))
  return self:read ".out", self:read ".err", tonumber((self:read ".code"))
end

--- What a shell script in this folder writes to stdout; it must succeed and write nothing to stderr.
function Dir:run(script)
  local out, err, code = self:sh(script)
  if err ~= "" or code ~= 0 then error(("status %s from %s\n%s%s"):format(tostring(code), script, out, err), 2) end
  return out
end

--- Call `body` while a shell script of this folder stands in place of a program; returns what it returns.
function Dir:with_program(name, script, body)
  self:sh "mkdir -p bin"
  assert(host.uv().fs_chmod(self:write("bin/" .. name, "#!/bin/sh\n" .. script .. "\n"), 448)) -- 0700
  return environment.with({ PATH = self:at "bin" .. ":" .. host.uv().os_getenv "PATH" }, body)
end

function Dir:remove()
  os.execute("chmod -R u+rwx " .. M.quote(self.path) .. " 2>/dev/null; rm -rf " .. M.quote(self.path))
end

--- The program of this host, or what .ci/hosts.sh made to start it with what it needs.
function M.program()
  return os.getenv "ABRIDGE_PROGRAM" or host.uv().exepath()
end

--- A command line that runs a script in a Neovim without the user's files; `settings` are those of `:set`.
function M.headless(program, script, settings)
  local line = "%s --headless -u NONE -i NONE -n --cmd 'set shada= %s' -c 'luafile %s' -c 'qa!'"
  return line:format(M.quote(program), settings or "", script)
end

--- The interpreter that runs this spec; nil inside Neovim.
function M.interpreter()
  return not host.in_nvim and M.program() or nil
end

--- The folder of the checkout, from where specs run.
function M.root()
  return host.uv().cwd()
end

--- A command line that runs a script of this folder in a plain Lua: this host's; Neovim's is the one that was built.
function Dir:lua_command(script, ...)
  local quote, root = M.quote, M.root()
  local interpreter, version = M.interpreter(), _VERSION:match "%d+%.%d+"
  if not interpreter then
    interpreter = assert(paths.read(root .. "/build/bin/abridge")):match 'exec (.-) "'
    version = interpreter:match "%d%.%d" or "5.4"
  end
  local words = { "env -u LUA_INIT" }
  words[2] = "LUA_PATH=" .. quote(root .. "/lua/?.lua;" .. root .. "/lua/?/init.lua;;")
  words[3] = "LUA_CPATH=" .. quote(root .. "/build/" .. version .. "/?.so;;")
  words[4], words[5] = quote(interpreter), quote(self:at(script))
  for i = 1, select("#", ...) do
    words[5 + i] = quote((select(i, ...)))
  end
  return table.concat(words, " ")
end

--- What a script prints, in a plain Lua, where the modes of files count for root too; nil where root cannot have that.
---@param code string the script, which is called with the path of this folder
---@return string?
function Dir:unprivileged(code)
  local drop = ""
  if host.uv().getuid() == 0 then
    drop = "setpriv --bounding-set=-dac_override,-dac_read_search "
    if select(3, self:sh(drop .. "true")) ~= 0 then return nil end
  end
  self:write("unprivileged.lua", code)
  local out, err, status = self:sh(drop .. self:lua_command("unprivileged.lua", self.path))
  if status ~= 0 then error(err, 2) end
  return out
end

return M
