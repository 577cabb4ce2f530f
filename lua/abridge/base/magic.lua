--- The kind of a file by its first bytes, and the size of an image. Names are never looked at; text has no kind, and
--- neither has SVG.

local core = require "abridge.base.core_loader"

local M = {}

M.probe = 8000 -- bytes from the start in which a NUL makes a file binary, as the core's pages have it

-- numbers ----------------------------------------------------------------------

--- The unsigned number at a 0-based offset; nil if bytes are missing.
local function big(bytes, at, size)
  local value = 0
  for i = at + 1, at + size do
    local byte = bytes:byte(i)
    if not byte then return nil end
    value = value * 256 + byte
  end
  return value
end

local function little(bytes, at, size)
  return big(bytes:sub(at + 1, at + size):reverse(), 0, size)
end

-- kinds -------------------------------------------------------------------------

--- The kind of a file by its first bytes; some formats show only within the first 300.
---@param bytes string the start of the file
---@return string|nil kind a media type; nil for text and unknown formats
M.kind = core.magic

--- Is this kind an image?
---@param kind string|nil
---@return boolean
function M.is_image(kind)
  return kind ~= nil and kind:find "^image/" ~= nil
end

-- dimensions --------------------------------------------------------------------

local MOST_READS = 2000 -- of one JPEG; metadata comes in segments of 64 KiB
local WINDOW = 64 -- bytes looked through for the next marker
local FRAME_BYTES = 9 -- of a frame's segment, up to the width

--- Does a segment of a JPEG tell the size of the image?
local function is_frame(marker)
  return marker >= 192 and marker <= 207 and marker ~= 196 and marker ~= 200 and marker ~= 204
end

local function stands_alone(marker)
  return marker == 1 or (marker >= 208 and marker <= 216)
end

--- From segment to segment; bytes between them are passed over, as decoders do.
local function jpeg(read)
  local at = 2
  for _ = 1, MOST_READS do
    local bytes = read(at, WINDOW)
    if bytes == "" then return nil end
    local start, _, code = bytes:find "\255([^%z\255])"
    local marker = code and code:byte()
    if not marker then
      at = at + math.max(#bytes - 1, 1) -- the last byte may be the first of a marker
    elseif start > 1 and start + FRAME_BYTES > #bytes then
      at = at + start - 1 -- a window that starts with the marker
    elseif is_frame(marker) then
      return big(bytes, start + 6, 2), big(bytes, start + 4, 2)
    elseif marker == 217 or marker == 218 then
      return nil -- the end, or a scan without a frame before it
    elseif stands_alone(marker) then
      at = at + start + 1
    else
      local length = big(bytes, start + 1, 2)
      if not length or length < 2 then return nil end
      at = at + start + 1 + length
    end
  end
end

local function png(read)
  local bytes = read(0, 24)
  if bytes:sub(13, 16) ~= "IHDR" then return nil end
  return big(bytes, 16, 4), big(bytes, 20, 4)
end

local function gif(read)
  local bytes = read(0, 10)
  return little(bytes, 6, 2), little(bytes, 8, 2)
end

local function webp(read)
  local bytes = read(0, 30)
  local chunk = bytes:sub(13, 16)
  if chunk == "VP8X" then
    local width, height = little(bytes, 24, 3), little(bytes, 27, 3)
    return width and width + 1, height and height + 1
  elseif chunk == "VP8L" and bytes:byte(21) == 47 then
    local both = little(bytes, 21, 4) -- 14 bits each, the width in the lower ones
    if both then return both % 16384 + 1, math.floor(both / 16384) % 16384 + 1 end
  elseif chunk == "VP8 " and bytes:sub(24, 26) == "\157\1\42" then
    local width, height = little(bytes, 26, 2), little(bytes, 28, 2)
    return width and width % 16384, height and height % 16384 -- the upper bits scale
  end
end

local MEASURES = { ["image/png"] = png, ["image/jpeg"] = jpeg, ["image/gif"] = gif, ["image/webp"] = webp }

--- Width and height of an image in pixels, as its header tells them: PNG, JPEG, GIF and WebP. Nil for other kinds and
--- for broken headers, never an error of its own. Costs one read; for a JPEG one a segment up to its
--- frame, at most 2000.
---@param kind string|nil as `kind` gives
---@param read fun(at: integer, n: integer): string|nil n bytes at a 0-based offset, fewer at the end of the file
---@return integer|nil width
---@return integer|nil height
function M.dimensions(kind, read)
  local measure = kind and MEASURES[kind]
  if not measure then return nil end
  local width, height = measure(function(at, n)
    return read(at, n) or ""
  end)
  if not (width and height and width > 0 and height > 0) then return nil end
  return width, height
end

return M
