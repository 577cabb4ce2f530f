-- The references say what the code is: every public name and field is in them, and their examples run as they say.
local abridge = require "abridge"
local paths = require "support.paths"
local shell = require "support.shell"
local tmpdir = require "support.tmpdir"

--- The folder in which the examples of a page write; the spec puts one of its own in its place.
local EXAMPLE_DIR = "/tmp/agent"

--- The fenced blocks of a page, { language =, code =, line = }, and its code in one string: the blocks, those that are
--- indented, and what stands in backticks.
local function parse(page)
  local blocks, code, block = {}, {}, nil
  local number = 0
  for line in (page .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    local fence = line:match "^```(%w*)$"
    if fence and block then
      block.code = table.concat(block.lines, "\n") .. "\n"
      blocks[#blocks + 1], block = block, nil
    elseif fence then
      block = { language = fence, line = number + 1, lines = {} }
    elseif block then
      block.lines[#block.lines + 1], code[#code + 1] = line, line
    elseif line:find "^    " then
      code[#code + 1] = line
    else
      for span in line:gmatch "`([^`]+)`" do
        code[#code + 1] = span
      end
    end
  end
  assert(not block, "a block is not closed")
  return blocks, table.concat(code, "\n")
end

local pages = {}
local PAGES = {
  lua = "doc/lua.md",
  neovim = "doc/neovim.md",
  c = "doc/c.md",
  hosts = "doc/hosts.md",
  history = "doc/history.md",
  otel = "doc/otel.md",
  readme = "README.md",
}
for name, path in pairs(PAGES) do
  local text = paths.read(path)
  if text then
    local blocks, code = parse(text)
    pages[name] = { path = path, blocks = blocks, code = code }
  end
end

--- Those of the names that a page's code does not have as whole words.
local function missing(page, names)
  local absent, seen = {}, {}
  for _, name in ipairs(names) do
    local pattern = "%f[%w_]" .. name:gsub("%p", "%%%0") .. "%f[^%w_]"
    if not seen[name] and not page.code:find(pattern) then absent[#absent + 1] = name end
    seen[name] = true
  end
  table.sort(absent)
  return absent
end

--- The string keys of tables, "prefix" before each; functions only where `of` says so.
local function keys(t, prefix, of)
  local names = {}
  for name, value in pairs(t) do
    local wanted = type(name) == "string" and name:match "^%a[%w_]*$" and (not of or type(value) == of)
    if wanted then names[#names + 1] = prefix .. name end
  end
  return names
end

local function add(names, more)
  for _, name in ipairs(more) do
    names[#names + 1] = name
  end
end

describe("doc/neovim.md #few", function()
  it("names the highlight groups, and the filetypes of buffers", function()
    local names = {}
    for group in paths.read("lua/abridge/nvim/highlight.lua"):gmatch "Abridge%u%l+" do
      names[#names + 1] = group
    end
    for _, file in ipairs { "log", "pager", "command_window", "keys", "restore" } do
      for filetype in paths.read("lua/abridge/nvim/" .. file .. ".lua"):gmatch '"(abridge%-%l+)"' do
        names[#names + 1] = filetype
      end
    end
    assert.is_true(#names > 10)
    assert.same({}, missing(pages.neovim, names))
  end)

  it("names the keys of lists and full outputs", function()
    for _, file in ipairs { "log", "pager", "command_window" } do
      local count = 0
      for key in paths.read("lua/abridge/nvim/" .. file .. ".lua"):gmatch '\n    { "([^"]+)", ' do
        count = count + 1
        assert.truthy(pages.neovim.code:find(key, 1, true), key)
      end
      assert.is_true(count > 0, file)
    end
  end)
end)

describe("doc/design.md #few", function()
  it("names files and C names that the core has", function()
    local sources, text = paths.below "csrc", {}
    for i, path in ipairs(sources) do
      text[i] = paths.read(path)
    end
    text = table.concat(text, "\n")
    local files = "/" .. table.concat(sources, "\n/") .. "\n"
    local names = 0
    for span in paths.read("doc/design.md"):gmatch "`([^`\n]+)`" do
      local example = span == "error_handler.c" -- a name that a tool may print
      if span:find "^[%w_/]+%.[ch]$" and not example then
        names = names + 1
        assert.truthy(files:find("/" .. span .. "\n", 1, true) or paths.read(span), span)
      elseif span:find "^[aA][bB][rR]_[%w_]+$" then
        names = names + 1
        assert.truthy(text:find("%f[%w_]" .. span .. "%f[^%w_]"), span)
      end
    end
    assert.is_true(names > 20, tostring(names))
  end)
end)

describe("doc/lua.md #few", function()
  local page = pages.lua
  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  it("answers ten questions first, each by one example that runs", function()
    local section = paths.read(page.path):match "\n## ([^\n]*\n.-)\n## "
    local heading, rest = section:match "^([^\n]*)\n(.*)$"
    assert.equal("Ten questions", heading)
    local count = 0
    for answer in (rest:gsub("\n### ", "\0%0") .. "\0"):gmatch "\n### ([^%z]*)%z" do
      local example, others = answer:match "\n```lua\n(.-)\n```(.*)$"
      assert.truthy(example and example:find("-->", 1, true), answer)
      assert.is_nil(others:find("```", 1, true), answer)
      count = count + 1
    end
    assert.equal(10, count)
  end)

  it("names all of require 'abridge'", function()
    local names = {}
    for name in paths.read("doc/names.txt"):gmatch "\n(abridge%.[%w_.]+)[:(]" do
      if abridge[name:match "%.([%w_]+)"] ~= nil then names[#names + 1] = name end
    end
    assert.is_true(#names > 30)
    assert.same({}, missing(page, names))
  end)

  it("names the profiles, their rows and keys", function()
    local names = keys(abridge.profiles, "")
    for _, profile in pairs(abridge.profiles) do
      add(names, keys(profile, ""))
      for _, row in pairs(profile) do
        add(names, keys(row, ""))
      end
    end
    assert.same({}, missing(page, names))
  end)

  it("names the methods of sessions, jobs, infos, streams and runs, and the fields of jobs", function()
    local session = abridge.session { run_dir = dir:at "run" }
    local job = session:call("run_command", { command = "true" }, {})
    local names = keys(getmetatable(session), "session:", "function")
    add(names, keys(getmetatable(job), "job:", "function"))
    job:wait()
    session:close()
    local run = abridge.open_run(dir:at "run")
    add(names, keys(getmetatable(run), "run:", "function"))
    add(names, { "run.dir", "run.broken", "run.too_long" })
    assert.is_not_nil(run.dir and run.broken and run.too_long)
    run:close()
    local stream = abridge.stream { strategy = "tail", max_lines = 1 }
    add(names, keys(getmetatable(stream), "stream:", "function"))
    stream:close()
    add(names, keys(getmetatable(abridge.info.not_truncated(1)), "info:", "function"))
    for _, field in ipairs { "call_id", "result", "cancelled" } do
      assert.is_not_nil(job[field])
      names[#names + 1] = "job." .. field
    end
    for i = #names, 1, -1 do
      if names[i]:find "__" then table.remove(names, i) end -- metamethods
    end
    assert.is_true(#names > 20)
    assert.same({}, missing(page, names))
  end)

  it("names the fields of ledgers, results, blocks, events, pages and ctx", function()
    local names = {}
    local function note(t)
      add(names, keys(t, ""))
      for _, field in ipairs { "cut", "details", "metadata", "truncation", "full_output" } do
        if t[field] then add(names, keys(t[field], "")) end
      end
      local cut = t.cut or (t.details and t.details.cut)
      if cut then
        add(names, keys(cut, ""))
        if cut.kept and cut.kept[1] then add(names, keys(cut.kept[1], "")) end
      end
    end

    for _, case in ipairs {
      { abridge.head, "aé\n", { max_chars = 2 } },
      { abridge.head, "abc\nd", { max_bytes = 2 } },
      { abridge.head_tail, "a\nb\nc", { max_tokens = 1, max_lines = 1 } },
      { abridge.pipeline, "a\nb\nc", { max_lines = 1 } },
    } do
      note { cut = select(2, case[1](case[2], case[3])) }
    end
    local stream = abridge.stream { strategy = "head", max_lines = 1, full_output = { dir = dir.path, name = "a/b" } }
    stream:write "a\nb\n"
    local _, cut = stream:finish()
    assert.equal("EINVAL", cut.full_output_code)
    note { cut = cut }
    stream:close()

    local session = abridge.session {
      run_dir = dir:at "run",
      ceiling = { max_bytes = 400 },
      on_event = note,
    }
    session:register {
      name = "probe",
      execute = function(_, ctx)
        note(ctx)
        return { content = ("probe "):rep(100), total = 30, next_offset = 2 }
      end,
    }
    note(session:call("probe", {}))
    note(session:call("run_command", { command = "kill -9 $$" }))
    note(session:call("run_command", { command = "echo a; sleep 60", timeout = 0.05 }))
    note(session:call("read_file", { path = "LICENSE", limit = 2, column = 1 }))
    note(session:call("read_file", { path = "no such file" }))
    note(session:call("list_directory", { limit = 1 }))
    note(session:call("read_file", { path = "build/5.1/abridge/core.so" }))
    local result = session:call("run_command", { command = "seq 3000; exit 1" })
    note(result)
    local content, shown = session:full_output(result.call_id, { limit = 1 })
    assert.equal("1", content)
    note(shown)
    session:close()
    assert.is_true(#names > 150)
    assert.same({}, missing(page, names))
  end)

  it("names the functions of the conformance harness", function()
    assert.same({}, missing(page, keys(require "abridge.conformance", "conformance.")))
  end)

  it("names the functions of histories, and the fields of their reports", function()
    local history = require "abridge.history"
    local names = keys(history, "history.")
    local messages = { { role = "assistant", tool_calls = { { id = "a", ["function"] = { name = "look" } } } } }
    messages[2] = { role = "tool", tool_call_id = "a", content = ("seen\n"):rep(1000) }
    local _, report = history.fit(messages, { format = "openai", max_tokens = 1000 })
    add(names, keys(report, ""))
    assert.equal(7, #names)
    assert.same({}, missing(page, names))
  end)

  it("names the functions of abridge.nvim", function()
    local names = keys(require "abridge.nvim", "nvim.", "function")
    assert.is_true(#names >= 5)
    assert.same({}, missing(page, names))
  end)

  it("names the functions of the adapters", function()
    local names = keys(require "abridge.flemma", "")
    for _, name in ipairs { "mcp", "mcphub", "avante", "copilotchat" } do
      add(names, keys(require("abridge." .. name), ""))
    end
    assert.is_true(#names > 10)
    assert.same({}, missing(page, names))
  end)

  it("names the commands and flags of the command line", function()
    local commands, names = require "abridge.cli.commands", {}
    for _, command in ipairs(commands.all()) do
      names[#names + 1] = "abridge " .. command.name
      for _, group in ipairs(command.flags) do
        for _, flag in ipairs(group) do
          names[#names + 1] = flag.name
        end
      end
    end
    for _, flag in ipairs(commands.everywhere) do
      names[#names + 1] = flag.name
    end
    assert.is_true(#names > 20)
    assert.same({}, missing(page, names))
  end)
end)

describe("csrc/abridge.h #once", function()
  it("says something of each function, above it or above the one it is paired with", function()
    local above, count
    for line in paths.read("csrc/abridge.h"):gmatch "([^\n]*)\n" do
      if line:find "^ABR_API" then
        assert.truthy(above and above:find "%*/$" or above and above:find ";", line)
        count = (count or 0) + 1
      end
      above = line ~= "" and line or nil
    end
    assert.is_true(count > 50)
  end)
end)

describe("doc/c.md #once", function()
  local page = pages.c
  local header = paths.read "csrc/abridge.h"

  it("is a guide of at most 200 lines", function()
    assert.is_true(select(2, paths.read(page.path):gsub("\n", "")) <= 200)
  end)

  it("names functions, types and constants that the header has", function()
    local known, unknown, count = {}, {}, 0
    for name in header:gmatch "%f[%w_][aA][bB][rR]_[%w_]+" do
      known[name] = true
    end
    for name in page.code:gmatch "%f[%w_][aA][bB][rR]_[%w_]+" do
      if not known[name] and name ~= "ABR_" then unknown[#unknown + 1] = name end
      count = count + 1
    end
    assert.same({}, unknown)
    assert.is_true(count > 40)
  end)

  it("has examples that compile", function()
    local dir, count = tmpdir.new(), 0
    for _, block in ipairs(page.blocks) do
      if block.language == "c" then
        local whole = block.code:find "int main" and block.code
        local source = whole
          or "#include <abridge.h>\n#include <inttypes.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
            .. "int use(const char *text, size_t n, abr_opts opts);\n"
            .. "int use(const char *text, size_t n, abr_opts opts)\n{\n"
            .. "abr_cut cut;\nabr_error error;\nchar chunk[4096], shown[65536];\n"
            .. "(void)text, (void)n, (void)opts, (void)cut, (void)error, (void)chunk, (void)shown;\n"
            .. block.code
            .. "return 0;\n}\n"
        dir:write("example.c", source)
        shell.run(
          ("cc -std=c11 -Wall -Wextra -Werror -Wno-maybe-uninitialized -Icsrc -fsyntax-only '%s'"):format(
            dir:at "example.c"
          )
        )
        count = count + 1
      end
    end
    dir:remove()
    assert.is_true(count > 5)
  end)

  it("shows examples/count_cut.c as it is", function()
    local found = false
    for _, block in ipairs(page.blocks) do
      found = found or block.language == "c" and block.code == paths.read "examples/count_cut.c"
    end
    assert.is_true(found)
  end)
end)

-- examples ------------------------------------------------------------------------

local compile = loadstring or load

--- What the `-->` of an example say, a line each.
local function promised(code)
  local lines = {}
  for line in code:gmatch "([^\n]*)\n" do
    lines[#lines + 1] = line:match "%-%->%s*(.-)%s*$"
  end
  return lines
end

--- What an example prints, a line each; blanks and tabs in a row read as one blank.
local function printed(chunk)
  local lines = {}
  local function print_to_lines(...)
    local parts = {}
    for i = 1, select("#", ...) do
      parts[i] = tostring((select(i, ...)))
    end
    for line in (table.concat(parts, "\t") .. "\n"):gmatch "([^\n]*)\n" do
      lines[#lines + 1] = line
    end
  end
  local real = print
  _G.print = print_to_lines -- luacheck: ignore 122
  local ok, message = pcall(chunk)
  _G.print = real -- luacheck: ignore 122
  if not ok then error(message, 0) end
  return lines
end

--- Run an example, and give back what it prints, in a folder of its own.
local function run_example(code, where)
  local dir = tmpdir.new()
  local example, mine = EXAMPLE_DIR:gsub("%p", "%%%0"), dir.path:gsub("%%", "%%%%")
  local chunk, message = compile(code:gsub(example, mine), "@" .. where)
  local ok, lines = pcall(printed, assert(chunk, message))
  dir:remove()
  if not ok then error(lines, 0) end
  for i, line in ipairs(lines) do
    lines[i] = line:gsub(dir.path:gsub("%p", "%%%0"), EXAMPLE_DIR)
  end
  return lines
end

local function squeezed(lines)
  local text = {}
  for i, line in ipairs(lines) do
    text[i] = line:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  end
  return text
end

for _, name in ipairs { "lua", "hosts", "history", "otel", "readme" } do
  local page = pages[name]
  for _, block in ipairs(page and page.blocks or {}) do
    local where = ("%s:%d"):format(page.path, block.line)
    local lines = promised(block.code)
    if block.language == "lua" then
      it("the example at " .. where .. (#lines > 0 and " prints what it says" or " is Lua"), function()
        if #lines == 0 then return assert(compile(block.code, "@" .. where)) end
        assert.same(squeezed(lines), squeezed(run_example(block.code, where)))
      end)
    end
  end
end
