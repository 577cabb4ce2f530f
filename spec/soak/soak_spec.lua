-- `make soak` itself, a thousandth of it: it runs, finds nothing wrong and says what it measured.
local tmpdir = require "support.tmpdir"

describe("make soak #once", function()
  it("in little prints its table, and nothing is wrong", function()
    local lua = tmpdir.interpreter()
    if not lua then return pending "there is no interpreter to start inside Neovim" end
    local dir = tmpdir.new()
    local script = ("cd %s && SOAK=0.001 TMPDIR=%s %s spec/soak/soak.lua"):format(
      tmpdir.quote(tmpdir.root()),
      tmpdir.quote(dir.path),
      tmpdir.quote(lua)
    )
    local out, err, code = dir:sh(script)
    dir:remove()
    assert.equal("", err)
    assert.equal(0, code, out)
    local table_of_figures = out:match "\n\n(.*)$"
    for _, row in ipairs {
      "stream, head ",
      "stream, tail ",
      "stream, head_tail ",
      "stream, priority ",
      "blocks built, printed, parsed ",
      "calls, run_dir=false ",
      "calls, run_dir ",
      "runs, opened twice and pruned ",
      "run_command, run_dir=false ",
      "run_command, one line, pi ",
      "run_command, one line, default ",
      "hosts killed in a run ",
    } do
      assert.truthy(table_of_figures:find("\n" .. row, 1, true), row)
    end
    assert.matches("\nsoak: all right\n$", out)
  end)
end)
