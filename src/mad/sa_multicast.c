// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Memberships: a port is in a group once, for all who ask. What is to be done for a group is done one thing after the
 * other, by its work: take an answer, tell that memberships are lost, join for who waits, leave what nobody needs
 * any more. What ends in _locked wants the port's lock.
 */
#include <linux/err.h>
#include <linux/workqueue.h>
#include <rdma/ib_cache.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "mad/sa_query.h"

#define TIMEOUT_MS 3000ul
#define STATES NUM_JOIN_MEMBERSHIP_TYPES

/* What a leave says. */
#define LEAVE_MASK \
	(IB_SA_MCMEMBER_REC_MGID | IB_SA_MCMEMBER_REC_PORT_GID | IB_SA_MCMEMBER_REC_JOIN_STATE)

/**
 * struct sa_group - A group, as a port sees it. All under the port's lock.
 * @port: Port.
 * @link: In &sa_port.groups.
 * @refs: Its members, and one while it is busy.
 * @rec: As the SA says; mgid is as it was asked for until then, join_state is how the port is in it.
 * @waiting: Members that have not been told yet.
 * @members: Members that are in.
 * @users: How many there are by bit of the join state.
 * @joining: Of @waiting, for whom a query is outstanding; NULL: for nobody.
 * @leaving: Bits that a query is outstanding for.
 * @status: Of the answer.
 * @answered: It is there.
 * @busy: The work is scheduled or running, or a query is outstanding.
 * @is_user: It is one of &sa_port.users meanwhile.
 * @lost: Members are to be told.
 * @work: See above.
 */
struct sa_group {
	struct sa_port *port;
	struct list_head link;
	unsigned int refs;
	struct ib_sa_mcmember_rec rec;
	struct list_head waiting;
	struct list_head members;
	unsigned int users[STATES];
	struct member *joining;
	u8 leaving;
	int status;
	bool answered;
	bool busy;
	bool is_user;
	bool lost;
	struct work_struct work;
};

/**
 * struct member - A membership.
 * @multicast: As its client sees it.
 * @client: Whose.
 * @group: In which group.
 * @link: In one of the group's lists.
 * @refs: The client's, and one while it is told.
 * @is_in: It counts among the users.
 * @gone: @refs is 0.
 */
struct member {
	struct ib_sa_multicast multicast;
	struct ib_sa_client *client;
	struct sa_group *group;
	struct list_head link;
	unsigned int refs;
	bool is_in;
	struct completion gone;
};

/* Queries are asked in its name: a leave may last longer than who has left. */
static struct ib_sa_client ourselves = {.users = REFCOUNT_INIT(1)};

static void group_work(struct work_struct *work);

/* Returns whether it was the last reference: only its work's can be, for whoever has another one kicks it. */
static bool put_group_locked(struct sa_group *group)
{
	if (--group->refs)
		return false;
	list_del(&group->link);
	base_free(group);
	return true;
}

static void kick_locked(struct sa_group *group)
{
	if (group->busy)
		return;
	group->busy = true;
	group->refs++;
	group->is_user = !group->port->closing;
	if (group->is_user)
		refcount_inc(&group->port->users);
	(void)schedule_work(&group->work);
}

static void count_locked(struct sa_group *group, const struct member *m, int change)
{
	for (unsigned int i = 0; i < STATES; i++)
		if (m->multicast.rec.join_state >> i & 1)
			group->users[i] += (unsigned int)change;
}

static void detach_locked(struct member *m)
{
	struct sa_group *group = m->group;

	list_del_init(&m->link);
	if (group->joining == m)
		group->joining = NULL;
	if (m->is_in)
		count_locked(group, m, -1);
	m->is_in = false;
}

static void put_member_locked(struct member *m)
{
	if (!--m->refs)
		complete(&m->gone);
}

static void free_member(struct member *m)
{
	struct ib_sa_client *client = m->client;

	base_free(m);
	sa_client_put(client);
}

/* Without the lock. The client may free it meanwhile, or has it freed by what its callback says. */
static void tell(struct sa_port *port, struct member *m, int status)
{
	const int ret = m->multicast.callback(status, &m->multicast);

	spin_lock(&port->lock);
	if (ret) {
		detach_locked(m);
		(void)put_group_locked(m->group);
		put_member_locked(m);
	}
	put_member_locked(m);
	spin_unlock(&port->lock);
	if (ret)
		free_member(m);
}

static struct member *first_of(struct list_head *list)
{
	return list_first_entry(list, struct member, link);
}

/* Its request has come to an end. */
static void conclude_locked(struct sa_group *group, struct member *m, int status)
{
	list_del_init(&m->link);
	m->refs++;
	if (status)
		return;
	m->is_in = true;
	count_locked(group, m, 1);
	list_add_tail(&m->link, &group->members);
}

/* The record shows the group, and how this membership is in it. */
static void show_locked(const struct sa_group *group, struct member *m)
{
	const u8 join_state = m->multicast.rec.join_state;

	m->multicast.rec = group->rec;
	m->multicast.rec.join_state = join_state;
}

static bool suits(ib_sa_comp_mask mask, ib_sa_comp_mask selector, ib_sa_comp_mask value, u8 how,
		  int asked, int is)
{
	if (!(mask & selector) || !(mask & value))
		return true;
	switch ((enum ib_sa_selector)how) {
	case IB_SA_GT:
		return is > asked;
	case IB_SA_LT:
		return is < asked;
	case IB_SA_EQ:
		return is == asked;
	case IB_SA_BEST:
		return true;
	}
	return false;
}

static bool same_values(const struct ib_sa_mcmember_rec *asked, const struct ib_sa_mcmember_rec *is,
			ib_sa_comp_mask mask)
{
	return (!(mask & IB_SA_MCMEMBER_REC_QKEY) || asked->qkey == is->qkey) &&
	       (!(mask & IB_SA_MCMEMBER_REC_MLID) || asked->mlid == is->mlid) &&
	       (!(mask & IB_SA_MCMEMBER_REC_TRAFFIC_CLASS) ||
		asked->traffic_class == is->traffic_class) &&
	       (!(mask & IB_SA_MCMEMBER_REC_PKEY) || asked->pkey == is->pkey) &&
	       (!(mask & IB_SA_MCMEMBER_REC_SL) || asked->sl == is->sl);
}

/* As the SA would compare it with a group that exists. */
static bool fits(const struct ib_sa_mcmember_rec *asked, const struct ib_sa_mcmember_rec *is,
		 ib_sa_comp_mask mask)
{
	return same_values(asked, is, mask) &&
	       (!(mask & IB_SA_MCMEMBER_REC_FLOW_LABEL) || asked->flow_label == is->flow_label) &&
	       (!(mask & IB_SA_MCMEMBER_REC_HOP_LIMIT) || asked->hop_limit == is->hop_limit) &&
	       (!(mask & IB_SA_MCMEMBER_REC_SCOPE) || asked->scope == is->scope) &&
	       suits(mask, IB_SA_MCMEMBER_REC_MTU_SELECTOR, IB_SA_MCMEMBER_REC_MTU,
		     asked->mtu_selector, (int)asked->mtu, (int)is->mtu) &&
	       suits(mask, IB_SA_MCMEMBER_REC_RATE_SELECTOR, IB_SA_MCMEMBER_REC_RATE,
		     asked->rate_selector, ib_rate_to_mbps((enum ib_rate)asked->rate),
		     ib_rate_to_mbps((enum ib_rate)is->rate)) &&
	       suits(mask, IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME_SELECTOR,
		     IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME, asked->packet_life_time_selector,
		     asked->packet_life_time, is->packet_life_time);
}

static void answered(int status, struct ib_sa_mcmember_rec *resp, void *context)
{
	struct sa_group *group = context;

	spin_lock(&group->port->lock);
	group->status = status;
	if (resp && !group->leaving)
		group->rec = *resp;
	group->answered = true;
	(void)schedule_work(&group->work);
	spin_unlock(&group->port->lock);
}

/* What a step has left to do without the lock. */
struct todo {
	struct member *told;
	int status;
	u8 method;
	struct ib_sa_mcmember_rec rec;
	ib_sa_comp_mask comp_mask;
};

static void take_answer_locked(struct sa_group *group, struct todo *todo)
{
	struct member *m = group->joining;

	group->answered = false;
	group->joining = NULL;
	if (group->leaving)
		group->rec.join_state &= (u8)~group->leaving; /* answered or not */
	group->leaving = 0;
	if (!m)
		return;
	conclude_locked(group, m, group->status);
	if (!group->status)
		show_locked(group, m);
	todo->told = m;
	todo->status = group->status;
}

static void lose_one_locked(struct sa_group *group, struct todo *todo)
{
	struct member *m;

	group->rec.join_state = 0;
	if (list_empty(&group->members)) {
		group->lost = false;
		return;
	}
	m = first_of(&group->members);
	detach_locked(m);
	m->refs++;
	todo->told = m;
	todo->status = -ENETRESET;
}

/* A state that the port has already needs no query. */
static void join_one_locked(struct sa_group *group, struct todo *todo)
{
	struct member *m = first_of(&group->waiting);

	if (m->multicast.rec.join_state & ~group->rec.join_state) {
		group->joining = m;
		todo->method = IB_MGMT_METHOD_SET;
		todo->rec = m->multicast.rec;
		todo->comp_mask = m->multicast.comp_mask;
		return;
	}
	todo->told = m;
	todo->status = fits(&m->multicast.rec, &group->rec, m->multicast.comp_mask) ? 0 : -EINVAL;
	conclude_locked(group, m, todo->status);
	if (!todo->status)
		show_locked(group, m);
}

static u8 unused_locked(const struct sa_group *group)
{
	u8 unused = group->rec.join_state;

	for (unsigned int i = 0; i < STATES; i++)
		if (group->users[i])
			unused &= (u8) ~(1u << i);
	return unused;
}

static void leave_locked(struct sa_group *group, struct todo *todo)
{
	group->leaving = unused_locked(group);
	todo->method = IB_SA_METHOD_DELETE;
	todo->rec = group->rec;
	todo->rec.join_state = group->leaving;
	todo->comp_mask = LEAVE_MASK;
}

/* The next thing; false if there is none. */
static bool next_locked(struct sa_group *group, struct todo *todo)
{
	*todo = (struct todo){.told = NULL};
	if (group->answered)
		take_answer_locked(group, todo);
	else if (group->lost)
		lose_one_locked(group, todo);
	else if (!list_empty(&group->waiting))
		join_one_locked(group, todo);
	else if (unused_locked(group))
		leave_locked(group, todo);
	else
		return false;
	return true;
}

/* Returns whether an answer will come, after which the group is not ours. */
static bool ask(struct sa_group *group, struct todo *todo)
{
	struct sa_port *port = group->port;
	int ret = -EINTR;
	bool may;

	spin_lock(&port->lock);
	may = !port->closing;
	if (may)
		refcount_inc(&port->senders);
	spin_unlock(&port->lock);
	if (may) {
		ret = sa_mcmember_send(&ourselves, port, todo->method, &todo->rec, todo->comp_mask,
				       TIMEOUT_MS, answered, group);
		sa_port_put(&port->senders, &port->no_senders);
	}
	if (ret >= 0)
		return true;
	spin_lock(&port->lock);
	group->status = ret;
	group->answered = true;
	spin_unlock(&port->lock);
	return false;
}

static void group_work(struct work_struct *work)
{
	struct sa_group *group = container_of(work, struct sa_group, work);
	struct sa_port *port = group->port;
	bool was_user, gone;
	struct todo todo;

	for (;;) {
		spin_lock(&port->lock);
		if (!next_locked(group, &todo))
			break;
		spin_unlock(&port->lock);
		if (todo.told)
			tell(port, todo.told, todo.status);
		if (todo.method && ask(group, &todo))
			return;
	}
	was_user = group->is_user;
	group->busy = false;
	gone = put_group_locked(group);
	spin_unlock(&port->lock);
	if (was_user)
		sa_port_put(&port->users, &port->no_users);
	if (gone)
		sa_port_release(port);
}

/* Those that leave the MGID to the SA have a group of their own. */
static struct sa_group *find_locked(struct sa_port *port, const union ib_gid *mgid)
{
	struct sa_group *group;

	list_for_each_entry(group, &port->groups, link)
		if (!rdma_is_zero_gid(mgid) && !memcmp(&group->rec.mgid, mgid, sizeof(*mgid)))
			return group;
	return NULL;
}

static struct sa_group *new_group(struct sa_port *port, const union ib_gid *mgid)
{
	struct sa_group *group = base_zalloc(sizeof(*group));

	if (!group)
		return NULL;
	group->port = port;
	group->rec.mgid = *mgid;
	INIT_LIST_HEAD(&group->waiting);
	INIT_LIST_HEAD(&group->members);
	INIT_WORK(&group->work, group_work);
	return group;
}

/* Takes over @fresh, or frees it. */
static void enter(struct sa_port *port, struct member *m, struct sa_group *fresh)
{
	struct sa_group *group;

	spin_lock(&port->lock);
	group = find_locked(port, &m->multicast.rec.mgid);
	if (!group) {
		group = fresh;
		fresh = NULL;
		sa_port_hold(port);
		list_add_tail(&group->link, &port->groups);
	}
	m->group = group;
	group->refs++;
	list_add_tail(&m->link, &group->waiting);
	kick_locked(group);
	spin_unlock(&port->lock);
	base_free(fresh);
}

struct ib_sa_multicast *ib_sa_join_multicast(
	struct ib_sa_client *client, struct ib_device *device, u32 port_num,
	struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask comp_mask, gfp_t gfp_mask,
	int (*callback)(int status, struct ib_sa_multicast *multicast), void *context)
{
	struct sa_port *port = sa_port_of(device, port_num);
	struct sa_group *group;
	struct member *m;

	(void)gfp_mask;
	if (!port)
		return ERR_PTR(base_refuse(-ENODEV, SA_NO_PORT, port_num));
	group = new_group(port, &rec->mgid);
	m = base_zalloc(sizeof(*m));
	if (!group || !m) {
		base_free(group);
		base_free(m);
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*m) + sizeof(*group)));
	}
	m->multicast = (struct ib_sa_multicast){
		.rec = *rec, .comp_mask = comp_mask, .callback = callback, .context = context};
	m->client = client;
	m->refs = 1;
	init_completion(&m->gone);
	sa_client_get(client);
	enter(port, m, group);
	return &m->multicast;
}

void ib_sa_free_multicast(struct ib_sa_multicast *multicast)
{
	struct member *m = container_of(multicast, struct member, multicast);
	struct sa_port *port = m->group->port;

	sa_port_hold(port); /* the work may be done with the group before the lock is let go of */
	spin_lock(&port->lock);
	detach_locked(m);
	kick_locked(m->group);
	(void)put_group_locked(m->group);
	put_member_locked(m);
	spin_unlock(&port->lock);
	sa_port_release(port);
	wait_for_completion(&m->gone);
	free_member(m);
}

int ib_sa_get_mcmember_rec(struct ib_device *device, u32 port_num, union ib_gid *mgid,
			   struct ib_sa_mcmember_rec *rec)
{
	struct sa_port *port = sa_port_of(device, port_num);
	const struct sa_group *group;
	bool is_in;

	if (!port)
		return base_refuse(-EADDRNOTAVAIL, SA_NOT_MEMBER, port_num);
	spin_lock(&port->lock);
	group = find_locked(port, mgid);
	is_in = group && group->rec.join_state && !group->lost;
	if (is_in)
		*rec = group->rec;
	spin_unlock(&port->lock);
	return is_in ? 0 : base_refuse(-EADDRNOTAVAIL, SA_NOT_MEMBER, port_num);
}

void sa_multicast_event(struct sa_port *port)
{
	struct sa_group *group;

	spin_lock(&port->lock);
	list_for_each_entry(group, &port->groups, link) {
		group->lost = true;
		kick_locked(group);
	}
	spin_unlock(&port->lock);
}
