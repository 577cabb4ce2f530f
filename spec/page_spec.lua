-- Pages of files: the rule that following them rebuilds the file, by the core and through read_file.
local abridge = require "unsaved"
local core = require "abridge.core"
local tmpdir = require "tmpdir"

local SEED = tonumber(os.getenv "ABRIDGE_SEED") or os.time()

describe("pages one after the other", function()
  local state

  local function below(n)
    state = state * 16807 % 2147483647
    return state % n
  end

  local ALPHABETS = {
    { "a", "b", "\n" },
    { "word ", "longer words ", "\n", "\r\n" },
    { "a", "\n", "\195\169", "\226\130\172", "\240\159\152\128" },
    { "\n", "\255", "\226\130", "\195\169", "x" },
    { "\n", "\n", "x" },
  }

  local function random_text()
    local alphabet, parts = ALPHABETS[below(#ALPHABETS) + 1], {}
    for i = 1, below(300) do
      parts[i] = alphabet[below(#alphabet) + 1]
    end
    return table.concat(parts)
  end

  local function random_limits()
    local limits = {}
    if below(3) > 0 then limits.max_bytes = 80 + below(300) end
    if below(3) == 0 then limits.max_lines = 1 + below(8) end
    if below(4) == 0 then limits.max_chars = 80 + below(300) end
    return limits
  end

  local dir

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  ---Reads a file page by page, as the places in each result say; nil and a reason when that does not end.
  local function follow(session, path, limit)
    local parts, offset, column = {}, 1, nil
    for _ = 1, 2000 do
      local result = session:call("read_file", { path = path, offset = offset, column = column, limit = limit })
      if result.is_error then return nil, result.content end
      local block, cut = result.truncation, result.details.cut
      local body = result.content:sub(1, block.bytes_returned)
      if not block.truncated then
        parts[#parts + 1] = cut.final_newline and body .. "\n" or body
        return table.concat(parts), #parts
      end
      if block.next_offset ~= cut.next_offset then return nil, "block and ledger disagree" end
      parts[#parts + 1] = cut.next_column and body or body .. "\n"
      offset, column = cut.next_offset, cut.next_column
    end
    return nil, "no end"
  end

  it("rebuild the file, for random texts and budgets", function()
    local pages = 0
    for case = 1, 300 do
      state = (SEED * 31 + case * 7919) % 2147483646 + 1
      local text, limits = random_text(), random_limits()
      local limit = below(4) == 0 and 1 + below(5) or nil
      local path = dir:write("text", text)
      local session = abridge.session {
        profile = "pi",
        limits = { read_file = limits },
        tools = below(2) == 0 and { "read_file" } or nil,
      }
      local whole = core.head(text, { max_lines = 2 ^ 53, utf8 = "replace" })
      local rebuilt, n = follow(session, path, limit)
      local what = ("seed %d, case %d: %s"):format(SEED, case, tostring(n))
      assert.equal(whole, rebuilt, what)
      pages = pages + n
    end
    assert.is_true(pages > 600) -- most texts took several pages
  end)

  it("show each line once", function()
    local lines = {}
    for i = 1, 5000 do
      lines[i] = ("%d %s"):format(i, ("z"):rep(i % 90))
    end
    local path = dir:write("lines", table.concat(lines, "\n") .. "\n")
    local rebuilt, n = follow(abridge.session(), path)
    assert.equal(table.concat(lines, "\n") .. "\n", rebuilt)
    assert.is_true(n > 5 and n < 15)
  end)

  it("stay within the budget, each of them", function()
    local text = (("word "):rep(50) .. "\n"):rep(40) .. ("x"):rep(5000) .. "\n"
    local path = dir:write("budget", text)
    for _, budget in ipairs { 60, 90, 150, 400, 1000 } do
      local session = abridge.session { tools = { "read_file" }, limits = { read_file = { max_bytes = budget } } }
      local offset, column, pages = 1, nil, 0
      repeat
        local result = session:call("read_file", { path = path, offset = offset, column = column })
        assert.is_true(#result.content <= budget)
        local cut = result.details.cut
        local before, before_column = offset, column or 1
        offset, column = cut.next_offset, cut.next_column
        pages = pages + 1
        -- each page goes on
        assert.is_true(offset == nil or offset > before or (column or 1) > before_column, budget .. " stands still")
      until not result.truncation.truncated or pages > 5000
      assert.is_true(pages < 5000)
    end
  end)
end)
