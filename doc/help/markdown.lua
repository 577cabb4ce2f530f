--- Markdown, as doc/lua.md has it, taken apart into blocks.

local M = {}

---@class (exact) help.Block
---@field kind "heading"|"paragraph"|"item"|"indented"|"fenced"|"table"
---@field tight boolean no blank line before it
---@field text? string of headings, paragraphs and items, in one line
---@field level? integer of a heading, 1 to 6
---@field indent? integer of an item or a paragraph that belongs to one
---@field mark? string of an item: `-` or `1.`
---@field language? string of a fenced block
---@field lines? string[] of code
---@field rows? table[] of a table: lists of cells; the first is its header
---@field tags? string[] of a block, and of a row

--- The cells of a line of a table; `\|` is a bar inside one.
local function cells_of(line)
  local cells = {}
  local inner = line:gsub("\\|", "\2"):gsub("^%s*|", ""):gsub("|%s*$", "")
  for cell in (inner .. "|"):gmatch "([^|]*)|" do
    cells[#cells + 1] = cell:gsub("\2", "|"):match "^%s*(.-)%s*$"
  end
  return cells
end

--- The block that a line outside of fences begins; nil when it goes on with the open one.
local function begun(line, open)
  local marks, heading = line:match "^(#+)%s+(.-)%s*$"
  if marks then return { kind = "heading", level = #marks, text = heading } end
  if line:find "^%s*|" then return not (open and open.kind == "table") and { kind = "table", rows = {} } or nil end
  local blanks, mark, rest = line:match "^(%s*)([-*])%s+(.*)$"
  if not mark then
    blanks, mark, rest = line:match "^(%s*)(%d+%.)%s+(.*)$"
  end
  if mark and not (open and open.kind == "indented") then
    return { kind = "item", indent = #blanks, mark = mark == "*" and "-" or mark, text = rest }
  end
  if open and open.kind ~= "table" and open.kind ~= "heading" then return nil end
  if line:find "^    " then return { kind = "indented", lines = {} } end
  return { kind = "paragraph", indent = #line:match "^%s*", text = "" }
end

--- Add a line to the block it belongs to.
local function extend(block, line)
  if block.kind == "table" then
    if not line:find "^%s*|[-:| ]+$" or line:find "^%s*|[ |]+$" then block.rows[#block.rows + 1] = cells_of(line) end
  elseif block.lines then
    block.lines[#block.lines + 1] = line:gsub("^    ", "")
  else
    block.text = (block.text .. " " .. line:match "^%s*(.-)%s*$"):gsub("^ ", "")
  end
end

--- The blocks of a page. Raises on a fence that is not closed.
---@param text string
---@return help.Block[]
function M.parse(text)
  local blocks, open, fence, gap = {}, nil, nil, true
  local function add(block)
    block.tight = not gap
    blocks[#blocks + 1] = block
    return block
  end
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    local blanks, language = line:match "^(%s*)```(%w*)"
    if fence then
      if blanks then
        fence = nil
      else
        fence.lines[#fence.lines + 1] = line:gsub("^" .. fence.blanks, "")
      end
    elseif blanks then
      fence, open = add { kind = "fenced", language = language, lines = {}, blanks = blanks }, nil
    elseif line:find "^%s*$" or line:find "^<!%-%-" then
      open = nil
    else
      local block = begun(line, open)
      if block then open = add(block) end
      if not block or not (block.kind == "heading" or block.kind == "item") then extend(open, line) end
    end
    gap = line:find "^%s*$" ~= nil or line:find "^<!%-%-" ~= nil
  end
  assert(not fence, "a fenced block is not closed")
  return blocks
end

return M
