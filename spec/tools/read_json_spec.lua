-- read_file with `pointer`: elements of a JSON file from there on, and where to go on.
local abridge = require "abridge"
local host = require "abridge.base.host"
local random = require "support.random"
local reading = require "support.reading"
local tmpdir = require "support.tmpdir"

local dir

local function read(...)
  return reading.read(dir.path, ...)
end

local function fails(input, message, code)
  local result = read(input)
  assert.equal(message, result.content)
  assert.is_true(result.is_error)
  assert.equal(code, result.details.error_code)
end

--- Pages from a pointer on, each read by the pointer of the one before; `visit` gets each result.
local function follow(session, path, pointer, visit)
  local pages = 0
  while pointer do
    local result = session:call("read_file", { path = path, pointer = pointer })
    random.must(not result.is_error and not result.details.inner_error, "%s: %s", pointer, result.content)
    visit(result)
    local seen = pointer
    pointer, pages = result.details.next_pointer, pages + 1
    random.must(pointer ~= seen and pages < 2000, "%s does not lead on", seen)
  end
  return pages
end

local function count(set)
  local n = 0
  for _ in pairs(set) do
    n = n + 1
  end
  return n
end

--- A document of records with ids from 1 to n, as elements of /data/items or members of it, and the order of the ids.
local function records(n, object, pretty)
  local parts = {}
  local gap = pretty and "\n    " or ""
  for i = 1, n do
    local name = object and ('"%s%d": '):format(random.choose { "name ", "a/b~", "\\u00e9", "key" }, i) or ""
    local words = ("some words, "):rep(random.chance(20) and random.between(500, 5000) or random.below(5))
    local more = random.choose { "null", "[1,[2,{}]]", '"\195\169\\n"', "-1.5e3" }
    parts[i] = gap .. name .. ('{"id": %d, "text": "%s", "more": %s}'):format(i, words, more)
  end
  local open, close = object and "{" or "[", object and "}" or "]"
  local items = open .. table.concat(parts, ",") .. (pretty and "\n  " or "") .. close
  return ('{"data": {"items": %s, "total": %d}, "ok": true}\n'):format(items, n)
end

describe("read_file with a pointer", function()
  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("gives the elements from there to the end", function()
    dir:write("f.json", '{"a": [1, {"b": 2},\n "c"], "d": null}\n')
    local result = read { path = "f.json", pointer = "/a/1" }
    assert.equal('[{"b": 2},\n "c"]', result.content)
    assert.is_false(result.truncation.truncated)
    assert.is_nil(result.details.next_pointer)
    assert.equal('{"d": null}', read({ path = "f.json", pointer = "/d" }).content)
    assert.equal('{"a": [1, {"b": 2},\n "c"], "d": null}', read({ path = "f.json", pointer = "" }).content)
  end)

  it("says which elements show, and how to go on", function()
    local items = {}
    for i = 0, 99 do
      items[#items + 1] = ('{"n": %d}'):format(i)
    end
    dir:write("f.json", '{"items": [' .. table.concat(items, ", ") .. "]}")
    local result = read({ path = "f.json", pointer = "/items/80" }, { max_bytes = 170 })
    local shown = '[{"n": 80}, {"n": 81}, {"n": 82}, {"n": 83}, {"n": 84}, {"n": 85}, {"n": 86}]'
    local said = "[Showing elements 80-86 of 100 of /items. Use pointer=/items/87 to continue]"
    assert.equal(shown .. "\n\n" .. said, result.content)
    assert.same({
      truncated = true,
      bytes_returned = #shown,
      bytes_total = 1101,
      next_offset = 87,
      resume_hint = "call read_file with pointer=/items/87",
      reason = "size_cap",
    }, result.truncation)
    assert.equal("/items/87", result.details.next_pointer)
    local item = { unit = "elements", of = "/items", total = 100, kept = 7, first = 80 }
    assert.same({ item }, result.details.cut.items)
  end)

  it("speaks of members, and of none at the root", function()
    dir:write("f.json", '{"a/b": 1, "c~d": "' .. ("some words "):rep(1000) .. '", "e": 2}')
    local result = read({ path = "f.json", pointer = "" }, { max_bytes = 150 })
    assert.equal('{"a/b": 1}\n\n[Showing members 0-0 of 3. Use pointer=/c~0d to continue]', result.content)
    result = read({ path = "f.json", pointer = "/c~0d" }, { max_bytes = 150 })
    assert.matches('^{"c~d":"some words .* omitted%] %.%.%."}\n\n%[', result.content)
    assert.matches("%[Showing members 1%-1 of 3%. Use pointer=/e to continue%]$", result.content)
    assert.equal("/e", result.details.next_pointer)
  end)

  it("counts the lines of the budget", function()
    dir:write("f.json", "[\n1,\n2,\n3,\n4\n]\n")
    local result = read({ path = "f.json", pointer = "/0" }, { max_lines = 2 })
    assert.equal("[1,\n2]\n\n[Showing elements 0-1 of 4. Use pointer=/2 to continue]", result.content)
    assert.equal("line_cap", result.truncation.reason)
    assert.same({ 2, 3 }, { result.details.cut.first_line, result.details.cut.last_line })
    assert.same({ { first_byte = 3, last_byte = 6, first_line = 2, last_line = 3 } }, result.details.cut.kept)
  end)

  it("shows each element once to one who follows the pointers", function()
    random.each(60, function()
      local n, object = random.between(1, 120), random.chance(2)
      local text = records(n, object, random.chance(2))
      dir:write("f.json", text)
      local limits = { max_bytes = random.between(400, 3000) }
      if random.chance(4) then limits.max_tokens = random.between(250, 900) end
      if random.chance(4) then limits.max_chars = random.between(400, 2000) end
      if random.chance(4) then limits.max_lines = random.between(5, 60) end
      local session = abridge.session { cwd = dir.path, run_dir = false, limits = { read_file = limits } }
      local seen, ids = 0, {}
      follow(session, "f.json", object and "/data/items/~#0" or "/data/items/0", function(result)
        local body = result.content:sub(1, result.truncation.bytes_returned)
        random.must(#result.content <= limits.max_bytes, "%s bytes", #result.content)
        random.must(pcall(host.json().decode, body), "no JSON: %s", body)
        local item = result.details.cut.items[1]
        random.must(item.first == seen and item.total == n and item.kept > 0, "%s after %s", item, seen)
        seen = seen + item.kept
        for id in body:gmatch '{"id": ?(%d+)' do
          ids[tonumber(id)] = true
          random.must(tonumber(id) > item.first and tonumber(id) <= seen, "%s in %s", id, item)
        end
        for _, range in ipairs(result.details.cut.kept) do
          local part = text:sub(range.first_byte, range.last_byte):gsub("%s", "")
          random.must(body:gsub("%s", ""):find(part, 1, true), "%s is not shown", part)
        end
      end)
      random.must(seen == n and count(ids) > n * 3 / 4, "%s and %s of %s", seen, count(ids), n)
      session:close()
    end)
  end)

  it("shows the redacted file where the session redacts", function()
    dir:write("f.json", '{"items": ["a secret-1 b", "secret-2", "c"], "secret-3": 1}')
    local opts = { redact = { "secret%-%d" } }
    local result = read({ path = "f.json", pointer = "/items/1" }, nil, opts)
    assert.equal('["[redacted]", "c"]', result.content)
    result = read({ path = "f.json", pointer = "" }, { max_bytes = 130 }, opts)
    assert.is_nil(result.content:find("secret", 1, true))
    opts.limits = { read_file = { max_bytes = 100 } }
    result = read({ path = "f.json", pointer = "/items" }, nil, opts)
    assert.is_nil(result.content:find("secret", 1, true))
  end)

  it("tells of a file that has changed since the last page", function()
    local session = abridge.session { cwd = dir.path, run_dir = false }
    dir:write("f.json", "[1, 2, 3]")
    assert.equal("[2, 3]", session:call("read_file", { path = "f.json", pointer = "/1" }).content)
    dir:write("f.json", "[1, 2, 3, 4]")
    local result = session:call("read_file", { path = "f.json", pointer = "/1" })
    assert.equal("[2, 3, 4]\n\n[File changed since the last page]", result.content)
    session:close()
  end)

  it("cuts a string or number that is the whole document", function()
    dir:write("f.json", '"' .. ("0123456789"):rep(30) .. '"\n')
    assert.equal(302, #read({ path = "f.json", pointer = "" }).content)
    local result = read({ path = "f.json", pointer = "" }, { max_bytes = 200 })
    assert.is_true(result.truncation.truncated)
    assert.is_true(#result.content <= 200)
    dir:write("f.json", "-12.5")
    assert.equal("-12.5", read({ path = "f.json", pointer = "" }).content)
  end)

  describe("refuses", function()
    it("a pointer that leads nowhere, and says where it stops", function()
      dir:write("f.json", '{"items": [1, 2], "name": "x"}')
      local function nowhere(pointer, what)
        local message = ("Pointer %s leads nowhere: %s"):format(pointer, what)
        fails({ path = "f.json", pointer = pointer }, message, "EPOINTER")
      end
      nowhere("/items/2", "/items has 2 elements")
      nowhere("/items/-", "/items has 2 elements")
      nowhere("/rows", "the document has no such member, of 2")
      nowhere("/name/0", "/name is no array or object")
      nowhere("/items/0/x", "/items/0 is no array or object")
      fails({ path = "f.json", pointer = "items" }, "Invalid pointer items: it does not begin with /", "EPOINTER")
      local escapes = "Invalid pointer /a~2: ~ is written ~0 in it, and / ~1"
      fails({ path = "f.json", pointer = "/a~2" }, escapes, "EPOINTER")
    end)

    it("a file that is no JSON, and says at which byte", function()
      dir:write("f.json", '{"a": [1, 2,]}')
      fails({ path = "f.json", pointer = "/a/0" }, "Not JSON: f.json (no JSON at byte 13)", "EJSON")
      dir:write("f.json", '{"a": [1, 2')
      fails({ path = "f.json", pointer = "/a/0" }, "Not JSON: f.json (it ends early at byte 11)", "EJSON")
      dir:write("f.json", "")
      fails({ path = "f.json", pointer = "" }, "Not JSON: f.json (it ends early at byte 0)", "EJSON")
    end)

    it("a pointer beside what counts lines", function()
      dir:write("f.json", "[1]")
      for name, value in pairs { offset = 1, limit = 5, column = 1, line_numbers = true } do
        local input = { path = "f.json", pointer = "/0", [name] = value }
        fails(input, "Invalid input: pointer goes without " .. name, "EINVAL")
      end
    end)

    it("what is no file", function()
      fails({ path = "missing", pointer = "" }, "No such file or directory: missing", "ENOENT")
      fails({ path = ".", pointer = "" }, "Is a directory: .", "EISDIR")
    end)
  end)

  it("reads a large file once: the pages after the first cost what they show #once", function()
    local parts = {}
    for i = 1, 600000 do
      parts[i] = ('{"id": %d, "words": "%s"}'):format(i, "some words, and then some more of the same")
    end
    dir:write("large.json", '{"items": [' .. table.concat(parts, ",\n") .. "]}")
    assert.equal(0, select(3, dir:sh "touch -d 2020-01-01 large.json")) -- no longer young: its index is kept
    local index = abridge.index()
    local function page(pointer)
      local began = os.clock()
      local content, cut = abridge.page(dir:at "large.json", { pointer = pointer, max_bytes = "30KB", index = index })
      return os.clock() - began, cut, content
    end
    local first, cut = page "/items/0"
    local rest = 0
    for _ = 1, 50 do
      local spent
      spent, cut = page(cut.next_pointer)
      rest = rest + spent
    end
    assert.is_true(rest / 50 < first / 20, ("%.4f s, then %.4f s a page"):format(first, rest / 50))
    local spent, _, content = page "/items/500000"
    assert.matches('^%[{"id": 500001,', content)
    assert.is_true(spent < first / 20)
    assert.is_true(index:bytes() < 512 * 1024)
  end)
end)
