/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Causes, part of causes.h: core, 100-299. */

/* core: objects of the verbs */
CAUSE(100, MODIFY_RANGE, "state {0} to {1} of QP type {2}: states are 0 to 6, types 0 to 10",
      "Set qp_state to an enum ib_qp_state")
CAUSE(101, MODIFY_CUR_STATE,
      "IB_QP_CUR_STATE is for RTR, RTS, SQD and SQE, not for {0:state} ({2:type} to {1:state})",
      "Leave IB_QP_CUR_STATE out")
CAUSE(102, MODIFY_PAIR, "{2:type} QP: there is no way from {0:state} to {1:state}",
      "Connect by RESET, INIT, RTR, RTS in this order; ERR and SQE lead back by RESET or RTS")
CAUSE(103, MODIFY_MISSING,
      "{2:type} QP from {0:state} to {1:state}: {3:mask} missing; the mask is {4:mask}",
      "Set these attributes and their bits of the mask")
CAUSE(104, MODIFY_EXTRA,
      "{2:type} QP from {0:state} to {1:state}: does not take {3:mask}; the mask is {4:mask}",
      "Leave them out, or set them in a change that takes them")
CAUSE(105, MODIFY_PORT, "port {0} is not one of the device's ports {1} to {2}",
      "Set port_num to one of them")
CAUSE(106, MODIFY_ALT_PATH,
      "an alternate path on port {0} of a QP on port {1}: one of them is not InfiniBand",
      "Leave IB_QP_ALT_PATH out; only InfiniBand has path migration")
CAUSE(110, AH_PORT, "port {0} is not one of the device's ports {1} to {2}",
      "Set the address's port_num")
CAUSE(111, AH_NO_GRH, "port {0} takes addresses with a GRH only, and this one has none",
      "Fill it in with rdma_ah_set_grh()")
CAUSE(112, AH_SGID_ATTR,
      "sgid_attr is GID entry {0} of port {1}, yet the address names entry {2} of port {3}",
      "Set sgid_attr to NULL, or both to the same entry")
CAUSE(113, AH_TYPE, "an address of type {0} for an AH of type {1} (1 IB, 2 RoCE, 3 OPA)",
      "Set the address's type with rdma_ah_find_type()")
CAUSE(114, AH_NO_NEIGHBOUR, "nobody answers for GID {0:x} {1:x} (upper and lower half)",
      "Look whether that host is up and on the same network")
CAUSE(115, WC_NO_GRH,
      "port {0} is RoCE, where datagrams have a GRH, yet the completion has no IB_WC_GRH",
      "Hand on the completion as ib_poll_cq() gave it")
CAUSE(116, WC_NETWORK_TYPE, "there is no network header type {0}", "Use an enum rdma_network_type")
CAUSE(117, WC_NO_GID_ROOM, "sgid and dgid must not be NULL", "Pass both")
CAUSE(120, PD_IN_USE, "the PD still has objects: {0}",
      "Destroy its QPs, SRQs, WQs, AHs, MRs and windows first")
CAUSE(121, CQ_IN_USE, "the CQ still has users: {0}",
      "Destroy the QPs, SRQs and WQs that complete to it first")
CAUSE(122, CQ_SHARED, "the CQ belongs to the device's pool and is used by others, too",
      "Give it back with ib_cq_pool_put(), or make your own CQ")
CAUSE(123, QP_IN_USE, "the QP still has users: {0}",
      "Detach it from multicast groups, remove its flows and close its handles first")
CAUSE(124, SRQ_IN_USE, "the SRQ still has QPs: {0}", "Destroy them first")
CAUSE(125, XRCD_IN_USE, "the XRC domain still has SRQs and target QPs: {0}", "Destroy them first")
CAUSE(126, WQ_IN_USE, "the WQ is still in indirection tables: {0}", "Destroy them first")
CAUSE(130, QP_RWQ_TABLE,
      "with an RWQ table recv_cq ({0}), srq ({1}), max_recv_wr ({2}), max_recv_sge ({3}) must be 0",
      "Leave these four out: the table is the receive side")
CAUSE(131, QP_INTEGRITY, "the device has no integrity offload",
      "Leave IB_QP_CREATE_INTEGRITY_EN out")
CAUSE(132, OPEN_QP_TYPE, "a QP of type {0:type} cannot be opened twice",
      "Only target QPs of an XRC domain can")
CAUSE(133, OPEN_QP_NUMBER, "the XRC domain has no target QP {0:x}",
      "Look whether it has been destroyed, or belongs to another domain")
CAUSE(134, CLOSE_REAL_QP, "this is the QP itself and no handle from ib_open_qp()",
      "Destroy it with ib_destroy_qp()")
CAUSE(135, SRQ_NO_CQ,
      "an SRQ of type {0} (1 XRC, 2 tag matching) completes to a CQ of its own, and has none",
      "Set ext.cq")
CAUSE(136, DRAIN_CQ, "the queue's CQ is none of ib_alloc_cq(), so nobody calls the marker's done()",
      "Use ib_alloc_cq(), or set the QP to IB_QPS_ERR and count the flushed completions")
CAUSE(140, MR_ON_DEMAND, "the device has no on-demand paging", "Leave IB_ACCESS_ON_DEMAND out")
CAUSE(141, MR_IS_INTEGRITY, "ib_alloc_mr() makes no integrity MRs", "Call ib_alloc_mr_integrity()")
CAUSE(142, MR_NO_META, "an integrity MR needs room for metadata, and max_num_meta_sg is 0",
      "Call ib_alloc_mr() if there is no metadata")
CAUSE(143, MR_PI_TYPE, "an MR of type {0} holds no integrity data; type 5 does",
      "Make it with ib_alloc_mr_integrity()")
CAUSE(144, MR_SG_RANGE,
      "{0} scatter entries, of which {1} bytes of the first are to be skipped; it has {2}",
      "Pass at least one entry, and an offset inside the first")
CAUSE(145, MR_PAGE_SIZE, "a page of {0} bytes is not a power of two", "Pass the page size in bytes")
CAUSE(146, MR_ACCESS,
      "access rights {0:access}: remote writes and atomics need IB_ACCESS_LOCAL_WRITE",
      "Add IB_ACCESS_LOCAL_WRITE")
CAUSE(147, MR_ACCESS_UNKNOWN, "access rights {0:x} have the unknown bits {1:x}",
      "Use enum ib_access_flags")
CAUSE(148, MW_TYPE, "a memory window of type {0}", "Use type 1 or 2")
CAUSE(150, MCAST_GID, "GID {0:x} {1:x} (upper and lower half) is no multicast GID",
      "Multicast GIDs start with ff, or are IPv4-mapped multicast addresses")
CAUSE(151, MCAST_QP_TYPE, "a QP of type {0:type} takes no multicast", "Use a UD QP")
CAUSE(152, MCAST_LID, "LID {0:x} is no multicast LID; these are c000 to fffe",
      "Use the MLID that the subnet manager gave the group")
CAUSE(153, PORT_WIDTH, "a link is not {0} wide (codes 1 1X, 2 4X, 4 8X, 8 12X, 16 2X)",
      "Use an enum ib_port_width")
CAUSE(154, ETH_SPEED_PORT, "port {0} is not Ethernet", "Ask ib_query_port() for its speed")
CAUSE(155, NO_NETDEV, "port {0} has no network interface", "Give the port one first")
CAUSE(160, UDATA_SHORT, "{1} bytes of a buffer that has {0}", "Pass a larger buffer")
CAUSE(161, UDATA_FAULT, "the buffer at {0:x} of {1} bytes is not mapped", "Pass a valid buffer")

CAUSE(200, DEVICE_REMOVED, "device {0} has been removed; its objects can only be destroyed",
      "Register a client: its remove() is where to stop using a device")
CAUSE(201, DEVICE_SIZE, "{0} bytes do not hold a struct ib_device, which has {1}",
      "Let the driver's structure begin with its ib_device")
CAUSE(202, DEVICE_NAME_BAD, "a device name has 1 to 63 characters, no / and at most one %d",
      "Use a name like verbena%d")
CAUSE(203, DEVICE_NAME_TAKEN, "device {0} has this name already", "Use a name with %d")
CAUSE(204, DEVICE_STATE,
      "the device is in state {0} (0 new, 1 to 3 registered, 4 going, 5 removed)",
      "Register a new device once")
CAUSE(205, DEVICE_NO_PORTS, "the device has no port", "Set phys_port_cnt first")
CAUSE(206, DEVICE_NO_PORT_DATA, "the device's ops have no get_port_immutable", "Add one")
CAUSE(207, PORT_MAD_SIZE, "port {0} takes MADs of {1} bytes but has no capability IB_MAD",
      "Set RDMA_CORE_CAP_IB_MAD, or max_mad_size to 0")
CAUSE(208, PORT_TABLE_LENGTH, "a table of port {0} has a negative length",
      "Set gid_tbl_len and pkey_tbl_len in get_port_immutable")
CAUSE(209, PORT_RANGE, "there is no port {0}; ports are {1} to {2}", "Use a port of the device")
CAUSE(210, CLIENT_REGISTERED, "the client is registered already, with id {0}",
      "Unregister it first")
CAUSE(220, PKEY_INDEX, "P_Key index {0} of port {1} is beyond the table, which has {2} entries",
      "Look at the port's pkey_tbl_len")
CAUSE(221, PKEY_NOT_FOUND, "port {1} is no member of the partition {0:x}",
      "Have the subnet manager give it the P_Key")
CAUSE(230, GID_INDEX, "GID index {0} of port {1} is beyond the table, which has {2} entries",
      "Look at the port's gid_tbl_len")
CAUSE(231, GID_EMPTY, "there is no GID at index {0} of port {1}",
      "Look for a valid index: they may have gaps")
CAUSE(232, GID_NOT_FOUND, "there is no GID {0:x} {1:x} (upper and lower half) of this type here",
      "Look at the GIDs of the port; they follow its addresses")
CAUSE(233, GID_ZERO, "the zero GID names nobody", "Use the GID of an address")
CAUSE(234, GID_TABLE_FULL, "port {0} has no room for another GID: {1} entries",
      "Take addresses from its network interface")
CAUSE(235, GID_NO_TABLE, "port {0} has no GID table now", "Register the device first")
CAUSE(236, GID_NO_NETDEV, "the GID at index {0} of port {1} belongs to no network interface",
      "Only RoCE GIDs have a MAC and a VLAN")
CAUSE(237, ADDR_FAMILY, "an address of family {0} has no GID; 2 (IPv4) and 10 (IPv6) have",
      "Pass a struct sockaddr_in or sockaddr_in6")
CAUSE(240, CQ_POLL_CONTEXT, "poll context {0} is none of those that are possible here",
      "Use an enum ib_poll_context; a shared CQ cannot be polled directly")
CAUSE(241, CQ_POOL_ENTRIES, "{0} entries of a shared CQ, where the device's CQs have {1}",
      "Ask for at least one, and at most the device's max_cqe")
CAUSE(250, RW_NOT_MAPPED, "none of {0} scatter entries could be mapped",
      "Pass a scatterlist with at least one entry")
CAUSE(251, RW_OFFSET, "the list ends before its offset, {0} bytes further on",
      "Pass an offset inside the list")
CAUSE(252, RW_NO_MR, "all MRs of the QP are in use, {0} of them",
      "Wait for a transfer, or raise cap.max_rdma_ctxs")
CAUSE(253, RW_GAPS, "only {0} of {1} scatter entries fit into one MR",
      "Entries must touch at page borders, and be one page each")
CAUSE(260, UD_HEADER_IP_VERSION, "a UDP header needs IP version 4 or 6, not {0}", "Set ip_version")
CAUSE(261, UD_HEADER_PAYLOAD, "a UD packet has 0 to {1} bytes, not {0}", "Send less at once")
CAUSE(262, UD_LINK_VERSION, "link version {0} of the LRH is not 0", "Drop the packet")
CAUSE(263, UD_LNH, "LNH {0} of the LRH is not 2 or 3: no IBA transport follows", "Drop the packet")
CAUSE(264, UD_GRH, "IP version {0} and next header {1:x} of the GRH are not 6 and 1b",
      "Drop the packet")
CAUSE(265, UD_OPCODE, "BTH opcode {0:x} is not that of a UD SEND (64, 65)", "Drop the packet")
CAUSE(266, UD_TRANSPORT_VERSION, "transport version {0} of the BTH is not 0", "Drop the packet")
CAUSE(270, STAT_INDEX, "there is no counter {0}; the set has {1}", "Look at num_counters")
CAUSE(271, STAT_DISABLED, "counter {0} is switched off", "Switch it on first")
CAUSE(272, STAT_FIXED, "counter {0} cannot be switched", "Only optional counters can")
