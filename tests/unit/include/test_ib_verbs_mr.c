/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Keys, rights, DMA addresses and the buffers of requests. */
#include <errno.h>
#include <string.h>
#include <rdma/ib_verbs_mr.h>

#include "common/test.h"

#define ADDRESS ((u64)(uintptr_t)buffer)

static struct ib_device device;
static u8 buffer[4096] __aligned(4096);
static int virt_mapped;

static int setup(void **state)
{
	(void)state;
	memset(&device, 0, sizeof(device));
	for (size_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = (u8)(i * 7);
	virt_mapped = 0;
	return 0;
}

static void assert_unchanged(void)
{
	for (size_t i = 0; i < sizeof(buffer); i++)
		assert_int_equal(buffer[i], (u8)(i * 7));
}

/* What stands behind the inlines. */
int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset,
		 unsigned int page_size)
{
	(void)sg;
	mr->iova = 0x1234;
	mr->page_size = page_size;
	++*sg_offset;
	return sg_nents;
}

int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata)
{
	assert_null(udata);
	return -(int)mr->lkey;
}

int ib_dma_virt_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents)
{
	(void)dev;
	(void)sg;
	virt_mapped = nents;
	return nents;
}

static void ib_map_mr_sg_zbva__begins_at_0(void **state)
{
	(void)state;
	struct ib_mr mr = {0};
	unsigned int offset = 5;

	assert_int_equal(ib_map_mr_sg_zbva(&mr, NULL, 3, &offset, 4096), 3);
	assert_int_equal(mr.page_size, 4096);
	assert_int_equal(offset, 6);
	assert_int_equal(mr.iova, 0);
}

static void ib_dereg_mr__has_no_process(void **state)
{
	(void)state;
	struct ib_mr mr = {.lkey = 77};

	assert_int_equal(ib_dereg_mr(&mr), -77);
}

static void ib_update_fast_reg_key__changes_both_low_bytes(void **state)
{
	(void)state;
	struct ib_mr mr = {.lkey = 0x11223344, .rkey = 0x55667788};

	ib_update_fast_reg_key(&mr, 0xab);
	assert_int_equal(mr.lkey, 0x112233ab);
	assert_int_equal(mr.rkey, 0x556677ab);
}

static void ib_inc_rkey__wraps_in_the_low_byte(void **state)
{
	(void)state;
	assert_int_equal(ib_inc_rkey(0x11223344), 0x11223345);
	assert_int_equal(ib_inc_rkey(0x112233ff), 0x11223300);
	assert_int_equal(ib_inc_rkey(0xffffffff), 0xffffff00);
}

static void ib_access_writable__knows_the_four_rights(void **state)
{
	(void)state;
	for (int bit = 0; bit < 31; bit++) {
		const int right = 1 << bit;
		const bool writes = right == IB_ACCESS_LOCAL_WRITE ||
				    right == IB_ACCESS_REMOTE_WRITE ||
				    right == IB_ACCESS_REMOTE_ATOMIC || right == IB_ACCESS_MW_BIND;

		assert_int_equal(ib_access_writable(right), writes);
	}
	assert_false(ib_access_writable(0));
}

static void ib_check_mr_access__remote_writing_needs_local_writing(void **state)
{
	(void)state;
	assert_int_equal(ib_check_mr_access(&device, 0), 0);
	assert_int_equal(ib_check_mr_access(&device, IB_ACCESS_REMOTE_READ), 0);
	assert_int_equal(ib_check_mr_access(&device, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	assert_int_equal(ib_check_mr_access(&device, IB_ACCESS_REMOTE_ATOMIC), -EINVAL);
	assert_int_equal(
		ib_check_mr_access(&device, IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE), 0);
}

static void ib_check_mr_access__unknown_right_is_einval(void **state)
{
	(void)state;
	assert_int_equal(ib_check_mr_access(&device, 1u << 30), -EINVAL);
	assert_int_equal(ib_check_mr_access(&device, IB_ACCESS_RELAXED_ORDERING), 0);
}

static void ib_check_mr_access__on_demand_needs_the_capability(void **state)
{
	(void)state;
	assert_int_equal(ib_check_mr_access(&device, IB_ACCESS_ON_DEMAND), -EINVAL);
	device.attrs.kernel_cap_flags = IBK_ON_DEMAND_PAGING;
	assert_int_equal(ib_check_mr_access(&device, IB_ACCESS_ON_DEMAND), 0);
}

static void ib_uses_virt_dma__without_a_dma_device(void **state)
{
	(void)state;
	struct device dma = {0};

	assert_true(ib_uses_virt_dma(&device));
	device.dma_device = &dma;
	assert_false(ib_uses_virt_dma(&device));
}

static void ib_dma_pci_p2p_dma_supported__never(void **state)
{
	(void)state;
	assert_false(ib_dma_pci_p2p_dma_supported(&device));
}

static void ib_virt_dma_to_ptr__is_the_address(void **state)
{
	(void)state;
	assert_ptr_equal(ib_virt_dma_to_ptr((u64)(uintptr_t)buffer), buffer);
}

static void ib_virt_dma_to_page__is_its_page(void **state)
{
	(void)state;
	assert_ptr_equal(page_address(ib_virt_dma_to_page((u64)(uintptr_t)buffer + 17)), buffer);
}

static void ib_dma_mapping_error__never(void **state)
{
	(void)state;
	assert_int_equal(ib_dma_mapping_error(&device, 0), 0);
	assert_int_equal(ib_dma_mapping_error(&device, DMA_MAPPING_ERROR), 0);
}

static void ib_dma_map_single__is_the_buffers_address(void **state)
{
	(void)state;
	assert_int_equal(ib_dma_map_single(&device, buffer + 3, 5, DMA_TO_DEVICE),
			 (uintptr_t)buffer + 3);
}

static void ib_dma_unmap_single__leaves_the_bytes_alone(void **state)
{
	(void)state;
	ib_dma_unmap_single(&device, ADDRESS, sizeof(buffer), DMA_FROM_DEVICE);
	assert_unchanged();
}

static void ib_dma_map_page__adds_the_offset(void **state)
{
	(void)state;
	assert_int_equal(ib_dma_map_page(&device, virt_to_page(buffer), 40, 5, DMA_TO_DEVICE),
			 (uintptr_t)buffer + 40);
}

static void ib_dma_unmap_page__leaves_the_bytes_alone(void **state)
{
	(void)state;
	ib_dma_unmap_page(&device, ADDRESS, sizeof(buffer), DMA_FROM_DEVICE);
	assert_unchanged();
}

static void ib_dma_map_bvec__adds_the_offset(void **state)
{
	(void)state;
	struct bio_vec bvec = {.bv_page = virt_to_page(buffer), .bv_len = 5, .bv_offset = 40};

	assert_int_equal(ib_dma_map_bvec(&device, &bvec, DMA_TO_DEVICE), (uintptr_t)buffer + 40);
}

static void ib_dma_unmap_bvec__leaves_the_bytes_alone(void **state)
{
	(void)state;
	ib_dma_unmap_bvec(&device, ADDRESS, sizeof(buffer), DMA_FROM_DEVICE);
	assert_unchanged();
}

static void ib_dma_map_sg_attrs__maps_all_entries(void **state)
{
	(void)state;
	struct scatterlist sg[2];

	sg_init_table(sg, 2);
	assert_int_equal(ib_dma_map_sg_attrs(&device, sg, 2, DMA_TO_DEVICE, DMA_ATTR_NO_WARN), 2);
	assert_int_equal(virt_mapped, 2);
}

static void ib_dma_unmap_sg_attrs__leaves_the_list_alone(void **state)
{
	(void)state;
	struct scatterlist sg;

	sg_init_one(&sg, buffer, 7);
	sg_dma_address(&sg) = 9;
	ib_dma_unmap_sg_attrs(&device, &sg, 1, DMA_TO_DEVICE, 0);
	assert_int_equal(sg_dma_address(&sg), 9);
	assert_ptr_equal(sg_virt(&sg), buffer);
}

static void ib_dma_map_sg__maps_all_entries(void **state)
{
	(void)state;
	struct scatterlist sg[2];

	sg_init_table(sg, 2);
	assert_int_equal(ib_dma_map_sg(&device, sg, 2, DMA_TO_DEVICE), 2);
	assert_int_equal(virt_mapped, 2);
}

static void ib_dma_unmap_sg__leaves_the_list_alone(void **state)
{
	(void)state;
	struct scatterlist sg;

	sg_init_one(&sg, buffer, 7);
	sg_dma_address(&sg) = 9;
	ib_dma_unmap_sg(&device, &sg, 1, DMA_TO_DEVICE);
	assert_int_equal(sg_dma_address(&sg), 9);
}

static void ib_dma_map_sgtable_attrs__sets_nents(void **state)
{
	(void)state;
	struct scatterlist sg[2];
	struct sg_table table = {.sgl = sg, .orig_nents = 2};

	sg_init_table(sg, 2);
	assert_int_equal(ib_dma_map_sgtable_attrs(&device, &table, DMA_TO_DEVICE, 0), 0);
	assert_int_equal(table.nents, 2);
	assert_int_equal(virt_mapped, 2);
}

static void ib_dma_map_sgtable_attrs__nothing_is_eio(void **state)
{
	(void)state;
	struct sg_table table = {.nents = 7};

	assert_int_equal(ib_dma_map_sgtable_attrs(&device, &table, DMA_TO_DEVICE, 0), -EIO);
	assert_int_equal(table.nents, 7);
}

static void ib_dma_unmap_sgtable_attrs__leaves_the_table_alone(void **state)
{
	(void)state;
	struct scatterlist sg;
	struct sg_table table = {.sgl = &sg, .nents = 1, .orig_nents = 1};

	sg_init_one(&sg, buffer, 7);
	ib_dma_unmap_sgtable_attrs(&device, &table, DMA_TO_DEVICE, 0);
	assert_int_equal(table.nents, 1);
	assert_int_equal(table.orig_nents, 1);
}

static void ib_dma_max_seg_size__has_no_limit(void **state)
{
	(void)state;
	assert_int_equal(ib_dma_max_seg_size(&device), UINT_MAX);
}

static void ib_dma_sync_single_for_cpu__leaves_the_bytes_alone(void **state)
{
	(void)state;
	ib_dma_sync_single_for_cpu(&device, ADDRESS, sizeof(buffer), DMA_FROM_DEVICE);
	assert_unchanged();
}

static void ib_dma_sync_single_for_device__leaves_the_bytes_alone(void **state)
{
	(void)state;
	ib_dma_sync_single_for_device(&device, ADDRESS, sizeof(buffer), DMA_TO_DEVICE);
	assert_unchanged();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ib_map_mr_sg_zbva__begins_at_0, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dereg_mr__has_no_process, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_update_fast_reg_key__changes_both_low_bytes,
						setup, NULL),
		cmocka_unit_test_setup_teardown(ib_inc_rkey__wraps_in_the_low_byte, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_access_writable__knows_the_four_rights, setup,
						NULL),
		cmocka_unit_test_setup_teardown(
			ib_check_mr_access__remote_writing_needs_local_writing, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_check_mr_access__unknown_right_is_einval, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_check_mr_access__on_demand_needs_the_capability,
						setup, NULL),
		cmocka_unit_test_setup_teardown(ib_uses_virt_dma__without_a_dma_device, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_dma_pci_p2p_dma_supported__never, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_virt_dma_to_ptr__is_the_address, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_virt_dma_to_page__is_its_page, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_mapping_error__never, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_map_single__is_the_buffers_address, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_dma_unmap_single__leaves_the_bytes_alone, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_dma_map_page__adds_the_offset, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_unmap_page__leaves_the_bytes_alone, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_dma_map_bvec__adds_the_offset, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_unmap_bvec__leaves_the_bytes_alone, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_dma_map_sg_attrs__maps_all_entries, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_unmap_sg_attrs__leaves_the_list_alone, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_dma_map_sg__maps_all_entries, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_unmap_sg__leaves_the_list_alone, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_dma_map_sgtable_attrs__sets_nents, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_map_sgtable_attrs__nothing_is_eio, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_dma_unmap_sgtable_attrs__leaves_the_table_alone,
						setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_max_seg_size__has_no_limit, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dma_sync_single_for_cpu__leaves_the_bytes_alone,
						setup, NULL),
		cmocka_unit_test_setup_teardown(
			ib_dma_sync_single_for_device__leaves_the_bytes_alone, setup, NULL),
	};

	return verbena_test_main(tests);
}
