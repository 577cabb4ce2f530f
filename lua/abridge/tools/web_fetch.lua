--- web_fetch: the body of a response over http or https, a page of bytes at a time.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local ledger = require "abridge.base.ledger"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local results = require "abridge.output.results"
local sentences = require "abridge.output.sentences"
local programs = require "abridge.process.programs"
local bodies = require "abridge.web.body"
local fetch = require "abridge.web.fetch"
local urls = require "abridge.web.url"

local M = {
  name = "web_fetch",
  description = "Fetch a URL over http or https and return the body of the response as it is. "
    .. "Use offset to start at a byte of the body.",
  input_schema = {
    type = "object",
    properties = {
      url = { type = "string", description = "The URL, with http:// or https://" },
      offset = { type = "integer", minimum = 1, description = "Number of the first byte to return (from 1)" },
    },
    required = { "url" },
  },
}

local REASON_BYTES = 60 -- of the server's words for a status
local TYPE_BYTES = 200 -- of a content type

--- Types whose bodies are not text, even if their first bytes look so.
local BINARY = {
  "^image/",
  "^audio/",
  "^video/",
  "^font/",
  "^application/pdf$",
  "^application/zip$",
  "^application/gzip$",
}
local TEXT = { ["image/svg+xml"] = true }

--- Error codes of sentences whose name is not the code.
local CODES = {
  private_host = "EPRIVATE",
  private_address = "EPRIVATE",
  fetch_timed_out = "ETIMEDOUT",
  curl_killed = "ECURL",
  no_response = "ECURL",
  head_too_big = "ECURL",
  cannot_run_curl = "ECURL",
}

---@return true|nil ready
---@return string|nil message what is missing
function M.ready()
  local uv, message = host.uv()
  if not uv then return nil, message end
  if programs.find "curl" then return true end
  return nil, sentences.message("ENOCURL", {})
end

-- headers of a response -----------------------------------------------------

local function printable(text, max_bytes)
  return text:sub(1, max_bytes):gsub("[^\32-\126]", "?")
end

--- The announced size of the body, if it is that of the bytes we get.
local function announced(head)
  local headers = head.headers
  local encoding = headers["content-encoding"]
  if headers["transfer-encoding"] or head.repeated["content-length"] then return nil end
  if encoding and encoding ~= "" and encoding:lower() ~= "identity" then return nil end
  local size = (headers["content-length"] or ""):match "^%d+$"
  return size and #size <= 15 and tonumber(size) or nil
end

local function media_type(head)
  return ((head.headers["content-type"] or ""):match "^[^;%s,]*"):lower()
end

local function is_binary_type(kind)
  if TEXT[kind] then return false end
  for _, pattern in ipairs(BINARY) do
    if kind:find(pattern) then return true end
  end
  return false
end

local function is_success(head)
  return head.status >= 200 and head.status < 300
end

local function status_line(head)
  local reason = head.reason
  local plain = reason ~= "" and #reason <= REASON_BYTES and not reason:find "[^\32-\126]"
  return sentences.message(plain and "http_status_reason" or "http_status", { status = head.status, reason = reason })
end

-- results --------------------------------------------------------------------------------

--- Sentences about a URL, which mention a redirect that led to it.
local ABOUT_URL = { private_host = true, private_address = true, ESCHEME = true, EDNS = true }

local function encoded(char)
  return ("%%%02X"):format(char:byte())
end

--- A URL as it may be shown: redacted both as it is and decoded, since our own encoding may hide a secret.
local function shown_url(text, ctx)
  local shown, plain =
    ctx.redacted(text), text:gsub("%%(%x%x)", function(digits)
      return string.char(tonumber(digits, 16))
    end)
  local hidden = ctx.redacted(plain)
  if hidden == plain then return shown end
  return ctx.redacted((hidden:gsub("[^\33-\126]", encoded):gsub('["<>^`{|}\\]', encoded)))
end

--- The failure, in words.
local function explain(outcome, ctx)
  local values = outcome.values
  values.name = ctx.tool
  values.seconds = ("%.14g"):format(ctx.timeout)
  values.url = values.url and shown_url(values.url, ctx)
  local problem = outcome.problem
  local what = sentences.message(problem, values)
  local is_about_url = ABOUT_URL[problem] or problem:find "^url_"
  if not (outcome.redirected_from and is_about_url) then return what end
  return sentences.message("redirected", { what = what, url = shown_url(outcome.redirected_from, ctx) })
end

local function code_of(problem)
  if problem == "aborted" then return nil end
  return CODES[problem] or (problem:find "^url_" and "EURL") or problem
end

--- The details of a fetch for the host.
local function details_of(outcome, head, ctx)
  local problem = outcome.problem
  local kind = head and head.headers["content-type"]
  return {
    url = outcome.url and shown_url(outcome.url:text(), ctx),
    redirects = outcome.redirects,
    status = head and head.status,
    content_type = kind and ctx.redacted((printable(kind, TYPE_BYTES))) or nil,
    cancelled = problem == "aborted" or nil,
    timed_out = problem == "fetch_timed_out" or nil,
    error_code = problem and code_of(problem) or (head and not is_success(head) and "EHTTP") or nil,
  }
end

local function failure(outcome, head, ctx)
  return { text = explain(outcome, ctx), is_error = true, details = details_of(outcome, head, ctx) }
end

--- A fetch and its outcome: the state shared by the steps that make a result.
---@class abridge.WebPage
---@field ctx table
---@field offset integer
---@field body abridge.Body
---@field redacts boolean
---@field limits abridge.Limits
---@field from_start boolean a page is the start of what is left
---@field resumes boolean the next page can follow
---@field binary? boolean its type says so
---@field pointless? boolean the body is not needed
---@field head? abridge.fetch.Head
---@field total? integer size of the body, if it is known
local Page = {}
Page.__index = Page

local function describe_binary(page, details)
  local kind = media_type(page.head)
  if kind == "" or not kind:find "^[%w.+/-]+$" then kind = "application/octet-stream" end
  kind = kind:sub(1, TYPE_BYTES)
  details.binary, details.media_type, details.size = true, kind, page.total
  local name = page.total and "binary_body" or "binary_body_unknown"
  return { text = sentences.message(name, { kind = kind, size = page.total and core.format_size(page.total) }) }
end

--- Bytes outside UTF-8 in the part of a text that a cut kept.
local function invalid_in(text, cut)
  local count = 0
  for _, range in ipairs(cut.kept) do
    local _, invalid = core.count_chars(text:sub(range.first_byte, range.last_byte))
    count = count + invalid
  end
  return count > 0 and count or nil
end

--- Move the ledger of a cut of the kept bytes to offsets in the whole body. If the body was not fetched to its end, the
--- totals are the known ones: its announced size, or the size that arrived.
function Page:adjust(text, data, details)
  return function(cut)
    details.invalid_bytes = invalid_in(text, cut)
    ledger.shift(cut, self.offset - 1, self.body.lines)
    cut.total_bytes = self.total or self.offset - 1 + #text
    cut.total_lines = self.body.lines + core.count_lines(text)
    cut.omitted_bytes = cut.total_bytes - cut.output_bytes
    cut.omitted_lines = cut.total_lines - cut.output_lines
    if self.offset > 1 then
      cut.total_chars, cut.chars_before = nil, nil
    end
    local first = cut.kept[1]
    local goes_on = cut.truncated and self.resumes and first and first.first_byte == self.offset
    cut.next_offset = goes_on and first.last_byte + 1 or nil
    data.next, data.no_resume = cut.next_offset, not goes_on or nil
  end
end

function Page:block(complete)
  local ctx = self.ctx
  return function(cut, body)
    if not cut.truncated and not self.body.over then
      -- for a body that broke off, or a page in the middle, the size is given only if it is known
      return info.not_truncated(#body, complete and (self.offset == 1 and #body or self.total) or false)
    end
    local reason = cut.truncated and results.reason(cut, ctx.limits) or "size_cap"
    if not cut.next_offset then return info.without_resume(#body, self.total, reason) end
    local hint = sentences.resume_hint(ctx.tool, cut.next_offset)
    return info.with_resume(#body, self.total, cut.next_offset, hint, reason)
  end
end

--- The part of the body from the offset on: the dispatcher cuts it.
function Page:value(text, outcome, details)
  local data = { unknown_total = not self.total or nil }
  if self.body.over and not self.from_start then data.fetched = self.body.capacity end
  return {
    text = text,
    redacted = true,
    limits = self.limits,
    adjust = self:adjust(text, data, details),
    notice = data,
    block = self:block(outcome.complete),
    empty = outcome.complete and sentences.message("empty_body", {}) or nil,
    bytes_before = self.offset - 1,
    unsaved = self.resumes or not outcome.complete or self.offset > 1,
    details = details,
  }
end

--- A body of JSON is cut as such: it still parses, so no page of bytes follows it.
function Page:json_value(text, details)
  return {
    text = text,
    redacted = true,
    limits = limit.copy(self.ctx.limits, { strategy = "auto", kind = "json" }),
    details = details,
  }
end

--- The result of a fetch that has ended.
function Page:result(outcome)
  local ctx, head = self.ctx, self.head
  if not head then return failure(outcome, nil, ctx) end
  local details = details_of(outcome, head, ctx)
  local json = outcome.complete and self.body:json() or nil
  local text = json or self.body:text()
  if self.body.over then outcome.complete = false end -- it was all fetched to see whether it is JSON
  local seen = self.body.before + #text
  if outcome.complete then
    self.total = seen
  elseif not outcome.problem and not self.redacts then
    self.total = announced(head)
  end

  local value
  if self.binary or self.body:has_nul() then
    value = describe_binary(self, details)
  elseif outcome.problem and text == "" then
    return failure(outcome, head, ctx)
  elseif self.total and self.offset > math.max(self.total, 1) then
    value = { text = sentences.message("fetch_offset", { offset = self.offset, total = self.total }), is_error = true }
    details.error_code = details.error_code or "EOFFSET"
  elseif json then
    value = self:json_value(text, details)
  else
    value = self:value(text, outcome, details)
  end
  value.details = details
  if outcome.problem then
    value.exit, value.is_error = explain(outcome, ctx), true
  elseif not is_success(head) then
    value.exit, value.is_error = status_line(head), true
  end
  value.exit = value.exit and ctx.redacted(value.exit)
  return value
end

--- The head has arrived: settle all that is known before the body.
function Page:on_head(head)
  self.head = head
  self.binary = is_binary_type(media_type(head))
  local size = not self.redacts and announced(head)
  self.pointless = size and (self.binary or self.offset > math.max(size, 1))
end

local function new_page(input, ctx)
  local redaction = ctx.redaction()
  local limits, capacity, from_start = bodies.plan(ctx.limits)
  local offset = input.offset or 1
  local body = bodies.new(offset, capacity, redaction)
  if from_start and not input.offset then body:want_json() end
  return setmetatable({
    ctx = ctx,
    offset = offset,
    body = body,
    redacts = redaction ~= nil,
    limits = limits,
    from_start = from_start,
    resumes = limits.strategy == "head_tail",
  }, Page)
end

M.bounded = bodies.bounded

function M.execute(input, ctx, done)
  local uv, message = host.uv()
  if not uv then return { text = message, is_error = true } end
  local url, problem, values = urls.parse(input.url)
  if not url then return failure({ problem = problem, values = values or {} }, nil, ctx) end
  local page = new_page(input, ctx)
  local abort = fetch.start(url, {
    timeout = ctx.timeout,
    env = ctx.env,
    may_reach = ctx.allow_private,
    user_agent = "abridge/" .. core.version,
  }, {
    on_head = function(head)
      page:on_head(head)
    end,
    on_body = function(chunk)
      return page.pointless or page.body:write(chunk)
    end,
    on_end = function(outcome)
      local ok, value = pcall(page.result, page, outcome)
      if not ok or outcome.raised ~= nil then
        value = { text = check.text(not ok and value or outcome.raised), is_error = true }
      end
      done(value)
    end,
  })
  return function()
    abort()
    return true -- done() comes with the bytes fetched so far
  end
end

return M
