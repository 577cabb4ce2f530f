local adapter = require "abridge.mcphub"
local coreless = require "support.standins.coreless"
local host = require "abridge.base.host"
local lines = require "support.numbered"
local mcphub = require("support.plugins").driver "mcphub"
local paths = require "support.paths"

local LIMITS = { strategy = "head_tail", max_bytes = 500 }
local IMAGE = { type = "image", data = "AAAA", mimeType = "image/png" }

mcphub.servers = {
  files = {
    read = function(args)
      return { content = { { type = "text", text = lines(args.n) }, IMAGE }, isError = args.fails }
    end,
    resources = function(uri)
      return { contents = { { uri = uri, text = lines(1000) }, { uri = uri, blob = "QUI=" } } }
    end,
  },
}

describe("abridge.mcphub", function()
  local hub

  before_each(function()
    hub = mcphub.setup {}
  end)

  it("caps what chats get of tools, texts and errors, images kept", function()
    adapter.attach(hub, { limits = LIMITS })
    local text = mcphub.avante("files", "read", { n = 1000 })
    assert.is_true(#text <= 500)
    assert.matches("^line 1\n.*line 1000\n\n%[Showing", text)
    local result, failure = mcphub.avante("files", "read", { n = 1000, fails = true })
    assert.is_nil(result)
    assert.is_true(#failure <= 500)
    assert.matches("^line 1\n", failure)
    local got = mcphub.codecompanion("files", "read", { n = 1000 })
    assert.equal("success", got.status)
    assert.is_true(#got.data.text <= 500)
    assert.same({ { data = "AAAA", mimeType = "image/png" } }, got.data.images)
    assert.is_true(got.data.truncation.truncated)
    got = mcphub.codecompanion("files", "read", { n = 1000, fails = true })
    assert.equal("error", got.status)
    assert.is_true(#got.data <= 500)
    assert.equal("line 1\nline 2", (mcphub.avante("files", "read", { n = 2 })))
  end)

  it("caps responses that are not parsed, returned ones, and resources", function()
    adapter.attach(hub, { limits = LIMITS })
    local response = hub:call_tool("files", "read", { n = 1000 })
    assert.is_true(#response.result.content[1].text <= 500)
    assert.equal(IMAGE, response.result.content[2])
    local parsed = hub:call_tool("files", "read", { n = 1000 }, { parse_response = true })
    assert.is_true(#parsed.text <= 500)
    local got
    hub:access_resource("files", "file:///x", {
      parse_response = true,
      callback = function(result, failure)
        got = { result, failure }
      end,
    })
    hub:pump()
    assert.is_true(#got[1].text <= 500)
    assert.matches("^Resource file:///x:\nline 1", got[1].text)
    assert.equal(1, #got[1].blobs)
    assert.is_true(#hub:access_resource("files", "file:///x").result.contents[1].text <= 500)
  end)

  it("hands errors on, capped, and nothing for nothing", function()
    adapter.attach(hub, { limits = LIMITS })
    local response, failure = hub:call_tool("files", ("no"):rep(1000), {})
    assert.is_nil(response)
    assert.is_true(#failure <= 500)
    assert.matches("^Tool not found: no", failure)
    assert.same({ nil, "Tool not found: x" }, { hub:call_tool("files", "x", {}) })
    local seen = 0
    hub:call_tool("files", "x", {}, {
      callback = function(result, message)
        seen = seen + 1
        assert.is_nil(result)
        assert.equal("Tool not found: x", message)
      end,
    })
    hub:pump()
    assert.equal(1, seen)
  end)

  it("gives the hub's own window everything", function()
    adapter.attach(hub, { limits = LIMITS })
    local got
    local opts = {
      parse_response = true,
      caller = { type = "hubui" },
      callback = function(result)
        got = result
      end,
    }
    hub:call_tool("files", "read", { n = 1000 }, opts)
    hub:pump()
    assert.equal(lines(1000), got.text)
  end)

  it("leaves the caller's options alone", function()
    adapter.attach(hub, { limits = LIMITS })
    local function callback() end
    local opts = { callback = callback, timeout = 5 }
    hub:call_tool("files", "read", { n = 1 }, opts)
    hub:pump()
    assert.same({ callback = callback, timeout = 5 }, opts)
  end)

  it("attaches once, and is undone", function()
    local undo = adapter.attach(hub, { limits = LIMITS })
    adapter.attach(hub, { limits = { max_bytes = 10 } })
    assert.is_true(#mcphub.avante("files", "read", { n = 1000 }) > 400)
    undo()
    undo()
    assert.equal(lines(1000), (mcphub.avante("files", "read", { n = 1000 })))
    assert.is_nil(rawget(hub, "call_tool"))
    assert.is_nil(rawget(hub, "access_resource"))
  end)

  it("names server and tool in a session", function()
    local abridge = require "abridge"
    local names = {}
    local session = abridge.session {
      run_dir = false,
      limits = { files__read = { max_lines = 3 } },
      on_event = function(event)
        names[#names + 1] = event.type == "tool_result" and event.tool or nil
      end,
    }
    adapter.attach(hub, { session = session })
    assert.matches("%[Showing lines 98%-100 of 100%]", (mcphub.avante("files", "read", { n = 100 })))
    hub:access_resource("files", "file:///x")
    assert.same({ "files__read", "files__resource" }, names)
    session:close()
  end)

  it("raises on misuse", function()
    for _, case in ipairs {
      { "hub must be a hub of mcphub.nvim, got nil" },
      { "unknown option 'x'", hub, { x = 1 } },
    } do
      local ok, message = pcall(function()
        adapter.attach(case[2], case[3])
      end)
      assert.is_false(ok)
      assert.matches("^spec/hosts/mcphub_spec%.lua:%d+: abridge%.mcphub%.attach: " .. case[1], message)
    end
  end)

  it("cuts crudely without the core", function()
    coreless("abridge.mcphub", function(crude)
      crude.attach(hub, { limits = { max_bytes = 500 } })
      local text = mcphub.avante("files", "read", { n = 1000 })
      assert.is_true(#text <= 500)
      assert.matches("^line 1\n.*line 1000$", text)
    end)
  end)
end)

describe("examples/mcphub.lua", function()
  it("caps what a chat gets, and keeps it whole", function()
    if not host.uv() then return pending "luv is missing" end
    local before = package.loaded.mcphub
    package.loaded.mcphub = mcphub
    assert(loadfile "examples/mcphub.lua")()
    package.loaded.mcphub = before
    local text = mcphub.avante("files", "read", { n = 9000 })
    assert.is_true(#text <= 20480 and #text > 20000)
    assert.equal(lines(9000), (paths.read(text:match "Full output: (/[^%]]+)%]$")))
  end)
end)
