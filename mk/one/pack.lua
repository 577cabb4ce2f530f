-- mk/one/pack.lua BYTES TABLE FILE...: Lua files below lua/ as stripped bytecode, one after the other, and C rows that
-- tell where each module is, in the order of their names. Run by the Lua that is in the one file.

local modules, by_name = {}, {}
for i = 3, #arg do
  local name = arg[i]:match("^lua/(.*)%.lua$"):gsub("/init$", ""):gsub("/", ".")
  modules[#modules + 1], by_name[name] = name, arg[i]
end
table.sort(modules)

local bytes, rows, at = {}, {}, 0
for i, name in ipairs(modules) do
  bytes[i] = string.dump(assert(loadfile(by_name[name], "t")), true)
  rows[i] = ('  { "%s", %d, %d },\n'):format(name, at, #bytes[i])
  at = at + #bytes[i]
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

write(arg[1], table.concat(bytes))
write(arg[2], table.concat(rows))
