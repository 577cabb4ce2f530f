--- The `abridge` command, as specs run it.

local tmpdir = require "support.tmpdir"

local M = {}

local quote = tmpdir.quote

--- What starts it: each host runs the launcher itself; Neovim, which is no interpreter, starts the one that was built.
function M.program()
  local root, interpreter = tmpdir.root(), tmpdir.interpreter()
  local launcher = interpreter and quote(interpreter) .. " " .. quote(root .. "/lua/abridge/bin/abridge")
  return "env -u LUA_PATH -u LUA_CPATH -u LUA_INIT " .. (launcher or quote(root .. "/build/bin/abridge"))
end

--- A command line that runs it with these words.
function M.line(...)
  local words = { M.program() }
  for i = 1, select("#", ...) do
    words[i + 1] = quote((select(i, ...)))
  end
  return table.concat(words, " ")
end

--- Is there a program of that name?
function M.has(name)
  local status = os.execute("command -v " .. name .. " >/dev/null 2>&1")
  return status == true or status == 0
end

--- Run it with these words in a folder of tmpdir, with a text on stdin: stdout, stderr, exit code.
function M.fed(dir, text, ...)
  dir:write("stdin", text)
  return dir:sh(M.line(...) .. " <stdin")
end

return M
