--- Pages of files and of texts: the text from a line (and a char in it) on, cut by limits and described by places in
--- the whole, and the start of the next page. The core reads and cuts; options, messages and blocks are made here.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local time_slices = require "abridge.base.time_slices"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local notice = require "abridge.output.notice"
local profiles = require "abridge.output.profiles"
local sentences = require "abridge.output.sentences"

local M = {}

local WHO = "abridge.page"
local STEP = 1024 * 1024 -- bytes of a file read in one go
local DEFAULT = profiles.all.default.read_file

---@class (exact) abridge.FilePageOptions: abridge.PlainCutOptions Budgets and other options of a cut, and:
---@field offset? integer the first line, 1 to 2^53. An empty file has an empty first page (default: 1)
--- the first char within that line, 1 to 2^53. If set, even to 1, a line over budget is split (default: none)
---@field column? integer
--- lines wanted, 1 to 2^53. The smaller of it and `max_lines` counts, and is the ledger's `max_lines` (default: none)
---@field limit? integer
--- a JSON pointer, in place of the three above: the page is of [elements](#read_file), with `items` and `next_pointer`
--- in its ledger, and `next_offset` is an index then. The strategy is not used (default: none)
---@field pointer? string
---@field index? userdata what `abridge.index()` returned: makes later pages of a file quick (default: none)
---@field version? string `cut.version` of the page before, to learn whether the file changed (default: none)
---@field binary? boolean `true`: read the file although it has a NUL in its first 8,000 bytes (default: `false`)

---@class abridge.PageCut: abridge.Cut
---@field first_line integer the lines shown; on a page that shows nothing, both are its offset
---@field last_line integer
---@field first_char? integer the number of the page's first char within the file, if `max_chars` is set
---@field column? integer the char of its first line that the page starts at, if that is not 1
--- the line to go on at. Absent when nothing is left, when not one char fitted, and when all that was left out lies
--- before the kept part
---@field next_offset? integer
---@field next_column? integer the char of that line to go on at, if the page ends inside it
---@field next_pointer? string start of the next page of JSON
--- a short string that stands for the file in this state: device, inode, size and time of change
---@field version string
---@field changed? true the `version` given was a different one, or the file changed while it was read; else absent

local POINTER_ERRORS = {
  ["no such element"] = "EPOINTER_element",
  ["no such member"] = "EPOINTER_member",
  ["no array or object"] = "EPOINTER_value",
}

--- The reason that there is no page of JSON.
local function json_message(code, detail, at, path)
  local values = { path = sentences.path(path), what = detail.what, at = detail.at, total = detail.total }
  if code == "EJSON" then return sentences.message(code, values) end
  values.pointer = sentences.pointer(at.pointer)
  values.where = sentences.place_in_json(at.pointer:sub(1, detail.at))
  return sentences.message(POINTER_ERRORS[detail.what] or "EPOINTER_syntax", values)
end

--- The reason that there is no page, as a sentence, from the core's code.
---@param code string
---@param detail any
---@param at abridge.PageAt
---@param path string
---@return string
function M.message(code, detail, at, path)
  if code == "EJSON" or code == "EPOINTER" then return json_message(code, detail, at, path) end
  local number = code == "EOFFSET" or code == "ECOLUMN"
  local values = { path = sentences.path(path), offset = at.offset or 1, column = at.column }
  values.total, values.what = number and detail or nil, detail
  return sentences.message(code, values)
end

--- The options, with default budgets. A pipeline knows no bytes.
local function with_defaults(opts)
  local own = check.copied(opts or {})
  local by_size = own.max_bytes ~= nil or own.max_chars ~= nil or own.max_tokens ~= nil
  if not by_size and own.max_lines == nil then own.max_lines = DEFAULT.max_lines end
  if not by_size and own.strategy ~= "pipeline" then own.max_bytes = DEFAULT.max_bytes end
  return own
end

--- core.page, giving way between steps.
local function page_opener(work)
  return function(path, opts)
    local page, code, detail = core.page_in_steps(path, opts)
    if not page then return nil, code, detail end
    work:hold(page)
    while true do
      local is_open
      is_open, code, detail = page:step(STEP)
      if is_open then return page end
      if is_open == nil then return nil, code, detail end
      work:pause()
    end
  end
end

--- A page of a file (SPEC 5).
---
--- Budgets: those given; without any of size 30KB, without any at all also 2000 lines. Reads blocks of 256 KiB, never
--- the file whole; totals are exact. The first page costs one pass over the file; with an index that knows the file
--- as it is a page costs time in proportion to itself.
---@param path string
---@param opts? abridge.FilePageOptions
---@return string|nil content
---@return abridge.PageCut|string cut the message when there is no content
---@return string|nil code ENOENT, EACCES, EISDIR, ENOTREG, EBINARY, EOFFSET, ECOLUMN, EIO, EJSON, EPOINTER
function M.page(path, opts)
  if type(path) ~= "string" then check.fail(("%s: path must be a string, got %s"):format(WHO, check.show(path))) end
  if opts ~= nil and type(opts) ~= "table" then
    check.fail(("%s: opts must be a table, got %s"):format(WHO, check.show(opts)))
  end
  local own = with_defaults(opts)
  -- in steps it also says where a pointer stops
  local ok, page, code, detail = pcall(own.pointer and page_opener(time_slices.at_once) or core.page, path, own)
  if not ok then check.fail(page) end
  if not page then return nil, M.message(code, detail, own, path), code end
  local content, cut
  ok, content, cut = pcall(page.snapshot, page)
  page:close()
  if not ok then error(content, 0) end -- the error of the token counter
  return content, cut
end

---@class (exact) abridge.PageAt
---@field offset? integer
---@field column? integer
---@field limit? integer
---@field pointer? string in place of the others

---@class (exact) abridge.PageHow
---@field path? string the file; or
---@field text? string a text in memory
---@field split? boolean a line over budget is split, as nothing can show the rest of it
---@field index? userdata
---@field version? string
---@field redactor? abridge.Redactor of a file: lines, chars and bytes are then those of the redacted file
---@field line_numbers? boolean a number before each line; this and `max_line_chars` with the strategy "head" alone
---@field work? abridge.Work of a file: gives way while it is read

--- Open a page as a source that a dispatcher cuts (see abridge.Source).
---@param at abridge.PageAt
---@param limits abridge.Limits
---@param how abridge.PageHow
---@return table|nil source with snapshot, finish, close
---@return string|nil code
---@return any detail for M.message
function M.open(at, limits, how)
  local opts = limit.page_options(limits)
  opts.offset, opts.column, opts.limit, opts.pointer = at.offset, at.column, at.limit, at.pointer
  if (at.column or how.split) and limits.strategy ~= "pipeline" then opts.long_line = "split" end
  opts.binary = true -- callers look for binary files themselves
  local work = how.work or time_slices.at_once
  local open, source = page_opener(work), how.path
  if how.text then
    open, source = core.page_text, how.text
  else
    opts.index, opts.version = how.index, how.version
  end
  local view = { redactor = how.redactor }
  if at.pointer then
    if how.redactor then
      return require("abridge.output.page_view").open_json(open, source, opts, how.redactor, work)
    end
  elseif opts.strategy == "head" then
    view.line_numbers = how.line_numbers or nil
    view.max_line_chars = not at.column and limits.max_line_chars or nil -- `column` wants the whole line
  end
  local page, code, detail
  if next(view) then
    page, code, detail = require("abridge.output.page_view").open(open, source, opts, view, work)
  else
    page, code, detail = open(source, opts)
  end
  return page, code, detail
end

--- Does a page continue another one?
---@param at abridge.PageAt
---@return boolean
function M.goes_on(at)
  return (at.offset or 1) > 1 or at.column ~= nil or (at.pointer or "") ~= ""
end

--- The data for a page's notice, and a function that adds the cut's.
---@param at abridge.PageAt
---@param limits abridge.Limits
---@param data abridge.NoticeData names, path
---@return abridge.NoticeData data
---@return fun(cut: abridge.PageCut) adjust
function M.notice_data(at, limits, data)
  data.offset, data.column, data.limit = at.offset, at.column, at.limit
  data.max_line_chars = limits.max_line_chars
  local goes_on = M.goes_on(at)
  return data, function(cut)
    data.lines_truncated, data.changed = cut.lines_truncated, goes_on and cut.changed
  end
end

--- A session's memory of the files it showed: the places of their lines, and the version of each.
---@class abridge.PageMemory
---@field index userdata
local Memory = {}
Memory.__index = Memory

local FILES = 256 -- files whose version is remembered, at least

--- A new memory.
---@return abridge.PageMemory
function M.memory()
  return setmetatable({ index = core.index(), young = {}, old = {}, count = 0 }, Memory)
end

--- The version of a file when a page of it was last shown.
---@param path string
---@return string|nil
function Memory:version(path)
  return self.young[path] or self.old[path]
end

--- Remember the version of a file that was shown.
---@param path string
---@param version string|nil
function Memory:shown(path, version)
  if self.count >= FILES then
    self.young, self.old, self.count = {}, self.young, 0
  end
  if not self.young[path] then self.count = self.count + 1 end
  self.young[path] = version
end

--- The block of a page.
---@param cut abridge.PageCut
---@param body string
---@param tool string the tool's name as the model knows it
---@param resume? string a sentence with {next} or {next0} in place of our hint
---@return abridge.Info|nil
function M.block(cut, body, tool, resume)
  if not cut.truncated then
    if cut.lines_truncated then return info.without_resume(#body, cut.total_bytes, "size_cap") end
    local begun_inside = cut.first_line > 1 or (cut.kept[1] and cut.kept[1].first_byte > 1)
    return info.not_truncated(#body, begun_inside and cut.total_bytes or nil)
  end
  if not cut.next_offset then return nil end
  local hint = cut.next_pointer and sentences.pointer_hint(tool, cut.next_pointer)
    or sentences.resume_hint(tool, cut.next_offset, cut.next_column)
  local own = resume and not cut.next_column and notice.resume(resume, cut.next_offset)
  if own and #own <= info.most_hint then hint = own end
  local reason = cut.truncated_by == "lines" and "line_cap" or "size_cap"
  return info.with_resume(#body, cut.total_bytes, cut.next_offset, hint, reason)
end

return M
