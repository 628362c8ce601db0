// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Commands about the device: its context, its attributes, its ports. */
#include <errno.h>
#include <linux/err.h>
#include <string.h>

#include "base/cause.h"
#include "uabi/uverbs_cmd.h"

static const struct uverbs_library_ops *library;

void uverbs_library_install(const struct uverbs_library_ops *ops)
{
	library = ops;
}

const struct uverbs_library_ops *uverbs_library(void)
{
	return library;
}

int uverbs_alloc_async(struct ib_uverbs_file *file, int *fd)
{
	struct uverbs_events *events;
	int ret = uverbs_events_new(sizeof(struct ib_uverbs_async_event_desc), &events, fd);

	if (ret)
		return ret;
	mutex_lock(&file->context_lock);
	if (!file->async) {
		__atomic_store_n(&file->async, events, __ATOMIC_RELEASE);
		events = NULL;
	}
	mutex_unlock(&file->context_lock);
	uverbs_events_put(events); /* the program's end keeps it */
	return 0;
}

struct uverbs_events *uverbs_async_of(struct ib_uverbs_file *file, int fd)
{
	struct uverbs_events *events;

	if (fd >= 0)
		return uverbs_events_get(fd, sizeof(struct ib_uverbs_async_event_desc));
	events = __atomic_load_n(&file->async, __ATOMIC_ACQUIRE);
	return events ? uverbs_events_hold(events) : NULL;
}

void uverbs_raise_async(struct uverbs_events *events, u64 element, u32 type, u32 *raised)
{
	const struct ib_uverbs_async_event_desc record = {.element = element, .event_type = type};

	if (events)
		uverbs_events_raise(events, &record, raised);
}

static int make_context(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_file *file = uverbs_file_of(attrs);
	struct ib_ucontext *context;
	int ret;

	if (file->context)
		return base_refuse(-EINVAL, UVERBS_HAVE_CONTEXT);
	context = ib_alloc_ucontext(file->device, &uverbs_memory_ops);
	if (IS_ERR(context))
		return (int)PTR_ERR(context);
	context->ufile = file;
	attrs->context = context;
	ret = ib_start_ucontext(context, &attrs->driver_udata);
	if (ret) {
		attrs->context = NULL;
		return ret;
	}
	__atomic_store_n(&file->context, context, __ATOMIC_RELEASE);
	ib_register_event_handler(&file->events);
	return 0;
}

int uverbs_get_context(struct uverbs_attr_bundle *attrs, int *async_fd)
{
	struct ib_uverbs_file *file = uverbs_file_of(attrs);
	int ret = 0;

	if (async_fd && !file->context)
		ret = uverbs_alloc_async(file, async_fd);
	if (ret)
		return ret;
	mutex_lock(&file->context_lock);
	ret = make_context(attrs);
	mutex_unlock(&file->context_lock);
	return ret;
}

int uverbs_cmd_get_context(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_get_context_resp response = {
		.num_comp_vectors = (u32)uverbs_device_of(attrs)->num_comp_vectors,
	};
	int fd = -1;
	int ret = uverbs_get_context(attrs, &fd);

	response.async_fd = (u32)fd;
	if (!ret)
		ret = uverbs_response(attrs, &response, sizeof(response));
	if (ret && fd >= 0)
		uabi_fd_close(fd);
	return ret;
}

static void fill_base(struct ib_device *device, struct ib_uverbs_query_device_resp *r)
{
	const struct ib_device_attr *attr = &device->attrs;

	*r = (struct ib_uverbs_query_device_resp){
		.fw_ver = attr->fw_ver,
		.node_guid = device->node_guid,
		.sys_image_guid = attr->sys_image_guid,
		.max_mr_size = attr->max_mr_size,
		.page_size_cap = attr->page_size_cap,
		.vendor_id = attr->vendor_id,
		.vendor_part_id = attr->vendor_part_id,
		.hw_ver = attr->hw_ver,
		.max_qp = (u32)attr->max_qp,
		.max_qp_wr = (u32)attr->max_qp_wr,
		.device_cap_flags = (u32)attr->device_cap_flags,
		.max_sge = (u32)(attr->max_send_sge < attr->max_recv_sge ? attr->max_send_sge
									 : attr->max_recv_sge),
		.max_sge_rd = (u32)attr->max_sge_rd,
		.max_cq = (u32)attr->max_cq,
		.max_cqe = (u32)attr->max_cqe,
		.max_mr = (u32)attr->max_mr,
		.max_pd = (u32)attr->max_pd,
		.max_qp_rd_atom = (u32)attr->max_qp_rd_atom,
		.max_ee_rd_atom = (u32)attr->max_ee_rd_atom,
		.max_res_rd_atom = (u32)attr->max_res_rd_atom,
		.max_qp_init_rd_atom = (u32)attr->max_qp_init_rd_atom,
		.max_ee_init_rd_atom = (u32)attr->max_ee_init_rd_atom,
		.atomic_cap = attr->atomic_cap,
		.max_ee = (u32)attr->max_ee,
		.max_rdd = (u32)attr->max_rdd,
		.max_mw = (u32)attr->max_mw,
		.max_raw_ipv6_qp = (u32)attr->max_raw_ipv6_qp,
		.max_raw_ethy_qp = (u32)attr->max_raw_ethy_qp,
		.max_mcast_grp = (u32)attr->max_mcast_grp,
		.max_mcast_qp_attach = (u32)attr->max_mcast_qp_attach,
		.max_total_mcast_qp_attach = (u32)attr->max_total_mcast_qp_attach,
		.max_ah = (u32)attr->max_ah,
		.max_srq = (u32)attr->max_srq,
		.max_srq_wr = (u32)attr->max_srq_wr,
		.max_srq_sge = (u32)attr->max_srq_sge,
		.max_pkeys = attr->max_pkeys,
		.local_ca_ack_delay = attr->local_ca_ack_delay,
		.phys_port_cnt = (u8)device->phys_port_cnt,
	};
}

int uverbs_cmd_query_device(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_query_device_resp response;

	fill_base(uverbs_device_of(attrs), &response);
	return uverbs_response(attrs, &response, sizeof(response));
}

static void fill_extended(struct ib_device *device, struct ib_uverbs_ex_query_device_resp *r)
{
	const struct ib_device_attr *attr = &device->attrs;

	fill_base(device, &r->base);
	r->odp_caps.general_caps = attr->odp_caps.general_caps;
	r->odp_caps.per_transport_caps.rc_odp_caps = attr->odp_caps.per_transport_caps.rc_odp_caps;
	r->odp_caps.per_transport_caps.uc_odp_caps = attr->odp_caps.per_transport_caps.uc_odp_caps;
	r->odp_caps.per_transport_caps.ud_odp_caps = attr->odp_caps.per_transport_caps.ud_odp_caps;
	r->xrc_odp_caps = attr->odp_caps.per_transport_caps.xrc_odp_caps;
	r->timestamp_mask = attr->timestamp_mask;
	r->hca_core_clock = attr->hca_core_clock;
	r->device_cap_flags_ex = attr->device_cap_flags;
	r->rss_caps.supported_qpts = attr->rss_caps.supported_qpts;
	r->rss_caps.max_rwq_indirection_tables = attr->rss_caps.max_rwq_indirection_tables;
	r->rss_caps.max_rwq_indirection_table_size = attr->rss_caps.max_rwq_indirection_table_size;
	r->max_wq_type_rq = attr->max_wq_type_rq;
	r->raw_packet_caps = attr->raw_packet_caps;
	r->tm_caps.max_rndv_hdr_size = attr->tm_caps.max_rndv_hdr_size;
	r->tm_caps.max_num_tags = attr->tm_caps.max_num_tags;
	r->tm_caps.max_ops = attr->tm_caps.max_ops;
	r->tm_caps.max_sge = attr->tm_caps.max_sge;
	r->tm_caps.flags = attr->tm_caps.flags;
	r->cq_moderation_caps.max_cq_moderation_count = attr->cq_caps.max_cq_moderation_count;
	r->cq_moderation_caps.max_cq_moderation_period = attr->cq_caps.max_cq_moderation_period;
	r->max_dm_size = attr->max_dm_size;
}

/* How much of a response of @bytes the program has room for: it is told. */
static u32 response_bytes(const struct uverbs_attr_bundle *attrs, size_t bytes)
{
	return (u32)(attrs->ucore.outlen < bytes ? attrs->ucore.outlen : bytes);
}

int uverbs_cmd_ex_query_device(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_query_device_resp response = {.comp_mask = 0};
	struct ib_uverbs_ex_query_device request;
	struct ib_device *device = uverbs_device_of(attrs);
	struct ib_device_attr attr;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	if (request.comp_mask || request.reserved)
		return base_refuse(-EINVAL, UVERBS_RESERVED, request.comp_mask | request.reserved);
	/* The provider may have a part of its own, or refuse one. */
	ret = device->ops.query_device(device, &attr, &attrs->driver_udata);
	if (ret)
		return ret;
	fill_extended(device, &response);
	response.response_length = response_bytes(attrs, sizeof(response));
	return uverbs_response(attrs, &response, sizeof(response));
}

int uverbs_query_port(struct ib_device *device, u32 port_num,
		      struct ib_uverbs_query_port_resp_ex *response)
{
	struct ib_port_attr attr;
	int ret = ib_query_port(device, port_num, &attr);

	if (ret)
		return ret;
	*response = (struct ib_uverbs_query_port_resp_ex){
		.legacy_resp = {.port_cap_flags = attr.port_cap_flags,
				.max_msg_sz = attr.max_msg_sz,
				.bad_pkey_cntr = attr.bad_pkey_cntr,
				.qkey_viol_cntr = attr.qkey_viol_cntr,
				.gid_tbl_len = (u32)attr.gid_tbl_len,
				.pkey_tbl_len = attr.pkey_tbl_len,
				.lid = (u16)attr.lid,
				.sm_lid = (u16)attr.sm_lid,
				.state = (u8)attr.state,
				.max_mtu = (u8)attr.max_mtu,
				.active_mtu = (u8)attr.active_mtu,
				.lmc = attr.lmc,
				.max_vl_num = attr.max_vl_num,
				.sm_sl = attr.sm_sl,
				.subnet_timeout = attr.subnet_timeout,
				.init_type_reply = attr.init_type_reply,
				.active_width = attr.active_width,
				.active_speed = (u8)attr.active_speed,
				.phys_state = attr.phys_state,
				.link_layer = (u8)rdma_port_get_link_layer(device, port_num),
				.flags = rdma_is_grh_required(device, port_num)
						 ? IB_UVERBS_QPF_GRH_REQUIRED
						 : 0},
		.port_cap_flags2 = attr.port_cap_flags2,
	};
	return 0;
}

int uverbs_cmd_query_port(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_query_port_resp_ex response;
	struct ib_uverbs_query_port request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (!ret)
		ret = uverbs_query_port(uverbs_device_of(attrs), request.port_num, &response);
	return ret ? ret
		   : uverbs_response(attrs, &response.legacy_resp, sizeof(response.legacy_resp));
}
