#!/usr/bin/env bash
# spec/fuzz/run.sh SECONDS [TARGET...]
# Runs each fuzzer for so many seconds, two at a time. The targets of libFuzzer start from spec/fuzz/corpus/TARGET.txt and
# put what they find new into build/fuzz/TARGET; `api` calls the Lua API. What breaks a rule is shown, with how to repeat it.
#   ABRIDGE_SEED=n   the same inputs again, as far as the time allows
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=$1
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(stream cut page elements clean small tell json records diff api); fi

private=$(mktemp -d) || exit 1
trap 'rm -rf "$private"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$private/home"
export TMPDIR=$private HOME=$private/home LC_ALL=C
export LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;$PWD/spec/?.lua;$PWD/spec/fuzz/?.lua;;"
export LUA_CPATH="$PWD/build/fuzz/lua/?.so;;"

fuzz_api() {
  ABRIDGE_FUZZ_NOTE=build/fuzz/api.case LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so) \
    "${LUA:-lua5.4}" spec/fuzz/api.lua "$seconds" ${CASE:+"$CASE"} || return 1
}

fuzz_c() {
  mkdir -p "build/fuzz/$1"
  spec/fuzz/corpus.sh unpack "$1"
  "build/fuzz/fuzz_$1" -max_total_time="$seconds" -seed="${ABRIDGE_SEED:-0}" -max_len=1024 -len_control=0 \
    -timeout=60 -dict=spec/fuzz/words.dict -artifact_prefix="build/fuzz/$1-" -print_final_stats=1 \
    "build/fuzz/$1" "build/fuzz/corpus/$1"
}

# fuzz TARGET: one line when all is well; else what it said, and the way to see it again
fuzz() {
  local log=build/fuzz/$1.log found
  mkdir -p build/fuzz
  if [ "$1" = api ]; then
    if fuzz_api >"$log" 2>&1; then tail -n 1 "$log" && return; fi
    tail -n 60 "$log"
    echo "fuzz api: FAILED; repeat it: $(cat build/fuzz/api.case)"
    return 1
  fi
  if fuzz_c "$1" >"$log" 2>&1; then
    sed -n 's/^#[0-9]*\tDONE *//p; s/^stat::number_of_executed_units: /executions /p' "$log" | paste -s -d ' ' |
      sed "s/^/$1: /; s/ lim:.*executions/, executions/"
    return
  fi
  grep -av -e '^#[0-9]' -e NEW_FUNC "$log" | tail -n 40
  found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  echo "fuzz $1: FAILED; repeat it: build/fuzz/fuzz_$1 $found"
  return 1
}

failed=0
for target in "${targets[@]}"; do
  if [ "$(jobs -rp | wc -l)" -ge 2 ]; then wait -n || failed=1; fi
  fuzz "$target" &
done
while [ "$(jobs -p | wc -l)" -gt 0 ]; do
  wait -n || { [ $? -eq 127 ] && break; failed=1; }
done
if [ $failed -eq 0 ]; then echo "fuzz: ${#targets[@]} targets for $seconds s each, nothing found"; fi
exit $failed
