#!/usr/bin/env bash
# .ci/setup.sh [check|windows|systems|list]
# Installs what building, the demo and the suite need, through apt, and gets newer hosts (hosts.sh); `list` prints the
# names of these packages; with `check`, what `make check` needs beside them; with `windows`, what `make test-windows`
# needs, with `systems`, what `make check-systems` can use. On macOS, what building and the demo need, through Homebrew.
# Quick when nothing is missing; safe to run again.
set -u
cd "$(dirname "$0")/.." || exit 1
case ${1:-} in
  ''|list)
    packages="gcc g++ libc6-dev make
      lua5.1 lua5.2 lua5.3 lua5.4 luajit neovim
      liblua5.1-0-dev liblua5.2-dev liblua5.3-dev liblua5.4-dev libluajit-5.1-dev
      lua-busted lua-cjson lua-luv lua-filesystem lua-system lua-term lua-sql-sqlite3
      git luarocks zip unzip ripgrep curl procps valgrind patchelf"
    tools="cc make lua5.4 busted" ;;
  check)
    packages="gcc libc6-dev clang libclang-rt-dev clang-format clang-tidy cppcheck valgrind lua-check liblua5.4-dev
      gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user gcc-mingw-w64-x86-64 wine64 chromium zsh fish groff-base"
    command -v npm >/dev/null || packages="$packages nodejs npm" # a newer one may be here by other means
    tools="node npm gcc clang clang-format clang-tidy cppcheck valgrind luacheck aarch64-linux-gnu-gcc qemu-aarch64
      x86_64-w64-mingw32-gcc chromium zsh fish groff" ;;
  windows) packages="gcc-mingw-w64-x86-64 wine64" tools=x86_64-w64-mingw32-gcc ;;
  systems)
    packages="gcc clang musl-tools gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross
      gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
    tools="gcc clang musl-gcc" ;;
  *) echo "setup.sh: nothing, check, windows, systems or list, not $1" >&2; exit 2 ;;
esac
if [ "${1:-}" = list ]; then
  # shellcheck disable=SC2086 # a list of words
  printf '%s\n' $packages
  exit
fi

still_missing() {
  local tool missing=0
  for tool in $tools; do
    command -v "$tool" >/dev/null || { echo "setup: still missing: $tool" >&2; missing=1; }
  done
  return $missing
}

# macOS with Homebrew. Lua 5.4 is not linked there into the PATH: LUA=/opt/homebrew/opt/lua@5.4/bin/lua5.4 names it.
if [ "$(uname -s)" = Darwin ] && [ -z "${1:-}" ] && command -v brew >/dev/null; then
  brew install --quiet lua@5.4 luarocks ripgrep bash coreutils || exit 1
  lua_dir=$(brew --prefix lua@5.4)
  for rock in busted lua-cjson luv; do
    luarocks --lua-dir="$lua_dir" --lua-version=5.4 show $rock >/dev/null 2>&1 ||
      luarocks --lua-dir="$lua_dir" --lua-version=5.4 install $rock || exit 1
  done
  exit
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  if still_missing 2>/dev/null; then exit; fi
  echo "abridge: no apt-get here. Please install, by your system's own means:"
  if [ -z "${1:-}" ]; then
    echo "  a C11 compiler, make, Lua 5.4 with its headers, busted, lua-cjson, luv, ripgrep, curl, LuaSQL for sqlite3"
    echo "  for every host of the suite: Lua 5.5, 5.3, 5.2, 5.1 with headers, LuaJIT, Neovim, luarocks, zip, unzip, valgrind"
  else
    echo "  gcc and clang with their sanitizers and libFuzzer, clang-format, clang-tidy, cppcheck, luacheck, valgrind,"
    echo "  aarch64-linux-gnu-gcc, qemu-aarch64, Chromium, zsh, fish"
  fi
  still_missing
  exit
fi

list_missing() {
  # shellcheck disable=SC2086 # a list of words
  { printf '%s\n' $packages; dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null |
    sed -n 's/ installed$//p'; } | sort | uniq -u
}

install_missing() {
  local root='' known='' package missing
  missing=$(list_missing)
  if [ -z "$missing" ]; then
    echo "setup: everything is installed"
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    root=sudo
    if ! command -v sudo >/dev/null; then
      echo "setup: no sudo here; as root: apt-get install --no-install-recommends ${missing//$'\n'/ }" >&2
      exit 1
    fi
  fi
  apt() { $root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

  echo "setup: installing ${missing//$'\n'/ }"
  apt update || echo "setup: apt-get update failed; going on with the lists there are" >&2

  # A release without one of the packages (an old Lua, say) still gets the rest; the suite then says what it misses.
  for package in $missing; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      known="$known $package"
    else
      echo "setup: no package $package here" >&2
    fi
  done
  # shellcheck disable=SC2086
  apt install -y --no-install-recommends $known || exit 1
}

install_missing
still_missing || exit 1
# The suite names what it leaves out.
if [ -z "${1:-}" ]; then
  .ci/hosts.sh || true
  mk/one/sources.sh build/one/src || true
elif [ "$1" = check ]; then
  .ci/arm64.sh build/arm64-lua || true
  .ci/nginx.sh || true
  stylua=@johnnymorganz/stylua@2.5.2 # in WebAssembly: npm's package of binaries gets these from elsewhere
  [ -d build/stylua/node_modules ] || npm install --silent --no-fund --no-audit --prefix build/stylua $stylua || exit 1
  # a client and servers of MCP, which spec/proxy puts `abridge mcp` between
  [ -d build/mcp/node_modules ] || npm install --silent --no-fund --no-audit --prefix build/mcp \
    @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server-filesystem@2026.8.31 || exit 1
fi
