// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Which paths are ours, and where they lead. */
#include "uabi/path.h"

#include <errno.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cause.h"

#define UVERBS_PREFIX "/dev/infiniband/uverbs"
#define MAX_MINOR_DIGITS 4

struct place {
	const char *prefix;
	bool any_suffix; /* infiniband_verbs is as good as infiniband */
};

static const struct place places[] = {
	{"/sys/class/infiniband", true},
	{"/sys/class/misc/rdma_cm", false},
	{"/dev/infiniband", false},
};

static bool is_below(const struct place *place, const char *path)
{
	const size_t bytes = strlen(place->prefix);
	char end;

	if (strncmp(path, place->prefix, bytes) != 0)
		return false;
	end = path[bytes];
	return end == '\0' || end == '/' || (place->any_suffix && end == '_');
}

static bool climbs(const char *path)
{
	for (const char *dots = strstr(path, "/.."); dots; dots = strstr(dots + 1, "/.."))
		if (dots[3] == '\0' || dots[3] == '/')
			return true;
	return false;
}

bool uabi_path_is_ours(const char *path)
{
	if (!path || path[0] != '/' || (path[1] != 's' && path[1] != 'd'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (is_below(&places[i], path))
			return !climbs(path);
	return false;
}

int uabi_path_into(const char *root, const char *path, char *out, size_t bytes)
{
	const int wanted = snprintf(out, bytes, "%s%s", root, path);

	return wanted > 0 && (size_t)wanted < bytes
		       ? 0
		       : base_refuse(-ENAMETOOLONG, UABI_PATH_LONG, (u32)wanted, bytes);
}

void uabi_path_outside(const char *root, char *path)
{
	const size_t bytes = strlen(root);

	if (bytes && strncmp(path, root, bytes) == 0 && path[bytes] == '/')
		memmove(path, path + bytes, strlen(path + bytes) + 1);
}

int uabi_path_minor(const char *path)
{
	const size_t prefix = strlen(UVERBS_PREFIX);
	const char *digits;
	size_t count;

	if (!path || strncmp(path, UVERBS_PREFIX, prefix) != 0)
		return -1;
	digits = path + prefix;
	count = strspn(digits, "0123456789");
	if (!count || count > MAX_MINOR_DIGITS || digits[count])
		return -1;
	return (int)strtoul(digits, NULL, 10);
}
