local host = require "abridge.base.host"

---Runs `fn(fresh)` with a newly loaded `abridge.host`, while the modules named are hidden from `require`.
local function with_hidden(names, fn)
  local saved = { loaded = {}, preload = {}, path = package.path, cpath = package.cpath }
  for _, name in ipairs(names) do
    saved.loaded[name], saved.preload[name] = package.loaded[name], package.preload[name]
    package.loaded[name], package.preload[name] = nil, nil
  end
  local current = package.loaded["abridge.base.host"]
  package.loaded["abridge.base.host"] = nil
  local fresh = require "abridge.base.host"
  package.loaded["abridge.base.host"] = current
  package.path, package.cpath = "", ""
  local ok, err = pcall(fn, fresh)
  package.path, package.cpath = saved.path, saved.cpath
  for _, name in ipairs(names) do
    package.loaded[name], package.preload[name] = saved.loaded[name], saved.preload[name]
  end
  if not ok then error(err, 0) end
end

describe("host", function()
  it("loads neither luv nor cjson on require", function()
    with_hidden({ "luv", "cjson" }, function()
      assert.is_nil(package.loaded.luv)
      assert.is_nil(package.loaded.cjson)
    end)
  end)

  it("knows whether it is inside Neovim", function()
    assert.equal(rawget(_G, "vim") ~= nil, host.in_nvim)
  end)
end)

describe("host.json", function()
  local json = host.json()

  it("keeps integers of 14 digits, and reads those to 2^53", function()
    assert.equal("99999999999999", json.encode(99999999999999))
    assert.equal("-12345678901234", json.encode(-12345678901234))
    assert.equal(2 ^ 53, json.decode "9007199254740992")
    assert.equal(2 ^ 53 - 1, json.decode "9007199254740991")
  end)

  it("keeps other numbers short", function()
    assert.equal("0.1", json.encode(0.1))
    assert.equal("-1", json.encode(-1))
    assert.equal("1.5", json.encode(1.5))
  end)

  it("writes 5 and 5.0 alike, and reads them alike", function()
    assert.equal("[5,5]", json.encode { 5, 5.0 })
    assert.equal("5 5 -3", table.concat(json.decode "[5.0, 5, -3.0]", " "))
    assert.equal("1 0.5", table.concat(json.decode('{"a":[1e0,0.5]}').a, " "))
    assert.equal("7", tostring(json.decode "7.0"))
  end)

  it("refuses what JSON cannot say", function()
    local cycle = {}
    cycle[1] = cycle
    for _, value in ipairs { 0 / 0, 1 / 0, -1 / 0, print, { [true] = 1 }, { f = print }, cycle } do
      assert.equal(false, (pcall(json.encode, value)))
    end
  end)

  it("reads back every byte of ASCII that it wrote", function()
    local every = {}
    for byte = 0, 127 do
      every[#every + 1] = string.char(byte)
    end
    every = table.concat(every)
    assert.equal(every, json.decode(json.encode(every)))
  end)

  it("round-trips null", function()
    assert.equal('[null,{"a":null}]', json.encode(json.decode '[null,{"a":null}]'))
    assert.equal(json.null, json.decode "null")
  end)

  it("refuses what only looks like a number of JSON, whatever the library takes", function()
    local odd = { "0x10", "01", "-01", "+1", "1.", "1.e5", "1e", "NaN", "-nan", "Infinity", "-inf", "1e999" }
    for _, text in ipairs(odd) do
      for _, around in ipairs { "%s", "[1,%s]", '{"a":%s}', '["\\"",%s ]', '["\\\\",%s]' } do
        local ok = pcall(json.decode, (around:gsub("%%s", text)))
        assert.equal(false, ok, around .. text)
      end
    end
    local fine = '["0x10","\\"01","+1",0,-0.5,10,1e5,1E+2,0e-1,"1.\\\\",120]'
    assert.same({ "0x10", '"01', "+1", 0, -0.5, 10, 1e5, 1E2, 0, "1.\\", 120 }, json.decode(fine))
  end)

  it("makes an object of an array with many holes, on every host", function()
    assert.equal('{"100":"x"}', json.encode { [100] = "x" })
    assert.equal('{"a":[1,{"50":[null]}]}', json.encode { a = { 1, { [50] = { json.null } } } })
    assert.equal("[1,null,3]", json.encode { 1, nil, 3 })
  end)

  it("leaves slashes bare", function()
    assert.equal([["a/b\\/\"/"]], json.encode 'a/b\\/"/')
    assert.equal([["\\\\/\n"]], json.encode "\\\\/\n")
  end)

  it("raises on bad JSON", function()
    local bad = { "", "{", "[1,]", "[1] x", "nan", "[NaN]", "[Infinity]", "[0x10]", "[1e999]", "{'a':1}" }
    for _, text in ipairs(bad) do
      local ok, message = pcall(json.decode, text)
      assert.equal(false, ok)
      assert.equal("string", type(message))
    end
    assert.has_error(function()
      json.decode(nil)
    end)
  end)

  it("leaves the library's global settings alone", function()
    local lib = host.in_nvim and rawget(_G, "vim").json or require "cjson"
    with_hidden({}, function(fresh)
      local before = lib.decode_invalid_numbers and lib.decode_invalid_numbers()
      fresh.json().encode { 2 ^ 53 }
      assert.equal(before, lib.decode_invalid_numbers and lib.decode_invalid_numbers())
    end)
  end)

  it("says what to install when there is no JSON library", function()
    local vim = rawget(_G, "vim")
    local saved = vim and vim.json
    if vim then vim.json = nil end
    with_hidden({ "cjson" }, function(fresh)
      local got, message, code = fresh.json()
      assert.is_nil(got)
      assert.equal("ENOJSON", code)
      assert.equal(
        "lua-cjson could not be loaded; install it with `luarocks install lua-cjson`, "
          .. "or your system's lua-cjson package",
        message
      )
    end)
    if vim then vim.json = saved end
  end)
end)

describe("host.uv", function()
  if not host.in_nvim then
    it("says what to install when there is no luv", function()
      with_hidden({ "luv" }, function(fresh)
        local got, message, code = fresh.uv()
        assert.is_nil(got)
        assert.equal("ENOLUV", code)
        assert.equal(
          "luv could not be loaded; install it with `luarocks install luv`, or your system's lua-luv package",
          message
        )
      end)
    end)

    it("says why a broken luv did not load", function()
      with_hidden({ "luv" }, function(fresh)
        package.preload.luv = function()
          error("wrong version", 0)
        end
        local _, message, code = fresh.uv()
        assert.equal("ENOLUV", code)
        assert.matches("could not be loaded %(.*wrong version", message)
      end)
    end)

    it("still waits for what is done, and tells the time, without luv", function()
      with_hidden({ "luv" }, function(fresh)
        assert.is_true(fresh.wait(function()
          return true
        end))
        assert.same({ false, "idle" }, {
          fresh.wait(function()
            return false
          end),
        })
        assert.equal("number", type(fresh.now()))
        fresh.pump()
      end)
    end)
  end

  it("is the libuv of this host", function()
    assert.equal("function", type(host.uv().spawn))
  end)
end)

describe("host.after", function()
  local calls

  ---A function that notes its name.
  local function noting(name)
    return function()
      calls[#calls + 1] = name
    end
  end

  ---Waits for so many calls, and gives back their names.
  local function heard(count)
    assert.is_true(host.wait(function()
      return #calls >= count
    end, 20))
    return table.concat(calls, " ")
  end

  before_each(function()
    calls = {}
  end)

  it("calls once each, in the order of their times, at once where that has passed", function()
    host.after(400, noting "late")
    host.after(200, noting "soon")
    host.after(-1e300, noting "now")
    local never = host.after(1e300, noting "never")
    assert.equal("now soon late", heard(3))
    never()
  end)

  it("calls again until cancelled, which may be said twice and in the call", function()
    local cancel
    cancel = host.after(1, function()
      noting "again"()
      if #calls == 3 then cancel() end
    end, 1)
    heard(3)
    host.after(10, noting "end")
    assert.equal("again again again end", heard(4))
    cancel()
  end)

  it("calls nothing that is cancelled", function()
    local cancel
    host.after(0, function()
      cancel() -- inside Neovim the other one has fired by now
      noting "first"()
    end)
    cancel = host.after(0, noting "cancelled")
    host.after(10, noting "end")
    assert.equal("first end", heard(2))
  end)

  if not host.in_nvim then
    it("calls nothing without luv", function()
      with_hidden({ "luv" }, function(fresh)
        assert.is_nil(fresh.after(0, noting "never"))
      end)
    end)
  end
end)

describe("host.wait", function()
  local uv = host.uv()

  local function never()
    return false
  end

  ---Calls `fn` after `ms`, and gives back the wait's answer.
  local function wait_with_timer(ms, fn, predicate, seconds)
    local timer = uv.new_timer()
    uv.update_time()
    uv.timer_start(timer, ms, 0, function()
      fn()
    end)
    local answer = { host.wait(predicate, seconds) }
    uv.close(timer)
    host.pump()
    return answer
  end

  it("returns as soon as the predicate is true", function()
    local fired = false
    local answer = wait_with_timer(5, function()
      fired = true
    end, function()
      return fired
    end)
    assert.same({ true }, answer)
  end)

  it("sees what a timer made true while other handles sleep", function()
    -- libuv runs timers and then blocks in the same turn.
    local fired = false
    local sleeper = uv.new_timer()
    uv.timer_start(sleeper, 30000, 0, function() end)
    local from = host.now()
    local answer = wait_with_timer(5, function()
      fired = true
    end, function()
      return fired
    end, 20)
    uv.close(sleeper)
    host.pump()
    assert.same({ true }, answer)
    assert.is_true(host.now() - from < 10000)
  end)

  it("stops at the deadline", function()
    local sleeper = uv.new_timer()
    uv.timer_start(sleeper, 30000, 0, function() end)
    local from = host.now()
    assert.same({ false, "timeout" }, { host.wait(never, 0.02) })
    assert.same({ false, "timeout" }, { host.wait(never, 0) })
    local took = host.now() - from
    uv.close(sleeper)
    host.pump()
    assert.is_true(took >= 15)
    assert.is_true(took < 10000)
  end)

  if not host.in_nvim then
    it("says idle when nothing is left that could help", function()
      assert.same({ false, "idle" }, { host.wait(never) })
      local from = host.now()
      assert.same({ false, "idle" }, { host.wait(never, 30) })
      assert.is_true(host.now() - from < 10000)
    end)
  end

  if host.in_nvim then
    it("hears Ctrl-C", function()
      local vim = rawget(_G, "vim")
      local from = host.now()
      local answer = wait_with_timer(5, function()
        vim.api.nvim_input "<C-c>"
      end, never, 20)
      assert.same({ false, "interrupted" }, answer)
      assert.is_true(host.now() - from < 10000)
    end)
  end

  it("refuses to wait inside a callback of the loop", function()
    local message
    wait_with_timer(1, function()
      local _
      _, message = pcall(host.wait, never, 1)
    end, function()
      return message ~= nil
    end)
    assert.matches("abridge: cannot wait inside a callback of the event loop; use on_done", message)
    -- and works again afterwards
    assert.same({ false, "timeout" }, wait_with_timer(1000, function() end, never, 0.001))
  end)

  it("passes on what the predicate raises, at once and later", function()
    local ok, message = pcall(host.wait, function()
      error("early", 0)
    end)
    assert.same({ false, "early" }, { ok, message })

    local fired = false
    local timer = uv.new_timer()
    uv.timer_start(timer, 5, 0, function()
      fired = true
    end)
    ok, message = pcall(host.wait, function()
      if fired then error("late", 0) end
    end)
    uv.close(timer)
    host.pump()
    assert.same({ false, "late" }, { ok, message })
  end)

  if not host.in_nvim then -- where uv.walk aborts on handles that are Neovim's own
    it("leaves no handle behind", function()
      local function count()
        local n = 0
        uv.walk(function()
          n = n + 1
        end)
        return n
      end
      local before = count()
      for _ = 1, 20 do
        host.wait(never, 0.001)
      end
      assert.equal(before, count())
    end)
  end

  it("names a bad argument", function()
    assert.matches("predicate must be a function, got number", select(2, pcall(host.wait, 5)))
    for _, seconds in ipairs { -1, "5", 0 / 0 } do
      assert.matches("seconds must be a number >= 0, got ", select(2, pcall(host.wait, never, seconds)))
    end
  end)

  it("has a clock that moves forward", function()
    local a = host.now()
    local b = host.now()
    assert.is_true(b >= a)
  end)
end)
