#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# VERBENA_FAULTS: stock programs survive what they should, see what they must, and meet the same again.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc
. ./perftest.inc

work=$XDG_RUNTIME_DIR
verbena=$VERBENA_BUILD_DIR/verbena

fail() {
	echo "$1"
	shift
	cat "$@"
	exit 1
}

has() { # has FILE PATTERN...
	local pattern file=$1
	shift
	for pattern; do
		grep -qE -- "$pattern" "$file" || fail "no '$pattern'" "$file"
	done
}

# Who writes nonsense hears where and why, before anything runs.
if "$verbena" run --faults 'drop=2%; rnnr=1%' -- true 2>"$work/err"; then
	fail "nonsense was taken" "$work/err"
fi
has "$work/err" "column 10: 'rnnr' is not a fault"
VERBENA_FAULTS='drop=2' preloaded ibv_devinfo >"$work/out" 2>"$work/err" || true
has "$work/err" 'no RDMA device: the text of the faults makes no sense at column 7'
"$verbena" run --help >"$work/out"
has "$work/out" '--faults=SPEC'

# Both ends lose, double, overtake, damage: the bytes are right (-c), and programs end well.
# (Not the ACKs of pingpongs: who has all its messages ends, and cannot send the last one again.)
bad='drop=2%, op=send; dup=2%; reorder=2%, op=send'
free_port
pair "$port" env VERBENA_FAULTS="$bad; corrupt=1%, op=send" ibv_rc_pingpong -p "$port" -c -n 40 -s 6000 -- \
	env VERBENA_FAULTS="seed=2; $bad" ibv_rc_pingpong -p "$port" -c -n 40 -s 6000 localhost
has "$client_out" 'asked for: of [0-9]+ packets [1-9][0-9]* lost, [1-9]'
has "$server_out" 'lost, .* [1-9][0-9]* damaged'
bad='drop=2%; dup=2%; reorder=2%'
for options in 'ib_send_bw 300 -s 9000' 'ib_write_bw 300 -s 9000' 'ib_read_bw 300 -s 9000' 'ib_atomic_bw 300'; do
	# shellcheck disable=SC2086 # are several words
	VERBENA_EXPLAIN=$work/said VERBENA_FAULTS=$bad run $options -u 8 -t 16
	has "$work/said" 'packets [1-9][0-9]* lost'
	rm "$work/said"
done

# Nothing gets through: the retries run out, and it is said why there was nothing.
free_port
serve "$port" ib_send_lat -F -n 100 -u 8 -p "$port"
if client env VERBENA_FAULTS=drop ib_send_lat -F -n 100 -u 8 -p "$port" localhost; then
	fail "everything was lost and nobody noticed" "$client_out"
fi
kill "$server"
wait "$server" || true
has "$client_out" 'clause at column 1 has hit packet 1 ' 'RETRY_EXC_ERR: no answer' '8 packets 8 lost'

# Each message is refused twice for want of a receive, and then taken.
free_port
VERBENA_FAULTS_TRACE=$work/rnr pair "$port" \
	env VERBENA_FAULTS='rnr, try=1..2' ib_send_lat -F -n 50 -p "$port" -- \
	ib_send_lat -F -n 50 -p "$port" localhost
(($(grep -c 'rnr' "$work/rnr") >= 100)) || fail "too few RNR NAKs" "$work/rnr"

# The same seed: the same packets are hit, whatever the numbers of queue pairs and the first PSN.
for round in 1 2; do
	free_port
	VERBENA_FAULTS_TRACE=$work/trace$round pair "$port" ibv_rc_pingpong -p "$port" -n 120 -- \
		env VERBENA_FAULTS='seed=5; drop=4%, tx, op=send; dup=8%, rx' \
		ibv_rc_pingpong -p "$port" -n 120 localhost
	grep 'request.*try 1:' "$work/trace$round" | sort >"$work/list$round"
done
(($(wc -l <"$work/list1") >= 10)) || fail "too few faults" "$work/trace1"
cmp "$work/list1" "$work/list2" || fail "not the same faults" "$work/list1" "$work/list2"

# A list that cannot be written is said, and is on stderr then.
VERBENA_FAULTS='fail=EIO, verb=query_port' VERBENA_FAULTS_TRACE=$work/none/list \
	preloaded ibv_devinfo >"$work/out" 2>&1 || true
has "$work/out" 'VERBENA_FAULTS_TRACE=/.*/none/list cannot be opened \(No such file or directory\)' \
	'^query_port call 1: fail'

# Ports, events, verbs.
VERBENA_FAULTS='event=lid_change, after=50ms; down, after=100ms, for=50ms; event=device_fatal, after=250ms' \
	timeout 20 stdbuf -oL env LD_PRELOAD="$preload_library" ibv_asyncwatch >"$work/out" 2>&1 &
watcher=$!
until grep -q DEVICE_FATAL "$work/out"; do
	kill -0 "$watcher" 2>/dev/null || fail "no event" "$work/out"
done
"$verbena" status --json >"$work/status"
/usr/bin/python3 - "$work/status" <<-'END' || fail "counts of faults" "$work/status"
	import json, sys
	with open(sys.argv[1]) as f:
	    hosts = json.load(f)["hosts"]
	faults = [p["faults"] for h in hosts for p in h["processes"] if p["command"] == "ibv_asyncwatch"]
	sys.exit(faults != [{"down": 1, "event": 2}])
END
"$verbena" status >"$work/table"
has "$work/table" '^    faults: down 1, event 2$'
kill "$watcher"
wait "$watcher" || true
has "$work/out" 'LID_CHANGE' 'PORT_ERR' 'PORT_ACTIVE' \
	'clause at column 1 has hit the device or a port, by event=lid_change\. ' 'column 31 .* by down\. ' \
	'column 60 .* by event=device_fatal\. .* asynchronous event'
VERBENA_FAULTS='fail=EIO, verb=query_port' preloaded ibv_devinfo >"$work/out" 2>&1 || true
has "$work/out" 'Failed to query port' 'refused by a fault that was asked for'

# A queue pair that is made to fail, and verbs that fail in their turn; RNR until the retries are gone.
VERBENA_FAULTS='fail=ENOMEM, verb=create_qp, nth=3; kill, nth=3, tx, qp=1, op=send; rnr, qp=3' \
	preloaded /usr/bin/python3 programs/faults.py >"$work/out" 2>&1 || fail "python" "$work/out"
has "$work/out" '^created 1 2 ENOMEM 4$' '^first 0 0 5$' '^event 1$' '^starved 13$' \
	'RNR_RETRY_EXC' 'the queue pair was made to fail by a fault'
