// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A file with a topology, and what is wrong with it. */
#include "cli/topology_file.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

#define READ_BYTES 65536u

/* All of a file; NULL with a sentence. */
static char *read_all(const char *command, const char *path, size_t *bytes)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t got = 1;

	*bytes = 0;
	while (in && got) {
		char *more = base_realloc(text, *bytes + READ_BYTES);

		if (!more)
			break;
		text = more;
		got = fread(text + *bytes, 1, READ_BYTES, in);
		*bytes += got;
	}
	if (!in || got || ferror(in)) {
		fprintf(stderr, "%s: %s: %s\n", command, path, strerror(errno));
		base_free(text);
		text = NULL;
	}
	if (in)
		fclose(in);
	return text;
}

/* What is wrong is seen only when it is put up: GUIDs that are there twice. */
static int try(const struct topology *t, struct topology_error *error)
{
	struct subnet *subnet = subnet_new(NULL, NULL);
	int ret = subnet ? topology_build(t, subnet, NULL, error) : -ENOMEM;

	subnet_free(subnet);
	return ret;
}

int topology_file_check(const char *command, const char *path, struct topology **topology)
{
	struct topology_error error = {.line = 0};
	struct topology *t;
	size_t bytes;
	char *text = read_all(command, path, &bytes);
	int ret;

	if (!text)
		return -EIO;
	ret = topology_parse(text, bytes, &t, &error);
	base_free(text);
	if (!ret) {
		ret = try(t, &error);
		if (!ret && topology)
			*topology = t;
		else
			topology_free(t);
	}
	if (ret)
		fprintf(stderr, "%s: %s:%u: %s\n", command, path, error.line,
			ret == -ENOMEM ? strerror(ENOMEM) : error.text);
	return ret;
}
