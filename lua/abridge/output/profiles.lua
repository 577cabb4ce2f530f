--- The profiles: named tables of limits by tool, and the byte budgets that go by a name. Plain data, which works
--- without the core too. A new profile is a table in `all`, its name, and a page in doc/profiles/.

local M = {}

local KB = 1024

--- Byte budgets that stand for a word (SPEC "exec budgets"); a cut by one of them has the reason `exec_budget`. "full"
--- sets none; "auto" looks at how the command ended.
---@type table<string, integer|false>
M.exec_budgets = { silent = 200, concise = 2 * KB, normal = 8 * KB, verbose = 16 * KB, full = false, auto = 8 * KB }

--- Bytes that "auto" shows of a command that succeeded and whose full output is kept, in place of its budget.
M.auto_success = 512

---@alias abridge.ProfileName "default"|"pi"|"pipeline"|"contract"|"dispatcher"

--- By name: the limits of each tool, and a row "*" for tools that have none. `ceiling` bounds every result, unless the
--- profile gives a tool more; `aliases` are names that a model may know the tools by: a session then has only these
--- tools unless it says otherwise.
---@type table<string, table>
M.all = {
  default = {
    read_file = { strategy = "head", max_lines = 2000, max_bytes = 30 * KB },
    run_command = { strategy = "auto", max_lines = 2000, max_bytes = 30 * KB, clean = { invisible = true } },
    search_files = { max_matches = 100, max_bytes = 30 * KB, max_line_chars = 500 },
    find_files = { max_results = 1000, max_bytes = 30 * KB },
    list_directory = { max_entries = 500, max_bytes = 30 * KB },
    sql_query = { max_rows = 1000, max_bytes = 30 * KB },
    web_fetch = { max_bytes = 100 * KB },
    ["*"] = { strategy = "auto", max_lines = 2000, max_bytes = 30 * KB, clean = { invisible = true } },
    ceiling = { max_bytes = 128 * KB },
  },
  -- The tools of the pi agent (seed "Tool Output Truncation").
  pi = {
    read_file = { strategy = "head", max_lines = 2000, max_bytes = 30 * KB },
    run_command = { strategy = "tail", max_lines = 2000, max_bytes = 30 * KB },
    search_files = { max_matches = 100, max_bytes = 30 * KB, max_line_chars = 500 },
    find_files = { max_results = 1000, max_bytes = 30 * KB },
    list_directory = { max_entries = 500, max_bytes = 30 * KB },
    aliases = {
      read = "read_file",
      bash = "run_command",
      grep = "search_files",
      find = "find_files",
      ls = "list_directory",
    },
  },
  -- Two stages, chars then lines (seed "Tools and Truncation").
  pipeline = {
    read_file = { strategy = "pipeline", max_chars = 50000, max_lines = 500, head_ratio = 0.3 },
    run_command = { strategy = "pipeline", max_chars = 20000, max_lines = 200, head_ratio = 0.3 },
    search_files = { strategy = "pipeline", max_chars = 30000, max_lines = 300, head_ratio = 0.3 },
    find_files = { strategy = "pipeline", max_chars = 30000, max_lines = 300, head_ratio = 0.3 },
    list_directory = { strategy = "pipeline", max_chars = 10000, max_lines = 100, head_ratio = 0.3 },
    ["*"] = { strategy = "pipeline", max_chars = 20000, max_lines = 200, head_ratio = 0.3 },
  },
  -- The reading-tool contract.
  contract = {
    read_file = { strategy = "head", max_lines = 2000, max_bytes = 50 * KB },
    run_command = { strategy = "priority", output = "normal" },
    search_files = { max_lines = 2000, max_bytes = 50 * KB },
    find_files = { max_results = 1000 },
    list_directory = { max_entries = 500 },
    sql_query = { max_rows = 1000 },
    web_fetch = { max_bytes = 100 * KB },
    ["*"] = { strategy = "head_tail", max_bytes = 64 * KB },
    ceiling = { max_bytes = 64 * KB },
  },
  -- View shape by the tool, one byte ceiling over all (seed "centralize MAX_OUTPUT_BYTES").
  dispatcher = {
    read_file = { strategy = "head", max_lines = 2000, max_line_chars = 500 },
    search_files = { max_matches = 250, max_line_chars = 500 },
    find_files = { max_results = 100 },
    ceiling = { max_bytes = 128 * KB },
  },
}

return M
