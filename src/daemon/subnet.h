/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The fabric as a subnet: hosts get the adapters that its topology has, and hear what changes at their ports. The
 * subnet's timers run on a thread of their own, and any thread may be told of changes; what they lead to is done by
 * the main loop. All functions here are the main loop's, but where it says otherwise.
 */
#ifndef DAEMON_SUBNET_H
#define DAEMON_SUBNET_H

#include "daemon/server_priv.h"
#include "daemon/ways.h"
#include "device/hosted.h"

/**
 * struct server_cable - Something is wrong with a cable.
 * @node: The end with the lower number in the plan.
 * @port: Of it.
 * @cut: It is cut.
 * @faults: What else.
 */
struct server_cable {
	uint32_t node;
	uint8_t port;
	bool cut;
	struct subnet_link_faults faults;
};

/**
 * struct server_subnet - What there is of it.
 * @s: Whose it is.
 * @guests: What the subnet calls.
 * @hosted: It.
 * @managed: Its parts.
 * @adapter: By slot: number in the plan, + 1; 0: no host's.
 * @killed: By number in the plan: of a host without power. NULL: none ever was.
 * @cable: Those that something is wrong with.
 * @cables: How many.
 * @room: Of @cable.
 * @what: By slot: changes that nobody has been told of. Atomic.
 * @downs: By slot: how often its link had been down when somebody was told of it last.
 * @changed: Slots with any, a bit each. Atomic.
 * @tell: Tells them.
 * @telling: It is in the queue. Atomic.
 * @reroute: Resolves @ways anew.
 * @rerouting: It is in the queue. Atomic.
 * @deliver: Who takes MADs for guests, any thread, as &device_guests.deliver; NULL: nobody.
 * @ways: Of data. Atomic.
 */
struct server_subnet {
	struct server *s;
	struct device_guests guests;
	struct device_hosted *hosted;
	struct device_managed *managed;
	uint32_t adapter[FABRIC_PORTS];
	bool *killed;
	struct server_cable *cable;
	uint32_t cables;
	uint32_t room;
	uint32_t what[FABRIC_PORTS];
	uint64_t downs[FABRIC_PORTS];
	uint64_t changed[FABRIC_PORTS / 64];
	struct later tell;
	bool telling;
	struct later reroute;
	bool rerouting;
	bool (*deliver)(struct server *s, uint32_t slot, const struct subnet_mad *mad);
	struct ways *ways;
};

/**
 * server_subnet_open() - Build it, and bring it up. Hosts that the directory has get their ports, with the LIDs that
 * they had.
 * @s: Server; its directory is managed.
 * @topology: As ibnetdiscover prints it.
 *
 * Return: 0; as device_hosted_new(), with a cause.
 */
int server_subnet_open(struct server *s, const char *topology);

/** server_subnet_close() - Give it back, if there is one. */
void server_subnet_close(struct server *s);

/** server_subnet_ways() - The ways of data; NULL: there is no subnet. */
struct ways *server_subnet_ways(const struct server *s);

/** server_subnet() - The hardware. Context: Any thread. */
struct subnet *server_subnet(const struct server *s);

/** server_subnet_at() - Which port of the subnet a slot is. @slot: Of a host's port. Context: Any thread. */
struct subnet_at server_subnet_at(const struct server *s, uint32_t slot);

/** server_subnet_slot() - Which slot a port of the subnet is; -ENOENT: no host's. Context: Any thread. */
int server_subnet_slot(const struct server *s, struct subnet_at at);

/** server_subnet_find_port() - Which port of its host a slot is, HCA and port from 0. Returns false: of none. */
bool server_subnet_find_port(const struct server *s, uint32_t slot, uint32_t *hca, uint32_t *port);

/** server_subnet_refuse_host() - There is no such host: the cause lists a few that there are. Return: -ENOENT. */
int server_subnet_refuse_host(const struct server *s);

/**
 * server_subnet_take_host() - A process comes: see that its host has its adapters.
 * @s: Server.
 * @name: Of the host.
 * @hca: What the process wants there: DIRECTORY_HCAS of them.
 *
 * Return: The host's number in the directory; with a cause -ENOENT: there is no such host; -EINVAL: it has fewer
 *	HCAs or ports, or more ports than a device may have; -ENOSPC.
 */
int server_subnet_take_host(struct server *s, const char *name, const struct directory_hca *hca);

/**
 * server_subnet_refresh() - Write down what there is to be said of a host's port, as it is now.
 * @s: Server.
 * @slot: Of the port.
 * @what: Bits SUBNET_CHANGED_*: tell its processes; 0: do not.
 */
void server_subnet_refresh(struct server *s, uint32_t slot, uint32_t what);

/**
 * server_subnet_links() - Processes keep other ports of a host down than before.
 * @s: Server.
 * @host: Its number in the directory.
 *
 * Its processes hear of it before this returns, as far as that is decided then.
 */
void server_subnet_links(struct server *s, uint32_t host);

/**
 * broken_load() - What the daemon before us knew to be broken is so again.
 * @s: Server. Its subnet is up: whose ports are down now has had its LIDs, and keeps them.
 */
void broken_load(struct server *s);

/** broken_free() - Forget it; the file stays. */
void broken_free(struct server_subnet *n);

/** broken_find() - What is wrong with the cable at a port. @node: Number in the plan. Return: NULL: nothing. */
const struct server_cable *broken_find(const struct server *s, uint32_t node, uint8_t port);

/** broken_apply() - Cut or mend the cable at a port, as it should be by all that is known. @node: As above. */
void broken_apply(struct server *s, uint32_t node, uint8_t port);

/**
 * broken_set_cable() - Something is wrong with a cable, or nothing is any more.
 * @s: Server.
 * @node: As device_managed_find_node().
 * @port: Its port.
 * @what: ATTACH_FABRIC_CUT, _MEND, _LOSS or _DELAY.
 * @value: Of the latter two.
 *
 * Return: 0; with a cause -ENOENT: no such node, or no cable there; -EINVAL: a value that cannot be; -ENOMEM; or it
 *	cannot be written down.
 */
int broken_set_cable(struct server *s, const char *node, uint32_t port, enum attach_fabric what,
		     uint64_t value);

/** broken_set_host() - A host loses its power, or has it again. Return: 0 or a negative errno, with a cause. */
int broken_set_host(struct server *s, const char *host, bool killed);

/**
 * command_fabric() - ATTACH_FABRIC.
 * @s: Server.
 * @c: Who wants it.
 * @m: What.
 *
 * Return: Whether it may stay.
 */
bool command_fabric(struct server *s, struct client *c, const struct attach_message *m);

/**
 * command_show() - A file with nodes, ports and counters, as JSON.
 * @s: Server.
 * @node: Which, as device_managed_find_node(); "" for all.
 * @brief: Of all: switches without their ports.
 *
 * Return: Descriptor or a negative errno, with a cause.
 */
int command_show(struct server *s, const char *node, bool brief);

/**
 * server_subnet_came_back() - A process of the daemon before us is here again.
 * @s: Server.
 * @c: It. Hears that it has to register anew what the manager was told, for that is another one.
 */
void server_subnet_came_back(struct server *s, struct client *c);

#endif
