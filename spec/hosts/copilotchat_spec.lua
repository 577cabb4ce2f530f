local abridge = require "abridge"
local adapter = require "abridge.copilotchat"
local copilotchat = require("support.plugins").driver "copilotchat"
local coreless = require "support.standins.coreless"
local host = require "abridge.base.host"
local lines = require "support.numbered"
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"
local warned = require "support.warned"

local LIMITS = { strategy = "head_tail", max_bytes = 500 }
local NOTICE = "%[Showing %d+ of %d+ lines %(500B limit%)%]"

--- Functions of a user's, for each form of what one gives.
local function functions()
  return {
    returns = {
      resolve = function(input)
        return input.output
      end,
    },
    fails = {
      resolve = function(input)
        error(input.why, input.level)
      end,
    },
    bare = { uri = "bare://it" },
  }
end

--- A command that writes to both outputs.
local FAILING = "echo one; echo two >&2; echo three; echo four >&2; exit 3"

describe("abridge.copilotchat", function()
  local chat

  before_each(function()
    chat = copilotchat.new { functions = functions() }
  end)

  local function attach(opts)
    return adapter.attach(chat.module, opts or { limits = LIMITS })
  end

  it("caps what a function gives: a text, or resources that share a budget", function()
    attach()
    local text = chat.use("returns", { output = lines(1000) })
    assert.is_true(#text <= 500)
    assert.matches("^line 1\n.*line 1000\n\n" .. NOTICE .. "$", text)
    text = chat.use("returns", { output = { { data = lines(1000) }, { data = "short" }, { data = lines(1000) } } })
    assert.is_true(#text <= 502)
    assert.matches(
      "^line 1\n.*line 1000\n\n%[Showing [^\n]*%]\nshort\nline 1\n.*line 1000\n\n%[Showing [^\n]*%]$",
      text
    )
  end)

  it("gives what fits as it is, and all that is no text", function()
    attach()
    local other = { uri = "file://b" }
    local output = { { uri = "file://a", name = "a", mimetype = "text/plain", data = "short" }, other, note = 1 }
    local functions_now = chat.module.config.functions
    local got = functions_now.returns.resolve { output = output }
    assert.same(output, got)
    assert.equal(other, got[2])
    local cut = functions_now.returns.resolve { output = { { uri = "file://a", name = "a", data = lines(1000) } } }
    assert.same({ "file://a", "a" }, { cut[1].uri, cut[1].name })
    assert.equal("short", output[1].data)
    for _, value in ipairs { 12, true, {}, { other } } do
      assert.equal(value, functions_now.returns.resolve { output = value })
    end
    assert.is_nil(functions_now.bare.resolve)
  end)

  it("tells stderr and the exit code of bash, in the order written", function()
    assert.equal("one\nthree\n", chat.use("bash", { command = FAILING })) -- all that it gives by itself
    attach()
    assert.equal("one\ntwo\nthree\nfour\n\nCommand exited with code 3", chat.use("bash", { command = FAILING }))
    assert.equal("(no output)\n\nCommand exited with code 1", chat.use("bash", { command = "exit 1" }))
    assert.equal("(no output)", chat.use("bash", { command = "true" }))
    assert.equal("it's\n", chat.use("bash", { command = [[x="it's"; echo "$x"]] }))
    assert.equal("a\n\nCommand exited with code 2", chat.use("bash", { command = "printf a; exit 2" }))
    if host.uv() then
      assert.equal("(no output)\n\nCommand killed by signal KILL", chat.use("bash", { command = "kill -9 $$" }))
    end
  end)

  it("keeps the failure and the exit code of a long bash within the limits", function()
    attach { limits = { max_bytes = 2000 } }
    local command = "seq 1 20000 | sed 's/^/compiling file /'; echo 'main.c:3:5: error: expected ;' >&2; "
      .. "seq 1 20000 | sed 's/^/compiling other /'; exit 2"
    local text = chat.use("bash", { command = command })
    assert.is_true(#text <= 2000)
    assert.truthy(text:find("\nmain.c:3:5: error: expected ;\n", 1, true), text)
    assert.matches("\n\nCommand exited with code 2\n\n%[Showing [^\n]*%]$", text)
  end)

  it("leaves a bash of the user's own in its place, and caps it", function()
    chat = copilotchat.new {
      functions = {
        bash = {
          resolve = function(input)
            return { { data = "own " .. input.command .. "\n" .. lines(1000) } }
          end,
        },
      },
    }
    attach()
    local text = chat.use("bash", { command = "x" })
    assert.matches("^own x\nline 1\n", text)
    assert.is_true(#text <= 500)
  end)

  it("caps what a function raises, without the places that the plugin takes off", function()
    attach()
    assert.equal("broken", chat.use("fails", { why = "broken", level = 1 }))
    assert.equal("spec: broken", chat.use("fails", { why = "a.lua:1: b.lua:2: spec: broken", level = 0 }))
    local text = chat.use("fails", { why = lines(1000), level = 0 })
    assert.is_true(#text <= 500)
    assert.matches("^line 1\n.*line 1000\n\n" .. NOTICE .. "$", text)
    assert.matches("table", chat.use("fails", { why = {}, level = 0 }))
  end)

  it("wraps a function once, also after another setup, and gives it back", function()
    local before = chat.module.config.functions.returns.resolve
    local undo = attach()
    local ours = chat.module.config.functions.returns.resolve
    attach { limits = { max_bytes = 1 } }
    assert.equal(ours, chat.module.config.functions.returns.resolve)
    undo()
    undo()
    assert.equal(before, chat.module.config.functions.returns.resolve)
    attach()
    chat.module.setup { functions = { late = {
      resolve = function()
        return lines(1000)
      end,
    } } }
    attach { limits = { strategy = "head_tail", max_bytes = 300 } }
    assert.is_true(#chat.use("late", {}) <= 300)
    local text = chat.use("returns", { output = lines(1000) })
    assert.is_true(#text <= 500 and #text > 300)
    assert.equal(1, select(2, text:gsub("%[Showing", "")))
  end)

  it("keeps full outputs in the log of its session, a call for each text", function()
    if not host.uv() then return pending "luv is missing" end
    local dir = tmpdir.new()
    local session = abridge.session {
      run_dir = dir:at "run",
      limits = { bash = { strategy = "tail", max_lines = 3 } },
    }
    attach { session = session }
    local text = chat.use("bash", { command = "seq 1000; exit 4" })
    assert.matches(
      "^1000\n\nCommand exited with code 4\n\n%[Showing lines 1000%-1002 of 1002%. Full output: /.*%]$",
      text
    )
    chat.use("returns", { output = "short" })
    local results = session:events { type = "tool_result" }
    assert.same({ 2, "bash", "returns" }, { #results, results[1].tool, results[2].tool })
    local full = session:full_output(results[1].call_id)
    assert.matches("^1\n2\n.*1000\n\nCommand exited with code 4", full)
    session:close()
    dir:remove()
  end)

  it("raises on misuse, naming it", function()
    for _, case in ipairs {
      { "chat must be the module CopilotChat, after its setup", 3 },
      { "chat must be the module CopilotChat, after its setup", { config = {} } },
      { "unknown option 'limit' %(value 3%)", chat.module, { limit = 3 } },
      { "session: unknown option 'limit' %(value 3%)", chat.module, { session = { limit = 3 } } },
    } do
      local ok, message = pcall(function()
        adapter.attach(case[2], case[3])
      end)
      assert.is_false(ok)
      assert.matches("^spec/hosts/copilotchat_spec.*abridge%.copilotchat%.attach: " .. case[1], message)
    end
  end)
end)

describe("abridge.copilotchat without the core", function()
  it("cuts crudely, with stderr and exit code, and says so once", function()
    coreless("abridge.copilotchat", function(crude)
      local chat = copilotchat.new { functions = functions() }
      local told = warned(function()
        crude.attach(chat.module, { session = { limits = { bash = { max_bytes = 300 } } } })
        local text = chat.use("bash", { command = "seq 1000; echo why >&2; exit 3" })
        assert.is_true(#text <= 300)
        assert.matches("^1\n2\n.*%.%.%. %[%d+ bytes, cut to 300%] %.%.%.\n.*why\n\nCommand exited with code 3$", text)
        assert.is_true(#chat.use("returns", { output = { { data = lines(30000) } } }) <= 10240)
        assert.is_true(#chat.use("fails", { why = lines(30000), level = 0 }) <= 10240)
        assert.equal("short", chat.use("returns", { output = { { data = "short" } } }))
      end)
      assert.matches("^abridge: the output of [%w_]+ was cut crudely: its core [^\n]*$", told)
    end)
  end)
end)

describe("examples/copilotchat.lua", function()
  it("caps what the model gets, keeps it whole, and numbers the lines of a file right", function()
    if not host.uv() then return pending "luv is missing" end
    local chat = copilotchat.new {
      functions = {
        file = {
          resolve = function()
            return { { uri = "file://x", data = lines(50000) } }
          end,
        },
      },
    }
    local before = package.loaded.CopilotChat
    package.loaded.CopilotChat = chat.module
    assert(loadfile "examples/copilotchat.lua")()
    package.loaded.CopilotChat = before
    local part = "seq -f 'line %g of the output' 5000"
    local text = chat.use("bash", { command = ("%s; echo 'FAILED: 1 test' >&2; %s; exit 1"):format(part, part) })
    assert.is_true(#text <= 20480)
    assert.truthy(text:find("\nFAILED: 1 test\n", 1, true))
    local kept = paths.read(text:match "Full output: (/[^%]]+)%]$")
    assert.matches(
      "^line 1 of.*\nFAILED: 1 test\nline 1 of.*\nline 5000 of the output\n\nCommand exited with code 1$",
      kept
    )
    text = chat.use("file", {})
    assert.is_true(#text <= 20480)
    assert.matches("^line 1\nline 2\n.*\n\n%[Showing lines 1%-%d+ of 50000%. Full output: /[^\n]*%]$", text)
  end)
end)
