rockspec_format = "3.0"
package = "abridge"
version = "scm-1"
source = {
  url = "git+https://github.com/abridge-tools/abridge",
}
description = {
  summary = "Decides what a language model sees of a tool's output, and says exactly what it left out",
  detailed = [[
Cuts tool output to hard budgets of lines, bytes, chars and tokens, keeps a ledger of what was kept, and tells the
model how to get the rest. A C core, a Lua module, sessions with ready tools, and a command.]],
  homepage = "https://github.com/abridge-tools/abridge",
  license = "MIT",
  labels = { "llm", "truncation", "text" },
}
dependencies = {
  "lua >= 5.1",
  "lua-cjson",
}
build = {
  type = "builtin",
  modules = {
    ["abridge.core"] = {
      sources = {
        "csrc/cut.c",
        "csrc/index.c",
        "csrc/info.c",
        "csrc/line.c",
        "csrc/lua_abridge.c",
        "csrc/marker.c",
        "csrc/page.c",
        "csrc/pipeline.c",
        "csrc/scan.c",
        "csrc/span.c",
        "csrc/spill.c",
        "csrc/stream.c",
        "csrc/width.c",
        "csrc/support.c",
        "csrc/tokens.c",
      },
      incdirs = { "csrc" },
    },
    ["abridge"] = "lua/abridge/init.lua",
    ["abridge.artifact"] = "lua/abridge/artifact.lua",
    ["abridge.cap"] = "lua/abridge/cap.lua",
    ["abridge.check"] = "lua/abridge/check.lua",
    ["abridge.cli"] = "lua/abridge/cli.lua",
    ["abridge.cli_log"] = "lua/abridge/cli_log.lua",
    ["abridge.conformance"] = "lua/abridge/conformance.lua",
    ["abridge.data"] = "lua/abridge/data.lua",
    ["abridge.display"] = "lua/abridge/display.lua",
    ["abridge.files"] = "lua/abridge/files.lua",
    ["abridge.fit"] = "lua/abridge/fit.lua",
    ["abridge.host"] = "lua/abridge/host.lua",
    ["abridge.info"] = "lua/abridge/info.lua",
    ["abridge.items"] = "lua/abridge/items.lua",
    ["abridge.job"] = "lua/abridge/job.lua",
    ["abridge.limits"] = "lua/abridge/limits.lua",
    ["abridge.magic"] = "lua/abridge/magic.lua",
    ["abridge.memory"] = "lua/abridge/memory.lua",
    ["abridge.names"] = "lua/abridge/names.lua",
    ["abridge.notice"] = "lua/abridge/notice.lua",
    ["abridge.page"] = "lua/abridge/page.lua",
    ["abridge.page_view"] = "lua/abridge/page_view.lua",
    ["abridge.process"] = "lua/abridge/process.lua",
    ["abridge.result"] = "lua/abridge/result.lua",
    ["abridge.retention"] = "lua/abridge/retention.lua",
    ["abridge.root"] = "lua/abridge/root.lua",
    ["abridge.schema"] = "lua/abridge/schema.lua",
    ["abridge.shell"] = "lua/abridge/shell.lua",
    ["abridge.updates"] = "lua/abridge/updates.lua",
    ["abridge.source"] = "lua/abridge/source.lua",
    ["abridge.redact"] = "lua/abridge/redact.lua",
    ["abridge.runlog"] = "lua/abridge/runlog.lua",
    ["abridge.call"] = "lua/abridge/call.lua",
    ["abridge.session"] = "lua/abridge/session.lua",
    ["abridge.tools.list_directory"] = "lua/abridge/tools/list_directory.lua",
    ["abridge.tools.read_file"] = "lua/abridge/tools/read_file.lua",
    ["abridge.tools.run_command"] = "lua/abridge/tools/run_command.lua",
  },
  install = {
    bin = { abridge = "lua/abridge/bin/abridge" },
  },
}
