-- mk/one/pack.lua BYTES TABLE MODULE...: modules below lua/ and all that they name as stripped bytecode, one after the
-- other, and C rows that tell where each is, in the order of their names. What is for Neovim alone is left out. Run by
-- the Lua that is in the one file.

local paths, names = {}, {}

--- The file of a module.
local function path_of(name)
  local base = "lua/" .. name:gsub("%.", "/")
  for _, path in ipairs { base .. ".lua", base .. "/init.lua" } do
    local file = io.open(path)
    if file then return path, file:read "a", file:close() end
  end
end

--- Take a module, and those that it names.
local function take(name)
  local path, text = path_of(name)
  if not path or paths[name] or name:find "^abridge%.nvim%f[.%z]" then return end
  paths[name], names[#names + 1] = path, name
  for used in text:gmatch '"(abridge[%w_.]*)"' do
    take(used)
  end
end

for i = 3, #arg do
  take(arg[i])
end
table.sort(names)

local bytes, rows, at = {}, {}, 0
for i, name in ipairs(names) do
  bytes[i] = string.dump(assert(loadfile(paths[name], "t")), true)
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
