/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The process's side of an attachment: it says hello, asks for queue pair numbers and introductions,
 * and hears who has died.
 */
#ifndef ATTACH_CLIENT_H
#define ATTACH_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/mad.h"
#include "fabric/directory.h"
#include "wire/shm.h"

struct attach;

/**
 * struct attach_config - Who we are, and who wants to hear.
 * @fabric: Name.
 * @host: Name of the host that this process is on.
 * @hca: What the host shall have, as far as it has not got it yet: DIRECTORY_HCAS of them.
 * @key_bytes: Of the table of keys that others are to read.
 * @peer: We were introduced: the rings are the callee's from now on, returns false to decline.
 * @gone: A process that we know is dead.
 * @missed: We were introduced to an id, and could not be.
 * @link: The daemon is gone (false), or its successor has taken us over (true).
 * @port: Something has changed at a port of our host; HCA and port from 0, bits SUBNET_CHANGED_*, its link as it is.
 * @mad: A MAD has arrived at a port of our host, for us; HCA and port from 0.
 * @known: With which ids we have rings: a bit each. Any thread, without locks.
 * @ctx: Handed to them. But for @known they are called by attach_pump(), without locks.
 */
struct attach_config {
	const char *fabric;
	const char *host;
	const struct directory_hca *hca;
	size_t key_bytes;
	bool (*peer)(void *ctx, const struct wire_shm_peer *peer);
	void (*gone)(void *ctx, uint32_t id, uint32_t generation);
	void (*missed)(void *ctx, uint32_t id);
	void (*link)(void *ctx, bool up);
	void (*port)(void *ctx, uint32_t hca, uint32_t port, uint32_t what, bool up);
	void (*mad)(void *ctx, uint32_t hca, uint32_t port, const struct subnet_mad *mad);
	void (*known)(void *ctx, uint64_t known[DIRECTORY_PROCESSES / 64]);
	void *ctx;
};

/**
 * attach_open() - Attach to a fabric; starts its daemon if there is none.
 * @config: Copied; what it points to must outlive the call only.
 * @err: Out, on failure: a negative errno. The last cause says why.
 *
 * Context: May sleep.
 * Return: The attachment, or NULL.
 */
struct attach *attach_open(const struct attach_config *config, int *err);

/** attach_close() - Leave. Nothing of the fabric is used any more. @a: May be NULL. */
void attach_close(struct attach *a);

/** attach_forked() - In a child: drop our copy without a word to anybody. @a: May be NULL. */
void attach_forked(struct attach *a);

/** attach_directory() - The directory, read-only. */
const struct directory *attach_directory(const struct attach *a);

/** attach_control() - Our control page. */
struct shm_control *attach_control(const struct attach *a);

/** attach_report() - Our report. */
struct base_report *attach_report(const struct attach *a);

/**
 * attach_traffic() - What a port of our host has carried, by all its processes.
 * @a: Attachment.
 * @hca: Index of the HCA.
 * @port: From 0.
 * @traffic: Out.
 *
 * Context: May sleep.
 * Return: 0; -ENOENT; as attach_take_block() if there is no daemon.
 */
int attach_traffic(struct attach *a, uint32_t hca, uint32_t port, struct base_traffic *traffic);

/** attach_take_keys() - The table of keys, writable for us alone, zeroed; the caller's to munmap(). */
void *attach_take_keys(struct attach *a);

/** attach_id() - Our id in the directory. */
uint32_t attach_id(const struct attach *a);

/** attach_slot() - Where a port of our host hangs; as directory_slot(). */
int attach_slot(const struct attach *a, uint32_t hca, uint32_t port);

/** attach_socket() - To be polled: attach_pump() has something to do. -1 if the daemon is gone. */
int attach_socket(const struct attach *a);

/** attach_wake_fd() - To be polled: somebody has woken us. */
int attach_wake_fd(const struct attach *a);

/**
 * attach_pump() - Hear what the daemon has said.
 * @a: Ours.
 * @readable: The socket is, as far as one knows; else only what other threads have read meanwhile.
 *
 * Context: No locks; one thread at a time.
 */
void attach_pump(struct attach *a, bool readable);

/**
 * attach_take_block() - Ask for QP numbers.
 * @a: Attachment.
 * @first_qpn: Out: the first of 2^DIRECTORY_QPN_BLOCK_BITS.
 *
 * Context: May sleep.
 * Return: 0; -ENOSPC; -ENOTCONN if the daemon is gone, -ETIMEDOUT if it does not answer, both with a
 *	cause.
 */
int attach_take_block(struct attach *a, uint32_t *first_qpn);

/** attach_introduce() - Ask for rings to a process. Context: Any; does not wait. */
void attach_introduce(struct attach *a, uint32_t id);

/**
 * attach_set_link() - Unplug a port of our host for all, or plug it in.
 * @a: Attachment.
 * @hca: Index of the HCA.
 * @port: From 0.
 * @up: Which of the two.
 *
 * &attach_config.port follows if that changes anything, for each process of the host.
 *
 * Context: May sleep.
 * Return: 0; -ENOENT; as attach_take_block() if there is no daemon.
 */
int attach_set_link(struct attach *a, uint32_t hca, uint32_t port, bool up);

/** attach_want_link() - The same without waiting. Returns whether there is a daemon. Context: Any. */
bool attach_want_link(struct attach *a, uint32_t hca, uint32_t port, bool up);

/**
 * attach_join() - What is sent to a multicast group is for us, too; counted.
 * @a: Attachment.
 * @gid: Which group, wire order.
 *
 * Context: May sleep.
 * Return: 0; -ENOMEM where directory_join() says -ENOSPC; as attach_take_block() if there is no daemon.
 */
int attach_join(struct attach *a, const uint8_t gid[16]);

/** attach_leave() - Undo attach_join(). Context: May sleep. Return: Likewise; -ENOENT if we are no member. */
int attach_leave(struct attach *a, const uint8_t gid[16]);

#endif
