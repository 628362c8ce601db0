/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A profile as it is in the file: raw.c reads it, profile.c makes something of it. */
#ifndef PROFILE_RAW_H
#define PROFILE_RAW_H

#include <stddef.h>
#include <stdint.h>

/*
 * PROFILE_LIMITS() - Keys below `limits`: X(key, least, member of struct ib_device_attr). The most
 * is what the device has without a profile.
 */
/* clang-format off */
#define PROFILE_LIMITS(X)                                \
	X(max_qp,               1, max_qp)               \
	X(max_qp_wr,            1, max_qp_wr)            \
	X(max_sge,              1, max_send_sge)         \
	X(max_cq,               1, max_cq)               \
	X(max_cqe,              1, max_cqe)              \
	X(max_mr,               1, max_mr)               \
	X(max_mw,               0, max_mw)               \
	X(max_pd,               1, max_pd)               \
	X(max_ah,               1, max_ah)               \
	X(max_srq,              1, max_srq)              \
	X(max_srq_wr,           1, max_srq_wr)           \
	X(max_srq_sge,          1, max_srq_sge)          \
	X(max_rd_atomic,        1, max_qp_rd_atom)       \
	X(max_mcast_grp,        0, max_mcast_grp)        \
	X(max_mcast_qp_attach,  0, max_mcast_qp_attach)
/* clang-format on */

/** struct profile_raw_limits - NULL: not given. */
struct profile_raw_limits {
#define LIMIT(key, least, member) uint32_t *key;
	PROFILE_LIMITS(LIMIT)
#undef LIMIT
	uint32_t *max_inline;
	uint64_t *max_mr_size;
};

/** struct profile_raw_port - NULL: not given. */
struct profile_raw_port {
	uint64_t *guid;
	uint32_t *lid;
	uint32_t *lmc;
	int *up;
	uint32_t *mtu;
	int *width;
	int *speed;
};

/** struct profile_raw_device - NULL: not given. */
struct profile_raw_device {
	char *name;
	char *personality;
	char *link_layer;
	char *firmware;
	char *board_id;
	char *node_description;
	uint64_t *node_guid;
	uint64_t *system_image_guid;
	uint32_t *vendor_id;
	uint32_t *vendor_part_id;
	uint32_t *hardware_version;
	uint32_t *gid_table;
	uint32_t *pkey_table;
	int *srq;
	uint16_t *pkeys;
	uint32_t pkeys_count;
	struct profile_raw_limits *limits;
	struct profile_raw_port *ports;
	uint32_t ports_count;
};

struct profile_raw {
	struct profile_raw_device *devices;
	uint32_t devices_count;
};

/**
 * profile_raw_load() - Read the file.
 * @path: Of it.
 * @raw: Out, for profile_raw_free().
 * @error: Out, on failure: what is wrong, and where.
 * @bytes: Size of @error.
 *
 * Return: 0; -ENOENT or another errno if it cannot be read; -EINVAL.
 */
int profile_raw_load(const char *path, struct profile_raw **raw, char *error, size_t bytes);

/** profile_raw_free() - Give it back. @raw: May be NULL. */
void profile_raw_free(struct profile_raw *raw);

#endif
