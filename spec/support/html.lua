--- Reads a page as strictly as its writer should write it: every tag is known and closed, every attribute is known and
--- quoted, and text holds no markup. What a browser would forgive is an error here.

local abridge = require "abridge"
local report = require "abridge.report"

local M = {}

local VOID = { meta = true, input = true, rect = true, path = true }

local ELEMENTS = {}
for name in
  ([[html head meta title style body header h1 h2 h3 p dl dt dd div ul li a svg path rect span small table tr
  th td main input label section details summary pre b i del footer code noscript script]]):gmatch "%S+"
do
  ELEMENTS[name] = true
end

local ATTRIBUTES = {}
for name in
  ([[lang charset http-equiv content name class id href type checked for viewBox preserveAspectRatio role
  aria-label x y width height d data-n data-p data-d]]):gmatch "%S+"
do
  ATTRIBUTES[name] = true
end

local ENTITIES = { amp = "&", lt = "<", gt = ">", quot = '"', ["#39"] = "'" }

--- Text as it reads.
function M.unescaped(text)
  return (
    text:gsub("&([#%w]+);", function(name)
      return assert(ENTITIES[name], "an entity that we do not write: " .. name)
    end)
  )
end

local function check_text(text)
  assert(not text:find "[<>\"']", "markup in text: " .. text:sub(1, 100))
  for entity in text:gmatch "&([^;]*;?)" do
    assert(entity:sub(-1) == ";" and ENTITIES[entity:sub(1, -2)], "not escaped: &" .. entity)
  end
  assert(not text:find "[%z\1-\8\11-\31\127]", "a control byte")
end

local function attributes_of(text)
  local attributes, rest = {}, text
  while rest:find "%S" do
    local name, value, after = rest:match '^%s+([%w-]+)="([^"<>]*)"(.*)$'
    if not name then
      name, after = rest:match "^%s+(checked)(.*)$"
      value = ""
    end
    assert(name and ATTRIBUTES[name], "an attribute: " .. text)
    assert(not attributes[name], "twice: " .. name)
    attributes[name], rest = value, after
  end
  return attributes
end

---@class spec.Element
---@field name string
---@field attributes table<string, string>
---@field text string all text in it, as it reads

--- The elements of a page, in order.
---@param page string
---@return spec.Element[]
function M.read(page)
  local _, doctype = page:find "^<!doctype html>\n"
  local at = assert(doctype, "no doctype") + 1
  local elements, open = {}, {}
  local function add_text(text)
    for _, element in ipairs(open) do
      element.parts[#element.parts + 1] = text
    end
  end
  while at <= #page do
    local tag = page:find("<", at, true) or #page + 1
    local text = page:sub(at, tag - 1)
    local inside = open[#open]
    if inside and (inside.name == "style" or inside.name == "script") then
      assert(not text:find("<", 1, true))
      add_text(text)
    else
      check_text(text)
      add_text(M.unescaped(text))
    end
    if tag > #page then break end
    local slash, name, rest, self, after = page:match("^<(/?)([%w]+)([^<>]-)(/?)>()", tag)
    assert(name, "not a tag: " .. page:sub(tag, tag + 60))
    assert(ELEMENTS[name], "an element: " .. name)
    if slash == "/" then
      assert(inside and inside.name == name, ("</%s> in <%s>"):format(name, inside and inside.name or ""))
      inside.text = table.concat(inside.parts)
      open[#open] = nil
    else
      local element = { name = name, attributes = attributes_of(rest), parts = {}, text = "" }
      elements[#elements + 1] = element
      local drawn = name == "rect" or name == "path"
      assert(self == "" or drawn, "a slash: " .. name)
      if not (VOID[name] and (self == "/" or not drawn)) then open[#open + 1] = element end
    end
    at = after
  end
  assert(#open == 0, "not closed: " .. (open[#open] and open[#open].name or ""))
  return elements
end

--- The elements of a class, or of a name where it begins with "<".
---@param elements spec.Element[]
---@param class string
---@return spec.Element[]
function M.of(elements, class)
  local found = {}
  for _, element in ipairs(elements) do
    local is_named = class == "<" .. element.name
    local classes = " " .. (element.attributes.class or "") .. " "
    if is_named or classes:find(" " .. class .. " ", 1, true) then found[#found + 1] = element end
  end
  return found
end

--- Check that ids are unique, that each link goes to one of them or to a file, and that nothing else is asked for.
---@param elements spec.Element[]
---@return integer links
function M.check_links(elements)
  local ids, links = {}, 0
  for _, element in ipairs(elements) do
    local id = element.attributes.id
    if id then
      assert(not ids[id], "twice: id " .. id)
      ids[id] = element
    end
  end
  for _, element in ipairs(elements) do
    local href = element.attributes.href
    if href then
      links = links + 1
      assert(element.name == "a")
      local id = href:match "^#(.*)$"
      local is_path = href:find "^file:///[%w/_.~%%-]+$" or href:find "^%./[%w/_.~%%-]+$"
      assert(id and ids[id] or is_path, "a link: " .. href)
    end
  end
  return links
end

--- The page of a run.
---@param run_dir string
---@return string
function M.page_of(run_dir)
  local run, parts = assert(abridge.open_run(run_dir)), {}
  assert(report.write(run, function(text)
    parts[#parts + 1] = text
  end))
  run:close()
  return table.concat(parts)
end

return M
