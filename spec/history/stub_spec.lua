-- What a stub is made from: the notice of a cut and the exit line are ours, what stands before them is the command's.
local stub = require "abridge.history.stub"

describe("what a call printed, without what we said of it", function()
  local EXIT = "Command exited with code 1"
  local NOTICE = "[Showing 2 of 9 lines (30KB limit)]"

  it("ends with one newline at most, however many there are", function()
    local many = ("\n"):rep(1e6) -- a pattern that looked at them once for each would not end
    local ending = { exit = EXIT }
    for given, expected in pairs {
      ["out\n\n" .. NOTICE] = "out\n",
      ["out" .. many .. NOTICE] = "out\n",
      ["out" .. many .. "end"] = "out" .. many .. "end",
      [many .. NOTICE] = "\n",
      [NOTICE] = NOTICE,
    } do
      assert.is_true(expected == stub.printed(given, ending))
    end
    local text, exit = stub.printed("out" .. many .. EXIT .. "\n\n" .. NOTICE, ending)
    assert.same({ "out\n", EXIT }, { text, exit })
    assert.same({ "out\n", EXIT }, { stub.printed("out\n" .. EXIT, ending) })
  end)

  it("is all of it where nobody knows what is ours", function()
    assert.equal("out\n\n" .. NOTICE, (stub.printed("out\n\n" .. NOTICE, nil)))
  end)
end)
