#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A port that goes down by a fault is its host's: the other processes there hear of it and have no link either,
# who is on another host gets nothing through, and all is well again when it comes up.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
[[ ${LINKS_BOUNDED:-} ]] || LINKS_BOUNDED=1 exec timeout 200 bash "$0"
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

export VERBENA_IDLE=60
work=$XDG_RUNTIME_DIR
verbena=$VERBENA_BUILD_DIR/verbena

fail() {
	echo "$1"
	shift
	head -50 "$@"
	exit 1
}

await() { # await FILE PATTERN [COUNT]
	local end=$((SECONDS + 30))
	until (($(grep -cE "$2" "$1" 2>/dev/null || true) >= ${3:-1})); do
		((SECONDS < end)) || fail "no '$2'" "$1"
	done
}

watch() { # watch NAME: a process on h1 that says what happens to its device; $! is its process
	(
		export VERBENA_HOST=h1 LD_PRELOAD=$preload_library
		exec stdbuf -oL ibv_asyncwatch >"$work/$1" 2>&1
	) &
}

state_is() { # state_is HOST STATE: of the port, in sysfs, for libibverbs, and for verbena status
	local sysfs
	sysfs=$(VERBENA_HOST=$1 preloaded cat /sys/class/infiniband/rxe0/ports/1/state)
	[[ $sysfs == *": $2" ]] || fail "sysfs: $1 is $sysfs, not $2"
	VERBENA_HOST=$1 preloaded ibv_devinfo >"$work/info" 2>&1 || true
	grep -qE "state:\s+PORT_$2" "$work/info" || fail "$1 is not $2" "$work/info"
	"$verbena" status >"$work/status"
	grep -A1 "^host $1\$" "$work/status" | grep -E "port rxe0 +1 +$2 " >/dev/null || fail "$1 is not $2" "$work/status"
}

# All on the host hear of it, once; for as long as it lasts.
watch bystander
bystander=$!
await "$work/bystander" 'async event'
VERBENA_FAULTS='down, after=50ms, for=100ms' watch short
short=$!
for name in bystander short; do
	await "$work/$name" PORT_ERR
	await "$work/$name" PORT_ACTIVE
done
kill "$short"
state_is h1 ACTIVE

# One that both sends and is executed by the requester alone is cut off: its retries run out.
for load in 'ib_send_bw -s 4096' 'ib_write_bw -s 65536'; do
	free_port
	# shellcheck disable=SC2086 # are several words
	serve "$port" $load -F -n 5000000 -u 10 -p "$port"
	# shellcheck disable=SC2086
	on_host h2 stdbuf -oL $load -F -n 5000000 -u 10 -p "$port" localhost >"$client_out" 2>&1 &
	client=$!
	await "$client_out" '#bytes'
	before=$(grep -c PORT_ERR "$work/bystander")
	VERBENA_FAULTS='down, after=10ms' watch long
	long=$!
	await "$work/bystander" PORT_ERR $((before + 1))
	ended=0
	wait "$client" || ended=$?
	((ended && ended != 124)) || fail "data passed: $load" "$client_out"
	grep -q RETRY_EXC "$client_out" || fail "for another reason: $load" "$client_out"
	kill "$server" 2>/dev/null || true
	wait "$server" || true
	state_is h1 DOWN
	state_is h2 ACTIVE
	# Whose fault it was is gone, and the link is there again.
	kill -KILL "$long"
	wait "$long" || true
	await "$work/bystander" PORT_ACTIVE $((before + 1))
	state_is h1 ACTIVE
	free_port
	pair "$port" ibv_rc_pingpong -p "$port" -- ibv_rc_pingpong -p "$port" localhost
done
kill "$bystander"
[[ $(grep -c PORT_ERR "$work/bystander") == $(grep -c PORT_ACTIVE "$work/bystander") ]] ||
	fail "events do not come in pairs" "$work/bystander"
kill "$("$verbena" status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')"
