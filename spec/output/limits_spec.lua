-- Limits: the profiles as doc/lua.md states them, overrides, the ceiling.
local abridge = require "abridge"
local merge = require "support.merge"
local paths = require "support.paths"
local plain = require "support.plain"

local KB = 1024

local PAGE = assert(paths.read "doc/lua.md")

local KEYS = {
  lines = "max_lines",
  chars = "max_chars",
  ["chars a line"] = "max_line_chars",
  matches = "max_matches",
  results = "max_results",
  entries = "max_entries",
  rows = "max_rows",
}

--- The limits that a cell of the page's table states: "head 2000 lines, 30KB"; nil where it says that there are none.
local function row_of(cell)
  if cell == "-" or cell == "none" then return nil end
  local row = {}
  for part in (cell .. ", "):gmatch "(.-), " do
    local word, stated = part:match "^([%l_]*) ?(.*)$"
    local number, unit = stated:match "^([%d,]+) ?(.*)$"
    if word == "clean" then
      row.clean = { invisible = true }
    elseif word == "output" then
      row.output = stated:match "^`(%l+)`$"
    else
      if word ~= "" then row.strategy = word end
      number = number and tonumber((number:gsub(",", "")))
      if unit == "KB" then
        row.max_bytes = number * KB
      elseif number then
        row[assert(KEYS[unit], part)] = number
      end
    end
  end
  return row
end

--- The profiles as doc/lua.md has them in its table and below it.
local function stated()
  local profiles, tools = {}, {}
  local header, rows = PAGE:match "\n| profile |([^\n]*)\n|[-|]+|\n(.-)\n\n"
  for tool in header:gmatch "`?([%w_*]+)`? |" do
    tools[#tools + 1] = tool
  end
  for name, cells in rows:gmatch "| `(%l+)` |([^\n]*)" do
    local profile, at = {}, 0
    for cell in cells:gmatch " (.-) |" do
      at = at + 1
      local row = row_of(cell)
      if row and name == "pipeline" then
        row.strategy, row.head_ratio = "pipeline", 0.3
      end
      profile[tools[at]] = row
    end
    profiles[name] = profile
  end
  profiles.pi.aliases = {
    read = "read_file",
    bash = "run_command",
    grep = "search_files",
    find = "find_files",
    ls = "list_directory",
  }
  return profiles
end

local PROFILES = stated()

--- Raises as misuse should, with these words in the message.
local function raises(opts, ...)
  local message = plain.misuse(function()
    abridge.session(opts)
  end, ...)
  assert.matches("^abridge%.session: ", message)
end

local function limits_of(tool, opts)
  return abridge.session(opts):limits(tool)
end

describe("profiles", function()
  for name, profile in pairs(PROFILES) do
    it(name .. " has the limits that doc/lua.md states", function()
      assert.same(profile, abridge.profiles[name])
    end)
  end

  it("are the five of doc/lua.md", function()
    local count = 0
    for name in pairs(abridge.profiles) do
      assert.truthy(PROFILES[name], name)
      count = count + 1
    end
    assert.equal(5, count)
  end)

  it("are what a session goes by", function()
    for name, profile in pairs(PROFILES) do
      local session = abridge.session { profile = name, ceiling = false }
      for tool, limits in pairs(profile) do
        if tool ~= "ceiling" and tool ~= "aliases" and not limits.output then
          assert.same(limits, session:limits(tool))
        end
      end
    end
  end)

  it("are those of 'default' where none is named", function()
    assert.same(PROFILES.default.read_file, limits_of "read_file")
    assert.same(PROFILES.default.read_file, limits_of("read_file", { profile = "default" }))
  end)

  it("raise with the name of an unknown one", function()
    raises({ profile = "defualt" }, "profile", '"defualt"')
    raises({ profile = 5 }, "profile", "5")
  end)

  it("bring their aliases", function()
    local session = abridge.session { profile = "pi" }
    for alias, tool in pairs(PROFILES.pi.aliases) do
      assert.same(session:limits(tool), session:limits(alias))
      assert.same(PROFILES.pi[tool], session:limits(alias))
    end
    assert.same(PROFILES.default["*"], limits_of("bash", { profile = "default" })) -- no alias there
  end)
end)

describe("session:limits", function()
  it("takes the row * for tools without a row", function()
    assert.same(PROFILES.default["*"], limits_of "github__search")
    assert.same(PROFILES.pipeline["*"], limits_of("github__search", { profile = "pipeline" }))
    assert.same({ strategy = "head_tail", max_bytes = 65536 }, limits_of("x", { profile = "contract" }))
  end)

  it("knows no limit where the profile has none", function()
    assert.same({}, limits_of("github__search", { profile = "pi" }))
    assert.same({}, limits_of("sql_query", { profile = "pi" }))
  end)

  it("shows the ceiling where it is what binds", function()
    for _, tool in ipairs { "github__search", "run_command" } do
      local limits = limits_of(tool, { profile = "dispatcher" })
      assert.same(
        { 131072, "head_tail", "char", 0.5 },
        { limits.max_bytes, limits.strategy, limits.snap, limits.head_ratio }
      )
    end
    for _, tool in ipairs { "list_directory", "sql_query", "web_fetch" } do -- they have pages
      assert.same({ max_bytes = 131072 }, limits_of(tool, { profile = "dispatcher" }))
    end
    local limits = { lines = { max_lines = 5 }, much = { max_bytes = "1MB" }, little = { max_bytes = 500 } }
    local session = abridge.session { limits = limits, ceiling = { max_bytes = 1000 } }
    assert.equal(1000, session:limits("lines").max_bytes)
    assert.equal(1000, session:limits("much").max_bytes)
    assert.equal(500, session:limits("little").max_bytes)
  end)

  it("shows where a tool stops by itself", function()
    local session = abridge.session { profile = "pi", tools = { "sql_query", "web_fetch" } }
    assert.same({ max_rows = 1000, max_bytes = 64 * KB * KB }, session:limits "sql_query")
    assert.same({ max_bytes = KB * KB }, session:limits "web_fetch")
  end)

  it("turns output into its byte budget", function()
    local limits = limits_of("run_command", { profile = "contract" })
    assert.equal(8 * KB, limits.max_bytes)
    assert.equal("normal", limits.output)
    assert.equal("priority", limits.strategy)
    for output, bytes in pairs { silent = 200, concise = 2 * KB, normal = 8 * KB, verbose = 16 * KB } do
      assert.equal(bytes, limits_of("run_command", { limits = { run_command = { output = output } } }).max_bytes)
    end
  end)

  it("keeps a byte budget that is smaller than the one of output", function()
    local limits = { run_command = { output = "verbose", max_bytes = "10KB" } }
    assert.equal(10 * KB, limits_of("run_command", { limits = limits }).max_bytes)
  end)

  it("sets no budget for output = 'full'", function()
    assert.equal(30 * KB, limits_of("run_command", { limits = { run_command = { output = "full" } } }).max_bytes)
    local opts = { profile = "contract", ceiling = false, limits = { run_command = { output = "full" } } }
    assert.is_nil(limits_of("run_command", opts).max_bytes)
  end)

  it("binds native tools by the ceiling too", function()
    assert.equal(128 * KB, limits_of("read_file", { profile = "dispatcher" }).max_bytes)
    assert.equal(1000, limits_of("read_file", { ceiling = { max_bytes = 1000 } }).max_bytes)
    assert.equal(30 * KB, limits_of("read_file", { ceiling = { max_bytes = "1MB" } }).max_bytes)
  end)

  it("keeps a row of a profile that is over its own ceiling, and no other", function()
    local KINDS = {
      { 100 * KB },
      { 16 * KB, { ceiling = { max_bytes = "16KB" } } },
      { 100 * KB, { ceiling = false } },
      { 100 * KB, { limits = { web_fetch = { max_bytes = "1MB" } } } },
      { 100 * KB, { ceiling = { head_ratio = 0.3 } } },
    }
    for _, kind in ipairs(KINDS) do
      local opts = merge({ profile = "contract", run_dir = false }, kind[2])
      if opts.ceiling ~= false or not opts.limits then assert.equal(kind[1], limits_of("web_fetch", opts).max_bytes) end
      local session = abridge.session(opts)
      local size = #session:cap("web_fetch", ("x"):rep(2e6)).content
      session:close()
      assert.is_true(size <= kind[1] and size > 0.9 * kind[1], size)
    end
    local own = limits_of("read_file", { profile = "contract", limits = { read_file = { max_bytes = "90KB" } } })
    assert.equal(64 * KB, own.max_bytes)
  end)

  it("offers a model the outputs that are less than what is in force", function()
    local function offered(opts)
      opts.run_dir, opts.tools = false, { "run_command" }
      local session = abridge.session(opts)
      local properties = session:definitions("mcp")[1].inputSchema.properties
      session:close()
      if not properties.output then return nil end
      return properties.output.description:match "show,? ?:? ?(.*)$", table.concat(properties.output.enum, " ")
    end
    local all = "silent concise normal verbose"
    assert.same({ "from 200B to 8KB", "silent concise normal" }, { offered { profile = "contract" } })
    assert.same({ "from 200B to 16KB", all }, { offered {} })
    assert.same({ "from 200B to 16KB", all }, { offered { profile = "pi" } })
    assert.same({ "from 200B to 16KB", all }, { offered { profile = "dispatcher" } })
    assert.same({ "200B at most", "silent" }, { offered { limits = { run_command = { max_bytes = 1000 } } } })
    assert.same({ "from 200B to 2KB", "silent concise" }, { offered { ceiling = { max_bytes = "3KB" } } })
    assert.is_nil((offered { profile = "pipeline" })) -- it knows no bytes
    assert.is_nil((offered { limits = { run_command = { max_bytes = 200 } } }))
  end)

  it("gives a new table each time", function()
    local session = abridge.session()
    session:limits("read_file").max_lines = 1
    assert.equal(2000, session:limits("read_file").max_lines)
    assert.equal(2000, abridge.profiles.default.read_file.max_lines)
  end)

  it("raises when the tool is no name", function()
    local session = abridge.session()
    for _, value in ipairs { 5, true, {} } do
      local message = plain.misuse(function()
        session:limits(value)
      end)
      assert.matches("^session:limits: tool must be a string, got ", message)
    end
  end)
end)

describe("overrides", function()
  it("go key by key", function()
    local opts = { limits = { read_file = { max_lines = 100 } } }
    assert.same({ strategy = "head", max_lines = 100, max_bytes = 30720 }, limits_of("read_file", opts))
    assert.same(PROFILES.default.run_command, limits_of("run_command", opts))
  end)

  it("do not change the profile", function()
    limits_of("run_command").clean.invisible = false
    assert.is_true(limits_of("run_command").clean.invisible)
    limits_of("read_file", { limits = { read_file = { max_lines = 100 } } })
    assert.same(PROFILES.default.read_file, abridge.profiles.default.read_file)
  end)

  it("may add keys and change the strategy", function()
    local over = { max_tokens = 500, strategy = "head_tail", head_ratio = 0.5, snap = "char" }
    assert.same({
      strategy = "head_tail",
      max_lines = 2000,
      max_bytes = 30720,
      max_tokens = 500,
      head_ratio = 0.5,
      snap = "char",
    }, limits_of("read_file", { limits = { read_file = over } }))
  end)

  it("go by alias too, of the profile and of the session", function()
    assert.equal(7, limits_of("run_command", { profile = "pi", limits = { bash = { max_lines = 7 } } }).max_lines)
    local opts = { aliases = { sh = "run_command" }, limits = { sh = { max_lines = 8 } } }
    assert.equal(8, limits_of("run_command", opts).max_lines)
    assert.equal(8, limits_of("sh", opts).max_lines)
  end)

  it("by alias and by name both hold", function()
    local over = { bash = { max_lines = 7 }, run_command = { max_bytes = 9 } }
    local limits = limits_of("bash", { profile = "pi", limits = over })
    assert.equal(7, limits.max_lines)
    assert.equal(9, limits.max_bytes)
  end)

  it("take a budget away by false", function()
    local opts = { limits = { read_file = { max_bytes = false } }, ceiling = false }
    assert.same({ strategy = "head", max_lines = 2000 }, limits_of("read_file", opts))
  end)

  it("take sizes as text, and show them in bytes", function()
    for size, bytes in pairs { ["512B"] = 512, ["1.5KB"] = 1536, ["30KB"] = 30720, ["1MB"] = 1048576, ["7"] = 7 } do
      assert.equal(bytes, limits_of("x", { limits = { x = { max_bytes = size } }, ceiling = false }).max_bytes)
    end
  end)

  it("of the row * bind every tool without a row", function()
    local opts = { limits = { ["*"] = { max_lines = 5 } } }
    assert.equal(5, limits_of("github__search", opts).max_lines)
    assert.equal(2000, limits_of("read_file", opts).max_lines)
  end)

  it("take tools of any name", function()
    assert.equal(5, limits_of("github__search", { limits = { github__search = { max_lines = 5 } } }).max_lines)
  end)

  it("take 0 and 2^53", function()
    for _, n in ipairs { 0, 2 ^ 53 } do
      for _, key in ipairs { "max_lines", "max_bytes", "max_chars", "max_tokens", "max_matches", "max_line_chars" } do
        local opts = { limits = { x = { [key] = n } }, ceiling = false }
        assert.equal(n, limits_of("x", opts)[key])
      end
    end
  end)

  it("an unknown key raises, with its name and its value", function()
    raises({ limits = { read_file = { max_lins = 5 } } }, "read_file", "'max_lins'", "5")
    raises({ limits = { read_file = { maxLines = "x" } } }, "read_file", "'maxLines'", '"x"')
    raises({ limits = { read_file = { reserve = "x" } } }, "read_file", "reserve")
    raises({ limits = { github__search = { [1] = 5 } } }, "github__search", "1")
  end)

  it("an unknown key raises with the value false too", function()
    raises({ limits = { read_file = { max_lins = false } } }, "read_file", "'max_lins'", "false")
  end)

  local bad = {
    max_lines = { -1, 1.5, "ten", true, 2 ^ 53 + 2, {}, 0 / 0 },
    max_bytes = { -1, 1.5, "30XB", "", true },
    max_chars = { -1, "10" },
    max_tokens = { -1, math.huge },
    count_tokens = { 5, "f" },
    token_safety = { -1, "2" },
    long_line = { "wrap", 1 },
    head_ratio = { -0.1, 1.1, "half" },
    snap = { "word" },
    utf8 = { "ignore" },
    strategy = { "middle", 5 },
    output = { "loud", 5 },
    max_matches = { -1, 1.5, "100" },
    max_results = { -1 },
    max_entries = { true },
    max_rows = { "1000" },
    max_line_chars = { -500 },
  }
  for key, values in pairs(bad) do
    it("a bad " .. key .. " raises, with its key and its value", function()
      for _, value in ipairs(values) do
        local shown = type(value) == "string" and ('"%s"'):format(value)
          or type(value) == "number" and value == math.floor(value) and value < 1e6 and ("%d"):format(value)
          or type(value) == "boolean" and tostring(value)
          or ""
        raises({ limits = { search_files = { [key] = value } } }, "search_files", key, "got " .. shown)
      end
    end)
  end

  it("a marker without head_tail raises", function()
    raises({ limits = { read_file = { marker = "none" } } }, "read_file", "marker")
  end)

  it("a page cannot be cut by priority", function()
    raises({ limits = { read_file = { strategy = "priority" } } }, "limits.read_file", "strategy", "priority")
    raises({ limits = { read_file = { strategy = "auto" } } }, "limits.read_file", "strategy", "auto")
  end)

  it("of cleaning are checked", function()
    raises({ limits = { run_command = { clean = 1 } } }, "run_command", "clean must be true, false or a table, got 1")
    raises({ limits = { run_command = { clean = { colour = false } } } }, "unknown key 'colour' in clean")
    raises({ limits = { run_command = { clean = { color = 0 } } } }, "clean.color must be true or false, got 0")
    assert.same({ color = false }, limits_of("x", { limits = { x = { clean = { color = false } } } }).clean)
    assert.is_nil(limits_of("run_command", { limits = { run_command = { clean = false } } }).clean)
  end)

  it("that are no tables raise", function()
    raises({ limits = 5 }, "limits", "5")
    raises({ limits = { read_file = 5 } }, "limits.read_file", "5")
    raises({ limits = { read_file = "30KB" } }, "limits.read_file", '"30KB"')
  end)
end)

describe("the ceiling", function()
  local big = ("x"):rep(200 * KB)
  local open = { x = { max_lines = false, max_bytes = false } }

  local function size(opts)
    local session = abridge.session(opts)
    return #session:cap("x", big).content
  end

  it("is the profile's", function()
    assert.is_true(size { limits = open } <= 128 * KB)
    assert.is_true(size { limits = open } > 127 * KB)
    assert.is_true(size { profile = "contract", limits = { x = { max_bytes = false } } } <= 64 * KB)
    assert.is_true(size { profile = "dispatcher" } <= 128 * KB)
    assert.equal(200 * KB, size { profile = "pi" })
  end)

  it("is what a session sets", function()
    assert.is_true(size { limits = open, ceiling = { max_bytes = 1000 } } <= 1000)
    assert.is_true(size { profile = "pi", ceiling = { max_bytes = "10KB" } } <= 10 * KB)
  end)

  it("is lifted by false", function()
    assert.equal(200 * KB, size { profile = "dispatcher", ceiling = false })
  end)

  it("stays the profile's where a session gives an empty table", function()
    assert.is_true(size { limits = open, ceiling = {} } <= 128 * KB)
  end)

  it("raises with key and value where it is wrong", function()
    raises({ ceiling = { max_lines = 5 } }, "ceiling", "max_lines", "5")
    raises({ ceiling = { max_bytes = -1 } }, "ceiling", "max_bytes", "-1")
    raises({ ceiling = { max_bytes = "big" } }, "ceiling", "max_bytes", '"big"')
    raises({ ceiling = { head_ratio = 2 } }, "ceiling", "head_ratio", "2")
    raises({ ceiling = 5 }, "ceiling", "5")
    raises({ ceiling = true }, "ceiling", "true")
  end)
end)

describe("limits given with a tool", function()
  local function register(limits)
    local session = abridge.session { ceiling = false }
    session:register {
      name = "mine",
      limits = limits,
      execute = function()
        return "x"
      end,
    }
    return session
  end

  it("hold in place of the profile's row", function()
    assert.same({ strategy = "auto", max_lines = 5 }, register({ max_lines = 5 }):limits "mine")
    local tail = { strategy = "tail", max_lines = 5 }
    assert.same(tail, register(tail):limits "mine")
    assert.equal(30720, register({ max_bytes = "30KB" }):limits("mine").max_bytes)
  end)

  it("give way to the session's, key by key", function()
    local session = abridge.session { limits = { mine = { max_lines = 7 } } }
    session:register {
      name = "mine",
      limits = { max_lines = 5, max_bytes = 9 },
      execute = function()
        return "x"
      end,
    }
    assert.same({ strategy = "auto", max_lines = 7, max_bytes = 9 }, session:limits "mine")
  end)

  it("raise when they are wrong, at the caller's level", function()
    local session = abridge.session()
    for _, case in ipairs { { { max_lins = 5 }, "max_lins" }, { { max_lines = -5 }, "-5" } } do
      local message = plain.misuse(function()
        session:register { name = "mine", limits = case[1], execute = print }
      end)
      assert.matches("^session:register: ", message)
      assert.truthy(message:find("mine", 1, true), message)
      assert.truthy(message:find(case[2], 1, true), message)
    end
  end)
end)
