#!/usr/bin/env bash
# .ci/arm64.sh FOLDER
# Lua 5.4 for 64-bit ARM, with the modules that the suite wants: Debian's packages of this release, downloaded and unpacked
# below FOLDER; nothing of the system changes, and root is not needed. FOLDER/bin/lua5.4 runs it under an emulator.
# Quick when it is there.
set -u
mkdir -p "$1/bin" "$1"/{state/lists/partial,cache/archives/partial,root} || exit 1
here=$(cd "$1" && pwd)
log=$here/log
program=$here/bin/lua5.4

# apt CMD...: apt-get for that processor, with state of its own, as if no package were installed.
apt() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$here/state" \
    -o Dir::State::status="$here/status" -o Dir::Cache="$here/cache" -o APT::Install-Recommends=false \
    -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" "$@" </dev/null >> "$log" 2>&1
}

if [ -x "$program" ] && "$program" -e 'require "luv" require "cjson"' 2>/dev/null; then exit; fi
for tool in apt-get dpkg-deb qemu-aarch64; do
  command -v "$tool" >/dev/null || { echo "arm64: no $tool here" >&2; exit 1; }
done
echo "arm64: getting Lua 5.4 and its modules into $1"
: > "$log"
: > "$here/status"
apt update && apt -y --download-only install lua5.4 lua-cjson lua-luv lua-filesystem lua-system lua-term lua-sql-sqlite3 ||
  { echo "arm64: no packages: the end of $log says why" >&2; exit 1; }
for package in "$here"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$here/root" || exit 1
done
rm -rf "$here/cache" "$here/state"
printf '%s\n' '#!/bin/sh' "export ABRIDGE_EMULATED=1 ABRIDGE_PROGRAM='$program'" \
  "exec qemu-aarch64 -L '$here/root' '$here/root/usr/bin/lua5.4' \"\$@\"" > "$program" && chmod +x "$program"
"$program" -e 'require "luv" require "cjson"'
