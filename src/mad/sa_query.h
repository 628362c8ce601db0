/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Questions to the SA: what the parts of its client side share. */
#ifndef MAD_SA_QUERY_H
#define MAD_SA_QUERY_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_sa.h>

struct sa_device;

/**
 * struct sa_port - A port that has an SA.
 * @owner: What it is part of.
 * @device: Device.
 * @port_num: Port.
 * @agent: Who asks; NULL: the port has none.
 * @lock: Of what follows.
 * @groups: Groups that the port is in: struct sa_group.
 * @closing: Nothing is sent for them any more.
 * @senders: Who is sending for a group just now, and one.
 * @no_senders: That is 0.
 * @users: Groups that are busy, and one.
 * @no_users: That is 0.
 */
struct sa_port {
	struct sa_device *owner;
	struct ib_device *device;
	u32 port_num;
	struct ib_mad_agent *agent;
	spinlock_t lock;
	struct list_head groups;
	bool closing;
	refcount_t senders;
	struct completion no_senders;
	refcount_t users;
	struct completion no_users;
};

/**
 * struct ib_sa_query - A question that is outstanding.
 * @client: Whose.
 * @buf: The MAD.
 * @ah: Of the SA.
 * @id: Number.
 * @done: Told.
 * @tell: Calls the client's callback. @record: NULL without one.
 * @callback: The client's; its kind is known to @tell.
 * @context: For it.
 */
struct ib_sa_query {
	struct ib_sa_client *client;
	struct ib_mad_send_buf *buf;
	struct ib_ah *ah;
	u32 id;
	bool done;
	void (*tell)(struct ib_sa_query *query, int status, void *record);
	union {
		void (*path)(int status, struct sa_path_rec *resp, unsigned int num_prs,
			     void *context);
		void (*mcmember)(int status, struct ib_sa_mcmember_rec *resp, void *context);
		void (*service)(int status, struct ib_sa_service_rec *resp, void *context);
	} callback;
	void *context;
};

/**
 * struct sa_question - What is to be asked.
 * @method: Method.
 * @attribute: IB_SA_ATTR_*.
 * @comp_mask: Mask.
 * @record: As on the wire.
 */
struct sa_question {
	u8 method;
	u16 attribute;
	ib_sa_comp_mask comp_mask;
	u8 record[IB_MGMT_SA_DATA] __attribute__((aligned(8)));
};

/**
 * sa_query_send() - Ask.
 * @query: Its callback is set; freed when it has ended, or if it is refused.
 * @port: Port.
 * @question: What.
 * @timeout_ms: How long to wait.
 * @gfp_mask: Whether it may sleep.
 * @out: Out, if not NULL: the query, before it is sent.
 *
 * Return: its id; or as ib_sa_path_rec_get() says.
 */
int sa_query_send(struct ib_sa_query *query, struct sa_port *port,
		  const struct sa_question *question, unsigned long timeout_ms, gfp_t gfp_mask,
		  struct ib_sa_query **out);

/** sa_port_of() - The port's part here. Return: NULL if it has no SA, or nobody has registered. */
struct sa_port *sa_port_of(struct ib_device *device, u32 port_num);

/** sa_client_get() - One more that ib_sa_unregister_client() waits for. */
void sa_client_get(struct ib_sa_client *client);

/** sa_client_put() - One fewer. */
void sa_client_put(struct ib_sa_client *client);

/** sa_port_hold() - Keep a port's part here, though the device goes. */
void sa_port_hold(struct sa_port *port);

/** sa_port_release() - Undo sa_port_hold(). */
void sa_port_release(struct sa_port *port);

/** sa_port_put() - One fewer of &sa_port.senders or users. */
void sa_port_put(refcount_t *count, struct completion *none);

/** sa_mcmember_send() - ib_sa_mcmember_rec_query() from a port, Set or Delete. Return: as sa_query_send(). */
int sa_mcmember_send(struct ib_sa_client *client, struct sa_port *port, u8 method,
		     const struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask comp_mask,
		     unsigned long timeout_ms,
		     void (*callback)(int status, struct ib_sa_mcmember_rec *resp, void *context),
		     void *context);

/** sa_forked() - Forget everything, in the child of a fork. */
void sa_forked(void);

/* sa_multicast.c */

/** sa_multicast_event() - A port's memberships are lost. */
void sa_multicast_event(struct sa_port *port);

#endif
