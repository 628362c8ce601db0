#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Open MPI on UCX, four processes, over RC and over UD: a ring and an alltoall, whose results it checks.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc

work=$XDG_RUNTIME_DIR
mpicc -Wall -Werror -O1 -o "$work/exchange" programs/exchange.c
for transport in rc_verbs,ud_verbs:aux ud_verbs; do
	timeout 120 mpirun --allow-run-as-root --oversubscribe -np 4 \
		--mca pml ucx --mca btl ^openib --mca osc ucx \
		-x UCX_NET_DEVICES=rxe0:1 -x UCX_TLS="$transport,self" -x XDG_RUNTIME_DIR \
		-x LD_PRELOAD="$preload_library" "$work/exchange" >"$work/out" 2>&1 &&
		grep -qx '4 processes: ring and alltoall as they should be' "$work/out" && continue
	echo "over $transport:"
	cat "$work/out"
	exit 1
done
