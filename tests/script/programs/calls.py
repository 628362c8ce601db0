# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a message costs in system calls: the difference between two traces of strace, of each end.

The program's thread, which polls, and ours, the engine, are told apart, for they are measured differently:

- The program's thread may make nothing for each message but its copies. What it makes besides depends on time
  and not on messages: sched_yield() after 1,000 empty polls; a write that wakes a peer who has left its
  records alone for 50 us, which is one that has lost its processor. Where nothing else runs that is hardly
  ever; with 15 others to a processor it was seen once in 11 messages, for strace makes each such stop a
  longer one. So one call in four messages is allowed, where one in each is what must not be. Yields are
  not counted. Copies depend on messages alone.
- The engine dozes beside threads that poll: one millisecond, then a look. What a look costs (ppoll, read and
  two recvmsg) is the same whether many messages have passed or none. So its calls are compared with time.
"""
import re
import sys
from collections import Counter

COPIES = {"process_vm_readv", "process_vm_writev", "preadv", "pwritev", "pread64", "pwrite64"}
STRAY = 1 / 4
COPIES_WITHIN = 1 / 20
LOOK_CALLS = 8
ENGINE_ONCE = 300

CALL = re.compile(r"(\d+) +(\d+\.\d+) (\w+)\(")


class Trace:
    def __init__(self, path):
        self.program, self.engine, times = Counter(), Counter(), []
        first = None
        with open(path, errors="replace") as lines:
            for line in lines:
                call = CALL.match(line)
                if not call:
                    continue
                first = first or call[1]
                times.append(float(call[2]))
                (self.program if call[1] == first else self.engine)[call[3]] += 1
        self.seconds = times[-1] - times[0]


def judge(end, work, few, many, copies):
    short, long = (Trace(f"{work}/{end}.{n}") for n in (few, many))
    messages = many - few
    more = Counter(long.program)
    more.subtract(short.program)
    copied = sum(more[name] for name in COPIES)
    strays = sum(n for name, n in more.items() if n > 0 and name not in COPIES | {"sched_yield"})
    faults = []
    if copied > messages * (copies + COPIES_WITHIN):
        faults.append(f"{copied} copies")
    if copies and copied < messages * (copies - COPIES_WITHIN):
        faults.append(f"only {copied} copies: not placed directly")
    if strays > messages * STRAY:
        faults.append(f"{strays} other calls: {dict(+more)}")
    for trace in short, long:
        calls = sum(n for name, n in trace.engine.items() if name != "sched_yield")
        if calls > ENGINE_ONCE + trace.seconds * 1000 * LOOK_CALLS:
            faults.append(f"the engine made {calls} calls in {trace.seconds:.3f} s: {dict(trace.engine)}")
    return [f"{end}, {messages} messages: {fault}" for fault in faults]


work, few, many, server, client = sys.argv[1], *map(int, sys.argv[2:6])
found = judge("server", work, few, many, server) + judge("client", work, few, many, client)
if found:
    sys.exit("\n".join([" ".join(sys.argv[6:]), *found]))
