-- search_files and find_files in trees laid out to hold them up: they end in seconds, in bounded
-- memory, and say why.
local abridge = require "support.unsaved"
local host = require "abridge.base.host"
local programs = require "abridge.process.programs"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"

local TOOLS = { { "search_files", { pattern = "needle" } }, { "find_files", { pattern = "*.txt" } } }
local WORDS = ": an ignore file must be a regular file of at most 16MB. Remove it, or search elsewhere"
local SECONDS = 25 -- for a busy machine; the timeout is 30
local STANDS_STILL = not resources.asks_proc and 2 or nil -- seconds, where nothing else tells that it does

describe("a search #once", function()
  if not host.uv() or not programs.find "rg" then
    pending("luv or ripgrep is missing", function() end)
    return
  end

  local dir

  before_each(function()
    dir = tmpdir.new()
    dir:sh "mkdir -p tree/in/deep/.git/info; echo needle > tree/in/deep/a.txt; echo needle > tree/z.txt"
  end)

  after_each(function()
    dir:remove()
  end)

  --- What a call gives in a folder, in seconds.
  local function call(tool, opts)
    opts.cwd = opts.cwd or opts.root
    local session = abridge.session(opts)
    local started = host.now()
    local result = session:call(tool[1], tool[2])
    assert.is_true(host.now() - started < SECONDS * 1000, result.content)
    session:close()
    return result
  end

  local HOSTILE = {
    { "mkfifo %s", "a FIFO" },
    { "ln -s /dev/zero %s", "a device" },
    { "truncate -s 20G %s", "20GB" },
    { "mkfifo other && ln -s $PWD/other %s", "a FIFO" },
  }
  local NAMES = { ".ignore", ".rgignore", ".gitignore", ".git/info/exclude" }

  it("says which ignore file is none, in the folder and above it, before it is read", function()
    for i, name in ipairs(NAMES) do
      local hostile = HOSTILE[i]
      dir:sh("cd tree/in/deep && mkdir -p .git/info && " .. hostile[1]:format(name))
      local path = dir:at("tree/in/deep/" .. name)
      for _, tool in ipairs(TOOLS) do
        for _, folder in ipairs { "tree/in/deep", "tree/in/deep/.git" } do
          local result = call(tool, { cwd = dir:at(folder) })
          assert.is_true(result.is_error)
          assert.equal("ENOTREG", result.details.error_code)
          assert.equal(("%s is %s%s"):format(path, hostile[2], WORDS), result.content)
        end
      end
      os.remove(path)
    end
  end)

  it("ends where one below stands in the way, and says which it is #once", function()
    for i, name in ipairs(NAMES) do
      local hostile = HOSTILE[i]
      dir:sh("cd tree/in/deep && " .. hostile[1]:format(name))
      local path = dir:at("tree/in/deep/" .. name)
      for _, tool in ipairs(TOOLS) do
        local result = call(tool, { cwd = dir:at "tree", timeout = STANDS_STILL })
        local words = ("%s is %s%s"):format(path, hostile[2], WORDS)
        assert.is_true(result.is_error)
        assert.truthy(result.content:find(words, 1, true), result.content)
      end
      os.remove(path)
    end
  end)

  it("ends where something else stands in the way", function()
    dir:sh "mkfifo tree/commondir; rm -rf tree/in/deep/.git; echo gitdir: $PWD/tree > tree/in/deep/.git"
    local result = call(TOOLS[1], { cwd = dir:at "tree", timeout = STANDS_STILL })
    assert.is_true(result.is_error)
    local why = "The search made no progress for 2 seconds"
    if STANDS_STILL then why = ("Search timed out after %d seconds"):format(STANDS_STILL) end
    assert.truthy(result.content:find(why, 1, true), result.content)
  end)

  it("passes over files that are none, loops of links and folders too deep to name", function()
    dir:sh [[
      cd tree && mkfifo fifo.txt && ln -s /dev/zero zero.txt && ln -s . loop && ln -s ../in in/up && ln -s loop2 loop2
      truncate -s 200M sparse.txt
      i=0; d=$(printf %0200d 0); while [ $i -lt 30 ]; do mkdir "$d" && cd -P "$d" || exit; i=$((i + 1)); done
      echo needle > far.txt]]
    for _, tool in ipairs(TOOLS) do
      local result = call(tool, { cwd = dir:at "tree" })
      assert.truthy(result.content:find("in/deep/a.txt", 1, true), result.content)
      assert.is_nil(result.content:find("fifo.txt", 1, true))
    end
  end)

  it("with a root takes nothing from outside it: neither rules, nor what holds it up, nor a repository", function()
    local tree = dir:at "tree"
    local function all()
      local shown = {}
      for _, tool in ipairs(TOOLS) do
        shown[#shown + 1] = call(tool, { root = tree }).content
        shown[#shown + 1] = call(tool, { root = tree, cwd = dir:at "tree/in" }).content
      end
      return shown
    end
    local before = all()
    assert.truthy(before[1]:find("z.txt:1: needle", 1, true))
    for _, script in ipairs {
      "echo '*.txt' > .ignore",
      "echo '*.txt' > .rgignore",
      "mkdir .git; echo '*.txt' > .gitignore",
      "mkdir -p .git/info; echo '*.txt' > .git/info/exclude",
      "mkfifo .ignore",
      "ln -s /dev/zero .gitignore",
    } do
      dir:sh(script)
      assert.same(before, all(), script)
      dir:sh "rm -rf .ignore .rgignore .gitignore .git"
    end
    for _, script in ipairs { -- a file .git, as a working tree of git's has, leads to a repository elsewhere
      "echo ../common > other/commondir; echo '*.txt' > common/info/exclude",
      "echo ../common > other/commondir; mkfifo common/info/exclude",
      "mkfifo other/commondir",
      "ln -s /dev/zero other/commondir",
    } do
      dir:sh("mkdir -p other common/info; " .. script)
      for _, folder in ipairs { "tree", "tree/in" } do
        dir:write(folder .. "/.git", "gitdir: " .. dir:at "other" .. "\n")
        assert.same(before, all(), script)
        os.remove(dir:at(folder .. "/.git"))
      end
      dir:sh "rm -rf other common"
    end
    dir:sh "echo z.txt > tree/.gitignore" -- those inside it count, with a repository or without
    assert.is_nil(call(TOOLS[1], { root = tree }).content:find("z.txt", 1, true))
  end)

  it("ends after 30 seconds where its session says nothing of a timeout", function()
    local ctx
    local find_files = require "abridge.tools.find_files"
    local execute = find_files.execute
    find_files.execute = function(input, given, done)
      ctx = given
      return execute(input, given, done)
    end
    finally(function()
      find_files.execute = execute
    end)
    call(TOOLS[2], { cwd = dir:at "tree" })
    assert.equal(30, ctx.search_timeout)
    call(TOOLS[2], { cwd = dir:at "tree", timeout = 50 })
    assert.equal(50, ctx.search_timeout)
  end)

  it("has a bound on its memory, which its words are told of", function()
    dir:with_program("rg", "ulimit -v > ../limit; echo memory allocation failed >&2; kill -ABRT $$", function()
      local result = call(TOOLS[1], { cwd = dir:at "tree" })
      assert.equal("The search took more than 512MB of memory", result.content)
      assert.equal("ENOMEM", result.details.error_code)
    end)
    if host.uv().os_uname().sysname == "Linux" then assert.equal("524288\n", dir:read "limit") end
  end)
end)
