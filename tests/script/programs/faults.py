# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Meets the faults that tests/script/faults.sh asks for, and prints what it sees."""
import errno

import pyverbs.enums as e
from pyverbs.addr import AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

context = Context(name="rxe0")
lid = context.query_port(1).lid
pd, cq = PD(context), CQ(context, 64)
mr = MR(pd, 4096, e.IBV_ACCESS_LOCAL_WRITE)
sge = SGE(mr.buf, 8, mr.lkey)


def create():
    cap = QPCap(max_send_wr=16, max_recv_wr=16)
    return QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))


def connect(qp, peer):
    attr = QPAttr(port_num=1)
    attr.dest_qp_num = peer.qp_num
    attr.path_mtu = e.IBV_MTU_1024
    attr.ah_attr = AHAttr(dlid=lid, port_num=1)
    attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer = 14, 7, 1, 1
    qp.to_rts(attr)


def send(qp, number):
    qp.post_send(SendWR(number, opcode=e.IBV_WR_SEND, num_sge=1, sg=[sge]))


def wait(number):
    """The status of a send."""
    while True:
        for wc in cq.poll(1)[1]:
            if wc.wr_id == number:
                return wc.status


qps, words = [], []
for which in (1, 2, 3, 4):
    try:
        qps.append(create())
        words.append(str(which))
    except PyverbsRDMAError as error:
        words.append(errno.errorcode[error.error_code])
print("created", *words)
first, second, third = qps
connect(first, third)
connect(third, first)
for qp in (first, third):
    for _ in range(8):
        qp.post_recv(RecvWR(99, num_sge=1, sg=[sge]))
statuses = []
for number in (1, 2, 3):
    send(first, number)
    if number < 3:
        statuses.append(wait(number))
event = context.get_async_event()
while event.event_type != e.IBV_EVENT_QP_FATAL:
    event.ack()
    event = context.get_async_event()
event.ack()
send(first, 4)
print("first", *statuses, wait(4))
print("event", event.event_type)

third.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
connect(second, third)
connect(third, second)
third.post_recv(RecvWR(99, num_sge=1, sg=[sge]))
second.post_recv(RecvWR(99, num_sge=1, sg=[sge]))
send(third, 7)
print("starved", wait(7))
