--- list_directory: the entries of a directory, sorted, in pages.

local host = require "abridge.base.host"
local listed_name = require "abridge.base.listed_name"
local time_slices = require "abridge.base.time_slices"
local items = require "abridge.output.items"
local sentences = require "abridge.output.sentences"

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

local BATCH = 256 -- entries of one read; libuv gives fewer only at the end

--- Read all entries of a directory in batches, so as not to block the loop. uv.fs_scandir would do it in one read, but
--- luv never frees its request, nor anything its callback refers to.
---@param uv table
---@param dir userdata open; closed here
---@param cancelled fun(): boolean nothing more is read then
---@param back fun(problem: string|nil, entries: { name: string, type: string }[])
---@return fun() cancel
local function read_entries(uv, dir, cancelled, back)
  local entries, request = {}, nil
  local function read()
    request = uv.fs_readdir(dir, function(problem, batch)
      for _, entry in ipairs(batch or {}) do
        entries[#entries + 1] = entry
      end
      if batch and #batch == BATCH and not cancelled() then return read() end
      uv.fs_closedir(dir)
      back(problem, entries)
    end)
  end
  read()
  return function()
    uv.cancel(request)
  end
end

--- Names and types of entries, sorted. Only ASCII case is ignored, on every host alike; names that differ only in case
--- are sorted by bytes. Keys of both parts sort ten times as fast as a comparing function; the type at the end of a key
--- never decides.
local function sorted(entries, work)
  local keys = {}
  for i, entry in ipairs(entries) do
    local name = entry.name
    keys[i] = name:gsub("[A-Z]", LOWER) .. "\0" .. name .. (LETTERS[entry.type or "unknown"] or "-")
    work:pause()
  end
  keys = time_slices.sorted(work, keys)
  local found, types = {}, {}
  for i, key in ipairs(keys) do
    found[i], types[i] = key:sub(#key / 2 + 1, -2), TYPES[key:sub(-1)] -- both halves are of one length
    work:pause()
  end
  return found, types
end

--- Lines of the entries. Some file systems do not give the type of an entry: then it is looked up for the page.
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
    lines[i] = listed_name.escape(name) .. (MARKS[kind] or "")
    work:pause()
  end
  return lines, complete
end

local AT_ONCE = 256 -- lines that are joined in one go

--- Bytes of the first n lines as they may be shown, with the newline before the next one.
local function size_of(lines, n, redaction, work)
  local bytes = 0
  local function add(text)
    bytes = bytes + #text
  end
  for first = 1, n, AT_ONCE do
    local last = math.min(first + AT_ONCE - 1, n)
    local text = table.concat(lines, "\n", first, last) .. (last < #lines and "\n" or "")
    add(redaction and redaction:feed(text) or text)
    work:pause()
  end
  if redaction then add(redaction:finish()) end
  return bytes
end

local KNOWN = { ENOENT = true, EACCES = true, ENOTDIR = true }

local function failure(path, code, values, error_code)
  values.path = sentences.path(path)
  return {
    text = sentences.message(code, values),
    is_error = true,
    details = { path = path, error_code = error_code or code },
  }
end

--- The result for a directory that cannot be read. libuv's message repeats the path, which may not be the one given.
local function unreadable(path, message)
  local code, what = tostring(message):match "^(%u[%u%d]*): ([^:]*)"
  if KNOWN[code] then return failure(path, code, {}) end
  return failure(path, "EIO", { what = what or tostring(message) }, code)
end

--- The page of a directory whose entries were read.
local function page(uv, entries, at, ctx, work)
  local found, types = sorted(entries, work)
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
    bytes_total = complete and total > 0 and size_of(lines, total, ctx.redaction(), work) or nil,
    bytes_before = complete and more and size_of(lines, first - 1, ctx.redaction(), work) or nil,
    empty = total == 0 and sentences.empty_directory or nil,
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
  local dir, cancel
  dir, message = uv.fs_opendir(at.path, nil, BATCH)
  if not dir then return unreadable(at.shown, message) end
  cancel = read_entries(uv, dir, ctx.cancelled, function(problem, entries)
    host.on_main(function()
      if ctx.cancelled() then return end
      if problem then return done(unreadable(at.shown, problem)) end
      cancel = time_slices.start(function(work)
        return page(uv, entries, at, ctx, work)
      end, done)
    end)
  end)
  return function()
    cancel()
  end
end

return M
