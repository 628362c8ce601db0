# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Work requests that cannot be: which are refused when they are posted, and by whom, and which fail later."""
import errno
import os
import sys

import pyverbs.enums as e
from pyverbs.addr import AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

DEPTH = 4
context = Context(name=os.environ.get("DEVICE", "rxe0"))
pd, cq = PD(context), CQ(context, 64)
mr = MR(pd, 64, e.IBV_ACCESS_LOCAL_WRITE)
port = context.query_port(1)


def queue_pair():
    cap = QPCap(max_send_wr=DEPTH, max_recv_wr=DEPTH, max_send_sge=1, max_recv_sge=1)
    return QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))


def attributes(qp):
    attr = QPAttr(port_num=1)
    attr.dest_qp_num = qp.qp_num
    attr.path_mtu = e.IBV_MTU_1024
    attr.ah_attr = AHAttr(dlid=port.lid, port_num=1)
    attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.max_rd_atomic = 14, 7, 7, 1
    return attr


def to_init():
    qp = queue_pair()
    qp.to_init(QPAttr(port_num=1))
    return qp


def to_rts():
    qp = queue_pair()
    qp.to_rts(attributes(qp))
    return qp


def sges(count, lkey=None):
    return [SGE(mr.buf, 8, mr.lkey if lkey is None else lkey)] * count


def send(qp, count=1, lkey=None, opcode=e.IBV_WR_SEND, flags=e.IBV_SEND_SIGNALED, times=1):
    for number in range(times):
        qp.post_send(SendWR(number, opcode=opcode, num_sge=count, sg=sges(count, lkey), send_flags=flags))


def receive(qp, count=1, times=1):
    for number in range(times):
        qp.post_recv(RecvWR(number, num_sge=count, sg=sges(count)))


def atomic(qp, bytes):
    wr = SendWR(0, opcode=e.IBV_WR_ATOMIC_FETCH_AND_ADD, num_sge=1, sg=[SGE(mr.buf, bytes, mr.lkey)])
    wr.set_wr_atomic(mr.rkey, mr.buf, 1, 0)
    qp.post_send(wr)


CASES = {
    "send-atomic": lambda: atomic(to_rts(), 16),
    "send-state": lambda: send(to_init()),
    "send-full": lambda: send(to_rts(), times=100),
    "send-sges": lambda: send(to_rts(), count=40),
    "send-key": lambda: send(to_rts(), lkey=0x12345),
    "send-opcode": lambda: send(to_rts(), opcode=77),
    "recv-state": lambda: receive(queue_pair()),
    "recv-full": lambda: receive(to_init(), times=100),
    "recv-sges": lambda: receive(to_init(), count=40),
}

for name in sys.argv[1:] or CASES:
    result = "accepted"
    try:
        CASES[name]()
    except PyverbsRDMAError as error:
        result = errno.errorcode.get(error.error_code, str(error.error_code))
    status = ""
    for _ in range(100000):
        count, completions = cq.poll()
        if count:
            status = f" status {completions[0].status}"
            break
        if result != "accepted":
            break
    print(name, result + status, flush=True)
