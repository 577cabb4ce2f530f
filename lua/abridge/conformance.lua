--- The conformance harness: puts a tool of a session through its cases and checks the promises of every result (SPEC 3,
--- 5, 8, 11). For tests of tools, in any framework: a failure is raised as "TOOL: what is wrong".

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local fit = require "abridge.output.fit"
local result_rules = require "abridge.output.result_rules"

local M = {}

local MAX_PAGES = 10000

local fail = result_rules.fail

M.check = result_rules.check

-- pages --------------------------------------------------------------------------

---@class (exact) abridge.FollowOptions
---@field whole? string text of all pages together
---@field max_pages? integer more pages than this count as endless (default: 10,000)
---@field expected? abridge.Expectations expectations for each page, as for `check`
--- goes between pages: `""` for a tool with offsets in bytes. Nothing if a page ends inside a line (default: `"\n"`)
---@field join? string
--- `function(input, result)` that returns the next page's input, for parameters with other names (default: `offset` is
--- the block's `next_offset`, `column` the ledger's `next_column`)
---@field next_input? fun(input: table, result: abridge.Result): table

local FOLLOW = {
  join = "string",
  whole = "string",
  max_pages = "number",
  next_input = "function",
  expected = "table",
}

local function copy(t)
  return check.copied(t or {})
end

local function following(input, result)
  local own, cut = copy(input), result.details and result.details.cut or {}
  own.offset, own.column = result.truncation.next_offset, cut.next_column
  return own
end

--- The part of a page that the next one continues: the first of several ranges, without the newline between pages,
--- which a cut between any two chars may have kept.
local function leading(body, result, join)
  local kept = result.details and result.details.cut and result.details.cut.kept
  if not kept or #kept < 2 then return body end
  local first = body:sub(1, kept[1].last_byte - kept[1].first_byte + 1)
  return join == "\n" and first:gsub("\n$", "") or first
end

local function where(offset, column)
  return ("page at offset=%s%s"):format(check.show(offset), column and " column=" .. check.show(column) or "")
end

--- Does each page begin after the one before?
local function check_advance(tool, result, offset, column)
  local next_offset = result.truncation.next_offset
  local next_column = result.details and result.details.cut and result.details.cut.next_column
  if not offset or next_offset > offset then return next_offset, next_column end
  if next_offset == offset and next_column and next_column > (column or 0) then return next_offset, next_column end
  fail(tool, "%s goes on at offset=%.0f: it does not come to an end", where(offset, column), next_offset)
end

--- Read page after page as the blocks say, checking each, until nothing is left. Raises "TOOL: what is wrong" when a
--- page repeats or loses something or does not advance, when the pages never end, or when a page with content does not
--- say where to go on although the one before did.
---@param session abridge.Session
---@param tool string
---@param input table
---@param opts? abridge.FollowOptions
---@return string|nil text all pages together; nil when the last one is cut and does not say where to go on, either
---  because the tool never does or because not one char fits
---@return integer pages
function M.follow(session, tool, input, opts)
  opts = check.options("conformance.follow", opts, FOLLOW, 1)
  local expected, next_input = copy(opts.expected), opts.next_input or following
  expected.tool, expected.whole = tool, opts.whole
  local parts, pages, offset, column = {}, 0, input.offset, input.column
  expected.page = (offset or 1) ~= 1 or column ~= nil
  while true do
    pages = pages + 1
    if pages > (opts.max_pages or MAX_PAGES) then fail(tool, "no end after %d pages", pages - 1) end
    local result = session:call(tool, input)
    local body = M.check(result, expected)
    if result.is_error then fail(tool, "%s: %s", where(offset, column), check.show(result.content)) end
    local block, cut = result.truncation, result.details and result.details.cut or {}
    if not block.truncated then
      parts[#parts + 1] = body .. (cut.final_newline and "\n" or "")
      break
    end
    if not block.next_offset then
      if pages == 1 or body == "" then return nil, pages end
      fail(tool, "%s is truncated and does not say where to go on", where(offset, column))
    end
    offset, column = check_advance(tool, result, offset, column)
    local join = column and "" or opts.join or "\n"
    parts[#parts + 1] = leading(body, result, join) .. join
    input = next_input(input, result)
    expected.page, expected.truncated, expected.reason, expected.resumes = true, nil, nil, nil
  end
  local text = table.concat(parts)
  if opts.whole and text ~= opts.whole then
    fail(tool, "%d pages have %s", pages, result_rules.difference(text, opts.whole))
  end
  return text, pages
end

-- cases --------------------------------------------------------------------------

---@class (exact) abridge.ConformanceCase
---@field input table|string passed to the tool
---@field whole? string the content without any limit
--- value that the block must have; `false`: none. Unless set, the size of `whole` if the block says anything
---@field bytes_total? integer|false
--- of `cut`: values by name of limit, or `ceiling`; one or a list. Unless set, a quarter and half of `whole` in each
--- unit; without `whole`, the limits in force anyway must cut
---@field budgets? table<string, number|string|(number|string)[]>
---@field reason? abridge.Reason|table<string, abridge.Reason> of a cut, or a table by name of budget
--- whether a cut must say where to go on, or a table by name of budget; unless set, either will do
---@field resumes? boolean|table<string, boolean>

---@class (exact) abridge.ConformanceOptions
---@field tool string name of the tool
--- a function that opens a session with that tool under the options it is given
--- (`{ limits = { [tool] = ... }, ceiling = ... }`, as `abridge.session` takes them); it is closed for you
---@field session fun(opts: { limits: table|nil, ceiling: table|nil }): abridge.Session
---@field cases table<"fits"|"cut"|"empty"|"error", abridge.ConformanceCase> the cases, by name; below
---@field join? string those of `follow`
---@field next_input? fun(input: table, result: abridge.Result): table
---@field max_pages? integer

local RUN = {
  tool = "string",
  session = "function",
  cases = "table",
  join = "string",
  next_input = "function",
  max_pages = "number",
}
local CASE = {
  input = "table|string",
  whole = "string",
  bytes_total = result_rules.bytes_or_none,
  reason = "string|table",
  resumes = "boolean|table",
  budgets = "table",
}
local ORDER = { "fits", "empty", "error", "cut" }
local CASES = { fits = "table", cut = "table", empty = "table", error = "table" }
local UNITS = { "max_lines", "max_bytes", "max_chars", "max_tokens", "ceiling" }
--- Extreme budgets: it hardly matters what shows, but they must hold.
local ODD = { 0, 1, 20, 2 ^ 53 }
local PIPELINE = { max_lines = true, max_chars = true, ceiling = true } -- all that it knows

--- The limits in force in a session, and the ceiling over them.
local function in_force(session, tool, ceiling)
  local limits = session:limits(tool)
  local all = not ceiling and type(session.table_of_limits) == "table" and session.table_of_limits:ceiling_limits(tool)
  return limits, ceiling or all and all.max_bytes or nil
end

--- Run a function with a session under one more budget, and close the session in any case.
local function with_session(run, name, value, body)
  local opts = {}
  if name == "ceiling" then
    opts.ceiling = { max_bytes = value }
  elseif name then
    opts.limits = { [run.tool] = { [name] = value } }
  end
  local session, message = run.session(opts)
  if not session then fail(run.tool, "no session: %s", tostring(message)) end
  local ceiling = name == "ceiling" and core.parse_size(value) or nil
  local ok, why = pcall(body, session, in_force(session, run.tool, ceiling))
  session:close()
  if ok then return end
  local prefix = run.tool .. ": "
  why = check.text(why)
  if why:sub(1, #prefix) == prefix then why = why:sub(#prefix + 1) end
  local by = name and (" by %s=%s"):format(name, type(value) == "number" and ("%.0f"):format(value) or value) or ""
  fail(run.tool, "%s", run.case .. by .. ": " .. why)
end

local function known_budget(limits, name)
  return limits.strategy ~= "pipeline" or PIPELINE[name] ~= nil
end

--- The limits in force without any of ours.
local function base_limits(run)
  local base
  with_session(run, nil, nil, function(_, limits)
    base = limits
  end)
  return base
end

--- A case under budgets of odd sizes.
local function run_odd(run, case, is_error)
  local base = base_limits(run)
  local function call(session, limits, ceiling)
    local result = session:call(run.tool, case.input)
    M.check(result, { tool = run.tool, limits = limits, ceiling = ceiling, is_error = is_error, page = true })
    run.count = run.count + 1
  end
  for _, name in ipairs(UNITS) do
    for _, value in ipairs(known_budget(base, name) and ODD or {}) do
      with_session(run, name, value, call)
    end
  end
end

--- Check that a result is not cut.
local function run_uncut(run, case, is_error)
  with_session(run, nil, nil, function(session, limits, ceiling)
    local result = session:call(run.tool, case.input)
    M.check(result, {
      tool = run.tool,
      limits = limits,
      ceiling = ceiling,
      whole = case.whole,
      bytes_total = case.bytes_total,
      truncated = false,
      is_error = is_error,
    })
    if is_error and result.content == "" then fail(run.tool, "an error without a message") end
    run.count = run.count + 1
  end)
end

local function size_of(name, whole, limits)
  if name == "max_lines" then return core.count_lines(whole) end
  if name == "max_chars" then return (core.count_chars(whole)) end
  if name == "max_tokens" then return fit.tokens_of(whole, limits) end
  return #whole
end

--- The budgets of a case, in order.
local function budgets_of(case, limits)
  local list = {}
  for name, values in next, case.budgets or {} do
    for _, value in ipairs(check.list(type(values) == "table" and values or { values })) do
      list[#list + 1] = { name, value }
    end
  end
  table.sort(list, function(a, b)
    return a[1] < b[1]
  end)
  if case.budgets or not case.whole then return list end
  for _, name in ipairs(UNITS) do
    local size = size_of(name, case.whole, limits)
    for _, share in ipairs { 4, 2 } do
      if known_budget(limits, name) then list[#list + 1] = { name, math.floor(size / share) } end
    end
  end
  return list
end

local function by_budget(value, name)
  if type(value) == "table" then return value[name] end
  return value
end

--- Check one cut: it is one, it says so, and reading on gives the whole.
local function run_cut(run, case, name, value)
  with_session(run, name, value, function(session, limits, ceiling)
    local _, pages = M.follow(session, run.tool, case.input, {
      join = run.join,
      next_input = run.next_input,
      max_pages = run.max_pages,
      whole = case.whole,
      expected = {
        limits = limits,
        ceiling = ceiling,
        bytes_total = case.bytes_total,
        truncated = true,
        is_error = false,
        reason = by_budget(case.reason, name or "default"),
        resumes = by_budget(case.resumes, name or "default"),
      },
    })
    run.count = run.count + pages
  end)
end

--- Put a tool through its cases: `fits` and `empty` are neither cut nor errors, `error` is one, `cut` is cut by each
--- of its budgets, and where its block says how to go on, reading on gives exactly the whole. `fits`, `empty` and
--- `error` are also called under budgets of 0, 1, 20 and 2^53 of each kind, which must hold. A `cut` without `budgets`
--- and `whole` must be cut by the limits that are in force anyway.
---
--- Raises "TOOL: CASE by BUDGET: what is wrong"; on misuse names the option. Blocks.
---@param opts abridge.ConformanceOptions
---@return integer count results that were checked
function M.run(opts)
  local who = "conformance.run"
  local run = check.options(who, opts, RUN, 1)
  for _, name in ipairs { "tool", "session", "cases" } do
    if run[name] == nil then check.fail(("%s: %s is missing"):format(who, name)) end
  end
  local cases = {}
  for name, case in pairs(check.options(who .. ": cases", run.cases, CASES, 1)) do
    cases[name] = check.options(("%s: cases.%s"):format(who, name), case, CASE, 1)
    if cases[name].input == nil then check.fail(("%s: cases.%s.input is missing"):format(who, name)) end
  end
  run.count = 0
  for _, name in ipairs(ORDER) do
    local case = cases[name]
    run.case = name
    if case and name == "cut" then
      local budgets = budgets_of(case, base_limits(run))
      if #budgets == 0 then run_cut(run, case) end
      for _, budget in ipairs(budgets) do
        run_cut(run, case, budget[1], budget[2])
      end
    elseif case then
      run_uncut(run, case, name == "error")
      run_odd(run, case, name == "error")
    end
  end
  return run.count
end

return M
