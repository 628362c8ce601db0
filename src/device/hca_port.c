// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The ports of an HCA: what they say of themselves, addresses, links, events. */
#include <linux/err.h>
#include <rdma/rdmavt_qp.h>
#include <string.h>

#include "base/cause.h"
#include "device/hca_priv.h"
#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "transport/tp_engine.h"

static const struct fabric_port *fabric_port(const struct device_hca *hca, u32 port_num)
{
	return &hca->place.fabric->ports[device_hca_slot(hca, port_num)];
}

static void tell_subnet(const struct device_hca *hca, int mask,
			const struct ib_device_modify *change)
{
	const uint32_t node = device_hca_at(hca, 1).node;

	if (!hca->place.subnet)
		return;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		subnet_set_description(hca->place.subnet, node, change->node_desc);
	if (mask & IB_DEVICE_MODIFY_SYS_IMAGE_GUID)
		subnet_set_system_guid(hca->place.subnet, node, change->sys_image_guid);
}

int device_hca_modify(struct ib_device *device, int mask, struct ib_device_modify *change)
{
	if (mask & ~(IB_DEVICE_MODIFY_SYS_IMAGE_GUID | IB_DEVICE_MODIFY_NODE_DESC))
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(device->node_desc, change->node_desc, sizeof(device->node_desc));
	if (mask & IB_DEVICE_MODIFY_SYS_IMAGE_GUID)
		ib_to_rvt(device)->dparms.props.sys_image_guid =
			cpu_to_be64(change->sys_image_guid);
	tell_subnet(device_hca_of(device), mask, change);
	return 0;
}

u64 device_hca_port_guid(const struct device_hca *hca, u32 port_num)
{
	return fabric_port(hca, port_num)->config.guid;
}

static bool is_cut(const struct device_hca *hca, u32 port_num)
{
	return __atomic_load_n(&hca->cut, __ATOMIC_ACQUIRE) ||
	       fabric_faults_cut(&hca->place.faults->faults, device_hca_slot(hca, port_num));
}

static int query_port_state(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props)
{
	const struct device_hca *hca = device_hca_of_rdi(rdi);
	const struct device_port_profile *profile = &hca->profile.port[port_num - 1];
	const struct fabric_port *port = fabric_port(hca, port_num);
	const bool up = __atomic_load_n(&port->up, __ATOMIC_ACQUIRE) && !is_cut(hca, port_num);

	props->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	props->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_POLLING;
	props->lid = READ_ONCE(port->config.lid);
	props->lmc = READ_ONCE(port->config.lmc);
	props->sm_lid = props->lid;
	props->gid_tbl_len = (int)hca->profile.gid_count;
	props->max_mtu = IB_MTU_4096;
	props->active_mtu = profile->mtu;
	props->max_vl_num = 1;
	props->active_width = (u8)profile->width;
	props->active_speed = (u16)profile->speed;
	return 0;
}

/* What a port of a subnet says of itself. */
static void look(const struct device_hca *hca, u32 port_num, struct directory_view *view)
{
	hca->place.view(hca->place.viewer, device_hca_slot(hca, port_num), view);
}

static int query_view(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props)
{
	const struct device_hca *hca = device_hca_of_rdi(rdi);
	struct directory_view view;
	const struct subnet_port_view *port = &view.port;

	look(hca, port_num, &view);
	props->state = is_cut(hca, port_num) ? IB_PORT_DOWN : port->state;
	props->phys_state = port->phys_state;
	props->lid = port->lid;
	props->lmc = port->lmc;
	props->sm_lid = port->sm_lid;
	props->sm_sl = port->sm_sl;
	props->port_cap_flags = port->cap_mask;
	props->gid_tbl_len = (int)hca->profile.gid_count;
	props->max_mtu = port->mtu_cap;
	props->active_mtu = port->mtu_active;
	props->max_vl_num = port->vl_cap;
	props->init_type_reply = port->init_type_reply;
	props->subnet_timeout = port->subnet_timeout;
	props->active_width = port->width_active;
	props->active_speed = port->speed_active;
	props->bad_pkey_cntr = port->pkey_violations;
	props->qkey_viol_cntr = port->qkey_violations;
	return 0;
}

static u32 number_of(const struct device_hca *hca, const struct rvt_ibport *port)
{
	return (u32)(port - hca->ports) + 1;
}

static int get_guid_be(struct rvt_dev_info *rdi, struct rvt_ibport *rvp, int guid_index,
		       __be64 *guid)
{
	const struct device_hca *hca = device_hca_of_rdi(rdi);

	if (guid_index)
		return -EINVAL;
	*guid = cpu_to_be64(fabric_port(hca, number_of(hca, rvp))->config.guid);
	return 0;
}

/* The port's own, or, of a subnet, one that its manager has added; 0: none. */
static u64 guid_of(const struct device_hca *hca, u32 port_num, u16 index)
{
	struct directory_view view;

	if (!index)
		return fabric_port(hca, port_num)->config.guid;
	if (!hca->place.view || index >= DIRECTORY_GUIDS)
		return 0;
	look(hca, port_num, &view);
	return view.guid[index];
}

/* Entries to which no GUID was assigned are empty: a prefix alone would be nobody's address. */
int device_hca_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid)
{
	const struct device_hca *hca = device_hca_of(device);
	u64 guid;

	if (index < 0 || (u32)index >= hca->profile.gid_count)
		return base_refuse(-EINVAL, GID_INDEX, (u32)index, port_num,
				   hca->profile.gid_count);
	*gid = (union ib_gid){.raw = {0}};
	guid = guid_of(hca, port_num, (u16)index);
	if (!guid)
		return 0;
	gid->global.subnet_prefix = READ_ONCE(hca->ports[port_num - 1].gid_prefix);
	gid->global.interface_id = cpu_to_be64(guid);
	return 0;
}

static int shut_down_port(struct rvt_dev_info *rdi, u32 port_num)
{
	device_hca_set_link(device_hca_of_rdi(rdi), port_num, false);
	return 0;
}

/* What a program has set since, and what it has taken back; without a subnet nobody asks. */
static void cap_mask_chg(struct rvt_dev_info *rdi, u32 port_num)
{
	struct device_hca *hca = device_hca_of_rdi(rdi);
	const u32 now = READ_ONCE(hca->ports[port_num - 1].port_cap_flags);
	const u32 before =
		__atomic_exchange_n(&hca->cap_flags[port_num - 1], now, __ATOMIC_ACQ_REL);

	if (hca->place.subnet)
		subnet_set_cap_mask(hca->place.subnet, device_hca_at(hca, port_num), now,
				    before & ~now);
}

void device_hca_set_ports(struct device_hca *hca)
{
	for (u32 i = 0; i < hca->profile.hca.ports; i++) {
		struct rvt_ibport *port = &hca->ports[i];

		memcpy(hca->pkeys[i], hca->profile.pkeys, sizeof(hca->pkeys[i]));
		spin_lock_init(&port->lock);
		port->gid_prefix = cpu_to_be64(hca->place.fabric->subnet_prefix);
		port->sm_lid = READ_ONCE(fabric_port(hca, i + 1)->config.lid);
		port->subnet_timeout = 18;
		rvt_init_port(&hca->rdi, port, (int)i, hca->pkeys[i]);
	}
}

void device_hca_set_port_ops(struct device_hca *hca)
{
	struct rvt_driver_provided *f = &hca->rdi.driver_f;

	f->query_port_state = hca->place.view ? query_view : query_port_state;
	f->get_guid_be = get_guid_be;
	f->shut_down_port = shut_down_port;
	f->cap_mask_chg = cap_mask_chg;
}

void device_hca_set_addresses(struct device_hca *hca, u32 port_num)
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

void device_hca_refresh(struct device_hca *hca, u32 port_num)
{
	struct directory_view view;

	if (!hca->place.view)
		return;
	look(hca, port_num, &view);
	WRITE_ONCE(hca->ports[port_num - 1].gid_prefix, cpu_to_be64(view.port.subnet_prefix));
	device_hca_set_addresses(hca, port_num);
	/* The P_Keys that a manager has set, as far as the table goes. */
	for (u32 i = 0; i < hca->profile.pkey_count; i++)
		WRITE_ONCE(hca->pkeys[port_num - 1][i], view.pkey[i]);
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
