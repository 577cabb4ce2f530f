-- Which way of keeping a conversation within a budget fits your agents? This replays recorded conversations, each way
-- beside the others, and counts the facts still there when the model needed them again:
--
--   lua examples/replay.lua FOLDER [BUDGET ...] [--count COMMAND]
--
-- FOLDER has files *.json: a list of messages, or { "format": FORMAT, "messages": [...] }; FORMAT is "openai" (also
-- if there is none), "responses" or "anthropic". A budget is in tokens by the estimate, 64000 unless given. COMMAND
-- counts with your model's tokenizer: for each line, a string of JSON, it prints the number of tokens on a line (an
-- example: bench/count.mjs); without it, `usage` cannot be replayed.
--
-- A fact is a name or number of eight letters or more that a call uses, where it was last in the conversation over
-- three replies before: "from results" if only tools had printed it, "from the model" if it had said so itself.
local abridge = require "abridge"
local history = require "abridge.history"
local json = require "cjson"

local M = {}

local TRIGGER, TARGET, SAFETY = 0.9, 0.6, 1.35
local FAR = 3 -- replies
local ENDS = 250 -- chars at each end
local STUB = "[cleared]"

-- reading ------------------------------------------------------------------------------------

local function text_of(content)
  if type(content) == "string" then return content end
  local texts = {}
  for _, part in ipairs(type(content) == "table" and content or {}) do
    texts[#texts + 1] = type(part.text) == "string" and part.text or nil
  end
  return table.concat(texts, "\n")
end

local function chat_call(id, name, input)
  if type(input) ~= "string" then input = json.encode(input) end
  return { id = id, type = "function", ["function"] = { name = name, arguments = input } }
end

--- Messages of any API as those of Chat Completions, to which all ways are put.
local AS_CHAT = {}

function AS_CHAT.openai(messages)
  return messages
end

function AS_CHAT.anthropic(messages)
  local chat = {}
  for _, message in ipairs(messages) do
    local calls, texts = {}, {}
    for _, block in ipairs(type(message.content) == "table" and message.content or {}) do
      if block.type == "tool_use" then
        calls[#calls + 1] = chat_call(block.id, block.name, block.input)
      elseif block.type == "tool_result" then
        chat[#chat + 1] = { role = "tool", tool_call_id = block.tool_use_id, content = text_of(block.content) }
      else
        texts[#texts + 1] = block.text or block.thinking
      end
    end
    local text = type(message.content) == "string" and message.content or table.concat(texts, "\n")
    if text ~= "" or calls[1] then
      chat[#chat + 1] = { role = message.role, content = text, tool_calls = calls[1] and calls or nil }
    end
  end
  return chat
end

function AS_CHAT.responses(items)
  local chat = {}
  for _, item in ipairs(items) do
    local input, last = item.arguments or item.input, chat[#chat]
    if item.output then
      chat[#chat + 1] = { role = "tool", tool_call_id = item.call_id, content = text_of(item.output) }
    elseif input then
      if not (last and last.role == "assistant") then
        last = { role = "assistant", content = "" }
        chat[#chat + 1] = last
      end
      last.tool_calls = last.tool_calls or {}
      table.insert(last.tool_calls, chat_call(item.call_id, item.name, input))
    elseif item.role then
      chat[#chat + 1] = { role = item.role, content = text_of(item.content) }
    end
  end
  return chat
end

--- The conversations in a folder, by the order of their names.
function M.read(folder)
  local paths, all = {}, {}
  local list = assert(io.popen("ls '" .. folder:gsub("'", "'\\''") .. "'"))
  for name in list:lines() do
    if name:find "%.json$" then paths[#paths + 1] = folder .. "/" .. name end
  end
  list:close()
  for i, path in ipairs(paths) do
    local file = assert(io.open(path, "rb"))
    local made = json.decode(file:read "*a")
    file:close()
    all[i] = AS_CHAT[made.format or "openai"](made.messages or made)
  end
  return all
end

-- what is in a message ---------------------------------------------------------------------------

local known_pieces = setmetatable({}, { __mode = "k" })

--- The strings that a model reads of a message: what it says or printed, and of each call name and arguments.
local function pieces_of(message)
  local pieces = known_pieces[message]
  if pieces then return pieces end
  pieces = { text_of(message.content) }
  known_pieces[message] = pieces
  for _, call in ipairs(message.tool_calls or {}) do
    pieces[#pieces + 1] = call["function"].name
    pieces[#pieces + 1] = call["function"].arguments
  end
  return pieces
end

local function words_of(text)
  local words = {}
  for word in text:gsub("\\[nrt]", " "):gmatch "[%w_]+" do
    if #word >= 8 then words[word] = true end
  end
  return words
end

local known_facts = setmetatable({}, { __mode = "k" })

--- The facts that each reply uses: by the index of its message, lists of words from results and from the model.
function M.facts(messages)
  if known_facts[messages] then return known_facts[messages] end
  local facts, said, seen, turn = {}, {}, {}, 0
  for i, message in ipairs(messages) do
    if message.role == "assistant" then
      turn = turn + 1
      local uses = { results = {}, model = {} }
      for _, call in ipairs(message.tool_calls or {}) do
        for word in pairs(words_of(call["function"].arguments)) do
          if seen[word] and turn - seen[word] > FAR then
            if not said[word] then
              table.insert(uses.results, word)
            elseif said[word] == "assistant" then
              table.insert(uses.model, word)
            end
          end
        end
      end
      facts[i] = uses
    end
    for _, piece in ipairs(pieces_of(message)) do
      for word in pairs(words_of(piece)) do
        seen[word] = turn
        if message.role ~= "tool" then said[word] = said[word] or message.role end
      end
    end
  end
  known_facts[messages] = facts
  return facts
end

-- counting -----------------------------------------------------------------------------------------

local estimates = setmetatable({}, { __mode = "k" })

local function estimate(message)
  if estimates[message] then return estimates[message] end
  local tokens = 0
  for _, piece in ipairs(pieces_of(message)) do
    tokens = tokens + math.ceil(abridge.estimate_tokens(piece) * SAFETY)
  end
  estimates[message] = tokens
  return tokens
end

--- A counter that asks a command, a line for a line.
local function asked(command)
  local to, from = os.tmpname(), os.tmpname()
  os.remove(to)
  os.remove(from)
  assert(os.execute(("mkfifo -m 600 '%s' '%s'"):format(to, from)))
  os.execute(("(%s) < '%s' > '%s' &"):format(command, to, from))
  local writer, reader = assert(io.open(to, "w")), assert(io.open(from, "r"))
  os.remove(to)
  os.remove(from)
  local known, counts = {}, setmetatable({}, { __mode = "k" })
  return function(message)
    if counts[message] then return counts[message] end
    local tokens = 0
    for _, piece in ipairs(pieces_of(message)) do
      if piece ~= "" and not known[piece] then
        writer:write(json.encode(piece), "\n")
        writer:flush()
        known[piece] = assert(tonumber(reader:read "*l"), "the command that counts has ended")
      end
      tokens = tokens + (known[piece] or 0)
    end
    counts[message] = tokens
    return tokens
  end
end

local function sum(messages, count)
  local tokens = 0
  for _, message in ipairs(messages) do
    tokens = tokens + count(message)
  end
  return tokens
end

-- the usual ways -------------------------------------------------------------------------------------

--- Put something shorter in the place of old results, the oldest first, until there is room; the last `keep` stay.
local function shorter(keep, target, short)
  return function(messages, budget)
    local total, results, out = sum(messages, estimate), {}, {}
    for i, message in ipairs(messages) do
      out[i] = message
      if message.role == "tool" then results[#results + 1] = i end
    end
    if total <= TRIGGER * budget then return messages end
    for k = 1, #results - keep do
      local message = messages[results[k]]
      local text = short(message.content)
      if total > target * budget and #text < #message.content then
        local copy = { role = "tool", tool_call_id = message.tool_call_id, content = text }
        out[results[k]] = copy
        total = total - estimate(message) + estimate(copy)
      end
    end
    return out
  end
end

--- Drop the oldest messages but the first, each call with its results.
local function dropped(messages, budget)
  local total, first = sum(messages, estimate), 2
  if total <= TRIGGER * budget then return messages end
  while first < #messages and (total > TARGET * budget or messages[first].role == "tool") do
    total = total - estimate(messages[first])
    first = first + 1
  end
  local out = { messages[1] }
  for i = first, #messages do
    out[#out + 1] = messages[i]
  end
  return out
end

local function fit(over)
  return function(messages, budget, usage)
    local opts = { format = "openai", max_tokens = budget }
    for key, value in pairs(over) do
      opts[key] = value
    end
    if opts.usage then opts.usage = usage end
    return (history.fit(messages, opts))
  end
end

local function both_ends(text)
  if #text <= 2 * ENDS then return text end
  return abridge.head(text, { max_chars = ENDS, long_line = "split" })
    .. "\n...\n"
    .. abridge.tail(text, { max_chars = ENDS })
end

local function cleared()
  return STUB
end

--- Name and way; the last ones need a counter.
M.ways = {
  { "history.fit", fit {} },
  { "history.fit, results alone", fit { inputs = false, exchanges = false } },
  { "oldest results cleared, bare stub", shorter(3, TARGET, cleared) },
  { "all results but three cleared", shorter(3, 0, cleared) },
  { "first and last 250 chars of each", shorter(3, TARGET, both_ends) },
  { "oldest messages dropped", dropped },
  { "history.fit, with usage", fit { usage = {} }, counts = true },
}

-- the replay ---------------------------------------------------------------------------------------------

local function holds(messages, word)
  for i = #messages, 1, -1 do
    for _, piece in ipairs(pieces_of(messages[i])) do
      if piece:find(word, 1, true) then return true end
    end
  end
  return false
end

--- Bytes of a request, and how many of its first ones the request before it had.
local function prefix(messages, before)
  local bytes, same, equal = 0, 0, true
  for i, message in ipairs(messages) do
    local other = before[i] and pieces_of(before[i]) or {}
    for k, piece in ipairs(pieces_of(message)) do
      equal = equal and other[k] == piece
      bytes = bytes + #piece
      same = same + (equal and #piece or 0)
    end
  end
  return bytes, same
end

--- Replay a conversation as a host does that gives messages back, and add up the figures.
local function replay(messages, facts, way, budget, count, sums)
  local given, before, bytes_before, usage, last = {}, {}, 0, nil, "user"
  for i, message in ipairs(messages) do
    if message.role == "assistant" and last ~= "assistant" then
      local sent = way(given, budget, usage)
      for kind, words in pairs(facts[i]) do
        for _, word in ipairs(words) do
          sums[kind] = sums[kind] + 1
          if holds(sent, word) then sums[kind .. "_left"] = sums[kind .. "_left"] + 1 end
        end
      end
      local bytes, same = prefix(sent, before)
      local real = count and sum(sent, count) or 0
      sums.requests = sums.requests + 1
      sums.over = sums.over + (sum(sent, estimate) > budget and 1 or 0)
      sums.over_counted = sums.over_counted + (real > budget and 1 or 0)
      sums.tokens = sums.tokens + real
      sums.bytes, sums.same = sums.bytes + bytes, sums.same + same
      sums.rewrites = sums.rewrites + (same < bytes_before and 1 or 0)
      usage = count and { tokens = real, messages = #sent }
      before, bytes_before, given = sent, bytes, {}
      for k, one in ipairs(sent) do
        given[k] = one
      end
    end
    given[#given + 1] = message
    last = message.role
  end
end

local KEYS = { "results", "results_left", "model", "model_left", "requests", "over", "over_counted", "tokens", "bytes" }

--- The sums of all conversations in one way.
function M.sums(conversations, way, budget, count)
  local sums = { same = 0, rewrites = 0 }
  for _, key in ipairs(KEYS) do
    sums[key] = 0
  end
  for _, messages in ipairs(conversations) do
    replay(messages, M.facts(messages), way, budget, count, sums)
  end
  return sums
end

local function share(part, all)
  return all > 0 and ("%.1f %%"):format(100 * part / all) or "-"
end

--- The table for a budget, as Markdown.
function M.table(conversations, budget, count)
  local lines = {
    (
      "| %d tokens | facts from results left | from the model | over, estimated | over, counted | tokens sent "
      .. "| same prefix | rewrites |"
    ):format(budget),
    "|---|---|---|---|---|---|---|---|",
  }
  for _, way in ipairs(M.ways) do
    if count or not way.counts then
      local sums = M.sums(conversations, way[2], budget, count)
      lines[#lines + 1] = ("| %s | %s | %s | %s | %s | %s | %s | %d of %d |"):format(
        way[1],
        share(sums.results_left, sums.results),
        share(sums.model_left, sums.model),
        share(sums.over, sums.requests),
        count and share(sums.over_counted, sums.requests) or "-",
        count and ("%.1f M"):format(sums.tokens / 1e6) or "-",
        share(sums.same, sums.bytes),
        sums.rewrites,
        sums.requests
      )
    end
  end
  return table.concat(lines, "\n")
end

local function main()
  local folder, budgets, command = nil, {}, nil
  local i = 1
  while arg[i] do
    if arg[i] == "--count" then
      i = i + 1
      command = arg[i]
    elseif not folder then
      folder = arg[i]
    else
      budgets[#budgets + 1] = assert(tonumber(arg[i]), "a budget must be a number")
    end
    i = i + 1
  end
  if not folder then
    io.stderr:write "usage: lua examples/replay.lua FOLDER [BUDGET ...] [--count COMMAND]\n"
    os.exit(2)
  end
  local conversations, count = M.read(folder), command and asked(command)
  for _, budget in ipairs(budgets[1] and budgets or { 64000 }) do
    print(M.table(conversations, budget, count) .. "\n")
  end
end

if arg and arg[0] and arg[0]:find "replay%.lua$" then main() end

return M
