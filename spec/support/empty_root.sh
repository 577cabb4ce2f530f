#!/usr/bin/env bash
# spec/support/empty_root.sh ROOT PROGRAM
# Copies a program, with its loader and its libraries, to the same paths below ROOT, and nothing else: with chroot, it
# has no compiler, no headers, no shell and no files there but what is put in.
set -eu
root=$1 program=$2
loader=$(readelf -l "$program" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
for path in "$program" "$loader" $("$loader" --list "$program" | grep -o '/[^ ]*' | sort -u); do
  mkdir -p "$root${path%/*}"
  cp -L "$path" "$root$path"
done
mkdir -p "$root/tmp" "$root/root"
