/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What server.c (sockets), clients.c (what they want), directory.c (what a daemon leaves to the next
 * one), process.c (who lives), owed.c (who does not read), report.c (what processes show), status.c (what
 * people are told of it), later.c (what other threads leave to the main loop) and topology.c (files) share. The subnet
 * is in subnet.h.
 */
#ifndef DAEMON_SERVER_PRIV_H
#define DAEMON_SERVER_PRIV_H

#include <linux/spinlock.h>
#include <poll.h>
#include <sys/types.h>

#include "attach/socket.h"
#include "attach/start.h"
#include "daemon/server.h"

struct agents;
struct arrived;
struct server_subnet;

/* Besides all processes: who asks for the status, and who is refused. */
#define SERVER_CLIENTS (DIRECTORY_PROCESSES + 64)
#define SERVER_IDS (DIRECTORY_PROCESSES / 64)
#define SERVER_TICK_MS 500

/**
 * struct owed - A message for who does not read at the moment.
 * @next: Later one.
 * @m: Message.
 * @fds: Descriptors, ours.
 * @count: How many.
 */
struct owed {
	struct owed *next;
	struct attach_message m;
	int fds[ATTACH_FDS];
	unsigned int count;
};

/**
 * struct client - A connection.
 * @fd: Socket.
 * @pid: Of the process, as the kernel says.
 * @attached: It has said hello: the rest is valid.
 * @broken: To be hung up on.
 * @id: In the directory.
 * @control_fd: Its control page.
 * @wake_fd: To wake it.
 * @keys_fd: What its keys are checked against.
 * @mem_fd: Its memory; -1 if it could not open it.
 * @control_address: Where its control page is in its memory.
 * @command: What it is called.
 * @since: When it came, seconds since 1970.
 * @report: What it shows of itself: any content. NULL: nothing.
 * @known: Ids that it has been introduced to, a bit each.
 * @wanted: Ids that it wants to be introduced to once they have come back.
 * @owed: Messages that it has not read yet.
 * @owed_last: Where the next one is linked.
 * @owed_count: How many.
 */
struct client {
	int fd;
	pid_t pid;
	bool attached;
	bool broken;
	uint32_t id;
	int control_fd;
	int wake_fd;
	int keys_fd;
	int mem_fd;
	uint64_t control_address;
	char command[ATTACH_NAME];
	int64_t since;
	struct base_report *report;
	uint64_t known[SERVER_IDS];
	uint64_t wanted[SERVER_IDS];
	struct owed *owed;
	struct owed **owed_last;
	unsigned int owed_count;
};

/**
 * struct process - Of an id that is alive in the directory.
 * @client: Its connection; NULL: it was attached to the daemon before us, and has not come back.
 * @pidfd: Readable when it is dead; -1 if there is none.
 * @ticks: How long it has not come back.
 */
struct process {
	struct client *client;
	int pidfd;
	unsigned int ticks;
};

/**
 * struct later - Something that the main loop shall do.
 * @next: Of the queue.
 * @run: Does it. @later is not in the queue then: it may be freed, or put there again.
 */
struct later {
	struct later *next;
	void (*run)(struct server *s, struct later *later);
};

/**
 * struct server_mads - MADs for processes (mads.h).
 * @agents: Whose they are; NULL without a subnet.
 * @lost: How many nobody got that were for somebody. Atomic.
 * @lock: Of what follows. Leaf.
 * @first: Those that have arrived and that the main loop has not seen yet, the oldest first.
 * @last: Where the next one is linked.
 * @count: How many.
 * @later: Sends them. It is in the queue while there are any.
 */
struct server_mads {
	struct agents *agents;
	uint64_t lost;
	spinlock_t lock;
	struct arrived *first;
	struct arrived **last;
	uint32_t count;
	struct later later;
};

enum server_fixed_fd {
	SERVER_STOP,
	SERVER_LISTENER,
	SERVER_DEATHS,
	SERVER_LATER,
	SERVER_FIXED_FDS,
};

/**
 * struct server - The daemon.
 * @config: As given.
 * @listener: Socket.
 * @lock_fd: Whoever has locked it is the daemon.
 * @stop_fd: Readable when it shall end.
 * @deaths_fd: An epoll of the &process.pidfd, by id.
 * @directory_fd: For clients, read-only.
 * @path: Of the socket.
 * @directory: Ours to write.
 * @clients: Connections.
 * @count: How many.
 * @polled: Room.
 * @process: By id.
 * @orphans: How many have no client.
 * @gone: By slot: what dead processes' ports have carried, and what they have placed at it.
 * @device: By slot: what the last of them called its HCA. Any content.
 * @tick_ns: When they were last counted.
 * @down: It was told to end for good.
 * @subnet: What the fabric is; NULL: one switch.
 * @mads: MADs from there, and who wants them.
 * @later_fd: Readable when something is to be done; -1 without @subnet.
 * @later_lock: Of the queue. Leaf.
 * @later: The first of it.
 * @later_last: Where the next one is linked.
 */
struct server {
	struct server_config config;
	int listener;
	int lock_fd;
	int stop_fd;
	int deaths_fd;
	int directory_fd;
	char path[ATTACH_PATH];
	struct directory *directory;
	struct client *clients[SERVER_CLIENTS];
	unsigned int count;
	struct pollfd polled[SERVER_FIXED_FDS + SERVER_CLIENTS];
	struct process process[DIRECTORY_PROCESSES];
	unsigned int orphans;
	struct base_traffic gone[FABRIC_PORTS];
	char device[FABRIC_PORTS][BASE_REPORT_NAME];
	uint64_t tick_ns;
	bool down;
	struct server_subnet *subnet;
	struct server_mads mads;
	int later_fd;
	spinlock_t later_lock;
	struct later *later;
	struct later **later_last;
};

/**
 * client_message() - Do what a client wants.
 * @s: Server.
 * @c: Client.
 * @m: What it said.
 * @fds: What it sent along; those that are kept are set to -1.
 *
 * Return: Whether it may stay.
 */
bool client_message(struct server *s, struct client *c, struct attach_message *m,
		    int fds[ATTACH_FDS]);

/** server_later_init() - Nothing is to be done. Return: 0 or a negative errno. */
int server_later_init(struct server *s);

/**
 * server_later() - Have the main loop do something, in the order of these calls.
 * @s: Server, with a subnet.
 * @later: Not in the queue; not the caller's any more until it is run.
 *
 * Context: Any thread, any lock: takes a leaf.
 */
void server_later(struct server *s, struct later *later);

/** server_run_later() - Do it. Context: The main loop. */
void server_run_later(struct server *s);

/** client_refuse() - Say why, before hanging up: the last cause. Returns false. */
bool client_refuse(struct client *c);

/**
 * client_tell_port() - Tell all processes of a host what has changed at one of its ports.
 * @s: Server.
 * @host: Number of the host.
 * @hca: Index of the HCA.
 * @port: Of the port, from 0.
 * @what: Bits SUBNET_CHANGED_*.
 * @up: Its link.
 */
void client_tell_port(const struct server *s, uint32_t host, uint32_t hca, uint32_t port,
		      uint32_t what, bool up);

/** client_close_fds() - What an attached one has given us. */
void client_close_fds(struct client *c);

/** client_gone() - Its connection is gone, and so is the process. */
void client_gone(struct server *s, struct client *c);

/** client_send() - Send it a message; if it does not read, later. Sets @broken if that is hopeless. */
void client_send(struct client *c, struct attach_message *m, const int *fds, unsigned int count);

/** client_send_owed() - It reads again. */
void client_send_owed(struct client *c);

/** client_drop_owed() - It is gone. */
void client_drop_owed(struct client *c);

/** process_gone() - An id is dead: whoever knew it is told, and its numbers are free. */
void process_gone(struct server *s, uint32_t id);

/** process_watch() - It is alive: notice its death. */
void process_watch(struct server *s, uint32_t id);

/** process_unwatch() - It is dead, or no concern of ours. */
void process_unwatch(struct server *s, uint32_t id);

/** process_start_time() - When a process started, in ticks since the boot; 0 if there is none. */
uint64_t process_start_time(pid_t pid);

/** process_deaths() - Some have died. */
void process_deaths(struct server *s);

/** process_tick() - Give up those that live and do not come back. Context: Often. */
void process_tick(struct server *s);

/** server_has_id() - Whether a bit is set. */
static inline bool server_has_id(const uint64_t ids[SERVER_IDS], uint32_t id)
{
	return ids[id / 64] >> (id % 64) & 1;
}

/** server_set_id() - Set it, or clear it. */
static inline void server_set_id(uint64_t ids[SERVER_IDS], uint32_t id, bool on)
{
	const uint64_t bit = 1ull << (id % 64);

	ids[id / 64] = on ? ids[id / 64] | bit : ids[id / 64] & ~bit;
}

/**
 * server_open_directory() - Go on with what the last daemon has left, or begin anew.
 * @s: Server.
 * @managed: There is a topology. What was left by who had none, or had one, is of no use then.
 *
 * Return: 0 or a negative errno.
 */
int server_open_directory(struct server *s, bool managed);

/** server_close_directory() - Leave it to the next one if anybody is attached. Returns whether that is so. */
bool server_close_directory(struct server *s);

/**
 * server_remove_directory() - Remove what a daemon has left that is gone.
 * @socket_path: Its socket; the caller holds its locks.
 *
 * Return: Whether there is none now: false if one of its processes lives, or may.
 */
bool server_remove_directory(const char *socket_path);

/**
 * topology_load() - The topology that a fabric shall have.
 * @s: Server: its configuration, its path.
 * @text: Out: base_free() it; NULL: none.
 *
 * Return: 0; a negative errno, with a cause, if there is one that cannot be read.
 */
int topology_load(const struct server *s, char **text);

/** topology_keep() - The next daemon shall have it, too. Return: 0 or a negative errno, with a cause. */
int topology_keep(const struct server *s, const char *text);

/* Files beside the socket; those that are being written have another name. */
#define TOPOLOGY_TEXT ATTACH_TOPOLOGY
#define TOPOLOGY_TEXT_NEW ATTACH_TOPOLOGY ".new"
#define TOPOLOGY_BROKEN ".broken"
#define TOPOLOGY_BROKEN_NEW ".broken.new"

struct topology_path {
	char text[ATTACH_PATH + sizeof(TOPOLOGY_TEXT_NEW)];
};

/** topology_path() - One of these. */
struct topology_path topology_path(const char *socket_path, const char *suffix);

/** topology_forget() - The fabric is no more. @socket_path: Its socket. */
void topology_forget(const char *socket_path);

/** place_begin() - Be the one that begins, or ends. Waits. Return: For place_begun(), or a negative errno. */
int place_begin(const char *socket_path);

/** place_begun() - Let the next one begin. @starting: From place_begin(). */
void place_begun(const char *socket_path, int starting);

/**
 * place_take() - Be the daemon of a fabric.
 * @socket_path: Its socket. The caller has begun.
 *
 * Return: Descriptor to close when it ends; -EADDRINUSE: another one is; another negative errno.
 */
int place_take(const char *socket_path);

/** place_leave() - Remove the files of a place that the caller has taken, unless another one begins. */
void place_leave(const char *socket_path);

/** place_sweep() - Remove what daemons have left in the run directory that were killed. */
void place_sweep(void);

/** report_open() - Map what a client shows. */
void report_open(const struct server *s, struct client *c);

/** report_close() - It is gone: what its ports have carried stays. */
void report_close(struct server *s, struct client *c);

/** report_refresh() - Have all write down their queue pairs. Waits for a moment at most. */
void report_refresh(struct server *s);

/**
 * report_traffic() - What a port of a host has carried, by what processes say, the dead included.
 * @s: Server.
 * @host: Number of the host.
 * @hca: Index of the HCA.
 * @port: Of the port, from 0.
 * @traffic: Out. What its own processes count, and what any of the fabric has placed there.
 *
 * Return: 0; -ENOENT if there is no such port.
 */
int report_traffic(const struct server *s, uint32_t host, uint32_t hca, uint32_t port,
		   struct base_traffic *traffic);

struct json_t;

/** status_file() - A file with a document. @name: For people. Return: Descriptor or a negative errno. */
int status_file(const char *name, const struct json_t *document);

/** server_status() - A file with what there is, as JSON. Return: Descriptor or a negative errno. */
int server_status(struct server *s);

#endif
