#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A program does with signals, threads and children what it likes: none of it hangs, kills it, or takes
# our handlers away, on a fabric of its own and on a daemon's.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc

work=$XDG_RUNTIME_DIR
gcc -std=gnu17 -Wall -Wextra -Werror -g -O1 -pthread -o "$work/rude" programs/rude.c -libverbs
for fabric in - rude; do
	for way in signals cancel fork handler mask; do
		VERBENA_FABRIC=$fabric preloaded "$work/rude" "$way" >"$work/out" 2>&1 && continue
		echo "rude $way on fabric $fabric: status $?"
		cat "$work/out"
		exit 1
	done
done
