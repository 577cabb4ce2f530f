--- `abridge mcp`: bytes pass both ways, results are cut, and it ends as its server does.

local command = require "support.command"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local json = host.json()

local CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}\n'

describe("abridge mcp", function()
  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  --- What comes of a server, a script of the shell, that is given a text.
  local function served(script, text, ...)
    dir:write("server.sh", script)
    local words = { ... }
    words[#words + 1] = #words == 0 and "--no-save" or nil
    for _, word in ipairs { "--", "sh", "server.sh" } do
      words[#words + 1] = word
    end
    return command.fed(dir, text, "mcp", (table.unpack or unpack)(words))
  end

  it("passes any bytes, and those of a line that was torn", function()
    local text = "\0\255not JSON\n\n\r\n" .. CALL .. '{"torn'
    assert.same({ text, "", 0 }, { served("cat", text) })
    local long = ("x"):rep(300000) .. "\n" .. ("y\n"):rep(100000)
    local out, err, code = served("cat", long)
    assert.is_true(out == long)
    assert.same({ "", 0 }, { err, code })
  end)

  it("cuts a result, and keeps it in the folder of the run", function()
    local text = ("line\\n"):rep(5000)
    dir:write("answer", ('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%s"}]}}\n'):format(text))
    local script = "read -r line; cat answer; cat"
    local out, err, code = served(script, CALL, "--run-dir", "run", "--limits", '{"search":{"max_lines":10}}')
    assert.same({ "", 0 }, { err, code })
    local shown = json.decode(out).result.content[1].text
    assert.truthy(
      shown:find "%[Showing 10 of 5000 lines %(10 line limit%)%. Full output: .*run/artifacts/0001%-search%.log%]$"
    )
    assert.equal(("line\n"):rep(5000), dir:read "run/artifacts/0001-search.log")
    local listed = command.fed(dir, "", "log", "run")
    assert.truthy(listed:find "call%-1 +search .* line_cap ")
  end)

  for what, answer in pairs {
    ["a text"] = [[printf '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'
      yes 'line of a text\n' | head -c 50000000 | tr -d '\n'; printf '"}]}}\n']],
    ["an image, which passes"] = [[printf '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"image","data":"'
      yes QUJD | head -c 62500000 | tr -d '\n'; printf '"}]}}\n']],
  } do
    it("takes at most three times the size of a line of 50 MB: " .. what .. " #check", function()
      if not io.open "/proc/self/status" then return pending "/proc is missing" end
      local least = what == "a text" and 20000 or 50000000
      dir:write(
        "server.sh",
        ([[read -r line
        %s
        until [ "$(wc -c <out)" -ge %d ]; do sleep 0.05; done
        grep VmHWM /proc/$PPID/status >&2]]):format(answer, least)
      )
      dir:write("stdin", CALL)
      local _, err = dir:sh(command.line("mcp", "--run-dir", "run", "--", "sh", "server.sh") .. " <stdin >out")
      local most = tonumber(err:match "VmHWM:%s+(%d+) kB")
      local times = _VERSION == "Lua 5.1" and 3.5 or 3 -- a sum of strings is made twice there
      assert.is_true(most * 1024 < times * 50000000, most)
    end)
  end

  it("takes a folder beside the one that another proxy is at work in", function()
    local inner = command.line("mcp", "--run-dir", "run", "--", "true")
    local out, err, code = served(inner .. " && ls -d run*", "", "--run-dir", "run")
    assert.same({ "run\nrun-2\n", "", 0 }, { out, err, code })
  end)

  it("ends with the server's exit code, or by its signal, and prints what it prints to stderr", function()
    assert.same({ "{}", "oh\n", 7 }, { served("echo oh >&2; printf '{}'; exit 7", "") })
    local out, _, code = served("echo x; kill -KILL $$", "")
    assert.same({ "x\n", 137 }, { out, code })
  end)

  it("starts the same server without a --", function()
    dir:write("server.sh", 'echo "$@"')
    assert.same(
      { "-v --no-save\n", "", 0 },
      { command.fed(dir, "", "mcp", "--no-save", "sh", "server.sh", "-v", "--no-save") }
    )
  end)

  it("hands a signal on to the server", function()
    local _, _, code = served("kill -TERM $PPID; exec sleep 20", "")
    assert.equal(143, code)
  end)

  it("ends when nobody reads its answers any more", function()
    dir:write("server.sh", "while echo x; do :; done")
    local line = command.line("mcp", "--no-save", "--", "sh", "server.sh")
    local out = dir:sh(line .. " 2>/dev/null </dev/null | head -n 2")
    assert.equal("x\nx\n", out)
  end)

  it("says what is wrong with its words", function()
    local out, err, code = command.fed(dir, "", "mcp", "--no-save", "--", "./no-such-server")
    assert.same({ "", 127 }, { out, code })
    assert.truthy(err:find "^abridge: %./no%-such%-server: ENOENT")
    local _
    _, err, code = command.fed(dir, "", "mcp")
    assert.equal(2, code)
    assert.truthy(err:find("mcp needs a server", 1, true))
    _, err, code = command.fed(dir, "", "mcp", "--limits", '{"x":{"max_lines":"no"}}', "--", "cat")
    assert.equal(2, code)
    assert.truthy(err:find("limits.x: max_lines", 1, true))
  end)
end)
