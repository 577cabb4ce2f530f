#!/usr/bin/env bash
# spec/fuzz/corpus/TARGET.txt holds the inputs of a target, one a line, escaped as in a C string; a line that starts with
# '#' is a comment: the fact that the input below it once broke.
#   spec/fuzz/corpus.sh unpack TARGET   each into build/fuzz/corpus/TARGET/, named by its line
#   spec/fuzz/corpus.sh pack FILE...    prints files as such lines
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C

unpack() {
  local folder=build/fuzz/corpus/$1 line at=0
  rm -rf "$folder"
  mkdir -p "$folder"
  while IFS= read -r line; do
    at=$((at + 1))
    case $line in ''|'#'*) ;; *) printf %b "$line" > "$folder/$at" ;; esac
  done < "spec/fuzz/corpus/$1.txt"
}

pack() {
  od -An -v -tu1 "$1" | awk '
    function escaped(c) {
      return c == 92 ? "\\\\" : c == 10 ? "\\n" : sprintf(c >= 32 && c < 127 ? "%c" : "\\x%02x", c)
    }
    { for (i = 1; i <= NF; i++) line = line escaped($i + 0) }
    END { sub(/^#/, "\\x23", line); sub(/ $/, "\\x20", line); print line }'
}

action=$1
shift
for what in "$@"; do "$action" "$what"; done
