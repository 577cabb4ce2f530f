-- .github/workflows: each step is a target of make that .ci/run runs too, itself, on the way to another, or in a spec.

local paths = require "support.paths"

local found, lyaml = pcall(require, "lyaml") -- comes with Debian's busted

local IN_SPECS = { dist = "spec/project/dist_spec.lua", nvim = "spec/nvim/build_spec.lua" }

--- What the rules of make's targets say: prerequisites and recipe, in one string each.
local function rules()
  local by_target, lints, targets = {}, "", {}
  local files = { "Makefile" }
  for _, name in ipairs(paths.names "mk") do
    if name:find "%.mk$" then files[#files + 1] = "mk/" .. name end
  end
  for _, path in ipairs(files) do
    for line in paths.read(path):gmatch "[^\n]*" do
      local names, rest = line:match "^(%l[%l%d -]*):(.*)$"
      lints = line:match "^lints := (.*)" or lints
      if names and not rest:find "^=" then
        targets = {}
        for target in names:gmatch "%S+" do
          targets[#targets + 1] = target
          by_target[target] = by_target[target] or ""
        end
      end
      if names or line:find "^\t" then
        for _, target in ipairs(targets) do
          by_target[target] = by_target[target] .. " " .. (rest or line):gsub("##.*", "")
        end
      else
        targets = {}
      end
    end
  end
  for target, rule in pairs(by_target) do
    by_target[target] = rule:gsub("lints%)", "%0 " .. lints .. " ")
  end
  return by_target
end

--- The targets that .ci/run runs.
local function run_targets(by_target)
  local run, waiting = {}, {}
  local function add(text)
    for word in text:gmatch "%S+" do
      if by_target[word] and not run[word] then
        run[word], waiting[#waiting + 1] = true, word
      end
    end
  end
  for line in paths.read(".ci/run"):gmatch "\nstep [^\n]*" do
    add(line:match "make .*$" or "")
  end
  for target, spec in pairs(IN_SPECS) do
    if paths.read(spec):find("make[^\n]* " .. target) then add(target) end
  end
  while #waiting > 0 do
    add(by_target[table.remove(waiting)])
  end
  return run
end

describe("a workflow #once", function()
  local by_target = rules()
  local run = run_targets(by_target)

  it("has targets to choose from, some of which CI does not run", function()
    for _, target in ipairs { "setup", "demo", "test", "lib", "check", "check-tools", "lint-clang", "dist", "nvim" } do
      assert.is_true(run[target], target)
    end
    for _, target in ipairs { "bench", "soak", "clean" } do
      assert.truthy(by_target[target], target)
      assert.is_nil(run[target], target)
    end
  end)

  for _, name in ipairs(paths.names ".github/workflows") do
    it(name .. " has steps that are such targets", function()
      if not found then return pending "lyaml is missing" end
      local workflow = lyaml.load(paths.read(".github/workflows/" .. name))
      assert.equal("string", type(workflow.name))
      assert.is_table(workflow[true] or workflow.on) -- YAML 1.1 reads `on` as true
      assert.is_table(workflow.permissions)
      local targets = 0
      for _, job in pairs(workflow.jobs) do
        assert.equal("string", type(job["runs-on"]))
        assert.equal("number", type(job["timeout-minutes"]))
        for _, step in ipairs(job.steps) do
          assert.is_true((step.run == nil) ~= (step.uses == nil))
          if step.uses then assert.matches("^[%w-]+/[%w-]+@" .. ("%x"):rep(40) .. "$", step.uses) end -- no moving tag
          if step.run then assert.matches("^make [%l -]+$", step.run) end
          for target in (step.run or ""):gsub("^make ", ""):gmatch "%S+" do
            targets = targets + 1
            assert.is_true(run[target], ("%s: make %s"):format(name, target))
          end
        end
      end
      assert.is_true(targets >= 3)
    end)
  end

  it("makes a release of what make dist builds, for the tag of a version, where :Abridge install looks", function()
    if not found then return pending "lyaml is missing" end
    local workflow = lyaml.load(paths.read ".github/workflows/release.yml")
    assert.same({ push = { tags = { "v*" } } }, workflow[true] or workflow.on)
    local steps = workflow.jobs.dist.steps
    assert.same({ "make dist", "build/dist/*" }, { steps[#steps - 1].run, steps[#steps].with.files })
    assert.matches("%$%(or %$%(DIST%),build/dist%)", by_target.dist)
    local page = "https://github.com/abridge-tools/abridge/releases/download/v" .. require "abridge.base.version"
    assert.equal(page, require("abridge.nvim.install").release)
  end)
end)
