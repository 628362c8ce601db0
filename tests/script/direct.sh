#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Direct placement: WRITEs and READs of stock programs are executed by the requester, in order with
# all else, and counted at both ends as if packets had gone; nothing is written any more where memory was
# deregistered or unmapped, or belongs to another program; and who dies or stops in the middle holds up
# nobody.
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

# What the ports carry is the same by either way, ACKs aside, of which direct placement has none. The same
# commands have gone direct above, and then it is not the target that counts.
iterations=1000
names=(port_xmit_data port_rcv_data port_xmit_packets port_rcv_packets)

counters() { # of h1, the target, and of h2: $names of each
	local host
	for host in h1 h2; do
		VERBENA_HOST=$host preloaded cat \
			"${names[@]/#//sys/class/infiniband/rxe0/ports/1/counters/}"
	done
}

# carried WAY COMMAND...: what the ports carry of it, in $more; WAY is VERBENA_DIRECT.
carried() {
	local i
	local -a before after
	local -x VERBENA_DIRECT=$1
	shift
	mapfile -t before < <(counters)
	free_port
	pair "$port" "$@" -n $iterations -p "$port" -- "$@" -n $iterations -p "$port" localhost
	mapfile -t after < <(counters)
	more=()
	for i in "${!after[@]}"; do
		more+=($((after[i] - before[i])))
	done
	((${#more[@]} == 8)) || return 1
	# What one has sent, the other has received.
	[[ "${more[0]} ${more[2]} ${more[4]} ${more[6]}" == "${more[5]} ${more[7]} ${more[1]} ${more[3]}" ]] &&
		return
	echo "VERBENA_DIRECT=$VERBENA_DIRECT $*: the ends differ: ${more[*]}"
	return 1
}

# same COMMAND PACKETS WORDS BACK_PACKETS BACK_WORDS: what goes there and back of each iteration, by both
# ways; without BACK_*, any number of ACKs goes back.
same() {
	local way command=$1 expected back
	for way in 0 1; do
		# shellcheck disable=SC2086 # are several words
		carried $way $command
		back="${more[2]} ${more[0]}" expected="${more[2]} $((7 * more[2]))"
		(($# < 5)) || expected="$(($4 * iterations)) $(($5 * iterations))"
		[[ ${more[3]} == $(($2 * iterations)) && ${more[1]} == $(($3 * iterations)) &&
			$back == "$expected" ]] && continue
		echo "VERBENA_DIRECT=$way $command: ${more[*]}"
		exit 1
	done
}

# MTU 4096: headers and CRC have 6 words, the RETH 4, and the AETH 1.
same 'ib_write_bw -s 65536' 16 $((16 * (1024 + 6) + 4))
same 'ib_write_bw -s 7' 1 $((2 + 6 + 4))
same 'ib_read_bw -s 65536' 1 $((6 + 4)) 16 $((16 * (1024 + 6) + 2))
same 'ib_read_bw -s 7' 1 $((6 + 4)) 1 $((2 + 6 + 1))

mapfile -t now < <(counters)
"$verbena" status --json | python3 -c '
import json, sys
ports = {h["name"]: h["devices"][0]["ports"][0] for h in json.load(sys.stdin)["hosts"]}
names = "sent_bytes", "received_bytes", "sent_packets", "received_packets"
shown = [ports[host][name] // (4 if "bytes" in name else 1) for host in ("h1", "h2") for name in names]
assert shown == [int(word) for word in sys.argv[1:]], (shown, sys.argv)' "${now[@]}"

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
