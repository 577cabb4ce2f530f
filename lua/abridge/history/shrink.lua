--- What is left of one result: its stub, or its text within so many tokens.

local core = require "abridge.base.core_loader"
local fit = require "abridge.output.fit"
local stub = require "abridge.history.stub"

local M = {}

--- The stub of a result as it is now; nil where it has none.
---@param result abridge.history.Result
---@param opts table of `history.fit`
---@param weigher abridge.history.Weigher
---@return { text: string, tokens: integer }|nil
function M.stub(result, opts, weigher)
  local key, of, known = result.call and result.call.key, result.content.text, result.known_stub
  if known and known.of == of and known.key == key and known.ending == result.ending then return known.made end
  local text = stub.of(result, weigher, opts)
  local made = text and { text = text, tokens = weigher:text(text) } or nil
  result.known_stub = { made = made, of = of, key = key, ending = result.ending }
  return made
end

--- A result's text within so many tokens: how its command ended stays, and the notice is that of this cut.
---@param result abridge.history.Result as it came
---@param most integer
---@param opts table of `history.fit`
---@return string
function M.cut(result, most, opts)
  local ending, known = result.ending or {}, result.cuts[most]
  if known and known.ending == result.ending then return known.text end
  local body, exit = stub.printed(result.content.text, result.ending)
  local limits = { strategy = "auto", kind = core.kind(body), max_tokens = most, utf8 = "replace" }
  limits.count_tokens, limits.token_safety = opts.count_tokens, opts.token_safety
  local parts = { tool = "run_command", exit = exit }
  function parts.adjust(cut)
    cut.full_output_path = ending.path
  end
  local content = fit.fit(body, limits, parts)
  result.cuts[most] = { text = content, ending = result.ending }
  return content
end

return M
