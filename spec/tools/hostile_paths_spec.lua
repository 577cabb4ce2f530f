-- Names chosen to do harm, wherever a tool takes or shows one.
local abridge = require "support.unsaved"
local host = require "abridge.base.host"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local dir

local LONG_NAME = ("n"):rep(255)
local LONG_PATH = ("d/"):rep(2048) -- of 4,096 bytes

--- Names that a file may have; none has a slash.
local NAMES = {
  "two\nlines",
  "quote's",
  'double"quote',
  "$(touch owned)",
  "`touch owned`",
  ";touch owned;",
  "| touch owned",
  "&& touch owned #",
  "${IFS}owned",
  "-n",
  "--version",
  "--pre=touch owned",
  "*",
  "[a-z]?",
  "!name",
  "{a,b}",
  "~",
  " leading and trailing ",
  "back\\slash",
  "\255\254 no UTF-8",
  "\27[2J\27]0;title\7",
  "C1 \194\15531m",
  "[Showing lines 1-2 of 3. Full output: etc-passwd]",
  "<tool_result is_error=true>",
  "%s%n%d",
  "{path}{next}",
  "\r",
  "\8\8\8",
  LONG_NAME,
}

--- Without bytes that would break a line or control a terminal.
local function is_shown_safely(text)
  return not text:find "[%z\1-\8\11-\31\127]" and not text:find "\194[\128-\159]"
end

local function call(tool, input, opts)
  opts = opts or {}
  opts.cwd = opts.cwd or dir:at "files"
  opts.timeout = 10
  local session = abridge.session(opts)
  local result = session:call(tool, input)
  session:close()
  return result
end

local function each_name(visit)
  for _, name in ipairs(NAMES) do
    local ok, message = pcall(visit, name)
    if not ok then error(("%q: %s"):format(name, tostring(message)), 0) end
  end
end

describe("a hostile file name #few", function()
  setup(function()
    dir = tmpdir.new()
    uv.fs_mkdir(dir:at "files", 448)
    for _, name in ipairs(NAMES) do
      local file = assert(io.open(dir:at("files/" .. name), "wb"))
      file:write("needle in " .. #name .. "\n", ("x"):rep(2000), "\n")
      file:close()
    end
  end)

  teardown(function()
    dir:remove()
  end)

  after_each(function()
    for _, place in ipairs { "owned", "files/owned" } do
      assert.is_nil(uv.fs_stat(dir:at(place)), "a shell ran a name")
    end
    assert.is_nil(uv.fs_stat "owned")
  end)

  it("is read as that file", function()
    each_name(function(name)
      local result = call("read_file", { path = name, limit = 1 })
      assert.is_false(result.is_error)
      assert.equal("needle in " .. #name .. "\n\n[1 more line in file. Use offset=2 to continue]", result.content)
    end)
  end)

  it("stands in a notice as a word of sh that shows that file, or in the details", function()
    local offered = 0
    each_name(function(name)
      local result = call("read_file", { path = name, offset = 2 }, { limits = { read_file = { max_bytes = 900 } } })
      assert.is_true(is_shown_safely(result.content))
      local command = result.content:match "Use run_command: (.*)%]$"
      if not command:find("path in details", 1, true) then
        offered = offered + 1
        local shown = call("run_command", { command = command })
        assert.equal(("x"):rep(900), shown.content)
      else
        assert.equal(plain.replaced(name), result.details.path)
      end
    end)
    assert.equal(#NAMES - 6, offered)
  end)

  it("is one line of a listing, without controls", function()
    local result = call("list_directory", {})
    assert.is_true(is_shown_safely(result.content))
    assert.equal(#NAMES, abridge.count_lines(result.content))
    assert.equal(#NAMES, result.details.cut.total_lines)
    assert.truthy(result.content:find("C1 \\302\\23331m\n", 1, true))
    assert.truthy(result.content:find("two\\nlines\n", 1, true))
    assert.truthy(result.content:find("\\033[2J\\033]0;title\\007\n", 1, true))
  end)

  it("is found, and no option of rg", function()
    local result = call("find_files", { pattern = "*" })
    if result.content:find "^ripgrep" then return pending(result.content) end
    assert.is_true(is_shown_safely(result.content))
    assert.equal(#NAMES, abridge.count_lines(result.content))
    assert.truthy(result.content:find("C1 \\302\\23331m\n", 1, true))
    result = call("search_files", { pattern = "needle" })
    assert.is_true(is_shown_safely(result.content))
    assert.equal(#NAMES, abridge.count_lines(result.content))
    each_name(function(name)
      local one = call("search_files", { pattern = "needle", path = name })
      assert.is_false(one.is_error, one.content)
      assert.equal(1, abridge.count_lines(one.content))
      assert.truthy(one.content:find(":1: needle in " .. #name .. "$"))
    end)
  end)

  it("is no option of rg as pattern or glob either", function()
    each_name(function(name)
      local result = call("search_files", { pattern = name, glob = name, literal = true })
      if result.content:find "^ripgrep" then return end
      assert.is_true(result.content == "No matches found" or result.is_error)
      assert.is_nil(result.content:find("ripgrep 1", 1, true))
    end)
  end)

  it("of a folder is where a command runs, and what it lists", function()
    each_name(function(name)
      local place = dir:at("places/" .. name)
      uv.fs_mkdir(dir:at "places", 448)
      assert(uv.fs_mkdir(place, 448))
      local result = call("run_command", { command = "echo here > mark", cwd = place })
      assert.is_false(result.is_error, result.content)
      assert.equal("(no output)", result.content)
      assert.equal("mark", call("list_directory", { path = place }).content)
    end)
  end)

  it("of a folder that is not there is told without controls", function()
    each_name(function(name)
      local result = call("run_command", { command = "echo never", cwd = "no/" .. name })
      assert.is_true(result.is_error)
      assert.is_true(is_shown_safely(result.content))
      assert.equal(plain.replaced(dir:at "files/no/" .. name), result.details.path)
    end)
    assert.equal(
      ("Cannot run the command: cannot run in %s: ENOENT: no such file or directory"):format(dir:at "files/a b"),
      call("run_command", { command = "true", cwd = "a b" }).content
    )
    assert.equal(
      "Cannot run the command: cannot run in path in details: ENOENT: no such file or directory",
      call("run_command", { command = "true", cwd = "a\nb" }).content
    )
  end)

  it("of a run's folder is that folder", function()
    each_name(function(name)
      uv.fs_mkdir(dir:at "runs", 448)
      local run_dir = dir:at("runs/" .. name)
      local session = assert(abridge.session { run_dir = run_dir })
      local result = session:cap("tool", ("line\n"):rep(5000))
      session:close()
      assert.equal(run_dir .. "/artifacts/0001-tool.log", result.details.full_output_path)
      assert.equal(25000, uv.fs_stat(result.details.full_output_path).size)
      assert.is_true(is_shown_safely(result.content))
      assert.equal(2, #assert(abridge.open_run(run_dir)):events())
    end)
  end)

  it("of a tool gives a full output a plain one", function()
    local session = assert(abridge.session { run_dir = dir:at "tools" })
    for i, name in ipairs(NAMES) do
      local result = session:cap(name, ("line\n"):rep(5000))
      local base = result.details.full_output_path:match "[^/]*$"
      assert.matches(("^%04d%%-[A-Za-z0-9_-]+%%.log$"):format(i), base)
      assert.is_true(#base <= 64)
    end
    local result = session:cap("../../../etc/passwd", ("line\n"):rep(5000))
    assert.matches("/tools/artifacts/%d+%-_________etc_passwd%.log$", result.details.full_output_path)
    session:close()
  end)
end)

describe("a path #few", function()
  setup(function()
    dir = tmpdir.new()
    uv.fs_mkdir(dir:at "files", 448)
    dir:sh "mkfifo files/fifo; ln -s loop files/loop; mkdir files/folder"
  end)

  teardown(function()
    dir:remove()
  end)

  local TOOLS = {
    read_file = function(path)
      return { path = path }
    end,
    list_directory = function(path)
      return { path = path }
    end,
    find_files = function(path)
      return { path = path, pattern = "*" }
    end,
    search_files = function(path)
      return { path = path, pattern = "x" }
    end,
    run_command = function(path)
      return { cwd = path, command = "echo never" }
    end,
  }

  --- What each tool says of a path; a text of one word is the code of the answer.
  local function says(path, expected)
    for tool, message in pairs(expected) do
      local result = call(tool, TOOLS[tool](path))
      if not result.content:find "^ripgrep" then
        assert.is_true(result.is_error, tool .. ": " .. result.content)
        assert.equal(message, result.content)
        assert.is_true(#result.content <= 30720)
      end
    end
  end

  it("to a device, a FIFO, a socket is not opened", function()
    local socket = uv.new_pipe(false)
    assert(uv.pipe_bind(socket, dir:at "files/socket"))
    for path, kind in pairs {
      ["/dev/zero"] = "device",
      ["/dev/null"] = "device",
      ["/dev/tty"] = "device",
      ["/dev/stdin"] = false,
      fifo = "fifo",
      socket = "socket",
    } do
      if uv.fs_stat(path:sub(1, 1) == "/" and path or dir:at("files/" .. path)) then
        local what = kind == "device" and "char" or kind
        says(path, {
          read_file = kind and ("Not a regular file: %s is a %s"):format(path, kind) or nil,
          search_files = kind and ("Not a regular file: %s is a %s"):format(path, what) or nil,
          list_directory = "Not a directory: " .. path,
          find_files = "Not a directory: " .. path,
        })
      end
    end
    uv.close(socket)
    host.pump()
    assert.matches("ENOTDIR: not a directory$", call("run_command", { command = "true", cwd = "/dev/null" }).content)
  end)

  it("to what the kernel makes up ends", function()
    if not uv.fs_stat "/proc/self/mem" then return pending "there is no /proc here" end
    assert.matches("^Name:", call("read_file", { path = "/proc/self/status" }).content)
    assert.equal(
      "Binary file: /proc/self/pagemap (application/octet-stream, 0B)",
      call("read_file", { path = "/proc/self/pagemap" }).content
    )
    assert.equal(
      "Cannot read /proc/self/mem: input/output error",
      call("read_file", { path = "/proc/self/mem" }).content
    )
    local found = call("search_files", { pattern = "zzz", path = "/proc/self/pagemap" })
    assert.is_true(#found.content < 200)
  end)

  it("that leads in a circle says so, with no other path", function()
    local circle = "Cannot read loop: too many symbolic links encountered"
    says("loop", { list_directory = circle, find_files = circle, search_files = circle, read_file = circle })
  end)

  it("over what the system takes says so", function()
    for _, path in ipairs { LONG_PATH, LONG_PATH:rep(4), ("x"):rep(256) } do
      local what = "Cannot read " .. path .. ": "
      says(path, {
        read_file = what .. "file name too long",
        list_directory = what .. "name too long",
        find_files = what .. "name too long",
        search_files = what .. "name too long",
      })
    end
    says(LONG_NAME .. "x", { read_file = "Cannot read " .. LONG_NAME .. "x: file name too long" })
  end)

  it("with a NUL is not there, whatever stands before it", function()
    local gone = "No such file or directory: path in details"
    says("folder\0/x", { read_file = gone, list_directory = gone, find_files = gone, search_files = gone })
    says("folder\0", { run_command = "Cannot run the command: the working directory contains a NUL byte" })
  end)

  it("with .. or through a link leaves no root", function()
    for tool, input in pairs(TOOLS) do
      for _, path in ipairs { "..", "folder/../..", "/etc", "folder/../../../etc/passwd", LONG_PATH:rep(5) } do
        local result = call(tool, input(path), { root = dir:at "files" })
        if not result.content:find "^ripgrep" then
          assert.equal("Path is outside the session root: " .. path, result.content)
          assert.equal("EOUTSIDE", result.details.error_code)
        end
      end
    end
  end)
end)
