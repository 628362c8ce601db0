// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* SHA-256; names and numbers of sections are those of FIPS 180-4. */
#include "cli/sha256.h"

#include <endian.h>
#include <string.h>

#define BLOCK_BYTES 64u
#define ROUNDS 64u
#define LENGTH_BYTES 8u

/* 4.2.2: of the cube roots of the first 64 primes. */
static const uint32_t K[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

static uint32_t rotr(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

/* 6.2.2, step 1. */
static void schedule(uint32_t w[ROUNDS], const uint8_t *block)
{
	for (unsigned int t = 0; t < 16; t++) {
		uint32_t word;

		memcpy(&word, block + t * sizeof(word), sizeof(word));
		w[t] = be32toh(word);
	}
	for (unsigned int t = 16; t < ROUNDS; t++) {
		const uint32_t a = w[t - 2], b = w[t - 15];

		w[t] = (rotr(a, 17) ^ rotr(a, 19) ^ a >> 10) + w[t - 7] +
		       (rotr(b, 7) ^ rotr(b, 18) ^ b >> 3) + w[t - 16];
	}
}

/* 6.2.2, steps 2 to 4. */
static void take_block(uint32_t hash[8], const uint8_t *block)
{
	uint32_t w[ROUNDS], v[8];

	schedule(w, block);
	memcpy(v, hash, sizeof(v));
	for (unsigned int t = 0; t < ROUNDS; t++) {
		const uint32_t a = v[0], e = v[4];
		const uint32_t t1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
				    ((e & v[5]) ^ (~e & v[6])) + K[t] + w[t];
		const uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
				    ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (unsigned int i = 0; i < 8; i++)
		hash[i] += v[i];
}

/* 5.1.1: a bit, zeroes, the length. */
static void take_rest(uint32_t hash[8], const uint8_t *rest, size_t rest_bytes, uint64_t bytes)
{
	uint8_t last[2 * BLOCK_BYTES] = {0};
	const size_t end = rest_bytes + 1 + LENGTH_BYTES > BLOCK_BYTES ? 2 * BLOCK_BYTES
								       : BLOCK_BYTES;
	const uint64_t bits = htobe64(bytes * 8);

	if (rest)
		memcpy(last, rest, rest_bytes);
	last[rest_bytes] = 0x80;
	memcpy(last + end - LENGTH_BYTES, &bits, LENGTH_BYTES);
	for (size_t at = 0; at < end; at += BLOCK_BYTES)
		take_block(hash, last + at);
}

void cli_sha256(const void *message, size_t bytes, uint8_t digest[CLI_SHA256_BYTES])
{
	/* 5.3.3: of the square roots of the first 8 primes. */
	uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	const uint8_t *at = message;
	const size_t whole = bytes / BLOCK_BYTES * BLOCK_BYTES;

	for (size_t done = 0; done < whole; done += BLOCK_BYTES)
		take_block(hash, at + done);
	take_rest(hash, whole < bytes ? at + whole : NULL, bytes - whole, bytes);
	for (unsigned int i = 0; i < 8; i++)
		hash[i] = htobe32(hash[i]);
	memcpy(digest, hash, CLI_SHA256_BYTES);
}
