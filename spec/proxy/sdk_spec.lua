-- `abridge mcp` between a client and servers that others wrote: those of the official SDK, from npm.
local command = require "support.command"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local json = host.json()
local KEY = "io.github.abridge-tools/truncation"

describe("abridge mcp between a client and servers of the SDK #check", function()
  local dir, saw

  setup(function()
    dir = tmpdir.new()
    local numbers = {}
    for i = 1, 100000 do
      numbers[i] = i .. "\n"
    end
    dir:sh "mkdir files"
    dir:write("files/long.txt", table.concat(numbers))
    dir:write("files/short.txt", "hi\n")
    local root = tmpdir.quote(tmpdir.root())
    local line = ("MCP_MODULES=%s/build/mcp/node_modules node %s/spec/proxy/client.mjs %s/files %s"):format(
      root,
      root,
      tmpdir.quote(dir.path),
      command.line("mcp", "--run-dir", dir.path .. "/run", "--")
    )
    local out, err, code = dir:sh(line)
    assert(code == 0, err)
    saw = json.decode(out)
  end)

  teardown(function()
    dir:remove()
  end)

  it("cuts a file of the file system server, its text and the same as structured content", function()
    assert.equal(14, saw.tools)
    assert.is_true(saw.long._meta[KEY].truncated)
    local text, structured = saw.long.content[1].text, saw.long.structuredContent.content
    assert.is_true(#text + #structured <= 30 * 1024)
    assert.truthy(text:find "Full output: .*/run/artifacts/%d+%-read_text_file%.log%]$")
    assert.equal("1\n2\n3\n", structured:sub(1, 6)) -- it is there, as the tool's schema wants it
    assert.equal(#dir:read "files/long.txt", #dir:read "run/artifacts/0001-read_text_file.log")
  end)

  it("leaves what is within the limits", function()
    assert.same({ content = { { type = "text", text = "hi\n" } }, structuredContent = { content = "hi\n" } }, saw.short)
    assert.equal(2, #saw.few.structuredContent.rows)
    assert.is_nil(saw.few._meta)
  end)

  it("shortens arrays so that they keep to the tool's schema", function()
    local rows = saw.rows.structuredContent.rows
    assert.is_true(#rows > 100 and #rows < 5000)
    assert.equal("rows", saw.rows.structuredContent.kind)
    assert.is_true(saw.rows._meta[KEY].truncated)
  end)

  it("lets progress, the server's own requests and cancellation pass", function()
    assert.equal(3, saw.steps)
    assert.equal("the model said yes", saw.asked)
    assert.equal("cancelled", saw.slow)
  end)

  it("tells the client of the server's death", function()
    assert.truthy(saw.died:find "closed")
  end)

  it("leaves a run that can be looked at", function()
    local listed = command.fed(dir, "", "log", "run")
    for _, tool in ipairs { "read_text_file", "rows", "text" } do
      assert.truthy(listed:find("%s" .. tool .. "%s"), tool)
    end
  end)
end)
