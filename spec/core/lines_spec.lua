-- SPEC 6: what one line says. Two lists of lines, a kind and a tab before each: those that report no trouble are no
-- hits, those that tell of it are; a third names the lines of both that are judged wrongly.
local abridge = require "support.unsaved"

local PLAIN = ("a line of plain words\n"):rep(20)

-- Is the line a hit amid plain ones?
local function is_hit(line)
  local _, cut = abridge.priority(PLAIN .. line .. "\n" .. PLAIN, { max_bytes = 400 })
  return cut.hits.found > 0
end

--- Rows that are judged wrongly: of a list of which every line should be a hit, or none.
local function misjudged(path, should_be_hit)
  local found = {}
  for row in io.lines(path) do
    local line = assert(row:match "^%w+\t(.+)$", row)
    if is_hit(line) ~= should_be_hit then found[#found + 1] = row end
  end
  return found
end

describe("one line", function()
  it("that reports no trouble is no hit, and one that tells of it is, but for those known to be misjudged", function()
    local known = {}
    for row in io.lines "spec/data/misjudged_lines.tsv" do
      known[#known + 1] = row
    end
    local wrong = misjudged("spec/data/harmless_lines.tsv", false)
    for _, row in ipairs(misjudged("spec/data/telling_lines.tsv", true)) do
      wrong[#wrong + 1] = row
    end
    assert.same(table.concat(known, "\n"), table.concat(wrong, "\n"))
  end)

  it("means the same after what another program puts before each line it passes on", function()
    local before = {
      "web-1  | ", -- docker compose
      "0|web  | ", -- pm2
      "10:00:01 web.1  | ", -- foreman
      "db-1  | 2026-11-27 10:00:00 ",
      "@shop/web:test: ", -- turbo
      "     7\t", -- cat -n
      "│ ", -- terraform
      "[rank0]: ", -- torchrun
      "[build:28] ", -- drone
      "2026-11-27 10:00:00,123 p=812 u=shop n=ansible | ", -- Ansible's log
      "2026-11-27T10:00:00.123456Z 00O ", -- GitLab
      "2026-11-27T10:00:00.123456Z 01E+",
      "2026-11-27T10:00:00.123456789Z stderr F ", -- a container's log
      "[2026-11-27 10:00:00,123] ",
      "[10:00:00] ",
      "Nov  7 10:00:01 web-1 runner[812]: ", -- journalctl
    }
    local wrong = {}
    for _, path in ipairs { "spec/data/telling_lines.tsv", "spec/data/harmless_lines.tsv" } do
      for row in io.lines(path) do
        local line = row:match "^%w+\t(.+)$"
        local alone = is_hit(line)
        for _, prefix in ipairs(before) do
          if is_hit(prefix .. line) ~= alone then wrong[#wrong + 1] = prefix .. line end
        end
      end
    end
    assert.same({}, wrong)
  end)

  it("beyond ASCII means the same in capitals", function()
    for _, line in ipairs {
      "база: ошибка чтения",
      "база: не найден файл",
      "échec de lecture",
      "ungültiger Slot",
    } do
      assert.is_true(is_hit(line), line)
    end
    for _, line in ipairs {
      "БАЗА: ОШИБКА ЧТЕНИЯ",
      "БАЗА: НЕ НАЙДЕН ФАЙЛ",
      "ÉCHEC DE LECTURE",
      "UNGÜLTIGER SLOT",
    } do
      assert.is_true(is_hit(line), line)
    end
  end)

  it("means the same after lines that differ from it by their numbers only", function()
    local wrong = {}
    for _, path in ipairs { "spec/data/telling_lines.tsv", "spec/data/harmless_lines.tsv" } do
      for row in io.lines(path) do
        local line = row:match "^%w+\t(.+)$"
        for _, digit in ipairs { "0", "1", "4" } do
          local other = line:gsub("%d", digit)
          if other ~= line then
            local alone = (is_hit(line) and 1 or 0) + (is_hit(other) and 1 or 0)
            local _, cut = abridge.priority(PLAIN .. other .. "\n" .. line .. "\n" .. PLAIN, { max_bytes = 400 })
            local _, back = abridge.priority(PLAIN .. line .. "\n" .. other .. "\n" .. PLAIN, { max_bytes = 400 })
            if cut.hits.found ~= alone or back.hits.found ~= alone then wrong[#wrong + 1] = digit .. " " .. line end
          end
        end
      end
    end
    assert.same({}, wrong)
  end)

  it("says nothing by a value that is empty, zero, false or null", function()
    for _, name in ipairs { "error", "errors", "failed", "last_error", "exception", "failures", "lastError" } do
      for _, value in ipairs { "null", "0", "false", '""', "[]", "{}", "none", "<nil>", "(none)", "''", "0.0" } do
        for _, line in ipairs { '  "%s": %s,', "%s=%s", "%s: %s", '{"a":1,"%s":%s}', "a=1 %s=%s b=2" } do
          line = line:format(name, value)
          assert.is_false(is_hit(line), line)
        end
      end
    end
  end)

  it("tells of trouble by the same names with a count, with true or with a message", function()
    for _, name in ipairs { "error", "errors", "last_error", "lastError" } do
      for _, value in ipairs { "3", "true", '"gone"', '["gone"]' } do
        for _, line in ipairs { '  "%s": %s,', '{"a":1,"%s":%s}', "%s=%s" } do
          line = line:format(name, value)
          assert.is_true(is_hit(line), line)
        end
      end
    end
  end)
end)
