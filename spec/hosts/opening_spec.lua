-- Sessions that adapters open themselves, and what they do where none can be opened: there is no core.
local abridge = require "abridge"
local coreless = require "support.standins.coreless"
local host = require "abridge.base.host"
local lines = require "support.numbered"
local mcp = require "abridge.mcp"
local warned = require "support.warned"

local KB = 1024

local function text_of(result)
  return result.content[1].text
end

local function cap(module, session, tool)
  return text_of(
    module.cap(tool or "tool", { content = { { type = "text", text = lines(60000) } } }, { session = session })
  )
end

describe("a session that an adapter opens", function()
  it("is opened by the first call, once, whether it is told by options or by a function", function()
    local opened, session = 0, nil
    local function open()
      opened = opened + 1
      session = abridge.session { run_dir = false, limits = { tool = { max_lines = 7 } } }
      return session
    end
    assert.matches("%[Showing 7 of 60000 lines", cap(mcp, open))
    assert.matches("%[Showing 7 of 60000 lines", cap(mcp, open))
    assert.equal(1, opened)
    session:close()
    assert.matches("%[Showing 7 of 60000 lines", cap(mcp, open)) -- another one
    assert.equal(2, opened)

    local options = { run_dir = false, limits = { tool = { max_lines = 5 } }, aliases = { other = "tool" } }
    assert.matches("%[Showing 5 of 60000 lines", cap(mcp, options))
    options.limits.tool.max_lines = 6 -- too late
    assert.matches("%[Showing 5 of 60000 lines", cap(mcp, options, "other"))
  end)

  it("is none if a function opens nothing: a crude cut, told once", function()
    for reason, open in pairs {
      ["no session was opened"] = function() end,
      ["no room"] = function()
        return nil, "no room"
      end,
      ["broken"] = function()
        error "broken"
      end,
      ["session: a session was wanted, got table"] = function()
        return {}
      end,
    } do
      local told = warned(function()
        assert.is_true(#cap(mcp, open) <= 10 * KB)
        assert.matches("^line 1\n.*%.%.%. %[%d+ bytes, cut to 10240%] %.%.%.\n.*line 60000$", cap(mcp, open))
      end)
      assert.equal("abridge: the output of tool was cut crudely: " .. reason, told)
    end
  end)

  it("that is told wrongly raises when the adapter is set up", function()
    local told = "abridge.mcp.cap: session: unknown option 'limit' (value 3)"
    local ok, message = pcall(mcp.cap, "tool", {}, { session = { limit = 3 } })
    assert.is_false(ok)
    assert.truthy(message:find(told, 1, true), message)
  end)
end)

describe("an adapter without a core", function()
  it("keeps the limits that its options name for a tool, or 10 KB", function()
    coreless("abridge.mcp", function(crude)
      local told = warned(function()
        local limits = { tool = { max_bytes = "3KB" }, ["*"] = { max_bytes = "1KB" } }
        assert.is_true(#cap(crude, { limits = limits }) <= 3 * KB and #cap(crude, { limits = limits }) > 2 * KB)
        assert.is_true(#cap(crude, { limits = limits, aliases = { x = "tool" } }, "x") > 2 * KB)
        assert.is_true(#cap(crude, { limits = limits }, "unnamed") <= KB)
        assert.is_true(#cap(crude, { profile = "default" }, "web_fetch") > 99 * KB)
        local function open()
          return require("abridge").session {}
        end
        for _, unknown in ipairs { {}, { limits = 3, aliases = 4, profile = 5 }, open } do
          local cut = cap(crude, unknown)
          assert.is_true(#cut <= 10 * KB and #cut > 9 * KB)
        end
      end)
      assert.matches("^abridge: the output of tool was cut crudely: its core [^\n]*$", told)
    end)
  end)

  it("withholds what was to be redacted", function()
    coreless("abridge.mcp", function(crude)
      warned(function()
        local content = { { type = "text", text = "a SECRET" } }
        local result = crude.cap("tool", { content = content }, { session = { redact = { "SECRET" } } })
        assert.is_nil(require("abridge.base.encode").json(result):find "SECRET")
      end)
    end)
  end)

  it("attaches as doc/hosts.md shows it, and nothing raises", function()
    local function example(name, modules)
      local before = {}
      for key, module in pairs(modules) do
        before[key], package.loaded[key] = package.loaded[key], module
      end
      local ok, why = pcall(assert(loadfile("examples/" .. name)))
      for key in pairs(modules) do
        package.loaded[key] = before[key]
      end
      assert.is_true(ok, why)
    end
    coreless("abridge", function(top)
      assert.is_string(top.version)
      for _, name in ipairs { "head", "session", "cap" } do
        local ok, why = pcall(function()
          return top[name]("text", {})
        end)
        assert.is_false(ok)
        assert.matches("core", why)
      end
      warned(function()
        local llm_tools = {
          process_tool_use = function()
            return lines(60000)
          end,
        }
        example("avante.lua", { avante = { setup = function() end }, ["avante.llm_tools"] = llm_tools })
        assert.is_true(#llm_tools.process_tool_use({}, { name = "bash" }) <= 20 * KB)
        local hub = {
          call_tool = function()
            return { result = { content = { { type = "text", text = lines(60000) } } } }
          end,
          access_resource = function() end,
        }
        local mcphub = {
          setup = function(opts)
            opts.on_ready(hub)
          end,
        }
        example("mcphub.lua", { mcphub = mcphub })
        assert.is_true(#text_of(hub:call_tool("server", "tool", {}, {}).result) <= 20 * KB)
        if host.in_nvim then top.setup { session = { limits = { ["*"] = { max_bytes = "1KB" } } } } end
      end)
    end)
  end)
end)
