/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* main() of a fuzz target where there is no libFuzzer: feeds it each file of its corpus. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	long count;
	int ret = -1;

	if (!file || fseek(file, 0, SEEK_END) != 0 || (count = ftell(file)) < 0)
		goto out;
	rewind(file);
	/* Exactly as large as the input, so that a sanitizer sees a read behind it. */
	bytes = malloc((size_t)count);
	if (!bytes && count)
		goto out;
	if (fread(bytes, 1, (size_t)count, file) == (size_t)count) {
		LLVMFuzzerTestOneInput(bytes, (size_t)count);
		ret = 0;
	}
	free(bytes);
out:
	if (ret)
		perror(path);
	if (file)
		fclose(file);
	return ret;
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count, failed = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
		return 2;
	}
	count = scandir(argv[1], &entries, is_file, alphasort);
	if (count <= 0) {
		fprintf(stderr, "%s: no corpus\n", argv[1]);
		return 1;
	}
	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
		printf("%s\n", path);
		fflush(stdout);
		failed |= replay(path);
		free(entries[i]);
	}
	free(entries);
	return failed ? 1 : 0;
}
