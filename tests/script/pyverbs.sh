#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# rdma-core's own tests, as Debian ships them (python3-pyverbs, rdma-core), in one process: each
# personality of tests/data/pyverbs/*.txt, in each of the three ways that commands travel.
# Nothing may fail, and the tests named there must pass: a new skip is noticed, too.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc

suite=/usr/share/doc/rdma-core/tests
data=${VERBENA_SOURCE_DIR:?}/tests/data/pyverbs
work=$XDG_RUNTIME_DIR
cp -r "$suite" "$work/tests" # this name: the tests import each other by it
gunzip "$work"/tests/*.gz

# Names of the tests with an outcome, from what unittest -v says.
outcome() {
	python3 - "$1" "$2" <<-'END'
		import re, sys
		text = open(sys.argv[2], encoding="utf-8", errors="replace").read()
		runs = re.split(r"^(?=\w+ \(tests\.)", text, flags=re.M)[1:]
		for run in runs:
		    name = re.match(r"\w+ \((tests\.[\w.]+)\)", run)
		    said = re.search(r" \.\.\. .*?\b(ok|skipped|FAIL|ERROR|expected failure)\b", run, re.S)
		    if name and said and said.group(1) == sys.argv[1]:
		        print(name.group(1))
	END
}

failed=0
for list in "$data"/*.txt; do
	personality=$(basename "$list" .txt)
	device=rxe0
	[[ $personality != hfi1* ]] || device=hfi1_0
	for mode in write invoke ioctl; do
		log=$work/$personality-$mode.log
		status=0
		(cd "$work" && VERBENA_PERSONALITY=$personality VERBENA_UABI_MODE=$mode \
			preloaded timeout 120 /usr/bin/python3 tests/run_tests.py \
			--dev "$device" -v) >"$log" 2>&1 || status=$?
		outcome ok "$log" | sort >"$work/passed"
		missing=$(grep -v '^#' "$list" | sort | comm -23 - "$work/passed")
		echo "$personality, $mode: $(wc -l <"$work/passed") passed, status $status"
		if ((status)) || [[ $missing ]]; then
			failed=1
			echo "$missing" | sed '/./s/^/did not pass: /'
			tail -n 60 "$log"
		fi
	done
done
exit $failed
