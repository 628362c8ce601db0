// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Datagrams of QP 0 and QP 1 go by the daemon, whose subnet moves them hop by hop, and come from there. If it does not
 * read they wait in the queue pair, and are offered again after a while; if that lasts, they are lost.
 */
#include <errno.h>
#include <linux/rcupdate.h>

#include "base/alloc.h"
#include "wire/shm_priv.h"

#define AGAIN_NS 500000u

static void offer_again(struct base_timer *timer)
{
	shm_all_ready(container_of(timer, struct wire_shm, mads.again));
}

void shm_mads_init(struct wire_shm *shm)
{
	base_timer_init(&shm->mads.again, offer_again);
}

void shm_mads_stop(struct wire_shm *shm)
{
	(void)base_timer_disarm_sync(&shm->mads.again);
}

static int wait_or_lose(struct wire_shm *shm)
{
	const uint64_t now_ns = shm->config.now_ns(shm->config.ctx);
	uint64_t since_ns = 0;

	if (!__atomic_compare_exchange_n(&shm->mads.since_ns, &since_ns, now_ns, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
	    now_ns - since_ns >= SHM_PATIENCE_NS)
		return -ENETDOWN;
	if (!base_timer_is_armed(&shm->mads.again))
		(void)base_timer_arm(&shm->mads.again, AGAIN_NS);
	return -EAGAIN;
}

/* Who sends to the neighbour, whatever its LID, says nothing of his own [IBA 14.2.2.2]. */
int shm_send_mad(struct shm_port *port, const struct tp_run *run, void *sender)
{
	struct wire_shm *shm = port->shm;
	struct shm_peer *own = rcu_dereference(shm->peers[shm->config.self]);
	int ret = own ? shm_await_room(own) : -ENETDOWN;
	struct subnet_mad mad;

	if (ret)
		return ret;
	if (!wire_mad_of_run(run, &mad))
		return -EMSGSIZE;
	if (!mad.dest_qpn && mad.dlid == SUBNET_PERMISSIVE_LID)
		mad.slid = SUBNET_PERMISSIVE_LID;
	ret = shm->config.send_mad(shm->config.ctx, port->slot, &mad);
	if (ret == -EAGAIN)
		return wait_or_lose(shm);
	__atomic_store_n(&shm->mads.since_ns, 0, __ATOMIC_RELAXED);
	if (ret)
		return ret;
	shm_account(own, port->tp, run, sender, run->packets);
	return (int)run->packets;
}

void shm_bad_key(struct tp_port *port, const struct tp_run *run, bool qkey)
{
	const struct shm_port *p = port->wire;
	const struct wire_shm_config *config = &p->shm->config;
	struct subnet_mad header;

	if (!config->bad_key)
		return;
	wire_mad_header(run, &header);
	config->bad_key(config->ctx, p->slot, qkey, &header);
}

void wire_shm_receive_mad(struct wire_shm *shm, uint32_t slot, const struct subnet_mad *mad)
{
	struct shm_port *port;
	struct iovec iov;
	struct tp_run run;

	wire_mad_run(mad, &iov, &run);
	spin_lock(&shm->progress);
	port = shm_port_at(shm, slot);
	if (port) {
		tp_batch_begin();
		shm_arrive(port, &run);
		tp_batch_end();
	} else {
		shm_count(&shm->stats.dropped, 1);
	}
	spin_unlock(&shm->progress);
	shm_kick(shm);
}
