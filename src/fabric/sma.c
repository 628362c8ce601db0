// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Whose business a MAD is; the SMA: keys, methods, the table of attributes. */
#include "fabric/sma.h"

#include <string.h>

#include "fabric/trap.h"

#define SMI_CLASS_VERSION 1
#define SECOND_NS 1000000000u

int firmware_answer(struct subnet *subnet, struct subnet_at at, int flags, struct subnet_mad *mad)
{
	struct subnet_node *node = subnet_node_of(subnet, at.node);

	switch (mad->data[1]) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		return sma_answer(subnet, node, at.port, flags, mad);
	case IB_MGMT_CLASS_PERF_MGMT:
		return pma_answer(subnet, node, at.port, mad);
	case IB_MGMT_CLASS_CONG_MGMT:
		return cca_answer(subnet, node, at.port, mad);
	default:
		return FIRMWARE_SUCCESS;
	}
}

void firmware_refuse(struct subnet_mad *mad, __be16 status)
{
	struct ib_smp *smp = subnet_smp_of(mad);

	smp->method = IB_MGMT_METHOD_GET_RESP;
	smp->status = status;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		smp->status |= IB_SMP_DIRECTION;
}

static __be16 act(struct firmware_query *query, const struct firmware_attribute *attribute,
		  size_t bytes)
{
	__be16 status = FIRMWARE_OK, of_get;

	memcpy(query->asked, query->data, sizeof(query->asked));
	if (query->is_set) {
		if (!attribute->set)
			return FIRMWARE_NOT_HERE;
		status = attribute->set(query);
	}
	memset(query->data, 0, bytes);
	of_get = attribute->get(query);
	return status ? status : of_get;
}

/* Answer a Get or Set by a table; an attribute's data has so many bytes. */
static void look_up(struct firmware_query *query, const struct firmware_attribute *table,
		    size_t count, size_t bytes)
{
	const __be16 id = subnet_smp_of(query->mad)->attr_id;
	__be16 status = FIRMWARE_NOT_HERE;

	for (size_t i = 0; i < count; i++)
		if (table[i].id == id && (!table[i].switches || subnet_is_switch(query->node)))
			status = act(query, &table[i], bytes);
	firmware_refuse(query->mad, status);
}

int firmware_gmp(struct firmware_query *query, uint8_t class_version,
		 const struct firmware_attribute *table, size_t count, size_t bytes)
{
	const struct ib_smp *header = subnet_smp_of(query->mad);

	if (header->method & IB_MGMT_METHOD_RESP || header->method == IB_MGMT_METHOD_TRAP ||
	    header->method == IB_MGMT_METHOD_TRAP_REPRESS)
		return FIRMWARE_SUCCESS;
	query->is_set = header->method == IB_MGMT_METHOD_SET;
	query->modifier = be32_to_cpu(header->attr_mod);
	if (header->class_version != class_version)
		firmware_refuse(query->mad, FIRMWARE_BAD_VERSION);
	else if (header->method != IB_MGMT_METHOD_GET && !query->is_set)
		firmware_refuse(query->mad, FIRMWARE_BAD_METHOD);
	else
		look_up(query, table, count, bytes);
	return FIRMWARE_SUCCESS | FIRMWARE_REPLY;
}

static const struct firmware_attribute attributes[] = {
	{IB_SMP_ATTR_NODE_INFO, false, sma_get_node_info, NULL},
	{IB_SMP_ATTR_NODE_DESC, false, sma_get_node_description, NULL},
	{IB_SMP_ATTR_SWITCH_INFO, true, sma_get_switch_info, sma_set_switch_info},
	{IB_SMP_ATTR_GUID_INFO, false, sma_get_guid_info, sma_set_guid_info},
	{IB_SMP_ATTR_PORT_INFO, false, sma_get_port_info, sma_set_port_info},
	{IB_SMP_ATTR_PKEY_TABLE, false, sma_get_pkeys, sma_set_pkeys},
	{IB_SMP_ATTR_SL_TO_VL_TABLE, false, sma_get_sl2vl, sma_set_sl2vl},
	{IB_SMP_ATTR_VL_ARB_TABLE, false, sma_get_vl_arb, sma_set_vl_arb},
	{IB_SMP_ATTR_LINEAR_FORWARD_TABLE, true, sma_get_lft, sma_set_lft},
	{IB_SMP_ATTR_MCAST_FORWARD_TABLE, true, sma_get_mft, sma_set_mft},
};

bool sma_may_see_mkey(const struct subnet_end *end, uint64_t mkey)
{
	return !end->mkey || end->mkey == mkey || !end->protect;
}

/* Whether a lease has run out is found when it matters. */
static void end_lease(struct subnet_end *end)
{
	if (end->lease_ends_ns && base_now_ns() >= end->lease_ends_ns) {
		end->protect = 0;
		end->lease_ends_ns = 0;
	}
}

/* Whether an SMP may ask what it asks. A wrong key is counted, told, and starts the lease. */
static bool mkey_fits(struct subnet *subnet, struct subnet_end *end, struct subnet_mad *mad)
{
	const uint64_t mkey = be64_to_cpu(subnet_smp_of(mad)->mkey);

	end_lease(end);
	if (!end->mkey)
		return true;
	if (mkey == end->mkey) {
		end->lease_ends_ns = 0;
		return true;
	}
	if (subnet_smp_of(mad)->method == IB_MGMT_METHOD_GET && end->protect < 2)
		return true;
	if (end->mkey_violations < UINT16_MAX)
		end->mkey_violations++;
	if (!end->lease_ends_ns && end->lease_period)
		end->lease_ends_ns = base_now_ns() + (uint64_t)end->lease_period * SECOND_NS;
	subnet_trap_mkey(subnet, end, mad);
	return false;
}

/* What is for the subnet manager of the port, if it has one. */
static int hand_on_sm_info(const struct subnet_end *end, struct subnet_mad *mad)
{
	if (end->cap_mask & IB_PORT_SM_DISABLED)
		return FIRMWARE_SUCCESS | FIRMWARE_CONSUMED;
	if (end->cap_mask & IB_PORT_SM)
		return FIRMWARE_SUCCESS;
	firmware_refuse(mad, FIRMWARE_NOT_HERE);
	return FIRMWARE_SUCCESS | FIRMWARE_REPLY;
}

static int get_or_set(struct subnet *subnet, struct subnet_node *node, uint8_t in_port,
		      struct subnet_mad *mad)
{
	struct ib_smp *smp = subnet_smp_of(mad);
	struct firmware_query query = {.subnet = subnet,
				       .node = node,
				       .in_port = in_port,
				       .is_set = smp->method == IB_MGMT_METHOD_SET,
				       .modifier = be32_to_cpu(smp->attr_mod),
				       .mad = mad,
				       .data = smp->data};

	if (smp->attr_id == IB_SMP_ATTR_SM_INFO)
		return hand_on_sm_info(subnet_end_of(node, in_port), mad);
	look_up(&query, attributes, ARRAY_SIZE(attributes), IB_SMP_DATA_SIZE);
	return FIRMWARE_SUCCESS | FIRMWARE_REPLY;
}

int sma_answer(struct subnet *subnet, struct subnet_node *node, uint8_t in_port, int flags,
	       struct subnet_mad *mad)
{
	struct subnet_end *end = subnet_end_of(node, in_port);
	struct ib_smp *smp = subnet_smp_of(mad);
	__be16 status = FIRMWARE_BAD_METHOD;

	if (smp->method & IB_MGMT_METHOD_RESP || smp->method == IB_MGMT_METHOD_TRAP)
		return FIRMWARE_SUCCESS;
	if (smp->class_version != SMI_CLASS_VERSION) {
		status = FIRMWARE_BAD_VERSION;
	} else if (smp->method == IB_MGMT_METHOD_GET || smp->method == IB_MGMT_METHOD_SET) {
		if (!(flags & FIRMWARE_IGNORE_MKEY) && !mkey_fits(subnet, end, mad))
			return FIRMWARE_SUCCESS | FIRMWARE_CONSUMED;
		return get_or_set(subnet, node, in_port, mad);
	} else if (smp->method == IB_MGMT_METHOD_TRAP_REPRESS) {
		if (!(flags & FIRMWARE_IGNORE_MKEY) && !mkey_fits(subnet, end, mad))
			return FIRMWARE_SUCCESS | FIRMWARE_CONSUMED;
		return subnet_trap_repress(end, be64_to_cpu(smp->tid))
			       ? FIRMWARE_SUCCESS | FIRMWARE_CONSUMED
			       : FIRMWARE_SUCCESS;
	}
	firmware_refuse(mad, status);
	return FIRMWARE_SUCCESS | FIRMWARE_REPLY;
}
