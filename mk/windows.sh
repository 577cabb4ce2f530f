#!/usr/bin/env bash
# mk/windows.sh C_TEST...: `make test-windows`, which has built them: C tests and Lua 5.4 for Windows, under wine.
set -u
wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null) || {
  echo "test-windows: no wine here: run .ci/setup.sh windows" >&2; exit 1; }
export WINEPREFIX=$PWD/build/windows/wine WINEDEBUG=-all
failed=0
[ $# -gt 0 ] || { echo "test-windows: no C tests" >&2; failed=1; }
for test in "$@"; do
  echo "$test: $(timeout 600 "$wine" "build/test/windows/$test.exe" 2>&1 | tr -d '\r' | tail -n 1)" |
    grep ': [1-9][0-9]* passed, 0 failed$' || { echo "$test: FAILED"; failed=1; }
done

# of_lua PROGRAM...: with this tree's Lua; the core is the one in FOLDER
paths='lua/?.lua;lua/?/init.lua;spec/?.lua'
on_windows() { LUA_PATH=$paths LUA_CPATH='build/windows/5.4/?.dll' timeout 600 "$wine" build/windows/lua.exe "$@" | tr -d '\r'; }
on_windows spec/support/on_windows.lua | grep . | tail -n 1 | grep '^on Windows: ' || { echo "on_windows.lua: FAILED"; failed=1; }
here=$(LUA_PATH="$paths;;" LUA_CPATH='build/5.4/?.so;;' "$LUA" spec/support/digest.lua)
there=$(on_windows spec/support/digest.lua)
echo "here:    $here"
echo "Windows: $there"
[ -n "$here" ] && [ "$here" = "$there" ] || { echo "digest: FAILED"; failed=1; }
exit $failed
