#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A program forks while it has a device open: the child's copy is dead and says so, a device that the
# child opens is its own, and the parent's goes on. Descriptors are duplicated, closed in bulk, and
# closed by children that share the memory.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc

work=$XDG_RUNTIME_DIR
cp -r /usr/share/doc/rdma-core/tests "$work/tests"
gunzip "$work"/tests/*.gz
cat >"$work/forks.py" <<'END'
import errno
import os
import subprocess
import sys

from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from tests.base import RCResources
import tests.utils as u

DEVICE = os.environ['VERBENA_DEVICE_NAME']


class Peer(RCResources):
    def __init__(self):
        super().__init__(DEVICE, 1, 0)


def traffic():
    """Messages over a pair of fresh RC QPs."""
    client, server = Peer(), Peer()
    client.pre_run(server.psns, server.qps_num)
    server.pre_run(client.psns, client.qps_num)
    u.traffic(client, server, 10, 0, 1)


def refused(fn, number):
    try:
        fn()
    except PyverbsRDMAError as error:
        return error.error_code == number
    return False


def child_of(context):
    assert refused(lambda: PD(context), errno.EIO), 'the inherited device works'
    traffic()
    # The child's own child, which has two generations of devices.
    pid = os.fork()
    if not pid:
        traffic()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    os._exit(0)


def forks():
    context = Context(name=DEVICE)
    pd = PD(context)
    traffic()
    pid = os.fork()
    if not pid:
        try:
            child_of(context)
        finally:
            os._exit(1)
    traffic()
    assert os.waitpid(pid, 0)[1] == 0, 'the child failed'
    traffic()
    pd.close()


def descriptors():
    context = Context(name=DEVICE)
    copy = os.dup(context.cmd_fd)
    os.close(context.cmd_fd)
    os.dup2(copy, context.cmd_fd)
    os.close(copy)
    PD(context)
    # A program that closes all that it does not know: ours must not be among it.
    os.closerange(64, 65536)
    traffic()
    # The child of vfork() closes everything, in its own table of descriptors.
    for _ in range(3):
        subprocess.run(['true'], check=True, close_fds=True)
    traffic()
    PD(context)


forks()
descriptors()
END
for fabric in - forks; do
	for personality in rxe hfi1 hfi1-v1; do
		(cd "$work" && VERBENA_FABRIC=$fabric VERBENA_PERSONALITY=$personality \
			VERBENA_DEVICE_NAME=some_0 PYTHONPATH=$work/tests preloaded \
			timeout 120 /usr/bin/python3 forks.py) >"$work/out" 2>&1 || {
			echo "fabric $fabric, $personality:"
			cat "$work/out"
			exit 1
		}
	done
done
