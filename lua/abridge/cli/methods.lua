--- The methods of `abridge serve`: for each its parameters and its result, the same as `--json` of the command of that
--- name prints.

local check = require "abridge.base.check"
local host = require "abridge.base.host"
local splice = require "abridge.base.splice"
local spelled = require "abridge.history.spelled"
local piped = require "abridge.session.piped"
local under = require "abridge.session.under"
local terminal = require "abridge.cli.terminal"
local texts = require "abridge.cli.texts"
local values = require "abridge.cli.values"

local M = {}

---@class (exact) abridge.cli.Request
---@field text string the line it stands in
---@field params table

---@alias abridge.cli.Answer fun(done: fun(result: string)) gives the result as JSON, now or later

-- parameters ------------------------------------------------------------------------------

--- A value that a flag reads from text: a message if it is wrong.
local function as_flag(value)
  return function(given)
    if type(given) ~= "string" or value.read(given) == nil then return value.expected end
  end
end

local function any()
  return nil
end

--- A table without its nulls.
local function without_null(t)
  local own = {}
  for key, value in next, t do
    if not check.is_null(value) then own[key] = value end
  end
  return own
end

--- Parameters, each of its kind; nulls are absent, those in `needed` are not.
local function checked(who, params, kinds, needed)
  local own = check.options(who, without_null(params), kinds)
  for _, key in ipairs(needed) do
    if own[key] == nil then terminal.bad("%s: %s is missing", who, key) end
  end
  for _, key in ipairs { "opts", "limits" } do
    own[key] = own[key] and without_null(own[key])
  end
  return own
end

--- Take some keys out of a table, as a new one.
local function taken_from(t, keys)
  local taken = {}
  for _, key in ipairs(keys) do
    taken[key], t[key] = t[key], nil
  end
  return taken
end

--- The session for a call with limits of its own, if it has some.
local function limited(session, who, tool, limits)
  if not limits or next(limits) == nil then return session end
  return under.of(who, session, tool, limits)
end

-- methods ----------------------------------------------------------------------------------

---@type table<string, fun(session: abridge.Session, request: abridge.cli.Request): abridge.cli.Answer, boolean|nil>
local METHODS = {}

local CAP = {
  tool = "string",
  text = "string",
  path = "string",
  limits = "table",
  input = any,
  call_id = as_flag(values.id),
  exit_code = check.count,
  signal = as_flag(values.signal),
  timed_out = "boolean",
}

function METHODS.cap(session, request)
  local params = checked("cap", request.params, CAP, { "tool", "text" })
  local own = limited(session, "cap", params.tool, params.limits)
  return function(done)
    local signal = params.signal and values.signal.read(params.signal)
    local result = piped.cap(own, params.tool, texts.feeder(params.text), {
      id = params.call_id,
      input = params.input,
      path = params.path,
      exit_code = params.exit_code,
      signal = signal and signal.name,
      signal_number = signal and signal.number,
      timed_out = params.timed_out,
    })
    done(terminal.result_json(result))
  end
end

function METHODS.cut(_, request)
  local params = checked("cut", request.params, { text = "string", opts = "table" }, { "text" })
  local opts = params.opts or {}
  local profile = taken_from(opts, { "profile" }).profile
  local limits = texts.limits(opts, profile)
  if not limits then terminal.bad "cut: opts need max_lines, max_bytes, max_chars, max_tokens or profile" end
  return function(done)
    done(terminal.result_json(texts.cut_of(limits, texts.feeder(params.text))))
  end
end

function METHODS.kind(_, request)
  local params = checked("kind", request.params, { text = "string", opts = "table" }, { "text" })
  local opts = check.options("kind: opts", params.opts, { why = "boolean" })
  return function(done)
    done(terminal.json(texts.kind_of(params.text, opts.why)))
  end
end

function METHODS.call(session, request)
  local kinds = { tool = "string", input = any, call_id = as_flag(values.id) }
  local params = checked("call", request.params, kinds, { "tool" })
  local input = params.input
  if input == nil then input = {} end
  return function(done)
    session:call(params.tool, input, {
      id = params.call_id,
      on_done = function(result)
        done(terminal.result_json(result))
      end,
    })
  end,
    true
end

function METHODS.page(session, request)
  local params = checked("page", request.params, { path = "string", opts = "table" }, { "path" })
  local opts = params.opts or {}
  local input = taken_from(opts, { "offset", "limit", "column", "pointer" })
  input.path = params.path
  local own = limited(session, "page", "read_file", opts)
  return function(done)
    own:call("read_file", input, {
      on_done = function(result)
        done(terminal.result_json(result))
      end,
    })
  end,
    true
end

--- A list as JSON, an empty one too.
local function list_json(list)
  return next(list) == nil and "[]" or host.json().encode(list)
end

local REPORT = { "tokens_before", "tokens_after", "freed", "fits", "first_changed" }

function METHODS.fit(session, request)
  local params = checked("fit", request.params, { messages = "table", opts = "table" }, { "messages", "opts" })
  local text, messages = request.text, params.messages
  local list = assert(splice.find(text, { "/params/messages" }))["/params/messages"]
  local parts = assert(splice.list(text, #messages, list.first, list.last))
  for i, message in ipairs(messages) do
    spelled.mark(message, text, parts[i].first, parts[i].last)
  end
  params.opts.session = session
  local sent, report = require("abridge.history.fit").fit(messages, params.opts)
  return function(done)
    local made, said = spelled.all(sent, messages), {}
    for _, key in ipairs(REPORT) do
      said[#said + 1] = ('"%s":%s'):format(
        key,
        host.json().encode(report[key] == nil and host.json().null or report[key])
      )
    end
    said[#said + 1] = '"changed":' .. list_json(report.changed)
    done(('{"messages":[%s],"report":{%s}}'):format(table.concat(made, ","), table.concat(said, ",")))
  end
end

--- The names of the methods.
---@return string[]
function M.names()
  local names = {}
  for name in pairs(METHODS) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- The answer to a request, not begun; nil for a method that is not there. Raises if the parameters are wrong.
---@param session abridge.Session
---@param method string
---@param request abridge.cli.Request
---@return abridge.cli.Answer|nil
---@return boolean|nil later it is given later
function M.answer(session, method, request)
  local prepare = METHODS[method]
  if prepare then return prepare(session, request) end
end

return M
