--- Values of JSON documents found and changed inside the sender's own bytes, by the core.

local core = require "abridge.base.core_loader"

local M = {}

---@class (exact) abridge.Spliced The place of a value.
---@field first integer its first byte in the text
---@field last integer its last one, with brackets or quotes
---@field type "object"|"array"|"string"|"number"|"true"|"false"|"null"
---@field name? string of a member that was listed

---@class (exact) abridge.SpliceEdit One of `replace`, `insert` and `remove`.
---@field pointer string RFC 6901, in the document as it came
---@field replace? string JSON in place of the value
---@field insert? string JSON before the element; with the index after the last one, or `-`, as the last; as a member
---@field remove? boolean true: the element or member goes, with one comma

--- Find values by pointer, in one pass. With `first` and `last` these bytes of the text are the document.
---@param json string
---@param pointers string[]
---@param first? integer
---@param last? integer
---@return table<string, abridge.Spliced>|nil found by pointer, without those that lead nowhere
---@return string|nil message
---@return "EJSON"|"EPOINTER"|nil code
function M.find(json, pointers, first, last)
  return core.splice_find(json, pointers, first, last)
end

--- List the elements or members of a document, at most so many.
---@param json string
---@param most integer
---@param first? integer
---@param last? integer
---@return abridge.Spliced[]|nil values
---@return integer|string count how many there are
---@return "EJSON"|nil code
function M.list(json, most, first, last)
  return core.splice_list(json, most, first, last)
end

--- Decode the string that stands there, 64 KB at most.
---@param json string
---@param first integer
---@param last integer
---@param at? integer where to go on
---@return string text
---@return integer|nil at nil at its end
function M.text(json, first, last, at)
  return core.splice_text(json, first, last, at)
end

--- Do all edits of a document, in one pass; every other byte stays as it came.
---@param json string
---@param edits abridge.SpliceEdit[]
---@param first? integer
---@param last? integer
---@return string|nil json the document with its edits
---@return string|nil message
---@return "EJSON"|"EPOINTER"|nil code
function M.edit(json, edits, first, last)
  return core.splice_edit(json, edits, first, last)
end

---@class abridge.SpliceFunctions What `abridge.splice` has.
M.functions = { find = M.find, list = M.list, text = M.text, edit = M.edit }

return M
