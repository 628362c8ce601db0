# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A queue pair dies of a bad key; verbena status says so while it is there."""
import json
import os
import subprocess
import sys

from pyverbs.addr import AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.enums import IBV_ACCESS_LOCAL_WRITE, IBV_QPT_RC, IBV_WR_RDMA_WRITE
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

ctx = Context(name="mlx4_0")
pd, cq = PD(ctx), CQ(ctx, 10)
mr = MR(pd, 64, IBV_ACCESS_LOCAL_WRITE)
qps = [QP(pd, QPInitAttr(qp_type=IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap())) for _ in range(2)]
lid = ctx.query_port(1).lid
for qp, peer in zip(qps, reversed(qps)):
    attr = QPAttr(port_num=1, path_mtu=4)
    attr.dest_qp_num = peer.qp_num
    attr.ah_attr = AHAttr(dlid=lid, port_num=1)
    attr.timeout, attr.retry_cnt, attr.rnr_retry = 14, 7, 7
    attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
    qp.to_rts(attr)
wr = SendWR(opcode=IBV_WR_RDMA_WRITE, sg=[SGE(mr.buf, 8, mr.lkey)], num_sge=1)
wr.set_wr_rdma(0x12345, mr.buf)
qps[0].post_send(wr)
while not (wcs := cq.poll()[1]):
    pass
assert wcs[0].status
env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
out = subprocess.run([sys.argv[1], "status", "--json"], env=env, stdout=subprocess.PIPE, check=True)
for host in json.loads(out.stdout)["hosts"]:
    for process in host["processes"]:
        if process["pid"] == os.getpid():
            (dead,) = [q for q in process["qps"] if q["number"] == qps[0].qp_num]
            assert dead["state"] == "ERR" and dead["errors"] == 1, dead
            print(dead["cause"])
sys.stdout.flush()
os._exit(0)  # pyverbs would destroy in the wrong order
