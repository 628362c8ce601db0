// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The digest, at each side of the lengths where the padding changes. */
#include "cli/sha256.h"

#include <stdio.h>

#include "common/test.h"

static const char *digest_of(const void *message, size_t bytes)
{
	static char text[2 * CLI_SHA256_BYTES + 1];
	uint8_t digest[CLI_SHA256_BYTES];

	cli_sha256(message, bytes, digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return text;
}

/* The standard's own example. */
static void sha256__of_abc(void **state)
{
	(void)state;
	assert_string_equal(digest_of("abc", 3), "ba7816bf8f01cfea414140de5dae2223"
						 "b00361a396177a9cb410ff61f20015ad");
}

/* By Python's hashlib, of bytes (7 i + length) modulo 256. */
static void sha256__of_all_paddings(void **state)
{
	static const struct {
		size_t bytes;
		const char *digest;
	} rows[] = {
		{0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{3, "6ab0dba1f4f1dfbb37b4f9eeb092c09fca4900ad32bdcd147d8dde35d6c87c35"},
		{55, "81afe5b788dc2ce138ff83d9b20164db75a94d75d2b2432eea4a0ef605088c72"},
		{56, "2aba54f0ac632420a2b502431408866e40e1d5e430df4cd822642c78ab2eb9c1"},
		{63, "733d3d4ee79ee67145bf73da13588f6f235d37414fc64b14a2f00f1762792f5e"},
		{64, "79322907b3e9d013d7dc2c2f256674dbf733045cde01df3539271c6f5605feb8"},
		{65, "d85c007c6eb440f085afa2b84f6f2bce4658b240e9f62cb1364bf0485a57e720"},
		{119, "6c87eedf096b345de205b702e5223b73b447a3207791ded3ea007ba15ed6736e"},
		{120, "42500cf6a1e3936d6b9e0bcfe296d654b63255e525487d3634d0b15fde591c4d"},
		{1000, "6b0df76627243d095b0c4400cb658b7e804dd03461cc03aee8fc8fe0bcada168"},
	};
	uint8_t message[1000];

	(void)state;
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		for (size_t i = 0; i < rows[row].bytes; i++)
			message[i] = (uint8_t)(7 * i + rows[row].bytes);
		assert_string_equal(digest_of(message, rows[row].bytes), rows[row].digest);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(sha256__of_abc),
	cmocka_unit_test(sha256__of_all_paddings),
};

int main(void)
{
	return verbena_test_main(tests);
}
