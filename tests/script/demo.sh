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

# A managed subnet: the file arrives, ports count what goes by them, and a cable that is cut is gone round.
"$verbena" demo --mad --json | python3 -c '
import json, sys
report = json.load(sys.stdin)
assert report["sha256_equal"]
before, after = report["way"], report["way_after"]
assert [len(w) for w in (before, after)] == [7, 7], (before, after)
for way in before, after:
    assert way[0]["node"] == "h-0-0-0" and way[-1]["node"] == "h-5-2-2", way
    assert all(step["bytes"] > 4 << 20 for step in way[:-1]), way
cut = before[2]["node"], before[2]["port"]
assert cut not in [(step["node"], step["port"]) for step in after], after
last = [way[-2] for way in (before, after)]
assert last[0]["node"] == last[1]["node"] == "edge-5-2", last
assert last[1]["bytes"] - last[0]["bytes"] > 4 << 20, last
assert last[1]["packets"] - last[0]["packets"] >= 1024, last
'
"$verbena" demo --mad | grep 'SHA-256 equal' >/dev/null

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
