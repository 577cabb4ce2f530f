--- Neovim's main loop, watched: how long it stood still.

local vim = rawget(_G, "vim")

local M = {}

--- Ask the main loop for an answer every millisecond, from now on. The function that is returned ends that, and gives
--- the longest time in milliseconds between two answers.
---@return fun(): number
function M.watch()
  local uv = vim.uv or vim.loop
  local timer, asked = uv.new_timer(), false
  local last, longest = uv.hrtime(), 0
  local function answer()
    local now = uv.hrtime()
    longest, last, asked = math.max(longest, now - last), now, false
  end
  uv.timer_start(timer, 0, 1, function()
    if asked then return end
    asked = true
    vim.schedule(answer)
  end)
  return function()
    answer()
    uv.close(timer)
    return longest / 1e6
  end
end

return M
