local abridge = require "abridge"
local host = require "abridge.base.host"
local plain = require "support.plain"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local uv = host.uv()

local OUTSIDE = "Path is outside the session root: "

describe("a session's root", function()
  local dir, top, inside, secret

  ---A session whose root is the folder `in` of the spec's.
  local function open(opts)
    opts = opts or {}
    opts.root = opts.root or inside
    if opts.run_dir == nil then opts.run_dir = false end
    return assert(abridge.session(opts))
  end

  ---What ctx.path gives for a path: the path, or nil and what it raised.
  local function path_of(path, opts)
    local session = opts and opts.session or open(opts)
    local given, ok
    session:register {
      name = "probe" .. random.below(2 ^ 30),
      execute = function(_, ctx)
        ok, given = pcall(ctx.path, path)
        return "done"
      end,
    }
    session:call(session.order[#session.order], {})
    if ok then return given end
    return nil, given
  end

  local function is(path, want, opts)
    assert.equal(("%s: %s"):format(path, want), ("%s: %s"):format(path, tostring(path_of(path, opts))))
  end

  local function is_outside(path, opts)
    local given, message = path_of(path, opts)
    assert.equal(("%s: nil"):format(path), ("%s: %s"):format(path, tostring(given)))
    assert.equal(OUTSIDE .. path, message)
  end

  local function link(target, name)
    assert(uv.fs_symlink(target, inside .. "/" .. name))
  end

  before_each(function()
    dir = tmpdir.new()
    top = assert(uv.fs_realpath(dir.path))
    inside, secret = top .. "/in", top .. "/secret"
    for _, folder in ipairs { inside, inside .. "/sub", inside .. "/sub/deep", secret, top .. "/in-other" } do
      assert(uv.fs_mkdir(folder, 448))
    end
    dir:write("in/file", "inside\n")
    dir:write("in/sub/file", "below\n")
    dir:write("secret/file", "secret\n")
    dir:write("in-other/file", "other\n")
  end)

  after_each(function()
    dir:remove()
  end)

  describe("lets through", function()
    it("what lies in it, however it is written", function()
      is("file", inside .. "/file")
      is("./sub//file", inside .. "/sub/file")
      is("sub/../file", inside .. "/file")
      is("sub/deep/../../sub/./file", inside .. "/sub/file")
      is(inside .. "/sub/file", inside .. "/sub/file")
      is("/" .. inside .. "//file", inside .. "/file")
      is(secret .. "/../in/file", inside .. "/file")
      is("../in/file", inside .. "/file")
    end)

    it("the root itself", function()
      for _, path in ipairs { ".", "", "./", "sub/..", "../in", inside, inside .. "/", inside .. "/." } do
        is(path, inside)
      end
    end)

    it("what does not exist, below it", function()
      is("new", inside .. "/new")
      is("new/deeper/file", inside .. "/new/deeper/file")
      is("sub/new/", inside .. "/sub/new")
      is("new/../file", inside .. "/file")
      is("file/under", inside .. "/file/under")
      is(("x"):rep(300), inside .. "/" .. ("x"):rep(300))
    end)

    it("links that stay inside, resolved", function()
      link("sub", "relative")
      link(inside .. "/sub", "absolute")
      link("sub/deep/../../file", "winding")
      link("relative", "again")
      link("missing", "dangling")
      link("../in/sub", "out-and-in")
      is("relative/file", inside .. "/sub/file")
      is("absolute/file", inside .. "/sub/file")
      is("winding", inside .. "/file")
      is("again/file", inside .. "/sub/file")
      is("dangling/new", inside .. "/missing/new")
      is("out-and-in/file", inside .. "/sub/file")
      is("relative/../file", inside .. "/file")
    end)

    it("a tilde, as any other name", function()
      is("~", inside .. "/~")
      is("~/.ssh/id_rsa", inside .. "/~/.ssh/id_rsa")
      is("~root/x", inside .. "/~root/x")
    end)

    it("names of any bytes but NUL", function()
      for _, name in ipairs { " ", "a\nb", "\255\254", "-rf", "$HOME", "*", "..a", "...", "a..", "\\..\\.." } do
        is(name, inside .. "/" .. name)
      end
    end)

    it("everything, when it is /", function()
      is("/etc/passwd", assert(uv.fs_realpath "/etc/passwd"), { root = "/" })
      is("../../..", "/", { root = "/" })
      is(top:sub(2), top, { root = "/" })
      is("/", "/", { root = "/" })
    end)
  end)

  describe("keeps out", function()
    it("absolute paths elsewhere", function()
      for _, path in ipairs { "/", "/etc/passwd", top, secret, secret .. "/file", "//etc/passwd", "/.." } do
        is_outside(path)
      end
    end)

    it("what climbs out", function()
      for _, path in ipairs {
        "..",
        "../",
        "../secret/file",
        "sub/../../secret",
        "./../in/../secret/file",
        "sub/deep/../../../secret",
        "new/../../secret/file",
        "../../../../../../../../../../etc/passwd",
        inside .. "/../secret/file",
        "file/../../secret",
      } do
        is_outside(path)
      end
    end)

    it("a folder whose name starts like its own", function()
      is_outside(inside .. "-other/file")
      is_outside "../in-other/file"
      is_outside(inside .. "-other")
    end)

    it("links to the outside, absolute, relative and in chains", function()
      link(secret, "absolute")
      link("../secret", "relative")
      link("sub/../../secret/file", "winding")
      link("relative", "second")
      link("sub/third", "fourth")
      link("../second", "sub/third")
      link("/", "slash")
      link("..", "up")
      for _, path in ipairs {
        "absolute",
        "absolute/file",
        "relative",
        "relative/file",
        "winding",
        "second/file",
        "fourth/file",
        "slash",
        "slash/etc/passwd",
        "up",
        "up/secret/file",
        "up/in-other",
        "sub/third/file",
        "absolute/new/file",
        inside .. "/relative/file",
      } do
        is_outside(path)
      end
      is("slash" .. inside .. "/file", inside .. "/file")
    end)

    it("what .. means after a link", function()
      assert(uv.fs_mkdir(secret .. "/deep", 448))
      link("../secret/deep", "link")
      is_outside "link/.." -- the kernel is in `secret` there, not in the root
      is_outside "link/../file"
      is_outside "sub/../link/../file"
      link("sub/deep", "inner")
      is("inner/../file", inside .. "/sub/file")
      is_outside "inner/../../../secret/file"
    end)

    it("links whose target is missing, and what they would make", function()
      link("../new", "relative")
      link(secret .. "/new", "absolute")
      link("relative", "second")
      link("missing/../../secret/new", "winding")
      for _, path in ipairs { "relative", "absolute", "second", "winding", "relative/deeper", "second/../x" } do
        is_outside(path)
      end
    end)

    it("links that lead nowhere, and more links than the kernel follows", function()
      link("loop", "loop")
      link("pong", "ping")
      link("ping", "pong")
      is_outside "loop"
      is_outside "ping/file"
      link(secret, "link0")
      for i = 1, 100 do
        link("link" .. (i - 1), "link" .. i)
      end
      for i = 0, 100, 10 do
        is_outside("link" .. i .. "/file")
      end
      link("sub", "step0")
      for i = 1, 39 do
        link("step" .. (i - 1), "step" .. i)
      end
      is("step39/file", inside .. "/sub/file") -- 40 links
      assert.equal("below\n", open():call("read_file", { path = "step39/file" }).content)
    end)

    it("a NUL, which would hide what follows from the system", function()
      local hiding = { "file\0", "\0", "file\0/../../secret/file", "../secret/file\0", secret .. "\0" .. inside }
      for _, path in ipairs(hiding) do
        local given, message = path_of(path)
        assert.is_nil(given)
        assert.equal(OUTSIDE .. "path in details", message)
      end
    end)

    it("paths too long for any system, in no time", function()
      local started = os.clock()
      assert.is_nil((path_of(("a/"):rep(1000000))))
      assert.is_nil((path_of(("../"):rep(1000000))))
      assert.is_true(os.clock() - started < 30)
    end)

    it("whatever links and dots a path is made of", function()
      link(secret, "a")
      link("sub/deep", "b")
      link("..", "sub/c")
      link("../..", "sub/deep/c")
      link("../../secret", "sub/a")
      link("nowhere/../..", "d")
      local parts = { "a", "b", "c", "d", "sub", "deep", "file", "..", "..", ".", "", "new" }
      random.each(1500, function()
        local words = {}
        for i = 1, random.between(1, 7) do
          words[i] = random.choose(parts)
        end
        local path = (random.chance(4) and inside .. "/" or "") .. table.concat(words, "/")
        local absolute = path:sub(1, 1) == "/" and path or inside .. "/" .. path
        local real = uv.fs_realpath(absolute) -- where the kernel gets to; nil where there is nothing
        local given = path_of(path)
        random.must(not given or given == inside or given:sub(1, #inside + 1) == inside .. "/", "%s is %s", path, given)
        random.must(not given or not (given .. "/"):find "/%.%.?/", "%s is %s", path, given)
        if real then
          local kept = real == inside or real:sub(1, #inside + 1) == inside .. "/"
          random.must(given == (kept and real or nil), "%s is %s, not %s", path, given, real)
        end
      end)
    end)
  end)

  it("is where relative paths start and commands run, unless cwd is set", function()
    local session = open()
    assert.equal(inside .. "\n", session:call("run_command", { command = "pwd -P" }).content)
    is("file", inside .. "/file")
    session = open { cwd = inside .. "/sub" }
    assert.equal(inside .. "/sub\n", session:call("run_command", { command = "pwd -P" }).content)
    is("file", inside .. "/sub/file", { cwd = inside .. "/sub" })
    is("../file", inside .. "/file", { cwd = inside .. "/sub" })
    is_outside("../../secret", { cwd = inside .. "/sub" })
  end)

  it("holds where cwd is outside, or a link to it", function()
    is_outside("file", { cwd = secret })
    is("../in/file", inside .. "/file", { cwd = secret })
    link("../secret", "link")
    is_outside("file", { cwd = inside .. "/link" })
    is_outside("../file", { cwd = inside .. "/link" })
  end)

  it("may be given relative, with dots and through a link", function()
    assert(uv.fs_symlink("in", top .. "/way"))
    for _, root in ipairs { top .. "/way", top .. "/in/", top .. "/in/sub/..", top .. "/way/." } do
      is("file", inside .. "/file", { root = root })
      is(top .. "/way/file", inside .. "/file", { root = root })
      is_outside("../secret/file", { root = root })
    end
    local here = uv.cwd()
    is("LICENSE", assert(uv.fs_realpath(here)) .. "/LICENSE", { root = "." })
    assert.equal("MIT License", open({ root = "." }):call("read_file", { path = "LICENSE" }).content:match "[^\n]*")
  end)

  it("stays where it was when its name comes to stand for another folder", function()
    local session = open()
    assert(uv.fs_rename(inside, top .. "/moved"))
    assert(uv.fs_symlink(secret, inside))
    is_outside("file", { session = session })
    is_outside(inside .. "/file", { session = session })
  end)

  it("hands out paths that a link given in their place no longer leads", function()
    link("sub", "link")
    local session, path = open(), nil
    session:register {
      name = "late",
      execute = function(_, ctx)
        path = ctx.path "link/file"
        assert(uv.fs_unlink(inside .. "/link"))
        link(secret, "link")
        local file = assert(io.open(path))
        local text = file:read "*a"
        file:close()
        return text
      end,
    }
    assert.equal("below\n", session:call("late", {}).content)
  end)

  describe("tells a model", function()
    local function refused(session, tool, input, path)
      local result = session:call(tool, input)
      assert.equal(OUTSIDE .. path, result.content)
      assert.is_true(result.is_error)
      assert.equal("EOUTSIDE", result.details.error_code)
      assert.equal(path, result.details.path)
      abridge.assert_conforms(tool, result)
    end

    it("what is outside, in the words it used, with every tool", function()
      link("../secret", "link")
      local session = open()
      refused(session, "read_file", { path = "link/file" }, "link/file")
      refused(session, "read_file", { path = "../secret/file", offset = 2 }, "../secret/file")
      refused(session, "list_directory", { path = "link" }, "link")
      refused(session, "list_directory", { path = "/" }, "/")
      refused(session, "run_command", { command = "echo hi", cwd = "../secret" }, "../secret")
      assert.equal("inside\n", session:call("read_file", { path = "file" }).content)
      assert.equal("deep/\nfile", session:call("list_directory", { path = "sub" }).content)
      local result = session:call("run_command", { command = "pwd -P", cwd = "sub" })
      assert.equal(inside .. "/sub\n", result.content)
    end)

    it("the same when a tool of the host's asks", function()
      local session = open()
      session:register {
        name = "peek",
        execute = function(input, ctx)
          return io.open(ctx.path(input.path)):read "*a"
        end,
      }
      refused(session, "peek", { path = secret .. "/file" }, secret .. "/file")
      assert.equal("inside\n", session:call("peek", { path = "file" }).content)
    end)

    it("but not what redaction hides", function()
      local session = open { redact = { "hunter%d" } }
      refused(session, "read_file", { path = "../hunter2" }, "../[redacted]")
    end)

    it("nothing of the path where it cannot be shown", function()
      local result = open():call("list_directory", { path = "../a\nb" })
      assert.equal(OUTSIDE .. "path in details", result.content)
      assert.equal("../a\nb", result.details.path)
    end)

    it("what a tool's own error was, where it was not this", function()
      local session = open()
      session:register {
        name = "other",
        execute = function(_, ctx)
          pcall(ctx.path, "/")
          error("something else", 0)
        end,
      }
      local result = session:call("other", {})
      assert.equal("something else", result.content)
      assert.is_nil(result.details.error_code)
      session:register {
        name = "wrong",
        execute = function(_, ctx)
          return ctx.path(nil)
        end,
      }
      assert.equal("ctx.path: path must be a string, got nil", session:call("wrong", {}).content)
    end)
  end)

  it("does not confine commands", function()
    assert.equal("secret\n", open():call("run_command", { command = "cat ../secret/file" }).content)
  end)

  describe("leaves the session's own run folder to its tools", function()
    local function kept(session, command)
      local result = session:call("run_command", { command = command or "seq 5000" })
      return assert(result.details.full_output_path)
    end

    it("where it has a path", function()
      local session = open { run_dir = top .. "/run" }
      local path = kept(session)
      assert.matches("^1\n2\n", session:call("read_file", { path = path }).content)
      assert.equal("0001-run_command.log", session:call("list_directory", { path = top .. "/run/artifacts" }).content)
      is(top .. "/run", top .. "/run", { session = session })
      assert.is_true(session:call("read_file", { path = top .. "/run/../secret/file" }).is_error)
      assert(uv.fs_symlink(secret, top .. "/run/link"))
      is_outside(top .. "/run/link/file", { session = session })
      is_outside(top .. "/run-2/x", { session = session })
      is_outside(top, { session = session })
      session:close()
    end)

    it("where the way to it has links", function()
      assert(uv.fs_symlink(".", top .. "/way"))
      local session = open { run_dir = top .. "/way/run" }
      local path = kept(session)
      assert.equal(top .. "/way/run/artifacts/0001-run_command.log", path)
      is(path, top .. "/run/artifacts/0001-run_command.log", { session = session })
      session:close()
    end)

    it("where it is made when it is needed", function()
      local before = os.getenv "ABRIDGE_STATE_DIR"
      uv.os_setenv("ABRIDGE_STATE_DIR", top .. "/state")
      finally(function()
        if before then return uv.os_setenv("ABRIDGE_STATE_DIR", before) end
        uv.os_unsetenv "ABRIDGE_STATE_DIR"
      end)
      local session = abridge.session { root = inside }
      is_outside(top .. "/state", { session = session })
      local path = kept(session)
      assert.matches(top .. "/state/", path, 1, true)
      assert.matches("^1\n2\n", session:call("read_file", { path = path }).content)
      is_outside(top .. "/state", { session = session })
      is_outside(top .. "/state/another/artifacts/x.log", { session = session })
      session:close()
    end)

    it("but none where nothing is written", function()
      is_outside("/artifacts", { run_dir = false })
    end)
  end)

  describe("that is none raises", function()
    ---At the line of the caller, with these words.
    local function raises(root, ...)
      local message = plain.misuse(function()
        abridge.session { root = root, run_dir = top .. "/run" }
      end, ...)
      assert.matches("^abridge%.session: root must be ", message)
      assert.is_nil(uv.fs_lstat(top .. "/run"))
    end

    it("when it does not exist", function()
      raises(inside .. "/no", inside:sub(1, 20), "ENOENT")
      raises("", '""', "ENOENT")
      raises("nope\0", "nope", "ENOENT")
      link("missing", "dangling")
      raises(inside .. "/dangling", "ENOENT")
    end)

    it("when it is no folder", function()
      raises("LICENSE", '"LICENSE"', "file")
      raises("LICENSE/", "LICENSE")
      link("loop", "loop")
      raises(inside .. "/loop", "ELOOP")
    end)

    it("when it is no string", function()
      raises(5, "a string", "5")
      raises(false, "a string", "false")
      raises({}, "a string", "table")
    end)
  end)
end)

describe("a session without a root", function()
  it("hands paths out as they are, from its cwd on", function()
    local session = abridge.session { cwd = "/some/where/", run_dir = false, tools = {} }
    local paths
    session:register {
      name = "probe",
      execute = function(_, ctx)
        paths = { ctx.path "a/../b", ctx.path "/etc/../x", ctx.path "~" }
        return "done"
      end,
    }
    session:call("probe", {})
    assert.same({ "/some/where/a/../b", "/etc/../x", "/some/where/~" }, paths)
  end)
end)
