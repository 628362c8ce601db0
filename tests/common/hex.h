/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bytes written as hexadecimal digits in a test. */
#ifndef TESTS_COMMON_HEX_H
#define TESTS_COMMON_HEX_H

#include <stddef.h>
#include <stdint.h>

/**
 * hex_decode() - Bytes from digits.
 * @hex: Digits; blanks between bytes are skipped.
 * @bytes: Out.
 * @room: Its size.
 *
 * Return: How many bytes; aborts if @hex is malformed or does not fit.
 */
size_t hex_decode(const char *hex, uint8_t *bytes, size_t room);

#endif
