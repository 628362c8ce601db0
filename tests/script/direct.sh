#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Direct placement: WRITEs and READs of stock programs are executed by the requester, in order with
# all else; nothing is written any more where memory was deregistered or unmapped, or belongs to
# another program; and who dies or stops in the middle holds up nobody.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

export VERBENA_IDLE=60
work=$XDG_RUNTIME_DIR
verbena=$VERBENA_BUILD_DIR/verbena

placed() { # by all processes
	"$verbena" status --json | python3 -c '
import json, sys
fabric = json.load(sys.stdin)
print(sum(p["direct"] for host in fabric["hosts"] for p in host["processes"]))'
}

# measure COMMAND...: until a thousand requests were placed, by both ends together.
measure() {
	local client
	free_port
	serve "$port" "$@" -F -D 30 -p "$port"
	(on_host h2 "$@" -F -D 30 -p "$port" localhost) >"$client_out" 2>&1 &
	client=$!
	until (($(placed) >= 1000)); do
		kill -0 "$client" || { echo "too few went direct: $*"; exit 1; }
	done
	kill "$client" "$server"
	wait "$client" "$server" || true
}

for command in 'ib_write_lat -s 8' 'ib_read_lat -s 8' 'ib_write_bw -s 65536' 'ib_read_bw -s 4096'; do
	# shellcheck disable=SC2086 # are several words
	measure $command
done

gcc -std=gnu17 -Wall -Wextra -Werror -g -O1 -pthread -o "$work/direct" programs/direct.c -libverbs
direct() {
	LD_PRELOAD=$preload_library timeout 60 "$work/direct" "$1" >"$work/out" 2>&1 && return
	echo "direct $1 has failed:"
	cat "$work/out"
	return 1
}
direct order
direct denied
VERBENA_DIRECT=0 direct order
for ((round = 0; round < 5; round++)); do
	direct dereg
	direct dead
	direct stopped
done
direct unmapped
direct executed
kill "$("$verbena" status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')"
