--- What CodeCompanion sends with a request, fitted to a budget of tokens. `on_submitted` is given the request with
--- copies of the chat's messages in it, so the chat itself keeps them whole, and each request is fitted from the whole.

local check = require "abridge.base.check"
local tell = require "abridge.hosts.tell"

local M = {}

local SHARE = 0.8 -- of the model's window; the rest is for the definitions of tools and for the answer
local OTHERS = { developer = true, system = true, tool = true, user = true } -- roles that are not the model's

-- the shape of its messages ------------------------------------------------------------

local BLOBS = { document = true, image = true } -- tags of messages whose content is base64

--- What counts of a message that is no tool's: its content, and what the model thought. A file counts as an image does.
local function text_of(message)
  local meta, reasoning = message._meta, message.reasoning
  if type(meta) == "table" and BLOBS[meta.tag] and type(message.content) == "string" then
    return { type = "image", source = { type = "base64", data = message.content } }
  end
  return { message.content or "", type(reasoning) == "table" and reasoning.content or reasoning }
end

--- How `fit` reads and writes a chat's messages. Calls get the ids by which the session knows them.
---@param ids table<string, string|false> those of the session, by those of the host
---@return abridge.HistoryFormat
local function format(ids)
  local function id_of(id)
    return id and (ids[id] or "of the host: " .. id)
  end
  local function read(message)
    local tools = type(message.tools) == "table" and message.tools or {}
    if message.role == "tool" then return { results = { { id = id_of(tools.call_id), content = message.content } } } end
    local calls = {}
    for i, call in ipairs(tools.calls or {}) do
      local asked = call["function"]
      calls[i] = { id = id_of(call.call_id or call.id), name = asked.name, input = asked.arguments }
    end
    return { reply = not OTHERS[message.role], text = text_of(message), calls = calls }
  end
  local function write(message, contents)
    local copy = check.copied(message)
    copy.content = contents[1]
    return copy
  end
  return { read = read, write = write }
end

local formats = setmetatable({}, { __mode = "k" }) -- by chat: counts are remembered for a format

local function format_of(cutter, chat)
  local ids = cutter.ids[chat] or {}
  cutter.ids[chat] = ids
  formats[chat] = formats[chat] or format(ids)
  return formats[chat]
end

-- options ------------------------------------------------------------------------------

--- The extension's option of that name: options of `fit`, or false.
---@param value any
---@return string|nil expected
function M.option(value)
  if value == false then return nil end
  if type(value) ~= "table" then return "options or false" end
  local opts = check.copied(value)
  if opts.format or opts.session then error("history: format and session are the extension's", 0) end
  opts.format, opts.max_tokens = "openai", opts.max_tokens or 1
  local ok, why = pcall(require("abridge.history").fit, {}, opts)
  if not ok then error("history: " .. check.reason(why), 0) end
end

-- a request ----------------------------------------------------------------------------

--- A field of a field of the host's tables, if it has it.
function M.field(t, ...)
  for _, key in ipairs { ... } do
    if type(t) ~= "table" then return nil end
    t = t[key]
  end
  return t
end

--- The tokens that messages may take by what the host knows of the model; nil if it does not, or where the provider
--- keeps its context within bounds itself. Nothing is asked of the network, as the host's own functions may.
local function max_tokens(adapter)
  local manages = M.field(adapter, "model", "opts", "can_manage_context")
  if manages and M.field(adapter, "opts", "compaction") ~= false then return nil end
  local window = M.field(adapter, "model", "meta", "context_window")
  return type(window) == "number" and math.floor(window * SHARE) or nil
end

--- The options of `fit`, nil if there is no budget.
local function options_for(cutter, chat)
  local given = cutter.options.history
  if given == false or M.field(chat.adapter, "type") == "acp" then return nil end
  local opts = check.copied(given or {})
  opts.max_tokens = opts.max_tokens or max_tokens(chat.adapter)
  if not opts.max_tokens then
    if given then cutter.tell "history: max_tokens is needed, as the model's window is not known" end
    return nil
  end
  if not opts.exclude_tools then
    opts.exclude_tools = {}
    for name in pairs(cutter.exclude_tools) do
      table.insert(opts.exclude_tools, name)
    end
  end
  opts.format, opts.session = format_of(cutter, chat), cutter.session
  return opts
end

--- The chat's own messages, where those of a request are copies of them: what `fit` counted of a table it need not
--- count again.
local function originals(chat, messages)
  local own = chat.messages
  if type(own) ~= "table" or #own ~= #messages then return messages end
  for i, message in ipairs(messages) do
    if message.content ~= own[i].content then return messages end
  end
  return own
end

--- The messages of a request, fitted.
local function fitted(messages, chat, opts)
  local own = originals(chat, messages)
  local out, report = require("abridge.history").fit(own, opts)
  if own == messages then return out, report end
  local copies = check.copied(messages)
  for _, i in ipairs(report.changed) do
    copies[i] = opts.format.write(messages[i], { out[i].content })
  end
  return copies, report
end

--- Fit the messages of a request. Never raises: if anything fails, they are sent as they are, and it is told once.
---@param cutter abridge.Adapter
---@param chat table a chat of CodeCompanion
---@param payload table `messages` is replaced
function M.fit(cutter, chat, payload)
  local ok, why = pcall(function()
    local opts = options_for(cutter, chat)
    if not opts then return end
    local messages, report = fitted(payload.messages, chat, opts)
    payload.messages = messages
    if not report.fits then cutter.tell "a chat is over its budget of tokens, with nothing left to remove" end
  end)
  if ok then return end
  local reason = tell.reason(why)
  cutter.tell("a chat was not fitted to its budget: " .. reason, reason)
end

return M
