--- The remains of one result: its stub, or its text within so many tokens.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local fit = require "abridge.output.fit"
local stub = require "abridge.history.stub"
local tokens = require "abridge.history.tokens"

local M = {}

--- The facts that a stub depends on, beside the content.
local function same(known, answer, opts)
  return known.of == answer.content.text
    and known.ending == answer.ending
    and rawequal(known.call, answer.call and answer.call.made)
    and known.session == opts.session
    and known.tools == opts.tools
end

--- The stub of a result as it is now; nil if it has none.
---@param answer abridge.history.Answer
---@param opts table of `history.fit`
---@param weigher abridge.history.Weigher
---@return { text: string, tokens: integer }|nil
function M.stub(answer, opts, weigher)
  local result = answer.result
  local known = result.known_stub
  if known and same(known, answer, opts) then return known.made end
  local text = stub.of(answer, weigher, opts)
  local stubbed = text and { text = text, tokens = weigher:text(text) } or nil
  result.known_stub = {
    made = stubbed,
    of = answer.content.text,
    ending = answer.ending,
    call = answer.call and answer.call.made,
    session = opts.session,
    tools = opts.tools,
  }
  return stubbed
end

--- A result's text within so many tokens: how its command ended stays, and the notice is that of this cut.
---@param answer abridge.history.Answer as it came
---@param most integer
---@param opts table of `history.fit`
---@return string
function M.cut(answer, most, opts)
  local result, ending = answer.result, answer.ending or {}
  local known = result.cuts[most]
  if known and known.ending == answer.ending then return known.text end
  local body, exit = stub.printed(answer.content.text, answer.ending)
  local kind = core.kind_name(body)
  if kind == "mixed" then kind = nil end -- nobody can ask for that
  local limits = { strategy = "auto", kind = kind, max_tokens = most, utf8 = "replace" }
  limits.count_tokens, limits.token_safety = opts.count_tokens, opts.token_safety
  local parts = { tool = "run_command", exit = exit }
  function parts.adjust(cut)
    cut.full_output_path = ending.path
  end
  local content = fit.fit(body, limits, parts)
  result.cuts[most] = { text = content, ending = answer.ending }
  return content
end

--- A content with its texts replaced by one.
---@param given any
---@param text string
---@return any
function M.with_text(given, text)
  if type(given) ~= "table" then return text end
  local parts, put = {}, false
  for _, part in ipairs(check.list(given)) do
    if not tokens.text_of(part) then
      parts[#parts + 1] = part
    elseif not put then
      put = true
      if type(part) == "table" then
        part = rawget(part, "text") and check.copied(part) or { type = "text" }
        part.text = text
      else
        part = text
      end
      parts[#parts + 1] = part
    end
  end
  return parts
end

return M
