// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Memory that we share with the program's library: pieces of one memory file, which is what the
 * device's descriptor really is. The library maps an offset of it without our help.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mm.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/thread.h"
#include "uabi/uverbs_file.h"

static int failed(void)
{
	return base_refuse(-errno, UABI_SYSCALL, (u32)errno);
}

int uverbs_memory_init(struct ib_uverbs_file *file, int *fd)
{
	int own;

	mutex_init(&file->memory.lock);
	file->memory.end = PAGE_SIZE; /* 0 is no offset */
	*fd = memfd_create("verbena-uverbs", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return failed();
	/* The program could cut it short under our feet. */
	own = fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) ? -1
								   : fcntl(*fd, F_DUPFD_CLOEXEC, 0);
	file->memory.fd = own < 0 ? failed() : uabi_fd_hide(own);
	if (file->memory.fd >= 0)
		return 0;
	if (own >= 0)
		close(own);
	close(*fd);
	return file->memory.fd;
}

void uverbs_memory_free(struct ib_uverbs_file *file)
{
	uabi_fd_unhide(file->memory.fd);
}

static void *map(int fd, size_t bytes, u64 offset)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

	if (mem != MAP_FAILED)
		return mem;
	failed();
	return NULL;
}

static void *alloc(struct ib_ucontext *context, size_t bytes, u64 *offset)
{
	struct ib_uverbs_file *file = context->ufile;
	const size_t whole = PAGE_ALIGN(bytes);
	void *mem = NULL;
	BASE_NO_SIGXFSZ;

	mutex_lock(&file->memory.lock);
	if (ftruncate(file->memory.fd, (off_t)(file->memory.end + whole))) {
		failed();
	} else {
		mem = map(file->memory.fd, whole, file->memory.end);
		*offset = file->memory.end;
		file->memory.end += whole;
	}
	mutex_unlock(&file->memory.lock);
	return mem;
}

static void release(struct ib_ucontext *context, void *mem, size_t bytes, u64 offset)
{
	const size_t whole = PAGE_ALIGN(bytes);

	(void)munmap(mem, whole);
	(void)fallocate(context->ufile->memory.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)offset, (off_t)whole);
}

const struct ib_ucontext_mem_ops uverbs_memory_ops = {
	.alloc = alloc,
	.free = release,
};
