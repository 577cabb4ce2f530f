--- A web server for the time of a test, and web_fetch in sessions that may reach it.

local abridge = require "support.unsaved"
local host = require "abridge.base.host"
local info = require "abridge.output.info"
local merge = require "support.merge"
local web_server = require "support.web_server"

local M = {}

local uv = host.uv()
local real_lookup = uv and uv.getaddrinfo
local server

--- Start the server, which says "hello" until it is told otherwise; returns it.
function M.start()
  server = web_server.new(function(connection)
    connection:respond("200 OK", {}, "hello\n")
  end)
  return server
end

--- Stop the server, and what `fake_lookup` did.
function M.stop()
  uv.getaddrinfo = real_lookup
  server:close()
end

--- What the server does with each request.
function M.answer(respond)
  server.answer = respond
end

--- Let the server send this text.
function M.serve(text, headers, status)
  M.answer(function(connection)
    connection:respond(status or "200 OK", headers or { "Content-Type: text/plain" }, text)
  end)
end

function M.session_of(opts)
  return abridge.session(merge({ allow_private = { "127.0.0.1" }, tools = { "web_fetch" } }, opts))
end

--- The result of web_fetch in a session that may reach the server; a string is the path of a URL there.
function M.fetch(input, limits, opts)
  opts = opts or {}
  if limits then opts.limits = { web_fetch = limits } end
  if type(input) == "string" then input = { url = server:url(input) } end
  local session = M.session_of(opts)
  local result = session:call("web_fetch", input)
  session:close()
  info.assert_conforms("web_fetch", result)
  return result
end

--- What a result shows of the body.
function M.body_of(result)
  return result.content:sub(1, result.truncation.bytes_returned)
end

--- All pages of a URL, joined, and how many there are; a final newline that alone did not fit stands in the ledger.
function M.pages(path, limits, opts)
  local parts, offset, count = {}, 1, 0
  repeat
    count = count + 1
    assert(count < 2000, "pages without end")
    local result = M.fetch({ url = server:url(path), offset = offset }, limits, opts)
    assert(not result.is_error, result.content)
    parts[#parts + 1] = M.body_of(result) .. (result.details.cut.final_newline and "\n" or "")
    local next_offset = result.truncation.next_offset
    assert(not next_offset or next_offset > offset, "a page goes back")
    offset = next_offset
  until not offset
  return table.concat(parts), count
end

--- Look-ups that answer from a table, each name with one list of addresses after the other; the names that are asked.
function M.fake_lookup(names)
  local asked = {}
  uv.getaddrinfo = function(name, _, _, callback)
    asked[#asked + 1] = name
    local lists = names[name]
    local found = {}
    for i, text in ipairs(lists and (#lists > 1 and table.remove(lists, 1) or lists[1]) or {}) do
      found[i] = { addr = text, family = text:find ":" and "inet6" or "inet", socktype = "stream" }
    end
    local timer = uv.new_timer()
    uv.timer_start(timer, 0, 0, function()
      uv.close(timer)
      if lists then
        callback(nil, found)
      else
        callback "EAI_NONAME"
      end
    end)
    return timer
  end
  return asked
end

return M
