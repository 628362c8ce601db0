#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# What is full. There is room for as many objects as the device promises, one more is refused with
# ENOMEM and a line that says why, and when they are gone there is room again. A process without a free
# descriptor, or without memory, meets nobody new until it has one.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc

work=$XDG_RUNTIME_DIR
gcc -std=gnu17 -Wall -Wextra -Werror -g -O1 -o "$work/full" programs/full.c -libverbs

preloaded "$work/full" 2>"$work/lines"
for line in 'all [0-9]* PDs' 'all [0-9]* memory regions' 'all [0-9]* windows' 'all [0-9]* address handles' \
	'all [0-9]* SRQs' 'all 512 multicast groups'; do
	(($(grep -c "$line" "$work/lines") == 2)) || { echo "not twice: $line" && cat "$work/lines" && exit 1; }
done

# Two who cannot meet for want of room.
gcc -std=gnu17 -Wall -Wextra -Werror -g -O1 -o "$work/crowded" programs/crowded.c -libverbs
for what in files memory; do
	for who in sender receiver; do
		preloaded "$work/crowded" "$what" "$who" 2>"$work/lines" ||
			{ echo "no room for $what at the $who" && cat "$work/lines" && exit 1; }
		grep -q 'cannot be met: there is no room' "$work/lines"
	done
done
