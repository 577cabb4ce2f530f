-- Attacks on redaction: secrets of any bytes, in data of any shape, on every way to the model, the log and the disk.
-- Neither a secret nor eight bytes of it in a row are anywhere, however often what came out is unescaped.
local abridge = require "abridge"
local anthropic = require "abridge.anthropic"
local avante = require "abridge.avante"
local host = require "abridge.host"
local mcp = require "abridge.mcp"
local mcphub = require "abridge.mcphub"
local openai = require "abridge.openai"
local opened = require "opened"
local paths = require "paths"
local random = require "random"
local tmpdir = require "tmpdir"

local json = host.json()

local PART = 8 -- bytes of a secret that show nowhere
local MARK = "[redacted]"

local dir
local folders = 0

-- secrets and what hides them -----------------------------------------------------------------

--- What JSON spells in another way, beside letters that no filler has. Controls but tabs are gone before redaction.
local CHARS = { "/", '"', "\\", "\t", "\195\169", "\226\128\168", "\240\159\152\128", "<", "&", "'", "%" }
local LETTERS = { "A", "B", "C", "D", "Q", "R", "K", "W", "7", "4", "-", "+", "=" }

local function new_secret()
  local parts = {}
  for i = 1, random.between(12, 40) do
    parts[i] = random.choose(random.chance(3) and CHARS or LETTERS)
  end
  return "AKIA" .. table.concat(parts) .. "Z"
end

local function pattern_of(secret)
  return (secret:gsub("%p", "%%%0"))
end

local function function_of(secret)
  return function(line)
    local from = 1
    while true do
      local first, last = line:find(secret, from, true)
      if not first then return line end
      line = line:sub(1, first - 1) .. MARK .. line:sub(last + 1)
      from = first + #MARK
    end
  end
end

-- what leaks ------------------------------------------------------------------------------------

local UNESCAPED = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function char_of(code)
  if code < 0x80 then return string.char(code) end
  if code < 0x800 then return string.char(0xC0 + math.floor(code / 64), 0x80 + code % 64) end
  return string.char(0xE0 + math.floor(code / 4096), 0x80 + math.floor(code / 64) % 64, 0x80 + code % 64)
end

local function unescaped(text)
  return (text:gsub("\\(.)(%x?%x?%x?%x?)", function(char, code)
    if char == "u" and #code == 4 then return char_of(tonumber(code, 16)) end
    return (UNESCAPED[char] or char) .. code
  end))
end

--- Every run of PART bytes of the secret, those that are all mark or filler left out.
local function parts_of(secret)
  local parts = {}
  for at = 1, #secret - PART + 1 do
    parts[#parts + 1] = secret:sub(at, at + PART - 1)
  end
  return parts
end

local function leak_in(text, parts)
  for _ = 1, 3 do
    for _, part in ipairs(parts) do
      if text:find(part, 1, true) then return ("%q in %q"):format(part, text:sub(1, 400)) end
    end
    text = unescaped(text)
  end
end

local function leak(value, parts, visited)
  visited = visited or {}
  if type(value) == "string" then return leak_in(value, parts) end
  if type(value) ~= "table" or visited[value] then return nil end
  visited[value] = true
  for key, inner in next, value do
    local found = leak(key, parts, visited) or leak(inner, parts, visited)
    if found then return found end
  end
end

local function leak_on_disk(session, parts)
  local path = session.run.dir
  local found = leak_in(paths.read(path .. "/events.jsonl") or "", parts)
  for _, name in ipairs(paths.names(path .. "/artifacts") or {}) do
    found = found or leak_in(name, parts) or leak_in(paths.read(path .. "/artifacts/" .. name), parts)
  end
  return found
end

-- data ------------------------------------------------------------------------------------------

local function text_with(secret)
  return random.choose { "", "x y ", "é ", '{"z": "' } .. secret .. random.choose { "", " y", '"}', "/x" }
end

--- Random data with the secret at its leaves and in its keys.
local function data_with(secret, depth)
  if depth == 0 then return random.chance(2) and text_with(secret) or random.choose { 5, true, 0.5, "x", json.null } end
  local made = {}
  for i = 1, random.between(1, 4) do
    local key = random.choose { i, "k" .. i, text_with(secret) }
    made[key] = data_with(secret, random.below(depth))
  end
  made[#made + 1] = text_with(secret)
  return made
end

--- A session in a new folder, and all that its host hears.
local function open(opts)
  folders = folders + 1
  local seen = {}
  local own = { cwd = dir.path, run_dir = dir:at("redact" .. folders), on_event = function(event)
    seen[#seen + 1] = event
  end }
  for key, value in pairs(opts) do
    own[key] = value
  end
  return assert(opened.session(own)), seen
end

-- ways out --------------------------------------------------------------------------------------

--- Runs a tool of the host's that gives a value; all that the host got of it.
local function run_tool(session, execute, input)
  local name = "t" .. #session.order
  session:register { name = name, execute = execute }
  local updates = {}
  local job = session:call(name, input or {}, {
    on_update = function(content, cut)
      updates[#updates + 1] = { content, cut }
    end,
  })
  return { job:wait(20), updates }
end

local WAYS = {
  ["a value of session:cap"] = function(session, value)
    return session:cap("t", value)
  end,
  ["content that is data"] = function(session, value)
    return session:cap("t", { content = { data = value } })
  end,
  ["parts of content"] = function(session, value, secret)
    return session:cap("t", {
      content = {
        { type = "text", text = json.encode "x" .. secret },
        { type = "image", data = "QUJD", mimeType = "image/png", annotations = value },
        { type = "resource", resource = { uri = "a:" .. secret, text = secret, meta = value } },
      },
    })
  end,
  ["what a tool returns"] = function(session, value)
    return run_tool(session, function() return value end)
  end,
  ["what a tool is done with"] = function(session, value)
    return run_tool(session, function(_, _, done) done(value) end)
  end,
  ["what a tool raises"] = function(session, value)
    return run_tool(session, function() error(value, 0) end)
  end,
  ["details and hint"] = function(session, value, secret)
    return session:cap("t", { content = "x", details = { deep = value }, next_offset = 5, resume_hint = "go " .. secret })
  end,
  ["updates that are data"] = function(session, value)
    return run_tool(session, function(_, ctx)
      ctx.update(value)
      return "x"
    end)
  end,
  ["inputs"] = function(session, value)
    return run_tool(session, function() return "x" end, { deep = value })
  end,
  ["inputs as JSON, whole and broken off"] = function(session, value)
    local text = json.encode { deep = value }
    return {
      run_tool(session, function() return "x" end, text),
      run_tool(session, function() return "x" end, text .. "}"),
      session:call("nobody", text),
    }
  end,
  ["a full output"] = function(session, value)
    local list = {}
    for i = 1, 3000 do
      list[i] = i % 500 == 0 and value or "x"
    end
    return session:cap("t", list)
  end,
  ["a small budget"] = function(session, value)
    return session:cap("t", value, { limits = { max_bytes = random.between(0, 200) } })
  end,
  ["structured content"] = function(session, value)
    local text = json.encode(value)
    return {
      mcp.cap("t", { structuredContent = { deep = value }, content = {} }, { session = session }),
      mcp.cap("t", { structuredContent = { deep = value }, content = { { type = "text", text = "x" } } }, {
        session = session,
      }),
      mcp.cap("t", { structuredContent = { deep = value, ("x"):rep(60000) } }, { session = session }),
      mcp.cap("t", value, { session = session }),
      text and session:cap("t", value),
    }
  end,
  ["avante's tools"] = function(session, value)
    local tools = { process_tool_use = function() return value, nil end }
    avante.tools(tools, { session = session })
    local failing = { process_tool_use = function() return nil, value end }
    avante.tools(failing, { session = session })
    return { (tools.process_tool_use({}, { name = "t" })), select(2, failing.process_tool_use({}, { name = "t" })) }
  end,
  ["mcphub's hub"] = function(session, value, secret)
    local hub = {
      call_tool = function() return { content = { { type = "text", text = secret } }, structuredContent = value } end,
      access_resource = function() return { contents = { { uri = "a:b", text = secret, _meta = value } } } end,
    }
    mcphub.attach(hub, { session = session })
    return { (hub:call_tool("s", "t", {}, {})), (hub:access_resource("s", "a:b", {})) }
  end,
  ["a reply's calls"] = function(session, value, secret)
    session:register { name = "tool", execute = function() return value end }
    local arguments = json.encode { deep = value }
    local calls = {}
    for i, text in ipairs { arguments, arguments:sub(1, -2), "{}" } do
      calls[i] = { id = "c" .. i, type = "function", ["function"] = { name = "tool", arguments = text } }
    end
    calls[4] = { id = "c4", type = "function", ["function"] = { name = secret, arguments = arguments } }
    local use = { type = "tool_use", id = "a", name = "tool", input = { deep = value } }
    return { openai.results(session, { tool_calls = calls }), anthropic.results(session, { content = { use } }) }
  end,
}

local function sorted_names()
  local names = {}
  for name in pairs(WAYS) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

describe("a redacted secret of any bytes", function()
  setup(function()
    dir = tmpdir.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  for _, name in ipairs(sorted_names()) do
    it("is nowhere in " .. name .. " (" .. random.seed .. ")", function()
      random.each(12, function()
        local secret = new_secret()
        local redact = random.chance(2) and { pattern_of(secret) } or function_of(secret)
        local session, seen = open { redact = redact }
        local value, parts = data_with(secret, 3), parts_of(secret)
        local out = WAYS[name](session, value, secret)
        local found = leak(out, parts) or leak(seen, parts) or leak_on_disk(session, parts)
        random.must(not found, "%s", found)
        session:close()
      end)
    end)
  end
end)
