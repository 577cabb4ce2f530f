#!/usr/bin/env bash
# spec/fuzz/run.sh SECONDS|check [TARGET...]
# Runs the fuzzers, two at a time, each for so many seconds; or, for `check`, with so many cases of one seed that it takes
# some twenty seconds: the same ones each time, since what a check says must depend on the code alone. The targets of
# libFuzzer start from spec/fuzz/corpus/TARGET.txt and put what they find new into build/fuzz/TARGET (which `check` neither
# reads nor adds to); `api` calls the Lua API, `long` with texts of up to 64 MB. What breaks a rule is shown, with how to
# repeat it.
#   ABRIDGE_SEED=n   the same inputs again, as far as the time allows
set -u
cd "$(dirname "$0")/../.." || exit 1
how_long=$1
shift
declare -A cases=([stream]=1500 [cut]=3000 [page]=4500 [elements]=4000 [clean]=700 [small]=15000 [tell]=10000 [json]=1500
  [records]=280 [diff]=9000 [composed]=500 [program]=4000 [splice]=60000 [api]=80000 [long]=8)
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(stream cut page elements clean small tell json records diff composed program splice api long); fi

private=$(mktemp -d) || exit 1
trap 'rm -rf "$private"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$private/home"
export TMPDIR=$private HOME=$private/home LC_ALL=C
export LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;$PWD/spec/?.lua;$PWD/spec/fuzz/?.lua;;"
export LUA_CPATH="$PWD/build/fuzz/lua/?.so;;"
still=() # what libFuzzer tries next depends on where the program lies in memory, too
if [ "$how_long" = check ]; then
  export ABRIDGE_SEED=1
  if setarch -R true 2>/dev/null; then still=(setarch -R); fi
fi

fuzz_api() {
  local limit=$how_long
  if [ "$limit" = check ]; then limit=1-${cases[$1]}; fi
  if [ -n "${CASE:-}" ]; then limit=$CASE-$CASE; fi
  ABRIDGE_FUZZ_NOTE=build/fuzz/$1.case LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so) \
    "${LUA:-lua5.4}" spec/fuzz/api.lua "$limit" "$1" || return 1
}

fuzz_c() {
  local limit=-max_total_time=$how_long finds=build/fuzz/$1
  if [ "$how_long" = check ]; then limit=-runs=${cases[$1]} finds=$private/$1; fi
  mkdir -p "$finds"
  spec/fuzz/corpus.sh unpack "$1"
  "${still[@]}" "build/fuzz/fuzz_$1" "$limit" -seed="${ABRIDGE_SEED:-0}" -reload=0 -max_len=1024 -len_control=0 \
    -timeout=240 -dict=spec/fuzz/words.dict -artifact_prefix="build/fuzz/$1-" -print_final_stats=1 \
    "$finds" "build/fuzz/corpus/$1"
}

# fuzz TARGET: one line when all is well; else what it said, and the way to see it again
fuzz() {
  local log=build/fuzz/$1.log found
  mkdir -p build/fuzz
  if [ "$1" = api ] || [ "$1" = long ]; then
    if fuzz_api "$1" >"$log" 2>&1; then tail -n 1 "$log" && return; fi
    tail -n 60 "$log"
    echo "fuzz $1: FAILED; repeat it: $(cat "build/fuzz/$1.case")"
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
if [ $failed -eq 0 ]; then echo "fuzz: ${#targets[@]} targets, nothing found"; fi
exit $failed
