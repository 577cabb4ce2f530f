-- mk/compile.lua FOLDER SOURCES FILE...: files below lua/ as bytecode of the Lua that runs this, below FOLDER. Errors
-- in them name the lines of their sources, which are installed below SOURCES.

for i = 3, #arg do
  local source = assert(io.open("lua/" .. arg[i], "rb"))
  local code = assert((loadstring or load)(source:read "*a", ("@%s/%s"):format(arg[2], arg[i])))
  source:close()
  local compiled = assert(io.open(arg[1] .. "/" .. arg[i], "wb"))
  assert(compiled:write(string.dump(code)))
  assert(compiled:close())
end
