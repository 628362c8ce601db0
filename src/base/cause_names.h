/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Names of the values that sentences show: states, opcodes, statuses, rights, masks. */
#ifndef BASE_CAUSE_NAMES_H
#define BASE_CAUSE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * base_cause_value_name() - The name of a value of some kind.
 * @kind: state, type, wr, wc, access, mask, queue, packet, errno; need not be terminated.
 * @kind_bytes: Its length.
 * @value: Of that kind. Bits that have no name are shown in hex, no bits as "none".
 * @text: Out.
 * @bytes: Size of @text.
 *
 * Return: false if there is no such kind, or no such value.
 */
bool base_cause_value_name(const char *kind, size_t kind_bytes, uint64_t value, char *text,
			   size_t bytes);

#endif
