-- The pictures of doc/: run by doc/screenshots.sh inside Neovim. A second Neovim with a screen of its own shows what
-- real calls gave; its cells become SVG.

local nvim_ui = require "support.nvim_ui"

local COLUMNS, ROWS, RUN_ROWS = 112, 37, 22
local CELL_WIDTH, CELL_HEIGHT, FONT = 8.4, 19, 14
local BAR, PADDING = 34, 14
local WORK = (os.getenv "TMPDIR" or "/tmp") .. "/agent" -- a fixed name: notices show paths

-- a picture --------------------------------------------------------------------------------

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }

local function colour(number)
  return ("#%06x"):format(number)
end

--- The cells of a row that look alike, in one piece each.
local function runs_of(ui, row)
  local runs = {}
  for column = 1, ui.columns do
    local look = ui:look(row, column)
    local key = ("%s %s %s %s"):format(look.foreground, look.background, look.bold, look.italic)
    local last = runs[#runs]
    if last and last.key == key then
      last.text, last.cells = last.text .. look.text, last.cells + 1
    else
      runs[#runs + 1] = { key = key, look = look, text = look.text, cells = 1, column = column }
    end
  end
  return runs
end

local function add_run(out, run, y, screen_background)
  local x, width = PADDING + (run.column - 1) * CELL_WIDTH, run.cells * CELL_WIDTH
  if run.look.background ~= screen_background then
    out[#out + 1] = ('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>'):format(
      x,
      y,
      width,
      CELL_HEIGHT,
      colour(run.look.background)
    )
  end
  local text = run.text:gsub(" +$", "")
  if text == "" then return end
  local cells = run.cells - (#run.text - #text)
  local style = (run.look.bold and ' font-weight="bold"' or "") .. (run.look.italic and ' font-style="italic"' or "")
  out[#out + 1] = ('<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s>%s</text>'):format(
    x,
    y + FONT,
    cells * CELL_WIDTH,
    colour(run.look.foreground),
    style,
    (text:gsub("[&<>]", ESCAPES))
  )
end

--- The screen as it is, or the first `rows` of it, in a window with a title.
local function svg(ui, title, rows)
  local width, height = ui.columns * CELL_WIDTH + 2 * PADDING, rows * CELL_HEIGHT + BAR + PADDING
  local out = {
    ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d">'):format(
      width,
      height,
      width,
      height
    ),
    ('<rect width="%.0f" height="%d" rx="9" fill="%s"/>'):format(width, height, colour(ui.background)),
    ('<text x="%.0f" y="22" text-anchor="middle" fill="%s" font-family="sans-serif" font-size="13">%s</text>'):format(
      width / 2,
      "#8b93a5",
      title
    ),
  }
  for i, fill in ipairs { "#ff5f57", "#febc2e", "#28c840" } do
    out[#out + 1] = ('<circle cx="%d" cy="17" r="6" fill="%s"/>'):format(4 + i * 20, fill)
  end
  out[#out + 1] = (
    "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" "
    .. 'font-size="%d" xml:space="preserve">'
  ):format(FONT)
  for row = 1, rows do
    for _, run in ipairs(runs_of(ui, row)) do
      add_run(out, run, BAR + (row - 1) * CELL_HEIGHT, ui.background)
    end
  end
  out[#out + 1] = "</g>\n</svg>\n"
  return table.concat(out, "\n")
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  file:close()
end

local function save(ui, name, title, rows)
  write(os.getenv "ABRIDGE_PICTURES" .. "/" .. name, svg(ui, title, rows or ui.rows))
end

-- what is on it ---------------------------------------------------------------------------------

local SCREEN = [[
  for group, look in pairs {
    Normal = "guifg=#d7dae0 guibg=#1e222a", NonText = "guifg=#5c9ded gui=italic", Comment = "guifg=#636d83",
    WarningMsg = "guifg=#e5c07b", ErrorMsg = "guifg=#f07178 guibg=NONE", LineNr = "guifg=#4b5263",
    Title = "guifg=#8b93a5 gui=bold", StatusLine = "guifg=#d7dae0 guibg=#3a404c gui=NONE",
    StatusLineNC = "guifg=#8b93a5 guibg=#2a2f3a gui=NONE", CursorLine = "guibg=#2a2f3a", EndOfBuffer = "guifg=#1e222a",
    WinBar = "guifg=#d7dae0 guibg=NONE gui=NONE", WinBarNC = "guifg=#8b93a5 guibg=NONE gui=NONE",
    DiagnosticInfo = "guifg=#56b6c2", DiagnosticOk = "guifg=#98c379", Identifier = "guifg=#61afef",
    NormalFloat = "guifg=#d7dae0 guibg=#2a2f3a", FloatBorder = "guifg=#5c6370 guibg=#2a2f3a",
    FloatTitle = "guifg=#d7dae0 guibg=#2a2f3a gui=bold",
  } do
    vim.cmd(("highlight %s %s"):format(group, look))
  end
  vim.o.laststatus, vim.o.ruler, vim.o.showcmd, vim.o.showmode = 2, false, false, false
]]

--- A project of C files, one of them wrong. Where there is a gate.pipe, its build waits there before the last file.
local PROJECT = [[
mkdir -p src && for i in $(seq -w 120); do
  echo "int unit_$i(int u) { return u + 1; }" > src/unit_$i.c
done
printf '%s\n' 'struct unit { int id; };' 'int unit_063(struct unit *u) {' '    return u->name == 0;' '}' \
  > src/unit_063.c
printf '%s\n' 'objects := $(patsubst src/%.c,build/%.o,$(wildcard src/*.c))' 'all: $(objects)' 'build/%.o: src/%.c' \
  '	@mkdir -p build' '	gcc -O2 -Wall -Wextra -c $< -o $@' 'clean:' '	rm -r build' \
  'build/unit_120.o: | gate' 'gate:' '	@test ! -p gate.pipe || read answer < gate.pipe' > Makefile
]]

local CALLS = [[
  local home, limits = ..., { run_command = { max_bytes = 1100 } }
  local session = require("abridge").session { cwd = home, run_dir = home .. "/run", limits = limits }
  session:call("list_directory", { path = "src" })
  local result = session:call("run_command", { command = "make -k" })
  session:call("read_file", { path = "src/unit_063.c" })
  session:call("run_command", { command = "nm -A build/*.o" })
  session:close()
  return result
]]

--- Times and durations are not the same in any two runs: pictures have these.
local function settle(path)
  local file = assert(io.open(path))
  local text, at = file:read "*a", 1767952800
  file:close()
  write(path, (text:gsub("[^\n]+", function(line)
    at = at + 7
    return (line:gsub('"time":[%d.]+', '"time":' .. at):gsub('"duration_ms":%d+', '"duration_ms":' .. at % 97 + 3))
  end)))
end

local CHAT = [[
  local result = ...
  vim.api.nvim_buf_set_lines(0, 0, -1, true, { "## user", "", "Why does the build fail?", "", "## assistant", "",
    "I will build it.", "", "### run_command: make -k", "", "", "", "## assistant", "",
    "`struct unit` has no member `name`: src/unit_063.c, line 3." })
  vim.cmd "file chat.md | setlocal nowrap"
  require("abridge.nvim").render(0, result, { row = 10, width = 110 })
  vim.cmd "normal! gg"
]]

--- Two cuts of one log under one budget, each under the command that makes it. Returns the lines it fills.
local BEFORE_AFTER = [[
  local home, budget = ..., 800
  local session = require("abridge").session {
    cwd = home,
    run_dir = home .. "/run-2",
    limits = { run_command = { max_bytes = budget } },
  }
  session:call("run_command", { command = "make clean" })
  local result = session:call("run_command", { command = "make -k" })
  session:close()
  local log = assert(io.open(result.details.full_output_path)):read "*a"
  local lines = vim.split(log:sub(-budget), "\n")
  lines[#lines] = nil -- the log ends in a newline
  table.insert(lines, 1, ("$ make -k 2>&1 | tail -c %d"):format(budget))
  vim.list_extend(lines, { "", ("$ abridge run --max-bytes %d -- make -k"):format(budget) })
  vim.cmd "only | enew | set laststatus=0 | setlocal nowrap"
  vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
  require("abridge.nvim").render(0, result, { row = #lines, width = 110 })
  vim.fn.matchadd("Title", [=[^\$ .*]=])
  vim.cmd "normal! gg"
  return vim.api.nvim_buf_line_count(0)
]]

local LOG = [[
  vim.o.splitbelow = true
  require("abridge.nvim").log(...)
  vim.cmd "only | setlocal cursorline"
]]

--- The build again, which waits.
local RUN = [[
  local home = ...
  vim.cmd("silent only | enew | set laststatus=2 | cd " .. home)
  vim.fn.clearmatches()
  vim.cmd "runtime plugin/abridge.lua"
  local limits = { run_command = { max_bytes = 1100 } }
  require("abridge").setup { session = { cwd = home, run_dir = home .. "/run-3", limits = limits } }
  vim.fn.system "make clean; mkfifo gate.pipe"
  vim.cmd "Abridge run make -k"
  vim.cmd "silent only"
]]

--- The command while it runs, with its keys; then as it ended.
local function pictures_of_run(ui)
  ui:request("nvim_ui_try_resize", COLUMNS, RUN_ROWS)
  ui:lua(RUN, WORK)
  ui:wait_for "unit_119.c"
  ui:input "g?"
  ui:wait_for "List these keys"
  save(ui, "nvim-running.svg", "a command while it runs, and its keys", RUN_ROWS - 1)
  ui:input "<Esc>"
  ui:wait_without "List these keys"
  write(WORK .. "/gate.pipe", "\n")
  ui:wait_for "exit 2"
  ui:wait_for "[Showing"
  save(ui, "nvim-run.svg", "a command that has failed, as the model sees it", RUN_ROWS - 1)
end

local function pictures()
  local made = os.execute(("mkdir -m 700 '%s' && cd '%s' && { %s\n}"):format(WORK, WORK, PROJECT))
  assert(made == 0 or made == true, "cannot make " .. WORK)
  local ui = nvim_ui.start { columns = COLUMNS, rows = ROWS }
  ui:lua(SCREEN)
  local result = ui:lua(CALLS, WORK)
  ui:lua(CHAT, result)
  ui:wait_for "[Showing"
  save(ui, "nvim-result.svg", "a result in a chat")
  settle(WORK .. "/run/events.jsonl")
  ui:lua(LOG, WORK .. "/run")
  ui:wait_for "nm -A" -- its rows are filled in slices
  ui:input "j<CR>"
  ui:wait_for "line 1 of"
  ui:lua [[vim.cmd "wincmd k | resize 6 | wincmd j"]]
  ui:input "]kzz"
  ui:wait_for "unit_063.c:3:13: error: " -- the place that ]k goes to
  save(ui, "nvim-log.svg", "a run's log, and what the model saw of a call")
  local rows = ui:lua(BEFORE_AFTER, WORK)
  ui:wait_for "$ abridge run"
  save(ui, "before-after.svg", "a failing build of 120 files, in 800 bytes", rows)
  pictures_of_run(ui)
  ui:stop()
end

local ok, message = xpcall(pictures, debug.traceback)
os.execute(("rm -rf '%s'"):format(WORK))
if not ok then io.stderr:write(message, "\n") end
vim.cmd(ok and "qall!" or "cquit 1")
