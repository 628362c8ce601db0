// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Commands that change and query queue pairs, and their multicast groups. */
#include <errno.h>
#include <linux/err.h>
#include <linux/list.h>
#include <string.h>

#include "base/cause.h"
#include "uabi/uverbs_address.h"
#include "uabi/uverbs_cmd.h"

#define LEGACY_MASK ((u32)IB_QP_RATE_LIMIT - 1)

struct group {
	struct list_head link;
	union ib_gid gid;
	u16 mlid;
};

static struct ib_qp *get_qp(struct uverbs_attr_bundle *attrs, u32 handle,
			    struct uverbs_object **object)
{
	*object = uverbs_object_get(uverbs_file_of(attrs), UVERBS_TYPE_QP, handle);
	return IS_ERR(*object) ? ERR_CAST(*object) : (*object)->uobject.object;
}

int uverbs_cmd_query_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_qp_init_attr init = {.qp_context = NULL};
	struct ib_uverbs_query_qp_resp r = {.qp_state = 0};
	struct ib_qp_attr attr = {.qkey = 0};
	struct ib_uverbs_query_qp request;
	struct uverbs_object *object;
	struct ib_qp *qp;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	qp = get_qp(attrs, request.qp_handle, &object);
	if (IS_ERR(qp))
		return (int)PTR_ERR(qp);
	ret = ib_query_qp(qp, &attr, (int)request.attr_mask, &init);
	uverbs_object_put(object);
	if (ret)
		return ret;
	uverbs_address_to_qp(&attr.ah_attr, &r.dest);
	uverbs_address_to_qp(&attr.alt_ah_attr, &r.alt_dest);
	r.max_send_wr = init.cap.max_send_wr;
	r.max_recv_wr = init.cap.max_recv_wr;
	r.max_send_sge = init.cap.max_send_sge;
	r.max_recv_sge = init.cap.max_recv_sge;
	r.max_inline_data = init.cap.max_inline_data;
	r.qkey = attr.qkey;
	r.rq_psn = attr.rq_psn;
	r.sq_psn = attr.sq_psn;
	r.dest_qp_num = attr.dest_qp_num;
	r.qp_access_flags = (u32)attr.qp_access_flags;
	r.pkey_index = attr.pkey_index;
	r.alt_pkey_index = attr.alt_pkey_index;
	r.qp_state = (u8)attr.qp_state;
	r.cur_qp_state = (u8)attr.cur_qp_state;
	r.path_mtu = (u8)attr.path_mtu;
	r.path_mig_state = (u8)attr.path_mig_state;
	r.sq_draining = attr.sq_draining;
	r.max_rd_atomic = attr.max_rd_atomic;
	r.max_dest_rd_atomic = attr.max_dest_rd_atomic;
	r.min_rnr_timer = attr.min_rnr_timer;
	r.port_num = (u8)attr.port_num;
	r.timeout = attr.timeout;
	r.retry_cnt = attr.retry_cnt;
	r.rnr_retry = attr.rnr_retry;
	r.alt_port_num = (u8)attr.alt_port_num;
	r.alt_timeout = attr.alt_timeout;
	r.sq_sig_all = init.sq_sig_type == IB_SIGNAL_ALL_WR;
	return uverbs_response(attrs, &r, sizeof(r));
}

static int take_address(const struct ib_qp *qp, const struct ib_uverbs_qp_dest *from,
			struct rdma_ah_attr *to)
{
	if (!rdma_is_port_valid(qp->device, from->port_num))
		return base_refuse_qp(-EINVAL, qp->qp_num, UVERBS_PORT, from->port_num);
	uverbs_address_of_qp(qp->device, from, to);
	return 0;
}

static struct ib_qp_attr take_attr(const struct ib_uverbs_modify_qp *request)
{
	return (struct ib_qp_attr){
		.qp_state = request->qp_state,
		.cur_qp_state = request->cur_qp_state,
		.path_mtu = request->path_mtu,
		.path_mig_state = request->path_mig_state,
		.qkey = request->qkey,
		.rq_psn = request->rq_psn,
		.sq_psn = request->sq_psn,
		.dest_qp_num = request->dest_qp_num,
		.qp_access_flags = (int)request->qp_access_flags,
		.pkey_index = request->pkey_index,
		.alt_pkey_index = request->alt_pkey_index,
		.en_sqd_async_notify = request->en_sqd_async_notify,
		.max_rd_atomic = request->max_rd_atomic,
		.max_dest_rd_atomic = request->max_dest_rd_atomic,
		.min_rnr_timer = request->min_rnr_timer,
		.port_num = request->port_num,
		.timeout = request->timeout,
		.retry_cnt = request->retry_cnt,
		.rnr_retry = request->rnr_retry,
		.alt_port_num = request->alt_port_num,
		.alt_timeout = request->alt_timeout,
	};
}

static int modify(struct uverbs_attr_bundle *attrs, const struct ib_uverbs_modify_qp *request,
		  u32 rate_limit)
{
	struct ib_qp_attr attr = take_attr(request);
	struct uverbs_object *object;
	struct ib_qp *qp = get_qp(attrs, request->qp_handle, &object);
	int ret = 0;

	if (IS_ERR(qp))
		return (int)PTR_ERR(qp);
	attr.rate_limit = rate_limit;
	if (request->attr_mask & IB_QP_AV)
		ret = take_address(qp, &request->dest, &attr.ah_attr);
	if (!ret && request->attr_mask & IB_QP_ALT_PATH)
		ret = take_address(qp, &request->alt_dest, &attr.alt_ah_attr);
	if (!ret)
		ret = ib_modify_qp_with_udata(qp, &attr, (int)request->attr_mask,
					      &attrs->driver_udata);
	uverbs_object_put(object);
	return ret;
}

int uverbs_cmd_modify_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_modify_qp request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	if (request.attr_mask & ~LEGACY_MASK)
		return base_refuse(-EOPNOTSUPP, UVERBS_RESERVED, request.attr_mask);
	return modify(attrs, &request, 0);
}

int uverbs_cmd_ex_modify_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_modify_qp_resp response = {.response_length = sizeof(response)};
	struct ib_uverbs_ex_modify_qp request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	if (request.base.attr_mask & ~(LEGACY_MASK | (u32)IB_QP_RATE_LIMIT))
		return base_refuse(-EOPNOTSUPP, UVERBS_RESERVED, request.base.attr_mask);
	ret = modify(attrs, &request.base, request.rate_limit);
	return ret ? ret : uverbs_response(attrs, &response, sizeof(response));
}

static struct group *find_group(struct ib_uqp_object *object, const union ib_gid *gid, u16 mlid)
{
	struct group *group;

	list_for_each_entry(group, &object->mcast, link)
		if (group->mlid == mlid && !memcmp(&group->gid, gid, sizeof(*gid)))
			return group;
	return NULL;
}

static int attach(struct ib_uqp_object *object, union ib_gid *gid, u16 mlid)
{
	struct group *group;
	int ret;

	if (find_group(object, gid, mlid))
		return 0; /* as the kernel: it is what was wanted */
	group = base_zalloc(sizeof(*group));
	if (!group)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*group));
	group->gid = *gid;
	group->mlid = mlid;
	ret = ib_attach_mcast(object->object.uobject.object, gid, mlid);
	if (ret)
		base_free(group);
	else
		list_add_tail(&group->link, &object->mcast);
	return ret;
}

static int detach(struct ib_uqp_object *object, union ib_gid *gid, u16 mlid)
{
	struct group *group = find_group(object, gid, mlid);
	int ret;

	if (!group)
		return base_refuse(-EINVAL, UVERBS_MCAST_NONE);
	ret = ib_detach_mcast(object->object.uobject.object, gid, mlid);
	if (ret)
		return ret;
	list_del(&group->link);
	base_free(group);
	return 0;
}

void uverbs_mcast_leave_all(struct ib_uqp_object *object)
{
	struct group *group, *next;

	list_for_each_entry_safe(group, next, &object->mcast, link) {
		(void)ib_detach_mcast(object->object.uobject.object, &group->gid, group->mlid);
		list_del(&group->link);
		base_free(group);
	}
}

/* Both commands have the same request. */
static int change_group(struct uverbs_attr_bundle *attrs,
			int (*change)(struct ib_uqp_object *object, union ib_gid *gid, u16 mlid))
{
	struct ib_uverbs_attach_mcast request;
	struct uverbs_object *handle;
	struct ib_uqp_object *object;
	union ib_gid gid;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	handle = uverbs_object_get(uverbs_file_of(attrs), UVERBS_TYPE_QP, request.qp_handle);
	if (IS_ERR(handle))
		return (int)PTR_ERR(handle);
	object = container_of(handle, struct ib_uqp_object, object);
	memcpy(gid.raw, request.gid, sizeof(gid.raw));
	mutex_lock(&object->mcast_lock);
	ret = change(object, &gid, request.mlid);
	mutex_unlock(&object->mcast_lock);
	uverbs_object_put(handle);
	return ret;
}

int uverbs_cmd_attach_mcast(struct uverbs_attr_bundle *attrs)
{
	return change_group(attrs, attach);
}

int uverbs_cmd_detach_mcast(struct uverbs_attr_bundle *attrs)
{
	return change_group(attrs, detach);
}
