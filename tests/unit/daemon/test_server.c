// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The daemon, in a thread, with clients that behave and others that do not. */
#include "daemon/server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server_fixture.h"

static void hello__hosts_and_processes(void **state)
{
	struct client a, b, c;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	attach_client(&c, "alpha");
	assert_int_not_equal(a.id, c.id);
	assert_int_equal(a.directory->process[a.id].host, a.directory->process[c.id].host);
	assert_int_not_equal(a.directory->process[a.id].host, a.directory->process[b.id].host);
	assert_int_equal(a.directory->process[b.id].pid, getpid());
	detach_client(&a);
	detach_client(&b);
	detach_client(&c);
}

static void introduce__both_get_the_same_memory(void **state)
{
	struct shm_pair *pairs[2];
	struct client a, b;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	say(&a, ATTACH_INTRODUCE, b.id);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_PEER);
	assert_int_equal(a.m.peer.id, b.id);
	assert_int_equal(hear(&b), 0);
	assert_int_equal(b.m.peer.id, a.id);
	pairs[0] = attach_map(a.fds[0], sizeof(struct shm_pair), true);
	pairs[1] = attach_map(b.fds[0], sizeof(struct shm_pair), true);
	assert_non_null(pairs[0]);
	assert_non_null(pairs[1]);
	pairs[0]->ring[0].tail = 64;
	assert_int_equal(pairs[1]->ring[0].tail, 64);
	munmap(pairs[0], sizeof(*pairs[0]));
	munmap(pairs[1], sizeof(*pairs[1]));
	/* Once is enough: the next thing that a hears is the answer to a question. */
	say(&b, ATTACH_INTRODUCE, a.id);
	say(&a, ATTACH_INTRODUCE, a.id);
	say(&a, ATTACH_TAKE_BLOCK, 0);
	attach_close_all(a.fds);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_BLOCK);
	detach_client(&a);
	detach_client(&b);
}

static void missed__lets_both_begin_anew(void **state)
{
	struct attach_message m = {.type = ATTACH_MISSED};
	struct client a, b;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	for (int i = 0; i < 2; i++) {
		say(&a, ATTACH_INTRODUCE, b.id);
		assert_int_equal(hear(&a), 0);
		assert_int_equal(a.m.type, ATTACH_PEER);
		assert_int_equal(hear(&b), 0);
		assert_int_equal(b.m.type, ATTACH_PEER);
		attach_close_all(a.fds);
		attach_close_all(b.fds);
		m.peer = a.m.peer;
		m.peer.generation++; /* of another life */
		assert_int_equal(attach_send(a.fd, &m, NULL, 0), 0);
		m.peer.generation--;
		assert_int_equal(attach_send(a.fd, &m, NULL, 0), 0);
		assert_int_equal(attach_send(a.fd, &m, NULL, 0), 0); /* once is enough */
		assert_int_equal(hear(&b), 0);
		assert_int_equal(b.m.type, ATTACH_GONE);
		assert_int_equal(b.m.peer.id, a.id);
	}
	say(&b, ATTACH_TAKE_BLOCK, 0);
	assert_int_equal(hear(&b), 0);
	assert_int_equal(b.m.type, ATTACH_BLOCK);
	detach_client(&a);
	detach_client(&b);
}

static void gone__is_told_to_who_knew_it(void **state)
{
	struct client a, b;
	uint32_t id;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	say(&a, ATTACH_INTRODUCE, b.id);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(hear(&b), 0);
	attach_close_all(a.fds);
	id = b.id;
	detach_client(&b);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_GONE);
	assert_int_equal(a.m.peer.id, id);
	assert_int_equal(a.directory->process[id].state, DIRECTORY_DEAD);
	say(&a, ATTACH_INTRODUCE, id); /* once more, to who asks */
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_GONE);
	assert_int_equal(a.m.peer.id, id);
	detach_client(&a);
}

static void block__taken(void **state)
{
	struct client a, b;
	uint32_t first;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	say(&a, ATTACH_TAKE_BLOCK, 0);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.serial, 5);
	assert_int_equal(a.m.status, 0);
	first = a.m.block.first_qpn;
	say(&b, ATTACH_TAKE_BLOCK, 0);
	assert_int_equal(hear(&b), 0);
	assert_int_equal(b.m.status, 0);
	assert_int_not_equal(b.m.block.first_qpn, first);
	assert_int_equal(directory_find(a.directory, 0, 1, first), (int)a.id);
	detach_client(&a);
	detach_client(&b);
}

static void expect_hang_up(struct client *c)
{
	assert_int_equal(hear(c), -ECONNRESET);
	detach_client(c);
}

static void nonsense__is_hung_up_on(void **state)
{
	static const uint32_t types[] = {ATTACH_TAKE_BLOCK, ATTACH_WELCOME, 0, 999};
	struct client c;

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		connect_client(&c);
		say(&c, types[i], 0);
		expect_hang_up(&c);
	}
	connect_client(&c);
	say(&c, ATTACH_HELLO, 0); /* without descriptors */
	expect_hang_up(&c);
	connect_client(&c);
	assert_int_equal(send(c.fd, "hello", 5, 0), 5);
	expect_hang_up(&c);
	attach_client(&c, "alpha");
	say(&c, ATTACH_RESOLVE, 0); /* the fabric is one switch */
	expect_hang_up(&c);
	attach_client(&c, "alpha");
	say(&c, ATTACH_INTRODUCE, 1000000);
	expect_hang_up(&c);
	attach_client(&c, "alpha");
	say_hello(&c, "alpha"); /* twice */
	expect_hang_up(&c);
}

static void version__another_one_is_told(void **state)
{
	struct attach_message m = {
		.magic = ATTACH_MAGIC, .version = ATTACH_VERSION + 1, .type = ATTACH_HELLO};
	struct client c;

	(void)state;
	connect_client(&c);
	assert_int_equal(send(c.fd, &m, sizeof(m), 0), sizeof(m));
	assert_int_equal(hear(&c), 0);
	assert_int_equal(c.m.type, ATTACH_REFUSED);
	assert_int_equal(c.m.cause.id, BASE_CAUSE_ATTACH_OTHER_VERSION);
	assert_int_equal(c.m.cause.arg[0], ATTACH_VERSION);
	assert_int_equal(c.m.cause.arg[1], ATTACH_VERSION + 1);
	expect_hang_up(&c);
}

/* A daemon ends while processes are attached, and another one begins. */
static void change_daemons(void)
{
	stop_server();
	assert_int_equal(start_server(), 0);
}

static struct attach_message claim_of(const struct client *c)
{
	struct attach_message m = {.type = 0};

	m.hello.incarnation = c->directory->incarnation;
	m.hello.id = c->id;
	m.hello.generation = c->generation;
	return m;
}

static void claim(struct client *c, struct attach_message *m)
{
	assert_int_equal(hear(c), -ECONNRESET);
	close(c->fd);
	c->fd = attach_connect("test");
	assert_true(c->fd >= 0);
	send_hello(c, m, "any");
	assert_int_equal(hear(c), 0);
}

static void expect_refusal(struct attach_message *m, unsigned int cause)
{
	struct client c;

	connect_client(&c);
	send_hello(&c, m, "any");
	assert_int_equal(hear(&c), 0);
	assert_int_equal(c.m.type, ATTACH_REFUSED);
	assert_int_equal(c.m.cause.id, cause);
	expect_hang_up(&c);
}

/* Who comes when all places are taken is told so, and the status is to be had. */
static void hello__one_too_many(void **state)
{
	static struct client c[DIRECTORY_PROCESSES];
	struct attach_message m = {.hello.hca[0].ports = 1};
	struct rlimit before, raised;
	struct client late;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	raised = (struct rlimit){before.rlim_max, before.rlim_max};
	if (raised.rlim_cur < 7 * DIRECTORY_PROCESSES)
		skip(); /* client and daemon are one process here */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &raised), 0);
	for (uint32_t i = 0; i < DIRECTORY_PROCESSES; i++) {
		connect_client(&c[i]);
		say_hello(&c[i], "alpha");
		assert_int_equal(hear(&c[i]), 0);
		assert_int_equal(c[i].m.type, ATTACH_WELCOME);
		attach_close_all(c[i].fds);
	}
	expect_refusal(&m, BASE_CAUSE_ATTACH_FULL);
	connect_client(&late);
	say(&late, ATTACH_STATUS, 0);
	assert_int_equal(hear(&late), 0);
	assert_int_equal(late.m.type, ATTACH_STATUS_IS);
	attach_close_all(late.fds);
	close(c[7].fd);
	say(&late, ATTACH_STATUS, 0); /* once it is answered that one is gone */
	assert_int_equal(hear(&late), 0);
	detach_client(&late);
	attach_client(&late, "alpha");
	detach_client(&late);
	for (uint32_t i = 0; i < DIRECTORY_PROCESSES; i++)
		if (i != 7)
			close(c[i].fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* Who had to wait for too long has said it once more, over another connection. */
static void successor__who_has_hung_up_is_not_taken_over(void **state)
{
	const struct server_config config = {.fabric = "test", .idle_ms = -1};
	struct attach_message m;
	struct client a, early;
	int err;

	(void)state;
	attach_client(&a, "alpha");
	m = claim_of(&a);
	stop_server();
	server = server_new(&config, &err); /* listens, and does not serve yet */
	assert_non_null(server);
	connect_client(&early);
	send_hello(&early, &m, "any");
	detach_client(&early);
	assert_int_equal(pthread_create(&thread, NULL, serve, server), 0);
	m = claim_of(&a);
	claim(&a, &m);
	assert_int_equal(a.m.type, ATTACH_WELCOME);
	assert_int_equal(a.m.welcome.id, a.id);
	detach_client(&a);
}

static void successor__processes_are_who_they_were(void **state)
{
	struct attach_message m;
	struct client a, b;
	uint32_t first;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	say(&b, ATTACH_TAKE_BLOCK, 0);
	assert_int_equal(hear(&b), 0);
	first = b.m.block.first_qpn;
	say(&b, ATTACH_JOIN, 0);
	assert_int_equal(hear(&b), 0);
	change_daemons();
	m = claim_of(&b);
	claim(&b, &m);
	assert_int_equal(b.m.type, ATTACH_WELCOME);
	assert_int_equal(b.m.welcome.id, b.id);
	attach_close_all(b.fds);
	/* What a has mapped is what the successor writes. */
	assert_int_equal(directory_find(a.directory, 0, a.directory->fabric.ports[1].config.lid,
					first),
			 (int)b.id);
	expect_refusal(&m, BASE_CAUSE_ATTACH_CLAIM_TAKEN);
	m = claim_of(&a);
	m.hello.generation++;
	expect_refusal(&m, BASE_CAUSE_ATTACH_CLAIM_DEAD);
	m = claim_of(&a);
	m.hello.incarnation++;
	expect_refusal(&m, BASE_CAUSE_ATTACH_CLAIM_UNKNOWN);
	m = claim_of(&a);
	claim(&a, &m);
	assert_int_equal(a.m.welcome.id, a.id);
	attach_close_all(a.fds);
	say(&a, ATTACH_TAKE_BLOCK, 0);
	assert_int_equal(hear(&a), 0);
	assert_true(a.m.block.first_qpn != first);
	detach_client(&a);
	detach_client(&b);
}

static void successor__introduces_who_comes_back_later(void **state)
{
	struct attach_message m;
	struct client a, b;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	change_daemons();
	m = claim_of(&a);
	claim(&a, &m);
	attach_close_all(a.fds);
	say(&a, ATTACH_INTRODUCE, b.id);
	m = claim_of(&b);
	claim(&b, &m);
	attach_close_all(b.fds);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_PEER);
	assert_int_equal(hear(&b), 0);
	assert_int_equal(b.m.type, ATTACH_PEER);
	detach_client(&a);
	detach_client(&b);
}

/* The daemon died between telling one and telling the other. */
static void successor__half_a_pair_is_made_anew(void **state)
{
	struct attach_message m;
	struct client a, b;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	change_daemons();
	m = claim_of(&a);
	m.hello.known[b.id / 64] |= 1ull << (b.id % 64);
	claim(&a, &m);
	attach_close_all(a.fds);
	m = claim_of(&b);
	claim(&b, &m);
	attach_close_all(b.fds);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_PEER);
	assert_int_equal(hear(&b), 0);
	assert_int_equal(b.m.type, ATTACH_PEER);
	detach_client(&a);
	detach_client(&b);
}

/* Another program in the same process; and one that died without a daemon. */
static void successor__who_is_gone_is_found_out(void **state)
{
	struct client a, b, c, d;
	struct attach_message m;
	int status;
	pid_t pid;

	(void)state;
	test_skip_in_torture(); /* a child must not fail */
	attach_client(&a, "alpha");
	attach_client(&b, "beta");
	pid = fork();
	if (!pid) {
		attach_client(&c, "gamma");
		_exit((int)c.id);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	change_daemons();
	m = claim_of(&a);
	m.hello.known[b.id / 64] |= 1ull << (b.id % 64);
	m.hello.known[WEXITSTATUS(status) / 64] |= 1ull << (WEXITSTATUS(status) % 64);
	claim(&a, &m);
	attach_close_all(a.fds);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_GONE);
	assert_int_equal(a.m.peer.id, WEXITSTATUS(status));
	attach_client(&d, "beta");
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_GONE);
	assert_int_equal(a.m.peer.id, b.id);
	assert_int_equal(a.directory->process[b.id].state, DIRECTORY_DEAD);
	detach_client(&a);
	detach_client(&b);
	detach_client(&d);
}

/* It ends with a daemon that nobody is attached to. */
static void successor__begins_anew_if_nobody_is_left(void **state)
{
	struct client a, b;

	(void)state;
	attach_client(&a, "alpha");
	connect_client(&b);
	detach_client(&a);
	say(&b, ATTACH_STATUS, 0); /* once it is answered a is gone, too */
	assert_int_equal(hear(&b), 0);
	detach_client(&b);
	change_daemons();
	attach_client(&b, "beta");
	assert_int_equal(directory_find_host(b.directory, "alpha"), -ENOENT);
	detach_client(&b);
}

static unsigned int open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* The daemon is a thread of this process: what it keeps is seen here, memory by the harness. */
static void cycles__leave_nothing(void **state)
{
	struct client a, b;
	unsigned int before;

	(void)state;
	attach_client(&a, "alpha");
	before = open_fds();
	for (int i = 0; i < 1000; i++) {
		attach_client(&b, "beta");
		say(&a, ATTACH_INTRODUCE, b.id);
		assert_int_equal(hear(&a), 0);
		assert_int_equal(a.m.type, ATTACH_PEER);
		attach_close_all(a.fds);
		detach_client(&b);
		assert_int_equal(hear(&a), 0);
		assert_int_equal(a.m.type, ATTACH_GONE);
	}
	while (open_fds() > before)
		sched_yield();
	detach_client(&a);
}

/* What it does not read is kept for it, in order; others are served meanwhile. */
static void owed__to_who_does_not_read(void **state)
{
	struct client a, b, c;
	uint32_t ids[600];

	(void)state;
	attach_client(&a, "alpha");
	for (int i = 0; i < 600; i++) {
		attach_client(&b, "beta");
		ids[i] = b.id;
		say(&b, ATTACH_INTRODUCE, a.id);
		assert_int_equal(hear(&b), 0);
		assert_int_equal(b.m.type, ATTACH_PEER);
		detach_client(&b);
	}
	attach_client(&c, "gamma");
	for (int i = 0; i < 1200; i++) {
		assert_int_equal(hear(&a), 0);
		assert_int_equal(a.m.type, i % 2 ? ATTACH_GONE : ATTACH_PEER);
		assert_int_equal(a.m.peer.id, ids[i / 2]);
		attach_close_all(a.fds);
	}
	detach_client(&a);
	detach_client(&c);
}

static void say_link(struct client *c, uint32_t port, bool up)
{
	struct attach_message m = {.type = ATTACH_SET_LINK, .serial = 5};

	m.link.port = port;
	m.link.up = up;
	assert_int_equal(attach_send(c->fd, &m, NULL, 0), 0);
}

static void hear_link(struct client *c, bool up)
{
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.type, ATTACH_PORT_IS);
	assert_int_equal(c->m.link.hca, 0);
	assert_int_equal(c->m.link.port, 0);
	assert_int_equal(c->m.link.up, up);
}

static void hear_done(struct client *c, int status)
{
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.type, ATTACH_DONE);
	assert_int_equal(c->m.status, status);
}

/* All of the host hear of it, nobody else; and again when the one who has unplugged it is gone. */
static void set_link__concerns_a_host(void **state)
{
	struct client a, b, c;
	const struct fabric_port *port;

	(void)state;
	attach_client(&a, "alpha");
	attach_client(&b, "alpha");
	attach_client(&c, "beta");
	port = &b.directory->fabric
			.ports[directory_slot(b.directory, b.directory->process[b.id].host, 0, 0)];
	say_link(&a, 1, false);
	hear_done(&a, -ENOENT);
	say_link(&a, 0, false);
	hear_link(&a, false);
	hear_done(&a, 0);
	hear_link(&b, false);
	assert_false(port->up);
	say_link(&b, 0, true);
	hear_link(&b, true);
	hear_done(&b, 0);
	hear_link(&a, true);
	say_link(&a, 0, true); /* it is */
	hear_done(&a, 0);
	say_link(&a, 0, false);
	hear_link(&b, false);
	detach_client(&a);
	hear_link(&b, true);
	assert_true(port->up);
	say(&c, ATTACH_TAKE_BLOCK, 0);
	assert_int_equal(hear(&c), 0);
	assert_int_equal(c.m.type, ATTACH_BLOCK);
	detach_client(&b);
	detach_client(&c);
}

/* Who is to be woken by a pipe, or by nothing at all, is none of ours. */
static void hello__with_what_wakes_nobody(void **state)
{
	struct attach_message m = {.type = ATTACH_HELLO,
				   .hello = {.host = "alpha", .command = "test"}};
	int pipe_fds[2], fds[3] = {attach_memory("control", 4096), -1, attach_memory("keys", 4096)};
	struct client c;

	(void)state;
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	fds[1] = pipe_fds[1];
	connect_client(&c);
	assert_int_equal(attach_send(c.fd, &m, fds, 3), 0);
	assert_int_equal(hear(&c), -ECONNRESET);
	detach_client(&c);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
	close(pipe_fds[0]);
}

/* How many files of the run directory begin so. */
static unsigned int files_of(const char *name)
{
	char path[128];
	struct dirent *entry;
	unsigned int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/verbena", run_dir_path());
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		n += !strncmp(entry->d_name, name, strlen(name));
	closedir(dir);
	return n;
}

static int make_file(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/verbena/%s", run_dir_path(), name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

static void remove_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/verbena/%s", run_dir_path(), name);
	assert_int_equal(unlink(path), 0);
}

static void server_new__one_for_each_fabric(void **state)
{
	const struct server_config same = {.fabric = "test", .idle_ms = 0};
	const struct server_config bad = {.fabric = "../x", .idle_ms = 0};
	const struct server_config idle = {.fabric = "other", .idle_ms = 0};
	struct server *s;
	int err;

	(void)state;
	assert_null(server_new(&same, &err));
	assert_int_equal(err, -EADDRINUSE);
	assert_null(server_new(&bad, &err));
	assert_int_equal(err, -EINVAL);
	s = server_new(&idle, &err);
	assert_non_null(s);
	server_run(s); /* nobody comes */
	server_free(s);
	assert_int_equal(files_of("other"), 0);
	assert_int_equal(files_of("test"), 3); /* socket, lock, directory */
}

/* What a daemon leaves that is killed goes with the next that ends; not what anybody may need. */
static void server_free__removes_what_the_dead_have_left(void **state)
{
	const struct server_config config = {.fabric = "other", .idle_ms = 0};
	struct server *s;
	int held, err;

	(void)state;
	close(make_file("dead.sock"));
	close(make_file("dead.sock.start"));
	close(make_file("dead.sock.lock"));
	close(make_file("unknown.sock.lock"));
	close(make_file("unknown.sock.directory")); /* of another version */
	held = make_file("alive.sock.lock");
	assert_int_equal(flock(held, LOCK_EX), 0);
	close(make_file("lock"));
	s = server_new(&config, &err);
	assert_non_null(s);
	server_free(s);
	assert_int_equal(files_of("dead"), 0);
	assert_int_equal(files_of("unknown"), 2);
	assert_int_equal(files_of("alive"), 1);
	assert_int_equal(files_of("lock"), 1);
	close(held);
	remove_file("unknown.sock.directory");
	remove_file("lock");
	s = server_new(&config, &err);
	assert_non_null(s);
	server_free(s);
	assert_int_equal(files_of("unknown") + files_of("alive") + files_of("other"), 0);
}

/* One that begins waits for one that ends, and then has files of its own. */
static void *end_later(void *arg)
{
	struct server *s = arg;

	server_free(s);
	return NULL;
}

static void server_free__while_another_begins(void **state)
{
	const struct server_config config = {.fabric = "other", .idle_ms = 0};
	struct server *s[2];
	pthread_t ends;
	int err;

	(void)state;
	for (int round = 0; round < 200; round++) {
		s[0] = server_new(&config, &err);
		assert_non_null(s[0]);
		assert_int_equal(pthread_create(&ends, NULL, end_later, s[0]), 0);
		do
			s[1] = server_new(&config, &err);
		while (!s[1] && err == -EADDRINUSE);
		assert_int_equal(pthread_join(ends, NULL), 0);
		assert_non_null(s[1]);
		assert_null(server_new(&config, &err));
		assert_int_equal(err, -EADDRINUSE);
		server_free(s[1]);
		assert_int_equal(files_of("other"), 0);
	}
}

static void attach_run_dir__nobody_else_may_enter(void **state)
{
	char path[128], dir[ATTACH_PATH];

	(void)state;
	snprintf(path, sizeof(path), "%s/verbena", run_dir_path());
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(attach_run_dir(dir, sizeof(dir)), -EPERM);
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(attach_run_dir(dir, sizeof(dir)), 0);
	assert_int_equal(attach_run_dir(dir, 10), -ENAMETOOLONG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static const struct CMUnitTest tests[] = {
	TEST(hello__hosts_and_processes),
	TEST(introduce__both_get_the_same_memory),
	TEST(missed__lets_both_begin_anew),
	TEST(gone__is_told_to_who_knew_it),
	TEST(block__taken),
	TEST(nonsense__is_hung_up_on),
	TEST(version__another_one_is_told),
	TEST(hello__one_too_many),
	TEST(successor__who_has_hung_up_is_not_taken_over),
	TEST(successor__processes_are_who_they_were),
	TEST(successor__introduces_who_comes_back_later),
	TEST(successor__half_a_pair_is_made_anew),
	TEST(successor__who_is_gone_is_found_out),
	TEST(successor__begins_anew_if_nobody_is_left),
	TEST(cycles__leave_nothing),
	TEST(owed__to_who_does_not_read),
	TEST(set_link__concerns_a_host),
	TEST(hello__with_what_wakes_nobody),
	TEST(server_new__one_for_each_fabric),
	TEST(server_free__removes_what_the_dead_have_left),
	TEST(server_free__while_another_begins),
	TEST(attach_run_dir__nobody_else_may_enter),
};

int main(void)
{
	return verbena_test_main(tests);
}
