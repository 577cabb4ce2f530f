#!/usr/bin/env bash
# bench/check/compare.sh: `make bench-check`.
# Counts the instructions of a fixed set of calls, by callgrind, in this tree and in the commit that it grew from, both
# built on this machine, and fails where one grew by over 5 %. A count is the same in every run, whatever else runs here.
#   BASE=v1.0.0          compare with this commit; default: where this branch left main, on main the commit before
#   AMALGAMATION=x.o     compare this object of `make amalgamation` with the library of this tree, and allow 3 %
#   ABRIDGE_SIMD=scalar  other kernels than those of sse2 (both sides; valgrind does not know all of a processor)
# A growth that is meant stands in bench/check/allowed, as: workload, tab, percent allowed, tab, why. A line that the
# base has as well allows nothing more.
set -u
cd "$(dirname "$0")/../.." || exit 1
most=${AMALGAMATION:+3}
most=${most:-5}
cc=${CC:-cc}
here=$PWD/build/bench-check

pass_without() { echo "bench-check: $1: nothing was compared"; exit 0; }

find_base() {
  local commit
  if [ -n "${BASE:-}" ]; then
    git rev-parse --verify --quiet "$BASE^{commit}" || { echo "bench-check: no commit $BASE here" >&2; return 2; }
    return
  fi
  for main in origin/main main; do
    commit=$(git merge-base HEAD $main 2>/dev/null) || continue
    if [ "$commit" != "$(git rev-parse HEAD)" ]; then echo "$commit"; return; fi
  done
  git rev-parse --verify --quiet 'HEAD~1^{commit}'
}

command -v valgrind >/dev/null || { echo "bench-check: no valgrind here: make setup" >&2; exit 1; }
# The base's own sources, built by its own Makefile; kept for the next time.
build_base() {
  [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] || pass_without "this is no git checkout"
  base=$(find_base)
  status=$?
  if [ $status -eq 2 ]; then exit 1; fi
  [ -n "$base" ] || pass_without "the clone does not go back to the commit before"
  tree=$here/$base
  if ! [ -f "$tree/build/libabridge.a" ]; then
    rm -rf "$tree" && mkdir -p "$tree"
    git archive "$base" | tar -xf - -C "$tree" || exit 1
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$tree" CC="$cc" build/libabridge.a >/dev/null || pass_without "the base, $base, does not build here"
  fi
  against=$(git log -1 --format='%h %s' "$base" | cut -c -70)
}

if [ -n "${AMALGAMATION:-}" ]; then
  tree=. against="the library of these sources"
else
  build_base
fi

# build TREE FOLDER LIBRARY: the programs, against that tree's header and library.
build() {
  mkdir -p "$2" && rm -f "$2"/*
  local source program
  for source in bench/check/*.c; do
    program=$2/$(basename "$source" .c)
    "$cc" -std=c11 -O2 -g -I"$1/csrc" -o "$program" "$source" "$3" 2>"$program.log"
  done
}

# count SIDE: "program<tab>workload<tab>instructions", in the order of the sources.
count() {
  local program name said counted
  for program in "$here/$1"/*.log; do
    program=${program%.log}
    [ -x "$program" ] || continue
    "$program" | while IFS= read -r name; do
      rm -rf "$here/run-$1" && mkdir -p "$here/run-$1"
      said=$(cd "$here/run-$1" && env -i ABRIDGE_SIMD="${ABRIDGE_SIMD:-sse2}" valgrind --tool=callgrind \
        --callgrind-out-file=/dev/null --toggle-collect=workload "$program" "$name" 2>&1) || counted=
      counted=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' <<<"$said")
      if [ -z "$counted" ]; then echo "bench-check: $name failed: $said" >&2; fi
      printf '%s\t%s\t%s\n' "$(basename "$program")" "$name" "${counted:--}"
    done
  done >"$here/$1.tsv"
  rm -rf "$here/run-$1"
}

build "$tree" "$here/base" "$tree/build/libabridge.a"
build . "$here/head" "${AMALGAMATION:-build/libabridge.a}"
for source in bench/check/*.c; do
  name=$(basename "$source" .c)
  [ -x "$here/head/$name" ] || { cat "$here/head/$name.log" >&2; exit 1; }
  [ -x "$here/base/$name" ] || echo "bench-check: $source does not compile against the base: its workloads are new"
done

count base &
count head
wait

allowed=$here/allowed.tsv
touch "$here/none"
old=$tree/bench/check/allowed
[ -f "$old" ] || old=$here/none
{ grep -vxFf "$old" bench/check/allowed || :; } | grep -v '^#' >"$allowed"

echo "instructions, by callgrind, against $against"
awk -F '\t' -v most=$most '
  FILENAME == ARGV[1] { allowed[$1] = $2; next }
  FILENAME == ARGV[2] { base[$2] = $3; next }
  FNR == 1 { printf "%-40s %14s %14s %9s\n", "", "base", "here", "%" }
  $3 == "-" { failed = 1; printf "%-40s %14s %14s %9s  failed\n", $2, base[$2], "-", "-"; next }
  !($2 in base) || base[$2] == "-" { printf "%-40s %14s %14.0f %9s  new\n", $2, "-", $3, "-"; next }
  {
    percent = ($3 / base[$2] - 1) * 100
    bound = $2 in allowed ? allowed[$2] : most
    verdict = percent > bound ? "  OVER " bound " %" : percent > most ? "  allowed" : ""
    if (percent > bound) failed = 1
    printf "%-40s %14.0f %14.0f %+9.2f%s\n", $2, base[$2], $3, percent, verdict
  }
  END { if (failed) print "bench-check: FAILED"; else print "bench-check: no growth over " most " % that is not allowed"; exit failed }
' "$allowed" "$here/base.tsv" "$here/head.tsv"
