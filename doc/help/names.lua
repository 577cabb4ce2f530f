--- The names that a page introduces, and the tags under which help finds them.
---
--- A page's title has `abridge`, that of a second page its words. A heading has `abridge-HEADING`, or the names that
--- stand in it. Any other name (`abridge.head`, `session:call`, `job.result`) has its tag where it is introduced: in an
--- indented line that shows how it is called, else where it comes first in a row of a table, in an item or in a
--- paragraph; modules and their functions, at last, in an example. What else comes first in a row has
--- `abridge-HEADING-WORD`, or what help calls such a thing: `hl-AbridgeKey`. Modules and what is in them are tags as
--- they are, other names stand behind `abridge-`; what can be called has `()` behind it. A tag is given once, to the
--- first that may have it.

local M = {}

--- Names of others that examples call.
local FOREIGN = { vim = true, string = true, table = true, io = true, os = true, math = true }

---@class (exact) help.Names
---@field modules table<string, string> modules by the last part of their names, and by what examples call them
---@field code string all code of the page
---@field taken table<string, true> tags that were given
---@field anchors table<string, string> tags of headings, by the names under which links go there

--- Ends of the names of files and plugins.
local FILES = { [".c"] = true, [".jsonl"] = true, [".lua"] = true, [".md"] = true, [".nvim"] = true, [".so"] = true }

--- What tags of rows begin with, by the first word of their table's header; those of keys have none.
local PREFIXES = { highlight = "hl-", filetype = "ft-", event = "", keys = false }

local REQUIRE = "require *%(? *[\"'](abridge[%w_.]*)[\"'] *%)?"

--- `require "abridge.mcp"`, in any of its forms, as the module's name.
local function without_require(code)
  return (code:gsub(REQUIRE, "%1"))
end

--- All code of a page, a line or a span a line.
local function code_of(blocks)
  local code = {}
  for _, block in ipairs(blocks) do
    for _, line in ipairs(block.lines or {}) do
      code[#code + 1] = line
    end
    local prose = { block.text }
    for _, row in ipairs(block.rows or {}) do
      prose[#prose + 1] = table.concat(row, " ")
    end
    for span in table.concat(prose, " "):gmatch "`([^`]+)`" do
      code[#code + 1] = span
    end
  end
  return table.concat(code, "\n") .. "\n"
end

local function is_called(names, name)
  return names.code:find("%f[%w_]" .. name:gsub("%p", "%%%0") .. ' ?[({"]') ~= nil
end

--- The tag of a name such as `session:call`; nil for what is no name of ours.
local function tag_of(names, name)
  local root, rest = name:match "^([%l_][%w_]*)([.:][%w_.:]*[%w_])$"
  if not root or FOREIGN[root] or (FILES[rest] and root ~= "abridge") then return nil end
  if name:find "^[bg]:" then return name end -- a variable of Vim's
  local whole = (names.modules[root] or root) .. rest
  local prefix = whole:find "^abridge%." and "" or "abridge-"
  return prefix .. whole .. ((is_called(names, name) or is_called(names, whole)) and "()" or "")
end

--- Give a block or a row a tag, unless another has it.
local function give(names, owner, tag)
  if not tag or names.taken[tag] then return false end
  names.taken[tag] = true
  owner.tags = owner.tags or {}
  owner.tags[#owner.tags + 1] = tag
  return true
end

--- The spans of code that a text begins with: `a`, `b` and `c`.
local function leading_spans(text)
  local spans, at = {}, 1
  while at do
    local span, behind = text:match("^`([^`]+)`()", at)
    if span then spans[#spans + 1] = without_require(span) end
    at = span and (text:match("^,? and ()", behind) or text:match("^, ()", behind))
  end
  return spans
end

--- The tags of the names that a text begins with. Commands have those that Vim's own have: `:Abridge`, `:Abridge-log`.
local function give_names(names, owner, text)
  for _, span in ipairs(leading_spans(text)) do
    local command, word = span:match "^(:%u%w*)%s*([%l_]*)"
    local name, rest = span:match "^([%w_.:]*[%w_])(.*)$"
    if command then
      give(names, owner, command)
      if word ~= "" then give(names, owner, command .. "-" .. word) end
    elseif name and (rest == "" or rest:find '^ ?[({"]') then
      give(names, owner, tag_of(names, name))
    end
  end
end

--- The name under which links go to a heading, as GitHub makes it.
---@param text string
---@return string
function M.anchor(text)
  return (text:lower():gsub("[^%w%s_-]", ""):gsub("%s", "-"))
end

local function slug_of(text)
  return (text:lower():gsub("[^%w_.:]+", "-"):gsub("^%-", ""):gsub("[-.:]$", ""))
end

--- The tags of a heading. A second one of the same words goes by the section it stands in too.
local function tag_heading(names, block, section)
  local text = block.text:gsub("`", "")
  local slug = slug_of(text):gsub("^abridge%-", "")
  local titled = block.level == 1 and give(names, block, "abridge")
  if not titled then
    for name in text:gmatch "[%w_]+[.:][%w_.:]*[%w_]" do
      give(names, block, tag_of(names, name))
    end
  end
  local done = block.tags or give(names, block, "abridge-" .. slug)
  assert(done or give(names, block, section .. "-" .. slug), "two headings of one section read " .. text)
  names.anchors[M.anchor(text)] = names.anchors[M.anchor(text)] or block.tags[1]
end

--- The tags of code: of the modules it loads, and of the first thing that each line calls; of examples those alone
--- that are a module's.
local function tag_code(names, block)
  for _, line in ipairs(block.lines) do
    local code = line:gsub("%-%-.*", "")
    for module in code:gmatch(REQUIRE) do
      if module ~= "abridge" then give(names, block, module) end
    end
    code = without_require(code)
    local called = code:match "([%l_][%w_]*[.:][%w_.:]*[%w_]) ?[({]"
    local tag = called and tag_of(names, called)
    if tag and (block.kind == "indented" or tag:find "^abridge%.%w+%.") then give(names, block, tag) end
  end
end

--- The tags of rows. A word that two tables under one heading have goes by the header of the second one too.
local function tag_rows(names, block, heading)
  local scope = heading:gsub("%(%)$", "")
  local kind = slug_of(block.rows[1][1]):match "^%a+" or "row"
  local prefix = PREFIXES[kind]
  if prefix == false then return end
  for i = 2, #block.rows do
    local row = block.rows[i]
    give_names(names, row, row[1])
    for _, span in ipairs(leading_spans(row[1])) do
      local word, rest = span:match "^([%w_.-]*[%w_])(.*)$"
      if prefix then
        give(names, row, prefix .. span)
      elseif word and not tag_of(names, word) and (rest == "" or rest:find "^[( =]") then
        word = word .. (rest:find "^%(" and "()" or "")
        if not give(names, row, scope .. "-" .. word) then give(names, row, scope .. "-" .. kind .. "-" .. word) end
      end
    end
  end
end

--- Give blocks and rows their tags.
---@param blocks help.Block[] changed in place
---@return help.Names
function M.tag(blocks)
  local code = code_of(blocks)
  local names = { code = without_require(code), modules = {}, taken = {}, anchors = {} }
  for module in code:gmatch(REQUIRE) do
    names.modules[module:match "[%w_]*$"] = module
  end
  for name, module in names.code:gmatch "([%w_]+) = (abridge[%w_.]*)%s*\n" do
    names.modules[name] = module
  end
  local section, heading = "abridge", "abridge"
  for _, block in ipairs(blocks) do
    if block.kind == "heading" then tag_heading(names, block, section) end
    if block.kind == "heading" and block.level < 3 then section = block.tags[1] end
  end
  for _, block in ipairs(blocks) do
    if block.kind == "indented" then tag_code(names, block) end
  end
  for _, block in ipairs(blocks) do
    if block.kind == "heading" then heading = block.tags[1] end
    if block.kind == "table" then tag_rows(names, block, heading) end
    if block.kind == "item" then give_names(names, block, block.text) end
  end
  for _, block in ipairs(blocks) do
    if block.kind == "paragraph" then give_names(names, block, block.text) end
  end
  for _, block in ipairs(blocks) do
    if block.kind == "fenced" then tag_code(names, block) end
  end
  return names
end

return M
