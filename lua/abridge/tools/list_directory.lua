--- list_directory: the entries of a directory, sorted, in pages.

local host = require "abridge.host"
local items = require "abridge.items"
local names = require "abridge.names"
local notice = require "abridge.notice"

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
--- only in case goes by bytes. Keys of both parts sort ten times as fast as a function that compares.
local function sorted(uv, scan)
  local keys, types = {}, {}
  local name, kind = uv.fs_scandir_next(scan)
  while name do
    local key = name:gsub("[A-Z]", LOWER) .. "\0" .. name
    keys[#keys + 1], types[key] = key, kind or "unknown"
    name, kind = uv.fs_scandir_next(scan)
  end
  table.sort(keys)
  for i, key in ipairs(keys) do
    keys[i], types[i] = key:sub((#key + 3) / 2), types[key] -- both halves are of one length
    types[key] = nil
  end
  return keys, types
end

--- Lines of the entries. Some file systems do not tell the type of an entry: those of the page are looked up.
---@return string[] lines
---@return boolean complete every line has its mark
local function lines_of(uv, path, found, types, first, last)
  local lines, complete = {}, true
  for i, name in ipairs(found) do
    local kind = types[i]
    if kind == "unknown" and i >= first and i <= last then
      local stat = uv.fs_lstat(path .. "/" .. name)
      kind = stat and stat.type or ""
    end
    complete = complete and kind ~= "unknown"
    lines[i] = names.name(name) .. (MARKS[kind] or "")
  end
  return lines, complete
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
local function page(uv, scan, at, ctx)
  local found, types = sorted(uv, scan)
  local total, first = #found, at.offset
  if first > math.max(total, 1) then
    return failure(at.shown, "EOFFSET_entries", { offset = first, total = total }, "EOFFSET")
  end
  local last = math.min(total, first - 1 + (at.limit or total))
  local lines, complete = lines_of(uv, at.path, found, types, first, last)
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
    bytes_total = complete and total > 0 and #ctx.redacted(table.concat(lines, "\n")) or nil,
    empty = total == 0 and notice.empty_directory or nil,
    details = { path = at.shown, entry_limit_reached = more and at.limit or nil },
  }, ctx)
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
  local request
  request, message = uv.fs_scandir(at.path, function(problem, scan)
    if problem then return done(unreadable(at.shown, problem)) end
    local ok, value = pcall(page, uv, scan, at, ctx)
    done(ok and value or { text = tostring(value), is_error = true })
  end)
  if not request then return unreadable(at.shown, message) end
  return function()
    uv.cancel(request)
  end
end

return M
