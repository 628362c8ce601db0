/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Causes, part of causes.h: transport, 600-799. */

/* The RC responder's, 600 to 649: what a NAK says. */
CAUSE(600, RESP_OPCODE_ORDER, "packet {0:packet} with PSN {2:x} cannot follow {1:packet}",
      "The peer's requester is broken, or two of them send to one queue pair: connect each pair once")
CAUSE(601, RESP_QP_ACCESS,
      "{0:packet}, yet the responder's queue pair allows its peer only {1:access}",
      "Give its qp_access_flags the remote right (ib_modify_qp() with IB_QP_ACCESS_FLAGS)")
CAUSE(602, RESP_PAYLOAD_LENGTH,
      "packet {0:packet} has {1} bytes of payload where the path MTU is {2}",
      "Give both sides the same path_mtu")
CAUSE(603, RESP_MESSAGE_LENGTH, "{0} bytes requested, {1} are the limit", "Split the request")
CAUSE(604, RESP_ATOMIC_ALIGNMENT, "atomic operation at {0:x}, which is not a multiple of 8",
      "Align the target to 8 bytes")
CAUSE(605, RESP_RECEIVE_BAD, "the posted receive has an SGE that its keys do not allow",
      "See the receive's own completion at the responder")
CAUSE(606, RESP_NO_SLOT,
      "the responder remembers {0} READs and atomics, and all of them are unanswered",
      "Set max_rd_atomic of the requester to at most max_dest_rd_atomic of the responder")
CAUSE(607, RESP_RKEY, "rkey {0:x} gives no access to {1} bytes at {2:x} ({3:packet})",
      "Use the rkey of a region that is registered with the remote right, and stay inside it")
CAUSE(608, RESP_SEND_TOO_LONG, "message of at least {0} bytes for a receive of {1}",
      "Post receives that hold the longest message")
CAUSE(609, RESP_WRITE_LENGTH, "RDMA WRITE of {1} bytes carried {0}",
      "The peer's requester is broken")
CAUSE(610, RESP_RECEIVE_UNMAPPED, "the memory of the posted receive is not mapped any more",
      "Deregister memory before it is unmapped, and only after its receives have completed")
CAUSE(611, RESP_MEMORY_UNMAPPED,
      "the memory that the rkey stands for is not mapped any more ({0:packet})",
      "Deregister memory before it is unmapped")
CAUSE(612, RESP_INVALIDATE, "rkey {0:x} of a SEND with invalidate cannot be invalidated",
      "Send the rkey of a fast-registered region of the receiver's protection domain")
CAUSE(613, RESP_FLUSH, "flush with placement type {0} and selectivity level {1}",
      "The peer's requester is broken")

/* The requester's, 650 to 699. */
CAUSE(650, REQ_MEMORY_UNMAPPED, "the memory of an SGE is not mapped any more",
      "Deregister memory before it is unmapped, and only after the requests on it have completed")
CAUSE(651, REQ_RETRY_TIMEOUT,
      "no answer to PSN {0:x} after {1} retries with ACK timeout {2} ({3} us)",
      "See that the peer's queue pair exists, is in RTR or RTS, has this one as its dest_qp_num, and as "
      "its rq_psn the sq_psn of this one")
CAUSE(652, REQ_RETRY_SEQUENCE, "PSN {0:x} was lost again after {1} retries",
      "Look for loss on the way, or set a higher retry_cnt")
CAUSE(653, REQ_RNR_RETRY, "receiver not ready for PSN {0:x} after {1} retries (RNR timer code {2})",
      "Have the peer post receives in time, or set rnr_retry to 7: for ever")
CAUSE(654, REQ_NAK, "the peer refused PSN {0:x} with syndrome {1:x}",
      "Ask the peer: its side knows the reason")
CAUSE(655, REQ_BAD_RESPONSE, "response {0:packet} to PSN {1:x}, which asked for another",
      "The peer's responder is broken")
CAUSE(656, REQ_READ_LENGTH, "response {0:packet} with PSN {1:x} has {2} bytes",
      "Give both sides the same path_mtu; otherwise the peer's responder is broken")
CAUSE(657, REQ_SOURCE_UNMAPPED, "what was read at the peer is not mapped there any more",
      "Have the peer deregister memory before it is unmapped")
CAUSE(659, REQ_LENGTH, "{0} bytes to be sent; this queue pair can send {1} in one message",
      "Split the message")
CAUSE(660, REQ_SEGMENTS,
      "{0} SGEs over regions with gaps become more than the {1} pieces that a request may have",
      "Use fewer SGEs, or regions of neighbouring pages")
CAUSE(661, REQ_ATOMIC_LENGTH, "an atomic operation of {0} bytes", "Give it SGEs of exactly 8")

/* Lost in silence, 680 to 699: what drops it says so once. */
CAUSE(680, DROP_NO_QP,
      "packets from LID {1:x} for QP {0:x} are dropped: this process has no queue pair of that number",
      "Have the sender use the qp_num of the queue pair that is to receive")
CAUSE(681, DROP_STATE,
      "packets of QP {0:x} at LID {1:x} are dropped: this queue pair is in {2:state}",
      "Take it to RTR before its peers send")
CAUSE(682, DROP_SERVICE,
      "packets from LID {1:x} are dropped: they are of type {2:type} and came to port {3}, and this queue "
      "pair is of type {4:type} at port {5}",
      "Have the sender use the number and the port of a queue pair of its own kind")
CAUSE(683, DROP_PKEY,
      "packets of QP {0:x} at LID {1:x} are dropped: they have P_Key {2:x}, this queue pair has {3:x}",
      "Give both sides a pkey_index of one partition, at least one of them as a full member (bit 15)")
CAUSE(684, DROP_QKEY,
      "datagrams of QP {0:x} at LID {1:x} are dropped: they have Q_Key {2:x}, this queue pair has {3:x}",
      "Have the sender use the receiver's qkey as remote_qkey")
CAUSE(685, DROP_PATH,
      "packets from LID {1:x} are dropped: this queue pair is connected to LID {2:x}, or to another GID",
      "Have its ah_attr name the port that its peer sends from, with a GRH if the peer sends one")
CAUSE(686, DROP_DATAGRAM_LENGTH,
      "a datagram of QP {0:x} at LID {1:x} is dropped: {2} bytes and 40 for the GRH, for a receive of {3}",
      "Make each receive 40 bytes longer than the longest datagram")
CAUSE(687, DROP_MESSAGE_LENGTH,
      "a message of QP {0:x} at LID {1:x} is dropped: at least {2} bytes, for a receive of {3}",
      "Post receives that hold the longest message")
CAUSE(688, DROP_NO_RECEIVE,
      "messages of QP {0:x} at LID {1:x} are lost: no receive is posted here, nor was one in time",
      "Post more receives, and sooner: an unreliable service does not wait for them for long")
CAUSE(689, DROP_ORDER,
      "a message of QP {0:x} at LID {1:x} is dropped: packets of it were lost before they came here",
      "Look at what loses them, or use RC, which sends them again")
CAUSE(690, DROP_ACCESS,
      "RDMA WRITEs of QP {0:x} at LID {1:x} are dropped: this queue pair does not allow any",
      "Give its qp_access_flags IB_ACCESS_REMOTE_WRITE (ib_modify_qp() with IB_QP_ACCESS_FLAGS)")
