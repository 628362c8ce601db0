#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Open MPI, four processes, on UCX over RC and over UD and on its openib BTL: a ring and an alltoall,
# whose results it checks.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc

work=$XDG_RUNTIME_DIR
mpicc -Wall -Werror -O1 -o "$work/exchange" programs/exchange.c
exchanges() { # exchanges OPTION...: of mpirun
	timeout 120 mpirun --allow-run-as-root --oversubscribe -np 4 "$@" -x XDG_RUNTIME_DIR \
		-x LD_PRELOAD="$preload_library" "$work/exchange" >"$work/out" 2>&1 &&
		grep -qx '4 processes: ring and alltoall as they should be' "$work/out" && return
	echo "mpirun $*:"
	cat "$work/out"
	return 1
}

for transport in rc_verbs,ud_verbs:aux ud_verbs; do
	exchanges --mca pml ucx --mca btl ^openib --mca osc ucx -x UCX_NET_DEVICES=rxe0:1 \
		-x UCX_TLS="$transport,self"
done
# With AddressSanitizer's runtime, and no more of it, Open MPI calls at its end into the BTL that it has unloaded,
# to deregister what its cache of registrations still has; so there it has no such cache.
openib=(--mca btl_openib_allow_ib 1)
[[ $preload_library != *libasan* ]] || openib+=(--mca mpi_leave_pinned 0)
exchanges --mca pml ob1 --mca btl openib,self "${openib[@]}" --mca osc ^ucx
