--- `abridge cap`: what `session:cap` gives, for hosts in any language.

local abridge = require "abridge"
local command = require "support.command"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local json = host.json()

describe("abridge cap", function()
  local dir
  local log = ("step\n"):rep(3000) .. "a.c:3: error: no\n" .. ("step\n"):rep(3000)

  local function fed(text, ...)
    return command.fed(dir, text, "cap", ...)
  end

  local function refused(expected, ...)
    local out, err, code = fed("text", ...)
    assert.same({ "", 2 }, { out, code })
    assert.matches("^abridge: [^\n]*" .. expected, err)
  end

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("gives content and notice under the limits of the tool", function()
    for _, tool in ipairs { "run_command", "github__search", "search_files", "web_fetch" } do
      local out, err, code = fed(log, tool, "--no-save")
      assert.same({ "", 0 }, { err, code })
      assert.equal((abridge.cap(log, tool)), out, tool)
    end
    assert.same({ "short\n", "", 0 }, { fed("short\n", "run_command", "--no-save") })
    assert.same({ "", "", 0 }, { fed("", "run_command", "--no-save") })
  end)

  it("gives content, notice, block and details with --json", function()
    local out, err, code = fed(log, "run_command", "--no-save", "--max-lines", "3", "--json")
    assert.same({ "", 0 }, { err, code })
    local said = json.decode(out)
    local content, cut, block = abridge.cap(log, "run_command", { limits = { max_lines = 3 } })
    assert.same({ content, block }, { said.content, said.block })
    assert.equal(cut.total_lines, said.details.cut.total_lines)
    assert.equal(content:match "%[[^\n]*%]$", said.notice)
    assert.matches("^%[Showing 3 of 6001 lines %(3 line limit%)", said.notice)
    said = json.decode((fed("short\n", "run_command", "--json")))
    assert.same({ "short\n", false }, { said.content, said.block.truncated })
    assert.is_nil(said.notice)
  end)

  it("keeps the full output where it is told, and a log that abridge log reads", function()
    local out = fed(log, "my-tool", "--run-dir", dir:at "run", "--max-lines", "3")
    local path = out:match "Full output: ([^%]]*)%]$"
    assert.equal(log, dir:read(path:sub(#dir:at "" + 1)))
    assert.matches("\ncall%-1   my%-tool ", (dir:sh(command.line("log", dir:at "run"))))
  end)

  it("takes flags over the limits of a profile, and the file that a text is from", function()
    local session = abridge.session { profile = "pi", run_dir = false, tools = {} }
    local expected = session:cap("bash", log).content
    session:close()
    assert.equal(expected, (fed(log, "bash", "--profile", "pi", "--no-save")))
    local long = ("x"):rep(40000) .. "\n"
    assert.equal((abridge.cap(long, "read_file", { path = "a b.txt" })), (fed(long, "read_file", "--path", "a b.txt")))
  end)

  it("gives valid UTF-8 of any bytes", function()
    assert.equal("an odd byte: \239\191\189\n", (fed("an odd byte: \255\n", "any_tool", "--no-save")))
  end)

  it("refuses what is no tool or limit, in one line", function()
    refused "cap needs one TOOL, got 0"
    refused("cap needs one TOOL, got 2", "a", "b")
    refused("marker", "my-tool", "--strategy", "tail", "--marker", "none")
    refused("unknown flag %-%-explain for cap", "a", "--explain")
  end)
end)
