--- The clients of `abridge serve` in examples/: a failing command through each, then the report of its run.

local abridge = require "abridge"
local command = require "support.command"
local tmpdir = require "support.tmpdir"

describe("the client of abridge serve in", function()
  local dir

  setup(function()
    dir = tmpdir.new()
    dir:sh "mkdir bin"
    dir:write("bin/abridge", "#!/bin/sh\nexec " .. command.program() .. ' "$@"\n')
    dir:run "chmod 755 bin/abridge"
  end)

  teardown(function()
    dir:remove()
  end)

  for name, client in pairs {
    Python = { "python3", "abridge_serve.py", {} },
    JavaScript = { "node", "abridge_serve.mjs", {} },
    ["a shell"] = { "bash", "abridge_serve.sh", { "jq" } },
  } do
    local program, file, needs = client[1], client[2], client[3]

    it(name .. " runs a failing command #once", function()
      for _, need in ipairs { program, (table.unpack or unpack)(needs) } do
        if not command.has(need) then return pending(need .. " is not here") end
      end
      local run = dir:at(program)
      local words = { tmpdir.root() .. "/examples/" .. file, run, "seq 30000; echo 'a.c:3: error: no'; exit 3" }
      for i, word in ipairs(words) do
        words[i] = tmpdir.quote(word)
      end
      local line = ("PATH=$PWD/bin:$PATH timeout 60 %s %s"):format(program, table.concat(words, " "))
      local out, err, code = dir:sh(line)
      assert.same({ "", 1 }, { err, code })
      assert.matches("\na%.c:3: error: no\n\nCommand exited with code 3\n\n%[Showing 2000 of 30001 lines", out)
      local result = abridge.open_run(run):events({ type = "tool_result" })[1]
      assert.equal(result.content .. "\n", out)
      local page = dir:run(command.line("report", run))
      assert.is_truthy(page:find("a.c:3: error: no", 1, true))
      assert.is_truthy(page:find("exited with code 3", 1, true))
    end)
  end
end)
