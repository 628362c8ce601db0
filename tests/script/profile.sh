#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Profiles: stock programs see what they say, by sysfs, netlink and uverbs alike; each port is the one
# that a program asks for; limits hold.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc
# shellcheck disable=SC1091
. ./pair.inc
: "${port:?}" "${client_out:?}"

profiles=$VERBENA_SOURCE_DIR/profiles
work=$XDG_RUNTIME_DIR

use() { # use PROFILE: on a host of its own
	export VERBENA_PROFILE=$profiles/$1.yaml VERBENA_HOST=$1
}

# What a key says is what each interface says.
use mlx5
expect '^mlx5_1' sh -c 'ibv_devices | tail -n +3 | sed "s/^ *//"'
expect 'fw_ver:[[:space:]]+20.31.1014' ibv_devinfo -d mlx5_1 -v
expect 'vendor_part_id:[[:space:]]+4123' ibv_devinfo -d mlx5_1 -v
expect 'board_id:[[:space:]]+MT_0000000223' ibv_devinfo -d mlx5_0
expect 'max_pkeys:[[:space:]]+16' ibv_devinfo -d mlx5_0 -v
expect '^1: mlx5_1: .*fw 20.31.1014' rdma dev
expect '^link mlx5_1/1 .* lid 2 .* state ACTIVE' rdma link
expect '^200 Gb/sec \(4X HDR\)$' cat /sys/class/infiniband/mlx5_1/ports/1/rate
expect '^mlx5_1$' cat /sys/class/infiniband_verbs/uverbs1/ibdev
expect '^c.* 231, *193 .*uverbs1$' ls -l /dev/infiniband
expect "CA 'mlx5_1'" ibstat

use two-port
expect '^link mlx4_0/2 ' rdma link
expect 'active_mtu:[[:space:]]+2048' ibv_devinfo -d mlx4_0 -i 2
expect 'port_lid:[[:space:]]+2$' ibv_devinfo -d mlx4_0 -i 2
expect '^0x2$' cat /sys/class/infiniband/mlx4_0/ports/2/lid

use port-down
expect 'PORT_DOWN' ibv_devinfo -d mlx5_0 -i 1
expect 'PORT_ACTIVE' ibv_devinfo -d mlx5_0 -i 2
expect '^1: DOWN$' cat /sys/class/infiniband/mlx5_0/ports/1/state
expect '^2: Polling$' cat /sys/class/infiniband/mlx5_0/ports/1/phys_state
expect '^link mlx5_0/1 .* state DOWN physical_state POLLING' rdma link

for name in mlx5 two-port tiny no-srq port-down; do
	use "$name"
	expect '^hca_id:' ibv_devinfo -v
	VERBENA_PERSONALITY=hfi1 expect '^hca_id:' ibv_devinfo -v
	VERBENA_FABRIC=- expect '^hca_id:' ibv_devinfo -v
done
use no-srq
expect 'max_srq:[[:space:]]+0$' ibv_devinfo -v

# Flags override the profile.
VERBENA_DEVICE_NAME=mlx5_7 VERBENA_PERSONALITY=hfi1 expect '^hca_id:[[:space:]]mlx5_7' ibv_devinfo

# One too many is refused.
export VERBENA_EXPLAIN=$work/explained
for name in tiny no-srq; do
	use "$name"
	preloaded timeout 60 /usr/bin/python3 programs/limits.py "$(preloaded ibv_devices |
		awk 'NR == 3 { print $1 }')" "$name"
done
grep -q 'all 4 QPs of the device exist' "$work/explained"
unset VERBENA_EXPLAIN

# Two processes, by device and port; a port without a link is of no use, and says so.
use mlx5
free_port
pair "$port" ibv_rc_pingpong -p "$port" -d mlx5_1 -- \
	ibv_rc_pingpong -p "$port" -d mlx5_0 localhost
grep -q 'remote address: *LID 0x000' "$client_out"
free_port
pair "$port" ib_write_bw -p "$port" -n 100 -d mlx5_1 -- \
	ib_write_bw -p "$port" -n 100 -d mlx5_1 localhost
use two-port
free_port
pair "$port" ibv_rc_pingpong -p "$port" -i 2 -m 2048 -- \
	ibv_rc_pingpong -p "$port" -i 2 -m 2048 localhost
free_port
pair "$port" ib_send_bw -p "$port" -n 100 -d mlx4_0 -i 2 -- \
	ib_send_bw -p "$port" -n 100 -d mlx4_0 -i 1 localhost
free_port
pair "$port" ibv_ud_pingpong -p "$port" -i 2 -s 1024 -- \
	ibv_ud_pingpong -p "$port" -i 2 -s 1024 localhost

# Whose host is there already gets its ports as they are, and is told if they are others.
kept() { # kept PROFILE: on one fabric, whose daemon stays
	VERBENA_FABRIC=kept VERBENA_IDLE=20 VERBENA_PROFILE=$1 preloaded ibv_devices >"$work/out" 2>&1
}
kept ''
kept ''
[[ $(grep -c '^verbena' "$work/out") == 0 ]]
kept "$VERBENA_SOURCE_DIR/profiles/port-down.yaml"
grep -qE '^verbena: port 0/1 stays as the first process of this host has made it, with GUID 0x[0-9a-f]+, LID 0x1 and a link that was up: ' \
	"$work/out"

# What is wrong with a profile is said, with its place.
printf 'devices:\n  - name: a\n    prots: []\n' >"$work/bad.yaml"
status=0
VERBENA_PROFILE=$work/bad.yaml preloaded ibv_devices >"$work/out" 2>&1 || status=$?
grep -q "bad.yaml: Unexpected key: prots, in mapping (line: 2" "$work/out"
status=0
"$VERBENA_BUILD_DIR/verbena" run --profile "$work/bad.yaml" -- true >"$work/out" 2>&1 || status=$?
[[ $status == 126 ]]
grep -q "bad.yaml: Unexpected key: prots" "$work/out"
"$VERBENA_BUILD_DIR/verbena" run --profile tiny --host cli -- ibv_devinfo >"$work/out" 2>&1 ||
	[[ ${runtime:-} ]]
