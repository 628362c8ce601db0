// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What faults do to devices, ports and queue pairs, and when. */
#include "device/faults.h"

#include <errno.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>
#include <string.h>

#include "base/cause.h"
#include "base/host.h"
#include "device/hca.h"
#include "device/threads.h"

#define ALL_PORTS UINT32_MAX
#define NEVER UINT64_MAX

static const enum ib_event_type event_types[FAULT_EVENTS] = {
	[FAULT_EVENT_PORT_ERR] = IB_EVENT_PORT_ERR,
	[FAULT_EVENT_PORT_ACTIVE] = IB_EVENT_PORT_ACTIVE,
	[FAULT_EVENT_LID_CHANGE] = IB_EVENT_LID_CHANGE,
	[FAULT_EVENT_PKEY_CHANGE] = IB_EVENT_PKEY_CHANGE,
	[FAULT_EVENT_SM_CHANGE] = IB_EVENT_SM_CHANGE,
	[FAULT_EVENT_CLIENT_REREGISTER] = IB_EVENT_CLIENT_REREGISTER,
	[FAULT_EVENT_GID_CHANGE] = IB_EVENT_GID_CHANGE,
	[FAULT_EVENT_DEVICE_FATAL] = IB_EVENT_DEVICE_FATAL,
	[FAULT_EVENT_CQ_ERR] = IB_EVENT_CQ_ERR,
};

/* Locks of queue pairs may be held: what is to be done is put aside. */
static void put_aside(void *ctx, const struct fault_rule *rule, uint32_t slot, uint32_t qpn)
{
	struct device_faults *f = ctx;

	spin_lock(&f->waiting_lock);
	if (f->count < DEVICE_FAULTS_WAITING)
		f->waiting[f->count++] = (struct device_fault_act){*rule, slot, qpn};
	spin_unlock(&f->waiting_lock);
	(void)base_run_later(&f->work);
}

static bool take(struct device_faults *f, struct device_fault_act *act)
{
	bool any;

	spin_lock(&f->waiting_lock);
	any = f->count > 0;
	if (any) {
		*act = f->waiting[0];
		f->count--;
		memmove(f->waiting, f->waiting + 1, f->count * sizeof(*act));
	}
	spin_unlock(&f->waiting_lock);
	return any;
}

static void die(struct rvt_qp *qp, enum ib_event_type type)
{
	const struct base_cause cause = {
		.id = BASE_CAUSE_FAULT_KILL, .side = BASE_SIDE_FABRIC, .qpn = qp->ibqp.qp_num};

	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	rvt_qp_blame(qp, &cause);
	(void)rvt_error_qp(qp, IB_WC_WR_FLUSH_ERR);
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
	base_cause_tell(&cause);
	if (type == IB_EVENT_QP_FATAL)
		rvt_qp_event_later(qp, IB_EVENT_QP_FATAL);
}

/* A CQ that has overflowed takes its queue pairs along. */
static void overrun(struct rvt_qp *qp)
{
	struct ib_cq *cq = qp->ibqp.recv_cq;
	struct ib_event event = {
		.device = qp->ibqp.device, .element.cq = cq, .event = IB_EVENT_CQ_ERR};

	die(qp, IB_EVENT_CQ_ERR);
	if (cq && cq->event_handler)
		cq->event_handler(&event, cq->cq_context);
}

static void hit_qp(struct device_hca *hca, u32 port_num, const struct device_fault_act *act)
{
	struct rvt_dev_info *rdi = ib_to_rvt(device_hca_device(hca));
	struct rvt_qp *qp;

	rcu_read_lock();
	qp = rvt_lookup_qpn(rdi, rdi->ports[port_num - 1], act->qpn);
	if (qp)
		rvt_get_qp(qp);
	rcu_read_unlock();
	if (!qp)
		return;
	if (act->rule.action == FAULT_KILL)
		die(qp, IB_EVENT_QP_FATAL);
	else
		overrun(qp);
	rvt_put_qp(qp);
}

static void raise_event(struct device_hca *hca, u32 port_num, enum ib_event_type type)
{
	struct ib_event event = {
		.device = device_hca_device(hca), .element.port_num = port_num, .event = type};

	ib_dispatch_event(&event);
}

static void go_down(struct device_faults *f, struct device_hca *hca, u32 port_num,
		    const struct fault_rule *rule)
{
	device_hca_set_link(hca, port_num, false);
	f->up_ns = rule->for_ns == UINT64_MAX ? NEVER : base_now_ns() + rule->for_ns;
}

static void carry_out(struct device_faults *f, struct device_hca *hca, u32 port_num,
		      const struct device_fault_act *act)
{
	const struct fault_rule *rule = &act->rule;

	if (rule->action == FAULT_DOWN)
		go_down(f, hca, port_num, rule);
	else if (rule->action == FAULT_KILL || rule->event == FAULT_EVENT_CQ_ERR)
		hit_qp(hca, port_num, act);
	else
		raise_event(hca, port_num, event_types[rule->event]);
}

static u32 ports_of(const struct device_fault_hooks *hooks)
{
	return device_hca_device(hooks->hca)->phys_port_cnt;
}

/* A fatal error is the device's, not a port's. */
static bool concerns(const struct device_fault_hooks *hooks, u32 port_num,
		     const struct device_fault_act *act)
{
	if (act->slot != ALL_PORTS)
		return act->slot == device_hca_slot(hooks->hca, port_num);
	return port_num == 1 || act->rule.action != FAULT_EVENT ||
	       act->rule.event != FAULT_EVENT_DEVICE_FATAL;
}

static void for_each(struct device_faults *f, const struct device_fault_act *act)
{
	struct device_fault_hooks *hooks;

	list_for_each_entry(hooks, &f->hcas, link)
		for (u32 port_num = 1; port_num <= ports_of(hooks); port_num++)
			if (concerns(hooks, port_num, act))
				carry_out(f, hooks->hca, port_num, act);
}

static void come_up(struct device_faults *f)
{
	struct device_fault_hooks *hooks;

	f->up_ns = NEVER;
	list_for_each_entry(hooks, &f->hcas, link)
		for (u32 port_num = 1; port_num <= ports_of(hooks); port_num++)
			device_hca_set_link(hooks->hca, port_num, true);
}

/* What time alone brings about. Returns when to look again. */
static uint64_t do_what_is_due(struct device_faults *f, uint64_t now_ns)
{
	uint64_t next_ns;

	if (f->up_ns <= now_ns)
		come_up(f);
	for (uint32_t i = 0; i < f->faults.plan.count; i++) {
		const struct fault_rule *rule = &f->faults.plan.rule[i];

		if (f->due_ns[i] > now_ns)
			continue;
		f->due_ns[i] = NEVER;
		fabric_faults_happened(&f->faults, rule);
		for_each(f, &(struct device_fault_act){*rule, ALL_PORTS, 0});
	}
	next_ns = f->up_ns;
	for (uint32_t i = 0; i < f->faults.plan.count; i++)
		if (f->due_ns[i] < next_ns)
			next_ns = f->due_ns[i];
	return next_ns;
}

static void work(struct work_struct *w)
{
	struct device_faults *f = container_of(w, struct device_faults, work);
	const uint64_t now_ns = base_now_ns();
	struct device_fault_act act;
	uint64_t next_ns;

	mutex_lock(&f->lock);
	while (take(f, &act))
		for_each(f, &act);
	next_ns = do_what_is_due(f, now_ns);
	if (next_ns != NEVER)
		base_timer_arm(&f->timer, next_ns > now_ns ? next_ns - now_ns : 0);
	mutex_unlock(&f->lock);
}

static void is_time(struct base_timer *timer)
{
	(void)base_run_later(&container_of(timer, struct device_faults, timer)->work);
}

void device_faults_init(struct device_faults *f, int (*prepare)(void *ctx), void *ctx)
{
	memset(f, 0, sizeof(*f));
	f->prepare = prepare;
	f->ctx = ctx;
	fabric_faults_init(&f->faults);
	mutex_init(&f->lock);
	INIT_LIST_HEAD(&f->hcas);
	spin_lock_init(&f->waiting_lock);
	INIT_WORK(&f->work, work);
	base_timer_init(&f->timer, is_time);
	memset(f->due_ns, 0xff, sizeof(f->due_ns));
	f->up_ns = NEVER;
	f->faults.listener.act = put_aside;
	f->faults.listener.act_ctx = f;
}

static void stop(struct device_faults *f)
{
	base_timer_disarm_sync(&f->timer);
	cancel_work_sync(&f->work);
	base_timer_disarm_sync(&f->timer); /* the work may have armed it */
}

void device_faults_free(struct device_faults *f)
{
	stop(f);
	fabric_faults_free(&f->faults);
}

/* Queue pairs of one device reach each other by packets, so that those can meet faults. */
static void set_loopback(struct device_faults *f)
{
	struct device_fault_hooks *hooks;

	list_for_each_entry(hooks, &f->hcas, link)
		device_hca_set_loopback(hooks->hca, !fabric_faults_active(&f->faults));
}

/* Their time begins now. Returns whether time alone brings about any. */
static bool begin(struct device_faults *f)
{
	const struct fault_plan *plan = &f->faults.plan;
	const uint64_t now_ns = device_now_ns();
	bool any = false;

	(void)base_host_turn(now_ns, 0); /* nobody may have told the time yet */
	fabric_faults_begin(&f->faults);
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct fault_rule *rule = &plan->rule[i];

		if ((rule->action != FAULT_DOWN && rule->action != FAULT_EVENT) || rule->on_packet)
			continue;
		f->due_ns[i] = now_ns + rule->after_ns;
		any = true;
	}
	return any;
}

void device_faults_set(struct device_faults *f, const struct fault_plan *plan)
{
	bool any;

	stop(f);
	mutex_lock(&f->lock);
	if (f->up_ns != NEVER)
		come_up(f);
	fabric_faults_set_plan(&f->faults, plan);
	set_loopback(f);
	memset(f->due_ns, 0xff, sizeof(f->due_ns));
	f->opened = false;
	any = !f->awaits_open && begin(f);
	mutex_unlock(&f->lock);
	if (any)
		(void)base_run_later(&f->work);
}

void device_faults_opened(struct device_faults *f)
{
	bool any = false;

	mutex_lock(&f->lock);
	if (f->awaits_open && !f->opened)
		any = begin(f);
	f->opened = true;
	mutex_unlock(&f->lock);
	if (any)
		(void)base_run_later(&f->work);
}

int device_faults_inject(struct device_faults *f, const char *spec)
{
	struct fault_error error;
	struct fault_plan plan;
	int ret = fault_plan_parse(spec ? spec : "", &plan, &error);

	if (ret)
		return base_refuse(ret, FAULT_SPEC, error.column);
	ret = plan.count && f->prepare ? f->prepare(f->ctx) : 0;
	if (!ret)
		device_faults_set(f, &plan);
	return ret;
}
