/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a daemon says of its subnet, for people. */
#ifndef CLI_SHOW_FABRIC_H
#define CLI_SHOW_FABRIC_H

#include <jansson.h>
#include <stdbool.h>

/** show_fabric() - Print it. @all: As verbena fabric show --json. @ports: Each port, with its counters. */
void show_fabric(const json_t *all, bool ports);

#endif
