--- What holds of the sources as a whole: rooms in their order, no circles, a header a source, libuv in few rooms, all
--- of it in the rock. The order of the rooms, and which of them ask for libuv, is read from doc/design.md.

local paths = require "support.paths"

local M = {}

local TOP = "top" -- the files that stand in no room: what hosts require

--- The files below root/dir, in order, as paths from root.
local function files_below(root, dir, found)
  found = found or {}
  for _, name in ipairs(paths.names(root .. "/" .. dir)) do
    local path = dir .. "/" .. name
    if name:find "%." or name == "abridge" and dir:find "bin$" then
      found[#found + 1] = path
    else
      files_below(root, path, found)
    end
  end
  return found
end

--- The rooms of csrc/ and of lua/abridge/, lowest first, as the page lists them.
function M.rooms(page)
  local rooms, current = {}, nil
  for line in page:match("## The rooms.-```\n(.-)\n```"):gmatch "[^\n]+" do
    local tree, room = line:match "^(%S+)/ ", line:match "^  (%l+)/ "
    if tree then
      rooms[tree], current = {}, tree
    elseif room then
      table.insert(rooms[current], room)
    end
  end
  return rooms
end

--- Report each room that is in the list or in the tree alone, and return the rank of each.
local function ranks(rooms, tree, units, report)
  local rank, seen = { [TOP] = #rooms + 1 }, {}
  for i, room in ipairs(rooms) do
    rank[room] = i
  end
  for _, unit in pairs(units) do
    seen[unit.room] = true
  end
  for _, room in ipairs(rooms) do
    if not seen[room] then report("doc/design.md lists %s/%s, which is not there", tree, room) end
  end
  for room in pairs(seen) do
    if not rank[room] then report("doc/design.md does not list %s/%s", tree, room) end
  end
  return rank
end

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

--- Report each use of a higher room, and each circle once. A unit has a room and `uses`, a set of names of units.
local function check_uses(units, rank, report)
  local state, way = {}, {}
  local function visit(name)
    state[name] = "open"
    way[#way + 1] = name
    for _, used in ipairs(sorted_keys(units[name].uses)) do
      local from, to = rank[units[name].room], rank[units[used].room]
      if from and to and to > from then report("%s uses %s, which is in a higher room", name, used) end
      if state[used] == "open" then
        local circle, i = { used }, #way
        while way[i] ~= used do
          table.insert(circle, 2, way[i])
          i = i - 1
        end
        report("a circle: %s -> %s", table.concat(circle, " -> "), used)
      elseif not state[used] then
        visit(used)
      end
    end
    way[#way] = nil
    state[name] = "done"
  end
  for _, name in ipairs(sorted_keys(units)) do
    if not state[name] then visit(name) end
  end
end

-- ---- C ----

local function without_comments(text)
  return (text:gsub("/%*.-%*/", " "))
end

--- The functions that a header declares, and those that a source defines, apart from static ones.
local function functions_of(text, ending)
  local names = {}
  local code = without_comments(text):gsub("\n[ \t]+", " ")
  for head, name, rest in code:gsub("\nABR_WRAPS ", "\n"):gmatch("\n(%l[%w_ %*]-)(abr_[%w_]+)(%b()" .. ending .. ")") do
    if not head:find "^static" and not head:find "^return" and rest then names[name] = true end
  end
  return names
end

local function check_header(path, text, own, report)
  for _, name in ipairs(sorted_keys(functions_of(text, "%s*;"))) do
    if not own[name] then report("%s declares %s, which its source does not define", path, name) end
  end
end

-- The header without a source of its own: each of these defines all that it declares.
local SYSTEMS = { ["files/portable"] = { "files/posix", "files/windows" } }

--- The header and the source of one name are one unit.
local function c_units(root, report)
  local units, texts = {}, {}
  for _, path in ipairs(files_below(root, "csrc")) do
    if path:find "%.[ch]$" or path:find "%.def$" then texts[path] = paths.read(root .. "/" .. path) end
  end
  for _, path in ipairs(sorted_keys(texts)) do
    local name = path:match "^csrc/(.*)%.[ch]$"
    if name and path ~= "csrc/abridge.h" then
      local unit = units[name] or { room = name:match "^([^/]+)/" or TOP, uses = {} }
      units[name] = unit
      for included in texts[path]:gmatch '#include "([^"]+)"' do
        local used = included:match "^(.*)%.h$"
        if not texts["csrc/" .. included] then
          report("%s includes %s, which is not there", path, included)
        elseif used and used ~= name and included ~= "abridge.h" then
          unit.uses[used] = true
        end
      end
      for _, source in ipairs(path:find "%.h$" and (SYSTEMS[name] or { name }) or {}) do
        check_header(path, texts[path], functions_of(texts["csrc/" .. source .. ".c"] or "", "%s*{"), report)
      end
    end
  end
  return units
end

-- ---- Lua ----

local LIBUV = { "%.uv%f[^%w_]", "%f[%w]vim%.loop%f[^%w_]", "require[%s,(]*[\"']luv[\"']" }

local function asks_libuv(text)
  for _, pattern in ipairs(LIBUV) do
    if text:find(pattern) then return true end
  end
  return false
end

--- Report each file that asks for libuv outside the rooms and top files that the page lists, and each of these that
--- does not ask.
local function check_libuv(page, units, report)
  local listed, asks = {}, {}
  for home in (page:match "`host%.uv` is asked for in%s(.-)%.%s" or ""):gmatch "`([^`]+)`" do
    listed[home] = true
  end
  for _, name in ipairs(sorted_keys(units)) do
    local home = units[name].home
    if units[name].asks_libuv then
      asks[home] = true
      if not listed[home] then report("%s asks for libuv, which doc/design.md does not say of %s", name, home) end
    end
  end
  for _, home in ipairs(sorted_keys(listed)) do
    if not asks[home] then report("doc/design.md says that %s asks for libuv, which it does not", home) end
  end
end

local function lua_units(root, report)
  local units, texts = {}, {}
  for _, path in ipairs(files_below(root, "lua/abridge")) do
    local name = path:match "^lua/(.*)%.lua$" or path:match "^lua/(.*bin/.*)$"
    if name then
      name = name:gsub("/init$", ""):gsub("/", ".")
      local room = path:match "^lua/abridge/([^/]+)/"
      texts[name] = paths.read(root .. "/" .. path)
      units[name] = { room = room ~= "bin" and room or TOP, uses = {}, home = path:match "^lua/abridge/([^/]+)" }
    end
  end
  for name, text in pairs(texts) do
    text = text:gsub("%-%-[^\n]*", "")
    units[name].asks_libuv = asks_libuv(text)
    for used in text:gmatch "require[%s,(]*[\"'](abridge[%w_.]*)[\"']" do
      if units[used] then
        units[name].uses[used] = used ~= name or nil
      elseif used ~= "abridge.core" and used ~= "abridge.tools." then
        report("%s requires %s, which is not there", name, used)
      end
    end
    if text:find('require("abridge.tools." ..', 1, true) then
      for tool, unit in pairs(units) do
        if unit.room == "tools" then units[name].uses[tool] = true end
      end
    end
  end
  return units
end

--- What examples and adapters of ours to hosts may require.
local function check_public(root, units, report)
  for _, path in ipairs(files_below(root, "examples")) do
    for used in paths.read(root .. "/" .. path):gmatch "require[%s,(]*[\"'](abridge[%w_.]*)[\"']" do
      local room = units[used] and units[used].room
      if room ~= TOP and room ~= "nvim" and room ~= "tools" then
        report("%s requires %s, which is private", path, used)
      end
    end
  end
end

local function check_rockspecs(root, report)
  for _, name in ipairs(paths.names(root .. "/rockspec")) do
    local spec = paths.read(root .. "/rockspec/" .. name)
    for _, tree in ipairs { "csrc", "lua" } do
      for _, path in ipairs(files_below(root, tree)) do
        if path:find "%.[cl]u?a?$" and not spec:find('"' .. path .. '"', 1, true) then
          report("%s does not list %s", name, path)
        end
      end
    end
  end
end

--- What is wrong with the sources below a folder, a sentence each.
function M.problems(root)
  local problems = {}
  local function report(format, ...)
    problems[#problems + 1] = format:format(...)
  end
  local page = paths.read(root .. "/doc/design.md")
  local rooms = M.rooms(page)
  local in_c, in_lua = c_units(root, report), lua_units(root, report)
  check_uses(in_c, ranks(rooms.csrc, "csrc", in_c, report), report)
  check_uses(in_lua, ranks(rooms["lua/abridge"], "lua/abridge", in_lua, report), report)
  check_libuv(page, in_lua, report)
  check_public(root, in_lua, report)
  check_rockspecs(root, report)
  return problems
end

return M
