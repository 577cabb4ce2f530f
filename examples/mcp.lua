--- Any MCP client: `call_tool(name, arguments)` is its tools/call; its results are capped before the model sees them.
local mcp = require "abridge.mcp"
local session = require("abridge").session { limits = { ["*"] = { max_bytes = "20KB" } } }

return function(call_tool, name, arguments)
  return mcp.cap("my_server__" .. name, call_tool(name, arguments), { session = session })
end
