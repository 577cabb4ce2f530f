--- list_directory: the entries of a directory, sorted, in pages.

local host = require "abridge.host"
local items = require "abridge.items"
local names = require "abridge.names"
local notice = require "abridge.notice"
local slices = require "abridge.slices"

local M = {
  name = "list_directory",
  description = "List the entries of a directory, dotfiles too, sorted by name. "
    .. "Directories end in /, symbolic links in @.",
  input_schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "Path of the directory (default: the current one)" },
      limit = { type = "integer", minimum = 1, description = "Number of entries to list" },
      offset = { type = "integer", minimum = 1, description = "Number of the first entry to list (from 1)" },
    },
  },
}

local MARKS = { directory = "/", link = "@" }
local LETTERS = { directory = "d", link = "l", unknown = "?" } -- of the types; any other is "-"
local TYPES = { d = "directory", l = "link", ["?"] = "unknown" }

---@return true|nil ready
---@return string|nil message what is missing
function M.ready()
  local uv, message = host.uv()
  return uv and true, message
end

local LOWER = {}
for byte = 65, 90 do
  LOWER[string.char(byte)] = string.char(byte + 32)
end

--- Names and types of what a scan found, in order. ASCII case alone is passed over, on every host alike; what differs
--- only in case goes by bytes. Keys of both parts sort ten times as fast as a function that compares; the type at their
--- end never decides.
local function sorted(uv, scan, work)
  local keys = {}
  local name, kind = uv.fs_scandir_next(scan)
  while name do
    keys[#keys + 1] = name:gsub("[A-Z]", LOWER) .. "\0" .. name .. (LETTERS[kind or "unknown"] or "-")
    name, kind = uv.fs_scandir_next(scan)
    work:pause()
  end
  keys = slices.sorted(work, keys)
  local found, types = {}, {}
  for i, key in ipairs(keys) do
    found[i], types[i] = key:sub(#key / 2 + 1, -2), TYPES[key:sub(-1)] -- both halves are of one length
    work:pause()
  end
  return found, types
end

--- Lines of the entries. Some file systems do not tell the type of an entry: those of the page are looked up.
---@return string[] lines
---@return boolean complete every line has its mark
local function lines_of(uv, work, path, found, types, first, last)
  local lines, complete = {}, true
  for i, name in ipairs(found) do
    local kind = types[i]
    if kind == "unknown" and i >= first and i <= last then
      local stat = uv.fs_lstat(path .. "/" .. name)
      kind = stat and stat.type or ""
    end
    complete = complete and kind ~= "unknown"
    lines[i] = names.name(name) .. (MARKS[kind] or "")
    work:pause()
  end
  return lines, complete
end

local AT_ONCE = 256 -- lines that are joined in one go

--- Bytes of all the lines, as they may be shown.
local function size_of(lines, redaction, work)
  local bytes = 0
  local function add(text)
    bytes = bytes + #text
  end
  for first = 1, #lines, AT_ONCE do
    local last = math.min(first + AT_ONCE - 1, #lines)
    local text = table.concat(lines, "\n", first, last) .. (last < #lines and "\n" or "")
    add(redaction and redaction:feed(text) or text)
    work:pause()
  end
  if redaction then add(redaction:finish()) end
  return bytes
end

local KNOWN = { ENOENT = true, EACCES = true, ENOTDIR = true }

local function failure(path, code, values, error_code)
  values.path = notice.path(path)
  return {
    text = notice.message(code, values),
    is_error = true,
    details = { path = path, error_code = error_code or code },
  }
end

--- What could not be scanned. libuv's message repeats the path, which may be another than the one that was given.
local function unreadable(path, message)
  local code, what = tostring(message):match "^(%u[%u%d]*): ([^:]*)"
  if KNOWN[code] then return failure(path, code, {}) end
  return failure(path, "EIO", { what = what or tostring(message) }, code)
end

--- The page of a directory that was scanned.
local function page(uv, scan, at, ctx, work)
  local found, types = sorted(uv, scan, work)
  local total, first = #found, at.offset
  if first > math.max(total, 1) then
    return failure(at.shown, "EOFFSET_entries", { offset = first, total = total }, "EOFFSET")
  end
  local last = math.min(total, first - 1 + (at.limit or total))
  local lines, complete = lines_of(uv, work, at.path, found, types, first, last)
  local shown = {}
  for i = first, last do
    shown[#shown + 1] = lines[i]
  end
  local more = last < total
  return items.value({
    items = shown,
    unit = "entries",
    offset = first,
    limit = at.limit,
    reached = more,
    more = more,
    reason = "item_cap",
    total = total,
    bytes_total = complete and total > 0 and size_of(lines, ctx.redaction(), work) or nil,
    empty = total == 0 and notice.empty_directory or nil,
    details = { path = at.shown, entry_limit_reached = more and at.limit or nil },
  }, ctx, work)
end

function M.execute(input, ctx, done)
  local uv, message = host.uv()
  if not uv then return { text = message, is_error = true } end
  local given = (input.path or "") ~= "" and input.path or "."
  local at = {
    shown = ctx.redacted(given),
    limit = input.limit or ctx.limits.max_entries,
    offset = input.offset or 1,
  }
  if given:find("\0", 1, true) then return failure(at.shown, "ENOENT", {}) end
  at.path = ctx.path(given)
  local request, cancel
  request, message = uv.fs_scandir(at.path, function(problem, scan)
    host.on_main(function()
      if ctx.cancelled() then return end
      if problem then return done(unreadable(at.shown, problem)) end
      cancel = slices.start(function(work)
        return page(uv, scan, at, ctx, work)
      end, done)
    end)
  end)
  if not request then return unreadable(at.shown, message) end
  return function()
    if cancel then return cancel() end
    uv.cancel(request)
  end
end

return M
