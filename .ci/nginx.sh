#!/usr/bin/env bash
# .ci/nginx.sh: Debian's nginx with libnginx-mod-http-lua, unpacked below build/nginx for the tests of the gateway.
# Installing the module would remove the package luajit, since its own LuaJIT conflicts with that. Quick when it is there.
set -u
cd "$(dirname "$0")/.." || exit 1
packages="nginx libnginx-mod-http-lua libnginx-mod-http-ndk lua-resty-core lua-resty-lrucache libluajit2-5.1-2
  libluajit2-5.1-common libpcre3"
stamp=$(cksum < .ci/nginx.sh)
[ "$(cat build/nginx/made 2>/dev/null)" = "$stamp" ] && exit 0
command -v apt-get >/dev/null || { echo "nginx: no apt-get here: the gateway is not tested in nginx" >&2; exit 1; }
rm -rf build/nginx
mkdir -p build/nginx/root build/nginx/packages
# shellcheck disable=SC2086 # a list of words
(cd build/nginx/packages && apt-get -q -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" download $packages) \
  > build/nginx/log 2>&1 || { echo "nginx: the end of build/nginx/log says why it cannot be had" >&2; exit 1; }
for package in build/nginx/packages/*.deb; do
  dpkg-deb -x "$package" build/nginx/root || exit 1
done
rm -r build/nginx/packages
echo "$stamp" > build/nginx/made
