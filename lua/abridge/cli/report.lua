--- The `abridge report` command: a run as an HTML page, on stdout or in a file.

local files = require "abridge.base.files"
local host = require "abridge.base.host"
local real_path = require "abridge.base.real_path"
local progress = require "abridge.cli.progress"
local folder = require "abridge.run.folder"
local report = require "abridge.report"
local terminal = require "abridge.cli.terminal"

local M = {}

local BLOCK = 256 * 1024 -- bytes of a write

--- A function that collects text and writes it in blocks, and one that writes the rest.
local function buffered(write)
  local parts, bytes = {}, 0
  local function flush()
    local text = table.concat(parts)
    parts, bytes = {}, 0
    write(text)
  end
  return function(text)
    parts[#parts + 1], bytes = text, bytes + #text
    if bytes >= BLOCK then flush() end
  end,
    flush
end

--- Write the page of a run; fails as commands do.
local function write_page(run, write, base)
  local out, flush = buffered(write)
  local ok, message
  progress.of_run(run, function()
    ok, message = report.write(run, out, base)
  end)
  if not ok then terminal.fail(message) end
  flush()
end

local function is_same(a, b)
  return a ~= nil and b ~= nil and a.ino == b.ino and a.dev == b.dev
end

--- Is a file the log of a run, or one of its full outputs?
local function is_of_run(run, path)
  local uv = host.uv()
  local real, stat = real_path.existing(path)
  if not real then return false end
  return is_same(stat, uv.fs_stat(run.dir .. "/" .. folder.LOG))
    or is_same(uv.fs_stat(real:match "^.*/"), uv.fs_stat(run.dir .. "/" .. folder.ARTIFACTS))
end

--- Write the page to a file.
local function write_file(run, path)
  if is_of_run(run, path) then terminal.bad("-o must name another file than the run's own, got %q", path) end
  local ok, message = files.replace(path, function(write)
    write_page(run, function(text)
      local written, problem = write(text)
      if not written then terminal.fail(problem) end
    end, host.uv().fs_realpath(path:match "^(.*/)[^/]*$" or "."))
  end)
  if not ok then terminal.fail(message) end
end

--- Run `abridge report`. Returns the exit code.
---@param args table as the command line was read
---@return integer
function M.run(args)
  if #args.words ~= 1 then terminal.bad("report needs one RUN_DIR, got %d words", #args.words) end
  local run, message = require("abridge.run.reader").open(args.words[1])
  if not run then terminal.fail(message) end
  local path = args.other.output
  if path and path ~= "-" then
    write_file(run, path)
  elseif terminal.is_terminal(1) then
    terminal.bad "report prints a page: name a file for it with -o, or redirect stdout"
  else
    write_page(run, terminal.out)
  end
  run:close()
  return 0
end

return M
