/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Conversions between the host's byte order and a fixed one, unaligned access included. */
#ifndef VERBENA_LINUX_BYTEORDER_H
#define VERBENA_LINUX_BYTEORDER_H

#include <string.h>
#include <linux/types.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BASE_BE(bits, x) __builtin_bswap##bits(x)
#define BASE_LE(bits, x) (x)
#else
#define BASE_BE(bits, x) (x)
#define BASE_LE(bits, x) __builtin_bswap##bits(x)
#endif

#define cpu_to_be16(x) ((__be16)BASE_BE(16, (__u16)(x)))
#define cpu_to_be32(x) ((__be32)BASE_BE(32, (__u32)(x)))
#define cpu_to_be64(x) ((__be64)BASE_BE(64, (__u64)(x)))
#define be16_to_cpu(x) ((__u16)BASE_BE(16, (__u16)(x)))
#define be32_to_cpu(x) ((__u32)BASE_BE(32, (__u32)(x)))
#define be64_to_cpu(x) ((__u64)BASE_BE(64, (__u64)(x)))
#define cpu_to_le16(x) ((__le16)BASE_LE(16, (__u16)(x)))
#define cpu_to_le32(x) ((__le32)BASE_LE(32, (__u32)(x)))
#define cpu_to_le64(x) ((__le64)BASE_LE(64, (__u64)(x)))
#define le16_to_cpu(x) ((__u16)BASE_LE(16, (__u16)(x)))
#define le32_to_cpu(x) ((__u32)BASE_LE(32, (__u32)(x)))
#define le64_to_cpu(x) ((__u64)BASE_LE(64, (__u64)(x)))

static inline u16 get_unaligned_be16(const void *p)
{
	__be16 v;

	memcpy(&v, p, sizeof(v));
	return be16_to_cpu(v);
}

static inline u32 get_unaligned_be32(const void *p)
{
	__be32 v;

	memcpy(&v, p, sizeof(v));
	return be32_to_cpu(v);
}

static inline u64 get_unaligned_be64(const void *p)
{
	__be64 v;

	memcpy(&v, p, sizeof(v));
	return be64_to_cpu(v);
}

static inline void put_unaligned_be16(u16 value, void *p)
{
	const __be16 v = cpu_to_be16(value);

	memcpy(p, &v, sizeof(v));
}

static inline void put_unaligned_be32(u32 value, void *p)
{
	const __be32 v = cpu_to_be32(value);

	memcpy(p, &v, sizeof(v));
}

static inline void put_unaligned_be64(u64 value, void *p)
{
	const __be64 v = cpu_to_be64(value);

	memcpy(p, &v, sizeof(v));
}

#endif /* VERBENA_LINUX_BYTEORDER_H */
