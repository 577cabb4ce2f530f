--- The progress of long work: one line on stderr, if that is a terminal, after a second, erased at the end.

local core = require "abridge.base.core_loader"
local display = require "abridge.output.display"
local folder = require "abridge.run.folder"
local host = require "abridge.base.host"
local terminal = require "abridge.cli.terminal"

local M = {}

local AFTER_MS = 1000 -- shorter work shows nothing
local EVERY_MS = 100
local WIDTH = 80 -- cells, if the terminal does not tell
local ERASE = "\r\27[K"

---@class abridge.cli.Progress
---@field private what string
---@field private from number
---@field private drawn? number when it was drawn last
---@field private width? integer
---@field private done? integer
---@field private total? integer
local Progress = {}
Progress.__index = Progress

--- Cells of a line of the terminal.
local function width_of()
  local uv = host.uv()
  local tty = uv.new_tty(2, false)
  if not tty then return WIDTH end
  local columns = uv.tty_get_winsize(tty)
  uv.close(tty)
  return type(columns) == "number" and columns > 0 and columns or WIDTH
end

--- The facts so far, in a line of the terminal: `abridge: reading runs/42, 45% of 1.2GB, 3.1s`.
function Progress:words(now)
  local known = ""
  if self.done and self.total and self.total > 0 then
    local share = math.min(100, math.floor(100 * self.done / self.total))
    known = (", %d%% of %s"):format(share, core.format_size(self.total))
  elseif self.done then
    known = ", " .. core.format_size(self.done)
  end
  known = known .. ", " .. display.duration(now - self.from)
  local what = "abridge: " .. terminal.visible(self.what)
  local cells = self.width - 1 - #known
  if core.cells(what) > cells then what = what:sub(1, core.fit_cells(what, math.max(cells - 3, 0))) .. "..." end
  return what .. known
end

--- Draw it, if it is time to.
function Progress:look()
  local now = host.now()
  if now - (self.drawn and self.drawn + EVERY_MS or self.from + AFTER_MS) < 0 then return end
  self.width, self.drawn = self.width or width_of(), now
  local words = self:words(now)
  io.stderr:write(ERASE, words:sub(1, core.fit_cells(words, self.width - 1))) -- on a very narrow one not even that
  io.stderr:flush()
end

function Progress:erase()
  if self.drawn then io.stderr:write(ERASE) end
  io.stderr:flush()
end

--- Draw it from the event loop too, while that turns; returns a function that ends this.
function Progress:in_loop()
  local uv = host.uv()
  local timer = uv.new_timer()
  uv.timer_start(timer, AFTER_MS, EVERY_MS, function()
    self:look()
  end)
  uv.unref(timer)
  return function()
    uv.close(timer)
    host.pump()
  end
end

--- Do `work(told)` and return its results; meanwhile show `what`, and for how long. Work that does not turn
--- the event loop calls `told(done, total)`, as often as it likes: bytes so far, and of how many, if that is known.
--- `told` is nil if nothing would show.
---@generic T
---@param what string "reading FILE"
---@param work fun(told: fun(done: integer|nil, total: integer|nil)|nil): T
---@return T
function M.during(what, work)
  if terminal.is_dumb() or not terminal.is_terminal(2) then return work() end
  local self = setmetatable({ what = what, from = host.now() }, Progress)
  local stop = self:in_loop()
  local ok, result = pcall(work, function(done, total)
    self.done, self.total = done, total
    self:look()
  end)
  stop()
  self:erase()
  if not ok then error(result, 0) end
  return result
end

--- Do `work`, which reads the log of a run, and return its results; meanwhile show how far that is.
---@generic T
---@param run abridge.Run
---@param work fun(): T
---@return T
function M.of_run(run, work)
  local stat = host.uv().fs_stat(run.dir .. "/" .. folder.LOG)
  return M.during("reading " .. run.dir, function(told)
    if told then
      function run.on_read(position)
        told(position, stat and stat.size)
      end
    end
    local result = work()
    run.on_read = nil
    return result
  end)
end

return M
