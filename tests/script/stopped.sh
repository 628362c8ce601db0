#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Who waits for a process that is stopped is told so, once, and once more when that goes on; what waited
# completes.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
[[ ${STOPPED_BOUNDED:-} ]] || STOPPED_BOUNDED=1 exec timeout 120 bash "$0"
cd "$(dirname "$0")"
. ./preload.inc
: "${ours:?}"
. ./pair.inc

work=$XDG_RUNTIME_DIR
processes=()

# A process that is stopped does not hear that the test is over.
end_all() {
	((${#processes[@]} == 0)) || kill -KILL "${processes[@]}" 2>/dev/null || true
	clean_up
}
trap end_all EXIT

fail() {
	echo "$1"
	shift
	head -50 "$@"
	exit 1
}

start_apart() { # start_apart HOST COMMAND...: as start, but its errors are apart: HOST.out, HOST.err
	(
		export VERBENA_HOST=$1 LD_PRELOAD=$preload_library
		exec stdbuf -oL "${@:2}" >"$work/$1.out" 2>"$work/$1.err"
	) &
	processes+=($!)
}

# start_pair NAME COMMAND...: $server and $sender, on hosts s-NAME and c-NAME, which are connected.
start_pair() {
	local -a command=("${@:2}" -F -n 5000000)
	free_port
	start_apart "s-$1" "${command[@]}" -p "$port"
	server=$!
	until listens "$port"; do
		kill -0 "$server"
	done
	start_apart "c-$1" "${command[@]}" -p "$port" localhost
	sender=$!
	until grep -q '#bytes' "$work/c-$1.out" 2>/dev/null; do
		kill -0 "$sender"
	done
}

await() { # await FILE PATTERN
	local end=$((SECONDS + 30))
	until grep -qE "$2" "$1" 2>/dev/null; do
		((SECONDS < end)) || fail "no '$2'" "$1"
	done
}

lines() { # lines FILE: of ours
	grep -c "^$ours" "$1" || true
}

# One that polls; one that sleeps until its completions come, and explains itself elsewhere; one whose peer is
# not stopped.
start_pair polls ib_send_bw -s 65536
stopped=("$server")
VERBENA_EXPLAIN=$work/elsewhere start_pair sleeps ib_send_bw -e -s 4096
stopped+=("$server")
start_pair reads ib_read_bw -s 65536 -o 1
kill -STOP "${stopped[@]}"

says="^${ours}QP 0x[0-9a-f]+: pid PID on host s-NAME has taken nothing for [3-9][0-9]{3} ms, and .*SIGCONT"
says=${says/PID/"${stopped[0]}"}
await "$work/c-polls.err" "${says/NAME/polls}"
says=${says/"${stopped[0]}"/"${stopped[1]}"}
await "$work/elsewhere" "${says/NAME/sleeps}"
kill -CONT "${stopped[@]}"
says="^${ours}QP 0x[0-9a-f]+: pid [0-9]+ on host s-NAME goes on, after [0-9]+ ms\."
await "$work/c-polls.err" "${says/NAME/polls}"
await "$work/elsewhere" "${says/NAME/sleeps}"

# Each once, and nobody else is told anything.
for file in c-polls.err elsewhere; do
	(($(lines "$work/$file") == 2)) || fail "not two lines" "$work/$file"
done
for file in c-sleeps.err c-reads.err s-polls.err s-sleeps.err s-reads.err; do
	(($(lines "$work/$file") == 0)) || fail "a line too many" "$work/$file"
done

# Nothing was lost: completions come as before.
/usr/bin/python3 - "$VERBENA_BUILD_DIR/verbena" c-polls c-sleeps <<'END'
import json
import subprocess
import sys
import time


def completed():
    text = subprocess.run([sys.argv[1], "status", "--json"], stdout=subprocess.PIPE, check=True).stdout
    return {host["name"]: sum(qp["completed"] for p in host["processes"] for qp in p["qps"])
            for host in json.loads(text)["hosts"]}


first, end = completed(), time.monotonic() + 20
while any(completed()[host] <= first[host] for host in sys.argv[2:]):
    assert time.monotonic() < end, "nothing completes"
END
