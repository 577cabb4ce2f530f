--- A real browser, headless: it opens pages that a server on the loopback hands out, and a script beside them tells
--- what it sees. It can resolve no name, so nothing it does leaves the machine.

local host = require "abridge.base.host"
local process = require "abridge.process"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"
local web_server = require "support.web_server"

local M = {}

local NAMES = { "chromium", "chromium-browser", "google-chrome" }

--- The browser's program; nil where there is none.
---@return string|nil
function M.program()
  for folder in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    for _, name in ipairs(NAMES) do
      local path = folder .. "/" .. name
      if host.uv().fs_access(path, "X") then return path end
    end
  end
end

-- The page around: `page` is the frame with the report, `tell` ends the visit. A script that raises tells that.
local AROUND = [[
<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>html{color-scheme:light dark}body{margin:0}iframe{border:0;display:block;width:1280px;height:900px}</style>
<iframe id="page" ATTRIBUTES></iframe>
<script>
const page = document.getElementById("page"), began = performance.now();
const tell = result => fetch("/result", { method: "POST", body: JSON.stringify(result) });
const frame = () => new Promise(done => page.contentWindow.requestAnimationFrame(done));
page.onload = async () => {
  page.onload = null;
  const opened = performance.now() - began, doc = page.contentDocument, win = page.contentWindow;
  try { tell(await (async () => { SCRIPT })()); } catch (raised) { tell({ raised: String(raised) }); }
};
page.src = "/page";
</script>
]]

local ARGUMENTS = {
  "--headless",
  "--no-sandbox", -- containers and root lack what it needs
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--enable-logging=stderr",
  "--v=0",
  "--window-size=1300,920",
}

---@class spec.Visit
---@field result any what the script told
---@field console string[] lines that the page wrote to the console
---@field asked string[] paths that were asked for beside the page and what is around it

--- Open a page in a frame and run a script beside it, which has `page`, `doc`, `win`, `frame()` and
--- `opened`, the milliseconds until the page was loaded, and returns what is to be told.
---@param html string
---@param script string the body of an async function
---@param attributes? string of the frame, such as those of a sandbox
---@return spec.Visit
function M.visit(html, script, attributes)
  local visit, json, dir = { console = {}, asked = {} }, host.json(), tmpdir.new()
  local around = AROUND:gsub("ATTRIBUTES", attributes or ""):gsub("SCRIPT", function()
    return script
  end)
  local pages = { ["/"] = around, ["/page"] = html }
  local server = web_server.new(function(connection, request)
    if request.target == "/result" then
      visit.result = json.decode(request.body)
      return connection:respond("204 No Content", {}, "")
    end
    local body = pages[request.target]
    if not body then visit.asked[#visit.asked + 1] = request.target end
    connection:respond(body and "200 OK" or "404 Not Found", { "Content-Type: text/html; charset=utf-8" }, body or "")
  end)
  local arguments, output, ended = { M.program(), "--user-data-dir=" .. dir:at "profile" }, {}, nil
  for _, argument in ipairs(ARGUMENTS) do
    arguments[#arguments + 1] = argument
  end
  arguments[#arguments + 1] = server:url "/"
  local how = { env = { HOME = dir.path, TMPDIR = dir.path }, cwd = dir.path, grace = 5 }
  local browser = assert(process.spawn(arguments, how, {
    on_output = function(chunk)
      output[#output + 1] = chunk
    end,
    on_exit = function(outcome)
      ended = outcome
    end,
  }))
  waiting.eventually(function()
    return visit.result ~= nil or ended ~= nil
  end)
  browser:cancel()
  waiting.eventually(function()
    return ended ~= nil
  end)
  server:close()
  dir:remove()
  for line in table.concat(output):gmatch "[^\n]+" do
    if line:find "CONSOLE[:(]" then visit.console[#visit.console + 1] = line end
  end
  assert(visit.result ~= nil, "the browser told nothing: " .. table.concat(output):sub(-2000))
  return visit
end

return M
