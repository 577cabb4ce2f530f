--- What the faces of the editor share: scratch buffers, windows for them, and writing where nobody may write.

local M = {}

local names = 0

--- A buffer without a file that goes when it is no longer shown. Its name ends in a number of its own.
---@param kind string
---@param what string
---@param filetype string
---@return integer buf
function M.scratch(kind, what, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  names = names + 1
  vim.api.nvim_buf_set_name(buf, ("abridge://%s/%s#%d"):format(kind, what:sub(1, 80), names))
  local options = vim.bo[buf]
  options.bufhidden, options.swapfile, options.undolevels = "wipe", false, -1
  options.modifiable, options.filetype = false, filetype
  return buf
end

--- Show a buffer in a window of its own, and go there.
---@param buf integer
---@param mods? string command modifiers such as "vertical"
function M.show(buf, mods)
  vim.cmd(("%s sbuffer %d"):format(mods or "", buf))
  vim.cmd "setlocal nowrap"
end

--- A message without the place in the code.
---@param message any
---@return string
function M.plain(message)
  return (tostring(message):gsub("^[^\n]-%.lua:%d+: ", ""):match "^[^\n]*")
end

--- Change a buffer, also one that is not modifiable; that and its `modified` stay as they were then.
---@param buf integer
---@param change fun()
---@return boolean ok
---@return string|nil message
function M.change(buf, change)
  local options = vim.bo[buf]
  local locked, modified = not options.modifiable, options.modified
  if locked then options.modifiable = true end
  local ok, message = pcall(change)
  if locked and vim.api.nvim_buf_is_valid(buf) then
    options.modifiable, options.modified = false, modified
  end
  return ok, not ok and M.plain(message) or nil
end

--- Keys of a buffer in normal mode: { lhs, what to do, description }.
---@param buf integer
---@param keys { [1]: string, [2]: function, [3]: string }[]
function M.map(buf, keys)
  for _, key in ipairs(keys) do
    vim.keymap.set("n", key[1], key[2], { buffer = buf, nowait = true, silent = true, desc = key[3] })
  end
end

--- Do something once when a buffer is wiped out.
---@param buf integer
---@param act fun()
function M.on_wipe(buf, act)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    once = true,
    callback = function()
      act()
    end,
  })
end

--- Call where the API may be called: now, or when the editor is out of the event at hand.
---@param act fun()
function M.soon(act)
  if vim.in_fast_event() then return vim.schedule(act) end
  act()
end

--- Tell the user what went wrong.
---@param message string
function M.complain(message)
  vim.notify("abridge: " .. message, vim.log.levels.ERROR)
end

return M
