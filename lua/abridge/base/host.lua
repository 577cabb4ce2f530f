--- JSON and libuv of this host, and how to wait here.
---
--- Nothing is loaded until it is asked for: `require "abridge.base.host"` works with neither luv nor lua-cjson
--- installed. A missing library comes back as `nil, message, code`, and the message names the package to install.

local M = {}

local vim = rawget(_G, "vim")

--- True inside Neovim (its Vimscript-facing Lua state; threads have no `vim.wait`).
---@type boolean
M.in_nvim = type(vim) == "table" and type(vim.wait) == "function" and (vim.uv or vim.loop) ~= nil

--- Codes that the functions of this module return as a third value.
---@enum abridge.host.Code
M.codes = {
  ENOJSON = "ENOJSON", -- no JSON library
  ENOLUV = "ENOLUV", -- no libuv binding
}

--- Load a module; say why not in one line, without the paths that were searched.
---@param name string
---@return table|nil module
---@return string|nil reason nil when the module is simply not there
local function try_require(name)
  local ok, value = pcall(require, name)
  if ok and type(value) == "table" then return value end
  local reason = ok and "it did not return a table" or tostring(value)
  if reason:find("module '" .. name .. "' not found", 1, true) then reason = nil end
  return nil, reason and reason:match "[^\n]*"
end

---@param what string
---@param hint string
---@param reason string|nil
---@return string
local function missing(what, hint, reason)
  return ("%s could not be loaded%s; install it with %s"):format(what, reason and (" (" .. reason .. ")") or "", hint)
end

-- JSON ---------------------------------------------------------------------

local MAX_EXACT = 2 ^ 53 -- doubles hold every integer up to here
local SPARSE_FROM, SPARSE_RATIO = 10, 2 -- lua-cjson's: from this index on, an array of more than half holes is refused
local PRECISION = 16 -- digits of a number to ask the library for: 0.1 stays 0.1; one that refuses keeps its own 14

local to_integer = rawget(math, "tointeger") -- 5.3 and later know integers

--- JSON knows one kind of number: 5 and 5.0 come back as the same Lua number on every host.
---@param value any what the library decoded; tables are changed in place
---@return any
local function normalize(value)
  if type(value) == "number" then
    if value ~= value or value == math.huge or value == -math.huge then error("a number is out of range", 0) end
    if to_integer and value <= MAX_EXACT and value >= -MAX_EXACT then return to_integer(value) or value end
  elseif type(value) == "table" then
    for key, inner in next, value do
      if type(inner) == "number" or type(inner) == "table" then value[key] = normalize(inner) end
    end
  end
  return value
end

--- The end of a string of JSON.
---@param text string
---@param at integer of its opening quote
---@return integer of its closing quote, or the end of the text
function M.string_end(text, at)
  repeat
    at = text:find('"', at + 1, true) or #text
    local before = at - 1
    while text:byte(before) == 92 do
      before = before - 1
    end
  until (at - before) % 2 == 1 or at == #text -- an even number of backslashes
  return at
end

--- The first number of a text that a lenient library takes and JSON does not know: `0x10`, `01`, `+1`, `1.`.
---@param text string JSON, well-formed except for its numbers
---@return string|nil
local function odd_number(text)
  local at = text:find '["%d+%-]'
  while at do
    if text:byte(at) == 34 then
      at = M.string_end(text, at)
    else
      local number = text:match("^[%w+%-.]+", at)
      local rest = number:match "^%-?[1-9]%d*(.*)$" or number:match "^%-?0(.*)$"
      rest = rest and rest:gsub("^%.%d+", "")
      if rest ~= "" and not (rest and rest:find "^[eE][+-]?%d+$") then return number end
      at = at + #number - 1
    end
    at = text:find('["%d+%-]', at + 1)
  end
end

--- A copy in which an array with more holes than the library takes is an object.
---@param value any no cycle, and no deeper than the library encodes
---@return any
local function without_holes(value)
  if type(value) ~= "table" then return value end
  local copy, count, last = {}, 0, 0
  for key in next, value do
    if type(key) ~= "number" then
      last = 0
      break
    end
    count, last = count + 1, math.max(last, key)
  end
  local sparse = last > SPARSE_FROM and last > count * SPARSE_RATIO
  for key, inner in next, value do
    copy[sparse and ("%d"):format(key) or key] = without_holes(inner)
  end
  return setmetatable(copy, getmetatable(value))
end

--- The same encoding by every library: holes make an object, and a slash stands bare.
---@param encode fun(value: any): string
---@return fun(value: any): string
local function wrap_encode(encode)
  local bare = { ["/"] = "/" }
  return function(value)
    local ok, text = pcall(encode, value)
    if not ok and tostring(text):find("sparse array", 1, true) then
      ok, text = pcall(encode, without_holes(value))
    end
    if not ok then error(text, 0) end
    return text:find("\\/", 1, true) and (text:gsub("\\(.)", bare)) or text
  end
end

---@class (exact) abridge.host.Json
--- Compact JSON by the host's library; slashes stand bare, an array with many holes is an object. Raises on NaN,
--- infinity, functions and cycles. Numbers keep the digits that the library prints: 14 with lua-cjson 2.1.0 and Neovim
--- 0.10, 16 with later ones.
---@field encode fun(value: any): string
---@field decode fun(text: string): any raises on anything that is not one JSON value
---@field null any what a JSON null decodes to, and what is encoded as null

---@param lib table
---@return abridge.host.Json
local function wrap_json(lib)
  return {
    null = lib.null == nil and vim.NIL or lib.null, -- since 0.10 Neovim's has no name of its own for it
    encode = wrap_encode(lib.encode),
    decode = function(text)
      local ok, value = pcall(lib.decode, text)
      if not ok then error(value, 0) end
      local odd = odd_number(text)
      if odd then error("Expected value but found invalid number " .. odd, 0) end
      return normalize(value)
    end,
  }
end

local json ---@type abridge.host.Json|nil

--- The JSON of this host: `vim.json` inside Neovim, lua-cjson elsewhere. Their global settings are
--- neither read nor changed if the library can make a private copy of itself.
---@return abridge.host.Json|nil json
---@return string|nil message
---@return "ENOJSON"|nil code
function M.json()
  if json then return json end
  local lib, reason = M.in_nvim and vim.json or nil, nil
  if not lib then
    lib, reason = try_require "cjson"
  end
  if not lib then
    local hint = "`luarocks install lua-cjson`, or your system's lua-cjson package"
    return nil, missing("lua-cjson", hint, reason), M.codes.ENOJSON
  end
  if lib.new then lib = lib.new() end
  if lib.encode_number_precision then -- Neovim has no settings since 0.10
    pcall(lib.encode_number_precision, PRECISION)
  end
  json = wrap_json(lib)
  return json
end

-- libuv --------------------------------------------------------------------

local uv ---@type table|nil

--- The libuv binding of this host: `vim.uv` or `vim.loop` inside Neovim, luv elsewhere.
---@return table|nil uv
---@return string|nil message
---@return "ENOLUV"|nil code
function M.uv()
  if uv then return uv end
  local lib, reason = M.in_nvim and (vim.uv or vim.loop) or nil, nil
  if not lib then
    lib, reason = try_require "luv"
  end
  if not lib then
    local hint = "`luarocks install luv`, or your system's lua-luv package"
    return nil, missing("luv", hint, reason), M.codes.ENOLUV
  end
  uv = lib
  return uv
end

--- Milliseconds of a clock that never steps back; without luv, whole seconds of the wall clock.
---@return number
function M.now()
  local lib = M.uv()
  return lib and lib.hrtime() / 1e6 or os.time() * 1000
end

local waiting = 0 -- waits under way; 1 at most, counted for bindings without loop_mode

---@param lib table
---@return boolean
local function loop_is_running(lib)
  return waiting > 0 or (lib.loop_mode ~= nil and lib.loop_mode() ~= nil)
end

--- Let close callbacks run, which must happen before a process exits: luv crashes at exit on a handle
--- that was closed and never pumped. One turn of the loop, without blocking; other callbacks that are
--- due run too. No effect if the loop runs anyway (inside Neovim, inside a callback).
function M.pump()
  if M.in_nvim or not uv or loop_is_running(uv) then return end
  uv.run "nowait"
end

-- Neovim's main loop ---------------------------------------------------------

--- Whether this is a fast event of Neovim: a callback of the loop, in which most of `vim.api` is forbidden and waiting
--- impossible. Outside Neovim never.
---@return boolean
function M.in_fast_event()
  return M.in_nvim and vim.in_fast_event()
end

--- Call `fn` at a time when callbacks of the host may be called: now, or out of a fast event in Neovim's main loop,
--- later and in the order of these calls.
---@param fn fun()
function M.on_main(fn)
  if M.in_fast_event() then
    vim.schedule(fn)
  else
    fn()
  end
end

--- Call `fn` as `on_main` does when a handle fires: once, or until it is cancelled.
---@param handle userdata closed when it need not fire again
---@param fn fun()
---@param repeats? boolean
---@return fun() fire for the handle to call
---@return fun() cancel
local function on_handle(handle, fn, repeats)
  local cancelled = false
  local function close()
    if handle then uv.close(handle) end
    handle = nil
  end
  local function fire()
    if not repeats then close() end
    M.on_main(function()
      if not cancelled then fn() end
    end)
  end
  return fire, function()
    cancelled = true
    close()
    M.pump()
  end
end

--- Call `fn` as `on_main` does, but in a later turn of the loop, after the events that are waiting. Needs luv.
---@param fn fun()
---@return fun() cancel
function M.next_turn(fn)
  local lib = assert(M.uv())
  -- a timer of 0 ms that starts another one would keep some versions of libuv from ever looking at their files
  local idle = lib.new_idle()
  local fire, cancel = on_handle(idle, fn)
  lib.idle_start(idle, fire)
  return cancel
end

local function start_timer(lib, timer, ms, every, fire)
  lib.update_time() -- the loop's clock stands still between turns
  lib.timer_start(timer, math.ceil(math.min(math.max(ms, 0), MAX_EXACT)), every, fire)
end

--- Call `fn` as `on_main` does, `ms` milliseconds from now; if `every` is given, again and again, so many apart.
---@param ms number
---@param fn fun()
---@param every? integer milliseconds
---@return fun()|nil cancel nil without luv, where it is never called
function M.after(ms, fn, every)
  local lib = M.uv()
  if not lib then return nil end
  local timer = lib.new_timer()
  local fire, cancel = on_handle(timer, fn, every ~= nil)
  start_timer(lib, timer, ms, every or 0, fire)
  return cancel
end

--- The error of `wait` inside a callback of the loop.
---@type string
M.nested = "abridge: cannot wait inside a callback of the event loop; use on_done"
local NVIM_SLICE_MS = 100 -- Neovim 0.7 hears Ctrl-C only at the end of a vim.wait that has a predicate
local NVIM_INTERVAL_MS = 10 -- a backstop: the predicate is asked after each event anyway

---@param predicate fun(): boolean
---@param seconds number|nil
---@return boolean done
---@return "timeout"|"interrupted"|nil why
local function wait_nvim(predicate, seconds)
  local raised, failure = false, nil
  local function check()
    local ok, value = pcall(predicate)
    if not ok then
      raised, failure = true, value
    end
    return raised or (value and true or false)
  end

  local deadline = seconds and M.now() + seconds * 1000
  repeat
    local left = deadline and math.max(deadline - M.now(), 0) or NVIM_SLICE_MS
    local ok, why = vim.wait(math.ceil(math.min(left, NVIM_SLICE_MS)), check, NVIM_INTERVAL_MS)
    if raised then
      error(failure, 0)
    elseif ok then
      return true
    elseif why == -2 then
      return false, "interrupted"
    end
  until deadline and M.now() >= deadline
  return false, "timeout"
end

---@param lib table
---@param predicate fun(): boolean
---@param state { expired: boolean }
---@return boolean done
---@return "timeout"|"idle"|nil why
local function turn_until(lib, predicate, state)
  while true do
    if predicate() then
      return true
    elseif state.expired then
      return false, "timeout"
    elseif not lib.loop_alive() then
      return false, "idle"
    end
    lib.run "once"
  end
end

---@param lib table
---@param predicate fun(): boolean
---@param seconds number|nil
---@return boolean done
---@return "timeout"|"idle"|nil why
local function wait_luv(lib, predicate, seconds)
  local state = { expired = false }

  -- A turn runs the timers and then blocks for I/O. A condition that a timer made true must be seen in between, or the
  -- wait lasts until some unrelated event.
  local before_poll = lib.new_prepare()
  lib.prepare_start(before_poll, function()
    local ok, value = pcall(predicate)
    if state.expired or not ok or value then lib.stop() end
  end)
  lib.unref(before_poll)

  local timer
  if seconds and seconds < math.huge then
    timer = lib.new_timer()
    start_timer(lib, timer, seconds * 1000, 0, function()
      state.expired = true
    end)
    lib.unref(timer)
  end

  waiting = waiting + 1
  local ok, done, why = pcall(turn_until, lib, predicate, state)
  waiting = waiting - 1

  lib.close(before_poll)
  if timer then lib.close(timer) end
  M.pump()
  if not ok then error(done, 0) end
  return done, why
end

--- Whether the event loop can be waited on here: not inside one of its callbacks.
---@return boolean
function M.can_wait()
  if M.in_nvim then return not vim.in_fast_event() end
  local lib = M.uv()
  return lib == nil or not loop_is_running(lib)
end

--- Run the event loop until `predicate()` is true.
---
--- The predicate is asked first, so finished work needs no luv; it may be asked often and from
--- inside the loop, so it should only look. `"timeout"`: the seconds are over. `"idle"`: nothing is
--- left in the loop that could make it true (never inside Neovim, whose loop is always alive).
--- `"interrupted"`: Ctrl-C inside Neovim.
---
--- Raises when called from a callback of the loop, as waiting cannot work there. Errors of the predicate pass through.
---@param predicate fun(): boolean
---@param seconds number|nil no limit when nil
---@return boolean done
---@return "timeout"|"idle"|"interrupted"|nil why
function M.wait(predicate, seconds)
  if type(predicate) ~= "function" then error("wait: predicate must be a function, got " .. type(predicate), 2) end
  if seconds ~= nil and not (type(seconds) == "number" and seconds >= 0) then
    error("wait: seconds must be a number >= 0, got " .. tostring(seconds), 2)
  end
  if predicate() then return true end
  if not M.can_wait() then
    error(M.nested, 2)
  elseif M.in_nvim then
    return wait_nvim(predicate, seconds)
  end
  local lib = M.uv()
  if not lib then return false, "idle" end
  return wait_luv(lib, predicate, seconds)
end

return M
