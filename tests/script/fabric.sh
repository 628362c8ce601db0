#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Stock programs on a fabric that has a topology: their ports are those of its hosts, they hear what befalls
# their cables, and the next daemon knows all of it. What makes no sense is refused with a reason.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
[[ ${FABRIC_BOUNDED:-} ]] || FABRIC_BOUNDED=1 exec timeout 250 bash "$0"
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

work=$XDG_RUNTIME_DIR
verbena=$VERBENA_BUILD_DIR/verbena
# The most distant hosts of the topology.
first=h-0-0-0 last=h-3-1-1

fail() {
	echo "$1"
	shift
	head -50 "$@"
	exit 1
}

await() { # await FILE PATTERN [COUNT]
	local end=$((SECONDS + 30)) count=0
	until ((${count:-0} >= ${3:-1})); do
		((SECONDS < end)) || fail "no '$2'" "$1"
		count=$(grep -cE "$2" "$1" 2>/dev/null || true)
	done
}

refused() { # refused STATUS PATTERN ARGUMENT...: verbena fabric says why not
	local status=0
	"$verbena" fabric "${@:3}" >"$work/said" 2>&1 || status=$?
	[[ $status == "$1" ]] || fail "verbena fabric ${*:3}: status $status" "$work/said"
	grep -qE -- "$2" "$work/said" || fail "verbena fabric ${*:3}: no '$2'" "$work/said"
}

shows() { # shows NODE PATTERN: soon
	local end=$((SECONDS + 30))
	until "$verbena" fabric show "$1" >"$work/shown" && grep -qE "$2" "$work/shown"; do
		((SECONDS < end)) || fail "$1 does not show '$2'" "$work/shown"
	done
}

info() { # info HOST: what ibv_devinfo says
	VERBENA_HOST=$1 preloaded ibv_devinfo -v >"$work/info" 2>&1 || fail "no device on $1" "$work/info"
}

lid_of() {
	info "$1"
	sed -nE 's/.*port_lid:\s+//p' "$work/info"
}

daemon() {
	"$verbena" fabric show --json | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])'
}

# The two ends of pair.inc, on hosts of the topology.
on_host() {
	local host=$1
	[[ $host == h1 ]] && host=$first
	[[ $host == h2 ]] && host=$last
	export VERBENA_HOST=$host LD_PRELOAD=$preload_library
	exec timeout "$pair_seconds" "${@:2}"
}

exchange() { # ping COMMAND...: between the most distant hosts
	free_port
	pair "$port" "$1" -p "$port" "${@:2}" -- "$1" -p "$port" "${@:2}" localhost
}

# A daemon that has a topology ends when it is told to.
finish() {
	"$verbena" fabric down --force >"$work/end" 2>&1 || true
	clean_up
}
trap finish EXIT

refused 1 'is not up' show
refused 1 'is not up' down
refused 2 'what shall be done' --json
refused 2 'make no sense: up' up
refused 2 'make no sense: link' link edge-0-0 1 bend
refused 2 'make no sense: link' link edge-0-0 1 delay 5
refused 2 'make no sense: host' host h-0-0-0
refused 1 'No such file' up --topology /nowhere
printf 'Switch 4 "s"\n[1] "h"[1]\n' >"$work/bad"
refused 1 'bad:2: no node is called "h"' up --topology "$work/bad"
printf 'Ca 1 "a"\n[1] "b"[1]\nCa 1 "b"\n' >"$work/bad"
refused 1 'no switch' up --topology "$work/bad"
printf 'caguid=0x1\nCa 1 "a"\n[1] "s"[1]\ncaguid=0x1\nCa 1 "b"\n[1] "s"[2]\nSwitch 4 "s"\n' >"$work/bad"
refused 1 'bad:[0-9]+: .' up --topology "$work/bad"
[[ -z $(ls "$work/verbena") ]] || fail "files are left" <(ls "$work/verbena")

"$verbena" topo fat-tree 4 >"$work/plan"
"$verbena" fabric up --topology "$work/plan"
refused 1 'up already' up --topology "$work/plan"
refused 1 'no node' show nobody
refused 1 'no node' link nobody 1 cut
refused 1 'no cable at port 9' link edge-0-0 9 cut
refused 1 'no such host.*h-0-0-0' host nobody kill
refused 1 'at most 1000000' link edge-0-0 1 loss 1000001
"$verbena" status >"$work/status"
grep -q '^fabric default, daemon [0-9]*, with a topology$' "$work/status" || fail "what status says" "$work/status"
"$verbena" fabric show >"$work/shown"
grep -q ': 36 nodes, 48 cables$' "$work/shown" || fail "what show says" "$work/shown"
[[ $(grep -c 'ACTIVE' "$work/shown") == 16 ]] || fail "not all hosts are up" "$work/shown"
[[ $(grep -c '4 ports, 4 with a cable, 4 active' "$work/shown") == 20 ]] || fail "switches" "$work/shown"

# Ports are those of the topology.
info $first
for line in 'state:\s+PORT_ACTIVE' 'sm_lid:\s+[1-9]' 'port_lid:\s+[1-9]' 'active_mtu:\s+4096' 'active_width:\s+4X' \
	'node_guid:\s+0200:5601:0000:0000' 'GID\[\s*0\]:\s+fe80:.*0200:5601:0000:0001' 'phys_state:\s+LINK_UP'; do
	grep -qE "$line" "$work/info" || fail "no $line" "$work/info"
done
status=0
VERBENA_HOST=nobody preloaded ibv_devinfo >"$work/info" 2>&1 || status=$?
((status)) || fail "a host that is not there" "$work/info"
grep -q 'no such host, but others: h-0-0-0' "$work/info" || fail "nobody says why" "$work/info"
exchange ib_write_bw -n 200
exchange ibv_rc_pingpong -g 0 -n 100

# What befalls its own cable a host's process hears; a cable in the middle is no concern of it.
start $first "$work/watch" ibv_asyncwatch
watch=$!
await "$work/watch" 'async event'
"$verbena" fabric link core-0 1 cut
shows core-0 'port 1 +DOWN .* cut$'
"$verbena" fabric link $first 1 cut
await "$work/watch" PORT_ERR
info $first
grep -qE 'state:\s+PORT_DOWN' "$work/info" || fail "it is not down" "$work/info"
"$verbena" fabric link $first 1 mend
await "$work/watch" PORT_ACTIVE
"$verbena" fabric host $first kill
await "$work/watch" PORT_ERR 2
shows $first 'without power'
"$verbena" fabric host $first start
await "$work/watch" PORT_ACTIVE 2
[[ $(grep -c event_type "$work/watch") == 4 ]] || fail "events that there were not" "$work/watch"
exchange ib_send_bw -n 200
"$verbena" fabric link core-0 1 mend
shows core-0 'port 1 +ACTIVE'

# The next daemon has it all, whoever starts it: connections go on, LIDs stay, what is broken is so.
"$verbena" fabric link aggr-1-0 1 cut
"$verbena" fabric link aggr-1-0 2 loss 7
"$verbena" fabric host h-1-1-1 kill
before=$(lid_of h-1-1-0) killed=$(lid_of h-1-1-1)
free_port
serve "$port" ib_write_bw -p "$port" -D 3
on_host h2 ib_write_bw -p "$port" -D 3 localhost >"$client_out" 2>&1 &
client=$!
until "$verbena" status | grep ' RC  *RTS .*completed [1-9]' >/dev/null; do
	kill -0 "$client" 2>/dev/null || fail "it has ended" "$client_out"
done
old=$(daemon)
kill -9 "$old"
await "$work/watch" CLIENT_REREGISTER
[[ $(daemon) != "$old" ]]
[[ $(lid_of h-1-1-0) == "$before" && $(lid_of h-1-1-1) == "$killed" ]] || fail "other LIDs" "$work/info"
grep -qE 'state:\s+PORT_DOWN' "$work/info" || fail "it has its power back" "$work/info"
shows aggr-1-0 'port 1 +DOWN .* cut$'
shows aggr-1-0 'port 2 +ACTIVE .* loss 7 ppm$'
wait "$client" || fail "the connection has not survived" "$client_out"
wait "$server" || fail "the connection has not survived" "$server_out"
"$verbena" fabric host h-1-1-1 start
shows h-1-1-1 "port 1 +ACTIVE lid $killed "

# It ends when it is told to, and nothing is left. Who is attached hears that there is to be no other.
refused 1 '1 processes are attached' down
"$verbena" fabric down --force
await "$work/watch" 'brought down'
[[ -z $(ls "$work/verbena") ]] || fail "files are left" <(ls "$work/verbena")
kill "$watch"
"$verbena" fabric up --topology "$work/plan"
"$verbena" fabric down
[[ -z $(ls "$work/verbena") ]] || fail "files are left" <(ls "$work/verbena")

# One that is one switch has nothing to show.
expect 'PORT_ACTIVE' env VERBENA_IDLE=20 VERBENA_HOST=h1 ibv_devinfo
refused 1 'one switch' show
refused 1 'one switch' link a 1 cut
refused 1 'up already' up --topology "$work/plan"
"$verbena" fabric down
[[ -z $(ls "$work/verbena") ]]
