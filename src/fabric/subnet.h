/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The hardware of a subnet: channel adapters and switches, the links between them, and what answers in
 * their firmware (SMA, PMA, congestion control). Nothing here knows a route or a LID of its own accord:
 * a subnet manager sets them, by MADs, and data goes where the tables say.
 *
 * Management datagrams travel as they are, one hop after the other, through subnet_send_mad(). Data is not
 * carried: a wire asks subnet_resolve() for the way and counts by subnet_count().
 */
#ifndef FABRIC_SUBNET_H
#define FABRIC_SUBNET_H

#include <stdbool.h>
#include <stdint.h>

#define SUBNET_MAD_BYTES 256u
#define SUBNET_DESCRIPTION_BYTES 64u
#define SUBNET_MAX_PORTS 254u /* of a node, without port 0 */
#define SUBNET_MAX_HOPS 64u   /* of a packet with data: then a loop has it */
#define SUBNET_PERMISSIVE_LID 0xffffu
#define SUBNET_VENDOR_ID 0x020056u /* locally administered: no maker's */

struct subnet;

/** enum subnet_node_type - As in NodeInfo. */
enum subnet_node_type {
	SUBNET_CA = 1,
	SUBNET_SWITCH = 2,
	SUBNET_ROUTER = 3,
};

/**
 * struct subnet_at - A port.
 * @node: Number that subnet_add_node() gave out.
 * @port: 1 ...; of a switch 0 is the one that it is managed by.
 */
struct subnet_at {
	uint32_t node;
	uint8_t port;
};

/**
 * struct subnet_node_config - What a node is. All GUIDs in host order.
 * @type: CA or switch.
 * @ports: Without port 0.
 * @guid: NodeGUID; 0 has the subnet choose one. Port N of a CA has @guid + N unless @port_guid says
 *	otherwise, a switch has one for all.
 * @system_guid: SystemImageGUID; 0 for @guid.
 * @port_guid: Of port 1 of a CA; 0: see @guid.
 * @device_id: NodeInfo.
 * @vendor_id: NodeInfo, 24 bits; 0 for SUBNET_VENDOR_ID.
 * @description: NodeDescription; not terminated if it has 64 bytes.
 * @mtu_cap: enum ib_mtu; 0 for 4096.
 * @vl_cap: VLCap as in PortInfo, 1 to 5; 0 for 4 (VL0-7).
 * @width: LinkWidthSupported as in PortInfo; 0 for 1x and 4x.
 * @speed: LinkSpeedSupported; 0 for SDR, DDR and QDR.
 * @speed_ext: LinkSpeedExtSupported.
 * @pkeys: Entries of the P_Key table, a multiple of 32; 0 for 32.
 * @linear_cap: LinearFDBCap of a switch; 0 for 0xc000.
 * @multicast_cap: MulticastFDBCap of a switch; 0 for 1024.
 */
struct subnet_node_config {
	enum subnet_node_type type;
	uint8_t ports;
	uint64_t guid;
	uint64_t system_guid;
	uint64_t port_guid;
	uint16_t device_id;
	uint32_t vendor_id;
	char description[SUBNET_DESCRIPTION_BYTES];
	uint8_t mtu_cap;
	uint8_t vl_cap;
	uint8_t width;
	uint8_t speed;
	uint8_t speed_ext;
	uint16_t pkeys;
	uint16_t linear_cap;
	uint16_t multicast_cap;
};

/**
 * struct subnet_mad - A packet of QP 0 or QP 1 with its addresses. Host order but for the GIDs and @data.
 * @slid: LRH.
 * @dlid: LRH.
 * @sl: LRH; of QP 0 it does not matter, for that goes by VL 15.
 * @path_bits: Low bits of @dlid that the port took for its own; set on arrival.
 * @pkey: BTH.
 * @src_qpn: DETH.
 * @dest_qpn: BTH: 0 or 1.
 * @qkey: DETH.
 * @has_grh: The next five count.
 * @traffic_class: GRH.
 * @hop_limit: GRH.
 * @flow_label: GRH.
 * @sgid: GRH.
 * @dgid: GRH.
 * @data: The MAD.
 */
struct subnet_mad {
	uint16_t slid;
	uint16_t dlid;
	uint8_t sl;
	uint8_t path_bits;
	uint16_t pkey;
	uint32_t src_qpn;
	uint32_t dest_qpn;
	uint32_t qkey;
	bool has_grh;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint32_t flow_label;
	uint8_t sgid[16];
	uint8_t dgid[16];
	uint8_t data[SUBNET_MAD_BYTES] __attribute__((aligned(8)));
};

/* What has changed at a port, in the order in which a CA raises its events. */
#define SUBNET_CHANGED_STATE (1u << 0)
#define SUBNET_CHANGED_LID (1u << 1)
#define SUBNET_CHANGED_SM (1u << 2)
#define SUBNET_CHANGED_REREGISTER (1u << 3)
#define SUBNET_CHANGED_GID (1u << 4)
#define SUBNET_CHANGED_PKEY (1u << 5)

/**
 * struct subnet_ops - Whose ports some of them are. Called without locks, by whoever has called here or
 * by a timer; may call back.
 * @deliver: A MAD has arrived that the hardware does not answer by itself: for an agent of the port.
 *	Returns false if nobody is there; a Get or Set is then answered as unsupported.
 * @changed: Bits SUBNET_CHANGED_*.
 */
struct subnet_ops {
	bool (*deliver)(void *ctx, struct subnet_at at, const struct subnet_mad *mad);
	void (*changed)(void *ctx, struct subnet_at at, uint32_t what);
};

/** subnet_new() - A subnet without nodes. @ops: Outlives it; NULL: nobody is there. Return: NULL without memory. */
struct subnet *subnet_new(const struct subnet_ops *ops, void *ctx);

/** subnet_free() - Give it back, with all nodes. @subnet: May be NULL. */
void subnet_free(struct subnet *subnet);

/**
 * subnet_add_node() - A node, all of whose ports are down.
 * @subnet: Subnet.
 * @config: Copied.
 * @node: Out: its number, used again once it is removed.
 *
 * Return: 0; -EINVAL: type, ports or a value out of range; -EEXIST: a GUID is taken; -ENOMEM.
 */
int subnet_add_node(struct subnet *subnet, const struct subnet_node_config *config, uint32_t *node);

/** subnet_remove_node() - Pull all its cables, and forget it. Context: No locks, waits for who counts. */
void subnet_remove_node(struct subnet *subnet, uint32_t node);

/**
 * subnet_connect() - A cable between two ports. Both train, to Init.
 * @subnet: Subnet.
 * @a: One end.
 * @b: The other.
 *
 * Return: 0; -EINVAL: no such port, or port 0, or both are one; -EBUSY: one has a cable.
 */
int subnet_connect(struct subnet *subnet, struct subnet_at a, struct subnet_at b);

/** subnet_set_link() - Break a cable, or mend it: both ends go Down, or train. Returns whether that changed anything. */
bool subnet_set_link(struct subnet *subnet, struct subnet_at at, bool whole);

/**
 * struct subnet_link_faults - What befalls packets on a cable, whichever way they go.
 * @loss_ppm: Of a million so many are damaged: PortRcvErrors where they come in, and that is all.
 * @delay_ns: How late each is.
 */
struct subnet_link_faults {
	uint32_t loss_ppm;
	uint64_t delay_ns;
};

/**
 * subnet_set_link_faults() - From now on, as long as both ends are there.
 * @subnet: Subnet.
 * @at: Either end.
 * @faults: Copied; all zero: none.
 *
 * MADs meet them on their way. For data, who carries it asks subnet_path_lose(), and reads &subnet_path.delay_ns.
 *
 * Return: 0; -EINVAL: no cable there, or more than a million.
 */
int subnet_set_link_faults(struct subnet *subnet, struct subnet_at at,
			   const struct subnet_link_faults *faults);

/** subnet_seed() - Decides which packets are lost from now on. @seed: The same again loses the same again. */
void subnet_seed(struct subnet *subnet, uint64_t seed);

/** subnet_peer() - What is at the other end. Return: Whether there is a cable, broken or not. */
bool subnet_peer(const struct subnet *subnet, struct subnet_at at, struct subnet_at *peer);

/**
 * subnet_send_mad() - Send a packet of QP 0 or QP 1 from a port. What cannot go is lost, and counted.
 * @subnet: Subnet.
 * @at: A CA's port, or port 0 of a switch.
 * @mad: Copied.
 *
 * Context: No locks. Whatever it leads to has happened when the outermost call returns; if another thread
 * is moving MADs just now, it moves this one, too.
 */
void subnet_send_mad(struct subnet *subnet, struct subnet_at at, const struct subnet_mad *mad);

/**
 * subnet_process_mad() - What the firmware of a port says to a MAD that never leaves: &ib_device_ops.process_mad.
 * @subnet: Subnet.
 * @at: Port.
 * @flags: enum ib_process_mad_flags.
 * @in: What arrived at it.
 * @out: The answer; may not be @in's.
 *
 * Return: Bits of enum ib_mad_result.
 */
int subnet_process_mad(struct subnet *subnet, struct subnet_at at, int flags,
		       const struct subnet_mad *in, struct subnet_mad *out);

/**
 * struct subnet_port_view - What a driver wants to know of a port: ib_query_port() and its like.
 * @state: enum ib_port_state.
 * @phys_state: As in PortInfo.
 * @lid: Base LID; 0 before a manager has given one.
 * @lmc: LMC.
 * @sm_lid: MasterSMLID.
 * @sm_sl: MasterSMSL.
 * @guid: Host order.
 * @subnet_prefix: Host order.
 * @cap_mask: CapabilityMask.
 * @mtu_active: enum ib_mtu: NeighborMTU.
 * @mtu_cap: enum ib_mtu.
 * @vl_cap: VLCap.
 * @init_type_reply: InitTypeReply.
 * @subnet_timeout: SubnetTimeOut.
 * @width_active: As in PortInfo.
 * @speed_active: As &ib_port_attr.active_speed.
 * @pkey_violations: Counter.
 * @qkey_violations: Counter.
 * @pkeys: How many entries the P_Key table has.
 */
struct subnet_port_view {
	uint8_t state;
	uint8_t phys_state;
	uint16_t lid;
	uint8_t lmc;
	uint16_t sm_lid;
	uint8_t sm_sl;
	uint64_t guid;
	uint64_t subnet_prefix;
	uint32_t cap_mask;
	uint8_t mtu_active;
	uint8_t mtu_cap;
	uint8_t vl_cap;
	uint8_t init_type_reply;
	uint8_t subnet_timeout;
	uint8_t width_active;
	uint16_t speed_active;
	uint16_t pkey_violations;
	uint16_t qkey_violations;
	uint16_t pkeys;
};

/** subnet_query_port() - Return: 0; -EINVAL: no such port. */
int subnet_query_port(const struct subnet *subnet, struct subnet_at at,
		      struct subnet_port_view *view);

/** subnet_query_pkey() - Return: 0; -EINVAL: no such port or entry. */
int subnet_query_pkey(const struct subnet *subnet, struct subnet_at at, uint16_t index,
		      uint16_t *pkey);

/** subnet_query_guid() - An entry of GUIDInfo, host order. Return: 0; -EINVAL. */
int subnet_query_guid(const struct subnet *subnet, struct subnet_at at, uint16_t index,
		      uint64_t *guid);

/** subnet_set_cap_mask() - &ib_device_ops.modify_port: set and clear bits of CapabilityMask; raises trap 144. */
void subnet_set_cap_mask(struct subnet *subnet, struct subnet_at at, uint32_t set, uint32_t clear);

/** subnet_set_system_guid() - Change SystemImageGUID; raises trap 145. @guid: Host order. */
void subnet_set_system_guid(struct subnet *subnet, uint32_t node, uint64_t guid);

/** subnet_set_description() - Change NodeDescription; raises trap 144. @text: At most 64 bytes count. */
void subnet_set_description(struct subnet *subnet, uint32_t node, const char *text);

/** subnet_bad_key() - A port has refused a packet: count it, raise trap 257 (P_Key) or 258 (Q_Key). */
void subnet_bad_key(struct subnet *subnet, struct subnet_at at, bool qkey,
		    const struct subnet_mad *header);

/** enum subnet_verdict - What becomes of a packet with data. */
enum subnet_verdict {
	SUBNET_ARRIVES,
	SUBNET_NOT_ACTIVE, /* a port on the way is not Active: XmitDiscards there */
	SUBNET_NO_ROUTE,   /* the table of a switch leads nowhere: RcvSwitchRelayErrors */
	SUBNET_TURNS_BACK, /* ... leads to where the packet has come from: the same */
	SUBNET_LOOPS,	   /* discarded at the lifetime: XmitDiscards */
	SUBNET_BAD_PKEY, /* a switch enforces the partition: RcvConstraintErrors, XmitConstraintErrors */
	SUBNET_TOO_LONG,    /* longer than the MTU of a link: XmitDiscards */
	SUBNET_NOT_ALLOWED, /* SL2VL leads to VL 15: RcvSwitchRelayErrors, of a CA XmitDiscards */
	SUBNET_LOST,	    /* damaged on a link: RcvErrors where that ends */
	SUBNET_NOT_OURS,    /* arrives at a port that does not have the LID: RcvErrors */
};

/**
 * struct subnet_path - A way through the subnet, as resolved in one epoch.
 * @epoch: subnet_epoch() then: another one now, and the way may be another.
 * @verdict: What becomes of what goes there.
 * @mtu: enum ib_mtu: the smallest on the way.
 * @hops: Links on the way.
 * @shared: So many of them are those of the copy before, which has been counted there. Unicast: 0.
 * @lossy: Links on the way lose packets: see subnet_path_lose().
 * @delay_ns: How late a packet is at its end.
 * @to: Where it ends: the destination, or where it is discarded.
 * @hop: Ports that the packet passes, out and in alternately, 2 for each link.
 */
struct subnet_path {
	uint32_t epoch;
	enum subnet_verdict verdict;
	uint8_t mtu;
	uint8_t hops;
	uint8_t shared;
	bool lossy;
	uint64_t delay_ns;
	struct subnet_at to;
	struct subnet_at hop[2 * SUBNET_MAX_HOPS];
};

/**
 * subnet_path_limit() - What becomes of a packet that is longer than &subnet_path.mtu.
 * @subnet: Subnet.
 * @path: Becomes the way to where it is discarded.
 * @mtu: enum ib_mtu that its payload needs.
 *
 * Return: Whether it is discarded.
 */
bool subnet_path_limit(const struct subnet *subnet, struct subnet_path *path, uint8_t mtu);

/**
 * subnet_path_lose() - What becomes of one packet on a way that is lossy.
 * @subnet: Subnet.
 * @path: Becomes the way to where it is lost.
 *
 * Context: Any, takes the subnet's lock.
 * Return: Whether it is lost.
 */
bool subnet_path_lose(struct subnet *subnet, struct subnet_path *path);

/** subnet_epoch() - Changes whenever a way may have changed. Context: Any, no lock. */
uint32_t subnet_epoch(const struct subnet *subnet);

/**
 * subnet_resolve() - The way of unicast data.
 * @subnet: Subnet.
 * @from: A CA's port, or port 0 of a switch.
 * @dlid: Unicast LID.
 * @sl: SL.
 * @pkey: P_Key, for switches that enforce partitions.
 * @path: Out.
 *
 * Context: Any, takes the subnet's lock.
 */
void subnet_resolve(struct subnet *subnet, struct subnet_at from, uint16_t dlid, uint8_t sl,
		    uint16_t pkey, struct subnet_path *path);

/**
 * subnet_resolve_group() - All ways of a multicast packet.
 * @subnet: Subnet.
 * @from: A CA's port, or port 0 of a switch.
 * @mlid: Multicast LID.
 * @sl: SL.
 * @pkey: P_Key, for switches that enforce partitions.
 * @visit: Called for each end of a copy, well or not, under the subnet's lock; the path is valid during
 *	the call. To count all of them, in this order, is to count each link once.
 * @ctx: Handed to @visit.
 *
 * A copy is never sent back where it came from.
 */
void subnet_resolve_group(struct subnet *subnet, struct subnet_at from, uint16_t mlid, uint8_t sl,
			  uint16_t pkey, void (*visit)(void *ctx, const struct subnet_path *path),
			  void *ctx);

/**
 * subnet_send_group() - As subnet_resolve_group(), for one packet: links that lose packets lose it, or not.
 * @subnet: Subnet.
 * @from: A CA's port, or port 0 of a switch.
 * @mlid: Multicast LID.
 * @sl: SL.
 * @pkey: P_Key.
 * @visit: As there.
 * @ctx: Handed to @visit.
 *
 * A copy that is lost ends there, and no copies of it are made: nobody behind that link is visited.
 */
void subnet_send_group(struct subnet *subnet, struct subnet_at from, uint16_t mlid, uint8_t sl,
		       uint16_t pkey, void (*visit)(void *ctx, const struct subnet_path *path),
		       void *ctx);

/**
 * subnet_count() - Packets have gone a way: the counters of every port on it, or of the one that discards.
 * @subnet: Subnet.
 * @path: As resolved; of another epoch it counts all the same, where the ports are still there.
 * @packets: How many.
 * @words: PortXmitData: all bytes from LRH to before the VCRC, in units of four.
 * @group: They are multicast.
 *
 * Context: Any, takes no lock.
 */
void subnet_count(struct subnet *subnet, const struct subnet_path *path, uint64_t packets,
		  uint64_t words, bool group);

/** enum subnet_error - Error counters that faults raise. */
enum subnet_error {
	SUBNET_ERROR_SYMBOL,
	SUBNET_ERROR_LINK_RECOVERY,
	SUBNET_ERROR_RCV, /* PortRcvErrors, local physical */
	SUBNET_ERROR_RCV_REMOTE,
	SUBNET_ERROR_XMIT_DISCARD,
	SUBNET_ERROR_INTEGRITY,
	SUBNET_ERROR_OVERRUN,
	SUBNET_ERROR_VL15_DROPPED,
	SUBNET_ERROR_QP1_DROPPED,
	SUBNET_ERROR_XMIT_WAIT,
	SUBNET_ERROR_WATCHDOG, /* flow control is late: no counter, trap 131 */
};

/**
 * subnet_error() - Something went wrong at a port: its counter, and trap 129 or 130 at the threshold.
 * @subnet: Subnet.
 * @at: Port.
 * @error: What.
 * @count: How often.
 *
 * Context: Any, takes the subnet's lock.
 */
void subnet_error(struct subnet *subnet, struct subnet_at at, enum subnet_error error,
		  uint64_t count);

#endif
