# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keeps files of sysfs open and reads them again, when others on the same host have sent meanwhile."""
import os
import socket

PORT = "/sys/class/infiniband/mlx4_0/ports/2/"


def again(fd):
    """What a file says when it is read again from its beginning, in both ways."""
    os.lseek(fd, 0, os.SEEK_SET)
    text = os.read(fd, 100)
    assert os.pread(fd, 100, 0) == text, text
    return text


kept = os.open(PORT + "counters/port_xmit_packets", os.O_RDONLY)
copy = os.dup(kept)
state = os.open(PORT + "state", os.O_RDONLY)
before = int(os.read(kept, 100))
assert os.read(kept, 100) == b""
assert again(state) == b"4: ACTIVE\n"
print("open", flush=True)
input()
sent = int(again(kept))
assert sent > before, sent
assert int(again(copy)) == sent

# Unlike a device, such a descriptor may be passed on.
os.close(kept)
ours, theirs = socket.socketpair()
socket.send_fds(ours, [b"x"], [copy])
_, fds, _, _ = socket.recv_fds(theirs, 1, 1)
assert int(again(fds[0])) == sent

# A child has what was read last.
pid = os.fork()
if pid == 0:
    os._exit(0 if int(again(copy)) == sent else 1)
assert os.waitpid(pid, 0)[1] == 0
