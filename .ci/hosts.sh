#!/usr/bin/env bash
# .ci/hosts.sh: hosts that this release of Debian does not have, from newer suites: Neovim 0.10 and the newest, Lua 5.5.
#
# Packages are downloaded and unpacked below build/hosts, with the libraries they need down to the C library, and start
# through their own loader; nothing of the system changes, and root is not needed. apt is asked under its own set-up,
# with the system's package sources under another suite's name. build/hosts/bin has the programs: lua5.5, nvim0.10, ...
# Quick when they are there. Where one cannot be had, says so and fails, after the others.
set -u
cd "$(dirname "$0")/.." || exit 1
mkdir -p build/hosts
hosts=$(cd build/hosts && pwd -P) # the paths that programs there are given, whatever folder links to it
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}") # whose name the system's sources have
stable=trixie newest=sid
log=$hosts/log

# made STAMP: whether what this script makes was made, here and by this script.
made() { [ "$(cat "$hosts/$1.made" 2>/dev/null)" = "$(stamp)" ]; }
stamp() { echo "$hosts $(cksum < .ci/hosts.sh)"; }

# sources SUITE: the system's sources of Debian itself, of that suite: packages and their sources.
sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] && sed -nE "s/^deb( +\[[^]]*\])? +([^ ]+) +$release +(.* )?main( .*)?\$/deb\1 \2 $1 main\ndeb-src\1 \2 $1 main/p" \
      "$file"
  done > "$hosts/$1/sources/of.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] && awk -v RS= -v ORS='\n\n' -v release="$release" -v suite="$1" '
      /(^|\n)Components:[^\n]* main( |\n|$)/ && $0 ~ "(^|\n)Suites:([^\n]* )?" release "( |\n|$)" {
        sub(/(^|\n)Types:[^\n]*/, "\nTypes: deb deb-src")
        sub(/(^|\n)Suites:[^\n]*/, "\nSuites: " suite)
        print
      }' "$file"
  done > "$hosts/$1/sources/of.sources"
}

# apt SUITE CMD...: apt-get with state of its own, as if no package were installed.
apt() {
  local dir=$hosts/$1
  shift
  apt-get -q -o Dir::State="$dir/state" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" \
    -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$dir/sources" -o Dir::Etc::preferences=/dev/null \
    -o Dir::Etc::preferencesparts=/dev/null -o APT::Install-Recommends=false -o Acquire::Languages=none \
    -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" "$@" </dev/null >> "$log" 2>&1
}

# unpacked SUITE PACKAGE...: the packages and what they depend on, in build/hosts/SUITE/root.
unpacked() {
  local suite=$1 dir=$hosts/$1 package try
  shift
  rm -rf "$dir"
  mkdir -p "$dir"/{sources,state/lists/partial,cache/archives/partial,root,src}
  : > "$dir/status"
  sources "$suite"
  for try in 1 2 3; do # what a list names may be gone from a suite that moves
    if [ "$try" -gt 1 ]; then sleep 1; fi
    apt "$suite" update && apt "$suite" -y --download-only install "$@" && break
    [ "$try" -lt 3 ] || return 1
  done
  for package in "$dir"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$dir/root" || return 1
  done
  rm -rf "$dir/cache"
}

# own_loader SUITE PROGRAM: let it start through the loader that came with it, with the libraries beside that.
own_loader() {
  local root=$hosts/$1/root
  local libraries=$root/usr/lib/$multiarch
  patchelf --set-interpreter "$libraries/$(basename "$(patchelf --print-interpreter "$root/usr/bin/$2")")" \
    --force-rpath --set-rpath "$libraries" "$root/usr/bin/$2"
}

# command_file NAME LINE...: a program of build/hosts/bin, which tells what it starts by which name
command_file() {
  mkdir -p "$hosts/bin"
  { echo '#!/bin/sh'; echo "export ABRIDGE_PROGRAM='$hosts/bin/$1'"; printf '%s\n' "${@:2}"; } > "$hosts/bin/$1" && chmod +x "$hosts/bin/$1"
}

make_nvim() {
  local suite=$1 root=$hosts/$1/root version
  own_loader "$suite" nvim || return 1
  version=$(VIMRUNTIME=$root/usr/share/nvim/runtime "$root/usr/bin/nvim" --version 2>>"$log" |
    sed -nE '1s/^NVIM v([0-9]+\.[0-9]+).*/\1/p')
  [ -n "$version" ] || return 1
  command_file "nvim$version" "VIMRUNTIME='$root/usr/share/nvim/runtime'" 'export VIMRUNTIME' \
    "exec '$root/usr/bin/nvim' \"\$@\""
}

# Debian has lua-cjson and luv for Lua 5.5 as sources alone.
make_lua55() {
  local root=$hosts/$newest/root src=$hosts/$stable/src modules=$hosts/lua5.5 flags
  own_loader "$newest" lua5.5 || return 1
  (cd "$src" && apt "$stable" source --download-only lua-cjson lua-luv) || return 1
  (cd "$src" && for archive in *.orig.tar.*; do tar xf "$archive" || exit 1; done) || return 1
  mkdir -p "$modules"
  mkdir -p "$hosts/include"
  cp -r "$root/usr/include/lua5.5" "$hosts/include/" && cp "$root/usr/include/$multiarch"/lua5.5-* "$hosts/include/lua5.5/" ||
    return 1
  flags="-O2 -fPIC -shared -w -DNDEBUG -I$hosts/include/lua5.5"
  # shellcheck disable=SC2086 # flags are words
  (cd "$src"/lua-cjson-*/ && cc $flags -o "$modules/cjson.so" lua_cjson.c strbuf.c fpconv.c &&
    cd "$src"/*luv-*/ && cc $flags -idirafter "$root/usr/include" -Isrc -o "$modules/luv.so" src/luv.c \
      -L"$root/usr/lib/$multiarch" -l:libuv.so.1) >> "$log" 2>&1 || return 1
  local share="$root/usr/share/lua/5.5" lib="$root/usr/lib/$multiarch/lua/5.5"
  # behind the caller's own paths; LUA_PATH_5_5 comes before LUA_PATH
  command_file lua5.5 \
    "LUA_PATH=\"\${LUA_PATH_5_5:-\${LUA_PATH:-;;}};$share/?.lua;$share/?/init.lua\"" \
    "LUA_CPATH=\"\${LUA_CPATH_5_5:-\${LUA_CPATH:-;;}};$modules/?.so;$lib/?.so\"" \
    'export LUA_PATH LUA_CPATH' 'unset LUA_PATH_5_5 LUA_CPATH_5_5' \
    "exec '$root/usr/bin/lua5.5' \"\$@\"" &&
    echo "variables = { LUA_DIR = '$hosts', LUA_BINDIR = '$hosts/bin', LUA_INCDIR = '$hosts/include/lua5.5' }" \
      > "$modules/luarocks.lua" &&
    command_file luarocks5.5 "export LUAROCKS_CONFIG='$modules/luarocks.lua'" \
      "exec '$hosts/bin/lua5.5' '$root/usr/bin/luarocks' \"\$@\"" &&
    "$hosts/bin/lua5.5" -e 'require "cjson" require "luv" require "busted"' >> "$log" 2>&1
}

# have HOST CMD...: make a host
have() {
  if "${@:2}"; then
    stamp > "$hosts/$1.made"
  else
    echo "hosts: no $1: the end of build/hosts/log says why" >&2
    failed=1
  fi
}

failed=0
if made nvim-stable && made nvim-newest && made lua5.5; then
  echo "hosts: everything is there"
  exit 0
fi
for tool in apt-get dpkg-deb patchelf cc; do
  command -v "$tool" >/dev/null || { echo "hosts: no $tool here: Neovim 0.10, the newest and Lua 5.5 are left out" >&2; exit 1; }
done
: > "$log"
multiarch=$(cc -print-multiarch)
echo "hosts: getting Neovim and Lua of newer suites into build/hosts"
if unpacked $stable neovim; then
  have nvim-stable make_nvim $stable
else
  echo "hosts: no packages of $stable: the end of build/hosts/log says why" >&2
  failed=1
fi
if unpacked $newest neovim lua5.5 liblua5.5-dev libuv1-dev lua-busted lua-sql-sqlite3 luarocks; then
  have nvim-newest make_nvim $newest
  have lua5.5 make_lua55
else
  echo "hosts: no packages of $newest: the end of build/hosts/log says why" >&2
  failed=1
fi
for program in "$hosts"/bin/*; do
  [ -f "$program" ] && echo "hosts: $(basename "$program")"
done
exit $failed
