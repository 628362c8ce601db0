// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The manager takes one call at a time, and SMPs may arrive in any thread, even while it sends: what arrives is put
 * in an inbox, which one thread at a time empties.
 */
#include "device/manager.h"

#include <errno.h>
#include <linux/byteorder.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/verbena_base.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "device/manager_sa.h"
#include "mad/smi.h"
#include "sm/sa.h"

#define WINDOW 64u
#define REQUESTS 4096u /* to the administration; who is not answered asks again */
#define INBOX \
	256u /* a power of two: all answers, and traps, which are repeated if there is no room */
#define RESEND_NS 100000000u
#define TRIES 4u
#define TRAPS_NS 2000000u    /* traps come in crowds */
#define FAILED_NS 500000000u /* after a sweep that did not get through */
#define POLL_NS 10000000000u /* as OpenSM */

/**
 * struct sent - An SMP that waits for its answer.
 * @smp: As sent.
 * @tries: How often; 0: free.
 * @sent_ns: When last.
 */
struct sent {
	struct ib_smp smp;
	unsigned int tries;
	uint64_t sent_ns;
};

/* A request to the administration, oldest first. */
struct request {
	struct list_head link;
	struct ib_mad_recv_wc *wc;
};

/**
 * struct device_manager - A manager at its place.
 * @subnet: Where.
 * @at: The port.
 * @sm: It. Of who is @busy.
 * @sa: Likewise.
 * @agent: Whom requests to @sa come by; NULL: nobody.
 * @sent: As @sm.
 * @lock: @inbox, and what is wanted.
 * @inbox: What has arrived.
 * @head: Where the next goes.
 * @tail: The oldest.
 * @requests: To @sa, @waiting of them. @lock.
 * @wants_sweep: Sweep.
 * @wants_look: Look for what has no answer.
 * @wants_poll: Look for other managers.
 * @busy: Somebody works. Atomic.
 * @up: As sm_is_up(), or it is up to another manager. Atomic.
 * @state: As sm_state(). Atomic.
 * @stopped: Takes nothing any more. Atomic.
 * @stats: Copied after each sweep. @lock.
 * @show: Who sees what is sent; NULL: nobody.
 * @show_ctx: Handed to it.
 * @resend: For @sent.
 * @resweep: After traps, and failures.
 * @poll: While there are other managers.
 */
struct device_manager {
	struct subnet *subnet;
	struct subnet_at at;
	struct sm *sm;
	struct sa *sa;
	struct device_sa *agent;
	struct sent sent[WINDOW];
	spinlock_t lock;
	struct subnet_mad inbox[INBOX];
	uint32_t head, tail;
	struct list_head requests;
	uint32_t waiting;
	bool wants_sweep;
	bool wants_look;
	bool wants_poll;
	bool busy;
	bool up;
	enum sm_state state;
	bool stopped;
	struct sm_stats stats;
	void (*show)(void *ctx, const struct subnet_mad *mad);
	void *show_ctx;
	struct base_timer resend;
	struct base_timer resweep;
	struct base_timer poll;
};

static bool is_stopped(const struct device_manager *m)
{
	return __atomic_load_n(&m->stopped, __ATOMIC_SEQ_CST);
}

/* What there is no room for is lost, and counted at the port. */
static void put_in_inbox(struct device_manager *m, const struct subnet_mad *mad)
{
	bool has_room;

	spin_lock(&m->lock);
	has_room = m->head - m->tail < INBOX;
	if (has_room)
		m->inbox[m->head++ % INBOX] = *mad;
	spin_unlock(&m->lock);
	if (!has_room)
		subnet_error(m->subnet, m->at, SUBNET_ERROR_VL15_DROPPED, 1);
}

/* What is asked of our own node never leaves it. */
static void ask_ourselves(struct device_manager *m, const struct subnet_mad *mad)
{
	struct subnet_mad answer;

	if (subnet_process_mad(m->subnet, m->at, IB_MAD_IGNORE_MKEY, mad, &answer) &
	    IB_MAD_RESULT_REPLY)
		put_in_inbox(m, &answer);
}

static void send_mad(struct device_manager *m, const struct subnet_mad *mad)
{
	if (m->show)
		m->show(m->show_ctx, mad);
	subnet_send_mad(m->subnet, m->at, mad);
}

/* By its route, from the first hop on; false if it does not begin at this port. */
static bool begin_route(const struct device_manager *m, struct ib_smp *smp)
{
	const bool is_switch = !m->at.port;
	const uint8_t *path = ib_get_smp_direction(smp) ? smp->return_path : smp->initial_path;
	const uint8_t first = path[ib_get_smp_direction(smp) ? smp->hop_cnt : 1];

	return smi_handle_dr_smp_send(smp, is_switch, is_switch ? first : m->at.port) ==
	       IB_SMI_HANDLE;
}

static void send_directed(struct device_manager *m, const struct ib_smp *request)
{
	struct subnet_mad mad = {.slid = SUBNET_PERMISSIVE_LID,
				 .dlid = SUBNET_PERMISSIVE_LID,
				 .pkey = IB_DEFAULT_PKEY_FULL};
	struct ib_smp smp = *request;

	if (!begin_route(m, &smp))
		return; /* as good as lost */
	memcpy(mad.data, &smp, sizeof(smp));
	if (smp.hop_ptr > smp.hop_cnt)
		ask_ourselves(m, &mad);
	else
		send_mad(m, &mad);
}

/* Back to where something has come from. */
static void send_back(struct device_manager *m, const struct subnet_mad *to, struct ib_smp *smp)
{
	struct subnet_mad mad = {.slid = SUBNET_PERMISSIVE_LID,
				 .dlid = to->slid,
				 .sl = to->sl,
				 .pkey = IB_DEFAULT_PKEY_FULL};
	struct subnet_port_view view;

	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE) {
		smp->status |= IB_SMP_DIRECTION;
		if (smp->hop_cnt >= IB_SMP_MAX_PATH_HOPS || !begin_route(m, smp))
			return;
	} else if (!subnet_query_port(m->subnet, m->at, &view)) {
		mad.slid = view.lid;
	}
	memcpy(mad.data, smp, sizeof(*smp));
	send_mad(m, &mad);
}

static struct sent *sent_of(struct device_manager *m, __be64 tid)
{
	for (uint32_t i = 0; i < WINDOW; i++)
		if (m->sent[i].tries && m->sent[i].smp.tid == tid)
			return &m->sent[i];
	return NULL;
}

static struct sent *free_sent(struct device_manager *m)
{
	for (uint32_t i = 0; i < WINDOW; i++)
		if (!m->sent[i].tries)
			return &m->sent[i];
	return NULL;
}

static int send_request(void *ctx, const struct ib_smp *smp)
{
	struct device_manager *m = ctx;
	struct sent *sent = free_sent(m);

	INVARIANT(sent);
	*sent = (struct sent){.smp = *smp, .tries = 1, .sent_ns = base_now_ns()};
	if (!base_timer_is_armed(&m->resend))
		(void)base_timer_arm(&m->resend, RESEND_NS);
	send_directed(m, smp);
	return 0;
}

static bool leaves_it(const struct device_manager *m)
{
	const enum sm_state state = sm_state(m->sm);

	return state == SM_STANDBY || state == SM_NOT_ACTIVE;
}

static void poll_later(struct device_manager *m)
{
	if (sm_polls(m->sm) && !is_stopped(m) && !base_timer_is_armed(&m->poll))
		(void)base_timer_arm(&m->poll, POLL_NS);
}

static void swept(void *ctx)
{
	struct device_manager *m = ctx;
	const bool is_ours = !leaves_it(m), up = !is_ours || sm_is_up(m->sm);

	if (is_ours && up)
		sa_swept(m->sa);
	spin_lock(&m->lock);
	sm_get_stats(m->sm, &m->stats);
	spin_unlock(&m->lock);
	__atomic_store_n(&m->up, up, __ATOMIC_RELEASE);
	if (!up && !is_stopped(m))
		(void)base_timer_arm(&m->resweep, FAILED_NS);
	poll_later(m);
	base_wake();
}

/* Until the next sweep nothing is up, but if it is not ours. */
static void changed(void *ctx)
{
	struct device_manager *m = ctx;

	if (leaves_it(m))
		sa_retire(m->sa);
	__atomic_store_n(&m->state, sm_state(m->sm), __ATOMIC_RELEASE);
	__atomic_store_n(&m->up, leaves_it(m), __ATOMIC_RELEASE);
	poll_later(m);
	base_wake();
}

static const struct sm_ops ops = {.send = send_request, .swept = swept, .changed = changed};

static void take_answer(struct device_manager *m, const struct ib_smp *smp)
{
	struct sent *sent = sent_of(m, smp->tid);

	if (!sent)
		return;
	sent->tries = 0;
	sm_answer(m->sm, smp);
}

static void take_trap(struct device_manager *m, const struct subnet_mad *mad,
		      const struct ib_smp *smp)
{
	struct ib_smp repress;

	if (leaves_it(m))
		return; /* it is repeated, and goes to the master by and by */
	if (sm_trap(m->sm, smp, &repress) && !base_timer_is_armed(&m->resweep))
		(void)base_timer_arm(&m->resweep, TRAPS_NS);
	send_back(m, mad, &repress);
	sa_trap(m->sa, smp->data);
}

/* Asked who we are, or told what to be. */
static void take_info(struct device_manager *m, const struct subnet_mad *mad, struct ib_smp *smp)
{
	if (!sm_info(m->sm, smp))
		return;
	send_back(m, mad, smp);
	sm_proceed(m->sm);
}

static void take_mad(struct device_manager *m, const struct subnet_mad *mad)
{
	struct ib_smp smp;

	memcpy(&smp, mad->data, sizeof(smp));
	if (smp.method == IB_MGMT_METHOD_TRAP)
		take_trap(m, mad, &smp);
	else if (smp.method == IB_MGMT_METHOD_GET_RESP)
		take_answer(m, &smp);
	else
		take_info(m, mad, &smp);
}

static void look_for_lost(struct device_manager *m)
{
	const uint64_t now_ns = base_now_ns();
	bool any = false;

	for (uint32_t i = 0; i < WINDOW; i++) {
		struct sent *sent = &m->sent[i];
		const __be64 tid = sent->smp.tid;

		if (!sent->tries || now_ns - sent->sent_ns < RESEND_NS)
			continue;
		if (sent->tries == TRIES) {
			sent->tries = 0;
			sm_lost(m->sm, tid);
			continue;
		}
		sent->tries++;
		sent->sent_ns = now_ns;
		send_directed(m, &sent->smp);
	}
	for (uint32_t i = 0; i < WINDOW; i++)
		any = any || m->sent[i].tries;
	if (any && !base_timer_is_armed(&m->resend))
		(void)base_timer_arm(&m->resend, RESEND_NS);
}

enum todo { NOTHING, TAKE_MAD, LOOK, SWEEP, POLL, ANSWER };

/* What is left when it is stopped is for nobody. */
static enum todo find_todo(const struct device_manager *m) REQUIRES(m->lock)
{
	if (is_stopped(m))
		return NOTHING;
	if (m->tail != m->head)
		return TAKE_MAD;
	if (m->wants_look)
		return LOOK;
	if (m->wants_sweep)
		return SWEEP;
	if (m->wants_poll)
		return POLL;
	return list_empty(&m->requests) ? NOTHING : ANSWER;
}

static struct request *take_request(struct device_manager *m)
{
	struct request *request = list_first_entry(&m->requests, struct request, link);

	list_del(&request->link);
	m->waiting--;
	return request;
}

static enum todo next_todo(struct device_manager *m, struct subnet_mad *mad,
			   struct request **request)
{
	enum todo todo;

	spin_lock(&m->lock);
	todo = find_todo(m);
	switch (todo) {
	case TAKE_MAD:
		*mad = m->inbox[m->tail++ % INBOX];
		break;
	case LOOK:
		m->wants_look = false;
		break;
	case SWEEP:
		m->wants_sweep = false;
		break;
	case POLL:
		m->wants_poll = false;
		break;
	case ANSWER:
		*request = take_request(m);
		break;
	case NOTHING:
		break;
	}
	spin_unlock(&m->lock);
	return todo;
}

static bool is_idle(struct device_manager *m)
{
	bool idle;

	spin_lock(&m->lock);
	idle = find_todo(m) == NOTHING;
	spin_unlock(&m->lock);
	return idle;
}

static void answer(struct device_manager *m, struct request *request)
{
	if (leaves_it(m))
		device_sa_drop(request->wc);
	else
		device_sa_answer(m->agent, m->sa, request->wc);
	base_free(request);
}

static void poll_others(struct device_manager *m)
{
	sm_poll(m->sm);
	poll_later(m);
}

static void work(struct device_manager *m)
{
	struct request *request = NULL;
	struct subnet_mad mad;
	enum todo todo;

	while ((todo = next_todo(m, &mad, &request)) != NOTHING) {
		if (todo == TAKE_MAD)
			take_mad(m, &mad);
		else if (todo == LOOK)
			look_for_lost(m);
		else if (todo == SWEEP)
			sm_sweep(m->sm);
		else if (todo == POLL)
			poll_others(m);
		else
			answer(m, request);
	}
}

/* Who finds somebody at it leaves it to him: he looks once more when he is done. */
static void run(struct device_manager *m)
{
	do {
		if (__atomic_exchange_n(&m->busy, true, __ATOMIC_SEQ_CST))
			return;
		work(m);
		__atomic_store_n(&m->busy, false, __ATOMIC_SEQ_CST);
	} while (!is_idle(m));
	if (is_stopped(m))
		base_wake();
}

static void want(struct device_manager *m, bool *what)
{
	spin_lock(&m->lock);
	*what = true;
	spin_unlock(&m->lock);
	run(m);
}

static void report(void *ctx, const struct sa_peer *to, const struct ib_sa_mad *mad)
{
	struct device_manager *m = ctx;

	if (m->agent)
		device_sa_report(m->agent, to, mad);
}

static const struct sa_ops sa_ops = {.report = report};

/* Without memory or room it is not answered; who asks asks again. */
static void request_arrived(void *ctx, struct ib_mad_recv_wc *wc)
{
	struct request *request = base_zalloc(sizeof(*request));
	struct device_manager *m = ctx;
	bool has_room = false;

	if (request) {
		request->wc = wc;
		spin_lock(&m->lock);
		has_room = m->waiting < REQUESTS;
		if (has_room) {
			list_add_tail(&request->link, &m->requests);
			m->waiting++;
		}
		spin_unlock(&m->lock);
	}
	if (!has_room) {
		base_free(request);
		device_sa_drop(wc);
		return;
	}
	run(m);
}

static void resend(struct base_timer *timer)
{
	struct device_manager *m = container_of(timer, struct device_manager, resend);

	want(m, &m->wants_look);
}

static void poll_due(struct base_timer *timer)
{
	struct device_manager *m = container_of(timer, struct device_manager, poll);

	if (!is_stopped(m))
		want(m, &m->wants_poll);
}

static void resweep(struct base_timer *timer)
{
	device_manager_sweep(container_of(timer, struct device_manager, resweep));
}

struct device_manager *device_manager_new(struct subnet *subnet, struct subnet_at at,
					  const struct sm_options *options)
{
	struct device_manager *m = base_zalloc(sizeof(*m));
	struct sm_options ours = *options;

	if (!m)
		return NULL;
	m->subnet = subnet;
	m->at = at;
	ours.window = WINDOW;
	spin_lock_init(&m->lock);
	base_timer_init(&m->resend, resend);
	base_timer_init(&m->resweep, resweep);
	base_timer_init(&m->poll, poll_due);
	INIT_LIST_HEAD(&m->requests);
	m->sm = sm_new(&ops, m, &ours);
	m->state = m->sm ? sm_state(m->sm) : SM_NOT_ACTIVE;
	if (m->sm)
		m->sa = sa_new(m->sm, &sa_ops, m);
	if (!m->sa) {
		sm_free(m->sm);
		base_free(m);
		return NULL;
	}
	subnet_set_cap_mask(subnet, at, IB_PORT_SM, 0);
	return m;
}

void device_manager_watch(struct device_manager *m,
			  void (*show)(void *ctx, const struct subnet_mad *mad), void *ctx)
{
	m->show = show;
	m->show_ctx = ctx;
}

int device_manager_serve(struct device_manager *m, struct ib_device *device)
{
	struct device_sa *agent = device_sa_new(device, request_arrived, m);

	if (IS_ERR(agent))
		return (int)PTR_ERR(agent);
	__atomic_store_n(&m->agent, agent, __ATOMIC_RELEASE);
	run(m);
	return 0;
}

static bool nobody_works(void *arg)
{
	struct device_manager *m = arg;

	return !__atomic_load_n(&m->busy, __ATOMIC_SEQ_CST);
}

/* What is being answered is first. Until the agent is gone requests may be added. */
void device_manager_stop(struct device_manager *m)
{
	struct request *request, *next;

	if (__atomic_exchange_n(&m->stopped, true, __ATOMIC_SEQ_CST))
		return;
	base_wait_until(nobody_works, m, BASE_FOREVER_NS);
	device_sa_free(m->agent);
	m->agent = NULL;
	list_for_each_entry_safe(request, next, &m->requests, link) {
		device_sa_drop(request->wc);
		base_free(request);
	}
	INIT_LIST_HEAD(&m->requests);
	subnet_set_cap_mask(m->subnet, m->at, 0, IB_PORT_SM);
}

void device_manager_free(struct device_manager *m)
{
	if (!m)
		return;
	device_manager_stop(m);
	base_timer_disarm_sync(&m->resend);
	base_timer_disarm_sync(&m->resweep);
	base_timer_disarm_sync(&m->poll);
	sa_free(m->sa);
	sm_free(m->sm);
	base_free(m);
}

static bool is_for_manager(const struct subnet_mad *mad)
{
	const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)(const void *)mad->data;

	if (mad->dest_qpn != IB_QP0)
		return false;
	if (hdr->method == IB_MGMT_METHOD_GET || hdr->method == IB_MGMT_METHOD_SET)
		return hdr->attr_id == IB_SMP_ATTR_SM_INFO;
	return hdr->method == IB_MGMT_METHOD_GET_RESP ||
	       (hdr->method == IB_MGMT_METHOD_TRAP &&
		hdr->mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED);
}

bool device_manager_deliver(struct device_manager *m, const struct subnet_mad *mad)
{
	if (is_stopped(m) || !is_for_manager(mad))
		return false;
	put_in_inbox(m, mad);
	run(m);
	return true;
}

void device_manager_sweep(struct device_manager *m)
{
	if (!is_stopped(m))
		want(m, &m->wants_sweep);
}

enum sm_state device_manager_state(const struct device_manager *m)
{
	return __atomic_load_n(&m->state, __ATOMIC_ACQUIRE);
}

static bool is_up(void *arg)
{
	const struct device_manager *m = arg;

	return __atomic_load_n(&m->up, __ATOMIC_ACQUIRE);
}

bool device_manager_wait(struct device_manager *m, uint64_t timeout_ns)
{
	device_manager_sweep(m);
	return base_wait_until(is_up, m, timeout_ns);
}

void device_manager_stats(struct device_manager *m, struct sm_stats *stats)
{
	spin_lock(&m->lock);
	*stats = m->stats;
	spin_unlock(&m->lock);
}
