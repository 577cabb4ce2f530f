--- An nginx with ngx_lua for tests, from build/nginx: a gateway before a stub of the APIs, on sockets of the file
--- system.

local tmpdir = require "support.tmpdir"

local M = {}

local quote = tmpdir.quote

local MAIN = [[
daemon on;
worker_processes %d;
pid nginx.pid;
error_log error.log error;
load_module ROOT/usr/lib/nginx/modules/ndk_http_module.so;
load_module ROOT/usr/lib/nginx/modules/ngx_http_lua_module.so;
events { worker_connections 256; }
]]

local TEMPORARY = [[
  client_body_temp_path tmp_body; proxy_temp_path tmp_proxy; fastcgi_temp_path tmp_f; uwsgi_temp_path tmp_u;
  scgi_temp_path tmp_s;
]]

--- An API that sends back the bodies it gets.
local STUB = [[
  server {
    listen unix:DIR/api.sock;
    client_body_buffer_size 64m;
    access_log off;
    location / { content_by_lua_block { ngx.req.read_body() ngx.print(ngx.req.get_body_data() or "none") } }
    location /sink { content_by_lua_block { ngx.req.read_body() ngx.print "ok" } }
    location /stream {
      content_by_lua_block {
        ngx.req.read_body()
        ngx.header.content_type = "text/event-stream"
        ngx.print("data: ", #ngx.req.get_body_data(), "\n\n")
        ngx.flush(true)
        while not ngx.shared.flags:get "go" do ngx.sleep(0.01) end
        ngx.print "data: [DONE]\n\n"
      }
    }
  }
]]

--- With two places for Lua: what stands in `init_by_lua`, and in the gateway's `access_by_lua`.
local CONF = "http {\n"
  .. TEMPORARY
  .. STUB
  .. [[
  client_max_body_size 64m;
  keepalive_requests 100000;
  proxy_http_version 1.1;
  lua_http10_buffering off;
  client_body_buffer_size 64k;
  lua_package_path "TREE/lua/?.lua;TREE/lua/?/init.lua;ROOT/usr/share/lua/5.1/?.lua;;";
  lua_package_cpath "%s;;";
  lua_shared_dict abridge 1m;
  lua_shared_dict flags 1m;
  log_format gateway "$status $abridge";
  init_by_lua_block {
    package.preload.luv = function() error "no luv here" end
    %s
  }
  server {
    listen unix:DIR/gateway.sock;
    access_log off;
    set $abridge "";
    location /counters {
      content_by_lua_block {
        local dict = ngx.shared.abridge
        for _, key in ipairs { "requests", "changed", "passed", "unreadable", "tokens_before", "tokens_after" } do
          ngx.say(key, " ", dict:get(key) or 0)
        end
      }
    }
    location /memory { content_by_lua_block { collectgarbage() collectgarbage() ngx.say(collectgarbage "count") } }
    location /go { content_by_lua_block { ngx.shared.flags:set("go", true) } }
    location /plain/ { proxy_pass http://unix:DIR/api.sock:/; }
    location /cjson/ {
      access_by_lua_block {
        ngx.req.read_body()
        local body, path = ngx.req.get_body_data(), ngx.req.get_body_file()
        if path then local file = io.open(path, "rb") body = file:read "*a" file:close() end
        local cjson = require "cjson"
        ngx.req.set_body_data(cjson.encode(cjson.decode(body)))
      }
      proxy_pass http://unix:DIR/api.sock:/;
    }
    location / {
      access_log access.log gateway;
      access_by_lua_block { %s }
      proxy_pass http://unix:DIR/api.sock:;
      proxy_buffering off;
    }
  }
}
]]

local Nginx = {}
Nginx.__index = Nginx

--- Is it unpacked?
function M.is_here()
  local file = io.open(tmpdir.root() .. "/build/nginx/made")
  return file ~= nil and file:close()
end

--- Start one with a configuration, in which ROOT is the folder that nginx is unpacked in, TREE that of the project and
--- DIR its own.
local function started(conf)
  local dir, root = tmpdir.new(), tmpdir.root()
  local user = dir:run "id -u" == "0\n" and "user root root;\n" or ""
  conf = conf:gsub("ROOT", root .. "/build/nginx/root"):gsub("TREE", root):gsub("DIR", dir.path)
  local self = setmetatable({ dir = dir }, Nginx)
  dir:write("nginx.conf", user .. conf)
  local unpacked = root .. "/build/nginx/root/"
  local libraries = ("%susr/lib/$multiarch:%slib/$multiarch"):format(unpacked, unpacked)
  self.program = "multiarch=$(cc -print-multiarch); env -u LUA_PATH -u LUA_CPATH -u LUA_INIT LD_LIBRARY_PATH="
    .. ("%s %s -p %s -e error.log -c nginx.conf"):format(
      libraries,
      quote(unpacked .. "usr/sbin/nginx"),
      quote(dir.path)
    )
  local _, err, code = dir:sh(self.program)
  assert(code == 0, err)
  return self
end

--- Start one. `init` is Lua for init_by_lua, `access` for access_by_lua; `core = false`: there is none to load.
---@param init string
---@param access? string
---@param core? boolean
---@param buffer? string what nginx holds of a body, `64k` unless set
function M.start(init, access, core, buffer)
  local cpath = core == false and "nowhere/?.so" or "TREE/build/5.1/?.so"
  local conf = MAIN:format(1) .. CONF:format(cpath, init, access or "gateway()")
  conf = conf:gsub("client_body_buffer_size 64k", "client_body_buffer_size " .. (buffer or "64k"))
  return started(conf)
end

--- Start the one of doc/gateway.md, with two workers, before the stub.
function M.start_as_documented()
  local file = assert(io.open(tmpdir.root() .. "/doc/gateway.md"))
  local conf = file:read("*a"):match "```nginx\n(http {.-\n})\n```"
  file:close()
  for from, to in pairs {
    ["/opt/abridge"] = "TREE",
    [';;";\n  lua_package_cpath'] = ';ROOT/usr/share/lua/5.1/?.lua;;";\n  lua_package_cpath',
    ["127.0.0.1:8080"] = "unix:DIR/gateway.sock",
    ["/var/log/nginx/gateway.log"] = "access.log",
    ["https://api.example.com"] = "http://unix:DIR/api.sock:",
    ["http {\n"] = "http {\n" .. TEMPORARY .. STUB,
  } do
    local at = assert(conf:find(from, 1, true), from)
    while at do
      conf = conf:sub(1, at - 1) .. to .. conf:sub(at + #from)
      at = conf:find(from, at + #to, true)
    end
  end
  return started(MAIN:format(2) .. conf)
end

--- Send a body; what came back, and the headers.
---@param path string
---@param body string
---@param flags? string of curl
---@return string answer
---@return string headers
function Nginx:post(path, body, flags)
  self.dir:write("request", body)
  local line = "curl -sS -m 20 --unix-socket gateway.sock -D headers %s -H 'Expect:' --data-binary @request http://x%s"
  local out = self.dir:run(line:format(flags or "", path))
  return out, self.dir:read "headers"
end

--- What the header of ours says.
function Nginx:header()
  return self.dir:read("headers"):match "X%-Abridge: ([^\r\n]*)"
end

--- The lines of the error log that are of ours.
function Nginx:errors()
  local lines = {}
  for line in (self.dir:read "error.log" or ""):gmatch "[^\n]+" do
    if line:find("abridge: ", 1, true) then lines[#lines + 1] = line end
  end
  return lines
end

--- End it, and remove its folder.
function Nginx:stop()
  self.dir:sh(self.program .. " -s quit; while [ -e nginx.pid ]; do sleep 0.02; done")
  self.dir:remove()
end

return M
