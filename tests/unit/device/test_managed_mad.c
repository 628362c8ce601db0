// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Agents of programs on a subnet: what hardware answers, and what other programs do. */
#include <linux/byteorder.h>
#include <linux/err.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_smi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#include "common/test.h"
#include "fabric/topology.h"

#define LONG_NS 20000000000u
#define PERMISSIVE 0xffffu
#define TIMEOUT_MS 200
#define VENDOR_CLASS 0x32

static struct verbena_fabric *fabric;
static struct ib_device *host[2];

/* An agent, and the answer to the one request that it has sent. */
struct client {
	struct ib_mad_agent *agent;
	struct ib_ah *ah;
	bool sent;
	bool answered;
	enum ib_wc_status status;
	struct ib_mad answer;
};

static int setup(void **state)
{
	struct topology *t = topology_pair();
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct verbena_fabric_options options = {.topology = NULL};

	(void)state;
	if (!t || !out)
		return -1;
	topology_write(t, NULL, NULL, out);
	fclose(out);
	topology_free(t);
	options.topology = text;
	fabric = verbena_fabric_new(&options);
	free(text);
	if (IS_ERR(fabric))
		return -1;
	host[0] = verbena_host_add(fabric, "host-0", NULL);
	host[1] = verbena_host_add(fabric, "host-1", NULL);
	return IS_ERR(host[0]) || IS_ERR(host[1]) ? -1 : 0;
}

/* What a test has open; what it leaves so, because it has failed, the teardown closes. */
static struct client clients[2];
static struct ud {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_ah *ah;
} ends[2];

static void close_client(struct client *c);
static void close_end(struct ud *end);

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		close_client(&clients[i]);
		close_end(&ends[i]);
	}
	verbena_fabric_free(fabric);
	return 0;
}

static void on_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct client *c = agent->context;

	c->status = wc->status;
	ib_free_send_mad(wc->send_buf);
	__atomic_store_n(&c->sent, true, __ATOMIC_RELEASE);
	base_wake();
}

static void on_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
			struct ib_mad_recv_wc *wc)
{
	struct client *c = agent->context;

	if (request) {
		memcpy(&c->answer, wc->recv_buf.mad, sizeof(c->answer));
		c->answered = true;
	}
	ib_free_recv_mad(wc);
}

/* Answers what arrives with its own bytes. */
static void echo(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
		 struct ib_mad_recv_wc *wc)
{
	struct client *c = agent->context;
	struct ib_mad_send_buf *reply;
	struct ib_mad *mad;

	(void)request;
	c->ah = ib_create_ah_from_wc(agent->qp->pd, wc->wc, wc->recv_buf.grh, agent->port_num);
	reply = ib_create_send_mad(agent, wc->wc->src_qp, wc->wc->pkey_index, 0, IB_MGMT_MAD_HDR,
				   IB_MGMT_MAD_DATA, GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (!IS_ERR(reply) && !IS_ERR(c->ah)) {
		mad = reply->mad;
		memcpy(mad, wc->recv_buf.mad, sizeof(*mad));
		mad->mad_hdr.method |= IB_MGMT_METHOD_RESP;
		reply->ah = c->ah;
		(void)ib_post_send_mad(reply, NULL);
	}
	ib_free_recv_mad(wc);
}

static void open_client(struct client *c, unsigned int from, enum ib_qp_type type,
			struct ib_mad_reg_req *req, ib_mad_recv_handler receive)
{
	*c = (struct client){.agent = ib_register_mad_agent(host[from], 1, type, req, 0, on_sent,
							    receive, c, 0)};
	if (IS_ERR(c->agent))
		fail_msg("%s", verbena_last_cause());
}

static void close_client(struct client *c)
{
	if (!IS_ERR_OR_NULL(c->agent))
		ib_unregister_mad_agent(c->agent);
	if (!IS_ERR_OR_NULL(c->ah))
		rdma_destroy_ah(c->ah, RDMA_DESTROY_AH_SLEEPABLE);
	c->agent = NULL;
	c->ah = NULL;
}

static void close_end(struct ud *end)
{
	if (!IS_ERR_OR_NULL(end->ah))
		rdma_destroy_ah(end->ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (!IS_ERR_OR_NULL(end->qp))
		ib_destroy_qp(end->qp);
	if (!IS_ERR_OR_NULL(end->cq))
		ib_destroy_cq(end->cq);
	if (!IS_ERR_OR_NULL(end->pd))
		ib_dealloc_pd(end->pd);
	*end = (struct ud){.pd = NULL};
}

static bool is_done(void *arg)
{
	return __atomic_load_n(&((struct client *)arg)->sent, __ATOMIC_ACQUIRE);
}

static u16 lid_of(struct ib_device *device)
{
	struct ib_port_attr attr;

	assert_int_equal(ib_query_port(device, 1, &attr), 0);
	return (u16)attr.lid;
}

static u16 sm_lid(void)
{
	struct ib_port_attr attr;

	assert_int_equal(ib_query_port(host[0], 1, &attr), 0);
	return (u16)attr.sm_lid;
}

/* Send, and wait for what becomes of it. */
static enum ib_wc_status ask(struct client *c, const struct ib_mad *mad, u32 qpn, u16 dlid)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_mad_send_buf *buf;

	rdma_ah_set_dlid(&attr, dlid);
	c->ah = rdma_create_ah(c->agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	assert_false(IS_ERR(c->ah));
	buf = ib_create_send_mad(c->agent, qpn, 0, 0, IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	assert_false(IS_ERR(buf));
	memcpy(buf->mad, mad, sizeof(*mad));
	((struct ib_mad *)buf->mad)->mad_hdr.tid =
		cpu_to_be64((u64)c->agent->hi_tid << 32 | 0x1234);
	buf->ah = c->ah;
	buf->timeout_ms = TIMEOUT_MS;
	assert_int_equal(ib_post_send_mad(buf, NULL), 0);
	assert_true(base_wait_until(is_done, c, LONG_NS));
	return c->status;
}

static struct ib_mad request(u8 class, u8 method, __be16 attribute, u32 modifier)
{
	return (struct ib_mad){.mad_hdr = {.base_version = IB_MGMT_BASE_VERSION,
					   .mgmt_class = class,
					   .class_version = 1,
					   .method = method,
					   .attr_id = attribute,
					   .attr_mod = cpu_to_be32(modifier)}};
}

static enum ib_wc_status walk(struct client *c, __be16 attribute, u8 hops, const u8 *ports)
{
	struct ib_mad mad =
		request(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, IB_MGMT_METHOD_GET, attribute, 0);
	struct ib_smp *smp = (struct ib_smp *)(void *)&mad;

	smp->hop_cnt = hops;
	smp->dr_slid = smp->dr_dlid = cpu_to_be16(PERMISSIVE);
	memcpy(smp->initial_path + 1, ports, hops);
	return ask(c, &mad, 0, PERMISSIVE);
}

static void smp__directed_routes(void **state)
{
	static const struct {
		u8 hops, ports[2];
		u8 type, local_port;
	} routes[] = {{0, {0}, 1, 1}, {1, {1}, 2, 1}, {2, {1, 2}, 1, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		struct ib_node_info info;
		struct client *const c = &clients[0];

		open_client(c, 0, IB_QPT_SMI, NULL, on_received);
		assert_int_equal(walk(c, IB_SMP_ATTR_NODE_INFO, routes[i].hops, routes[i].ports),
				 IB_WC_SUCCESS);
		assert_true(c->answered);
		assert_int_equal(c->answer.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
		assert_int_equal(be16_to_cpu(c->answer.mad_hdr.status), 0x8000);
		memcpy(&info, ((struct ib_smp *)(void *)&c->answer)->data, sizeof(info));
		assert_int_equal(info.node_type, routes[i].type);
		assert_int_equal(info.local_port_num, routes[i].local_port);
		close_client(c);
	}
}

/* Out of a port without a cable: nobody answers. */
static void smp__no_such_way(void **state)
{
	struct client *const c = &clients[0];

	(void)state;
	open_client(c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(walk(c, IB_SMP_ATTR_NODE_INFO, 2, (const u8[]){1, 5}),
			 IB_WC_RESP_TIMEOUT_ERR);
	close_client(c);
}

static void smp__by_lid(void **state)
{
	const struct ib_mad mad = request(IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET,
					  IB_SMP_ATTR_NODE_DESC, 0);
	const struct {
		u16 lid;
		const char *description;
	} nodes[] = {{sm_lid(), "sw-0"}, {lid_of(host[1]), "host-1"}, {lid_of(host[0]), "host-0"}};

	(void)state;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct client *const c = &clients[0];

		open_client(c, 0, IB_QPT_SMI, NULL, on_received);
		assert_int_equal(ask(c, &mad, 0, nodes[i].lid), IB_WC_SUCCESS);
		assert_string_equal((char *)((struct ib_smp *)(void *)&c->answer)->data,
				    nodes[i].description);
		close_client(c);
	}
}

/* The manager says who it is, by either kind of SMP; nobody else does. */
static void smp__sm_info(void **state)
{
	const struct ib_mad mad =
		request(IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SM_INFO, 0);
	struct client *const c = &clients[0];

	(void)state;
	open_client(c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(ask(c, &mad, 0, sm_lid()), IB_WC_SUCCESS);
	assert_int_equal(c->answer.mad_hdr.status, 0);
	assert_int_equal(((struct ib_smp *)(void *)&c->answer)->data[20], 3);
	close_client(c);
	open_client(c, 1, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(walk(c, IB_SMP_ATTR_SM_INFO, 1, (const u8[]){1}), IB_WC_SUCCESS);
	assert_int_equal(be16_to_cpu(c->answer.mad_hdr.status), 0x8000);
	assert_int_equal(((struct ib_smp *)(void *)&c->answer)->data[20], 3);
	close_client(c);
	open_client(c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(ask(c, &mad, 0, lid_of(host[1])), IB_WC_SUCCESS);
	assert_int_not_equal(c->answer.mad_hdr.status, 0);
	close_client(c);
}

/* Of a class that nobody has registered for, on a host with a program and on one without. */
static void gmp__unsupported(void **state)
{
	const u16 lids[] = {lid_of(host[1]), sm_lid()};
	const struct ib_mad mad = request(IB_MGMT_CLASS_BM, IB_MGMT_METHOD_GET, cpu_to_be16(1), 0);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct client *const c = &clients[0];

		open_client(c, 0, IB_QPT_GSI, NULL, on_received);
		assert_int_equal(ask(c, &mad, 1, lids[i]), IB_WC_SUCCESS);
		assert_int_equal(be16_to_cpu(c->answer.mad_hdr.status),
				 IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
		close_client(c);
	}
}

static void gmp__between_programs(void **state)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = VENDOR_CLASS, .mgmt_class_version = 1, .oui = {0x56, 0x52, 0x42}};
	struct ib_mad mad = request(VENDOR_CLASS, IB_MGMT_METHOD_GET, cpu_to_be16(7), 9);
	struct client *const client = &clients[0], *const server = &clients[1];

	(void)state;
	memcpy(mad.data + 13, req.oui, sizeof(req.oui));
	mad.data[200] = 0x77;
	set_bit(IB_MGMT_METHOD_GET, req.method_mask);
	open_client(server, 1, IB_QPT_GSI, &req, echo);
	open_client(client, 0, IB_QPT_GSI, NULL, on_received);
	assert_int_equal(ask(client, &mad, 1, lid_of(host[1])), IB_WC_SUCCESS);
	assert_int_equal(client->answer.mad_hdr.status, 0);
	assert_int_equal(client->answer.data[200], 0x77);
	close_client(client);
	close_client(server);
}

/* What a program says of its device SMPs tell: description and capability mask. */
static void smp__what_the_driver_has_changed(void **state)
{
	struct ib_device_modify change = {.sys_image_guid = 0x77};
	struct ib_port_modify port = {.set_port_cap_mask = IB_PORT_VENDOR_CLASS_SUP};
	struct ib_port_info info;
	struct ib_port_attr attr;
	struct client *const c = &clients[0];

	(void)state;
	snprintf(change.node_desc, sizeof(change.node_desc), "another name");
	assert_int_equal(ib_modify_device(host[1],
					  IB_DEVICE_MODIFY_NODE_DESC |
						  IB_DEVICE_MODIFY_SYS_IMAGE_GUID,
					  &change),
			 0);
	open_client(c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(walk(c, IB_SMP_ATTR_NODE_DESC, 2, (const u8[]){1, 2}), IB_WC_SUCCESS);
	assert_string_equal((char *)((struct ib_smp *)(void *)&c->answer)->data, "another name");
	close_client(c);
	for (int set = 1; set >= 0; set--) {
		assert_int_equal(ib_modify_port(host[1], 1, 0, &port), 0);
		open_client(c, 0, IB_QPT_SMI, NULL, on_received);
		assert_int_equal(walk(c, IB_SMP_ATTR_PORT_INFO, 2, (const u8[]){1, 2}),
				 IB_WC_SUCCESS);
		memcpy(&info, ((struct ib_smp *)(void *)&c->answer)->data, sizeof(info));
		assert_int_equal(!!(be32_to_cpu(info.cap_mask) & IB_PORT_VENDOR_CLASS_SUP), set);
		close_client(c);
		assert_int_equal(ib_query_port(host[1], 1, &attr), 0);
		assert_int_equal(!!(attr.port_cap_flags & IB_PORT_VENDOR_CLASS_SUP), set);
		port = (struct ib_port_modify){.clr_port_cap_mask = IB_PORT_VENDOR_CLASS_SUP};
	}
}

/* A queue pair that gets a datagram with another Q_Key: the port's own counter, which SMPs tell. */
static void smp__bad_keys_are_counted(void **state)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_ud_wr wr = {.wr = {.opcode = IB_WR_SEND}, .remote_qkey = 0x2222};
	const struct ib_cq_init_attr cq_attr = {.cqe = 4};
	struct client *const c = &clients[0];
	struct ib_port_info info;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ib_qp_init_attr init = {.cap = {.max_send_wr = 1,
						       .max_recv_wr = 1,
						       .max_send_sge = 1,
						       .max_recv_sge = 1},
					       .qp_type = IB_QPT_UD};

		ends[i].pd = ib_alloc_pd(host[i], 0);
		assert_false(IS_ERR(ends[i].pd));
		ends[i].cq = ib_create_cq(host[i], NULL, NULL, NULL, &cq_attr);
		assert_false(IS_ERR(ends[i].cq));
		init.send_cq = init.recv_cq = ends[i].cq;
		ends[i].qp = ib_create_qp(ends[i].pd, &init);
		assert_false(IS_ERR(ends[i].qp));
		assert_int_equal(verbena_ud_ready(ends[i].qp, 0x1111), 0);
	}
	rdma_ah_set_dlid(&attr, lid_of(host[1]));
	ends[0].ah = rdma_create_ah(ends[0].pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	assert_false(IS_ERR(ends[0].ah));
	wr.ah = ends[0].ah;
	wr.remote_qpn = ends[1].qp->qp_num;
	assert_int_equal(ib_post_send(ends[0].qp, &wr.wr, NULL), 0);
	open_client(c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(walk(c, IB_SMP_ATTR_PORT_INFO, 2, (const u8[]){1, 2}), IB_WC_SUCCESS);
	memcpy(&info, ((struct ib_smp *)(void *)&c->answer)->data, sizeof(info));
	assert_int_equal(be16_to_cpu(info.qkey_violations), 1);
	close_client(c);
}

#define PATH_RECORD_DGID (1u << 2)
#define PATH_RECORD_SGID (1u << 3)
#define PATH_RECORD_BYTES 64

/* What the administration says, in one piece. */
struct table {
	struct ib_mad_agent *agent;
	struct ib_ah *ah;
	bool sent; /* as in struct client */
	enum ib_wc_status status;
	u16 mad_status;
	unsigned int record_bytes;
	size_t bytes;
	u8 records[4096];
};

static void table_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct table *t = agent->context;

	t->status = wc->status;
	ib_free_send_mad(wc->send_buf);
	__atomic_store_n(&t->sent, true, __ATOMIC_RELEASE);
	base_wake();
}

static void table_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *asked,
			   struct ib_mad_recv_wc *wc)
{
	const struct ib_sa_mad *first = (const struct ib_sa_mad *)(const void *)wc->recv_buf.mad;
	struct table *t = agent->context;
	struct ib_mad_recv_buf *segment;
	size_t left = (size_t)wc->mad_len - IB_MGMT_SA_HDR;

	(void)asked;
	t->mad_status = be16_to_cpu(first->mad_hdr.status);
	t->record_bytes = be16_to_cpu(first->sa_hdr.attr_offset) * 8u;
	list_for_each_entry(segment, &wc->rmpp_list, list) {
		const struct ib_sa_mad *mad = (const struct ib_sa_mad *)(const void *)segment->mad;
		const size_t n = left < sizeof(mad->data) ? left : sizeof(mad->data);

		memcpy(t->records + t->bytes, mad->data, n);
		t->bytes += n;
		left -= n;
	}
	ib_free_recv_mad(wc);
}

static bool table_is_done(void *arg)
{
	return __atomic_load_n(&((struct table *)arg)->sent, __ATOMIC_ACQUIRE);
}

static void ask_sa(struct table *t, u8 method, u16 attribute, u64 mask, const void *record,
		   size_t bytes)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_mad_send_buf *buf;
	struct ib_sa_mad *mad;

	memset(t, 0, sizeof(*t));
	t->agent = ib_register_mad_agent(host[0], 1, IB_QPT_GSI, NULL, IB_MGMT_RMPP_VERSION,
					 table_sent, table_received, t, 0);
	assert_false(IS_ERR(t->agent));
	rdma_ah_set_dlid(&attr, sm_lid());
	t->ah = rdma_create_ah(t->agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	buf = ib_create_send_mad(t->agent, 1, 0, 0, IB_MGMT_SA_HDR, IB_MGMT_SA_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	assert_false(IS_ERR(t->ah) || IS_ERR(buf));
	mad = buf->mad;
	mad->mad_hdr = (struct ib_mad_hdr){.base_version = IB_MGMT_BASE_VERSION,
					   .mgmt_class = IB_MGMT_CLASS_SUBN_ADM,
					   .class_version = 2,
					   .method = method,
					   .attr_id = cpu_to_be16(attribute),
					   .tid = cpu_to_be64((u64)t->agent->hi_tid << 32 | 9)};
	mad->sa_hdr.comp_mask = cpu_to_be64(mask);
	memcpy(mad->data, record, bytes);
	buf->ah = t->ah;
	buf->timeout_ms = TIMEOUT_MS;
	buf->retries = 20;
	assert_int_equal(ib_post_send_mad(buf, NULL), 0);
	assert_true(base_wait_until(table_is_done, t, LONG_NS));
	assert_int_equal(t->status, IB_WC_SUCCESS);
	ib_unregister_mad_agent(t->agent);
	rdma_destroy_ah(t->ah, RDMA_DESTROY_AH_SLEEPABLE);
}

static void sa__path(void **state)
{
	u8 record[PATH_RECORD_BYTES] = {0};
	union ib_gid gid[2];
	static struct table t;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(rdma_query_gid(host[i], 1, 0, &gid[i]), 0);
	memcpy(record + 8, gid[1].raw, 16);
	memcpy(record + 24, gid[0].raw, 16);
	ask_sa(&t, IB_MGMT_METHOD_GET, 0x35, PATH_RECORD_DGID | PATH_RECORD_SGID, record,
	       sizeof(record));
	assert_int_equal(t.mad_status, 0);
	assert_int_equal(t.records[40] << 8 | t.records[41], lid_of(host[1]));
	assert_int_equal(t.records[42] << 8 | t.records[43], lid_of(host[0]));
	assert_int_equal(t.records[54] & 0x3f, IB_MTU_4096);
	record[8] = 0xee; /* nobody */
	ask_sa(&t, IB_MGMT_METHOD_GET, 0x35, PATH_RECORD_DGID | PATH_RECORD_SGID, record,
	       sizeof(record));
	assert_int_not_equal(t.mad_status, 0);
}

static void sa__all_nodes(void **state)
{
	unsigned int switches = 0;
	static struct table t;

	(void)state;
	ask_sa(&t, IB_SA_METHOD_GET_TABLE, 0x11, 0, "", 0);
	assert_int_equal(t.mad_status, 0);
	assert_int_equal(t.record_bytes, 112);
	assert_int_equal(t.bytes, 3 * 112);
	for (unsigned int i = 0; i < 3; i++)
		switches += t.records[i * 112 + 4 + 2] == 2;
	assert_int_equal(switches, 1);
}

/* The administration's own device is no program's business. */
static void sa__its_device_is_hidden(void **state)
{
	(void)state;
	assert_int_equal(host[0]->phys_port_cnt, 1);
	assert_string_equal(host[0]->name, "verbena0");
	assert_string_equal(host[1]->name, "verbena1");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(smp__directed_routes, setup, teardown),
	cmocka_unit_test_setup_teardown(smp__no_such_way, setup, teardown),
	cmocka_unit_test_setup_teardown(smp__by_lid, setup, teardown),
	cmocka_unit_test_setup_teardown(smp__sm_info, setup, teardown),
	cmocka_unit_test_setup_teardown(gmp__unsupported, setup, teardown),
	cmocka_unit_test_setup_teardown(gmp__between_programs, setup, teardown),
	cmocka_unit_test_setup_teardown(smp__what_the_driver_has_changed, setup, teardown),
	cmocka_unit_test_setup_teardown(smp__bad_keys_are_counted, setup, teardown),
	cmocka_unit_test_setup_teardown(sa__path, setup, teardown),
	cmocka_unit_test_setup_teardown(sa__all_nodes, setup, teardown),
	cmocka_unit_test_setup_teardown(sa__its_device_is_hidden, setup, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
