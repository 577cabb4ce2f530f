#!/usr/bin/env bash
# spec/run_suite.sh [C_TEST_FOLDER]
# Runs the C tests of that folder and the suite on every host, two more at once than there are processors, since tests
# wait a good part of their time. Prints a line a host as it ends, then what the hosts that failed printed, then all
# lines together, and which spec files took longest:
#   HOST: N passed, M failed[, K skipped], S s
# Fails when a host fails or runs no test. A host that is not on this machine is left out and named; one that was asked
# for by HOST has failed then.
# A test whose name has the tag #once does not depend on the host: these are a host of their own, `once`, which is Lua
# 5.4. One with the tag #few hardly depends on it: it runs on Lua 5.4 and the newest Neovim. One with the tag #check
# wants more than `make setup` installs: it runs on a host `check`, Lua 5.4 again, which `make check` calls and which
# skips no test.
#   HOST="luajit nvim0.12"   these hosts only, of: c once lua5.5 lua5.4 lua5.3 lua5.2 lua5.1 luajit nvim0.7 nvim0.10
#                            nvim0.12 check; nvim is the one on the PATH
#   SPEC="spec/a_spec.lua ..."  these spec files only, all of their tests on each host, and no C tests
#   C_TESTS="scan cut"   these C tests only
#   EMULATOR=qemu-aarch64   the C tests, built for another processor, under an emulator
#   ALL_CASES=1          Lua 5.4 and `once` try all cases of each property, as `make check` does otherwise
#   JOBS=1               hosts at once
#   HOST_TIMEOUT=1500    seconds after which a process counts as hanging
set -u
cd "$(dirname "$0")/.." || exit 1
c_tests=${1:-}
SPEC=${SPEC:-}
newer=$PWD/build/hosts/bin # what .ci/hosts.sh made
newest=$(cd "$newer" 2>/dev/null && printf '%s\n' nvim* | sort -V | tail -n 1) # the suite it comes from moves on
case $newest in ''|nvim0.10|'nvim*') newest=nvim0.12 ;; esac
asked=${HOST:-}
if [ -z "$asked" ]; then # what takes longest first
  HOST="lua5.4 c once $newest nvim0.10 nvim0.7 lua5.1 luajit lua5.2 lua5.3 lua5.5"
  if [ -n "$SPEC" ]; then HOST=${HOST/c once /}; fi
fi
processors=$(getconf _NPROCESSORS_ONLN 2>/dev/null || getconf NPROCESSORS_ONLN 2>/dev/null || echo 1) # Linux or BSD
JOBS=${JOBS:-$((processors + 2))}
FILES_AT_ONCE=6
case $HOST in *[!\ ]*\ *[!\ ]*) ;; *) JOBS=one ;; esac # a single host is shown as it runs

# Everything a test writes without being asked goes into one folder that is gone afterwards, and nothing of the
# user's own set-up reaches the tests.
private=$(mktemp -d) || exit 1
trap 'rm -rf "$private"' EXIT
trap 'exit 130' INT TERM HUP
chmod 711 "$private" # a test that becomes another user still finds its own folder
export LC_ALL=C
unset XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME MAKEFLAGS MFLAGS MAKELEVEL
unset LUA_INIT LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4 LUA_INIT_5_5
unset LUA_PATH_5_2 LUA_PATH_5_3 LUA_PATH_5_4 LUA_PATH_5_5 LUA_CPATH_5_2 LUA_CPATH_5_3 LUA_CPATH_5_4 LUA_CPATH_5_5
export LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;"

# program_of HOST: the path of its program; nothing where it is not here
program_of() {
  case $1 in
    once|check) program_of lua5.4 ;;
    nvim?*)
      if [ -x "$newer/$1" ]; then
        echo "$newer/$1"
      elif [ "$(nvim --version 2>/dev/null | sed -nE '1s/^NVIM v([0-9]+\.[0-9]+).*/nvim\1/p')" = "$1" ]; then
        command -v nvim
      fi ;;
    *) if [ -x "$newer/$1" ]; then echo "$newer/$1"; else command -v "$1"; fi ;;
  esac
}

# macOS has no timeout of its own.
command -v timeout >/dev/null || timeout() { if command -v gtimeout >/dev/null; then gtimeout "$@"; else shift 3; "$@"; fi; }

# run CMD...: under the time limit, logged, and shown where it is the only one.
run() {
  if [ "$JOBS" = one ]; then
    timeout -k 10 "${HOST_TIMEOUT:-1500}" "$@" </dev/null 2>&1 | tee -a "$log"
    return "${PIPESTATUS[0]}"
  fi
  timeout -k 10 "${HOST_TIMEOUT:-1500}" "$@" </dev/null >> "$log" 2>&1
}

# without HOST: the tags of tests that it leaves to others
without() {
  case $1 in
    once) echo check ;;
    check) echo none ;;
    lua5.4|nvim|"$newest") echo check,once ;;
    *) echo check,once,few ;;
  esac
}

# report HOST PASSED FAILED SKIPPED [NOTE]
report() {
  local line="$1: $2 passed, $3 failed"
  if [ "$4" -gt 0 ]; then line+=", $4 skipped"; fi
  line+=", $((SECONDS - began)) s"
  if [ -n "${5:-}" ]; then line+=" ($5)"; fi
  echo "$line" > "$place/line"
  [ "$3" -eq 0 ]
}

run_c_tests() {
  local name=c test status line passed=0 wrong=0 note='' from
  case $c_tests in */msan) name=msan ;; esac
  if [ -n "${EMULATOR:-}" ]; then name=$EMULATOR; fi
  for test in "$c_tests"/test_*; do
    case $test in *.*|*'*') continue ;; esac
    if [ -n "${C_TESTS:-}" ] && [[ " $C_TESTS " != *" ${test##*/test_} "* ]]; then continue; fi
    from=$(($(wc -l < "$log") + 1))
    run echo "== $test"
    # shellcheck disable=SC2086 # no emulator is no word
    run ${EMULATOR:-} "$test"
    status=$?
    line=$(tail -n "+$from" "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed$' | tail -n 1)
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

# run_specs PROGRAM SPEC...: by a program that is Lua or Neovim, and with the tags of run_host
run_specs() {
  local program=$1
  shift
  case $host in
    nvim*) BUSTED="${tags[*]-} $*" run "$program" --headless -u NONE -i NONE -n --cmd 'set shada=' \
      -c 'luafile spec/nvim_runner.lua' ;;
    *) run busted --lua="$program" ${tags[@]+"${tags[@]}"} "$@" ;;
  esac
}

# run_lua_host LUA_VERSION PROGRAM SPEC...
# A few files a process: busted holds what a file held until the end, and the more a process holds, the longer each
# that it starts takes to start.
run_lua_host() {
  local program=$2 status line from passed=0 wrong=0 skipped=0 note=
  export LUA_CPATH="build/$1/?.so;;" ABRIDGE_TIMES=$place/times
  shift 2
  while [ $# -gt 0 ]; do
    from=$(($(wc -l < "$log") + 1))
    run_specs "$program" "${@:1:FILES_AT_ONCE}"
    status=$?
    shift $(($# < FILES_AT_ONCE ? $# : FILES_AT_ONCE))
    line=$(tail -n "+$from" "$log" |
      grep -E '^[0-9]+ success(es)? / [0-9]+ failures? / [0-9]+ errors? / [0-9]+ pending' | tail -n 1)
    if [[ $line =~ ^([0-9]+)\ [a-z]+\ /\ ([0-9]+)\ [a-z]+\ /\ ([0-9]+)\ [a-z]+\ /\ ([0-9]+) ]]; then
      passed=$((passed + BASH_REMATCH[1])) skipped=$((skipped + BASH_REMATCH[4]))
      wrong=$((wrong + BASH_REMATCH[2] + BASH_REMATCH[3]))
    fi
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
      wrong=$((wrong + 1)) note="stopped after ${HOST_TIMEOUT:-1500} s"
    elif [ -z "$line" ] || { [ $status -ne 0 ] && [ $((BASH_REMATCH[2] + BASH_REMATCH[3])) -eq 0 ]; }; then
      wrong=$((wrong + 1)) note="ended with status $status"
    fi
  done
  if [ $((passed + wrong)) -eq 0 ]; then
    wrong=1 note="no test ran"
  elif [ "$host" = check ] && [ "$skipped" -gt 0 ]; then
    wrong=$((wrong + skipped)) note="skipped"
  fi
  report "$host" "$passed" "$wrong" "$skipped" "$note"
}

# run_host HOST: in folders of its own; ends with its line printed
run_host() {
  local host=$1 version=5.1 program status=0 began=$SECONDS tags=() specs=$SPEC line
  place=$private/$1
  log=$place/log
  mkdir -p "$place/tmp" "$place/home"
  chmod 711 "$place" "$place/tmp"
  : > "$log"
  export TMPDIR=$place/tmp HOME=$place/home
  case $host in lua5.4|once) if [ -n "${ALL_CASES:-}" ]; then export ABRIDGE_CASES=1; fi ;; esac
  program=$(program_of "$host")
  case $host in lua5.*) version=${host#lua} ;; once|check) version=5.4 ;; esac
  case $host in
    once|check)
      tags=("--tags=$host" "--exclude-tags=$(without "$host")")
      specs=${SPEC:-$(grep -rl --include='*_spec.lua' "#$host" spec)} ;;
    *) if [ -z "$SPEC" ]; then tags=("--exclude-tags=$(without "$host")"); fi ;;
  esac
  if [ "$host" = c ]; then
    run_c_tests
  elif [ -z "$program" ]; then
    report "$host" 0 1 0 "not here: make setup"
  elif [ ! -f "build/$version/abridge/core.so" ]; then
    report "$host" 0 1 0 "no headers of Lua $version: make setup"
  else
    # shellcheck disable=SC2046,SC2086 # a list
    run_lua_host "$version" "$program" ${specs:-$(find spec -name '*_spec.lua' | sort)}
  fi || status=1
  rmdir "$TMPDIR"/nvim.* 2>/dev/null # since 0.9 Neovim leaves the one that its folders of temporary files were in
  if [ -n "$(ls -A "$TMPDIR")" ]; then
    { echo "left in the temporary folder by the tests:"
      (cd "$TMPDIR" && find . -mindepth 1 | head -n 20); } >> "$log"
    line=$(cat "$place/line")
    echo "$line; files left in the temporary folder" > "$place/line"
    status=1
  fi
  if [ $status -ne 0 ]; then touch "$place/failed"; fi
  cat "$place/line"
}

left_out='' hosts=()
for host in $HOST; do
  case $host in
    c|once|check|lua5.[1-5]|luajit|nvim|nvim[0-9]*) ;;
    *) echo "no such host: $host; of c once lua5.5 ... lua5.1 luajit nvim nvim0.7 ... check" >&2; exit 1 ;;
  esac
  if [ -z "$asked" ] && [ "$host" != c ] && [ -z "$(program_of "$host")" ]; then
    left_out+=" $host"
  else
    hosts+=("$host")
  fi
done

for host in "${hosts[@]}"; do
  if [ "$JOBS" = one ]; then
    echo "== $host"
    (run_host "$host")
  else
    while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do
      wait -n 2>/dev/null || sleep 0.1 # a host failed, or this bash is that of macOS
    done
    (run_host "$host") &
  fi
done
wait

failed=0
if [ "$JOBS" != one ]; then
  for host in "${hosts[@]}"; do
    if [ -f "$private/$host/failed" ]; then
      echo
      echo "== $host"
      cat "$private/$host/log"
    fi
  done
fi
echo
for host in "${hosts[@]}"; do
  cat "$private/$host/line" 2>/dev/null || { echo "$host: 0 passed, 1 failed (nothing came of it)"; failed=1; }
  if [ -f "$private/$host/failed" ]; then failed=1; fi
done
cat "$private"/*/times 2>/dev/null | awk -F '\t' '
  { sum[$2] += $1; if ($1 > most[$2]) most[$2] = $1 }
  END { for (spec in sum) printf "%7.1f s, %5.1f s on one host: %s\n", sum[spec], most[spec], spec }' |
  sort -rn | head -n 10 > "$private/slowest"
if [ "$(wc -l < "$private/slowest")" -eq 10 ]; then
  echo "slowest specs, all hosts together:"
  cat "$private/slowest"
fi
echo "all hosts: $SECONDS s, load $(uptime | sed 's/.*load average[s]*: //')"
if [ -n "$left_out" ]; then echo "left out, not on this machine:$left_out (make setup)"; fi
exit $failed
