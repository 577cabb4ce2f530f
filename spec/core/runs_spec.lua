-- SPEC 6: a run of lines of one form is told as such in its gap.
local abridge = require "support.unsaved"
local contains = require "support.contains"
local random = require "support.random"
local seq = require "support.seq"

local function lacks(content, unwanted)
  assert.is_nil(content:find(unwanted, 1, true), content)
end

local LIKE = "like the one below"
local failed = "not ok 3 - divides\n"

describe("a gap", function()
  it("in a run of lines that differ in numbers alone is told as such", function()
    local content = abridge.priority(seq(1, 50000, "ok %d - adds") .. failed .. seq(1, 40000, "ok %d - adds"), {
      max_bytes = 600,
    })
    local before, after = content:match "^(.-)%f[n]not ok 3 %- divides\n(.*)$"
    local run = "ok (%d+) %- adds\n%.%.%. %[(%d+) lines like the one below omitted%] %.%.%.\nok (%d+)"
    for _, part in ipairs { before, after } do
      local first, told, last = part:match(run)
      assert.equal(tonumber(last) - tonumber(first) - 1, tonumber(told))
    end
  end)

  it("is none where a single line in it is of another form", function()
    for _, odd in ipairs { "ok 7 - adds", "ok 7 - divides - adds", "  ok 7 - adds", "ok", "" } do
      local text = seq(1, 3000, "ok %d - adds")
        .. odd
        .. "\n"
        .. seq(1, 3000, "ok %d - adds")
        .. failed
        .. seq(1, 9, "ok %d - adds")
      local content = abridge.priority(text, { max_bytes = 400 })
      local told = odd == "ok 7 - adds" and contains or lacks
      told(content, LIKE)
      contains(content, " omitted] ...\n")
    end
  end)

  it("is none where lines of one form say different things", function()
    local job = seq(1, 99, "job %d level=info") .. "job 100 level=red\n"
    local text = failed:rep(3) .. job:rep(50) .. seq(1, 99, "job %d level=info")
    for _, weight in ipairs { 0, 0.01 } do
      lacks(abridge.priority(text, { max_bytes = 300, hits = { { text = "level=red", weight = weight } } }), LIKE)
    end
    contains(abridge.priority(text, { max_bytes = 300 }), LIKE)
  end)

  it("knows no run of lines too long to be compared whole", function()
    local long = ("word "):rep(1000) .. "%d"
    local content, cut = abridge.priority(seq(1, 50, long) .. failed .. seq(1, 50, long), { max_bytes = 3000 })
    assert.is_true(cut.truncated)
    lacks(content, LIKE)
  end)

  it("is marked by the caller's own text alone", function()
    local text = seq(1, 5000, "ok %d") .. failed .. seq(1, 5000, "ok %d")
    local own = { max_bytes = 400, marker_text = "<{lines} lines omitted>" }
    lacks(abridge.priority(text, own), LIKE)
    own.marker_text = "... [{lines} lines omitted] ..."
    lacks(abridge.priority(text, own), LIKE)
    lacks(abridge.priority(text, { max_bytes = 400, marker = "none" }), LIKE)
    contains(abridge.priority(text, { max_bytes = 400, marker = "outside" }), LIKE)
    contains((abridge.auto(text, { max_bytes = 400, kind = "log" })), LIKE)
  end)

  it("is told alike by a stream, also while a line is open", function()
    local text = seq(1, 5000, "ok %d") .. failed .. seq(1, 500, "ok %d"):sub(1, -2)
    local stream = abridge.stream { strategy = "priority", max_bytes = 200 }
    stream:write(text)
    local want = abridge.priority(text, { max_bytes = 200 })
    contains(want, LIKE)
    assert.equal(want, (stream:snapshot()))
    assert.equal(want, (stream:finish()))
  end)

  it("is told where the line below is the only one of its run, and open", function()
    local text = failed .. seq(1, 500, "ok %d " .. ("x"):rep(90)):sub(1, -2)
    for _, ending in ipairs { "", "\n" } do
      local content = abridge.priority(text .. ending, { max_bytes = 166 })
      assert.matches("^not ok 3 %- divides\n%.%.%. %[499 lines like the one below omitted%] %.%.%.\n", content)
      assert.matches("%.\nok 500 x+\n?$", content)
    end
  end)
end)

local FORMATS = {
  "ok %d - adds",
  "ok %d - divides",
  "    CC build/part%d.o",
  "step %d",
  "GET /items/%d 200 in 3ms",
  "still waiting",
}

--- The text's lines, each with what it has but for names and numbers. All words here without digits are plain.
local function random_lines()
  local all, forms = {}, {}
  for _ = 1, random.between(2, 60) do
    local format = random.chance(6) and "x.c:%d: error: no disk" or random.choose(FORMATS)
    for _ = 1, random.choose { 1, 1, 2, 3, 12, 150 } do
      all[#all + 1] = format:format(random.below(10000))
      forms[#forms + 1] = format
    end
  end
  return all, forms
end

--- The markers that the gaps of a cut should have.
local function markers_wanted(text, cut, forms)
  local wanted, last = {}, 0
  local function add(to, starts)
    local alike = forms[to] ~= nil and starts
    for i = last + 1, to - 1 do
      alike = alike and forms[i] == forms[to]
    end
    local n = to - last - 1
    alike = alike and n > 1
    if n > 0 then wanted[#wanted + 1] = ("... [%d lines%s omitted] ..."):format(n, alike and " " .. LIKE or "") end
  end
  for _, range in ipairs(cut.kept) do
    add(range.first_line, range.first_byte == 1 or text:sub(range.first_byte - 1, range.first_byte - 1) == "\n")
    last = range.last_line
  end
  add(#forms + 1)
  return wanted
end

describe("runs", function()
  it("are told in every gap that lies in one, and in no other", function()
    local told = 0
    random.each(400, function()
      local all, forms = random_lines()
      local text = table.concat(all, "\n") .. "\n"
      local content, cut = abridge.priority(text, { max_bytes = random.between(200, 4000) })
      if cut.hits.found == 0 then return end
      local markers = {}
      for marker in content:gmatch "%.%.%. %[%d+ lines[ %l]- omitted%] %.%.%." do
        markers[#markers + 1] = marker
        told = told + (marker:find(LIKE, 1, true) and 1 or 0)
      end
      if #markers > 0 then assert.same(markers_wanted(text, cut, forms), markers) end
    end)
    assert.is_true(told > 0)
  end)

  it("are forgotten, the short ones first, where there are thousands", function()
    local parts = {}
    for i = 1, 3000 do
      parts[i] = seq(1, 2 + i % 3, i % 2 == 0 and "ok %d" or "step %d")
    end
    parts[1500] = seq(1, 5000, "ping %d")
    local text = seq(1, 5000, "pong %d") .. table.concat(parts) .. failed .. "over\n"
    local content = abridge.priority(text .. seq(1, 400, "bye %d"), { max_bytes = 300 })
    contains(content, "over\nbye 1\n")
    contains(content, LIKE .. " omitted] ...\nbye ")
    lacks(content:sub(1, content:find(failed, 1, true)), LIKE)
  end)
end)
