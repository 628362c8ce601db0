// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What our library costs a program's start: one that uses a device, up to its first post, on a fabric
 * whose daemon does not run yet; and one that uses none.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/stock.h"

#define UNTOUCHED_RUNS 101

/* libibverbs is loaded, not linked: nothing else of this program needs it. */
struct library {
	__typeof__(&ibv_get_device_list) get_device_list;
	__typeof__(&ibv_open_device) open_device;
	__typeof__(&ibv_alloc_pd) alloc_pd;
	__typeof__(&(ibv_reg_mr)) reg_mr;
	__typeof__(&ibv_create_cq) create_cq;
	__typeof__(&ibv_create_qp) create_qp;
	__typeof__(&ibv_modify_qp) modify_qp;
};

static bool load(struct library *lib)
{
	void *handle = dlopen("libibverbs.so.1", RTLD_NOW);

	if (!handle)
		return false;
#define LOAD(name) lib->name = (__typeof__(lib->name))dlsym(handle, "ibv_" #name)
	LOAD(get_device_list);
	LOAD(open_device);
	LOAD(alloc_pd);
	LOAD(reg_mr);
	LOAD(create_cq);
	LOAD(create_qp);
	LOAD(modify_qp);
#undef LOAD
	return lib->modify_qp != NULL;
}

static struct ibv_qp *make_qp(const struct library *lib, struct ibv_pd *pd)
{
	struct ibv_cq *cq = lib->create_cq(pd->context, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .cap = {16, 16, 1, 1, 0}, .qp_type = IBV_QPT_RC};
	struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_qp *qp = cq ? lib->create_qp(pd, &attr) : NULL;

	if (qp &&
	    lib->modify_qp(qp, &init,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		return NULL;
	return qp;
}

static bool post_first(const struct library *lib, struct ibv_device *device)
{
	static char memory[4096];
	struct ibv_context *context = lib->open_device(device);
	struct ibv_pd *pd = context ? lib->alloc_pd(context) : NULL;
	struct ibv_mr *mr = pd ? lib->reg_mr(pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE)
			       : NULL;
	struct ibv_qp *qp = mr ? make_qp(lib, pd) : NULL;
	struct ibv_sge sge = {(uintptr_t)memory, sizeof(memory), mr ? mr->lkey : 0};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	return qp && !ibv_post_recv(qp, &wr, &bad);
}

int stock_first_post(void)
{
	struct ibv_device **devices;
	struct library lib;

	if (!load(&lib))
		return 1;
	devices = lib.get_device_list(NULL);
	if (devices && devices[0] && !post_first(&lib, devices[0]))
		return 1;
	printf("%d %.9f\n", devices && devices[0], cli_seconds());
	return 0;
}

/* From the start of a program to what stock_first_post() prints. */
static int time_start(const char *const *words, int devices, double *seconds)
{
	const double start = cli_seconds();
	double end = 0;
	char line[128] = "";
	FILE *output;
	int out[2], found = -1;
	pid_t child;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	child = fork();
	if (!child) {
		dup2(out[1], STDOUT_FILENO);
		execvp(words[0], (char *const *)(uintptr_t)words);
		_exit(127);
	}
	close(out[1]);
	output = fdopen(out[0], "r");
	if (!output || !fgets(line, sizeof(line), output) ||
	    sscanf(line, "%d %lf", &found, &end) != 2)
		found = -1;
	if (output)
		fclose(output);
	waitpid(child, NULL, 0);
	*seconds = end - start;
	return found == devices ? 0 : -1;
}

int stock_start(const struct stock_source *source, double *value)
{
	const char *const plain[] = {stock_program(), "bench", "--first-post", NULL};
	char fabric[32];
	const char *const ours[] = {stock_program(), "run",   "--fabric",     fabric, "--",
				    stock_program(), "bench", "--first-post", NULL};
	double without, with;

	snprintf(fabric, sizeof(fabric), "bench-start-%d", getpid());
	setenv("VERBENA_IDLE", "0", 1);
	if (time_start(plain, 0, &without) || time_start(ours, 1, &with)) {
		fprintf(stderr, "%s: not possible here; is libibverbs installed?\n", source->name);
		return -1;
	}
	*value = (with - without) * 1e3;
	return 0;
}

static int time_program(const char *const *words, double *seconds)
{
	const double start = cli_seconds();
	int status;
	pid_t child;

	if (posix_spawnp(&child, words[0], NULL, NULL, (char *const *)(uintptr_t)words, environ))
		return -1;
	waitpid(child, &status, 0);
	*seconds = cli_seconds() - start;
	return status ? -1 : 0;
}

/* env(1) and true(1), of which the second has our library in front of it. */
int stock_untouched(const struct stock_source *source, double *value)
{
	char library[PATH_MAX], preload[PATH_MAX + sizeof("LD_PRELOAD=")];
	const char *const plain[] = {"env", "NOTHING=", "true", NULL};
	const char *const ours[] = {"env", preload, "true", NULL};
	double with[UNTOUCHED_RUNS], without[UNTOUCHED_RUNS];

	if (!cli_find_library(library, sizeof(library)))
		return -1;
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", library);
	for (unsigned int i = 0; i < UNTOUCHED_RUNS; i++)
		if (time_program(plain, &without[i]) || time_program(ours, &with[i])) {
			fprintf(stderr, "%s: not possible here\n", source->name);
			return -1;
		}
	bench_sort(with, UNTOUCHED_RUNS);
	bench_sort(without, UNTOUCHED_RUNS);
	*value = (with[UNTOUCHED_RUNS / 2] - without[UNTOUCHED_RUNS / 2]) * 1e3;
	return 0;
}
