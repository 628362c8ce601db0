#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# perftest between two processes: messages, over RC, UC and UD. (One message more than UC has receives
# posted is lost, as it must be, and perftest waits for it: its queues are long.)
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc
. ./perftest.inc

for service in RC UC UD; do
	for program in ib_send_lat ib_send_bw; do
		runs "$program" 200 "-c $service" "-c $service -e" "-c $service -I 64 -s 64" \
			"-c $service -s 8" "-c $service -m 256 -s 200" "-c $service -m 1024 -s 1000"
	done
	runs ib_send_bw 200 "-c $service -l 4" "-c $service -q 16" "-c $service -b" \
		"-c $service -b -e -s 512" "-c $service -q 4 -b -s 64"
done
for mtu in 256 512 1024 2048 4096; do
	runs ib_send_bw 200 "-m $mtu -s 10000" "-c UC -m $mtu -s 10000"
done
for service in RC UD; do
	runs ib_send_lat 200 "-c $service --use-srq"
	runs ib_send_bw 200 "-c $service --use-srq"
done
# With UD 16 senders together outrun the 512 receives of the SRQ: they are held back.
runs ib_send_bw 200 '--use-srq -q 16' '-c UD --use-srq -q 16' '-c UD -r 16'
runs ib_send_bw 200 '-r 16' '-Q 10 -t 64'
runs ib_send_lat 20 '-c UD -a'
runs ib_send_bw 20 '-a'
