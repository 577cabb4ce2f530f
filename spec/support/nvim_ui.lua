--- A Neovim of its own whose screen can be read: it is started with --embed, and what it draws is kept as cells. For
--- specs and scripts that run inside Neovim themselves.

local M = {}

local SECONDS = 90 -- the longest wait for an answer or a picture

local Ui = {}
Ui.__index = Ui

local function blank(columns)
  local row = {}
  for column = 1, columns do
    row[column] = { text = " ", hl = 0 }
  end
  return row
end

--- What the editor draws, by the names of its events (`:help ui-linegrid`).
local DRAW = {
  grid_resize = function(self, _, columns, rows)
    self.columns, self.rows = columns, rows
    for row = 1, rows do
      self.cells[row] = blank(columns)
    end
  end,
  grid_clear = function(self)
    for row = 1, self.rows do
      self.cells[row] = blank(self.columns)
    end
  end,
  grid_line = function(self, _, row, column, cells)
    local hl
    for _, cell in ipairs(cells) do
      hl = cell[2] or hl
      for _ = 1, cell[3] or 1 do
        column = column + 1
        self.cells[row + 1][column] = { text = cell[1], hl = hl }
      end
    end
  end,
  grid_scroll = function(self, _, top, bottom, left, right, by)
    local first, last, step = top + 1, bottom - by, 1
    if by < 0 then
      first, last, step = bottom, top + 1 - by, -1
    end
    for row = first, last, step do
      for column = left + 1, right do
        self.cells[row][column] = self.cells[row + by][column]
      end
    end
  end,
  grid_cursor_goto = function(self, _, row, column)
    self.cursor = { row + 1, column + 1 }
  end,
  hl_attr_define = function(self, id, rgb)
    self.attributes[id] = rgb
  end,
  default_colors_set = function(self, foreground, background)
    self.foreground, self.background = foreground, background
  end,
  flush = function(self)
    self.whole = true
  end,
}

local function redraw(self, batch)
  for _, event in ipairs(batch) do
    local draw = DRAW[event[1]]
    for i = 2, draw and #event or 0 do
      self.whole = false
      draw(self, unpack(event[i]))
    end
  end
end

local function receive(self, data)
  local at = 1
  while at <= #data do
    local message
    message, at = self.unpack(data, at)
    if message == nil then return end
    if message[1] == 1 then
      self.answers[message[2]] = { error = message[3], value = message[4] }
    elseif message[1] == 2 and message[2] == "redraw" then
      redraw(self, message[3])
    end
  end
end

local OURS = { "-u", "NONE", "-i", "NONE", "-n", "--cmd", "set shada= rtp^=" .. (vim.uv or vim.loop).cwd() }

--- Start an editor with a screen of some size. Its runtime path has this checkout, its modules are ours, unless there
--- are other arguments.
---@param opts { columns: integer, rows: integer, env: table<string, string>|nil, args: string[]|nil, cwd: string|nil }
function M.start(opts)
  local uv = vim.uv or vim.loop
  local self = setmetatable({ cells = {}, attributes = { [0] = {} }, answers = {}, asked = 0, whole = false }, Ui)
  local handle = function(id)
    return id
  end
  self.unpack = vim.mpack.Unpacker { ext = { [0] = handle, [1] = handle, [2] = handle } }
  self.stdin, self.stdout = uv.new_pipe(false), uv.new_pipe(false)
  local env = {}
  for name, value in pairs(vim.tbl_extend("force", uv.os_environ(), opts.env or {})) do
    if name ~= "NVIM" and name ~= "NVIM_LISTEN_ADDRESS" then env[#env + 1] = name .. "=" .. value end
  end
  self.process = assert(uv.spawn(vim.v.progpath, {
    args = { "--embed", unpack(opts.args or OURS) },
    cwd = opts.cwd,
    stdio = { self.stdin, self.stdout, nil },
    env = env,
  }, function()
    self.ended = true
  end))
  self.stdout:read_start(function(_, data)
    if data then receive(self, data) end
  end)
  self:request("nvim_ui_attach", opts.columns, opts.rows, { rgb = true, ext_linegrid = true })
  return self
end

--- Call a function of its API and wait for the answer.
function Ui:request(method, ...)
  self.asked = self.asked + 1
  local id = self.asked
  local encode = vim.mpack.encode or vim.mpack.pack
  self.stdin:write(encode { 0, id, method, { ... } })
  local answered = vim.wait(SECONDS * 1000, function()
    return self.answers[id] ~= nil or self.ended
  end, 5)
  local answer = self.answers[id]
  self.answers[id] = nil
  assert(answered and answer, "no answer to " .. method)
  if answer.error ~= vim.NIL and answer.error ~= nil then error(method .. ": " .. tostring(answer.error[2]), 2) end
  return answer.value
end

--- Run Lua there.
function Ui:lua(code, ...)
  return self:request("nvim_exec_lua", code, { ... })
end

--- Type keys.
function Ui:input(keys)
  return self:request("nvim_input", keys)
end

--- The text of the screen, a line each, without blanks at the end.
function Ui:lines()
  local lines = {}
  for row, cells in ipairs(self.cells) do
    local texts = {}
    for column, cell in ipairs(cells) do
      texts[column] = cell.text
    end
    lines[row] = table.concat(texts):gsub(" +$", "")
  end
  return lines
end

--- Wait until the screen has a text and is drawn to the end, and `fits(row, column)` where that is given; returns its
--- row and column.
function Ui:wait_for(text, fits)
  local at_row, at_column
  local seen = vim.wait(SECONDS * 1000, function()
    for row, line in ipairs(self:lines()) do
      at_column = line:find(text, 1, true)
      at_row = row
      if at_column then return self.whole and (not fits or fits(row, at_column)) end
    end
    return false
  end, 10)
  local what = seen or (at_column and "has not the look that it should have" or "is not on the screen")
  assert(seen, ("%q %s:\n%s"):format(text, what, table.concat(self:lines(), "\n")))
  return at_row, at_column
end

--- Wait until a text is nowhere on the screen.
function Ui:wait_without(text)
  local gone = vim.wait(SECONDS * 1000, function()
    return self.whole and not table.concat(self:lines(), "\n"):find(text, 1, true)
  end, 10)
  assert(gone, ("%q is still on the screen:\n%s"):format(text, table.concat(self:lines(), "\n")))
end

--- The colours of a cell, with those of the screen where it has none of its own; more of how it looks in `attributes`.
function Ui:look(row, column)
  local cell = self.cells[row][column]
  local own = self.attributes[cell.hl] or {}
  local foreground, background = own.foreground or self.foreground, own.background or self.background
  if own.reverse then
    foreground, background = background, foreground
  end
  return { text = cell.text, foreground = foreground, background = background, bold = own.bold, italic = own.italic }
end

--- End the editor.
function Ui:stop()
  if not self.ended then self.stdin:write((vim.mpack.encode or vim.mpack.pack) { 2, "nvim_command", { "qall!" } }) end
  vim.wait(SECONDS * 1000, function()
    return self.ended
  end, 5)
  if not self.ended then self.process:kill "sigkill" end
  for _, handle in ipairs { self.stdin, self.stdout, self.process } do
    if not handle:is_closing() then handle:close() end
  end
end

return M
