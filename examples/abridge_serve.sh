#!/bin/bash
# A client of `abridge serve`, with jq: bash abridge_serve.sh RUN_DIR 'make test'
coproc abridge { exec abridge serve --run-dir "$1"; }
server=$abridge_PID

# ask METHOD PARAMS: the result as JSON; fails with a message where there is an error. One at a time.
ask() {
  local answer
  printf '{"id":1,"method":"%s","params":%s}\n' "$1" "$2" >&"${abridge[1]}"
  IFS= read -r answer <&"${abridge[0]}"
  jq -ce 'if .error then .error.message | halt_error(1) else .result end' <<< "$answer"
}

params=$(jq -cn --arg command "$2" '{tool: "run_command", input: {command: $command}}')
result=$(ask call "$params") || exit
jq -r .content <<< "$result" # what the model is given
exec {abridge[1]}>&- # the end of its stdin ends it
wait "$server"
[ "$(jq .is_error <<< "$result")" = false ]
