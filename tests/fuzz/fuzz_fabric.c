// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What people may want of a fabric that has a topology, and what its daemon may find of what is broken in it. The
 * input is a list of commands: what, a node, a port, a value of two bytes, and what is written where in the
 * message besides; one of them is the rest of the input as the file that a daemon has left.
 */
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>

#include "attach/messages.h"
#include "base/check.h"
#include "daemon/server.c"
#include "fabric/topology.h"

#define STEPS 32u
#define LOAD (ATTACH_FABRIC_DOWN + 2u)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static struct server *s;
static char dir[] = "/tmp/verbena-fuzz-XXXXXX";

static void remove_all(void)
{
	topology_forget(s->path);
	(void)rmdir(dir);
}

static char *make_text(void)
{
	struct topology *pair = topology_pair();
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	INVARIANT(pair && out);
	topology_write(pair, NULL, NULL, out);
	INVARIANT(!fclose(out));
	topology_free(pair);
	return text;
}

/* Its subnet is there all the time: it is mended after each input. */
static void init_once(void)
{
	char *text;

	if (s)
		return;
	messages_init();
	(void)signal(SIGPIPE, SIG_IGN); /* as in main.c */
	s = calloc(1, sizeof(*s));
	INVARIANT(s);
	s->directory = calloc(1, sizeof(*s->directory));
	INVARIANT(s->directory && mkdtemp(dir));
	snprintf(s->path, sizeof(s->path), "%s/fuzz.sock", dir);
	s->config.fabric = "fuzz";
	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	directory_init(s->directory, 0, MESSAGES_INCARNATION);
	s->directory->managed = 1;
	text = make_text();
	INVARIANT(!open_subnet(s, text));
	free(text);
	(void)atexit(remove_all);
}

/* A node that there is, by each of its names, or one that there is not. */
static const char *node_of(uint8_t byte)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	static const char *const others[] = {"", "nobody", "host", " "};
	const uint32_t n = byte % (2 * plan->count + 4);

	if (n < plan->count)
		return plan->node[n].config.description;
	if (n < 2 * plan->count)
		return plan->node[n - plan->count].name;
	return others[n - 2 * plan->count];
}

static void check_answer(int fd)
{
	struct attach_message m;
	int fds[ATTACH_FDS];
	json_t *all;

	while (!attach_receive(fd, &m, fds)) {
		INVARIANT(m.type == ATTACH_DONE || m.type == ATTACH_FABRIC_IS);
		INVARIANT(m.type != ATTACH_DONE || !m.status == !m.cause.id);
		if (m.type == ATTACH_FABRIC_IS) {
			INVARIANT(fds[0] >= 0 && !lseek(fds[0], 0, SEEK_SET));
			all = json_loadfd(fds[0], 0, NULL);
			INVARIANT(json_is_array(json_object_get(all, "nodes")));
			json_decref(all);
		}
		attach_close_all(fds);
	}
}

static void ask(struct attach_message *m)
{
	int sv[2];

	INVARIANT(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sv));
	INVARIANT(add_client(s, sv[1], getpid()));
	messages_send_with(sv[0], m, sizeof(*m), NULL, 0);
	if (!serve(s, s->clients[0]))
		s->clients[0]->broken = true;
	check_answer(sv[0]);
	close(sv[0]);
	remove_client(s, 0);
	s->down = false;
	server_run_later(s);
}

static void command(struct messages *in, enum attach_fabric what)
{
	struct attach_message m = {.magic = 0};
	uint8_t changes;

	m.fabric.what = what;
	snprintf(m.fabric.node, sizeof(m.fabric.node), "%s", node_of(messages_byte(in)));
	m.fabric.port = messages_byte(in) % 12u;
	m.fabric.value = messages_byte(in) | (uint64_t)messages_byte(in) << 12;
	changes = messages_byte(in);
	messages_change(in, &m, changes % 8);
	m.magic = ATTACH_MAGIC;
	m.version = ATTACH_VERSION;
	m.type = ATTACH_FABRIC;
	ask(&m);
}

/* Each cable that something is wrong with is there, and known once. */
static void check(void)
{
	const struct server_subnet *n = s->subnet;

	for (uint32_t i = 0; i < n->cables; i++) {
		const struct server_cable *cable = &n->cable[i];

		INVARIANT(broken_find(s, cable->node, cable->port) == cable);
		INVARIANT(cable->cut || cable->faults.loss_ppm || cable->faults.delay_ns);
	}
	INVARIANT(s->count == 0);
}

static void load(struct messages *in)
{
	const struct topology_path path = topology_path(s->path, TOPOLOGY_BROKEN);
	FILE *out = fopen(path.text, "we");

	INVARIANT(out);
	(void)fwrite(in->at, 1, in->count, out);
	INVARIANT(!fclose(out));
	in->count = 0;
	broken_load(s);
}

static void mend_all(void)
{
	struct server_subnet *n = s->subnet;
	const struct topology *plan = device_managed_plan(n->managed);

	while (n->cables)
		INVARIANT(!broken_set_cable(s, plan->node[n->cable[0].node].name, n->cable[0].port,
					    ATTACH_FABRIC_MEND, 0));
	for (uint32_t i = 0; n->killed && i < plan->count; i++)
		n->killed[i] = false;
	for (uint32_t i = 0; i < plan->count; i++)
		for (uint32_t port = 1; port <= plan->node[i].config.ports; port++)
			broken_apply(s, i, (uint8_t)port);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct messages in = {bytes, count};
	int first_free;

	init_once();
	first_free = messages_first_free_fd();
	for (unsigned int i = 0; i < STEPS && in.count; i++) {
		const uint32_t what = messages_byte(&in) % (LOAD + 1);

		if (what == LOAD)
			load(&in);
		else
			command(&in, (enum attach_fabric)what);
		check();
	}
	mend_all();
	server_run_later(s);
	INVARIANT(messages_first_free_fd() == first_free);
	return 0;
}
