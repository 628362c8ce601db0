/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What all processes of a fabric know about each other: the fabric itself, which ports a host has and
 * which processes are on it, whose queue pair numbers are whose, and who listens to which multicast
 * group.
 *
 * One daemon writes it, in memory that the processes map read-only; so it is flat, has no pointers,
 * and every word that changes is read atomically. Whoever attaches gets an id, an index here.
 * It outlives its daemon: the next one goes on with the same memory.
 */
#ifndef FABRIC_DIRECTORY_H
#define FABRIC_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "fabric/way.h"

#define DIRECTORY_MAGIC 0x5645524e41424552u
#define DIRECTORY_VERSION 7u
#define DIRECTORY_PROCESSES 1024u
#define DIRECTORY_QPN_BLOCK_BITS 8u
#define DIRECTORY_QPN_BLOCKS 0x8000u /* QP numbers up to 0x7fffff */
#define DIRECTORY_GROUPS 512u
#define DIRECTORY_NAME 64u /* with its end */
#define DIRECTORY_HOSTS FABRIC_PORTS
#define DIRECTORY_HCAS 8u  /* of a host */
#define DIRECTORY_PORTS 4u /* of an HCA */
#define DIRECTORY_PKEYS 16u
#define DIRECTORY_GUIDS 8u
#define DIRECTORY_NO_HOST UINT32_MAX

enum directory_state {
	DIRECTORY_FREE,
	DIRECTORY_ALIVE,
	DIRECTORY_DEAD, /* the id is not used again for as long as others are free */
};

/**
 * struct directory_process - A process that is or was attached.
 * @state: enum directory_state. Atomic.
 * @host: Which host it is on; several processes may be on one.
 * @pid: As its daemon sees it; 0 if it cannot.
 * @generation: Changes each time the id is given out.
 * @start_time: When it started, in ticks since the boot: others may get its pid. 0: unknown.
 * @down: Ports of its host whose link it keeps down, a bit each: directory_port_bit().
 */
struct directory_process {
	uint32_t state;
	uint32_t host;
	int32_t pid;
	uint32_t generation;
	uint64_t start_time;
	uint32_t down;
};

/**
 * struct directory_hca - What ports an HCA shall have.
 * @ports: How many; 0: there is no such HCA.
 * @port: What they are to be called.
 */
struct directory_hca {
	uint32_t ports;
	struct fabric_port_config port[DIRECTORY_PORTS];
};

/**
 * struct directory_host - A host.
 * @name: Its name.
 * @slot: By HCA and port: where it hangs, plus 1; 0 if there is no such port. Atomic.
 */
struct directory_host {
	char name[DIRECTORY_NAME];
	uint16_t slot[DIRECTORY_HCAS][DIRECTORY_PORTS];
};

/**
 * struct directory_group - A multicast group.
 * @used: Somebody has joined. Atomic, written last.
 * @gid: Wire order.
 * @joined: How often each process has joined, by id.
 */
struct directory_group {
	uint32_t used;
	uint8_t gid[16];
	uint16_t joined[DIRECTORY_PROCESSES];
};

/**
 * struct directory_view - What a driver asks of its port, where a subnet says it.
 * @sequence: Odd while it is written. Atomic; of directory_write_view() and directory_read_view() alone.
 * @port: As subnet_query_port().
 * @node_guid: Of the adapter that it is a port of, host order.
 * @pkey: The P_Key table; what it does not have is 0.
 * @guid: As subnet_query_guid(), host order.
 */
struct directory_view {
	uint32_t sequence;
	struct subnet_port_view port;
	uint64_t node_guid;
	uint16_t pkey[DIRECTORY_PKEYS];
	uint64_t guid[DIRECTORY_GUIDS];
};

/**
 * struct directory - All of it.
 * @magic: DIRECTORY_MAGIC.
 * @version: DIRECTORY_VERSION.
 * @bytes: Size of this structure.
 * @incarnation: Random: no other directory has it.
 * @pid_namespace: Of the daemon that wrote the pids.
 * @epoch: Changes with everything else here. Atomic.
 * @managed: A subnet says which LIDs and links ports have, and what else there is to be said of them. Set before
 *	anybody is attached.
 * @fabric: Ports, LIDs and links.
 * @host: By number.
 * @host_count: How many there are.
 * @slot_host: By slot: number of the host whose port hangs there; DIRECTORY_NO_HOST: a port of the subnet that is
 *	no host's.
 * @process: By id.
 * @qpn_owner: By block of QP numbers: id + 1 of the process, 0 if it is nobody's. Atomic.
 * @qpn_former: Likewise, of whom it was before that died. Atomic.
 * @next_block: Where to look for a free block, so that numbers of the dead come last.
 * @next_process: Likewise for ids.
 * @group: Multicast groups.
 * @view: By slot. What comes from here on is there only if the directory is managed: else it has no blocks in its
 *	file, and nobody looks.
 * @ways: Ways of data that processes have asked for.
 */
struct directory {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes;
	uint64_t incarnation;
	uint64_t pid_namespace;
	uint64_t epoch;
	uint32_t managed;
	struct fabric fabric;
	struct directory_host host[DIRECTORY_HOSTS];
	uint32_t host_count;
	uint32_t slot_host[FABRIC_PORTS];
	struct directory_process process[DIRECTORY_PROCESSES];
	uint32_t qpn_owner[DIRECTORY_QPN_BLOCKS];
	uint32_t qpn_former[DIRECTORY_QPN_BLOCKS];
	uint32_t next_block;
	uint32_t next_process;
	struct directory_group group[DIRECTORY_GROUPS];
	struct directory_view view[FABRIC_PORTS];
	struct directory_ways ways;
};

/** DIRECTORY_PLAIN_BYTES: what there is of a directory that is not managed. */
#define DIRECTORY_PLAIN_BYTES offsetof(struct directory, view)

/**
 * directory_init() - Make it empty.
 * @dir: Zeroed.
 * @subnet_prefix: As for fabric_init().
 * @incarnation: A random number.
 */
void directory_init(struct directory *dir, uint64_t subnet_prefix, uint64_t incarnation);

/**
 * directory_repair() - Take over what another daemon has left, perhaps in the middle of a change.
 * @dir: Directory, ours to write from now on. Any content.
 * @bytes: Of it.
 *
 * Return: false if it makes no sense, or is of another version.
 */
bool directory_repair(struct directory *dir, uint64_t bytes);

/** directory_any_alive() - Whether a process is attached. */
bool directory_any_alive(const struct directory *dir);

/**
 * directory_add_host() - A host, without ports yet.
 * @dir: Directory, ours to write.
 * @name: Shorter than DIRECTORY_NAME.
 *
 * Return: Its number; -ENOSPC.
 */
int directory_add_host(struct directory *dir, const char *name);

/** directory_find_host() - The number of a host; -ENOENT. */
int directory_find_host(const struct directory *dir, const char *name);

/**
 * directory_add_hca() - See that a host has the ports of an HCA.
 * @dir: Directory, ours to write.
 * @host: Its number.
 * @index: Of the HCA.
 * @hca: Its ports. Those that are there already stay as they are.
 *
 * Return: 0; -EINVAL if there are too many; what fabric_port_add() returns, and nothing was added.
 */
int directory_add_hca(struct directory *dir, uint32_t host, uint32_t index,
		      const struct directory_hca *hca);

/**
 * directory_join_hca() - The same where a subnet says what there is to be said of them.
 * @dir: Directory, managed, ours to write.
 * @host: Its number.
 * @index: Of the HCA.
 * @count: Of its ports.
 * @guid: By port, host order.
 *
 * Return: 0; -EINVAL if there are too many; what fabric_port_join() returns, and nothing was added.
 */
int directory_join_hca(struct directory *dir, uint32_t host, uint32_t index, uint32_t count,
		       const uint64_t *guid);

/**
 * directory_see() - A view as it is now.
 * @subnet: Where.
 * @at: Its port.
 * @view: Out; but for @node_guid.
 */
void directory_see(const struct subnet *subnet, struct subnet_at at, struct directory_view *view);

/**
 * directory_write_view() - What there is to be said of the port of a slot, its LIDs and its link included.
 * @dir: Directory, managed, ours to write.
 * @slot: Of the port.
 * @view: Its @sequence does not matter.
 */
void directory_write_view(struct directory *dir, uint32_t slot, const struct directory_view *view);

/**
 * directory_read_view() - Likewise.
 * @dir: Directory, managed.
 * @slot: Of the port.
 * @view: Out.
 *
 * Context: Any, no lock. Of a daemon that died while it wrote one sees what it had written.
 */
void directory_read_view(const struct directory *dir, uint32_t slot, struct directory_view *view);

/**
 * directory_slot() - Where a port hangs.
 * @dir: Directory.
 * @host: Number of the host.
 * @index: Of the HCA.
 * @port: Of the port, from 0.
 *
 * Return: Slot; -ENOENT if there is no such port.
 */
int directory_slot(const struct directory *dir, uint32_t host, uint32_t index, uint32_t port);

/**
 * directory_add_process() - A process attaches.
 * @dir: Directory, ours to write.
 * @host: The host that it is on.
 * @pid: Its number.
 * @start_time: When it started.
 *
 * Return: Its id; -ENOSPC.
 */
int directory_add_process(struct directory *dir, uint32_t host, int32_t pid, uint64_t start_time);

/** directory_port_bit() - Of &directory_process.down. @index: Of the HCA. @port: From 0. */
static inline uint32_t directory_port_bit(uint32_t index, uint32_t port)
{
	return 1u << (index * DIRECTORY_PORTS + port);
}

/**
 * directory_set_link() - A process unplugs a port of its host, for all, or plugs it in.
 * @dir: Directory, ours to write.
 * @id: Who. What it has unplugged is plugged in when it is gone, unless another has unplugged it, too.
 * @index: Of the HCA.
 * @port: Of the port, from 0.
 * @up: Plugs it in, whoever has unplugged it.
 *
 * In a managed one that is only written down: directory_kept_down() says it, and who has the subnet sees to it.
 *
 * Return: 1 if the link has changed, else 0; -ENOENT if there is no such port.
 */
int directory_set_link(struct directory *dir, uint32_t id, uint32_t index, uint32_t port, bool up);

/** directory_release_links() - Plug in what a process has unplugged. Returns the bits of ports that came up. */
uint32_t directory_release_links(struct directory *dir, uint32_t id);

/** directory_kept_down() - Ports of a host that processes keep down, a bit each. */
uint32_t directory_kept_down(const struct directory *dir, uint32_t host);

/** directory_remove_process() - It is gone, and with it its QP numbers and memberships. */
void directory_remove_process(struct directory *dir, uint32_t id);

/**
 * directory_take_block() - Give a process QP numbers.
 * @dir: Directory, ours to write.
 * @id: For whom.
 * @first_qpn: Out: the first of 2^DIRECTORY_QPN_BLOCK_BITS numbers.
 *
 * Return: 0; -ENOSPC.
 */
int directory_take_block(struct directory *dir, uint32_t id, uint32_t *first_qpn);

/**
 * directory_join() - A process wants what is sent to a multicast group; counted.
 * @dir: Directory, ours to write.
 * @id: Who.
 * @gid: Which group, wire order.
 *
 * Return: 0; -ENOSPC if there are too many groups, or it has joined 65,535 times.
 */
int directory_join(struct directory *dir, uint32_t id, const uint8_t gid[16]);

/** directory_leave() - Undo directory_join(). Return: 0; -ENOENT if it was not a member. */
int directory_leave(struct directory *dir, uint32_t id, const uint8_t gid[16]);

/** directory_is_valid() - Whether this is a directory as we know it; @bytes of it are mapped. */
bool directory_is_valid(const struct directory *dir, uint64_t bytes);

/**
 * directory_find() - Which process a unicast packet is for.
 * @dir: Directory.
 * @from_slot: Where the packet starts.
 * @dlid: Destination.
 * @qpn: Destination QP.
 *
 * Context: Any, no lock.
 * Return: Id; -EHOSTUNREACH if there is no way to the port; -ENOENT if the number is nobody's there.
 */
int directory_find(const struct directory *dir, uint32_t from_slot, uint16_t dlid, uint32_t qpn);

/** directory_owner() - Which process at a port has a queue pair. Return: Id; -ENOENT. Context: Any, no lock. */
int directory_owner(const struct directory *dir, uint32_t slot, uint32_t qpn);

/**
 * directory_find_dead() - Which process had a number that is nobody's.
 * @dir: Directory.
 * @qpn: QP.
 *
 * Context: Any, no lock.
 * Return: Id, which is dead; -ENOENT if nobody had it, or the id is another process's now.
 */
int directory_find_dead(const struct directory *dir, uint32_t qpn);

/**
 * directory_next_member() - Walk over the processes that listen to a group and can be reached.
 * @dir: Directory.
 * @from_slot: Where the packet starts.
 * @gid: Group.
 * @id: Where to go on; 0 at first.
 *
 * Return: The first member with an id of at least @id; -ENOENT if there are no more.
 */
int directory_next_member(const struct directory *dir, uint32_t from_slot, const uint8_t gid[16],
			  uint32_t id);

/** directory_is_alive() - Whether the process @id of this @generation is attached. */
static inline bool directory_is_alive(const struct directory *dir, uint32_t id, uint32_t generation)
{
	const struct directory_process *p = &dir->process[id];

	return __atomic_load_n(&p->state, __ATOMIC_ACQUIRE) == DIRECTORY_ALIVE &&
	       __atomic_load_n(&p->generation, __ATOMIC_RELAXED) == generation;
}

#endif
