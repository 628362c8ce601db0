#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# verbena bench --stock can measure, by each of its ways. Not how good we are: a test may run beside
# others.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
verbena=${VERBENA_BUILD_DIR:?}/verbena

names=(start send-lat-8 send-lat-event read-lat-8)
if [[ $preload_library == *libasan* ]]; then
	echo 'what our library costs a program is not measured with a sanitizer in it'
else
	names+=(untouched)
fi
for name in "${names[@]}"; do
	status=0
	"$verbena" bench --stock --rounds 1 --json "$name" >"$XDG_RUNTIME_DIR/json" || status=$?
	if ((status > 1)) || ! python3 -c '
import json, sys
row = json.load(open(sys.argv[1]))
sys.exit(len(row) != 1 or row[0]["median"] == 0 or (row[0].get("ours", 1) <= 0))
' "$XDG_RUNTIME_DIR/json"; then
		echo "$name: status $status"
		cat "$XDG_RUNTIME_DIR/json"
		exit 1
	fi
done
