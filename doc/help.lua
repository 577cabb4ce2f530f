--- Turns doc/neovim.md, the front page, and the reference behind it, doc/lua.md, into the help of Neovim,
--- doc/abridge.txt. `make doc` runs it:
---
---     cat doc/neovim.md doc/lua.md | LUA_PATH="doc/?.lua;;" lua doc/help.lua > doc/abridge.txt

local lines_of = require "help.lines"
local markdown = require "help.markdown"
local names_of = require "help.names"

local M = {}

local WIDTH = lines_of.WIDTH
local CODE_INDENT = "    "
local MOST_KEY = 22 -- columns of a table's first cell; what is wider gets lines of its own
local TITLE = "*abridge.txt*  For Neovim 0.7 and later: what a model sees of a tool's output"
local MODELINE = "vim:tw=78:ts=8:sw=4:et:ft=help:norl:"
local RULES = { "=", "=", "-" } -- above headings, by level

--- Tags at the right, as many on a line as there is room for.
local function put_tags(out, tags)
  local line = ""
  for i, tag in ipairs(tags or {}) do
    line = line .. (line == "" and "*" or " *") .. tag .. "*"
    local more = tags[i + 1]
    if not more or #line + 3 + #more > WIDTH then
      out[#out + 1] = (" "):rep(WIDTH - #line) .. line
      line = ""
    end
  end
end

local function put(out, lines)
  for _, line in ipairs(lines) do
    out[#out + 1] = line
  end
end

--- A heading, its tag at the right where there is room.
local function put_heading(out, text, tags, rule)
  out[#out + 1] = rule:rep(WIDTH)
  local tag = "*" .. tags[1] .. "*"
  local gap = WIDTH - lines_of.width(text) - #tag
  if #tags == 1 and gap > 0 then
    out[#out + 1] = text .. (" "):rep(gap) .. tag
  else
    put_tags(out, tags)
    out[#out + 1] = text
  end
end

--- The cells of a row behind the first: the third and further ones, and all of a wide table, have their header.
local function cells_beside(names, header, row)
  local texts = {}
  for i = 2, #row do
    local label = (i > 2 or #row > 3) and header[i] or ""
    if label ~= "" then label = label:gsub("^%l", string.upper) .. ": " end
    if row[i] ~= "" then texts[#texts + 1] = lines_of.inline(names, label .. row[i]) end
  end
  return texts
end

--- A key and what stands beside it, in columns.
local function put_row(out, key, texts, column)
  local first = key .. (" "):rep(column - lines_of.width(key))
  if lines_of.width(key) + 2 > column or #texts == 0 then
    put(out, lines_of.wrapped(key))
    first = (" "):rep(column)
  end
  for _, text in ipairs(texts) do
    put(out, lines_of.wrapped(text, first))
    first = (" "):rep(column)
  end
end

local function put_table(out, names, block)
  local header, column = block.rows[1], 0
  for _, row in ipairs(block.rows) do
    local width = lines_of.width(lines_of.plain(names, row[1]))
    if width <= MOST_KEY then column = math.max(column, width + 2) end
  end
  local title = #header <= 3 and header[2] or ""
  if header[1] ~= "" or title ~= "" then
    local key = lines_of.plain(names, header[1])
    local text = key .. (" "):rep(math.max(column - lines_of.width(key), 2)) .. lines_of.plain(names, title)
    out[#out + 1] = text:gsub("%s+$", "") .. " ~"
  end
  for i = 2, #block.rows do
    local row = block.rows[i]
    put_tags(out, row.tags)
    put_row(out, lines_of.plain(names, row[1]), cells_beside(names, header, row), column)
  end
end

local function put_code(out, block)
  out[#out + 1] = ">" .. (block.language or "")
  for _, line in ipairs(block.lines) do
    for _, part in ipairs(lines_of.fitted(line, WIDTH - #CODE_INDENT)) do
      out[#out + 1] = part == "" and "" or CODE_INDENT .. part
    end
  end
  out[#out + 1] = "<"
end

local function put_block(out, names, block)
  if block.kind == "heading" then
    return put_heading(out, lines_of.plain(names, block.text), block.tags, RULES[block.level] or "-")
  end
  put_tags(out, block.tags)
  if block.kind == "table" then
    put_table(out, names, block)
  elseif block.lines then
    put_code(out, block)
  else
    local first = (" "):rep(block.indent) .. (block.mark and block.mark .. " " or "")
    put(out, lines_of.wrapped(lines_of.inline(names, block.text), first))
  end
end

local function put_contents(out, names, blocks)
  put_heading(out, "Contents", { "abridge-contents" }, "=")
  out[#out + 1] = ""
  for _, block in ipairs(blocks) do
    if block.kind == "heading" and block.level < 4 then
      local text = ("  "):rep(math.max(block.level - 2, 0)) .. lines_of.plain(names, block.text)
      local link = "|" .. block.tags[1] .. "|"
      out[#out + 1] = ("%s %s %s"):format(text, ("."):rep(WIDTH - 2 - lines_of.width(text) - #link), link)
    end
  end
end

--- Whether a block is a line of the page's own table of contents.
local function is_contents(block)
  return block.kind == "item" and block.text:find "^%[[^%]]*%]%(#[^)]*%)$" ~= nil
end

--- Whether a blank line stands between two blocks. The marks of code show as one already.
local function is_apart(before, block)
  local enters_code = block.lines and not block.tags and before.kind ~= "heading"
  local one_list = block.kind == "item" and block.tight
  return not (before.lines or enters_code or one_list)
end

--- The help of pages. Raises where two headings of a section read the same, a link leads nowhere or a fence is
--- not closed.
---@param text string Markdown
---@return string
function M.render(text)
  local blocks = markdown.parse(text)
  local names = names_of.tag(blocks)
  local out = { TITLE, "" }
  put_contents(out, names, blocks)
  local before = { kind = "heading" }
  for _, block in ipairs(blocks) do
    if not is_contents(block) then
      if is_apart(before, block) then out[#out + 1] = "" end
      put_block(out, names, block)
      before = block
    end
  end
  put(out, { "", MODELINE })
  return table.concat(out, "\n") .. "\n"
end

if arg and arg[0] and arg[0]:find "help%.lua$" then io.write(M.render(io.read "*a")) end

return M
