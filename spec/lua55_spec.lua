-- What Lua 5.5 no longer takes, looked for in the sources: a control variable of a `for` that is assigned to, and
-- `global`, which is a keyword there.

local KEYWORDS = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true "
  .. "until while"):gmatch "%a+" do
  KEYWORDS[word] = true
end

--- The words and signs of a Lua source, without comments and strings: { text =, line = }.
local function tokens_of(source)
  local tokens, at, line = {}, 1, 1
  local function skip(to)
    line = line + select(2, source:sub(at, to):gsub("\n", ""))
    at = to + 1
  end
  while at <= #source do
    local long = source:match("^%-%-%[(=*)%[", at) or source:match("^%[(=*)%[", at)
    if long then
      skip(select(2, source:find("]" .. long .. "]", at, true)))
    elseif source:find("^%-%-", at) then
      skip((source:find("\n", at, true) or #source + 1) - 1)
    elseif source:find("^[\"']", at) then
      local quote, stop = source:sub(at, at), at + 1
      while source:sub(stop, stop) ~= quote do
        stop = stop + (source:sub(stop, stop) == "\\" and 2 or 1)
      end
      skip(stop)
      tokens[#tokens + 1] = { text = "''", line = line }
    elseif source:find("^%s", at) then
      skip(at)
    else
      local text = source:match("^[%a_][%w_]*", at) or source:match("^[=~<>]=", at) or source:match("^%.+", at)
        or source:match("^%d[%w.]*", at) or source:sub(at, at)
      tokens[#tokens + 1] = { text = text, line = line }
      skip(at + #text - 1)
    end
  end
  return tokens
end

local function is_name(token)
  return token and token.text:find "^[%a_]" and not KEYWORDS[token.text]
end

--- The offences of a source: "what: name at line".
local function offences(source)
  local tokens, found = tokens_of(source), {}
  -- a scope: names to "control" or "local", and what opened it; in braces what stands before `=` is a field
  local scopes, controls = { {} }, nil
  local function declare(name, kind) scopes[#scopes][name] = kind end
  local function kind_of(name)
    for i = #scopes, 1, -1 do
      if scopes[i][name] then return scopes[i][name] end
    end
  end
  --- Declare the names of a list from a token on, the first of them as `kind`.
  local function declare_list(i, kind)
    local names = {}
    while is_name(tokens[i]) do
      names[#names + 1] = tokens[i].text
      i = i + (tokens[i + 1] and tokens[i + 1].text == "," and 2 or 1)
      if tokens[i - 1].text ~= "," then break end
    end
    for n, name in ipairs(names) do
      declare(name, n == 1 and kind or "local")
    end
    return i
  end
  for _, token in ipairs(tokens) do
    if token.text == "global" then found[#found + 1] = "global at " .. token.line end
  end
  local i = 1
  while tokens[i] do
    local text, before = tokens[i].text, tokens[i - 1] and tokens[i - 1].text
    i = i + 1
    if text == "for" then
      controls = i
    elseif text == "do" or text == "if" or text == "repeat" or text == "function" or text == "{" then
      scopes[#scopes + 1] = { [0] = text }
      if text == "do" and controls then
        declare_list(controls, "control")
        controls = nil
      elseif text == "function" then
        while tokens[i].text ~= "(" do i = i + 1 end
        i = declare_list(i + 1, "local")
      end
    elseif text == "end" or text == "until" or text == "}" then
      scopes[#scopes] = nil
    elseif text == "local" and tokens[i].text ~= "function" then
      i = declare_list(i, "local")
    elseif not controls and tokens[i] and tokens[i].text == "=" and before ~= "." and scopes[#scopes][0] ~= "{" then
      if kind_of(text) == "control" then found[#found + 1] = text .. " at " .. tokens[i].line end
    end
  end
  assert(#scopes == 1, "scopes are unbalanced")
  return found
end

describe("for Lua 5.5", function()
  it("assignments to control variables are told from others", function()
    assert.same({ "i at 1" }, offences "for i = 1, 2 do i = 3 end")
    assert.same({ "k at 2" }, offences "for k, v in pairs(t) do v = 1\nif v then k = 2 end end")
    assert.same({ "k at 1" }, offences "for k in f() do g(function() k = k + 1 end) end")
    assert.same({ "k at 1" }, offences "for k in f() do v, k = 1, 2 end")
    assert.same({ "global at 1" }, offences "local global = 1")
    assert.same({}, offences "for k in f() do local k = k\nk = 1 end k = 2")
    assert.same({}, offences "for k in f() do t.k = { k = 1, [k] = k == 2 } end")
    assert.same({}, offences "for k in f() do local g = function(a, k) k = 1 end end")
    assert.same({}, offences "for k in f() do -- k = 2\nreturn 'k = 3', [[ k = 4 ]] --[[ k = 5 ]] end")
    assert.same({}, offences "for i = 1, 2 do repeat local x, i = 1 i = 2 until i end")
  end)

  it("there are none in the sources", function()
    local seen = 0
    local list = assert(io.popen "find lua spec bench examples -name '*.lua'; echo lua/abridge/bin/abridge")
    for path in list:lines() do
      local file = assert(io.open(path, "rb"))
      local source = file:read("*a"):gsub("^#[^\n]*", "")
      file:close()
      seen = seen + 1
      assert.same({}, offences(source), path)
    end
    list:close()
    assert.is_true(seen > 100)
  end)
end)
