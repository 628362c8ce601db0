// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The enum values of the verbs as words, without their prefixes. */
#include "base/cause_names.h"

#include <stdio.h>
#include <string.h>

struct word {
	uint64_t value;
	const char *name;
};

static const struct word states[] = {
	{0, "RESET"}, {1, "INIT"}, {2, "RTR"}, {3, "RTS"},
	{4, "SQD"},   {5, "SQE"},  {6, "ERR"}, {0, NULL},
};

static const struct word types[] = {
	{0, "SMI"},
	{1, "GSI"},
	{2, "RC"},
	{3, "UC"},
	{4, "UD"},
	{5, "RAW_IPV6"},
	{6, "RAW_ETHERTYPE"},
	{8, "RAW_PACKET"},
	{9, "XRC_INI"},
	{10, "XRC_TGT"},
	{255, "DRIVER"},
	{0, NULL},
};

static const struct word requests[] = {
	{0, "RDMA_WRITE"},
	{1, "RDMA_WRITE_WITH_IMM"},
	{2, "SEND"},
	{3, "SEND_WITH_IMM"},
	{4, "RDMA_READ"},
	{5, "ATOMIC_CMP_AND_SWP"},
	{6, "ATOMIC_FETCH_AND_ADD"},
	{7, "LOCAL_INV"},
	{8, "BIND_MW"},
	{9, "SEND_WITH_INV"},
	{10, "LSO"},
	{11, "RDMA_READ_WITH_INV"},
	{12, "MASKED_ATOMIC_CMP_AND_SWP"},
	{13, "MASKED_ATOMIC_FETCH_AND_ADD"},
	{14, "FLUSH"},
	{15, "ATOMIC_WRITE"},
	{32, "REG_MR"},
	{33, "REG_MR_INTEGRITY"},
	{0, NULL},
};

static const struct word statuses[] = {
	{0, "SUCCESS"},
	{1, "LOC_LEN_ERR"},
	{2, "LOC_QP_OP_ERR"},
	{3, "LOC_EEC_OP_ERR"},
	{4, "LOC_PROT_ERR"},
	{5, "WR_FLUSH_ERR"},
	{6, "MW_BIND_ERR"},
	{7, "BAD_RESP_ERR"},
	{8, "LOC_ACCESS_ERR"},
	{9, "REM_INV_REQ_ERR"},
	{10, "REM_ACCESS_ERR"},
	{11, "REM_OP_ERR"},
	{12, "RETRY_EXC_ERR"},
	{13, "RNR_RETRY_EXC_ERR"},
	{14, "LOC_RDD_VIOL_ERR"},
	{15, "REM_INV_RD_REQ_ERR"},
	{16, "REM_ABORT_ERR"},
	{17, "INV_EECN_ERR"},
	{18, "INV_EEC_STATE_ERR"},
	{19, "FATAL_ERR"},
	{20, "RESP_TIMEOUT_ERR"},
	{21, "GENERAL_ERR"},
	{0, NULL},
};

static const struct word rights[] = {
	{1, "LOCAL_WRITE"},
	{2, "REMOTE_WRITE"},
	{4, "REMOTE_READ"},
	{8, "REMOTE_ATOMIC"},
	{16, "MW_BIND"},
	{32, "ZERO_BASED"},
	{64, "ON_DEMAND"},
	{128, "HUGETLB"},
	{256, "FLUSH_GLOBAL"},
	{512, "FLUSH_PERSISTENT"},
	{0x100000, "RELAXED_ORDERING"},
	{0, NULL},
};

static const struct word masks[] = {
	{0x1, "STATE"},
	{0x2, "CUR_STATE"},
	{0x4, "EN_SQD_ASYNC_NOTIFY"},
	{0x8, "ACCESS_FLAGS"},
	{0x10, "PKEY_INDEX"},
	{0x20, "PORT"},
	{0x40, "QKEY"},
	{0x80, "AV"},
	{0x100, "PATH_MTU"},
	{0x200, "TIMEOUT"},
	{0x400, "RETRY_CNT"},
	{0x800, "RNR_RETRY"},
	{0x1000, "RQ_PSN"},
	{0x2000, "MAX_QP_RD_ATOMIC"},
	{0x4000, "ALT_PATH"},
	{0x8000, "MIN_RNR_TIMER"},
	{0x10000, "SQ_PSN"},
	{0x20000, "MAX_DEST_RD_ATOMIC"},
	{0x40000, "PATH_MIG_STATE"},
	{0x80000, "CAP"},
	{0x100000, "DEST_QPN"},
	{0x2000000, "RATE_LIMIT"},
	{0, NULL},
};

/* What an RC packet is, as IBA calls it. */
static const struct word packets[] = {
	{0x00, "SEND First"},
	{0x01, "SEND Middle"},
	{0x02, "SEND Last"},
	{0x03, "SEND Last with Immediate"},
	{0x04, "SEND Only"},
	{0x05, "SEND Only with Immediate"},
	{0x06, "RDMA WRITE First"},
	{0x07, "RDMA WRITE Middle"},
	{0x08, "RDMA WRITE Last"},
	{0x09, "RDMA WRITE Last with Immediate"},
	{0x0a, "RDMA WRITE Only"},
	{0x0b, "RDMA WRITE Only with Immediate"},
	{0x0c, "RDMA READ Request"},
	{0x0d, "RDMA READ Response First"},
	{0x0e, "RDMA READ Response Middle"},
	{0x0f, "RDMA READ Response Last"},
	{0x10, "RDMA READ Response Only"},
	{0x11, "Acknowledge"},
	{0x12, "ATOMIC Acknowledge"},
	{0x13, "Compare & Swap"},
	{0x14, "Fetch & Add"},
	{0x16, "SEND Last with Invalidate"},
	{0x17, "SEND Only with Invalidate"},
	{0x1c, "FLUSH"},
	{0x1d, "ATOMIC WRITE"},
	{0, NULL},
};

static const struct word queues[] = {{0, "send"}, {1, "receive"}, {0, NULL}};

struct kind {
	const char *name;
	const struct word *words;
	bool bits;
};

static const struct kind kinds[] = {
	{"state", states, false}, {"type", types, false},     {"wr", requests, false},
	{"wc", statuses, false},  {"access", rights, true},   {"mask", masks, true},
	{"queue", queues, false}, {"packet", packets, false},
};

static bool name_bits(const struct word *w, uint64_t value, char *text, size_t bytes)
{
	size_t used = 0;

	*text = '\0';
	if (!value)
		return snprintf(text, bytes, "none") > 0;
	for (; w->name && used < bytes; w++) {
		if (!(value & w->value))
			continue;
		value &= ~w->value;
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? "|" : "",
					 w->name);
	}
	if (value && used < bytes)
		snprintf(text + used, bytes - used, "%s0x%llx", used ? "|" : "",
			 (unsigned long long)value);
	return true;
}

static bool name_errno(uint64_t value, char *text, size_t bytes)
{
	const int64_t number = (int64_t)value < 0 ? -(int64_t)value : (int64_t)value;
	const char *words = number && number <= INT32_MAX ? strerrordesc_np((int)number) : NULL;

	return words ? snprintf(text, bytes, "%s", words) > 0
		     : snprintf(text, bytes, "errno %lld", (long long)number) > 0;
}

bool base_cause_value_name(const char *kind, size_t kind_bytes, uint64_t value, char *text,
			   size_t bytes)
{
	if (kind_bytes == 5 && memcmp(kind, "errno", 5) == 0)
		return name_errno(value, text, bytes);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].name) != kind_bytes ||
		    memcmp(kinds[i].name, kind, kind_bytes) != 0)
			continue;
		if (kinds[i].bits)
			return name_bits(kinds[i].words, value, text, bytes);
		for (const struct word *w = kinds[i].words; w->name; w++)
			if (w->value == value)
				return snprintf(text, bytes, "%s", w->name) > 0;
	}
	return false;
}
