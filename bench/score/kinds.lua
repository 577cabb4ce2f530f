-- What is left of an output of each kind after a cut: `make score-kinds`.
--
-- Cuts the outputs of a folder with a manifest.jsonl (KINDS_CORPUS, or else ../shared/corpus/kinds), and documents that
-- the suite makes, as what they are; prints how many are told right, what the specs' judge finds wrong, and what a
-- reader who needs something in them still finds, beside the strategies that know no kinds.
--
--   lua bench/score/kinds.lua [--faults] [--lost] [--made=N]    --faults: what is wrong with each cut; --lost: each
--       needle lost; --made: documents of a maker, 30 without

local abridge = require "abridge"
local diff = require "support.judge.diff"
local diffs = require "support.diffs"
local documents = require "support.documents"
local host = require "abridge.base.host"
local json_form = require "support.judge.json"
local json_text = require "support.judge.json_text"
local judge = require "support.kind_judge"
local key_paths = require "support.judge.key_paths"
local paths = require "support.paths"
local random = require "support.random"
local tmpdir = require "support.tmpdir"
local view_of = require "support.judge.view"

local BUDGETS = { 1024, 2048, 4096, 8192, 16384, 32768 }
local MAIN = 8192 -- the budget of needles and key paths
local RIVALS = { "head", "tail", "head_tail", "priority" }
local KINDS = require("abridge.base.kinds").names
local FOLDER = os.getenv "KINDS_CORPUS" or "../shared/corpus/kinds"

local options, made_each = {}, 30
for _, word in ipairs(arg) do
  options[word] = true
  made_each = tonumber(word:match "^%-%-made=(%d+)$") or made_each
end

local json = assert(host.json())

--- The delimiter that a table's header shows; nil for aligned columns.
local function delimiter_of(header)
  if header:find "%S  +%S" then return nil end
  for _, delimiter in ipairs { "\t", ",", ";", "|" } do
    if header:find(delimiter, 1, true) then return delimiter end
  end
end

--- The folder of a git repository with the files that a diff applies to, or nil.
local function base_of(row)
  if row.pre_commit then
    local dir = tmpdir.new()
    dir.commit = row.pre_commit
    local known =
      select(3, dir:sh(("cd %s && git cat-file -e %s^{tree}"):format(tmpdir.quote(tmpdir.root()), row.pre_commit)))
    if known == 0 then return dir, tmpdir.root() end
    dir:remove()
  elseif row.pre_files then
    local dir = tmpdir.new()
    local archive = FOLDER .. "/" .. row.pre_files
    if archive:sub(1, 1) ~= "/" then archive = tmpdir.root() .. "/" .. archive end
    local _, _, code = dir:sh(
      (
        "mkdir tree && cd tree && tar xf %s && git init -q . && git add -fA && "
        .. "git -c user.name=a -c user.email=a@b commit -qm files"
      ):format(tmpdir.quote(archive))
    )
    if code == 0 then return dir, "tree" end
    dir:remove()
  end
end

--- The outputs of the folder; nil when it is not there.
local function load()
  local manifest = paths.read(FOLDER .. "/manifest.jsonl")
  if not manifest then return nil end
  local entries = {}
  for line in manifest:gmatch "[^\n]+" do
    local row = json.decode(line)
    local expected = { kind = row.kind, also = {} }
    for _, kind in ipairs(row.also or {}) do
      expected.also[kind] = true
    end
    if row.kind == "table" then
      expected.header_lines, expected.delimiter = row.header_lines[1], delimiter_of(row.header[1])
    end
    local text = assert(paths.read(FOLDER .. "/" .. row.file))
    entries[#entries + 1] = {
      name = row.file,
      kind = row.kind,
      needles = row.needles,
      source = judge.source(text, expected),
      base = function()
        return base_of(row)
      end,
    }
  end
  return entries
end

local function made(kind, name, text, expected, dir, git_options)
  return {
    name = name,
    kind = kind,
    needles = expected.needles or {},
    source = judge.source(text, expected),
    git_options = git_options,
    base = function()
      return dir, "tree"
    end,
  }
end

local MAKERS = {
  {
    "json",
    "json",
    function()
      return documents.json(60)
    end,
  },
  { "json", "similar", documents.similar },
  { "json_lines", "json_lines", documents.json_lines },
  { "table", "delimited", documents.delimited },
  { "table", "aligned", documents.aligned },
}

--- Documents that the suite makes, from the seed.
local function make()
  local entries = {}
  for _, maker in ipairs(MAKERS) do
    for case = 1, made_each do
      random.start(case)
      local text, expected = maker[3]()
      entries[#entries + 1] = made(maker[1], ("%s %d"):format(maker[2], case), text, expected)
    end
  end
  for case = 1, math.ceil(made_each / 2) do
    random.start(case)
    local text, dir, git_options = diffs.tree()
    entries[#entries + 1] = made("diff", "tree " .. case, text, { kind = "diff" }, dir, git_options)
  end
  return entries
end

--- Does a content show a needle? A cut of JSON leaves out blanks, so there they do not count.
local function shows(entry, content, needle)
  if entry.kind == "json" then
    content, needle = content:gsub("%s", ""), needle:gsub("%s", "")
  end
  return content:find(needle, 1, true) ~= nil
end

local function kept(entry, content)
  local n = 0
  for _, needle in ipairs(entry.needles) do
    n = n + (shows(entry, content, needle) and 1 or 0)
  end
  return n
end

local function new_row()
  local row = { files = 0, right = 0, needles = 0, auto = 0, cuts = 0, broken = 0 }
  for _, rival in ipairs(RIVALS) do
    row[rival] = 0
  end
  return row
end

local function score_needles(row, entry, content)
  row.needles, row.auto = row.needles + #entry.needles, row.auto + kept(entry, content)
  for _, rival in ipairs(RIVALS) do
    row[rival] = row[rival] + kept(entry, (abridge[rival](entry.source.text, { max_bytes = MAIN })))
  end
  for _, needle in ipairs(options["--lost"] and entry.needles or {}) do
    if not shows(entry, content, needle) then print(("  %s lost %s"):format(entry.name, needle)) end
  end
end

local function score_json(total, entry, budget, content, cut)
  local by_budget = total.parses[budget] or { n = 0, of = 0 }
  total.parses[budget] = by_budget
  by_budget.of = by_budget.of + 1
  if content ~= "" and json_text.parse(content) then by_budget.n = by_budget.n + 1 end
  if budget ~= MAIN or not cut.truncated then return end
  local doc = json_form.document(entry.source.text)
  local view = view_of.new(entry.source.text, {}, content, cut)
  if not doc or not view:read_ledger() then return end
  local oracle = key_paths.oracle(doc, budget)
  total.oracle = total.oracle + oracle
  total.paths = total.paths
    + math.min(
      oracle,
      key_paths.shown(doc, content, function(at)
        return view.origin[at]
      end)
    )
end

local function score_diff(total, entry, dir, folder)
  local source = entry.source.as "diff"
  if not dir then return end
  local patch, n = diff.whole_hunks(source)
  if n == 0 then return end
  total.hunks = total.hunks + n
  local ok, message = diffs.applies(dir, patch, entry.git_options, folder)
  if ok then
    total.applied = total.applied + n
  elseif options["--faults"] then
    print("  " .. entry.name .. ": " .. message)
  end
end

local function score_text(total, cut)
  if not cut.truncated then return end
  total.texts = total.texts + 1
  local gaps = #cut.kept - 1
  if cut.kept[1] and cut.kept[1].first_byte > 1 then gaps = gaps + 1 end
  if gaps <= 1 then total.one_gap = total.one_gap + 1 end
end

--- The bytes of the largest value, record or hunk of a source; nil of kinds that have none.
local function largest_of(entry)
  local kind, largest = entry.kind, 0
  local form = (kind == "json" or kind == "json_lines" or kind == "table" or kind == "diff") and entry.source.as(kind)
  if not form then return nil end
  if kind == "json" then
    largest = json_form.largest(form)
  elseif kind == "diff" then
    for _, file in ipairs(form.files) do
      for _, hunk in ipairs(file.hunks) do
        largest = math.max(largest, hunk.bytes)
      end
    end
  else
    for _, record in ipairs(form.records) do
      largest = math.max(largest, record.to - record.from + 1)
    end
  end
  return largest
end

--- How much of a budget is used where nothing is large.
local function score_use(total, entry, budget, content, cut)
  local largest = cut.truncated and largest_of(entry)
  if not largest or largest * 50 > budget then return end
  local used = #content / budget
  total.spendable, total.spent = total.spendable + 1, total.spent + (used >= 0.9 and 1 or 0)
  if used < 0.9 and options["--faults"] then
    print(("  %s at %d: %.0f %% used, nothing has over %d bytes"):format(entry.name, budget, 100 * used, largest))
  end
end

local function score_entry(row, total, entry)
  local dir, folder
  if entry.kind == "diff" then
    dir, folder = entry.base()
  end
  row.files = row.files + 1
  local expected, kind = entry.source.expected, abridge.kind(entry.source.text)
  if kind == expected.kind or (expected.also or {})[kind] then
    row.right = row.right + 1
  else
    print(("  %s is told to be %s, not %s"):format(entry.name, kind, expected.kind))
  end
  for _, budget in ipairs(BUDGETS) do
    local opts = { max_bytes = budget }
    local content, cut = abridge.auto(entry.source.text, opts)
    local faults = judge.faults(entry.source, opts, content, cut)
    row.cuts, row.broken = row.cuts + 1, row.broken + (#faults > 0 and 1 or 0)
    for i = 1, options["--faults"] and math.min(3, #faults) or 0 do
      print(("  %s at %d: %s"):format(entry.name, budget, faults[i]))
    end
    score_use(total, entry, budget, content, cut)
    if budget == MAIN then score_needles(row, entry, content) end
    if entry.kind == "json" then score_json(total, entry, budget, content, cut) end
    if entry.kind == "diff" and cut.kind == "diff" and cut.truncated then score_diff(total, entry, dir, folder) end
    if entry.kind == "text" then score_text(total, cut) end
  end
  if dir then dir:remove() end
end

local function share(n, of)
  return of > 0 and ("%d of %d"):format(n, of) or "-"
end

local function print_scores(title, entries)
  local rows, total =
    {}, { parses = {}, oracle = 0, paths = 0, hunks = 0, applied = 0, texts = 0, one_gap = 0, spendable = 0, spent = 0 }
  for _, entry in ipairs(entries) do
    rows[entry.kind] = rows[entry.kind] or new_row()
    score_entry(rows[entry.kind], total, entry)
  end
  print(("**%s**\n"):format(title))
  print(
    "| kind | told right | cuts with a rule broken | needles at 8 KiB: auto | " .. table.concat(RIVALS, " | ") .. " |"
  )
  print(("|---"):rep(4 + #RIVALS) .. "|")
  for _, kind in ipairs(KINDS) do
    local row = rows[kind]
    if row then
      local cells = { kind, share(row.right, row.files), share(row.broken, row.cuts), share(row.auto, row.needles) }
      for _, rival in ipairs(RIVALS) do
        cells[#cells + 1] = row.needles > 0 and tostring(row[rival]) or "-"
      end
      print("| " .. table.concat(cells, " | ") .. " |")
    end
  end
  local parses = {}
  for _, budget in ipairs(BUDGETS) do
    local cell = total.parses[budget] or { n = 0, of = 0 }
    parses[#parses + 1] = ("%s %s"):format(abridge.format_size(budget), share(cell.n, cell.of))
  end
  print(
    ("\nJSON parses at %s. Key paths at 8 KiB: %s that a greedy pick fits in three quarters. "):format(
      table.concat(parses, ", "),
      share(total.paths, total.oracle)
    )
  )
  print(
    ("Whole hunks that apply: %s. Cuts of text with one gap: %s. 90 %% used, nothing being over 2 %%: %s.\n"):format(
      share(total.applied, total.hunks),
      share(total.one_gap, total.texts),
      share(total.spent, total.spendable)
    )
  )
end

local corpus = load()
if corpus then
  print_scores(("%d outputs of %s"):format(#corpus, FOLDER), corpus)
else
  print(("no outputs in %s: KINDS_CORPUS names their folder\n"):format(FOLDER))
end
local entries = make()
print_scores(("%d documents that the suite makes (ABRIDGE_SEED=%.0f)"):format(#entries, random.seed), entries)
