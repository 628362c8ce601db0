/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Causes, part of causes.h: rdmavt, 300-599. */

/* rdmavt: memory regions */
CAUSE(450, MR_TABLE_SIZE, "the device's MR table has no entries", "Set dparms.lkey_table_size")
CAUSE(451, MR_TABLE_FULL, "all {0} memory regions of the device exist",
      "Deregister some, or make larger ones")
CAUSE(452, MR_BUSY, "the region with lkey {0:x} is still used by {1} requests after 5 seconds",
      "Bring their QPs to ERR or RESET, then deregister again")
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
CAUSE(465, MR_DEREGISTERED, "the region with lkey {0:x} was deregistered while a request used it",
      "Wait for the completions of all requests first")

/* rdmavt: keys */
CAUSE(470, LKEY_NONE, "lkey {0:x} names no region",
      "Use the lkey of a region that exists until the request has completed")
CAUSE(471, RKEY_NONE, "rkey {0:x} names no region",
      "Tell the peer the rkey of a region, and keep the region while it is used")
CAUSE(472, LKEY_STALE, "lkey {0:x} is an old one; its slot now has lkey {1:x}",
      "Take the lkey from the region after it was registered last")
CAUSE(473, RKEY_STALE, "rkey {0:x} is an old one; its slot now has rkey {1:x}",
      "Tell the peer the rkey again after each registration")
CAUSE(474, LKEY_IS_RKEY, "lkey {0:x} is the region's rkey; its lkey is {1:x}",
      "Put mr->lkey into an SGE, mr->rkey into what a peer gets; or set keys=same")
CAUSE(475, RKEY_IS_LKEY, "rkey {0:x} is the region's lkey; its rkey is {1:x}",
      "Give mr->rkey to a peer, mr->lkey is for SGEs; or set keys=same")
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
CAUSE(485, RKEY_NO_WRITE,
      "rkey {0:x} grants {1:x}..{2:x} {3:access}; {4} bytes written at {5:x}",
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
CAUSE(506, CQ_OVERFLOW, "the CQ with {0} entries is full, or was once",
      "Make it as large as all that can complete to it, and poll; destroy this one")
CAUSE(510, SRQ_TYPE, "the device has no SRQs of type {0}", "Ask for IB_SRQT_BASIC")
CAUSE(511, SRQ_SGE, "an SRQ with {0} SGEs a request; 1 to {1} are possible",
      "Look at max_srq_sge")
CAUSE(512, SRQ_WR, "an SRQ of {0} requests; 1 to {1} are possible", "Look at max_srq_wr")
CAUSE(513, SRQ_COUNT, "all {0} SRQs of the device exist", "Destroy some, or share one")
CAUSE(514, SRQ_LIMIT, "a limit of {0} on an SRQ of {1} requests", "Set one that can be reached")
CAUSE(515, SRQ_RESIZE, "an SRQ of {0} requests while {1} are posted", "Resize when there are fewer")
CAUSE(516, SRQ_MAPPED, "a process has mapped this SRQ", "Make a new one")
CAUSE(520, AH_NO_PORT, "port {0}; the device has ports 1 to {1}", "Set the address's port_num")
CAUSE(521, AH_PORT_QUERY, "port {0} cannot be queried", "Look why the driver refuses it")
CAUSE(522, AH_RATE, "there is no static rate {0}", "Use an enum ib_rate")
CAUSE(523, AH_SGID_INDEX, "GID {0} of a port that has {1}", "Set sgid_index to an entry that exists")
CAUSE(524, AH_COUNT, "all {0} address handles of the device exist", "Destroy some, or share one")
CAUSE(525, PD_COUNT, "all {0} PDs of the device exist", "Destroy some, or share one")
CAUSE(530, MCAST_QP, "QP {0} is in {1:state}: it takes no multicast",
      "Attach a UD QP in INIT or later; QPs 0 and 1 never")
CAUSE(531, MCAST_MLID, "the group has MLID {1:x}, not {0:x}",
      "Use the MLID that the subnet manager gave the group")
CAUSE(532, MCAST_GROUPS, "all {0} multicast groups of the device exist", "Detach from some")
CAUSE(533, MCAST_QPS, "the group has {0} QPs, which is all it takes", "Detach some")
CAUSE(534, MCAST_NO_GROUP, "no QP of this port is attached to the group", "Attach first")
CAUSE(535, MCAST_NOT_ATTACHED, "QP {0} is not attached to the group", "Attach first")
CAUSE(540, MMAP_NOTHING, "nothing of {1} bytes can be mapped at offset {0:x}",
      "Map what the creating call answered, once, by the process that made it")
CAUSE(541, MMAP_KERNEL, "a queue of the kernel API cannot be mapped", "Create it by a process")
CAUSE(550, DRIVER_INCOMPLETE, "the driver gives neither its own op {0} nor what rdmavt's needs",
      "See struct rvt_driver_provided for the functions of that op")
CAUSE(551, DRIVER_NONE, "no device to register", "Make one with rvt_alloc_device()")
CAUSE(552, DEVICE_PORT, "port {0}; the device has ports 1 to {1}", "Use one of them")
CAUSE(553, PORT_PKEY_INDEX, "P_Key {0} of a table that has {1}", "Use an index that exists")
CAUSE(554, DEVICE_UHW, "query_device takes no driver data", "Pass none")
CAUSE(555, MODIFY_DEVICE, "the driver does not let the device be modified", "Leave it as it is")
CAUSE(556, NO_MAD_LAYER, "there is no MAD layer to register an agent with", "Go on without")
