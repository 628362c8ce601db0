// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What is dropped in silence: counted by reason, and told once a queue pair and kind. */
#include "common/test.h"

#include <string.h>

#include "common/test_host.h"
#include "transport/tp_qp.h"

#define QKEY 0x11111111u
#define MOST 8u

static char payload[4096];
static struct iovec payload_iov = {payload, sizeof(payload)};
static struct base_cause told[MOST];
static unsigned int tellings;

static void hear(const struct base_cause *cause)
{
	assert_in_range(tellings, 0, MOST - 1);
	told[tellings++] = *cause;
}

static int set_up(void **state)
{
	tellings = 0;
	base_cause_listen(hear);
	return test_pair_setup(state);
}

static int tear_down(void **state)
{
	base_cause_listen(NULL);
	return test_pair_teardown(state);
}

static struct test_pair *begin(void **state, enum ib_qp_type type)
{
	const struct test_qp_options options = {.type = type, .psn = 0x55};
	struct test_pair *p = *state;

	assert_int_equal(test_pair_connect(p, &options, &options), 0);
	return p;
}

static void make(struct test_pair *p, uint8_t opcode, uint32_t bytes, struct tp_run *run)
{
	test_pair_packet(&p->b, &p->a, opcode, 0x55, run);
	if (opcode == PKT_UD_SEND_ONLY)
		run->deth = (struct pkt_deth){.qkey = QKEY, .src_qpn = p->a.ib->qp_num};
	run->payload = (struct tp_payload){.iov = &payload_iov, .count = 1, .bytes = bytes};
}

/* It arrives twice, and is counted twice, and told once if it is told: by @says, of the pair's b. */
static void dropped(struct test_pair *p, const struct tp_run *run, enum tp_drop_reason why,
		    const char *says)
{
	const uint64_t before = tp_port_drops(p->host[1]->port, why);
	char text[BASE_CAUSE_TEXT_BYTES];

	tellings = 0;
	for (int n = 0; n < 2; n++)
		tp_receive(p->host[1]->port, run);
	assert_int_equal(tp_port_drops(p->host[1]->port, why), before + 2);
	assert_int_equal(tellings, says != NULL);
	if (!says)
		return;
	base_cause_format(&told[0], text, sizeof(text));
	if (!strstr(text, says))
		fail_msg("not '%s', but '%s'", says, text);
	if (why != TP_DROP_NO_QP)
		assert_int_equal(told[0].qpn, p->b.ib->qp_num);
}

static void datagrams__each_kind_once(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UD);
	struct tp_run run;

	make(p, PKT_UD_SEND_ONLY, 100, &run);
	dropped(p, &run, TP_DROP_NO_RECEIVE, "LID 0x1 are lost: no receive is posted here");
	assert_int_equal(test_post_recv(&p->b, 1, 0, 139), 0);
	dropped(p, &run, TP_DROP_LENGTH,
		"is dropped: 100 bytes and 40 for the GRH, for a receive of 139. Make each");
	dropped(p, &run, TP_DROP_LENGTH, NULL);
	run.deth.qkey = 0x22222222;
	dropped(p, &run, TP_DROP_QKEY,
		"have Q_Key 0x22222222, this queue pair has 0x11111111. Have");
	run.pkey = 0x8001;
	dropped(p, &run, TP_DROP_PKEY, "have P_Key 0x8001, this queue pair has 0xffff. Give both");
	run.dest_qpn = 0x4321;
	dropped(p, &run, TP_DROP_NO_QP,
		"packets from LID 0x1 for QP 0x4321 are dropped: this process has no queue pair");
	dropped(p, &run, TP_DROP_NO_QP, NULL);
}

/* Of one that was here packets may still be under way. */
static void datagrams__for_who_has_left(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UD);
	struct test_qp other;
	struct tp_run run;

	make(p, PKT_UD_SEND_ONLY, 100, &run);
	assert_int_equal(test_qp_create(&other, p->host[1],
					&(struct test_qp_options){.type = IB_QPT_UD}),
			 0);
	assert_int_equal(test_qp_init(&other), 0);
	run.dest_qpn = other.ib->qp_num;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(tellings, 1);
	assert_int_equal(told[0].id, BASE_CAUSE_DROP_STATE);
	assert_int_equal(told[0].arg[2], IB_QPS_INIT);
	test_qp_destroy(&other);
	dropped(p, &run, TP_DROP_NO_QP, NULL);
}

static void datagrams__for_another_kind(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UC);
	struct tp_run run;

	make(p, PKT_UD_SEND_ONLY, 8, &run);
	dropped(p, &run, TP_DROP_SERVICE,
		"they are of type UD and came to port 1, and this queue pair is of type UC at port 1");
}

static void datagrams__starved_by_a_fault(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UD);
	struct tp_run run;

	make(p, PKT_UD_SEND_ONLY, 8, &run);
	tp_receive_starved(p->host[1]->port, &run);
	assert_int_equal(tp_port_drops(p->host[1]->port, TP_DROP_NO_RECEIVE), 1);
	assert_int_equal(tellings, 0);
}

/* The receive that a message does not get; what follows of the message is not told of. */
static void messages__each_kind_once(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UC);
	struct tp_run run;

	make(p, PKT_UC_SEND_LAST, 8, &run);
	dropped(p, &run, TP_DROP_ORDER, "packets of it were lost before they came here");
	make(p, PKT_UC_SEND_ONLY, 8, &run);
	dropped(p, &run, TP_DROP_NO_RECEIVE, "no receive is posted here");
	assert_int_equal(test_post_recv(&p->b, 1, 0, 4), 0);
	dropped(p, &run, TP_DROP_LENGTH, "is dropped: at least 8 bytes, for a receive of 4. Post");
	run.path.slid = 9;
	dropped(p, &run, TP_DROP_PATH,
		"from LID 0x9 are dropped: this queue pair is connected to LID 0x1");
}

/* The peer has migrated, or has not yet: nobody's mistake. */
static void messages__by_the_other_path(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UC);
	struct tp_run run;

	ibqp_to_rvtqp(p->b.ib)->alt_port_num = 1;
	make(p, PKT_UC_SEND_ONLY, 8, &run);
	run.path.slid = 9;
	dropped(p, &run, TP_DROP_PATH, NULL);
}

static void messages__rest_is_not_told(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UC);
	struct tp_run run;

	make(p, PKT_UC_SEND_ONLY, 8, &run);
	dropped(p, &run, TP_DROP_NO_RECEIVE, "no receive is posted here");
	make(p, PKT_UC_SEND_LAST, 8, &run);
	dropped(p, &run, TP_DROP_ORDER, NULL);
}

static void writes__say_why(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UC);
	struct tp_run run;

	make(p, PKT_UC_WRITE_ONLY, 8, &run);
	run.reth = (struct pkt_reth){.va = 0x1000, .rkey = 0x12345, .dma_bytes = 8};
	dropped(p, &run, TP_DROP_ACCESS, "rkey 0x12345");
}

static void writes__are_not_allowed(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UC);
	struct tp_run run;

	tp_qp(ibqp_to_rvtqp(p->b.ib))->resp.access = 0;
	make(p, PKT_UC_WRITE_ONLY, 8, &run);
	run.reth = (struct pkt_reth){.va = 0x1000, .rkey = 0x12345, .dma_bytes = 8};
	dropped(p, &run, TP_DROP_ACCESS, "this queue pair does not allow any. Give");
}

/* Who has not said yet that it is ready is asked again. */
static void rc__is_told_of_what_its_peer_cannot_know(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_RC);
	struct tp_run run;

	make(p, PKT_RC_SEND_ONLY, 8, &run);
	run.pkey = 0x8001;
	dropped(p, &run, TP_DROP_PKEY, "have P_Key 0x8001, this queue pair has 0xffff");
	run.dest_qpn = 0x4321;
	dropped(p, &run, TP_DROP_NO_QP, NULL);
}

/* What the wire does not take: the sender is told, for nobody else can be. */
static bool no_host(const struct tp_port *port, const struct tp_path *path, uint32_t dest_qpn,
		    struct base_cause *cause)
{
	(void)port;
	cause->id = dest_qpn == 0x77 ? BASE_CAUSE_LOST_PEER_DIED : BASE_CAUSE_LOST_NO_PORT;
	cause->arg[0] = path->dlid;
	return true;
}

static void lost__is_told_once(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UD);
	struct tp_port *port = p->host[0]->port;
	const struct tp_port_ops *ops = port->ops;
	struct tp_port_ops telling = *ops;
	struct tp_run run = {.path = {.dlid = 5}, .dest_qpn = 0x77};

	telling.why_lost = no_host;
	port->ops = &telling;
	tp_lost(tp_qp(ibqp_to_rvtqp(p->a.ib)), &run);
	assert_int_equal(tellings, 0);
	run.dest_qpn = 0x78;
	for (int n = 0; n < 2; n++)
		tp_lost(tp_qp(ibqp_to_rvtqp(p->a.ib)), &run);
	port->ops = ops;
	assert_int_equal(tellings, 1);
	assert_int_equal(told[0].qpn, p->a.ib->qp_num);
	assert_int_equal(told[0].arg[0], 5);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(datagrams__each_kind_once),	T(datagrams__for_who_has_left),
		T(datagrams__for_another_kind), T(datagrams__starved_by_a_fault),
		T(messages__each_kind_once),	T(messages__by_the_other_path),
		T(messages__rest_is_not_told),	T(writes__say_why),
		T(writes__are_not_allowed),	T(rc__is_told_of_what_its_peer_cannot_know),
		T(lost__is_told_once),
	};

	return verbena_test_main(tests);
}
