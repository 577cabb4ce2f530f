#!/usr/bin/env bash
# mk/systems.sh [SYSTEM...]: `make check-systems`.
# Builds the amalgamation and the C tests for other compilers' flags, C libraries and processors, runs them, and compares
# 3,000 cuts with this machine's. Prints a line a system, and which of them this machine has no compiler for; fails where
# a test fails or a cut differs.
set -u
cd "$(dirname "$0")/.." || exit 1
amalgam=build/amalgamation/abridge
plain=build/test/plain/digests
here=$(uname -m)

# name, what it is, compiler, flags, emulator, packages of Debian
systems='
unsigned-char|char without a sign|gcc|-O2 -funsigned-char||
O0|not optimized|gcc|-O0||
O3-lto|optimized as a whole|gcc|-O3 -flto||
integer|no unsigned wraparound that is not meant|clang|-O1 -g -fsanitize=integer -fno-sanitize=unsigned-shift-base -fno-sanitize-recover=all||
musl|another C library|musl-gcc|-O2 -static||musl-tools
i686|32 bits, with SSE2 for floats|i686-linux-gnu-gcc|-O2 -static -isystem /usr/i686-linux-gnu/include||gcc-i686-linux-gnu libc6-dev-i386-cross
s390x|big-endian|s390x-linux-gnu-gcc|-O2 -static|qemu-s390x|gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user
aarch64|64-bit ARM|aarch64-linux-gnu-gcc|-O2 -static|qemu-aarch64|gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
'

line='^(c|qemu-[a-z0-9]+): ([0-9]+ passed), [0-9]+ failed' # the runner's
# try NAME COMPILER FLAGS EMULATOR: builds and runs; prints how it went
try() {
  local name=$1 compiler=$2 flags=$3 emulator=$4
  local obj=build/obj/systems/$name bin=build/test/systems/$name log=build/test/systems/$name.log cuts
  mkdir -p "$bin"
  make --no-print-directory -j"$(getconf _NPROCESSORS_ONLN)" c-tests "$bin/digests" OBJ="$obj" BIN="$bin" \
    core_obj="$obj/c/$amalgam.o" CC="$compiler" CFLAGS="$flags" WARNINGS="-Wall -Wextra" lua_test_bin= > "$log" 2>&1 ||
    { tail -n 20 "$log" >&2; echo "does not build"; return 1; }
  EMULATOR=$emulator ABRIDGE_CASES=$([ -n "$emulator" ] && echo 0.02 || echo 0.1) HOST_TIMEOUT=3000 HOST=c spec/run_suite.sh "$bin" >> "$log" 2>&1 ||
    { grep -a -B 3 'FAILED' "$log" >&2; grep -aE "$line" "$log" | tail -n 1; return 1; }
  # shellcheck disable=SC2086 # no emulator is no word
  $emulator "$bin/digests" 3000 > "$bin/digests.txt" || { echo "cuts no texts"; return 1; }
  if cmp -s "$bin/digests.txt" "$plain.txt"; then cuts="the same 3,000 cuts"; else cuts="OTHER CUTS"; fi
  echo "$(sed -nE "s/$line.*/\2/p" "$log" | tail -n 1), $cuts"
  [ "$cuts" != "OTHER CUTS" ]
}

names=$(sed -n 's/^\([^|]\{1,\}\)|.*/\1/p' <<< "$systems" | xargs)
for name in "$@"; do
  [[ " $names " = *" $name "* ]] || { echo "check-systems: no system $name; there are ${names// /, }" >&2; exit 1; }
done

"$plain" 3000 > "$plain.txt" || exit 1
failed=0
while IFS='|' read -r name what compiler flags emulator packages; do
  if [ -z "$name" ] || { [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; }; then continue; fi
  missing=
  for tool in $compiler $emulator; do command -v "$tool" > /dev/null || missing="$missing $tool"; done
  if [ -n "$missing" ]; then
    echo "$name ($what): not here, for want of$missing (Debian: $packages)"
    continue
  fi
  said=$(try "$name" "$compiler" "$flags" "$emulator") || failed=1
  echo "$name ($what): $said"
done <<< "$systems"
[ "$here" = x86_64 ] || echo "compared with the cuts of this machine, $here"
exit $failed
