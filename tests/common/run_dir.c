// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/run_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static char run_dir[64];

int run_dir_make(void)
{
	char program[256];

	snprintf(run_dir, sizeof(run_dir), "/tmp/verbena-test-XXXXXX");
	snprintf(program, sizeof(program), "%s/verbenad", getenv("VERBENA_BUILD_DIR"));
	if (!mkdtemp(run_dir) || setenv("XDG_RUNTIME_DIR", run_dir, 1) ||
	    setenv("VERBENAD", program, 1) || setenv("VERBENA_IDLE", "0", 1))
		return -1;
	return 0;
}

const char *run_dir_path(void)
{
	return run_dir;
}

/* Whoever gets the lock knows that there is no daemon any more. */
static int remove_fabric(const char *fabric)
{
	static const char *const suffixes[] = {"",	    ".start",  ".directory",
					       ".topology", ".broken", ".lock"};
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/verbena/%s.sock.lock", run_dir, fabric);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1; /* there never was one */
	if (flock(fd, LOCK_EX)) {
		close(fd);
		return -1;
	}
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(path, sizeof(path), "%s/verbena/%s.sock%s", run_dir, fabric, suffixes[i]);
		(void)unlink(path);
	}
	close(fd);
	return 0;
}

int run_dir_remove(const char *fabric, const char *another)
{
	char path[128];

	if (remove_fabric(fabric) || (another && remove_fabric(another)))
		return -1;
	snprintf(path, sizeof(path), "%s/verbena", run_dir);
	if (rmdir(path) && errno != ENOENT)
		return -1;
	return rmdir(run_dir);
}
