-- Where the output goes of calls that run at the same time, in a buffer that is edited meanwhile.
local abridge = require "abridge"
local random = require "support.random"

local vim = rawget(_G, "vim")
if not (vim and vim.api) then
  describe("inside Neovim, the output of calls", function()
    pending "has no place: this host is not Neovim"
  end)
  return
end

local nvim = require "abridge.nvim"
local api = vim.api

describe("calls that run into one buffer", function()
  local session, jobs, buf

  --- A session with a tool whose calls print and end when they are told to.
  before_each(function()
    session, jobs = abridge.session { run_dir = false }, {}
    session:register {
      name = "told",
      description = "",
      input_schema = { type = "object", properties = { name = { type = "string" } } },
      limits = { max_lines = 100 },
      execute = function(input, ctx, done)
        jobs[input.name] = { ctx = ctx, done = done }
      end,
    }
  end)

  after_each(function()
    session:close()
    if api.nvim_buf_is_valid(buf) then api.nvim_buf_delete(buf, { force = true }) end
  end)

  local function scratch(lines)
    buf = api.nvim_create_buf(true, false)
    api.nvim_buf_set_lines(buf, 0, -1, true, lines)
    return buf
  end

  local function lines()
    return table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), " ")
  end

  --- Change lines, in one step of undo.
  local function set(first, last, new)
    api.nvim_buf_call(buf, function()
      vim.cmd "let &undolevels = &undolevels"
    end)
    api.nvim_buf_set_lines(buf, first, last, true, new)
  end

  local messages = {}

  local function run(name, row)
    return nvim.run(session, "told", { name = name }, {
      buf = buf,
      row = row,
      on_done = function(_, message)
        messages[name] = message or false
      end,
    })
  end

  local function finish(name, count)
    local text = {}
    if api.nvim_buf_is_loaded(buf) then set(0, 0, {}) end -- what is written is a step of undo too
    for i = 1, count do
      text[i] = name .. i
    end
    jobs[name].done(table.concat(text, "\n"))
  end

  it("stand in places of their own, in whatever order they end", function()
    for _, order in ipairs { { "a", "b" }, { "b", "a" } } do
      scratch { "x", "y", "z" }
      run("a", 1)
      run("b", 2)
      for _, name in ipairs(order) do
        finish(name, 3)
      end
      assert.equal("x a1 a2 a3 y b1 b2 b3 z", lines())
      api.nvim_buf_delete(buf, { force = true })
    end
  end)

  it("stand in the order of the calls where they were made for one row, or for the end", function()
    for _, case in ipairs {
      { rows = { 1, 1, 1 }, text = "x A B C y" },
      { rows = { 2, 2, 2 }, text = "x y A B C" },
      { rows = {}, text = "x y A B C" },
      { rows = { 2, 3, 9 }, text = "x y A B C" },
      { rows = {}, before = { "" }, text = "A B C" },
      { rows = { 0, 0, 0 }, before = { "" }, text = "A B C " },
    } do
      for _, order in ipairs { "abc", "acb", "bac", "bca", "cab", "cba" } do
        scratch(case.before or { "x", "y" })
        for i, name in ipairs { "a", "b", "c" } do
          run(name, case.rows[i])
        end
        for name in order:gmatch "." do
          finish(name, 2)
        end
        local wanted = case.text:gsub("[ABC]", function(name)
          return ("%s1 %s2"):format(name:lower(), name:lower())
        end)
        assert.equal(wanted, lines(), order)
        api.nvim_buf_delete(buf, { force = true })
      end
    end
  end)

  it("show what has come so far each in its own place", function()
    scratch { "x", "y" }
    run("a", 1)
    run("b", 1)
    run "c"
    local wanted = { a = "", b = "", c = "" }
    for _, step in ipairs { "b", "a", "c", "b", "a", "c" } do
      local content = wanted[step] .. step
      wanted[step] = content
      jobs[step].ctx.update(content:gsub(".", "%0\n"))
      local shown = ("x%s%s y%s"):format(wanted.a, wanted.b, wanted.c):gsub("[abc]", " %0")
      assert.is_true(
        vim.wait(5000, function()
          return lines() == shown
        end, 5),
        lines() .. " for " .. shown
      )
    end
    for _, name in ipairs { "c", "a", "b" } do
      finish(name, 2)
    end
    assert.equal("x a1 a2 b1 b2 y c1 c2", lines())
  end)

  it("keep their place before the first output", function()
    for _, case in ipairs {
      {
        "above all",
        function()
          set(0, 0, { "new" })
        end,
        "new x A y z",
      },
      {
        "just above",
        function()
          set(1, 1, { "new" })
        end,
        "x new A y z",
      },
      {
        "below",
        function()
          set(2, 2, { "new" })
        end,
        "x A y new z",
      },
      {
        "the line above gone",
        function()
          set(0, 1, {})
        end,
        "A y z",
      },
      {
        "the line below gone",
        function()
          set(1, 2, {})
        end,
        "x A z",
      },
      {
        "lines around gone",
        function()
          set(0, 3, { "new" })
        end,
        "new A",
      },
      {
        "typed before the line below",
        function()
          api.nvim_buf_set_text(buf, 1, 0, 1, 0, { "i" })
        end,
        "x A iy z",
      },
      {
        "joined",
        function()
          api.nvim_buf_call(buf, function()
            vim.cmd "1join"
          end)
        end,
        "A x y z",
      },
    } do
      scratch { "x", "y", "z" }
      run("a", 1)
      case[2]()
      finish("a", 2)
      assert.equal((case[3]:gsub("A", "a1 a2")), lines(), case[1])
      api.nvim_buf_delete(buf, { force = true })
    end
  end)

  it("keep their place at the end, above what is put below them", function()
    scratch { "x" }
    run "a"
    set(1, 1, { "y" })
    run "b"
    set(0, 0, { "w" })
    set(3, 3, { "z" })
    finish("b", 1)
    finish("a", 1)
    assert.equal("w x a1 y b1 z", lines())
  end)

  it("find their place after an undo and a redo", function()
    scratch { "x", "y", "z" }
    local function undo(command)
      api.nvim_buf_call(buf, function()
        vim.cmd("silent " .. command)
      end)
    end
    run("a", 1)
    run("b", 2)
    set(0, 0, { "new" })
    undo "undo"
    set(0, 2, {})
    undo "undo"
    assert.equal("x y z", lines())
    finish("b", 2)
    assert.equal("x y b1 b2 z", lines())
    undo "undo"
    finish("a", 2)
    assert.equal("x a1 a2 y z", lines())
    undo "undo"
    assert.equal("x y z", lines())
    undo "redo"
    assert.equal("x a1 a2 y z", lines())
  end)

  it("say so where the buffer has gone, and go to the end of one that was read anew", function()
    local path = vim.fn.tempname()
    vim.fn.writefile({ "x", "y" }, path)
    vim.cmd("split " .. path)
    buf = api.nvim_get_current_buf()
    run("a", 1)
    vim.cmd "edit!"
    finish("a", 1)
    assert.is_false(messages.a)
    assert.matches("a1", lines())
    run("b", 1)
    vim.cmd "bunload!"
    finish("b", 1)
    assert.equal(("Buffer %d is not there"):format(buf), messages.b)
    run "c"
    vim.cmd("bwipeout! " .. buf)
    finish("c", 1)
    assert.equal(("Buffer %d is not there"):format(buf), messages.c)
    vim.fn.delete(path)
  end)

  it("never lose, mix or repeat a line, whatever is edited meanwhile", function()
    random.each(60, function()
      scratch { "0", "1", "2", "3" }
      local names, open = { "a", "b", "c", "d", "e" }, {}
      local function edit()
        local count = api.nvim_buf_line_count(buf)
        local row = random.below(count + 1)
        if random.below(3) > 0 then return set(row, row, { "new" }) end
        local own = api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
        if own and own:find "^[%dn]" and count > 1 then set(row, row + 1, {}) end
      end
      for _, name in ipairs(names) do
        run(name, random.below(2) == 0 and random.below(api.nvim_buf_line_count(buf) + 1) or nil)
        open[#open + 1] = name
        edit()
        while #open > 0 and random.below(3) == 0 do
          finish(table.remove(open, random.below(#open) + 1), 3)
          edit()
        end
      end
      for _, name in ipairs(open) do
        finish(name, 3)
      end
      local text = " " .. lines() .. " "
      for _, name in ipairs(names) do
        random.must(select(2, text:gsub(name .. "%d", "")) == 3, "%s in %s", name, text)
      end
      api.nvim_buf_delete(buf, { force = true })
    end)
  end)
end)
