#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Deaths at any time: one of two processes under load is killed, fifty times (with VERBENA_LONG a
# thousand), and the other ends by itself, or is told so by its program; a stopped one goes on; the
# daemon dies while two talk. Nothing is left in the daemon.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail

deaths=50 seconds=600
[[ ! ${VERBENA_LONG:-} ]] || { deaths=1000 seconds=7000; }
[[ ${KILL_BOUNDED:-} ]] || KILL_BOUNDED=1 exec timeout "$seconds" bash "$0"
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

export VERBENA_IDLE=60
verbena=$VERBENA_BUILD_DIR/verbena
loads=('ib_send_bw -s 65536' 'ib_write_bw -s 1048576' 'ib_read_bw -s 65536' 'ib_write_bw -s 8'
	'ib_send_bw -s 4096 -q 16' 'ib_atomic_bw' 'ib_send_bw -b -s 20000' 'ib_write_bw -s 64 -q 4')

status() { # status EXPRESSION: of the fabric, in Python
	"$verbena" status --json | python3 -c "
import json, sys
fabric = json.load(sys.stdin)
print($1)"
}

processes() {
	status 'sum(len(host["processes"]) for host in fabric["hosts"])'
}

until_there_are() { # until_there_are COUNT: processes
	local tries=0
	until (($(processes) == $1)); do
		((++tries < 500))
	done
}

# start_pair SECONDS COMMAND...: $server and $sender; they have set up their connection.
start_pair() {
	local -a command=("${@:2}" -F -D "$1")
	free_port
	start h1 "$server_out" "${command[@]}" -p "$port"
	server=$!
	until listens "$port"; do
		kill -0 "$server"
	done
	: >"$client_out"
	start h2 "$client_out" "${command[@]}" -p "$port" localhost
	sender=$!
	until grep -q '#bytes' "$client_out"; do
		kill -0 "$sender"
	done
}

# The sender notices, by errors of its requests; a receiver of RC never does, nor does who waits for a
# message when all of its own have been acknowledged (ib_send_lat).
kill_one() { # kill_one ROUND
	local load=${loads[$1 % ${#loads[@]}]}
	# shellcheck disable=SC2086 # are several words
	start_pair 20 $load
	for ((i = 0; i < $1 % 4; i++)); do
		processes >"$XDG_RUNTIME_DIR/count"
	done
	if (($1 / ${#loads[@]} % 2)); then
		kill -KILL "$sender"
		kill -TERM "$server" 2>/dev/null || true # unless it has noticed already
	else
		kill -KILL "$server"
	fi
	ended_with "$sender"
	((ended)) || { echo "a sender whose peer was killed ended well: $load"; return 1; }
	ended_with "$server"
	until_there_are 0
}

start h0 "$XDG_RUNTIME_DIR/list" ibv_devinfo
ended_with $!
((ended == 0))
daemon=$(status 'fabric["pid"]')
for ((round = 0; round < deaths; round++)); do
	kill_one "$round"
done
[[ $(status 'fabric["pid"]') == "$daemon" ]]

# Who is stopped is neither dead nor late.
for load in 'ib_send_bw -s 65536' 'ib_read_bw -s 65536' 'ib_write_bw -s 64'; do
	for stopped in server sender; do
		# shellcheck disable=SC2086
		start_pair 2 $load
		kill -STOP "${!stopped}"
		for ((i = 0; i < 10; i++)); do
			(($(processes) == 2))
		done
		kill -CONT "${!stopped}"
		for process in "$sender" "$server"; do
			ended_with "$process"
			((ended == 0)) || { echo "stopped $stopped: $load"; cat "$client_out"; exit 1; }
		done
	done
done

# Who is connected needs no daemon.
start_pair 2 ib_send_bw -s 65536
kill -KILL "$daemon"
for process in "$sender" "$server"; do
	ended_with "$process"
	((ended == 0)) || { echo 'without a daemon:'; cat "$client_out"; exit 1; }
done
free_port
pair "$port" ibv_rc_pingpong -p "$port" -- ibv_rc_pingpong -p "$port" localhost
daemon=$(status 'fabric["pid"]')
kill "$daemon"
