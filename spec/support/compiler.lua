--- On x64, the compiler of the LuaJIT that Debian 12 and its Neovim 0.7 have may cut a pointer to 32 bits where it
--- compiled a loop over pairs() or next(), and the process dies; it was mended two weeks later, by LuaJIT's commit
--- 5e3c45c43bb0e0f1f2917d432e9d2dba12c42a6e. It takes so rare an order of registers that one run of the suite in many
--- died of it. There the suite is interpreted; with newer Neovims the compiler is on.
local jit = rawget(_G, "jit")
if jit and jit.version == "LuaJIT 2.1.0-beta3" and jit.arch == "x64" then
  jit.off()
  jit.flush()
end

-- Loaded before any spec file: busted forgets what a file loaded, and a second libuv loop would find the handles of the
-- first when that is collected.
if not rawget(_G, "vim") then pcall(require, "luv") end
