#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Between two polling processes a message costs no system call; a WRITE or READ costs its requester one, the
# copy, and its target none. Counted by strace, in two runs of different length: what starting and
# connecting costs is in both, so the difference is what messages cost. strace stops a process at its system
# calls only, so it does not disturb one that makes none.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc
# shellcheck disable=SC1091
. ./pair.inc
: "${port:?}" "${preload_library:?}" "${client_out:?}"
export VERBENA_IDLE=20
needs_strace
work=$XDG_RUNTIME_DIR
few=1000 many=6000

# Each end on a processor of its own. Not before others: then the kernel's own threads starve, too, and calls wait
# for them for seconds.
mapfile -t processors < <(/usr/bin/python3 -c 'import os; print(*os.sched_getaffinity(0), sep="\n")')
if ((${#processors[@]} < 2)); then
	echo "two polling processes want two processors"
	exit 77
fi
first=(taskset -c "${processors[0]}") second=(taskset -c "${processors[1]}")

# The daemon is started by somebody who is not traced, for strace would wait for it to end, and bound to nothing.
(export LD_PRELOAD=$preload_library && ibv_devices >"$work/devices")

# Where others take the processors away, messages wake receivers that have lost theirs; that is no fault, and seen by
# an average that is far from the typical time. Not traced, for whatever makes calls is slow when it is.
busy() {
	free_port
	pair "$port" "${first[@]}" ib_send_lat -F -p "$port" -s 8 -n 20000 -- \
		"${second[@]}" ib_send_lat -F -p "$port" -s 8 -n 20000 localhost
	awk '$1 == 8 {exit !($6 > 3 * $5 || $5 > 20)}' "$client_out"
}

# run ITERATIONS PROGRAM...: both ends, as $work/{server,client}.ITERATIONS
run() {
	local n=$1
	shift
	free_port
	local trace=(strace -f --seccomp-bpf -ttt -e 'trace=!sched_yield')
	pair "$port" "${first[@]}" "${trace[@]}" -o "$work/server.$n" "$@" -F -p "$port" -n "$n" -- \
		"${second[@]}" "${trace[@]}" -o "$work/client.$n" "$@" -F -p "$port" -n "$n" localhost
}

# costs SERVER-COPIES CLIENT-COPIES PROGRAM...: copies a message that each may make
costs() {
	local copies=("$1" "$2")
	shift 2
	run $few "$@"
	run $many "$@"
	/usr/bin/python3 programs/calls.py "$work" $few $many "${copies[@]}" "$@"
}

judge() {
	costs 0 0 ib_send_lat -s 8 && costs 0 0 ib_send_bw -s 8 && costs 1 1 ib_write_lat -s 8 &&
		costs 0 1 ib_read_lat -s 8
}

verdict=$(judge 2>&1) && exit 0
echo "$verdict"
busy || exit 1
echo "the machine is too busy to tell"
exit 77
