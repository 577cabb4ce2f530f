local magic = require "abridge.base.magic"
local random = require "support.random"

local char = string.char

local function big(value, size)
  local bytes = {}
  for i = size, 1, -1 do
    bytes[i] = char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(bytes)
end

local function little(value, size)
  return big(value, size):reverse()
end

--- How `dimensions` is handed a file; counts its reads.
local function reader(bytes)
  local self = { reads = 0, most = 0 }
  function self.read(at, n)
    self.reads, self.most = self.reads + 1, math.max(self.most, n)
    return bytes:sub(at + 1, at + n)
  end
  return self
end

local function size_of(bytes, kind)
  local width, height = magic.dimensions(kind or magic.kind(bytes), reader(bytes).read)
  return width and ("%dx%d"):format(width, height)
end

local function png(width, height)
  return "\137PNG\r\n\26\n\0\0\0\rIHDR" .. big(width, 4) .. big(height, 4) .. "\8\2\0\0\0crc4IDAT"
end

local function gif(width, height)
  return "GIF89a" .. little(width, 2) .. little(height, 2) .. "\247\0\0"
end

local function riff(chunk)
  return "RIFF" .. little(#chunk + 4, 4) .. "WEBP" .. chunk
end

local function vp8(width, height)
  return riff("VP8 \30\0\0\0\208\1\0\157\1\42" .. little(width, 2) .. little(height, 2) .. ("x"):rep(20))
end

local function vp8l(width, height)
  return riff("VP8L\30\0\0\0\47" .. little(width - 1 + (height - 1) * 16384, 4) .. ("x"):rep(20))
end

local function vp8x(width, height)
  return riff("VP8X\10\0\0\0\16\0\0\0" .. little(width - 1, 3) .. little(height - 1, 3) .. "ANIM")
end

local function segment(marker, payload)
  return "\255" .. char(marker) .. big(#payload + 2, 2) .. payload
end

local function frame(width, height, marker)
  return segment(marker or 192, "\8" .. big(height, 2) .. big(width, 2) .. "\3\1\34\0\2\17\1\3\17\1")
end

local function jpeg(...)
  return "\255\216" .. table.concat { ... } .. segment(218, "\3\1\0\2\17\3\17\0\63\0") .. "scan\255\0data\255\217"
end

local JFIF = segment(224, "JFIF\0\1\1\0\0\1\0\1\0\0")

local function ftyp(brand)
  return "\0\0\0\24ftyp" .. brand .. "\0\0\0\0mif1miaf"
end

--- What each start of a file is.
local KINDS = {
  { png(1, 1), "image/png" },
  { jpeg(JFIF, frame(1, 1)), "image/jpeg" },
  { gif(1, 1), "image/gif" },
  { "GIF87a\1\0\1\0", "image/gif" },
  { vp8(1, 1), "image/webp" },
  { "BM" .. little(1000, 4) .. "\0\0\0\0\54\0\0\0\40\0\0\0", "image/bmp" },
  { "II*\0\8\0\0\0", "image/tiff" },
  { "MM\0*\0\0\0\8", "image/tiff" },
  { "\0\0\1\0\2\0\32\32\0\0\1\0\32\0", "image/vnd.microsoft.icon" },
  { ftyp "avif", "image/avif" },
  { ftyp "heic", "image/heic" },
  { ftyp "isom", "video/mp4" },
  { ftyp "mp42", "video/mp4" },
  { ftyp "qt  ", "video/quicktime" },
  { ftyp "M4A ", "audio/mp4" },
  { "%PDF-1.7\n", "application/pdf" },
  { "\127ELF\2\1\1\0", "application/x-elf" },
  { "\207\250\237\254\7\0\0\1", "application/x-mach-binary" },
  { "\202\254\186\190\0\0\0\2", "application/x-mach-binary" },
  { "\202\254\186\190\0\0\0\52", "application/java-vm" },
  { "\202\254\186\190\0\3\0\45", "application/java-vm" },
  {
    "MZ" .. ("\0"):rep(58) .. "\128\0\0\0" .. ("\0"):rep(64) .. "PE\0\0",
    "application/vnd.microsoft.portable-executable",
  },
  { "MZ\144\0\3\0\0\0", "application/x-dosexec" },
  { "\0asm\1\0\0\0", "application/wasm" },
  { "\27Lua\84\0", "application/x-lua-bytecode" },
  { "\203\13\r\n\0\0\0\0\1\2\3\4", "application/x-python-bytecode" },
  { "\222\18\4\149\0\0\0\0", "application/x-gettext-translation" },
  { "dex\n035\0", "application/vnd.android.dex" },
  { "PK\3\4\20\0", "application/zip" },
  { "PK\5\6" .. ("\0"):rep(18), "application/zip" },
  { "\31\139\8\0", "application/gzip" },
  { "\253" .. "7zXZ\0", "application/x-xz" },
  { "(\181/\253\36", "application/zstd" },
  { "BZh91AY&SY", "application/x-bzip2" },
  { "BZh9\23rE8P\144", "application/x-bzip2" },
  { "7z\188\175\39\28\0\4", "application/x-7z-compressed" },
  { "Rar!\26\7\1\0", "application/vnd.rar" },
  { ("a"):rep(257) .. "ustar\0" .. "00", "application/x-tar" },
  { "SQLite format 3\0\16\0", "application/vnd.sqlite3" },
  { "ID3\4\0\0\0\0\0\35", "audio/mpeg" },
  { "\255\251\144\0", "audio/mpeg" },
  { "OggS\0\2", "audio/ogg" },
  { "fLaC\0\0\0\34", "audio/flac" },
  { "RIFF\36\0\0\0WAVEfmt ", "audio/wav" },
  { "RIFF\36\0\0\0AVI LIST", "video/x-msvideo" },
  { "\26\69\223\163\1\0\0\0\0\0\0\31\66\134\129\1\66\130\132webm", "video/webm" },
  { "\26\69\223\163\163\66\134\129\1\66\130\136matroska", "video/x-matroska" },
  { "\0\1\0\0\0\18\1\0\0\4", "font/ttf" },
  { "OTTO\0\11\0\128", "font/otf" },
  { "wOFF\0\1\0\0", "font/woff" },
  { "wOF2OTTO", "font/woff2" },
}

--- Texts that begin like something else.
local TEXTS = {
  "",
  "\n",
  "B",
  "BM",
  "BMW is a car maker, and this goes on for a while",
  "MZ is a name, not a program, and goes on\n",
  "ID3 tags are no files",
  "BZh9 is how it starts",
  "PK is a name",
  "RIFF and RAFF WEBP",
  "RIFF12",
  "FORM a line",
  "GIF",
  "%PDF",
  "OTTO is a name",
  "true\n",
  "wOFF it goes",
  "fLaC",
  "OggS here",
  "II*",
  "dex\n03 is a line",
  "\239\187\191with a mark",
  "\255\254l\0e\0",
  "\254\255\0l\0e",
  "true or false",
  "7z x file",
  "Rar!",
  "(zstd)",
  '<svg xmlns="http://www.w3.org/2000/svg"/>',
  "#!/bin/sh\n",
  "abcdftypisom is a line",
  "\r\n",
  "a\r\nb\r\n",
  "\195\169t\195\169",
  ("a"):rep(257) .. "ustarts here",
  "8BPS is no picture",
  "\0\0\0\0",
  "\0",
  "\202\254\186\190",
  "\255",
  "\255\251",
}

describe("magic.kind", function()
  it("knows a file by its first bytes", function()
    for _, case in ipairs(KINDS) do
      local start = ("%q"):format(case[1]:sub(1, 16))
      assert.equal(case[2] .. " " .. start, tostring(magic.kind(case[1])) .. " " .. start)
      assert.equal(case[2], magic.kind(case[1] .. ("\0\255rest"):rep(50)))
    end
  end)

  it("has none for text and for too little", function()
    for _, text in ipairs(TEXTS) do
      assert.equal("nil: " .. text, tostring(magic.kind(text)) .. ": " .. text)
    end
  end)

  it("takes no text of letters for anything, however it begins", function()
    random.each(3000, function()
      local text = random.join({ "B", "M", "Z", "I", "D", "3", "P", "K", "R", "F", "7", "z", " ", "\n", "t" }, 40)
      random.must(magic.kind(text) == nil, "%s is %s", text, magic.kind(text))
    end)
  end)

  it("tells images from the rest", function()
    for _, kind in ipairs { "image/png", "image/webp", "image/heic", "image/vnd.microsoft.icon" } do
      assert.is_true(magic.is_image(kind))
    end
    for _, kind in ipairs { "application/pdf", "video/mp4", "application/octet-stream", "x-image/png" } do
      assert.is_false(magic.is_image(kind))
    end
    assert.is_false(magic.is_image(nil))
  end)
end)

describe("magic.dimensions", function()
  it("are in the header of a PNG", function()
    assert.equal("1x2", size_of(png(1, 2)))
    assert.equal("70000x16777217", size_of(png(70000, 16777217)))
    assert.is_nil(size_of(png(0, 5)))
    assert.is_nil(size_of((png(3, 4):gsub("IHDR", "CgBI"))))
  end)

  it("are in the header of a GIF", function()
    assert.equal("1x2", size_of(gif(1, 2)))
    assert.equal("65535x258", size_of(gif(65535, 258)))
    assert.is_nil(size_of(gif(0, 0)))
  end)

  it("are found in each kind of WebP", function()
    assert.equal("550x368", size_of(vp8(550, 368)))
    assert.equal("16383x1", size_of(vp8(16383 + 16384, 1 + 49152))) -- the upper two bits scale
    assert.equal("386x395", size_of(vp8l(386, 395)))
    assert.equal("16384x16384", size_of(vp8l(16384, 16384)))
    assert.equal("1x1", size_of(vp8l(1, 1)))
    assert.equal("16777216x65537", size_of(vp8x(16777216, 65537)))
    assert.is_nil(size_of(riff "VP9 \10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"))
    assert.is_nil(size_of((vp8(1, 1):gsub("\157\1\42", "\157\1\43"))))
    assert.is_nil(size_of((vp8l(1, 1):gsub("\47", "\48"))))
  end)

  it("are in the frame of a JPEG, whatever its coding", function()
    assert.equal("640x480", size_of(jpeg(JFIF, frame(640, 480))))
    for _, marker in ipairs { 192, 193, 194, 195, 197, 198, 199, 201, 202, 203, 205, 206, 207 } do
      assert.equal("7x65535", size_of(jpeg(frame(7, 65535, marker))))
    end
  end)

  it("are not in the other segments of a JPEG with such numbers", function()
    for _, marker in ipairs { 196, 200, 204, 219, 221, 254 } do
      assert.equal("5x6", size_of(jpeg(frame(1, 2, marker), frame(5, 6))))
    end
  end)

  it("of a JPEG are found after all its metadata, in a few reads", function()
    local exif = segment(225, "Exif\0\0" .. frame(11, 12):rep(3000))
    assert.is_true(#exif > 50000)
    local parts = { JFIF }
    for i = 2, 200 do
      parts[i] = exif
    end
    parts[#parts + 1] = frame(1024, 768, 194)
    local file = reader(jpeg((table.unpack or unpack)(parts)))
    local width, height = magic.dimensions("image/jpeg", file.read)
    assert.same({ 1024, 768 }, { width, height })
    assert.is_true(file.reads <= 2 * #parts, file.reads .. " reads")
    assert.is_true(file.most <= 64)
  end)

  it("of a JPEG are found after filling, strays and markers that stand alone", function()
    assert.equal("5x6", size_of(jpeg(("\255"):rep(200), frame(5, 6))))
    assert.equal("5x6", size_of(jpeg(JFIF, ("\0"):rep(1000), frame(5, 6))))
    assert.equal("5x6", size_of(jpeg("\255\1\255\208", frame(5, 6))))
    for n = 0, 130 do -- wherever a window ends
      assert.equal("5x6", size_of(jpeg(("x"):rep(n), frame(5, 6)), "image/jpeg"))
    end
  end)

  it("of a JPEG are not looked for after a scan or the end", function()
    assert.is_nil(size_of("\255\216" .. segment(218, "\0") .. frame(5, 6), "image/jpeg"))
    assert.is_nil(size_of("\255\216\255\217" .. frame(5, 6), "image/jpeg"))
    assert.is_nil(size_of(jpeg(frame(5, 0)))) -- it follows the scan
  end)

  it("of a JPEG without end are given up", function()
    local reads = 0
    local function forever(pattern)
      return function(_, n)
        reads = reads + 1
        return pattern:rep(n):sub(1, n)
      end
    end
    for _, pattern in ipairs { "\255", "\0", "\255\1", "\255\0", "\255\224\0\2", "x" } do
      reads = 0
      assert.is_nil((magic.dimensions("image/jpeg", forever(pattern))))
      assert.is_true(reads <= 2000, reads .. " reads")
    end
    assert.is_nil(size_of("\255\216" .. "\255\224\0\0" .. frame(5, 6), "image/jpeg"))
    assert.is_nil(size_of("\255\216" .. "\255\224\0\1" .. frame(5, 6), "image/jpeg"))
  end)

  it("are nil for other kinds, and where nothing can be read", function()
    assert.is_nil(size_of(png(1, 1), "image/bmp"))
    assert.is_nil(size_of(png(1, 1), "application/pdf"))
    assert.is_nil((magic.dimensions(nil, reader(png(1, 1)).read)))
    for _, kind in ipairs { "image/png", "image/jpeg", "image/gif", "image/webp" } do
      assert.is_nil(size_of("", kind))
      assert.is_nil((magic.dimensions(kind, function() end)))
    end
  end)

  it("are integers", function()
    for _, bytes in ipairs { png(3, 4), gif(3, 4), vp8(3, 4), vp8l(3, 4), vp8x(3, 4), jpeg(frame(3, 4)) } do
      local width, height = magic.dimensions(magic.kind(bytes), reader(bytes).read)
      assert.equal("3 4", ("%s %s"):format(width, height))
    end
  end)
end)

describe("magic", function()
  local IMAGES = { png(3, 4), gif(3, 4), vp8(3, 4), vp8l(3, 4), vp8x(3, 4), jpeg(JFIF, frame(3, 4)) }
  local IMAGE_KINDS = { "image/png", "image/gif", "image/webp", "image/jpeg" }

  --- Any bytes give a kind or none, a size or none, in bounded work.
  local function holds(bytes)
    local kind = magic.kind(bytes)
    random.must(kind == nil or type(kind) == "string", "%s is %s", bytes, kind)
    for _, image in ipairs(IMAGE_KINDS) do
      local file = reader(bytes)
      local width, height = magic.dimensions(image, file.read)
      random.must((width == nil) == (height == nil), "%s: %s x %s", bytes, width, height)
      random.must(width == nil or (width > 0 and height > 0 and width == math.floor(width)), "%s: %s", bytes, width)
      random.must(file.reads <= 2000, "%s takes %s reads", bytes, file.reads)
    end
  end

  it("survives a file cut short anywhere", function()
    for _, bytes in ipairs(IMAGES) do
      for n = 0, #bytes do
        holds(bytes:sub(1, n))
      end
    end
    for _, case in ipairs(KINDS) do
      for n = 0, math.min(#case[1], 64) do
        holds(case[1]:sub(1, n))
      end
    end
  end)

  it("survives any changed byte", function()
    random.each(2000, function()
      local bytes = random.chance(3) and random.choose(KINDS)[1] or random.choose(IMAGES)
      for _ = 1, random.between(1, 4) do
        local at = random.between(1, #bytes)
        local with = random.chance(2) and random.bytes(1) or random.choose { "\255", "\0", "\255\192", "" }
        bytes = bytes:sub(1, at - 1) .. with .. bytes:sub(at + 1)
        if bytes == "" then bytes = "\255" end
      end
      holds(bytes)
    end)
  end)

  it("survives noise", function()
    random.each(500, function()
      holds(random.choose { "", "\255\216", "RIFF\0\0\0\0WEBP", "GIF89a", "\0" } .. random.bytes(random.below(300)))
    end)
  end)
end)
