/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* SHA-256 (FIPS 180-4). A library for it would be loaded whenever the program starts. */
#ifndef CLI_SHA256_H
#define CLI_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define CLI_SHA256_BYTES 32

/**
 * cli_sha256() - The digest of a message.
 * @message: It.
 * @bytes: Of it.
 * @digest: Out.
 */
void cli_sha256(const void *message, size_t bytes, uint8_t digest[CLI_SHA256_BYTES]);

#endif
