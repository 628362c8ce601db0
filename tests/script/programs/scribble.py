#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scribble.py PID SEED COUNT: writes nonsense into the memory that a process shares with its peers.

Prints how many places were written to; there must be some.
"""
import os
import random
import re
import sys

SHARED = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-s .*/memfd:verbena-(pair|window)")
PAGE = 4096


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


def main():
    pid, seed, count = map(int, sys.argv[1:])
    rng = random.Random(seed)
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
        areas = [(int(m[1], 16), int(m[2], 16)) for m in map(SHARED.match, maps) if m]
    memory = os.open(f"/proc/{pid}/mem", os.O_RDWR)
    written = 0
    while areas and written < count:
        os.pwrite(memory, nonsense(rng), place(rng, *rng.choice(areas)))
        written += 1
    print(written)


if __name__ == "__main__":
    main()
