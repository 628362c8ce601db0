// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * For full.sh. As many objects of a kind as ibv_query_device() promises, and not one more; when all are
 * gone as many once more.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 70000

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_qp *qp; /* UD */
static char memory[4096];
static void *made[MOST];
static int failed;

static void *make_pd(void)
{
	return ibv_alloc_pd(context);
}

static int free_pd(void *p)
{
	return ibv_dealloc_pd(p);
}

static void *make_mr(void)
{
	return ibv_reg_mr(pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
}

static int free_mr(void *mr)
{
	return ibv_dereg_mr(mr);
}

static void *make_mw(void)
{
	return ibv_alloc_mw(pd, IBV_MW_TYPE_2);
}

static int free_mw(void *mw)
{
	return ibv_dealloc_mw(mw);
}

static void *make_ah(void)
{
	struct ibv_ah_attr attr = {.dlid = 1, .port_num = 1};

	return ibv_create_ah(pd, &attr);
}

static int free_ah(void *ah)
{
	return ibv_destroy_ah(ah);
}

static void *make_srq(void)
{
	struct ibv_srq_init_attr init = {.attr = {.max_wr = 1, .max_sge = 1}};

	return ibv_create_srq(pd, &init);
}

static int free_srq(void *srq)
{
	return ibv_destroy_srq(srq);
}

static union ibv_gid group(int n)
{
	return (union ibv_gid){.raw = {0xff, 0x12, (uint8_t)(n >> 8), (uint8_t)n}};
}

static void *make_group(void)
{
	static int n;
	union ibv_gid gid = group(++n);

	errno = ibv_attach_mcast(qp, &gid, 0xc000);
	return errno ? NULL : (void *)(intptr_t)n;
}

static int free_group(void *n)
{
	union ibv_gid gid = group((int)(intptr_t)n);

	return ibv_detach_mcast(qp, &gid, 0xc000);
}

static void fill(const char *what, int limit, int there, void *(*make)(void), int (*drop)(void *))
{
	for (int round = 0; round < 2; round++) {
		int n = 0, error;

		while (n < MOST && (made[n] = make()) != NULL)
			n++;
		error = errno;
		if (n != limit - there || error != ENOMEM) {
			printf("%s: %d besides %d, then %s; %d are promised\n", what, n, there,
			       strerror(error), limit);
			failed = 1;
		}
		while (n--)
			if (drop(made[n])) {
				printf("%s %d cannot go: %s\n", what, n, strerror(errno));
				failed = 1;
			}
	}
}

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_UD, .cap = {1, 1, 1, 1, 0}};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_device_attr device;

	context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	pd = context ? ibv_alloc_pd(context) : NULL;
	if (!pd || ibv_query_device(context, &device))
		return 1;
	init.send_cq = init.recv_cq = ibv_create_cq(context, 1, NULL, NULL, 0);
	qp = ibv_create_qp(pd, &init);
	if (!qp ||
	    ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY))
		return 1;
	fill("PDs", device.max_pd, 1, make_pd, free_pd);
	fill("regions", device.max_mr, 0, make_mr, free_mr);
	fill("windows", device.max_mw, 0, make_mw, free_mw);
	fill("address handles", device.max_ah, 0, make_ah, free_ah);
	fill("SRQs", device.max_srq, 0, make_srq, free_srq);
	fill("groups", device.max_mcast_grp, 0, make_group, free_group);
	return failed;
}
