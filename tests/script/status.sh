#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Counters in sysfs count what a program has sent, for all processes of a host, dead ones included; verbena
# status shows a program's queue pairs while it runs, what they died of, and nobody afterwards.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc
# shellcheck disable=SC1091
. ./pair.inc
: "${port:?}" "${client_out:?}"
export VERBENA_IDLE=60 VERBENA_PROFILE=$VERBENA_SOURCE_DIR/profiles/two-port.yaml VERBENA_EXPLAIN=0
verbena=$VERBENA_BUILD_DIR/verbena
work=$XDG_RUNTIME_DIR

counter() { # counter HOST PORT NAME
	VERBENA_HOST=$1 preloaded cat "/sys/class/infiniband/mlx4_0/ports/$2/$3"
}

between() { # between VALUE LEAST MOST WHAT
	(($1 >= $2 && $1 <= $3)) && return
	echo "$4: $1 is not between $2 and $3"
	exit 1
}

iterations=200 bytes=65536
declare -A before
names=(counters/port_xmit_data counters/port_rcv_data counters/port_xmit_packets
	counters/unicast_rcv_packets hw_counters/sent_pkts hw_counters/rcvd_pkts)
for host in h1 h2; do
	for name in "${names[@]}"; do
		before[$host/$name]=$(counter "$host" 2 "$name")
	done
done
free_port
pair "$port" ib_send_bw -p "$port" -i 2 -s $bytes -n $iterations -- \
	ib_send_bw -p "$port" -i 2 -s $bytes -n $iterations localhost
declare -A more
for host in h1 h2; do
	for name in "${names[@]}"; do
		more[$host/$name]=$(($(counter "$host" 2 "$name") - ${before[$host/$name]}))
	done
done

# MTU 2048: 32 packets each, of 24 bytes of headers and CRC. Both processes are dead by now.
words=$((iterations * (bytes + 32 * 24) / 4))
between "${more[h2/counters/port_xmit_data]}" $words $((words + words / 100)) "sent words"
between "${more[h1/counters/port_rcv_data]}" $words $((words + words / 100)) "received words"
between "${more[h2/counters/port_xmit_packets]}" $((iterations * 32)) $((iterations * 33)) \
	"sent packets"
[[ ${more[h2/counters/port_xmit_data]} == "${more[h1/counters/port_rcv_data]}" ]]
[[ ${more[h2/counters/port_xmit_packets]} == "${more[h1/counters/unicast_rcv_packets]}" ]]
[[ ${more[h1/counters/port_xmit_data]} == "${more[h2/counters/port_rcv_data]}" ]]
[[ ${more[h2/counters/port_xmit_packets]} == "${more[h2/hw_counters/sent_pkts]}" ]]
[[ ${more[h1/counters/unicast_rcv_packets]} == "${more[h1/hw_counters/rcvd_pkts]}" ]]
[[ $(counter h2 1 counters/port_xmit_data) == 0 ]]
[[ $(counter h2 1 counters/symbol_error) == 0 ]]

# A datagram to a group counts as such; a directory that is open is no way round.
[[ $(counter h2 2 counters/multicast_xmit_packets) == 0 ]]
VERBENA_HOST=h2 preloaded /usr/bin/python3 - "$(counter h2 2 counters/port_xmit_data)" <<'END'
import os, sys
fd = os.open("/sys/class/infiniband/mlx4_0/ports/2", os.O_RDONLY | os.O_DIRECTORY)
with open(os.open("counters/port_xmit_data", os.O_RDONLY, dir_fd=fd)) as f:
    assert f.read() == sys.argv[1] + "\n"
END

# Who keeps files open reads what is so now: by lseek() and by pread(), of counters and of a state.
coproc keeper { VERBENA_HOST=h2 preloaded /usr/bin/python3 programs/kept_open.py; }
keeper_pid=${keeper_PID:?}
read -r -t 60 line <&"${keeper[0]}"
[[ $line == open ]]
free_port
pair "$port" ib_send_bw -p "$port" -i 2 -n 10 -- ib_send_bw -p "$port" -i 2 -n 10 localhost
echo >&"${keeper[1]}"
wait "$keeper_pid"

# A program while it runs, and when its peer has died.
status() { # status EXPRESSION: of python3, on the queue pairs of h2's program, until it is true
	local tries
	for ((tries = 0; tries < 200; tries++)); do
		"$verbena" status --json >"$work/status" || return 1
		if /usr/bin/python3 - "($1)" "$work/status" <<-'END'; then
			import json, sys
			with open(sys.argv[2]) as f:
			    hosts = {h["name"]: h for h in json.load(f)["hosts"]}
			processes = [p for h in hosts.values() for p in h["processes"]]
			programs = [p for p in processes if p["command"] == "ib_send_bw"]
			qps = [q for p in programs for q in p["qps"]]
			sys.exit(not eval(sys.argv[1]))
		END
			return 0
		fi
	done
	echo "never came true: $1"
	cat "$work/status"
	return 1
}

free_port
serve "$port" ib_send_bw -p "$port" -i 2 -D 30 -s 4096
server=${server:?}
on_host h2 ib_send_bw -p "$port" -i 2 -D 30 -s 4096 localhost >"$client_out" 2>&1 &
client=$!
status 'len(programs) == 2 and len(qps) == 2 and
	{q["state"] for q in qps} <= {"RTR", "RTS"} and
	any(q["posted"] > 100 and q["completed"] > 0 for q in qps) and
	any(q["received"] > 100 for q in qps) and
	all(q["type"] == "RC" and q["port"] == 2 and q["cause"] is None for q in qps) and
	qps[0]["dest_qpn"] == qps[1]["number"] and qps[1]["dest_qpn"] == qps[0]["number"] and
	hosts["h1"]["devices"][0]["name"] == "mlx4_0" and
	hosts["h2"]["devices"][0]["ports"][1]["sent_packets"] > 6400'
"$verbena" status >"$work/table"
grep -q '^host h1$' "$work/table"
grep -qE '^    QP 0x[0-9a-f]{6} RC +RTS +port 0/2 to 0x' "$work/table"
# By their own ids: what the shell knows is timeout(1).
mapfile -t pids < <(/usr/bin/python3 - "$work/status" <<-'END'
	import json, sys
	with open(sys.argv[1]) as f:
	    print(*(p["pid"] for h in json.load(f)["hosts"] for p in h["processes"]), sep="\n")
END
)
kill -9 "${pids[@]}"
wait "$server" || true
wait "$client" || true
status 'not processes and hosts["h1"]["devices"][0]["name"] == "mlx4_0"'

# What a queue pair died of.
VERBENA_HOST=h3 preloaded /usr/bin/python3 programs/dead_qp.py "$verbena" >"$work/dead"
grep -q 'RDMA_WRITE -> REM_INV_REQ_ERR: .*found by the responder' "$work/dead"
