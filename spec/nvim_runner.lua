-- Runs the suite inside headless Neovim, with the same busted as everywhere else:
--   nvim --headless -u NONE -i NONE -n --cmd 'set shada=' -c 'luafile spec/nvim_runner.lua'
-- The environment variable SPEC narrows it to some files; BUSTED has arguments of busted instead. Ends Neovim, with
-- status 1 if a test failed.

-- Neovim's print() goes to its message area, without line ends; a test's output belongs to stdout.
function print(...) -- luacheck: ignore 121
  local parts = { ... }
  for i = 1, select("#", ...) do
    parts[i] = tostring(parts[i])
  end
  io.stdout:write(table.concat(parts, "\t"), "\n")
end

arg = { [0] = "busted" }
for word in (os.getenv "BUSTED" or os.getenv "SPEC" or ""):gmatch "%S+" do
  arg[#arg + 1] = word
end

-- busted ends a failed run by os.exit() or by an error without a message, depending on how it was started.
-- Neither may bypass Neovim, which would leave its own temporary folder behind.
local ended = {}
os.exit = function(status) -- luacheck: ignore 122
  error(setmetatable({ status = status }, ended), 0)
end

local ok, err = xpcall(function()
  require "busted.runner" { standalone = false }
end, function(err)
  if err == nil or getmetatable(err) == ended then return err end
  return debug.traceback(err, 2)
end)
if not ok and type(err) == "string" then io.stdout:write("spec/nvim_runner.lua: ", err, "\n") end
io.stdout:flush()
local failed = not ok and not (type(err) == "table" and (err.status == 0 or err.status == true))
vim.cmd(failed and "cquit 1" or "qall!")
