--- Pages of a full output, by lines, in memory that does not depend on its size.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local pages = require "abridge.output.page"
local profiles = require "abridge.output.profiles"

local M = {}

local PAGE = profiles.all.default.read_file

---@class (exact) abridge.PageOptions
---@field offset? integer first line, from 1 (default: 1)
---@field limit? integer lines wanted (default: as many as a page has)
---@field column? integer first char of that line, from 1 (default: 1)

---@class (exact) abridge.PageInfo
---@field first_line integer of the page
---@field last_line integer
---@field total_lines integer of the full output
---@field total_bytes integer
--- where the next page starts; there is no `next_offset` on the last page, and a `next_column` only if this one ends
--- inside a line
---@field next_offset? integer
---@field next_column? integer
---@field final_newline? true everything but the last newline fitted
---@field full_output_error? string why the text is not the whole output

local OPTIONS = { offset = check.positive, limit = check.positive, column = check.positive }

--- Check the arguments of a public function for a page. Raises at the level of that function's caller.
---@param who string
---@param call_id any
---@param opts any
---@return abridge.PageOptions
function M.check(who, call_id, opts)
  if type(call_id) ~= "string" then
    check.fail(("%s: call_id must be a string, got %s"):format(who, check.show(call_id)), 1)
  end
  local checked = check.options(who, opts, OPTIONS, 2)
  return checked
end

--- The content of a page, and its facts.
local function told(page)
  local content, cut = page:snapshot()
  page:close()
  return content,
    {
      first_line = cut.first_line,
      last_line = cut.last_line,
      total_lines = cut.total_lines,
      total_bytes = cut.total_bytes,
      next_offset = cut.next_offset,
      next_column = cut.next_column,
      final_newline = cut.final_newline,
    }
end

local function page_options(opts)
  return {
    offset = opts.offset,
    column = opts.column,
    limit = opts.limit,
    max_lines = PAGE.max_lines,
    max_bytes = PAGE.max_bytes,
    long_line = "split",
    binary = true,
  }
end

--- A page of a text.
---@param text string
---@param opts abridge.PageOptions
---@return string|nil content
---@return abridge.PageInfo|string info the message when there is no content
---@return string|nil code EOFFSET, ECOLUMN
function M.text_page(text, opts)
  local page, code, detail = core.page_text(text, page_options(opts))
  if not page then return nil, pages.message(code, detail, opts, ""), code end
  return told(page)
end

--- A page of a file.
---@param path string
---@param opts abridge.PageOptions
---@param index userdata what abridge.index() returned
---@return string|nil content
---@return abridge.PageInfo|string info the message when there is no content
---@return string|nil code EOFFSET, ECOLUMN, or the file's error
function M.file_page(path, opts, index)
  local own = page_options(opts)
  own.index = index
  local page, code, detail = core.page(path, own)
  if not page then return nil, pages.message(code, detail, opts, path), code end
  return told(page)
end

return M
