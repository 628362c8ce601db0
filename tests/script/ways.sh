#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Data of stock programs goes where the tables of switches say: it is counted on every hop, ends where there is no
# way, with a reason, goes round a cable that was cut, and meets what cables do to packets. Old ways are good while
# there is no daemon.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
[[ ${WAYS_BOUNDED:-} ]] || WAYS_BOUNDED=1 exec timeout 280 bash "$0"
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

work=$XDG_RUNTIME_DIR
verbena=$VERBENA_BUILD_DIR/verbena
# The most distant hosts of the topology: six cables between them.
from=h-0-0-0 to=h-3-1-1 packets=500

fail() {
	echo "$1"
	shift
	head -50 "$@"
	exit 1
}

finish() {
	"$verbena" fabric down --force >"$work/end" 2>&1 || true
	clean_up
}
trap finish EXIT

# The two ends of pair.inc, on hosts of the topology; the client sends.
on_host() {
	local host=$1
	[[ $host == h1 ]] && host=$to
	[[ $host == h2 ]] && host=$from
	export VERBENA_HOST=$host LD_PRELOAD=$preload_library
	exec timeout "$pair_seconds" "${@:2}"
}

exchange() { # exchange COMMAND...
	free_port
	pair "$port" "$@" -F -p "$port" -- "$@" -F -p "$port" localhost
}

counters() { # counters FILE: of all ports
	"$verbena" fabric show --json >"$1"
}

# has_grown BEFORE AFTER EXPRESSION...: each is true of d(NODE, PORT, COUNTER), by how much it has grown, of
# cables, a list of (node, port, other node, port), and of way(COUNTER), the ports where it has grown.
has_grown() {
	/usr/bin/python3 - "$@" <<'PYTHON'
import json, sys
before, after = ({(n["name"], p["number"]): p for n in json.load(open(f))["nodes"] for p in n["ports"]}
                 for f in sys.argv[1:3])
def d(node, port, counter):
    return after[node, port]["counters"][counter] - before[node, port]["counters"][counter]
cables = [(n, p, v["peer"]["name"], v["peer"]["port"]) for (n, p), v in after.items() if "peer" in v]
def way(counter):
    return [at for at in after if d(*at, counter)]
for wanted in sys.argv[3:]:
    if not eval(wanted):
        print("not:", wanted, [(at, {c: d(*at, c) for c in after[at]["counters"] if d(*at, c)}) for at in after
                               if any(d(*at, c) for c in after[at]["counters"])])
        sys.exit(1)
PYTHON
}

grown() { # the same, or the test has failed
	has_grown "$@" || fail "not so between $1 and $2" /dev/null
}

# What leaves by one end of a cable comes in at the other.
whole='all(d(n, p, "xmit_"+x) == d(m, q, "rcv_"+x) for n, p, m, q in cables for x in ("data", "packets"))'

"$verbena" topo fat-tree 4 >"$work/plan"
"$verbena" fabric up --topology "$work/plan"
LID=$(VERBENA_HOST=$to preloaded ibv_devinfo | sed -nE 's/.*port_lid:\s+//p')

# Exactly what was sent, at each of twelve ports, and nowhere else: 4096 bytes, LRH, BTH, RETH, ICRC.
counters "$work/0"
exchange ib_write_bw -c UC -s 4096 -n $packets
counters "$work/1"
grown "$work/0" "$work/1" "$whole" "d('$from', 1, 'xmit_packets') == $packets" \
	"d('$to', 1, 'rcv_packets') == $packets" "d('$to', 1, 'rcv_data') == $packets * 1034" \
	'len(way("xmit_packets")) == 6 and len(way("rcv_packets")) == 6' \
	'any(n.startswith("core-") for n, p in way("rcv_packets"))'

# Placed directly, with answers and without; through the ring.
exchange ib_write_bw -s 65536 -n $packets
counters "$work/2"
grown "$work/1" "$work/2" "$whole" "d('$from', 1, 'xmit_packets') == 16 * $packets" \
	"d('$to', 1, 'rcv_data') == 16 * $packets * 1030 + 4 * $packets"
exchange ib_read_bw -s 8192 -n $packets
counters "$work/3"
grown "$work/2" "$work/3" "$whole" "d('$to', 1, 'xmit_packets') == 2 * $packets" \
	"d('$from', 1, 'xmit_packets') >= $packets"
exchange ib_send_bw -s 8192 -n $packets
counters "$work/4"
grown "$work/3" "$work/4" "$whole" "d('$from', 1, 'xmit_packets') == 2 * $packets" \
	"0 < d('$to', 1, 'xmit_packets') <= $packets"

# PMA says the same to who asks for it by MADs, where programs may.
if VERBENA_HOST=$from preloaded perfquery -x "$LID" 1 >"$work/pma" 2>&1; then
	rcv=$(sed -nE 's/^PortRcvPkts:\.*//p' "$work/pma")
	counters "$work/5"
	grown "$work/4" "$work/5" "after['$to', 1]['counters']['rcv_packets'] - $rcv in range(3)"
fi

# A cable on the way is cut while data goes over it: after the sweep it goes another way.
core=$(/usr/bin/python3 -c '
import json, sys
a, b = ({(n["name"], p["number"]): p["counters"]["rcv_packets"] for n in json.load(open(f))["nodes"] for p in n["ports"]} for f in sys.argv[1:])
print(*max(a, key=lambda at: (b[at] - a[at]) * at[0].startswith("core-")))' "$work/3" "$work/4")
for program in ib_send_bw ib_write_bw; do
	pair_seconds=60
	free_port
	serve "$port" $program -F -D 4 -s 4096 -p "$port"
	start $from "$work/flow" $program -F -D 4 -s 4096 -p "$port" localhost
	flow=$!
	counters "$work/0"
	end=$((SECONDS + 30)) cut=0
	until ((cut)); do
		((SECONDS < end)) || fail "nothing goes over $core" "$work/flow"
		counters "$work/1"
		# shellcheck disable=SC2086 # a node and a port
		set -- $core
		if has_grown "$work/0" "$work/1" "d('$1', $2, 'rcv_packets') > 100" >"$work/said"; then
			cut=1
		fi
	done
	"$verbena" fabric link "$1" "$2" cut
	counters "$work/1"
	ended_with "$flow"
	((ended == 0)) || fail "$program did not survive a cable" "$work/flow"
	ended_with "$server"
	((ended == 0)) || fail "$program's server did not survive a cable" "$server_out"
	counters "$work/2"
	grown "$work/1" "$work/2" "not d('$1', $2, 'rcv_packets')" "d('$to', 1, 'rcv_packets') > 100"
	grown "$work/0" "$work/2" "$whole"
	"$verbena" fabric link "$1" "$2" mend
done

# No way to the peer: it is said where that ends, and nothing arrives.
for spine in 3 4; do
	"$verbena" fabric link edge-3-1 $spine cut
done
counters "$work/0"
free_port
serve "$port" ib_write_bw -F -n 5 -p "$port"
status=0
client ib_write_bw -F -n 5 -p "$port" localhost || status=$?
((status)) || fail "an unrouted fabric moves data" "$client_out"
kill "$server" 2>/dev/null || true
ended_with "$server"
# shellcheck disable=SC2059 # a pattern
printf -v reason '(has no route for LID 0x%x|what is sent to LID 0x%x ends at port [0-9]+ of .*not Active)' "$LID" "$LID"
grep -qE "$reason" "$client_out" || fail "it does not say why" "$client_out"
counters "$work/1"
grown "$work/0" "$work/1" "not d('$to', 1, 'rcv_packets')" \
	'any(d(n, p, "relay_errors") + d(n, p, "xmit_discards") for n, p, m, q in cables)'
for spine in 3 4; do
	"$verbena" fabric link edge-3-1 $spine mend
done
end=$((SECONDS + 30))
until exchange ib_write_bw -n 5 >"$work/again" 2>&1; do
	((SECONDS < end)) || fail "it does not go on" "$work/again"
done

# A cable that loses packets: all is sent again, and errors are counted where the cable ends.
"$verbena" fabric link $from 1 loss 20000
counters "$work/0"
exchange ib_send_bw -s 4096 -n 2000
exchange ib_write_bw -s 4096 -n 500
counters "$work/1"
grown "$work/0" "$work/1" 'd("edge-0-0", 1, "rcv_errors") > 10' "d('$from', 1, 'xmit_packets') > 2500" \
	"d('$to', 1, 'rcv_packets') >= 2500" \
	'not any(d(n, p, "rcv_errors") for n, p, m, q in cables if "edge-0-0" != n and n != "'$from'")'
"$verbena" fabric link $from 1 mend

# A cable that is slow: nobody hears earlier.
"$verbena" fabric link $to 1 delay 2ms
for program in ib_send_lat ib_write_lat; do
	exchange $program -n 20
	awk '/^ [0-9]/ { rows++; if ($3 < 2000) bad = 1 } END { exit bad || rows != 1 }' "$client_out" ||
		fail "$program is too quick" "$client_out"
done
"$verbena" fabric link $to 1 mend
exchange ib_write_lat -n 20

# The daemon is killed while data goes: the way is good, and what was counted meanwhile is counted by the next.
free_port
serve "$port" ib_send_bw -F -D 3 -s 4096 -p "$port"
start $from "$work/flow" ib_send_bw -F -D 3 -s 4096 -p "$port" localhost
flow=$!
counters "$work/0"
end=$((SECONDS + 30))
until counters "$work/1" && has_grown "$work/0" "$work/1" "d('$to', 1, 'rcv_packets') > 100" >"$work/said"; do
	((SECONDS < end)) || fail "nothing goes" "$work/flow"
done
kill -9 "$(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pid"])' "$work/1")"
ended_with "$flow"
((ended == 0)) || fail "it did not survive the daemon" "$work/flow"
ended_with "$server"
counters "$work/2"
grown "$work/1" "$work/2" 'any(after[n, p]["counters"]["rcv_packets"] > 1000 for n, p in after if n.startswith("core-"))'
exchange ib_write_bw -n 100
