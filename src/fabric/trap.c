// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Traps; what is in a notice is at the end. */
#include "fabric/trap.h"

#include <string.h>

#include "base/alloc.h"
#include "fabric/sma.h"

#define NOTICE_BYTES 64u
#define MOST_TRAPS 16u /* of an end; a manager that represses none of them needs no more */
#define SHORTEST_PERIOD_NS 1000000u /* whatever SubnetTimeOut says */

/* Type of a notice, which is how urgent it is, too. */
enum { URGENT = 1, SECURITY = 2, INFO = 4 };

/**
 * struct subnet_trap - One that is to be repressed.
 * @list: In &subnet_end.traps; whoever was sent last is last.
 * @tid: Of all its copies.
 * @notice: As sent, but for the issuer's LID.
 */
struct subnet_trap {
	struct list_head list;
	uint64_t tid;
	uint8_t notice[NOTICE_BYTES];
};

static uint64_t period_ns(const struct subnet_end *end)
{
	const uint64_t period = 4096ull << end->subnet_timeout;

	return period < SHORTEST_PERIOD_NS ? SHORTEST_PERIOD_NS : period;
}

static bool may_send(const struct subnet *subnet, const struct subnet_end *end)
{
	const struct subnet_node *node = subnet_node_of(subnet, end->at.node);

	return end->lid && end->sm_lid && (end->cap_mask & IB_PORT_TRAP_SUP) &&
	       subnet_port_of(node, end->at.port)->state == SUBNET_ACTIVE;
}

static void drop(struct subnet_end *end, struct subnet_trap *trap)
{
	list_del(&trap->list);
	base_free(trap);
	end->trap_count--;
}

void subnet_traps_drop(struct subnet_end *end)
{
	struct subnet_trap *trap, *next;

	list_for_each_entry_safe(trap, next, &end->traps, list)
		drop(end, trap);
}

bool subnet_trap_repress(struct subnet_end *end, uint64_t tid)
{
	struct subnet_trap *trap;

	list_for_each_entry(trap, &end->traps, list) {
		if (trap->tid != tid)
			continue;
		drop(end, trap);
		return true;
	}
	return false;
}

static struct subnet_trap *most_urgent(const struct subnet_end *end)
{
	struct subnet_trap *trap, *best = NULL;

	list_for_each_entry(trap, &end->traps, list)
		if (!best || trap->notice[0] < best->notice[0])
			best = trap;
	return best;
}

static void send_one(struct subnet *subnet, struct subnet_end *end, struct subnet_trap *trap)
{
	struct subnet_mad mad = {.slid = end->lid,
				 .dlid = end->sm_lid,
				 .sl = end->sm_sl,
				 .pkey = IB_DEFAULT_PKEY_FULL};
	struct ib_smp *smp = subnet_smp_of(&mad);

	ib_init_query_mad(smp);
	smp->method = IB_MGMT_METHOD_TRAP;
	smp->tid = cpu_to_be64(trap->tid);
	smp->attr_id = IB_SMP_ATTR_NOTICE;
	memcpy(smp->data, trap->notice, NOTICE_BYTES);
	put_unaligned_be16(end->lid, smp->data + 6);
	subnet_queue_mad(subnet, end->at, &mad);
	list_move_tail(&trap->list, &end->traps);
}

/* When it wants to be asked again; 0: not at all. */
static uint64_t send_due(struct subnet *subnet, struct subnet_end *end, uint64_t now_ns)
{
	if (end->next_trap_ns > now_ns)
		return end->next_trap_ns;
	if (!may_send(subnet, end))
		subnet_traps_drop(end);
	if (list_empty(&end->traps))
		return 0;
	send_one(subnet, end, most_urgent(end));
	end->next_trap_ns = now_ns + period_ns(end);
	return end->next_trap_ns;
}

uint64_t subnet_traps_send(struct subnet *subnet, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;
	struct subnet_end *end, *next;

	list_for_each_entry_safe(end, next, &subnet->trapping, traps_list) {
		const uint64_t due_ns = send_due(subnet, end, now_ns);

		if (!due_ns)
			list_del_init(&end->traps_list);
		else if (due_ns < next_ns)
			next_ns = due_ns;
	}
	return next_ns;
}

/* The same is not told twice: of the bytes from the trap's number on, so many make it the same. */
static struct subnet_trap *find(struct subnet_end *end, const uint8_t *notice, size_t bytes)
{
	struct subnet_trap *trap;

	list_for_each_entry(trap, &end->traps, list)
		if (!memcmp(trap->notice + 4, notice + 4, bytes))
			return trap;
	return NULL;
}

static void queue(struct subnet *subnet, struct subnet_end *end, const uint8_t *notice,
		  size_t same_bytes)
{
	struct subnet_trap *trap;

	if (!may_send(subnet, end))
		return;
	trap = find(end, notice, same_bytes);
	if (!trap) {
		trap = end->trap_count < MOST_TRAPS ? base_zalloc(sizeof(*trap)) : NULL;
		if (!trap)
			return;
		trap->tid = ++end->trap_tid;
		list_add_tail(&trap->list, &end->traps);
		end->trap_count++;
	}
	memcpy(trap->notice, notice, NOTICE_BYTES);
	if (list_empty(&end->traps_list)) {
		list_add_tail(&end->traps_list, &subnet->trapping);
		subnet_pump_later(subnet);
	}
}

#define TRAP_LINK cpu_to_be16(128)
#define TRAP_ENFORCED cpu_to_be16(259)
#define NUMBER_BYTES 2u		       /* one trap of its number */
#define WHOLE_BYTES (NOTICE_BYTES - 4) /* one of each content */

/* The head of a notice; its details begin at byte 10. */
static void begin(const struct subnet *subnet, const struct subnet_end *end, uint8_t *notice,
		  uint8_t type, __be16 number)
{
	memset(notice, 0, NOTICE_BYTES);
	notice[0] = 0x80 | type;
	notice[3] = (uint8_t)subnet_node_of(subnet, end->at.node)->config.type;
	memcpy(notice + 4, &number, sizeof(number));
}

void subnet_trap_link(struct subnet *subnet, struct subnet_node *node)
{
	uint8_t notice[NOTICE_BYTES];

	begin(subnet, node->end, notice, URGENT, TRAP_LINK);
	put_unaligned_be16(node->end->lid, notice + 10);
	queue(subnet, node->end, notice, NUMBER_BYTES);
}

void subnet_trap_threshold(struct subnet *subnet, struct subnet_at at, __be16 number)
{
	struct subnet_end *end = subnet_end_of(subnet_node_of(subnet, at.node), at.port);
	uint8_t notice[NOTICE_BYTES];

	begin(subnet, end, notice, URGENT, number);
	put_unaligned_be16(end->lid, notice + 12);
	notice[14] = at.port;
	queue(subnet, end, notice, WHOLE_BYTES);
}

void subnet_trap_change(struct subnet *subnet, struct subnet_end *end, uint16_t flags)
{
	uint8_t notice[NOTICE_BYTES];
	struct subnet_trap *told;

	begin(subnet, end, notice, INFO, IB_NOTICE_TRAP_CAP_MASK_CHG);
	told = find(end, notice, NUMBER_BYTES);
	if (told)
		flags |= get_unaligned_be16(told->notice + 20);
	put_unaligned_be16(end->lid, notice + 12);
	notice[15] = flags ? 1 : 0;
	put_unaligned_be32(end->cap_mask, notice + 16);
	put_unaligned_be16(flags, notice + 20);
	queue(subnet, end, notice, NUMBER_BYTES);
}

void subnet_trap_system_guid(struct subnet *subnet, struct subnet_node *node)
{
	uint8_t notice[NOTICE_BYTES];

	begin(subnet, node->end, notice, INFO, IB_NOTICE_TRAP_SYS_GUID_CHG);
	put_unaligned_be16(node->end->lid, notice + 12);
	put_unaligned_be64(node->config.system_guid, notice + 16);
	queue(subnet, node->end, notice, NUMBER_BYTES);
}

#define RETURN_PATH_BYTES 30u

void subnet_trap_mkey(struct subnet *subnet, struct subnet_end *end, const struct subnet_mad *mad)
{
	const struct ib_smp *smp = (const struct ib_smp *)(const void *)mad->data;
	uint8_t notice[NOTICE_BYTES], hops = smp->hop_cnt;

	begin(subnet, end, notice, SECURITY, IB_NOTICE_TRAP_BAD_MKEY);
	put_unaligned_be16(mad->slid, notice + 12);
	notice[16] = smp->method;
	memcpy(notice + 18, &smp->attr_id, sizeof(smp->attr_id));
	memcpy(notice + 20, &smp->attr_mod, sizeof(smp->attr_mod));
	memcpy(notice + 24, &smp->mkey, sizeof(smp->mkey));
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE) {
		memcpy(notice + 14, &smp->dr_slid, sizeof(smp->dr_slid));
		notice[33] = IB_NOTICE_TRAP_DR_NOTICE;
		if (hops > RETURN_PATH_BYTES) {
			notice[33] |= IB_NOTICE_TRAP_DR_TRUNC;
			hops = RETURN_PATH_BYTES;
		}
		notice[33] |= hops;
		memcpy(notice + 34, smp->return_path + 1, hops);
	}
	queue(subnet, end, notice, WHOLE_BYTES);
}

void subnet_trap_key(struct subnet *subnet, struct subnet_end *end, bool qkey,
		     const struct subnet_mad *mad)
{
	uint8_t notice[NOTICE_BYTES];

	begin(subnet, end, notice, SECURITY,
	      qkey ? IB_NOTICE_TRAP_BAD_QKEY : IB_NOTICE_TRAP_BAD_PKEY);
	put_unaligned_be16(mad->slid, notice + 12);
	put_unaligned_be16(mad->dlid, notice + 14);
	put_unaligned_be32(qkey ? mad->qkey : mad->pkey, notice + 16);
	put_unaligned_be32((uint32_t)mad->sl << 28 | (mad->src_qpn & 0xffffff), notice + 20);
	put_unaligned_be32(mad->dest_qpn & 0xffffff, notice + 24);
	if (mad->has_grh) {
		memcpy(notice + 28, mad->sgid, sizeof(mad->sgid));
		memcpy(notice + 44, mad->dgid, sizeof(mad->dgid));
	}
	queue(subnet, end, notice, WHOLE_BYTES);
}

/* Both LIDs, the P_Key and the SL are known. */
#define ENFORCED_VALID 0x000fu

void subnet_trap_enforced(struct subnet *subnet, struct subnet_at at, uint16_t slid,
			  const struct subnet_route *route)
{
	struct subnet_end *end = subnet_node_of(subnet, at.node)->end;
	uint8_t notice[NOTICE_BYTES];

	begin(subnet, end, notice, SECURITY, TRAP_ENFORCED);
	put_unaligned_be16(ENFORCED_VALID, notice + 10);
	put_unaligned_be16(slid, notice + 12);
	put_unaligned_be16(route->dlid, notice + 14);
	put_unaligned_be16(route->pkey, notice + 16);
	put_unaligned_be32((uint32_t)route->sl << 28, notice + 18);
	put_unaligned_be16(end->lid, notice + 58);
	notice[60] = at.port;
	queue(subnet, end, notice, WHOLE_BYTES);
}
