#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Each example runs and says what it should.
set -euo pipefail
examples=${VERBENA_BUILD_DIR:?}/examples

expect() { # command, then lines that must appear
	local output
	output=$(eval "$1")
	shift
	for line in "$@"; do
		grep -qF -- "$line" <<<"$output" || {
			printf 'missing: %s\nin:\n%s\n' "$line" "$output"
			exit 1
		}
	done
}

expect "$examples/pingpong" 'alpha got: pong'
expect "$examples/first_mad" 'port 1 of verbena0 hangs on: rack-1'
expect "$examples/mad_table" 'alpha got: a table of 10000 bytes'
expect "$examples/srq_server" '400 requests answered, their sum is 20200'
expect "$examples/ulp" 'page 0: written by the peer' 'key taken back: yes' 'has been invalidated'
expect "VERBENA_LOG=6 $examples/ulp 2>&1" 'ulp: verbena1: added' 'ulp: verbena1: removed'
expect "$examples/ud_multicast" "host1 got 'hello, all'" "host3 got 'hello, all'"
expect "$examples/transfer $examples/pingpong" 'SEND' 'RDMA READ' 'equal'
if "$examples/transfer" /nonexistent 2>/dev/null; then
	echo 'a file that is not there was transferred'
	exit 1
fi
