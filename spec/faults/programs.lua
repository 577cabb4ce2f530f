--- Programs: rg and curl, as children of ours, and the `abridge` command as a child of others.

local abridge = require "abridge"
local assert = require "luassert"
local inject = require "faults.inject"
local numbered = require "support.numbered"
local tmpdir = require "support.tmpdir"

local URL = "http://127.0.0.1:9/"

--- A fetch by a curl that is a script.
local function fetch(t, script)
  t.dir:write("curl", "#!/bin/sh\n" .. script)
  t.dir:sh "chmod +x curl"
  local env = { PATH = t.dir.path .. ":" .. os.getenv "PATH" }
  local session = abridge.session { run_dir = false, allow_private = true, env = env }
  local result = session:call("web_fetch", { url = URL })
  session:close()
  abridge.assert_conforms("web_fetch", result)
  return result
end

local HEAD = "printf 'HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: 100\\r\\n\\r\\n' >&2; "

--- The `abridge` command: what it wrote to stderr, and its exit code.
local function command(t, line)
  local interpreter = tmpdir.interpreter()
  if not interpreter then t.skip "Neovim is no interpreter of a command" end
  local launcher = tmpdir.quote(interpreter) .. " " .. tmpdir.quote(tmpdir.root() .. "/lua/abridge/bin/abridge")
  local _, err, code = t.dir:sh((line:gsub("abridge", (launcher:gsub("%%", "%%%%")))))
  return { err, code }
end

return {
  {
    "curl is killed before a response",
    function(t)
      local result = fetch(t, "kill -KILL $$")
      assert.is_true(result.is_error)
      assert.equal("Cannot fetch " .. URL .. ": curl was killed by signal KILL", result.content)
    end,
  },
  {
    "curl is killed in the midst of a body",
    function(t)
      local result = fetch(t, HEAD .. "echo first; sleep 0.1; kill -KILL $$")
      assert.is_true(result.is_error)
      assert.equal("first\n\nCannot fetch " .. URL .. ": curl was killed by signal KILL", result.content)
    end,
  },
  {
    "curl cannot be started",
    function(t)
      local result = t.with("fork=EAGAIN", function()
        return fetch(t, "exit 0")
      end)
      assert.is_true(result.is_error)
      assert.equal("Cannot run curl: cannot run curl: EAGAIN: resource temporarily unavailable", result.content)
    end,
  },
  {
    "what curl says cannot be read",
    function(t)
      local result = t.with(inject.READ_PIPE .. "#3-=EIO", function()
        return fetch(t, HEAD .. "sleep 0.3; echo first; sleep 0.5; echo second; sleep 0.3")
      end)
      assert.is_true(result.is_error)
      assert.equal("first\n\nCannot fetch " .. URL .. ": EIO", result.content)
    end,
  },
  {
    "rg cannot be started",
    function(t)
      if not require("abridge.process.programs").find "rg" then t.skip "ripgrep is not here" end
      local session = abridge.session { run_dir = false, cwd = t.dir.path }
      for _, tool in ipairs { "search_files", "find_files" } do
        local result = t.with("fork=EAGAIN", function()
          return session:call(tool, { pattern = "x" })
        end)
        assert.is_true(result.is_error)
        local what = "cannot run %s: EAGAIN: resource temporarily unavailable"
        local program = require("abridge.process.programs").find "sh" -- which bounds the memory of rg
        assert.equal("Cannot run the command: " .. what:format(program), result.content)
      end
      session:close()
    end,
  },
  {
    "what rg finds cannot be read to its end",
    function(t)
      if not require("abridge.process.programs").find "rg" then t.skip "ripgrep is not here" end
      t.dir:write("f", numbered(5000, "needle"))
      local session = abridge.session {
        run_dir = false,
        cwd = t.dir.path,
        ceiling = false,
        limits = { search_files = { max_bytes = "10MB" } },
      }
      local result = t.with(inject.READ_PIPE .. "#2-=EIO", function()
        return session:call("search_files", { pattern = "needle", limit = 5000 })
      end)
      assert.is_true(result.is_error)
      assert.matches("Search ended early: EIO$", result.content)
      session:close()
    end,
  },
  {
    "stdout of the abridge command is full",
    function(t)
      local full = { "abridge: stdout: No space left on device\n", 1 }
      assert.same(full, command(t, "seq 9 | abridge cut --strategy tail --max-lines 2 > /dev/full"))
      assert.same(full, command(t, "seq 99999 | abridge clean > /dev/full"))
      assert.same(full, command(t, "abridge run -- seq 99999 > /dev/full"))
      assert.same(full, command(t, "abridge run --json -- true > /dev/full"))
    end,
  },
  {
    "nobody reads stdout of the abridge command",
    function(t)
      local script = "{ trap '' PIPE; sleep 0.2; abridge run -- seq 9; echo $? >&2; } | true"
      assert.equal("abridge: stdout: Broken pipe\n1\n", command(t, script)[1])
      assert.equal("141\n", command(t, "{ sleep 0.2; (abridge run -- seq 9); echo $? >&2; } | true")[1])
    end,
  },
  {
    "stdin of the abridge command cannot be read",
    function(t)
      local unread = { "abridge: stdin: Is a directory\n", 1 }
      assert.same(unread, command(t, "abridge cut --strategy tail --max-lines 2 < /"))
      assert.same(unread, command(t, "abridge clean < /"))
      assert.same(unread, command(t, "abridge tokens < /"))
    end,
  },
  {
    "a server of abridge mcp ends while stdin is read",
    function(t)
      t.dir:write("calls", "")
      -- the read ends after the server, while the loop is stopped
      local ended = inject.in_children("read@*/calls=delay:250;epoll=delay:100", function()
        return command(t, "abridge mcp --no-save -- sh -c 'kill -KILL $$' < calls")
      end)
      assert.same({ "", 137 }, ended)
    end,
  },
}
