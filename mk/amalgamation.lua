--- `make amalgamation`: the core as two files, abridge.c and abridge.h, that any compiler takes with one command.
---   lua mk/amalgamation.lua FOLDER VERSION SOURCE...
---
--- Headers come first, each once and after those that it includes; then the sources. What is included without a
--- guard, a template or a table of rows, stands wherever it is used. A source's macros end with it.

local PUBLIC = "abridge.h"
-- <windows.h> defines macros of common words, so that what needs it comes last.
local LAST = "files/windows.c"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

--- Is a header read once, however often it is included?
local function has_guard(text)
  return text:find "\n#ifndef ([%w_]+)\n#define %1\n" ~= nil
end

--- The macros that a source leaves defined.
local function macros(text)
  local names = {}
  for name in text:gmatch "\n#%s*define%s+([%a_][%w_]*)" do
    if not text:find("\n#undef " .. name .. "%f[^%w_]") and name ~= "_GNU_SOURCE" then names[#names + 1] = name end
  end
  return names
end

local INCLUDE = '^#include "([^"]+)"[^\n]*$'

--- The text of a source without its includes; what has no guard stands in place of its include.
local function inlined(path)
  local lines = {}
  for line in read("csrc/" .. path):gmatch "([^\n]*)\n" do
    local included = line:match(INCLUDE)
    if not included then
      lines[#lines + 1] = line
    elseif not has_guard(read("csrc/" .. included)) then
      lines[#lines + 1] = inlined(included)
    end
  end
  return table.concat(lines, "\n")
end

local function section(path)
  return ("\n/* ==== %s ==== */\n\n%s\n"):format(path, inlined(path))
end

local function amalgamation(sources)
  local headers, bodies, known = {}, {}, { [PUBLIC] = true }
  local function add_headers_of(path)
    for line in read("csrc/" .. path):gmatch "[^\n]+" do
      local included = line:match(INCLUDE)
      if included and not known[included] then
        known[included] = true
        add_headers_of(included)
        if has_guard(read("csrc/" .. included)) then headers[#headers + 1] = section(included) end
      end
    end
  end
  for _, path in ipairs(sources) do
    add_headers_of(path)
    bodies[#bodies + 1] = section(path)
    for _, name in ipairs(macros(read("csrc/" .. path))) do
      bodies[#bodies + 1] = ("#undef %s\n"):format(name)
    end
  end
  return table.concat(headers) .. table.concat(bodies)
end

local HEAD = [[
/*
 * abridge %s as one file: cc -O2 -c abridge.c. Made of csrc/ by `make amalgamation`; report faults and send changes
 * there. The functions are described in abridge.h.
 *
%s */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* before any header of the system; what only Linux has is optional, see ABR_PORTABLE */
#endif
#include "abridge.h"
]]

local function as_comment(text)
  return (text:gsub("([^\n]*)\n", function(line)
    return " *" .. (line ~= "" and " " or "") .. line .. "\n"
  end))
end

local folder, version = arg[1], arg[2]
local sources = {}
for i = 3, #arg do
  sources[#sources + 1] = (arg[i]:gsub("^csrc/", ""))
end
table.sort(sources, function(a, b)
  if (a == LAST) ~= (b == LAST) then return b == LAST end
  return a < b
end)
write(folder .. "/abridge.c", HEAD:format(version, as_comment(read "LICENSE")) .. amalgamation(sources))
write(folder .. "/abridge.h", read("csrc/" .. PUBLIC))
