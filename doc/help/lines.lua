--- Text and code in lines that fit the help of Neovim.

local names_of = require "help.names"

local M = {}

M.WIDTH = 78

local LEAST_COMMENT = 20 -- columns; a comment with less room beside its code goes on a line of its own
local GLUE = "\1" -- a blank where no line may end

-- text --------------------------------------------------------------------------------

--- Columns of a text: its chars.
---@param text string
---@return integer
function M.width(text)
  return #(text:gsub("[\128-\191]", ""))
end

--- Code in a line of text. Vim's help has no way to quote a backtick.
local function quoted(code)
  return code:find("`", 1, true) and code or "`" .. code:gsub(" ", GLUE) .. "`"
end

local PAGES = { [""] = true, ["neovim.md"] = true, ["lua.md"] = true } -- those that are in the help

--- A link as help has it: |tag|, behind its text where that says more than the heading.
local function link(names, text, target, bracketed)
  local page, anchor = target:match "^([%l.]*)#(.*)$"
  if not PAGES[page] then anchor = nil end
  if not anchor then
    local path = target:find "^%a+:" and target or ("doc/" .. target):gsub("^doc/%.%./", "")
    return (text:gsub("`", "") == target or text == "") and path or ("%s (%s)"):format(text, path)
  end
  local tag = assert(names.anchors[anchor], "no heading " .. target)
  if text == "below" or text == "above" or bracketed or names_of.anchor(text:gsub("`", "")) == anchor then
    return "|" .. tag .. "|"
  end
  return ("%s (|%s|)"):format(text, tag)
end

--- A text with the marks of help in place of Markdown's. Raises on a link to a heading that is not there.
---@param names help.Names
---@param text string
---@return string text for `wrapped`
function M.inline(names, text)
  local out, at = {}, 1
  local function take(piece, next_at)
    out[#out + 1], at = piece, next_at
  end
  while at <= #text do
    local code, after_code = text:match("^``%s*(.-)%s*``()", at)
    if not code then
      code, after_code = text:match("^`([^`]+)`()", at)
    end
    local label, target, after_link = text:match("^!?%[(.-)%]%(([^)%s]*)%)()", at)
    local strong, after_strong = text:match("^%*%*(.-)%*%*()", at)
    local emphasis, after_emphasis = text:match("^%*([^%s*][^*]*)%*()", at)
    local escaped, after_escaped = text:match("^\\(%p)()", at)
    if code then
      take(quoted(code), after_code)
    elseif label then
      local bracketed = text:sub(at - 1, at - 1) == "(" and text:sub(after_link, after_link) == ")"
      take(link(names, M.inline(names, label), target, bracketed), after_link)
    elseif strong or emphasis then
      take(M.inline(names, strong or emphasis), after_strong or after_emphasis)
    elseif escaped then
      take(escaped, after_escaped)
    else
      take(text:sub(at, at), at + 1)
    end
  end
  return table.concat(out)
end

--- What stands in the key column of a table: without quotes, which help would hide.
---@param names help.Names
---@param text string
---@return string
function M.plain(names, text)
  return (M.inline(names, text):gsub("`", ""):gsub(GLUE, " "))
end

--- The words of a text between which a line may end. Code that is wider than a line is split at its blanks. A `>` or
--- `~` at the end of a line would mean something to help.
local function words_of(text, width)
  local words = {}
  text = text:gsub(" ([>~]%a*)%f[%s%z]", GLUE .. "%1" .. GLUE):gsub(GLUE .. " ", GLUE)
  for word in text:gmatch "[^ ]+" do
    if M.width(word) > width then
      for piece in word:gmatch("[^" .. GLUE .. "]+") do
        words[#words + 1] = piece
      end
    else
      words[#words + 1] = word
    end
  end
  return words
end

--- A text in lines.
---@param text string
---@param first? string what stands before the first line
---@param rest? string what stands before the others; blanks of the same width unless set
---@param width? integer most columns of a line; 78 unless set
---@return string[]
function M.wrapped(text, first, rest, width)
  first, width = first or "", width or M.WIDTH
  rest = rest or (" "):rep(M.width(first))
  local lines, line, empty = {}, first, true
  for _, word in ipairs(words_of(text, width - M.width(rest))) do
    if not empty and M.width(line) + 1 + M.width(word) > width then
      lines[#lines + 1] = line
      line, empty = rest, true
    end
    line, empty = line .. (empty and "" or " ") .. word, false
  end
  lines[#lines + 1] = line
  for i, done in ipairs(lines) do
    lines[i] = done:gsub(GLUE, " "):gsub("%s+$", "")
  end
  return lines
end

-- code --------------------------------------------------------------------------------

--- Where a line of Lua may be broken, as a list of { at =, depth = }, and where its comment starts. Behind a comma is
--- better than elsewhere between the same brackets. `--flag` is no comment.
local function breaks_of(line)
  local breaks, depth, quote, i = {}, 0, nil, 1
  while i <= #line do
    local c = line:sub(i, i)
    if quote then
      if c == "\\" then i = i + 1 end
      if c == quote then quote = nil end
    elseif c == '"' or c == "'" then
      quote = c
    elseif line:find("^%-%-[> ]", i) or line:find("^%-%-$", i) then
      return breaks, i
    elseif c:find "[({[]" then
      depth = depth + 1
    elseif c:find "[])}]" then
      depth = depth - 1
    elseif c == " " and i > #line:match "^ *" then
      breaks[#breaks + 1] = { at = i, depth = line:sub(i - 1, i - 1) == "," and depth or depth + 0.5 }
    end
    i = i + 1
  end
  return breaks, nil
end

--- Break a line of code outside of its strings: as far outside of brackets as can be behind the first third.
local function broken(line, width)
  local lines, indent = {}, line:match "^ *" .. "  "
  while #line > width do
    local best
    for _, candidate in ipairs(breaks_of(line)) do
      candidate.far = candidate.at > width / 3
      local better = not best or not best.far or (candidate.far and candidate.depth <= best.depth)
      if candidate.at <= width + 1 and better then best = candidate end
    end
    if not best then break end
    lines[#lines + 1] = line:sub(1, best.at - 1)
    line = indent .. line:sub(best.at + 1)
  end
  lines[#lines + 1] = line
  return lines
end

--- A comment in lines, `first` before it. What an example prints is indented where it goes on.
local function comment_lines(first, dashes, said, width)
  local whole = first .. dashes .. said
  if M.width(whole) <= width then return { whole } end
  local rest = (" "):rep(#first) .. dashes .. (dashes:find ">" and "  " or "")
  return M.wrapped(said, first .. dashes, rest, width)
end

local function joined(a, b)
  local lines = {}
  for _, list in ipairs { a, b } do
    for _, line in ipairs(list) do
      lines[#lines + 1] = line
    end
  end
  return lines
end

--- A line of code in lines. A comment stays beside the code, or goes above it; what the code prints goes below.
---@param line string
---@param width integer most columns of a line, as far as the code has blanks outside of strings
---@return string[]
function M.fitted(line, width)
  if M.width(line) <= width then return { line } end
  local _, at = breaks_of(line)
  local code = (at and line:sub(1, at - 1) or line):gsub("%s+$", "")
  if not at then
    local command = code:match "^[^\"']-%S  +%f[%S]" -- and behind it what it does
    if command then return M.wrapped(code:sub(#command + 1), command, nil, width) end
    return broken(code, width)
  end
  local dashes, said = line:match("^(%-%->? ?)(.*)$", at)
  local prints = dashes:find ">" ~= nil
  if code ~= "" and not prints and width - at + 1 >= LEAST_COMMENT then
    return comment_lines(line:sub(1, at - 1), dashes, said, width)
  end
  local comment = comment_lines(line:match "^ *", dashes, said, width)
  code = code == "" and {} or broken(code, width)
  return prints and joined(code, comment) or joined(comment, code)
end

return M
