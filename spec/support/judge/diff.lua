--- Judges a cut of a diff: whole hunks as in the source, partial ones cut once, every hunk under its file's header,
--- a line for each file without one, and markers that add up.
local diff_text = require "support.judge.diff_text"

local M = {}

local MARKER = 48 -- bytes that one more gap may take
local SILENT_BELOW = 128 -- in a budget of this many bytes a marker has room, whatever else is there

--- A diff as the judge needs it: its parts, and the part and the line of each byte.
function M.source(text)
  local source = diff_text.parse(text)
  source.line_at, source.part_of = {}, {}
  for n, line in ipairs(source.lines) do
    source.line_at[line.from] = n
  end
  for _, part in ipairs(source.parts) do
    for n = part.first, part.last do
      source.part_of[n] = part
    end
  end
  return source
end

local FORMS = {
  hunks = "^%.%.%. %[(%d+) hunks, %+(%d+) %-(%d+) omitted%] %.%.%.$",
  files = "^%.%.%. %[(%d+) files omitted%] %.%.%.$",
  lines = "^%.%.%. %[(%d+) lines omitted%] %.%.%.$",
  bytes = "^%.%.%. %[(%d+) bytes omitted%] %.%.%.$",
}

local function told_by(view, text)
  for unit, form in pairs(FORMS) do
    local n, plus, minus = text:match(form)
    if n then return { unit = unit, n = tonumber(n), plus = tonumber(plus), minus = tonumber(minus) } end
  end
  view:fault("marker", "%q is no marker of a diff", text)
end

--- The source's line that a line of the content is; nil with a fault. A long line may show in part.
local function line_of(view, source, line)
  local first = view.origin[line.from]
  local n = first and source.line_at[first]
  if line.to < line.from then return nil, true end
  local whole = n and source.lines[n]
  if whole and view:is_whole(line.from, line.to) and view.origin[line.to] == whole.to then return n end
  for at = line.from, line.to do
    local origin = view.origin[at]
    while origin and not source.line_at[origin] do
      origin = origin - 1
    end
    if origin then
      n = source.line_at[origin]
      break
    end
  end
  local budget = view.opts.max_bytes
  local bytes = n and source.lines[n].to - source.lines[n].from + 1 or 0
  if budget and view:is_bound_by_bytes() and (bytes + 40) * 50 <= budget then
    view:fault("line", "line %d of the source shows in part", n)
  end
  return n
end

--- The content in order: `{ n = }` for a line of the source, `{ told = {…} }` for a marker.
local function read(view, source)
  local list = {}
  for _, line in ipairs(view:lines()) do
    if line.marker then
      list[#list + 1] = { told = told_by(view, line.text) or {} }
    else
      local n, empty = line_of(view, source, line)
      -- an empty line of the content is the newline of the source that stands at its end
      if empty then n = source.line_at[view.origin[line.to + 1] or 0] end
      if n then list[#list + 1] = { n = n } end
    end
  end
  return list
end

--- Mark on each line of the source whether it is shown, and gather the markers after each shown line.
local function place(list)
  local shown, told_after, last = {}, {}, 0
  for _, item in ipairs(list) do
    if item.n then
      shown[item.n], last = true, item.n
    else
      told_after[last] = told_after[last] or {}
      table.insert(told_after[last], item.told)
    end
  end
  return shown, told_after
end

local function count_shown(part, shown)
  local n = 0
  for line = part.first, part.last do
    n = n + (shown[line] and 1 or 0)
  end
  return n
end

--- Set `state` of a hunk: "whole", "part" or nil; one that shows in part has its first line and one gap, told.
local function check_hunk(view, source, hunk, shown, told_after)
  local n, lines = count_shown(hunk, shown), hunk.last - hunk.first + 1
  hunk.state = n == lines and "whole" or n > 0 and "part" or nil
  hunk.shown = 0
  for line = hunk.first, hunk.last do
    if shown[line] then hunk.shown = hunk.shown + source.lines[line].to - source.lines[line].from + 2 end
  end
  if hunk.state ~= "part" then return end
  if not shown[hunk.first] then return view:fault("hunk", "lines of the hunk at line %d without its @@", hunk.first) end
  local first = hunk.first
  while shown[first + 1] and first < hunk.last do
    first = first + 1
  end
  local last = first + 1
  while last < hunk.last and not shown[last + 1] do
    last = last + 1
  end
  for line = last + 1, hunk.last do
    if not shown[line] then return view:fault("hunk", "the hunk at line %d is cut more than once", hunk.first) end
  end
  local told = told_after[first] or {}
  local marked
  for _, one in ipairs(told) do
    if one.unit == "lines" and not marked then
      marked = one
      one.used = true
    end
  end
  if not marked then
    view:fault("hunk", "the gap in the hunk at line %d is not told", hunk.first)
  elseif marked.n ~= last - first then
    view:fault("hunk", "%d lines told in the hunk at line %d, %d left out", marked.n, hunk.first, last - first)
  end
  local before, after = first - hunk.first, hunk.last - last
  if before + after >= 6 and (before == 0 or after == 0) then
    view:fault("hunk", "the hunk at line %d is not cut at its middle: %d lines, then %d", hunk.first, before, after)
  end
  local columns, changes = #source.lines[hunk.first].text:match "^@+" - 1, false -- one for each parent
  for line = hunk.first + 1, hunk.last do
    changes = changes or (shown[line] and source.lines[line].text:sub(1, columns):find "[+-]" ~= nil)
  end
  if not changes then view:fault("hunk", "the hunk at line %d shows nothing that it changes", hunk.first) end
  local budget = view.opts.max_bytes
  if view:is_bound_by_bytes() then
    local header = source.files[hunk.file].header
    local bytes = hunk.bytes + source.lines[header.last].to - source.lines[header.first].from + 80
    if bytes * 50 <= budget then
      view:fault("part", "the hunk at line %d of %d bytes shows in part", hunk.first, hunk.bytes)
    end
  end
end

local function names(source, file, n)
  return source.lines[n].text:find(file.path, 1, true) ~= nil
end

local function check_file(view, source, file, shown)
  local header = file.header
  local all = header.last - header.first + 1
  local n, hunks = count_shown(header, shown), 0
  for _, hunk in ipairs(file.hunks) do
    hunks = hunks + (hunk.state and 1 or 0)
  end
  file.named, file.kept = n > 0, hunks > 0 or (#file.hunks == 0 and n == all)
  if hunks > 0 then
    if n < all then view:fault("header", "%s: %d of %d lines of its header over its hunks", file.path, n, all) end
    return
  end
  if n == 0 or (#file.hunks == 0 and n == all) then return end
  if n > 1 then view:fault("header", "%s: %d lines of its header without a hunk", file.path, n) end
  for line = header.first, header.last do
    if shown[line] and names(source, file, line) then return end
  end
  view:fault("header", "%s: the line of its header that is shown does not name it", file.path)
end

--- The shortest line of a header that names its file.
local function name_size(source, file)
  local size = math.huge
  for n = file.header.first, file.header.last do
    if names(source, file, n) then size = math.min(size, #source.lines[n].text + 1) end
  end
  return size == math.huge and #source.lines[file.header.first].text + 1 or size
end

--- Bytes from a commit's line to its subject.
local function header_size(source, n)
  local blank, size = false, 0
  while source.lines[n] do
    local text = source.lines[n].text
    size = size + #text + 1
    if (blank and text:find "%S") or text:find "^Subject: " then return size end
    blank, n = blank or not text:find "%S", n + 1
  end
  return size
end

--- No name stands under another commit than its own.
local function check_commits(view, source, shown)
  for _, file in ipairs(source.files) do
    local commit = source.commits[file.commit]
    if file.named and commit and #source.commits > 1 and not shown[commit] then
      view:fault("commit", "%s is named without its commit's line", file.path)
    end
  end
end

local function check_names(view, source)
  if not view:is_bound_by_bytes() then return end
  local size, unnamed = 0, nil
  local budget = view.opts.max_bytes
  if #source.commits > 1 then
    local headers = 0
    for _, n in ipairs(source.commits) do
      headers = headers + header_size(source, n) + 3 * MARKER
    end
    if headers > budget / 2 then return end
    budget = budget - headers
  end
  for _, file in ipairs(source.files) do
    size = size + math.max(name_size(source, file), #source.lines[file.header.first].text + 1)
    if not file.named then unnamed = unnamed or file end
  end
  -- markers stand between the names: at most one a file and a stretch of text
  for _, part in ipairs(source.parts) do
    if part.kind ~= "hunk" then size = size + 48 end
  end
  if unnamed and size <= 0.75 * budget then
    view:fault("names", "%s is not named, all names take %d of %d bytes", unnamed.path, size, budget)
  end
end

local function has_no_room(view)
  local budget = view.opts.max_bytes
  if not budget or view.opts.marker == "none" or not view:is_bound_by_bytes() then return true end
  return budget < SILENT_BELOW or (#view.content + 48 > budget and budget < 2 * SILENT_BELOW)
end

local function add_up(view, missing, told, from)
  if has_no_room(view) and told.hunks == 0 and told.files == 0 and told.lines == 0 then return end
  local where = ("after line %d"):format(from)
  if told.hunks == missing.of_all and missing.files > 0 then
    return -- of very many files it is not known which hunks are whose
  elseif told.hunks ~= missing.hunks then
    view:fault("gap", "%s %d hunks told, %d left out", where, told.hunks, missing.hunks)
  elseif not missing.combined and (told.plus ~= missing.plus or told.minus ~= missing.minus) then
    view:fault("gap", "%s +%d -%d told, +%d -%d left out", where, told.plus, told.minus, missing.plus, missing.minus)
  end
  if told.files ~= missing.files then
    view:fault("gap", "%s %d files told, %d left out", where, told.files, missing.files)
  end
  if told.lines > missing.lines or (told.lines < missing.lines and missing.files == 0) then
    view:fault("gap", "%s %d lines of text told, %d left out", where, told.lines, missing.lines)
  end
end

local function zero()
  return { hunks = 0, plus = 0, minus = 0, files = 0, lines = 0, of_all = 0 }
end

--- Between two hunks that are shown, markers tell of all that is left out there; of files that are not named, and of
--- the text between these, the files alone.
local function check_sums(view, source, shown, told_after)
  local missing, told, from = zero(), zero(), 0
  local function gather(line)
    for _, one in ipairs(told_after[line] or {}) do
      if not one.used and one.unit and one.unit ~= "bytes" then -- bytes are those within one long line
        told[one.unit] = told[one.unit] + one.n
        told.plus, told.minus = told.plus + (one.plus or 0), told.minus + (one.minus or 0)
      end
    end
  end
  gather(0)
  for _, part in ipairs(source.parts) do
    if part.kind == "hunk" and part.state then
      add_up(view, missing, told, from)
      missing, told, from = zero(), zero(), part.last
    elseif part.kind == "hunk" and not source.files[part.file].named then
      missing.of_all = missing.of_all + 1
    elseif part.kind == "hunk" then
      missing.of_all = missing.of_all + 1
      missing.hunks, missing.plus = missing.hunks + 1, missing.plus + part.plus
      missing.minus, missing.combined = missing.minus + part.minus, missing.combined or part.combined
    elseif part.kind == "header" then
      local file = source.files[part.file]
      if not file.named then missing.files = missing.files + 1 end
    elseif part.kind == "text" then
      missing.lines = missing.lines + part.last - part.first + 1 - count_shown(part, shown)
    end
    for line = part.first, part.last do
      gather(line)
    end
  end
  add_up(view, missing, told, from)
end

--- Small hunks come before large ones in a file, and those of people before those of machines.
local function check_order(view, source)
  local machine
  for _, file in ipairs(source.files) do
    local smallest
    for _, hunk in ipairs(file.hunks) do
      if not hunk.state and (not smallest or hunk.bytes < smallest.bytes) then smallest = hunk end
    end
    for _, hunk in ipairs(file.hunks) do
      local larger = smallest and hunk.state == "whole" and hunk.bytes > smallest.bytes + MARKER
      if larger and hunk.last - hunk.first > smallest.last - smallest.first then
        view:fault(
          "order",
          "%s: the hunk at line %d of %d bytes is shown, that at line %d of %d is not",
          file.path,
          hunk.first,
          hunk.bytes,
          smallest.first,
          smallest.bytes
        )
        break
      end
    end
    if diff_text.is_generated(file) then
      for _, hunk in ipairs(file.hunks) do
        if hunk.state == "whole" and (not machine or hunk.bytes > machine.bytes) then machine = hunk end
      end
    end
  end
  for _, file in ipairs(machine and source.files or {}) do
    for _, hunk in ipairs(file.hunks) do
      local header = source.lines[file.header.last].to - source.lines[file.header.first].from + 2
      if not hunk.state and not diff_text.is_generated(file) and hunk.bytes + header + MARKER <= machine.bytes then
        return view:fault(
          "order",
          "%s: a hunk of %d bytes is left out, one of %d of %s is shown",
          file.path,
          hunk.bytes,
          machine.bytes,
          source.files[machine.file].path
        )
      end
    end
  end
end

--- A file of people without a hunk, though its smallest takes less than a third of what another file has.
local function check_fair(view, source)
  local poor, rich, needs, has = nil, nil, math.huge, 0
  for _, file in ipairs(source.files) do
    local header = source.lines[file.header.last].to - source.lines[file.header.first].from + 2
    local shown, smallest = 0, math.huge
    for _, hunk in ipairs(file.hunks) do
      shown, smallest = shown + (hunk.shown or 0), math.min(smallest, hunk.bytes)
    end
    if diff_text.is_generated(file) or #file.hunks == 0 then
      smallest = math.huge
    elseif shown > has then
      rich, has = file, shown
    end
    if shown == 0 and header + smallest + 48 < needs then
      poor, needs = file, header + smallest + 48
    end
  end
  if poor and rich and 3 * needs < has then
    view:fault("fair", "%s shows %d bytes, %s nothing, and %d would do", rich.path, has, poor.path, needs)
  end
end

local function check_items(view, source, shown)
  local files, hunks, total, commits = 0, 0, 0, 0
  for _, n in ipairs(source.commits) do
    commits = commits + (shown[n] and 1 or 0)
  end
  for _, file in ipairs(source.files) do
    files = files + (file.kept and 1 or 0)
    for _, hunk in ipairs(file.hunks) do
      total, hunks = total + 1, hunks + (hunk.state and 1 or 0)
    end
  end
  local want = { { "files", #source.files, files }, { "hunks", total, hunks } }
  if #source.commits > 1 then table.insert(want, 1, { "commits", #source.commits, commits }) end
  local items = view.cut.items or {}
  if #items > #want then view:fault("items", "%d items", #items) end
  for i, row in ipairs(want) do
    local item = items[i] or {}
    if (item.unit ~= row[1] or item.total ~= row[2] or item.kept ~= row[3]) and not (row[2] == 0 and not items[i]) then
      view:fault(
        "items",
        "%s of %s %s, it is %d of %d %s",
        tostring(item.kept),
        tostring(item.total),
        tostring(item.unit),
        row[3],
        row[2],
        row[1]
      )
    end
  end
end

local function check_use(view, source)
  if not view:is_bound_by_bytes() then return end
  local budget = view.opts.max_bytes
  local largest = 0
  for _, part in ipairs(source.parts) do
    local bytes = source.lines[part.last].to - source.lines[part.first].from + 2
    if part.kind == "hunk" then
      local header = source.files[part.file].header
      bytes = bytes + source.lines[header.last].to - source.lines[header.first].from + 2
    end
    largest = math.max(largest, bytes)
  end
  if (largest + 100) * 50 <= budget and #view.content < 0.9 * budget then
    view:fault("use", "%d of %d bytes used, the largest hunk has %d", #view.content, budget, largest)
  end
end

--- What is shown of a diff, for `apply`: sets `state` of its hunks.
function M.judge(view, source)
  if view.opts.marker == "none" and #(view.cut.markers or {}) > 0 then view:fault("marker", "there are markers") end
  local shown, told_after = place(read(view, source))
  if view.opts.marker == "none" then
    for _, part in ipairs(source.parts) do
      local n = part.kind == "hunk" and count_shown(part, shown)
      if n then part.state = n > part.last - part.first and "whole" or n > 0 and "part" or nil end
    end
  else
    for _, file in ipairs(source.files) do
      for _, hunk in ipairs(file.hunks) do
        check_hunk(view, source, hunk, shown, told_after)
      end
    end
  end
  for _, file in ipairs(source.files) do
    check_file(view, source, file, shown)
  end
  check_names(view, source)
  check_commits(view, source, shown)
  if view.opts.marker ~= "none" then check_sums(view, source, shown, told_after) end
  check_order(view, source)
  check_fair(view, source)
  check_items(view, source, shown)
  check_use(view, source)
end

--- The whole hunks of the content under their headers, as a patch, and how many they are; after `judge`.
function M.whole_hunks(source)
  local parts, hunks = {}, 0
  local function put(part)
    parts[#parts + 1] = source.text:sub(source.lines[part.first].from, source.lines[part.last].to) .. "\n"
  end
  for _, file in ipairs(source.files) do
    local any = false
    for _, hunk in ipairs(file.hunks) do
      if hunk.state == "whole" and not hunk.combined then
        if not any then put(file.header) end
        put(hunk)
        any, hunks = true, hunks + 1
      end
    end
  end
  return table.concat(parts), hunks
end

return M
