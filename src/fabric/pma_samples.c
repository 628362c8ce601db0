// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Samples: what up to 15 counters of a port come to in a stretch of time that begins when asked. A node has
 * one such mechanism, for any of its ports.
 */
#include <rdma/ib_pma.h>
#include <string.h>

#include "base/alloc.h"
#include "fabric/sma.h"

#define COUNTERS 15u
#define TICK 99u /* 1 us */
#define TICK_NS 1000u
#define WIDTH_32 4u
#define EXT_WIDTH_64 0x80000000u
#define ALL_SELECTABLE_10 0x09249249u /* 001 for each of ten counters */
#define ALL_SELECTABLE_5 0x1249u

/**
 * struct subnet_samples - Those of a node.
 * @list: In &subnet.sampling, while they wait or run.
 * @port: Port.
 * @status: IB_PMA_SAMPLE_STATUS_*.
 * @next_ns: When they begin, or end.
 * @control: As written.
 * @value: Of each counter when they began; then by how much it has grown.
 */
struct subnet_samples {
	struct list_head list;
	const struct subnet_port *port;
	uint8_t status;
	uint64_t next_ns;
	struct ib_pma_portsamplescontrol control;
	uint64_t value[COUNTERS];
};

static const struct {
	__be16 select;
	enum subnet_counter counter;
} selectable[] = {
	{IB_PMA_PORT_XMIT_DATA, SUBNET_XMIT_DATA},    {IB_PMA_PORT_RCV_DATA, SUBNET_RCV_DATA},
	{IB_PMA_PORT_XMIT_PKTS, SUBNET_XMIT_PACKETS}, {IB_PMA_PORT_RCV_PKTS, SUBNET_RCV_PACKETS},
	{IB_PMA_PORT_XMIT_WAIT, SUBNET_XMIT_WAIT},
};

static uint64_t read_selected(const struct subnet_port *port, __be16 select)
{
	static const uint64_t never_cleared[SUBNET_COUNTERS];

	for (size_t i = 0; i < ARRAY_SIZE(selectable); i++)
		if (selectable[i].select == select)
			return pma_count(port, never_cleared, selectable[i].counter);
	return 0;
}

void subnet_samples_free(struct subnet_samples *samples)
{
	if (!samples)
		return;
	list_del(&samples->list);
	base_free(samples);
}

static uint64_t ticks_ns(__be32 ticks)
{
	return (uint64_t)be32_to_cpu(ticks) * TICK_NS;
}

/* From waiting to running, from running to done. */
static void step(struct subnet_samples *s)
{
	const bool begins = s->status == IB_PMA_SAMPLE_STATUS_STARTED;

	for (uint32_t i = 0; i < COUNTERS; i++)
		s->value[i] = read_selected(s->port, s->control.counter_select[i]) -
			      (begins ? 0 : s->value[i]);
	s->next_ns += ticks_ns(s->control.sample_interval);
	s->status = begins ? IB_PMA_SAMPLE_STATUS_RUNNING : IB_PMA_SAMPLE_STATUS_DONE;
}

uint64_t subnet_samples_take(struct subnet *subnet, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;
	struct subnet_samples *s, *next;

	list_for_each_entry_safe(s, next, &subnet->sampling, list) {
		while (s->status != IB_PMA_SAMPLE_STATUS_DONE && s->next_ns <= now_ns)
			step(s);
		if (s->status == IB_PMA_SAMPLE_STATUS_DONE)
			list_del_init(&s->list);
		else if (s->next_ns < next_ns)
			next_ns = s->next_ns;
	}
	return next_ns;
}

__be16 pma_get_samples_control(struct firmware_query *query)
{
	struct ib_pma_portsamplescontrol *control =
		(struct ib_pma_portsamplescontrol *)(void *)query->data;
	const struct subnet_samples *s = query->node->samples;

	control->port_select = query->asked[1];
	if (s) {
		*control = s->control;
		control->sample_status = s->status;
	}
	control->tick = TICK;
	control->counter_width = WIDTH_32;
	control->counter_mask0_9 = cpu_to_be32(ALL_SELECTABLE_10);
	control->counter_mask10_14 = cpu_to_be16(ALL_SELECTABLE_5);
	return subnet_has_port(query->node, query->asked[1]) ? FIRMWARE_OK : FIRMWARE_BAD_VALUE;
}

static struct subnet_samples *make_samples(struct subnet_node *node)
{
	if (node->samples)
		return node->samples;
	node->samples = base_zalloc(sizeof(*node->samples));
	if (node->samples)
		INIT_LIST_HEAD(&node->samples->list);
	return node->samples;
}

/* What runs already is not disturbed; the answer says that it runs. */
__be16 pma_set_samples_control(struct firmware_query *query)
{
	const struct ib_pma_portsamplescontrol *written =
		(const struct ib_pma_portsamplescontrol *)(const void *)query->data;
	struct subnet_samples *s;

	if (!subnet_has_port(query->node, written->port_select))
		return FIRMWARE_BAD_VALUE;
	s = make_samples(query->node);
	if (!s)
		return FIRMWARE_BUSY;
	if (s->status != IB_PMA_SAMPLE_STATUS_DONE)
		return FIRMWARE_OK;
	memset(&s->control, 0, sizeof(s->control));
	s->port = subnet_port_of(query->node, written->port_select);
	s->control.opcode = written->opcode;
	s->control.port_select = written->port_select;
	s->control.sample_start = written->sample_start;
	s->control.sample_interval = written->sample_interval;
	s->control.tag = written->tag;
	memcpy(s->control.counter_select, written->counter_select, sizeof(written->counter_select));
	s->status = IB_PMA_SAMPLE_STATUS_STARTED;
	s->next_ns = base_now_ns() + ticks_ns(written->sample_start);
	list_add_tail(&s->list, &query->subnet->sampling);
	(void)subnet_samples_take(query->subnet, base_now_ns());
	subnet_pump_later(query->subnet);
	return FIRMWARE_OK;
}

/* NULL unless there is something to tell but the status. */
static const uint64_t *find_values(const struct firmware_query *query, __be16 *tag, __be16 *status)
{
	const struct subnet_samples *s = query->node->samples;

	if (!s)
		return NULL;
	*tag = s->control.tag;
	*status = cpu_to_be16(s->status);
	return s->status == IB_PMA_SAMPLE_STATUS_DONE ? s->value : NULL;
}

__be16 pma_get_samples_result(struct firmware_query *query)
{
	struct ib_pma_portsamplesresult *result =
		(struct ib_pma_portsamplesresult *)(void *)query->data;
	__be16 tag = 0, status = 0;
	const uint64_t *value = find_values(query, &tag, &status);

	result->tag = tag;
	result->sample_status = status;
	for (uint32_t i = 0; i < COUNTERS && value; i++)
		result->counter[i] =
			cpu_to_be32((uint32_t)(value[i] < UINT32_MAX ? value[i] : UINT32_MAX));
	return FIRMWARE_OK;
}

__be16 pma_get_samples_result_ext(struct firmware_query *query)
{
	struct ib_pma_portsamplesresult_ext *result =
		(struct ib_pma_portsamplesresult_ext *)(void *)query->data;
	__be16 tag = 0, status = 0;
	const uint64_t *value = find_values(query, &tag, &status);

	result->tag = tag;
	result->sample_status = status;
	result->extended_width = cpu_to_be32(EXT_WIDTH_64);
	for (uint32_t i = 0; i < COUNTERS && value; i++)
		result->counter[i] = cpu_to_be64(value[i]);
	return FIRMWARE_OK;
}
