/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <rdma/uverbs_ioctl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/umem.h"
#include "common/core_fixture.h"

static int setup(void **state)
{
	(void)state;
	return base_umem_init();
}

/* A page that must not be touched. */
static void *unmapped(void)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	return page;
}

static void ib_copy_from_udata__copies(void **state)
{
	char from[8] = "request", to[8] = {0};
	struct ib_udata udata = {.inbuf = from, .inlen = sizeof(from)};

	(void)state;
	assert_int_equal(ib_copy_from_udata(to, &udata, 7), 0);
	assert_string_equal(to, "request");
}

static void ib_copy_from_udata__fails_where_there_is_nothing(void **state)
{
	char from[8] = "request", to[16];
	struct ib_udata udata = {.inbuf = from, .inlen = sizeof(from)};

	(void)state;
	assert_int_equal(ib_copy_from_udata(to, &udata, 9), -EFAULT);
	assert_cause_text("9 bytes of a buffer that has 8. Pass a larger buffer.");
	udata.inbuf = unmapped();
	assert_int_equal(ib_copy_from_udata(to, &udata, 8), -EFAULT);
	assert_cause(UDATA_FAULT);
	assert_int_equal(munmap((void *)udata.inbuf, 4096), 0);
}

static void ib_copy_to_udata__copies(void **state)
{
	char from[8] = "answer!", to[8] = {0};
	struct ib_udata udata = {.outbuf = to, .outlen = sizeof(to)};

	(void)state;
	assert_int_equal(ib_copy_to_udata(&udata, from, 8), 0);
	assert_string_equal(to, "answer!");
}

static void ib_copy_to_udata__fails_where_there_is_no_room(void **state)
{
	char from[16] = "answer!", to[8] = {0};
	struct ib_udata udata = {.outbuf = to, .outlen = sizeof(to)};

	(void)state;
	assert_int_equal(ib_copy_to_udata(&udata, from, 9), -EFAULT);
	assert_cause(UDATA_SHORT);
	assert_int_equal(to[0], 0);
	udata.outbuf = unmapped();
	assert_int_equal(ib_copy_to_udata(&udata, from, 8), -EFAULT);
	assert_cause(UDATA_FAULT);
	assert_int_equal(munmap(udata.outbuf, 4096), 0);
}

static void ib_is_buffer_cleared__finds_the_last_byte(void **state)
{
	static u8 bytes[65536];
	void *gone = unmapped();

	(void)state;
	assert_true(ib_is_buffer_cleared(bytes, 65535));
	assert_false(ib_is_buffer_cleared(bytes, 65536));
	assert_true(ib_is_buffer_cleared(bytes, 0));
	bytes[1000] = 1;
	assert_true(ib_is_buffer_cleared(bytes, 1000));
	assert_false(ib_is_buffer_cleared(bytes, 1001));
	bytes[1000] = 0;
	assert_false(ib_is_buffer_cleared(gone, 8));
	assert_int_equal(munmap(gone, 4096), 0);
}

static void ib_is_udata_cleared__looks_behind_the_known_part(void **state)
{
	const u8 request[16] = {1, 2, 3, 4};
	struct ib_udata udata = {.inbuf = request, .inlen = sizeof(request)};

	(void)state;
	assert_true(ib_is_udata_cleared(&udata, 4, 12));
	assert_false(ib_is_udata_cleared(&udata, 3, 12));
	assert_false(ib_is_udata_cleared(&udata, 4, 13));
	assert_false(ib_is_udata_cleared(&udata, 17, 0));
	assert_false(ib_is_udata_cleared(&udata, 8, SIZE_MAX));
}

static void ib_wc_to_uverbs__has_the_library_s_flags(void **state)
{
	struct ib_qp qp = {.qp_num = 0x12};
	struct ib_wc wc = {.wr_id = 7,
			   .status = IB_WC_REM_ACCESS_ERR,
			   .opcode = IB_WC_RECV,
			   .vendor_err = 9,
			   .byte_len = 10,
			   .qp = &qp,
			   .src_qp = 11,
			   .pkey_index = 1,
			   .slid = 2,
			   .sl = 3,
			   .dlid_path_bits = 4,
			   .port_num = 1};
	struct ib_uverbs_wc out;

	(void)state;
	wc.ex.invalidate_rkey = 0x55;
	wc.wc_flags = IB_WC_WITH_INVALIDATE | IB_WC_GRH;
	ib_wc_to_uverbs(&wc, &out);
	assert_int_equal(out.wr_id, 7);
	assert_int_equal(out.status, 10);
	assert_int_equal(out.opcode, 128);
	assert_int_equal(out.vendor_err, 9);
	assert_int_equal(out.byte_len, 10);
	assert_int_equal(out.ex.invalidate_rkey, 0x55);
	assert_int_equal(out.qp_num, 0x12);
	assert_int_equal(out.src_qp, 11);
	assert_int_equal(out.wc_flags, 8 | 1);
	assert_int_equal(out.pkey_index, 1);
	assert_int_equal(out.slid, 2);
	assert_int_equal(out.sl, 3);
	assert_int_equal(out.dlid_path_bits, 4);
	assert_int_equal(out.port_num, 1);
	wc.wc_flags = IB_WC_WITH_IMM | IB_WC_IP_CSUM_OK;
	wc.ex.imm_data = htonl(0x1234);
	wc.qp = NULL;
	ib_wc_to_uverbs(&wc, &out);
	assert_int_equal(out.wc_flags, 2 | 4);
	assert_int_equal(out.ex.imm_data, htonl(0x1234));
	assert_int_equal(out.qp_num, 0);
	wc.opcode = IB_WC_ATOMIC_WRITE;
	ib_wc_to_uverbs(&wc, &out);
	assert_int_equal(out.opcode, 9);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(ib_copy_from_udata__copies, setup),
	cmocka_unit_test_setup(ib_copy_from_udata__fails_where_there_is_nothing, setup),
	cmocka_unit_test_setup(ib_copy_to_udata__copies, setup),
	cmocka_unit_test_setup(ib_copy_to_udata__fails_where_there_is_no_room, setup),
	cmocka_unit_test_setup(ib_is_buffer_cleared__finds_the_last_byte, setup),
	cmocka_unit_test_setup(ib_is_udata_cleared__looks_behind_the_known_part, setup),
	cmocka_unit_test_setup(ib_wc_to_uverbs__has_the_library_s_flags, setup),
};

int main(void)
{
	return verbena_test_main(tests);
}
