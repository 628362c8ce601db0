// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Segments out of SGEs and regions, and the copy. */
#include "common/test.h"

#include <linux/scatterlist.h>
#include <string.h>
#include <sys/mman.h>

#include "common/test_host.h"
#include "transport/tp_qp.h"

#define PAGE 4096u
#define MANY 600u /* pages: more than two arrays of segments hold */

static char *pages; /* every other page of it is used */

/* A region for fast registration whose pages have gaps. Its rights are all. */
static struct ib_mr *region_with_gaps(struct test_host *host, struct test_qp *qp,
				      unsigned int count)
{
	struct ib_mr *mr = ib_alloc_mr(host->pd, IB_MR_TYPE_MEM_REG, count);
	static struct scatterlist sg[MANY];
	struct ib_reg_wr wr = {.wr = {.opcode = IB_WR_REG_MR}};

	assert_false(IS_ERR(mr));
	sg_init_table(sg, count);
	for (unsigned int i = 0; i < count; i++) {
		sg_set_buf(&sg[i], pages + 2 * i * PAGE, PAGE);
		sg_dma_address(&sg[i]) = (uintptr_t)pages + 2 * i * PAGE;
		sg_dma_len(&sg[i]) = PAGE;
	}
	assert_int_equal(ib_map_mr_sg(mr, sg, (int)count, NULL, PAGE), count);
	wr.mr = mr;
	wr.key = mr->rkey;
	wr.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ;
	assert_int_equal(ib_post_send(qp->ib, &wr.wr, NULL), 0);
	return mr;
}

static struct test_pair *begin(void **state)
{
	struct test_pair *p = *state;

	pages = mmap(NULL, (size_t)2 * MANY * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){.mtu = IB_MTU_4096},
					   &(struct test_qp_options){.mtu = IB_MTU_4096}),
			 0);
	return p;
}

static void end(struct ib_mr *mr)
{
	ib_dereg_mr(mr);
	munmap(pages, (size_t)2 * MANY * PAGE);
}

static void fill(char *at, size_t bytes, unsigned int seed)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (char)(i * 13 + i / 251 + seed);
}

/* What lies in the pages, from byte @skip of the region on. */
static void gather(char *to, size_t skip, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = pages[(skip + i) / PAGE * 2 * PAGE + (skip + i) % PAGE];
}

static bool success(struct test_qp *qp)
{
	struct ib_wc wc;

	return test_poll(qp->send_cq, &wc) && wc.status == IB_WC_SUCCESS;
}

static void rdma(struct test_pair *p, enum ib_wr_opcode opcode, struct ib_sge *sge, int count,
		 uint64_t remote_addr, u32 rkey, int expected)
{
	const struct ib_rdma_wr wr = {.wr = {.opcode = opcode,
					     .sg_list = sge,
					     .num_sge = count,
					     .send_flags = IB_SEND_SIGNALED},
				      .remote_addr = remote_addr,
				      .rkey = rkey};

	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), expected);
}

static void tp_sges_iov__table(void **state)
{
	char a[100], b[100];
	struct rvt_sge sge[3] = {{.vaddr = a, .sge_length = 10, .length = 10},
				 {.vaddr = a + 10, .sge_length = 5, .length = 5},
				 {.vaddr = b, .sge_length = 20, .length = 20}};
	const struct tp_sges sges = {sge, sge + 1, 3};
	struct iovec iov[4];
	uint64_t covered;

	(void)state;
	assert_int_equal(tp_sges_iov(&sges, 0, 35, iov, 4, &covered), 2);
	assert_int_equal(covered, 35);
	assert_ptr_equal(iov[0].iov_base, a);
	assert_int_equal(iov[0].iov_len, 15); /* neighbours are one */
	assert_int_equal(iov[1].iov_len, 20);
	assert_int_equal(tp_sges_iov(&sges, 12, 4, iov, 4, &covered), 2);
	assert_ptr_equal(iov[0].iov_base, a + 12);
	assert_int_equal(iov[0].iov_len, 3);
	assert_ptr_equal(iov[1].iov_base, b);
	assert_int_equal(iov[1].iov_len, 1);
	assert_int_equal(tp_sges_iov(&sges, 0, 35, iov, 1, &covered), 1);
	assert_int_equal(covered, 15);
	assert_int_equal(tp_sges_iov(&sges, 15, 20, iov, 1, &covered), 1);
	assert_ptr_equal(iov[0].iov_base, b);
}

/* A READ of a region with gaps: its own segments go on the wire. */
static void tp_slot_source__region_with_gaps(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_mr *mr = region_with_gaps(p->host[1], &p->b, MANY);
	const u32 bytes = 1000000, skip = 4096 * 3 + 77;
	struct ib_sge sge = {(uintptr_t)p->host[0]->buffer, bytes, p->host[0]->mr->lkey};
	static char expected[1000000];

	fill(pages, (size_t)2 * MANY * PAGE, 1);
	rdma(p, IB_WR_RDMA_READ, &sge, 1, mr->iova + skip, mr->rkey, 0);
	assert_true(success(&p->a));
	gather(expected, skip, bytes);
	assert_memory_equal(p->host[0]->buffer, expected, bytes);
	end(mr);
}

/* A WRITE into one. */
static void tp_place__region_with_gaps(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_mr *mr = region_with_gaps(p->host[1], &p->b, MANY);
	const u32 bytes = 500000, skip = 100;
	struct ib_sge sge = {(uintptr_t)p->host[0]->buffer, bytes, p->host[0]->mr->lkey};
	static char expected[500000];

	fill(p->host[0]->buffer, bytes, 2);
	rdma(p, IB_WR_RDMA_WRITE, &sge, 1, mr->iova + skip, mr->rkey, 0);
	assert_true(success(&p->a));
	gather(expected, skip, bytes);
	assert_memory_equal(p->host[0]->buffer, expected, bytes);
	end(mr);
}

/* A SEND from one: more segments than a request has room for, but they are the region's. */
static void tp_swqe_prepare__one_sge_with_gaps(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_mr *mr = region_with_gaps(p->host[0], &p->a, MANY);
	const u32 bytes = 700000, skip = 4095;
	struct ib_sge sge = {mr->iova + skip, bytes, mr->lkey};
	static char expected[700000];

	fill(pages, (size_t)2 * MANY * PAGE, 3);
	rdma(p, IB_WR_RDMA_WRITE, &sge, 1, (uintptr_t)p->host[1]->buffer, p->host[1]->mr->rkey, 0);
	assert_true(success(&p->a));
	gather(expected, skip, bytes);
	assert_memory_equal(p->host[1]->buffer, expected, bytes);
	end(mr);
}

/* Several SGEs, one of them with gaps: as long as there is room. */
static void tp_swqe_prepare__several_sges_with_gaps(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_mr *mr = region_with_gaps(p->host[0], &p->a, MANY);
	struct ib_sge sge[2] = {{(uintptr_t)p->host[0]->buffer, 10, p->host[0]->mr->lkey},
				{mr->iova + 1, 7 * PAGE - 1, mr->lkey}};
	static char expected[7 * PAGE];

	fill(pages, (size_t)2 * MANY * PAGE, 4);
	fill(p->host[0]->buffer, 10, 9);
	rdma(p, IB_WR_RDMA_WRITE, sge, 2, (uintptr_t)p->host[1]->buffer, p->host[1]->mr->rkey, 0);
	assert_true(success(&p->a));
	gather(expected, 1, 7 * PAGE - 1);
	assert_memory_equal(p->host[1]->buffer, p->host[0]->buffer, 10);
	assert_memory_equal(p->host[1]->buffer + 10, expected, 7 * PAGE - 1);
	sge[1].length++;
	rdma(p, IB_WR_RDMA_WRITE, sge, 2, (uintptr_t)p->host[1]->buffer, p->host[1]->mr->rkey,
	     -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_REQ_SEGMENTS);
	end(mr);
}

/* Pages that are neighbours after all need one segment only. */
static void tp_swqe_prepare__gap_in_the_first_piece(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_mr *mr = ib_alloc_mr(p->host[0]->pd, IB_MR_TYPE_MEM_REG, 32);
	struct scatterlist sg[12];
	struct ib_reg_wr wr = {.wr = {.opcode = IB_WR_REG_MR}};
	struct ib_sge sge = {.length = 11 * PAGE};
	char *expected = p->host[0]->buffer;

	assert_false(IS_ERR(mr));
	/* three neighbours, then pages with gaps */
	sg_init_table(sg, 12);
	for (unsigned int i = 0; i < 12; i++) {
		sg_dma_address(&sg[i]) = (uintptr_t)pages + (i < 3 ? i : 2 * i) * PAGE;
		sg_dma_len(&sg[i]) = PAGE;
	}
	assert_int_equal(ib_map_mr_sg(mr, sg, 12, NULL, PAGE), 12);
	wr.mr = mr;
	wr.key = mr->rkey;
	wr.access = IB_ACCESS_LOCAL_WRITE;
	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0);
	fill(pages, (size_t)2 * MANY * PAGE, 5);
	sge.addr = mr->iova + 10;
	sge.lkey = mr->lkey;
	rdma(p, IB_WR_RDMA_WRITE, &sge, 1, (uintptr_t)p->host[1]->buffer, p->host[1]->mr->rkey, 0);
	assert_true(success(&p->a));
	for (size_t i = 10; i < 11 * PAGE + 10; i++)
		expected[i - 10] =
			pages[(i / PAGE < 3 ? i / PAGE : i / PAGE * 2) * PAGE + i % PAGE];
	assert_memory_equal(p->host[1]->buffer, expected, 11 * PAGE);
	end(mr);
}

/* A wire that has the response still finds the bytes where they were when their region is gone. */
static void tp_slot_source__region_goes_under_way(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_mr *mr = region_with_gaps(p->host[1], &p->b, 4), *other;
	struct ib_sge sge = {(uintptr_t)p->host[0]->buffer, 4 * PAGE, p->host[0]->mr->lkey};
	static char expected[4 * PAGE];

	fill(pages, (size_t)2 * MANY * PAGE, 9);
	gather(expected, 0, sizeof(expected));
	p->wire->hold = true;
	rdma(p, IB_WR_RDMA_READ, &sge, 1, mr->iova, mr->rkey, 0);
	assert_int_equal(test_wire_deliver(p->wire, 1), 1);
	assert_int_equal(p->wire->count, 1);
	assert_int_equal(ib_dereg_mr(mr), 0);
	other = ib_alloc_mr(p->host[1]->pd, IB_MR_TYPE_MEM_REG, 200);
	assert_false(IS_ERR(other));
	assert_int_equal(test_wire_deliver(p->wire, 1), 1);
	assert_true(success(&p->a));
	assert_memory_equal(p->host[0]->buffer, expected, sizeof(expected));
	end(other);
}

/* A fault is blamed on the side whose memory is missing. */
static void tp_place__whose_memory_is_missing(void **state)
{
	struct test_pair *p = begin(state);
	char *gone =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char here[100];
	struct rvt_sge sge = {.vaddr = here, .sge_length = 100, .length = 100};
	const struct tp_sges sges = {&sge, NULL, 1};
	struct iovec iov[3] = {{here, 10}, {gone, PAGE + 10}, {here, 50}};
	struct tp_payload from = {.iov = iov, .count = 3, .bytes = 70};

	(void)p;
	mprotect(gone + PAGE, PAGE, PROT_NONE);
	assert_int_equal(tp_place(&sges, 0, &from, 0, 70), RC_OK);
	from.offset = PAGE;
	assert_int_equal(tp_place(&sges, 0, &from, 0, 30), RC_SOURCE);
	assert_int_equal(tp_place(&sges, 0, &from, 20, 30), RC_OK); /* beyond the hole */
	from = (struct tp_payload){.iov = &iov[2], .count = 1, .bytes = 50};
	sge.vaddr = gone + PAGE;
	assert_int_equal(tp_place(&sges, 0, &from, 0, 50), RC_BAD);
	munmap(gone, PAGE);
	munmap(pages, (size_t)2 * MANY * PAGE);
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(tp_sges_iov__table),
		T(tp_slot_source__region_with_gaps),
		T(tp_place__region_with_gaps),
		T(tp_swqe_prepare__one_sge_with_gaps),
		T(tp_swqe_prepare__several_sges_with_gaps),
		T(tp_swqe_prepare__gap_in_the_first_piece),
		T(tp_slot_source__region_goes_under_way),
		T(tp_place__whose_memory_is_missing),
	};

	return verbena_test_main(tests);
}
