// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The topology of a fabric, as a file beside its directory: the next daemon has it, whoever starts it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "daemon/server_priv.h"

#define MOST_BYTES (256u << 20)

struct topology_path topology_path(const char *socket_path, const char *suffix)
{
	struct topology_path path;

	snprintf(path.text, sizeof(path.text), "%s%s", socket_path, suffix);
	return path;
}

/* @path is cut off in front, for its end tells more. */
static int refuse(int err, const char *path)
{
	struct base_cause why = {
		.id = BASE_CAUSE_TOPOLOGY_FILE, .side = BASE_SIDE_CALL, .arg = {(uint64_t)-err}};
	const size_t most = BASE_CAUSE_TEXT_ARGS * sizeof(why.arg[0]), bytes = strlen(path);

	base_cause_put_text(&why, 1, bytes > most ? path + bytes - most : path);
	base_cause_set_last(&why);
	return err;
}

static int read_into(int fd, char *text, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		const ssize_t n = read(fd, text + at, bytes - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += (size_t)n;
	}
	return 0;
}

static int read_file(int fd, char **text)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > MOST_BYTES)
		return -EINVAL;
	*text = base_zalloc((size_t)st.st_size + 1);
	ret = *text ? read_into(fd, *text, (size_t)st.st_size) : -ENOMEM;
	if (ret) {
		base_free(*text);
		*text = NULL;
	}
	return ret;
}

int topology_load(const struct server *s, char **text)
{
	const struct topology_path kept = topology_path(s->path, TOPOLOGY_TEXT);
	const char *path = s->config.topology ? s->config.topology : kept.text;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	*text = NULL;
	if (fd < 0)
		return errno == ENOENT && !s->config.topology ? 0 : refuse(-errno, path);
	ret = read_file(fd, text);
	close(fd);
	return ret ? refuse(ret, path) : 0;
}

static int write_file(const char *path, const char *text)
{
	const size_t bytes = strlen(text);
	int fd, ret = 0;

	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	for (size_t at = 0; at < bytes && !ret;) {
		const ssize_t n = write(fd, text + at, bytes - at);

		if (n < 0)
			ret = -errno;
		else
			at += (size_t)n;
	}
	close(fd);
	return ret;
}

int topology_keep(const struct server *s, const char *text)
{
	const struct topology_path part = topology_path(s->path, TOPOLOGY_TEXT_NEW);
	const struct topology_path kept = topology_path(s->path, TOPOLOGY_TEXT);
	int ret;

	(void)unlink(topology_path(s->path, TOPOLOGY_BROKEN).text); /* of another */
	ret = write_file(part.text, text);

	if (!ret && rename(part.text, kept.text))
		ret = -errno;
	if (!ret)
		return 0;
	(void)unlink(part.text);
	return refuse(ret, kept.text);
}

void topology_forget(const char *socket_path)
{
	static const char *const suffixes[] = {TOPOLOGY_TEXT, TOPOLOGY_TEXT_NEW, TOPOLOGY_BROKEN,
					       TOPOLOGY_BROKEN_NEW};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		(void)unlink(topology_path(socket_path, suffixes[i]).text);
}
