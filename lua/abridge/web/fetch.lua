--- One fetch over http or https: from a URL along its redirects to a response, each hop by a curl of its own.
---
--- Before each hop the host is resolved here, every address it has is looked at, and curl is told these addresses
--- (`--resolve`), so that no second look-up can give another answer. curl follows no redirect, uses no proxy and reads
--- no configuration.

local host = require "abridge.base.host"
local process = require "abridge.process"
local address = require "abridge.web.address"

local M = {}

M.max_redirects = 5
M.max_head = 256 * 1024 -- bytes of the headers of a response, interim ones and trailers included

local GRACE = 0.5 -- seconds for curl, which has nothing to save
local MAX_EARLY = 4 * 1024 * 1024 -- bytes of a body that are held while its headers are on their way
local MESSAGE = 4096 -- bytes after the headers, searched for curl's own message
local REDIRECTS = { [301] = true, [302] = true, [303] = true, [307] = true, [308] = true }

--- Variables that would send curl through a proxy.
local NO_PROXIES = {}
for _, name in ipairs { "http_proxy", "https_proxy", "all_proxy", "no_proxy", "ftp_proxy", "socks_proxy" } do
  NO_PROXIES[name], NO_PROXIES[name:upper()] = false, false
end

---@class (exact) abridge.fetch.Options
---@field timeout number seconds for everything
---@field env? table<string, string|false> changes to curl's environment
---@field may_reach fun(host: string, bytes: integer[]): boolean asked for each private address
---@field user_agent string

---@class (exact) abridge.fetch.Head
---@field status integer
---@field reason string the server's words for it; may be empty
---@field headers table<string, string> by name in lower case; of several with one name the first
---@field repeated table<string, boolean> names that came more than once

---@class (exact) abridge.fetch.Handlers
---@field on_head fun(head: abridge.fetch.Head) of the last response; called once, before its body
---@field on_body fun(chunk: string): boolean|nil decoded; true: enough, curl is stopped
---@field on_end fun(outcome: abridge.fetch.Outcome) called once, handles closed

---@class (exact) abridge.fetch.Outcome
---@field problem? string name of the notice on the failure
---@field values? table for it
---@field complete boolean the whole body arrived
---@field raised? any the error of a handler
---@field url abridge.Url of the last hop
---@field redirects integer
---@field redirected_from? string the URL that redirected to the one that failed

---@class abridge.Fetch
local Fetch = {}
Fetch.__index = Fetch

-- heads --------------------------------------------------------------------------

local function parse_head(block)
  local status, reason = block:match "^HTTP/[%d.]+ +(%d%d%d) *([^\r\n]*)"
  if not status then return nil end
  local head = { status = tonumber(status), reason = reason, headers = {}, repeated = {} }
  for key, value in block:gmatch "\n([^%s:]+):[ \t]*([^\r\n]*)" do
    local name = key:lower()
    head.repeated[name] = head.headers[name] ~= nil or nil
    head.headers[name] = head.headers[name] or value:match "^.*[^ \t]" or ""
  end
  return head
end

-- the course of a fetch -------------------------------------------------------------

--- End the fetch; only the first call counts.
function Fetch:finish(outcome)
  if self.ended then return end
  self.ended = true
  outcome.complete = outcome.complete or false
  outcome.url, outcome.redirects = self.url, self.redirects
  outcome.redirected_from = outcome.problem and self.came_from or nil
  self.handlers.on_end(outcome)
end

function Fetch:fail(problem, values)
  self:finish { problem = problem, values = values or {} }
end

--- Run a step from a callback of the loop, which must not raise.
function Fetch:step(name, ...)
  local ok, raised = pcall(self[name], self, ...)
  if not ok then self:finish { raised = raised } end
end

--- Milliseconds left.
function Fetch:left()
  return self.deadline - host.now()
end

function Fetch:hop()
  if self.aborted then return self:fail "aborted" end
  if self:left() <= 0 then return self:fail "fetch_timed_out" end
  self.head, self.location, self.enough, self.too_much = nil, nil, nil, nil
  self.dumped, self.dumped_bytes, self.said = {}, 0, ""
  self.early, self.early_bytes = {}, 0
  if self.url.address then
    if self:may_go_on { self.url.host } then self:run() end
  else
    self:resolve()
  end
end

--- Look up the host, for as long as there is time.
function Fetch:resolve()
  local uv, settled, cancel_timer = host.uv(), false, nil
  local function settle(why, found)
    if settled then return end
    settled = true
    self.stop = nil
    cancel_timer()
    host.next_turn(function()
      self:step("resolved", why, found)
    end)
  end
  cancel_timer = host.after(self:left(), function()
    settle "timeout"
  end)
  local request, message = uv.getaddrinfo(self.url.host, nil, { socktype = "stream" }, function(err, found)
    settle(err, found)
  end)
  if not request then return settle(message) end
  self.stop = function()
    pcall(uv.cancel, request) -- one that has started runs on, and its result is ignored
    settle "cancelled"
  end
end

function Fetch:resolved(why, found)
  if self.aborted then return self:fail "aborted" end
  if why == "timeout" then return self:fail "fetch_timed_out" end
  if type(found) ~= "table" or #found == 0 then
    return self:fail("EDNS", { host = self.url.host, what = why and tostring(why) or "ENOENT" })
  end
  local addresses, seen = {}, {}
  for _, entry in ipairs(found) do
    if not seen[entry.addr] then addresses[#addresses + 1] = entry.addr end
    seen[entry.addr] = true
  end
  if self:may_go_on(addresses) then self:run(addresses) end
end

--- May all these addresses of the host be reached? If not, the fetch ends.
function Fetch:may_go_on(addresses)
  local name = self.url.host
  for _, text in ipairs(addresses) do
    local bytes = address.parse(text) -- one with a zone is no such address, and private
    if not bytes or (address.is_private(bytes) and not self.opts.may_reach(name, bytes)) then
      self:fail(text == name and "private_address" or "private_host", { address = text, host = name })
      return false
    end
  end
  return true
end

-- curl --------------------------------------------------------------------------------

--- The hosts that curl need not look up: this one, under any name that curl may turn it into.
local function pins(url, addresses)
  local shown = {}
  for i, text in ipairs(addresses) do
    shown[i] = text:find(":", 1, true) and "[" .. text .. "]" or text
  end
  local at = (":%d:%s"):format(url.port, table.concat(shown, ","))
  return { "--resolve", url.host .. at, "--resolve", "*" .. at }
end

local function arguments(url, addresses, opts, seconds)
  local argv = {
    "curl",
    "-q", -- first, or .curlrc is read
    "--silent",
    "--show-error",
    "--globoff",
    "--no-buffer", -- the part that arrived shows even when curl is stopped
    "--proto",
    "=http,https",
    "--noproxy",
    "*",
    "--no-location",
    "--compressed",
    "--max-time",
    ("%d"):format(math.ceil(math.min(seconds, 1e6)) + 1), -- for a curl whose host is gone; ours comes first
    "--user-agent",
    opts.user_agent,
    "--dump-header",
    "/dev/stderr", -- apart from the body, whatever the body looks like
  }
  for _, word in ipairs(addresses and pins(url, addresses) or {}) do
    argv[#argv + 1] = word
  end
  argv[#argv + 1] = "--"
  argv[#argv + 1] = url:text()
  return argv
end

local function environment(changes)
  local env = {}
  for name, value in pairs(changes or {}) do
    env[name] = value
  end
  for name, value in pairs(NO_PROXIES) do
    env[name] = value
  end
  return env
end

function Fetch:run(addresses)
  local seconds = self:left() / 1000
  if seconds <= 0 then return self:fail "fetch_timed_out" end
  local child, message, code = process.spawn(arguments(self.url, addresses, self.opts, seconds), {
    env = environment(self.opts.env),
    merge_stderr = false,
    timeout = seconds,
    grace = GRACE,
  }, {
    on_output = function(chunk)
      self:hear("body", chunk)
    end,
    on_stderr = function(chunk)
      self:hear("dump", chunk)
    end,
    on_exit = function(outcome)
      self.stop = nil
      self:step("exited", outcome)
    end,
  })
  if not child then return self:fail(code == "ENOENT" and "ENOCURL" or "cannot_run_curl", { what = message }) end
  self.stop = function()
    child:cancel()
  end
end

--- Run a handler of curl's pipes. An error stops curl, and is passed on at the end.
function Fetch:hear(name, chunk)
  local ok, raised = pcall(self[name], self, chunk)
  if not ok and not self.failed then
    self.failed, self.raised = true, raised
    self.stop()
  end
end

--- The response is too large: read no more of it.
function Fetch:refuse()
  self.too_much, self.dumped, self.early = true, {}, {}
  self.stop()
end

--- Headers come line by line; while the head is incomplete only the new part is looked at.
function Fetch:dump(chunk)
  if self.too_much then return end
  if self.head then
    self.said = (self.said .. chunk):sub(-MESSAGE) -- trailers, then curl's messages
    return
  end
  local seam = (self.dumped[#self.dumped] or ""):sub(-2)
  self.dumped[#self.dumped + 1] = chunk
  self.dumped_bytes = self.dumped_bytes + #chunk
  if self.dumped_bytes > M.max_head then return self:refuse() end
  if not (seam .. chunk):find "\n\r?\n" then return end

  local text, at = table.concat(self.dumped), 1
  for stop in text:gmatch "\n\r?\n()" do
    local head = parse_head(text:sub(at, stop - 1))
    if not head then self.said = (self.said .. text:sub(at, stop - 1)):sub(-MESSAGE) end
    at = stop
    if head and head.status >= 200 then
      self.said = text:sub(at):sub(-MESSAGE)
      return self:headed(head)
    end
  end
  self.dumped = { text:sub(at) }
end

--- The head of the response has arrived; parts of its body may have come first.
function Fetch:headed(head)
  self.head, self.dumped = head, {}
  self.location = REDIRECTS[head.status] and head.headers.location
  if self.location then return self.stop() end
  self.handlers.on_head(head)
  local early = self.early
  self.early = {}
  for _, chunk in ipairs(early) do
    self:body(chunk)
  end
end

--- A part of the body. curl writes the head first, but to another pipe: bytes read before the head are held back.
function Fetch:body(chunk)
  if self.location or self.too_much or self.enough then return end
  if not self.head then
    self.early[#self.early + 1] = chunk
    self.early_bytes = self.early_bytes + #chunk
    if self.early_bytes > MAX_EARLY then self:refuse() end
  elseif self.handlers.on_body(chunk) then
    self.enough = true
    self.stop()
  end
end

--- curl's own message.
local function message_in(said)
  local message
  for line in said:gmatch "curl: %(%d+%) ([^\r\n]+)" do
    message = line
  end
  return message and message:gsub("[%z\1-\31\127]", "?")
end

local TIMED_OUT = 28 -- curl's exit code

--- The name of the notice on the failure.
local function trouble(outcome, said)
  if outcome.timed_out or outcome.code == TIMED_OUT then return "fetch_timed_out" end
  local message = message_in(said) or outcome.error
  if message then return "ECURL", { what = message } end
  if outcome.signal then return "curl_killed", { signal = outcome.signal } end
  return "no_response", { code = outcome.code }
end

function Fetch:exited(outcome)
  if self.failed then return self:finish { raised = self.raised } end
  if self.aborted then return self:fail "aborted" end
  if self.too_much then return self:fail("head_too_big", { url = self.url:text() }) end
  if self.location then return self:redirect() end
  if self.enough then return self:finish {} end
  local whole = outcome.code == 0 and not outcome.timed_out and not outcome.error
  if whole and self.head then return self:finish { complete = true } end
  local problem, values = trouble(outcome, self.said .. table.concat(self.dumped))
  values = values or {}
  values.url = self.url:text()
  self:fail(problem, values)
end

function Fetch:redirect()
  if self.redirects == M.max_redirects then return self:fail("EREDIRECTS", { count = M.max_redirects }) end
  self.redirects = self.redirects + 1
  self.came_from = self.url:text()
  local url, problem, values = self.url:follow(self.location)
  if not url then return self:fail(problem, values) end
  self.url = url
  self:hop()
end

--- Start a fetch; needs luv. Everything else goes to the handlers, which inside Neovim run in its main loop.
---@param url abridge.Url
---@param opts abridge.fetch.Options
---@param handlers abridge.fetch.Handlers
---@return fun() abort the end comes through `on_end`
function M.start(url, opts, handlers)
  local self = setmetatable({
    url = url,
    opts = opts,
    handlers = handlers,
    redirects = 0,
    deadline = host.now() + opts.timeout * 1000,
  }, Fetch)
  self:step "hop"
  return function()
    self.aborted = true
    if self.stop then self.stop() end
  end
end

return M
