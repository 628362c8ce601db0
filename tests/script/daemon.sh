#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The daemon under stock programs: it dies, several times while they look for the next one; it is of
# another version; it hears nonsense; the run directory is no good. What a program can do to our
# descriptors, and what its children get of them.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

export VERBENA_IDLE=20
verbena=$VERBENA_BUILD_DIR/verbena
work=$XDG_RUNTIME_DIR
socket=$work/verbena/default.sock

status() { # status EXPRESSION: of the fabric, in Python
	"$verbena" status --json | /usr/bin/python3 -c "
import json, sys
fabric = json.load(sys.stdin)
print($1)"
}

daemon() {
	status 'fabric["pid"]'
}

processes() {
	status 'sum(len(host["processes"]) for host in fabric["hosts"])'
}

until_true() { # until_true COMMAND...: at last
	local end=$((SECONDS + 60))
	until "$@"; do
		((SECONDS < end)) || { echo "never: $*"; return 1; }
	done
}

there_are() { # there_are COUNT: processes
	[[ $(processes 2>/dev/null) == "$1" ]]
}

heard() { # heard COUNT WHAT: that many times, each of the watchers
	for ((n = 0; n < watchers; n++)); do
		(($(grep -c "$2" "$work/watch.$n") >= $1)) || return 1
	done
}

watchers=5
pids=()
trap 'kill -KILL "${pids[@]}" 2>/dev/null || true; rm -rf "$XDG_RUNTIME_DIR"' EXIT
for ((n = 0; n < watchers; n++)); do
	VERBENA_HOST=w$n LD_PRELOAD=$preload_library stdbuf -oL ibv_asyncwatch \
		>"$work/watch.$n" 2>"$work/watch.err.$n" &
	pids+=($!)
done
until_true there_are "$watchers"
until_true heard 1 'async event FD' # who opens its device later hears nothing of what was before

# All lose it at once, and the next one, and the one after that while they come back.
kill -KILL "$(daemon)"
until_true heard 1 PORT_ACTIVE
until_true there_are "$watchers"
for ((i = 0; i < 3; i++)); do
	until_true daemon >"$work/pid" 2>/dev/null
	kill -KILL "$(<"$work/pid")"
done
until_true there_are "$watchers"
heard 1 PORT_ERR
grep -q 'the daemon of the fabric is gone' "$work/watch.err.0"
free_port
pair "$port" ibv_rc_pingpong -p "$port" -- ibv_rc_pingpong -p "$port" localhost

# What nobody should say to a daemon; it goes on, and keeps nothing.
before=$(daemon)
kept=$(find "/proc/$before/fd" | wc -l)
/usr/bin/python3 - "$socket" <<'END'
import array, os, random, socket, struct, sys

random.seed(1)
MAGIC = 0x76626e61


def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(10)
    while True:
        try:
            s.connect(sys.argv[1])
            return s
        except BlockingIOError:
            pass  # more than it has accepted by now


def say(s, data, fds=()):
    try:
        s.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', fds))] if fds else [])
        return True
    except (BrokenPipeError, ConnectionResetError):
        return False


# The version that it speaks is in what it says.
s = connect()
say(s, struct.pack('=IIII', MAGIC, 0xffffffff, 1, 0) + bytes(1000))
answer = s.recv(4096)
version, size = struct.unpack('=IIII', answer[:16])[1], len(answer)


def message(kind):
    return struct.pack('=IIIIiI', MAGIC, version, kind, 0, 0, 0).ljust(size, b'\0')


# Which of them asks for the status: the only one that is answered before a hello.
status = 0
for kind in range(1, 40):
    s = connect()
    say(s, message(kind))
    try:
        if s.recv(4096):
            status = kind
    except ConnectionResetError:
        pass
assert status
for n in range(600):
    s = connect()
    for _ in range(random.randrange(4)):
        kind = random.randrange(16)
        data = message(kind)[:24] + random.randbytes(size - 24)
        if n % 3 == 0:
            data = random.randbytes(random.randrange(1, 3000))
        elif n % 7 == 0:
            data = data[:random.randrange(1, size)]
        with open('/dev/null') as null:
            if not say(s, data, [null.fileno()] * random.randrange(4)):
                break
# One that asks and never reads, and many that say nothing at all.
s = connect()
s.setblocking(False)
try:
    for _ in range(100000):
        s.send(message(status))
except (BlockingIOError, BrokenPipeError, ConnectionResetError):
    pass
silent = [connect() for _ in range(200)]
END
until_true there_are "$watchers" # it may not have come to all who have hung up
[[ $(daemon) == "$before" ]]
few_are_open() {
	(($(find "/proc/$before/fd" | wc -l) <= kept))
}
until_true few_are_open
free_port
pair "$port" ibv_rc_pingpong -p "$port" -- ibv_rc_pingpong -p "$port" localhost

# Another user, who gets as far as the socket.
if ((EUID == 0)); then
	chmod 711 "$work" "$work/verbena"
	chmod 777 "$socket"
	setpriv --reuid=65534 --clear-groups /usr/bin/python3 - "$socket" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect(sys.argv[1])
assert s.recv(4096)[8] == 3, 'not refused'
assert not s.recv(4096), 'not hung up on'
END
	chmod 700 "$work" "$work/verbena"
	chmod 700 "$socket"
fi

# A daemon of another version takes the place of ours.
kill -STOP "${pids[@]}"
kill -KILL "$before"
rm -f "$socket"
/usr/bin/python3 - "$socket" "$work/listens" <<'END' &
import socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(sys.argv[1])
s.listen(64)
open(sys.argv[2], 'w').close()
while True:
    c = s.accept()[0]
    c.recv(4096)
    c.send(struct.pack('=IIII', 0x76626e61, 9999, 3, 0) + bytes(2000))
END
other=$!
pids+=("$other")
until_true test -e "$work/listens"
kill -CONT "${pids[@]}"
said() {
	grep -q 'speaks version 9999 of its protocol, this process version' "$work/watch.err.$1"
}
for ((n = 0; n < watchers; n++)); do
	until_true said "$n"
done
(VERBENA_HOST=new preloaded ibv_devinfo 2>&1 || true) | grep 'speaks version 9999' >/dev/null
kill "${pids[@]}"
wait "${pids[@]}" 2>/dev/null || true

# Run directories that are none.
complains() { # complains DIRECTORY TEXT
	(XDG_RUNTIME_DIR=$1 preloaded ibv_devinfo 2>&1 || true) | grep -- "$2" >/dev/null
}
mkdir "$work/open" "$work/link" "$work/idle"
mkdir -m 755 "$work/open/verbena"
ln -s "$work" "$work/link/verbena"
complains "$work/open" 'run directory cannot be used (Operation not permitted): .*/open/verbena\. '
complains "$work/link" 'run directory cannot be used (Not a directory): .*/link/verbena\. '
complains "$work/$(printf '%0200d' 0)" 'run directory cannot be used (File name too long): \.\.\.'
if ((EUID == 0)); then
	mkdir -p "$work/theirs/verbena"
	chmod 700 "$work/theirs/verbena"
	chown 65534 "$work/theirs/verbena"
	complains "$work/theirs" 'run directory cannot be used (Operation not permitted)'
fi
if unshare -Urm true 2>/dev/null; then
	export preload_library
	mkdir "$work/full"
	# shellcheck disable=SC2016
	unshare -Urm bash -c '
		mount -t tmpfs -o size=64k,mode=700 none "$1" &&
		(XDG_RUNTIME_DIR=$1 LD_PRELOAD=$preload_library ibv_devinfo 2>&1 || true)' - "$work/full" |
		grep 'no space left for the run directory: .*/full/verbena\. Make room' >/dev/null
fi

# Seconds that are none: the daemon has no stderr to say it on, if one is started at all.
mkdir -m 700 "$work/seconds"
XDG_RUNTIME_DIR=$work/seconds VERBENA_IDLE='' preloaded ibv_devices >/dev/null # not set, and leaves a daemon
(VERBENA_IDLE=soon XDG_RUNTIME_DIR=$work/seconds preloaded ibv_devinfo 2>&1 || true) |
	grep 'VERBENA_IDLE is soon, and may be a number of seconds, or -1 for never\. .*verbena(7)' >/dev/null

# Descriptors: of the program's doing, and of its children.
cat >"$work/descriptors.py" <<'END'
import array, ctypes, errno, fcntl, os, socket, struct, subprocess
from pyverbs.device import Context
from pyverbs.pd import PD

context = Context(name=os.environ['VERBENA_DEVICE_NAME'])
ours = [fd for fd in map(int, os.listdir('/proc/self/fd')) if fd > 500]
assert len(ours) > 3, ours


def refused(call, *args):
    try:
        call(*args)
    except OSError as e:
        assert e.errno == errno.EBADF, e
        return
    raise AssertionError(f'{call} {args}')


for fd in ours:
    refused(os.close, fd)
    refused(os.dup, fd)
    refused(os.dup2, 0, fd)
    refused(fcntl.fcntl, fd, fcntl.F_DUPFD, 0)
os.closerange(500, 100000)
PD(context).close()

# Children get nothing of it: as many as a shell has that was not started by us.
shell = os.environ['COUNT_DESCRIPTORS']
for command in ('fork', 'spawn', 'system'):
    if command == 'fork':
        subprocess.run(['sh', '-c', shell], close_fds=False)
    elif command == 'spawn':
        os.waitpid(os.posix_spawn('/bin/sh', ['sh', '-c', shell], os.environ), 0)
    else:
        os.system(shell)
    with open(f'{os.environ["XDG_RUNTIME_DIR"]}/fds') as f:
        assert f.read().strip() == os.environ['INHERITED'], command

# A device is no other process's.
a, b = socket.socketpair()
socket.send_fds(a, [b'x'], [0])
try:
    socket.send_fds(a, [b'x'], [context.cmd_fd])
    raise AssertionError('passed')
except PermissionError:
    pass

# Messages that are none are the kernel's to refuse, and so are control messages longer than there is room for.
libc = ctypes.CDLL(None, use_errno=True)
netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 20)  # NETLINK_RDMA
for sender in (a, netlink):
    for call in ((libc.sendmsg, None, 0), (libc.sendmmsg, None, 1, 0)):
        assert call[0](sender.fileno(), *call[1:]) == -1 and ctypes.get_errno() == errno.EFAULT, call
control = ctypes.create_string_buffer(struct.pack('@Niii', 1 << 40, socket.SOL_SOCKET, socket.SCM_RIGHTS, 0))
header = struct.pack('@PIPNPNi', 0, 0, 0, 0, ctypes.addressof(control), 20, 0) + bytes(4)
assert libc.sendmsg(a.fileno(), header, 0) == -1 and ctypes.get_errno() == errno.EINVAL
END
# Some may be there before, as a log of the caller's in a folder called verbena.
# shellcheck disable=SC2016 # for the shells that are started
export COUNT_DESCRIPTORS='ls -l /proc/$$/fd >"$XDG_RUNTIME_DIR/list"
	grep -c -e verbena -e socket: -e eventfd -e memfd: "$XDG_RUNTIME_DIR/list" >"$XDG_RUNTIME_DIR/fds"'
sh -c "$COUNT_DESCRIPTORS" 2>"$work/err" || true
INHERITED=$(cat "$work/fds")
export INHERITED
VERBENA_DEVICE_NAME=some_0 preloaded timeout 60 /usr/bin/python3 "$work/descriptors.py" \
	2>"$work/err" || { cat "$work/err"; exit 1; }
grep -q 'is a device of this process and cannot be passed' "$work/err"
kill "$(daemon)"

# Who starts the daemon may have blocked all signals, in a directory that goes: it ends when told to.
mkdir "$work/gone"
(cd "$work/gone" && preloaded timeout 60 /usr/bin/python3 -c '
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
os.execvp("ibv_devices", ["ibv_devices"])') >"$work/out"
grep -q rxe0 "$work/out"
pid=$(daemon)
[[ $(readlink "/proc/$pid/cwd") == / ]]
kill "$pid"
until_true eval "! kill -0 $pid 2>/dev/null"
