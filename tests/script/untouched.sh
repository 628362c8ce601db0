#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Whoever never touches verbs pays for loading the library, and for nothing else: under verbena run a
# program opens what it opens without us and what the loader needs for the library; it makes no socket,
# no memory file, no eventfd, no shared mapping and no thread that it does not make without us.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc
: "${preload_library:?}"
needs_strace
work=$XDG_RUNTIME_DIR
export VERBENA_HOST=alpha VERBENA_FABRIC=untouched

# traced FILE COMMAND...: system calls of the command and of its children, as FILE.PID each: in one file strace
# would tear apart those of processes that run at the same time.
traced() {
	rm -f "$1".*
	strace -ff -ttt -o "$1" -e trace=all "${@:2}" >/dev/null 2>&1
}

# differs COMMAND...: what the command does under verbena run and not without
differs() {
	traced "$work/plain" "$@"
	traced "$work/ours" "$VERBENA_BUILD_DIR/verbena" run -- "$@"
	/usr/bin/python3 - "$work/plain" "$work/ours" "$preload_library" <<-'END'
		import glob, re, subprocess, sys
		from collections import Counter

		plain, ours, library = sys.argv[1:]
		MAKES = {"socket", "socketpair", "connect", "bind", "memfd_create", "eventfd2", "epoll_create1",
		         "pidfd_open", "mkdir", "mkdirat", "clone", "clone3", "fork", "vfork", "pipe2",
		         "rt_sigaction", "membarrier", "io_uring_setup", "unlink", "unlinkat"}

		def lines(path):
		    """What all the processes did, in the order of time."""
		    return sorted(line for part in glob.glob(path + ".*") for line in open(part))

		def is_exec(line):
		    return re.search(r" execve\(.* = 0$", line)

		def read(path, after_exec):
		    """Files that were opened and calls that make something, once @after_exec execs are over."""
		    opened, made = Counter(), Counter()
		    for line in lines(path):
		        if is_exec(line):
		            after_exec -= 1
		        if after_exec > 0:
		            continue
		        call = re.match(r"[0-9.]+ (\w+)\((.*)", line)
		        if not call:
		            continue
		        name, rest = call.groups()
		        if name in ("open", "openat") and not re.search(r"= -1 ", rest):
		            opened[re.search(r'"([^"]*)"', rest)[1]] += 1
		        elif name in MAKES:
		            made[name] += 1
		        elif name == "mmap" and "MAP_SHARED" in rest:
		            made["shared mapping"] += 1
		    return opened, made

		needed = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
		allowed = {library, "/etc/ld.so.cache"} | set(re.findall(r"=> (\S+)", needed))
		execs = sum(1 for line in lines(plain) if is_exec(line))
		opened, made = read(ours, 1 + (execs > 0))
		opened_plain, made_plain = read(plain, 1)
		for path in set(opened) - set(opened_plain) - allowed:
		    print("opens", path)
		for name, count in (made - made_plain).items():
		    print("makes", name, count)
	END
}

same() { # same COMMAND...
	local difference
	difference=$(differs "$@")
	[[ -z $difference ]] && return
	echo "under verbena run, and not without: $*"
	echo "$difference"
	return 1
}

same true
same sh -c 'echo'
same sh -c 'ls / | cat; cat /dev/null'
same /usr/bin/python3 -c 'import os, threading; threading.Thread(target=os.getpid).start()'
[[ ! -e $work/verbena ]]

# What it looks like when one does touch them.
difference=$(differs cat /sys/class/infiniband/rxe0/node_type || true)
for what in 'makes socket' 'makes clone3' 'makes shared mapping' 'makes memfd_create'; do
	[[ $difference == *"$what"* ]] || { echo "not noticed: $what" && echo "$difference" && exit 1; }
done
