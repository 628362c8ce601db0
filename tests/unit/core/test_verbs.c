/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

/* Posting */

static void ib_post_send__hands_the_chain_to_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_send_wr second = {.wr_id = 2, .opcode = IB_WR_SEND};
	struct ib_send_wr first = {.next = &second, .wr_id = 1, .opcode = IB_WR_SEND};
	const struct ib_send_wr *bad = NULL;

	assert_int_equal(ib_post_send(qp, &first, &bad), 0);
	assert_int_equal(f->fake->called[FAKE_POST_SEND], 1);
	assert_int_equal(f->fake->send_wrs, 2);
	assert_int_equal(f->fake->last_send.wr_id, 2);
	assert_ptr_equal(f->fake->last_bad_wr, &bad);
	assert_null(bad);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_post_send__names_the_request_that_did_not_fit(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_send_wr third = {.wr_id = 3};
	struct ib_send_wr second = {.next = &third, .wr_id = 2};
	struct ib_send_wr first = {.next = &second, .wr_id = 1};
	const struct ib_send_wr *bad = NULL;

	f->fake->post_room = 1;
	assert_int_equal(ib_post_send(qp, &first, &bad), -ENOMEM);
	assert_ptr_equal(bad, &second);
	assert_int_equal(f->fake->send_wrs, 1);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_post_send__supplies_a_place_for_the_bad_request(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_send_wr wr = {.wr_id = 1};

	f->fake->fail[FAKE_POST_SEND] = -EINVAL;
	assert_int_equal(ib_post_send(qp, &wr, NULL), -EINVAL);
	assert_non_null(f->fake->last_bad_wr);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_post_send__allocates_nothing(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_send_wr send = {.wr_id = 1};
	struct ib_recv_wr receive = {.wr_id = 2};

	base_alloc_forbid(true);
	assert_int_equal(ib_post_send(qp, &send, NULL), 0);
	assert_int_equal(ib_post_recv(qp, &receive, NULL), 0);
	base_alloc_forbid(false);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_post_recv__hands_the_chain_to_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_recv_wr second = {.wr_id = 2};
	struct ib_recv_wr first = {.next = &second, .wr_id = 1};
	const struct ib_recv_wr *bad = NULL;

	f->fake->post_room = 1;
	assert_int_equal(ib_post_recv(qp, &first, &bad), -ENOMEM);
	assert_ptr_equal(bad, &second);
	assert_int_equal(f->fake->recv_wrs, 1);
	assert_int_equal(f->fake->arg[FAKE_POST_RECV][0], (uintptr_t)qp);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_post_recv__supplies_a_place_for_the_bad_request(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_recv_wr wr = {.wr_id = 1};

	f->fake->fail[FAKE_POST_RECV] = -EINVAL;
	assert_int_equal(ib_post_recv(qp, &wr, NULL), -EINVAL);
	assert_non_null(f->fake->last_bad_wr);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static struct ib_srq *make_srq(struct core_fixture *f)
{
	struct ib_srq_init_attr attr = {.attr = {.max_wr = 4, .max_sge = 1}};
	struct ib_srq *srq = ib_create_srq(f->pd, &attr);

	assert_ok_ptr(srq);
	return srq;
}

static void ib_post_srq_recv__hands_the_chain_to_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_srq *srq = make_srq(f);
	struct ib_recv_wr second = {.wr_id = 2};
	struct ib_recv_wr first = {.next = &second, .wr_id = 1};
	const struct ib_recv_wr *bad = NULL;

	f->fake->post_room = 1;
	assert_int_equal(ib_post_srq_recv(srq, &first, &bad), -ENOMEM);
	assert_ptr_equal(bad, &second);
	assert_int_equal(f->fake->recv_wrs, 1);
	assert_int_equal(ib_post_srq_recv(srq, &first, NULL), -ENOMEM);
	assert_non_null(f->fake->last_bad_wr);
	ib_destroy_srq(srq);
}

/* Protection domains */

static void ib_alloc_pd__uses_the_device_key_where_there_is_one(void **state)
{
	struct core_fixture *f = *state;
	struct ib_pd *pd;

	f->device->attrs.kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	pd = ib_alloc_pd(f->device, 0);
	assert_ok_ptr(pd);
	assert_ptr_equal(pd->device, f->device);
	assert_int_equal(pd->local_dma_lkey, FAKE_LOCAL_DMA_LKEY);
	assert_null(pd->__internal_mr);
	assert_int_equal(pd->unsafe_global_rkey, 0);
	ib_dealloc_pd(pd);
}

static void ib_alloc_pd__makes_a_dma_mr_where_there_is_none(void **state)
{
	struct core_fixture *f = *state;
	const unsigned int before = f->fake->called[FAKE_GET_DMA_MR];
	struct ib_pd *pd = ib_alloc_pd(f->device, 0);

	assert_ok_ptr(pd);
	assert_int_equal(f->fake->called[FAKE_GET_DMA_MR], before + 1);
	assert_int_equal(f->fake->arg[FAKE_GET_DMA_MR][1], IB_ACCESS_LOCAL_WRITE);
	assert_ok_ptr(pd->__internal_mr);
	assert_int_equal(pd->local_dma_lkey, pd->__internal_mr->lkey);
	assert_int_equal(pd->__internal_mr->type, IB_MR_TYPE_DMA);
	assert_ptr_equal(pd->__internal_mr->pd, pd);
	assert_int_equal(atomic_read(&pd->usecnt), 0);
	ib_dealloc_pd(pd);
	assert_int_equal(f->fake->called[FAKE_DEREG_MR], 1);
	assert_int_equal(f->fake->called[FAKE_DEALLOC_PD], 1);
}

static void ib_alloc_pd__opens_all_memory_on_demand(void **state)
{
	struct core_fixture *f = *state;
	struct ib_pd *pd = ib_alloc_pd(f->device, IB_PD_UNSAFE_GLOBAL_RKEY);

	assert_ok_ptr(pd);
	assert_int_equal(f->fake->arg[FAKE_GET_DMA_MR][1],
			 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	assert_int_equal(pd->unsafe_global_rkey, pd->__internal_mr->rkey);
	assert_int_equal(pd->flags, IB_PD_UNSAFE_GLOBAL_RKEY);
	ib_dealloc_pd(pd);
	f->device->attrs.kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	pd = ib_alloc_pd(f->device, IB_PD_UNSAFE_GLOBAL_RKEY);
	assert_ok_ptr(pd);
	assert_int_equal(f->fake->arg[FAKE_GET_DMA_MR][1],
			 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	assert_int_equal(pd->local_dma_lkey, FAKE_LOCAL_DMA_LKEY);
	assert_int_equal(pd->unsafe_global_rkey, pd->__internal_mr->rkey);
	ib_dealloc_pd(pd);
}

static void ib_alloc_pd__hands_errors_through_and_leaves_nothing(void **state)
{
	struct core_fixture *f = *state;

	f->fake->fail[FAKE_ALLOC_PD] = -ENOSPC;
	assert_ptr_err(ib_alloc_pd(f->device, 0), -ENOSPC);
	assert_int_equal(f->fake->called[FAKE_DEALLOC_PD], 0);
	f->fake->fail[FAKE_ALLOC_PD] = 0;
	f->fake->fail[FAKE_GET_DMA_MR] = -EPERM;
	assert_ptr_err(ib_alloc_pd(f->device, 0), -EPERM);
	assert_int_equal(f->fake->called[FAKE_DEALLOC_PD], 1);
	f->device->ops.get_dma_mr = NULL;
	assert_ptr_err(ib_alloc_pd(f->device, 0), -EOPNOTSUPP);
	f->device->ops.alloc_pd = NULL;
	assert_ptr_err(ib_alloc_pd(f->device, 0), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_dealloc_pd_user__refuses_while_objects_live(void **state)
{
	struct core_fixture *f = *state;
	struct ib_pd *pd = ib_alloc_pd(f->device, 0);
	struct ib_mr *mr;

	assert_ok_ptr(pd);
	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, 1);
	assert_ok_ptr(mr);
	assert_int_equal(ib_dealloc_pd_user(pd, NULL), -EBUSY);
	assert_cause_text(
		"the PD still has objects: 1. Destroy its QPs, SRQs, WQs, AHs, MRs and windows "
		"first.");
	assert_int_equal(f->fake->called[FAKE_DEALLOC_PD], 0);
	assert_int_equal(ib_dereg_mr(mr), 0);
	assert_int_equal(ib_dealloc_pd_user(pd, NULL), 0);
	assert_int_equal(f->fake->called[FAKE_DEALLOC_PD], 1);
}

static void ib_dealloc_pd_user__keeps_the_pd_when_the_provider_does(void **state)
{
	struct core_fixture *f = *state;
	struct ib_pd *pd = ib_alloc_pd(f->device, 0);

	assert_ok_ptr(pd);
	f->fake->fail[FAKE_DEALLOC_PD] = -EBUSY;
	assert_int_equal(ib_dealloc_pd_user(pd, NULL), -EBUSY);
	f->fake->fail[FAKE_DEALLOC_PD] = 0;
	assert_int_equal(ib_dealloc_pd_user(pd, NULL), 0);
	assert_int_equal(f->fake->called[FAKE_DEREG_MR], 1);
}

static void ib_dealloc_pd__frees_it(void **state)
{
	struct core_fixture *f = *state;
	struct ib_pd *pd = ib_alloc_pd(f->device, 0);

	assert_ok_ptr(pd);
	ib_dealloc_pd(pd);
	assert_int_equal(f->fake->called[FAKE_DEALLOC_PD], 1);
}

/* Ports */

static void rdma_node_get_transport__knows_each_node_type(void **state)
{
	(void)state;
	assert_int_equal(rdma_node_get_transport(RDMA_NODE_IB_CA), RDMA_TRANSPORT_IB);
	assert_int_equal(rdma_node_get_transport(RDMA_NODE_IB_SWITCH), RDMA_TRANSPORT_IB);
	assert_int_equal(rdma_node_get_transport(RDMA_NODE_IB_ROUTER), RDMA_TRANSPORT_IB);
	assert_int_equal(rdma_node_get_transport(RDMA_NODE_RNIC), RDMA_TRANSPORT_IWARP);
	assert_int_equal(rdma_node_get_transport(RDMA_NODE_USNIC), RDMA_TRANSPORT_USNIC);
	assert_int_equal(rdma_node_get_transport(RDMA_NODE_USNIC_UDP), RDMA_TRANSPORT_USNIC_UDP);
	assert_int_equal(rdma_node_get_transport(RDMA_NODE_UNSPECIFIED),
			 RDMA_TRANSPORT_UNSPECIFIED);
	assert_int_equal(rdma_node_get_transport(99), RDMA_TRANSPORT_IB);
}

static void rdma_port_get_link_layer__asks_the_provider_first(void **state)
{
	struct core_fixture *f = *state;

	f->fake->options.roce = true;
	assert_int_equal(rdma_port_get_link_layer(f->device, 1), IB_LINK_LAYER_ETHERNET);
	f->device->ops.get_link_layer = NULL;
	assert_int_equal(rdma_port_get_link_layer(f->device, 1), IB_LINK_LAYER_INFINIBAND);
	f->device->node_type = RDMA_NODE_RNIC;
	assert_int_equal(rdma_port_get_link_layer(f->device, 1), IB_LINK_LAYER_ETHERNET);
	f->device->node_type = RDMA_NODE_IB_CA;
	f->fake->options.roce = false;
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_post_send__hands_the_chain_to_the_provider),
	WITH_DEVICE(ib_post_send__names_the_request_that_did_not_fit),
	WITH_DEVICE(ib_post_send__supplies_a_place_for_the_bad_request),
	WITH_DEVICE(ib_post_send__allocates_nothing),
	WITH_DEVICE(ib_post_recv__hands_the_chain_to_the_provider),
	WITH_DEVICE(ib_post_recv__supplies_a_place_for_the_bad_request),
	WITH_DEVICE(ib_post_srq_recv__hands_the_chain_to_the_provider),
	WITH_DEVICE(ib_alloc_pd__uses_the_device_key_where_there_is_one),
	WITH_DEVICE(ib_alloc_pd__makes_a_dma_mr_where_there_is_none),
	WITH_DEVICE(ib_alloc_pd__opens_all_memory_on_demand),
	WITH_DEVICE(ib_alloc_pd__hands_errors_through_and_leaves_nothing),
	WITH_DEVICE(ib_dealloc_pd_user__refuses_while_objects_live),
	WITH_DEVICE(ib_dealloc_pd_user__keeps_the_pd_when_the_provider_does),
	WITH_DEVICE(ib_dealloc_pd__frees_it),
	cmocka_unit_test(rdma_node_get_transport__knows_each_node_type),
	WITH_DEVICE(rdma_port_get_link_layer__asks_the_provider_first),
};

int main(void)
{
	return verbena_test_main(tests);
}
