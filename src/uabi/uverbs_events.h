/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion channels and asynchronous events: records that the program reads from a pipe.
 *
 * Whoever destroys an object is told how many of its events the program has read, and waits until
 * it has acknowledged as many. We do not see it read, so records of the dying object that are still
 * in the pipe are taken back and not counted.
 */
#ifndef UABI_UVERBS_EVENTS_H
#define UABI_UVERBS_EVENTS_H

#include <linux/types.h>
#include <stdbool.h>

struct uverbs_events;

/**
 * uverbs_events_new() - Make a pipe for events.
 * @record_bytes: Size of each record, 8 or 16; it begins with the object's user handle.
 * @events: Out: for uverbs_events_put().
 * @fd: Out: the program's end, which keeps a reference of its own.
 *
 * Context: May sleep.
 * Return: 0; -EMFILE, -ENOMEM. With a cause.
 */
int uverbs_events_new(size_t record_bytes, struct uverbs_events **events, int *fd);

/**
 * uverbs_events_get() - The pipe behind one of the program's descriptors.
 * @fd: Any number.
 * @record_bytes: What its records must have.
 *
 * Return: The pipe with a reference; ERR_PTR(-EINVAL) with a cause if it is none.
 */
struct uverbs_events *uverbs_events_get(int fd, size_t record_bytes);

/** uverbs_events_hold() - One more reference. Returns @events. */
struct uverbs_events *uverbs_events_hold(struct uverbs_events *events);

/** uverbs_events_put() - Drop a reference; NULL is allowed. */
void uverbs_events_put(struct uverbs_events *events);

/**
 * uverbs_events_raise() - Let the program read a record.
 * @events: Where.
 * @record: As large as the pipe's records are.
 * @raised: Counted up with it, or NULL.
 *
 * Context: Any thread that holds no lock. Without memory for what the pipe cannot hold the record is
 *	lost, and not counted.
 */
void uverbs_events_raise(struct uverbs_events *events, const void *record, u32 *raised);

/**
 * uverbs_events_withdraw() - Take back what the program has not read of an object's records.
 * @events: Where, or NULL.
 * @user_handle: The object's.
 * @matches: Which of the records with that handle are the object's; NULL: all.
 * @raised: How many were raised; none will be any more.
 *
 * Return: How many the program has read.
 */
u32 uverbs_events_withdraw(struct uverbs_events *events, u64 user_handle,
			   bool (*matches)(const void *record), u32 raised);

#endif
