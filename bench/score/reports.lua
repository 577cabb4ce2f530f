--- Reports in JSON, as linters, scanners, test runners and clusters print them: some of many elements have findings.
---
--- A finding is wanted with its place and its message, after the name of its element and before that of the next one:
--- alone they mean little.

local M = {}

local unpack = table.unpack or unpack

local ELEMENTS, EVERY = 120, 9 -- elements of a report, and which of them have findings

local WORDS = { "cart", "rate", "stock", "order", "total", "price", "parcel", "voucher", "customer", "invoice", "tax" }

local function word(n)
  return WORDS[n % #WORDS + 1]
end

--- JSON of a list, of an object whose members keep their order, and of other values; `encode` gives that of a string.
local encode, json

local function list(values)
  local parts = {}
  for i, value in ipairs(values) do
    parts[i] = json(value)
  end
  return { json = "[" .. table.concat(parts, ",") .. "]" }
end

local function object(...)
  local parts, all = {}, { ... }
  for i = 1, #all, 2 do
    parts[#parts + 1] = encode(all[i]) .. ":" .. json(all[i + 1])
  end
  return { json = "{" .. table.concat(parts, ",") .. "}" }
end

function json(value)
  if type(value) == "table" then return value.json end
  return type(value) == "string" and encode(value) or tostring(value)
end

local function path(i, ending)
  return ("src.%s.%s_%d%s"):format(word(i), word(i * 7 + 3), i, ending)
end

--- A file as a report quotes it.
local function source(i, lines)
  local text = {}
  for k = 1, lines do
    text[k] = ("const %s%d = %s(%d);"):format(word(i + k), k, word(k * 3), k * i % 97)
  end
  return table.concat(text, "\n")
end

-- Element i of each program, called `name`: it tells `found(place, message)` of each finding in it. `around` makes the
-- report of the list of all.
local PROGRAMS = {
  {
    name = "eslint",
    called = function(i)
      return path(i, ".js")
    end,
    element = function(i, name, bad, found)
      local messages = {}
      for k = 1, bad and 2 or 0 do
        local message = ("'%s%d' is assigned a value but never used."):format(word(i + k), i)
        found(('"line":%d,'):format(i * 3 + k), message)
        messages[k] =
          object("ruleId", "no-unused-vars", "severity", 2, "message", message, "line", i * 3 + k, "column", 7)
      end
      local counts = { "suppressedMessages", list {}, "errorCount", #messages, "warningCount", 0 }
      if bad then
        counts[#counts + 1] = "source"
        counts[#counts + 1] = source(i, 60)
      end
      return object("filePath", name, "messages", list(messages), unpack(counts))
    end,
    around = function(all)
      return all
    end,
  },
  {
    name = "jest",
    called = function(i)
      return path(i, ".test.js")
    end,
    element = function(i, name, bad, found)
      local tests = {}
      for k = 1, 4 do
        local title = ("%s %d keeps its %s"):format(word(i), i, word(i + k))
        local message = ("Error: expected %d to be %d"):format(i + k, i)
        local failures = {}
        if bad and k == 3 then
          found(encode(title), message)
          failures[1] = message .. ("\n    at Object.toBe (node_modules/expect/index.js:12:7)"):rep(8)
        end
        local status = failures[1] and "failed" or "passed"
        tests[k] = object("duration", i % 9, "failureMessages", list(failures), "status", status, "title", title)
      end
      return object("name", name, "status", bad and "failed" or "passed", "assertionResults", list(tests))
    end,
    around = function(all)
      return object("numTotalTests", 4 * ELEMENTS, "success", false, "testResults", all)
    end,
  },
  {
    name = "trivy",
    called = function(i)
      return ("CVE-2026-%d"):format(10000 + i * 37)
    end,
    element = function(i, name, bad, found)
      local package = ("lib%s%d"):format(word(i), i)
      local links = {}
      for k = 1, 7 do
        links[k] = ("https://security.example/%d/%s"):format(k, name)
      end
      if bad then found(encode(package), "HIGH") end
      return object(
        "VulnerabilityID",
        name,
        "PkgName",
        package,
        "Status",
        "affected",
        "Severity",
        bad and "HIGH" or i % 2 == 0 and "LOW" or "MEDIUM",
        "Title",
        ("%s: a %s is read after its %s is gone"):format(package, word(i + 1), word(i + 2)),
        "References",
        list(links)
      )
    end,
    around = function(all)
      local target = object("Target", "shop (debian 12)", "Vulnerabilities", all)
      return object("SchemaVersion", 2, "Results", list { target })
    end,
  },
  {
    name = "bandit",
    called = function(i)
      return path(i, ".py")
    end,
    element = function(i, name, bad, found)
      local message = bad and "Use of exec detected." or "Consider the implications of this module."
      if bad then found(('"line_number":%d'):format(i * 2 + 1), message) end
      return object(
        "filename",
        name,
        "code",
        source(i, 6),
        "issue_severity",
        bad and "HIGH" or "LOW",
        "issue_text",
        message,
        "line_number",
        i * 2 + 1
      )
    end,
    around = function(all)
      return object("errors", list {}, "results", all)
    end,
  },
  {
    name = "kubectl",
    called = function(i)
      return ("shop-%s-%d"):format(word(i), i)
    end,
    element = function(i, name, bad, found)
      local message = "back-off 5m0s restarting failed container"
      local state = object("running", object("startedAt", "2026-01-02T03:04:05Z"))
      if bad then
        found('"CrashLoopBackOff"', message)
        state = object("waiting", object("reason", "CrashLoopBackOff", "message", message))
      end
      local container = object("name", "app", "ready", not bad, "restartCount", bad and 12 or 0, "state", state)
      local labels = object("app", word(i), "hash", ("%x"):format(i * 7919))
      return object(
        "metadata",
        object("name", name, "namespace", "shop", "labels", labels),
        "spec",
        object("nodeName", "node-" .. i % 3, "volumes", list { object("name", "token-" .. i) }),
        "status",
        object("phase", "Running", "containerStatuses", list { container })
      )
    end,
    around = function(all)
      return object("apiVersion", "v1", "kind", "List", "items", all)
    end,
  },
}

--- The part about each element among those shown: from its name to that of the next one.
local function parts_of(names, shown)
  local places, parts = {}, {}
  for _, name in ipairs(names) do
    local at = shown:find(encode(name), 1, true)
    if at then places[#places + 1] = { at = at, name = name } end
  end
  for i, place in ipairs(places) do
    parts[place.name] = shown:sub(place.at, places[i + 1] and places[i + 1].at - 1 or -1)
  end
  return parts
end

--- A report of each program; `encode_string` gives the JSON of a string. What is wanted is a line a finding.
function M.made(encode_string)
  encode = encode_string
  local reports = {}
  for p, program in ipairs(PROGRAMS) do
    local elements, names, findings, wanted = {}, {}, {}, {}
    for i = 1, ELEMENTS do
      names[i] = program.called(i)
      elements[i] = program.element(i, names[i], i % EVERY == 4, function(place, message)
        wanted[#wanted + 1] = ("%s %s %s"):format(names[i], place, message)
        findings[#findings + 1] = { name = names[i], place = place, message = encode(message):sub(2, -2) }
      end)
    end
    local function read(shown)
      local parts, lines = parts_of(names, shown), {}
      for i, finding in ipairs(findings) do
        local part = parts[finding.name]
        if part and part:find(finding.place, 1, true) and part:find(finding.message, 1, true) then
          lines[#lines + 1] = wanted[i]
        end
      end
      return table.concat(lines, "\n")
    end
    reports[p] = { name = program.name, log = json(program.around(list(elements))), wanted = wanted, read = read }
  end
  return reports
end

return M
