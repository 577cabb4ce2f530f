-- What each thread of lua_threads.c does: every kind of work of the core, on texts of its own and on one common file.
package.path = "lua/?.lua;lua/?/init.lua;" .. package.path -- a stream that is cleaned is judged in Lua

local core = require "abridge.core"

local ROUNDS = 60
local lines = {}
for i = 1, 3000 do
  lines[i] = i % 97 == 0 and "src/a.c:3:1: error: no 'x'" or ("line \27[31m%d\27[0m \195\169\255"):format(i)
end
local text = table.concat(lines, "\n")

local index = core.index()
for round = 1, ROUNDS do
  for _, strategy in ipairs { "auto", "head", "tail", "head_tail", "priority" } do
    local opts = { strategy = strategy, max_bytes = 100 + round * 50, max_tokens = 2000 }
    opts.clean, opts.utf8 = true, "replace"
    local want = core.cut(text, opts)
    local stream = core.stream(opts)
    for at = 1, #text, 8000 do
      assert(stream:write(text:sub(at, at + 7999)))
    end
    local got = stream:finish()
    assert(got == want, strategy)
    stream:close()
  end
  local page = assert(core.page("README.md", { strategy = "head", max_chars = 500, offset = round, index = index }))
  assert(page:snapshot() ~= "")
  page:close()
  assert(core.count_chars(text) > 0 and core.estimate_tokens(text) > 0 and core.cells(text) > 0)
  assert(#core.pipeline(text, { max_chars = 300, max_lines = 10 }) > 0)
  core.info_json { truncated = false, bytes_returned = round, reason = "size_cap" }
end
