#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scribble.py COUNT: writes nonsense into the memory that processes share with their peers.

Reads lines PID SEED. For each it prints how many places were written to: COUNT, or 0 if the process is
gone or shares none in time.
"""
import os
import random
import re
import sys
import time

SHARED = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-s .*/memfd:verbena-(pair|window)")
PAGE = 4096
PATIENCE_SECONDS = 10


def nonsense(rng):
    """What an index, a length or an address may be when its owner has lost its mind."""
    return rng.choice([
        bytes(8), b"\xff" * 8, rng.randbytes(8), rng.randbytes(64),
        rng.randrange(1 << 21).to_bytes(8, "little"),
    ])


def place(rng, begin, end):
    """Every second one among the indices: they are in the first page and in that of the middle."""
    middle = begin + (end - begin) // 2 // PAGE * PAGE
    return rng.choice([
        begin + rng.randrange(0, PAGE, 8), middle + rng.randrange(0, PAGE, 8),
        rng.randrange(begin, end - 64), rng.randrange(begin, end - 64, 8),
    ])


def shared(pid):
    """The memory that a process shares with its peers: there is some from its first packet on."""
    end = time.monotonic() + PATIENCE_SECONDS
    areas = []
    while not areas and time.monotonic() < end:
        with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
            areas = [(int(m[1], 16), int(m[2], 16)) for m in map(SHARED.match, maps) if m]
    return areas


def scribble(pid, seed, count):
    """Returns how many places were written to."""
    rng = random.Random(seed)
    try:
        areas = shared(pid)
        memory = os.open(f"/proc/{pid}/mem", os.O_RDWR)
    except FileNotFoundError:
        return 0
    for _ in range(count if areas else 0):
        os.pwrite(memory, nonsense(rng), place(rng, *rng.choice(areas)))
    os.close(memory)
    return count if areas else 0


def main():
    for line in sys.stdin:
        print(scribble(*map(int, line.split()), int(sys.argv[1])), flush=True)


if __name__ == "__main__":
    main()
