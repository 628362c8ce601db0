#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A program on the kernel's API, on a daemon's fabric, and a stock program on another of its hosts.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

export VERBENAD=$VERBENA_BUILD_DIR/verbenad
pong_server=$VERBENA_BUILD_DIR/examples/pong_server

meet() { # meet MESSAGES OPTION...: the options are ibv_rc_pingpong's
	free_port
	pair "$port" "${prefix[@]}" "$pong_server" "$port" "$1" -- \
		ibv_rc_pingpong -p "$port" -n "$1" "${@:2}" localhost
	grep -q "^$1 messages answered" "$server_out"
	grep -q "^$1 iters in" "$client_out"
}

prefix=(env -u LD_PRELOAD)
meet 1000
meet 200 -e
meet 100 -s 50000
prefix=() # two copies of the library in one process do not mind each other
meet 100

# Who has no daemon says so.
status=0
mkdir "$XDG_RUNTIME_DIR/none"
LD_PRELOAD='' VERBENAD=/nonexistent/verbenad XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR/none \
	timeout 60 "$pong_server" >"$server_out" 2>&1 || status=$?
((status == 1))
grep -q 'there is no program verbenad' "$server_out"
