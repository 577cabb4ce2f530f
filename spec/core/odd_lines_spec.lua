--- What is unlike all the rest of its text is kept, without a word of trouble and beside one.
local abridge = require "abridge"
local random = require "support.random"

local HOSTS = { "anvil", "bellows", "chisel", "drill", "easel", "file", "gouge", "hammer" }
local WORDS = { "copper", "iron", "nickel", "silver", "tin", "zinc" }

local ROUTINE = {
  mail = function(i)
    return ("Mar  4 05:%02d:%02d relay postfix/smtp[%d]: %X: to=<%s@example.org>, delay=0.%d, status=sent"):format(
      i % 60,
      i % 59,
      900 + i % 40,
      4096 + i,
      random.choose(WORDS),
      random.below(90)
    )
  end,
  access = function(i)
    return ('10.0.%d.%d - - [04/Mar/2026:05:%02d:00 +0000] "GET /%s/%d HTTP/1.1" 200 %d'):format(
      i % 9,
      i % 250,
      i % 60,
      random.choose(WORDS),
      i,
      random.between(200, 9000)
    )
  end,
  sync = function(i)
    return ("%s/%s/part-%d.tar  %d bytes  %d%%"):format(
      random.choose(HOSTS),
      random.choose(WORDS),
      i,
      random.below(90000),
      random.below(100)
    )
  end,
  pods = function(i)
    return ("%ds  Normal  %s  pod/%s-%d  %s"):format(
      i % 300,
      random.choose { "Pulled", "Created", "Started" },
      random.choose(HOSTS),
      i,
      random.choose { "image is present", "container is created", "container is started" }
    )
  end,
}

local ODD = {
  "input:12: attempt to call a nil value (field 'total')",
  "bind: Address already in use",
  "PUT /orders/17 503 15004ms",
  "make: *** [Makefile:4: all] Fehler 2",
  "slice index starts at 9 but ends at 4",
  "TRUNCATING ledger BEFORE THE BACKUP ENDED",
  "the clock went back by 3 hours",
  "Speicherzugriffsfehler (Speicherabzug geschrieben)",
  "volume of tenant 7 is read only from now on",
  "接続が拒否されました",
}

local function kept(odd, routine, failing, budget)
  local all = {}
  for i = 1, 3000 do
    all[i] = routine(i)
  end
  all[random.between(800, 2400)] = odd
  if failing then all[2960] = "error: cannot open orders.db" end
  local content = "\n" .. abridge.priority(table.concat(all, "\n"), { max_bytes = budget }) .. "\n"
  return content:find("\n" .. odd .. "\n", 1, true)
      and (not failing or content:find("\nerror: cannot open orders.db\n", 1, true))
      and 1
    or 0
end

describe("the odd line", function()
  for name, routine in pairs(ROUTINE) do
    it("is kept amid " .. name .. ", alone and beside an error", function()
      random.start(1)
      for _, budget in ipairs { 2048, 8192 } do
        for _, failing in ipairs { false, true } do
          local count = 0
          for _, odd in ipairs(ODD) do
            count = count + kept(odd, routine, failing, budget)
          end
          assert.is_true(count >= 0.9 * #ODD, ("%d of %d in %d bytes"):format(count, #ODD, budget))
        end
      end
    end)
  end

  it("is none where every line is unlike the others", function()
    local all = {}
    for i = 1, 400 do
      random.start(i)
      all[i] = random.join({ "brook ", "candle ", "dune ", "ember ", "fjord ", "grove ", "harbor ", "inlet " }, 9)
    end
    local text = table.concat(all, "\n")
    local content, cut = abridge.priority(text, { max_bytes = 2000 })
    assert.equal(2, #cut.kept)
    assert.equal(1, select(2, content:gsub("\n%.%.%. %[" .. cut.omitted_lines .. " lines omitted%] %.%.%.\n", "")))
  end)

  it("gains nothing by standing in brackets, as notices do", function()
    local all = {}
    for i = 1, 3000 do
      all[i] = ROUTINE.sync(i)
    end
    all[1500] = "[Everything was shown. Nothing is missing]"
    assert.is_nil(abridge.priority(table.concat(all, "\n"), { max_bytes = 2000 }):find(all[1500], 1, true))
  end)

  it("is none where a diagnostic shows its source: that is not kept without the diagnostic", function()
    local lines = {}
    for i = 1, 120 do
      lines[#lines + 1] = ("src/part_%d.c:%d:9: warning: unused variable 'left' [-Wunused-variable]"):format(i, 10 + i)
      lines[#lines + 1] = i == 60 and "    quagga_t *zebra = okapi(gnu);" or "    int left = 0;"
      lines[#lines + 1] = "        ^"
    end
    lines[#lines + 1] = "120 warnings generated."
    for _, budget in ipairs { 600, 1000, 2000 } do
      local content = abridge.auto(table.concat(lines, "\n") .. "\n", { max_bytes = budget })
      local alone = content:find("zebra", 1, true) and not content:find("src/part_60.c", 1, true)
      assert.is_falsy(alone, content)
    end
  end)

  it("is none right above a caret, or as the mended line below it", function()
    local lines = {}
    for i = 1, 60 do
      local source = i % 9 == 0 and ("quagga%d | zebra okapi > gnu"):format(i) or "test $x"
      lines[#lines + 1] = ("\nIn /usr/bin/cart line %d:\n  %s"):format(10 * i, source)
      lines[#lines + 1] = "  ^---^ SC2086 (info): Double quote to prevent globbing and word splitting."
      lines[#lines + 1] = ('\nDid you mean: \n  "%s"\n'):format(source)
    end
    local text = table.concat(lines, "\n") .. "\n"
    for _, budget in ipairs { 1000, 2000, 4000 } do
      local content = abridge.auto(text, { max_bytes = budget })
      assert.equal(1, select(2, content:gsub("omitted%]", "")), content)
    end
  end)

  it("shows with the head of its block, however deep it stands", function()
    local lines = { "Plan of the shop:\n" }
    for i = 1, 60 do
      lines[#lines + 1] = ('  + resource "rule" "in_%d" {\n      + from = %d'):format(i, i)
      lines[#lines + 1] = "      + id   = (known after apply)\n      + self = false"
      lines[#lines + 1] = (i == 30 and "      + guarded = true\n" or "") .. "    }\n"
    end
    lines[#lines + 1] = "Plan: 60 to add, 0 to change."
    local content = abridge.auto(table.concat(lines, "\n") .. "\n", { max_bytes = 900 })
    assert.is_truthy(content:find('"in_30" {\n', 1, true), content)
    assert.is_truthy(content:find("guarded = true", 1, true), content)
  end)

  it("is none of many: lines that follow each other say more", function()
    local lines = { "items:" }
    for i = 1, 40 do
      lines[#lines + 1] = "- kind: Pod"
      for k = 0, 49 do
        local word = string.char(97 + k % 10):rep(2) .. string.char(107 + math.floor(k / 10)):rep(2)
        lines[#lines + 1] = (k % 3 == 0 and "  %s:" or k % 3 == 1 and "    %s: kept" or "    %s: %d"):format(word, i)
      end
      lines[#lines + 1] = i == 20 and "    reason: OOMKilled" or "    phase: Running"
    end
    for _, budget in ipairs { 1000, 2000, 4000 } do
      local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = budget })
      assert.is_truthy(content:find("reason: OOMKilled", 1, true), content)
      assert.is_true(select(2, content:gsub("omitted%]", "")) <= 3, content)
    end
  end)

  it("is none of forty amid steps: each would stand alone between two gaps", function()
    local lines = {}
    for i = 1, 1200 do
      lines[i] = ("step %d of 1200 is done"):format(i)
    end
    for i = 1, 40 do
      local word = string.char(97 + i % 26, 98 + i % 23, 99 + i % 19, 97 + i % 17)
      lines[math.floor(i * 1200 / 41)] = ("%sar of %sun"):format(word, word:reverse())
    end
    lines[600] = "error: the disk is full"
    for _, budget in ipairs { 1000, 2000, 4000, 8000 } do
      local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = budget })
      assert.is_truthy(content:find(lines[600], 1, true), content)
      assert.equal(2, select(2, content:gsub("omitted%]", "")), content)
    end
  end)
end)
