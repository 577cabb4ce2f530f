--- What is cut: log lines, as a text and as a file.
local host = require "abridge.base.host"

local M = {}

local uv = host.uv()
local LEVELS = { "INFO", "INFO", "INFO", "DEBUG", "WARN" }
local block, folder
local files = {}

local function log_block()
  if block then return block end
  local lines = {}
  for i = 1, 5000 do
    local line = "2026-03-%02d 10:%02d:%02d.%03d [%s] worker-%d: request %d took %d ms%s\n"
    local extra = (" key=%d"):rep(i % 4):gsub("%%d", tostring(i * 7919))
    lines[i] = line:format(i % 28 + 1, i % 60, i * 7 % 60, i % 1000, LEVELS[i % 5 + 1], i % 16, i, i * 31 % 900, extra)
  end
  block = table.concat(lines)
  return block
end

--- How often the block comes whole, and what follows: whole lines, `size` bytes at most.
local function parts(size)
  local whole = log_block()
  local rest = whole:sub(1, size % #whole):match "^.*\n" or ""
  return math.floor(size / #whole), rest
end

--- Log lines, as many as go into `size` bytes.
function M.log(size)
  local times, rest = parts(size)
  return log_block():rep(times) .. rest
end

--- A folder that M.remove removes.
function M.folder()
  if not folder then
    local base = (os.getenv "TMPDIR" or "/tmp"):gsub("/+$", "")
    folder = assert(uv.fs_mkdtemp(base .. "/abridge-bench-XXXXXX"))
  end
  return folder
end

--- Write a text into a file of the folder, which the caller removes.
function M.write(name, text)
  local path = M.folder() .. "/" .. name
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
  return path
end

--- The same in a file, made once: its path, bytes and lines. It is dated back: the index keeps no file just written.
function M.log_file(size)
  local made = files[size]
  if not made then
    local times, rest = parts(size)
    made = { path = ("%s/%.0f.log"):format(M.folder(), size), bytes = times * #log_block() + #rest }
    made.lines = times * 5000 + select(2, rest:gsub("\n", ""))
    local file = assert(io.open(made.path, "wb"))
    for _ = 1, times do
      assert(file:write(log_block()))
    end
    assert(file:write(rest))
    assert(file:close())
    assert(uv.fs_utime(made.path, os.time() - 60, os.time() - 60))
    files[size] = made
  end
  return made.path, made.bytes, made.lines
end

--- Remove a file of log lines again.
function M.remove_file(size)
  if files[size] then os.remove(files[size].path) end
  files[size] = nil
end

function M.remove()
  for size in pairs(files) do
    M.remove_file(size)
  end
  if folder then uv.fs_rmdir(folder) end
  folder = nil
end

--- `size` bytes of lines of `length` bytes each, newlines counted.
function M.lines_of(length, size)
  local line = ("x"):rep(length - 1) .. "\n"
  return line:rep(math.max(1, math.floor(size / length)))
end

--- Lines of which a third is not ASCII: letters of two and of three bytes.
function M.letters(size)
  local letters = "\208\183\208\176\208\191\209\128\208\190\209\129 \226\148\130 \228\189\160\229\165\189"
  local line = "%d " .. letters .. " took %d ms, and then some\n"
  local lines = {}
  for i = 1, 5000 do
    lines[i] = line:format(i, i * 7919 % 1000)
  end
  local whole = table.concat(lines)
  return whole:rep(math.max(1, math.floor(size / #whole)))
end

--- Lines of a build, `hits` of them errors, evenly spread.
function M.build_log(size, hits)
  local lines = {}
  local count = math.floor(size / 72)
  local compiled = "[%6d] cc -O2 -Wall -Werror -Iinclude -c src/unit_%d.c -o build/unit_%d.o"
  for i = 1, count do
    lines[i] = compiled:format(i, i % 1000, i % 1000)
  end
  for i = 1, hits do
    local at = math.floor((i - 0.5) * count / hits) + 1
    lines[at] = ("src/unit_%d.c:%d:3: error: use of undeclared identifier 'x%d'"):format(i, i % 400, i)
  end
  return table.concat(lines, "\n") .. "\n"
end

return M
