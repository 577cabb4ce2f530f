--- Commands of the shell, in the folder of the checkout.

local M = {}

--- What a command prints on both streams, and its exit code.
function M.try(command)
  local pipe = assert(io.popen("{ " .. command .. "\n} 2>&1; echo status=$?"))
  local output = pipe:read "*a"
  pipe:close()
  local text, status = output:match "^(.*)status=(%d+)\n$"
  return text, tonumber(status)
end

--- What a command prints; it must succeed.
function M.run(command)
  local output, status = M.try(command)
  if status ~= 0 then error(("status %s from %s\n%s"):format(tostring(status), command, output), 2) end
  return output
end

return M
