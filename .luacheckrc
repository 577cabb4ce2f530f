std = "min" -- what Lua 5.1, 5.2, 5.3, 5.4 and LuaJIT have in common
max_line_length = 120
color = false
-- Names of some versions that the code may ask for, with a fallback.
read_globals = {
  "jit",
  "loadstring",
  "setfenv",
  "unpack",
  math = { fields = { "tointeger", "type" } },
  table = { fields = { "pack", "unpack" } },
}

local nvim = { read_globals = { "vim" } }
files["lua/abridge/base/host.lua"] = nvim
files["lua/abridge/process/init.lua"] = nvim
files["lua/abridge/nvim/*.lua"] = { globals = { "vim" } } -- options and variables of buffers are set there
files["plugin/abridge.lua"] = { globals = { "vim" } }
files["lua/abridge/health.lua"] = nvim
files["lua/codecompanion/**/*.lua"] = nvim

files["doc/screenshots.lua"] = nvim
files["examples/agent.lua"] = nvim
files["examples/otel.lua"] = nvim

files["spec/**/*.lua"] = { std = "+busted", read_globals = { "vim" } }
files["spec/nvim_runner.lua"] = { globals = { "arg" } }
files[".luacheckrc"] = { std = "+luacheckrc" }

-- A stand-in for a module of another plugin.
files["examples/flemma.lua"] = { ignore = { "122" } }

-- What tools print, as they do.
files["spec/support/documented_failures.lua"] = { ignore = { "613" }, max_string_line_length = false }
