--- The highlight groups of our buffers.

local M = {}

local LINKS = {
  AbridgeNotice = "WarningMsg",
  AbridgeMarker = "NonText",
  AbridgeError = "ErrorMsg",
  AbridgeRunning = "DiagnosticInfo",
  AbridgeSuccess = "DiagnosticOk",
  AbridgeKey = "Identifier",
}

--- The group for each kind of row of a display.
---@type table<abridge.RowKind, string>
M.groups = { notice = "AbridgeNotice", marker = "AbridgeMarker", error = "AbridgeError" }

--- Comments have no colour of their own in terminals without 'termguicolors' in the color scheme that Neovim 0.10 and
--- later start with, nor in schemes for true colours alone.
local function define_omitted()
  local id = vim.fn.synIDtrans(vim.fn.hlID "Comment")
  local gui = vim.fn.synIDattr(id, "fg#", "gui")
  if vim.o.termguicolors or vim.fn.synIDattr(id, "fg", "cterm") ~= "" then
    vim.cmd "highlight default link AbridgeOmitted Comment"
  else
    vim.cmd("highlight default AbridgeOmitted ctermfg=8" .. (gui ~= "" and " guifg=" .. gui or ""))
  end
end

--- Link the groups that are not defined yet. These links outlive a change of the color scheme.
function M.define()
  define_omitted()
  for group, link in pairs(LINKS) do
    if vim.fn.hlexists(link) == 0 then link = "MoreMsg" end -- DiagnosticOk, before Neovim 0.9
    vim.cmd(("highlight default link %s %s"):format(group, link))
  end
end

--- The namespace of our extmarks that highlight.
---@return integer
function M.namespace()
  return vim.api.nvim_create_namespace "abridge"
end

return M
