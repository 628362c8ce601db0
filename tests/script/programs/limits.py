# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""With the profile `tiny`: what is one too many is refused, with the kernel's errno."""
import errno
import os
import sys

from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.enums import (
    IBV_ACCESS_LOCAL_WRITE, IBV_MW_TYPE_1, IBV_QPT_RC)
from pyverbs.mr import MR, MW
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr

ctx = Context(name=sys.argv[1])
failed = 0


def refused(what, err, make):
    global failed
    try:
        make()
    except PyverbsRDMAError as e:
        if e.error_code == err:
            return
        print(f"{what}: {e}, expected {errno.errorcode[err]}")
    else:
        print(f"{what}: was granted")
    failed += 1


def rc(pd, cq, **cap):
    caps = {"max_send_wr": 1, "max_recv_wr": 1, "max_send_sge": 1, "max_recv_sge": 1} | cap
    return QP(pd, QPInitAttr(qp_type=IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(**caps)))


if sys.argv[2] == "no-srq":
    pd = PD(ctx)
    refused("srq", errno.EOPNOTSUPP, lambda: SRQ(pd, SrqInitAttr(SrqAttr(max_wr=1))))
    sys.stdout.flush()
    os._exit(failed)

attr = ctx.query_device()
for name, value in {"max_qp": 4, "max_qp_wr": 31, "max_sge": 2, "max_cq": 4, "max_cqe": 127,
                    "max_mr": 4, "max_mr_size": 1 << 20, "max_mw": 2, "max_pd": 2, "max_ah": 4,
                    "max_srq": 1, "max_srq_wr": 15, "max_srq_sge": 1, "max_qp_rd_atom": 1,
                    "max_mcast_grp": 1}.items():
    if getattr(attr, name) != value:
        print(f"{name} is {getattr(attr, name)}, not {value}")
        failed += 1

keep = [PD(ctx), PD(ctx)]
pd = keep[0]
refused("third PD", errno.ENOMEM, lambda: PD(ctx))
cqs = [CQ(ctx, 100) for _ in range(4)]
refused("fifth CQ", errno.ENOMEM, lambda: CQ(ctx, 1))
cqs.pop().close()
refused("CQ of 128", errno.EINVAL, lambda: CQ(ctx, 128))
cq = cqs[0]
refused("32 WRs", errno.EINVAL, lambda: rc(pd, cq, max_send_wr=32))
refused("3 SGEs", errno.EINVAL, lambda: rc(pd, cq, max_recv_sge=3))
refused("33 bytes inline", errno.EINVAL, lambda: rc(pd, cq, max_inline_data=33))
qps = [rc(pd, cq) for _ in range(4)]
refused("fifth QP", errno.ENOMEM, lambda: rc(pd, cq))
qps.pop().close()
qps.append(rc(pd, cq, max_inline_data=32))
mrs = [MR(pd, 4096, IBV_ACCESS_LOCAL_WRITE) for _ in range(4)]
refused("fifth MR", errno.ENOMEM, lambda: MR(pd, 4096, IBV_ACCESS_LOCAL_WRITE))
mrs.pop().close()
refused("MR of 2 MiB", errno.EINVAL, lambda: MR(pd, 2 << 20, IBV_ACCESS_LOCAL_WRITE))
mws = [MW(pd, IBV_MW_TYPE_1) for _ in range(2)]
refused("third MW", errno.ENOMEM, lambda: MW(pd, IBV_MW_TYPE_1))
refused("SRQ of 16", errno.EINVAL, lambda: SRQ(pd, SrqInitAttr(SrqAttr(max_wr=16))))
srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=15)))
refused("second SRQ", errno.ENOMEM, lambda: SRQ(pd, SrqInitAttr(SrqAttr(max_wr=1))))
sys.stdout.flush()
os._exit(failed)  # pyverbs would destroy in the wrong order
