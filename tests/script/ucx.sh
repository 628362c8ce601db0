#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# UCX between two processes, over RC and over UD; and libfabric's list of what there is.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

shows() { # shows PATTERN COMMAND...: its output has the pattern
	if ! client "${@:2}" || ! grep -qE -- "$1" "$client_out"; then
		echo "expected '$1' of: ${*:2}"
		cat "$client_out"
		return 1
	fi
}

shows '^# +Transport: rc_verbs' ucx_info -d
shows '^# +Transport: ud_verbs' ucx_info -d
shows 'domain: rxe0$' fi_info -p verbs
shows 'domain: rxe0-dgram$' fi_info -p verbs

export UCX_NET_DEVICES=rxe0:1
perftest() { # perftest TEST BYTES OPTION...
	free_port
	pair "$port" ucx_perftest -p "$port" -- \
		ucx_perftest -p "$port" -t "$1" -s "$2" -n 200 -w 10 "${@:3}" localhost
	awk '/^Final:/ { sane = $2 == 200 && $5 > 0 && $9 > 0 } END { exit !sane }' "$client_out" && return
	echo "no sane report: $*"
	cat "$client_out"
	return 1
}

for transport in rc_verbs ud_verbs; do
	# Connections over RC are set up over UD.
	export UCX_TLS=$transport,self
	[[ $transport == ud_verbs ]] || UCX_TLS+=,ud_verbs:aux
	for test in tag_{lat,bw} tag_sync_lat stream_{lat,bw} ucp_am_{lat,bw} ucp_{put_lat,put_bw,get}; do
		perftest "$test" 8
		perftest "$test" 100000
	done
	for test in ucp_{add,fadd,swap,cswap}; do
		perftest "$test" 4
		perftest "$test" 8
	done
	for test in am_lat am_bw; do
		perftest "$test" 8 -d rxe0:1 -x "$transport"
	done
done
for test in put_lat put_bw; do
	perftest "$test" 8 -d rxe0:1 -x rc_verbs
done
perftest get 1000 -d rxe0:1 -x rc_verbs -D bcopy
for test in add_lat add_mr fadd cswap; do
	perftest "$test" 8 -d rxe0:1 -x rc_verbs
done
