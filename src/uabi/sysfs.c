// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The files of sysfs, with the kernel's formats. */
#include "uabi/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kernel.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/thread.h"
#include "uabi/path.h"
#include "uabi/uverbs.h"

#define HUNDRED_MBIT 10

static bool (*read_traffic)(const char *name, unsigned int port_num, struct base_traffic *traffic);

void uabi_sysfs_set_traffic(bool (*read)(const char *name, unsigned int port_num,
					 struct base_traffic *traffic))
{
	read_traffic = read;
}

#define DIR_BYTES 256u /* of the deepest directory, and more */

/*
 * Where files are being written; the first failure is kept and ends the rest. Or one file is looked
 * for: then nothing is written, and @ret says what was found.
 */
struct writer {
	const char *root;
	const char *wanted; /* path of the one file; NULL: all are written */
	char *text;	    /* where its content goes, of UABI_SYSFS_BYTES */
	char dir[DIR_BYTES];
	int ret;
};

static int fail(void)
{
	return base_refuse(-errno, UABI_TREE, (u32)errno, 0);
}

static int make_parents(char *path, size_t from)
{
	for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
		int ret;

		*slash = '\0';
		ret = mkdir(path, 0700) && errno != EEXIST ? fail() : 0;
		*slash = '/';
		if (ret)
			return ret;
	}
	return 0;
}

static int make_file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);
}

/* @from: Where in @path our part of it begins, of which directories may be missing. */
static int write_file(char *path, size_t from, const char *content)
{
	const size_t bytes = strlen(content);
	int fd = make_file(path);
	ssize_t done;
	BASE_NO_SIGXFSZ;

	if (fd < 0 && errno == ENOENT) {
		const int ret = make_parents(path, from);

		if (ret)
			return ret;
		fd = make_file(path);
	}
	if (fd < 0)
		return fail();
	done = write(fd, content, bytes);
	if (done >= 0 && (size_t)done != bytes)
		errno = ENOSPC;
	close(fd);
	return (size_t)done == bytes ? 0 : fail();
}

/* Whether @path is @below, or a directory that it is in. */
static bool leads_to(const char *path, const char *below)
{
	const size_t bytes = strlen(path);

	return strncmp(path, below, bytes) == 0 && (below[bytes] == '/' || !below[bytes]);
}

/* Whether nothing below the directory can be what is looked for. */
static bool is_elsewhere(const struct writer *w)
{
	return w->wanted && !leads_to(w->dir, w->wanted) && !leads_to(w->wanted, w->dir);
}

/* One file, if it is the one, or is below what is a directory then. */
static void find(struct writer *w, const char *path, const char *format, va_list args)
{
	if (strcmp(path, w->wanted) == 0)
		w->ret = vsnprintf(w->text, UABI_SYSFS_BYTES, format, args);
	else if (leads_to(w->wanted, path))
		w->ret = -EISDIR;
}

static void write_one(struct writer *w, char *path, const char *format, va_list args)
{
	char content[UABI_SYSFS_BYTES];

	vsnprintf(content, sizeof(content), format, args);
	w->ret = write_file(path, strlen(w->root) + 1, content);
}

__attribute__((format(printf, 3, 4))) static void put(struct writer *w, const char *name,
						      const char *format, ...)
{
	char path[UABI_PATH_BYTES];
	va_list args;

	if (w->wanted ? w->ret != -ENOENT || is_elsewhere(w) : w->ret)
		return;
	if ((size_t)snprintf(path, sizeof(path), "%s%s/%s", w->root, w->dir, name) >=
	    sizeof(path)) {
		errno = ENAMETOOLONG;
		w->ret = fail();
		return;
	}
	va_start(args, format);
	if (w->wanted)
		find(w, path, format, args);
	else
		write_one(w, path, format, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3))) static void enter(struct writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(w->dir, sizeof(w->dir), format, args);
	va_end(args);
}

static void put_guid(struct writer *w, const char *name, __be64 guid)
{
	const u64 g = be64_to_cpu(guid);

	put(w, name, "%04x:%04x:%04x:%04x\n", (u32)(g >> 48) & 0xffffu, (u32)(g >> 32) & 0xffffu,
	    (u32)(g >> 16) & 0xffffu, (u32)g & 0xffffu);
}

static const char *state_name(enum ib_port_state state)
{
	static const char *const names[] = {"NOP",   "DOWN",   "INIT",
					    "ARMED", "ACTIVE", "ACTIVE_DEFER"};

	return (size_t)state < ARRAY_SIZE(names) ? names[state] : "UNKNOWN";
}

static const char *phys_state_name(u8 state)
{
	static const char *const names[] = {"<unknown>",
					    "Sleep",
					    "Polling",
					    "Disabled",
					    "PortConfigurationTraining",
					    "LinkUp",
					    "LinkErrorRecovery",
					    "Phy Test"};

	return state < ARRAY_SIZE(names) ? names[state] : names[0];
}

static void put_rate(struct writer *w, struct ib_port_attr *attr)
{
	struct ib_port_speed_info speed;

	if (ib_port_attr_to_speed_info(attr, &speed))
		return;
	put(w, "rate", "%d%s Gb/sec (%dX%s)\n", speed.rate / HUNDRED_MBIT,
	    speed.rate % HUNDRED_MBIT ? ".5" : "",
	    ib_width_enum_to_int((enum ib_port_width)attr->active_width), speed.str);
}

/* A file for each index of the tables: the first that is missing ends a search. */
static void put_tables(struct writer *w, struct ib_device *device, u32 port,
		       const struct ib_port_attr *attr)
{
	char name[NAME_MAX];
	union ib_gid gid;
	u16 pkey;

	for (int i = 0; i < attr->gid_tbl_len; i++) {
		if (rdma_query_gid(device, port, i, &gid))
			memset(&gid, 0, sizeof(gid));
		snprintf(name, sizeof(name), "gids/%d", i);
		put(w, name,
		    "%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x\n",
		    gid.raw[0], gid.raw[1], gid.raw[2], gid.raw[3], gid.raw[4], gid.raw[5],
		    gid.raw[6], gid.raw[7], gid.raw[8], gid.raw[9], gid.raw[10], gid.raw[11],
		    gid.raw[12], gid.raw[13], gid.raw[14], gid.raw[15]);
		snprintf(name, sizeof(name), "gid_attrs/types/%d", i);
		put(w, name, "IB/RoCE v1\n");
	}
	for (u16 i = 0; i < attr->pkey_tbl_len; i++) {
		if (ib_query_pkey(device, port, i, &pkey))
			pkey = 0;
		snprintf(name, sizeof(name), "pkeys/%d", i);
		put(w, name, "0x%04x\n", pkey);
	}
}

#define WORD_BYTES 4u

/* What cannot happen here. */
static const char *const zero_counters[] = {
	"counters/VL15_dropped",
	"counters/excessive_buffer_overrun_errors",
	"counters/link_downed",
	"counters/link_error_recovery",
	"counters/local_link_integrity_errors",
	"counters/port_rcv_constraint_errors",
	"counters/port_rcv_remote_physical_errors",
	"counters/port_rcv_switch_relay_errors",
	"counters/port_xmit_constraint_errors",
	"counters/port_xmit_wait",
	"counters/symbol_error",
};

static void put_count(struct writer *w, const char *name, u64 value)
{
	put(w, name, "%llu\n", (unsigned long long)value);
}

/*
 * The kernel's names. In hw_counters rxe's, and where it has none mlx5's, qib's, or that of struct
 * ib_port_attr. They are asked for when one is read, not before.
 */
static void put_counters(struct writer *w, struct ib_device *device, u32 port)
{
	struct base_traffic t = {.sent_bytes = 0};

	if (w->wanted && strstr(w->wanted, "counters/") && read_traffic &&
	    !read_traffic(device->name, port, &t))
		t = (struct base_traffic){.sent_bytes = 0};
	for (size_t i = 0; i < ARRAY_SIZE(zero_counters); i++)
		put_count(w, zero_counters[i], 0);
	put_count(w, "counters/port_xmit_data", t.sent_bytes / WORD_BYTES);
	put_count(w, "counters/port_rcv_data", t.received_bytes / WORD_BYTES);
	put_count(w, "counters/port_xmit_packets", t.sent_packets);
	put_count(w, "counters/port_rcv_packets", t.received_packets);
	put_count(w, "counters/multicast_xmit_packets", t.sent_multicast);
	put_count(w, "counters/multicast_rcv_packets", t.received_multicast);
	put_count(w, "counters/unicast_xmit_packets", t.sent_packets - t.sent_multicast);
	put_count(w, "counters/unicast_rcv_packets", t.received_packets - t.received_multicast);
	put_count(w, "counters/port_xmit_discards", t.discarded);
	put_count(w, "counters/port_rcv_errors", t.malformed);
	put_count(w, "hw_counters/sent_pkts", t.sent_packets);
	put_count(w, "hw_counters/rcvd_pkts", t.received_packets);
	put_count(w, "hw_counters/duplicate_request", t.duplicates);
	put_count(w, "hw_counters/out_of_seq_request", t.gaps);
	put_count(w, "hw_counters/rcvd_rnr_err", t.rnr_naks);
	put_count(w, "hw_counters/rcvd_seq_err", t.sequence_naks);
	put_count(w, "hw_counters/completer_retry_err", t.timeouts);
	put_count(w, "hw_counters/send_err", t.discarded);
	put_count(w, "hw_counters/pkt_drops", t.dropped);
	put_count(w, "hw_counters/out_of_buffer", t.no_receive);
	put_count(w, "hw_counters/resp_local_length_error", t.bad_length);
	put_count(w, "hw_counters/bad_pkey_cntr", t.bad_pkey);
	put_count(w, "hw_counters/qkey_viol_cntr", t.bad_qkey);
}

static void put_port(struct writer *w, struct ib_device *device, u32 port)
{
	struct ib_port_attr attr;

	enter(w, "/sys/class/infiniband/%s/ports/%u", device->name, port);
	if (is_elsewhere(w) || ib_query_port(device, port, &attr))
		return;
	put(w, "state", "%d: %s\n", attr.state, state_name(attr.state));
	put(w, "phys_state", "%d: %s\n", attr.phys_state, phys_state_name(attr.phys_state));
	put_rate(w, &attr);
	put(w, "lid", "0x%x\n", attr.lid);
	put(w, "lid_mask_count", "%u\n", attr.lmc);
	put(w, "sm_lid", "0x%x\n", attr.sm_lid);
	put(w, "sm_sl", "%u\n", attr.sm_sl);
	put(w, "cap_mask", "0x%08x\n", attr.port_cap_flags);
	put(w, "link_layer", "%s\n",
	    rdma_port_get_link_layer(device, port) == IB_LINK_LAYER_ETHERNET ? "Ethernet"
									     : "InfiniBand");
	put_tables(w, device, port, &attr);
	put_counters(w, device, port);
}

static void put_device(struct writer *w, struct ib_device *device)
{
	char fw_ver[IB_FW_VERSION_NAME_MAX] = "";
	u32 port;

	enter(w, "/sys/class/infiniband/%s", device->name);
	ib_get_device_fw_str(device, fw_ver);
	put(w, "node_type", "%u: CA\n", device->node_type);
	put_guid(w, "node_guid", device->node_guid);
	put_guid(w, "sys_image_guid", device->attrs.sys_image_guid);
	put(w, "fw_ver", "%s\n", fw_ver);
	put(w, "hca_type", "Verbena\n");
	put(w, "hw_rev", "%x\n", device->attrs.hw_ver);
	put(w, "board_id", "%s\n", device->board_id[0] ? device->board_id : "Verbena");
	put(w, "node_desc", "%.64s\n", device->node_desc);
	/* By this libhfi1verbs finds its device where netlink does not say the driver. */
	if (device->ops.driver_id == RDMA_DRIVER_HFI1)
		put(w, "device/modalias",
		    "pci:v00008086d000024F0sv00008086sd000024F0bc02sc08i00\n");
	rdma_for_each_port(device, port)
		put_port(w, device, port);
}

static void put_minor(struct writer *w, const struct ib_device *device, unsigned int minor)
{
	const dev_t number = uverbs_devt(minor);

	enter(w, "/sys/class/infiniband_verbs/uverbs%u", minor);
	put(w, "ibdev", "%s\n", device->name);
	put(w, "dev", "%u:%u\n", major(number), minor(number));
	put(w, "abi_version", "%u\n", device->ops.uverbs_abi_ver);
	enter(w, "/dev/infiniband");
	{
		char name[NAME_MAX];

		snprintf(name, sizeof(name), "uverbs%u", minor);
		put(w, name, "%s", "");
	}
}

static void put_all(struct writer *w)
{
	enter(w, "/sys/class/infiniband_verbs");
	put(w, "abi_version", "%d\n", UVERBS_ABI);
	for (unsigned int minor = 0; minor < UVERBS_MAX_DEVICES; minor++) {
		struct ib_device *device = uverbs_device_get(minor);

		if (!device)
			continue;
		put_device(w, device);
		put_minor(w, device, minor);
		ib_device_put(device);
	}
}

int uabi_sysfs_write(const char *root)
{
	struct writer w = {.root = root};

	put_all(&w);
	return w.ret;
}

/* Without what a path may have twice or for nothing: //, /./, and / at its end. */
static bool tidy(const char *path, char out[UABI_PATH_BYTES])
{
	size_t n = 0;

	for (; *path; path++) {
		const char next = path[path[1] == '.' ? 2 : 1];

		if (*path == '/' && (next == '/' || !next)) {
			path += path[1] == '.';
			continue;
		}
		if (n == UABI_PATH_BYTES - 1)
			return false;
		out[n++] = *path;
	}
	out[n] = '\0';
	return true;
}

int uabi_sysfs_read(const char *path, char text[UABI_SYSFS_BYTES])
{
	char wanted[UABI_PATH_BYTES];
	struct writer w = {.root = "", .wanted = wanted, .text = text, .ret = -ENOENT};

	if (!tidy(path, wanted))
		return -ENOENT;
	put_all(&w);
	return w.ret;
}
