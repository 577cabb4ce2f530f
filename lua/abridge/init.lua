--- abridge: decide what a language model sees of a tool's output, and say exactly what was left out.
---
--- `require "abridge"` loads the core alone; what else a name takes is loaded when it is first used, luv and JSON when
--- a tool first wants them. Without a core, or with one of another version, it loads all the same: functions that need
--- the core then raise, and say how to get it.

local has_core, core = pcall(require, "abridge.base.core_loader")

--- Loaded on first use: its module, and its name there.
local LATER = {
  assert_conforms = { "abridge.output.info", "assert_conforms" },
  cap = { "abridge.output.cap", "cap" },
  display = { "abridge.output.display", "display" },
  explain = { "abridge.output.explain", "explain" },
  info = { "abridge.output.info", "functions" },
  notice = { "abridge.output.notice", "notice" },
  open_run = { "abridge.run.reader", "open" },
  page = { "abridge.output.page", "page" },
  profiles = { "abridge.output.profiles", "all" },
  protocol = { "abridge.output.info", "protocol" },
  session = { "abridge.session", "new" },
  setup = { "abridge.nvim", "setup" },
  splice = { "abridge.base.splice", "functions" },
}

---@class abridge: abridge.Core
---@field assert_conforms fun(tool_name: string, response: any)
---@field cap fun(text: any, how?: string|abridge.Limits, opts?: abridge.CapOptions): string, abridge.Cut, abridge.Block
---@field explain fun(text: string, opts: abridge.CutOptions): abridge.Explanation
---@field display fun(result: abridge.Result, opts?: abridge.DisplayOptions): string
---@field info abridge.InfoFunctions
---@field notice fun(tool: string, cut: abridge.Cut, data?: abridge.NoticeData): string|nil
---@field open_run fun(dir: string): abridge.Run|nil, string|nil, string|nil
---@field page fun(path: string, opts?: abridge.FilePageOptions): string|nil, abridge.PageCut|string, string|nil
---@field profiles table<abridge.ProfileName, table>
---@field protocol fun(cut_or_result: abridge.Cut|abridge.Result): abridge.Protocol
---@field session fun(opts?: abridge.SessionOptions): abridge.Session|nil, string|nil, string|nil
---@field setup fun(opts?: abridge.nvim.SetupOptions)
---@field splice abridge.SpliceFunctions
local M = { version = require "abridge.base.version" }

--- From the core: cuts; places in a text; counts and sizes.
local OF_CORE = {
  "auto",
  "kind",
  "head",
  "tail",
  "head_tail",
  "priority",
  "cut",
  "pipeline",
  "line",
  "stream",
  "clean",
  "index",
  "locations",
  "count_lines",
  "count_chars",
  "estimate_tokens",
  "format_size",
  "parse_size",
}

for _, name in ipairs(OF_CORE) do
  M[name] = has_core and rawget(core, name)
    or function(...)
      M[name] = require("abridge.base.core_loader")[name]
      return M[name](...)
    end
end

return setmetatable(M, {
  __index = function(_, name)
    local place = LATER[name]
    if not place then return nil end
    M[name] = require(place[1])[place[2]]
    return M[name]
  end,
})
