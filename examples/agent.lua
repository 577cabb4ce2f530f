-- An agent in one file: tools of abridge, a tool of its own and a model at an HTTP endpoint, within a budget of tokens.
-- It works in the current folder:
--
--   MODEL_URL=https://api.openai.com/v1/chat/completions MODEL_NAME=... MODEL_KEY=... lua examples/agent.lua "TASK"
--
-- A URL that ends in /messages is taken to be Anthropic's Messages API, any other Chat Completions.
-- `make agent` shows it at work with a scripted model.
local abridge = require "abridge"
local history = require "abridge.history"
local json = vim and vim.json or require "cjson"

local M = {}

local BUDGET = 24000 -- tokens of a whole request, by the estimate
local SHARE = 0.4 -- of the budget, for the results of one reply
local KEEP = 0 -- results of earlier replies that stay: with such a share there is no room for two
local MAX_REQUESTS = 200
local TIMEOUT = 600 -- seconds for a request
local MAX_TOKENS = 4096 -- of a reply; the Messages API requires it

-- the two APIs -----------------------------------------------------------------

local OPENAI = { format = "openai", builder = require "abridge.openai" }

function OPENAI.headers(key)
  return { "Authorization: Bearer " .. key }
end

function OPENAI.request(model, messages, tools)
  return { model = model, messages = messages, tools = tools }
end

--- The part of a response that goes back with the next request.
function OPENAI.reply(response)
  local message = response.choices[1].message
  local calls = type(message.tool_calls) == "table" and #message.tool_calls > 0 and message.tool_calls or nil
  return { role = "assistant", content = message.content, tool_calls = calls }
end

function OPENAI.text(reply)
  return type(reply.content) == "string" and reply.content or ""
end

local ANTHROPIC = { format = "anthropic", builder = require "abridge.anthropic" }

function ANTHROPIC.headers(key)
  return { "x-api-key: " .. key, "anthropic-version: 2023-06-01" }
end

function ANTHROPIC.request(model, messages, tools)
  return { model = model, max_tokens = MAX_TOKENS, messages = messages, tools = tools }
end

function ANTHROPIC.reply(response)
  return { role = "assistant", content = response.content }
end

function ANTHROPIC.text(reply)
  local texts = {}
  for _, block in ipairs(reply.content) do
    texts[#texts + 1] = block.type == "text" and block.text or nil
  end
  return table.concat(texts, "\n")
end

-- a tool of our own ---------------------------------------------------------------

local function contents_of(path)
  local file, message = io.open(path, "rb")
  if not file then error(message, 0) end
  local text = file:read "*a"
  file:close()
  return text
end

local EDIT_FILE = {
  name = "edit_file",
  description = "Replace a text that stands exactly once in a file.",
  input_schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "Path of the file" },
      old = { type = "string", description = "The text to replace, as it stands in the file" },
      new = { type = "string", description = "What to put in its place" },
    },
    required = { "path", "old", "new" },
  },
  execute = function(input, ctx)
    local path = ctx.path(input.path)
    local text = contents_of(path)
    local first, last = text:find(input.old, 1, true)
    if not first or input.old == "" then error("No such text in " .. input.path, 0) end
    if text:find(input.old, first + 1, true) then error("That text stands more than once in " .. input.path, 0) end
    local file, message = io.open(path, "wb")
    if not file then error(message, 0) end
    file:write(text:sub(1, first - 1), input.new, text:sub(last + 1))
    file:close()
    return "Replaced in " .. input.path
  end,
}

-- what it saves ---------------------------------------------------------------------

--- The output of the session's tools and a model's part of it, as a table in plain text.
function M.table_of(savings)
  local stats, names = savings.stats, {}
  local lines = { ("%-16s %5s %10s %13s %6s"):format("tool", "calls", "printed", "to the model", "saved") }
  local function add(name, row)
    local of = math.max(row.bytes_printed, 1)
    local saved = math.max(math.floor(100 * (1 - row.bytes_shown / of) + 0.5), 0)
    local printed, shown = abridge.format_size(row.bytes_printed), abridge.format_size(row.bytes_shown)
    lines[#lines + 1] = ("%-16s %5d %10s %13s %5d%%"):format(name, row.calls, printed, shown, saved)
  end
  for name in pairs(stats.tools) do
    names[#names + 1] = name
  end
  table.sort(names, function(a, b)
    return stats.tools[a].bytes_printed > stats.tools[b].bytes_printed
  end)
  for _, name in ipairs(names) do
    add(name, stats.tools[name])
  end
  add("all", stats.all)
  local tokens = "%d requests, the largest %d tokens of %d"
  lines[#lines + 1] = tokens:format(savings.requests, savings.largest, savings.budget)
  return table.concat(lines, "\n")
end

-- requests ----------------------------------------------------------------------------

local function temporary(text)
  local path = os.tmpname() -- of mode 0600
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

--- POST a body with curl, run by a session. Anything long or secret is in files: a command's arguments show in the list
--- of processes, and its output may be cut.
local function post(session, url, headers, body)
  local header_file, body_file = temporary(table.concat(headers, "\n") .. "\n"), temporary(body)
  local answer_file = temporary ""
  local quoted = url:gsub("'", "'\\''")
  local curl = "curl -q -sS -w '%%{http_code}' --header @%s --data-binary @%s --output %s '%s'"
  local result = session:call("run_command", { command = curl:format(header_file, body_file, answer_file, quoted) })
  local answer = contents_of(answer_file)
  for _, path in ipairs { header_file, body_file, answer_file } do
    os.remove(path)
  end
  if result.is_error or not result.content:find "^2" then
    local problem = result.is_error and result.content or abridge.head(answer, { max_bytes = 2000 })
    error(("%s: %s"):format(url, problem), 0)
  end
  return answer
end

-- the loop --------------------------------------------------------------------------------

local function new_session(opts)
  local session = assert(abridge.session {
    root = opts.root or ".",
    run_dir = opts.run_dir,
    on_event = opts.on_event,
  })
  session:register(EDIT_FILE)
  return session
end

--- Work on a task until the model calls no more tools.
---@param task string
---@param opts { url: string, key: string|nil, model: string|nil, root: string|nil, run_dir: string|false|nil,
---  budget: integer|nil, on_event: function|nil } the folder to work in is `root`, "." unless set
---@return string text of the last reply
---@return table savings
function M.run(task, opts)
  local api = opts.url:find "/messages$" and ANTHROPIC or OPENAI
  local savings = { budget = opts.budget or BUDGET, requests = 0, largest = 0 }
  local session = new_session(opts)
  local requests = assert(abridge.session { tools = { "run_command" }, run_dir = false, timeout = TIMEOUT })
  local headers = api.headers(opts.key or "none")
  headers[#headers + 1] = "Content-Type: application/json"

  local tools = session:definitions(api.format)
  local messages, report = { { role = "user", content = task } }, nil
  local room = savings.budget - abridge.estimate_tokens(json.encode(tools))
  local fit = { format = api.format, max_tokens = math.max(room, 1), keep = KEEP, session = session }
  local turn = { max_tokens = math.max(math.floor(savings.budget * SHARE), 1) }
  local function work()
    local reply
    repeat
      messages, report = history.fit(messages, fit)
      if not report.fits then
        error(("The next request takes %d tokens of %d"):format(report.tokens_after, savings.budget), 0)
      end
      local body = json.encode(api.request(opts.model or "default", messages, tools))
      savings.requests = savings.requests + 1
      savings.largest = math.max(savings.largest, abridge.estimate_tokens(body))
      reply = api.reply(json.decode(post(requests, opts.url, headers, body)))
      messages[#messages + 1] = reply
      local results = api.builder.results(session, reply, turn)
      for _, message in ipairs(results) do
        messages[#messages + 1] = message
      end
    until #results == 0 or savings.requests == MAX_REQUESTS
    return api.text(reply)
  end
  local ok, text = pcall(work)
  savings.stats = session:stats()
  session:close()
  requests:close()
  if not ok then error(text, 0) end
  return text, savings
end

local function main(task)
  local url = os.getenv "MODEL_URL"
  if not url or not task then
    io.stderr:write 'usage: MODEL_URL=... [MODEL_NAME=...] [MODEL_KEY=...] lua examples/agent.lua "TASK"\n'
    os.exit(2)
  end
  local model, key = os.getenv "MODEL_NAME", os.getenv "MODEL_KEY"
  local function on_event(event)
    local size = event.bytes_shown and abridge.format_size(event.bytes_shown) or tostring(event.input)
    io.stderr:write(("%s %s %s\n"):format(event.type, event.tool, size))
  end
  local ok, text, savings = pcall(M.run, task, { url = url, key = key, model = model, on_event = on_event })
  if not ok then
    io.stderr:write(tostring(text), "\n")
    os.exit(1)
  end
  print(text .. "\n\n" .. M.table_of(savings))
end

if arg and arg[0] and arg[0]:find "agent%.lua$" then main(arg[1]) end

return M
