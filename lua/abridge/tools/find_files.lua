--- find_files: the files below a folder whose path matches a glob, as `rg --files` lists them.

local listed_name = require "abridge.base.listed_name"
local pages = require "abridge.search.page"
local places = require "abridge.search.place"
local ripgrep = require "abridge.search.ripgrep"

local M = {
  name = "find_files",
  description = "Find files by glob. Paths are relative to the current folder, in order; hidden files are found, "
    .. "ignored ones (.gitignore) are not. Use offset to go on after a limit.",
  input_schema = {
    type = "object",
    properties = {
      pattern = { type = "string", description = "Glob, such as *.lua or src/**/test_*.c" },
      path = { type = "string", description = "Folder to look in (default: the current one)" },
      limit = { type = "integer", minimum = 1, description = "Number of files to list" },
      offset = { type = "integer", minimum = 1, description = "Number of the first file to list (from 1)" },
    },
    required = { "pattern" },
  },
}

M.ready = ripgrep.ready

--- Whole records of `rg --files --null` as lines, and how many there are. `start`, a replacement of gsub, begins each
--- line.
local function lines_of(records, start)
  if not listed_name.is_plain(records) then records = records:gsub("[^%z]+", listed_name.escape) end
  local text, count = ("\0" .. records:sub(1, -2)):gsub("%z%./", start)
  return text:sub(2), count
end

local MOST_COUNTED = 100000 -- files after a full page, which rg lists in a third of a second

--- Takes rg's output in chunks and fills a page; paths after it are counted.
local function reader(page, place, redacted)
  local start = "\n" .. listed_name.escape(place.shown):gsub("%%", "%%%%")
  local self = { rest = "", bytes = 0 } -- bytes: of the whole listing, newlines too
  function self.feed(chunk)
    local records, rest = chunk:match "^(.*%z)(.*)$"
    if not records then
      self.rest = self.rest .. chunk
      return false
    end
    if self.stopped_at then
      page.count = page.count + select(2, records:gsub("%z", ""))
      return page.count - self.stopped_at > MOST_COUNTED
    end
    local text, count = lines_of(self.rest .. records, start)
    local before = page.count
    self.rest = rest
    self.bytes = self.bytes + #redacted(text) + 1
    if before + count < page.offset then -- nothing here is on the page
      page.count = before + count
      return false
    end
    for name in text:gmatch "[^\n]+" do
      local wanted = page:next()
      if wanted == "take" then page:add(name) end
      if wanted == "stop" then
        self.stopped_at, page.count = page.count, before + count
        break
      end
    end
    return false
  end
  return self
end

function M.execute(input, ctx, done)
  local ready, message = M.ready()
  if not ready then return { text = message, is_error = true } end
  if input.pattern:find("\0", 1, true) then
    return places.failure("invalid_input", { what = "pattern has a NUL byte" }, {}, "EINVAL")
  end
  local place, failure = places.find(input.path, ctx, "directory")
  if not place then return failure end

  local page = pages.new(ctx, input, "max_results")
  local files = reader(page, place, ctx.redacted)
  return ripgrep.run({
    place = place,
    arguments = { "--files", "--null", places.glob(input.pattern), "--glob=!.git", "--", place.target },
    on_chunk = files.feed,
    on_end = function(finish, work)
      return page:value({
        unit = "results",
        reason = "item_cap",
        bytes_total = finish.ended and not files.stopped_at and math.max(files.bytes - 1, 0) or nil,
        details = {
          path = ctx.redacted(input.path or "."),
          result_limit_reached = page.reached and page.limit or nil,
        },
      }, finish, work)
    end,
  }, ctx, done)
end

return M
