# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Datagrams that nobody takes: sent twice each, counted in sysfs by reason."""
import sys

import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

QKEY = 0x11111111
context = Context(name="rxe0")
pd = PD(context)
mr = MR(pd, 4096, e.IBV_ACCESS_LOCAL_WRITE)
handle = AH(pd, attr=AHAttr(dlid=context.query_port(1).lid, port_num=1))


def queue_pair():
    cq = CQ(context, 8)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq, cap=QPCap(max_send_wr=4, max_recv_wr=4)))
    attr = QPAttr(port_num=1)
    attr.qkey = QKEY
    qp.to_rts(attr)
    return qp, cq


(sender, sent), (receiver, received) = queue_pair(), queue_pair()


def send(number, qkey=QKEY, count=2):
    for _ in range(count):
        wr = SendWR(1, num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)], opcode=e.IBV_WR_SEND)
        wr.set_wr_ud(handle, number, qkey)
        sender.post_send(wr)
        while not (done := sent.poll())[0]:
            pass
        assert done[1][0].status == e.IBV_WC_SUCCESS


def counter(name):
    with open(f"/sys/class/infiniband/rxe0/ports/1/{name}") as f:
        return int(f.read())


def counts(name, least):
    """Counters are copied now and then."""
    while counter(name) < least:
        received.poll()


number = receiver.qp_num
send(number)  # no receive
receiver.post_recv(RecvWR(1, num_sge=1, sg=[SGE(mr.buf, 103, mr.lkey)]))
send(number)  # too short for the GRH
send(number, QKEY + 1)
send(0xABCD00)  # of nobody
send(number + 1)  # of this process, but of no queue pair
for name in ("out_of_buffer", "resp_local_length_error", "qkey_viol_cntr"):
    counts(f"hw_counters/{name}", 2)
    assert counter(f"hw_counters/{name}") == 2, name
counts("hw_counters/pkt_drops", 8)
counts("counters/port_xmit_discards", 2)
print(f"{sender.qp_num:x} {number:x}", file=sys.stdout)
