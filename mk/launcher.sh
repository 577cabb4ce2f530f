#!/bin/sh
# build/bin/abridge: starts the launcher in lua/, through symbolic links too. `readlink -f` is not everywhere.
file=$0
while [ -L "$file" ]; do
  to=$(readlink "$file")
  case $to in /*) file=$to ;; *) file=$(dirname "$file")/$to ;; esac
done
exec @LUA@ "$(dirname "$file")/../../lua/abridge/bin/abridge" "$@"
