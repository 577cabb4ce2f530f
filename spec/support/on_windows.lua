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

local readme = assert(io.open("README.md", "rb"))
local code, wanted = readme_example.of((readme:read("*a"):gsub("\r", "")))
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
assert(table.concat(printed, "\n") == wanted, "the README's example: " .. table.concat(printed, "\n"))

print((jit and "LuaJIT" or _VERSION) .. " on Windows: all that must work does, and the README's example")
