// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The commands at work, as a library of ABI version 1 sends them: no shared memory, all by command. */
#include <poll.h>
#include <sys/mman.h>

#include "uabi_fixture.h"

#define BYTES 64
#define LOST_MS 10000
#define CQ_HANDLE 0xc0ffee

struct side {
	struct ib_uverbs_create_qp_resp qp;
	char memory[BYTES];
	struct ib_uverbs_reg_mr_resp mr;
};

struct pair {
	u32 pd, cq;
	int channel;
	struct side a, b;
};

static int make_channel(const struct uabi_fixture *f)
{
	struct ib_uverbs_create_comp_channel request = {.response = 0};
	struct ib_uverbs_create_comp_channel_resp response;

	assert_int_equal(COMMAND(f, CREATE_COMP_CHANNEL, &request, &response), 0);
	return (int)response.fd;
}

static void register_memory(const struct uabi_fixture *f, u32 pd, struct side *side)
{
	struct ib_uverbs_reg_mr request = {
		.start = (uintptr_t)side->memory,
		.length = sizeof(side->memory),
		.hca_va = (uintptr_t)side->memory,
		.pd_handle = pd,
		.access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	assert_int_equal(COMMAND(f, REG_MR, &request, &side->mr), 0);
	assert_int_not_equal(side->mr.lkey, 0);
}

static void modify(const struct uabi_fixture *f, const struct side *side, u32 peer_qpn,
		   enum ib_qp_state state, u32 mask)
{
	struct ib_uverbs_modify_qp request = {
		.dest = {.dlid = 1, .port_num = 1},
		.qp_handle = side->qp.qp_handle,
		.attr_mask = mask | IB_QP_STATE,
		.dest_qp_num = peer_qpn,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE,
		.qp_state = (u8)state,
		.path_mtu = IB_MTU_1024,
		.port_num = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 1,
	};

	assert_int_equal(ORDER(f, MODIFY_QP, &request), 0);
}

static void connect_side(const struct uabi_fixture *f, const struct side *side, u32 peer_qpn)
{
	modify(f, side, peer_qpn, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	modify(f, side, peer_qpn, IB_QPS_RTR,
	       IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
		       IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	modify(f, side, peer_qpn, IB_QPS_RTS,
	       IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
		       IB_QP_MAX_QP_RD_ATOMIC);
}

static struct pair *make_pair(struct uabi_fixture *f)
{
	static struct pair pair;

	memset(&pair, 0, sizeof(pair));
	uabi_get_context(f);
	pair.pd = uabi_alloc_pd(f);
	pair.channel = make_channel(f);
	pair.cq = uabi_create_cq(f, CQ_HANDLE, pair.channel);
	pair.a.qp = uabi_create_qp(f, pair.pd, pair.cq);
	pair.b.qp = uabi_create_qp(f, pair.pd, pair.cq);
	register_memory(f, pair.pd, &pair.a);
	register_memory(f, pair.pd, &pair.b);
	connect_side(f, &pair.a, pair.b.qp.qpn);
	connect_side(f, &pair.b, pair.a.qp.qpn);
	return &pair;
}

static void free_pair(struct pair *pair)
{
	uabi_fd_close(pair->channel);
}

static int post_send(const struct uabi_fixture *f, const struct side *side, u32 lkey, u32 *bad_wr)
{
	struct {
		struct ib_uverbs_post_send head;
		struct ib_uverbs_send_wr wr;
		struct ib_uverbs_sge sge;
	} request = {
		.head = {.qp_handle = side->qp.qp_handle,
			 .wr_count = 1,
			 .sge_count = 1,
			 .wqe_size = sizeof(struct ib_uverbs_send_wr)},
		.wr = {.wr_id = 7,
		       .num_sge = 1,
		       .opcode = IB_WR_SEND,
		       .send_flags = IB_SEND_SIGNALED},
		.sge = {(uintptr_t)side->memory, BYTES, lkey},
	};
	struct ib_uverbs_post_send_resp response = {.bad_wr = 99};
	const int ret = COMMAND(f, POST_SEND, &request, &response);

	*bad_wr = response.bad_wr;
	return ret;
}

static int post_recv(const struct uabi_fixture *f, const struct side *side)
{
	struct {
		struct ib_uverbs_post_recv head;
		struct ib_uverbs_recv_wr wr;
		struct ib_uverbs_sge sge;
	} request = {
		.head = {.qp_handle = side->qp.qp_handle,
			 .wr_count = 1,
			 .sge_count = 1,
			 .wqe_size = sizeof(struct ib_uverbs_recv_wr)},
		.wr = {.wr_id = 8, .num_sge = 1},
		.sge = {(uintptr_t)side->memory, BYTES, side->mr.lkey},
	};
	struct ib_uverbs_post_recv_resp response;

	return COMMAND(f, POST_RECV, &request, &response);
}

/* Completions until there are @wanted; the engine's thread makes the progress. */
static u32 poll_cq(const struct uabi_fixture *f, u32 cq, struct ib_uverbs_wc *wc, u32 wanted)
{
	struct {
		struct ib_uverbs_poll_cq_resp head;
		struct ib_uverbs_wc wc[8];
	} response;
	struct ib_uverbs_poll_cq request = {.cq_handle = cq, .ne = wanted};

	assert_int_equal(COMMAND(f, POLL_CQ, &request, &response), 0);
	memcpy(wc, response.wc, response.head.count * sizeof(*wc));
	return response.head.count;
}

static void post_send__moves_bytes(void **state)
{
	struct uabi_fixture *f = *state;
	struct pair *pair = make_pair(f);
	struct ib_uverbs_wc wc[2];
	u32 bad_wr, got = 0;

	memset(pair->a.memory, 'x', BYTES);
	assert_int_equal(post_recv(f, &pair->b), 0);
	assert_int_equal(post_send(f, &pair->a, pair->a.mr.lkey, &bad_wr), 0);
	assert_int_equal(bad_wr, 0);
	while (got < 2)
		got += poll_cq(f, pair->cq, wc + got, 2 - got);
	assert_memory_equal(pair->a.memory, pair->b.memory, BYTES);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(wc[i].status, IB_WC_SUCCESS);
		assert_int_equal(wc[i].qp_num, wc[i].wr_id == 7 ? pair->a.qp.qpn : pair->b.qp.qpn);
	}
	assert_int_equal(poll_cq(f, pair->cq, wc, 2), 0);
	free_pair(pair);
}

static void post_send__of_nothing_is_answered_by_nothing(void **state)
{
	struct uabi_fixture *f = *state;
	struct pair *pair = make_pair(f);
	struct ib_uverbs_post_send request = {.qp_handle = pair->a.qp.qp_handle};
	struct ib_uverbs_post_send_resp response = {.bad_wr = 99};

	assert_int_equal(COMMAND(f, POST_SEND, &request, &response), 0);
	assert_int_equal(response.bad_wr, 99);
	free_pair(pair);
}

static void post_send__names_the_request_that_is_refused(void **state)
{
	struct uabi_fixture *f = *state;
	struct pair *pair = make_pair(f);
	u32 bad_wr;

	assert_int_not_equal(post_send(f, &pair->a, pair->a.mr.lkey + 0x100, &bad_wr), 0);
	assert_int_equal(bad_wr, 1);
	free_pair(pair);
}

/* What a chain claims to have is compared with what is there. */
static void post_send__does_not_read_beyond_the_message(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_post_send request = {.wqe_size = sizeof(struct ib_uverbs_send_wr)};
	struct ib_uverbs_post_send_resp response;
	struct pair *pair = make_pair(f);

	request.qp_handle = pair->a.qp.qp_handle;
	request.wr_count = 1;
	assert_int_equal(COMMAND(f, POST_SEND, &request, &response), -EINVAL);
	assert_cause(UVERBS_WRS);
	request.wr_count = ~0u;
	request.wqe_size = ~0u;
	assert_int_equal(COMMAND(f, POST_SEND, &request, &response), -EINVAL);
	request.wr_count = 0;
	request.sge_count = ~0u;
	assert_int_equal(COMMAND(f, POST_SEND, &request, &response), -EINVAL);
	free_pair(pair);
}

static void req_notify__fires_once_to_the_channel(void **state)
{
	struct uabi_fixture *f = *state;
	struct pair *pair = make_pair(f);
	struct ib_uverbs_req_notify_cq arm = {.cq_handle = pair->cq};
	struct pollfd fds = {.fd = pair->channel, .events = POLLIN};
	u64 handle = 0;
	u32 bad_wr;

	assert_int_equal(ORDER(f, REQ_NOTIFY_CQ, &arm), 0);
	assert_int_equal(post_recv(f, &pair->b), 0);
	assert_int_equal(post_send(f, &pair->a, pair->a.mr.lkey, &bad_wr), 0);
	assert_int_equal(poll(&fds, 1, -1), 1);
	assert_int_equal(read(pair->channel, &handle, sizeof(handle)), sizeof(handle));
	assert_int_equal(handle, CQ_HANDLE);
	free_pair(pair);
}

static void destroy_qp(const struct uabi_fixture *f, const struct side *side, u32 events)
{
	struct ib_uverbs_destroy_qp request = {.qp_handle = side->qp.qp_handle};
	struct ib_uverbs_destroy_qp_resp response = {.events_reported = 99};

	assert_int_equal(COMMAND(f, DESTROY_QP, &request, &response), 0);
	assert_int_equal(response.events_reported, events);
}

/* The library waits for as many acknowledgements as destroy says: none for what it never read. */
static void destroy_cq__counts_what_was_read(void **state)
{
	struct uabi_fixture *f = *state;
	struct pair *pair = make_pair(f);
	struct ib_uverbs_req_notify_cq arm = {.cq_handle = pair->cq};
	struct ib_uverbs_destroy_cq request = {.cq_handle = pair->cq};
	struct ib_uverbs_destroy_cq_resp response;
	struct pollfd fds = {.fd = pair->channel, .events = POLLIN};
	u32 bad_wr;

	assert_int_equal(ORDER(f, REQ_NOTIFY_CQ, &arm), 0);
	assert_int_equal(post_recv(f, &pair->b), 0);
	assert_int_equal(post_send(f, &pair->a, pair->a.mr.lkey, &bad_wr), 0);
	assert_int_equal(poll(&fds, 1, -1), 1);
	destroy_qp(f, &pair->a, 0);
	destroy_qp(f, &pair->b, 0);
	assert_int_equal(COMMAND(f, DESTROY_CQ, &request, &response), 0);
	assert_int_equal(response.comp_events_reported, 0);
	assert_int_equal(poll(&fds, 1, 0), 0);
	free_pair(pair);
}

static void create_cq__checks_vector_and_channel(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_create_cq request = {.cqe = 16, .comp_channel = -1, .comp_vector = 1};
	struct ib_uverbs_create_cq_resp response;

	uabi_get_context(f);
	assert_int_equal(COMMAND(f, CREATE_CQ, &request, &response), -EINVAL);
	assert_cause(UVERBS_COMP_VECTOR);
	request.comp_vector = 0;
	request.comp_channel = f->async_fd;
	assert_int_equal(COMMAND(f, CREATE_CQ, &request, &response), -EINVAL);
	assert_cause(UVERBS_CHANNEL);
}

static void create_qp__has_no_type_of_the_kernels(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_create_qp request = {.max_send_wr = 1, .qp_type = IB_QPT_GSI};
	struct ib_uverbs_create_qp_resp response;

	uabi_get_context(f);
	request.pd_handle = uabi_alloc_pd(f);
	request.send_cq_handle = request.recv_cq_handle = uabi_create_cq(f, 1, -1);
	assert_int_equal(COMMAND(f, CREATE_QP, &request, &response), -EOPNOTSUPP);
	assert_cause(UVERBS_QP_TYPE);
}

static void query_qp__says_what_was_set(void **state)
{
	struct uabi_fixture *f = *state;
	struct pair *pair = make_pair(f);
	struct ib_uverbs_query_qp request = {.qp_handle = pair->a.qp.qp_handle, .attr_mask = ~0u};
	struct ib_uverbs_query_qp_resp response;

	assert_int_equal(COMMAND(f, QUERY_QP, &request, &response), 0);
	assert_int_equal(response.qp_state, IB_QPS_RTS);
	assert_int_equal(response.dest_qp_num, pair->b.qp.qpn);
	assert_int_equal(response.dest.dlid, 1);
	assert_int_equal(response.path_mtu, IB_MTU_1024);
	free_pair(pair);
}

/* An event of a device's port reaches every file that has a context. */
static void device_event__is_read_from_the_async_file(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_async_event_desc event;
	struct ib_device *device;
	int ret;

	uabi_get_context(f);
	device = uverbs_device_get(0);
	ret = verbena_port_set_link(device, 1, false);
	ib_device_put(device);
	assert_int_equal(ret, 0);
	/* Without memory an event is lost. */
	assert_int_equal(poll(&(struct pollfd){.fd = f->async_fd, .events = POLLIN}, 1, LOST_MS),
			 1);
	assert_int_equal(read(f->async_fd, &event, sizeof(event)), sizeof(event));
	assert_int_equal(event.element, 1);
	assert_int_equal(event.event_type, IB_EVENT_PORT_ERR);
}

#define WITH_FILE(name) cmocka_unit_test_setup_teardown(name, uabi_setup, uabi_teardown)

#define PAGES 4u

static int register_range(const struct uabi_fixture *f, u32 pd, u64 start, u64 bytes, u32 access)
{
	struct ib_uverbs_reg_mr request = {
		.start = start,
		.length = bytes,
		.hca_va = start,
		.pd_handle = pd,
		.access_flags = access,
	};
	struct ib_uverbs_reg_mr_resp response;
	struct ib_uverbs_dereg_mr end = {.mr_handle = 0};
	const int ret = COMMAND(f, REG_MR, &request, &response);

	if (ret)
		return ret;
	end.mr_handle = response.mr_handle;
	assert_int_equal(ORDER(f, DEREG_MR, &end), 0);
	return 0;
}

/* As the kernel, which pins it: memory must be there, and writable if somebody shall write it. */
static void reg_mr__looks_for_memory(void **state)
{
	struct uabi_fixture *f = *state;
	const size_t bytes = PAGES * PAGE_SIZE;
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const u64 start = (uintptr_t)at;
	u32 pd;

	assert_ptr_not_equal(at, MAP_FAILED);
	uabi_get_context(f);
	pd = uabi_alloc_pd(f);
	assert_int_equal(register_range(f, pd, start + 1, bytes - 1, IB_ACCESS_LOCAL_WRITE), 0);
	assert_int_equal(at[0] | at[bytes - 1], 0);
	assert_int_equal(mprotect(at, bytes, PROT_READ), 0);
	assert_int_equal(register_range(f, pd, start, bytes, IB_ACCESS_REMOTE_READ), 0);
	assert_int_equal(register_range(f, pd, start, bytes, IB_ACCESS_LOCAL_WRITE), -EFAULT);
	assert_cause(MR_READ_ONLY);
	assert_int_equal(mprotect(at, PAGE_SIZE, PROT_NONE), 0);
	assert_int_equal(register_range(f, pd, start, bytes, 0), -EFAULT);
	assert_cause(MR_NO_MEMORY);
	assert_int_equal(mprotect(at, bytes, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(munmap(at + PAGE_SIZE, PAGE_SIZE), 0);
	assert_int_equal(register_range(f, pd, start, PAGE_SIZE, IB_ACCESS_LOCAL_WRITE), 0);
	assert_int_equal(register_range(f, pd, start, bytes, 0), -EFAULT); /* a hole inside */
	assert_cause(MR_NO_MEMORY);
	assert_int_equal(register_range(f, pd, start, bytes, IB_ACCESS_ON_DEMAND), 0);
	assert_int_equal(register_range(f, pd, 0, UINT64_MAX, IB_ACCESS_ON_DEMAND), 0);
	assert_int_equal(register_range(f, pd, 0, 8, 0), -EFAULT);
	assert_int_equal(register_range(f, pd, start, 0, 0), -EINVAL);
	assert_cause(MR_EMPTY);
	assert_int_equal(munmap(at, bytes), 0);
}

static void reg_mr__does_not_go_round(void **state)
{
	struct uabi_fixture *f = *state;
	u32 pd;

	uabi_get_context(f);
	pd = uabi_alloc_pd(f);
	for (u64 back = 1; back <= PAGE_SIZE; back += PAGE_SIZE - 1) {
		assert_int_equal(register_range(f, pd, 0x10000, UINT64_MAX - 0x10000 - back + 2, 0),
				 -EINVAL);
		assert_cause(MR_WRAP);
	}
	assert_int_equal(register_range(f, pd, 0x10000, UINT64_MAX - 0x10000 - PAGE_SIZE + 1, 0),
			 -EFAULT);
}

/* The second doorbell of a thread, and any other, goes past handles; not once a queue pair is gone. */
static void doorbell__again(void **state)
{
	struct uabi_fixture *f = *state;
	struct pair *pair = make_pair(f);
	struct ib_uverbs_destroy_qp destroy = {.qp_handle = pair->b.qp.qp_handle};
	struct ib_uverbs_destroy_qp_resp destroyed;
	struct ib_uverbs_post_send_resp response;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send body;
	} m = {.hdr = {IB_USER_VERBS_CMD_POST_SEND, sizeof(m) / 4, sizeof(response) / 4},
	       .body = {.response = (uintptr_t)&response, .qp_handle = pair->a.qp.qp_handle}};
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_false(f->file->ops->write_again(f->file, &m, sizeof(m)));
	assert_int_equal(uabi_send(f, &m, sizeof(m)), sizeof(m));
	assert_true(f->file->ops->write_again(f->file, &m, sizeof(m)));
	assert_false(f->file->ops->write_again(f->file, &m, sizeof(m) - 1));
	assert_false(f->file->ops->write_again(f->file, hole, sizeof(m)));
	m.hdr.out_words = 0;
	assert_false(f->file->ops->write_again(f->file, &m, sizeof(m)));
	m.hdr.out_words = sizeof(response) / 4;
	m.body.wr_count = 1;
	assert_false(f->file->ops->write_again(f->file, &m, sizeof(m)));
	m.body.wr_count = 0;
	m.body.qp_handle = pair->b.qp.qp_handle;
	assert_false(f->file->ops->write_again(f->file, &m, sizeof(m)));
	m.body.qp_handle = pair->a.qp.qp_handle;
	assert_true(f->file->ops->write_again(f->file, &m, sizeof(m)));
	assert_int_equal(COMMAND(f, DESTROY_QP, &destroy, &destroyed), 0);
	assert_false(f->file->ops->write_again(f->file, &m, sizeof(m)));
	assert_int_equal(uabi_send(f, &m, sizeof(m)), sizeof(m));
	assert_true(f->file->ops->write_again(f->file, &m, sizeof(m)));
	munmap(hole, 4096);
	free_pair(pair);
}

static const struct CMUnitTest tests[] = {
	WITH_FILE(post_send__moves_bytes),
	WITH_FILE(post_send__of_nothing_is_answered_by_nothing),
	WITH_FILE(post_send__names_the_request_that_is_refused),
	WITH_FILE(post_send__does_not_read_beyond_the_message),
	WITH_FILE(doorbell__again),
	WITH_FILE(req_notify__fires_once_to_the_channel),
	WITH_FILE(destroy_cq__counts_what_was_read),
	WITH_FILE(create_cq__checks_vector_and_channel),
	WITH_FILE(create_qp__has_no_type_of_the_kernels),
	WITH_FILE(query_qp__says_what_was_set),
	WITH_FILE(device_event__is_read_from_the_async_file),
	WITH_FILE(reg_mr__looks_for_memory),
	WITH_FILE(reg_mr__does_not_go_round),
};

int main(void)
{
	return verbena_test_main(tests);
}
