--- The token estimate, and budgets in tokens wherever a text is cut. Costs of single features: spec/c/test_tokens.c.

local abridge = require "abridge"
local core = require "abridge.core"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local must = random.must

--- Texts whose tokens are known (o200k_base), and how far off, as a share, the estimate may be for so short a
--- text. `make bench-tokens` measures it on many.
local KNOWN = {
  {
    name = "C",
    tokens = 50,
    within = 0.15,
    text = 'int main(int argc, char **argv)\n{\n    if (argc < 2) {\n        fprintf(stderr, "usage: %s FILE'
      .. '\\n", argv[0]);\n        return 1;\n    }\n    return run(argv[1]);\n}\n',
  },
  {
    name = "prose",
    tokens = 47,
    within = 0.15,
    text = "The quick brown fox jumps over the lazy dog. It was not the first time, and it would not be the la"
      .. "st: every evening, as the sun went down behind the hills, the same fox came back to the same fence"
      .. ".\n",
  },
  {
    name = "json",
    tokens = 58,
    within = 0.15,
    text = '{"id":48213,"user":{"name":"alice","roles":["admin","dev"]},"created_at":"2024-03'
      .. '-12T08:15:42Z","score":0.8731,"active":true,"tags":["urgent","billing"],"parent":null'
      .. "}\n",
  },
  {
    name = "syslog",
    tokens = 80,
    within = 0.15,
    text = "Mar 12 08:15:42 web-3 sshd[20417]: Failed password for invalid user admin from 203.0.113.77 port 5"
      .. "1022 ssh2\nMar 12 08:15:44 web-3 sshd[20417]: Connection closed by invalid user admin 203.0.113.77"
      .. " port 51022 [preauth]\n",
  },
  {
    name = "ls -l",
    tokens = 96,
    within = 0.15,
    text = "-rw-r--r-- 1 root root   12873 Jan  4 11:20 Makefile\n-rw-r--r-- 1 root root    1062 Jan  4 11:20 "
      .. "LICENSE\ndrwxr-xr-x 2 root root    4096 Feb 17 09:03 csrc\ndrwxr-xr-x 3 root root    4096 Feb 17 0"
      .. "9:03 lua\n",
  },
  {
    name = "sums",
    tokens = 82,
    within = 0.15,
    text = "d41d8cd98f00b204e9800998ecf8427e  usr/share/doc/hello/changelog.gz\n9e107d9d372bb6826bd81d3542a419"
      .. "d6  usr/share/doc/hello/copyright\ne4d909c290d0fb1ca068ffaddf22cbd0  usr/bin/hello\n",
  },
  {
    name = "base64",
    tokens = 150,
    within = 0.15,
    text = "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieSB0aGlz\nIHNpbmd1bGFyIHBhc3Np"
      .. "b24gZnJvbSBvdGhlciBhbmltYWxzLCB3aGljaCBpcyBhIGx1c3Qgb2Yg\ndGhlIG1pbmQsIHRoYXQgYnkgYSBwZXJzZXZlcmFu"
      .. "Y2Ugb2YgZGVsaWdodCBpbiB0aGUgY29udGlu\n",
  },
  {
    name = "Russian",
    tokens = 34,
    within = 0.3,
    text = "\208\146\209\129\208\181 \209\129\209\135\208\176\209\129\209\130\208\187\208\184\208\178\209\139"
      .. "\208\181 \209\129\208\181\208\188\209\140\208\184 \208\191\208\190\209\133\208\190\208\182\208\184"
      .. " \208\180\209\128\209\131\208\179 \208\189\208\176 \208\180\209\128\209\131\208\179\208\176, \208"
      .. "\186\208\176\208\182\208\180\208\176\209\143 \208\189\208\181\209\129\209\135\208\176\209\129\209"
      .. "\130\208\187\208\184\208\178\208\176\209\143 \209\129\208\181\208\188\209\140\209\143 \208\189\208"
      .. "\181\209\129\209\135\208\176\209\129\209\130\208\187\208\184\208\178\208\176 \208\191\208\190-\209"
      .. "\129\208\178\208\190\208\181\208\188\209\131. \208\146\209\129\208\181 \209\129\208\188\208\181"
      .. "\209\136\208\176\208\187\208\190\209\129\209\140 \208\178 \208\180\208\190\208\188\208\181 \208"
      .. "\158\208\177\208\187\208\190\208\189\209\129\208\186\208\184\209\133.\n",
  },
  {
    name = "Japanese",
    tokens = 61,
    within = 0.3,
    text = "\229\144\190\232\188\169\227\129\175\231\140\171\227\129\167\227\129\130\227\130\139\227\128\130"
      .. "\229\144\141\229\137\141\227\129\175\227\129\190\227\129\160\231\132\161\227\129\132\227\128\130"
      .. "\227\129\169\227\129\147\227\129\167\231\148\159\227\130\140\227\129\159\227\129\139\227\129\168"
      .. "\227\130\147\227\129\168\232\166\139\229\189\147\227\129\140\227\129\164\227\129\139\227\129\172"
      .. "\227\128\130\228\189\149\227\129\167\227\130\130\232\150\132\230\154\151\227\129\132\227\129\152"
      .. "\227\130\129\227\129\152\227\130\129\227\129\151\227\129\159\230\137\128\227\129\167\227\131\139"
      .. "\227\131\163\227\131\188\227\131\139\227\131\163\227\131\188\230\179\163\227\129\132\227\129\166"
      .. "\227\129\132\227\129\159\228\186\139\227\129\160\227\129\145\227\129\175\232\168\152\230\134\182"
      .. "\227\129\151\227\129\166\227\129\132\227\130\139\227\128\130\n",
  },
  {
    name = "Chinese",
    tokens = 37,
    within = 0.3,
    text = "\228\186\186\228\186\186\231\148\159\232\128\140\232\135\170\231\148\177,\229\156\168\229\176\138"
      .. "\228\184\165\229\146\140\230\157\131\229\136\169\228\184\138\228\184\128\229\190\139\229\185\179"
      .. "\231\173\137\227\128\130\228\187\150\228\187\172\232\181\139\230\156\137\231\144\134\230\128\167"
      .. "\229\146\140\232\137\175\229\191\131,\229\185\182\229\186\148\228\187\165\229\133\132\229\188\159"
      .. "\229\133\179\231\179\187\231\154\132\231\178\190\231\165\158\231\155\184\229\175\185\229\190\133"
      .. "\227\128\130\n",
  },
  {
    name = "Greek",
    tokens = 31,
    within = 0.3,
    text = "\206\140\206\187\206\191\206\185 \206\191\206\185 \206\172\206\189\206\184\207\129\207\137\207\128"
      .. "\206\191\206\185 \206\179\206\181\206\189\206\189\206\185\206\191\207\141\206\189\207\132\206\177"
      .. "\206\185 \206\181\206\187\206\181\207\141\206\184\206\181\207\129\206\191\206\185 \206\186\206\177"
      .. "\206\185 \206\175\207\131\206\191\206\185 \207\131\207\132\206\183\206\189 \206\177\206\190\206"
      .. "\185\206\191\207\128\207\129\206\173\207\128\206\181\206\185\206\177 \206\186\206\177\206\185 \207"
      .. "\132\206\177 \206\180\206\185\206\186\206\177\206\185\207\142\206\188\206\177\207\132\206\177.\n",
  },
  {
    name = "numbers",
    tokens = 50,
    within = 0.15,
    text = "1.25\t3.5\t17.875\n0.0625\t12.75\t9.125\n100.5\t0.875\t42.0\n7.375\t88.25\t3.0625\n",
  },
  {
    name = "a test log",
    tokens = 77,
    within = 0.15,
    text = "test result::parse_empty ... ok\ntest result::parse_long ... ok\ntest stream::close_twice ... FAIL"
      .. "ED\n\nfailures:\n\n---- stream::close_twice stdout ----\nthread 'stream::close_twice' panicked at "
      .. "src/stream.rs:118:9:\nassertion `left == right` failed\n  left: 3\n right: 4\n",
  },
}

describe("abridge.estimate_tokens", function()
  for _, known in ipairs(KNOWN) do
    it("is near the tokens of " .. known.name, function()
      local estimate = abridge.estimate_tokens(known.text)
      local off = math.abs(estimate / known.tokens - 1)
      assert.is_true(off <= known.within, ("%d for %d"):format(estimate, known.tokens))
    end)
  end

  it("is nothing for nothing, and something for anything", function()
    assert.equal(0, abridge.estimate_tokens "")
    for byte = 0, 255 do
      if byte ~= 10 and byte ~= 13 and byte ~= 32 then
        assert.is_true(abridge.estimate_tokens(string.char(byte):rep(2)) > 0, byte)
      end
    end
  end)

  it("is an integer", function()
    assert.equal("41", tostring(abridge.estimate_tokens(KNOWN[2].text)))
  end)

  it("never falls as a text grows at either end", function()
    random.each(300, function()
      local text = random.chance(3) and random.bytes(random.below(60)) or random.text(30)
      local whole = abridge.estimate_tokens(text)
      local at = random.below(#text + 1)
      must(abridge.estimate_tokens(text:sub(1, at)) <= whole, "the first %s of %s", at, text)
      must(abridge.estimate_tokens(text:sub(at + 1)) <= whole, "all but %s of %s", at, text)
    end)
  end)

  it("is the same for long texts, which are read in lanes, as line by line", function()
    random.each(60, function()
      local lines, sum = {}, 0
      for i = 1, 400 do
        local line = random.text(8):gsub("\n", " ") .. "word " .. i .. "\n"
        lines[i] = line
        -- 64 of a line are rounded up once: what is summed are exact 64ths
        sum = sum + abridge.estimate_tokens(line:rep(64))
      end
      local text = table.concat(lines)
      must(abridge.estimate_tokens(text) == math.ceil(sum / 64), "%s, not %s", abridge.estimate_tokens(text), sum / 64)
    end)
  end)

  it("raises on what is no text", function()
    assert.has_error(function()
      abridge.estimate_tokens(nil)
    end)
    assert.has_error(function()
      abridge.estimate_tokens {}
    end)
  end)
end)

-- ---------------------------------------------------------------- budgets

--- A counter that knows more than bytes: words, and each mark.
local function words(text)
  return select(2, text:gsub("[%w\128-\255]+", "")) + select(2, text:gsub("[^%w%s\128-\255]", ""))
end

--- Options with a token budget, by the estimate or by a counter.
local function token_opts(strategy)
  local opts = { strategy = strategy, max_tokens = random.below(80) }
  if random.chance(2) then
    opts.count_tokens = words
  elseif random.chance(2) then
    opts.token_safety = random.choose { 0.5, 1, 2.5 }
  end
  if random.chance(2) then opts.reserve = "\n\n[cut]" end
  if strategy ~= "head_tail" then opts.long_line = "split" end
  return opts
end

local function weighed(text, opts)
  if opts.count_tokens then return opts.count_tokens(text) end
  return core.weigh_tokens(text, opts.token_safety or 1.35)
end

local function real_text()
  local parts = {}
  for i = 1, random.between(1, 8) do
    parts[i] = random.choose(KNOWN).text
  end
  return table.concat(parts)
end

describe("max_tokens", function()
  it("bounds every cut, with its reserve, under the counter and under the estimate", function()
    for _, strategy in ipairs { "head", "tail", "head_tail" } do
      random.each(150, function()
        local opts, text = token_opts(strategy), real_text()
        local content, cut = abridge.cut(text, opts)
        local tokens = weighed(content .. (cut.truncated and opts.reserve or ""), opts)
        local reserve = opts.reserve and weighed(opts.reserve, opts) or 0
        if reserve > opts.max_tokens and cut.truncated then
          must(content == "", "%s beside a reserve that is too large", content)
        else
          must(tokens <= opts.max_tokens, "%s %s: %s tokens of %s", strategy, content, tokens, opts.max_tokens)
        end
        must(#content <= 16 * opts.max_tokens, "%s bytes for %s tokens", #content, opts.max_tokens)
      end)
    end
  end)

  it("is used: no further char fits a split line, at neither end", function()
    random.each(200, function()
      local text = random.choose(KNOWN).text:gsub("\n", " ")
      local opts = { max_tokens = random.between(1, 60), long_line = "split" }
      local head, cut = abridge.head(text, opts)
      if not cut.truncated then return end
      local more = text:match("^.[\128-\191]*", #head + 1)
      must(#head + #more > 16 * opts.max_tokens or weighed(head .. more, opts) > opts.max_tokens, "head %s", head)
      local tail = abridge.tail(text, opts)
      more = text:sub(1, -#tail - 1):match ".[\128-\191]*$"
      must(#tail + #more > 16 * opts.max_tokens or weighed(more .. tail, opts) > opts.max_tokens, "tail %s", tail)
    end)
  end)

  it("keeps more of prose than of base64", function()
    local opts = { max_tokens = 100, long_line = "split" }
    local prose = abridge.head(KNOWN[2].text:rep(20), opts)
    local base64 = abridge.head(KNOWN[7].text:rep(20), opts)
    assert.is_true(#prose > 2 * #base64)
  end)

  it("bounds streams, which give what one call gives", function()
    for _, strategy in ipairs { "head", "tail", "head_tail" } do
      random.each(60, function()
        local opts, text = token_opts(strategy), real_text()
        local s = abridge.stream(opts)
        for at = 1, #text, 97 do
          s:write(text:sub(at, at + 96))
        end
        local early = s:snapshot()
        must(early == s:snapshot(), "a snapshot changes nothing")
        local content = s:finish()
        s:close()
        must(content == (abridge.cut(text, opts)), "%s, not as one call", content)
      end)
    end
  end)

  it("asks a stream's counter only in snapshot and finish, a logarithm of times", function()
    local calls = 0
    local function counter(text)
      calls = calls + 1
      return words(text)
    end
    local s = abridge.stream { strategy = "head_tail", max_tokens = 5000, count_tokens = counter }
    for _ = 1, 2000 do
      s:write(KNOWN[4].text)
    end
    assert.equal(0, calls)
    s:snapshot()
    assert.is_true(calls > 0 and calls < 100, calls)
    s:finish()
    assert.is_true(calls < 200, calls)
    s:close()
  end)

  describe("of what a model is given", function()
    local dir

    setup(function()
      dir = tmpdir.new()
    end)
    teardown(function()
      dir:remove()
    end)

    it("bounds capped text with its notice", function()
      for _, max_tokens in ipairs { 0, 1, 5, 20, 100, 500 } do
        local limits = { strategy = "tail", max_tokens = max_tokens }
        assert.is_true(weighed(abridge.cap(KNOWN[4].text:rep(50), limits), limits) <= max_tokens, max_tokens)
        limits.count_tokens = words
        assert.is_true(words((abridge.cap(KNOWN[4].text:rep(50), limits))) <= max_tokens, max_tokens)
      end
    end)

    it("bounds pages with their notices; the pages rebuild the file", function()
      local text = KNOWN[1].text:rep(40)
      dir:write("file.c", text)
      local limits = { read_file = { max_tokens = 300 } }
      local session = abridge.session { cwd = dir.path, run_dir = false, limits = limits, tools = { "read_file" } }
      local parts, offset = {}, 1
      repeat
        local result = session:call("read_file", { path = "file.c", offset = offset })
        assert.is_true(weighed(result.content, limits.read_file) <= 300)
        parts[#parts + 1] = result.content:sub(1, result.truncation.bytes_returned)
        offset = result.truncation.next_offset
      until not offset or #parts > 200
      session:close()
      assert.is_true(#parts > 5)
      assert.equal((text:gsub("\n$", "")), (table.concat(parts, "\n"):gsub("\n$", "")))
    end)

    it("is text in a session's own counter, or the estimate", function()
      for _, counter in ipairs { false, words } do
        local limits = { shown = { strategy = "head_tail", max_tokens = 120, count_tokens = counter or nil } }
        local session = abridge.session { run_dir = false, limits = limits, tools = {} }
        session:register {
          name = "shown",
          description = "A long text.",
          input_schema = { type = "object" },
          execute = function()
            return KNOWN[13].text:rep(30)
          end,
        }
        local result = session:call("shown", {})
        session:close()
        assert.is_true(result.truncation.truncated)
        assert.is_true(weighed(result.content, limits.shown) <= 120)
      end
    end)
  end)
end)
