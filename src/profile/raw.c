// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The file's schema, and what libcyaml says when a file does not fit. */
#include "profile/raw.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <rdma/ib_verbs.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/profile.h"

#define OPTIONAL CYAML_FLAG_OPTIONAL

static const cyaml_strval_t widths[] = {{"1X", IB_WIDTH_1X},
					{"2X", IB_WIDTH_2X},
					{"4X", IB_WIDTH_4X},
					{"8X", IB_WIDTH_8X},
					{"12X", IB_WIDTH_12X}};

/* To libcyaml every word is true that is not false. */
static const cyaml_strval_t truths[] = {{"true", 1}, {"yes", 1}, {"false", 0}, {"no", 0}};

static const cyaml_strval_t speeds[] = {{"SDR", IB_SPEED_SDR}, {"DDR", IB_SPEED_DDR},
					{"QDR", IB_SPEED_QDR}, {"FDR10", IB_SPEED_FDR10},
					{"FDR", IB_SPEED_FDR}, {"EDR", IB_SPEED_EDR},
					{"HDR", IB_SPEED_HDR}, {"NDR", IB_SPEED_NDR}};

#define UINT(type, key) CYAML_FIELD_UINT_PTR(#key, OPTIONAL, struct profile_raw_##type, key)
#define STRING(type, key, most) \
	CYAML_FIELD_STRING_PTR(#key, OPTIONAL, struct profile_raw_##type, key, 1, most)
#define ENUM(type, key, words)                                                                   \
	CYAML_FIELD_ENUM_PTR(#key, OPTIONAL | CYAML_FLAG_STRICT, struct profile_raw_##type, key, \
			     words, CYAML_ARRAY_LEN(words))

static const cyaml_schema_field_t limit_fields[] = {
#define LIMIT(key, least, member) UINT(limits, key),
	PROFILE_LIMITS(LIMIT)
#undef LIMIT
		UINT(limits, max_inline),
	UINT(limits, max_mr_size), CYAML_FIELD_END};

static const cyaml_schema_field_t port_fields[] = {
	UINT(port, guid),	   UINT(port, lid), UINT(port, lmc),
	ENUM(port, up, truths),	   UINT(port, mtu), ENUM(port, width, widths),
	ENUM(port, speed, speeds), CYAML_FIELD_END};

static const cyaml_schema_value_t port_entry = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct profile_raw_port, port_fields)};

static const cyaml_schema_value_t pkey_entry = {CYAML_VALUE_UINT(CYAML_FLAG_DEFAULT, uint16_t)};

static const cyaml_schema_field_t device_fields[] = {
	STRING(device, name, IB_DEVICE_NAME_MAX - 1),
	STRING(device, personality, 16),
	STRING(device, link_layer, 16),
	STRING(device, firmware, IB_FW_VERSION_NAME_MAX - 1),
	STRING(device, board_id, DEVICE_BOARD_BYTES - 1),
	STRING(device, node_description, IB_DEVICE_NODE_DESC_MAX - 1),
	UINT(device, node_guid),
	UINT(device, system_image_guid),
	UINT(device, vendor_id),
	UINT(device, vendor_part_id),
	UINT(device, hardware_version),
	UINT(device, gid_table),
	UINT(device, pkey_table),
	ENUM(device, srq, truths),
	CYAML_FIELD_SEQUENCE("pkeys", CYAML_FLAG_POINTER | OPTIONAL, struct profile_raw_device,
			     pkeys, &pkey_entry, 1, DEVICE_MAX_PKEYS),
	CYAML_FIELD_MAPPING_PTR("limits", OPTIONAL, struct profile_raw_device, limits,
				limit_fields),
	CYAML_FIELD_SEQUENCE("ports", CYAML_FLAG_POINTER | OPTIONAL, struct profile_raw_device,
			     ports, &port_entry, 1, DEVICE_MAX_PORTS),
	CYAML_FIELD_END};

static const cyaml_schema_value_t device_entry = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct profile_raw_device, device_fields)};

static const cyaml_schema_field_t fields[] = {
	CYAML_FIELD_SEQUENCE("devices", CYAML_FLAG_POINTER, struct profile_raw, devices,
			     &device_entry, 1, DEVICE_MAX_HCAS),
	CYAML_FIELD_END};

static const cyaml_schema_value_t schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct profile_raw, fields)};

struct log {
	char *text;
	size_t bytes;
	size_t used;
};

/* Lines become one sentence: "Invalid UINT value: 'x', in mapping field 'lid' (line: 3, ...)". */
__attribute__((format(printf, 3, 0))) static void hear(cyaml_log_t level, void *ctx,
						       const char *format, va_list args)
{
	struct log *log = ctx;
	char line[512];
	const char *from = line;
	int n;

	(void)level;
	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(from, "Load: ", 6) == 0)
		from += 6;
	from += strspn(from, " ");
	if (strcmp(from, "Backtrace:") == 0 || log->used >= log->bytes)
		return;
	n = snprintf(log->text + log->used, log->bytes - log->used, "%s%s", log->used ? ", " : "",
		     from);
	log->used += n > 0 ? (size_t)n : 0;
}

static cyaml_config_t config_of(struct log *log)
{
	return (cyaml_config_t){.log_fn = hear,
				.log_ctx = log,
				.log_level = CYAML_LOG_ERROR,
				.mem_fn = cyaml_mem,
				.flags = CYAML_CFG_DEFAULT};
}

int profile_raw_load(const char *path, struct profile_raw **raw, char *error, size_t bytes)
{
	struct log log = {.text = error, .bytes = bytes};
	const cyaml_config_t config = config_of(&log);
	cyaml_err_t err;
	int ret = 0;

	*raw = NULL;
	if (access(path, R_OK)) {
		ret = -errno;
		snprintf(error, bytes, "%s", strerror(errno));
		return ret;
	}
	err = cyaml_load_file(path, &config, &schema, (cyaml_data_t **)raw, NULL);
	if (err == CYAML_OK && *raw)
		return 0;
	if (!log.used)
		snprintf(error, bytes, "%s",
			 err == CYAML_OK ? "there is nothing in it" : cyaml_strerror(err));
	return -EINVAL;
}

void profile_raw_free(struct profile_raw *raw)
{
	struct log log = {.text = NULL};
	const cyaml_config_t config = config_of(&log);

	if (raw)
		(void)cyaml_free(&config, &schema, raw, 0);
}
