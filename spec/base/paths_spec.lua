-- Paths by their letters, those of Windows too, whatever runs this.
local paths = require "abridge.base.paths"
local system = require "abridge.base.system"

local WINDOWS, POSIX = true, false

describe("a path", function()
  it("is absolute after a slash; on Windows after a drive and a slash, and where it names a share", function()
    for path, expected in pairs {
      ["/a"] = { true, false },
      ["//host/share/a"] = { true, true },
      ["C:\\a"] = { false, true },
      ["c:/a"] = { false, true },
      ["\\\\host\\share\\a"] = { false, true },
      ["\\\\?\\C:\\a"] = { false, true },
      ["C:a"] = { false, false },
      ["\\a"] = { false, false },
      ["a/b"] = { false, false },
      ["a.c:5"] = { false, false },
      ["1:/a"] = { false, false },
      [""] = { false, false },
    } do
      assert.equal(expected[1], paths.is_absolute(path, POSIX), path)
      assert.equal(expected[2], paths.is_absolute(path, WINDOWS), path)
    end
  end)

  it("is seen from a folder", function()
    for _, case in ipairs {
      { POSIX, "/home", "a", "/home/a" },
      { POSIX, "/home//", "./a", "/home/./a" },
      { POSIX, "/", "a", "/a" },
      { POSIX, "/home", "/a", "/a" },
      { POSIX, "/home", "C:\\a", "/home/C:\\a" },
      { WINDOWS, "C:\\src", "a\\b.lua", "C:\\src\\a\\b.lua" },
      { WINDOWS, "C:/src/", "a/b.lua", "C:/src\\a/b.lua" },
      { WINDOWS, "C:\\", "a", "C:\\a" },
      { WINDOWS, "C:\\src", "D:\\a", "D:\\a" },
      { WINDOWS, "C:\\src", "\\a", "C:\\a" },
      { WINDOWS, "C:\\src", "/a", "C:/a" },
      { WINDOWS, "C:\\src", "c:a", "C:\\src\\a" },
      { WINDOWS, "C:\\src", "D:a", "D:a" },
      { WINDOWS, "src", "s:a", "s:a" },
      { WINDOWS, "src", "a", "src\\a" },
      { WINDOWS, "\\\\host\\share\\src", "a", "\\\\host\\share\\src\\a" },
      { WINDOWS, "\\\\host\\share\\src", "\\a", "\\\\host\\share\\a" },
      { WINDOWS, "C:\\src", "//host/share/a", "//host/share/a" },
    } do
      local windows, folder, path, expected = (table.unpack or unpack)(case)
      assert.equal(expected, paths.joined(folder, path, windows))
    end
  end)

  it("is judged as the system here does unless told otherwise", function()
    local is_windows = system.is_windows
    system.is_windows = function() -- luacheck: ignore
      return true
    end
    local joined, absolute = paths.joined("C:\\src", "a"), paths.is_absolute "C:\\a"
    local bare = paths.without_slashes "a\\"
    system.is_windows = is_windows
    assert.same({ "C:\\src\\a", true, "a" }, { joined, absolute, bare })
    assert.equal(package.config:sub(1, 1) == "\\", paths.is_absolute "C:\\a")
  end)

  it("loses the slashes at its end, a root none", function()
    for path, expected in pairs {
      ["/a//"] = { "/a", "/a" },
      ["/"] = { "/", "/" },
      ["a/b"] = { "a/b", "a/b" },
      ["C:\\"] = { "C:\\", "C:\\" },
      ["C:\\a\\"] = { "C:\\a\\", "C:\\a" },
      ["C:/a/\\/"] = { "C:/a/\\", "C:/a" },
    } do
      assert.equal(expected[1], paths.without_slashes(path, POSIX))
      assert.equal(expected[2], paths.without_slashes(path, WINDOWS))
    end
  end)

  it("is plain where two spell one file, the same on every system", function()
    for expected, spelled in pairs {
      ["/home/a"] = { { "/home/./a" }, { "a", "/home" }, { "//home//b/../a" }, { "../a", "/home/b" } },
      ["/a"] = { { "/../a" }, { "a", "/" } },
      ["a"] = { { "a" }, { "./a", "." }, { "b/../a", "" } },
      ["../a"] = { { "../a" }, { "b/../../a" } },
      ["c:/src/a.lua"] = {
        { "C:\\src\\a.lua" },
        { "c:/src//a.lua" },
        { "a.lua", "C:\\src" },
        { ".\\b\\..\\a.lua", "C:/src/" },
        { "\\src\\a.lua", "C:\\elsewhere" },
        { "C:a.lua", "c:\\src" },
        { "C:\\..\\src\\a.lua", "/home" },
      },
      ["d:/src/A.lua"] = { { "D:\\src\\A.lua", "C:\\src" } },
      ["//host/share/a"] = { { "\\\\host\\share\\b\\..\\a" }, { "a", "\\\\host\\share" } },
      ["b\\a"] = { { "b\\a" }, { "./b\\a" } }, -- a name, where nothing tells of Windows
    } do
      for _, path in ipairs(spelled) do
        assert.equal(expected, paths.plain(path[1], path[2]))
      end
    end
  end)
end)
