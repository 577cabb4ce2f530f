-- Every tool of a session under every profile through the conformance harness: what fits, what each budget cuts, what
-- is empty, what fails. Then tools that are wrong, each of which the harness must catch.
local abridge = require "support.unsaved"
local conformance = require "abridge.conformance"
local merge = require "support.merge"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"
local web_server = require "support.web_server"

local PROFILES = { "default", "pi", "pipeline", "contract", "dispatcher" }
local has_sqlite, sqlite = pcall(require, "luasql.sqlite3")

--- n different lines, some with chars of several bytes.
local function lines(n, form)
  local all = {}
  for i = 1, n do
    all[i] = (form or "line %d of these"):format(i) .. (i % 3 == 0 and " \226\130\172\195\169" or "")
  end
  return all
end

local function text_of(all)
  return table.concat(all, "\n") .. "\n"
end

describe("the harness, with", function()
  local dir, text

  setup(function()
    dir = tmpdir.new()
    text = text_of(lines(40))
    dir:write("f.txt", text)
    dir:write("empty.txt", "")
    dir:sh "mkdir tree none && cd tree && for i in $(seq 100 139); do : >file_$i.txt; done"
  end)

  teardown(function()
    dir:remove()
  end)

  --- Opens sessions of a profile for the harness; `more` are other options, `prepare` gets the session.
  local function opener(profile, more, prepare)
    return function(opts)
      opts.profile, opts.cwd = profile, dir.path
      merge(opts, more)
      local session = abridge.session(opts)
      if prepare then prepare(session) end
      return session
    end
  end

  --- Items cut by a limit of their own; a pipeline counts on its own and does not resume.
  local function item_budgets(profile, name)
    if profile == "pipeline" then return { max_chars = 300, max_lines = 9, ceiling = { 99, 300 } } end
    return {
      [name] = { 7, 39 },
      max_lines = { 1, 7 },
      max_bytes = { 100, 300 },
      max_chars = { 100, 300 },
      max_tokens = { 60, 150 },
      ceiling = { 100, 300 },
    }
  end

  --- The same for a tool that starts a program for each page, in fewer pages; its own spec has tiny budgets.
  local function program_budgets(profile, name)
    local budgets = item_budgets(profile, name)
    if profile == "pipeline" then return budgets end
    budgets.max_lines, budgets[name] = 7, { 13, 39 }
    budgets.max_bytes, budgets.max_chars, budgets.max_tokens, budgets.ceiling = 300, 300, 150, 300
    return budgets
  end

  local function reasons(item_limit, reason)
    return {
      [item_limit] = reason,
      max_lines = "line_cap",
      max_bytes = "size_cap",
      max_chars = "size_cap",
      max_tokens = "size_cap",
      ceiling = "size_cap",
    }
  end

  --- Must each cut say where to go on?
  local function resuming(profile)
    return profile ~= "pipeline"
  end

  for _, profile in ipairs(PROFILES) do
    describe(profile .. (profile == "default" and ", #few" or ", #once"), function()
      it("read_file conforms", function()
        conformance.run {
          tool = "read_file",
          session = opener(profile),
          cases = {
            fits = { input = { path = "f.txt" }, whole = text },
            cut = {
              input = { path = "f.txt" },
              whole = text,
              reason = reasons("max_lines", "line_cap"),
              resumes = profile ~= "pipeline" or { max_chars = true, max_lines = true },
            },
            empty = { input = { path = "empty.txt" }, whole = "", bytes_total = 0 },
            error = { input = { path = "no such file" } },
          },
        }
      end)

      it("read_file conforms when it begins in the middle", function()
        conformance.run {
          tool = "read_file",
          session = opener(profile, { tools = { "read_file" } }),
          cases = {
            cut = {
              input = { path = "f.txt", offset = 31 },
              budgets = profile == "pipeline" and { max_lines = 4, max_chars = 30 }
                or { max_lines = 4, max_bytes = { 9, 80 }, max_chars = { 9, 80 }, max_tokens = { 9, 40 } },
              resumes = profile ~= "pipeline" or nil,
            },
            error = { input = { path = "f.txt", offset = 41 } },
          },
        }
      end)

      it("run_command conforms", function()
        conformance.run {
          tool = "run_command",
          session = opener(profile),
          cases = {
            fits = { input = { command = "cat f.txt" }, whole = text },
            cut = { input = { command = "cat f.txt" }, whole = text, resumes = false },
            empty = { input = { command = "true" }, whole = "(no output)" },
            error = { input = { command = "cat f.txt; exit 3" } },
          },
        }
      end)

      it("run_command conforms when an exec budget cuts it", function()
        if profile == "pipeline" then return end -- it knows no bytes
        conformance.run {
          tool = "run_command",
          session = opener(profile),
          cases = {
            cut = {
              input = { command = "cat f.txt" },
              whole = text,
              budgets = { output = "silent" },
              reason = "exec_budget",
              resumes = false,
            },
          },
        }
      end)

      it("search_files conforms", function()
        local found = lines(40)
        for i, line in ipairs(found) do
          found[i] = ("f.txt:%d: %s"):format(i, line)
        end
        local input = { pattern = "of these", path = "f.txt" }
        conformance.run {
          tool = "search_files",
          session = opener(profile),
          cases = {
            fits = { input = input, whole = table.concat(found, "\n") },
            cut = {
              input = input,
              whole = table.concat(found, "\n"),
              budgets = program_budgets(profile, "max_matches"),
              reason = reasons("max_matches", "line_cap"),
              resumes = resuming(profile),
            },
            empty = { input = { pattern = "not there" } },
            error = { input = { pattern = "(" } },
          },
        }
      end)

      it("find_files conforms", function()
        local found = {}
        for i = 100, 139 do
          found[#found + 1] = ("tree/file_%d.txt"):format(i)
        end
        local input = { pattern = "*.txt", path = "tree" }
        conformance.run {
          tool = "find_files",
          session = opener(profile),
          cases = {
            fits = { input = input, whole = table.concat(found, "\n") },
            cut = {
              input = input,
              whole = table.concat(found, "\n"),
              budgets = program_budgets(profile, "max_results"),
              reason = reasons("max_results", "item_cap"),
              resumes = resuming(profile),
            },
            empty = { input = { pattern = "*.none" } },
            error = { input = { pattern = "*", path = "no such folder" } },
          },
        }
      end)

      it("list_directory conforms", function()
        local found = {}
        for i = 100, 139 do
          found[#found + 1] = ("file_%d.txt"):format(i)
        end
        conformance.run {
          tool = "list_directory",
          session = opener(profile),
          cases = {
            fits = { input = { path = "tree" }, whole = table.concat(found, "\n") },
            cut = {
              input = { path = "tree" },
              whole = table.concat(found, "\n"),
              budgets = item_budgets(profile, "max_entries"),
              reason = reasons("max_entries", "item_cap"),
              resumes = resuming(profile),
            },
            empty = { input = { path = "none" }, whole = "(empty directory)" },
            error = { input = { path = "no such folder" } },
          },
        }
      end)

      it("sql_query conforms", function()
        if not has_sqlite then return pending("LuaSQL for sqlite3 cannot be loaded: " .. tostring(sqlite)) end
        local env = sqlite.sqlite3()
        local connection = env:connect ":memory:"
        local rows = {}
        connection:execute "CREATE TABLE t (n INTEGER, word TEXT)"
        for i, line in ipairs(lines(40)) do
          connection:execute(("INSERT INTO t VALUES (%d, '%s')"):format(i, line))
          rows[i] = ('{"n":%d,"word":"%s"}'):format(i, line)
        end
        local whole = "[" .. table.concat(rows, ",\n") .. "]"
        local budgets = item_budgets(profile, "max_rows")
        budgets.max_rows = { 7, 39 }
        local ok, message = pcall(conformance.run, {
          tool = "sql_query",
          session = opener(profile, { tools = { "sql_query" }, databases = { main = connection } }),
          cases = {
            fits = { input = { sql = "SELECT * FROM t" }, whole = whole },
            cut = {
              input = { sql = "SELECT * FROM t" },
              whole = whole,
              budgets = budgets,
              reason = reasons("max_rows", "row_cap"),
              resumes = false,
            },
            error = { input = { sql = "SELECT * FROM no_such_table" } },
          },
        })
        local ok_empty, message_empty = pcall(conformance.run, {
          tool = "sql_query",
          session = opener(profile, { tools = { "sql_query" }, databases = { main = connection } }),
          cases = { empty = { input = { sql = "SELECT * FROM t WHERE n > 40" }, whole = "[]" } },
        })
        connection:close()
        env:close()
        if not ok then error(message, 0) end
        if not ok_empty then error(message_empty, 0) end
      end)

      it("web_fetch conforms", function()
        local server = web_server.new(function(connection, request)
          local found = request.target ~= "/none"
          local body = request.target == "/text" and text or found and "" or "not found\n"
          connection:respond(found and "200 OK" or "404 Not Found", { "Content-Type: text/plain" }, body)
        end)
        local ok, message = pcall(conformance.run, {
          tool = "web_fetch",
          join = "",
          session = opener(profile, { tools = { "web_fetch" }, allow_private = { "127.0.0.1" } }),
          cases = {
            fits = { input = { url = server:url "/text" }, whole = text },
            cut = {
              input = { url = server:url "/text" },
              whole = text,
              budgets = profile == "pipeline" and { max_lines = 9, max_chars = 300, ceiling = { 99, 300 } } or nil,
              resumes = resuming(profile),
            },
            empty = { input = { url = server:url "/empty" }, whole = "(empty body)" },
            error = { input = { url = server:url "/none" } },
          },
        })
        server:close()
        if not ok then error(message, 0) end
      end)

      it("foreign tools conform: a string, MCP content, pages of their own, one that raises", function()
        local all = lines(40)
        local whole = table.concat(all, "\n")
        local function page(input)
          local from, wanted = input.offset or 1, {}
          for i = from, math.min(from + 9, #all) do
            wanted[#wanted + 1] = all[i]
          end
          local next_offset = from + 10 <= #all and from + 10 or nil
          return { content = table.concat(wanted, "\n"), next_offset = next_offset, total = #all }
        end
        local tools = {
          a_string = function(input)
            return input.empty and "" or whole
          end,
          mcp = function(input)
            local blocks = { { type = "image", data = "", mimeType = "image/png" } }
            for i, line in ipairs(input.empty and {} or all) do
              blocks[i + 1] = { type = "text", text = line }
            end
            return { content = blocks }
          end,
          paged = page,
          later = function(_, _, done)
            done { content = whole, isError = false }
          end,
        }
        local function open(opts)
          return opener(profile, nil, function(session)
            for name, execute in pairs(tools) do
              session:register { name = name, execute = execute }
            end
            session:register {
              name = "raising",
              execute = function()
                error("it went wrong " .. whole, 0)
              end,
            }
          end)(opts)
        end
        for _, name in ipairs { "a_string", "mcp" } do
          conformance.run {
            tool = name,
            session = open,
            cases = {
              fits = { input = {}, whole = whole },
              cut = { input = {}, whole = whole, resumes = false },
              empty = { input = { empty = true }, whole = "" },
            },
          }
        end
        conformance.run { tool = "later", session = open, cases = { fits = { input = {}, whole = whole } } }
        conformance.run {
          tool = "paged",
          session = open,
          cases = {
            cut = { input = {}, whole = whole, budgets = {}, bytes_total = false, reason = "item_cap", resumes = true },
          },
        }
        conformance.run { tool = "raising", session = open, cases = { error = { input = {} } } }
      end)
    end)
  end
end)

-- tools that are wrong -----------------------------------------------------------------

--- A result as a session makes it: this text, and nothing after it.
local function result_of(text, over)
  local result = {
    tool = "bad",
    call_id = "call-1",
    content = text,
    is_error = false,
    truncation = abridge.info.not_truncated(#text):to_table(),
    duration_ms = 0,
  }
  return merge(result, over)
end

--- A page of a text by lines, as a good tool gives it.
local function page_of(text, from, count)
  local all, wanted = plain.lines(text), {}
  for i = from, math.min(from + count - 1, #all) do
    wanted[#wanted + 1] = all[i]
  end
  local body = table.concat(wanted, "\n")
  local next_line = from + count
  if next_line > #all then
    local block = { truncated = false, bytes_returned = #body + 1, reason = "size_cap" }
    return result_of(body .. "\n", { truncation = block })
  end
  local block = abridge.info.with_resume(#body, #text, next_line, "call bad with offset=" .. next_line, "line_cap")
  return result_of(body, { truncation = block:to_table() })
end

--- A session whose one tool gives what `answer(input)` returns.
local function fake(answer, limits)
  return {
    limits = function()
      return limits or {}
    end,
    call = function(_, _, input)
      return answer(input)
    end,
    close = function() end,
  }
end

--- What the harness raises.
local function caught(body, ...)
  local ok, message = pcall(body, ...)
  assert.is_false(ok, "nothing was caught")
  return message
end

describe("conformance.check #once", function()
  local said = { notice = "[said]", exit_line = "Command exited with code 1" }

  it("accepts what a session gives, and returns the content before what is said", function()
    assert.equal("a\n", conformance.check(result_of "a\n"))
    local result = result_of("a\n\nCommand exited with code 1\n\n[said]", { details = said })
    result.truncation = abridge.info.not_truncated(2):to_table()
    assert.equal("a\n", conformance.check(result))
    result.truncation = abridge.info.not_truncated(1):to_table()
    assert.equal("a", conformance.check(result))
    assert.equal(
      "",
      conformance.check(result_of("[said]", {
        details = { notice = "[said]" },
        truncation = abridge.info.without_resume(0, 10, "size_cap"):to_table(),
      }))
    )
  end)

  it("catches a missing or malformed block, as the contract words it", function()
    local result = result_of "a"
    result.truncation = nil
    assert.equal("bad: response missing required `truncation` block", caught(conformance.check, result))
    result.truncation = abridge.info.with_resume(1, nil, 5, "x", "size_cap"):to_table()
    result.truncation.truncated = false
    assert.equal("bad: `next_offset` set on a non-truncated response", caught(conformance.check, result))
    assert.equal("?: response is not a JSON object", caught(conformance.check, nil))
    assert.equal("mine: response is not a JSON object", caught(conformance.check, "text", { tool = "mine" }))
  end)

  it("catches content that is no string or no UTF-8", function()
    local result = result_of "a"
    result.content = 5
    assert.equal("bad: content is a number, not a string", caught(conformance.check, result))
    assert.equal("bad: content is not valid UTF-8", caught(conformance.check, result_of "a\255"))
    assert.equal("bad: content is not valid UTF-8", caught(conformance.check, result_of "\226\130"))
    result = result_of "a"
    result.is_error = nil
    assert.equal("bad: is_error is nil", caught(conformance.check, result))
  end)

  it("catches a wrong bytes_returned", function()
    local function of(size, text, details)
      local result = result_of(text, { details = details })
      result.truncation = abridge.info.without_resume(size, nil, "size_cap"):to_table()
      return caught(conformance.check, result)
    end
    assert.equal("bad: bytes_returned is 4, but content has 3 bytes", of(4, "abc"))
    assert.equal('bad: after bytes_returned (2) comes "c", expected ""', of(2, "abc"))
    local notice = { notice = "[said]" }
    assert.matches("^bad: after bytes_returned %(2%) comes ", of(2, "abc\n\n[said]", notice))
    assert.matches("^bad: after bytes_returned %(4%) comes ", of(4, "abc\n\n[said", notice))
    assert.equal("bad: no blank line between content and notice", of(3, "abc\n[said]", notice))
    assert.equal("bad: no blank line between content and notice", of(3, "abc[said]", notice))
    assert.equal("bad: no blank line between content and notice", of(3, "abc\n\n\n[said]", notice))
    assert.equal("bad: no blank line between content and notice", of(0, "\n\n[said]", notice))
  end)

  it("catches content over a budget or the ceiling, and says by how much", function()
    local function over(text, limits, ceiling)
      return caught(conformance.check, result_of(text), { limits = limits, ceiling = ceiling })
    end
    assert.equal("bad: content has 4, over max_bytes=3", over("abcd", { max_bytes = 3 }))
    assert.equal("bad: content has 2, over max_chars=1", over("\195\169\195\169", { max_chars = 1 }))
    assert.equal("bad: content has 4, over ceiling=3", over("abcd", nil, 3))
    assert.equal(
      "bad: content has 9, over max_tokens=8",
      over("nine char", {
        max_tokens = 8,
        count_tokens = function(text)
          return #text
        end,
      })
    )
    conformance.check(result_of "abcd", { limits = { max_bytes = 4, max_chars = 4, max_tokens = 4 }, ceiling = 4 })
    conformance.check(result_of "abcd", { limits = { strategy = "pipeline", max_chars = 1 } })
    local cut = { output_lines = 3 }
    local result = result_of("a\nb\nc", { details = { cut = cut } })
    local expected = { limits = { max_lines = 2 } }
    assert.equal("bad: output_lines is 3, over max_lines=2", caught(conformance.check, result, expected))
  end)

  it("catches what is no plain data", function()
    local function with(value)
      return caught(conformance.check, result_of("a", { details = { x = value } }))
    end
    assert.equal("bad: details.x is a function", with(print))
    assert.equal("bad: details.x is not a finite number", with(0 / 0))
    assert.equal("bad: details.x is not a finite number", with(1 / 0))
    assert.equal("bad: details.x is not valid UTF-8", with "\255")
    assert.equal("bad: details.x is an empty table, [] or {}", with {})
    assert.equal('bad: details.x has the key "a": neither a list nor an object', with { 1, a = 2 })
    assert.equal("bad: details.x has the key 3: neither a list nor an object", with { [3] = 1 })
  end)

  it("catches a ledger that does not add up", function()
    local function with(over)
      local cut = {
        truncated = false,
        total_bytes = 4,
        total_lines = 2,
        output_bytes = 4,
        output_lines = 2,
        omitted_bytes = 0,
        omitted_lines = 0,
        kept = { { first_byte = 1, last_byte = 4, first_line = 1, last_line = 2 } },
      }
      merge(cut, over)
      return caught(conformance.check, result_of("a\nb\n", { details = { cut = cut } }))
    end
    local first = { first_byte = 1, last_byte = 2, first_line = 1, last_line = 1 }
    assert.equal("bad: ledger: output_bytes is 3, expected 4", with { output_bytes = 3 })
    assert.equal("bad: ledger: omitted_bytes is 1, expected 0", with { omitted_bytes = 1 })
    assert.equal("bad: ledger: omitted_lines is 1, expected 0", with { omitted_lines = 1 })
    assert.equal("bad: ledger: range 2 starts before the end of the one before", with { kept = { first, first } })
    assert.equal("bad: ledger: its ranges end at 4 of 3 bytes", with { total_bytes = 3 })
    assert.equal(
      "bad: ledger: range 1 is empty",
      with {
        kept = { { first_byte = 3, last_byte = 2, first_line = 1, last_line = 1 } },
      }
    )
    assert.equal("bad: the ledger says that something was cut, the block that nothing was", with { truncated = true })
  end)

  it("catches items that are none, and a cut of JSON that is no JSON", function()
    local function with(body, items)
      local cut = {
        kind = "json",
        items = items,
        truncated = true,
        total_bytes = 90,
        total_lines = 1,
        output_bytes = 2,
        output_lines = 1,
        omitted_bytes = 88,
        omitted_lines = 0,
        kept = { { first_byte = 1, last_byte = 2, first_line = 1, last_line = 1 } },
      }
      local result = result_of(body, { details = { cut = cut } })
      result.truncation = abridge.info.without_resume(#body, 90, "size_cap"):to_table()
      return select(2, pcall(conformance.check, result))
    end
    local function elements(kept)
      return { { unit = "elements", of = "", total = 3, kept = kept } }
    end
    assert.equal("[1]", with("[1]", elements(1)))
    assert.equal("[]", with("[]", elements(0)))
    assert.matches("^bad: a cut of JSON is no JSON: ", with("[1,", elements(1)))
    assert.equal("bad: ledger: items[1]: 4 elements of 3 are kept", with("[]", elements(4)))
    assert.equal('bad: ledger: items[1] are "things"', with("[]", { { unit = "things", total = 3, kept = 1 } }))
    local many = {}
    for i = 1, 17 do
      many[i] = elements(1)[1]
    end
    assert.equal("bad: ledger: 17 items, 16 at most", with("[]", many))
  end)

  it("catches what is not as expected", function()
    local result = page_of("1\n2\n3\n", 1, 2)
    assert.equal("bad: truncated is true, expected false", caught(conformance.check, result, { truncated = false }))
    assert.equal(
      'bad: reason is "line_cap", expected "size_cap"',
      caught(conformance.check, result, { reason = "size_cap" })
    )
    assert.equal("bad: bytes_total is 6, expected 7", caught(conformance.check, result, { bytes_total = 7 }))
    assert.equal("bad: bytes_total is 6, expected nil", caught(conformance.check, result, { bytes_total = false }))
    assert.equal("bad: bytes_total is 6, expected 5", caught(conformance.check, result, { whole = "1\n2\n3" }))
    local resumes = caught(conformance.check, result, { resumes = false })
    assert.equal("bad: next_offset given is true, expected false", resumes)
    assert.equal('bad: is_error is false: "1\n2"', caught(conformance.check, result, { is_error = true }))
    conformance.check(result, {
      truncated = true,
      reason = "line_cap",
      bytes_total = 6,
      whole = "1\n2\n3\n",
      resumes = true,
      is_error = false,
    })
    assert.equal(
      'bad: not truncated, but content has 2 bytes, expected 3; from byte 2 on "c", expected "bc"',
      caught(conformance.check, result_of "ac", { whole = "abc" })
    )
  end)

  it("catches content that is not what the ledger says is kept", function()
    local cut = {
      truncated = true,
      total_bytes = 6,
      total_lines = 3,
      output_bytes = 2,
      output_lines = 1,
      omitted_bytes = 4,
      omitted_lines = 2,
      kept = { { first_byte = 3, last_byte = 4, first_line = 2, last_line = 2 } },
    }
    local result = result_of("3\n", { details = { cut = cut } })
    result.truncation = abridge.info.without_resume(2, 6, "line_cap"):to_table()
    assert.equal(
      "bad: range 1 of the ledger (bytes 3-4) is not shown",
      caught(conformance.check, result, { whole = "1\n2\n3\n" })
    )
    result.content = "2\n"
    conformance.check(result, { whole = "1\n2\n3\n" })
  end)

  it("takes no expectation that it does not know", function()
    local result = result_of "a"
    assert.matches("conformance.check: unknown option 'wholly'", caught(conformance.check, result, { wholly = 1 }))
    assert.matches("conformance.check: whole must be a string", caught(conformance.check, result, { whole = 1 }))
  end)
end)

describe("conformance.follow #once", function()
  local text = "1\n2\n3\n4\n5\n6\n7\n"

  --- Follow pages of `text`, each changed by `change(result, from)`.
  local function follow(change, opts)
    opts = opts or { whole = text }
    return conformance.follow(
      fake(function(input)
        local from = input.offset or 1
        local result = page_of(text, from, 2)
        return change and change(result, from) or result
      end),
      "bad",
      {},
      opts
    )
  end

  it("puts pages together", function()
    local whole, pages = follow()
    assert.equal(text, whole)
    assert.equal(4, pages)
  end)

  it("is nil for a tool that does not resume", function()
    local whole, pages = follow(function(result)
      result.truncation.next_offset, result.truncation.resume_hint = nil, nil
      return result
    end)
    assert.is_nil(whole)
    assert.equal(1, pages)
  end)

  it("catches a page that goes on at itself or before", function()
    for _, back in ipairs { 0, 1, 2 } do
      local message = caught(follow, function(result, from)
        if from == 3 then result.truncation.next_offset = 3 - back end
        return result
      end)
      assert.matches("^bad: page at offset=3 goes on at offset=%d: it does not come to an end$", message)
    end
  end)

  it("catches pages without an end", function()
    assert.equal(
      "bad: no end after 20 pages",
      caught(function()
        conformance.follow(
          fake(function(input)
            return page_of(("x\n"):rep((input.offset or 1) + 9), input.offset or 1, 2)
          end),
          "bad",
          {},
          { max_pages = 20 }
        )
      end)
    )
  end)

  it("catches pages that repeat, and such that lose", function()
    local function pages(moved, count)
      local function answer(input)
        local from = input.offset or 1
        return page_of(text, from > 1 and from + moved or 1, count)
      end
      return caught(conformance.follow, fake(answer), "bad", {}, { whole = text })
    end
    local wrong = 'bad: 3 pages have 18 bytes, expected 14; from byte 7 on "3\n4\n5\n5\n6\n7\n", '
    assert.equal(wrong .. 'expected "4\n5\n6\n7\n"', pages(-1, 3))
    wrong = 'bad: 3 pages have 10 bytes, expected 14; from byte 5 on "4\n5\n7\n", expected "3\n4\n5\n6\n7\n"'
    assert.equal(wrong, pages(1, 2))
  end)

  it("catches a later page that fails or does not say where to go on", function()
    local failing = caught(follow, function(result, from)
      result.is_error = from == 5
      return result
    end)
    assert.equal('bad: page at offset=5: "5\n6"', failing)
    local silent = caught(follow, function(result, from)
      if from == 3 then
        result.truncation.next_offset, result.truncation.resume_hint = nil, nil
      end
      return result
    end)
    assert.equal("bad: page at offset=3 is truncated and does not say where to go on", silent)
  end)

  it("checks every page", function()
    assert.equal(
      "bad: content has 3, over max_bytes=2",
      caught(function()
        follow(nil, { expected = { limits = { max_bytes = 2 } } })
      end)
    )
  end)

  it("goes on by the inputs that a host's parameters want", function()
    local asked = {}
    local session = fake(function(input)
      asked[#asked + 1] = input.start or 0
      return page_of(text, (input.start or 0) + 1, 2)
    end)
    local whole = conformance.follow(session, "bad", {}, {
      whole = text,
      next_input = function(_, result)
        return { start = result.truncation.next_offset - 1 }
      end,
    })
    assert.equal(text, whole)
    assert.same({ 0, 2, 4, 6 }, asked)
  end)
end)

describe("conformance.run #once", function()
  local calls

  --- A real session with a tool; `execute` is the tool's.
  local function open_with(execute, limits)
    return function(opts)
      local session = abridge.session(opts)
      session:register { name = "mine", execute = execute, limits = limits }
      return session
    end
  end

  it("says which case and which budget a tool fails in", function()
    local message = caught(conformance.run, {
      tool = "mine",
      session = function(opts)
        local limits = opts.limits and opts.limits.mine or {}
        return fake(function()
          return result_of "four"
        end, limits)
      end,
      cases = { fits = { input = {} } },
    })
    assert.equal("mine: fits by max_bytes=0: content has 4, over max_bytes=0", message)
  end)

  it("wants what should fit whole, what fails an error, what is too long a cut", function()
    local open = open_with(function(input)
      return { content = input.text, is_error = input.wrong }
    end)
    local function of(name, case)
      return caught(conformance.run, { tool = "mine", session = open, cases = { [name] = case } })
    end
    assert.equal(
      'mine: fits: not truncated, but content has 1 bytes, expected 2; from byte 2 on "", expected "b"',
      of("fits", { input = { text = "a" }, whole = "ab" })
    )
    assert.equal('mine: fits: is_error is true: "a"', of("fits", { input = { text = "a", wrong = true } }))
    assert.equal('mine: error: is_error is false: "a"', of("error", { input = { text = "a" } }))
    assert.equal("mine: error: an error without a message", of("error", { input = { text = "", wrong = true } }))
    assert.equal("mine: cut: truncated is false, expected true", of("cut", { input = { text = "a" } }))
    assert.equal(
      "mine: cut by max_lines=1: truncated is false, expected true",
      of("cut", { input = { text = "a" }, budgets = { max_lines = 1 } })
    )
  end)

  it("counts what it checked, and closes every session", function()
    calls = { opened = 0, closed = 0 }
    local count = conformance.run {
      tool = "mine",
      session = function(opts)
        calls.opened = calls.opened + 1
        local session = open_with(function()
          return "1\n2\n3\n"
        end)(opts)
        local close = session.close
        session.close = function(self)
          calls.closed = calls.closed + 1
          return close(self)
        end
        return session
      end,
      cases = { fits = { input = {}, whole = "1\n2\n3\n" }, cut = { input = {}, budgets = { max_lines = { 1, 2 } } } },
    }
    assert.equal(1 + 5 * 4 + 2, count)
    assert.is_true(calls.opened > count)
    assert.equal(calls.opened, calls.closed)
  end)

  it("closes the session of a tool that is wrong too", function()
    local closed = 0
    pcall(conformance.run, {
      tool = "mine",
      session = function()
        local session = fake(function()
          return {}
        end)
        session.close = function()
          closed = closed + 1
        end
        return session
      end,
      cases = { fits = { input = {} } },
    })
    assert.equal(1, closed)
  end)

  it("raises on misuse, naming the option", function()
    local function misuse(opts)
      return caught(conformance.run, opts)
    end
    local session = open_with(function()
      return ""
    end)
    assert.matches("conformance.run: tool is missing", misuse {})
    assert.matches("conformance.run: session is missing", misuse { tool = "t", cases = {} })
    assert.matches("conformance.run: cases must be a table", misuse { tool = "t", session = session, cases = 1 })
    assert.matches("conformance.run: unknown option 'case'", misuse { case = {} })
    local function of_cases(cases)
      return misuse { tool = "t", session = session, cases = cases }
    end
    assert.matches("conformance.run: cases: unknown option 'fit'", of_cases { fit = {} })
    assert.matches("conformance.run: cases.fits.input is missing", of_cases { fits = {} })
    assert.matches("conformance.run: cases.cut: unknown option 'hole'", of_cases { cut = { input = {}, hole = "" } })
    assert.equal(
      "t: no session: nothing there",
      misuse {
        tool = "t",
        session = function()
          return nil, "nothing there"
        end,
        cases = { fits = { input = {} } },
      }
    )
  end)
end)
