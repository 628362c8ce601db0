// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What rdmavt gets from the transport: tables, attributes, and what is refused when it is posted. */
#include "common/test.h"

#include <string.h>

#include "common/test_host.h"
#include "transport/tp_qp.h"

/* Which requests each type takes. */
static void post_parms__table(void **state)
{
	static const enum ib_wr_opcode opcodes[] = {IB_WR_SEND,
						    IB_WR_SEND_WITH_IMM,
						    IB_WR_SEND_WITH_INV,
						    IB_WR_RDMA_WRITE,
						    IB_WR_RDMA_WRITE_WITH_IMM,
						    IB_WR_RDMA_READ,
						    IB_WR_ATOMIC_CMP_AND_SWP,
						    IB_WR_ATOMIC_FETCH_AND_ADD,
						    IB_WR_REG_MR,
						    IB_WR_LOCAL_INV,
						    IB_WR_BIND_MW,
						    IB_WR_ATOMIC_WRITE,
						    IB_WR_FLUSH};
	const struct test_pair *p = *state;
	const struct rvt_operation_params *parms = p->host[0]->rdi->post_parms;
	unsigned int supported = 0;

	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		assert_true(parms[opcodes[i]].length > 0);
		assert_true(parms[opcodes[i]].qpt_support & BIT(IB_QPT_RC));
		assert_int_equal(!!(parms[opcodes[i]].qpt_support & BIT(IB_QPT_UD)), i < 2);
	}
	for (unsigned int i = 0; i < RVT_OPERATION_MAX; i++)
		supported += parms[i].length > 0;
	assert_int_equal(supported, sizeof(opcodes) / sizeof(opcodes[0]));
	assert_int_equal(p->host[0]->rdi->wc_opcode[IB_WR_RDMA_READ], IB_WC_RDMA_READ);
	assert_int_equal(p->host[0]->rdi->dparms.psn_mask, 0xffffff);
}

/* An atomic has 8 bytes, whatever the SGEs say. */
static void setup_wqe__length_of_an_atomic(void **state)
{
	static const enum ib_wr_opcode opcodes[] = {IB_WR_ATOMIC_WRITE, IB_WR_ATOMIC_CMP_AND_SWP,
						    IB_WR_ATOMIC_FETCH_AND_ADD};
	struct test_pair *p = *state;

	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){0},
					   &(struct test_qp_options){0}),
			 0);
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		struct test_wr wr = {.opcode = opcodes[i], .remote = p->host[1], .bytes = 16};

		assert_int_equal(test_post_send(&p->a, &wr), -EINVAL);
		assert_int_equal(base_cause_last()->id, BASE_CAUSE_REQ_ATOMIC_LENGTH);
		wr.bytes = 0;
		assert_int_equal(test_post_send(&p->a, &wr), -EINVAL);
		wr.bytes = 8;
		assert_int_equal(test_post_send(&p->a, &wr), 0);
	}
}

/* What no responder understands does not leave. (rdmavt refuses it for every driver.) */
static void post__flush_that_means_nothing(void **state)
{
	static const struct test_wr bad[] = {
		{.opcode = IB_WR_FLUSH, .type = 0},
		{.opcode = IB_WR_FLUSH, .type = 4},
		{.opcode = IB_WR_FLUSH, .type = 1, .level = 2},
	};
	struct ib_sge sge = {.length = 0};
	struct rvt_flush_wr flush = {.wr = {.opcode = IB_WR_FLUSH, .sg_list = &sge, .num_sge = 1},
				     .type = 1};
	struct test_pair *p = *state;

	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){0},
					   &(struct test_qp_options){0}),
			 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct test_wr wr = bad[i];

		wr.remote = p->host[1];
		assert_int_equal(test_post_send(&p->a, &wr), -EINVAL);
		assert_int_equal(base_cause_last()->id, BASE_CAUSE_POST_FLUSH);
	}
	assert_int_equal(ib_post_send(p->a.ib, &flush.wr, NULL), -EINVAL);
	flush.wr.num_sge = 0;
	assert_int_equal(ib_post_send(p->a.ib, &flush.wr, NULL), 0);
}

/* [rcp 4]: path MTUs are 256 to 4096. */
static void path_mtu__codes(void **state)
{
	struct test_pair *p = *state;
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	for (unsigned int mtu = 0; mtu < 8; mtu++) {
		struct test_qp_options options = {.mtu = (enum ib_mtu)(mtu ? mtu : 99)};

		assert_int_equal(test_pair_create(p, &options, &options), 0);
		assert_int_equal(test_qp_init(&p->a), 0);
		assert_int_equal(test_qp_rtr(&p->a, &p->b), mtu >= 1 && mtu <= 5 ? 0 : -EINVAL);
		if (mtu >= 1 && mtu <= 5) {
			assert_int_equal(ib_query_qp(p->a.ib, &attr, IB_QP_PATH_MTU, &init), 0);
			assert_int_equal(attr.path_mtu, mtu);
			assert_int_equal(ibqp_to_rvtqp(p->a.ib)->pmtu, 128u << mtu);
		}
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

/* Datagrams are as long as the port's MTU. */
static void notify_new_ah__mtu_of_the_port(void **state)
{
	struct test_pair *p = *state;
	const struct tp_port_addr addr = {.lid = 1, .mtu_bytes = 512};
	struct test_wr wr = {.opcode = IB_WR_SEND, .bytes = 512};
	struct rdma_ah_attr attr;

	tp_port_set_addr(p->host[0]->port, &addr);
	assert_int_equal(
		test_qp_create(&p->a, p->host[0], &(struct test_qp_options){.type = IB_QPT_UD}), 0);
	assert_int_equal(test_qp_init(&p->a), 0);
	assert_int_equal(test_qp_rtr(&p->a, NULL), 0);
	assert_int_equal(test_qp_rts(&p->a), 0);
	test_qp_ah_attr(&p->a, p->host[1], &attr);
	wr.ah = rdma_create_ah(p->host[0]->pd, &attr, 0);
	assert_false(IS_ERR(wr.ah));
	assert_int_equal(test_post_send(&p->a, &wr), 0);
	wr.bytes = 513;
	assert_int_equal(test_post_send(&p->a, &wr), -EINVAL);
	rdma_destroy_ah(wr.ah, 0);
}

/* [rcp 4]: 2^31 bytes in one message, not one more. */
static void setup_wqe__longest_message(void **state)
{
	struct test_pair *p = *state;
	struct ib_sge sge[2];
	const struct ib_rdma_wr wr = {
		.wr = {.opcode = IB_WR_RDMA_WRITE, .sg_list = sge, .num_sge = 2}};

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){.mtu = IB_MTU_4096},
					   &(struct test_qp_options){0}),
			 0);
	for (int i = 0; i < 2; i++)
		sge[i] = (struct ib_sge){(uintptr_t)p->host[0]->buffer, 0x40000000,
					 p->host[0]->pd->local_dma_lkey};
	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0);
	sge[1].length++;
	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), -EINVAL);
}

/* [rcp 9.9]: rights that are changed later count. */
static void modify_qp__rights_and_timer(void **state)
{
	struct test_pair *p = *state;
	struct ib_qp_attr attr = {.qp_access_flags = 0, .min_rnr_timer = 20};
	struct tp_run run;

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){0},
					   &(struct test_qp_options){0}),
			 0);
	test_pair_packet(&p->b, &p->a, PKT_RC_SEND_ONLY, 0, &run);
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(ib_modify_qp(p->b.ib, &attr, IB_QP_ACCESS_FLAGS | IB_QP_MIN_RNR_TIMER), 0);
	tp_receive(p->host[1]->port, &run);
	test_pair_packet(&p->b, &p->a, PKT_RC_WRITE_ONLY, 0, &run);
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(test_wire_log(p->wire), "RNR0c 000000, RNR14 000000, NAK61 000000");
}

/* A new connection remembers no READ of the one before. */
static void modify_qp__forgets_the_last_connection(void **state)
{
	struct test_pair *p = *state;
	struct tp_run run;

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){.psn = 5},
					   &(struct test_qp_options){0}),
			 0);
	test_pair_packet(&p->b, &p->a, PKT_RC_READ_REQUEST, 5, &run);
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(test_wire_log(p->wire), "READ_RESPONSE_ONLY 000005 0");
	assert_int_equal(test_qp_to(&p->a, IB_QPS_RESET), 0);
	assert_int_equal(test_qp_to(&p->b, IB_QPS_RESET), 0);
	p->a.options.psn = 6;
	assert_int_equal(test_qp_connect(&p->a, &p->b), 0);
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(test_wire_log(p->wire), "");
	assert_int_equal(p->host[1]->ibp.n_pkt_drops, 1);
}

/* Everything that creating a queue pair allocates may fail (and does, in the torture). */
static void create__each_type(void **state)
{
	static const enum ib_qp_type types[] = {IB_QPT_RC, IB_QPT_UC, IB_QPT_UD, IB_QPT_GSI};
	struct test_pair *p = *state;
	int ret = 0;

	for (size_t i = 0; i < 4 && !ret; i++) {
		ret = test_qp_create(&p->a, p->host[0],
				     &(struct test_qp_options){.type = types[i]});
		if (!ret)
			test_qp_destroy(&p->a);
	}
	assert_int_equal(ret, 0);
}

static unsigned int emptied; /* bit per port */

static void note_quiesce(struct tp_port *port, void *sender)
{
	(void)sender;
	emptied |= 1u << port->num;
}

/* A queue pair that has migrated may have runs at the port where it was before. */
static void quiesce_qp__at_all_ports(void **state)
{
	static const struct tp_port_ops ops = {.quiesce = note_quiesce};
	struct rvt_dev_info *rdi = rvt_alloc_device(sizeof(*rdi), 3);
	struct rvt_ibport ibp[3] = {0};
	struct tp_qp tq = {0};
	struct rvt_qp qp = {.port_num = 0, .priv = &tq};
	int ret = -1;

	(void)state;
	if (rdi) {
		rdi->dparms.nports = 3;
		for (int i = 0; i < 3; i++)
			rvt_init_port(rdi, &ibp[i], i, NULL);
		ret = tp_engine_init(&tq.engine, rdi);
	}
	if (!ret) {
		tp_engine_port(tq.engine, 1)->ops = &ops;
		tp_engine_port(tq.engine, 3)->ops = &ops; /* nobody has plugged in port 2 */
		emptied = 0;
		rdi->driver_f.quiesce_qp(&qp);
		assert_int_equal(emptied, 0);
		qp.port_num = 3;
		rdi->driver_f.quiesce_qp(&qp);
		assert_int_equal(emptied, 1u << 1 | 1u << 3);
		tp_engine_free(tq.engine);
	}
	if (rdi)
		rvt_dealloc_device(rdi);
	assert_int_equal(ret, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(post_parms__table),
		T(path_mtu__codes),
		T(setup_wqe__length_of_an_atomic),
		T(post__flush_that_means_nothing),
		T(notify_new_ah__mtu_of_the_port),
		T(setup_wqe__longest_message),
		T(modify_qp__rights_and_timer),
		T(modify_qp__forgets_the_last_connection),
		T(create__each_type),
		cmocka_unit_test(quiesce_qp__at_all_ports),
	};

	return verbena_test_main(tests);
}
