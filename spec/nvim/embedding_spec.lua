-- doc/embedding.md: every example is run, as the plugin of the page would have it.
local paths = require "support.paths"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api) then
  describe("doc/embedding.md inside Neovim", function()
    pending "is not tried: this host is not Neovim"
  end)
  return
end

local nvim = require "abridge.nvim"
local quote = tmpdir.quote
local root = tmpdir.root()
local lines_of = require("support.windows").lines_of
local api = vim.api

--- The Lua blocks of a page, and which of them were used.
local BLOCK = "\n```lua\n(.-)```"
local page, used = paths.read "doc/embedding.md", {}

--- The code in a section: the n-th block.
local function code_of(section, n)
  local text = (page .. "\n#"):match("\n#+ " .. section:gsub("%p", "%%%0") .. "\n(.-)\n#")
  local found = 0
  for block in text:gmatch(BLOCK) do
    found = found + 1
    if found == (n or 1) then
      used[block] = true
      return block
    end
  end
  error("no such block: " .. section)
end

local function run(code, env)
  return setfenv(assert(loadstring(code)), setmetatable(env or {}, { __index = _G }))()
end

describe("doc/embedding.md", function()
  local dir, buf, session

  before_each(function()
    dir = tmpdir.new()
    nvim.setup { session = { run_dir = dir:at "run" } }
    session = nvim.session()
    buf = api.nvim_create_buf(false, true)
    api.nvim_buf_set_lines(buf, 0, -1, true, { "a chat" })
  end)

  after_each(function()
    session:close()
    vim.cmd "silent! only! | silent! %bwipeout!"
    dir:remove()
  end)

  it("caps an output, keeps it in full, shows it and logs it", function()
    local text = seq(1, 5000, "issue %d of your tracker")
    local content = run(code_of "Cap an output and show it").add(buf, "tracker", text)
    assert.is_true(#content <= 16 * 1024)
    assert.matches("^issue 1 of your tracker\n", content)
    local path = content:match "Full output: ([^%]]+)%]$"
    assert.equal(text, dir:read(path:sub(#dir.path + 2)))
    local lines = lines_of(buf)
    assert.equal("a chat", lines[1])
    assert.equal("issue 1 of your tracker", lines[2])
    assert.matches("^%[Showing %d+ of 5000 lines", lines[#lines])
    assert.is_true(#lines <= 1 + 20 + 3, #lines) -- what is said of other lines, a blank one, the notice
    local list = assert(nvim.log())
    assert.is_true(vim.wait(10000, function()
      return #lines_of(list) == 2
    end, 5))
    assert.matches("^ +1 .-tracker ", lines_of(list)[2])
  end)

  it("runs a command, shows it while it runs, and stops it", function()
    local example, sent = run(code_of "Run a command"), {}
    local function send(content)
      sent[#sent + 1] = content
    end
    local stop = example.run(buf, "echo started; sleep 600", send)
    assert.is_true(vim.wait(10000, function()
      return lines_of(buf)[2] == "started"
    end, 5))
    assert.same({}, sent)
    stop()
    assert.is_true(vim.wait(10000, function()
      return #sent == 1
    end, 5))
    assert.equal("started\n\nCommand aborted", sent[1])
    example.run(buf, "echo done", send)
    assert.is_true(vim.wait(10000, function()
      return #sent == 2
    end, 5))
    assert.equal("done\n", sent[2])
    assert.equal("done", lines_of(buf)[#lines_of(buf)])
  end)

  it("has dependency lines that build as doc/install.md does", function()
    local install = paths.read "doc/install.md"
    local function block_of(heading)
      return install:match("\n### " .. heading .. "\n\n```lua\n(.-)```")
    end
    local lazy = run("return " .. code_of "With lazy.nvim")
    assert.same({ run("return " .. block_of "lazy%.nvim") }, lazy.dependencies)

    local added = {}
    local deps = { MiniDeps = {
      add = function(spec)
        added[#added + 1] = spec
      end,
    } }
    run(block_of "mini%.deps" .. "\n" .. code_of "With mini.deps", deps)
    local own, ours = added[1], added[2].depends[1]
    assert.equal(own.source, ours.source)
    assert.same(
      { "post_checkout", "post_install" },
      (function(names)
        for name, hook in pairs(ours.hooks) do
          assert.equal(own.hooks[name], hook)
          names[#names + 1] = name
        end
        table.sort(names)
        return names
      end) {}
    )

    local function add_of(code)
      local list
      run(code, {
        vim = {
          api = { nvim_create_autocmd = function() end },
          pack = {
            add = function(l)
              list = l
            end,
          },
        },
      })
      return list
    end
    assert.equal(add_of(block_of "vim%.pack %(Neovim 0%.12%)")[1], add_of(code_of "With vim.pack")[1])

    local spec = {}
    run(code_of "With rocks.nvim", spec)
    local rock = {}
    setfenv(assert(loadfile(root .. "/rockspec/abridge-scm-1.rockspec")), rock)()
    assert.equal(rock.package, spec.dependencies[2])
  end)

  it("goes on without the core, says once why, and finds the core when it is built", function()
    local example = code_of "Where the core is missing"
    dir:sh(("mkdir rtp && cp -R %s/lua rtp && rm -f rtp/lua/abridge/core.so"):format(quote(root)))
    dir:write("example.lua", example)
    dir:write(
      "probe.lua",
      ([[
      local told, out = {}, {}
      vim.notify = function(message) told[#told + 1] = message end
      local capped = dofile(%q).capped
      local text = ("x"):rep(20000) .. "end"
      for _ = 1, 2 do out[#out + 1] = capped("tracker", text) end
      assert(out[1] == text:sub(-16384) and out[2] == out[1])
      assert(#told == 1 and told[1]:find("^your%%-plugin: .*: abridge: its core .*missing:\nrun `"), told[1])
      assert(require("abridge.nvim").render)
      package.cpath = %q
      out = capped("tracker", text)
      assert(#out <= 16384 and out:find "%%]$" and #told == 1, out)
      io.stdout:write "all of it"
    ]]):format(dir:at "example.lua", package.cpath:gsub("build/", root .. "/build/"))
    )
    local line = "env -u LUA_PATH -u LUA_CPATH HOME=%s %s --headless -u NONE -i NONE -n --cmd %s -c 'luafile %s' -c qa!"
    local out, err = dir:sh(
      line:format(quote(dir.path), quote(vim.v.progpath), quote("set rtp=" .. dir:at "rtp"), quote(dir:at "probe.lua"))
    )
    assert.equal("all of it", out, err)
  end)

  it("gives a plugin the whole report of its health", function()
    local health, calls = require "abridge.health", 0
    local check = health.check
    health.check = function()
      calls = calls + 1
    end
    run(code_of("Where the core is missing", 2)).check()
    health.check = check
    assert.equal(1, calls)
  end)

  it("has no other example", function()
    for block in page:gmatch(BLOCK) do
      assert(used[block], block)
    end
  end)
end)
