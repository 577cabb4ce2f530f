--- The highlight groups of our buffers.

local M = {}

local LINKS = {
  AbridgeNotice = "WarningMsg",
  AbridgeMarker = "NonText",
  AbridgeError = "ErrorMsg",
  AbridgeOmitted = "Comment",
  AbridgeRunning = "DiagnosticInfo",
  AbridgeSuccess = "DiagnosticOk",
  AbridgeKey = "Identifier",
}

--- The group for each kind of row of a display.
---@type table<abridge.RowKind, string>
M.groups = { notice = "AbridgeNotice", marker = "AbridgeMarker", error = "AbridgeError" }

--- Link the groups that are not defined yet. These links outlive a change of the color scheme.
function M.define()
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
