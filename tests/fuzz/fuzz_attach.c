// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What a process may hear from a daemon: answers nobody has asked for, peers without memory, messages
 * cut off or in any order. The input is a list of steps as for fuzz_daemon; the daemon's next one is the
 * fuzzer's concern, so the file that looks for it is left out.
 */
#include "attach/client.c"

#include <stdlib.h>

#include "attach/messages.h"

#define STEPS 64u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum step {
	STEP_SAY, /* thrice: it is what most depends on */
	STEP_SAY_TOO,
	STEP_SAY_ALSO,
	STEP_BYTES,
	STEP_PUMP,
	STEP_ASK,
	STEP_HELLO,
	STEP_ACCEPT,
	STEPS_KINDS,
};

static struct attach *a;
static int daemon_end;
static struct wire_shm_peer peers[DIRECTORY_PROCESSES];
static bool accepts;

void attach_again_init(struct attach *attach)
{
	attach->link = attach->told = ATTACH_UP;
}

void attach_again_stop(struct attach *attach)
{
	attach->closing = true;
}

void attach_again_forked(struct attach *attach)
{
	attach->closing = true;
}

int attach_hang_up(struct attach *attach, int err)
{
	attach->link = ATTACH_LOST;
	return err;
}

int attach_give_up(struct attach *attach, const struct base_cause *cause)
{
	INVARIANT(cause);
	attach->link = ATTACH_ALONE;
	return -ECONNREFUSED;
}

int attach_wait_link(struct attach *attach, uint64_t deadline_ns)
{
	(void)deadline_ns;
	return attach->link == ATTACH_UP ? 0 : -ENOTCONN;
}

static void lose_peer(void *ctx, uint32_t id, uint32_t generation)
{
	(void)ctx;
	(void)generation;
	INVARIANT(id < DIRECTORY_PROCESSES);
	attach_unmap_peer(&peers[id]);
	peers[id] = (struct wire_shm_peer){.wake_fd = -1, .mem_fd = -1};
}

/* What is handed to the wire it uses as it is. */
static bool keep_peer(void *ctx, const struct wire_shm_peer *peer)
{
	const uint64_t one = 1;

	(void)ctx;
	if (!accepts)
		return false;
	INVARIANT(peer->id < DIRECTORY_PROCESSES && peer->pair && peer->control);
	lose_peer(NULL, peer->id, 0);
	peers[peer->id] = *peer;
	INVARIANT(write(peer->wake_fd, &one, sizeof(one)) == sizeof(one));
	INVARIANT(!peer->keys == !peer->key_count);
	for (size_t i = 0; i < peer->key_count * (size_t)SHM_KEY_BYTES; i++)
		(void)((const volatile uint8_t *)peer->keys)[i];
	return true;
}

static void hear_port(void *ctx, uint32_t hca, uint32_t port, uint32_t what, bool up)
{
	(void)ctx;
	(void)what;
	(void)up;
	INVARIANT(hca < DIRECTORY_HCAS && port < DIRECTORY_PORTS);
}

static void hear_link(void *ctx, bool up)
{
	(void)ctx;
	INVARIANT(!up);
}

static void hear_mad(void *ctx, uint32_t hca, uint32_t port, const struct subnet_mad *mad)
{
	(void)ctx;
	INVARIANT(hca < DIRECTORY_HCAS && port < DIRECTORY_PORTS);
	INVARIANT((uint8_t)mad->has_grh <= 1);
}

static void meet_nobody(void *ctx, uint32_t id)
{
	(void)ctx;
	INVARIANT(id < DIRECTORY_PROCESSES);
}

static void known(void *ctx, uint64_t ids[DIRECTORY_PROCESSES / 64])
{
	(void)ctx;
	memset(ids, 0xff, DIRECTORY_PROCESSES / 8);
}

static void make_attach(void)
{
	static const struct attach_config config = {.peer = keep_peer,
						    .gone = lose_peer,
						    .missed = meet_nobody,
						    .link = hear_link,
						    .port = hear_port,
						    .mad = hear_mad,
						    .known = known};
	static const struct directory_hca hca[DIRECTORY_HCAS];
	int sv[2];

	a = base_zalloc(sizeof(*a));
	INVARIANT(a && !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv));
	a->config = config;
	a->config.hca = hca;
	a->socket = sv[0];
	daemon_end = sv[1];
	a->control_fd = a->wake_fd = a->keys_fd = -1;
	a->last = &a->first;
	spin_lock_init(&a->kept_lock);
	pthread_mutex_init(&a->lock, NULL);
	attach_agents_init(a);
	attach_again_init(a);
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		peers[id] = (struct wire_shm_peer){.wake_fd = -1, .mem_fd = -1};
}

/* The daemon answers at once, after whatever it has said before. */
static void ask_one(uint8_t which)
{
	struct attach_message m;
	struct base_traffic traffic;
	const struct attach_agent agent = {.hi_tid = which / 12};
	const uint8_t gid[16] = {0xff};
	uint32_t first_qpn;

	messages_fill(&m, ATTACH_DONE);
	m.serial = a->serial + 1;
	m.status = which / 3 ? -(which / 3) : 0;
	messages_send_with(daemon_end, &m, sizeof(m), messages_fd, which % 2);
	if (which % 6 == 0)
		(void)attach_take_block(a, &first_qpn);
	else if (which % 6 == 1)
		(void)attach_join(a, gid);
	else if (which % 6 == 2)
		(void)attach_set_link(a, which, which, false);
	else if (which % 6 == 3)
		(void)attach_traffic(a, which, which, &traffic);
	else if (which % 6 == 4)
		(void)attach_add_agent(a, &agent);
	else
		attach_remove_agent(a, agent.hi_tid);
}

/* A first hello, or that of one who was attached already; it is answered by what comes next. */
static void greet(struct messages *in)
{
	const int control_fd = a->control_fd, wake_fd = a->wake_fd, keys_fd = a->keys_fd;

	if (attach_socket(a) < 0)
		return;
	a->control_fd = messages_fd[FD_CONTROL];
	a->wake_fd = messages_fd[FD_WAKE];
	a->keys_fd = messages_fd[FD_KEYS];
	messages_send(in, daemon_end);
	(void)attach_hello(a, a->socket);
	a->control_fd = control_fd;
	a->wake_fd = wake_fd;
	a->keys_fd = keys_fd;
}

/* What we have said is of no interest. */
static void drain(void)
{
	struct attach_message m;
	int fds[ATTACH_FDS];

	while (!attach_receive(daemon_end, &m, fds))
		attach_close_all(fds);
}

static void take_step(struct messages *in)
{
	const uint8_t what = messages_byte(in);

	switch ((enum step)(what % STEPS_KINDS)) {
	case STEP_SAY:
	case STEP_SAY_TOO:
	case STEP_SAY_ALSO:
		messages_send(in, daemon_end);
		break;
	case STEP_BYTES:
		messages_send_bytes(in, daemon_end);
		break;
	case STEP_PUMP:
		attach_pump(a, true);
		break;
	case STEP_ASK:
		ask_one(what / STEPS_KINDS);
		break;
	case STEP_HELLO:
		greet(in);
		break;
	case STEP_ACCEPT:
		accepts = what / STEPS_KINDS % 4 != 0;
		break;
	case STEPS_KINDS:
		break;
	}
	drain();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct messages in = {bytes, count};
	int first_free;

	if (!messages_shown)
		messages_init();
	first_free = messages_first_free_fd();
	accepts = true;
	make_attach();
	for (unsigned int i = 0; i < STEPS && in.count; i++)
		take_step(&in);
	attach_pump(a, true);
	attach_close(a);
	close(daemon_end);
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		lose_peer(NULL, id, 0);
	INVARIANT(messages_first_free_fd() == first_free);
	return 0;
}
