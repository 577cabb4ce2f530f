-- SPEC 14: of JSON over its budget, blanks go first. Everything that tells of such a cut says so.
local abridge = require "abridge"
local host = require "abridge.base.host"
local judge = require "support.kind_judge"
local judged = require "support.judge.json"
local tmpdir = require "support.tmpdir"

local RECORD = [[
  {
    "id": %d,
    "name": "job-%d",
    "state": "done",
    "labels": [
      "a",
      "b"
    ]
  }]]

--- Records, each over several lines, as programs print JSON for people.
local function pretty(n)
  local list = {}
  for i = 1, n do
    list[i] = RECORD:format(i, i * 7)
  end
  return "[\n" .. table.concat(list, ",\n") .. "\n]\n"
end

local function compact(text)
  return judged.compact(judged.document(text))
end

describe("JSON without its blanks #few", function()
  local text = pretty(400)
  local short = compact(text)
  local said = ("[Blanks between values removed, %s before]"):format(abridge.format_size(#text))

  it("is all that a cut leaves out, if that is enough", function()
    local content, cut = abridge.auto(text, { max_bytes = #short })
    assert.equal(short, content)
    assert.same({ false, true, 0, 0 }, { cut.truncated, cut.compact, cut.omitted_bytes, cut.omitted_lines })
    assert.same({ { first_byte = 1, last_byte = #text, first_line = 1, last_line = cut.total_lines } }, cut.kept)
    assert.equal(#short, cut.shown_bytes)
    assert.is_nil(cut.truncated_by or cut.items or cut.markers)
    assert.same({}, judge.faults(text, { max_bytes = #short }, content, cut))
  end)

  it("is the text as it came, if that fits", function()
    local content, cut = abridge.auto(text, { max_bytes = #text })
    assert.equal(text, content)
    assert.is_nil(cut.compact)
  end)

  it("has one line, if more are forbidden", function()
    local content, cut = abridge.auto(text, { max_lines = 399 })
    assert.equal((short:gsub("\n", "")), content)
    assert.is_false(cut.truncated)
    content, cut = abridge.auto(text, { max_lines = 402 })
    assert.equal(short, content)
    assert.is_false(cut.truncated)
  end)

  it("is told in the notice, and passes again", function()
    local content, cut, block = abridge.cap(text, { max_bytes = #short + 100 })
    assert.equal(short .. "\n\n" .. said, content)
    assert.is_true(cut.compact)
    assert.same({ truncated = false, bytes_returned = #short, bytes_total = #short, reason = "size_cap" }, block)
    assert.equal(content, (abridge.cap(content, { max_bytes = #short + 100 })))
    for _, tool in ipairs { "read_file", "search_files", "x" } do
      assert.equal(said, abridge.notice(tool, cut))
    end
  end)

  it("counts in the size that a notice tells", function()
    local content, cut = abridge.cap(text, { max_bytes = 4096 })
    local body, notice = content:match "^(.*)\n\n(%[Showing .-%])$"
    local markers = 0
    for _, marker in ipairs(cut.markers) do
      markers = markers + marker.last_byte - marker.first_byte + 1
    end
    assert.equal(#body - markers, cut.shown_bytes)
    local sizes = (", %s of %s ("):format(abridge.format_size(cut.shown_bytes), abridge.format_size(#text))
    assert.truthy(notice:find(sizes, 1, true), notice)
    assert.is_true(cut.output_bytes > cut.shown_bytes)
  end)

  it("leaves room for as many elements as the source without them", function()
    for _, budget in ipairs { 2048, 8192 } do
      local _, with = abridge.auto(text, { max_bytes = budget })
      local _, without = abridge.auto((short:gsub("\n", "")), { max_bytes = budget })
      assert.is_true(with.items[1].kept >= 0.95 * without.items[1].kept)
    end
  end)

  describe("of a stream", function()
    local dir

    before_each(function()
      dir = tmpdir.new()
    end)

    after_each(function()
      dir:remove()
    end)

    local function names()
      local list = {}
      for name in host.uv().fs_scandir_next, host.uv().fs_scandir(dir.path .. "/out") or {} do
        list[#list + 1] = name
      end
      return list
    end

    local function finished(budget, narrower)
      local output = { dir = dir.path .. "/out", name = "a.json" }
      local stream = abridge.stream { max_bytes = budget, full_output = output }
      for i = 1, #text, 1000 do
        assert(stream:write(text:sub(i, i + 999)))
      end
      local content, cut = stream:finish(narrower)
      stream:close()
      return content, cut
    end

    it("needs no full output, and one that was begun is removed", function()
      local content, cut = finished(#short)
      assert.equal(short, content)
      assert.same({ false, true }, { cut.truncated, cut.compact })
      assert.is_nil(cut.full_output_path or cut.full_output_bytes or cut.full_output_error)
      assert.same({}, names())
    end)

    it("keeps a full output where more is left out", function()
      local _, cut = finished(#short, { max_bytes = #short - 1 })
      assert.is_true(cut.truncated)
      assert.equal(text, dir:read "out/a.json")
    end)

    local function ran(limits)
      dir:write("a.json", text)
      local run = dir.path .. "/run"
      local session = abridge.session { cwd = dir.path, run_dir = run, limits = { run_command = limits } }
      local result = session:call("run_command", { command = "cat a.json; exit 3" })
      session:close()
      return result, host.uv().fs_scandir(run .. "/artifacts")
    end

    it("is a result that is not truncated, and a run has no full output of it", function()
      local result, artifacts = ran { max_bytes = #short + 200 }
      assert.equal(short .. "\n\nCommand exited with code 3\n\n" .. said, result.content)
      local block = { truncated = false, bytes_returned = #short, bytes_total = #short, reason = "size_cap" }
      assert.same(block, result.truncation)
      assert.is_nil(result.details.full_output_path)
      assert.is_nil(artifacts and host.uv().fs_scandir_next(artifacts))
    end)

    it("is cut further, and then has a full output, where its notice has no room", function()
      local result = ran { max_bytes = #short + 20 }
      assert.is_true(result.truncation.truncated)
      assert.equal(text, dir:read(result.details.full_output_path:sub(#dir.path + 2)))
    end)
  end)
end)
