-- What a priority cut owes its reader: the lines that matter, whatever surrounds them and however they arrive.
local abridge = require "abridge"
local merge = require "support.merge"
local plain = require "support.plain"
local random = require "support.random"

local must = random.must

local function has(content, line)
  return ("\n" .. content .. "\n"):find("\n" .. line .. "\n", 1, true) ~= nil
end

describe("a priority cut", function()
  it("keeps the end and the first real error under a flood of them", function()
    local flood = {}
    for i = 1, 10000 do
      flood[i] = ("worker %d: error: connection %d refused"):format(i % 7, i * 31)
    end
    local text = "start\n" .. "fatal: disk full\n" .. table.concat(flood, "\n") .. "\nthe last line\n"
    local content, cut = abridge.priority(text, { max_bytes = 2048 })
    assert.is_true(has(content, "fatal: disk full"))
    assert.is_true(has(content, "the last line"))
    assert.is_true(cut.hits.found > cut.hits.kept and cut.hits.kept > 0)
  end)

  it("keeps a traceback whole", function()
    local trace = {
      "Traceback (most recent call last):",
      '  File "app.py", line 31, in <module>',
      "    main()",
      '  File "app.py", line 12, in main',
      "    raise ValueError(name)",
      "ValueError: no such name",
    }
    local noise = {}
    for i = 1, 3000 do
      noise[i] = ("step %d of 3000 finished in %d ms"):format(i, i * 7 % 90)
    end
    local half = table.concat(noise, "\n") .. "\n"
    local content = abridge.priority(half .. table.concat(trace, "\n") .. "\n" .. half, { max_bytes = 2048 })
    assert.truthy(content:find(table.concat(trace, "\n"), 1, true))
  end)

  local WORDS = {
    "ok\n",
    "error: x\n",
    "FAILED t\n",
    "step 1\n",
    "step 2\n",
    "  at f (a.js:1)\n",
    "\n",
    "0 errors\n",
    "warning: y\n",
    "a long line of no interest at all, and so on\n",
    "Traceback (most recent call last):\n",
    "\195\169\226\130\172\n",
    "\255",
    ("z"):rep(300) .. " error: deep " .. ("z"):rep(300) .. "\n",
    "\r\n",
    "no newline",
  }

  it("is the same for any chunks, within its budgets, its ledger true", function()
    random.each(300, function(case)
      local parts = {}
      for i = 1, random.between(0, 400) do
        parts[i] = WORDS[random.between(1, #WORDS)]
      end
      local text = table.concat(parts)
      local opts = { max_bytes = random.between(0, 1500), utf8 = random.between(0, 1) == 1 and "replace" or nil }
      if random.between(1, 4) == 1 then opts.max_lines = random.between(0, 40) end
      if random.between(1, 4) == 1 then opts.max_chars = random.between(0, 1500) end
      if random.between(1, 4) == 1 then opts.max_tokens = random.between(0, 400) end
      local content, cut = abridge.priority(text, opts)
      must(#content <= opts.max_bytes, "case %d: %d bytes", case, #content)
      must(plain.ledger_error(cut) == nil, "case %d: %s", case, plain.ledger_error(cut))
      must(not opts.max_lines or cut.output_lines <= opts.max_lines, "case %d: lines", case)
      local stream = abridge.stream(merge({ strategy = "priority" }, opts))
      for chunk in random.chunks(text, 60) do
        stream:write(chunk)
      end
      local streamed, ledger = stream:finish()
      stream:close()
      must(streamed == content, "case %d: the stream shows %s, not %s", case, streamed, content)
      assert.same(cut, ledger)
    end)
  end)
end)
