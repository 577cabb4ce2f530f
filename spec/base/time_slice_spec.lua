-- Work in slices: the result is the same, the loop turns between slices, and a cancel closes what was opened.
local abridge = require "abridge"
local core = require "abridge.core"
local host = require "abridge.base.host"
local random = require "support.random"
local time_slices = require "abridge.base.time_slices"
local tmpdir = require "support.tmpdir"

local uv = host.uv()

--- Keep the processor busy until a slice is over.
local function use_up(work)
  local from = host.now()
  while not time_slices.is_over(from) do
    work.spent = (work.spent or 0) + 1
  end
end

--- Count the turns of the loop until `stop` is called.
local function count_turns()
  local check, turns = uv.new_check(), 0
  uv.check_start(check, function()
    turns = turns + 1
  end)
  uv.unref(check)
  return function()
    if not uv.is_closing(check) then uv.close(check) end
    host.pump()
    return turns
  end
end

describe("work in slices", function()
  it("that is soon over is done at once", function()
    local value
    for _ = 1, 20 do -- on a busy machine another process may take the whole of a slice
      time_slices.start(function(work)
        work:pause()
        return { text = "done" }
      end, function(got)
        value = got
      end)
      if value then break end
    end
    assert.same({ text = "done" }, value)
  end)

  it("lets the loop turn between slices", function()
    local value
    local stop = count_turns()
    time_slices.start(function(work)
      for _ = 1, 5 do
        use_up(work)
        work:pause()
      end
      return { text = "done" }
    end, function(got)
      value = got
    end)
    assert.is_nil(value)
    host.wait(function()
      return value ~= nil
    end)
    assert.same({ text = "done" }, value)
    assert.is_true(stop() >= 5)
  end)

  it("is done at once where it is asked for", function()
    local value
    time_slices.start(function(work)
      use_up(work)
      work:pause()
      return { text = "done" }
    end, function(got)
      value = got
    end, true)
    assert.same({ text = "done" }, value)
  end)

  it("gives what it raised as an error, and closes what it held", function()
    for _, spend in ipairs { false, true } do
      local value, closed = nil, {}
      time_slices.start(function(work)
        for i = 1, 2 do
          work:hold {
            close = function()
              closed[#closed + 1] = i
            end,
          }
        end
        if spend then
          use_up(work)
          work:pause()
        end
        error("it went wrong", 0)
      end, function(got)
        value = got
      end)
      host.wait(function()
        return value ~= nil
      end)
      assert.same({ text = "it went wrong", is_error = true }, value)
      assert.same({ 2, 1 }, closed)
    end
  end)

  it("that is cancelled goes no further, and closes what it held", function()
    local went_on, closed = false, 0
    local cancel = time_slices.start(function(work)
      work:hold {
        close = function()
          closed = closed + 1
        end,
      }
      use_up(work)
      work:pause()
      went_on = true
      return {}
    end, function()
      went_on = true
    end)
    cancel()
    cancel()
    host.wait(function() end, 0.02)
    assert.is_false(went_on)
    assert.equal(1, closed)
  end)

  it("takes steps by how long the steps before took", function()
    local pace = time_slices.pace(1000, 4000, 100000)
    assert.equal(4000, pace.size)
    pace:took(4000, 0.1)
    assert.equal(8000, pace.size)
    pace:took(8000, 2) -- about what a step is to take
    assert.equal(8000, pace.size)
    pace:took(8000, 4)
    assert.equal(2000, pace.size)
    pace:took(2000, 50)
    assert.equal(1000, pace.size)
    pace:took(10, 0) -- which tells nothing of 2000
    assert.equal(1000, pace.size)
    for _ = 1, 10 do
      pace:took(pace.size, 0)
    end
    assert.equal(100000, pace.size)
    pace:took(5000, 10) -- there was no more
    assert.equal(1000, pace.size)
  end)

  it("is one slice however many pieces of work a callback begins", function()
    local clock, real_now = 0, host.now
    host.now = function()
      return clock
    end
    local begun, done = 0, 0
    time_slices.within(function()
      for _ = 1, 3 do
        time_slices.start(function(work)
          begun, clock = begun + 1, clock + 2
          work:pause()
          return {}
        end, function()
          done = done + 1
        end)
      end
      assert.equal(3, begun)
      assert.equal(1, done) -- 2 ms; the others go on in turns of their own
    end)
    host.now = real_now
    host.wait(function()
      return done == 3
    end)
    assert.equal(3, done)
  end)

  it("waits for what is done elsewhere, and not once it is cancelled", function()
    local dir, said = tmpdir.new(), {}
    local function stat(name, path)
      return time_slices.start(function(work)
        local err, found = work:await(function(done)
          uv.fs_stat(path, done)
        end)
        said[name] = { err = err and err:match "^%u+" or false, kind = found and found.type }
        return {}
      end, function()
        said[name].done = true
      end)
    end
    stat("there", dir.path)
    stat("not there", dir:at "missing")
    local cancel = stat("cancelled", dir.path)
    assert.same({}, said)
    cancel()
    host.wait(function()
      return said.there and said.there.done and said["not there"] and said["not there"].done
    end)
    host.wait(function() end, 0.01)
    local want = { err = false, kind = "directory", done = true }
    assert.same({ there = want, ["not there"] = { err = "ENOENT", done = true } }, said)
    dir:remove()
  end)

  it("sorts as table.sort does", function()
    for case, n in ipairs { 0, 1, 2, 511, 512, 513, 1024, 1025, 5000, 20000 } do
      random.start(case)
      local list, want = {}, {}
      for i = 1, n do
        list[i] = ("%s%d"):format(string.char(random.between(97, 122)), random.between(1, n))
        want[i] = list[i]
      end
      table.sort(want)
      assert.same(want, time_slices.sorted(time_slices.at_once, list))
    end
  end)
end)

describe("a page opened in steps", function()
  local dir
  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  local function stepped(path, opts)
    local page, code, detail = core.page_in_steps(path, opts)
    if not page then return nil, code, detail end
    while true do
      local open
      open, code, detail = page:step(random.between(0, 600000))
      if open then return page end
      if open == nil then return nil, code, detail end
    end
  end

  it("is the page opened in one go", function()
    local pick = random.between
    local compared = 0
    random.each(100, function()
      local lines, width = {}, pick(1, 4) == 1 and 30000 or 80
      for i = 1, pick(0, 2000000 / width) do
        lines[i] = ("é%d"):format(i):rep(pick(0, width / 4))
      end
      local path = dir:write("f", table.concat(lines, "\n"))
      local opts = { offset = pick(1, #lines + 2), column = pick(1, 3) == 1 and pick(1, width) or nil }
      opts.max_bytes, opts.max_lines = pick(0, 50000), pick(1, 2) == 1 and pick(0, 100) or nil
      opts.max_chars = pick(1, 2) == 1 and pick(0, 20000) or nil
      opts.strategy = ({ "head", "tail", "head_tail" })[pick(1, 3)]
      opts.index = pick(1, 2) == 1 and core.index() or nil
      local whole, code, detail = core.page(path, opts)
      local page, got_code, got_detail = stepped(path, opts)
      assert.same({ code, detail }, { got_code, got_detail })
      if whole then
        compared = compared + 1
        assert.same({ whole:snapshot() }, { page:snapshot() })
        assert.same(whole:about(), page:about())
        assert.equal(whole:read(0, 100), page:read(0, 100))
        whole:close()
        page:close()
      end
    end)
    assert.is_true(compared > random.found(10))
  end)

  it("is of no use before it is open", function()
    local path = dir:write("f", ("line\n"):rep(200000))
    local page = core.page_in_steps(path, { max_bytes = 10 })
    assert.is_false(page:step(1))
    for _, method in ipairs { "snapshot", "about", "read" } do
      local ok, message = pcall(page[method], page, 0, 0)
      assert.is_false(ok)
      assert.matches("the page is not open yet", message)
    end
    while not page:step(300000) do
    end
    assert.equal("line\nline", (page:snapshot()))
    local ok, message = pcall(page.step, page, 1)
    assert.is_false(ok)
    assert.matches("page:step: the page is open", message)
    page:close()
    ok, message = pcall(page.step, page, 1)
    assert.is_false(ok)
    assert.matches("page:step: the page is closed", message)
    page = core.page_in_steps(path, { max_bytes = 10 })
    page:step(1)
    page:close() -- in the midst of it
    assert.is_nil(core.page_in_steps(dir:at "none", { max_bytes = 10 }))
  end)

  if not host.in_nvim then -- whose fast events refuse a call that blocks
    it("is what read_file reads in one go in a callback of the loop, where nothing can wait", function()
      local lines = {}
      for i = 1, 60000 do
        lines[i] = ("%d password=%d and so on"):format(i, i)
      end
      local path = dir:write("f", table.concat(lines, "\n"))
      for _, redact in ipairs { false, { "password=%d+" } } do
        local session = abridge.session { run_dir = false, redact = redact }
        for _, input in ipairs {
          { path = path, offset = 59000 },
          { path = path, offset = 59000, line_numbers = true },
          { path = path, offset = 59000, column = 3, limit = 2 },
          { path = path, offset = 70000 },
        } do
          local at_once
          local timer = uv.new_timer()
          uv.timer_start(timer, 0, 0, function()
            at_once = { pcall(session.call, session, "read_file", input) }
          end)
          host.wait(function()
            return at_once ~= nil
          end)
          uv.close(timer)
          host.pump()
          assert.is_true(at_once[1], at_once[2])
          local job = session:call("read_file", input, {})
          local results = { at_once[2], job:wait() }
          for _, result in ipairs(results) do
            result.call_id, result.duration_ms = nil, nil
          end
          assert.same(results[1], results[2])
          assert.equal(input.offset == 70000, results[1].is_error)
        end
        session:close()
      end
    end)
  end

  it("ends when its call is cancelled", function()
    local path = dir:at "big"
    dir:sh "yes 'a line of a big file' | head -c 100000000 > big"
    local session = abridge.session { run_dir = false, redact = { "password=%S+" } }
    local job = session:call("read_file", { path = path }, {})
    assert.is_false(job:is_done())
    host.wait(function() end, 0.01)
    assert.is_false(job:is_done())
    job:cancel()
    assert.is_true(job.result.is_error)
    session:close()
    assert.is_nil(next(session.running))
    if not host.in_nvim then assert.is_false(uv.loop_alive()) end
  end)
end)
