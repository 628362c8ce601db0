// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Agents of programs on a subnet: what hardware answers, and what other programs do. */
#include <linux/byteorder.h>
#include <linux/err.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
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

static int teardown(void **state)
{
	(void)state;
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
	ib_unregister_mad_agent(c->agent);
	if (!IS_ERR_OR_NULL(c->ah))
		rdma_destroy_ah(c->ah, RDMA_DESTROY_AH_SLEEPABLE);
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
		struct client c;

		open_client(&c, 0, IB_QPT_SMI, NULL, on_received);
		assert_int_equal(walk(&c, IB_SMP_ATTR_NODE_INFO, routes[i].hops, routes[i].ports),
				 IB_WC_SUCCESS);
		assert_true(c.answered);
		assert_int_equal(c.answer.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
		assert_int_equal(be16_to_cpu(c.answer.mad_hdr.status), 0x8000);
		memcpy(&info, ((struct ib_smp *)(void *)&c.answer)->data, sizeof(info));
		assert_int_equal(info.node_type, routes[i].type);
		assert_int_equal(info.local_port_num, routes[i].local_port);
		close_client(&c);
	}
}

/* Out of a port without a cable: nobody answers. */
static void smp__no_such_way(void **state)
{
	struct client c;

	(void)state;
	open_client(&c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(walk(&c, IB_SMP_ATTR_NODE_INFO, 2, (const u8[]){1, 5}),
			 IB_WC_RESP_TIMEOUT_ERR);
	close_client(&c);
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
		struct client c;

		open_client(&c, 0, IB_QPT_SMI, NULL, on_received);
		assert_int_equal(ask(&c, &mad, 0, nodes[i].lid), IB_WC_SUCCESS);
		assert_string_equal((char *)((struct ib_smp *)(void *)&c.answer)->data,
				    nodes[i].description);
		close_client(&c);
	}
}

/* The manager says who it is, by either kind of SMP; nobody else does. */
static void smp__sm_info(void **state)
{
	const struct ib_mad mad =
		request(IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SM_INFO, 0);
	struct client c;

	(void)state;
	open_client(&c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(ask(&c, &mad, 0, sm_lid()), IB_WC_SUCCESS);
	assert_int_equal(c.answer.mad_hdr.status, 0);
	assert_int_equal(((struct ib_smp *)(void *)&c.answer)->data[20], 3);
	close_client(&c);
	open_client(&c, 1, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(walk(&c, IB_SMP_ATTR_SM_INFO, 1, (const u8[]){1}), IB_WC_SUCCESS);
	assert_int_equal(be16_to_cpu(c.answer.mad_hdr.status), 0x8000);
	assert_int_equal(((struct ib_smp *)(void *)&c.answer)->data[20], 3);
	close_client(&c);
	open_client(&c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(ask(&c, &mad, 0, lid_of(host[1])), IB_WC_SUCCESS);
	assert_int_not_equal(c.answer.mad_hdr.status, 0);
	close_client(&c);
}

/* Of a class that nobody has registered for, on a host with a program and on one without. */
static void gmp__unsupported(void **state)
{
	const u16 lids[] = {lid_of(host[1]), sm_lid()};
	const struct ib_mad mad = request(IB_MGMT_CLASS_BM, IB_MGMT_METHOD_GET, cpu_to_be16(1), 0);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct client c;

		open_client(&c, 0, IB_QPT_GSI, NULL, on_received);
		assert_int_equal(ask(&c, &mad, 1, lids[i]), IB_WC_SUCCESS);
		assert_int_equal(be16_to_cpu(c.answer.mad_hdr.status),
				 IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
		close_client(&c);
	}
}

static void gmp__between_programs(void **state)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = VENDOR_CLASS, .mgmt_class_version = 1, .oui = {0x56, 0x52, 0x42}};
	struct ib_mad mad = request(VENDOR_CLASS, IB_MGMT_METHOD_GET, cpu_to_be16(7), 9);
	struct client client, server;

	(void)state;
	memcpy(mad.data + 13, req.oui, sizeof(req.oui));
	mad.data[200] = 0x77;
	set_bit(IB_MGMT_METHOD_GET, req.method_mask);
	open_client(&server, 1, IB_QPT_GSI, &req, echo);
	open_client(&client, 0, IB_QPT_GSI, NULL, on_received);
	assert_int_equal(ask(&client, &mad, 1, lid_of(host[1])), IB_WC_SUCCESS);
	assert_int_equal(client.answer.mad_hdr.status, 0);
	assert_int_equal(client.answer.data[200], 0x77);
	close_client(&client);
	close_client(&server);
}

/* What a program says of its device SMPs tell: description and capability mask. */
static void smp__what_the_driver_has_changed(void **state)
{
	struct ib_device_modify change = {.sys_image_guid = 0x77};
	struct ib_port_modify port = {.set_port_cap_mask = IB_PORT_VENDOR_CLASS_SUP};
	struct ib_port_info info;
	struct ib_port_attr attr;
	struct client c;

	(void)state;
	snprintf(change.node_desc, sizeof(change.node_desc), "another name");
	assert_int_equal(ib_modify_device(host[1],
					  IB_DEVICE_MODIFY_NODE_DESC |
						  IB_DEVICE_MODIFY_SYS_IMAGE_GUID,
					  &change),
			 0);
	open_client(&c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(walk(&c, IB_SMP_ATTR_NODE_DESC, 2, (const u8[]){1, 2}), IB_WC_SUCCESS);
	assert_string_equal((char *)((struct ib_smp *)(void *)&c.answer)->data, "another name");
	close_client(&c);
	for (int set = 1; set >= 0; set--) {
		assert_int_equal(ib_modify_port(host[1], 1, 0, &port), 0);
		open_client(&c, 0, IB_QPT_SMI, NULL, on_received);
		assert_int_equal(walk(&c, IB_SMP_ATTR_PORT_INFO, 2, (const u8[]){1, 2}),
				 IB_WC_SUCCESS);
		memcpy(&info, ((struct ib_smp *)(void *)&c.answer)->data, sizeof(info));
		assert_int_equal(!!(be32_to_cpu(info.cap_mask) & IB_PORT_VENDOR_CLASS_SUP), set);
		close_client(&c);
		assert_int_equal(ib_query_port(host[1], 1, &attr), 0);
		assert_int_equal(!!(attr.port_cap_flags & IB_PORT_VENDOR_CLASS_SUP), set);
		port = (struct ib_port_modify){.clr_port_cap_mask = IB_PORT_VENDOR_CLASS_SUP};
	}
}

/* A queue pair that gets a datagram with another Q_Key: the port's own counter, which SMPs tell. */
static void smp__bad_keys_are_counted(void **state)
{
	struct ib_pd *pd[2];
	struct ib_cq *cq[2];
	struct ib_qp *qp[2];
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_ud_wr wr = {.wr = {.opcode = IB_WR_SEND}, .remote_qkey = 0x2222};
	const struct ib_cq_init_attr cq_attr = {.cqe = 4};
	struct ib_port_info info;
	struct client c;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ib_qp_init_attr init = {.cap = {.max_send_wr = 1,
						       .max_recv_wr = 1,
						       .max_send_sge = 1,
						       .max_recv_sge = 1},
					       .qp_type = IB_QPT_UD};

		pd[i] = ib_alloc_pd(host[i], 0);
		cq[i] = ib_create_cq(host[i], NULL, NULL, NULL, &cq_attr);
		init.send_cq = init.recv_cq = cq[i];
		qp[i] = ib_create_qp(pd[i], &init);
		assert_false(IS_ERR(qp[i]));
		assert_int_equal(verbena_ud_ready(qp[i], 0x1111), 0);
	}
	rdma_ah_set_dlid(&attr, lid_of(host[1]));
	wr.ah = rdma_create_ah(pd[0], &attr, RDMA_CREATE_AH_SLEEPABLE);
	wr.remote_qpn = qp[1]->qp_num;
	assert_int_equal(ib_post_send(qp[0], &wr.wr, NULL), 0);
	open_client(&c, 0, IB_QPT_SMI, NULL, on_received);
	assert_int_equal(walk(&c, IB_SMP_ATTR_PORT_INFO, 2, (const u8[]){1, 2}), IB_WC_SUCCESS);
	memcpy(&info, ((struct ib_smp *)(void *)&c.answer)->data, sizeof(info));
	assert_int_equal(be16_to_cpu(info.qkey_violations), 1);
	close_client(&c);
	rdma_destroy_ah(wr.ah, RDMA_DESTROY_AH_SLEEPABLE);
	for (int i = 0; i < 2; i++) {
		ib_destroy_qp(qp[i]);
		ib_destroy_cq(cq[i]);
		ib_dealloc_pd(pd[i]);
	}
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
};

int main(void)
{
	return verbena_test_main(tests);
}
