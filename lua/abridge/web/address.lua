--- Host names and addresses: how they are written, which addresses are private, and which of those a host allows.
---
--- An address is a list of 4 or 16 bytes. Any address not known to be public is private: of IPv6 only global unicast is
--- public, and an address that embeds an IPv4 address counts as that one.

local M = {}

-- IPv4 -------------------------------------------------------------------------

--- One number of an address: decimal, octal with a leading 0, hexadecimal with a leading 0x.
local function number_of(part)
  local hex = part:match "^0[xX](%x*)$"
  if hex then return hex == "" and 0 or #hex <= 12 and tonumber(hex, 16) or nil end
  if not part:find "^%d+$" or #part > 16 then return nil end
  if part:find "^0" then return tonumber(part, 8) end
  return tonumber(part, 10)
end

--- An IPv4 address in any notation that resolvers take: one to four numbers, the last of which fills the remaining
--- bytes (`127.1`, `2130706433`, `0x7f.0.0.1`, `017700000001`).
---@param text string
---@return integer[]|nil
function M.parse_ipv4(text)
  local numbers = {}
  for part in (text .. "."):gmatch "([^.]*)%." do
    local number = number_of(part)
    if not number or #numbers == 4 then return nil end
    numbers[#numbers + 1] = number
  end
  local last = table.remove(numbers)
  local bytes = {}
  for i, number in ipairs(numbers) do
    if number > 255 then return nil end
    bytes[i] = number
  end
  if not last or last >= 256 ^ (4 - #numbers) then return nil end
  for i = 4, #numbers + 1, -1 do
    bytes[i] = last % 256
    last = math.floor(last / 256)
  end
  return bytes
end

--- An IPv4 address in its usual notation.
---@param bytes integer[]
---@return string
function M.format_ipv4(bytes)
  return ("%d.%d.%d.%d"):format(bytes[1], bytes[2], bytes[3], bytes[4])
end

local function parse_dotted(text)
  local bytes = M.parse_ipv4(text)
  return bytes and M.format_ipv4(bytes) == text and bytes or nil
end

-- IPv6 -------------------------------------------------------------------------

--- Groups of four hexadecimal digits, as bytes; the last group may be a dotted IPv4 address.
local function groups_of(text, may_end_dotted)
  local bytes = {}
  if text == "" then return bytes end
  local groups = {}
  for group in (text .. ":"):gmatch "([^:]*):" do
    groups[#groups + 1] = group
  end
  for i, group in ipairs(groups) do
    local dotted = i == #groups and may_end_dotted and parse_dotted(group)
    if dotted then
      for _, byte in ipairs(dotted) do
        bytes[#bytes + 1] = byte
      end
    elseif group:find "^%x%x?%x?%x?$" then
      local number = tonumber(group, 16)
      bytes[#bytes + 1] = math.floor(number / 256)
      bytes[#bytes + 1] = number % 256
    else
      return nil
    end
  end
  return bytes
end

local function parse_ipv6(text)
  local left, right = text:match "^(.-)::(.*)$"
  local head = groups_of(left or text, not left)
  local tail = groups_of(right or "", true)
  if not head or not tail then return nil end
  local gap = 16 - #head - #tail
  if left and gap < 2 or not left and gap ~= 0 then return nil end
  for _ = 1, gap do
    head[#head + 1] = 0
  end
  for _, byte in ipairs(tail) do
    head[#head + 1] = byte
  end
  return head
end

--- An address in its usual notation: four decimal numbers, or IPv6 without brackets and zone.
---@param text string
---@return integer[]|nil bytes
function M.parse(text)
  if text:find(":", 1, true) then return parse_ipv6(text) end
  return parse_dotted(text)
end

-- blocks of addresses ------------------------------------------------------------

--- A block, `address/bits`; an address alone is a block of one.
---@param text string
---@return { bytes: integer[], bits: integer }|nil
local function parse_block(text)
  local address, bits = text:match "^([^/]*)/(%d%d?%d?)$"
  local bytes = M.parse(address or text:match "^%[(.*)%]$" or text)
  if not bytes then return nil end
  bits = tonumber(bits) or #bytes * 8
  if bits > #bytes * 8 then return nil end
  return { bytes = bytes, bits = bits }
end

local function is_inside(block, bytes)
  if #block.bytes ~= #bytes then return false end
  local whole = math.floor(block.bits / 8)
  for i = 1, whole do
    if block.bytes[i] ~= bytes[i] then return false end
  end
  local unit = 2 ^ (8 - block.bits % 8)
  return unit == 256 or math.floor(block.bytes[whole + 1] / unit) == math.floor(bytes[whole + 1] / unit)
end

local function is_in_any(blocks, bytes)
  for _, block in ipairs(blocks) do
    if is_inside(block, bytes) then return true end
  end
  return false
end

local function blocks_of(list)
  local blocks = {}
  for i, text in ipairs(list) do
    blocks[i] = assert(parse_block(text), text)
  end
  return blocks
end

-- private addresses ------------------------------------------------------------------

--- IPv4 blocks that are not public (IANA's registry of special-purpose addresses).
local PRIVATE = blocks_of {
  "0.0.0.0/8", -- this network
  "10.0.0.0/8",
  "100.64.0.0/10", -- behind a carrier's NAT
  "127.0.0.0/8", -- loopback
  "169.254.0.0/16", -- link-local, for metadata of clouds
  "172.16.0.0/12",
  "192.0.0.0/24", -- protocol assignments
  "192.0.2.0/24", -- documentation
  "192.88.99.0/24", -- 6to4 relays
  "192.168.0.0/16",
  "198.18.0.0/15", -- benchmarks
  "198.51.100.0/24", -- documentation
  "203.0.113.0/24", -- documentation
  "224.0.0.0/4", -- multicast
  "240.0.0.0/4", -- reserved, broadcast
}
local GLOBAL = blocks_of { "2000::/3" }
--- Blocks of global unicast that are not public.
local SPECIAL = blocks_of {
  "2001::/23", -- protocol assignments: Teredo, benchmarks, ORCHID
  "2001:db8::/32", -- documentation
  "3fff::/20", -- documentation
}
--- Blocks whose addresses embed an IPv4 address, and the byte before it.
local STANDS_FOR = {
  { block = parse_block "::ffff:0:0/96", at = 12 }, -- mapped
  { block = parse_block "64:ff9b::/96", at = 12 }, -- NAT64
  { block = parse_block "2002::/16", at = 2 }, -- 6to4
}

--- The IPv4 address that an IPv6 address embeds, or nil.
local function inner(bytes)
  for _, kind in ipairs(STANDS_FOR) do
    local at = kind.at
    if is_inside(kind.block, bytes) then return { bytes[at + 1], bytes[at + 2], bytes[at + 3], bytes[at + 4] } end
  end
end

--- Is an address anything but public?
---@param bytes integer[]
---@return boolean
function M.is_private(bytes)
  local ipv4 = #bytes == 4 and bytes or inner(bytes)
  if ipv4 then return is_in_any(PRIVATE, ipv4) end
  return not is_in_any(GLOBAL, bytes) or is_in_any(SPECIAL, bytes)
end

-- names ----------------------------------------------------------------------------

local MAX_NAME, MAX_LABEL = 253, 63 -- bytes (RFC 1035)

--- A host name in its form for comparing and looking up: lower case, without a final dot.
---@param text string
---@return string|nil name nil if it isn't one; a name cannot end in a number
function M.host_name(text)
  local name = text:lower():gsub("%.$", "")
  if name == "" or #name > MAX_NAME or name:find "[^%w._-]" or name:find "[\128-\255]" then return nil end
  local label
  for part in (name .. "."):gmatch "([^.]*)%." do
    if part == "" or #part > MAX_LABEL then return nil end
    label = part
  end
  if label:find "^%d+$" or label:find "^0x%x*$" then return nil end
  return name
end

-- allowed by a session --------------------------------------------------------------

---@class abridge.AllowedHosts Which private addresses may be reached.
---@field private all boolean
---@field private names table<string, true>
---@field private blocks table[]
local Allowed = {}
Allowed.__index = Allowed

--- Read a list of host names, addresses and blocks such as `10.0.0.0/8`.
---@param spec boolean|string[]|nil true: all of them
---@return abridge.AllowedHosts|nil allowed
---@return any wrong the first thing in the list that is none of these
---@return any key its key in the list
function M.allowed(spec)
  local self = setmetatable({ all = spec == true, names = {}, blocks = {} }, Allowed)
  for key, entry in next, type(spec) == "table" and spec or {} do
    local text = type(key) == "number" and type(entry) == "string" and entry or ""
    local block = parse_block(text)
    local name = not block and M.host_name(text)
    if block then
      self.blocks[#self.blocks + 1] = block
    elseif name then
      self.names[name] = true
    else
      return nil, entry, key
    end
  end
  return self
end

--- May a private address of this host be reached?
---@param host string as it is in the URL
---@param bytes integer[]
---@return boolean
function Allowed:has(host, bytes)
  if self.all or self.names[host] or is_in_any(self.blocks, bytes) then return true end
  local ipv4 = #bytes == 16 and inner(bytes)
  return ipv4 and is_in_any(self.blocks, ipv4) or false
end

return M
