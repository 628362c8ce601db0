#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# perftest between two processes: RDMA WRITE over RC and UC, READ and atomic operations over RC; and
# a run without an end, which a signal stops.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc
. ./perftest.inc

for service in RC UC; do
	runs ib_write_lat 200 "-c $service" "-c $service -I 64 -s 64" "-c $service -m 2048 -s 10000"
	runs ib_write_bw 200 "-c $service" "-c $service -I 64 -s 64" "-c $service -l 4" \
		"-c $service -q 16" "-c $service -b" "-c $service -s 8" "-c $service -m 256 -s 1000"
done
runs ib_read_lat 200 '' -e '-s 8' '-m 256 -s 1000' '-m 2048 -s 10000'
runs ib_read_bw 200 '' -e '-l 4' '-q 16' -b '-o 4' '-s 8' '-m 256 -s 1000' '-m 4096 -s 100000'
runs ib_atomic_lat 200 '' -e '-A CMP_AND_SWAP' '-A FETCH_AND_ADD'
runs ib_atomic_bw 200 '' -e '-l 4' '-q 16' -b '-o 4' '-A CMP_AND_SWAP' '-A FETCH_AND_ADD'
runs ib_write_bw 20 '-c UC -a'
runs ib_read_bw 20 '-a'

# Reports each second until it is told to stop.
rows() {
	grep -cE '^ 65536 +[1-9][0-9]* ' "$client_out" || true
}
free_port
serve "$port" ib_write_bw -F -D 1 --run_infinitely -p "$port"
on_host h2 stdbuf -oL ib_write_bw -F -D 1 --run_infinitely -p "$port" localhost >"$client_out" 2>&1 &
endless=$!
complain() { # complain WHAT: and what both ends say
	echo "$1"
	cat "$server_out" "$client_out"
	exit 1
}
until (($(rows) >= 2)); do
	kill -0 "$endless" 2>/dev/null || complain "it ended by itself"
done
# Both at once, the server first: it would end by itself, and with an error, once its client is gone.
kill -TERM "$server" "$endless"
for process in "$server" "$endless"; do
	ended=0
	wait "$process" || ended=$?
	((ended == 124 || ended == 143)) || complain "ended with $ended, not by the signal" # as timeout(1) has it
done
