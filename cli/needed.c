// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What an executable file is to the loader. It may contain anything. */
#include "cli/needed.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

struct file {
	const unsigned char *data;
	size_t bytes;
	const ElfW(Phdr) * segments;
	size_t count;
};

/* Where a piece of the file is; NULL if it is not wholly there. */
static const void *piece(const struct file *f, size_t offset, size_t bytes)
{
	if (offset > f->bytes || bytes > f->bytes - offset || offset % _Alignof(ElfW(Addr)))
		return NULL;
	return f->data + offset;
}

static bool read_header(struct file *f)
{
	const ElfW(Ehdr) *header = piece(f, 0, sizeof(*header));

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    header->e_phentsize != sizeof(*f->segments))
		return false;
	f->count = header->e_phnum;
	f->segments = piece(f, header->e_phoff, f->count * sizeof(*f->segments));
	return f->segments != NULL;
}

/* The text at an address of the program; at most to the end of the file, where a NUL must be. */
static const char *text_at(const struct file *f, ElfW(Addr) address)
{
	for (size_t i = 0; i < f->count; i++) {
		const ElfW(Phdr) *load = &f->segments[i];
		const size_t into = address - load->p_vaddr;
		const size_t at = load->p_offset + into;

		if (load->p_type != PT_LOAD || address < load->p_vaddr || into >= load->p_filesz)
			continue;
		if (at < load->p_offset || at >= f->bytes ||
		    !memchr(f->data + at, 0, f->bytes - at))
			return NULL;
		return (const char *)f->data + at;
	}
	return NULL;
}

static ElfW(Addr) strings_of(const ElfW(Dyn) * dynamic, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (dynamic[i].d_tag == DT_STRTAB)
			return dynamic[i].d_un.d_ptr;
	return 0;
}

static const char *search(const struct file *f, const ElfW(Phdr) * segment, const char *prefix)
{
	const size_t count = segment->p_filesz / sizeof(ElfW(Dyn));
	const ElfW(Dyn) *dynamic = piece(f, segment->p_offset, count * sizeof(*dynamic));
	ElfW(Addr) strings;

	if (!dynamic)
		return NULL;
	strings = strings_of(dynamic, count);
	for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++) {
		const char *name = dynamic[i].d_tag == DT_NEEDED
					   ? text_at(f, strings + dynamic[i].d_un.d_val)
					   : NULL;

		if (name && !strncmp(name, prefix, strlen(prefix)))
			return name;
	}
	return NULL;
}

static bool search_file(struct file *f, const char *prefix, char *name, size_t bytes)
{
	const char *found = NULL;

	if (!read_header(f))
		return false;
	for (size_t i = 0; i < f->count && !found; i++)
		if (f->segments[i].p_type == PT_DYNAMIC)
			found = search(f, &f->segments[i], prefix);
	if (!found || strlen(found) >= bytes)
		return false;
	memcpy(name, found, strlen(found) + 1);
	return true;
}

static bool map_file(const char *path, struct file *f)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return false;
	*f = (struct file){.data = data, .bytes = (size_t)st.st_size};
	return true;
}

static void unmap_file(const struct file *f)
{
	munmap((void *)(uintptr_t)f->data, f->bytes);
}

/* As execvp(3) looks for it. */
static bool find_program(const char *command, char *path, size_t bytes)
{
	const char *dirs = getenv("PATH");
	int n;

	if (strchr(command, '/') || !dirs) {
		n = snprintf(path, bytes, "%s", command);
		return n > 0 && (size_t)n < bytes;
	}
	for (size_t length; *dirs; dirs += length + (dirs[length] == ':')) {
		length = strcspn(dirs, ":");
		n = snprintf(path, bytes, "%.*s/%s", (int)(length ? length : 1),
			     length ? dirs : ".", command);
		if (n > 0 && (size_t)n < bytes && !access(path, X_OK))
			return true;
	}
	return false;
}

bool cli_find_needed(const char *command, const char *prefix, char *name, size_t bytes)
{
	char path[PATH_MAX];
	struct file f;
	bool found;

	if (!find_program(command, path, sizeof(path)) || !map_file(path, &f))
		return false;
	found = search_file(&f, prefix, name, bytes);
	unmap_file(&f);
	return found;
}

/* Whether it is a program that no loader is asked for. */
static bool is_static(const char *path)
{
	bool interpreted = true;
	struct file f;

	if (!map_file(path, &f))
		return false;
	if (read_header(&f)) {
		interpreted = false;
		for (size_t i = 0; i < f.count; i++)
			interpreted |= f.segments[i].p_type == PT_INTERP;
	}
	unmap_file(&f);
	return !interpreted;
}

/* What exec() would give it, where anything of the kind is obeyed. */
static const char *gained_rights(const char *path)
{
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) || statvfs(path, &fs) || (fs.f_flag & ST_NOSUID) ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) > 0)
		return NULL;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return "is set-user-ID";
	if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid())
		return "is set-group-ID";
	if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return "has capabilities of its own";
	return NULL;
}

const char *cli_why_out_of_reach(const char *command)
{
	char path[PATH_MAX];

	if (!find_program(command, path, sizeof(path)))
		return NULL;
	return is_static(path) ? "is linked statically" : gained_rights(path);
}
