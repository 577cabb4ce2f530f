--- A diff taken apart, slowly: text, file headers and hunks, line by line.
---
--- A part is `{ kind = "text" | "header" | "hunk", first=, last= }` with numbers of lines; a header and its hunks have
--- `file`, a number. A hunk has `plus`, `minus` and `combined`.
local M = {}

--- The lines of a text: `{ from=, to= }` without newlines.
function M.lines(text)
  local lines, at = {}, 1
  while at <= #text do
    local to = (text:find("\n", at, true) or #text + 1) - 1
    lines[#lines + 1] = { from = at, to = to, text = text:sub(at, to) }
    at = to + 2
  end
  return lines
end

local EXTENDED = {
  "^index ",
  "^old mode ",
  "^new mode ",
  "^new file mode ",
  "^deleted file mode ",
  "^similarity index ",
  "^dissimilarity index ",
  "^rename from ",
  "^rename to ",
  "^copy from ",
  "^copy to ",
  "^mode ",
  "^Binary files .* differ\r?$",
  "^%-%-%- ",
  "^%+%+%+ ",
  "^GIT binary patch",
}

local function is_any(line, patterns)
  for _, pattern in ipairs(patterns) do
    if line:find(pattern) then return true end
  end
  return false
end

--- What a hunk's own header says: its sides as counts of lines, the last one the result's.
local function hunk_sides(line)
  local ats = line:match "^(@@+) "
  if not ats then return nil end
  local ranges = line:match("^@@+ (.-) " .. ats)
  if not ranges then return nil end
  local sides = {}
  for sign, _, n in ranges:gmatch "([-+])(%d+),?(%d*)" do
    sides[#sides + 1] = { sign = sign, left = tonumber(n) or 1 }
  end
  return #sides == #ats and sides or nil
end

--- Does a line of a hunk's body count on a side, and does it add or take away?
local function weigh(line, sides)
  local columns = line:sub(1, #sides - 1)
  local plus, minus = columns:find("+", 1, true) ~= nil, columns:find("-", 1, true) ~= nil
  for i = 1, #sides - 1 do
    local column = columns:sub(i, i)
    if column ~= "+" and not (column == " " and minus) then sides[i].left = sides[i].left - 1 end
  end
  if not minus then sides[#sides].left = sides[#sides].left - 1 end
  return plus, minus
end

local function is_done(sides)
  for _, side in ipairs(sides) do
    if side.left > 0 then return false end
  end
  return true
end

--- The hunk that starts at line n; nil where there is none.
local function read_hunk(lines, n)
  local sides = hunk_sides(lines[n].text)
  if not sides then return nil end
  local hunk = { kind = "hunk", first = n, plus = 0, minus = 0, combined = #sides > 2 }
  while not is_done(sides) and lines[n + 1] do
    local text = lines[n + 1].text
    if text ~= "" and not text:find "^[-+ \\]" then break end
    n = n + 1
    if text:sub(1, 1) ~= "\\" then
      local plus, minus = weigh(text, sides)
      if plus then
        hunk.plus = hunk.plus + 1
      elseif minus then
        hunk.minus = hunk.minus + 1
      end
    end
  end
  if lines[n + 1] and lines[n + 1].text:sub(1, 2) == "\\ " then n = n + 1 end
  hunk.last = n
  return hunk
end

--- Past the two lines --- and +++ with a hunk after them; nil where line n does not start such.
local function past_names(lines, n)
  local a, b, c = lines[n], lines[n + 1], lines[n + 2]
  if a and b and c and a.text:find "^%-%-%- " and b.text:find "^%+%+%+ " and hunk_sides(c.text) then return n + 2 end
end

--- The header of a file that starts at line n, as the number of the line after it; nil where there is none.
local function past_header(lines, n)
  local text = lines[n].text
  if text:find "^diff %-%-git " or text:find "^diff %-%-cc " or text:find "^diff %-%-combined " then
    n = n + 1
    while lines[n] and is_any(lines[n].text, EXTENDED) do
      if lines[n].text:find "^GIT binary patch" then
        while lines[n + 1] and not lines[n + 1].text:find "^diff %-%-git " and lines[n + 1].text ~= "-- " do
          n = n + 1
        end
      end
      n = n + 1
    end
    return n
  end
  if text:find "^diff " and lines[n + 1] then return past_names(lines, n + 1) end
  if text:find "^Index: " and lines[n + 1] and lines[n + 1].text:find "^=====" then
    return past_names(lines, n + 2) or n + 2
  end
  return past_names(lines, n)
end

--- The path that a header names, as it stands in its lines.
local function path_of(lines, header)
  local found
  for n = header.first, header.last do
    local text = lines[n].text
    local path = text:match "^%+%+%+ ([^\t]+)" or text:match "^rename to (.*)" or text:match "^Index: (.*)"
    if path and not path:find "/dev/null" then found = path:gsub('^"?[abciw]/', "") end
    local old = text:match "^%-%-%- ([^\t]+)"
    if not found and old and not old:find "/dev/null" then found = old:gsub('^"?[abciw]/', "") end
  end
  if not found then
    local first = lines[header.first].text
    found = first:match ' "?b/([^"]+)"?\r?$' or first:match "^diff %-%-%a+ (.*)$" or first:match "(%S+)$"
  end
  return (found:gsub('["\r]*$', ""))
end

--- How a line starts a commit: of `git log`, a mail, or, as the first line of all, `git log --oneline`; or nil.
local function commit_form(lines, n, first)
  local text = lines[n].text
  if text:find "^commit %x%x%x%x%x%x%x" then return "commit" end
  if text:find "^From %x%x%x%x%x%x%x+ " then return "From" end
  local oneline = text:find "^%x%x%x%x%x%x%x+ " and (n == 1 or first == "oneline")
  return oneline and "oneline" or nil
end

--- The parts of a diff, its files: `{ path=, header=, hunks=, commit= }`, and the lines that start its commits.
function M.parse(text)
  local lines, parts, files, commits = M.lines(text), {}, {}, {}
  local n, file = 1, nil
  while n <= #lines do
    local past = past_header(lines, n)
    local hunk = not past and file and read_hunk(lines, n)
    if past then
      file = { header = { kind = "header", first = n, last = past - 1 }, hunks = {} }
      files[#files + 1] = file
      file.number, file.header.file, file.commit = #files, #files, #commits
      file.path = path_of(lines, file.header)
      parts[#parts + 1], n = file.header, past
    elseif hunk then
      hunk.file = file.number
      hunk.bytes = lines[hunk.last].to - lines[hunk.first].from + 2
      file.hunks[#file.hunks + 1] = hunk
      parts[#parts + 1], n = hunk, hunk.last + 1
    else
      local last = parts[#parts]
      if not last or last.kind ~= "text" then
        last = { kind = "text", first = n, last = n }
        parts[#parts + 1] = last
      end
      local form = commit_form(lines, n, commits.form)
      if #commits == 0 then commits.form = form end
      if form and form == commits.form then commits[#commits + 1] = n end
      last.last, n = n, n + 1
    end
  end
  return { text = text, lines = lines, parts = parts, files = files, commits = commits }
end

local LAST = {
  "%.lock$",
  "package%-lock%.json$",
  "pnpm%-lock%.yaml$",
  "go%.sum$",
  "%.min%.js$",
  "%.min%.css$",
  "^dist/",
  "/dist/",
  "^vendor/",
  "/vendor/",
  "^node_modules/",
  "/node_modules/",
  "%.snap$",
}

--- Is a file certainly none that people wrote: a lock file, minified, built or vendored?
function M.is_generated(file)
  return is_any((file.path:gsub('^"', "")), LAST)
end

return M
