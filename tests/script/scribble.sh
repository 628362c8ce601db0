#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A peer that has lost its mind: nonsense in the memory that two processes share, under load. Their
# connection may break; nobody crashes, a sender ends, and a third and a fourth process, on the same
# hosts, notice nothing.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

export VERBENA_IDLE=60 VERBENA_EXPLAIN=0
places=500
verbena=$VERBENA_BUILD_DIR/verbena
loads=('ib_send_bw -s 65536' 'ib_write_bw -s 1048576' 'ib_read_bw -s 65536' 'ib_write_bw -s 8'
	'ib_send_bw -s 4096 -q 16' 'ib_atomic_bw' 'ib_send_bw -b -s 20000' 'ib_send_bw -c UD -s 1000')

alive() { # alive PROCESS FILE: what it had to say, if not
	kill -0 "$1" 2>/dev/null || { cat "$2" && return 1; }
}

crashed() { # crashed STATUS: by a signal that is a fault of its own
	(($1 == 128 + 4 || $1 == 128 + 6 || $1 == 128 + 7 || $1 == 128 + 8 || $1 == 128 + 11))
}

round() { # round NUMBER
	local load=${loads[$1 % ${#loads[@]}]} server sender written
	free_port
	# shellcheck disable=SC2086 # are several words
	start h1 "$server_out" $load -F -D 4 -p "$port"
	server=$!
	until listens "$port"; do
		alive "$server" "$server_out"
	done
	: >"$client_out"
	# shellcheck disable=SC2086
	start h2 "$client_out" $load -F -D 4 -p "$port" localhost
	sender=$!
	until grep -q '#bytes' "$client_out"; do
		alive "$sender" "$client_out"
	done
	echo "$server $1" >&"${scribbler[1]}"
	read -r written <&"${scribbler[0]}"
	((written == places)) || { echo "$load: $written places" && cat "$server_out" && return 1; }
	ended_with "$sender"
	! crashed "$ended" || { echo "sender of $load crashed: $ended" && return 1; }
	kill "$server" 2>/dev/null || true
	ended_with "$server"
	! crashed "$ended" || { echo "server of $load crashed: $ended" && return 1; }
}

# Started before there is a load: once there is, that may take longer than the load lasts.
coproc scribbler { exec python3 programs/scribble.py "$places"; }

# Two that do not stop meanwhile.
free_port
start h1 "$XDG_RUNTIME_DIR/third" ib_send_bw -s 4096 -F --run_infinitely -p "$port"
third=$!
until listens "$port"; do
	alive "$third" "$XDG_RUNTIME_DIR/third"
done
start h2 "$XDG_RUNTIME_DIR/fourth" ib_send_bw -s 4096 -F --run_infinitely -p "$port" localhost
fourth=$!
for ((number = 0; number < ${#loads[@]}; number++)); do
	round "$number"
done
alive "$third" "$XDG_RUNTIME_DIR/third"
alive "$fourth" "$XDG_RUNTIME_DIR/fourth"
before=$(wc -l <"$XDG_RUNTIME_DIR/fourth")
until (($(wc -l <"$XDG_RUNTIME_DIR/fourth") > before)); do
	alive "$fourth" "$XDG_RUNTIME_DIR/fourth"
done
if grep -i 'error' "$XDG_RUNTIME_DIR/third" "$XDG_RUNTIME_DIR/fourth"; then
	exit 1
fi
kill "$third" "$fourth"
ended_with "$third"
ended_with "$fourth"
kill "$("$verbena" status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')"
