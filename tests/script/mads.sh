#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# MADs between processes of a daemon's fabric: agents on two hosts, and on one; transfers; the administration; groups; a
# process that is killed, a daemon that is, and MADs of any content.
set -euo pipefail
cd "$(dirname "$0")"

XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR VERBENA_IDLE=0
export VERBENAD=$VERBENA_BUILD_DIR/verbenad VERBENA_FABRIC=mads
plan=$XDG_RUNTIME_DIR/plan
mads=$XDG_RUNTIME_DIR/mads
# shellcheck disable=SC2086 # flags
$VERBENA_CC -std=gnu17 -Wall -Wextra -Werror $VERBENA_CFLAGS -I"$VERBENA_SOURCE_DIR/include" -o "$mads" \
	programs/mads.c "$VERBENA_BUILD_DIR/libverbena.a" -lisal -pthread
"$VERBENA_BUILD_DIR/verbena" topo fat-tree 4 >"$plan"

fail() {
	echo "$*" >&2
	exit 1
}

verbena=$VERBENA_BUILD_DIR/verbena

daemon_of() {
	[[ $("$verbena" status --json --fabric "$1") =~ \"pid\":\ *([0-9]+) ]]
	echo "${BASH_REMATCH[1]}"
}

# Whatever ends this test, what it started ends, too. The daemon lives until it is told to go.
clean_up() {
	local job
	"$verbena" fabric down --force --fabric mads >/dev/null 2>&1 || true
	for job in $(jobs -p); do
		kill -KILL "$job" 2>/dev/null || true
	done
	rm -rf "$XDG_RUNTIME_DIR"
}
trap clean_up EXIT
set -E
trap '((BASH_SUBSHELL)) || echo "${BASH_SOURCE[0]}:$LINENO: ended with $?: $BASH_COMMAND" >&2' ERR

# begin NAME HOST: a process that obeys by ask NAME COMMAND..., which sets $reply.
declare -A into out pid lid
begin() {
	mkfifo "$XDG_RUNTIME_DIR/$1.in" "$XDG_RUNTIME_DIR/$1.out"
	exec {fd}<>"$XDG_RUNTIME_DIR/$1.in"
	into[$1]=$fd
	exec {fd}<>"$XDG_RUNTIME_DIR/$1.out"
	out[$1]=$fd
	rm "$XDG_RUNTIME_DIR/$1.in" "$XDG_RUNTIME_DIR/$1.out"
	"$mads" "$2" <&"${into[$1]}" >&"${out[$1]}" 2>"$XDG_RUNTIME_DIR/$1.err" &
	pid[$1]=$!
	hear "$1"
	[[ $reply == attached* ]] || fail "$1: $reply"
	ask "$1" lid
	lid[$1]=$(cut -d ' ' -f 2 <<<"$reply")
}

hear() {
	read -r -t 60 reply <&"${out[$1]}" || fail "$1 says nothing: $(<"$XDG_RUNTIME_DIR/$1.err")"
}

ask() {
	echo "${*:2}" >&"${into[$1]}"
	hear "$1"
}

says() { # says NAME COMMAND... -- PATTERN
	local -a words=("${@:1:$#-2}")
	ask "${words[@]}"
	[[ $reply =~ ${!#} ]] || fail "${words[*]}: $reply, expected ${!#}"
}

bye() {
	says "$1" quit -- bye
	wait "${pid[$1]}"
}

descriptors() {
	local -a open=("/proc/$daemon/fd/"*)
	echo "${#open[@]}"
}

"$verbena" fabric up --fabric mads --topology "$plan"
daemon=$(daemon_of mads)
begin a h-0-0-0
begin b h-3-1-1
"$VERBENA_BUILD_DIR/examples/attached_mad" h-1-0-0 >"$XDG_RUNTIME_DIR/example"
grep -q '^at port [1-4] of a node of type 2 with 4 ports$' "$XDG_RUNTIME_DIR/example"
grep -q "^path from LID [0-9]* to the manager's, [0-9]*, MTU 4096$" "$XDG_RUNTIME_DIR/example"

# The port itself, the switch that it hangs on, a switch beyond that.
says a register 0 0 0 -- registered
says a smp 0 -- 'it is h-0-0-0'
says a smp 1 1 -- 'it is edge-0-0'
says a unregister -- unregistered
says a path "${lid[b]}" -- "path mtu 5 from ${lid[a]} to ${lid[b]}"

# One MAD, and a megabyte.
says a register 0x32 0 1 -- registered
says a send "${lid[b]}" 100 1000 3 -- sent
says a ended -- 'answered with status c$' # nobody is there, says the subnet
says b register 0x32 4 1 -- registered
says a send "${lid[b]}" 100 1000 3 -- sent
says a ended -- 'answered with status 0'
says b heard -- 'heard 216 bytes'
says a send "${lid[b]}" 1048576 2000 5 -- sent
says a ended -- 'answered with status 0'
says b heard -- 'heard 1048576 bytes sum 2011b5e9'

# Two on one host, each with its own methods; the third wants what is taken.
before=$(descriptors)
begin c h-3-1-1
says c register 0x32 6 1 -- "refused -22: .*pid ${pid[b]}, .*receives method 0x2 of class 0x32"
says c register 0x33 4 1 -- registered
says b unregister -- unregistered
says c register 0x32 4 1 -- registered
says b register 0x32 4 1 -- "refused -22: .*pid ${pid[c]}"
says a send "${lid[b]}" 50 1000 3 -- sent
says a ended -- 'answered with status 0'
says c heard -- 'heard 216 bytes'

# A group: who joins hears of it.
says a join -- 'joined c'
says b join -- 'joined c'
says a cast -- 'cast 0'
says b caught -- "caught 'hello, all'"

# Who is stopped does not answer. Killed in the middle of a transfer it is nobody's, and what was its is free again.
kill -STOP "${pid[c]}"
says a send "${lid[b]}" 1048576 200 2 -- sent
says a ended -- 'ended: no response in time'
says a send "${lid[b]}" 1048576 30000 0 -- sent
kill -KILL "${pid[c]}"
wait "${pid[c]}" 2>/dev/null || true
says a ended -- 'ended: no response in time|answered with status c'
begin c h-3-1-1
says c register 0x32 4 1 -- registered
says a send "${lid[b]}" 70000 1000 3 -- sent
says a ended -- 'answered with status 0'
says c heard -- 'heard 70000 bytes'
bye c
for ((i = 0; i < 500 && $(descriptors) != before; i++)); do
	says a path "${lid[b]}" -- "path mtu 5" # meanwhile it hears of their end
done
(($(descriptors) == before)) || fail "$(descriptors) descriptors of the daemon, $before before"

# Any content, to all that may be there.
says b register 0x34 4 0 -- registered
for seed in 1 2 3; do
	says a garbage 300 "$seed" "${lid[b]}" -- 'garbage posted'
	says b garbage 300 "$seed" 1 -- 'garbage posted'
done
says a register 0 0 0 -- registered
for to in 1 65535 "${lid[a]}" "${lid[b]}"; do
	says a garbage 300 "$to" "$to" -- 'garbage posted'
done
says a smp 1 1 -- 'it is edge-0-0'
says a unregister -- unregistered

"$verbena" fabric show --json --fabric mads | grep -oE '"lost_mads": *[0-9]+' >/dev/null

# Another daemon: agents are declared again, and who has joined is told to do so again.
says b register 0x32 4 1 -- registered
kill -KILL "$daemon"
says a send "${lid[b]}" 100 300 60 -- sent
says a ended -- 'answered with status 0'
says b heard -- 'heard 216 bytes'
says b event reregister -- event
says a path "${lid[b]}" -- "path mtu 5 from ${lid[a]} to ${lid[b]}"
says a send "${lid[b]}" 1048576 2000 5 -- sent
says a ended -- 'answered with status 0'
says b heard -- 'heard 1048576 bytes sum 2011b5e9'
bye a
bye b
"$verbena" fabric down --fabric mads

# Without a topology there is nobody to talk to.
export VERBENA_FABRIC=plain
begin a h1
says a register 0x32 4 1 -- 'refused -95: .*verbena fabric up --topology'
bye a
