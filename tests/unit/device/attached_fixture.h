/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two processes on a daemon's fabric, each with its own device. The child is forked before anything
 * is started; the two agree over a socket.
 */
#ifndef TESTS_DEVICE_ATTACHED_FIXTURE_H
#define TESTS_DEVICE_ATTACHED_FIXTURE_H

#include <errno.h>
#include <linux/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "common/run_dir.h"
#include "common/test.h"
#include "device/attached.h"
#include "device/hca.h"

#define BYTES (300u << 10)
#define DEPTH 32u
#define QKEY 0x1234u

/* Not every test needs all of it. */
#define MAYBE static __attribute__((unused))

struct end {
	int fd; /* to the other process */
	struct device_attached *attached;
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	struct card {
		u64 address;
		u32 qpn;
		u32 rkey;
		u16 lid;
	} own, other;
	uint8_t mem[BYTES];
};

static struct end end;
MAYBE int start(void **state)
{
	(void)state;
	return run_dir_make();
}

MAYBE int stop(void **state)
{
	(void)state;
	return run_dir_remove("test", NULL);
}

MAYBE void put(const void *bytes, size_t count)
{
	INVARIANT(write(end.fd, bytes, count) == (ssize_t)count);
}

/* Whether the other one still spoke. */
MAYBE bool get(void *bytes, size_t count)
{
	return recv(end.fd, bytes, count, MSG_WAITALL) == (ssize_t)count;
}

MAYBE void meet(void)
{
	char byte = 0;

	put(&byte, 1);
	INVARIANT(get(&byte, 1));
}

MAYBE void open_end(const char *host, enum ib_qp_type type)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 4 * DEPTH};
	struct ib_qp_init_attr attr = {.qp_type = type,
				       .sq_sig_type = IB_SIGNAL_ALL_WR,
				       .cap = {.max_send_wr = DEPTH,
					       .max_recv_wr = DEPTH,
					       .max_send_sge = 1,
					       .max_recv_sge = 1}};
	static struct device_host_profile profile = {.count = 1};
	struct ib_port_attr port;

	device_profile_init(&profile.hca[0], VERBENA_PERSONALITY_NONE);
	end.attached = device_attached_new("test", host, &profile);
	INVARIANT(!IS_ERR(end.attached));
	end.device = device_attached_device(end.attached, 0);
	end.pd = ib_alloc_pd(end.device, 0);
	end.cq = ib_create_cq(end.device, NULL, NULL, NULL, &cq_attr);
	attr.send_cq = attr.recv_cq = end.cq;
	end.qp = ib_create_qp(end.pd, &attr);
	INVARIANT(!IS_ERR(end.qp));
	end.mr = ib_reg_user_mr(end.pd, (u64)end.mem, BYTES, (u64)end.mem,
				IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC);
	INVARIANT(!IS_ERR(end.mr) && !ib_query_port(end.device, 1, &port));
	end.own = (struct card){.address = (u64)end.mem,
				.qpn = end.qp->qp_num,
				.rkey = end.mr->rkey,
				.lid = (u16)port.lid};
	put(&end.own, sizeof(end.own));
	INVARIANT(get(&end.other, sizeof(end.other)));
}

MAYBE void close_end(void)
{
	ib_destroy_qp(end.qp);
	ib_destroy_cq(end.cq);
	ib_dereg_mr(end.mr);
	ib_dealloc_pd(end.pd);
	device_attached_free(end.attached);
}

MAYBE void connect_end(void)
{
	struct ib_qp_attr a = {.qp_state = IB_QPS_INIT,
			       .port_num = 1,
			       .qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
						  IB_ACCESS_REMOTE_ATOMIC};

	INVARIANT(!ib_modify_qp(end.qp, &a,
				IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS));
	a = (struct ib_qp_attr){.qp_state = IB_QPS_RTR,
				.path_mtu = IB_MTU_1024,
				.dest_qp_num = end.other.qpn,
				.max_dest_rd_atomic = 4,
				.min_rnr_timer = 1};
	a.ah_attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_port_num(&a.ah_attr, 1);
	rdma_ah_set_dlid(&a.ah_attr, end.other.lid);
	INVARIANT(!ib_modify_qp(end.qp, &a,
				IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
					IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
					IB_QP_MIN_RNR_TIMER));
	a = (struct ib_qp_attr){.qp_state = IB_QPS_RTS,
				.timeout = 8,
				.retry_cnt = 3,
				.rnr_retry = 7,
				.max_rd_atomic = 4};
	INVARIANT(!ib_modify_qp(end.qp, &a,
				IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
					IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC));
}

MAYBE void post_receive(uint32_t bytes)
{
	struct ib_sge sge = {(u64)end.mem, bytes, end.mr->lkey};
	struct ib_recv_wr wr = {.sg_list = &sge, .num_sge = 1};

	INVARIANT(!ib_post_recv(end.qp, &wr, NULL));
}

MAYBE void post(enum ib_wr_opcode opcode, uint32_t bytes)
{
	struct ib_sge sge = {(u64)end.mem, bytes, end.mr->lkey};
	struct ib_rdma_wr wr = {.wr = {.sg_list = &sge, .num_sge = 1, .opcode = opcode},
				.remote_addr = end.other.address,
				.rkey = end.other.rkey};

	INVARIANT(!ib_post_send(end.qp, &wr.wr, NULL));
}

MAYBE struct ib_wc take(void)
{
	struct ib_wc wc;

	while (!ib_poll_cq(end.cq, 1, &wc))
		;
	return wc;
}

MAYBE void expect(enum ib_wc_opcode opcode)
{
	const struct ib_wc wc = take();

	INVARIANT(wc.status == IB_WC_SUCCESS && wc.opcode == opcode);
}

MAYBE void fill(uint8_t seed)
{
	for (uint32_t i = 0; i < BYTES; i++)
		end.mem[i] = (uint8_t)(i * 31 + seed);
}

MAYBE void check(uint8_t seed, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		INVARIANT(end.mem[i] == (uint8_t)(i * 31 + seed));
}

/* Runs a function in each of two processes; its argument says which. */
MAYBE pid_t fork_child(void (*side)(int which))
{
	int fds[2];
	pid_t pid;

	test_skip_in_torture();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	end.fd = fds[pid == 0];
	close(fds[pid != 0]);
	if (!pid) {
		side(1);
		_exit(0);
	}
	return pid;
}

MAYBE void in_two(void (*side)(int which))
{
	const pid_t pid = fork_child(side);
	int status;

	side(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(end.fd);
}

#endif
