/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bytes that can be told apart: made from a number, and checked against it. */
#ifndef SIM_PAYLOAD_H
#define SIM_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** sim_payload_fill() - Make @count bytes from @key. */
void sim_payload_fill(uint8_t *bytes, size_t count, uint64_t key);

/** sim_payload_check() - Index of the first byte that is not from @key; @count if all are. */
size_t sim_payload_check(const uint8_t *bytes, size_t count, uint64_t key);

#endif
