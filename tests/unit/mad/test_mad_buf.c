// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Buffers. */
#include "rmpp_fixture.h"

static void ib_is_mad_class_rmpp__all_classes(void **state)
{
	(void)state;
	for (unsigned int c = 0; c < 256; c++) {
		const bool vendor = c >= 0x30 && c <= 0x4f;
		const bool rmpp = c == 3 || c == 6 || c == 0x10 || c == 0x12 || vendor;
		int offset = 24;

		if (c == 3)
			offset = 56;
		else if (vendor)
			offset = 40;
		else if (rmpp)
			offset = 64;
		assert_int_equal(ib_is_mad_class_rmpp((u8)c), rmpp);
		assert_int_equal(ib_get_mad_data_offset((u8)c), offset);
	}
}

static void ib_mad_kernel_rmpp_agent__who_leaves_it_to_us(void **state)
{
	struct ib_mad_agent agent = {.rmpp_version = 0};

	(void)state;
	assert_false(ib_mad_kernel_rmpp_agent(&agent));
	agent.rmpp_version = 1;
	assert_true(ib_mad_kernel_rmpp_agent(&agent));
	agent.flags = IB_MAD_USER_RMPP;
	assert_false(ib_mad_kernel_rmpp_agent(&agent));
}

static struct ib_mad_send_buf *create(struct end *end, int rmpp, int hdr_len, int data_len, u8 base)
{
	return hold(
		ib_create_send_mad(end->agent, 1, 0, rmpp, hdr_len, data_len, GFP_KERNEL, base));
}

static void ib_create_send_mad__one_mad(void **state)
{
	struct fixture *f = *state;
	struct end *end = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	static const u8 zero[IB_MGMT_MAD_SIZE];
	struct ib_mad_send_buf *buf = create(end, 0, 24, 232, IB_MGMT_BASE_VERSION);
	const struct ib_ud_wr *wr;

	assert_false(IS_ERR(buf));
	wr = &mad_send_of(buf)->send_wr;
	assert_memory_equal(buf->mad, zero, sizeof(zero));
	assert_ptr_equal(buf->mad_agent, end->agent);
	assert_int_equal(buf->hdr_len, 24);
	assert_int_equal(buf->data_len, 232);
	assert_int_equal(buf->seg_count, 0);
	assert_int_equal(wr->remote_qpn, 1);
	assert_int_equal(wr->remote_qkey, IB_QP_SET_QKEY);
	end_free(buf);
}

static void ib_create_send_mad__refuses(void **state)
{
	struct fixture *f = *state;
	struct end *plain = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *rmpp = end_open(f, 1, 0, TEST_CLASS, 0, IB_MGMT_RMPP_VERSION);
	struct ib_mad_send_buf *buf;

	assert_int_equal(PTR_ERR(create(plain, 1, 40, 10, 1)), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_MAD_NO_RMPP);
	assert_int_equal(PTR_ERR(create(plain, 0, 40, 217, 1)), -EINVAL);
	assert_int_equal(PTR_ERR(create(rmpp, 0, 40, 217, 1)), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_MAD_TOO_LONG);
	assert_int_equal(PTR_ERR(create(rmpp, 1, 256, 10, 1)), -EINVAL);
	assert_int_equal(PTR_ERR(create(rmpp, 1, 35, 10, 1)), -EINVAL);
	assert_int_equal(PTR_ERR(create(rmpp, 0, 23, 10, 1)), -EINVAL);
	assert_int_equal(PTR_ERR(create(rmpp, 0, -1, 10, 1)), -EINVAL);
	assert_int_equal(PTR_ERR(create(rmpp, 1, 40, -1, 1)), -EINVAL);
	assert_int_equal(PTR_ERR(create(rmpp, 1, 40, INT32_MAX, 1)), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_MAD_LENGTHS);
	buf = create(rmpp, 0, 40, 216, 1);
	assert_false(IS_ERR(buf));
	end_free(buf);
	buf = create(plain, 0, 256, 0, 1);
	assert_false(IS_ERR(buf));
	end_free(buf);
}

/* Headers, then the data, filled up with zeroes; payload length as the manual says. */
static void ib_create_send_mad__segments(void **state)
{
	static const struct {
		int data_len, segments, pad;
	} rows[] = {{0, 1, 216}, {1, 1, 215},	{215, 1, 1},
		    {216, 1, 0}, {217, 2, 215}, {2160, 10, 0}};
	struct fixture *f = *state;
	struct end *end = end_open(f, 0, 0, TEST_CLASS, 0, IB_MGMT_RMPP_VERSION);

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ib_mad_send_buf *buf = create(end, 1, 40, rows[i].data_len, 1);
		const struct ib_rmpp_mad *mad;
		const u8 *last;

		assert_false(IS_ERR(buf));
		mad = buf->mad;
		assert_int_equal(buf->seg_count, rows[i].segments);
		assert_int_equal(buf->seg_size, 216);
		assert_int_equal(buf->seg_rmpp_size, 220);
		assert_int_equal(mad_send_of(buf)->pad, rows[i].pad);
		assert_int_equal(mad->rmpp_hdr.rmpp_version, 1);
		assert_int_equal(mad->rmpp_hdr.rmpp_type, IB_MGMT_RMPP_TYPE_DATA);
		assert_int_equal(mad->rmpp_hdr.rmpp_rtime_flags, IB_MGMT_RMPP_FLAG_ACTIVE);
		assert_int_equal(be32_to_cpu(mad->rmpp_hdr.paylen_newwin), 4 + rows[i].data_len);
		last = ib_get_rmpp_segment(buf, buf->seg_count);
		for (int b = buf->seg_size - rows[i].pad; b < buf->seg_size; b++)
			assert_int_equal(last[b], 0);
		end_free(buf);
	}
}

static void ib_get_rmpp_segment__forward_and_backward(void **state)
{
	struct fixture *f = *state;
	struct end *end = end_open(f, 0, 0, TEST_CLASS, 0, IB_MGMT_RMPP_VERSION);
	struct ib_mad_send_buf *buf = create(end, 1, 40, 5 * 216, 1);
	u8 *first;

	assert_false(IS_ERR(buf));
	first = ib_get_rmpp_segment(buf, 1);
	assert_ptr_equal(first, (u8 *)buf->mad + 40);
	for (int n = 5; n > 0; n--)
		assert_ptr_equal(ib_get_rmpp_segment(buf, n), first + (n - 1) * 216);
	end_free(buf);
}

/* Of a port that takes 2048 bytes, if the base version asks for it. */
static void ib_create_send_mad__opa(void **state)
{
	struct fixture *f = *state;
	struct ib_port_immutable *port = &f->device[0]->port_data[1].immutable;
	struct ib_mad_send_buf *buf;
	struct end *end;

	port->core_cap_flags |= RDMA_CORE_CAP_OPA_MAD;
	port->max_mad_size = OPA_MGMT_MAD_SIZE;
	end = end_open(f, 0, 0, TEST_CLASS, 0, IB_MGMT_RMPP_VERSION);
	buf = create(end, 1, 40, 5000, OPA_MGMT_BASE_VERSION);
	assert_false(IS_ERR(buf));
	assert_int_equal(buf->seg_size, 2008);
	assert_int_equal(buf->seg_rmpp_size, 2012);
	assert_int_equal(buf->seg_count, 3);
	end_free(buf);
	buf = create(end, 0, 24, 2024, OPA_MGMT_BASE_VERSION);
	assert_false(IS_ERR(buf));
	end_free(buf);
	assert_int_equal(PTR_ERR(create(end, 0, 24, 2024, IB_MGMT_BASE_VERSION)), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_is_mad_class_rmpp__all_classes),
	cmocka_unit_test(ib_mad_kernel_rmpp_agent__who_leaves_it_to_us),
	TEST(ib_create_send_mad__one_mad),
	TEST(ib_create_send_mad__refuses),
	TEST(ib_create_send_mad__segments),
	TEST(ib_get_rmpp_segment__forward_and_backward),
	TEST(ib_create_send_mad__opa),
};

int main(void)
{
	return verbena_test_main(tests);
}
