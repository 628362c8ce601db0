#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# All public headers together, in C and C++, agree with docs/api/types.md; and scripts/api-types
# would notice if not.
set -euo pipefail
cd "${VERBENA_SOURCE_DIR:-$(dirname "$0")/../..}"

scripts/api-types

# None of our macros is a name that the C++ library uses, whichever comes first.
headers=$(cd include && printf '#include <%s>\n' linux/*.h asm/*.h rdma/*.h verbena/*.h)
compiles() {
	"$@" -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c++ -
}
printf '%s\n#include <bits/stdc++.h>\n' "$headers" | compiles g++ -std=c++20
printf '#include <bits/stdc++.h>\n%s\n' "$headers" | compiles g++ -std=c++17
if command -v clang++ >/dev/null; then
	printf '%s\n#include <bits/stdc++.h>\n' "$headers" | compiles clang++ -std=c++17
fi

table=$(mktemp)
trap 'rm -f "$table"' EXIT

notices() {
	sed "$1" docs/api/types.md >"$table"
	cmp -s "$table" docs/api/types.md && echo "nothing to change: $1" && exit 1
	if scripts/api-types "$table" >/dev/null; then
		echo "not noticed: $1"
		exit 1
	fi
}

notices 's/^| IB_WC_REG_MR | 8 /| IB_WC_REG_MR | 7 /'
notices 's/^| wc_flags | int |/| wc_flags | u32 |/'
