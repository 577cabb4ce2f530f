-- history.fit: results that a later one supersedes go before all others.

local abridge = require "abridge"
local history = require "abridge.history"
local lines = require "support.numbered"
local merge = require "support.merge"

--- Which of some calls' results go first: all are as large, and there is room for all but some. Each call is
--- { name, input, failed, content }; the last one stays.
local function first_to_go(calls, over)
  local messages = { { role = "user", content = "Go." } }
  for i, call in ipairs(calls) do
    local use = { type = "tool_use", id = "u" .. i, name = call[1], input = call[2] }
    local result = { type = "tool_result", tool_use_id = "u" .. i, content = call[4] or lines(100), is_error = call[3] }
    messages[#messages + 1] = { role = "assistant", content = { use } }
    messages[#messages + 1] = { role = "user", content = { result } }
  end
  messages[#messages + 1] = { role = "assistant", content = "Done." }
  local opts =
    { format = "anthropic", max_tokens = 1e6, keep = 0, clear_at_least = 0, inputs = false, exchanges = false }
  local _, report = history.fit(messages, merge(opts, over))
  opts.max_tokens, opts.trigger = report.tokens_before, 0.9999
  opts.target = opts.trigger - 1e-6
  local order, last = {}, {}
  while opts.target > 0.05 do
    for _, at in ipairs(select(2, history.fit(messages, opts)).changed) do
      if not last[at] then order[#order + 1] = ("%.0f"):format((at - 1) / 2) end
      last[at] = true
    end
    opts.target = opts.target - 0.02
  end
  return table.concat(order, " ", 1, #calls)
end

local UNRELATED = { "look", {} }

describe("what goes first", function()
  it("is what was asked for again with the same input, by whichever spelling of the path", function()
    assert.equal(
      "2 1 3 4",
      first_to_go { UNRELATED, { "find", { a = 1, b = 2 } }, { "find", { b = 2, a = 1 } }, { "say", {} } }
    )
    assert.equal(
      "2 1 3 4",
      first_to_go {
        UNRELATED,
        { "Read", { file_path = "./a//b.lua" } },
        { "Read", { file_path = "a/b.lua" } },
        { "say", {} },
      }
    )
    local drive = { "Read", { file_path = "C:\\src\\a.lua" } } -- of Windows, wherever this runs
    assert.equal("2 1 3", first_to_go { UNRELATED, drive, { "Read", { file_path = "c:/src/b/../a.lua" } } })
    assert.equal("1 2 3", first_to_go { UNRELATED, drive, { "Read", { file_path = "D:\\src\\a.lua" } } })
    assert.equal(
      "1 2 3",
      first_to_go { UNRELATED, { "Read", { file_path = "a.lua" } }, { "Read", { file_path = "lib/a.lua" } } }
    )
    assert.equal(
      "1 2 3",
      first_to_go { UNRELATED, { "Read", { file_path = "a.lua" } }, { "Read", { file_path = "/a.lua" } } }
    )
    assert.equal(
      "1 2 3",
      first_to_go { UNRELATED, { "reader", { file_path = "./a.lua" } }, { "reader", { file_path = "a.lua" } } }
    )
    assert.equal(
      "2 1 3",
      first_to_go(
        { UNRELATED, { "peek", { at = "./a" } }, { "peek", { at = "a" } } },
        { tools = { peek = { reads = "at" } } }
      )
    )
  end)

  it("is what a wider read of the file shows again, and no page beyond it", function()
    local function order(first, second, content)
      return first_to_go {
        UNRELATED,
        { "read_file", first, false, lines(11) .. (" word"):rep(120) },
        { "read_file", second, false, content },
      }
    end
    local page = { path = "a.lua", offset = 10, limit = 11 }
    assert.equal("2 1 3", order(page, { path = "./a.lua" }))
    assert.equal("2 1 3", order(page, { path = "a.lua", limit = 100 }))
    assert.equal("2 1 3", order(page, { path = "a.lua", offset = 10 }))
    assert.equal("1 2 3", order(page, { path = "b.lua" }))
    assert.equal("1 2 3", order(page, { path = "a.lua", offset = 11 }))
    assert.equal("1 2 3", order({ path = "a.lua", offset = 95, limit = 11 }, { path = "a.lua" }))
    local cut = lines(100) .. "\n\n[Showing lines 1-15 of 300 (30KB limit)]"
    assert.equal("1 2 3", order(page, { path = "a.lua" }, cut))
    assert.equal("1 2 3", first_to_go { UNRELATED, { "Read", page }, { "read_file", { path = "a.lua" } } })
  end)

  it("is what an edit or a write of the file has made stale, if that did not fail", function()
    local read, other = { "read_file", { path = "lib/a.lua", offset = 200 } }, { "read_file", { path = "a.lua" } }
    local function order(edit, over)
      return first_to_go({ other, read, edit, { "read_file", { path = "lib/a.lua" } } }, over)
    end
    assert.equal("2 1 3 4", order { "edit_file", { path = "./lib/a.lua" } })
    assert.equal("2 1 3 4", order { "Write", { file_path = "lib/../lib/a.lua" } })
    assert.equal("1 2 3 4", order { "edit_file", { path = "lib/a.lua" }, true })
    assert.equal("1 2 3 4", order { "edit_files", { path = "lib/a.lua" } })
    assert.equal("1 2 3 4", order({ "edit_file", { path = "lib/a.lua" } }, { tools = { edit_file = false } }))
    assert.equal("2 1 3 4", order({ "patch", { at = "lib/a.lua" } }, { tools = { patch = { writes = "at" } } }))
    local after = first_to_go { other, { "edit_file", { path = "lib/a.lua" } }, read, UNRELATED }
    assert.equal("1 2 3 4", after) -- what was read after the edit is not stale
  end)

  it("is not what a failed call was to show again", function()
    assert.equal(
      "1 2 3",
      first_to_go { UNRELATED, { "read_file", { path = "a" } }, { "read_file", { path = "a" }, true } }
    )
    assert.equal(
      "2 1 3 4",
      first_to_go({
        UNRELATED,
        { "read_file", { path = "a" }, true },
        { "read_file", { path = "a" }, true },
        { "read_file", { path = "a" } },
      }):gsub("2 3 1", "2 1 3")
    )
  end)

  it("is known by the session's folder and its names for tools", function()
    local session = assert(abridge.session { cwd = "/home/me", profile = "pi", run_dir = false })
    local calls = { UNRELATED, { "read", { path = "a.lua" } }, { "read", { path = "/home/me/a.lua" } } }
    assert.equal("2 1 3", first_to_go(calls, { session = session }))
    assert.equal("1 2 3", first_to_go(calls))
    session:close()
  end)

  it("is misused where it is not said in tools, by name", function()
    local function refused(tools)
      local ok, why = pcall(history.fit, {}, { format = "openai", max_tokens = 1, tools = tools })
      assert.is_false(ok)
      return (tostring(why):gsub("^.-abridge.history.fit: ", ""))
    end
    assert.equal("tools must be a table, got 5", refused(5))
    assert.equal("tools.peek must be a table or false, got true", refused { peek = true })
    assert.equal("tools must have names as keys, got 1", refused { {} })
    assert.matches("unknown .*'reed'", refused { peek = { reed = "path" } })
    assert.matches("reads must be a string, got true", refused { peek = { reads = true } })
  end)
end)
