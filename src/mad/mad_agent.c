// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Agents: those who send and receive by a port, their numbers, their beginning and their end. */
#include <linux/err.h>
#include <linux/xarray.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/check.h"
#include "mad/mad_priv.h"
#include "mad/mad_rmpp.h"

#define FLUSH_AGAIN_NS (10 * MAD_NS_PER_MS)
#define HI_TIDS 0xffffffu /* the top byte is left to hardware, and 0 is nobody */

/*
 * The numbers of all agents of the process: given out in turn, so that one is not used again soon. A process
 * that shares a fabric has a block of them, and no other process has one of these.
 */
static struct {
	spinlock_t lock;
	u32 last;
	u32 first, count; /* the block; @count 0: all numbers are ours */
	struct xarray taken;
} ids;

static u32 block_size(void)
{
	return ids.count ? ids.count : HI_TIDS;
}

static u32 next_hi_tid(void)
{
	const u32 first = ids.count ? ids.first : 1, at = ids.last - first + 1;

	return first + (at < block_size() ? at : 0);
}

static int take_hi_tid(struct ib_mad_agent_private *agent)
{
	int ret = -EBUSY;
	u32 size;

	spin_lock(&ids.lock);
	size = block_size();
	for (u32 tries = 0; ret == -EBUSY && tries < size; tries++) {
		ids.last = next_hi_tid();
		ret = xa_insert(&ids.taken, ids.last, agent, GFP_KERNEL);
	}
	agent->agent.hi_tid = ids.last;
	spin_unlock(&ids.lock);
	if (ret == -EBUSY)
		return base_refuse(ret, MAD_HI_TIDS, size);
	return ret ? base_refuse(-ENOMEM, NO_MEMORY, sizeof(void *)) : 0;
}

static void give_hi_tid(const struct ib_mad_agent_private *agent)
{
	spin_lock(&ids.lock);
	(void)xa_erase(&ids.taken, agent->agent.hi_tid);
	if (xa_empty(&ids.taken))
		xa_destroy(&ids.taken);
	spin_unlock(&ids.lock);
}

void mad_agents_start_at(u32 last)
{
	spin_lock(&ids.lock);
	ids.last = last;
	spin_unlock(&ids.lock);
}

void mad_agents_number_from(u32 first, u32 count)
{
	INVARIANT(first + count <= HI_TIDS + 1 && (first || !count));
	spin_lock(&ids.lock);
	ids.first = first;
	ids.count = count;
	spin_unlock(&ids.lock);
}

void mad_agents_forked(void)
{
	spin_lock_init(&ids.lock);
	ids.count = 0;
	xa_init(&ids.taken);
}

static struct hlist_head *hi_tid_bucket(struct ib_mad_port_private *port, u32 hi_tid)
{
	return &port->by_hi_tid[hi_tid % MAD_AGENT_BUCKETS];
}

/* From here on MADs may come. */
static int publish(struct ib_mad_port_private *port, struct ib_mad_agent_private *agent)
{
	int ret = 0;

	spin_lock(&port->reg_lock);
	if (port->gone)
		ret = base_refuse(-ENODEV, MAD_NO_PORT, port->port_num);
	else if (agent->reg_req)
		ret = mad_dispatch_add(port, agent);
	if (!ret) {
		hlist_add_head(&agent->hi_tid_link, hi_tid_bucket(port, agent->agent.hi_tid));
		list_add_tail(&agent->port_link, &port->agents);
	}
	spin_unlock(&port->reg_lock);
	return ret;
}

static void init_agent(struct ib_mad_agent_private *agent, struct ib_mad_qp_info *qp_info,
		       const struct ib_mad_agent *like)
{
	agent->agent = *like;
	agent->agent.device = qp_info->port_priv->device;
	agent->agent.qp = qp_info->qp;
	agent->agent.port_num = (u8)qp_info->port_priv->port_num;
	agent->agent.smp_allowed = true;
	INIT_LIST_HEAD(&agent->agent.mad_agent_sec_list);
	agent->qp_info = qp_info;
	spin_lock_init(&agent->lock);
	INIT_LIST_HEAD(&agent->send_list);
	INIT_LIST_HEAD(&agent->wait_list);
	INIT_LIST_HEAD(&agent->done_list);
	INIT_LIST_HEAD(&agent->local_list);
	INIT_LIST_HEAD(&agent->remembered);
	mad_index_init(&agent->sends);
	mad_index_init(&agent->transfers);
	agent->armed_ns = MAD_NEVER_NS;
	base_timer_init(&agent->timer, mad_timer_fired);
	INIT_WORK(&agent->timed_work, mad_timed_work);
	INIT_WORK(&agent->local_work, mad_local_work);
	INIT_WORK(&agent->cancel_work, mad_rmpp_cancel_work);
	refcount_set(&agent->refcount, 1);
}

static void free_agent(struct ib_mad_agent_private *agent)
{
	mad_index_free(&agent->sends);
	mad_index_free(&agent->transfers);
	base_free(agent->reg_req);
	base_free(agent);
}

struct ib_mad_agent *mad_agent_new(struct ib_mad_port_private *port, struct ib_mad_qp_info *qp_info,
				   const struct ib_mad_reg_req *req,
				   const struct ib_mad_agent *like)
{
	struct ib_mad_agent_private *agent = base_zalloc(sizeof(*agent));
	int ret;

	if (!agent)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*agent)));
	init_agent(agent, qp_info, like);
	if (req) {
		agent->reg_req = base_zalloc(sizeof(*req));
		ret = agent->reg_req ? 0 : base_refuse(-ENOMEM, NO_MEMORY, sizeof(*req));
		if (ret)
			goto free_agent;
		*agent->reg_req = *req;
	}
	ret = take_hi_tid(agent);
	if (ret)
		goto free_agent;
	ret = publish(port, agent);
	if (!ret)
		return &agent->agent;
	give_hi_tid(agent);
free_agent:
	free_agent(agent);
	return ERR_PTR(ret);
}

static int check_request(enum ib_qp_type qp_type, const struct ib_mad_reg_req *req,
			 const struct ib_mad_agent *like)
{
	if (qp_type != IB_QPT_SMI && qp_type != IB_QPT_GSI)
		return base_refuse(-EINVAL, MAD_QP_TYPE, (u32)qp_type);
	if (like->rmpp_version && like->rmpp_version != IB_MGMT_RMPP_VERSION)
		return base_refuse(-EINVAL, MAD_RMPP_VERSION, like->rmpp_version);
	if (like->flags & ~(u32)IB_MAD_USER_RMPP)
		return base_refuse(-EINVAL, MAD_FLAGS, like->flags);
	if (!req && !like->send_handler)
		return base_refuse(-EINVAL, MAD_NO_HANDLER);
	if (!req && (like->flags & IB_MAD_USER_RMPP))
		return base_refuse(-EINVAL, MAD_FLAGS, like->flags);
	if (!req)
		return 0;
	if (!like->recv_handler)
		return base_refuse(-EINVAL, MAD_NO_HANDLER);
	return mad_dispatch_check(qp_type, req, like->rmpp_version);
}

static bool port_has(struct ib_device *device, u32 port_num, enum ib_qp_type qp_type)
{
	return (qp_type != IB_QPT_SMI || rdma_cap_ib_smi(device, port_num)) &&
	       (qp_type != IB_QPT_GSI || rdma_cap_ib_cm(device, port_num));
}

/* Work of others that is done meanwhile may have causes of its own. */
static void free_refused(struct ib_mad_agent *agent)
{
	const struct base_cause why = *base_cause_last();

	mad_agent_free(agent);
	base_cause_set_last(&why);
}

struct ib_mad_agent *ib_register_mad_agent(struct ib_device *device, u32 port_num,
					   enum ib_qp_type qp_type,
					   struct ib_mad_reg_req *mad_reg_req, u8 rmpp_version,
					   ib_mad_send_handler send_handler,
					   ib_mad_recv_handler recv_handler, void *context,
					   u32 registration_flags)
{
	const struct ib_mad_agent like = {.recv_handler = recv_handler,
					  .send_handler = send_handler,
					  .context = context,
					  .flags = registration_flags,
					  .rmpp_version = rmpp_version};
	struct ib_mad_port_private *port;
	struct ib_mad_agent *agent;
	int ret;

	if (!rdma_is_port_valid(device, port_num))
		return ERR_PTR(base_refuse(-ENODEV, MAD_NO_PORT, port_num));
	if (!port_has(device, port_num, qp_type))
		return ERR_PTR(
			base_refuse(-EPROTONOSUPPORT, MAD_NO_QP, port_num, qp_type != IB_QPT_SMI));
	ret = check_request(qp_type, mad_reg_req, &like);
	if (ret)
		return ERR_PTR(ret);
	port = mad_port_get(device, port_num);
	if (IS_ERR(port))
		return ERR_CAST(port);
	agent = mad_agent_new(port, &port->qp_info[qp_type != IB_QPT_SMI], mad_reg_req, &like);
	ret = IS_ERR(agent) ? (int)PTR_ERR(agent) : mad_claim(mad_agent_of(agent));
	if (!ret)
		return agent;
	if (!IS_ERR(agent))
		free_refused(agent);
	mad_port_put(port);
	return ERR_PTR(ret);
}

void mad_agent_put(struct ib_mad_agent_private *agent)
{
	if (refcount_dec_and_test(&agent->refcount))
		base_wake(); /* @agent may be gone by now */
}

static bool is_unused(void *arg)
{
	const struct ib_mad_agent_private *agent = arg;

	/* Acquire: what the last ones who had it have done is done. */
	return !atomic_read_acquire(&agent->refcount.refs);
}

/* All that is outstanding ends as flushed: here, if it only waits, else when it has been sent. */
void mad_agent_flush(struct ib_mad_agent_private *agent)
{
	struct ib_mad_send_wr_private *wr;
	LIST_HEAD(waiting);

	spin_lock(&agent->lock);
	list_for_each_entry(wr, &agent->send_list, agent_list) {
		if (wr->status != IB_WC_SUCCESS)
			continue;
		wr->status = IB_WC_WR_FLUSH_ERR;
		wr->cause = BASE_CAUSE_MAD_CANCELLED;
		wr->refcount -= wr->timeout_ns > 0;
		mad_index_remove(&agent->sends, &wr->node);
	}
	list_for_each_entry(wr, &agent->wait_list, agent_list) {
		wr->where = MAD_NOWHERE;
		mad_index_remove(&agent->sends, &wr->node);
	}
	list_splice_init(&agent->wait_list, &waiting);
	spin_unlock(&agent->lock);
	while (!list_empty(&waiting)) {
		wr = list_first_entry(&waiting, struct ib_mad_send_wr_private, agent_list);
		list_del_init(&wr->agent_list);
		mad_report(wr, IB_WC_WR_FLUSH_ERR, BASE_CAUSE_MAD_CANCELLED);
	}
}

void mad_agent_free(struct ib_mad_agent *mad_agent)
{
	struct ib_mad_agent_private *agent = mad_agent_of(mad_agent);
	struct ib_mad_port_private *port = mad_port_of(agent);

	spin_lock(&port->reg_lock);
	mad_dispatch_remove(port, agent);
	hlist_del_init(&agent->hi_tid_link);
	list_del(&agent->port_link);
	spin_unlock(&port->reg_lock);
	mad_agent_flush(agent);
	flush_workqueue(port->wq);
	ib_cancel_rmpp_recvs(agent);
	mad_agent_put(agent);
	/* What a handler has posted meanwhile is flushed, too. */
	do {
		mad_agent_flush(agent);
	} while (!base_wait_until(is_unused, agent, FLUSH_AGAIN_NS));
	(void)base_timer_disarm_sync(&agent->timer);
	(void)cancel_work_sync(&agent->timed_work);
	(void)cancel_work_sync(&agent->local_work);
	give_hi_tid(agent);
	free_agent(agent);
}

void ib_unregister_mad_agent(struct ib_mad_agent *mad_agent)
{
	struct ib_mad_port_private *port = mad_port_of(mad_agent_of(mad_agent));

	mad_disclaim(mad_agent_of(mad_agent));
	mad_agent_free(mad_agent);
	mad_port_put(port);
}

static struct ib_mad_agent_private *by_hi_tid_locked(struct ib_mad_port_private *port, u32 hi_tid)
{
	struct ib_mad_agent_private *agent;

	hlist_for_each_entry(agent, hi_tid_bucket(port, hi_tid),
			     hi_tid_link) if (agent->agent.hi_tid == hi_tid) return agent;
	return NULL;
}

/* Whose a MAD that has arrived is [rcp 16.4], with a reference; NULL: nobody's. */
struct ib_mad_agent_private *mad_agent_find(struct ib_mad_port_private *port,
					    const struct ib_mad_hdr *hdr)
{
	struct ib_mad_agent_private *agent;

	spin_lock(&port->reg_lock);
	if (ib_response_mad(hdr))
		agent = by_hi_tid_locked(port, (u32)(be64_to_cpu(hdr->tid) >> 32));
	else
		agent = mad_dispatch_find(port, hdr);
	if (agent && !agent->agent.recv_handler)
		agent = NULL;
	if (agent)
		refcount_inc(&agent->refcount);
	spin_unlock(&port->reg_lock);
	return agent;
}

/* Without partitions that say otherwise only SMPs can be forbidden. */
int ib_mad_enforce_security(struct ib_mad_agent_private *map, u16 pkey_index)
{
	(void)pkey_index;
	if (map->agent.qp->qp_type == IB_QPT_SMI && !READ_ONCE(map->agent.smp_allowed))
		return base_refuse(-EACCES, MAD_SMP_FORBIDDEN);
	return 0;
}
