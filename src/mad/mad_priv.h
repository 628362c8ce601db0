/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the files of the MAD layer share.
 *
 * Locks: &ib_mad_port_private.reg_lock (who receives what), &ib_mad_agent_private.lock (its sends and
 * transfers), &ib_mad_queue.lock. Each is a leaf: none is held while another is taken, nor
 * while anything is posted or told, for whoever is told may be a program.
 */
#ifndef MAD_MAD_PRIV_H
#define MAD_MAD_PRIV_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_smi.h>

#include "mad/mad.h"
#include "mad/mad_index.h"

#define IB_MAD_QPS_CORE 2
#define IB_MAD_QP_SEND_SIZE 128
#define IB_MAD_QP_RECV_SIZE 512
#define IB_MAD_SEND_REQ_MAX_SG 2
#define IB_MAD_RECV_REQ_MAX_SG 1
#define IB_MAD_SEND_Q_PSN 0

#define MAX_MGMT_CLASS 80
#define MAX_MGMT_VERSION 0x83
#define MAX_MGMT_OUI 8
#define MAX_MGMT_VENDOR_RANGE2 \
	(IB_MGMT_CLASS_VENDOR_RANGE2_END - IB_MGMT_CLASS_VENDOR_RANGE2_START + 1)

#define MAD_NS_PER_MS 1000000ull
#define MAD_AGENT_BUCKETS 64u
#define MAD_NEVER_NS UINT64_MAX

struct ib_mad_qp_info;
struct ib_mad_port_private;

/* In a queue of a QP. */
struct ib_mad_list_head {
	struct list_head list;
	struct ib_cqe cqe;
	struct ib_mad_queue *mad_queue;
};

/**
 * struct ib_mad_queue - Half of a QP.
 * @lock: Of the lists and the count.
 * @list: What is posted.
 * @overflow: What waits for its place in the send queue.
 * @count: Entries of @list.
 * @max_active: Most of them.
 * @qp_info: Whose.
 */
struct ib_mad_queue {
	spinlock_t lock;
	struct list_head list;
	struct list_head overflow;
	int count;
	int max_active;
	struct ib_mad_qp_info *qp_info;
};

/** struct ib_mad_private_header - Of a buffer for receiving. */
struct ib_mad_private_header {
	struct ib_mad_list_head mad_list;
	struct ib_mad_recv_wc recv_wc;
	struct ib_wc wc;
};

/** struct ib_mad_private - A buffer for receiving; @grh and @mad are received into as one. */
struct ib_mad_private {
	struct ib_mad_private_header header;
	size_t mad_size;
	struct ib_grh grh;
	u8 mad[];
};

/** enum mad_where - Of which list of its agent a send is; @lock says when. */
enum mad_where {
	MAD_NOWHERE, /* the client's */
	MAD_SENDING, /* send_list: posted, or waiting to be */
	MAD_WAITING, /* wait_list: for its response, or an ACK */
	MAD_DONE,    /* done_list: the response came before the send has completed */
};

/**
 * struct ib_mad_send_wr_private - A send.
 * @mad_list: In the QP's queue.
 * @agent_list: In the agent's list, which @where says.
 * @node: In the agent's index of those that are waiting for a response or an ACK.
 * @mad_agent_priv: Whose.
 * @send_buf: What the client sees.
 * @send_wr: To be posted.
 * @sg_list: Headers, data.
 * @where: Of which list it is.
 * @internal: It is an answer of RMPP, and no client's.
 * @rmpp: It is sent by RMPP.
 * @restarted: In the wait list: its time is to be counted from when the worker sees it.
 * @timeout_ns: How long it waits each time; 0: for nothing.
 * @deadline_ns: In the wait list: until when.
 * @max_retries: As posted.
 * @retries_left: How often it can be sent once more.
 * @retry: It will be posted once more if it is flushed: the QP had an error.
 * @refcount: 1 for the send that is on its way, 1 for what is waited for.
 * @status: First error.
 * @cause: Id of that error's cause.
 * @last_ack: RMPP: so many segments have arrived.
 * @seg_num: RMPP: the segment sent last.
 * @newwin: RMPP: the last segment that may be sent.
 * @pad: RMPP: bytes of the last segment that are none of the client's.
 */
struct ib_mad_send_wr_private {
	struct ib_mad_list_head mad_list;
	struct list_head agent_list;
	struct mad_index_node node;
	struct ib_mad_agent_private *mad_agent_priv;
	struct ib_mad_send_buf send_buf;
	struct ib_ud_wr send_wr;
	struct ib_sge sg_list[IB_MAD_SEND_REQ_MAX_SG];
	enum mad_where where;
	bool internal;
	bool rmpp;
	bool restarted;
	u64 timeout_ns;
	u64 deadline_ns;
	int max_retries;
	int retries_left;
	int retry;
	int refcount;
	enum ib_wc_status status;
	u32 cause;
	int last_ack;
	int seg_num;
	int newwin;
	int pad;
};

/**
 * struct ib_mad_agent_private - An agent.
 * @agent: What the client sees.
 * @reg_req: Copy of what it has registered for, or NULL.
 * @qp_info: Its QP.
 * @hi_tid_link: In the port's table.
 * @port_link: In the port's list.
 * @dead: reg_lock: it was flushed when the device went.
 * @lock: Of what follows.
 * @send_list: Sends that have not completed.
 * @wait_list: Those that have, and wait; the earliest deadline first.
 * @done_list: Those whose response came first.
 * @sends: All that wait for something, by TID.
 * @buffers: Send buffers that exist.
 * @armed_ns: When @timer fires; MAD_NEVER_NS: it is not armed.
 * @local_list: SMPs that have been answered on the spot.
 * @transfers: RMPP: what is being received, or has been a while ago, by TID.
 * @transfer_count: RMPP: those that are being received.
 * @remembered: RMPP: those that have been received, the oldest first.
 * @remembered_count: How many.
 * @segments: RMPP: those that are kept until their transfer is complete; the port's queue counts them.
 * @timer: Queues @timed_work.
 * @timed_work: Looks after @wait_list.
 * @local_work: Completes @local_list.
 * @cancel_work: Forgets all transfers.
 * @refcount: 1 for the registration, 1 for each buffer, send, and MAD that is being handled.
 */
struct ib_mad_agent_private {
	struct ib_mad_agent agent;
	struct ib_mad_reg_req *reg_req;
	struct ib_mad_qp_info *qp_info;
	struct hlist_node hi_tid_link;
	struct list_head port_link;
	bool dead;
	spinlock_t lock;
	struct list_head send_list;
	struct list_head wait_list;
	struct list_head done_list;
	struct mad_index sends;
	u32 buffers;
	u64 armed_ns;
	struct list_head local_list;
	struct mad_index transfers;
	u32 transfer_count;
	struct list_head remembered;
	u32 remembered_count;
	u32 segments;
	struct base_timer timer;
	struct work_struct timed_work;
	struct work_struct local_work;
	struct work_struct cancel_work;
	refcount_t refcount;
};

/* Who receives which requests: by class version, class (of vendors' classes by OUI, too), method. */
struct ib_mad_mgmt_method_table {
	struct ib_mad_agent_private *agent[IB_MGMT_MAX_METHODS];
};

struct ib_mad_mgmt_class_table {
	struct ib_mad_mgmt_method_table *method_table[MAX_MGMT_CLASS];
};

struct ib_mad_mgmt_vendor_class {
	u8 oui[MAX_MGMT_OUI][3];
	struct ib_mad_mgmt_method_table *method_table[MAX_MGMT_OUI];
};

struct ib_mad_mgmt_vendor_class_table {
	struct ib_mad_mgmt_vendor_class *vendor_class[MAX_MGMT_VENDOR_RANGE2];
};

struct ib_mad_mgmt_version_table {
	struct ib_mad_mgmt_class_table *class_table;
	struct ib_mad_mgmt_vendor_class_table *vendor;
};

/** struct ib_mad_qp_info - QP 0 or QP 1 of a port. */
struct ib_mad_qp_info {
	struct ib_mad_port_private *port_priv;
	struct ib_qp *qp; /* NULL: the port has none */
	struct ib_mad_queue send_queue;
	struct ib_mad_queue recv_queue;
};

/**
 * struct ib_mad_port_private - A port whose QPs are open.
 * @device: Device.
 * @port_num: Port.
 * @mad_size: Of its receives.
 * @cq: Of both QPs.
 * @pd: Of both QPs.
 * @wq: Everything of the port is done here, one after the other.
 * @qp_info: QP 0 and QP 1.
 * @reply_agent: Who answers on each in the layer's own name.
 * @answer: Room for what process_mad says, and for answers of our own; @wq's.
 * @drops: How many MADs were dropped, by reason; atomic.
 * @told: Atomic: reasons that were told, a bit each.
 * @refcount: 1 for the device, 1 for each agent.
 * @owner_lock: Of @owner, while it is asked; nothing of the layer is locked inside it.
 * @owner: Who else has a say in who receives requests; NULL: nobody.
 * @reg_lock: Of what follows.
 * @gone: The device is being removed.
 * @version: Who receives which requests.
 * @by_hi_tid: Who receives which responses.
 * @agents: All agents.
 */
struct ib_mad_port_private {
	struct ib_device *device;
	u32 port_num;
	size_t mad_size;
	struct ib_cq *cq;
	struct ib_pd *pd;
	struct workqueue_struct *wq;
	struct ib_mad_qp_info qp_info[IB_MAD_QPS_CORE];
	struct ib_mad_agent *reply_agent[IB_MAD_QPS_CORE];
	struct ib_mad_private *answer;
	u64 drops[MAD_DROPS];
	u32 told;
	refcount_t refcount;
	struct mutex owner_lock;
	const struct mad_owner *owner;
	spinlock_t reg_lock;
	bool gone;
	struct ib_mad_mgmt_version_table version[MAX_MGMT_VERSION];
	struct hlist_head by_hi_tid[MAD_AGENT_BUCKETS];
	struct list_head agents;
};

static inline struct ib_mad_agent_private *mad_agent_of(const struct ib_mad_agent *agent)
{
	return container_of(agent, struct ib_mad_agent_private, agent);
}

static inline struct ib_mad_send_wr_private *mad_send_of(const struct ib_mad_send_buf *send_buf)
{
	return container_of(send_buf, struct ib_mad_send_wr_private, send_buf);
}

static inline struct ib_mad_port_private *mad_port_of(const struct ib_mad_agent_private *agent)
{
	return agent->qp_info->port_priv;
}

static inline bool mad_is_directed(u8 mgmt_class)
{
	return mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

static inline bool mad_is_vendor_class(u8 mgmt_class)
{
	return mgmt_class >= IB_MGMT_CLASS_VENDOR_RANGE2_START &&
	       mgmt_class <= IB_MGMT_CLASS_VENDOR_RANGE2_END;
}

static inline const struct ib_mad_hdr *mad_send_hdr(const struct ib_mad_send_wr_private *wr)
{
	return wr->send_buf.mad;
}

/* mad_port.c */
struct ib_mad_port_private *mad_port_get(struct ib_device *device, u32 port_num);
struct ib_mad_port_private *mad_port_find(struct ib_device *device, u32 port_num);
void mad_port_put(struct ib_mad_port_private *port);
void mad_drop(struct ib_mad_port_private *port, u32 qpn, const struct ib_mad_hdr *hdr, u32 bytes,
	      enum mad_drop why);

/* mad_qp.c */
int mad_port_open_qps(struct ib_mad_port_private *port);
void mad_port_fail_qps(struct ib_mad_port_private *port);
void mad_port_close_qps(struct ib_mad_port_private *port);
bool mad_post_receives(struct ib_mad_qp_info *qp_info, struct ib_mad_private *first);
struct ib_mad_private *mad_private_new(size_t mad_size);

/* mad_dispatch.c; all but the first two want reg_lock */
bool mad_wants_any(const struct ib_mad_reg_req *req);
int mad_dispatch_check(enum ib_qp_type qp_type, const struct ib_mad_reg_req *req, u8 rmpp_version);
int mad_dispatch_add(struct ib_mad_port_private *port, struct ib_mad_agent_private *agent);
void mad_dispatch_remove(struct ib_mad_port_private *port, struct ib_mad_agent_private *agent);
struct ib_mad_agent_private *mad_dispatch_find(struct ib_mad_port_private *port,
					       const struct ib_mad_hdr *hdr);

/* mad_agent.c */
struct ib_mad_agent *mad_agent_new(struct ib_mad_port_private *port, struct ib_mad_qp_info *qp_info,
				   const struct ib_mad_reg_req *req,
				   const struct ib_mad_agent *like);
void mad_agent_free(struct ib_mad_agent *agent);
struct ib_mad_agent_private *mad_agent_find(struct ib_mad_port_private *port,
					    const struct ib_mad_hdr *hdr);
void mad_agent_put(struct ib_mad_agent_private *agent);
void mad_agent_flush(struct ib_mad_agent_private *agent);
int ib_mad_enforce_security(struct ib_mad_agent_private *map, u16 pkey_index);
void mad_agents_forked(void);

/* mad_owner.c */
int mad_claim(struct ib_mad_agent_private *agent);
void mad_disclaim(struct ib_mad_agent_private *agent);
void mad_disown(struct ib_mad_port_private *port);

/* mad.c */
int ib_send_mad(struct ib_mad_send_wr_private *mad_send_wr);
void mad_send_done(struct ib_cq *cq, struct ib_wc *wc);

/* mad_complete.c; all but the last two want the agent's lock */
struct ib_mad_send_wr_private *ib_find_send_mad(const struct ib_mad_agent_private *mad_agent_priv,
						const struct ib_mad_recv_wc *mad_recv_wc);
void ib_mark_mad_done(struct ib_mad_send_wr_private *mad_send_wr);
void mad_move(struct ib_mad_send_wr_private *wr, enum mad_where where);
void ib_mad_complete_send_wr(struct ib_mad_send_wr_private *mad_send_wr,
			     struct ib_mad_send_wc *mad_send_wc);
void mad_report(struct ib_mad_send_wr_private *wr, enum ib_wc_status status, u32 cause);
void mad_send_ended(struct ib_mad_send_wr_private *wr, enum ib_wc_status status, u32 cause);

/* mad_timeout.c; the first two want the agent's lock */
void mad_wait(struct ib_mad_send_wr_private *wr);
void ib_reset_mad_timeout(struct ib_mad_send_wr_private *mad_send_wr, unsigned long timeout_ms);
void mad_timed_work(struct work_struct *work);
void mad_timer_fired(struct base_timer *timer);

/* mad_recv.c */
void mad_recv_done(struct ib_cq *cq, struct ib_wc *wc);
void mad_complete_recv(struct ib_mad_agent_private *agent, struct ib_mad_recv_wc *recv_wc);
bool mad_make_unsupported(const struct ib_mad_hdr *request, struct ib_mad_private *answer,
			  size_t *bytes);

/* mad_local.c */
int mad_send_locally(struct ib_mad_agent_private *agent, struct ib_mad_send_wr_private *wr);
void mad_local_work(struct work_struct *work);

#endif
