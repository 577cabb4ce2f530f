require("codecompanion").setup {
  extensions = {
    abridge = { opts = { limits = { run_command = { max_lines = 400 } }, exclude_tools = { "memory" } } },
  },
}
