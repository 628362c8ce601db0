// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Performance management. What is counted is never taken back: to clear a counter is to note what it was.
 * So whoever counts needs no lock, and two views of a counter can be cleared apart.
 */
#include <errno.h>
#include <rdma/ib_pma.h>
#include <string.h>

#include "base/cause.h"
#include "fabric/sma.h"

#define PMA_CLASS_VERSION 1
#define RESPONSE_TIME 18u
#define QP1_DROPPED_SUP cpu_to_be16(1 << 15)
#define EXT_ERRORS_SUP (1u << 1) /* of CapabilityMask2 */
#define ALL_PORTS 0xffu

/* Bits of what is to be cleared: CounterSelect, and from here on CounterSelect2. */
#define SELECT2 16

/**
 * struct field - A counter in an attribute.
 * @offset: Byte of the attribute's data.
 * @bits: Width.
 * @shift: Of those narrower than a byte.
 * @select: Bit that clears it.
 * @counter: enum subnet_counter, or enum subnet_detail.
 */
struct field {
	uint8_t offset;
	uint8_t bits;
	uint8_t shift;
	uint8_t select;
	uint8_t counter;
};

static const struct field narrow_fields[] = {
	{4, 16, 0, 0, SUBNET_SYMBOL_ERRORS},	  {6, 8, 0, 1, SUBNET_LINK_RECOVERIES},
	{7, 8, 0, 2, SUBNET_LINK_DOWNED},	  {8, 16, 0, 3, SUBNET_RCV_ERRORS},
	{10, 16, 0, 4, SUBNET_RCV_REMOTE_ERRORS}, {12, 16, 0, 5, SUBNET_RCV_RELAY_ERRORS},
	{14, 16, 0, 6, SUBNET_XMIT_DISCARDS},	  {16, 8, 0, 7, SUBNET_XMIT_CONSTRAINTS},
	{17, 8, 0, 8, SUBNET_RCV_CONSTRAINTS},	  {19, 4, 4, 9, SUBNET_INTEGRITY_ERRORS},
	{19, 4, 0, 10, SUBNET_OVERRUNS},	  {20, 16, 0, SELECT2 + 1, SUBNET_QP1_DROPPED},
	{22, 16, 0, 11, SUBNET_VL15_DROPPED},	  {24, 32, 0, 12, SUBNET_XMIT_DATA},
	{28, 32, 0, 13, SUBNET_RCV_DATA},	  {32, 32, 0, 14, SUBNET_XMIT_PACKETS},
	{36, 32, 0, 15, SUBNET_RCV_PACKETS},	  {40, 32, 0, SELECT2 + 0, SUBNET_XMIT_WAIT},
};

static const struct field wide_fields[] = {
	{8, 64, 0, 0, SUBNET_XMIT_DATA},
	{16, 64, 0, 1, SUBNET_RCV_DATA},
	{24, 64, 0, 2, SUBNET_XMIT_PACKETS},
	{32, 64, 0, 3, SUBNET_RCV_PACKETS},
	{40, 64, 0, 4, SUBNET_UNICAST_XMIT},
	{48, 64, 0, 5, SUBNET_UNICAST_RCV},
	{56, 64, 0, 6, SUBNET_MULTICAST_XMIT},
	{64, 64, 0, 7, SUBNET_MULTICAST_RCV},
	{72, 64, 0, SELECT2 + 0, SUBNET_SYMBOL_ERRORS},
	{80, 64, 0, SELECT2 + 1, SUBNET_LINK_RECOVERIES},
	{88, 64, 0, SELECT2 + 2, SUBNET_LINK_DOWNED},
	{96, 64, 0, SELECT2 + 3, SUBNET_RCV_ERRORS},
	{104, 64, 0, SELECT2 + 4, SUBNET_RCV_REMOTE_ERRORS},
	{112, 64, 0, SELECT2 + 5, SUBNET_RCV_RELAY_ERRORS},
	{120, 64, 0, SELECT2 + 6, SUBNET_XMIT_DISCARDS},
	{128, 64, 0, SELECT2 + 7, SUBNET_XMIT_CONSTRAINTS},
	{136, 64, 0, SELECT2 + 8, SUBNET_RCV_CONSTRAINTS},
	{144, 64, 0, SELECT2 + 9, SUBNET_INTEGRITY_ERRORS},
	{152, 64, 0, SELECT2 + 10, SUBNET_OVERRUNS},
	{160, 64, 0, SELECT2 + 11, SUBNET_VL15_DROPPED},
	{168, 64, 0, SELECT2 + 12, SUBNET_XMIT_WAIT},
	{176, 64, 0, SELECT2 + 13, SUBNET_QP1_DROPPED},
};

static const struct field rcv_fields[] = {
	{4, 16, 0, 0, SUBNET_RCV_LOCAL_PHYSICAL}, {6, 16, 0, 1, SUBNET_RCV_MALFORMED},
	{8, 16, 0, 2, SUBNET_RCV_OVERRUN},	  {10, 16, 0, 3, SUBNET_RCV_DLID_MAPPING},
	{12, 16, 0, 4, SUBNET_RCV_VL_MAPPING},	  {14, 16, 0, 5, SUBNET_RCV_LOOPING},
};

static const struct field xmit_fields[] = {
	{4, 16, 0, 0, SUBNET_XMIT_INACTIVE},
	{6, 16, 0, 1, SUBNET_XMIT_MTU},
	{8, 16, 0, 2, SUBNET_XMIT_SWITCH_LIFETIME},
	{10, 16, 0, 3, SUBNET_XMIT_HOQ_LIFETIME},
};

/**
 * struct view - An attribute of counters.
 * @fields: Counters.
 * @count: Of them.
 * @select2_bytes: Where CounterSelect2 is: so many bytes, at @select2; 0: it has none.
 * @select2: Offset.
 * @read: A counter of a port.
 * @clear: Start it anew.
 */
struct view {
	const struct field *fields;
	size_t count;
	uint8_t select2;
	uint8_t select2_bytes;
	uint64_t (*read)(const struct subnet_port *port, uint8_t counter);
	void (*clear)(struct subnet_port *port, uint8_t counter);
};

static uint64_t counted(const struct subnet_port *port, enum subnet_counter counter)
{
	return __atomic_load_n(&port->count[counter], __ATOMIC_RELAXED);
}

static uint64_t raw(const struct subnet_port *port, enum subnet_counter counter)
{
	if (counter == SUBNET_XMIT_PACKETS)
		return counted(port, SUBNET_UNICAST_XMIT) + counted(port, SUBNET_MULTICAST_XMIT);
	if (counter == SUBNET_RCV_PACKETS)
		return counted(port, SUBNET_UNICAST_RCV) + counted(port, SUBNET_MULTICAST_RCV);
	return counted(port, counter);
}

uint64_t pma_count(const struct subnet_port *port, const uint64_t *cleared,
		   enum subnet_counter counter)
{
	return raw(port, counter) - cleared[counter];
}

static uint64_t read_narrow(const struct subnet_port *port, uint8_t counter)
{
	return pma_count(port, port->narrow, (enum subnet_counter)counter);
}

static void clear_narrow(struct subnet_port *port, uint8_t counter)
{
	port->narrow[counter] = raw(port, (enum subnet_counter)counter);
}

static uint64_t read_wide(const struct subnet_port *port, uint8_t counter)
{
	return pma_count(port, port->wide, (enum subnet_counter)counter);
}

static void clear_wide(struct subnet_port *port, uint8_t counter)
{
	port->wide[counter] = raw(port, (enum subnet_counter)counter);
}

static uint64_t read_detail(const struct subnet_port *port, uint8_t detail)
{
	return __atomic_load_n(&port->detail[detail], __ATOMIC_RELAXED);
}

static void clear_detail(struct subnet_port *port, uint8_t detail)
{
	__atomic_store_n(&port->detail[detail], 0, __ATOMIC_RELAXED);
}

static const struct view narrow = {narrow_fields, ARRAY_SIZE(narrow_fields), 18, 1, read_narrow,
				   clear_narrow};
static const struct view wide = {wide_fields, ARRAY_SIZE(wide_fields), 4, 4, read_wide, clear_wide};
static const struct view rcv_details = {rcv_fields,  ARRAY_SIZE(rcv_fields), 0, 0, read_detail,
					clear_detail};
static const struct view xmit_details = {xmit_fields, ARRAY_SIZE(xmit_fields), 0, 0, read_detail,
					 clear_detail};

/* Ports that PortSelect means, ends included; false if there are none. */
static bool find_ports(const struct firmware_query *query, uint32_t *first, uint32_t *last)
{
	const struct subnet_node *node = query->node;

	*first = *last = query->asked[1];
	if (*first != ALL_PORTS)
		return subnet_has_port(node, *first);
	*first = 1;
	*last = node->config.ports;
	return subnet_is_switch(node);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static void put_field(uint8_t *data, const struct field *f, uint64_t value)
{
	const uint64_t most = f->bits == 64 ? UINT64_MAX : (1ull << f->bits) - 1;

	if (value > most)
		value = most;
	switch (f->bits) {
	case 64:
		put_unaligned_be64(value, data + f->offset);
		break;
	case 32:
		put_unaligned_be32((uint32_t)value, data + f->offset);
		break;
	case 16:
		put_unaligned_be16((uint16_t)value, data + f->offset);
		break;
	default:
		data[f->offset] |= (uint8_t)(value << f->shift);
	}
}

static __be16 get_view(struct firmware_query *query, const struct view *view)
{
	uint32_t first, last;

	memcpy(query->data, query->asked, 4);
	if (view->select2_bytes == 4)
		memcpy(query->data + view->select2, query->asked + view->select2, 4);
	if (!find_ports(query, &first, &last))
		return FIRMWARE_BAD_VALUE;
	for (size_t i = 0; i < view->count; i++) {
		uint64_t sum = 0;

		for (uint32_t p = first; p <= last; p++)
			sum = add_up(sum, view->read(subnet_port_of(query->node, p),
						     view->fields[i].counter));
		put_field(query->data, &view->fields[i], sum);
	}
	return FIRMWARE_OK;
}

static __be16 set_view(struct firmware_query *query, const struct view *view)
{
	uint64_t selected = get_unaligned_be16(query->data + 2);
	uint32_t first, last;

	if (!find_ports(query, &first, &last))
		return FIRMWARE_BAD_VALUE;
	if (view->select2_bytes == 1)
		selected |= (uint64_t)query->data[view->select2] << SELECT2;
	else if (view->select2_bytes == 4)
		selected |= (uint64_t)get_unaligned_be32(query->data + view->select2) << SELECT2;
	for (size_t i = 0; i < view->count; i++)
		for (uint32_t p = first; p <= last && selected >> view->fields[i].select & 1; p++)
			view->clear(subnet_port_of(query->node, p), view->fields[i].counter);
	return FIRMWARE_OK;
}

#define VIEW_FUNCTIONS(name)                                   \
	static __be16 get_##name(struct firmware_query *query) \
	{                                                      \
		return get_view(query, &(name));               \
	}                                                      \
	static __be16 set_##name(struct firmware_query *query) \
	{                                                      \
		return set_view(query, &(name));               \
	}

VIEW_FUNCTIONS(narrow)
VIEW_FUNCTIONS(wide)
VIEW_FUNCTIONS(rcv_details)
VIEW_FUNCTIONS(xmit_details)

static __be16 get_class_port_info(struct firmware_query *query)
{
	struct ib_class_port_info *info = (struct ib_class_port_info *)(void *)query->data;

	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = PMA_CLASS_VERSION;
	info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH | IB_PMA_CLASS_CAP_XMIT_WAIT |
				QP1_DROPPED_SUP;
	if (subnet_is_switch(query->node))
		info->capability_mask |= IB_PMA_CLASS_CAP_ALLPORTSELECT;
	info->cap_mask2_resp_time = cpu_to_be32(EXT_ERRORS_SUP << 5 | RESPONSE_TIME);
	return FIRMWARE_OK;
}

#define PMA_RCV_ERROR_DETAILS cpu_to_be16(0x0015)
#define PMA_XMIT_DISCARD_DETAILS cpu_to_be16(0x0016)

static const struct firmware_attribute attributes[] = {
	{IB_PMA_CLASS_PORT_INFO, false, get_class_port_info, NULL},
	{IB_PMA_PORT_COUNTERS, false, get_narrow, set_narrow},
	{IB_PMA_PORT_COUNTERS_EXT, false, get_wide, set_wide},
	{PMA_RCV_ERROR_DETAILS, false, get_rcv_details, set_rcv_details},
	{PMA_XMIT_DISCARD_DETAILS, false, get_xmit_details, set_xmit_details},
	{IB_PMA_PORT_SAMPLES_CONTROL, false, pma_get_samples_control, pma_set_samples_control},
	{IB_PMA_PORT_SAMPLES_RESULT, false, pma_get_samples_result, NULL},
	{IB_PMA_PORT_SAMPLES_RESULT_EXT, false, pma_get_samples_result_ext, NULL},
};

int pma_answer(struct subnet *subnet, struct subnet_node *node, uint8_t in_port,
	       struct subnet_mad *mad)
{
	struct ib_pma_mad *pma = (struct ib_pma_mad *)(void *)mad->data;
	struct firmware_query query = {
		.subnet = subnet, .node = node, .in_port = in_port, .mad = mad, .data = pma->data};

	return firmware_gmp(&query, PMA_CLASS_VERSION, attributes, ARRAY_SIZE(attributes),
			    IB_PMA_DATA_SIZE);
}

int subnet_query_counters(const struct subnet *subnet, struct subnet_at at,
			  struct subnet_counters *counters)
{
	struct subnet *s = (struct subnet *)(uintptr_t)subnet; /* nothing changes but the lock */
	struct subnet_node *node;
	struct subnet_port *port;
	bool found;

	spin_lock(&s->lock);
	found = subnet_find(s, at, &node, &port);
	if (found)
		*counters = (struct subnet_counters){
			.xmit_data = pma_count(port, port->wide, SUBNET_XMIT_DATA),
			.rcv_data = pma_count(port, port->wide, SUBNET_RCV_DATA),
			.xmit_packets = pma_count(port, port->wide, SUBNET_XMIT_PACKETS),
			.rcv_packets = pma_count(port, port->wide, SUBNET_RCV_PACKETS),
			.link_downed = pma_count(port, port->wide, SUBNET_LINK_DOWNED),
			.rcv_errors = pma_count(port, port->wide, SUBNET_RCV_ERRORS),
			.relay_errors = pma_count(port, port->wide, SUBNET_RCV_RELAY_ERRORS),
			.xmit_discards = pma_count(port, port->wide, SUBNET_XMIT_DISCARDS)};
	spin_unlock(&s->lock);
	return found ? 0 : base_refuse(-EINVAL, SUBNET_NO_PORT, at.node, at.port);
}
