--- The commands that look into a text: cut, explain, kind, tokens and clean.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local explain = require "abridge.cli.explain"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local limit_table = require "abridge.output.limit_table"
local profiles = require "abridge.output.profiles"
local results = require "abridge.output.results"
local terminal = require "abridge.cli.terminal"

local M = {}

--- The limits of a profile for text of no particular tool: its row "*", else that of commands, else its ceiling.
local function profile_limits(name)
  local profile, rows = profiles.all[name], limit_table.new("abridge cut", name, {}, 0)
  if profile["*"] then return rows:of "*" end
  return profile.run_command and rows:of "run_command" or rows:ceiling_limits()
end

--- Limits over those of a profile. Options of other strategies are dropped.
local function over_profile(given, profile)
  local limits = profile and profile_limits(profile) or {}
  local strategy = given.strategy
  if strategy and strategy ~= limits.strategy then
    for _, key in ipairs { "head_ratio", "snap", "marker", "marker_text", "hits", "kind" } do
      limits[key] = nil
    end
  end
  for _, key in ipairs(strategy == "pipeline" and limit.not_for_pipeline or {}) do
    limits[key] = nil
  end
  for key, value in pairs(given) do
    limits[key] = value
  end
  limits.strategy = limits.strategy or "auto"
  return limits
end

--- The limits of a cut, checked: those given over those of a profile.
---@param given table<string, any>
---@param profile string|nil
---@return abridge.Limits|nil limits nil if nothing is limited
function M.limits(given, profile)
  if profile ~= nil and not profiles.all[profile] then terminal.bad("unknown profile %s", check.show(profile)) end
  local limits = over_profile(given, profile)
  if not limit.has_budget(limits) then return nil end
  local ok, checked = pcall(limit.checked, "limits", limits, 0)
  if ok then return checked end
  return terminal.bad("%s", (tostring(checked):gsub("^.-limits: ", "")))
end

--- The limits of the flags, else of a profile.
local function limits_of(args, unless_given)
  local limits = M.limits(args.limits, args.other.profile or not limit.has_budget(args.limits) and unless_given or nil)
  if limits then return limits end
  return terminal.bad "cut needs a limit: --max-lines, --max-bytes, --max-chars, --max-tokens or --profile"
end

---@alias abridge.cli.Feed fun(stream: { write: fun(self: any, chunk: string): true|nil, string|nil })

--- A function that writes a text to a stream.
---@param text string
---@return abridge.cli.Feed
function M.feeder(text)
  return function(stream)
    local ok, message = stream:write(text)
    if not ok then terminal.fail(message) end
  end
end

--- The text that `feed` writes, cut, as a result.
---@param limits abridge.Limits
---@param feed abridge.cli.Feed
---@return abridge.cli.Result
function M.cut_of(limits, feed)
  local stream = core.stream(limit.options(limits))
  feed(stream)
  local content, cut = stream:finish()
  stream:close()
  local block = info.not_truncated(#content)
  if cut.truncated then block = info.without_resume(#content, cut.total_bytes, results.reason(cut, limits)) end
  if #cut.kept == 0 then cut.kept = nil end
  return { content = content, truncation = block:to_table(), details = { cut = cut } }
end

function M.cut(args)
  if #args.words > 0 then terminal.bad("cut reads stdin and takes no words, got %q", args.words[1]) end
  local limits = limits_of(args)
  if args.switches.explain then
    return explain.run(terminal.read "*a" or "", limit.options(limits), args.switches.json)
  end
  terminal.print_result(M.cut_of(limits, terminal.feed), args.switches.json)
  return 0
end

--- All of a file, or that many bytes of its start; of stdin for "-" or none.
local function read_file(path, how)
  if path == nil or path == "-" then return terminal.read(how) or "" end
  local file, message = io.open(path, "rb")
  if not file then terminal.fail(message) end
  local content, failure = file:read(how)
  file:close()
  return content or failure and terminal.fail(("%s: %s"):format(path, failure)) or ""
end

function M.explain(args)
  if #args.words > 1 then terminal.bad("explain takes one FILE at most, got %d", #args.words) end
  local opts = limit.options(limits_of(args, "default"))
  return explain.run(read_file(args.words[1], "*a"), opts, args.switches.json, args.other.line)
end

local TELLING = 256 * 1024 + 1 -- bytes that tell a kind, and one more if the text goes on

--- The kind of a text, as data: its kind and parts, or the kind and the reason.
---@param text string
---@param why boolean|nil
---@return table
function M.kind_of(text, why)
  text = text:sub(1, TELLING)
  if why then return explain.kind_of(text) end
  local kind, parts = core.kind(text)
  return { kind = kind, parts = parts }
end

function M.kind(args)
  if #args.words > 1 then terminal.bad("kind takes one FILE at most, got %d", #args.words) end
  local text, why = read_file(args.words[1], TELLING), args.switches.why
  if args.switches.json then
    terminal.print_json(M.kind_of(text, why))
  elseif why then
    explain.print_kind(text)
  else
    terminal.out(core.kind(text), "\n")
  end
  return 0
end

function M.tokens(args)
  if #args.words > 1 then terminal.bad("tokens takes one FILE at most, got %d", #args.words) end
  local content = read_file(args.words[1], "*a")
  local tokens = core.estimate_tokens(content)
  if args.switches.json then
    terminal.print_json { tokens = tokens, bytes = #content }
  else
    terminal.out(("%.0f\n"):format(tokens))
  end
  return 0
end

function M.clean(args)
  if #args.words > 0 then terminal.bad("clean reads stdin and takes no words, got %q", args.words[1]) end
  if args.switches.json then
    local content, stats = core.clean(terminal.read "*a")
    terminal.print_json { content = content, stats = stats }
    return 0
  end
  local cleaner = core.cleaner()
  for chunk in terminal.chunks() do
    terminal.content(cleaner:write(chunk))
  end
  terminal.content((cleaner:finish()))
  terminal.end_line()
  cleaner:close()
  return 0
end

return M
