// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What processes may say of agents and MADs to a daemon whose fabric is a subnet. The input is a list of steps: what and
 * who, a byte; and the bytes of the message's own part, with a length before. What comes out has to make sense.
 */
#include "daemon/mads.c"

#include <rdma/ib_verbs.h>

#include "base/check.h"

#define STEPS 256u
#define PROCESSES 3u /* the first two on one host */
#define HOSTS 2u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum step {
	STEP_AGENT, /* twice: it is what most depends on */
	STEP_AGENT_TOO,
	STEP_GONE,
	STEP_MAD, /* thrice */
	STEP_MAD_TOO,
	STEP_MAD_ALSO,
	STEP_KEY,
	STEP_DEATH,
	STEP_LATER,
	STEPS_KINDS,
};

struct input {
	const uint8_t *at;
	size_t count;
};

static struct server *s;
static struct directory *directory;
static struct subnet *subnet;
static struct subnet_at at[HOSTS]; /* by slot */
static struct client clients[PROCESSES];
static struct later *queued;

struct subnet *server_subnet(const struct server *server)
{
	INVARIANT(server == s);
	return subnet;
}

struct subnet_at server_subnet_at(const struct server *server, uint32_t slot)
{
	INVARIANT(server == s && slot < HOSTS);
	return at[slot];
}

void server_later(struct server *server, struct later *later)
{
	INVARIANT(server == s && !queued);
	queued = later;
}

/* What a process hears. */
void client_send(struct client *c, struct attach_message *m, const int *fds, unsigned int count)
{
	INVARIANT(c->attached && !fds && !count);
	if (m->type == ATTACH_MAD)
		INVARIANT(attach_is_mad(m) && m->mad.hca == 0 && m->mad.port == 0);
	else
		INVARIANT(m->type == ATTACH_AGENT_IS || m->type == ATTACH_DONE);
}

static bool deliver(void *ctx, struct subnet_at where, const struct subnet_mad *mad)
{
	(void)ctx;
	for (uint32_t slot = 0; slot < HOSTS; slot++)
		if (where.node == at[slot].node)
			return mads_deliver(s, slot, mad);
	return false;
}

static void changed(void *ctx, struct subnet_at where, uint32_t what)
{
	(void)ctx;
	INVARIANT(where.node < HOSTS && what);
}

static const struct subnet_ops ops = {.deliver = deliver, .changed = changed};

static uint8_t take(struct input *in)
{
	if (!in->count)
		return 0;
	in->count--;
	return *in->at++;
}

static void add_host(uint32_t slot)
{
	const struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 1};
	const struct directory_hca hca = {.ports = 1};
	char name[8] = {'h', (char)('0' + slot)};
	const int host = directory_add_host(directory, name);

	INVARIANT(host >= 0 && !directory_add_hca(directory, (uint32_t)host, 0, &hca));
	INVARIANT(directory_slot(directory, (uint32_t)host, 0, 0) == (int)slot);
	INVARIANT(!subnet_add_node(subnet, &ca, &at[slot].node));
	at[slot].port = 1;
	subnet_set_lid(subnet, at[slot], (uint16_t)(slot + 1), 0);
}

/* As a manager does it. */
static void set_state(uint32_t slot, uint8_t state)
{
	struct subnet_mad mad = {.slid = SUBNET_PERMISSIVE_LID, .dlid = SUBNET_PERMISSIVE_LID}, out;
	struct ib_smp *smp = (struct ib_smp *)(void *)mad.data;

	smp->base_version = smp->class_version = 1;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->method = IB_MGMT_METHOD_GET;
	smp->attr_id = IB_SMP_ATTR_PORT_INFO;
	smp->hop_ptr = 1;
	smp->dr_slid = smp->dr_dlid = IB_LID_PERMISSIVE;
	(void)subnet_process_mad(subnet, at[slot], IB_MAD_IGNORE_MKEY, &mad, &out);
	memcpy(smp->data, ((const struct ib_smp *)(const void *)out.data)->data, sizeof(smp->data));
	smp->method = IB_MGMT_METHOD_SET;
	smp->data[32] = (uint8_t)((smp->data[32] & 0xf0) | state);
	smp->data[33] &= 0xf;
	(void)subnet_process_mad(subnet, at[slot], IB_MAD_IGNORE_MKEY, &mad, &out);
}

/* Two adapters at one cable: a MAD that leaves one arrives at the other. */
static void plug_in(void)
{
	struct subnet_port_view view;

	INVARIANT(!subnet_connect(subnet, at[0], at[1]));
	for (uint32_t slot = 0; slot < HOSTS; slot++)
		set_state(slot, IB_PORT_ARMED);
	for (uint32_t slot = 0; slot < HOSTS; slot++)
		set_state(slot, IB_PORT_ACTIVE);
	for (uint32_t slot = 0; slot < HOSTS; slot++)
		INVARIANT(!subnet_query_port(subnet, at[slot], &view) &&
			  view.state == IB_PORT_ACTIVE && view.lid == slot + 1);
}

static void attach(unsigned int who)
{
	const int id = directory_add_process(directory, who / 2, 1, 0);

	INVARIANT(id >= 0);
	clients[who] = (struct client){.attached = true, .id = (uint32_t)id};
	s->process[id].client = &clients[who];
}

static void make(void)
{
	directory_init(directory, 0, 1);
	s->directory = directory;
	s->subnet = (struct server_subnet *)(void *)directory; /* there is one */
	subnet = subnet_new(&ops, NULL);
	INVARIANT(subnet && !mads_open(s));
	for (uint32_t slot = 0; slot < HOSTS; slot++)
		add_host(slot);
	plug_in();
	for (unsigned int who = 0; who < PROCESSES; who++)
		attach(who);
}

/* Of a message's own part, as much as the input says. */
static void fill(struct input *in, struct attach_message *m, size_t bytes)
{
	uint8_t *part = (uint8_t *)&m->agent;
	size_t given = take(in) | (size_t)take(in) << 8;

	given = given < bytes ? given : bytes;
	for (size_t i = 0; i < given; i++)
		part[i] = take(in);
}

static struct attach_message agent_message(struct input *in, const struct client *c)
{
	struct attach_message m = {.type = ATTACH_AGENT};

	m.agent.is = (struct attach_agent){.qpn = 1, .mgmt_class = 0x32, .methods = {2}};
	fill(in, &m, sizeof(m.agent));
	if (take(in) % 4) /* or it would seldom be its own */
		m.agent.is.hi_tid = c->id << ATTACH_TID_BITS | (1 + take(in) % 8);
	return m;
}

static struct attach_message mad_message(struct input *in)
{
	struct attach_message m = {.type = ATTACH_MAD};
	struct subnet_mad *mad = &m.mad.mad;

	fill(in, &m, sizeof(m.mad));
	if (take(in) % 4 == 0)
		return m;
	m.mad.hca = m.mad.port = 0;
	mad->pkey = 0xffff;
	mad->data[0] = 1;
	mad->src_qpn = mad->dest_qpn = take(in) % 2;
	mad->qkey = IB_QP1_QKEY;
	if (mad->dest_qpn)
		return m;
	mad->data[1] = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	mad->slid = mad->dlid = SUBNET_PERMISSIVE_LID;
	memset(mad->data + 32, 0xff, 4);
	return m;
}

static void run_later(void)
{
	struct later *later = queued;

	queued = NULL;
	if (later)
		later->run(s, later);
}

static void die(struct client *c)
{
	mads_gone(s, c->id);
	directory_remove_process(directory, c->id);
	s->process[c->id].client = NULL;
	attach((unsigned int)(c - clients));
}

static void take_step(struct input *in)
{
	const uint8_t what = take(in);
	struct client *c = &clients[what / STEPS_KINDS % PROCESSES];
	struct attach_message m;
	bool stays = true;

	switch ((enum step)(what % STEPS_KINDS)) {
	case STEP_AGENT:
	case STEP_AGENT_TOO:
		m = agent_message(in, c);
		stays = mads_agent(s, c, &m);
		break;
	case STEP_GONE:
		m = agent_message(in, c);
		stays = mads_agent_gone(s, c, &m);
		break;
	case STEP_MAD:
	case STEP_MAD_TOO:
	case STEP_MAD_ALSO:
		m = mad_message(in);
		stays = mads_send(s, c, &m);
		break;
	case STEP_KEY:
		m = mad_message(in);
		stays = mads_bad_key(s, c, &m);
		break;
	case STEP_DEATH:
		stays = false;
		break;
	case STEP_LATER:
		run_later();
		break;
	case STEPS_KINDS:
		break;
	}
	if (!stays)
		die(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct input in = {bytes, count};

	s = base_zalloc(sizeof(*s));
	directory = base_zalloc(sizeof(*directory));
	INVARIANT(s && directory);
	queued = NULL;
	make();
	for (unsigned int i = 0; i < STEPS && in.count; i++)
		take_step(&in);
	subnet_free(subnet);
	mads_close(s);
	base_free(directory);
	base_free(s);
	return 0;
}
