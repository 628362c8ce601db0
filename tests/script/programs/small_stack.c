// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* All of a program's verbs on a thread with 32 KiB of stack; what was left of it. */
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STACK_BYTES 32768u
#define PATTERN 0x5a

static void look_at_files(const char *device)
{
	char path[128];
	struct stat st;
	char text[64];
	DIR *dir = opendir("/sys/class/infiniband");
	int fd;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/state", device);
	fd = open(path, O_RDONLY);
	assert(dir && readdir(dir) && !closedir(dir));
	assert(fd >= 0 && read(fd, text, sizeof(text)) > 0 && !close(fd));
	assert(!stat(path, &st) && !access(path, R_OK));
}

static void *work(void *arg)
{
	static char memory[4096];
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_mr *mr;

	assert(pd);
	mr = ibv_reg_mr(pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = init.recv_cq = ibv_create_cq(context, 8, NULL, NULL, 0);
	assert(mr && init.send_cq);
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	assert(qp && !ibv_modify_qp(qp, &attr,
				    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					    IBV_QP_ACCESS_FLAGS));
	look_at_files(arg);
	assert(!ibv_destroy_qp(qp) && !ibv_destroy_cq(init.send_cq) && !ibv_dereg_mr(mr));
	assert(!ibv_dealloc_pd(pd) && !ibv_close_device(context));
	ibv_free_device_list(list);
	return memory;
}

int main(int argc, char **argv)
{
	const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *stack =
		mmap(NULL, guard + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t left = 0;
	pthread_attr_t attr;
	pthread_t thread;
	void *done = NULL;

	assert(argc == 2);
	assert(stack != MAP_FAILED &&
	       !mprotect(stack + guard, STACK_BYTES, PROT_READ | PROT_WRITE));
	stack += guard;
	memset(stack, PATTERN, STACK_BYTES);
	assert(!pthread_attr_init(&attr) && !pthread_attr_setstack(&attr, stack, STACK_BYTES));
	assert(!pthread_create(&thread, &attr, work, argv[1]) && !pthread_join(thread, &done) &&
	       done);
	while (left < STACK_BYTES && stack[left] == PATTERN)
		left++;
	printf("%zu of %u bytes of stack were left\n", left, STACK_BYTES);
	return 0;
}
