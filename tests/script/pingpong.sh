#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The examples of libibverbs: RC, UC, UD and SRQ between two processes, and who waits for events of
# the device.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

pingpongs() { # pingpongs PROGRAM "OPTIONS"...: a pair for each
	local program=$1 options
	local -a command
	shift
	for options; do
		free_port
		# shellcheck disable=SC2206 # are several words
		command=("$program" -p "$port" -g 0 $options)
		pair "$port" "${command[@]}" -- "${command[@]}" localhost
		for out in "$server_out" "$client_out"; do
			grep -qE '^[0-9]+ iters in [0-9.]+ seconds = [0-9.]+ usec/iter' "$out"
		done
	done
}

for kind in rc uc ud srq; do
	pingpongs "ibv_${kind}_pingpong" '-n 200' '-n 200 -e' '-n 100 -s 1000 -c' '-n 100 -s 1500 -e -c' \
		'-n 300 -r 100'
done
for kind in rc uc srq; do
	pingpongs "ibv_${kind}_pingpong" '-n 50 -s 100000 -c' '-n 50 -m 256 -s 5000 -e -c'
done
pingpongs ibv_rc_pingpong '-n 200 -N' '-n 200 -N -e -c' '-n 200 -o' '-n 200 -o -c -s 20000' \
	'-n 200 -o -O' '-n 200 -o -P -c'
pingpongs ibv_srq_pingpong '-n 200 -o' '-n 50 -q 4 -e' '-n 20 -q 32 -c'

# It waits, and a signal ends it.
on_host h1 stdbuf -oL ibv_asyncwatch >"$server_out" 2>&1 &
server=$!
until grep -q '^rxe0: async event FD' "$server_out"; do
	kill -0 "$server"
done
kill -TERM "$server"
ended=0
wait "$server" || ended=$?
((ended == 124 || ended == 143))
