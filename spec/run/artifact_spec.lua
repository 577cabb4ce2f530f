-- Pages of a full output: by lines, within read_file's limits, and joined they are the text.
local abridge = require "abridge"
local artifact = require "abridge.run.artifact"
local files = require "abridge.base.files"
local plain = require "support.plain"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local BLOCK = files.BLOCK

describe("a page of a full output", function()
  local dir

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  after_each(function()
    files.BLOCK = BLOCK
  end)

  --- All pages of a text, joined as the contract says.
  local function joined(page, limit)
    local parts, at, pages = {}, { offset = 1, limit = limit }, 0
    repeat
      local content, info = page(at)
      random.must(content, "no page from %s: %s", at.offset, info)
      random.must(#content <= 30720, "a page of %s bytes", #content)
      random.must(info.first_line == at.offset, "asked for line %s, got %s", at.offset, info.first_line)
      local lines = plain.count_lines(content)
      random.must(lines <= (limit or 2000), "%s lines in a page", lines)
      parts[#parts + 1] = content
      if info.final_newline or info.next_offset and not info.next_column then parts[#parts + 1] = "\n" end
      local moved = not info.next_offset or info.next_offset > at.offset or (info.next_column or 0) > (at.column or 1)
      random.must(moved, "stays at line %s column %s", at.offset, at.column)
      at = { offset = info.next_offset, column = info.next_column, limit = limit }
      pages = pages + 1
    until not at.offset
    return table.concat(parts), pages
  end

  it("joined with the others is the text, for any text (" .. random.seed .. ")", function()
    random.each(60, function(case)
      local text = random.text(400)
      if random.chance(3) then text = text .. random.join(random.choose(random.alphabets), 40000) end
      if random.chance(4) then text = text .. ("\226\130\172"):rep(random.between(9000, 25000)) .. random.text(50) end
      files.BLOCK = random.choose { 4, 5, 7, 64, 4096, BLOCK }
      if #text > 5000 then files.BLOCK = math.max(files.BLOCK, 4096) end
      local limit = random.chance(2) and random.between(1, 300) or nil
      local path, index = dir:write("text" .. case, text), abridge.index()
      random.must(joined(function(at)
        return artifact.file_page(path, at, index)
      end, limit) == text, "the file is not rebuilt (%s bytes)", #text)
      random.must(joined(function(at)
        return artifact.text_page(text, at)
      end, limit) == text, "the text is not rebuilt (%s bytes)", #text)
      os.remove(path)
    end)
  end)

  it("starts at any line and any char, wherever blocks end (" .. random.seed .. ")", function()
    random.each(60, function()
      local text = random.text(60)
      local lines = {}
      for _, line in ipairs(plain.lines(text)) do
        lines[#lines + 1] = line
      end
      if text == "" then lines = {} end
      files.BLOCK = random.between(4, 12)
      for _ = 1, 20 do
        local offset = random.between(1, #lines + 2)
        local content, info, code = artifact.text_page(text, { offset = offset, limit = 1 })
        if offset <= #lines then
          random.must(content and content:gsub("\n$", "") == lines[offset], "line %s is %s", offset, content)
          random.must(info.total_lines == #lines and info.total_bytes == #text, "wrong totals")
          local chars = plain.chars(lines[offset])
          local column = random.between(1, #chars + 3)
          content, info, code = artifact.text_page(text, { offset = offset, column = column, limit = 1 })
          if column <= #chars + 1 then -- the place after the last char is one
            local rest = table.concat(chars, "", column)
            random.must(content and content:gsub("\n$", "") == rest, "from char %s: %s", column, content or info)
          else
            random.must(code == "ECOLUMN", "column %s of %s chars: %s", column, #chars, code)
          end
        elseif not (text == "" and offset == 1) then
          random.must(code == "EOFFSET", "line %s of %s: %s", offset, #lines, code)
        end
      end
    end)
  end)

  it("shows 2000 lines or 30KB, whichever is less, and never more", function()
    local text = ("x\n"):rep(5000)
    local content, info = artifact.text_page(text, {})
    assert.equal(("x\n"):rep(1999) .. "x", content)
    assert.equal(2001, info.next_offset)
    assert.equal(content, (artifact.text_page(text, { limit = 4000 })))
    text = ("0123456789abcde\n"):rep(5000)
    content, info = artifact.text_page(text, {})
    assert.equal(1920 * 16 - 1, #content)
    assert.equal(1921, info.next_offset)
  end)

  it("splits a line that is over budget between chars", function()
    local text = "a\n" .. ("\226\130\172"):rep(20000) .. "\nb\n"
    local content, info = artifact.text_page(text, {})
    assert.equal("a", content)
    assert.equal(2, info.next_offset)
    assert.is_nil(info.next_column)
    content, info = artifact.text_page(text, { offset = 2 })
    assert.equal(("\226\130\172"):rep(10240), content)
    assert.equal(2, info.next_offset)
    assert.equal(10241, info.next_column)
    content, info = artifact.text_page(text, { offset = 2, column = 10241 })
    assert.equal(("\226\130\172"):rep(9760), content:match "^[^\n]*")
    assert.is_nil(info.next_column)
  end)

  it("says when only the last newline did not fit", function()
    local text = ("x"):rep(30720) .. "\n"
    local content, info = artifact.text_page(text, {})
    assert.equal(30720, #content)
    assert.is_true(info.final_newline)
    assert.is_nil(info.next_offset)
    content, info = artifact.text_page(text .. "\n", {})
    assert.equal(30720, #content)
    assert.equal(2, info.next_offset)
  end)

  it("of an empty text is empty", function()
    for _, at in ipairs { {}, { offset = 1, limit = 5, column = 1 } } do
      local content, info = artifact.text_page("", at)
      assert.equal("", content)
      assert.same({ first_line = 1, last_line = 1, total_lines = 0, total_bytes = 0 }, info)
    end
    assert.equal("EOFFSET", (select(3, artifact.text_page("", { offset = 2 }))))
  end)

  it("needs memory that does not depend on the file", function()
    local path = dir:at "big"
    dir:sh "yes 'a line of some length, and so it goes on and on' | head -n 1500000 > big"
    local index = abridge.index()
    collectgarbage()
    collectgarbage()
    local before = collectgarbage "count"
    local content, info = artifact.file_page(path, { offset = 1499990 }, index)
    local grown = collectgarbage "count" - before
    assert.equal(11, plain.count_lines(content))
    assert.equal(1500000 * 48, info.total_bytes)
    assert.is_true(grown < 24 * 1024, grown) -- KB, of 72 MB; some blocks wait for the collector
    os.remove(path)
  end)

  it("of what is no file is refused", function()
    assert.equal("ENOENT", (select(3, artifact.file_page(dir:at "nothing", {}, abridge.index()))))
    assert.equal("EISDIR", (select(3, artifact.file_page(dir.path, {}, abridge.index()))))
    dir:sh "mkfifo fifo"
    assert.equal("ENOTREG", (select(3, artifact.file_page(dir:at "fifo", {}, abridge.index()))))
  end)
end)
