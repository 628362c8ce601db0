// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Fields of MADs that share a byte or a word. */
#include <rdma/ib_mad.h>

#include "common/test.h"

static void ib_get_rmpp_resptime__upper_five_bits(void **state)
{
	struct ib_rmpp_hdr hdr = {.rmpp_rtime_flags = 0xfd};

	(void)state;
	assert_int_equal(ib_get_rmpp_resptime(&hdr), IB_MGMT_RMPP_NO_RESPTIME);
	hdr.rmpp_rtime_flags = 0x47;
	assert_int_equal(ib_get_rmpp_resptime(&hdr), 8);
}

static void ib_set_rmpp_resptime__keeps_the_flags(void **state)
{
	struct ib_rmpp_hdr hdr = {.rmpp_rtime_flags = 0xfd};

	(void)state;
	ib_set_rmpp_resptime(&hdr, 3);
	assert_int_equal(hdr.rmpp_rtime_flags, 0x1d);
	ib_set_rmpp_resptime(&hdr, 0x21); /* what does not fit falls off */
	assert_int_equal(hdr.rmpp_rtime_flags, 0x0d);
}

static void ib_get_rmpp_flags__lower_three_bits(void **state)
{
	struct ib_rmpp_hdr hdr = {.rmpp_rtime_flags = 0xfd};

	(void)state;
	assert_int_equal(ib_get_rmpp_flags(&hdr),
			 IB_MGMT_RMPP_FLAG_ACTIVE | IB_MGMT_RMPP_FLAG_LAST);
}

static void ib_set_rmpp_flags__keeps_the_time(void **state)
{
	struct ib_rmpp_hdr hdr = {.rmpp_rtime_flags = 0xfd};

	(void)state;
	ib_set_rmpp_flags(&hdr, 0xf2);
	assert_int_equal(hdr.rmpp_rtime_flags, 0xfa);
}

static void ib_get_cpi_resp_time__lower_five_bits(void **state)
{
	struct ib_class_port_info cpi = {.cap_mask2_resp_time = cpu_to_be32(0xffffffe0 | 18)};

	(void)state;
	assert_int_equal(ib_get_cpi_resp_time(&cpi), 18);
}

static void ib_set_cpi_resp_time__keeps_the_mask(void **state)
{
	struct ib_class_port_info cpi = {.cap_mask2_resp_time = cpu_to_be32(0x12345678)};

	(void)state;
	ib_set_cpi_resp_time(&cpi, 0xe1);
	assert_int_equal(be32_to_cpu(cpi.cap_mask2_resp_time), 0x12345661);
}

static void ib_get_cpi_capmask2__upper_27_bits(void **state)
{
	struct ib_class_port_info cpi = {.cap_mask2_resp_time = cpu_to_be32(0xffffffff)};

	(void)state;
	assert_int_equal(ib_get_cpi_capmask2(&cpi), 0x7ffffff);
}

static void ib_set_cpi_capmask2__keeps_the_time(void **state)
{
	struct ib_class_port_info cpi = {.cap_mask2_resp_time = cpu_to_be32(0xffffffff)};

	(void)state;
	ib_set_cpi_capmask2(&cpi, 0x8000001); /* bit 27 is lost */
	assert_int_equal(be32_to_cpu(cpi.cap_mask2_resp_time), 0x3f);
}

static void opa_get_cpi_capmask2__upper_27_bits(void **state)
{
	struct opa_class_port_info cpi = {.cap_mask2_resp_time =
						  cpu_to_be32(OPA_CLASS_PORT_INFO_PR_SUPPORT << 5)};

	(void)state;
	assert_int_equal(opa_get_cpi_capmask2(&cpi), OPA_CLASS_PORT_INFO_PR_SUPPORT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_get_rmpp_resptime__upper_five_bits),
	cmocka_unit_test(ib_set_rmpp_resptime__keeps_the_flags),
	cmocka_unit_test(ib_get_rmpp_flags__lower_three_bits),
	cmocka_unit_test(ib_set_rmpp_flags__keeps_the_time),
	cmocka_unit_test(ib_get_cpi_resp_time__lower_five_bits),
	cmocka_unit_test(ib_set_cpi_resp_time__keeps_the_mask),
	cmocka_unit_test(ib_get_cpi_capmask2__upper_27_bits),
	cmocka_unit_test(ib_set_cpi_capmask2__keeps_the_time),
	cmocka_unit_test(opa_get_cpi_capmask2__upper_27_bits),
};

int main(void)
{
	return verbena_test_main(tests);
}
