--- What a file is by its first bytes, and how large an image is. Names are never looked at; text has no kind, and
--- neither has SVG.

local M = {}

M.probe = 8000 -- bytes from the start in which a NUL makes a file binary, as the core's pages have it

-- numbers ----------------------------------------------------------------------

--- The unsigned number at a 0-based offset; nil where bytes are missing.
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

--- Signatures at the start that no other format and no text shares.
local STARTS = {
  { "\137PNG\r\n\26\n", "image/png" },
  { "\255\216\255", "image/jpeg" },
  { "GIF87a", "image/gif" },
  { "GIF89a", "image/gif" },
  { "II*\0", "image/tiff" },
  { "MM\0*", "image/tiff" },
  { "II+\0", "image/tiff" },
  { "MM\0+", "image/tiff" },
  { "8BPS\0\1", "image/vnd.adobe.photoshop" },
  { "\0\0\0\12JXL \r\n\135\n", "image/jxl" },
  { "\0\0\0\12jP  \r\n\135\n", "image/jp2" },
  { "%PDF-", "application/pdf" },
  { "\127ELF", "application/x-elf" },
  { "\254\237\250\206", "application/x-mach-binary" },
  { "\254\237\250\207", "application/x-mach-binary" },
  { "\206\250\237\254", "application/x-mach-binary" },
  { "\207\250\237\254", "application/x-mach-binary" },
  { "\0asm", "application/wasm" },
  { "\27Lua", "application/x-lua-bytecode" },
  { "\27LJ", "application/x-lua-bytecode" },
  { "\222\18\4\149", "application/x-gettext-translation" },
  { "BC\192\222", "application/x-llvm-bitcode" },
  { "!<arch>\n", "application/x-archive" },
  { "PK\3\4", "application/zip" },
  { "PK\5\6", "application/zip" },
  { "PK\7\8", "application/zip" },
  { "\31\139", "application/gzip" },
  { "\253" .. "7zXZ\0", "application/x-xz" },
  { "(\181/\253", "application/zstd" },
  { '\4"M\24', "application/x-lz4" },
  { "7z\188\175\39\28", "application/x-7z-compressed" },
  { "Rar!\26\7", "application/vnd.rar" },
  { "MSCF\0\0\0\0", "application/vnd.ms-cab-compressed" },
  { "\237\171\238\219", "application/x-rpm" },
  { "\208\207\17\224\161\177\26\225", "application/x-ole-storage" },
  { "SQLite format 3\0", "application/vnd.sqlite3" },
  { "\137HDF\r\n\26\n", "application/x-hdf5" },
  { "\147NUMPY", "application/x-numpy" },
  { "PAR1\21", "application/vnd.apache.parquet" },
  { "PACK\0\0\0", "application/x-git-pack" },
  { "DIRC\0\0\0", "application/x-git-index" },
  { "OggS\0", "audio/ogg" },
  { "fLaC\0", "audio/flac" },
  { "fLaC\128", "audio/flac" },
  { "MThd\0\0\0\6", "audio/midi" },
  { "FLV\1", "video/x-flv" },
  { "\0\0\1\186", "video/mpeg" },
  { "\0\0\1\179", "video/mpeg" },
  { "OTTO\0", "font/otf" },
  { "true\0", "font/ttf" },
  { "ttcf\0", "font/collection" },
  { "wOFF\0\1\0\0", "font/woff" },
  { "wOFFOTTO", "font/woff" },
  { "wOFFtrue", "font/woff" },
  { "wOF2\0\1\0\0", "font/woff2" },
  { "wOF2OTTO", "font/woff2" },
  { "wOF2true", "font/woff2" },
  { "wOF2ttcf", "font/woff2" },
}

local RIFF = { WEBP = "image/webp", WAVE = "audio/wav", ["AVI "] = "video/x-msvideo" }
local IFF = { AIFF = "audio/aiff", AIFC = "audio/aiff" }

--- By the brand of an ISO media file; others are taken for MP4.
local BRANDS = {
  avif = "image/avif",
  avis = "image/avif",
  heic = "image/heic",
  heix = "image/heic",
  heim = "image/heic",
  heis = "image/heic",
  hevc = "image/heic",
  hevx = "image/heic",
  mif1 = "image/heif",
  msf1 = "image/heif",
  ["qt  "] = "video/quicktime",
  ["M4A "] = "audio/mp4",
  ["M4B "] = "audio/mp4",
  ["3gp4"] = "video/3gpp",
  ["3gp5"] = "video/3gpp",
  ["3gp6"] = "video/3gpp",
}

local BMP_HEADERS = { [12] = true, [40] = true, [52] = true, [56] = true, [64] = true, [108] = true, [124] = true }

local OLDEST_CLASS = 45 -- major version of Java 1.1; a fat Mach-O holds fewer architectures than that
local MOST_ICONS, MOST_TABLES = 256, 128
local PROBE = 4096 -- how far a document type or the header of a program is looked for

--- Formats whose first bytes alone would be too weak a sign; each returns a kind or nil.
local PROBES = {
  function(bytes)
    if bytes:sub(1, 4) == "RIFF" then return RIFF[bytes:sub(9, 12)] end
    if bytes:sub(1, 4) == "FORM" then return IFF[bytes:sub(9, 12)] end
  end,
  function(bytes) -- ISO media: the size of a first box is small
    if bytes:sub(5, 8) == "ftyp" and bytes:byte(1) == 0 and #bytes >= 12 then
      return BRANDS[bytes:sub(9, 12)] or "video/mp4"
    end
  end,
  function(bytes)
    if bytes:sub(1, 2) == "BM" and big(bytes, 6, 4) == 0 and BMP_HEADERS[little(bytes, 14, 4)] then
      return "image/bmp"
    end
  end,
  function(bytes)
    local count = bytes:sub(1, 4) == "\0\0\1\0" and little(bytes, 4, 2)
    if count and count > 0 and count <= MOST_ICONS and bytes:byte(10) == 0 then return "image/vnd.microsoft.icon" end
  end,
  function(bytes)
    local tables = bytes:sub(1, 4) == "\0\1\0\0" and big(bytes, 4, 2)
    if tables and tables > 0 and tables <= MOST_TABLES then return "font/ttf" end
  end,
  function(bytes)
    if bytes:sub(1, 4) ~= "\202\254\186\190" then return nil end
    local count = big(bytes, 4, 4)
    if not count then return nil end
    return count % 65536 < OLDEST_CLASS and "application/x-mach-binary" or "application/java-vm"
  end,
  function(bytes)
    if bytes:sub(1, 2) ~= "MZ" then return nil end
    local at = little(bytes, 60, 4)
    if at and bytes:sub(at + 1, at + 4) == "PE\0\0" then return "application/vnd.microsoft.portable-executable" end
    if bytes:sub(1, 64):find("\0", 1, true) then return "application/x-dosexec" end
  end,
  function(bytes) -- the mark of a first block, or of the end of an empty file
    if bytes:find "^BZh[1-9]1AY&SY" or bytes:find "^BZh[1-9]\23rE8P\144" then return "application/x-bzip2" end
  end,
  function(bytes) -- Python 3.7 and later: two bytes of version, flags
    if bytes:find "^..\r\n[%z\1-\3]%z%z%z" then return "application/x-python-bytecode" end
  end,
  function(bytes)
    if bytes:find "^dex\n0%d%d%z" then return "application/vnd.android.dex" end
  end,
  function(bytes) -- an ID3 tag, or a frame of layer III with a rate that exists
    local first, second, third = bytes:byte(1, 3)
    if bytes:sub(1, 3) == "ID3" then
      local version = bytes:byte(4)
      return version and version >= 2 and version <= 4 and bytes:byte(5) ~= 255 and "audio/mpeg" or nil
    end
    if first ~= 255 or not third or second < 224 or math.floor(second / 2) % 4 ~= 1 then return nil end
    if math.floor(second / 8) % 4 == 1 then return nil end
    local bitrate, rate = math.floor(third / 16), math.floor(third / 4) % 4
    return bitrate > 0 and bitrate < 15 and rate < 3 and "audio/mpeg" or nil
  end,
  function(bytes)
    if bytes:sub(1, 4) ~= "\26\69\223\163" then return nil end
    return bytes:sub(1, PROBE):find("webm", 1, true) and "video/webm" or "video/x-matroska"
  end,
  function(bytes)
    if bytes:find("^ustar[%z ]", 258) then return "application/x-tar" end
  end,
}

--- What a file is by its first bytes; some formats show only within the first 300.
---@param bytes string the start of the file
---@return string|nil kind a media type; nil for text and for what is not known
function M.kind(bytes)
  for _, magic in ipairs(STARTS) do
    if bytes:sub(1, #magic[1]) == magic[1] then return magic[2] end
  end
  for _, probe in ipairs(PROBES) do
    local kind = probe(bytes)
    if kind then return kind end
  end
  return nil -- one value always
end

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
--- for broken headers, never an error except what `read` raises. Costs one read; for a JPEG one a segment up to its
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
