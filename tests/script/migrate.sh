#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Path migration between two processes, from one port to the other: who does not begin it follows.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc

work=$XDG_RUNTIME_DIR
gcc -std=gnu17 -Wall -Wextra -Werror -g -O1 -o "$work/migrate" programs/migrate.c -libverbs
VERBENA_PROFILE=$VERBENA_SOURCE_DIR/profiles/two-port.yaml preloaded "$work/migrate"
