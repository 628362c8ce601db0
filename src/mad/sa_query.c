// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Clients of subnet administration. Each port that has an SA gets an agent when the first client comes; a query is
 * a MAD of it, and ends when that does.
 */
#include "mad/sa_query.h"

#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/xarray.h>
#include <rdma/ib_cache.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "mad/mad.h"

#define TRIES 10u
#define HOP_LIMIT 64

/* What is known of a device; memberships that outlive it keep this. */
struct sa_device {
	refcount_t refs;
	struct ib_event_handler events;
	u32 ports;
	struct sa_port port[]; /* by number */
};

static int add_device(struct ib_device *device);
static void remove_device(struct ib_device *device, void *data);

static struct ib_client sa_client = {.name = "sa", .add = add_device, .remove = remove_device};

static struct mutex clients_lock; /* of the next two */
static unsigned int clients;
static bool is_on; /* sa_client is registered */

/* Queries by number: what is in it has not ended. */
static struct {
	spinlock_t lock;
	struct xarray by_id;
	u32 tid;
} queries;

void sa_forked(void)
{
	mutex_init(&clients_lock);
	clients = 0;
	is_on = false;
	spin_lock_init(&queries.lock);
	xa_init(&queries.by_id);
}

void sa_client_get(struct ib_sa_client *client)
{
	refcount_inc(&client->users);
}

void sa_client_put(struct ib_sa_client *client)
{
	if (refcount_dec_and_test(&client->users))
		complete(&client->comp);
}

static void take_id_back(const struct ib_sa_query *query)
{
	spin_lock(&queries.lock);
	(void)xa_erase(&queries.by_id, query->id);
	if (xa_empty(&queries.by_id))
		xa_destroy(&queries.by_id);
	spin_unlock(&queries.lock);
}

static void free_query(struct ib_sa_query *query)
{
	if (!IS_ERR_OR_NULL(query->ah))
		rdma_destroy_ah(query->ah, 0);
	if (!IS_ERR_OR_NULL(query->buf))
		ib_free_send_mad(query->buf);
	base_free(query);
}

static void tell(struct ib_sa_query *query, int status, void *record)
{
	if (query->done)
		return;
	query->done = true;
	query->tell(query, status, record);
}

/* A response; the end of the query follows. */
static void received(struct ib_mad_agent *agent, struct ib_mad_send_buf *buf,
		     struct ib_mad_recv_wc *wc)
{
	(void)agent;
	if (buf) {
		struct ib_sa_mad *mad = (struct ib_sa_mad *)wc->recv_buf.mad;

		if (mad->mad_hdr.status)
			tell(buf->context[0], -EINVAL, NULL);
		else
			tell(buf->context[0], 0, mad->data);
	}
	ib_free_recv_mad(wc);
}

static int error_of(enum ib_wc_status status)
{
	if (status == IB_WC_RESP_TIMEOUT_ERR)
		return -ETIMEDOUT;
	return status == IB_WC_WR_FLUSH_ERR ? -EINTR : -EIO;
}

static void sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct ib_sa_query *query = wc->send_buf->context[0];
	struct ib_sa_client *client = query->client;

	(void)agent;
	take_id_back(query);
	tell(query, error_of(wc->status), NULL);
	free_query(query);
	sa_client_put(client);
}

void ib_sa_cancel_query(int id, struct ib_sa_query *query)
{
	spin_lock(&queries.lock);
	if (id >= 0 && xa_load(&queries.by_id, (unsigned long)id) == query)
		ib_cancel_mad(query->buf);
	spin_unlock(&queries.lock);
}

/* Of the subnet manager, as the port knows it now. */
static struct ib_ah *make_ah(const struct sa_port *port)
{
	struct rdma_ah_attr attr = {.port_num = port->port_num};
	struct ib_port_attr info;
	union ib_gid gid;
	int ret = ib_query_port(port->device, port->port_num, &info);

	if (!ret && !info.sm_lid)
		ret = base_refuse(-EAGAIN, SA_NO_MANAGER, port->port_num);
	if (ret)
		return ERR_PTR(ret);
	attr.type = rdma_ah_find_type(port->device, port->port_num);
	rdma_ah_set_dlid(&attr, info.sm_lid);
	rdma_ah_set_sl(&attr, info.sm_sl);
	if (rdma_is_grh_required(port->device, port->port_num)) {
		ret = rdma_query_gid(port->device, port->port_num, 0, &gid);
		if (ret)
			return ERR_PTR(ret);
		gid.global.interface_id = cpu_to_be64(IB_SA_WELL_KNOWN_GUID);
		rdma_ah_set_grh(&attr, &gid, 0, 0, HOP_LIMIT, 0);
	}
	return rdma_create_ah(port->agent->qp->pd, &attr, 0);
}

static int make_mad(struct ib_sa_query *query, struct sa_port *port, gfp_t gfp_mask)
{
	u16 pkey_index = 0;

	(void)ib_find_cached_pkey(port->device, port->port_num, IB_DEFAULT_PKEY_FULL, &pkey_index);
	query->ah = make_ah(port);
	if (IS_ERR(query->ah))
		return (int)PTR_ERR(query->ah);
	query->buf = ib_create_send_mad(port->agent, 1, pkey_index, 0, IB_MGMT_SA_HDR,
					IB_MGMT_SA_DATA, gfp_mask, IB_MGMT_BASE_VERSION);
	if (IS_ERR(query->buf))
		return (int)PTR_ERR(query->buf);
	query->buf->ah = query->ah;
	query->buf->context[0] = query;
	return 0;
}

static void fill_mad(const struct ib_sa_query *query, const struct sa_question *question, u32 tid)
{
	struct ib_sa_mad *mad = query->buf->mad;

	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	mad->mad_hdr.class_version = IB_SA_CLASS_VERSION;
	mad->mad_hdr.method = question->method;
	mad->mad_hdr.tid = cpu_to_be64((u64)query->buf->mad_agent->hi_tid << 32 | tid);
	mad->mad_hdr.attr_id = cpu_to_be16(question->attribute);
	mad->sa_hdr.comp_mask = question->comp_mask;
	memcpy(mad->data, question->record, sizeof(mad->data));
}

/* Each try waits its share of the time. */
static void set_time(struct ib_mad_send_buf *buf, unsigned long timeout_ms)
{
	const unsigned long tries = timeout_ms < TRIES ? (timeout_ms ? timeout_ms : 1) : TRIES;
	const unsigned long each = timeout_ms / tries;

	buf->timeout_ms = each > INT_MAX ? INT_MAX : (int)(each ? each : 1);
	buf->retries = (int)tries - 1;
}

static int give_id(struct ib_sa_query *query, u32 *tid)
{
	int ret;

	spin_lock(&queries.lock);
	*tid = ++queries.tid;
	ret = xa_alloc(&queries.by_id, &query->id, query, XA_LIMIT(0, INT_MAX), GFP_KERNEL);
	spin_unlock(&queries.lock);
	return ret ? base_refuse(-ENOMEM, NO_MEMORY, sizeof(void *)) : 0;
}

int sa_query_send(struct ib_sa_query *query, struct sa_port *port,
		  const struct sa_question *question, unsigned long timeout_ms, gfp_t gfp_mask,
		  struct ib_sa_query **out)
{
	struct ib_sa_client *client = query->client;
	u32 tid, id;
	int ret;

	ret = make_mad(query, port, gfp_mask);
	if (!ret)
		ret = give_id(query, &tid);
	if (ret)
		goto free_it;
	fill_mad(query, question, tid);
	set_time(query->buf, timeout_ms);
	sa_client_get(client);
	if (out)
		*out = query;
	id = query->id; /* it may be gone as soon as it is posted */
	ret = ib_post_send_mad(query->buf, NULL);
	if (!ret)
		return (int)id;
	if (out)
		*out = NULL;
	take_id_back(query);
	sa_client_put(client);
free_it:
	free_query(query);
	return ret;
}

struct sa_port *sa_port_of(struct ib_device *device, u32 port_num)
{
	struct sa_device *d = ib_get_client_data(device, &sa_client);

	return d && port_num < d->ports && d->port[port_num].agent ? &d->port[port_num] : NULL;
}

static void event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct sa_device *d = container_of(handler, struct sa_device, events);
	const u32 port_num = event->element.port_num;

	if ((event->event == IB_EVENT_PORT_ERR || event->event == IB_EVENT_LID_CHANGE ||
	     event->event == IB_EVENT_SM_CHANGE || event->event == IB_EVENT_CLIENT_REREGISTER) &&
	    port_num < d->ports && d->port[port_num].agent)
		sa_multicast_event(&d->port[port_num]);
}

static void open_port(struct sa_device *d, struct ib_device *device, u32 port_num)
{
	struct sa_port *port = &d->port[port_num];

	port->owner = d;
	port->device = device;
	port->port_num = port_num;
	spin_lock_init(&port->lock);
	INIT_LIST_HEAD(&port->groups);
	refcount_set(&port->senders, 1);
	init_completion(&port->no_senders);
	refcount_set(&port->users, 1);
	init_completion(&port->no_users);
	if (!rdma_is_port_valid(device, port_num) || !rdma_cap_ib_sa(device, port_num))
		return;
	port->agent = ib_register_mad_agent(device, port_num, IB_QPT_GSI, NULL, 0, sent, received,
					    port, 0);
	if (IS_ERR(port->agent))
		port->agent = NULL;
}

static int add_device(struct ib_device *device)
{
	const u32 ports = rdma_end_port(device) + 1;
	struct sa_device *d = base_zalloc(sizeof(*d) + ports * sizeof(d->port[0]));

	if (!d)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*d));
	refcount_set(&d->refs, 1);
	d->ports = ports;
	for (u32 i = 0; i < ports; i++)
		open_port(d, device, i);
	ib_set_client_data(device, &sa_client, d);
	INIT_IB_EVENT_HANDLER(&d->events, device, event);
	ib_register_event_handler(&d->events);
	return 0;
}

static void put_device(struct sa_device *d)
{
	if (refcount_dec_and_test(&d->refs))
		base_free(d);
}

void sa_port_hold(struct sa_port *port)
{
	refcount_inc(&port->owner->refs);
}

void sa_port_release(struct sa_port *port)
{
	put_device(port->owner);
}

void sa_port_put(refcount_t *count, struct completion *none)
{
	if (refcount_dec_and_test(count))
		complete(none);
}

/* What is outstanding ends with -EINTR, and groups come to rest. */
static void close_port(struct sa_port *port)
{
	spin_lock(&port->lock);
	port->closing = true;
	spin_unlock(&port->lock);
	sa_port_put(&port->senders, &port->no_senders);
	wait_for_completion(&port->no_senders);
	ib_unregister_mad_agent(port->agent);
	sa_port_put(&port->users, &port->no_users);
	wait_for_completion(&port->no_users);
}

static void remove_device(struct ib_device *device, void *data)
{
	struct sa_device *d = data;

	(void)device;
	ib_unregister_event_handler(&d->events);
	for (u32 i = 0; i < d->ports; i++)
		if (d->port[i].agent)
			close_port(&d->port[i]);
	put_device(d);
}

/* Whether there is somebody to ask now. */
static bool turn_on(void)
{
	if (ib_mad_init())
		return false;
	if (!ib_register_client(&sa_client))
		return true;
	ib_mad_cleanup();
	return false;
}

void ib_sa_register_client(struct ib_sa_client *client)
{
	refcount_set(&client->users, 1);
	init_completion(&client->comp);
	mutex_lock(&clients_lock);
	if (!clients++)
		is_on = turn_on();
	mutex_unlock(&clients_lock);
}

void ib_sa_unregister_client(struct ib_sa_client *client)
{
	sa_client_put(client);
	wait_for_completion(&client->comp);
	mutex_lock(&clients_lock);
	if (!--clients && is_on) {
		is_on = false;
		ib_unregister_client(&sa_client);
		ib_mad_cleanup();
	}
	mutex_unlock(&clients_lock);
}
