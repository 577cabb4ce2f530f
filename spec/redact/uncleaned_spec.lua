-- Redaction of texts that are cleaned: neither an overwritten line nor a dropped byte uncovers what it hides.
-- ABRIDGE_SEED=n repeats a run; a failure prints it.
local abridge = require "abridge"
local opened = require "support.opened"
local random = require "support.random"
local redacting = require "support.redacting"
local tmpdir = require "support.tmpdir"

local MARK = redacting.MARK
local CLEAN = { invisible = true }
local ROOM = 2 ^ 22

local dir

--- The whole text as it would be cut, from one call and from a stream of bytes.
local function shown(text, redact, clean)
  local opts = { strategy = "head", max_bytes = ROOM, clean = clean or CLEAN, redact = redact }
  local content = abridge.cut(text, opts)
  local stream = abridge.stream(opts)
  for i = 1, #text do
    stream:write(text:sub(i, i))
  end
  assert.equal(content, (stream:finish()))
  stream:close()
  return content
end

local function session(opts)
  return redacting.session(dir, opts)
end

--- A text on every way to the model, the log and the disk: no part of the secret is there.
local function assert_hidden_everywhere(text, redact, parts)
  local function assert_hidden(content)
    local found = redacting.leak(content, parts)
    assert(not found, ("%q: %s"):format(text, tostring(found)))
  end
  assert_hidden(shown(text, redact))
  local source = dir:write("printed", text)
  local own, seen = session { redact = redact, limits = { ["*"] = { max_lines = 1 } } }
  local results = {
    own:call("run_command", { command = "cat " .. source }),
    own:call("run_command", { command = ("cat %s; seq 3000"):format(source) }),
    own:cap("github__search", text),
    own:cap("github__search", ("%s\n%s"):format(text, ("x\n"):rep(3000))),
  }
  local cut = results[2].details.cut
  assert.truthy(cut.full_output_path or cut.kind == "binary")
  assert_hidden { results, seen, own:events() }
  assert(not redacting.leak_on_disk(own, parts))
end

describe("redaction of a text that is cleaned #few", function()
  setup(function()
    dir = tmpdir.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  it("hides a line before another one is written over it", function()
    assert_hidden_everywhere("password=hunter2\rDone\n", { "password=%S+" }, { "hunter2", "word" })
    assert.equal("Doneacted]\n", shown("password=hunter2\rDone\n", { "password=%S+" }))
    assert.equal("Doneacted]\n", shown("password=hunter2\n\27[ADone\n", { "password=%S+" }))
    assert.equal("Done\n", shown("password=hunter2\27[2K\27[1GDone\n", { "password=%S+" }))
  end)

  it("hides what a dropped byte parts before it is joined", function()
    for _, gap in ipairs { "\0", "\1", "\27[m", "\27]0;t\7", "\27(B", "\194\133", "\27=", "\226\128\139", "\27[K" } do
      assert_hidden_everywhere("sk-aaaa" .. gap .. "sk-SECOND99" .. gap, { "sk%-%w+" }, { "SECOND99", "aaaa" })
    end
  end)

  it("hides what a dropped byte parts where other control bytes stay", function()
    for _, gap in ipairs { "\27[m", "\27]0;t\7", "\27(B", "\194\133", "\27=" } do
      local text = "sk-aaaa" .. gap .. "sk-SECOND99" .. gap .. " \1x"
      assert.equal(MARK .. " \1x", shown(text, { "sk%-%w+" }, { control = false }))
    end
  end)

  it("hides a secret that dropped bytes split", function()
    for _, gap in ipairs { "\0", "\27[1m", "\27]8;;x\27\\", "\27(B", "\194\133", "\226\128\139", "\27[K", "\27[K\0" } do
      local text = ("sk-se%scr%set99 ok\rDone"):format(gap, gap)
      assert.equal("Doneacted] ok", shown(text, { "sk%-%w+" }))
      assert.equal("Doneacted] ok", shown(text, redacting.hider "sk-secret99"))
    end
  end)

  it("hides a secret whatever moves inside it, there and back or where it writes on", function()
    local moves = { "\0277\0278", "\27[C\27[D", "\27[s\27[u", "x\b", "\27[9G", "\27[1;9H", "\27[D\27[C\0" }
    for _, move in ipairs(moves) do
      local text = ("key sk-S%sECRET99 ok\n"):format(move)
      assert.equal("key " .. MARK .. " ok\n", shown(text, { "sk%-%w+" }))
      assert_hidden_everywhere(text, { "sk%-%w+" }, { "ECRET99" })
    end
    local mended = "key s\27[6Gk-SX\bE\27[10GECR\b\bCRET99\n" -- typing errors put right
    assert.equal("key " .. MARK .. "\n", shown(mended, { "sk%-%w+" }))
    assert.equal(MARK .. "\n", shown("sk-a\bab\bbc\bc1\b12\b2\n", { "sk%-%w+" })) -- bold, as man pages print it
  end)

  it("takes each version of a line as a line", function()
    assert.equal("Doneacted]\n", shown("Loading\rpassword: x\rDone\n", { "^password: .*$" }))
    assert.equal("Xredacted]\n", shown("Done\27[1Gsk-aaaa\27[1GX\n", { "%f[%w]sk%-%w+" }))
  end)

  it("lets a match run over a move, as its bytes stand", function()
    assert.equal(MARK .. "\n", shown("token=\rabc123\n", { "token=%s*%w+" }))
    assert.equal(MARK .. "\n", shown("password=\bhunter2\n", { "password=%S+" }))
    assert.equal(MARK .. "\n", shown("password=\27[1Dhunter2\n", { "password=%S+" }))
  end)

  it("leaves no sequence in part, and none that swallows text", function()
    assert.equal("link end\n", shown("\27]8;;http://x?password=hunter2\27\\link\27]8;;\27\\ end\n", { "password=%S+" }))
    assert.equal("ab" .. (" "):rep(1232) .. "c\n", shown("ab\27[1235Gc\n", { "%d%d%d%d" }))
    assert.equal("c\n", shown("ab\27[1G\27[2Kc\n", { "[%[%dGK]+" }))
  end)

  it("joins no numbers that were written over each other", function()
    assert.equal("5678\n", shown("1234\r5678\n", { "%d%d%d%d%d+" }))
    assert.equal(
      "a\tb..\nc..\n",
      shown("a\tb\r\nc\n", function(line)
        return line .. "."
      end)
    )
  end)

  it("shows of a line that is not over nothing, whatever it is cleaned of", function()
    local stream = abridge.stream { strategy = "tail", max_bytes = 1000, clean = true, redact = { "password=%S+" } }
    for _, chunk in ipairs { "one\n", "password=hun", "\rDone", "ter2" } do
      stream:write(chunk)
      assert.equal("one\n", (stream:snapshot()))
    end
    assert.equal("one\nDoneter2d]", (stream:finish()))
    stream:close()
  end)

  it("hides a secret that stands as it came, where others show only without what parts them", function()
    local gap = "\226\128\139"
    local text = ("sk-%saaa x%ssk-bbb sk-%sccc\n"):format(gap, gap, gap)
    assert.equal(MARK .. "\n", shown(text, { "%f[%w]sk%-%w+" }, false))
  end)

  it("hides a long match in a line over 64 KiB to its end", function()
    local secret = ("A1"):rep(60000)
    local text = ("x "):rep(31000) .. "key=" .. secret .. "\rDone\n"
    local content = shown(text, { "key=%w+" })
    assert.falsy(content:find "A1A1")
    assert.equal("Done", content:sub(1, 4))
  end)

  -- properties ---------------------------------------------------------------------------

  local DROPPED = {
    "\0",
    "\1",
    "\127",
    "\27[1m",
    "\27[38;5;12m",
    "\27[m",
    "\27]0;title\7",
    "\27]8;;http://x\27\\",
    "\27(B",
    "\27=",
    "\194\133",
    "\27[K",
    "\27[0J",
    "\27P1\27\\",
    "\27[?25l",
  }
  local HIDING = { "\226\128\139", "\226\128\141", "\243\160\129\129", "\226\128\174" }
  local MOVES = {
    "\r",
    "\r",
    "\b",
    "\b\b\b",
    "\27[A",
    "\27[2A",
    "\27[B",
    "\27[3C",
    "\27[2D",
    "\27[1G",
    "\27[7G",
    "\27[2;3H",
    "\27[s",
    "\27[u",
    "\27M",
    "\27D",
    "\27E",
    "\27[2K",
    "\27[1K",
    "\27[2P",
    "\27[3@",
    "\27[2X",
    "\27[2J",
    "\r\n",
    "\n",
    "\n",
    "\t",
  }
  local WORDS = { "a", "word ", "10% ", "ok", "caf\195\169 ", "\230\188\162", " ", "= ", "\255" }
  local UPPER = {}
  for letter in ("ABCDEFGHIJLMNOPQRTUVWXYZ"):gmatch "." do
    UPPER[#UPPER + 1] = letter
  end
  local PART = 5

  --- A secret as it stands in the text, dropped bytes between its own.
  local function split(secret, among)
    return (
      secret:gsub(".", function(char)
        return char .. (random.chance(4) and random.choose(among) or "")
      end)
    )
  end

  --- A text with secrets, and what must not show of them. Dropped bytes stand between whole secrets or within some: in
  --- a text with both, nothing tells which.
  local function text_with_secrets(long)
    local out, parts, splits = {}, {}, random.chance(2)
    local among = random.chance(2) and DROPPED or random.chance(2) and HIDING or { random.choose(DROPPED) }
    for _ = 1, random.between(1, 25) do
      local kind = random.below(8)
      if kind < 2 then
        local secret = "SK-" .. random.join(UPPER, random.between(6, 16))
        out[#out + 1] = splits and random.chance(2) and split(secret, among) or secret
        out[#out + 1] = splits and random.choose { "\r", "\27[A", "\b", " ", "=", "\n" }
          or random.choose { random.choose(among), random.choose(MOVES), " ", "=" }
        for i = 4, #secret - PART + 1 do
          parts[#parts + 1] = secret:sub(i, i + PART - 1)
        end
      elseif kind < 5 then
        out[#out + 1] = random.choose(MOVES)
      elseif kind == 5 then
        out[#out + 1] = random.choose(DROPPED)
      else
        out[#out + 1] = random.choose(WORDS)
      end
      if long and random.chance(3) then out[#out + 1] = random.choose(WORDS):rep(random.between(1, 12000)) end
    end
    return table.concat(out), parts
  end

  local REDACTORS = {
    { "SK%-[A-Z]+" },
    { "%f[%w]SK%-%u%u%u+", "SK%-%u*" },
    function(line)
      return (line:gsub("SK%-%u+", MARK))
    end,
  }

  local function assert_no_part(content, parts, text)
    for _, part in ipairs(parts) do
      if content:find(part, 1, true) then error(("%s of %q shows in %q"):format(part, text, content), 0) end
    end
  end

  local function in_chunks(text, opts, most)
    local stream = abridge.stream(opts)
    for chunk in random.chunks(text, most) do
      stream:write(chunk)
      if random.chance(40) then stream:snapshot() end
    end
    local content = stream:finish()
    stream:close()
    return content
  end

  it("shows no part of a secret among moves and dropped bytes, in any chunks", function()
    random.each(1500, function()
      local text, parts = text_with_secrets(false)
      local opts = { strategy = "head", max_bytes = ROOM, clean = CLEAN, redact = random.choose(REDACTORS) }
      local content = abridge.cut(text, opts)
      assert_no_part(content, parts, text)
      assert.equal(content, in_chunks(text, opts, random.choose { 1, 3, 50 }))
    end)
  end)

  it("shows none in lines over 64 KiB", function()
    random.each(60, function()
      local text, parts = text_with_secrets(true)
      local opts = { strategy = "head", max_bytes = ROOM, clean = CLEAN, redact = random.choose(REDACTORS) }
      local content = abridge.cut(text, opts)
      assert_no_part(content, parts, text)
      assert.equal(content, in_chunks(text, opts, random.choose { 700, 70000 }))
    end)
  end)

  it("writes none to the log or the full outputs", function()
    random.each(12, function()
      local text, parts = text_with_secrets(random.chance(4))
      if #parts > 0 then assert_hidden_everywhere(text, random.choose(REDACTORS), parts) end
    end)
  end)

  it("cleans a text without secrets as if there were no redaction", function()
    random.each(2000, function()
      local pieces = {}
      for i = 1, random.below(30) do
        pieces[i] = random.choose(random.choose { DROPPED, HIDING, MOVES, WORDS, { "\27[", "\27", "\226\128", "\24" } })
      end
      local text, clean = table.concat(pieces), random.choose { CLEAN, { erase = false }, { cursor = false }, {} }
      local plain = abridge.clean(text, clean)
      local opts = { strategy = "head", max_bytes = ROOM, clean = clean, redact = random.choose(REDACTORS) }
      assert.equal(plain, (abridge.cut(text, opts)))
      assert.equal(plain, in_chunks(text, opts, 3))
    end)
  end)

  it("cleans a line over 64 KiB without secrets as if there were no redaction", function()
    local pieces = { "\240\159\152\128", "\230\188\162", "\195\169", "word ", "letters", "\27[1m", "\27[K", "9%\r" }
    random.each(12, function()
      local some = { random.choose(pieces), random.choose(pieces), random.choose(pieces) }
      local text = random.join(some, 70000)
      local redact = random.choose { { "SK%-[A-Z]+" }, { "^SK%-[A-Z]+$", "^%d%d%d%d+$" }, redacting.hider "SK-" }
      local opts = { strategy = "head", max_bytes = ROOM, clean = CLEAN, redact = redact }
      assert.equal((abridge.clean(text, CLEAN)), (abridge.cut(text, opts)))
    end)
  end)
end)
