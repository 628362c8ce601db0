// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Addresses: from handles and attributes to paths, and whether a run came by the right one. */
#include <string.h>

#include "packet/pkey.h"
#include "transport/tp_qp.h"

void tp_port_set_addr(struct tp_port *port, const struct tp_port_addr *addr)
{
	struct tp_port_state *ps = container_of(port, struct tp_port_state, port);

	spin_lock(&ps->lock);
	ps->addr = *addr;
	spin_unlock(&ps->lock);
}

void tp_port_get_addr(struct tp_port_state *ps, struct tp_port_addr *addr)
{
	spin_lock(&ps->lock);
	*addr = ps->addr;
	spin_unlock(&ps->lock);
}

static void fill_grh(const struct tp_port_addr *addr, const struct rdma_ah_attr *attr,
		     struct tp_path *path)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	path->has_grh = true;
	path->traffic_class = grh->traffic_class;
	path->hop_limit = grh->hop_limit;
	path->flow_label = grh->flow_label & 0xfffffu;
	memcpy(path->dgid, grh->dgid.raw, sizeof(path->dgid));
	memcpy(path->sgid, grh->sgid_attr ? grh->sgid_attr->gid.raw : addr->gid,
	       sizeof(path->sgid));
}

void tp_path_from_ah(struct tp_port_state *ps, const struct rdma_ah_attr *attr,
		     struct tp_path *path)
{
	struct tp_port_addr addr;

	tp_port_get_addr(ps, &addr);
	memset(path, 0, sizeof(*path));
	path->sl = rdma_ah_get_sl(attr);
	if (!addr.roce) {
		const uint16_t path_bits = (uint16_t)((1u << addr.lmc) - 1);

		path->dlid = (uint16_t)rdma_ah_get_dlid(attr);
		path->slid = addr.lid | (rdma_ah_get_path_bits(attr) & path_bits);
	}
	if (rdma_ah_get_ah_flags(attr) & IB_AH_GRH)
		fill_grh(&addr, attr, path);
}

/* [rcp 9.1]: what the peer sends comes from where we send to. */
bool tp_path_arrives(const struct tp_path *path, const struct tp_run *run)
{
	if (run->path.slid != path->dlid || run->path.has_grh != path->has_grh)
		return false;
	return !path->has_grh || (!memcmp(run->path.sgid, path->dgid, sizeof(path->dgid)) &&
				  !memcmp(run->path.dgid, path->sgid, sizeof(path->sgid)));
}

bool tp_path_is_own(struct tp_port_state *ps, const struct tp_path *path)
{
	struct tp_port_addr addr;

	tp_port_get_addr(ps, &addr);
	if (addr.roce)
		return path->has_grh && !memcmp(path->dgid, path->sgid, sizeof(path->dgid));
	return addr.lid && path->dlid >> addr.lmc == addr.lid >> addr.lmc;
}

static uint16_t pkey_of(const struct tp_qp *tq, uint32_t port_num, uint32_t index)
{
	return rvt_get_pkey(tq->engine->rdi, (int)port_num - 1, index);
}

/*
 * [rcp 14]: armed, and the peer has migrated and comes by the alternate path: so do we. The event is
 * told later, without locks.
 */
static bool migrates(struct tp_qp *tq, uint32_t port_num, const struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;

	if (qp->s_mig_state != IB_MIG_ARMED || !run->migrated || qp->alt_port_num != port_num ||
	    !tp_path_arrives(&tq->alt_path, run) ||
	    !pkt_pkey_match(run->pkey, pkey_of(tq, port_num, qp->s_alt_pkey_index)))
		return false;
	spin_lock(&qp->s_lock);
	tp_migrate(tq);
	spin_unlock(&qp->s_lock);
	return true;
}

void tp_bad_key(struct tp_qp *tq, const struct tp_run *run, bool qkey)
{
	struct rvt_ibport *ibp = rvt_to_iport(tq->qp);
	struct tp_port *port = &tp_port_of(tq)->port;

	tp_count16(qkey ? &ibp->qkey_violations : &ibp->pkey_violations);
	if (port->ops->bad_key)
		port->ops->bad_key(port, run, qkey);
}

bool tp_connected_check(struct tp_qp *tq, uint32_t port_num, const struct tp_run *run,
			enum tp_drop_reason *why)
{
	struct rvt_qp *qp = tq->qp;

	if (unlikely(qp->port_num != port_num || !tp_path_arrives(&tq->path, run)) &&
	    !migrates(tq, port_num, run)) {
		*why = qp->port_num == port_num ? TP_DROP_PATH : TP_DROP_SERVICE;
		return false;
	}
	if (unlikely(!pkt_pkey_match(run->pkey, pkey_of(tq, port_num, qp->s_pkey_index)))) {
		tp_bad_key(tq, run, false);
		*why = TP_DROP_PKEY;
		return false;
	}
	/* [rcp 14]: the peer has loaded its alternate path, too: both are armed. */
	if (unlikely(qp->s_mig_state == IB_MIG_REARM && !run->migrated))
		WRITE_ONCE(qp->s_mig_state, IB_MIG_ARMED);
	return true;
}

void tp_migrate(struct tp_qp *tq)
{
	rvt_qp_migrate(tq->qp);
	tq->path = tq->alt_path;
	tp_ask_again(tq);
}
