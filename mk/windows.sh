#!/usr/bin/env bash
# mk/windows.sh C_TEST...: `make test-windows`, which has built them: C tests, Lua 5.4 and LuaJIT for Windows, under wine.
set -u
wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null) || {
  echo "test-windows: no wine here: run .ci/setup.sh windows" >&2; exit 1; }
export WINEPREFIX=$PWD/build/windows/wine WINEDEBUG=-all LC_ALL=C.UTF-8 # names of files are of the locale here
TMPDIR=$(mktemp -d) || exit 1 # for its server's socket, which it leaves behind
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
failed=0
[ $# -gt 0 ] || { echo "test-windows: no C tests" >&2; failed=1; }
for test in "$@"; do
  echo "$test: $(timeout 600 "$wine" "build/test/windows/$test.exe" 2>&1 | tr -d '\r' | tail -n 1)" |
    grep ': [1-9][0-9]* passed, 0 failed$' || { echo "$test: FAILED"; failed=1; }
done

paths='lua/?.lua;lua/?/init.lua;spec/?.lua'
here=$(LUA_PATH="$paths;;" LUA_CPATH='build/5.4/?.so;;' "$LUA" spec/support/digest.lua)
echo "here: $here"

# on_windows NAME VERSION PROGRAM: a Lua for Windows with the core of its version
on_windows() {
  local there
  run() { LUA_PATH=$paths LUA_CPATH="build/windows/$2/?.dll" timeout 600 "$wine" "build/windows/$3" "$4" | tr -d '\r'; }
  run "$@" spec/support/on_windows.lua | grep . | tail -n 1 | grep "^$1 on Windows: " ||
    { echo "$1: on_windows.lua: FAILED"; failed=1; }
  there=$(run "$@" spec/support/digest.lua)
  echo "$1 on Windows: $there"
  [ -n "$here" ] && [ "$here" = "$there" ] || { echo "$1: digest: FAILED"; failed=1; }
}
on_windows 'Lua 5.4' 5.4 lua.exe
on_windows LuaJIT 5.1 luajit.exe
exit $failed
