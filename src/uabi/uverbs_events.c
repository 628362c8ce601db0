// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Pipes of events, and a queue for what a full pipe does not take. */
#include "uabi/uverbs_events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cause.h"
#include "uabi/file.h"

#define MAX_RECORD_BYTES 16
#define TRY_AGAIN_NS 1000000u

struct record {
	struct list_head link;
	union {
		u64 user_handle;
		char bytes[MAX_RECORD_BYTES];
	};
};

struct uverbs_events {
	struct kref ref;
	size_t record_bytes;
	spinlock_t lock;       /* the pipe, and what follows */
	struct list_head late; /* of struct record */
	struct base_timer retry;
	bool closed; /* the program has closed its end */
	int read_fd; /* our own, which never blocks */
	int write_fd;
};

/* What the program's descriptor means. */
struct end {
	struct uabi_file file;
	struct uverbs_events *events;
};

static void free_events(struct kref *ref)
{
	struct uverbs_events *events = container_of(ref, struct uverbs_events, ref);
	struct record *record, *next;

	base_timer_disarm_sync(&events->retry);
	base_timer_remove(&events->retry);
	list_for_each_entry_safe(record, next, &events->late, link)
		base_free(record);
	uabi_fd_unhide(events->read_fd);
	uabi_fd_unhide(events->write_fd);
	base_free(events);
}

struct uverbs_events *uverbs_events_hold(struct uverbs_events *events)
{
	kref_get(&events->ref);
	return events;
}

void uverbs_events_put(struct uverbs_events *events)
{
	if (events)
		kref_put(&events->ref, free_events);
}

static void release_end(struct uabi_file *file)
{
	struct end *end = container_of(file, struct end, file);

	spin_lock(&end->events->lock);
	end->events->closed = true;
	spin_unlock(&end->events->lock);
	uverbs_events_put(end->events);
	base_free(end);
}

static const struct uabi_file_ops end_ops = {
	.release = release_end,
};

/* Not by write(), where a thread that has our locks could be cancelled. */
static bool write_record(const struct uverbs_events *events, const void *record)
{
	ssize_t done;

	do
		done = syscall(SYS_write, events->write_fd, record, events->record_bytes);
	while (done < 0 && errno == EINTR);
	return done == (ssize_t)events->record_bytes; /* as a pipe does: all of it, or nothing */
}

static void flush_locked(struct uverbs_events *events) REQUIRES(events->lock)
{
	struct record *record, *next;

	list_for_each_entry_safe(record, next, &events->late, link) {
		if (!write_record(events, record->bytes))
			break;
		list_del(&record->link);
		base_free(record);
	}
	if (!list_empty(&events->late) && !events->closed)
		base_timer_arm(&events->retry, TRY_AGAIN_NS);
}

static void retry(struct base_timer *timer)
{
	struct uverbs_events *events = container_of(timer, struct uverbs_events, retry);

	spin_lock(&events->lock);
	flush_locked(events);
	spin_unlock(&events->lock);
}

static bool queue_locked(struct uverbs_events *events, const void *bytes) REQUIRES(events->lock)
{
	struct record *record = base_zalloc(sizeof(*record));

	if (!record)
		return false;
	memcpy(record->bytes, bytes, events->record_bytes);
	list_add_tail(&record->link, &events->late);
	return true;
}

void uverbs_events_raise(struct uverbs_events *events, const void *record, u32 *raised)
{
	spin_lock(&events->lock);
	if (!events->closed) {
		const bool taken = (list_empty(&events->late) && write_record(events, record)) ||
				   queue_locked(events, record);

		if (taken && raised)
			++*raised;
		flush_locked(events);
	}
	spin_unlock(&events->lock);
}

/* Whose records are taken back. */
struct dying {
	u64 user_handle;
	bool (*matches)(const void *record);
};

static bool is_of(const struct dying *dying, const struct record *record)
{
	return record->user_handle == dying->user_handle &&
	       (!dying->matches || dying->matches(record->bytes));
}

static u32 records_in_pipe(const struct uverbs_events *events)
{
	int bytes = 0;

	return ioctl(events->read_fd, FIONREAD, &bytes)
		       ? 0
		       : (u32)((size_t)bytes / events->record_bytes);
}

/*
 * Each record of the pipe is read once, and goes to its end again if it is not the object's: then all
 * are in their old order. A pipe that was full may have no room before a page of it is empty: what
 * does not fit goes in front of the queue.
 */
static u32 withdraw_from_pipe_locked(struct uverbs_events *events, const struct dying *dying)
	REQUIRES(events->lock)
{
	struct list_head *at = &events->late;
	u32 unread = 0;

	for (u32 left = records_in_pipe(events); left; left--) {
		struct record record, *kept;

		if (read(events->read_fd, record.bytes, events->record_bytes) !=
		    (ssize_t)events->record_bytes)
			break; /* the program reads them meanwhile */
		if (is_of(dying, &record)) {
			unread++;
			continue;
		}
		if (at == &events->late && write_record(events, record.bytes))
			continue;
		kept = base_zalloc(sizeof(*kept));
		if (!kept)
			continue; /* it is lost, without memory for what a full pipe does not take */
		memcpy(kept->bytes, record.bytes, sizeof(kept->bytes));
		list_add(&kept->link, at);
		at = &kept->link;
	}
	return unread;
}

static u32 withdraw_from_queue_locked(struct uverbs_events *events, const struct dying *dying)
	REQUIRES(events->lock)
{
	struct record *record, *next;
	u32 unread = 0;

	list_for_each_entry_safe(record, next, &events->late, link) {
		if (!is_of(dying, record))
			continue;
		list_del(&record->link);
		base_free(record);
		unread++;
	}
	return unread;
}

u32 uverbs_events_withdraw(struct uverbs_events *events, u64 user_handle,
			   bool (*matches)(const void *record), u32 raised)
{
	const struct dying dying = {user_handle, matches};
	u32 unread;

	if (!events || !raised)
		return 0;
	spin_lock(&events->lock);
	unread = withdraw_from_queue_locked(events, &dying);
	unread += withdraw_from_pipe_locked(events, &dying);
	flush_locked(events);
	spin_unlock(&events->lock);
	return raised > unread ? raised - unread : 0;
}

/* Our reading end is opened anew: whether it blocks must not depend on what the program sets. */
static int own_read_end(int fd)
{
	char path[sizeof("/proc/self/fd/") + 10];
	int own, hidden;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (own < 0)
		return base_refuse(-errno, UABI_SYSCALL, (u32)errno);
	hidden = uabi_fd_hide(own);
	if (hidden < 0)
		close(own);
	return hidden;
}

static int make_pipe(struct uverbs_events *events, int *fd)
{
	int ends[2], ret;

	if (pipe2(ends, O_CLOEXEC))
		return base_refuse(-errno, UABI_SYSCALL, (u32)errno);
	ret = events->read_fd = own_read_end(ends[0]);
	if (ret < 0)
		goto close_ends;
	ret = fcntl(ends[1], F_SETFL, O_NONBLOCK) ? base_refuse(-errno, UABI_SYSCALL, (u32)errno)
						  : uabi_fd_hide(ends[1]);
	if (ret < 0)
		goto close_own;
	events->write_fd = ret;
	*fd = ends[0];
	return 0;

close_own:
	uabi_fd_unhide(events->read_fd);
close_ends:
	close(ends[0]);
	close(ends[1]);
	return ret;
}

static int install_end(struct uverbs_events *events, int fd)
{
	struct end *end = base_zalloc(sizeof(*end));
	int ret;

	if (!end)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*end));
	end->events = events;
	uabi_file_init(&end->file, &end_ops);
	ret = uabi_fd_install(fd, &end->file);
	if (ret)
		base_free(end);
	else
		uverbs_events_hold(events);
	return ret;
}

int uverbs_events_new(size_t record_bytes, struct uverbs_events **events, int *fd)
{
	struct uverbs_events *fresh = base_zalloc(sizeof(*fresh));
	int ret;

	if (!fresh)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*fresh));
	fresh->record_bytes = record_bytes;
	kref_init(&fresh->ref);
	spin_lock_init(&fresh->lock);
	INIT_LIST_HEAD(&fresh->late);
	base_timer_init(&fresh->retry, retry);
	ret = make_pipe(fresh, fd);
	if (ret) {
		base_free(fresh);
		return ret;
	}
	ret = install_end(fresh, *fd);
	if (ret) {
		close(*fd);
		uverbs_events_put(fresh);
		return ret;
	}
	*events = fresh;
	return 0;
}

struct uverbs_events *uverbs_events_get(int fd, size_t record_bytes)
{
	struct uabi_file *file = uabi_fd_get(fd);
	struct uverbs_events *events = NULL;

	if (!file)
		return ERR_PTR(base_refuse(-EINVAL, UVERBS_CHANNEL, (u32)fd));
	if (file->ops == &end_ops) {
		events = container_of(file, struct end, file)->events;
		if (events->record_bytes == record_bytes)
			uverbs_events_hold(events);
		else
			events = NULL;
	}
	uabi_file_put(file);
	return events ? events : ERR_PTR(base_refuse(-EINVAL, UVERBS_CHANNEL, (u32)fd));
}
