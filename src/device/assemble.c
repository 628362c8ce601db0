// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The one file that names every layer: core, rdmavt, transport, wire and fabric become a device.
 */
#include <linux/slab.h>
#include <rdma/ib_mad.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/fork.h"
#include "base/umem.h"
#include "core/core_priv.h"
#include "device/faults.h"
#include "device/hca.h"
#include "fabric/fabric.h"
#include "mad/mad.h"
#include "rdmavt/mcast.h"
#include "rdmavt/cq.h"
#include "transport/tp_engine.h"
#include "wire/loop.h"

#define QP_TABLE_SIZE 16384u
#define LOOK_AGAIN_NS 1000000u

struct device_hca {
	struct rvt_dev_info rdi; /* first */
	struct rvt_ibport ports[DEVICE_MAX_PORTS];
	struct tp_engine *tp;
	struct device_place place;
	struct device_profile profile;
	struct device_fault_hooks fault_hooks;
	void *owner;
	bool cut; /* atomic */
	u16 pkeys[DEVICE_MAX_PORTS][DEVICE_MAX_PKEYS];
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

const struct device_profile *device_hca_profile(const struct device_hca *hca)
{
	return &hca->profile;
}

uint32_t device_hca_slot(const struct device_hca *hca, u32 port_num)
{
	return hca->place.slot[port_num - 1];
}

struct subnet_at device_hca_at(const struct device_hca *hca, u32 port_num)
{
	return hca->place.at[port_num - 1];
}

struct device_fault_hooks *device_hca_fault_hooks(struct device_hca *hca)
{
	return &hca->fault_hooks;
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
	return hca->place.ours;
}

static const struct fabric_port *fabric_port(const struct device_hca *hca, u32 port_num)
{
	return &hca->place.fabric->ports[device_hca_slot(hca, port_num)];
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

static bool is_cut(const struct device_hca *hca, u32 port_num)
{
	return __atomic_load_n(&hca->cut, __ATOMIC_ACQUIRE) ||
	       fabric_faults_cut(&hca->place.faults->faults, device_hca_slot(hca, port_num));
}

static int query_port_state(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props)
{
	const struct device_hca *hca = hca_of_rdi(rdi);
	const struct device_port_profile *profile = &hca->profile.port[port_num - 1];
	const struct fabric_port *port = fabric_port(hca, port_num);
	const bool up = __atomic_load_n(&port->up, __ATOMIC_ACQUIRE) && !is_cut(hca, port_num);

	props->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	props->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_POLLING;
	props->lid = port->config.lid;
	props->lmc = port->config.lmc;
	props->sm_lid = port->config.lid;
	props->gid_tbl_len = (int)hca->profile.gid_count;
	props->max_mtu = IB_MTU_4096;
	props->active_mtu = profile->mtu;
	props->max_vl_num = 1;
	props->active_width = (u8)profile->width;
	props->active_speed = (u16)profile->speed;
	return 0;
}

/* What a port of a subnet says of itself. */
static int query_subnet(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props)
{
	const struct device_hca *hca = hca_of_rdi(rdi);
	struct subnet_port_view view;
	int ret = subnet_query_port(hca->place.subnet, device_hca_at(hca, port_num), &view);

	if (ret)
		return ret;
	if (is_cut(hca, port_num))
		view.state = IB_PORT_DOWN;
	props->state = view.state;
	props->phys_state = view.phys_state;
	props->lid = view.lid;
	props->lmc = view.lmc;
	props->sm_lid = view.sm_lid;
	props->sm_sl = view.sm_sl;
	props->port_cap_flags = view.cap_mask;
	props->gid_tbl_len = (int)hca->profile.gid_count;
	props->max_mtu = view.mtu_cap;
	props->active_mtu = view.mtu_active;
	props->max_vl_num = view.vl_cap;
	props->init_type_reply = view.init_type_reply;
	props->subnet_timeout = view.subnet_timeout;
	props->active_width = view.width_active;
	props->active_speed = view.speed_active;
	props->bad_pkey_cntr = view.pkey_violations;
	props->qkey_viol_cntr = view.qkey_violations;
	return 0;
}

static u32 number_of(const struct device_hca *hca, const struct rvt_ibport *port)
{
	return (u32)(port - hca->ports) + 1;
}

static int get_guid_be(struct rvt_dev_info *rdi, struct rvt_ibport *rvp, int guid_index,
		       __be64 *guid)
{
	const struct device_hca *hca = hca_of_rdi(rdi);

	if (guid_index)
		return -EINVAL;
	*guid = cpu_to_be64(fabric_port(hca, number_of(hca, rvp))->config.guid);
	return 0;
}

/* Entries to which no GUID was assigned are empty: a prefix alone would be nobody's address. */
static int query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid)
{
	const struct device_hca *hca = device_hca_of(device);

	if (index < 0 || (u32)index >= hca->profile.gid_count)
		return base_refuse(-EINVAL, GID_INDEX, (u32)index, port_num,
				   hca->profile.gid_count);
	*gid = (union ib_gid){.raw = {0}};
	if (index)
		return 0;
	gid->global.subnet_prefix = hca->ports[port_num - 1].gid_prefix;
	gid->global.interface_id = cpu_to_be64(fabric_port(hca, port_num)->config.guid);
	return 0;
}

static int shut_down_port(struct rvt_dev_info *rdi, u32 port_num)
{
	device_hca_set_link(hca_of_rdi(rdi), port_num, false);
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

/* What the port's own firmware says. */
static int process_mad(struct ib_device *device, int flags, u32 port_num, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_bytes, u16 *out_pkey_index)
{
	const struct device_hca *hca = device_hca_of(device);
	struct subnet_mad asked = {.slid = (uint16_t)wc->slid,
				   .sl = wc->sl,
				   .src_qpn = wc->src_qp,
				   .has_grh = grh != NULL};
	struct subnet_mad answer;
	int ret;

	memcpy(asked.data, in, sizeof(asked.data));
	asked.dest_qpn = in->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
					 in->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE
				 ? 0
				 : 1;
	ret = subnet_process_mad(hca->place.subnet, device_hca_at(hca, port_num), flags, &asked,
				 &answer);
	if (ret & IB_MAD_RESULT_REPLY) {
		memcpy(out, answer.data, sizeof(*out));
		*out_bytes = sizeof(*out);
		*out_pkey_index = wc->pkey_index;
	}
	return ret;
}

static const struct ib_device_ops subnet_device_ops = {
	.process_mad = process_mad,
};

/* Last of all: rdmavt has set its own operations and version after ours. */
static int enable_driver(struct ib_device *device)
{
	struct device_hca *hca = device_hca_of(device);
	const struct device_profile *profile = &hca->profile;

	if (profile->personality == VERBENA_PERSONALITY_HFI1_V1)
		device->ops.uverbs_abi_ver = 1;
	if (device_profile_without_srq(profile))
		device->ops.create_srq = NULL;
	device_faults_hook(hca->place.faults, hca, &hca->fault_hooks);
	return 0;
}

static const struct ib_device_ops hca_ops = {
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.attach_mcast = attach_mcast,
	.detach_mcast = detach_mcast,
	.modify_device = modify_device,
	.port_groups = no_groups,
	.get_dev_fw_str = get_dev_fw_str,
	.query_gid = query_gid,
	.enable_driver = enable_driver,
};

static const struct ib_device_ops rxe_ops = {
	.driver_id = RDMA_DRIVER_RXE,
};

static const struct ib_device_ops hfi1_ops = {
	.driver_id = RDMA_DRIVER_HFI1,
};

static const struct ib_device_ops *const personality_ops[] = {
	[VERBENA_PERSONALITY_RXE] = &rxe_ops,
	[VERBENA_PERSONALITY_HFI1] = &hfi1_ops,
	[VERBENA_PERSONALITY_HFI1_V1] = &hfi1_ops,
};

static void set_params(struct device_hca *hca)
{
	const struct device_profile *profile = &hca->profile;
	struct rvt_driver_params *p = &hca->rdi.dparms;

	p->props = profile->props;
	if (!p->props.sys_image_guid)
		p->props.sys_image_guid = hca->rdi.ibdev.node_guid;
	p->props.max_pkeys = (u16)profile->pkey_count;
	p->lkey_table_size = DEVICE_KEY_BITS;
	p->mr_entries = hca->place.keys;
	p->mr_first = hca->place.first_key;
	p->qp_table_size = QP_TABLE_SIZE;
	p->qpn_start = 1;
	p->qpn_inc = 1;
	p->qpn_res_start = RVT_KDETH_QP_BASE;
	p->qpn_res_end = RVT_AIP_QP_MAX;
	p->nports = (int)profile->hca.ports;
	p->npkeys = (int)profile->pkey_count;
	p->node = -1;
	p->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	p->max_mad_size = IB_MGMT_MAD_SIZE;
	p->max_rdma_atomic = (u8)profile->props.max_qp_rd_atom;
	p->max_inline = profile->max_inline;
	p->reserved_operations = 1;
	p->keys_same = profile->keys_same;
}

static void set_ports(struct device_hca *hca)
{
	for (u32 i = 0; i < hca->profile.hca.ports; i++) {
		struct rvt_ibport *port = &hca->ports[i];

		memcpy(hca->pkeys[i], hca->profile.pkeys, sizeof(hca->pkeys[i]));
		spin_lock_init(&port->lock);
		port->gid_prefix = cpu_to_be64(hca->place.fabric->subnet_prefix);
		port->sm_lid = fabric_port(hca, i + 1)->config.lid;
		port->subnet_timeout = 18;
		rvt_init_port(&hca->rdi, port, (int)i, hca->pkeys[i]);
	}
}

static void set_callbacks(struct rvt_driver_provided *f)
{
	f->get_pci_dev = get_pci_dev;
	f->query_port_state = query_port_state;
	f->get_guid_be = get_guid_be;
	f->shut_down_port = shut_down_port;
	f->cap_mask_chg = cap_mask_chg;
}

static void set_addresses(struct device_hca *hca, u32 port_num)
{
	const struct fabric_port_config *config = &fabric_port(hca, port_num)->config;
	const enum ib_mtu mtu = hca->profile.port[port_num - 1].mtu;
	struct tp_port_addr addr = {.lid = READ_ONCE(config->lid),
				    .lmc = READ_ONCE(config->lmc),
				    .mtu_bytes = (uint16_t)ib_mtu_enum_to_int(mtu)};
	const __be64 prefix = cpu_to_be64(hca->place.fabric->subnet_prefix);
	const __be64 guid = cpu_to_be64(config->guid);

	memcpy(addr.gid, &prefix, sizeof(prefix));
	memcpy(addr.gid + sizeof(prefix), &guid, sizeof(guid));
	tp_port_set_addr(tp_engine_port(hca->tp, port_num), &addr);
}

static void set_names(struct device_hca *hca, const char *hostname)
{
	const struct device_profile *profile = &hca->profile;
	struct ib_device *device = &hca->rdi.ibdev;
	const char *name = strchr(profile->name, '%') ? "verbena" : profile->name;

	snprintf(device->name, sizeof(device->name), "%s", profile->name);
	if (profile->node_desc[0])
		memcpy(device->node_desc, profile->node_desc, sizeof(device->node_desc));
	else
		snprintf(device->node_desc, sizeof(device->node_desc), "%.*s %.22s",
			 (int)DEVICE_MAX_HOST_NAME, hostname, name);
	memcpy(device->board_id, profile->board_id, sizeof(profile->board_id));
	device->node_guid = cpu_to_be64(profile->node_guid ? profile->node_guid
							   : fabric_port(hca, 1)->config.guid);
}

static void unplug_all(struct device_hca *hca, u32 ports)
{
	while (ports > 0)
		hca->place.unplug(hca->place.wire, hca->place.slot[--ports]);
}

static int plug_all(struct device_hca *hca)
{
	for (u32 i = 0; i < hca->profile.hca.ports; i++) {
		const int ret = hca->place.plug(hca->place.wire, hca->place.slot[i],
						tp_engine_port(hca->tp, i + 1));

		if (ret) {
			unplug_all(hca, i);
			return ret;
		}
		set_addresses(hca, i + 1);
	}
	return 0;
}

/* Everything that can fail between transport and registration, undone backwards. */
static int start(struct device_hca *hca)
{
	struct ib_device *device = &hca->rdi.ibdev;
	int ret = tp_engine_init(&hca->tp, &hca->rdi);

	if (ret)
		return ret;
	ret = plug_all(hca);
	if (ret)
		goto free_engine;
	device->phys_port_cnt = hca->profile.hca.ports;
	device->num_comp_vectors = 1;
	if (hca->profile.personality)
		ib_set_device_ops(device, personality_ops[hca->profile.personality]);
	ib_set_device_ops(device, &hca_ops);
	if (hca->place.subnet)
		ib_set_device_ops(device, &subnet_device_ops);
	ret = rvt_register_device(&hca->rdi);
	if (!ret)
		return 0;
	unplug_all(hca, hca->profile.hca.ports);
free_engine:
	tp_engine_free(hca->tp);
	return ret;
}

int device_hca_check(const char *hostname)
{
	const size_t bytes = hostname ? strlen(hostname) : 0;

	if (!bytes || bytes > DEVICE_MAX_HOST_NAME)
		return base_refuse(-EINVAL, HOST_NAME, bytes, DEVICE_MAX_HOST_NAME);
	return base_umem_init();
}

struct device_hca *device_hca_new_at(const struct device_place *place, const char *hostname,
				     const struct device_profile *profile, void *owner)
{
	struct rvt_dev_info *rdi;
	struct device_hca *hca;
	int ret;

	rdi = rvt_alloc_device(sizeof(*hca), (int)profile->hca.ports);
	if (!rdi)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*hca)));
	hca = hca_of_rdi(rdi);
	hca->place = *place;
	hca->profile = *profile;
	hca->owner = owner;
	set_names(hca, hostname);
	set_params(hca);
	set_ports(hca);
	set_callbacks(&rdi->driver_f);
	if (place->subnet)
		rdi->driver_f.query_port_state = query_subnet;
	rdi->driver_f.alloc_qpn = place->alloc_qpn;
	ret = ib_mad_init();
	if (ret)
		goto dealloc_device;
	ret = start(hca);
	if (!ret)
		return hca;
	ib_mad_cleanup();
dealloc_device:
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

static int add_ports(struct fabric *fabric, const struct device_profile *profile, uint32_t *slot)
{
	for (u32 i = 0; i < profile->hca.ports; i++) {
		const int ret = fabric_port_add(fabric, &profile->hca.port[i], &slot[i]);

		if (!ret)
			continue;
		while (i > 0)
			fabric_port_remove(fabric, slot[--i]);
		return ret;
	}
	return 0;
}

static void remove_ports(struct fabric *fabric, const uint32_t *slot, u32 count)
{
	for (u32 i = 0; i < count; i++)
		fabric_port_remove(fabric, slot[i]);
}

struct device_hca *device_hca_new(struct fabric *fabric, struct wire_loop *wire,
				  struct device_faults *faults, const char *hostname,
				  const struct device_profile *profile)
{
	struct device_place place = {.fabric = fabric,
				     .ours = fabric,
				     .plug = plug,
				     .unplug = unplug,
				     .wire = wire,
				     .faults = faults};
	struct device_hca *hca;
	int ret = device_hca_check(hostname);

	if (!ret)
		ret = add_ports(fabric, profile, place.slot);
	if (ret)
		return ERR_PTR(ret);
	hca = device_hca_new_at(&place, hostname, profile, NULL);
	if (IS_ERR(hca))
		remove_ports(fabric, place.slot, profile->hca.ports);
	return hca;
}

static void free_engine(struct ib_device *device)
{
	const struct device_hca *hca = device_hca_of(device);

	tp_engine_free(hca->tp);
	if (hca->place.put_keys)
		hca->place.put_keys(hca->place.keys);
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
	device_faults_unhook(&hca->fault_hooks);
	if (hca->rdi.qp_dev)
		rvt_qp_iter(&hca->rdi, 0, wait_for_flush);
	unplug_all(hca, hca->profile.hca.ports);
	if (hca->place.ours)
		remove_ports(hca->place.ours, hca->place.slot, hca->profile.hca.ports);
	ib_device_when_idle(&hca->rdi.ibdev, free_engine);
	rvt_dealloc_device(&hca->rdi);
	ib_mad_cleanup();
}

static void raise_port_event(struct device_hca *hca, u32 port_num, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &hca->rdi.ibdev, .element = {.port_num = port_num}, .event = type};

	ib_dispatch_event(&event);
}

void device_hca_link_changed(struct device_hca *hca, u32 port_num, bool up)
{
	if (!is_cut(hca, port_num))
		raise_port_event(hca, port_num, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

/* The P_Keys that a manager has set, as far as the table goes. */
static void take_pkeys(struct device_hca *hca, u32 port_num)
{
	for (u32 i = 0; i < hca->profile.pkey_count; i++) {
		u16 pkey = 0;

		(void)subnet_query_pkey(hca->place.subnet, device_hca_at(hca, port_num), (u16)i,
					&pkey);
		WRITE_ONCE(hca->pkeys[port_num - 1][i], pkey);
	}
}

void device_hca_refresh(struct device_hca *hca, u32 port_num)
{
	struct subnet_port_view view;

	if (subnet_query_port(hca->place.subnet, device_hca_at(hca, port_num), &view))
		return;
	WRITE_ONCE(hca->ports[port_num - 1].gid_prefix, cpu_to_be64(view.subnet_prefix));
	set_addresses(hca, port_num);
	take_pkeys(hca, port_num);
}

void device_hca_port_changed(struct device_hca *hca, u32 port_num, uint32_t what)
{
	static const struct {
		uint32_t bit;
		enum ib_event_type event;
	} events[] = {
		{SUBNET_CHANGED_LID, IB_EVENT_LID_CHANGE},
		{SUBNET_CHANGED_SM, IB_EVENT_SM_CHANGE},
		{SUBNET_CHANGED_REREGISTER, IB_EVENT_CLIENT_REREGISTER},
		{SUBNET_CHANGED_GID, IB_EVENT_GID_CHANGE},
		{SUBNET_CHANGED_PKEY, IB_EVENT_PKEY_CHANGE},
	};
	const struct fabric_port *port = fabric_port(hca, port_num);

	if (what & SUBNET_CHANGED_STATE)
		device_hca_link_changed(hca, port_num,
					__atomic_load_n(&port->up, __ATOMIC_ACQUIRE));
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (what & events[i].bit)
			raise_port_event(hca, port_num, events[i].event);
}

static int ask_owner(struct device_hca *hca, u32 port_num, bool up, bool wait)
{
	const uint32_t slot = device_hca_slot(hca, port_num);

	if (!hca->place.set_link)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return hca->place.set_link(hca->owner, slot, up, wait);
}

/* While nobody manages the fabric a port that goes down does so for this process alone. */
static bool change_link(struct device_hca *hca, u32 port_num, bool up)
{
	const uint32_t slot = device_hca_slot(hca, port_num);

	if (!hca->place.set_link && hca->place.ours)
		return fabric_port_set_link(hca->place.ours, slot, up);
	if (!ask_owner(hca, port_num, up, false) && !up)
		return false;
	return fabric_faults_set_cut(&hca->place.faults->faults, slot, !up);
}

void device_hca_set_link(struct device_hca *hca, u32 port_num, bool up)
{
	if (change_link(hca, port_num, up))
		raise_port_event(hca, port_num, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

int device_hca_ask_link(struct device_hca *hca, u32 port_num, bool up)
{
	if (hca->place.set_link || !hca->place.ours)
		return ask_owner(hca, port_num, up, true);
	device_hca_set_link(hca, port_num, up);
	return 0;
}

void device_hca_set_cut(struct device_hca *hca, bool cut)
{
	if (__atomic_exchange_n(&hca->cut, cut, __ATOMIC_ACQ_REL) == cut)
		return;
	for (u32 port_num = 1; port_num <= hca->profile.hca.ports; port_num++)
		if (__atomic_load_n(&fabric_port(hca, port_num)->up, __ATOMIC_ACQUIRE))
			raise_port_event(hca, port_num,
					 cut ? IB_EVENT_PORT_ERR : IB_EVENT_PORT_ACTIVE);
}

void device_hca_add_stats(const struct device_hca *hca, struct verbena_stats *stats)
{
	for (u32 i = 0; i < hca->profile.hca.ports; i++) {
		const struct rvt_ibport *port = &hca->ports[i];

		stats->retransmitted += READ_ONCE(port->n_rc_resends);
		stats->timeouts += READ_ONCE(port->n_rc_timeouts);
		stats->seq_naks += READ_ONCE(port->n_seq_naks);
		stats->rnr_naks += READ_ONCE(port->n_rnr_naks);
	}
}

static void copy_drops(const struct tp_port *port, struct base_traffic *to)
{
#define COPY(field, reason) \
	__atomic_store_n(&to->field, tp_port_drops(port, TP_DROP_##reason), __ATOMIC_RELAXED)
	COPY(malformed, MALFORMED);
	COPY(bad_pkey, PKEY);
	COPY(bad_qkey, QKEY);
	COPY(no_receive, NO_RECEIVE);
	COPY(bad_length, LENGTH);
#undef COPY
}

void device_hca_errors(const struct device_hca *hca, struct base_report_port *report)
{
	for (u32 i = 0; i < hca->profile.hca.ports; i++) {
		const struct rvt_ibport *port = &hca->ports[i];
		struct base_traffic *to = &report[i].errors;

#define COPY(to_field, field) \
	__atomic_store_n(&to->to_field, READ_ONCE(port->field), __ATOMIC_RELAXED)
		COPY(duplicates, n_rc_dupreq);
		COPY(gaps, n_rc_seqnak);
		COPY(rnr_naks, n_rnr_naks);
		COPY(sequence_naks, n_seq_naks);
		COPY(resent, n_rc_resends);
		COPY(timeouts, n_rc_timeouts);
		COPY(dropped, n_pkt_drops);
#undef COPY
		copy_drops(tp_engine_port(hca->tp, i + 1), to);
	}
}

void device_hca_set_loopback(struct device_hca *hca, bool on)
{
	tp_engine_set_loopback(hca->tp, on);
}

void device_hcas_forked(void)
{
	base_forked();
	core_forked();
	mad_forked();
	rvt_cq_forked();
}
