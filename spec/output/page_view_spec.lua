-- Pages of files that are not shown as they are: redacted, with line numbers, with long lines cut short. A page of a
-- redacted file is that of the redacted text, as the core makes it; numbers and "[truncated]" are no part of the
-- source, and a slow model says where in the source each shown byte stands.
local core = require "abridge.core"
local page_view = require "abridge.output.page_view"
local plain = require "support.plain"
local random = require "support.random"
local redact = require "abridge.redact"

local must = random.must

--- Redactors by what they do to a text.
local NOTHING = redact.compile("spec", { "no such text %d%d%d%d%d" }, 0)
local LONGER = redact.compile("spec", { { "a", "<\195\169>" }, { "x+", "-" } }, 0)
local BY_LINE = redact.compile("spec", function(line)
  return (line:gsub("[bw]", "**"):gsub("^long", ""))
end, 0)

local function view_of(text, opts, how)
  opts.strategy = opts.strategy or "head"
  local view, code, detail = page_view.open(core.page_text, text, opts, how)
  if not view then return nil, code, detail end
  local content, cut = view:snapshot()
  view:close()
  return content, cut
end

local function core_page(text, opts)
  local page, code, detail = core.page_text(text, opts)
  if not page then return nil, code, detail end
  local content, cut = page:snapshot()
  page:close()
  return content, cut
end

--- How two ledgers differ, or nil.
local function difference(want, got, path)
  path = path or "cut"
  if type(want) ~= "table" or type(got) ~= "table" then
    return want ~= got and ("%s: want %s, got %s"):format(path, tostring(want), tostring(got)) or nil
  end
  for _, keys in ipairs { want, got } do
    for key in pairs(keys) do
      local differs = difference(want[key], got[key], path .. "." .. key)
      if differs then return differs end
    end
  end
end

local function random_place(opts, text)
  if random.chance(2) then opts.offset = random.between(1, plain.count_lines(text) + 2) end
  if random.chance(3) then opts.column = random.between(1, 30) end
  if random.chance(4) then opts.limit = random.between(1, 6) end
end

local function random_opts(text)
  local opts = { binary = true, utf8 = random.choose { "keep", "replace" } }
  local size = #text + 10
  if random.chance(2) then opts.max_bytes = random.below(size) end
  if random.chance(3) then opts.max_lines = random.below(12) end
  if random.chance(3) then opts.max_chars = random.below(size) end
  if random.chance(4) then opts.max_tokens = random.below(math.ceil(size / 4)) end
  if not (opts.max_bytes or opts.max_chars or opts.max_tokens) then opts.max_lines = random.below(12) end
  if random.chance(2) then opts.long_line = random.choose { "omit", "split" } end
  random_place(opts, text)
  return opts
end

local function shape(opts)
  opts.strategy = random.choose { "head", "tail", "head_tail", "pipeline" }
  if opts.strategy == "head_tail" then
    opts.head_ratio = random.choose { 0, 0.3, 0.5, 1 }
    opts.snap = random.choose { "line", "char" }
    opts.marker = random.choose { "inside", "outside", "none" }
  elseif opts.strategy == "pipeline" then
    opts.max_bytes, opts.max_tokens, opts.long_line = nil, nil, nil
    if not opts.max_chars then opts.max_lines = opts.max_lines or random.below(12) end
  end
  return opts
end

--- The same text page by page as sources of their own bring it: `read` gives blocks of any size.
local function in_blocks(sizes)
  return function(text, opts)
    local page, code, detail = core.page_text(text, opts)
    if not page then return nil, code, detail end
    return {
      snapshot = function(_, narrower)
        return page:snapshot(narrower)
      end,
      about = function()
        return page:about()
      end,
      close = function()
        page:close()
      end,
      read = function(_, at)
        return page:read(at, sizes())
      end,
    }
  end
end

describe("a page of a redacted text #few", function()
  it("is that of the redacted text, for every strategy, budget and place", function()
    local found = { pages = 0, errors = 0, columns = 0 }
    random.each(4000, function()
      local text = random.text(120)
      local redactor = random.choose { NOTHING, LONGER, BY_LINE }
      local opts = shape(random_opts(text))
      local want, want_cut, want_detail = core_page(redactor:text(text), opts)
      local got, got_cut, got_detail = view_of(text, opts, { redactor = redactor })
      must(want == got, "content: want %s, got %s", want, got)
      if want then
        if not opts.max_chars then
          want_cut.first_char, got_cut.first_char = nil, nil
        end
        local differs = difference(want_cut, got_cut)
        must(not differs, "%s of %s", differs, text)
        found.pages = found.pages + 1
        if got_cut.next_column then found.columns = found.columns + 1 end
      else
        must(
          want_cut == got_cut and want_detail == got_detail,
          "error: want %s %s, got %s %s",
          want_cut,
          want_detail,
          got_cut,
          got_detail
        )
        found.errors = found.errors + 1
      end
    end)
    assert.is_true(found.pages > random.found(1000))
    assert.is_true(found.errors > random.found(200) and found.columns > random.found(50))
  end)

  it("does not depend on the blocks that are read", function()
    random.each(1000, function()
      local text = random.text(150)
      local redactor = random.choose { NOTHING, LONGER }
      local opts = shape(random_opts(text))
      local how = { redactor = redactor, line_numbers = opts.strategy == "head" and random.chance(2) or nil }
      local most = random.choose { 1, 3, 20 }
      local open = in_blocks(function()
        return random.between(1, most)
      end)
      local want, want_cut, want_detail = view_of(text, opts, how)
      local view, code, detail = page_view.open(open, text, opts, how)
      if not want then return must(want_cut == code and want_detail == detail, "%s %s", code, detail) end
      local got, got_cut = view:snapshot()
      view:close()
      must(want == got, "content: want %s, got %s", want, got)
      local differs = difference(want_cut, got_cut)
      must(not differs, "%s", differs)
    end)
  end)

  it("tells how many chars a line has that comes in many parts", function()
    local text = ("\195\169"):rep(200000) .. "\nx\n"
    local content, cut, detail = view_of(text, { max_bytes = 10, column = 200002 }, { redactor = NOTHING })
    assert.is_nil(content)
    assert.same({ "ECOLUMN", 200000 }, { cut, detail })
    content, cut = view_of(text, { max_bytes = 10, column = 200001 }, { redactor = NOTHING })
    assert.equal("\nx\n", content)
    assert.equal(400001, cut.kept[1].first_byte)
  end)

  it("may be cut again with less", function()
    local text = ("secret line\n"):rep(50)
    local redactor = redact.compile("spec", { "secret" }, 0)
    local opts = { strategy = "head", max_bytes = 200, offset = 3 }
    local view = page_view.open(core.page_text, text, opts, { redactor = redactor })
    local page = core.page_text(redactor:text(text), opts)
    for _, narrower in ipairs { { max_bytes = 100 }, { reserve = ("r"):rep(150) }, { max_lines = 2 } } do
      local want, want_cut = page:snapshot(narrower)
      local got, got_cut = view:snapshot(narrower)
      assert.equal(want, got)
      assert.same(want_cut, got_cut)
    end
    view:close()
    page:close()
  end)
end)

-- the model -----------------------------------------------------------------------------------

--- The bytes of a text from a line and column on, and how many lie before; or nil, code, detail.
local function rest_of(text, offset, column)
  local lines = plain.count_lines(text)
  if offset > math.max(lines, 1) then return nil, "EOFFSET", lines end
  local at = 1
  for _ = 2, offset do
    at = text:find("\n", at, true) + 1
  end
  local chars = plain.chars(text:sub(at):match "^[^\n]*")
  if column > #chars + 1 then return nil, "ECOLUMN", #chars end
  at = at + #table.concat(chars, "", 1, column - 1)
  return text:sub(at), at - 1
end

--- What is shown of the lines, and for each shown byte how many bytes of the source stand before the next.
local function shown_lines(rest, first_line, how)
  local out, ends, source = {}, {}, 0
  local function show(piece, step, whole)
    for i = 1, #piece do
      ends[#ends + 1] = source + (i == #piece and whole or i * step)
    end
    source = source + (whole or #piece * step)
    out[#out + 1] = piece
  end
  local number, at = first_line, 1
  while at <= #rest do
    local line = rest:match("^[^\n]*", at)
    if how.line_numbers then show(("%6d\t"):format(number), 0) end
    local chars, most = plain.chars(line), how.max_line_chars or math.huge
    if #chars > most then
      local body = table.concat(chars, "", 1, most)
      if body ~= "" then show(body, 1, #line) end
      local behind = #line - (body ~= "" and #line or 0)
      show("... [truncated]", 0)
      if behind > 0 then -- where a line shows no char, every byte of the mark stands for all of it
        for i = 1, #"... [truncated]" do
          ends[#ends + 1 - i] = source + #line
        end
        source = source + #line
      end
    else
      show(line, 1)
    end
    at, number = at + #line, number + 1
    if at <= #rest then show("\n", 1) end
    at = at + 1
  end
  return table.concat(out), ends
end

local BUDGETS = { "max_lines", "max_bytes", "max_chars", "max_tokens" }

--- What a page with numbers or short lines is: content and the fields of its ledger that speak of the source.
local function model(text, opts, how)
  local offset, column = opts.offset or 1, opts.column or 1
  local rest, before, detail = rest_of(text, offset, column)
  if not rest then return nil, before, detail end
  local shown, ends = shown_lines(rest, offset, how)
  local limits = { utf8 = opts.utf8, long_line = opts.column and "split" or opts.long_line }
  for _, name in ipairs(BUDGETS) do
    limits[name] = opts[name]
  end
  if opts.limit then limits.max_lines = math.min(opts.limit, opts.max_lines or math.huge) end
  local content, c = core.head(shown, limits)
  local stop = c.kept[1] and ends[c.kept[1].last_byte] or 0
  local cut = {
    truncated = c.truncated,
    truncated_by = c.truncated_by,
    output_lines = c.output_lines,
    output_bytes = stop,
    total_lines = plain.count_lines(text),
    total_bytes = #text,
    first_line = offset,
    kept = {},
  }
  local next_byte = rest:sub(stop + 1, stop + 1)
  local inside = stop > 0 and rest:sub(stop, stop) ~= "\n" and next_byte ~= "\n" and next_byte ~= ""
  if stop > 0 then
    local first, last = before + 1, before + stop
    cut.kept[1] = { first_byte = first, last_byte = last, first_line = offset }
    cut.kept[1].last_line = offset - 1 + c.kept[1].last_line
  end
  local nothing = stop == 0 and c.last_line_partial
  if nothing then
    content, cut.output_lines = "", 0
  end
  cut.last_line = offset + math.max(cut.output_lines, 1) - 1
  cut.omitted_lines = cut.total_lines - cut.output_lines
  cut.omitted_bytes = #text - stop
  cut.last_line_partial = inside or nothing
  if opts.max_chars then
    cut.total_chars, cut.first_char = #plain.chars(text), #plain.chars(text:sub(1, before)) + 1
    cut.output_chars = #plain.chars(rest:sub(1, stop))
  end
  if c.truncated and not nothing then
    if c.first_line_exceeds_limit then
      cut.next_offset, cut.next_column = offset, 1
    elseif inside then
      local part = rest:sub(1, stop):match "[^\n]*$"
      cut.next_offset = offset - 1 + c.kept[1].last_line
      cut.next_column = #plain.chars(part) + (c.kept[1].last_line == 1 and column or 1)
    elseif cut.output_lines > 0 and offset + cut.output_lines <= cut.total_lines then
      cut.next_offset = offset + cut.output_lines
    end
  end
  if how.max_line_chars then
    for line in (rest .. "\n"):gmatch "([^\n]*)\n" do
      cut.model_lines = (cut.model_lines or 0) + 1
      local counts = cut.output_lines - (inside and 1 or 0)
      if cut.model_lines <= counts and #plain.chars(line) > how.max_line_chars then cut.lines_truncated = true end
    end
  end
  cut.model_lines = nil
  return content, cut
end

local TOLD = {
  "truncated",
  "truncated_by",
  "output_lines",
  "output_bytes",
  "total_lines",
  "total_bytes",
  "first_line",
  "last_line",
  "kept",
  "omitted_lines",
  "omitted_bytes",
  "last_line_partial",
  "total_chars",
  "first_char",
  "output_chars",
  "next_offset",
  "next_column",
  "lines_truncated",
}

local function told(cut)
  local fields = {}
  for _, name in ipairs(TOLD) do
    fields[name] = cut[name]
  end
  return fields
end

describe("a page of lines as they are shown #few", function()
  local function check(cases, make_how)
    local found = { pages = 0, errors = 0, inside = 0, cut_lines = 0, goes_on = 0 }
    random.each(cases, function()
      local text, how = random.text(100), make_how()
      local opts = random_opts(text)
      if how.max_line_chars then opts.column = nil end
      local source = how.redactor and how.redactor:text(text) or text
      local want, want_cut, want_detail = model(source, opts, how)
      opts.strategy = "head"
      local got, got_cut, got_detail = view_of(text, opts, how)
      must(want == got, "content: want %s, got %s of %s", want, got, text)
      if not want then
        must(
          want_cut == got_cut and want_detail == got_detail,
          "error: want %s %s, got %s %s",
          want_cut,
          want_detail,
          got_cut,
          got_detail
        )
        found.errors = found.errors + 1
        return
      end
      local differs = difference(want_cut, told(got_cut))
      must(not differs, "%s of %s: %s", differs, text, got)
      must(not plain.ledger_error(got_cut), "%s", plain.ledger_error(got_cut))
      found.pages = found.pages + 1
      if got_cut.next_offset then found.goes_on = found.goes_on + 1 end
      if got_cut.next_column then found.inside = found.inside + 1 end
      if got_cut.lines_truncated then found.cut_lines = found.cut_lines + 1 end
    end)
    assert.is_true(found.pages > random.found(cases / 3) and found.errors > random.found(cases / 50))
    assert.is_true(found.goes_on > random.found(cases / 20) and found.inside > random.found(cases / 100))
    return found
  end

  it("tells the source's places with line numbers", function()
    check(3000, function()
      return { line_numbers = true }
    end)
  end)

  it("tells the source's places with long lines cut short", function()
    local found = check(3000, function()
      return { max_line_chars = random.choose { 0, 1, 3, 10, 500 } }
    end)
    assert.is_true(found.cut_lines > random.found(300))
  end)

  it("tells the source's places with all of it together", function()
    local found = check(4000, function()
      local how = { redactor = random.choose { NOTHING, LONGER, BY_LINE, false } or nil }
      how.line_numbers = random.chance(2) or nil
      how.max_line_chars = (not how.line_numbers or random.chance(2)) and random.choose { 0, 2, 5 } or nil
      return how
    end)
    assert.is_true(found.cut_lines > random.found(300))
  end)

  it("names a long first line by its own size", function()
    local text = ("x"):rep(500) .. "\nsecret\n"
    for _, redactor in ipairs { false, NOTHING } do
      local _, cut = view_of(text, { max_bytes = 100 }, { line_numbers = true, redactor = redactor or nil })
      assert.is_true(cut.first_line_exceeds_limit)
      assert.equal(500, cut.line_bytes)
      assert.equal(1, cut.next_offset)
    end
  end)

  it("does not say of lines that are not shown that they were cut", function()
    local text = "a\nb\n" .. ("x"):rep(50) .. "\n"
    local _, cut = view_of(text, { max_lines = 2 }, { max_line_chars = 10 })
    assert.is_nil(cut.lines_truncated)
    _, cut = view_of(text, { max_lines = 3 }, { max_line_chars = 10 })
    assert.is_true(cut.lines_truncated)
  end)
end)

-- much text ---------------------------------------------------------------------------------

--- A source of many bytes that `read` makes up. Notes the most memory that Lua used meanwhile.
local function huge(line, count, notes)
  local size = #line * count
  notes.reads, notes.most = 0, 0
  return function(_, opts)
    local offset = opts.offset or 1
    local first = (offset - 1) * #line
    return {
      snapshot = function()
        return "", { first_char = 1, kept = {} }
      end,
      about = function()
        return { first_byte = first + 1, total_lines = count, total_bytes = size, version = "v", changed = false }
      end,
      close = function() end,
      read = function(_, at, n)
        notes.reads = notes.reads + 1
        if notes.reads % 16 == 1 then
          collectgarbage()
          notes.most = math.max(notes.most, collectgarbage "count" * 1024)
        end
        n = math.min(n, size - first - at)
        local skip = (first + at) % #line
        return (line:rep(math.ceil((n + skip) / #line))):sub(skip + 1, skip + n)
      end,
    }
  end
end

describe("much text #few", function()
  local LINE, COUNT = "a line of the log, one of very many of them\n", 500000 -- 22 MB
  local notes

  local function page_of(opts, how)
    notes = {}
    collectgarbage()
    local before = collectgarbage "count" * 1024
    opts.strategy = "head"
    local view = assert(page_view.open(huge(LINE, COUNT, notes), "", opts, how))
    local content, cut = view:snapshot()
    view:close()
    notes.grown = notes.most - before
    return content, cut
  end

  it("is read no further than the page needs", function()
    local content, cut = page_of({ max_bytes = 30720, offset = 1000 }, { line_numbers = true })
    assert.equal(1, notes.reads)
    assert.equal("  1000\ta line", content:sub(1, 13))
    assert.equal(COUNT, cut.total_lines)
    assert.equal(#LINE * 999 + 1, cut.kept[1].first_byte)
    assert.equal("v", cut.version)
    page_of({ max_bytes = 30720 }, { max_line_chars = 10 })
    assert.equal(1, notes.reads)
  end)

  it("is redacted whole, in bounded memory #few", function()
    local content, cut = page_of({ max_bytes = 30720, offset = 250000 }, { redactor = LONGER, line_numbers = true })
    assert.is_true(notes.reads > 80)
    assert.equal("250000\t<\195\169> line", content:sub(1, 16))
    assert.equal(COUNT, cut.total_lines)
    assert.equal(COUNT * #LONGER:text(LINE), cut.total_bytes)
    assert.is_true(notes.grown < 4 * 1024 * 1024, notes.grown .. " bytes more")
  end)
end)
