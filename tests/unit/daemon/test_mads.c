// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* MADs of processes of a daemon whose fabric is a subnet: two hosts, each with an adapter, and a switch. */
#include "daemon/mads.h"

#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "daemon/subnet.h"
#include "fabric/topology.h"

#define client test_client /* the fixture's, which is a process's end */
#include "server_fixture.h"
#undef client

#define CLASS 0x32
#define VERSION 1
#define SM_CLASS_VERSION 1
#define QKEY_VIOLATIONS 48 /* in PortInfo */

typedef struct test_client Process;

static char plan_path[128];

static int start_pair(void **state)
{
	struct topology *t;
	FILE *out;

	(void)state;
	test_skip_in_torture(); /* two threads allocate */
	if (run_dir_make())
		return -1;
	snprintf(plan_path, sizeof(plan_path), "%s/topology", run_dir_path());
	topology = plan_path;
	t = topology_pair();
	out = fopen(plan_path, "w");
	if (!t || !out)
		return -1;
	topology_write(t, NULL, NULL, out);
	topology_free(t);
	return fclose(out) ? -1 : start_server();
}

static int stop_pair(void **state)
{
	(void)state;
	stop_server();
	server = NULL;
	topology = NULL;
	(void)unlink(plan_path);
	return run_dir_remove("test", NULL);
}

static uint16_t lid_of(const Process *p)
{
	const int slot = directory_slot(p->directory, p->directory->process[p->id].host, 0, 0);
	struct directory_view view;

	assert_true(slot >= 0);
	directory_read_view(p->directory, (uint32_t)slot, &view);
	return view.port.lid;
}

static uint32_t hi_tid(const Process *p, uint32_t number)
{
	return p->id << ATTACH_TID_BITS | number;
}

/* Patiently: the daemon may be busy. */
static void put(const Process *p, struct attach_message *m)
{
	struct pollfd polled = {.fd = p->fd, .events = POLLOUT};

	while (attach_send(p->fd, m, NULL, 0) == -EAGAIN)
		(void)poll(&polled, 1, -1);
}

/* The next message that is not about ports: a manager may sweep at any time. */
static void hear_next(Process *p)
{
	do
		assert_int_equal(hear(p), 0);
	while (p->m.type == ATTACH_PORT_IS);
}

static void declare(Process *p, uint32_t number, uint8_t method)
{
	struct attach_message m = {.type = ATTACH_AGENT, .serial = 7};

	m.agent.is = (struct attach_agent){.hi_tid = hi_tid(p, number),
					   .qpn = 1,
					   .mgmt_class = CLASS,
					   .class_version = VERSION};
	m.agent.is.methods[0] = 1ull << method;
	put(p, &m);
}

static int add_agent(Process *p, uint32_t number, uint8_t method)
{
	declare(p, number, method);
	hear_next(p);
	assert_int_equal(p->m.type, ATTACH_AGENT_IS);
	assert_int_equal(p->m.serial, 7);
	return p->m.status;
}

static void remove_agent(Process *p, uint32_t number)
{
	struct attach_message m = {.type = ATTACH_AGENT_GONE, .serial = 7};

	m.agent.is.hi_tid = hi_tid(p, number);
	put(p, &m);
	hear_next(p);
	assert_int_equal(p->m.type, ATTACH_DONE);
}

static struct attach_message mad_message(const Process *p, uint16_t dlid, uint8_t mgmt_class,
					 uint8_t method)
{
	struct attach_message m = {.type = ATTACH_MAD};
	struct ib_mad_hdr *hdr = (struct ib_mad_hdr *)(void *)m.mad.mad.data;

	m.mad.mad = (struct subnet_mad){.slid = lid_of(p),
					.dlid = dlid,
					.pkey = 0xffff,
					.src_qpn = 1,
					.dest_qpn = 1,
					.qkey = IB_QP1_QKEY};
	*hdr = (struct ib_mad_hdr){.base_version = IB_MGMT_BASE_VERSION,
				   .mgmt_class = mgmt_class,
				   .class_version = VERSION,
				   .method = method,
				   .tid = cpu_to_be64((uint64_t)hi_tid(p, 1) << 32 | 5)};
	return m;
}

/* As the MAD layer leaves it to the wire. */
static struct attach_message smp_message(const Process *p, uint8_t hops, uint16_t attribute)
{
	struct attach_message m = mad_message(
		p, SUBNET_PERMISSIVE_LID, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, IB_MGMT_METHOD_GET);
	struct ib_smp *smp = (struct ib_smp *)(void *)m.mad.mad.data;

	m.mad.mad.slid = SUBNET_PERMISSIVE_LID;
	m.mad.mad.src_qpn = m.mad.mad.dest_qpn = m.mad.mad.qkey = 0;
	smp->hop_cnt = hops;
	smp->hop_ptr = 1;
	smp->attr_id = cpu_to_be16(attribute);
	smp->initial_path[1] = hops ? 1 : 0;
	smp->dr_slid = smp->dr_dlid = IB_LID_PERMISSIVE;
	return m;
}

static const struct ib_mad_hdr *hdr_of(const Process *p)
{
	return (const struct ib_mad_hdr *)(const void *)p->m.mad.mad.data;
}

/* The next message is a MAD, of its only port. */
static void hear_mad(Process *p, uint8_t method)
{
	hear_next(p);
	assert_int_equal(p->m.type, ATTACH_MAD);
	assert_int_equal(p->m.mad.hca, 0);
	assert_int_equal(p->m.mad.port, 0);
	assert_int_equal(hdr_of(p)->method, method);
}

static void is_hung_up_on(Process *p)
{
	assert_int_equal(hear(p), -ECONNRESET);
	detach_client(p);
}

static void mads_agent__method_is_one_process_s(void **state)
{
	Process a, b, c;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-0");
	attach_client(&c, "host-1");
	assert_int_equal(add_agent(&a, 1, IB_MGMT_METHOD_GET), 0);
	assert_int_equal(add_agent(&b, 1, IB_MGMT_METHOD_GET), -EINVAL);
	assert_int_equal(b.m.agent.pid, getpid());
	assert_int_equal(b.m.agent.method, IB_MGMT_METHOD_GET);
	assert_int_equal(add_agent(&c, 1, IB_MGMT_METHOD_GET), 0); /* of another host */
	assert_int_equal(add_agent(&b, 2, IB_MGMT_METHOD_SET), 0);
	remove_agent(&a, 1);
	assert_int_equal(add_agent(&b, 1, IB_MGMT_METHOD_GET), 0);
	detach_client(&a);
	detach_client(&b);
	detach_client(&c);
}

static void mads_agent__ends_with_its_process(void **state)
{
	Process a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-0");
	assert_int_equal(add_agent(&a, 1, IB_MGMT_METHOD_GET), 0);
	say(&b, ATTACH_INTRODUCE, a.id); /* so that it hears of a's end */
	hear_next(&b);
	attach_close_all(b.fds);
	detach_client(&a);
	hear_next(&b);
	assert_int_equal(b.m.type, ATTACH_GONE);
	assert_int_equal(add_agent(&b, 1, IB_MGMT_METHOD_GET), 0);
	detach_client(&b);
}

static void mads_agent__nonsense(void **state)
{
	struct attach_message m = {.type = ATTACH_AGENT};
	Process a;

	(void)state;
	attach_client(&a, "host-0");
	m.agent.is.hi_tid = hi_tid(&a, 1); /* for nothing */
	put(&a, &m);
	is_hung_up_on(&a);
	attach_client(&a, "host-0");
	m.agent.is.port = DIRECTORY_PORTS;
	put(&a, &m);
	is_hung_up_on(&a);
}

static void mads_agent__needs_a_topology(void **state)
{
	Process a;

	(void)state;
	attach_client(&a, "host");
	assert_int_equal(add_agent(&a, 1, IB_MGMT_METHOD_GET), -EOPNOTSUPP);
	detach_client(&a);
}

static void mads_send__own_port_answers(void **state)
{
	struct attach_message m;
	Process a;

	(void)state;
	attach_client(&a, "host-0");
	m = smp_message(&a, 0, 0x10);
	put(&a, &m);
	hear_mad(&a, IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(a.m.mad.mad.slid, SUBNET_PERMISSIVE_LID);
	assert_int_equal(a.m.mad.mad.dest_qpn, 0);
	assert_int_equal(hdr_of(&a)->status, IB_SMP_DIRECTION);
	assert_int_equal(((const struct ib_smp *)hdr_of(&a))->hop_ptr, 0);
	assert_string_equal(((const struct ib_smp *)hdr_of(&a))->data, "host-0");
	detach_client(&a);
}

static void mads_send__switch_answers(void **state)
{
	struct attach_message m;
	Process a;

	(void)state;
	attach_client(&a, "host-0");
	m = smp_message(&a, 1, 0x11);
	put(&a, &m);
	hear_mad(&a, IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(((const struct ib_smp *)hdr_of(&a))->data[2], SUBNET_SWITCH);
	detach_client(&a);
}

static void mads_send__another_process_answers(void **state)
{
	struct attach_message m;
	Process a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-1");
	assert_int_equal(add_agent(&b, 1, IB_MGMT_METHOD_GET), 0);
	m = mad_message(&a, lid_of(&b), CLASS, IB_MGMT_METHOD_GET);
	put(&a, &m);
	hear_mad(&b, IB_MGMT_METHOD_GET);
	assert_int_equal(b.m.mad.mad.slid, lid_of(&a));
	assert_memory_equal(b.m.mad.mad.data, m.mad.mad.data, SUBNET_MAD_BYTES);
	m = mad_message(&b, lid_of(&a), CLASS, IB_MGMT_METHOD_GET_RESP);
	((struct ib_mad_hdr *)(void *)m.mad.mad.data)->tid = hdr_of(&b)->tid;
	put(&b, &m);
	hear_mad(&a, IB_MGMT_METHOD_GET_RESP);
	detach_client(&a);
	detach_client(&b);
}

static void mads_send__nobody_is_unsupported(void **state)
{
	struct attach_message m;
	Process a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-1");
	m = mad_message(&a, lid_of(&b), CLASS, IB_MGMT_METHOD_GET);
	put(&a, &m);
	hear_mad(&a, IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(be16_to_cpu(hdr_of(&a)->status),
			 IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	m = smp_message(&a, 0, 0x7777);
	put(&a, &m);
	hear_mad(&a, IB_MGMT_METHOD_GET_RESP);
	assert_true(hdr_of(&a)->status & ~IB_SMP_DIRECTION);
	detach_client(&a);
	detach_client(&b);
}

/* SMInfo of a port with a manager is an agent's, of whichever process. */
static void mads_send__port_itself_has_agents(void **state)
{
	struct attach_message m = {.type = ATTACH_AGENT};
	Process a, b;
	int slot;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-0");
	slot = directory_slot(a.directory, a.directory->process[a.id].host, 0, 0);
	subnet_set_cap_mask(server_subnet(server), server_subnet_at(server, (uint32_t)slot),
			    IB_PORT_SM, 0);
	m.agent.is = (struct attach_agent){.hi_tid = hi_tid(&b, 1),
					   .mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE,
					   .class_version = SM_CLASS_VERSION};
	m.agent.is.methods[0] = 1ull << IB_MGMT_METHOD_GET;
	put(&b, &m);
	hear_next(&b);
	assert_int_equal(b.m.type, ATTACH_AGENT_IS);
	assert_int_equal(b.m.status, 0);
	m = smp_message(&a, 0, 0x20);
	put(&a, &m);
	hear_mad(&b, IB_MGMT_METHOD_GET);
	assert_memory_equal(b.m.mad.mad.data, m.mad.mad.data, SUBNET_MAD_BYTES);
	m = smp_message(&b, 0, 0x20);
	((struct ib_smp *)(void *)m.mad.mad.data)->method = IB_MGMT_METHOD_GET_RESP;
	((struct ib_smp *)(void *)m.mad.mad.data)->status = IB_SMP_DIRECTION;
	((struct ib_smp *)(void *)m.mad.mad.data)->hop_ptr = 0;
	((struct ib_smp *)(void *)m.mad.mad.data)->tid = hdr_of(&b)->tid;
	put(&b, &m);
	hear_mad(&a, IB_MGMT_METHOD_GET_RESP);
	detach_client(&a);
	detach_client(&b);
}

static void mads_send__firmware_answers_for_hosts(void **state)
{
	struct attach_message m;
	Process a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-1");
	m = mad_message(&a, lid_of(&b), IB_MGMT_CLASS_PERF_MGMT, IB_MGMT_METHOD_GET);
	((struct ib_mad_hdr *)(void *)m.mad.mad.data)->attr_id = cpu_to_be16(1);
	put(&a, &m);
	hear_mad(&a, IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(hdr_of(&a)->status, 0);
	detach_client(&a);
	detach_client(&b);
}

static void mads_send__nonsense(void **state)
{
	const uint8_t neither = 2;
	struct attach_message m;
	Process a;

	(void)state;
	attach_client(&a, "host-0");
	m = mad_message(&a, 1, CLASS, IB_MGMT_METHOD_GET);
	m.mad.mad.dest_qpn = 77;
	put(&a, &m);
	m = mad_message(&a, 1, CLASS, IB_MGMT_METHOD_GET);
	m.mad.mad.src_qpn = 0x123456; /* not its own */
	put(&a, &m);
	say(&a, ATTACH_TAKE_BLOCK, 0);
	hear_next(&a);
	assert_int_equal(a.m.type, ATTACH_BLOCK);
	assert_int_equal(__atomic_load_n(&server->mads.lost, __ATOMIC_RELAXED), 2);
	m.mad.port = 1;
	put(&a, &m);
	is_hung_up_on(&a);
	attach_client(&a, "host-0");
	m = mad_message(&a, 1, CLASS, IB_MGMT_METHOD_GET);
	memcpy(&m.mad.mad.has_grh, &neither, 1);
	put(&a, &m);
	is_hung_up_on(&a);
}

/* For who does not read there is room for some, and it is not hung up on. */
static void mads_deliver__is_bounded(void **state)
{
	struct attach_message m;
	const uint32_t sent = MADS_OWED + 1024;
	uint32_t count = 0;
	Process a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-1");
	assert_int_equal(add_agent(&b, 1, IB_MGMT_METHOD_SEND), 0);
	m = mad_message(&a, lid_of(&b), CLASS, IB_MGMT_METHOD_SEND);
	for (uint32_t i = 0; i < sent; i++)
		put(&a, &m);
	say(&a, ATTACH_TAKE_BLOCK, 0);
	hear_next(&a);
	say(&b, ATTACH_TAKE_BLOCK, 0);
	for (b.m.type = ATTACH_MAD; b.m.type == ATTACH_MAD; count++)
		hear_next(&b);
	count--;
	assert_in_range(count, MADS_OWED, sent - 1);
	assert_in_range(__atomic_load_n(&server->mads.lost, __ATOMIC_RELAXED), 1, sent - count);
	put(&a, &m);
	hear_mad(&b, IB_MGMT_METHOD_SEND);
	detach_client(&a);
	detach_client(&b);
}

static void mads_bad_key__is_counted(void **state)
{
	struct attach_message m;
	Process a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-1");
	m = mad_message(&b, lid_of(&a), 0, 0);
	m.type = ATTACH_BAD_KEY;
	m.mad.qkey = 1;
	put(&a, &m);
	m = smp_message(&a, 0, 0x15);
	put(&a, &m);
	hear_mad(&a, IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(((const struct ib_smp *)hdr_of(&a))->data[QKEY_VIOLATIONS + 1], 1);
	detach_client(&a);
	detach_client(&b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_pair, stop_pair)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(mads_agent__method_is_one_process_s),
		TEST(mads_agent__ends_with_its_process),
		TEST(mads_agent__nonsense),
		cmocka_unit_test_setup_teardown(mads_agent__needs_a_topology, start, stop),
		TEST(mads_send__own_port_answers),
		TEST(mads_send__switch_answers),
		TEST(mads_send__another_process_answers),
		TEST(mads_send__nobody_is_unsupported),
		TEST(mads_send__port_itself_has_agents),
		TEST(mads_send__firmware_answers_for_hosts),
		TEST(mads_send__nonsense),
		TEST(mads_deliver__is_bounded),
		TEST(mads_bad_key__is_counted),
	};

	return verbena_test_main(tests);
}
