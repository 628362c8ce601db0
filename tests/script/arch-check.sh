#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# ARCHITECTURE.md names only what exists, and scripts/arch-check would notice if not.
set -euo pipefail
cd "${VERBENA_SOURCE_DIR:-$(dirname "$0")/../..}"

scripts/arch-check

text=$(mktemp)
trap 'rm -f "$text"' EXIT

refuses() {
	printf '%s\n' "$1" >"$text"
	if scripts/arch-check "$text" >/dev/null; then
		echo "not noticed: $1"
		exit 1
	fi
}

accepts() {
	printf '%s\n' "$1" >"$text"
	scripts/arch-check "$text" || {
		echo "refused: $1"
		exit 1
	}
}

# shellcheck disable=SC2016 # backticks are what is tested
{
	accepts 'A test calls `test_run_once()` in `tests/common/harness.c`, then more.'
	accepts '`test_tick()`, `test_note_skip()` and `test_dies()` in `tests/common/harness.c`'
	accepts '| `test_torture()` | `tests/common/torture.c` |'
	refuses '`test_torture()` in `tests/common/harness.c`'
	refuses '`test_tick()`, `test_gone()` and `test_dies()` in `tests/common/harness.c`'
	refuses '| `test_run_once()` | `tests/common/torture.c` |'
	refuses 'Somebody calls `test_gone()`.'
	refuses 'See `tests/common/gone.c`.'
}
