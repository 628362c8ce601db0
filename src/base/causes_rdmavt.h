/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Causes, part of causes.h: rdmavt, 300-599. */

/* queue pairs */
CAUSE(300, QP_CREATE_TYPE, "the device has no QPs of type {0:type}",
      "Ask for SMI, GSI, RC, UC or UD")
CAUSE(301, QP_CREATE_FLAGS, "create_flags {0:x} has bits the device does not know: {1:x}",
      "Leave them out")
CAUSE(302, QP_CREATE_SEND, "a send queue of {0} requests with {1} SGEs; {2} and {3} are possible",
      "Look at max_qp_wr and max_send_sge")
CAUSE(303, QP_CREATE_RECEIVE,
      "a receive queue of {0} requests with {1} SGEs; {2} and {3} are possible",
      "Look at max_qp_wr and max_recv_sge")
CAUSE(304, QP_CREATE_EMPTY, "a QP whose queues hold no request", "Set cap, or give it an SRQ")
CAUSE(305, QP_CREATE_PORT, "a {0:type} QP on port {1}; the device has ports 1 to {2}",
      "Set port_num")
CAUSE(306, QP_CREATE_INLINE, "{0} bytes of inline data; at most {1} are possible",
      "Ask for less, and use an SGE for what is longer")
CAUSE(307, QP_COUNT, "all {0} QPs of the device exist", "Destroy some")
CAUSE(308, QPN_SPECIAL_TAKEN, "port {1} has its QP {0} already",
      "Destroy that one first: a port has one SMI and one GSI QP")
CAUSE(309, QPN_NONE_FREE, "all QP numbers below {0:x} are taken", "Destroy some QPs")
CAUSE(310, QPN_RESERVED_RANGE, "QP numbers {0:x} to {1:x} cannot be reserved",
      "Set dparms.qpn_res_end to at least qpn_res_start, below 1000000")
CAUSE(311, QP_TABLE_SIZE, "the device's QP table has no entries",
      "Set dparms.qp_table_size to a power of two")
CAUSE(312, QP_CALLBACKS, "the driver lacks a function that QPs need",
      "Fill in free_all_qps, qp_priv_alloc, qp_priv_free, notify_qp_reset and notify_restart_rc")
CAUSE(313, QP_NO_DEVICE, "a QP without a device", "Create it with ib_create_qp()")
CAUSE(314, QP_CREATE_NO_CQ, "a QP without a CQ for each of its queues",
      "Set send_cq and recv_cq; they may be the same")
CAUSE(315, QP_CREATE_OTHER_DEVICE, "a CQ or an SRQ of another device than the PD's",
      "Create all of them on one device")
CAUSE(320, MODIFY_BITS, "attribute mask {0:mask} has bits the device does not know: {1:x}",
      "Leave them out")
CAUSE(321, MODIFY_NOT_CURRENT, "cur_qp_state says {0:state}, yet the QP is in {1:state}",
      "Set it to what ib_query_qp() says, or leave IB_QP_CUR_STATE out")
CAUSE(322, MODIFY_DRIVER, "the driver refuses attribute mask {0:mask} in {1:state}",
      "See what its check_modify_qp() asks for")
CAUSE(323, MODIFY_MULTICAST_AV, "the path leads to LID {0:x}, which is a multicast LID",
      "Set ah_attr to the peer's own LID")
CAUSE(324, MODIFY_PKEY_INDEX, "P_Key index {0}; the port has {1}",
      "Use an index that ib_query_pkey() answers for")
CAUSE(325, MODIFY_RNR_TIMER, "min_rnr_timer {0}; codes are 0 to 31", "Use an enum ib_rnr_timeout")
CAUSE(326, MODIFY_PORT_NUM,
      "port {0}; the device has ports 1 to {1}, and SMI and GSI QPs stay on theirs", "Set port_num")
CAUSE(327, MODIFY_DEST_QPN, "destination QP {0:x}; QP numbers have 24 bits",
      "Use the peer's qp_num")
CAUSE(328, MODIFY_RETRY_CNT, "retry_cnt {0}; at most 7", "Use 0 to 7")
CAUSE(329, MODIFY_RNR_RETRY, "rnr_retry {0}; at most 7, which means for ever", "Use 0 to 7")
CAUSE(330, MODIFY_MTU,
      "path MTU code {0}, which the port or the driver does not take (1: 256 bytes ... 5: 4096)",
      "Use at most the port's active_mtu")
CAUSE(331, MODIFY_MIGRATION,
      "migration state {0} after {1} on the way to {2:state} (0 MIGRATED, 1 REARM, 2 ARMED)",
      "REARM in RTS, then MIGRATED once the QP has become ARMED")
CAUSE(332, MODIFY_RESPONDER_DEPTH, "max_dest_rd_atomic {0}; the device takes {1}",
      "Look at max_qp_rd_atom")
CAUSE(333, MODIFY_SQE, "an RC QP has no SQE state", "Its send errors lead to ERR")
CAUSE(334, MODIFY_RESETTING, "another thread is bringing the QP to RESET",
      "Wait until that call has returned")
CAUSE(340, POST_SEND_STATE, "the QP is in {0:state}, where nothing can be sent",
      "Bring it to RTS first")
CAUSE(341, POST_RECEIVE_STATE, "the QP is in {0:state}, where no receive can be posted",
      "Bring it to INIT first")
CAUSE(342, POST_RECEIVE_SRQ, "the QP takes its receives from an SRQ",
      "Post them there by ib_post_srq_recv()")
CAUSE(343, POST_SGE_COUNT, "{0} SGEs; the queue takes {1}",
      "Ask for more when creating it, or use fewer")
CAUSE(344, POST_OPCODE, "the device has no send opcode {0}",
      "Use one of enum ib_wr_opcode that it offers")
CAUSE(345, POST_OPCODE_TYPE, "a {1:type} QP cannot do {0:wr}",
      "UD sends, UC sends and writes, RC does all")
CAUSE(346, POST_PRIVILEGED, "{0:wr} is not for the PD of a process", "Leave it to the kernel API")
CAUSE(347, POST_ATOMIC_SGE, "an atomic operation with {0} SGEs, the first at {1:x} of {2} bytes",
      "Give it one SGE of 8 bytes at a multiple of 8")
CAUSE(348, POST_NO_READS, "max_rd_atomic is 0: {0:wr} can never be sent",
      "Set IB_QP_MAX_QP_RD_ATOMIC on the way to RTS")
CAUSE(349, POST_AH, "the address handle is missing, or of another PD than the QP",
      "Create it with the QP's PD")
CAUSE(350, POST_SEND_FULL, "all {0} send requests are outstanding",
      "Poll the send CQ; unsignalled requests count until a later one has completed")
CAUSE(351, POST_RECEIVE_FULL, "all {0} receive requests are outstanding",
      "Wait until messages have taken some")
CAUSE(352, POST_INLINE_LENGTH, "{0} bytes of inline data; the QP takes {1}",
      "Ask for cap.max_inline_data, or leave IB_SEND_INLINE out")
CAUSE(353, POST_INLINE_OPCODE, "{0:wr} has no data to send inline", "Leave IB_SEND_INLINE out")
CAUSE(354, POST_INLINE_FAULT, "inline data at {0:x} ({1} bytes) is not mapped",
      "Pass a valid address")
CAUSE(355, POST_LENGTH, "a message of {0} bytes; at most {1}", "Split it")
CAUSE(356, POST_RESERVED_FULL, "all {0} reserved send requests are outstanding",
      "Wait for their completions")
CAUSE(357, POST_DRIVER, "the driver refuses {0:wr} of {1} bytes",
      "See what its setup_wqe() asks for")
CAUSE(358, POST_UD_LENGTH, "a datagram of {0} bytes; the path takes {1}",
      "Send it in parts: UD has one packet a message")
CAUSE(359, POST_NO_SGES, "num_sge is {0}, and sg_list is NULL", "Set sg_list, or num_sge to 0")
CAUSE(362, POST_RING, "a process fills the QP's ring", "Leave posting to that process")
CAUSE(380, QP_ERR_ASKED, "the program moved the QP to ERR", "Nothing to mend")
CAUSE(381, QP_ERR_STATUS, "the QP failed with {0:wc}", "See the driver")
CAUSE(382, QP_CQ_FULL, "a CQ of {0} entries did not take a completion of the QP",
      "Make it as large as all that can complete to it, and poll")
CAUSE(383, QP_MR_GONE,
      "the region with lkey {0:x} was deregistered while requests of the QP used it",
      "Wait for the completions of all requests first")
CAUSE(390, LOOP_NO_PEER, "this port has no QP {0:x}",
      "Look at dest_qp_num, and whether the peer has been destroyed or brought to RESET")
CAUSE(391, LOOP_PEER_STATE, "the peer is in {0:state} and takes no requests",
      "Bring it to RTR first, and look at its own cause if it is in ERR")
CAUSE(392, LOOP_PEER_TYPE, "the peer is a {0:type} QP, this one {1:type}",
      "Connect QPs of one type")
CAUSE(393, LOOP_PKEY, "P_Key {0:x} of the QP and {1:x} of the peer do not match",
      "Give both the same partition; two limited members cannot talk")
CAUSE(394, LOOP_RNR, "the peer had no receive posted, {0} times in a row, {1} us apart",
      "Post receives ahead of the messages; rnr_retry 7 waits for ever")
CAUSE(395, LOOP_RECEIVE_BAD,
      "the receive that the peer had posted has an SGE that its keys do not allow",
      "See its completion at the peer")
CAUSE(396, LOOP_TOO_LONG, "a message of {0} bytes for a receive of {1}",
      "Post receives that hold the longest message")
CAUSE(397, LOOP_NO_RIGHT, "{0:wr}, yet the peer allows its peer only {1:access}",
      "Give its qp_access_flags the remote right (IB_QP_ACCESS_FLAGS)")
CAUSE(398, LOOP_ATOMIC_ALIGN, "an atomic operation at {0:x}, which is not a multiple of 8",
      "Align the target to 8 bytes")
CAUSE(399, LOOP_NO_DEPTH, "{0:wr}, yet the peer's max_dest_rd_atomic is 0",
      "Set IB_QP_MAX_DEST_RD_ATOMIC on the way to RTR")
CAUSE(400, LOOP_LOCAL_FAULT, "memory that an SGE of the request names is not mapped",
      "Deregister memory before it is unmapped, and only after its requests have completed")
CAUSE(401, LOOP_RECEIVE_FAULT, "memory of the receive that the peer had posted is not mapped",
      "Deregister memory before it is unmapped, and only after its receives have completed")
CAUSE(402, LOOP_REMOTE_FAULT, "memory that rkey {0:x} stands for is not mapped",
      "Deregister memory before it is unmapped")
CAUSE(404, LOOP_NO_RECEIVE, "messages are lost: the peer, QP {0:x}, had no receive posted",
      "Post receives before the messages are sent: UC does not wait for them")
CAUSE(403, LOOP_RECEIVE_CQ_FULL,
      "the message was delivered, but the peer's receive CQ of {0} entries is full",
      "Make it as large as all that can complete to it, and poll")

/* rdmavt: memory regions */
CAUSE(450, MR_TABLE_SIZE, "the device's MR table has no entries", "Set dparms.lkey_table_size")
CAUSE(451, MR_TABLE_FULL, "all {0} memory regions of the device exist",
      "Deregister some, or make larger ones")
CAUSE(452, MR_BUSY, "the region with lkey {0:x} is still used by {1} requests after 5 seconds",
      "Bring their QPs to ERR or RESET, then deregister again")
CAUSE(465, MR_BUSY_PEER,
      "pid {0} on host {1:text} has been copying for 5 seconds, from or to memory of this process, and"
      " it may be the region with lkey {5:x}",
      "See whether it is stopped: let it go on (kill -CONT), or end it, then deregister again")
CAUSE(453, MR_DMA_USER, "a region for all memory is for PDs of the kernel API, not of a process",
      "Register the memory that is needed with ib_reg_user_mr()")
CAUSE(454, MR_EMPTY, "a region of no bytes at {0:x}", "Register at least one byte")
CAUSE(455, MR_WRAP, "{1} bytes from {0:x} on reach beyond the end of the address space",
      "Look at the length")
CAUSE(456, MR_TOO_LONG, "{0} bytes; max_mr_size is {1}", "Register it in parts")
CAUSE(457, MR_TYPE, "the device makes no regions of type {0}", "Ask for IB_MR_TYPE_MEM_REG")
CAUSE(458, MR_PAGES, "{0} pages; at most {1} and at least 1 can be had",
      "Map less at a time, or ask ib_alloc_mr() for more")
CAUSE(459, MR_NOT_FAST_REG, "the region with lkey {0:x} is not one for fast registration",
      "Make it with ib_alloc_mr()")
CAUSE(460, REG_MR_PD, "key {0:x} is of another PD than the QP", "Use one PD for both")
CAUSE(461, REG_MR_KEY,
      "IB_WR_REG_MR with key {0:x}; the region has lkey {1:x} and rkey {2:x}, and only the low 8 "
      "bits of one of them may differ",
      "Pass mr->rkey or mr->lkey, changed by ib_update_fast_reg_key()")
CAUSE(462, KEY_ZERO_INVALIDATE, "key 0, all memory, cannot be invalidated", "Pass mr->rkey")
CAUSE(463, KEY_INVALIDATE_PD, "key {0:x} is of PD {1}, the QP of PD {2}",
      "Invalidate through a QP of the region's PD")
CAUSE(464, RKEY_INVALIDATE_KIND,
      "a peer wants rkey {0:x} invalidated, which is not of a region for fast registration",
      "Send with invalidate only what IB_WR_REG_MR has registered")

/* rdmavt: keys */
CAUSE(470, LKEY_NONE, "lkey {0:x} names no region",
      "Use the lkey of a region that exists until the request has completed")
CAUSE(471, RKEY_NONE, "rkey {0:x} names no region",
      "Tell the peer the rkey of a region, and keep the region while it is used")
CAUSE(472, LKEY_STALE,
      "lkey {0:x} is not the key of its slot, which has lkey {1:x}: it is an old one, or made up",
      "Take the lkey from the region after it was registered last")
CAUSE(473, RKEY_STALE,
      "rkey {0:x} is not the key of its slot, which has rkey {1:x}: it is an old one, or made up",
      "Tell the peer the rkey again after each registration")
CAUSE(474, LKEY_IS_RKEY, "lkey {0:x} is the region's rkey; its lkey is {1:x}",
      "Put mr->lkey into an SGE, mr->rkey into what a peer gets")
CAUSE(475, RKEY_IS_LKEY, "rkey {0:x} is the region's lkey; its rkey is {1:x}",
      "Give mr->rkey to a peer, mr->lkey is for SGEs")
CAUSE(476, LKEY_INVALIDATED, "lkey {0:x} has been invalidated", "Register anew by IB_WR_REG_MR")
CAUSE(477, RKEY_INVALIDATED, "rkey {0:x} has been invalidated", "Register anew by IB_WR_REG_MR")
CAUSE(478, LKEY_UNREGISTERED, "lkey {0:x}: no IB_WR_REG_MR since the region was mapped last",
      "Post one before the key is used")
CAUSE(479, RKEY_UNREGISTERED, "rkey {0:x}: no IB_WR_REG_MR since the region was mapped last",
      "Post one before a peer gets the key")
CAUSE(480, LKEY_PD, "lkey {0:x} is of PD {1}, the queue of PD {2}",
      "Register the memory with the queue's PD")
CAUSE(481, RKEY_PD, "rkey {0:x} is of PD {1}, the QP that serves the request of PD {2}",
      "Register the memory with that QP's PD")
CAUSE(482, LKEY_BOUNDS, "lkey {0:x} covers {1:x}..{2:x}; {4} bytes at {5:x} are not all inside",
      "Stay inside the region, or register more")
CAUSE(483, RKEY_BOUNDS,
      "rkey {0:x} grants {1:x}..{2:x} {3:access}; {4} bytes at {5:x} are not all inside",
      "Stay inside the region, or register more")
CAUSE(484, LKEY_NO_WRITE,
      "lkey {0:x} covers {1:x}..{2:x} {3:access}; {4} bytes are to be stored at {5:x}",
      "Register with IB_ACCESS_LOCAL_WRITE")
CAUSE(485, RKEY_NO_WRITE, "rkey {0:x} grants {1:x}..{2:x} {3:access}; {4} bytes written at {5:x}",
      "Register with IB_ACCESS_LOCAL_WRITE and IB_ACCESS_REMOTE_WRITE")
CAUSE(486, RKEY_NO_READ, "rkey {0:x} grants {1:x}..{2:x} {3:access}; {4} bytes read at {5:x}",
      "Register with IB_ACCESS_REMOTE_READ")
CAUSE(487, RKEY_NO_ATOMIC,
      "rkey {0:x} grants {1:x}..{2:x} {3:access}; atomic operation on {4} bytes at {5:x}",
      "Register with IB_ACCESS_LOCAL_WRITE and IB_ACCESS_REMOTE_ATOMIC")
CAUSE(488, LKEY_WRAP, "lkey {0:x}: {4} bytes at {5:x} reach beyond the end of the address space",
      "Look at address and length of the SGE")
CAUSE(489, RKEY_WRAP, "rkey {0:x}: {4} bytes at {5:x} reach beyond the end of the address space",
      "Look at address and length of the request")
CAUSE(490, LKEY_ZERO_USER, "lkey 0, all memory, is not for the PD of a process",
      "Register the memory and use its lkey")
CAUSE(491, LKEY_ZERO_NO_MR, "lkey 0, all memory, with no DMA region on the device",
      "Make the PD with ib_alloc_pd(), and use pd->local_dma_lkey")
CAUSE(492, KEY_ZERO_WRAP, "{1} bytes at {0:x} reach beyond the end of the address space",
      "Look at address and length")
CAUSE(493, RKEY_ZERO, "rkey 0, all memory, for {0:access}: the serving QP's PD does not grant it",
      "Register the memory, or make that PD with IB_PD_UNSAFE_GLOBAL_RKEY")

/* rdmavt: CQs, SRQs, AHs, PDs, multicast, devices */
CAUSE(500, CQ_FLAGS, "the device's CQs have no flags, and {0:x} are wanted", "Leave flags 0")
CAUSE(501, CQ_SIZE, "a CQ of {0} entries; 1 to {1} are possible", "Look at max_cqe")
CAUSE(502, CQ_COUNT, "all {0} CQs of the device exist", "Destroy some, or share one")
CAUSE(503, CQ_RESIZE, "a CQ of {0} entries while {1} are in it", "Poll first")
CAUSE(504, CQ_MAPPED, "a process polls this CQ in its own memory", "Poll it there")
CAUSE(505, CQ_MODERATION, "{0} completions or {1} us; the device can do {2} and {3} us",
      "Look at cq_caps")
CAUSE(506, CQ_RESIZE_UDATA, "the answer has no room for where the CQ's new ring can be mapped",
      "Resize it from the process that maps it")
CAUSE(507, CQ_OVERFLOW,
      "its {1:queue} CQ of {0} entries is full: this completion and all that follow are lost",
      "Make it as large as all that can complete to it, and poll")
CAUSE(510, SRQ_TYPE, "the device has no SRQs of type {0}", "Ask for IB_SRQT_BASIC")
CAUSE(511, SRQ_SGE, "an SRQ with {0} SGEs a request; 1 to {1} are possible", "Look at max_srq_sge")
CAUSE(512, SRQ_WR, "an SRQ of {0} requests; 1 to {1} are possible", "Look at max_srq_wr")
CAUSE(513, SRQ_COUNT, "all {0} SRQs of the device exist", "Destroy some, or share one")
CAUSE(514, SRQ_LIMIT, "a limit of {0} on an SRQ of {1} requests", "Set one that can be reached")
CAUSE(515, SRQ_RESIZE, "an SRQ of {0} requests while {1} are posted", "Resize when there are fewer")
CAUSE(516, SRQ_MAPPED,
      "a process has mapped this SRQ, and the call has no place for where the new ring will be",
      "Resize it from the process that maps it")
CAUSE(517, SRQ_GARBAGE, "the ends of the SRQ's ring are {0} and {1}, of {2} places",
      "Look for what overwrites the ring in the process that maps it")
CAUSE(520, AH_NO_PORT, "port {0}; the device has ports 1 to {1}", "Set the address's port_num")
CAUSE(521, AH_PORT_QUERY, "port {0} cannot be queried", "Look why the driver refuses it")
CAUSE(522, AH_RATE, "there is no static rate {0}", "Use an enum ib_rate")
CAUSE(523, AH_SGID_INDEX, "GID {0} of a port that has {1}",
      "Set sgid_index to an entry that exists")
CAUSE(524, AH_COUNT, "all {0} address handles of the device exist", "Destroy some, or share one")
CAUSE(525, PD_COUNT, "all {0} PDs of the device exist", "Destroy some, or share one")
CAUSE(530, MCAST_QP, "the QP, of number {0} and in {1:state}, takes no multicast",
      "Attach a UD QP in INIT or later; QPs 0 and 1 never")
CAUSE(531, MCAST_MLID, "the group has MLID {1:x}, not {0:x}",
      "Use the MLID that the subnet manager gave the group")
CAUSE(532, MCAST_GROUPS, "all {0} multicast groups of the device exist", "Detach from some")
CAUSE(533, MCAST_QPS, "the group has {0} QPs, which is all it takes", "Detach some")
CAUSE(534, MCAST_NO_GROUP, "no QP of this port is attached to the group", "Attach first")
CAUSE(535, MCAST_NOT_ATTACHED, "the QP is not attached to the group", "Attach first")
CAUSE(540, MMAP_NOTHING, "nothing of {1} bytes can be mapped at offset {0:x}",
      "Map what the creating call answered, once, by the process that made it")
CAUSE(541, MMAP_KERNEL, "a queue of the kernel API cannot be mapped", "Create it by a process")
CAUSE(542, RING_UDATA, "driver data of {0} bytes, room for {1}; the answer takes {2}",
      "Use a library for this provider, of a version that the device's ABI number fits")
CAUSE(543, AH_NUMBERS, "all {0} address handles of processes exist", "Destroy some, or share one")
CAUSE(550, DRIVER_INCOMPLETE, "the driver gives neither its own op {0} nor what rdmavt's needs",
      "See struct rvt_driver_provided for the functions of that op")
CAUSE(551, DRIVER_NONE, "no device to register", "Make one with rvt_alloc_device()")
CAUSE(552, DEVICE_PORT, "port {0}; the device has ports 1 to {1}", "Use one of them")
CAUSE(553, PORT_PKEY_INDEX, "P_Key {0} of a table that has {1}", "Use an index that exists")
CAUSE(554, DEVICE_UHW, "query_device takes no driver data", "Pass none")
CAUSE(555, MODIFY_DEVICE, "the driver does not let the device be modified", "Leave it as it is")
CAUSE(556, NO_MAD_LAYER, "traps are the fabric's: no port has an agent for them", "Go on without")

/* rdmavt: memory windows */
CAUSE(560, MW_KIND, "the device has no windows of type {0}", "Ask for IB_MW_TYPE_1 or IB_MW_TYPE_2")
CAUSE(561, MW_COUNT, "all {0} windows of the device exist", "Free some")
CAUSE(562, MW_NONE, "rkey {0:x} names no window", "Use mw->rkey of one that exists")
CAUSE(563, MW_STALE,
      "rkey {0:x} is not the key of its window, which has rkey {1:x}: it is an old one, or made up",
      "Use the rkey of the latest bind, and tell it to the peer")
CAUSE(564, MW_PD, "the window with rkey {0:x} is of PD {1}, the QP of PD {2}",
      "Make both with one PD")
CAUSE(565, MW_BOUND, "the window with rkey {0:x} is bound, and of type 2",
      "Invalidate it before it is bound anew")
CAUSE(566, MW_EMPTY, "no bytes for the window with rkey {0:x}, which is of type 2",
      "Invalidate it to unbind it")
CAUSE(567, MW_ZERO_BASED, "the window with rkey {0:x} is of type 1, or the region starts at 0",
      "Only a window of type 2 can be zero based, and no region behind it")
CAUSE(568, MW_REGION, "lkey {0:x} names no region that a window can be bound to",
      "Use the lkey of memory that was registered by its address, and is now")
CAUSE(569, MW_RIGHTS, "the region has {0:access}, and the window is to grant {1:access}",
      "Register with IB_ACCESS_MW_BIND, for writes and atomics with IB_ACCESS_LOCAL_WRITE, too")
CAUSE(570, MW_BOUNDS, "the window's {1} bytes at {0:x} are not all in the region, {2:x}..{3:x}",
      "Stay inside the region")
CAUSE(571, MW_UNBOUND, "rkey {0:x} is that of a window that is not bound",
      "Bind it, and keep it so while peers use it")
CAUSE(572, MW_OTHER_QP, "the window with rkey {0:x} is bound through QP {1}; this is QP {2}",
      "Use a window of type 2 through the QP that has bound it")
CAUSE(573, MW_INVALIDATE_TYPE, "the window with rkey {0:x} is of type 1",
      "Bind it with length 0 to unbind it")
CAUSE(574, MR_BOUND, "{1} windows are bound to the region with lkey {0:x}",
      "Unbind or free them first")
CAUSE(575, MODIFY_REQUESTER_DEPTH, "max_rd_atomic {0}; the device has {1} at most",
      "Look at max_qp_init_rd_atom")
CAUSE(576, POST_FLUSH, "a flush of type {0}, level {1}, with {2} SGEs",
      "Give it a type (1 global, 2 persistent or both), level 0 (range) or 1 (region), and no SGEs")
CAUSE(577, RKEY_NO_FLUSH, "rkey {0:x} grants {1:x}..{2:x} {3:access}; {4} bytes flushed at {5:x}",
      "Register with IB_ACCESS_FLUSH_GLOBAL or IB_ACCESS_FLUSH_PERSISTENT, as the flush asks for")
CAUSE(578, MR_NO_MEMORY,
      "there is no memory, or none that can be read, behind some of the {1} bytes from {0:x} on",
      "Map it before it is registered; look at address and length")
CAUSE(579, MR_READ_ONLY, "the {1} bytes from {0:x} on cannot be written by the program itself",
      "Register such memory without IB_ACCESS_LOCAL_WRITE and what else writes, or map it writable")
