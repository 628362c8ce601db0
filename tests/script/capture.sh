#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A capture of a managed subnet: tshark takes every packet for what it is, and none for malformed.
set -euo pipefail
verbena=${VERBENA_BUILD_DIR:?}/verbena
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v tshark >/dev/null || { echo 'no tshark' && exit 77; }
export HOME=$work # no settings of the user's

"$verbena" demo --mad --json --capture "$work/demo.pcap" >/dev/null

count() { # FILTER: packets that match
	tshark -r "$work/demo.pcap" -Y "$1" -T fields -e frame.number 2>/dev/null | wc -l
}

at_least() { # NUMBER FILTER
	local n
	n=$(count "$2")
	[[ $n -ge $1 ]] || { echo "$2: $n packets, not $1 or more" && exit 1; }
}

[[ $(count '_ws.malformed') == 0 ]]
[[ $(count 'infiniband') == $(count 'frame') ]]
at_least 99 'infiniband.mad.mgmtclass == 0x81 && infiniband.mad.method == 0x01 && infiniband.mad.attributeid == 0x11'
at_least 99 'infiniband.mad.mgmtclass == 0x81 && infiniband.mad.method == 0x81 && infiniband.mad.attributeid == 0x11'
at_least 45 'infiniband.mad.mgmtclass == 0x81 && infiniband.mad.method == 0x02 && infiniband.mad.attributeid == 0x19'
at_least 1 'infiniband.mad.method == 0x05 && infiniband.mad.attributeid == 0x02'
at_least 1 'infiniband.mad.method == 0x07 && infiniband.mad.attributeid == 0x02'
at_least 4900 'infiniband.mad.mgmtclass == 0x32'
at_least 12 'infiniband.mad.mgmtclass == 0x04 && infiniband.mad.method == 0x81'
at_least 2048 'infiniband.bth.opcode >= 0x06 && infiniband.bth.opcode <= 0x0a'
at_least 2 'infiniband.bth.opcode == 0x11'

status=0
"$verbena" demo --mad --capture "$work/absent/demo.pcap" 2>"$work/err" >/dev/null || status=$?
[[ $status == 1 ]] && grep -q 'No such file' "$work/err"
