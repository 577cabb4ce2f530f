--- flemma.nvim (0.13.1): what its `flemma.utilities.truncate` has, in a table that can stand in for it. Differences:
--- a newline at the end of a text starts no line of its own, so an empty text has none; a size loses a `.0`; a line
--- that was split was split for its bytes; no byte budget is exceeded, not even by `truncate_line`. Each result also
--- has its ledger, `cut`.

local crude = require "abridge.base.crude"
local tell = require "abridge.hosts.tell"

local M = { MAX_LINES = 2000, MAX_BYTES = 50 * 1024, MAX_LINE_CHARS = 500 }

local SUFFIX = "... [truncated]"

---@class (exact) abridge.flemma.Result
---@field content string
---@field truncated boolean
---@field truncated_by? "lines"|"bytes"
---@field total_lines integer
---@field total_bytes integer
---@field output_lines integer
---@field output_bytes integer
---@field last_line_partial boolean content begins inside a line (`truncate_tail`)
---@field first_line_exceeds_limit boolean nothing is kept, as line 1 is over the byte limit (`truncate_head`)
---@field cut? abridge.Cut absent when the cut had to be made crudely

--- A crude cut, with as much of the core's ledger as it can have.
local function crudely(content, budgets, why)
  tell.crude("flemma.nvim", why)
  local text = crude.cut(content, math.huge)
  local kept, by = crude.cut(text, budgets)
  local cut = { truncated = by ~= nil, truncated_by = by }
  cut.total_lines, cut.total_bytes = crude.count_lines(text), #text
  cut.output_lines = math.max(crude.count_lines(kept) - (by and 1 or 0), 0) -- one says that it was cut
  cut.output_bytes = #kept
  return kept, cut
end

local function truncated(strategy, content, opts)
  if type(opts) ~= "table" then opts = {} end
  local max_lines, max_bytes = opts.max_lines or M.MAX_LINES, opts.max_bytes or M.MAX_BYTES
  local ok, kept, cut = pcall(function()
    return require("abridge.base.core_loader")[strategy](content, { max_lines = max_lines, max_bytes = max_bytes })
  end)
  if not ok then
    kept, cut = crudely(content, { max_lines = max_lines, max_bytes = max_bytes }, kept)
  end
  return {
    content = kept,
    truncated = cut.truncated,
    truncated_by = cut.truncated_by,
    total_lines = cut.total_lines,
    total_bytes = cut.total_bytes,
    output_lines = cut.output_lines,
    output_bytes = cut.output_bytes,
    last_line_partial = cut.last_line_partial or false,
    first_line_exceeds_limit = cut.first_line_exceeds_limit or false,
    cut = ok and cut or nil,
  }
end

--- Keep whole lines from the start: a line over the byte limit is not split. Never raises.
---@param content string
---@param opts? { max_lines: integer|nil, max_bytes: integer|nil } 2000 lines and 50 KiB unless set
---@return abridge.flemma.Result result
function M.truncate_head(content, opts)
  return truncated("head", content, opts)
end

--- Keep whole lines from the end, or the end of the last one if that is over the byte limit. Never raises.
---@param content string
---@param opts? { max_lines: integer|nil, max_bytes: integer|nil }
---@return abridge.flemma.Result result
function M.truncate_tail(content, opts)
  return truncated("tail", content, opts)
end

--- Cut one line to a number of bytes, including the suffix that says so, which is left out if it does not fit.
---@param line string
---@param max_chars? integer bytes, as in flemma.nvim; 500 unless set
---@return { text: string, truncated: boolean } cut
function M.truncate_line(line, max_chars)
  max_chars = max_chars or M.MAX_LINE_CHARS
  if type(line) == "string" and #line <= max_chars then return { text = line, truncated = false } end
  local suffix = #SUFFIX < max_chars and SUFFIX or ""
  local ok, kept = pcall(function()
    local how = { max_bytes = max_chars - #suffix, snap = "char", head_ratio = 1, marker = "none" }
    return (require("abridge.base.core_loader").head_tail(line, how))
  end)
  if ok then return { text = kept .. suffix, truncated = true } end
  tell.crude("flemma.nvim", kept)
  return { text = (crude.cut(line, max_chars)), truncated = true }
end

--- A size as text, `1.5KB`.
---@param bytes integer
---@return string size
function M.format_size(bytes)
  local ok, size = pcall(function()
    return require("abridge.base.core_loader").format_size(bytes)
  end)
  return ok and size or tostring(bytes) .. "B"
end

return M
