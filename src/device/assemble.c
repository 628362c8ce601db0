// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The one file that names every layer: core, rdmavt, transport, wire and fabric become a device.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/fork.h"
#include "base/umem.h"
#include "core/core_priv.h"
#include "device/hca.h"
#include "fabric/fabric.h"
#include "rdmavt/mcast.h"
#include "rdmavt/cq.h"
#include "transport/tp_engine.h"
#include "wire/loop.h"

#define PORT_NUM 1u
#define LKEY_TABLE_BITS 16u
#define QP_TABLE_SIZE 16384u
#define MAX_RD_ATOMIC 16u
#define VENDOR_ID 0x0056u
#define LOCAL_ACK_DELAY 15u
#define GID_TABLE_LENGTH 8
#define LOOK_AGAIN_NS 1000000u
/* What a ring of stock user libraries holds. */
#define USER_MAX_CQE 32767
#define USER_MAX_QP_WR 16383

struct device_hca {
	struct rvt_dev_info rdi; /* first */
	struct rvt_ibport port;
	struct tp_engine *tp;
	struct device_place place;
	struct fabric *fabric; /* ours to change, or NULL */
	enum ib_mtu mtu;
	void *owner;
	u16 pkeys[DEVICE_MAX_PKEYS];
};

static struct device_hca *hca_of_rdi(struct rvt_dev_info *rdi)
{
	return container_of(rdi, struct device_hca, rdi);
}

struct device_hca *device_hca_of(struct ib_device *device)
{
	return hca_of_rdi(ib_to_rvt(device));
}

struct ib_device *device_hca_device(struct device_hca *hca)
{
	return &hca->rdi.ibdev;
}

uint32_t device_hca_slot(const struct device_hca *hca)
{
	return hca->place.slot;
}

void device_hca_set_owner(struct device_hca *hca, void *owner)
{
	hca->owner = owner;
}

void *device_hca_owner(const struct device_hca *hca)
{
	return hca->owner;
}

void device_qp_cause(struct ib_qp *qp, struct base_cause *cause)
{
	struct rvt_qp *rvt = ibqp_to_rvtqp(qp->real_qp);

	spin_lock(&rvt->s_lock);
	*cause = rvt->first_cause;
	spin_unlock(&rvt->s_lock);
}

const struct fabric *device_hca_fabric(const struct device_hca *hca)
{
	return hca->fabric;
}

static const struct fabric_port *fabric_port(const struct device_hca *hca)
{
	return &hca->place.fabric->ports[hca->place.slot];
}

static int modify_device(struct ib_device *device, int mask, struct ib_device_modify *change)
{
	if (mask & ~(IB_DEVICE_MODIFY_SYS_IMAGE_GUID | IB_DEVICE_MODIFY_NODE_DESC))
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(device->node_desc, change->node_desc, sizeof(device->node_desc));
	if (mask & IB_DEVICE_MODIFY_SYS_IMAGE_GUID)
		ib_to_rvt(device)->dparms.props.sys_image_guid =
			cpu_to_be64(change->sys_image_guid);
	return 0;
}

static struct pci_dev *get_pci_dev(struct rvt_dev_info *rdi)
{
	(void)rdi;
	return NULL;
}

static int query_port_state(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props)
{
	const struct device_hca *hca = hca_of_rdi(rdi);
	const struct fabric_port *port = fabric_port(hca);
	const bool up = __atomic_load_n(&port->up, __ATOMIC_ACQUIRE);

	(void)port_num;
	props->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	props->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_POLLING;
	props->lid = port->config.lid;
	props->lmc = port->config.lmc;
	props->sm_lid = port->config.lid;
	props->gid_tbl_len = GID_TABLE_LENGTH;
	props->max_mtu = IB_MTU_4096;
	props->active_mtu = hca->mtu;
	props->max_vl_num = 1;
	props->active_width = IB_WIDTH_4X;
	props->active_speed = IB_SPEED_EDR;
	return 0;
}

static int get_guid_be(struct rvt_dev_info *rdi, struct rvt_ibport *rvp, int guid_index,
		       __be64 *guid)
{
	(void)rvp;
	if (guid_index)
		return -EINVAL;
	*guid = cpu_to_be64(fabric_port(hca_of_rdi(rdi))->config.guid);
	return 0;
}

/* Entries to which no GUID was assigned are empty: a prefix alone would be nobody's address. */
static int query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid)
{
	const struct rvt_dev_info *rdi = ib_to_rvt(device);
	const struct fabric_port_config *config = &fabric_port(device_hca_of(device))->config;

	if (index < 0 || index >= GID_TABLE_LENGTH)
		return base_refuse(-EINVAL, GID_INDEX, (u32)index, port_num, GID_TABLE_LENGTH);
	*gid = (union ib_gid){.raw = {0}};
	if (index)
		return 0;
	gid->global.subnet_prefix = rdi->ports[0]->gid_prefix;
	gid->global.interface_id = cpu_to_be64(config->guid);
	return 0;
}

static int shut_down_port(struct rvt_dev_info *rdi, u32 port_num)
{
	(void)port_num;
	device_hca_set_link(hca_of_rdi(rdi), false);
	return 0;
}

/* Nobody asks for the capability mask yet: that is the subnet manager's. */
static void cap_mask_chg(struct rvt_dev_info *rdi, u32 port_num)
{
	(void)rdi;
	(void)port_num;
}

/* Whoever forwards datagrams learns of it first, and forgets it last. */
static int attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	const struct device_hca *hca = device_hca_of(qp->device);
	int ret = hca->place.join ? hca->place.join(hca->owner, gid, true) : 0;

	if (ret)
		return ret;
	ret = rvt_attach_mcast(qp, gid, lid);
	if (ret && hca->place.join)
		(void)hca->place.join(hca->owner, gid, false);
	return ret;
}

static int detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	const struct device_hca *hca = device_hca_of(qp->device);
	const int ret = rvt_detach_mcast(qp, gid, lid);

	if (!ret && hca->place.join)
		(void)hca->place.join(hca->owner, gid, false);
	return ret;
}

static const struct attribute_group *no_groups[] = {NULL};

static void get_dev_fw_str(struct ib_device *device, char *str)
{
	const u64 version = device->attrs.fw_ver;

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%u", (u32)(version >> 32),
		 (u32)(version >> 16) & 0xffffu, (u32)version & 0xffffu);
}

static const struct ib_device_ops hca_ops = {
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.attach_mcast = attach_mcast,
	.detach_mcast = detach_mcast,
	.modify_device = modify_device,
	.port_groups = no_groups,
	.get_dev_fw_str = get_dev_fw_str,
	.query_gid = query_gid,
};

static const struct ib_device_ops rxe_ops = {
	.driver_id = RDMA_DRIVER_RXE,
};

static const struct ib_device_ops hfi1_ops = {
	.driver_id = RDMA_DRIVER_HFI1,
};

/* Last of all: rdmavt has set its own version after ours. */
static int enable_v1(struct ib_device *device)
{
	device->ops.uverbs_abi_ver = 1;
	return 0;
}

static const struct ib_device_ops hfi1_v1_ops = {
	.driver_id = RDMA_DRIVER_HFI1,
	.enable_driver = enable_v1,
};

static const struct ib_device_ops *const personality_ops[] = {
	[VERBENA_PERSONALITY_RXE] = &rxe_ops,
	[VERBENA_PERSONALITY_HFI1] = &hfi1_ops,
	[VERBENA_PERSONALITY_HFI1_V1] = &hfi1_v1_ops,
};

static void set_limits(struct ib_device_attr *props, uint64_t guid)
{
	*props = (struct ib_device_attr){
		.fw_ver = 1,
		.sys_image_guid = cpu_to_be64(guid),
		.max_mr_size = UINT64_MAX,
		.page_size_cap = 0xfffff000u,
		.vendor_id = VENDOR_ID,
		.vendor_part_id = 1,
		.hw_ver = 1,
		.max_qp = 1 << 18,
		.max_qp_wr = 1 << 16,
		.device_cap_flags = IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
				    IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_RC_RNR_NAK_GEN |
				    IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_SYS_IMAGE_GUID |
				    IB_DEVICE_SRQ_RESIZE | IB_DEVICE_MEM_MGT_EXTENSIONS |
				    IB_DEVICE_SHUTDOWN_PORT | IB_DEVICE_MEM_WINDOW |
				    IB_DEVICE_MEM_WINDOW_TYPE_2B | IB_DEVICE_ATOMIC_WRITE,
		.max_send_sge = 32,
		.max_recv_sge = 32,
		.max_sge_rd = 32,
		.max_cq = 1 << 17,
		.max_cqe = 1 << 20,
		.max_mr = 1 << LKEY_TABLE_BITS,
		.max_mw = 1 << 12,
		.max_pd = 1 << 16,
		.max_qp_rd_atom = MAX_RD_ATOMIC,
		.max_res_rd_atom = MAX_RD_ATOMIC << 10,
		.max_qp_init_rd_atom = MAX_RD_ATOMIC,
		.atomic_cap = IB_ATOMIC_GLOB,
		.max_mcast_grp = 1 << 12,
		.max_mcast_qp_attach = 1 << 8,
		.max_total_mcast_qp_attach = 1 << 16,
		.max_ah = 1 << 20,
		.max_srq = 1 << 14,
		.max_srq_wr = 1 << 16,
		.max_srq_sge = 32,
		.max_fast_reg_page_list_len = 1 << 12,
		.max_pkeys = DEVICE_MAX_PKEYS,
		.local_ca_ack_delay = LOCAL_ACK_DELAY,
		.cq_caps = {.max_cq_moderation_count = UINT16_MAX,
			    .max_cq_moderation_period = UINT16_MAX},
	};
}

/* Copies by the processor fault pages in by themselves: any memory may be registered as it is. */
static void set_user_limits(struct ib_device_attr *props, enum verbena_personality personality)
{
	const u32 datagrams = IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_SRQ_RECV;

	if (personality == VERBENA_PERSONALITY_NONE)
		return;
	props->max_cqe = USER_MAX_CQE;
	props->max_qp_wr = USER_MAX_QP_WR;
	props->max_srq_wr = USER_MAX_QP_WR;
	if (personality == VERBENA_PERSONALITY_RXE)
		props->atomic_cap = IB_ATOMIC_HCA; /* as rxe says; UCX believes nothing else */
	props->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	props->odp_caps.general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT;
	props->odp_caps.per_transport_caps.rc_odp_caps =
		datagrams | IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC;
	props->odp_caps.per_transport_caps.uc_odp_caps = datagrams | IB_ODP_SUPPORT_WRITE;
	props->odp_caps.per_transport_caps.ud_odp_caps = datagrams;
}

static void set_params(struct device_hca *hca, const struct verbena_host_options *options)
{
	struct rvt_driver_params *p = &hca->rdi.dparms;

	set_limits(&p->props, fabric_port(hca)->config.guid);
	set_user_limits(&p->props, options->personality);
	p->lkey_table_size = LKEY_TABLE_BITS;
	p->qp_table_size = QP_TABLE_SIZE;
	p->qpn_start = 1;
	p->qpn_inc = 1;
	p->qpn_res_start = RVT_KDETH_QP_BASE;
	p->qpn_res_end = RVT_AIP_QP_MAX;
	p->nports = 1;
	p->npkeys = options->pkeys ? (int)options->pkey_count : 1;
	p->node = -1;
	p->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	p->max_mad_size = IB_MGMT_MAD_SIZE;
	p->max_rdma_atomic = MAX_RD_ATOMIC;
	p->reserved_operations = 1;
	hca->rdi.dparms.keys_same = options->keys_same;
}

static void set_port(struct device_hca *hca, const struct verbena_host_options *options)
{
	struct rvt_ibport *port = &hca->port;

	if (options->pkeys)
		memcpy(hca->pkeys, options->pkeys, options->pkey_count * sizeof(hca->pkeys[0]));
	else
		hca->pkeys[0] = 0xffff;
	spin_lock_init(&port->lock);
	port->gid_prefix = cpu_to_be64(hca->place.fabric->subnet_prefix);
	port->sm_lid = fabric_port(hca)->config.lid;
	port->subnet_timeout = 18;
	rvt_init_port(&hca->rdi, port, 0, hca->pkeys);
}

static void set_callbacks(struct rvt_driver_provided *f)
{
	f->get_pci_dev = get_pci_dev;
	f->query_port_state = query_port_state;
	f->get_guid_be = get_guid_be;
	f->shut_down_port = shut_down_port;
	f->cap_mask_chg = cap_mask_chg;
}

static void set_addresses(struct device_hca *hca)
{
	const struct fabric_port_config *config = &fabric_port(hca)->config;
	struct tp_port_addr addr = {.lid = config->lid,
				    .lmc = config->lmc,
				    .mtu_bytes = (uint16_t)ib_mtu_enum_to_int(hca->mtu)};
	const __be64 prefix = cpu_to_be64(hca->place.fabric->subnet_prefix);
	const __be64 guid = cpu_to_be64(config->guid);

	memcpy(addr.gid, &prefix, sizeof(prefix));
	memcpy(addr.gid + sizeof(prefix), &guid, sizeof(guid));
	tp_port_set_addr(tp_engine_port(hca->tp, PORT_NUM), &addr);
}

static const char *name_of(const struct verbena_host_options *options)
{
	return options->device_name ? options->device_name : "verbena%d";
}

/* Everything that can fail between transport and registration, undone backwards. */
static int start(struct device_hca *hca, const char *hostname,
		 const struct verbena_host_options *options)
{
	struct ib_device *device = &hca->rdi.ibdev;
	int ret = tp_engine_init(&hca->tp, &hca->rdi);

	if (ret)
		return ret;
	ret = hca->place.plug(hca->place.wire, hca->place.slot, tp_engine_port(hca->tp, PORT_NUM));
	if (ret)
		goto free_engine;
	set_addresses(hca);
	snprintf(device->name, sizeof(device->name), "%s", name_of(options));
	snprintf(device->node_desc, sizeof(device->node_desc), "%s %s", hostname,
		 options->device_name ? options->device_name : "verbena");
	device->node_guid = cpu_to_be64(fabric_port(hca)->config.guid);
	device->phys_port_cnt = 1;
	device->num_comp_vectors = 1;
	if (options->personality)
		ib_set_device_ops(device, personality_ops[options->personality]);
	ib_set_device_ops(device, &hca_ops);
	ret = rvt_register_device(&hca->rdi);
	if (!ret)
		return 0;
	hca->place.unplug(hca->place.wire, hca->place.slot);
free_engine:
	tp_engine_free(hca->tp);
	return ret;
}

int device_hca_check(const char *hostname, const struct verbena_host_options *options)
{
	const size_t bytes = hostname ? strlen(hostname) : 0;

	if (!bytes || bytes > DEVICE_MAX_HOST_NAME)
		return base_refuse(-EINVAL, HOST_NAME, bytes, DEVICE_MAX_HOST_NAME);
	if (strlen(name_of(options)) >= IB_DEVICE_NAME_MAX)
		return base_refuse(-EINVAL, DEVICE_NAME_BAD, strlen(name_of(options)));
	if (options->mtu && (options->mtu < IB_MTU_256 || options->mtu > IB_MTU_4096))
		return base_refuse(-EINVAL, HOST_MTU, options->mtu);
	if (options->pkey_count > DEVICE_MAX_PKEYS || !options->pkeys != !options->pkey_count)
		return base_refuse(-EINVAL, HOST_PKEYS, options->pkey_count, DEVICE_MAX_PKEYS);
	if (options->personality < 0 || options->personality > VERBENA_PERSONALITY_HFI1_V1)
		return base_refuse(-EINVAL, HOST_PERSONALITY, options->personality);
	return base_umem_init();
}

struct device_hca *device_hca_new_at(const struct device_place *place, const char *hostname,
				     const struct verbena_host_options *options, void *owner)
{
	struct rvt_dev_info *rdi;
	struct device_hca *hca;
	int ret;

	rdi = rvt_alloc_device(sizeof(*hca), 1);
	if (!rdi)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*hca)));
	hca = hca_of_rdi(rdi);
	hca->place = *place;
	hca->owner = owner;
	hca->mtu = options->mtu ? options->mtu : IB_MTU_4096;
	set_params(hca, options);
	set_port(hca, options);
	set_callbacks(&rdi->driver_f);
	rdi->driver_f.alloc_qpn = place->alloc_qpn;
	ret = start(hca, hostname, options);
	if (!ret)
		return hca;
	rvt_dealloc_device(rdi);
	return ERR_PTR(ret);
}

static int plug(void *wire, uint32_t slot, struct tp_port *port)
{
	return wire_loop_attach(wire, slot, port);
}

static void unplug(void *wire, uint32_t slot)
{
	wire_loop_detach(wire, slot);
}

struct device_hca *device_hca_new(struct fabric *fabric, struct wire_loop *wire,
				  const char *hostname, const struct verbena_host_options *options)
{
	const struct fabric_port_config config = {options->node_guid, options->lid, options->lmc};
	struct device_place place = {
		.fabric = fabric, .plug = plug, .unplug = unplug, .wire = wire};
	struct device_hca *hca;
	int ret = device_hca_check(hostname, options);

	if (!ret)
		ret = fabric_port_add(fabric, &config, &place.slot);
	if (ret)
		return ERR_PTR(ret);
	hca = device_hca_new_at(&place, hostname, options, NULL);
	if (IS_ERR(hca))
		fabric_port_remove(fabric, place.slot);
	else
		hca->fabric = fabric;
	return hca;
}

static void free_engine(struct ib_device *device)
{
	tp_engine_free(device_hca_of(device)->tp);
}

static bool is_flushed(void *arg)
{
	struct rvt_qp *qp = arg;
	bool flushed;

	spin_lock(&qp->s_lock);
	flushed = qp->state == IB_QPS_RESET || qp->s_last == smp_load_acquire(&qp->s_head);
	spin_unlock(&qp->s_lock);
	return flushed;
}

static void wait_for_flush(struct rvt_qp *qp, u64 unused)
{
	(void)unused;
	/* Nobody tells when it is done, so look now and then. */
	while (!base_wait_until(is_flushed, qp, LOOK_AGAIN_NS))
		;
}

/* Of QPs that are left the requests end as flushed; the transport is needed to destroy them. */
void device_hca_free(struct device_hca *hca)
{
	rvt_unregister_device(&hca->rdi);
	if (hca->rdi.qp_dev)
		rvt_qp_iter(&hca->rdi, 0, wait_for_flush);
	hca->place.unplug(hca->place.wire, hca->place.slot);
	if (hca->fabric)
		fabric_port_remove(hca->fabric, hca->place.slot);
	ib_device_when_idle(&hca->rdi.ibdev, free_engine);
	rvt_dealloc_device(&hca->rdi);
}

static void raise_port_event(struct device_hca *hca, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &hca->rdi.ibdev, .element = {.port_num = PORT_NUM}, .event = type};

	ib_dispatch_event(&event);
}

bool device_hca_set_link(struct device_hca *hca, bool up)
{
	if (!hca->fabric || !fabric_port_set_link(hca->fabric, hca->place.slot, up))
		return false;
	raise_port_event(hca, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
	return true;
}

void device_hca_add_stats(const struct device_hca *hca, struct verbena_stats *stats)
{
	stats->retransmitted += READ_ONCE(hca->port.n_rc_resends);
	stats->timeouts += READ_ONCE(hca->port.n_rc_timeouts);
	stats->seq_naks += READ_ONCE(hca->port.n_seq_naks);
	stats->rnr_naks += READ_ONCE(hca->port.n_rnr_naks);
}

void device_hca_set_loopback(struct device_hca *hca, bool on)
{
	tp_engine_set_loopback(hca->tp, on);
}

void device_hcas_forked(void)
{
	base_forked();
	core_forked();
	rvt_cq_forked();
}
