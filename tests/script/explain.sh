#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Errors of a stock program explain themselves: a refused command, the first error of a queue pair.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck disable=SC1091 # needs -x
. ./preload.inc
: "${ours:?}"

work=$XDG_RUNTIME_DIR
cat >"$work/refused.py" <<'END'
import os

from pyverbs.cq import CQ
from pyverbs.device import Context

print(os.getpid())
try:
    CQ(Context(name="rxe0"), 1 << 30)
except Exception:
    print("refused")
END
cat >"$work/no_such_type.py" <<'END'
import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr

context = Context(name="rxe0")
cq = CQ(context, 8)
try:
    QP(PD(context), QPInitAttr(qp_type=e.IBV_QPT_XRC_SEND, scq=cq, rcq=cq, cap=QPCap(max_send_wr=4)))
except Exception:
    print("refused")
END
# A send to a queue pair that does not exist: the retries are used up.
cat >"$work/unanswered.py" <<'END'
from pyverbs.addr import AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR
import pyverbs.enums as e

context = Context(name="rxe0")
pd, cq = PD(context), CQ(context, 8)
mr = MR(pd, 64, e.IBV_ACCESS_LOCAL_WRITE)
qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(max_send_wr=4)))
attr = QPAttr(port_num=1)
attr.dest_qp_num = 0x4242
attr.path_mtu = e.IBV_MTU_1024
attr.ah_attr = AHAttr(dlid=context.query_port(1).lid, port_num=1)
attr.timeout, attr.retry_cnt = 1, 1
qp.to_rts(attr)
for number in (7, 8):
    qp.post_send(SendWR(number, opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(mr.buf, 8, mr.lkey)]))
done = []
while len(done) < 2:
    count, completions = cq.poll()
    done += completions
print(*(wc.status for wc in done))
END
# Eight writes to itself, and a CQ for fewer that nobody polls.
sed -e '/^context/,$d' "$work/unanswered.py" >"$work/overflow.py"
cat >>"$work/overflow.py" <<'END'
context = Context(name="rxe0")
pd, cq = PD(context), CQ(context, 1)
mr = MR(pd, 64, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE)
qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(max_send_wr=8)))
attr = QPAttr(port_num=1)
attr.dest_qp_num, attr.path_mtu, attr.timeout = qp.qp_num, e.IBV_MTU_1024, 14
attr.qp_access_flags = e.IBV_ACCESS_REMOTE_WRITE
attr.ah_attr = AHAttr(dlid=context.query_port(1).lid, port_num=1)
qp.to_rts(attr)
for number in range(8):
    wr = SendWR(number, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[SGE(mr.buf, 8, mr.lkey)])
    wr.set_wr_rdma(mr.rkey, mr.buf)
    qp.post_send(wr)
event = context.get_async_event()
print(event.event_type == e.IBV_EVENT_CQ_ERR, cq.cqe)
event.ack()
END

fail() {
	echo "$1"
	cat "$work/out" "$work/err"
	exit 1
}

say() { # say PROGRAM: its output in out and err
	preloaded /usr/bin/python3 "$work/$1.py" >"$work/out" 2>"$work/err" || fail "$1 failed"
}

say refused
grep -q '^refused$' "$work/out" || fail "the CQ is not refused"
[[ $(grep -c "^${ours}a CQ of 1073741824 entries; 1 to .* are possible\. " "$work/err") == 1 ]] ||
	fail "one line must say why"

cat >"$work/again.py" <<'PY'
from pyverbs.cq import CQ
from pyverbs.device import Context

context = Context(name="rxe0")
for bit in range(30, 20, -1):
    try:
        CQ(context, 1 << bit)
    except Exception:
        pass
PY
say again
[[ $(grep -c "^${ours}a CQ of" "$work/err") == 3 ]] || fail "three lines of a kind"
[[ $(grep -c "^${ours}more calls are refused for that reason" "$work/err") == 1 ]] || fail "and that there are more"

VERBENA_HOST=alpha say refused
grep -q "^verbena\[$(grep -x '[0-9]*' "$work/out") alpha\]: a CQ of" "$work/err" || fail "whose line it is"

for mode in ioctl invoke write; do
	VERBENA_UABI_MODE=$mode say no_such_type
	grep -q "^${ours}the device has no QPs of type XRC_INI for programs, .*Use RC, UC or UD" "$work/err" ||
		fail "a type that there is not, by $mode"
done

preloaded ibv_devinfo -v >"$work/out" 2>"$work/err" || fail "ibv_devinfo failed"
! grep -q '^verbena' "$work/err" || fail "who only looks is not told anything"

say unanswered
grep -q '^12 5$' "$work/out" || fail "RETRY_EXC, then a flush"
[[ $(grep -c "^$ours" "$work/err") == 1 ]] || fail "one line a queue pair"
grep -qE "^${ours}QP 0x[0-9a-f]+ WR 7 SEND -> RETRY_EXC_ERR: no process on the host of LID 0x1 has QP 0x4242" "$work/err" ||
	fail "the first error explains itself"

say overflow
read -r event entries <"$work/out"
[[ $event == True ]] || fail "the CQ fails"
[[ $(grep -c "^$ours" "$work/err") == 1 ]] || fail "one line for the CQ"
grep -qE "^${ours}QP 0x[0-9a-f]+: its send CQ of $entries entries is full: .* Make it as large" "$work/err" ||
	fail "which CQ, its size, the cure"

# Datagrams that nobody takes: a line for each reason, though each happens twice; the program looks at the counters.
preloaded /usr/bin/python3 programs/datagrams.py >"$work/out" 2>"$work/err" || fail "datagrams failed"
read -r sender receiver <"$work/out"
[[ $(grep -c "^$ours" "$work/err") == 5 ]] || fail "one line for each reason"
from="of QP 0x$sender at LID 0x1"
for line in "QP 0x$receiver: messages $from are lost: no receive is posted" \
	"QP 0x$receiver: a datagram $from is dropped: 64 bytes and 40 for the GRH, for a receive of 103" \
	"QP 0x$receiver: datagrams $from are dropped: they have Q_Key 0x11111112, this queue pair has 0x11111111" \
	"QP 0x$sender: no process on the host of LID 0x1 has QP 0xabcd00" \
	"packets from LID 0x1 for QP 0x[0-9a-f]* are dropped: this process has no queue pair of that number"; do
	grep -q "^$ours$line" "$work/err" || fail "$line"
done

VERBENA_EXPLAIN=0 say refused
! grep -q '^verbena' "$work/err" || fail "VERBENA_EXPLAIN=0 is silence"
VERBENA_EXPLAIN=$work/log say refused
! grep -q '^verbena' "$work/err" || fail "not on stderr"
grep -q "^${ours}a CQ of 1073741824" "$work/log" || fail "but in the file"
VERBENA_EXPLAIN=$work/none/log say refused
grep -qE '^verbena: VERBENA_EXPLAIN=/.*/none/log cannot be opened \(No such file or directory\)' "$work/err" ||
	fail "where the lines cannot go is said"
grep -q "^${ours}a CQ of 1073741824" "$work/err" || fail "and they are said here"

# Values that variables cannot have: which, what they may be, and where it is written.
VERBENA_PERSONALITY=xx preloaded ibv_devinfo >"$work/out" 2>"$work/err" || true
grep -q '^verbena: .*VERBENA_PERSONALITY is xx, and may be rxe, hfi1 or hfi1-v1\. .*verbena(7)' "$work/err" ||
	fail "a personality that is none"
VERBENA_LOG=9 VERBENA_UABI_MODE=x VERBENA_UMEM=x VERBENA_DIRECT=maybe say overflow
for wrong in 'LOG is 9, and may be 0, 1, 2, 3, 4, 5, 6 or 7' 'UABI_MODE is x, and may be ioctl, invoke or write' \
	'UMEM is x, and may be vm' 'DIRECT is maybe, and may be 0 or 1'; do
	[[ $(grep -c "^verbena: VERBENA_$wrong\. It is ignored: see verbena(7)\.$" "$work/err") == 1 ]] ||
		fail "VERBENA_$wrong: once"
done

# Posts: what a provider's library refuses by itself nobody sees; all else is explained, in either way of posting.
posts() { # posts DEVICE PERSONALITY CASE RESULT [PATTERN]: a line of ours, or none
	DEVICE=$1 VERBENA_PERSONALITY=$2 preloaded /usr/bin/python3 programs/posts.py "$3" \
		>"$work/out" 2>"$work/err" || fail "$3 failed"
	grep -qx "$3 $4" "$work/out" || fail "$2: $3 must be $4"
	if [[ ${5:-} ]]; then
		grep -qE "^${ours}QP 0x[0-9a-f]+.*: $5" "$work/err" || fail "$2: $3 is not explained"
	else
		! grep -q '^verbena' "$work/err" || fail "$2: $3 is explained, so docs/compat.md is wrong"
	fi
}
posts rxe0 rxe send-state EINVAL 'the QP is in INIT'
posts rxe0 rxe send-key 'accepted status 4' 'lkey 0x12345 names no region'
posts rxe0 rxe send-opcode 'accepted status 2' 'the device has no send opcode'
posts rxe0 rxe send-atomic 'accepted status 2' 'an atomic operation of 16 bytes'
for what in send-full:ENOMEM send-sges:EINVAL recv-state:EINVAL recv-full:ENOMEM recv-sges:EINVAL; do
	posts rxe0 rxe "${what%:*}" "${what#*:}"
done
posts hfi1_0 hfi1 send-state EINVAL 'the QP is in INIT'
posts hfi1_0 hfi1 send-full ENOMEM 'all 4 send requests are outstanding'
posts hfi1_0 hfi1 send-sges EINVAL '40 SGEs; the queue takes 1'
posts hfi1_0 hfi1 send-key EINVAL 'lkey 0x12345 names no region'
posts hfi1_0 hfi1 send-atomic EINVAL 'an atomic operation of 16 bytes'
posts hfi1_0 hfi1 send-opcode EINVAL 'a work request 77 for a QP of type RC'
for what in recv-full:ENOMEM recv-sges:EINVAL; do
	posts hfi1_0 hfi1 "${what%:*}" "${what#*:}"
done
