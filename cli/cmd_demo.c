// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * verbena demo: a file goes from one host to another three ways, first over a clean fabric, then
 * over one that loses and reorders packets; and an error that explains itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <verbena/verbena.h>

#include "cli/cli.h"
#include "cli/demo_mad.h"
#include "cli/pair.h"
#include "cli/sha256.h"

#define CHUNK_BYTES (1u << 20)
#define DEPTH 16u
#define TIMEOUT_CODE 14 /* 67 ms: a busy machine may leave us waiting for a processor that long */
#define PATIENCE_S 20.0

enum way { WAY_SEND, WAY_WRITE, WAY_READ, WAY_COUNT };

static const char *const way_names[] = {"SEND/RECV", "RDMA WRITE with immediate", "RDMA READ"};

struct options {
	const char *path;
	bool json;
	bool mad;
	const char *capture;
};

/* A file on its way. Side 0 has it, side 1 gets it. */
struct demo {
	struct verbena_fabric *fabric;
	struct ib_device *device[2];
	uint8_t *file, *copy;
	size_t bytes;
	unsigned char digest[CLI_SHA256_BYTES]; /* of the file */
	json_t *rows;
	bool failed;
};

struct transfer {
	const struct demo *demo;
	enum way way;
	struct pair pair;
	struct ib_mr *source, *target;
	uint64_t chunks, posted, completed, received, receives_posted;
	double seconds; /* that the queues were busy */
};

static const struct argp_option option_table[] = {
	{"json", 'J', NULL, 0, "One JSON object", 0},
	{"mad", 'm', NULL, 0, "Instead: a managed subnet of 99 nodes", 0},
	{"capture", 'c', "FILE", 0, "With --mad: write all its packets to FILE, for wireshark", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'J':
		o->json = true;
		return 0;
	case 'm':
		o->mad = true;
		return 0;
	case 'c':
		o->capture = arg;
		return 0;
	case ARGP_KEY_END:
		if (o->capture && !o->mad)
			argp_error(state, "--capture goes with --mad");
		if (o->mad && o->path)
			argp_error(state, "--mad has a file of its own");
		return 0;
	case ARGP_KEY_ARG:
		if (o->path)
			argp_error(state, "one FILE at a time: '%s' is one too many", arg);
		o->path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.children = cli_help,
	.args_doc = "[FILE]",
	.doc = "Move FILE (default: this program) between two hosts of a simulated switch by SEND, "
	       "RDMA WRITE and RDMA READ, first on a clean fabric, then with 1 % loss and "
	       "reordering; compare SHA-256 on both sides; provoke one error and explain it.\n\n"
	       "--mad: bring up a fat tree of switches and hosts by the built-in subnet manager, send 1 MiB by "
	       "RMPP with 2 % loss, then by RDMA between the two hosts that are furthest apart; ask by MADs "
	       "which way that takes and what its ports have carried; cut a cable of it, and see it healed.",
};

static int complain(const char *what, int err)
{
	fprintf(stderr, "verbena demo: %s: %s. %s\n", what, strerror(-err), verbena_last_cause());
	return err;
}

static uint32_t chunk_bytes(const struct transfer *t, uint64_t chunk)
{
	const size_t left = t->demo->bytes - chunk * CHUNK_BYTES;

	return left < CHUNK_BYTES ? (uint32_t)left : CHUNK_BYTES;
}

/* SEND: a receive for each chunk, at its place. WRITE: one without buffer, for the immediate. */
static int post_receive(struct transfer *t)
{
	const uint64_t chunk = t->receives_posted;
	struct ib_sge sge = {(uintptr_t)t->demo->copy + chunk * CHUNK_BYTES, chunk_bytes(t, chunk),
			     t->target->lkey};
	struct ib_recv_wr wr = {
		.wr_id = chunk, .sg_list = &sge, .num_sge = t->way == WAY_SEND ? 1 : 0};

	t->receives_posted++;
	return ib_post_recv(t->pair.side[1].qp, &wr, NULL);
}

/* READ is asked for by the side that gets the file, the others by the side that has it. */
static int post_chunk(struct transfer *t)
{
	const uint64_t chunk = t->posted, offset = chunk * CHUNK_BYTES;
	const bool read = t->way == WAY_READ;
	const uint64_t source = (uintptr_t)t->demo->file + offset;
	const uint64_t target = (uintptr_t)t->demo->copy + offset;
	struct ib_sge sge = {read ? target : source, chunk_bytes(t, chunk),
			     read ? t->target->lkey : t->source->lkey};
	struct ib_rdma_wr wr = {.wr = {.wr_id = chunk,
				       .sg_list = &sge,
				       .num_sge = 1,
				       .send_flags = IB_SEND_SIGNALED},
				.remote_addr = read ? source : target,
				.rkey = read ? t->source->rkey : t->target->rkey};

	wr.wr.opcode = t->way == WAY_SEND    ? IB_WR_SEND
		       : t->way == WAY_WRITE ? IB_WR_RDMA_WRITE_WITH_IMM
					     : IB_WR_RDMA_READ;
	wr.wr.ex.imm_data = cpu_to_be32((u32)chunk);
	t->posted++;
	return ib_post_send(t->pair.side[read].qp, &wr.wr, NULL);
}

/* Take what has completed on one side. */
static int take(struct transfer *t, int side)
{
	struct ib_wc wc[DEPTH];
	const int n = ib_poll_cq(t->pair.side[side].cq, DEPTH, wc);

	for (int i = 0; i < n; i++) {
		if (wc[i].status != IB_WC_SUCCESS) {
			fprintf(stderr, "verbena demo: %s\n", verbena_qp_cause(wc[i].qp));
			return -EIO;
		}
		if (wc[i].opcode & IB_WC_RECV)
			t->received++;
		else
			t->completed++;
	}
	return n;
}

static bool is_done(const struct transfer *t)
{
	return t->completed == t->chunks && (t->way == WAY_READ || t->received == t->chunks);
}

/* Keep both queues full until all chunks are over, or nothing has completed for too long. */
static int pump(struct transfer *t)
{
	double end = cli_seconds() + PATIENCE_S;
	int ret = 0;

	while (!is_done(t)) {
		while (!ret && t->way != WAY_READ && t->receives_posted < t->chunks &&
		       t->receives_posted - t->received < DEPTH)
			ret = post_receive(t);
		while (!ret && t->posted < t->chunks && t->posted - t->completed < DEPTH)
			ret = post_chunk(t);
		if (ret)
			return complain("posting", ret);
		for (int side = 0; side < 2; side++) {
			const int n = take(t, side);

			if (n < 0)
				return n;
			if (n)
				end = cli_seconds() + PATIENCE_S;
		}
		cli_progress("chunks", t->completed, t->chunks);
		if (cli_seconds() > end) {
			fprintf(stderr, "verbena demo: nothing has completed for %g s\n",
				PATIENCE_S);
			return -ETIMEDOUT;
		}
	}
	cli_progress_end();
	return 0;
}

static struct ib_mr *reg(const struct pair_side *side, const uint8_t *mem, size_t bytes, int access)
{
	return ib_reg_user_mr(side->pd, (uintptr_t)mem, bytes, (uintptr_t)mem, access);
}

static int register_both(struct transfer *t)
{
	const struct demo *d = t->demo;

	t->source = reg(&t->pair.side[0], d->file, d->bytes, IB_ACCESS_REMOTE_READ);
	if (IS_ERR(t->source))
		return (int)PTR_ERR(t->source);
	t->target = reg(&t->pair.side[1], d->copy, d->bytes,
			IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
	if (!IS_ERR(t->target))
		return 0;
	ib_dereg_mr(t->source);
	return (int)PTR_ERR(t->target);
}

static int transfer(struct transfer *t)
{
	const struct pair_options options = {
		.depth = DEPTH, .type = IB_QPT_RC, .mtu = IB_MTU_4096, .timeout = TIMEOUT_CODE};
	int ret = pair_open(&t->pair, t->demo->device[0], t->demo->device[1], &options);

	if (ret)
		return complain("connecting", ret);
	ret = register_both(t);
	if (ret) {
		complain("registering memory", ret);
		goto close;
	}
	t->seconds = cli_seconds();
	ret = pump(t);
	t->seconds = cli_seconds() - t->seconds;
	ib_dereg_mr(t->target);
	ib_dereg_mr(t->source);
close:
	pair_close(&t->pair);
	return ret;
}

static bool same_digest(const struct demo *d)
{
	unsigned char digest[CLI_SHA256_BYTES];

	cli_sha256(d->copy, d->bytes, digest);
	return !memcmp(digest, d->digest, sizeof(digest));
}

static void run_way(struct demo *d, enum way way, const char *weather)
{
	struct transfer t = {
		.demo = d, .way = way, .chunks = (d->bytes + CHUNK_BYTES - 1) / CHUNK_BYTES};
	struct verbena_stats before, after;
	bool same;
	int ret;

	memset(d->copy, 0, d->bytes);
	verbena_fabric_stats(d->fabric, &before);
	ret = transfer(&t);
	verbena_fabric_stats(d->fabric, &after);
	same = !ret && same_digest(d);
	d->failed |= !same;
	json_array_append_new(
		d->rows,
		json_pack("{s:s, s:s, s:I, s:f, s:f, s:I, s:I, s:I, s:I, s:b}", "fabric", weather,
			  "way", way_names[way], "bytes", (json_int_t)d->bytes, "seconds",
			  t.seconds, "gb_per_s",
			  t.seconds > 0 ? (double)d->bytes / t.seconds / 1e9 : 0.0, "packets",
			  (json_int_t)(after.packets - before.packets), "dropped",
			  (json_int_t)(after.dropped - before.dropped), "retransmitted",
			  (json_int_t)(after.retransmitted - before.retransmitted), "timeouts",
			  (json_int_t)(after.timeouts - before.timeouts), "sha256_equal", same));
}

/* Writes to the start of the file, and waits for the completion that refuses it. */
static bool is_refused(const struct demo *d, const struct pair *pair, const struct ib_mr *local,
		       const struct ib_mr *file)
{
	const double end = cli_seconds() + PATIENCE_S;
	struct ib_sge sge = {(uintptr_t)d->copy, (u32)local->length, local->lkey};
	struct ib_rdma_wr wr = {.wr = {.wr_id = 7,
				       .opcode = IB_WR_RDMA_WRITE,
				       .sg_list = &sge,
				       .num_sge = 1,
				       .send_flags = IB_SEND_SIGNALED},
				.remote_addr = (uintptr_t)d->file,
				.rkey = file->rkey};
	struct ib_wc wc = {.status = IB_WC_SUCCESS};
	int n = 0;

	if (ib_post_send(pair->side[0].qp, &wr.wr, NULL))
		return false;
	while (!n && cli_seconds() < end)
		n = ib_poll_cq(pair->side[0].cq, 1, &wc);
	return n == 1 && wc.status == IB_WC_REM_ACCESS_ERR;
}

/* A write to memory that was registered for reading only. Returns why it was refused, or NULL. */
static const char *provoke(struct demo *d)
{
	const struct pair_options options = {
		.depth = 1, .type = IB_QPT_RC, .mtu = IB_MTU_4096, .timeout = TIMEOUT_CODE};
	const size_t bytes = d->bytes < 16 ? d->bytes : 16;
	static char text[512];
	struct ib_mr *file, *local;
	struct pair pair;

	if (pair_open(&pair, d->device[0], d->device[1], &options))
		return NULL;
	local = reg(&pair.side[0], d->copy, bytes, 0);
	file = reg(&pair.side[1], d->file, d->bytes, IB_ACCESS_REMOTE_READ);
	if (!IS_ERR(local) && !IS_ERR(file) && is_refused(d, &pair, local, file))
		snprintf(text, sizeof(text), "%s", verbena_qp_cause(pair.side[0].qp));
	if (!IS_ERR(file))
		ib_dereg_mr(file);
	if (!IS_ERR(local))
		ib_dereg_mr(local);
	pair_close(&pair);
	return *text ? text : NULL;
}

static bool map_file(struct demo *d, const char *path)
{
	/* Without O_NONBLOCK a FIFO would keep us waiting for its writer. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "verbena demo: '%s': %s\n", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (!S_ISREG(st.st_mode) || st.st_size == 0) {
		fprintf(stderr, "verbena demo: '%s' is %s\n", path,
			S_ISREG(st.st_mode) ? "empty" : "not a regular file");
		close(fd);
		return false;
	}
	d->bytes = (size_t)st.st_size;
	map = mmap(NULL, d->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	d->file = map;
	if (map != MAP_FAILED)
		map = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	d->copy = map;
	if (map != MAP_FAILED)
		return true;
	fprintf(stderr, "verbena demo: no memory for %zu bytes\n", d->bytes);
	return false;
}

static bool open_fabric(struct demo *d)
{
	static const char *const names[] = {"alpha", "beta"};

	d->fabric = verbena_fabric_new(NULL);
	if (IS_ERR(d->fabric)) {
		complain("making a fabric", (int)PTR_ERR(d->fabric));
		return false;
	}
	for (int i = 0; i < 2; i++) {
		d->device[i] = verbena_host_add(d->fabric, names[i], NULL);
		if (IS_ERR(d->device[i])) {
			complain("adding a host", (int)PTR_ERR(d->device[i]));
			verbena_fabric_free(d->fabric);
			return false;
		}
	}
	return true;
}

static void print_table(const struct demo *d, const char *explained)
{
	size_t i;
	json_t *row;

	printf("%-8s %-26s %12s %9s %7s %9s %8s %8s  %s\n", "fabric", "way", "bytes", "seconds",
	       "GB/s", "packets", "dropped", "resent", "SHA-256");
	json_array_foreach(d->rows, i, row) {
		const bool same = json_boolean_value(json_object_get(row, "sha256_equal"));

		printf("%-8s %-26s %12lld %9.4f %7.2f %9lld %8lld %8lld  ",
		       json_string_value(json_object_get(row, "fabric")),
		       json_string_value(json_object_get(row, "way")),
		       (long long)json_integer_value(json_object_get(row, "bytes")),
		       json_real_value(json_object_get(row, "seconds")),
		       json_real_value(json_object_get(row, "gb_per_s")),
		       (long long)json_integer_value(json_object_get(row, "packets")),
		       (long long)json_integer_value(json_object_get(row, "dropped")),
		       (long long)json_integer_value(json_object_get(row, "retransmitted")));
		cli_colour(stdout, same ? 32 : 31);
		printf("%s\n", same ? "equal" : "DIFFERENT");
		cli_colour(stdout, 0);
	}
	printf("\nA write to memory that was registered for reading only:\n  %s\n",
	       explained ? explained : "was not refused as it should have been");
}

/* The first packets of a process touch new memory; the first way shall not pay for all. */
static void warm_up(struct demo *d)
{
	struct demo start = *d;
	struct transfer t = {.demo = &start, .way = WAY_SEND};

	start.bytes = d->bytes < DEPTH * CHUNK_BYTES ? d->bytes : DEPTH * CHUNK_BYTES;
	t.chunks = (start.bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
	d->failed |= transfer(&t) != 0;
}

static void run_all(struct demo *d)
{
	const struct verbena_faults lossy = {.seed = 1, .drop_ppm = 10000, .reorder_ppm = 10000};

	warm_up(d);
	for (int way = 0; way < WAY_COUNT; way++)
		run_way(d, (enum way)way, "clean");
	if (verbena_fabric_faults(d->fabric, &lossy)) {
		complain("setting faults", -EINVAL);
		d->failed = true;
	}
	for (int way = 0; way < WAY_COUNT; way++)
		run_way(d, (enum way)way, "1% loss");
	verbena_fabric_faults(d->fabric, NULL);
}

int cli_demo(int argc, char **argv)
{
	struct demo d = {.failed = false};
	struct options o = {.path = NULL};
	const char *explained;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.mad)
		return demo_mad(o.json, o.capture);
	if (!map_file(&d, o.path ? o.path : "/proc/self/exe") || !open_fabric(&d))
		return 2;
	d.rows = json_array();
	cli_sha256(d.file, d.bytes, d.digest);
	run_all(&d);
	explained = provoke(&d);
	d.failed |= !explained;
	if (o.json)
		cli_print_json(json_pack("{s:O, s:s?, s:b}", "transfers", d.rows, "explained_error",
					 explained, "failed", d.failed));
	else
		print_table(&d, explained);
	json_decref(d.rows);
	verbena_fabric_free(d.fabric);
	munmap(d.file, d.bytes);
	munmap(d.copy, d.bytes);
	return d.failed ? 1 : 0;
}
