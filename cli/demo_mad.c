// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * verbena demo --mad: a fat tree of 99 nodes. Two agents exchange a file by RMPP on links that lose packets; RDMA
 * between the two hosts that are furthest apart; MADs tell which way it goes and what the ports on it have
 * carried; and when a cable of it is cut the subnet manager finds another one.
 */
#include "cli/demo_mad.h"

#include <errno.h>
#include <linux/byteorder.h>
#include <linux/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#include "cli/cli.h"
#include "cli/mad_client.h"
#include "cli/pair.h"
#include "cli/rmpp_file.h"
#include "cli/sha256.h"
#include "fabric/topology.h"

#define SWITCH_PORTS 6u /* of a fat tree of 54 hosts and 45 switches */
#define FILE_BYTES (1u << 20)
#define LOSS_PPM 20000u
#define RDMA_BYTES (4u << 20)
#define MOST_HOPS 16u
#define PATIENCE_S 20.0
#define UNREACHABLE 0xffu
#define SWITCH_TYPE 2u
#define LFT_BLOCK 64u

static const char *const names[] = {"h-0-0-0", "h-5-2-2"};

/* A node on the way, and the port that the way leaves it by. */
struct step {
	char name[IB_SMP_DATA_SIZE + 1];
	uint16_t lid;
	uint8_t port;
};

struct way {
	unsigned int steps; /* the last one is where it ends, and has no port */
	struct step step[MOST_HOPS];
};

struct demo {
	struct verbena_fabric *fabric;
	struct ib_device *device[2];
	uint16_t lid[2];
	struct mad_client client;
	struct pair pair;
	uint8_t *mem[2];
	struct ib_mr *mr[2];
	json_t *result;
	bool json;
	const char *capture;
};

static int complain(const char *what, int err)
{
	fprintf(stderr, "verbena demo: %s: %s. %s\n", what, strerror(-err), verbena_last_cause());
	return err;
}

static char *plan(void)
{
	struct topology *t = topology_fat_tree(SWITCH_PORTS);
	char *text = NULL;
	size_t bytes;
	FILE *out = t ? open_memstream(&text, &bytes) : NULL;

	if (out) {
		topology_write(t, NULL, NULL, out);
		fclose(out);
	}
	topology_free(t);
	return text;
}

static int open_subnet(struct demo *d)
{
	char *text = plan();
	const struct verbena_fabric_options options = {.topology = text, .capture = d->capture};
	const double start = cli_seconds();
	struct ib_port_attr attr;

	if (!text)
		return complain("writing the topology", -ENOMEM);
	d->fabric = verbena_fabric_new(&options);
	free(text);
	if (IS_ERR(d->fabric))
		return complain("making the subnet", (int)PTR_ERR(d->fabric));
	json_object_set_new(d->result, "up_seconds", json_real(cli_seconds() - start));
	for (int i = 0; i < 2; i++) {
		d->device[i] = verbena_host_add(d->fabric, names[i], NULL);
		if (IS_ERR(d->device[i]))
			return complain("taking a host", (int)PTR_ERR(d->device[i]));
		(void)ib_query_port(d->device[i], 1, &attr);
		d->lid[i] = (uint16_t)attr.lid;
	}
	return mad_client_open(&d->client, d->device[0]);
}

static int send_file(struct demo *d)
{
	const struct verbena_faults lossy = {.seed = 1, .drop_ppm = LOSS_PPM};
	uint8_t sent[CLI_SHA256_BYTES], received[CLI_SHA256_BYTES];
	uint8_t *file = malloc(FILE_BYTES), *copy = calloc(1, FILE_BYTES);
	const double start = cli_seconds();
	int ret = -ENOMEM;

	if (file && copy) {
		for (uint32_t i = 0; i < FILE_BYTES; i++)
			file[i] = (uint8_t)(i * 2654435761u >> 24);
		ret = verbena_fabric_faults(d->fabric, &lossy);
	}
	if (!ret)
		ret = rmpp_file_send(d->device[0], d->device[1], d->lid[1], file, copy, FILE_BYTES);
	(void)verbena_fabric_faults(d->fabric, NULL);
	if (ret) {
		complain("sending the file by RMPP", ret);
	} else {
		cli_sha256(file, FILE_BYTES, sent);
		cli_sha256(copy, FILE_BYTES, received);
		json_object_set_new(d->result, "rmpp_seconds", json_real(cli_seconds() - start));
		json_object_set_new(d->result, "sha256_equal",
				    json_boolean(!memcmp(sent, received, sizeof(sent))));
		ret = memcmp(sent, received, sizeof(sent)) ? -EIO : 0;
	}
	free(file);
	free(copy);
	return ret;
}

static int open_rdma(struct demo *d)
{
	const struct pair_options o = {
		.depth = 4, .type = IB_QPT_RC, .mtu = IB_MTU_4096, .timeout = 14};
	int ret = pair_open(&d->pair, d->device[0], d->device[1], &o);

	for (int i = 0; !ret && i < 2; i++) {
		d->mem[i] = calloc(1, RDMA_BYTES);
		if (!d->mem[i])
			return complain("making buffers", -ENOMEM);
		d->mr[i] = ib_reg_user_mr(d->pair.side[i].pd, (uintptr_t)d->mem[i], RDMA_BYTES,
					  (uintptr_t)d->mem[i],
					  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
		if (IS_ERR(d->mr[i]))
			ret = (int)PTR_ERR(d->mr[i]);
	}
	return ret ? complain("connecting queue pairs", ret) : 0;
}

static int write_remote(struct demo *d)
{
	struct ib_sge sge = {(uintptr_t)d->mem[0], RDMA_BYTES, d->mr[0]->lkey};
	const struct ib_rdma_wr wr = {.wr = {.sg_list = &sge,
					     .num_sge = 1,
					     .opcode = IB_WR_RDMA_WRITE,
					     .send_flags = IB_SEND_SIGNALED},
				      .remote_addr = (uintptr_t)d->mem[1],
				      .rkey = d->mr[1]->rkey};
	const double start = cli_seconds();
	struct ib_wc wc = {.status = IB_WC_SUCCESS};
	int ret = ib_post_send(d->pair.side[0].qp, &wr.wr, NULL), n = 0;

	while (!ret && n == 0) {
		n = ib_poll_cq(d->pair.side[0].cq, 1, &wc);
		if (cli_seconds() - start > PATIENCE_S)
			ret = -ETIMEDOUT;
	}
	if (!ret && n == 1 && !wc.status)
		return 0;
	fprintf(stderr, "verbena demo: RDMA WRITE: %s\n",
		ret ? strerror(-ret) : verbena_qp_cause(d->pair.side[0].qp));
	return -EIO;
}

/* What the switch at the end of a route does with packets for a LID. */
static int next_port(struct demo *d, const struct mad_route *route, uint16_t dlid, uint8_t *port)
{
	uint8_t block[IB_SMP_DATA_SIZE] = {0};
	const int ret = mad_client_get(&d->client, route, IB_SMP_ATTR_LINEAR_FORWARD_TABLE,
				       dlid / LFT_BLOCK, block);

	*port = block[dlid % LFT_BLOCK];
	return ret;
}

static int look_at(struct demo *d, const struct mad_route *route, struct step *step,
		   struct ib_node_info *node)
{
	struct ib_port_info port = {.lid = 0};
	uint8_t data[IB_SMP_DATA_SIZE] = {0};
	int ret = mad_client_get(&d->client, route, IB_SMP_ATTR_NODE_INFO, 0, data);

	memcpy(node, data, sizeof(*node));
	if (!ret)
		ret = mad_client_get(&d->client, route, IB_SMP_ATTR_NODE_DESC, 0, step->name);
	if (!ret)
		ret = mad_client_get(&d->client, route, IB_SMP_ATTR_PORT_INFO, 0, &port);
	step->lid = be16_to_cpu(port.lid);
	return ret;
}

/* From host to host, asking each switch. Nothing is known but what MADs say. */
static int trace_way(struct demo *d, uint16_t dlid, struct way *way)
{
	struct mad_route route = {.hops = 0};
	struct ib_node_info node;

	for (*way = (struct way){.steps = 0}; way->steps < MOST_HOPS; way->steps++) {
		struct step *step = &way->step[way->steps];
		int ret = look_at(d, &route, step, &node);

		if (ret)
			return ret;
		if (route.hops && node.node_type != SWITCH_TYPE) {
			way->steps++;
			return step->lid == dlid ? 0 : -EHOSTUNREACH;
		}
		step->port = 1;
		if (route.hops)
			ret = next_port(d, &route, dlid, &step->port);
		if (ret || step->port == UNREACHABLE)
			return ret ? ret : -EHOSTUNREACH;
		route.port[route.hops++] = step->port;
	}
	return -ELOOP;
}

static void say_way(struct demo *d, const char *what, const struct way *way)
{
	json_t *steps = json_array();

	if (!d->json)
		printf("%-10s %5s %6s %14s %16s\n", "node", "lid", "port", "packets out",
		       "bytes out");
	for (unsigned int i = 0; i < way->steps; i++) {
		const struct step *step = &way->step[i];
		struct ib_pma_portcounters_ext c = {.port_select = 0};
		const bool ends = i + 1 == way->steps;

		if (!ends && mad_client_counters(&d->client, step->lid, step->port, &c))
			complain("asking for counters", -EIO);
		json_array_append_new(
			steps, json_pack("{s:s,s:i,s:i,s:I,s:I}", "node", step->name, "lid",
					 (int)step->lid, "port", (int)step->port, "packets",
					 (json_int_t)be64_to_cpu(c.port_xmit_packets), "bytes",
					 (json_int_t)be64_to_cpu(c.port_xmit_data) * 4));
		if (!d->json && ends)
			printf("%-10s %5u\n", step->name, step->lid);
		else if (!d->json)
			printf("%-10s %5u %6u %14llu %16llu\n", step->name, step->lid, step->port,
			       (unsigned long long)be64_to_cpu(c.port_xmit_packets),
			       (unsigned long long)be64_to_cpu(c.port_xmit_data) * 4);
	}
	json_object_set_new(d->result, what, steps);
}

static bool uses(const struct way *way, const struct step *cut)
{
	for (unsigned int i = 0; i + 1 < way->steps; i++)
		if (!strcmp(way->step[i].name, cut->name) && way->step[i].port == cut->port)
			return true;
	return false;
}

/* Ask until the way is another one. */
static int wait_for_another(struct demo *d, const struct step *cut, struct way *way)
{
	const int retries = d->client.retries;
	const double start = cli_seconds();
	int ret;

	d->client.retries = 0; /* beyond the cut nobody answers */
	do
		ret = trace_way(d, d->lid[1], way);
	while ((ret || uses(way, cut)) && cli_seconds() - start < PATIENCE_S);
	d->client.retries = retries;
	if (ret || uses(way, cut))
		return complain("waiting for another way", -ETIMEDOUT);
	json_object_set_new(d->result, "healed_seconds", json_real(cli_seconds() - start));
	return 0;
}

static bool is_same(const struct way *a, const struct way *b)
{
	return a->steps == b->steps && !memcmp(a->step, b->step, a->steps * sizeof(a->step[0]));
}

/* While the manager sets tables the way may change under the packets: then once more. */
static int write_by_a_way(struct demo *d, struct way *way)
{
	const double start = cli_seconds();
	struct way before;
	int ret;

	do {
		ret = trace_way(d, d->lid[1], &before);
		if (!ret)
			ret = write_remote(d);
		if (!ret)
			ret = trace_way(d, d->lid[1], way);
	} while (!ret && !is_same(&before, way) && cli_seconds() - start < PATIENCE_S);
	return ret ? complain("writing to the other host", ret) : 0;
}

static double real_of(const struct demo *d, const char *key)
{
	return json_real_value(json_object_get(d->result, key));
}

static int run(struct demo *d)
{
	struct way way;
	struct step cut;
	int ret = open_subnet(d);

	if (ret)
		return ret;
	if (!d->json)
		printf("A fat tree of 99 nodes: up in %.1f ms.\n", real_of(d, "up_seconds") * 1e3);
	ret = send_file(d);
	if (ret)
		return ret;
	if (!d->json)
		printf("1 MiB from %s to %s by RMPP, 2 %% of all packets lost: %.2f s, SHA-256 equal.\n",
		       names[0], names[1], real_of(d, "rmpp_seconds"));
	ret = open_rdma(d);
	if (!ret)
		ret = write_by_a_way(d, &way);
	if (ret)
		return ret;
	if (!d->json)
		printf("\n4 MiB by RDMA WRITE. Its way, as the switches' tables say, and what its ports have carried:\n");
	say_way(d, "way", &way);
	cut = way.step[2];
	if (!d->json)
		printf("\nThe cable at port %u of %s is cut.", cut.port, cut.name);
	ret = verbena_fabric_set_cable(d->fabric, cut.name, cut.port, false);
	if (!ret)
		ret = wait_for_another(d, &cut, &way);
	if (!ret)
		ret = write_by_a_way(d, &way);
	if (ret)
		return ret;
	if (!d->json)
		printf(" %.1f ms later there is another way; 4 MiB by it:\n",
		       real_of(d, "healed_seconds") * 1e3);
	say_way(d, "way_after", &way);
	return 0;
}

static void clean_up(struct demo *d)
{
	for (int i = 0; i < 2; i++) {
		if (!IS_ERR_OR_NULL(d->mr[i]))
			ib_dereg_mr(d->mr[i]);
		free(d->mem[i]);
	}
	if (d->pair.side[0].qp)
		pair_close(&d->pair);
	mad_client_close(&d->client);
	verbena_fabric_free(d->fabric);
}

int demo_mad(bool json, const char *capture)
{
	struct demo d = {.json = json, .capture = capture, .result = json_object()};
	const int ret = run(&d);

	clean_up(&d);
	if (json)
		cli_print_json(d.result);
	else
		json_decref(d.result);
	return ret ? 1 : 0;
}
