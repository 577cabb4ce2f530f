-- Old runs are deleted, the oldest first; never one in use, nor what is not ours.
local host = require "abridge.base.host"
local paths = require "support.paths"
local random = require "support.random"
local retention = require "abridge.run.retention"
local create = require("abridge.run.writer").create
local tmpdir = require "support.tmpdir"

local uv = host.uv()

local PRIVATE = 448 -- 0700
local DAY = 86400

describe("retention", function()
  local dir, parent

  before_each(function()
    dir = tmpdir.new()
    parent = dir:at "runs"
    uv.fs_mkdir(parent, PRIVATE)
  end)

  after_each(function()
    dir:remove()
  end)

  local function put(path, bytes)
    local file = assert(io.open(path, "w"))
    file:write(("x"):rep(bytes))
    file:close()
    uv.fs_chmod(path, 384) -- 0600
  end

  --- Set the age of all files in a folder.
  local function age(name, seconds)
    local time = os.time() - seconds
    for _, folder in ipairs { "", "artifacts/" } do
      local path = ("%s/%s/%s"):format(parent, name, folder)
      local handle = uv.fs_scandir(path)
      local file = handle and uv.fs_scandir_next(handle)
      while file do
        if uv.fs_lstat(path .. file).type == "file" then uv.fs_utime(path .. file, time, time) end
        file = uv.fs_scandir_next(handle)
      end
    end
  end

  --- A closed run with one call and full outputs of these sizes.
  local function run(name, seconds, ...)
    local writer = assert(create("spec", parent .. "/" .. name))
    assert(writer:event { type = "tool_call", call_id = "call-1", tool = "t" })
    local artifacts = assert(writer:artifact_dir())
    for i = 1, select("#", ...) do
      put(artifacts .. "/" .. writer:artifact_name(i, "t"), (select(i, ...)))
    end
    writer:close()
    age(name, seconds)
  end

  it("deletes runs whose newest file is over age", function()
    run("old", 8 * DAY, 10, 20)
    run("young", 6 * DAY, 10)
    run("mixed", 8 * DAY, 10)
    put(parent .. "/mixed/artifacts/0009-t.log", 1)
    assert.equal(1, retention.prune(parent, { max_age = "7d" }))
    assert.same({ "mixed", "young" }, paths.names(parent))
    assert.equal(0, retention.prune(parent, { max_age = 7 * DAY }))
    assert.equal(2, retention.prune(parent .. "/", { max_age = 0 }) + retention.prune(parent, { max_age = "0s" }))
    assert.same({}, paths.names(parent))
  end)

  it("deletes the oldest runs until the rest fits", function()
    run("a", 50, 1000)
    run("b", 90, 1000)
    run("c", 10, 1000)
    run("d", 70, 1000)
    assert.equal(0, retention.prune(parent, { max_bytes = "1MB" }))
    assert.equal(2, retention.prune(parent, { max_bytes = "3KB" }))
    assert.same({ "a", "c" }, paths.names(parent))
    assert.equal(2, retention.prune(parent, { max_bytes = 0 }))
    assert.same({}, paths.names(parent))
  end)

  it("deletes nothing without a limit", function()
    run("old", 1000 * DAY, 1000)
    assert.equal(0, retention.prune(parent, {}))
    assert.equal(0, retention.prune(dir:at "nowhere", { max_age = 0 }))
    assert.same({ "old" }, paths.names(parent))
  end)

  it("leaves a run that a session has, and takes it once that is closed", function()
    local writer = assert(create("spec", parent .. "/busy"))
    writer:event { type = "tool_call", call_id = "call-1", tool = "t" }
    put(assert(writer:artifact_dir()) .. "/0001-t.log", 5000)
    age("busy", 30 * DAY)
    run("other", 1 * DAY, 10)
    assert.equal(1, retention.prune(parent, { max_age = "20d", max_bytes = 100 }))
    assert.same({ "busy" }, paths.names(parent))
    assert.equal(5000, uv.fs_stat(parent .. "/busy/artifacts/0001-t.log").size)
    writer:close()
    assert.equal(1, retention.prune(parent, { max_age = "20d" }))
    assert.same({}, paths.names(parent))
  end)

  it("leaves what is none of ours", function()
    local function folder(name, mode)
      local path = parent .. "/" .. name
      uv.fs_mkdir(path, PRIVATE)
      uv.fs_mkdir(path .. "/artifacts", PRIVATE)
      put(path .. "/artifacts/0001-build.log", 10)
      if mode then uv.fs_chmod(path, mode) end
      return path
    end
    local function log(path, text)
      local file = assert(io.open(path .. "/events.jsonl", "w"))
      file:write(text)
      file:close()
      uv.fs_chmod(path .. "/events.jsonl", 384) -- 0600: nothing but what stands in it says that it is no log of ours
    end

    folder "artifacts alone"
    log(folder "another log", '{"event":"start","ts":1}\n')
    log(folder "no json", "started\n")
    log(folder "no whole line", '{"type":"tool_call","seq":1,"time":1,"call_id":"a"}')
    log(folder "open to others", '{"type":"tool_call","seq":1,"time":1,"call_id":"a"}\n')
    uv.fs_chmod(parent .. "/open to others", 493) -- 0755
    uv.fs_symlink(
      dir:write("linked", '{"type":"tool_call","seq":1,"time":1,"call_id":"a"}\n'),
      folder "linked log" .. "/events.jsonl"
    )
    uv.fs_mkdir(parent .. "/empty", PRIVATE)
    put(parent .. "/file", 10)
    local foreign = { "artifacts alone", "another log", "no json", "no whole line", "open to others", "linked log" }
    for _, name in ipairs(foreign) do
      age(name, 30 * DAY)
    end
    local before = paths.names(parent)
    assert.equal(0, retention.prune(parent, { max_age = 0, max_bytes = 0 }))
    assert.same(before, paths.names(parent))
    for _, name in ipairs(foreign) do
      assert.equal(10, uv.fs_stat(parent .. "/" .. name .. "/artifacts/0001-build.log").size)
    end
  end)

  it("follows no symbolic link", function()
    run("real", 30 * DAY, 10)
    uv.fs_rename(parent .. "/real", dir:at "elsewhere")
    uv.fs_symlink(dir:at "elsewhere", parent .. "/link")
    run("inner", 30 * DAY)
    uv.fs_rmdir(parent .. "/inner/artifacts")
    uv.fs_symlink(dir:at "elsewhere/artifacts", parent .. "/inner/artifacts")
    run("files", 30 * DAY)
    put(dir:at "precious", 10)
    uv.fs_symlink(dir:at "precious", parent .. "/files/artifacts/0001-t.log")
    retention.prune(parent, { max_age = "7d" })
    assert.same({ "files", "inner", "link" }, paths.names(parent))
    assert.equal("0001-t.log", uv.fs_scandir_next(uv.fs_scandir(dir:at "elsewhere/artifacts")))
    assert.is_table(uv.fs_stat(dir:at "elsewhere/events.jsonl"))
    assert.equal(10, uv.fs_stat(dir:at "precious").size)
  end)

  it("deletes no file that we have not put there", function()
    run("noted", 30 * DAY, 10)
    for _, name in ipairs { "notes.txt", "artifacts/notes.txt", "artifacts/1-t.log", "artifacts/0001-t.log.gz" } do
      put(parent .. "/noted/" .. name, 3)
    end
    age("noted", 30 * DAY)
    assert.equal(1, retention.prune(parent, { max_age = "7d" }))
    assert.equal(0, retention.prune(parent, { max_age = "7d" }))
    for _, name in ipairs { "notes.txt", "artifacts/notes.txt", "artifacts/1-t.log", "artifacts/0001-t.log.gz" } do
      assert.equal(3, uv.fs_stat(parent .. "/noted/" .. name).size)
    end
    assert.is_nil(uv.fs_stat(parent .. "/noted/events.jsonl"))
    assert.is_nil(uv.fs_stat(parent .. "/noted/artifacts/0001-t.log"))
  end)

  it("works when a run is made, on the folder it lies in", function()
    run("old", 30 * DAY, 10)
    run("young", 1, 10)
    local writer = assert(create("spec", parent .. "/new", { retention = { max_age = "7d" } }))
    assert.same({ "new", "young" }, paths.names(parent))
    writer:close()
    run("old", 30 * DAY, 10)
    local here = uv.cwd()
    uv.chdir(parent .. "/new")
    writer = create("spec", ".", { retention = { max_age = "7d" } })
    uv.chdir(here)
    assert.is_table(writer)
    writer:close()
    assert.same({ "new", "young" }, paths.names(parent))
  end)

  it("takes full outputs of the run itself when nothing else is left to go", function()
    run("own", 100, 1000, 1000, 1000)
    local time = os.time() - 500
    uv.fs_utime(parent .. "/own/artifacts/0002-t.log", time, time)
    local writer = assert(create("spec", parent .. "/own", { retention = { max_bytes = 2500 } }))
    assert.is_nil(uv.fs_stat(parent .. "/own/artifacts/0002-t.log"))
    assert.is_table(uv.fs_stat(parent .. "/own/artifacts/0001-t.log"))
    assert.is_table(uv.fs_stat(parent .. "/own/artifacts/0003-t.log"))
    assert.equal(1, writer.seq)
    assert.equal(3, writer.calls)
    writer:close()
    writer = assert(create("spec", parent .. "/own", { retention = { max_age = 50 } }))
    assert.is_nil(uv.fs_scandir_next(uv.fs_scandir(parent .. "/own/artifacts")))
    assert.is_table(uv.fs_stat(parent .. "/own/events.jsonl"))
    writer:close()
  end)

  it("works in the state directory too, on folders without a log", function()
    local saved = os.getenv "ABRIDGE_STATE_DIR"
    uv.os_setenv("ABRIDGE_STATE_DIR", parent)
    local closed, busy = assert(create "spec"), assert(create "spec")
    for _, writer in ipairs { closed, busy } do
      put(assert(writer:artifact_dir()) .. "/0001-t.log", 10)
      age(writer.dir:match "[^/]*$", 30 * DAY)
    end
    closed:close()
    local killed = parent .. "/20250101T000000.000001Z-1-1" -- before it could take its lock
    uv.fs_mkdir(killed, PRIVATE)
    uv.fs_mkdir(killed .. "/artifacts", PRIVATE)
    put(killed .. "/artifacts/0001-t.log", 10)
    age("20250101T000000.000001Z-1-1", 30 * DAY)
    local new = assert(create("spec", nil, { retention = { max_age = "7d" } }))
    assert.is_string(new:planned_dir())
    assert.is_table(uv.fs_stat(closed.dir))
    assert(new:artifact_dir())
    local left = { busy.dir:match "[^/]*$", new.dir:match "[^/]*$" }
    table.sort(left)
    assert.same(left, paths.names(parent))
    busy:close()
    new:close()
    if saved then
      uv.os_setenv("ABRIDGE_STATE_DIR", saved)
    else
      uv.os_unsetenv "ABRIDGE_STATE_DIR"
    end
  end)

  it("keeps what fits, for any sizes and ages (" .. random.seed .. ")", function()
    random.each(10, function(case)
      parent = dir:at("case" .. case)
      uv.fs_mkdir(parent, PRIVATE)
      local count = random.between(1, 6)
      for i = 1, count do
        run("run" .. i, i * 100, random.below(5000))
      end
      local budget = random.below(15000)
      retention.prune(parent, { max_bytes = budget })
      local total, oldest_kept, kept = 0, 0, {}
      for i = 1, count do
        local log = uv.fs_stat(("%s/run%d/events.jsonl"):format(parent, i))
        kept[i] = log ~= nil
        if log then
          total = total + log.size + uv.fs_stat(("%s/run%d/artifacts/0001-t.log"):format(parent, i)).size
          oldest_kept = i
        end
      end
      random.must(total <= budget, "%s bytes are left of %s", total, budget)
      for i = 1, oldest_kept do
        random.must(kept[i], "run %s went before the older run %s", i, oldest_kept)
      end
    end)
  end)

  it("is checked: a size and an age, nothing else", function()
    for _, value in ipairs {
      {},
      { max_bytes = 0 },
      { max_bytes = "1GB" },
      { max_age = 0 },
      { max_age = 0.5 },
      { max_age = "30m", max_bytes = 10 },
      { max_age = "12h" },
      { max_age = "1.5d" },
      { max_age = "2w" },
    } do
      assert.is_nil(retention.check(value))
    end
    for expected, value in pairs {
      ["^a table$"] = "7d",
      ['max_age is .* %(not "soon"%)$'] = { max_age = "soon" },
      ["max_age is .* %(not %-1%)$"] = { max_age = -1 },
      ["max_age is .* %(not inf%)$"] = { max_age = math.huge },
      ['max_age is .* %(not "7"%)$'] = { max_age = "7" },
      ['max_bytes is .* %(not "x"%)$'] = { max_bytes = "x" },
      ["max_bytes is .* %(not true%)$"] = { max_bytes = true },
      ["max_runs %(value 3%)$"] = { max_runs = 3 },
    } do
      assert.matches(expected, retention.check(value))
    end
  end)
end)
