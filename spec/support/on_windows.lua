--- What must work on Windows, and what is refused there, which `make test-windows` runs with two Luas under wine.
local abridge = require "abridge"
local readme_example = require "support.readme_example"

local file = assert(os.tmpname())
local handle = assert(io.open(file, "wb"))
assert(handle:write "one\r\ntwo\nthree")
assert(handle:close())

local content, cut = abridge.page(file, { offset = 2 })
assert(content == "two\nthree" and cut.total_lines == 3 and cut.total_bytes == 14, "a page is read in binary")
assert(abridge.page((file:gsub("\\", "/")), { offset = 3 }) == "three", "slashes are as good as backslashes")
assert(os.remove(file))

local function refused(path, code)
  local page, message, told = abridge.page(path)
  assert(page == nil and told == code, ("%s: %s, not %s"):format(path, tostring(told), code) .. tostring(message))
end
refused(file, "ENOENT")
refused("C:\\windows", "EISDIR")
refused("NUL", "ENOTREG")
refused("\\\\.\\pipe\\none", "ENOTREG")

local stream = abridge.stream { strategy = "tail", max_bytes = 10, full_output = { dir = "C:\\out", name = "a.log" } }
assert(stream:write(("a line\n"):rep(9)))
local _, told = stream:finish()
assert(told.full_output_error == "not supported on Windows" and not told.full_output_path)

local text = ("ok\n"):rep(5000) .. "src/cart.c:12:5: error: expected ';'\n"
local shown, what = abridge.auto(text, { max_bytes = 2000 })
assert(shown:find("error: expected", 1, true) and what.kind == "log", "auto")
assert(abridge.cap(text, "run_command"):find("[Showing 2000 of 5001 lines", 1, true), "cap")
assert(abridge.kind(text) == "log")
assert(abridge.clean "\27[1ma\27[m\r\n" == "a\n")

-- A conversation whose reads go, but the last of each file.
local messages, arguments = { { role = "user", content = "go" } }, '{"path":"C:\\\\src\\\\f%d.lua"}'
for i = 1, 30 do
  local call = { name = "read_file", arguments = arguments:format(i % 9) }
  messages[#messages + 1] =
    { role = "assistant", tool_calls = { { id = "c" .. i, type = "function", ["function"] = call } } }
  messages[#messages + 1] = { role = "tool", tool_call_id = "c" .. i, content = ("line of text\n"):rep(400) }
end
local _, report = require("abridge.history").fit(messages, { format = "openai", max_tokens = 9000 })
assert(report.fits and report.tokens_before > 60000 and report.tokens_after <= 9000, "history.fit")

-- A session: read_file and tools of its own.
local session = assert(abridge.session { run_dir = false })
assert(session:call("run_command", { command = "dir" }).content == "not supported on Windows")
for _, opts in ipairs { { run_dir = "C:\\out" }, { root = "C:\\" } } do
  local opened, why, number = abridge.session(opts)
  assert(not opened and why == "not supported on Windows" and number == "ENOTSUP", why)
end
session:close()

-- Paths as Windows writes them, from a session's folder.
session = assert(abridge.session { run_dir = false, cwd = "C:\\windows" })
local wanted = session:call("read_file", { path = "C:/windows/win.ini" })
assert(not wanted.is_error and wanted.content ~= "", wanted.content)
for _, path in ipairs {
  "win.ini",
  ".\\win.ini",
  "system32/..\\win.ini",
  "\\windows\\win.ini",
  "c:win.ini",
  "c:\\WINDOWS/win.ini",
} do
  assert(session:call("read_file", { path = path }).content == wanted.content, path)
end
session:close()

-- Without a core: what to get, by the name of the file that a release has.
local loaded, cpath = {}, package.cpath
for _, name in ipairs { "abridge.core", "abridge.base.core_loader" } do
  loaded[name], package.loaded[name] = package.loaded[name], nil
end
package.cpath = ""
local found, message = pcall(require, "abridge.base.core_loader")
local missing = "abridge: its core (abridge/core.dll) is missing:\nunpack abridge-%s-lua%s-windows-x86_64.zip "
  .. "of the release beside the program that runs Lua"
assert(not found and message == missing:format(abridge.version, _VERSION:match "%d.%d"), message)
package.cpath = cpath
for name, module in pairs(loaded) do
  package.loaded[name] = module
end
assert(require("abridge.base.own_folder").find() == ".", "the folder of these files")

local readme = assert(io.open("README.md", "rb"))
local code, shown_there = readme_example.of((readme:read("*a"):gsub("\r", "")))
readme:close()
local printed = {}
local environment = setmetatable({
  print = function(...)
    printed[#printed + 1] = table.concat({ ... }, " ")
  end,
}, { __index = _G })
local chunk = assert((setfenv and loadstring or load)(code, "=README.md", "t", environment))
if setfenv then setfenv(chunk, environment) end
chunk()
assert(table.concat(printed, "\n") == shown_there, "the README's example: " .. table.concat(printed, "\n"))

print((jit and "LuaJIT" or _VERSION) .. " on Windows: all that must work does, and the README's example")
