/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the parts of a subnet share. All of it is under the subnet's lock, and every function here wants
 * that held, unless it says otherwise. Counters alone are atomic.
 *
 * Nodes are small, for there may be ten thousand of them: one block of memory each, in which ports, ends
 * and P_Keys lie behind one another. What few ever have (forwarding tables, mappings, samples, alias
 * GUIDs) is made when it is first written.
 */
#ifndef FABRIC_SUBNET_PRIV_H
#define FABRIC_SUBNET_PRIV_H

#include <linux/byteorder.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/verbena_base.h>
#include <rdma/ib_smi.h>

#include "base/check.h"
#include "fabric/subnet.h"
#include "fabric/subnet_guid.h"

#define SUBNET_NOBODY UINT32_MAX
#define SUBNET_LINE 64u		 /* bytes of the cache that come together */
#define SUBNET_UNREACHABLE 0xffu /* in a linear forwarding table */
#define SUBNET_MULTICAST_LID 0xc000u
#define SUBNET_GUIDS 8u /* entries of GUIDInfo */
#define SUBNET_SLS 16u
#define SUBNET_DROP_VL 15u
#define SUBNET_LFT_BLOCK 64u
#define SUBNET_MFT_BLOCK 32u
#define SUBNET_MFT_PORTS 16u
#define SUBNET_PKEY_BLOCK 32u

enum subnet_port_state {
	SUBNET_DOWN = 1,
	SUBNET_INIT = 2,
	SUBNET_ARMED = 3,
	SUBNET_ACTIVE = 4,
};

enum subnet_phys_state {
	SUBNET_SLEEP = 1,
	SUBNET_POLLING = 2,
	SUBNET_DISABLED = 3,
	SUBNET_LINK_UP = 5,
};

/* Partition enforcement, as in PortInfo. */
#define SUBNET_ENFORCE_IN 8u
#define SUBNET_ENFORCE_OUT 4u

/*
 * Counters that a port has. The first four come with the link's own state in one line of the cache: every
 * packet touches both. Packets in all are the sum of two others, and have no count of their own.
 */
enum subnet_counter {
	SUBNET_XMIT_DATA,
	SUBNET_UNICAST_XMIT,
	SUBNET_RCV_DATA,
	SUBNET_UNICAST_RCV,
	SUBNET_MULTICAST_XMIT,
	SUBNET_MULTICAST_RCV,
	SUBNET_SYMBOL_ERRORS,
	SUBNET_LINK_RECOVERIES,
	SUBNET_LINK_DOWNED,
	SUBNET_RCV_ERRORS,
	SUBNET_RCV_REMOTE_ERRORS,
	SUBNET_RCV_RELAY_ERRORS,
	SUBNET_XMIT_DISCARDS,
	SUBNET_XMIT_CONSTRAINTS,
	SUBNET_RCV_CONSTRAINTS,
	SUBNET_INTEGRITY_ERRORS,
	SUBNET_OVERRUNS,
	SUBNET_QP1_DROPPED,
	SUBNET_VL15_DROPPED,
	SUBNET_XMIT_WAIT,
	SUBNET_COUNTED,
	SUBNET_XMIT_PACKETS = SUBNET_COUNTED,
	SUBNET_RCV_PACKETS,
	SUBNET_COUNTERS,
};

/* Why packets were refused or discarded, in more detail; each is part of a counter above. */
enum subnet_detail {
	SUBNET_RCV_LOCAL_PHYSICAL,
	SUBNET_RCV_MALFORMED,
	SUBNET_RCV_OVERRUN,
	SUBNET_RCV_DLID_MAPPING,
	SUBNET_RCV_VL_MAPPING,
	SUBNET_RCV_LOOPING,
	SUBNET_XMIT_INACTIVE,
	SUBNET_XMIT_MTU,
	SUBNET_XMIT_SWITCH_LIFETIME,
	SUBNET_XMIT_HOQ_LIFETIME,
	SUBNET_DETAILS,
};

/**
 * struct subnet_port - A port.
 * @peer: Other end of the cable; node SUBNET_NOBODY: none.
 * @state: enum subnet_port_state.
 * @phys_state: enum subnet_phys_state.
 * @broken: The cable is.
 * @mtu: NeighborMTU, enum ib_mtu. Atomic: looked at without the lock, too.
 * @op_vls: OperationalVLs, coded as VLCap.
 * @enforce: SUBNET_ENFORCE_* and the filters of raw packets.
 * @down_default: LinkDownDefaultState.
 * @width_enabled: As in PortInfo.
 * @loss_ppm: &subnet_link_faults.loss_ppm; the same at both ends.
 * @delay_ns: &subnet_link_faults.delay_ns.
 * @count: Ever counted; nothing is ever taken off. Atomic.
 * @narrow: What @count was when PortCounters was last cleared.
 * @wide: The same of PortCountersExtended.
 * @detail: Cleared in place. Atomic.
 * @width_active: As in PortInfo; 0: none.
 * @speed_enabled: As in PortInfo.
 * @speed_active: As in PortInfo; 0: none.
 * @ext_enabled: As in PortInfo.
 * @ext_active: As in PortInfo.
 * @vl_high_limit: As in PortInfo.
 * @hoq_life: HOQLife and VLStallCount, as in PortInfo.
 * @thresholds: LocalPhyErrors and OverrunErrors, as in PortInfo.
 * @vl_arb: Four parts of 32 pairs; NULL: as it is at first.
 */
struct subnet_port {
	struct subnet_at peer;
	uint8_t state;
	uint8_t phys_state;
	bool broken;
	uint8_t mtu;
	uint8_t op_vls;
	uint8_t enforce;
	uint8_t down_default;
	uint8_t width_enabled;
	uint32_t loss_ppm;
	uint64_t delay_ns;
	uint64_t count[SUBNET_COUNTED];
	uint64_t narrow[SUBNET_COUNTERS];
	uint64_t wide[SUBNET_COUNTERS];
	uint64_t detail[SUBNET_DETAILS];
	uint8_t width_active;
	uint8_t speed_enabled;
	uint8_t speed_active;
	uint8_t ext_enabled;
	uint8_t ext_active;
	uint8_t vl_high_limit;
	uint8_t hoq_life;
	uint8_t thresholds;
	uint8_t *vl_arb;
} __attribute__((aligned(SUBNET_LINE)));

/**
 * struct subnet_end - What has a LID: a port of a CA, or a switch as a whole (its port 0).
 * @at: It.
 * @lid: Base LID; 0: none yet.
 * @lmc: LMC.
 * @sm_sl: MasterSMSL.
 * @sm_lid: MasterSMLID; 0: none yet.
 * @guid: Host order.
 * @prefix: GidPrefix.
 * @mkey: M_Key.
 * @lease_ends_ns: When protection ends; 0: nobody has tried a wrong key.
 * @lease_period: Seconds.
 * @protect: MKeyProtect.
 * @init_type_reply: InitTypeReply.
 * @subnet_timeout: SubnetTimeOut.
 * @cap_mask: CapabilityMask.
 * @mkey_violations: Counter.
 * @pkey_violations: Counter.
 * @qkey_violations: Counter.
 * @changed: Bits SUBNET_CHANGED_* that nobody has been told.
 * @changed_list: In &subnet.changed while there are such.
 * @guids: Alias GUIDs, entry 0 unused; NULL: none.
 * @congestion: Congestion control; NULL: never set.
 * @traps: struct subnet_trap.
 * @traps_list: In &subnet.trapping while there are such, or one was sent not long ago.
 * @trap_count: Length of @traps.
 * @next_trap_ns: When the next one may be sent.
 * @trap_tid: Of the last one.
 */
struct subnet_end {
	struct subnet_at at;
	uint16_t lid;
	uint8_t lmc;
	uint8_t sm_sl;
	uint16_t sm_lid;
	uint64_t guid;
	uint64_t prefix;
	uint64_t mkey;
	uint64_t lease_ends_ns;
	uint16_t lease_period;
	uint8_t protect;
	uint8_t init_type_reply;
	uint8_t subnet_timeout;
	uint32_t cap_mask;
	uint16_t mkey_violations;
	uint16_t pkey_violations;
	uint16_t qkey_violations;
	uint32_t changed;
	struct list_head changed_list;
	uint64_t *guids;
	struct subnet_congestion *congestion;
	struct list_head traps;
	struct list_head traps_list;
	uint32_t trap_count;
	uint64_t next_trap_ns;
	uint64_t trap_tid;
};

/**
 * struct subnet_tables - What a switch has more than a CA.
 * @lft: Output port of each LID.
 * @lft_lids: How long it is; LIDs behind are unreachable.
 * @mft: Of each multicast LID, a word for each 16 ports.
 * @mft_lids: How long it is; behind, no port is set.
 * @linear_top: LinearFDBTop.
 * @multicast_top: MulticastFDBTop.
 * @default_port: DefaultPort.
 * @default_multicast: DefaultMulticastPrimaryPort and ...NotPrimaryPort.
 * @life_time: LifeTimeValue.
 * @state_change: PortStateChange.
 */
struct subnet_tables {
	uint8_t *lft;
	uint32_t lft_lids;
	uint16_t *mft;
	uint32_t mft_lids;
	uint16_t linear_top;
	uint16_t multicast_top;
	uint8_t default_port;
	uint8_t default_multicast[2];
	uint8_t life_time;
	bool state_change;
};

/**
 * struct subnet_node - A node. What every packet looks at comes first.
 * @port: @first_port to @config.ports.
 * @end: One of a switch, else as many as @port.
 * @pkeys: @config.pkeys for each of @port.
 * @number: Of it.
 * @first_port: Number of @port[0]: 0 of a switch, else 1.
 * @config: As given, with nothing left to choose.
 * @tables: Switches.
 * @samples: NULL: never asked for.
 * @sl2vl: By input port (CA: none), output port, SL; NULL: as at first.
 */
struct subnet_node {
	struct subnet_port *port;
	struct subnet_end *end;
	uint16_t *pkeys;
	uint32_t number;
	uint8_t first_port;
	struct subnet_node_config config;
	struct subnet_tables tables;
	struct subnet_samples *samples;
	uint8_t *sl2vl;
};

/**
 * struct subnet_flight - A MAD on its way.
 * @at: Where it is.
 * @arrived: It has come in there; else it is to be sent.
 * @late_ns: By links that it has gone over, and has not waited for yet.
 * @mad: It.
 */
struct subnet_flight {
	struct subnet_at at;
	bool arrived;
	uint64_t late_ns;
	struct subnet_mad mad;
};

/**
 * struct subnet - All of it.
 * @lock: Of everything here.
 * @ops: Who is told.
 * @ctx: Handed along.
 * @node: By number; NULL: free.
 * @node_room: Entries of @node.
 * @first_free: No number below it is free.
 * @node_guids: Taken.
 * @port_guids: Taken.
 * @next_guid: Where to look for one that is not.
 * @epoch: subnet_epoch(). Atomic.
 * @flights: Ring of MADs that wait to be moved.
 * @flight_room: Of the ring, a power of two.
 * @flight_first: Position of the oldest.
 * @flight_count: How many.
 * @pumping: Somebody moves them.
 * @delayed: &subnet_delayed of MADs that are late, the earliest first.
 * @delayed_count: How many.
 * @random: State of the generator that loses packets.
 * @changed: Ends that somebody is to be told of.
 * @trapping: Ends that have traps to send.
 * @sampling: &subnet_samples that run.
 * @timer: For traps, samples, and for telling what was found where nobody can be told.
 */
struct subnet {
	spinlock_t lock;
	const struct subnet_ops *ops;
	void *ctx;
	struct subnet_node **node;
	uint32_t node_room;
	uint32_t first_free;
	struct subnet_guids node_guids;
	struct subnet_guids port_guids;
	uint64_t next_guid;
	uint32_t epoch;
	struct subnet_flight *flights;
	uint32_t flight_room;
	uint32_t flight_first;
	uint32_t flight_count;
	bool pumping;
	struct list_head delayed;
	uint32_t delayed_count;
	uint64_t random;
	struct list_head changed;
	struct list_head trapping;
	struct list_head sampling;
	struct base_timer timer;
};

static inline bool subnet_is_switch(const struct subnet_node *node)
{
	return node->config.type == SUBNET_SWITCH;
}

/*
 * For numbers from outside: NULL if there is none of that number. The lock, or base_rcu_read_lock(), keeps it.
 */
static inline struct subnet_node *subnet_find_node(const struct subnet *subnet, uint32_t number)
{
	if (number >= smp_load_acquire(&subnet->node_room))
		return NULL;
	return smp_load_acquire(&smp_load_acquire(&subnet->node)[number]);
}

/* For numbers that were looked up, or of the other end of a cable: under the lock it is there. */
static inline struct subnet_node *subnet_node_of(const struct subnet *subnet, uint32_t number)
{
	struct subnet_node *node = subnet_find_node(subnet, number);

	INVARIANT(node);
	return node;
}

/* The SMP that a MAD is; the header of others is the same as far as the attribute's modifier. */
static inline struct ib_smp *subnet_smp_of(struct subnet_mad *mad)
{
	return (struct ib_smp *)(void *)mad->data;
}

static inline bool subnet_has_port(const struct subnet_node *node, uint32_t port)
{
	return port >= node->first_port && port <= node->config.ports;
}

/* A port that there is. */
static inline struct subnet_port *subnet_port_of(const struct subnet_node *node, uint32_t port)
{
	return &node->port[port - node->first_port];
}

/* The other end of a cable that there is. */
static inline struct subnet_port *subnet_peer_of(const struct subnet *subnet,
						 const struct subnet_port *port)
{
	return subnet_port_of(subnet_node_of(subnet, port->peer.node), port->peer.port);
}

/* What has the LID by which @port of @node is managed. */
static inline struct subnet_end *subnet_end_of(const struct subnet_node *node, uint32_t port)
{
	return &node->end[subnet_is_switch(node) ? 0 : port - 1];
}

/* The P_Key table of a port that there is. */
static inline uint16_t *subnet_pkeys_of(const struct subnet_node *node, uint32_t port)
{
	return &node->pkeys[(size_t)(port - node->first_port) * node->config.pkeys];
}

/* Words of 16 ports for each multicast LID. */
static inline uint32_t subnet_mft_words(const struct subnet_node *node)
{
	return node->config.ports / SUBNET_MFT_PORTS + 1u;
}

/* VL of each SL, where a node has a mapping. */
static inline uint8_t *subnet_sl2vl_of(const struct subnet_node *node, uint32_t in, uint32_t out)
{
	return &node->sl2vl[(in * (node->config.ports + 1u) + out) * SUBNET_SLS];
}

static inline bool subnet_end_has_lid(const struct subnet_end *end, uint16_t lid)
{
	return end->lid && lid >= end->lid && lid < end->lid + (1u << end->lmc);
}

/* Port, and what is there; false if there is none. */
bool subnet_find(const struct subnet *subnet, struct subnet_at at, struct subnet_node **node,
		 struct subnet_port **port);

/* Where MADs may be sent from: a CA's port, or port 0 of a switch. */
struct subnet_end *subnet_find_end(const struct subnet *subnet, struct subnet_at at);

/* A way may be another from now on. */
static inline void subnet_new_epoch(struct subnet *subnet)
{
	__atomic_fetch_add(&subnet->epoch, 1, __ATOMIC_RELEASE);
}

static inline void subnet_add(struct subnet_port *port, enum subnet_counter counter, uint64_t n)
{
	__atomic_fetch_add(&port->count[counter], n, __ATOMIC_RELAXED);
}

static inline void subnet_add_detail(struct subnet_port *port, enum subnet_detail detail,
				     uint64_t n)
{
	__atomic_fetch_add(&port->detail[detail], n, __ATOMIC_RELAXED);
}

/* subnet_link.c: what the two ends of a cable do. */
void subnet_link_train(struct subnet *subnet, struct subnet_at at);
void subnet_link_fall(struct subnet *subnet, struct subnet_at at);
/* Set of PortInfo: states as there, both legal; 0: no change. */
void subnet_link_set(struct subnet *subnet, struct subnet_at at, uint8_t state, uint8_t phys);
/* Whether subnet_link_set() may be called so. */
bool subnet_link_allows(const struct subnet_port *port, uint8_t state, uint8_t phys);
/* Data comes from an Active end: one that is Armed follows. */
void subnet_link_activate(struct subnet *subnet, struct subnet_at at);

/* subnet_view.c: a packet with a wrong key has come: counted and told. */
void subnet_violate(struct subnet *subnet, struct subnet_end *end, bool qkey,
		    const struct subnet_mad *mad);

/* subnet_mad.c: bits SUBNET_CHANGED_* of an end that somebody is to be told. */
void subnet_note(struct subnet *subnet, struct subnet_end *end, uint32_t what);
/* Move and tell until nothing is left. Without the lock, or any other. */
void subnet_pump(struct subnet *subnet);
/* The same by and by, and whatever else is due: where nobody can be told now. */
void subnet_pump_later(struct subnet *subnet);
/* A MAD of the firmware's own, from an end. Goes when next pumped. */
void subnet_queue_mad(struct subnet *subnet, struct subnet_at at, const struct subnet_mad *mad);
/* One on its way; the same. */
void subnet_queue(struct subnet *subnet, const struct subnet_flight *flight);

/* subnet_fault.c: whether a packet is lost on a way, which then ends there. */
bool subnet_lose(struct subnet *subnet, struct subnet_path *path);

/** subnet_link_loses() - Whether the link at a port loses this packet. */
bool subnet_link_loses(struct subnet *subnet, struct subnet_at out);
/* A MAD that has arrived, and is late: it goes on later. */
void subnet_delay(struct subnet *subnet, const struct subnet_flight *flight);
/* Those that are due are to be moved. Returns when the next is; UINT64_MAX: there is none. */
uint64_t subnet_delayed_take(struct subnet *subnet, uint64_t now_ns);
void subnet_delayed_drop(struct subnet *subnet);

/**
 * struct subnet_route - What decides on the way of a packet.
 * @dlid: Unicast LID.
 * @sl: SL.
 * @pkey: P_Key.
 * @vl15: It is an SMP: links that are Init will do, SL and P_Key do not matter.
 */
struct subnet_route {
	uint16_t dlid;
	uint8_t sl;
	uint16_t pkey;
	bool vl15;
};

/* subnet_route.c. Only what belongs to the verdict is written: hops as many as there are. */
void subnet_route(struct subnet *subnet, struct subnet_at from, const struct subnet_route *route,
		  struct subnet_path *path);
/* A link, from the port @out; true if the packet is at its other end, @out then. */
bool subnet_cross(struct subnet *subnet, struct subnet_at *out, const struct subnet_route *route,
		  struct subnet_path *path);
bool subnet_pkey_matches(const struct subnet_node *node, uint32_t port, uint16_t pkey);
/* VL that an SL leads to: as written, and as it is where the port has fewer VLs. @in: 0 of a CA. */
uint8_t subnet_vl_written(const struct subnet_node *node, uint32_t in, uint32_t out, uint8_t sl);
uint8_t subnet_vl_of(const struct subnet_node *node, uint32_t in, uint32_t out, uint8_t sl);

/* subnet_count.c: one link of a way that is not looked up in tables. */
void subnet_count_link(struct subnet *subnet, const struct subnet_path *path, uint64_t words);

/* pma_samples.c. @samples: May be NULL. Returns when there is something to do next; UINT64_MAX: never. */
struct subnet_samples;
void subnet_samples_free(struct subnet_samples *samples);
uint64_t subnet_samples_take(struct subnet *subnet, uint64_t now_ns);

#endif
