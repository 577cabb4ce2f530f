--- abridge: decide what a language model sees of a tool's output, and say exactly what was left out.
---
--- `require "abridge"` needs only the core; luv and JSON are looked for when a tool first wants them.

local core = require "abridge.base.core_loader"

local M = {
  version = core.version,

  -- cuts
  auto = core.auto,
  kind = core.kind,
  head = core.head,
  tail = core.tail,
  head_tail = core.head_tail,
  priority = core.priority,
  cut = core.cut,
  pipeline = core.pipeline,
  line = core.line,
  stream = core.stream,
  clean = core.clean,
  index = core.index,

  -- counting and sizes
  count_lines = core.count_lines,
  count_chars = core.count_chars,
  estimate_tokens = core.estimate_tokens,
  format_size = core.format_size,
  parse_size = core.parse_size,
}

local info = require "abridge.output.info"
M.info = { not_truncated = info.not_truncated, with_resume = info.with_resume }
M.info.without_resume, M.info.parse = info.without_resume, info.parse
M.assert_conforms = info.assert_conforms
M.protocol = info.protocol

M.page = require("abridge.output.page").page

M.profiles = require("abridge.output.profiles").all
M.display = require("abridge.output.display").display
M.notice = require("abridge.output.notice").notice
M.open_run = require("abridge.run.reader").open
M.cap = require("abridge.output.cap").cap
M.session = require("abridge.session").new
M.setup = require("abridge.nvim").setup

return M
