-- Someone swaps parts of a run's folder for links while it is written.
local abridge = require "abridge"
local host = require "abridge.base.host"
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local q = tmpdir.quote

local dir, run, elsewhere
local LONG = ("a line of the full output\n"):rep(3000)

--- A precious folder and file, with the mode that ours have, so that the link alone is what keeps us out.
local function elsewhere_is_untouched()
  assert.same({ "precious" }, paths.names(elsewhere))
  assert.equal("no newline at the end", dir:read "elsewhere/precious")
end

local function open()
  return abridge.session { run_dir = run }
end

--- Run a script beside us, again and again until it has done so `times` times or we are done; returns what it counted.
local function racing(script, times, work)
  local loop = "i=0; while [ $i -lt %d ] && [ ! -e stop ]; do %s; i=$((i+1)); done; echo $i > rounds"
  loop = loop:format(times, script)
  os.execute(("cd %s && { %s; } 2>/dev/null >/dev/null &"):format(q(dir.path), loop))
  local turns = 0
  local deadline = uv.hrtime() + 200e9
  while not dir:read "rounds" and uv.hrtime() < deadline do
    work(turns)
    turns = turns + 1
  end
  dir:write("stop", "")
  while not (dir:read "rounds" or ""):find "\n" and uv.hrtime() < deadline do
    uv.sleep(1)
  end
  return tonumber(dir:read "rounds"), turns
end

describe("a run's folder", function()
  before_each(function()
    dir = tmpdir.new()
    run, elsewhere = dir:at "run", dir:at "elsewhere"
    uv.fs_mkdir(elsewhere, 448)
    dir:write("elsewhere/precious", "no newline at the end")
    uv.fs_chmod(dir:at "elsewhere/precious", 384)
  end)

  after_each(function()
    dir:remove()
  end)

  it("whose artifacts became a link keeps nothing more, and says so", function()
    local session = assert(open())
    assert.is_nil(session:cap("tool", LONG).details.cut.full_output_error)
    uv.fs_rename(run .. "/artifacts", run .. "/moved")
    uv.fs_symlink(elsewhere, run .. "/artifacts")
    for _, result in ipairs { session:cap("tool", LONG), session:call("run_command", { command = "seq 20000" }) } do
      assert.is_false(result.is_error)
      local cut = result.details.cut
      assert.equal("not private: another owner, a wider mode or a link", cut.full_output_error)
      assert.is_nil(cut.full_output_path)
      assert.truthy(result.content:find("Full output not kept: not private", 1, true))
    end
    local content, message, code = session:full_output "call-1"
    assert.is_nil(content)
    assert.equal("Not of this run: " .. run .. "/artifacts", message)
    assert.equal("EPERM", code)
    session:close()
    elsewhere_is_untouched()
  end)

  it("whose full output became a link shows nothing of what it leads to", function()
    local session = assert(open())
    local path = session:cap("tool", LONG).details.full_output_path
    assert(uv.fs_unlink(path))
    for _, target in ipairs { elsewhere .. "/precious", "/dev/zero", elsewhere } do
      assert(uv.fs_symlink(target, path))
      local content, message, code = session:full_output "call-1"
      assert.is_nil(content)
      assert.equal("Not of this run: " .. path, message)
      assert.equal("EPERM", code)
      assert(uv.fs_unlink(path))
    end
    session:close()
  end)

  it("whose log became a link goes on with the log it has", function()
    local session = assert(open())
    session:cap("tool", "one")
    uv.fs_rename(run .. "/events.jsonl", dir:at "moved.jsonl")
    uv.fs_symlink(elsewhere .. "/precious", run .. "/events.jsonl")
    assert.is_nil(session:cap("tool", "two").details.log_error)
    session:close()
    local _, count = dir:read("moved.jsonl"):gsub("\n", "\n")
    assert.equal(4, count)
    local refused, message, code = open()
    assert.is_nil(refused)
    assert.equal(run .. ": a symbolic link stands there", message)
    assert.equal("ELOOP", code)
    elsewhere_is_untouched()
  end)

  it("whose log leads to a device or a FIFO is no run", function()
    uv.fs_mkdir(run, 448)
    dir:sh "mkfifo run/fifo"
    for target, what in pairs { ["/dev/zero"] = "char", fifo = "fifo" } do
      uv.fs_symlink(target, run .. "/events.jsonl")
      local opened, message, code = abridge.open_run(run)
      assert.is_nil(opened)
      assert.equal(("ENOTREG: %s/events.jsonl is a %s"):format(run, what), message)
      assert.equal("ENOTREG", code)
      uv.fs_unlink(run .. "/events.jsonl")
    end
  end)

  it("writes nothing through artifacts that are swapped for a link hundreds of times", function()
    local session = assert(open())
    session:cap("tool", LONG)
    local kept, refused = 0, 0
    local rounds = racing(
      "mv run/artifacts run/real; ln -s ../elsewhere run/artifacts; rm run/artifacts; mv run/real run/artifacts",
      100, -- of two swaps each
      function(turn)
        local text = ("turn %d\n"):format(turn) .. LONG
        local result = session:cap("tool", text)
        local cut = result.details.cut
        assert.is_true(cut.truncated)
        assert.equal(#text, cut.total_bytes)
        if cut.full_output_error then
          refused = refused + 1
        else
          kept = kept + 1
          assert.equal(#text, cut.full_output_bytes)
        end
      end
    )
    assert.is_true(rounds >= 100, rounds)
    assert.is_true(kept > 0)
    session:close()
    elsewhere_is_untouched()
  end)

  it("locks, mends and writes no log that is swapped for a link hundreds of times", function()
    assert(open()):close()
    local opened = 0
    local rounds = racing(
      "mv run/events.jsonl run/real; ln -s ../elsewhere/precious run/events.jsonl; rm run/events.jsonl;"
        .. "mv run/real run/events.jsonl",
      100, -- of two swaps each
      function()
        local session, message, code = open()
        if session then
          opened = opened + 1
          session:cap("tool", "text")
          session:close()
        else
          assert.is_string(message)
          assert.is_true(code == "ELOOP" or code == "ENOENT" or code == "EBUSY", code)
        end
      end
    )
    assert.is_true(rounds >= 100, rounds)
    assert.is_true(opened > 0)
    elsewhere_is_untouched()
  end)

  it("in the state directory takes no lock through a link, and prunes none", function()
    local session = assert(abridge.session { run_dir = dir:at "first" })
    session:close()
    uv.fs_mkdir(dir:at "state", 448)
    uv.fs_symlink(elsewhere, dir:at "state/20200101T000000.000000Z-1-1")
    local name = dir:at "state/20200101T000000.000001Z-1-1"
    uv.fs_mkdir(name, 448)
    uv.fs_symlink(elsewhere .. "/precious", name .. "/lock")
    assert.equal(0, require("abridge.run.retention").prune(dir:at "state", { max_age = 0, max_bytes = 0 }))
    elsewhere_is_untouched()
  end)
end)
