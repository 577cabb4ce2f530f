--- What specs of our windows in Neovim share: keys typed, things waited for, everything closed.

local vim = rawget(_G, "vim")

local M = {}

local WAIT_MS = 90000 -- until a wait is given up: no measure of anything, a busy machine is slow

---@param buf? integer 0 unless given
---@return string[]
function M.lines_of(buf)
  return vim.api.nvim_buf_get_lines(buf or 0, 0, -1, true)
end

--- Type keys as a user does, mappings and all, and wait until they have done what they do at once.
---@param keys string as in a mapping
function M.type_keys(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "mx", false)
end

--- Wait until something holds, while the editor goes on. Raises if it never does.
---@param holds fun(): any
---@param what? string
function M.eventually(holds, what)
  assert(vim.wait(WAIT_MS, holds, 5), what)
end

--- Close all windows but one, and each buffer of ours.
function M.close_all()
  vim.cmd "silent! tabonly! | silent! only!"
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buf].filetype:find "^abridge%-" then vim.api.nvim_buf_delete(buf, { force = true }) end
  end
end

--- Type keys, and have the events that follow a move, which Neovim sends when it waits for keys.
---@param keys string
function M.move(keys)
  M.type_keys(keys)
  pcall(vim.cmd, "doautocmd <nomodeline> CursorMoved")
end

--- What `:Abridge` can go on with.
---@param line string
---@return string[]
function M.completed(line)
  return vim.fn.getcompletion("Abridge " .. line, "cmdline")
end

--- Wait until the status of a buffer has some words.
---@param buf integer
---@param pattern string
function M.says(buf, pattern)
  M.eventually(function()
    return (vim.b[buf].abridge_status or ""):find(pattern) ~= nil
  end, pattern)
end

--- A text as a pager reads it.
---@param text string
function M.source_of(text)
  return {
    size = #text,
    read = function(at, bytes)
      return text:sub(at + 1, at + bytes)
    end,
  }
end

return M
