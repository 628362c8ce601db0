/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Protection information (T10-DIF) of memory regions. */
#ifndef VERBENA_RDMA_SIGNATURE_H
#define VERBENA_RDMA_SIGNATURE_H

#include <linux/types.h>

/* Kinds of protection a device knows. */
enum ib_signature_prot_cap {
	IB_PROT_T10DIF_TYPE_1 = 1 << 0,
	IB_PROT_T10DIF_TYPE_2 = 1 << 1,
	IB_PROT_T10DIF_TYPE_3 = 1 << 2,
};

/* Kinds of guards a device knows. */
enum ib_signature_guard_cap {
	IB_GUARD_T10DIF_CRC = 1 << 0,
	IB_GUARD_T10DIF_CSUM = 1 << 1,
};

enum ib_signature_type {
	IB_SIG_TYPE_NONE,
	IB_SIG_TYPE_T10_DIF,
};

enum ib_t10_dif_bg_type {
	IB_T10DIF_CRC,
	IB_T10DIF_CSUM,
};

/* Which check failed. */
enum ib_sig_err_type {
	IB_SIG_BAD_GUARD,
	IB_SIG_BAD_REFTAG,
	IB_SIG_BAD_APPTAG,
};

/* Bytes of the tuple that ib_sig_attrs.check_mask selects. */
enum {
	IB_SIG_CHECK_GUARD = 0xc0,
	IB_SIG_CHECK_APPTAG = 0x30,
	IB_SIG_CHECK_REFTAG = 0x0f,
};

/**
 * struct ib_t10_dif_domain - T10-PI domain.
 * @bg_type: Guard type.
 * @pi_interval: Block bytes.
 * @bg: Guard seed.
 * @app_tag: Application tag.
 * @ref_tag: Reference tag.
 * @ref_remap: Increment reference tag.
 * @app_escape: Skip check when app tag is 0xFFFF.
 * @ref_escape: Skip check when ref tag is 0xFFFFFFFF.
 * @apptag_check_mask: Application tag mask.
 */
struct ib_t10_dif_domain {
	enum ib_t10_dif_bg_type bg_type;
	u16 pi_interval;
	u16 bg;
	u16 app_tag;
	u32 ref_tag;
	bool ref_remap;
	bool app_escape;
	bool ref_escape;
	u16 apptag_check_mask;
};

/**
 * struct ib_sig_domain - Memory or wire signature.
 * @sig_type: Type.
 * @sig: Parameters of @sig_type.
 * @sig.dif: Parameters.
 */
struct ib_sig_domain {
	enum ib_signature_type sig_type;
	union {
		struct ib_t10_dif_domain dif;
	} sig;
};

/**
 * struct ib_sig_attrs - Integrity attributes of an MR.
 * @check_mask: Byte mask of fields to check.
 * @mem: Memory side.
 * @wire: Wire side.
 * @meta_length: Metadata bytes.
 */
struct ib_sig_attrs {
	u8 check_mask;
	struct ib_sig_domain mem;
	struct ib_sig_domain wire;
	int meta_length;
};

/**
 * struct ib_sig_err - Integrity error report.
 * @err_type: Kind.
 * @expected: Expected value.
 * @actual: Actual value.
 * @sig_err_offset: Offset in data.
 * @key: MR key.
 */
struct ib_sig_err {
	enum ib_sig_err_type err_type;
	u32 expected;
	u32 actual;
	u64 sig_err_offset;
	u32 key;
};

#endif /* VERBENA_RDMA_SIGNATURE_H */
