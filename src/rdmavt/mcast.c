// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Multicast groups. Each port keeps a treap by MGID whose priorities come from the MGID, so that
 * its shape does not depend on the order of joining and depends on no address.
 *
 * A delivery holds a count of the group and walks its list without a lock; whoever takes a QP out
 * waits until no such walk is left.
 */
#include "rdmavt/mcast.h"

#include <linux/list.h>
#include <linux/rcupdate.h>

#include "base/alloc.h"
#include "base/cause.h"

void rvt_driver_mcast_init(struct rvt_dev_info *rdi)
{
	spin_lock_init(&rdi->n_mcast_grps_lock);
	rdi->n_mcast_grps_allocated = 0;
}

static struct rvt_mcast *group_of(struct rb_node *node)
{
	return container_of(node, struct rvt_mcast, rb_node);
}

static int compare(const union ib_gid *a, const union ib_gid *b)
{
	return memcmp(a->raw, b->raw, sizeof(a->raw));
}

static unsigned long priority_of(const union ib_gid *mgid)
{
	u64 x = 0;

	for (size_t i = 0; i < sizeof(mgid->raw); i++)
		x = (x ^ mgid->raw[i]) * 0x9e3779b97f4a7c15ull;
	return (unsigned long)(x ^ x >> 32);
}

static struct rvt_mcast *tree_find(const struct rb_root *root, const union ib_gid *mgid)
{
	struct rb_node *node = root->rb_node;

	while (node) {
		const int order = compare(mgid, &group_of(node)->mcast_addr.mgid);

		if (!order)
			return group_of(node);
		node = order < 0 ? node->rb_left : node->rb_right;
	}
	return NULL;
}

/* Cuts the tree below @node by @node's key into what is less and what is greater. */
static void tree_split(struct rb_node *tree, struct rb_node *node)
{
	const union ib_gid *key = &group_of(node)->mcast_addr.mgid;
	struct rb_node **less = &node->rb_left, **greater = &node->rb_right;

	while (tree) {
		if (compare(&group_of(tree)->mcast_addr.mgid, key) < 0) {
			*less = tree;
			less = &tree->rb_right;
			tree = tree->rb_right;
		} else {
			*greater = tree;
			greater = &tree->rb_left;
			tree = tree->rb_left;
		}
	}
	*less = NULL;
	*greater = NULL;
}

static void tree_insert(struct rb_root *root, struct rvt_mcast *mcast)
{
	const union ib_gid *key = &mcast->mcast_addr.mgid;
	struct rb_node **link = &root->rb_node;

	mcast->rb_node.__rb_parent_color = priority_of(key);
	while (*link && (*link)->__rb_parent_color >= mcast->rb_node.__rb_parent_color)
		link = compare(key, &group_of(*link)->mcast_addr.mgid) < 0 ? &(*link)->rb_left
									   : &(*link)->rb_right;
	tree_split(*link, &mcast->rb_node);
	*link = &mcast->rb_node;
}

static void tree_erase(struct rb_root *root, struct rvt_mcast *mcast)
{
	const union ib_gid *key = &mcast->mcast_addr.mgid;
	struct rb_node **link = &root->rb_node;
	struct rb_node *less = mcast->rb_node.rb_left, *greater = mcast->rb_node.rb_right;

	while (*link != &mcast->rb_node)
		link = compare(key, &group_of(*link)->mcast_addr.mgid) < 0 ? &(*link)->rb_left
									   : &(*link)->rb_right;
	while (less && greater) {
		if (less->__rb_parent_color >= greater->__rb_parent_color) {
			*link = less;
			link = &less->rb_right;
			less = less->rb_right;
		} else {
			*link = greater;
			link = &greater->rb_left;
			greater = greater->rb_left;
		}
	}
	*link = less ? less : greater;
}

static struct rvt_mcast_qp *member_new(struct rvt_qp *qp)
{
	struct rvt_mcast_qp *mqp = base_zalloc(sizeof(*mqp));

	if (!mqp)
		return NULL;
	mqp->qp = qp;
	rvt_get_qp(qp);
	return mqp;
}

static void member_free(struct rvt_mcast_qp *mqp)
{
	rvt_put_qp(mqp->qp);
	base_free(mqp);
}

static struct rvt_mcast *group_new(const union ib_gid *mgid, u16 lid)
{
	struct rvt_mcast *mcast = base_zalloc(sizeof(*mcast));

	if (!mcast)
		return NULL;
	mcast->mcast_addr.mgid = *mgid;
	mcast->mcast_addr.lid = lid;
	INIT_LIST_HEAD(&mcast->qp_list);
	init_waitqueue_head(&mcast->wait);
	return mcast;
}

struct rvt_mcast *rvt_mcast_find(struct rvt_ibport *ibp, union ib_gid *mgid, u16 lid)
{
	struct rvt_mcast *found;

	spin_lock(&ibp->lock);
	found = tree_find(&ibp->mcast_tree, mgid);
	if (found && found->mcast_addr.lid != lid)
		found = NULL;
	if (found)
		atomic_inc(&found->refcount);
	spin_unlock(&ibp->lock);
	return found;
}

/* A walker that started before sees the list without @mqp or with it whole. */
static void list_append(struct rvt_mcast *mcast, struct rvt_mcast_qp *mqp)
{
	struct list_head *head = &mcast->qp_list;

	mqp->list.next = head;
	mqp->list.prev = head->prev;
	rcu_assign_pointer(head->prev->next, &mqp->list);
	head->prev = &mqp->list;
	mcast->n_attached++;
}

/* A walker that stands on @mqp can go on from it. */
static void list_remove(struct rvt_mcast *mcast, struct rvt_mcast_qp *mqp)
{
	mqp->list.next->prev = mqp->list.prev;
	rcu_assign_pointer(mqp->list.prev->next, mqp->list.next);
	mcast->n_attached--;
}

static struct rvt_mcast_qp *find_member(struct rvt_mcast *mcast, const struct rvt_qp *qp)
{
	struct rvt_mcast_qp *mqp;

	list_for_each_entry(mqp, &mcast->qp_list, list)
		if (mqp->qp == qp)
			return mqp;
	return NULL;
}

/* A QP for a group that exists. ibp->lock is held. */
static int join(struct rvt_dev_info *rdi, struct rvt_mcast *mcast, u16 lid,
		struct rvt_mcast_qp *mqp)
{
	const int most = rdi->dparms.props.max_mcast_qp_attach;

	if (mcast->mcast_addr.lid != lid) {
		base_refuse(-EINVAL, MCAST_MLID, lid, mcast->mcast_addr.lid);
		return EINVAL;
	}
	if (find_member(mcast, mqp->qp))
		return ESRCH;
	if (mcast->n_attached >= most) {
		base_refuse(-ENOMEM, MCAST_QPS, (u32)most);
		return ENOMEM;
	}
	list_append(mcast, mqp);
	return EEXIST;
}

/**
 * rvt_mcast_add() - Attach a member to its group, the first one with a new group.
 * @rdi: The device.
 * @ibp: The port.
 * @mcast: The group, used if there is none yet.
 * @mqp: The member.
 *
 * Return: 0: @mcast and @mqp are in use; EEXIST: @mqp is; ESRCH: neither, the QP is a member already;
 *	EINVAL: another MLID; ENOMEM: too many groups or members.
 */
static int rvt_mcast_add(struct rvt_dev_info *rdi, struct rvt_ibport *ibp, struct rvt_mcast *mcast,
			 struct rvt_mcast_qp *mqp)
{
	const u32 most = (u32)rdi->dparms.props.max_mcast_grp;
	struct rvt_mcast *there;
	bool full;
	int ret;

	spin_lock(&ibp->lock);
	there = tree_find(&ibp->mcast_tree, &mcast->mcast_addr.mgid);
	if (there) {
		ret = join(rdi, there, mcast->mcast_addr.lid, mqp);
		spin_unlock(&ibp->lock);
		return ret;
	}
	spin_lock(&rdi->n_mcast_grps_lock);
	full = rdi->n_mcast_grps_allocated >= most;
	if (!full)
		rdi->n_mcast_grps_allocated++;
	spin_unlock(&rdi->n_mcast_grps_lock);
	if (!full) {
		list_append(mcast, mqp);
		atomic_inc(&mcast->refcount);
		tree_insert(&ibp->mcast_tree, mcast);
	}
	spin_unlock(&ibp->lock);
	if (!full)
		return 0;
	base_refuse(-ENOMEM, MCAST_GROUPS, most);
	return ENOMEM;
}

static int check_qp(const struct rvt_qp *qp, bool attach)
{
	if (qp->ibqp.qp_num <= 1 || (attach && qp->state == IB_QPS_RESET))
		return base_refuse_qp(-EINVAL, qp->ibqp.qp_num, MCAST_QP, qp->ibqp.qp_num,
				      qp->state);
	return 0;
}

int rvt_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);
	struct rvt_dev_info *rdi = ib_to_rvt(ibqp->device);
	struct rvt_mcast_qp *mqp;
	struct rvt_mcast *mcast;
	int ret = check_qp(qp, true);

	if (ret)
		return ret;
	mcast = group_new(gid, lid);
	if (!mcast)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*mcast));
	mqp = member_new(qp);
	if (!mqp) {
		base_free(mcast);
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*mqp));
	}
	ret = rvt_mcast_add(rdi, rdi->ports[qp->port_num - 1], mcast, mqp);
	if (ret)
		base_free(mcast);
	if (ret && ret != EEXIST)
		member_free(mqp);
	return ret == EEXIST || ret == ESRCH ? 0 : -ret;
}

/* Takes the QP out of the group's list. ibp->lock is held. */
static int leave(struct rvt_ibport *ibp, struct rvt_mcast *mcast, struct rvt_qp *qp, u16 lid,
		 struct rvt_mcast_qp **mqp)
{
	if (!mcast)
		return base_refuse(-EINVAL, MCAST_NO_GROUP);
	if (mcast->mcast_addr.lid != lid)
		return base_refuse(-EINVAL, MCAST_MLID, lid, mcast->mcast_addr.lid);
	*mqp = find_member(mcast, qp);
	if (!*mqp)
		return base_refuse_qp(-EINVAL, qp->ibqp.qp_num, MCAST_NOT_ATTACHED);
	list_remove(mcast, *mqp);
	if (!mcast->n_attached)
		tree_erase(&ibp->mcast_tree, mcast);
	return 0;
}

static bool no_walker(const struct rvt_mcast *mcast)
{
	return atomic_read_acquire(&mcast->refcount) <= 1;
}

static void free_group(struct rvt_dev_info *rdi, struct rvt_mcast *mcast)
{
	wait_event(mcast->wait, no_walker(mcast) && atomic_read_acquire(&mcast->detaching) == 0);
	base_free(mcast);
	spin_lock(&rdi->n_mcast_grps_lock);
	rdi->n_mcast_grps_allocated--;
	spin_unlock(&rdi->n_mcast_grps_lock);
}

int rvt_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);
	struct rvt_dev_info *rdi = ib_to_rvt(ibqp->device);
	struct rvt_ibport *ibp;
	struct rvt_mcast *mcast;
	struct rvt_mcast_qp *mqp;
	bool last = false;
	int ret = check_qp(qp, false);

	if (ret)
		return ret;
	if (!qp->port_num) /* never left RESET */
		return base_refuse(-EINVAL, MCAST_NO_GROUP);
	ibp = rdi->ports[qp->port_num - 1];
	spin_lock(&ibp->lock);
	mcast = tree_find(&ibp->mcast_tree, gid);
	ret = leave(ibp, mcast, qp, lid, &mqp);
	if (!ret) {
		last = !mcast->n_attached;
		atomic_inc(&mcast->detaching); /* the group must outlast our wait */
	}
	spin_unlock(&ibp->lock);
	if (ret)
		return ret;
	wait_event(mcast->wait, no_walker(mcast));
	member_free(mqp);
	/* Unless it is ours to free, the group may be gone after this. */
	if (atomic_dec_return(&mcast->detaching) == 0)
		wake_up(&mcast->wait);
	if (last)
		free_group(rdi, mcast);
	return 0;
}

int rvt_mcast_tree_empty(struct rvt_dev_info *rdi)
{
	int in_use = 0;

	for (int i = 0; i < rdi->dparms.nports; i++)
		if (rdi->ports[i] && rdi->ports[i]->mcast_tree.rb_node)
			in_use++;
	return in_use;
}
