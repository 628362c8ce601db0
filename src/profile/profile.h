/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Profiles: YAML files that say what the HCAs of a host look like. Of libcyaml, which processes that
 * have no profile must not load: libverbena-profile.so beside the preload library.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stddef.h>

#include "device/profile.h"

#define PROFILE_ERROR_BYTES 1024u

/**
 * profile_load() - Read a profile.
 * @path: Of the file.
 * @personality: Of all HCAs, whatever the file says; NULL: as it says.
 * @profile: Out.
 * @error: Out, on failure: a sentence with file, key or line, and cause.
 * @bytes: Size of @error; PROFILE_ERROR_BYTES hold any.
 *
 * Context: May sleep.
 * Return: 0; -ENOENT or another errno if the file cannot be read; -EINVAL for what is in it.
 */
int profile_load(const char *path, const char *personality, struct device_host_profile *profile,
		 char *error, size_t bytes);

typedef int (*profile_load_fn)(const char *path, const char *personality,
			       struct device_host_profile *profile, char *error, size_t bytes);

#endif
