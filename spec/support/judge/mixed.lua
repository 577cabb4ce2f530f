--- Judges a cut of an output of several kinds: its parts are those that it was put together of, and documents in them
--- still parse.
local plain = require "support.plain"

local M = {}

local LEAST_SHARE = 96 -- bytes of a part; in less, all is cut as a log

local has_cjson, cjson = pcall(require, "cjson")

--- What was put together: a list of `{ kind=, text= }`. Logs and texts that stand side by side are one.
local function expected_parts(list)
  local parts, line = {}, 0
  for _, one in ipairs(list) do
    local rest = one.kind == "log" or one.kind == "text"
    local first = line + 1
    line = line + plain.count_lines(one.text)
    local last = parts[#parts]
    if last and last.rest and rest then
      last.last_line, last.bytes = line, last.bytes + #one.text
    else
      parts[#parts + 1] = { kind = one.kind, rest = rest, first_line = first, last_line = line, bytes = #one.text }
    end
  end
  return parts
end

--- Those of the cut, logs and texts side by side as one.
local function told_parts(list)
  local parts = {}
  for _, one in ipairs(list) do
    local rest = one.kind == "log" or one.kind == "text"
    local last = parts[#parts]
    if last and last.rest and rest then
      last.last_line = one.last_line
    else
      parts[#parts + 1] = { kind = one.kind, rest = rest, first_line = one.first_line, last_line = one.last_line }
    end
  end
  return parts
end

--- What the content shows of bytes from..to of the source, with the markers between.
local function shown_of(view, from, to)
  local first, last
  for at = 1, #view.content do
    local origin = view.origin[at]
    if origin and origin >= from and origin <= to then
      first = first or at
      last = at
    end
  end
  return first and view.content:sub(first, last) or ""
end

function M.judge(view, list)
  local wanted, told = expected_parts(list), told_parts(view.cut.parts or {})
  local at, sum = 1, 0
  local by_parts = view:is_bound_by_bytes() and view.opts.max_bytes >= LEAST_SHARE * #(view.cut.parts or {})
  for i, part in ipairs(wanted) do
    local own = told[i] or {}
    for _, key in ipairs { "first_line", "last_line" } do
      if own[key] ~= part[key] then
        view:fault("parts", "%s of part %d is %s, not %d", key, i, tostring(own[key]), part[key])
      end
    end
    if not part.rest and own.kind ~= part.kind then
      view:fault("parts", "part %d is %s, not %s", i, tostring(own.kind), part.kind)
    end
    local shown = shown_of(view, at, at + part.bytes - 1)
    at = at + part.bytes
    if has_cjson and part.kind == "json" and by_parts and not pcall(cjson.decode, shown) then
      view:fault("parse", "part %d is no JSON: %s", i, shown:sub(1, 200))
    end
  end
  for _, part in ipairs(view.cut.parts or {}) do
    sum = sum + part.output_lines
  end
  if sum ~= view.cut.output_lines then
    view:fault("parts", "%d of their lines show, %d of the text", sum, view.cut.output_lines)
  end
end

return M
