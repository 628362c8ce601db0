// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What we are given of another process: memory that we share with it, and its own. */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "attach/client_priv.h"
#include "attach/socket.h"
#include "base/fd.h"

/* Whether what a process shows of itself stands where it says. */
static bool is_there(int fd, const struct shm_control *control, uint64_t address)
{
	uint64_t nonce = 0;

	return pread(fd, &nonce, sizeof(nonce), (off_t)address) == sizeof(nonce) &&
	       nonce == control->nonce;
}

/* Whether a descriptor is a process's memory, and nothing that could block, or lose what we write. */
static bool is_memory(int fd, const struct shm_control *control, uint64_t control_address)
{
	static const char end[] = "/mem";
	const size_t end_bytes = sizeof(end) - 1;
	char path[32], target[64];
	struct statfs fs;
	ssize_t n;

	if (fd < 0 || fstatfs(fd, &fs) || fs.f_type != PROC_SUPER_MAGIC)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target));
	return n >= (ssize_t)end_bytes && (size_t)n < sizeof(target) &&
	       memcmp(target + (size_t)n - end_bytes, end, end_bytes) == 0 &&
	       is_there(fd, control, control_address);
}

static int take(int *fd)
{
	const int taken = base_fd_hide(*fd);

	*fd = -1;
	return taken;
}

/* What a process shows of itself for direct placement; it may be nothing. */
static void map_keys(struct wire_shm_peer *peer, int fds[ATTACH_FDS])
{
	struct stat st;

	if (fds[ATTACH_PEER_KEYS] < 0 || fstat(fds[ATTACH_PEER_KEYS], &st) ||
	    st.st_size < SHM_KEY_BYTES || st.st_size / SHM_KEY_BYTES > UINT32_MAX)
		return;
	peer->keys = attach_map(fds[ATTACH_PEER_KEYS], (size_t)st.st_size, false);
	if (!peer->keys)
		return;
	peer->key_count = (uint32_t)(st.st_size / SHM_KEY_BYTES);
	if (is_memory(fds[ATTACH_PEER_MEMORY], peer->control, peer->control_address))
		peer->mem_fd = take(&fds[ATTACH_PEER_MEMORY]);
}

bool attach_map_peer(struct wire_shm_peer *peer, int fds[ATTACH_FDS])
{
	peer->pair = attach_map(fds[ATTACH_PEER_PAIR], sizeof(*peer->pair), true);
	peer->control = attach_map(fds[ATTACH_PEER_CONTROL], sizeof(*peer->control), false);
	if (!peer->pair || !peer->control || !attach_is_eventfd(fds[ATTACH_PEER_WAKE]) ||
	    madvise(peer->pair, sizeof(*peer->pair), MADV_DONTFORK))
		return false;
	map_keys(peer, fds);
	peer->wake_fd = take(&fds[ATTACH_PEER_WAKE]);
	return true;
}

void attach_unmap_peer(struct wire_shm_peer *peer)
{
	if (peer->pair)
		munmap(peer->pair, sizeof(*peer->pair));
	if (peer->control)
		munmap((void *)(uintptr_t)peer->control, sizeof(*peer->control));
	if (peer->keys)
		munmap((void *)(uintptr_t)peer->keys, peer->key_count * (size_t)SHM_KEY_BYTES);
	base_fd_close(peer->wake_fd);
	base_fd_close(peer->mem_fd);
}
