#!/bin/sh
# Runs a server that ends with its owner: when standard input closes (the owner ended it, or died in whatever way) the server
# gets SIGNAL, after ten seconds KILL; then the scratch folder is removed and the server's exit code is ours.
# Usage: tether.sh SIGNAL SCRATCH COMMAND [ARGUMENT…]
signal=$1
scratch=$2
shift 2
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
trap '' INT TERM HUP
(
  cat <&3 >/dev/null
  kill -s "$signal" "$server" 2>/dev/null
  tries=0
  while [ "$tries" -lt 100 ] && kill -0 "$server" 2>/dev/null; do
    tries=$((tries + 1))
    sleep 0.1
  done
  kill -s KILL "$server" 2>/dev/null
) >/dev/null 2>&1 &
wait "$server"
code=$?
rm -rf -- "$scratch"
exit "$code"
