-- The help of Neovim is the reference, and every public name can be jumped to.
package.path = "doc/?.lua;" .. package.path

local abridge = require "abridge"
local contains = require "support.contains"
local help = require "help"
local paths = require "support.paths"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"

local compile = loadstring or load

--- The lines of help that are no code, and the code of its blocks by language.
local function parts_of(text)
  local prose, blocks, block = {}, {}, nil
  for _, line in ipairs(plain.lines(text)) do
    local language = line:match "^>(%w*)$"
    if block and line == "<" then
      block = nil
    elseif block then
      block.code = block.code .. line:gsub("^    ", "") .. "\n"
    elseif language then
      block = { language = language, code = "" }
      blocks[#blocks + 1] = block
    else
      prose[#prose + 1] = line
    end
  end
  assert(not block, "a block is not closed")
  return prose, blocks
end

--- The tags of help, in the order of the text; and as a set.
local function tags_of(text)
  local list, set = {}, {}
  for _, line in ipairs((parts_of(text))) do
    for tag in (" " .. line .. " "):gsub(" ", "  "):gmatch " %*([^%s*|]+)%* " do
      list[#list + 1], set[tag] = tag, true
    end
  end
  return list, set
end

--- What a small page becomes, between the contents and the modeline.
local function rendered(...)
  local text = help.render(table.concat({ ... }, "\n") .. "\n")
  local rule = ("="):rep(78)
  local _, from = text:find(rule .. "\n.-\n\n.-\n\n") -- the contents, a list without blank lines
  return (text:sub(from + 1):gsub("\nvim:[^\n]*\n$", ""))
end

local function has(text, ...)
  contains(text, table.concat({ ... }, "\n"))
end

local function at_right(tag)
  return (" "):rep(78 - #tag) .. tag
end

describe("the help made of a page #once", function()
  it("begins with its name, lists the headings and ends with a modeline", function()
    local lines = plain.lines(help.render "# Title\n\n## First part\n\ntext\n\n### Inner\n\n## second\n")
    assert.matches("^%*abridge%.txt%*  For Neovim ", lines[1])
    assert.equal(at_right "*abridge-contents*", (lines[4]:gsub("^Contents", "        ")))
    assert.matches("^Title %.+ |abridge|$", lines[6])
    assert.matches("^First part %.+ |abridge%-first%-part|$", lines[7])
    assert.matches("^  Inner %.+ |abridge%-inner|$", lines[8])
    assert.matches("^second %.+ |abridge%-second|$", lines[9])
    assert.matches("^vim:.*ft=help", lines[#lines])
    for i = 6, 9 do
      assert.equal(78, #lines[i])
    end
  end)

  it("gives a heading a tag beside it, or above it when there is no room", function()
    has(rendered "## A part", ("="):rep(78), "A part" .. at_right("*abridge-a-part*"):sub(7))
    local long = "A heading that is so long that no tag has room beside it"
    has(rendered("## " .. long), at_right("*abridge-" .. long:lower():gsub(" ", "-") .. "*"), long)
  end)

  it("gives a heading of the same words the section's name too", function()
    local _, tags = tags_of(help.render "## One\n\n### Errors\n\n## Two\n\n### Errors\n")
    assert.is_true(tags["abridge-errors"] and tags["abridge-two-errors"])
  end)

  it("raises on two headings of one section that read the same", function()
    assert.has_error(function()
      help.render "## One\n\n### Errors\n\n### Errors\n\n### Errors\n"
    end, "two headings of one section read Errors")
  end)

  it("raises on a link that leads nowhere and on a fence that is not closed", function()
    assert.error_matches(function()
      help.render "[there](#nowhere)\n"
    end, "no heading #nowhere")
    assert.error_matches(function()
      help.render "```lua\nprint(1)\n"
    end, "a fenced block is not closed")
  end)

  it("gives names a tag where a line shows how they are called", function()
    local called = "    content = abridge.head(text) -- abridge.no()"
    local text = rendered(
      "## Part",
      "",
      "`abridge.head` is named first.",
      "",
      called,
      "    session:call { name = }",
      "    vim.schedule(fn)"
    )
    has(text, at_right "*abridge.head()* *abridge-session:call()*", ">", called)
    local _, tags = tags_of(text)
    assert.is_nil(tags["abridge.no()"])
    assert.is_nil(tags["abridge-vim.schedule()"])
  end)

  it("gives modules their own name, and what is in them that of the module", function()
    local _, tags = tags_of(help.render(table.concat({
      "## Client",
      "",
      '    local client = require "abridge.mcp"',
      '    other = require("abridge.nvim")',
      "",
      "### client.cap and client.other",
      "",
      '    text = require("abridge.nvim").render(1)',
      "    other.log()",
      "",
      "Call `client.cap(x)` and `client.other(x)`.",
      "",
    }, "\n")))
    for _, tag in ipairs { "abridge.mcp", "abridge.mcp.cap()", "abridge.mcp.other()" } do
      assert.is_true(tags[tag], tag)
    end
    assert.is_true(tags["abridge.nvim"] and tags["abridge.nvim.render()"] and tags["abridge.nvim.log()"])
  end)

  it("takes no file and no plugin for a name of ours", function()
    local list = tags_of(help.render "## cart.lua\n\n## mcphub.nvim\n\n`cart.lua` is\n\n`abridge.nvim` is\n")
    assert.same({ "abridge.txt", "abridge-contents", "abridge-cart.lua", "abridge-mcphub.nvim", "abridge.nvim" }, list)
  end)

  it("gives a module that only an example shows its tags there", function()
    local example = '```lua\nlocal mcp = require("abridge.mcp")\nlocal text = mcp.cap(x, stream:close())\n```'
    has(rendered("## Part", "", example), at_right "*abridge.mcp* *abridge.mcp.cap()*", ">lua")
    has(rendered("## mcp.cap", "", example), "", at_right "*abridge.mcp*", ">lua")
  end)

  it("gives what comes first in items, paragraphs and rows a tag, once", function()
    local item = "- `job.result`, `job:wait()`: text"
    local text = rendered(
      "## Part",
      "",
      item,
      "- `word`: text",
      "",
      "`run.dir` is",
      "",
      "Not `run.broken`.",
      "",
      "| key | value |",
      "|---|---|",
      "| `max_lines`, `job.result` | lines |"
    )
    has(text, at_right "*abridge-job.result* *abridge-job:wait()*", item, "- `word`: text")
    has(text, at_right "*abridge-run.dir*", "`run.dir` is")
    has(text, at_right "*abridge-part-max_lines*", "max_lines, job.result  lines")
    assert.equal(5, #tags_of(text)) -- and that of the heading
  end)

  it("tells the words of two tables under one heading apart", function()
    local tables = "| key | value |\n|---|---|\n| `path` | a |\n\n| field | value |\n|---|---|\n| `path` | b |\n"
    local _, tags = tags_of(help.render("## Part\n\n" .. tables))
    assert.is_true(tags["abridge-part-path"] and tags["abridge-part-field-path"])
  end)

  it("gives what Vim has names for the tags that Vim's own have, and keys none", function()
    local row = "|---|---|\n| `%s` | text |\n"
    local list = tags_of(
      rendered(
        "## Part",
        "",
        "| highlight group | x |\n" .. row:format "AbridgeKey",
        "| filetype | x |\n" .. row:format "abridge-run",
        "| event | x |\n" .. row:format "AbridgeRunDone",
        "| variable | x |\n" .. row:format "b:abridge_status",
        "| keys | x |\n" .. row:format "gy"
      )
    )
    assert.same({ "abridge-part", "hl-AbridgeKey", "ft-abridge-run", "AbridgeRunDone", "b:abridge_status" }, list)
  end)

  it("goes from page to page", function()
    local text = help.render(table.concat({
      "# Front",
      "See [B](lua.md#b).",
      "# abridge for Lua",
      "## B",
      "[Front](neovim.md#front), [c](c.md#b)",
    }, "\n\n"))
    has(text, "See |abridge-b|.")
    has(text, "|abridge|, c (doc/c.md#b)")
    contains(text, "*abridge-for-lua*")
  end)

  it("gives commands the tags of commands", function()
    local list = tags_of(rendered("## Part", "", "- `:Abridge log [run_dir]`: text", "- `:Abridge run CMD`: text"))
    assert.same({ "abridge-part", ":Abridge", ":Abridge-log", ":Abridge-run" }, list)
  end)

  it("turns links into tags, with their text where it says more", function()
    local text = rendered(
      "## A part",
      "",
      "See [a part](#a-part) ([more](#a-part)), [below](#a-part),",
      "[this one](#a-part),",
      "[c.md](c.md), [notes](../NOTES.md) and [a page](https://example.org/x)."
    )
    has(
      text,
      "See |abridge-a-part| (|abridge-a-part|), |abridge-a-part|, this one",
      "(|abridge-a-part|), doc/c.md, notes (NOTES.md) and a page",
      "(https://example.org/x)."
    )
  end)

  it("leaves out the page's own contents, and marks that help does not know", function()
    local text = rendered("- [A part](#a-part)", "", "## A part", "", "**Strong** and *soft*, 2 \\* 3, `**kept**`.")
    assert.is_nil(text:find("[A part]", 1, true))
    has(text, "Strong and soft, 2 * 3, `**kept**`.")
  end)

  it("fills lines of 78 columns and keeps code in one piece", function()
    local text = rendered("## P", "", ("é"):rep(70) .. " `a b c d e f` x", "continued")
    has(text, ("é"):rep(70), "`a b c d e f` x continued")
    has(rendered("## P", "", "- " .. ("word "):rep(20)), "- " .. ("word "):rep(15):sub(1, -2), "  word word")
  end)

  it("ends no line in what would begin an example or a column heading", function()
    local words = ("word "):rep(14)
    has(rendered("## P", "", words .. "other > y"), words:sub(1, -2), "other > y")
  end)

  it("turns tables into columns, further cells named by their header", function()
    local text = rendered(
      "## P",
      "",
      "| key | value | default |",
      "|---|---|---|",
      "| `a` | " .. ("word "):rep(20) .. "| 1 |",
      "| " .. ("b"):rep(30) .. " | x \\| y | |",
      "| | more | |"
    )
    has(text, "key  value ~", at_right "*abridge-p-a*", ("a   " .. (" word"):rep(14)), "     word")
    has(text, "     Default: 1", ("b"):rep(30), "     x | y", "     more")
  end)

  it("turns a wide table into a list of its cells", function()
    local text = rendered("## P", "", "| name | x | `y` | z |", "|---|---|---|---|", "| a | 1 | 2 | - |")
    has(text, "name ~", "a     X: 1", "      `y`: 2", "      Z: -")
  end)

  it("keeps code as it is where it fits", function()
    has(
      rendered("## P", "", "```lua", "if x then", "", "  y()  -- why", "end", "```", "text"),
      ">lua",
      "    if x then",
      "",
      "      y()  -- why",
      "    end",
      "<",
      "text"
    )
  end)

  it("breaks wide code where it may be broken, what it prints below, comments above or beside", function()
    local text = rendered(
      "## P",
      "",
      "```lua",
      ('f("%s", { one = "a, b", two = 2 }, { three = 3 })'):format(("x"):rep(40)),
      ('print("%s") --> 1  2'):format(("y"):rep(60)),
      "f()" .. (" "):rep(40) .. "-- " .. ("word "):rep(10),
      "local s = '" .. ("z"):rep(50) .. "' -- why it is so",
      "```"
    )
    has(
      text,
      ('    f("%s", { one = "a, b", two = 2 },'):format(("x"):rep(40)),
      "      { three = 3 })",
      ('    print("%s")'):format(("y"):rep(60)),
      "    --> 1  2",
      "    f()" .. (" "):rep(40) .. "-- word word word word word",
      (" "):rep(47) .. "-- word word word word word",
      "    -- why it is so",
      "    local s = '" .. ("z"):rep(50) .. "'"
    )
  end)

  it("wraps what stands beside a command", function()
    has(
      rendered("## P", "", "    tool --flag [x]     " .. ("word "):rep(14)),
      "    tool --flag [x]    " .. (" word"):rep(11),
      (" "):rep(24) .. "word word word\n<"
    )
  end)
end)

describe("doc/abridge.txt #once", function()
  local text = paths.read "doc/abridge.txt"
  local prose, blocks = parts_of(text)
  local _, tags = tags_of(text)

  it("is what `make doc` makes of doc/neovim.md and doc/lua.md", function()
    local made = help.render(paths.read "doc/neovim.md" .. paths.read "doc/lua.md")
    assert(made == text, "doc/abridge.txt is not that of its pages: run `make doc`")
  end)

  it("opens on commands, keys, highlights, events and settings, under tags that people guess", function()
    local order, last = {}, 0
    for i, tag in ipairs((tags_of(text))) do
      order[tag] = order[tag] or i
    end
    for _, tag in ipairs {
      "abridge",
      "abridge-commands",
      ":Abridge",
      ":Abridge-run",
      ":Abridge-log",
      ":Abridge-pick",
      ":Abridge-quickfix",
      "abridge-keys",
      "abridge-run-window",
      "abridge-log-window",
      "abridge-output-window",
      "abridge-buffers",
      "ft-abridge-run",
      "abridge-highlights",
      "hl-AbridgeError",
      "abridge-events",
      "AbridgeRunDone",
      "abridge-settings",
      "b:abridge_status",
      "abridge-for-lua",
    } do
      assert((order[tag] or 0) > last, tag)
      last = order[tag]
    end
    for tag in pairs(tags) do
      assert(not tag:find "^abridge%-:" and not tag:find "^abridge%-[%w-]*window%-", tag) -- of no command, of no key
    end
    for name in pairs(require("abridge.nvim.highlight").groups) do
      assert(tags["hl-" .. require("abridge.nvim.highlight").groups[name]], name)
    end
  end)

  it("is printed by doc/help.lua, run as a program", function()
    local interpreter = tmpdir.interpreter() or "lua5.4"
    local dir = tmpdir.new()
    local line = "cd %s && cat doc/neovim.md doc/lua.md | LUA_INIT= LUA_PATH='doc/?.lua;;' %s doc/help.lua"
    local out, err, code = dir:sh(line:format(tmpdir.quote(tmpdir.root()), tmpdir.quote(interpreter)))
    dir:remove()
    assert.equal(0, code, err)
    assert.is_true(out == text)
  end)

  it("has no line over 78 columns, no blanks at line ends and no tabs", function()
    for number, line in ipairs(plain.lines(text)) do
      local columns = #(line:gsub("[\128-\191]", ""))
      assert(columns <= 78 and not line:find "%s$" and not line:find "\t", ("line %d: %s"):format(number, line))
    end
  end)

  it("has Lua that compiles", function()
    local count = 0
    for _, block in ipairs(blocks) do
      if block.language == "lua" then
        assert(compile(block.code, "=doc/abridge.txt"))
        count = count + 1
      end
    end
    assert.is_true(count > 30)
  end)

  it("has links to its own tags alone", function()
    local count = 0
    for _, line in ipairs(prose) do
      for link in line:gsub("`[^`]*`", ""):gmatch "|([^%s|]+)|" do
        assert(tags[link], "no tag " .. link)
        count = count + 1
      end
    end
    assert.is_true(count > 60)
  end)

  --- The names that have no tag, of those of a table.
  local function untagged(prefix, names, missing)
    for name, value in pairs(names) do
      local public = type(name) == "string" and name:find "^%a[%w_]*$"
      if public and not tags[prefix .. name .. (type(value) == "function" and "()" or "")] then
        missing[#missing + 1] = prefix .. name
      end
    end
    return missing
  end

  it("has a tag for all of require 'abridge'", function()
    local missing = untagged("abridge.", abridge, {})
    untagged("abridge.info.", abridge.info, missing)
    assert.same({}, missing)
    assert.is_true(tags["abridge.profiles"] and tags["abridge.head()"])
  end)

  it("has a tag for every method of sessions, jobs, streams, runs, infos and indexes, and for their fields", function()
    local dir = tmpdir.new()
    local session = abridge.session { run_dir = dir:at "run" }
    local job = session:call("run_command", { command = "true" }, {})
    job:wait()
    session:close()
    local run = abridge.open_run(dir:at "run")
    local stream = abridge.stream { strategy = "tail", max_lines = 1 }
    local missing, count = {}, 0
    for name, object in pairs {
      session = session,
      job = job,
      run = run,
      stream = stream,
      info = abridge.info.not_truncated(1),
      index = abridge.index(),
    } do
      local methods = {}
      for key, value in pairs(getmetatable(object)) do
        if type(value) == "function" then
          methods[key], count = value, count + 1
        end
      end
      untagged(("abridge-%s:"):format(name), methods, missing)
    end
    untagged("abridge-job.", { call_id = job.call_id, result = job.result, cancelled = job.cancelled }, missing)
    untagged("abridge-run.", { dir = run.dir, broken = run.broken, too_long = run.too_long }, missing)
    run:close()
    stream:close()
    dir:remove()
    assert.same({}, missing)
    assert.is_true(count > 25)
  end)

  it("has a tag for each module that it shows, and for its functions", function()
    local missing, count = {}, 0
    for module in text:gmatch "require%s*%(?[\"'](abridge%.[%w_.]+)[\"']" do
      local ok, found = pcall(require, module)
      if not tags[module] then missing[#missing + 1] = module end
      if ok and type(found) == "table" then
        local functions = {}
        for name, value in pairs(found) do
          if type(value) == "function" then
            functions[name], count = value, count + 1
          end
        end
        untagged(module .. ".", functions, missing)
      end
    end
    assert.same({}, missing)
    assert.is_true(count >= 3)
  end)

  it("has a tag for every option and field that a table of the reference names", function()
    local count = 0
    local rows = paths.read("doc/lua.md"):gsub("\n[^\n]*\n|%-[^\n]*", "\n") -- without headers
    for row in rows:gmatch "\n| (`[^|\n]-`) |" do
      for word in row:gmatch "`([%l_]+)`" do
        local found = false
        for tag in pairs(tags) do
          found = found or tag:match "[-.:]([%w_]+)$" == word
        end
        assert(found, "no tag for " .. word)
        count = count + 1
      end
    end
    assert.is_true(count > 100)
  end)
end)

-- Prints the tags that `:helptags` finds, and those of them to which `:help` does not jump.
local PROBE = [[
local function out(...) io.stdout:write(table.concat({ ... }, "\t"), "\n") end
local ok, message = pcall(vim.cmd, "helptags doc")
out("helptags", ok and "fine" or tostring(message))
for line in io.lines "doc/tags" do
  local tag = line:match "^[^\t]+"
  out("tag", tag)
  local jumped, why = pcall(vim.cmd, "help " .. tag)
  local here = jumped and vim.api.nvim_get_current_line() or ""
  if not (" " .. here .. " "):find(" *" .. tag .. "* ", 1, true) then out("missed", tag, tostring(why), here) end
end
out("type", vim.bo.filetype)
vim.cmd "qall!"
]]

describe("Neovim #few", function()
  it("finds every tag of the help, each once, and jumps to it", function()
    local dir = tmpdir.new()
    local text = paths.read "doc/abridge.txt"
    dir:sh "mkdir doc"
    dir:write("doc/abridge.txt", text)
    dir:write("probe.lua", PROBE)
    local set = "set rtp^=. shada="
    local line = "HOME=$PWD timeout 60 nvim --headless -u NONE -i NONE -n --cmd '%s' -c 'luafile probe.lua'"
    local out, err, code = dir:sh(line:format(set))
    dir:remove()
    local said = { tag = {}, missed = {} }
    for key, value in out:gmatch "(%l+)\t([^\n]*)\n" do
      if said[key] then
        table.insert(said[key], value)
      else
        said[key] = value
      end
    end
    assert.equal("fine", said.helptags, err)
    assert.same({}, said.missed)
    assert.equal("help", said.type)
    assert.equal(0, code)
    local expected = tags_of(text)
    table.sort(expected)
    table.sort(said.tag)
    assert.same(expected, said.tag)
    assert.is_true(#expected > 300)
  end)
end)
