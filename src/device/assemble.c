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
#include "device/hca_priv.h"
#include "fabric/fabric.h"
#include "mad/mad.h"
#include "rdmavt/mcast.h"
#include "rdmavt/cq.h"
#include "transport/tp_engine.h"
#include "wire/loop.h"

#define QP_TABLE_SIZE 16384u
#define LOOK_AGAIN_NS 1000000u

struct device_hca *device_hca_of(struct ib_device *device)
{
	return device_hca_of_rdi(ib_to_rvt(device));
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

static struct pci_dev *get_pci_dev(struct rvt_dev_info *rdi)
{
	(void)rdi;
	return NULL;
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

static int claim(void *ctx, const struct mad_claim *claim)
{
	const struct device_hca *hca = ctx;

	return hca->place.claim(hca->owner, device_hca_slot(hca, claim->port_num), claim);
}

static void disclaim(void *ctx, const struct mad_claim *claim)
{
	const struct device_hca *hca = ctx;

	hca->place.disclaim(hca->owner, claim);
}

static void own_mads(struct device_hca *hca)
{
	hca->mad_owner = (struct mad_owner){
		.device = &hca->rdi.ibdev, .claim = claim, .disclaim = disclaim, .ctx = hca};
	if (hca->place.claim)
		mad_own(&hca->mad_owner);
}

static void let_go_of_mads(struct device_hca *hca)
{
	if (hca->place.claim)
		mad_let_go(&hca->mad_owner);
}

/* Last of all: rdmavt has set its own operations and version after ours. */
static int enable_driver(struct ib_device *device)
{
	struct device_hca *hca = device_hca_of(device);
	const struct device_profile *profile = &hca->profile;

	if (profile->personality == VERBENA_PERSONALITY_HFI1_V1)
		device->ops.uverbs_abi_ver = 1;
	if (hca->place.hidden)
		device->kverbs_provider = 0;
	if (device_profile_without_srq(profile))
		device->ops.create_srq = NULL;
	device_faults_hook(hca->place.faults, hca, &hca->fault_hooks);
	return 0;
}

static const struct ib_device_ops hca_ops = {
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.attach_mcast = attach_mcast,
	.detach_mcast = detach_mcast,
	.modify_device = device_hca_modify,
	.port_groups = no_groups,
	.get_dev_fw_str = get_dev_fw_str,
	.query_gid = device_hca_query_gid,
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
	device->node_guid =
		cpu_to_be64(profile->node_guid ? profile->node_guid : device_hca_port_guid(hca, 1));
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
		device_hca_set_addresses(hca, i + 1);
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
	hca = device_hca_of_rdi(rdi);
	hca->place = *place;
	hca->profile = *profile;
	hca->owner = owner;
	set_names(hca, hostname);
	set_params(hca);
	device_hca_set_ports(hca);
	rdi->driver_f.get_pci_dev = get_pci_dev;
	device_hca_set_port_ops(hca);
	rdi->driver_f.alloc_qpn = place->alloc_qpn;
	ret = ib_mad_init();
	if (ret)
		goto dealloc_device;
	own_mads(hca);
	ret = start(hca);
	if (!ret)
		return hca;
	let_go_of_mads(hca);
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
	let_go_of_mads(hca);
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
