--- A run whose names, inputs, outputs, notices and files try to get out of a page that shows them. Anything that runs
--- would ask the loopback for `leak` or write to the console.
local abridge = require "abridge"
local host = require "abridge.base.host"

local M = {}

--- What a page would take for markup, or show as something else, if it were let.
M.payloads = {
  "<script>console.log('ran');fetch('/leak')</script>",
  "</pre></details></section><script>console.log('ran')</script>",
  "</style><style>@import '/leak';body{background:url(/leak)}</style>",
  "</title><img src=/leak onerror=\"console.log('ran')\">",
  "<svg onload=\"console.log('ran')\"><a href=\"javascript:console.log('ran')\">x</a></svg>",
  "<iframe srcdoc=\"<script>console.log('ran')</script>\"></iframe>",
  "<meta http-equiv=refresh content='0;url=/leak'><base href=/leak/><link rel=stylesheet href=/leak>",
  "<form action=/leak><input autofocus onfocus=console.log('ran')>",
  '" onmouseover="console.log(\'ran\')" x="',
  "' onfocus='console.log(1)' autofocus '",
  ']]><!-- --><!DOCTYPE x [<!ENTITY e SYSTEM "/leak">]>&e;&lt;script&gt;',
  "<!--><script>console.log('ran')</script>",
  "javascript:console.log('ran')",
  "\226\128\174txt.exe\226\128\172 \226\129\166isolated\226\129\169 \226\128\143",
  "\0NUL \27[31mred\27[0m \8\127 \194\133 \r\n",
  "\255\254 <\192\188script> \237\160\128 \244\144\128\128",
  "{{constructor.constructor('console.log(1)')()}} ${console.log(1)} <%= 1 %>",
  "<plaintext><xmp><noscript><template><textarea><title>",
}

--- All of them in one text.
M.all = table.concat(M.payloads, "\n")

--- Make such a run, with calls that fit, that are cut and that fail, and lines of a log that we would never write.
---@param run_dir string
---@return table events that were added by hand
function M.make(run_dir)
  local session = assert(abridge.session { run_dir = run_dir, limits = { ["*"] = { max_bytes = 600, max_lines = 8 } } })
  for i, payload in ipairs(M.payloads) do
    session:cap(payload, payload)
    session:cap("long " .. i, (payload .. "\n"):rep(100))
    session:call(payload, { [payload] = payload, command = payload, path = { payload } })
  end
  session:cap("all", M.all:rep(20))
  session:close()
  local json, added = host.json(), {}
  local file = assert(io.open(run_dir .. "/events.jsonl", "ab"))
  local function add(event)
    added[#added + 1] = event
    file:write(json.encode(event), "\n")
  end
  for i, payload in ipairs(M.payloads) do
    payload = json.encode(payload):find "\\u" and payload:gsub("[\128-\255]", "?") or payload
    payload = payload:gsub("[\128-\255]+", "?")
    add { type = "tool_call", tool = payload, call_id = payload .. i, time = -1e300, input = "{" .. payload }
    add {
      type = "tool_result",
      tool = payload,
      call_id = payload .. i,
      time = payload,
      content = payload,
      is_error = true,
      exit_line = payload,
      notice = payload,
      truncation = { truncated = true, reason = payload, resume_hint = payload, bytes_returned = 3, bytes_total = 9 },
      cut = {
        truncated = true,
        kind = payload,
        total_lines = 3,
        total_bytes = 9,
        output_bytes = 3,
        output_lines = 1,
        kept = { { first_byte = 1, last_byte = 3, first_line = 1, last_line = 1 } },
        items = { { unit = payload, of = payload, total = 3, kept = 1 } },
        markers = { { first_byte = 1, last_byte = 2 } },
      },
      full_output = { path = "artifacts/" .. payload, bytes = 9, error = payload },
      duration_ms = payload,
    }
    add { type = "tool_call", tool = payload, call_id = "open" .. i, input = payload }
  end
  file:close()
  return added
end

return M
