--- URLs of http and https, read strictly: a URL that two programs might read differently is refused, so that the very
--- host that was checked is asked.

local address = require "abridge.web.address"

local M = {}

---@class abridge.Url
---@field scheme "http"|"https"
---@field host string a name in lower case, an IPv4 address as four decimal numbers, or an IPv6 address without brackets
---@field address? integer[] the bytes of the host that is an address
---@field port integer
---@field target string path and query, percent-encoded; it starts with "/"
local Url = {}
Url.__index = Url
Url.__name = "abridge.Url"

M.max_bytes = 8192

local PORTS = { http = 80, https = 443 }

local function percent_encoded(text, set)
  return (text:gsub(set, function(c)
    return ("%%%02X"):format(c:byte())
  end))
end

--- A path without its "." and ".." segments (RFC 3986, 5.2.4).
local function without_dots(path)
  local segments = {}
  local last
  for segment in path:gmatch "/([^/]*)" do
    last = segment
    if segment == ".." then
      table.remove(segments)
    elseif segment ~= "." then
      segments[#segments + 1] = segment
    end
  end
  if last == "." or last == ".." then segments[#segments + 1] = "" end
  return "/" .. table.concat(segments, "/")
end

--- Path and query as they are sent: no fragment, no dots, nothing outside the chars of URLs.
local function target_of(text)
  text = text:gsub("#.*$", "")
  local path, query = text:match "^([^?]*)(.*)$"
  return percent_encoded(without_dots(path) .. query, '["<>^`{|}\127-\255]')
end

--- The host of a URL and its bytes if it is an address, or nil and the problem.
local function host_of(text)
  if text:find "[\128-\255]" then return nil, "url_ascii" end
  local ipv6 = text:match "^%[(.*)%]$"
  if ipv6 then
    local bytes = ipv6:find(":", 1, true) and address.parse(ipv6)
    if not bytes then return nil, "url_host" end
    return ipv6:lower(), bytes
  end
  local name = address.host_name(text)
  if name then return name end
  local bytes = address.parse_ipv4((text:gsub("%.$", "")))
  if not bytes then return nil, "url_host" end
  return address.format_ipv4(bytes), bytes
end

local function port_of(text, scheme)
  if text == "" or text == ":" then return PORTS[scheme] end
  local digits = text:match "^:(%d%d?%d?%d?%d?)$"
  local port = digits and tonumber(digits, 10)
  return port and port >= 1 and port <= 65535 and port or nil
end

--- The scheme of a text and what follows its colon, or nil and the problem.
local function scheme_of(text)
  local scheme, rest = text:match "^(%a[%w+.-]*):(.*)$"
  if not scheme or rest:find "^%d" then return nil, "url_start" end -- "host:8080" has no scheme
  scheme = scheme:lower()
  if not PORTS[scheme] then return nil, "ESCHEME", { scheme = scheme:sub(1, 40) } end
  if not rest:find "^//" then return nil, "url_start" end
  return scheme, rest
end

--- Read a URL.
---@param text string
---@return abridge.Url|nil url
---@return string|nil problem name of the notice on the problem
---@return table|nil values for it
function M.parse(text)
  if #text > M.max_bytes then return nil, "url_long", { count = M.max_bytes } end
  if text:find "[%z\1-\32\127\\]" then return nil, "url_chars" end
  local scheme, rest, values = scheme_of(text)
  if not scheme then return nil, rest, values end
  local authority, tail = rest:match "^//([^/?#]*)(.*)$"
  if authority:find("@", 1, true) then return nil, "url_user" end
  local host_text, port_text = authority:match "^(%[.-%])(.*)$"
  if not host_text then
    host_text, port_text = authority:match "^([^:]*)(.*)$"
  end
  local host, bytes = host_of(host_text)
  if not host then return nil, bytes end
  local port = port_of(port_text, scheme)
  if not port then return nil, "url_port" end
  local self = { scheme = scheme, host = host, address = bytes, port = port, target = target_of(tail) }
  return setmetatable(self, Url)
end

--- The URL in its one form: default ports left out, no fragment.
---@return string
function Url:text()
  local port = self.port ~= PORTS[self.scheme] and (":%d"):format(self.port) or ""
  local host = self.host:find(":", 1, true) and "[" .. self.host .. "]" or self.host
  return ("%s://%s%s%s"):format(self.scheme, host, port, self.target)
end

Url.__tostring = Url.text

--- The target of a redirect: a reference that may be relative to this URL (RFC 3986, 5.2). Blanks in it are encoded, as
--- servers send them.
---@param reference string
---@return abridge.Url|nil url
---@return string|nil problem
---@return table|nil values
function Url:follow(reference)
  reference = percent_encoded(((reference:match "^.*[^ \t]" or ""):gsub("^[ \t]+", ""):gsub("#.*$", "")), " ")
  local origin = self:text():sub(1, -#self.target - 1)
  local path = self.target:match "^[^?]*"
  local url, problem, values
  if reference:find "^%a[%w+.-]*:" then
    url, problem, values = M.parse(reference)
  elseif reference:find "^//" then
    url, problem, values = M.parse(self.scheme .. ":" .. reference)
  elseif reference:find "^/" then
    url, problem, values = M.parse(origin .. reference)
  elseif reference == "" then
    url = self
  elseif reference:find "^%?" then
    url, problem, values = M.parse(origin .. path .. reference)
  else
    url, problem, values = M.parse(origin .. path:match "^.*/" .. reference)
  end
  return url, problem, values
end

return M
