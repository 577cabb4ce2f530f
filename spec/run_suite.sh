#!/usr/bin/env bash
# spec/run_suite.sh C_TEST_FOLDER
# Runs the C tests of that folder, then the suite on every host; ends with one line a host:
#   HOST: N passed, M failed[, K skipped]
# Fails when a host fails, is missing or runs no test, but only after the others have run.
#   HOST="luajit nvim"   these hosts only, of: c lua5.4 lua5.3 lua5.2 lua5.1 luajit nvim
#   SPEC="spec/a_spec.lua ..."  these spec files only, and no C tests
#   C_TESTS="scan cut"   these C tests only
#   VALGRIND=1           the C tests under valgrind
#   EMULATOR=qemu-aarch64   the C tests, built for another processor, under an emulator
#   HOST_TIMEOUT=900     seconds after which a host counts as hanging
set -u
cd "$(dirname "$0")/.." || exit 1
c_tests=$1
SPEC=${SPEC:-}
if [ -n "$SPEC" ]; then c_host=; else c_host=c; fi
HOST=${HOST:-$c_host lua5.4 lua5.3 lua5.2 lua5.1 luajit nvim}

# Everything a test writes without being asked goes into one folder that is gone afterwards, and nothing of the
# user's own set-up reaches the tests.
private=$(mktemp -d) || exit 1
trap 'rm -rf "$private"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$private/tmp" "$private/home"
chmod 711 "$private" "$private/tmp" # a test that becomes another user still finds its own folder
log=$private/log
export TMPDIR=$private/tmp HOME=$private/home LC_ALL=C
unset XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME MAKEFLAGS MFLAGS MAKELEVEL
unset LUA_INIT LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4
unset LUA_PATH_5_2 LUA_PATH_5_3 LUA_PATH_5_4 LUA_CPATH_5_2 LUA_CPATH_5_3 LUA_CPATH_5_4
export LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;"

summary=()
failed=0

# report HOST PASSED FAILED SKIPPED [NOTE]
report() {
  local line="$1: $2 passed, $3 failed"
  if [ "$4" -gt 0 ]; then line+=", $4 skipped"; fi
  if [ -n "${5:-}" ]; then line+=" ($5)"; fi
  summary+=("$line")
  if [ "$3" -gt 0 ]; then failed=1; fi
}

# run CMD...: under the time limit, shown and logged.
run() {
  timeout -k 10 "${HOST_TIMEOUT:-900}" "$@" </dev/null 2>&1 | tee "$log"
  return "${PIPESTATUS[0]}"
}

run_c_tests() {
  local name=c test status line passed=0 wrong=0 note=
  if [ -n "${VALGRIND:-}" ]; then name=memcheck; fi
  if [ -n "${EMULATOR:-}" ]; then name=$EMULATOR; fi
  for test in "$c_tests"/test_*; do
    case $test in *.*|*'*') continue ;; esac
    if [ -n "${C_TESTS:-}" ] && [[ " $C_TESTS " != *" ${test##*/test_} "* ]]; then continue; fi
    echo "== $test"
    if [ -n "${VALGRIND:-}" ]; then
      run valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=all "$test"
    else
      # shellcheck disable=SC2086 # no emulator is no word
      run ${EMULATOR:-} "$test"
    fi
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+) ]]; then
      passed=$((passed + BASH_REMATCH[1])) wrong=$((wrong + BASH_REMATCH[2]))
    fi
    if [ -z "$line" ] || { [ $status -ne 0 ] && [ "${BASH_REMATCH[2]}" -eq 0 ]; }; then
      wrong=$((wrong + 1)) note="${test##*/} ended with status $status"
    fi
  done
  if [ $((passed + wrong)) -eq 0 ]; then wrong=1 note="no test ran"; fi
  report "$name" "$passed" "$wrong" 0 "$note"
}

# run_lua_host HOST LUA_VERSION CMD...
run_lua_host() {
  local host=$1 version=$2 status line passed=0 wrong=0 skipped=0 note=
  shift 2
  echo "== $host"
  if ! command -v "$host" >/dev/null; then
    report "$host" 0 1 0 "$host is not installed: make setup"
    return
  fi
  if [ ! -f "build/$version/abridge/core.so" ]; then
    report "$host" 0 1 0 "no headers of Lua $version: make setup"
    return
  fi
  LUA_CPATH="build/$version/?.so;;" run "$@"
  status=$?
  line=$(grep -E '^[0-9]+ success(es)? / [0-9]+ failures? / [0-9]+ errors? / [0-9]+ pending' "$log" | tail -n 1)
  if [[ $line =~ ^([0-9]+)\ [a-z]+\ /\ ([0-9]+)\ [a-z]+\ /\ ([0-9]+)\ [a-z]+\ /\ ([0-9]+) ]]; then
    passed=${BASH_REMATCH[1]} wrong=$((BASH_REMATCH[2] + BASH_REMATCH[3])) skipped=${BASH_REMATCH[4]}
  fi
  if [ $status -eq 124 ] || [ $status -eq 137 ]; then
    wrong=$((wrong + 1)) note="stopped after ${HOST_TIMEOUT:-900} s"
  elif [ $status -ne 0 ] && [ "$wrong" -eq 0 ]; then
    wrong=1 note="ended with status $status"
  elif [ $((passed + wrong)) -eq 0 ]; then
    wrong=1 note="no test ran"
  fi
  report "$host" "$passed" "$wrong" "$skipped" "$note"
}

for host in $HOST; do
  case $host in
    c) run_c_tests ;;
    # shellcheck disable=SC2086 # SPEC is a list
    lua5.[1-4]) run_lua_host "$host" "${host#lua}" busted --lua="$(command -v "$host")" $SPEC ;;
    # shellcheck disable=SC2086
    luajit) run_lua_host luajit 5.1 busted --lua="$(command -v luajit)" $SPEC ;;
    nvim) run_lua_host nvim 5.1 nvim --headless -u NONE -i NONE -n --cmd 'set shada=' -c 'luafile spec/nvim_runner.lua' ;;
    *) report "$host" 0 1 0 "no such host: c lua5.4 lua5.3 lua5.2 lua5.1 luajit nvim" ;;
  esac
done

echo
if [ -n "$(ls -A "$TMPDIR")" ]; then
  echo "left in the temporary folder by the tests:"
  (cd "$TMPDIR" && find . -mindepth 1 | head -n 20)
  failed=1
fi
printf '%s\n' "${summary[@]}"
exit $failed
