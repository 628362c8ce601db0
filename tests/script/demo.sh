#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The main job: every transfer equal, and the provoked error explained.
set -euo pipefail
verbena=${VERBENA_BUILD_DIR:?}/verbena
file=$(mktemp)
trap 'rm -f "$file"' EXIT
head -c 3000001 /dev/urandom >"$file"

"$verbena" demo --json "$file" | python3 -c '
import json, sys
report = json.load(sys.stdin)
rows = report["transfers"]
assert len(rows) == 6, rows
assert all(row["sha256_equal"] and row["bytes"] == 3000001 for row in rows), rows
assert all(row["packets"] >= 3000001 // 4096 for row in rows), rows
assert all(row["dropped"] == 0 for row in rows if row["fabric"] == "clean"), rows
assert sum(row["dropped"] for row in rows) > 0, rows
error = report["explained_error"]
assert "REM_ACCESS_ERR" in error and "REMOTE_READ" in error and "16 bytes written" in error, error
assert not report["failed"]
'

# What is no file, or an empty one, is refused with a sentence.
for path in /nonexistent /tmp /dev/null; do
	status=0
	"$verbena" demo "$path" 2>"$file" >/dev/null || status=$?
	[[ $status == 2 ]] && grep -q "$path" "$file"
done
"$verbena" --help | grep bench >/dev/null
status=0
"$verbena" nonsense 2>/dev/null || status=$?
[[ $status == 2 ]]
