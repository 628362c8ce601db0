#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# qperf: every test of RC, UC and UD, among them those that verify atomic operations.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

tests=(
	rc_{bi_bw,bw,lat,rdma_read_bw,rdma_read_lat,rdma_write_bw,rdma_write_lat,rdma_write_poll_lat}
	rc_{compare_swap_mr,fetch_add_mr}
	uc_{bi_bw,bw,lat,rdma_write_bw,rdma_write_lat,rdma_write_poll_lat}
	ud_{bi_bw,bw,lat}
	ver_rc_{compare_swap,fetch_add}
)

free_port
pair_seconds=180 serve "$port" qperf -lp "$port"
for test in "${tests[@]}"; do
	if ! client qperf -t 1 -lp "$port" localhost "$test" ||
		! grep -qE '^ *[a-z_]+ += +[0-9.]*[1-9]' "$client_out"; then
		echo "qperf $test:"
		cat "$client_out"
		exit 1
	fi
done
client qperf -lp "$port" localhost quit
wait "$server"
