#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Stock programs that look at devices, and what the preload library must leave alone.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc

work=$XDG_RUNTIME_DIR
export VERBENA_HOST=alpha

expect 'rxe0 .*0200560000000001' ibv_devices
expect '^0: rxe0: node_type ca .*node_guid 0200:5600:0000:0001' rdma dev
expect '^link rxe0/1 .* lid 1 .* state ACTIVE physical_state LINK_UP' rdma link
expect 'copy-on-fork on' rdma system
expect 'Base lid: 1$' ibstat
for mode in write invoke ioctl; do
	export VERBENA_UABI_MODE=$mode
	expect 'GID\[ +0\]:[[:space:]]+fe80:0000:0000:0000:0200:5600:0000:0001' ibv_devinfo -v
	expect 'atomic_cap:[[:space:]]+ATOMIC_HCA' ibv_devinfo -v
	expect 'node_guid:[[:space:]]+0200:5600:0000:0001' ibv_devinfo -d rxe0
	expect 'num_comp_vectors:[[:space:]]+1$' ibv_devinfo -v
done
unset VERBENA_UABI_MODE
for personality in hfi1 hfi1-v1; do
	VERBENA_PERSONALITY=$personality expect '^hca_id:[[:space:]]hfi1_0' ibv_devinfo
done
VERBENA_DEVICE_NAME=rxe7 expect '^hca_id:[[:space:]]rxe7' ibv_devinfo

# The C library's calls on our places, and beside them.
expect '^c.* 231, *192 .*uverbs0$' ls -l /dev/infiniband
expect '^4: ACTIVE$' cat /sys/class/infiniband/rxe0/ports/1/state
expect '^231:192$' cat /sys/class/infiniband_verbs/uverbs0/dev
expect '^/sys/class/infiniband/rxe0$' realpath /sys/class/infiniband/rxe0
expect '^lo$' ls /sys/class/net
expect 'class/net' realpath /sys/class/infiniband/../net

# A wish that cannot be fulfilled is explained.
VERBENA_PERSONALITY=mlx9 preloaded ibv_devices >"$work/out" 2>&1 || true
grep -q 'VERBENA_PERSONALITY is mlx9, and may be rxe' "$work/out"

# Two programs on two hosts.
on_host() { # on_host NAME COMMAND...
	LD_PRELOAD=${runtime:-} "$VERBENA_BUILD_DIR/verbena" run --host "$1" -- "${@:2}"
}
on_host beta ibv_rc_pingpong >"$work/server" 2>&1 &
for ((tries = 0; tries < 100; tries++)); do
	! on_host gamma ibv_rc_pingpong localhost >"$work/out" 2>&1 || break
	sleep 0.1
done
wait "$!" || { cat "$work/server" && exit 1; }
grep -q '^1000 iters' "$work/out"
run_status=0
on_host beta no-such-program >"$work/out" 2>&1 || run_status=$?
[[ $run_status == 127 ]]

# Whoever does not look at devices makes nothing; whoever does leaves nothing.
preloaded sh -c 'true' && [[ ! -e $work/none ]]
[[ $(find "$work/verbena" -mindepth 1 ! -name 'default.sock*') == "$work/verbena/lock" ]]
export XDG_RUNTIME_DIR=$work/none
mkdir "$work/none"
preloaded cat /dev/null
[[ -z $(find "$work/none" -mindepth 1) ]]
