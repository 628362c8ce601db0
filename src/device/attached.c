// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Devices whose ports hang on a daemon's fabric: the wire leads to other processes, queue pair
 * numbers come in blocks from the daemon, and it is told which multicast groups are ours.
 */
#include "device/attached.h"

#include <errno.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "attach/client.h"
#include "base/alloc.h"
#include "base/cause.h"
#include "base/environment.h"
#include "device/faults.h"
#include "device/hca.h"
#include "device/report.h"
#include "device/threads.h"
#include "wire/shm.h"

#define PROGRESS_BUDGET 64u
#define LATE_PACKETS 2048u
#define MAX_BLOCKS 4096u
#define BLOCK_QPNS (1u << DIRECTORY_QPN_BLOCK_BITS)

struct device_attached {
	struct attach *attach;
	struct wire_shm *wire;
	struct mutex hca_lock; /* of @hca's coming and going while the engine uses it */
	struct device_hca *hca[DEVICE_MAX_HCAS];
	u32 hca_count;
	bool cut;	    /* likewise: the daemon is gone */
	uint32_t wanted_up; /* atomic: ports that we wanted to be up, directory_port_bit() */
	struct device_outside outside;
	struct device_faults faults;
	spinlock_t lock; /* what follows: numbers that are ours */
	uint32_t cursor; /* which of them was given out last */
	uint32_t block_count;
	uint32_t first_qpn[MAX_BLOCKS];
};

static uint64_t now_ns(void *ctx)
{
	(void)ctx;
	return device_now_ns();
}

static void introduce(void *ctx, uint32_t peer)
{
	const struct device_attached *d = ctx;

	attach_introduce(d->attach, peer);
}

static bool take_peer(void *ctx, const struct wire_shm_peer *peer)
{
	struct device_attached *d = ctx;

	wire_shm_drop_peer(d->wire, peer->id); /* of an earlier generation, if there is one */
	return !wire_shm_add_peer(d->wire, peer);
}

static void drop_peer(void *ctx, uint32_t id, uint32_t generation)
{
	struct device_attached *d = ctx;

	(void)generation;
	wire_shm_drop_peer(d->wire, id);
}

static void missed_peer(void *ctx, uint32_t id)
{
	struct device_attached *d = ctx;

	wire_shm_missed(d->wire, id);
}

static void port_changed(void *ctx, uint32_t hca, uint32_t port, bool up)
{
	struct device_attached *d = ctx;

	mutex_lock(&d->hca_lock);
	if (hca < d->hca_count && port < device_hca_device(d->hca[hca])->phys_port_cnt)
		device_hca_link_changed(d->hca[hca], port + 1, up);
	mutex_unlock(&d->hca_lock);
}

static int set_port_link(void *ctx, uint32_t slot, bool up, bool wait)
{
	struct device_attached *d = ctx;
	uint32_t n = 0;

	while (n < DIRECTORY_HCAS * DIRECTORY_PORTS &&
	       attach_slot(d->attach, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS) != (int)slot)
		n++;
	if (n == DIRECTORY_HCAS * DIRECTORY_PORTS)
		return -ENOENT;
	if (up)
		__atomic_fetch_or(&d->wanted_up, 1u << n, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&d->wanted_up, ~(1u << n), __ATOMIC_RELAXED);
	if (wait)
		return attach_set_link(d->attach, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS, up);
	return attach_want_link(d->attach, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS, up)
		       ? 0
		       : -ENOTCONN;
}

/* What we have unplugged was to be plugged in while there was no daemon. */
static void want_links_again(struct device_attached *d)
{
	const struct directory *dir = attach_directory(d->attach);
	const uint32_t late = dir->process[attach_id(d->attach)].down &
			      __atomic_load_n(&d->wanted_up, __ATOMIC_RELAXED);

	for (uint32_t n = 0; late && n < DIRECTORY_HCAS * DIRECTORY_PORTS; n++)
		if (late >> n & 1)
			(void)attach_want_link(d->attach, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS,
					       true);
}

/* The wire first: who hears of the event may send. */
static void set_link(void *ctx, bool up)
{
	struct device_attached *d = ctx;

	if (up) {
		wire_shm_ask_again(d->wire);
		want_links_again(d);
	}
	mutex_lock(&d->hca_lock);
	d->cut = !up;
	for (u32 i = 0; i < d->hca_count; i++)
		device_hca_set_cut(d->hca[i], d->cut);
	mutex_unlock(&d->hca_lock);
}

static void known(void *ctx, uint64_t ids[DIRECTORY_PROCESSES / 64])
{
	struct device_attached *d = ctx;

	wire_shm_known(d->wire, ids);
}

static bool progress(void *ctx)
{
	struct device_attached *d = ctx;

	return wire_shm_progress(d->wire, PROGRESS_BUDGET) > 0;
}

static bool poll_once(void *ctx, bool *wake)
{
	struct device_attached *d = ctx;

	*wake = wire_shm_polled(d->wire);
	return wire_shm_poll(d->wire, PROGRESS_BUDGET);
}

static bool polled(void *ctx)
{
	const struct device_attached *d = ctx;

	return wire_shm_polled(d->wire);
}

/* Who has the lock changes what there is to report: next time, then. */
static void report(struct device_attached *d)
{
	struct base_report *to = attach_report(d->attach);

	if (!mutex_trylock(&d->hca_lock))
		return;
	for (u32 i = 0; i < d->hca_count; i++)
		device_hca_errors(d->hca[i], to->port[i]);
	device_report_faults(to, &d->faults.faults);
	if (unlikely(device_report_is_wanted(to)))
		device_report_publish(to, d->hca, d->hca_count);
	mutex_unlock(&d->hca_lock);
}

static bool is_polled(void *ctx)
{
	const struct device_attached *d = ctx;

	return wire_shm_is_polled(d->wire);
}

static void expect(void *ctx)
{
	const struct device_attached *d = ctx;

	wire_shm_expect(d->wire);
}

static uint64_t go_to_sleep(void *ctx)
{
	struct device_attached *d = ctx;

	uint64_t ns;

	attach_pump(d->attach, false);
	report(d);
	ns = wire_shm_sleep(d->wire);
	if (!ns) /* and will not look at the socket */
		attach_pump(d->attach, true);
	return ns;
}

static void come_back(void *ctx, bool readable)
{
	struct device_attached *d = ctx;

	wire_shm_awake(d->wire);
	attach_pump(d->attach, readable);
}

static unsigned int descriptors(void *ctx, int *fds)
{
	const struct device_attached *d = ctx;

	fds[0] = attach_wake_fd(d->attach);
	fds[1] = attach_socket(d->attach); /* poll() passes over -1 */
	return 2;
}

/* The next of our numbers that no queue pair has. */
static int claim_qpn(struct device_attached *d, struct rvt_qpn_table *qpt)
{
	const uint32_t count = d->block_count * BLOCK_QPNS;

	for (uint32_t n = 0; n < count; n++) {
		uint32_t qpn;
		int ret;

		d->cursor = (d->cursor + 1) % count;
		qpn = d->first_qpn[d->cursor / BLOCK_QPNS] + d->cursor % BLOCK_QPNS;
		ret = rvt_claim_qpn(qpt, qpn);
		if (ret != -EBUSY)
			return ret ? ret : (int)qpn;
	}
	return -ENOSPC;
}

static int add_block(struct device_attached *d)
{
	uint32_t first_qpn;
	int ret = attach_take_block(d->attach, &first_qpn);

	if (ret == -ENOSPC || d->block_count == MAX_BLOCKS)
		return base_refuse(-ENOSPC, ATTACH_NUMBERS, ENOSPC);
	if (ret)
		return ret;
	spin_lock(&d->lock);
	if (d->block_count < MAX_BLOCKS) {
		d->cursor = d->block_count * BLOCK_QPNS;
		d->cursor -= d->cursor ? 1 : 0;
		d->first_qpn[d->block_count++] = first_qpn;
	}
	spin_unlock(&d->lock);
	return 0;
}

static int alloc_qpn(struct rvt_dev_info *rdi, struct rvt_qpn_table *qpt, enum ib_qp_type type,
		     u32 port_num)
{
	struct device_attached *d = device_hca_owner(device_hca_of(&rdi->ibdev));
	int ret;

	(void)port_num;
	if (type == IB_QPT_SMI || type == IB_QPT_GSI)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	for (;;) {
		spin_lock(&d->lock);
		ret = claim_qpn(d, qpt);
		spin_unlock(&d->lock);
		if (ret != -ENOSPC)
			return ret;
		ret = add_block(d);
		if (ret)
			return ret;
	}
}

static int plug(void *wire, uint32_t slot, struct tp_port *port)
{
	return wire_shm_attach(wire, slot, port);
}

static void unplug(void *wire, uint32_t slot)
{
	wire_shm_detach(wire, slot);
}

static int join(void *ctx, const union ib_gid *gid, bool on)
{
	struct device_attached *d = ctx;

	return on ? attach_join(d->attach, gid->raw) : attach_leave(d->attach, gid->raw);
}

static int prepare_faults(void *ctx)
{
	const struct device_attached *d = ctx;

	return wire_shm_prepare_faults(d->wire, LATE_PACKETS);
}

static int open_wire(struct device_attached *d)
{
	static const char *const directs[] = {"0", "1", NULL};
	const struct wire_shm_config config = {
		.directory = attach_directory(d->attach),
		.self = attach_id(d->attach),
		.control = attach_control(d->attach),
		.report = attach_report(d->attach),
		.direct = base_environment_choice("VERBENA_DIRECT", directs) != 0,
		.introduce = introduce,
		.now_ns = now_ns,
		.faults = &d->faults.faults,
		.ctx = d,
	};

	d->wire = wire_shm_new(&config);
	return d->wire ? 0 : base_refuse(-ENOMEM, NO_MEMORY, sizeof(*d));
}

static void put_keys(void *keys)
{
	munmap(keys, DEVICE_KEY_BYTES);
}

/* A host's ports are made by its first process; later ones get them as they are, whatever their profile says. */
static void compare_port(const struct fabric_port_config *wanted,
			 const struct fabric_port_config *is, uint32_t hca, uint32_t port)
{
	struct base_cause why = {.id = BASE_CAUSE_HOST_PORT_KEPT,
				 .arg = {hca, port + 1, is->guid, is->lid}};

	if ((!wanted->guid || wanted->guid == is->guid) &&
	    (!wanted->lid || wanted->lid == is->lid) && wanted->lmc == is->lmc &&
	    wanted->down == is->down)
		return;
	snprintf((char *)&why.arg[4], sizeof(why.arg[4]), "%s", is->down ? "down" : "up");
	base_cause_warn(&why);
}

static int open_device(struct device_attached *d, const char *host,
		       const struct device_profile *profile, void *keys)
{
	struct device_place place = {
		.fabric = &attach_directory(d->attach)->fabric,
		.plug = plug,
		.unplug = unplug,
		.wire = d->wire,
		.faults = &d->faults,
		.alloc_qpn = alloc_qpn,
		.keys = keys,
		.first_key = d->hca_count << DEVICE_KEY_BITS,
		.put_keys = put_keys,
		.set_link = set_port_link,
		.join = join,
	};
	struct device_hca *hca;

	for (u32 port = 0; port < profile->hca.ports; port++) {
		const int slot = attach_slot(d->attach, d->hca_count, port);

		if (slot < 0)
			return base_refuse(-EPROTO, ATTACH_LOST, EPROTO);
		place.slot[port] = (uint32_t)slot;
		compare_port(&profile->hca.port[port], &place.fabric->ports[slot].config,
			     d->hca_count, port);
	}
	hca = device_hca_new_at(&place, host, profile, d);
	if (IS_ERR(hca))
		return (int)PTR_ERR(hca);
	mutex_lock(&d->hca_lock);
	snprintf(attach_report(d->attach)->device[d->hca_count], BASE_REPORT_NAME, "%s",
		 device_hca_device(hca)->name);
	d->hca[d->hca_count++] = hca;
	device_hca_set_cut(hca, d->cut);
	mutex_unlock(&d->hca_lock);
	return 0;
}

static void close_devices(struct device_attached *d)
{
	while (d->hca_count) {
		struct device_hca *hca = d->hca[d->hca_count - 1];

		mutex_lock(&d->hca_lock);
		d->hca_count--;
		mutex_unlock(&d->hca_lock);
		device_hca_free(hca);
	}
}

static int open_devices(struct device_attached *d, const char *host,
			const struct device_host_profile *profile)
{
	char *keys = attach_take_keys(d->attach);
	int ret = 0;

	for (u32 i = 0; i < profile->count; i++, keys += DEVICE_KEY_BYTES) {
		if (!ret)
			ret = open_device(d, host, &profile->hca[i], keys);
		if (ret)
			put_keys(keys);
	}
	if (ret)
		close_devices(d);
	return ret;
}

static int open_all(struct device_attached *d, const char *fabric, const char *host,
		    const struct device_host_profile *profile)
{
	struct directory_hca hca[DIRECTORY_HCAS] = {{.ports = 0}};
	const struct attach_config config = {
		.fabric = fabric,
		.host = host,
		.hca = hca,
		.key_bytes = profile->count * DEVICE_KEY_BYTES,
		.peer = take_peer,
		.gone = drop_peer,
		.missed = missed_peer,
		.link = set_link,
		.port = port_changed,
		.known = known,
		.ctx = d,
	};
	int ret;

	for (u32 i = 0; i < profile->count; i++)
		hca[i] = profile->hca[i].hca;
	d->attach = attach_open(&config, &ret);
	if (!d->attach)
		return ret;
	ret = open_wire(d);
	if (ret)
		goto close_attach;
	ret = device_threads_get();
	if (ret) {
		ret = base_refuse(-EAGAIN, HOST_THREAD, (uint64_t)-ret);
		goto free_wire;
	}
	d->outside = (struct device_outside){
		.progress = progress,
		.poll = poll_once,
		.polled = polled,
		.is_polled = is_polled,
		.expect = expect,
		.sleep = go_to_sleep,
		.awake = come_back,
		.fds = descriptors,
		.wake_fd = attach_wake_fd(d->attach),
		.ctx = d,
	};
	device_threads_set_outside(&d->outside);
	ret = open_devices(d, host, profile);
	if (!ret)
		return 0;
	device_threads_set_outside(NULL);
	wire_shm_free(d->wire);
	device_threads_put();
	goto close_attach;
free_wire:
	wire_shm_free(d->wire);
close_attach:
	attach_close(d->attach);
	return ret;
}

struct device_attached *device_attached_new(const char *fabric, const char *host,
					    const struct device_host_profile *profile)
{
	struct device_attached *d;
	int ret = device_hca_check(host);

	if (ret)
		return ERR_PTR(ret);
	d = base_zalloc(sizeof(*d));
	if (!d)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*d)));
	spin_lock_init(&d->lock);
	mutex_init(&d->hca_lock);
	device_faults_init(&d->faults, prepare_faults, d);
	ret = open_all(d, fabric, host, profile);
	if (!ret)
		return d;
	device_faults_free(&d->faults);
	base_free(d);
	return ERR_PTR(ret);
}

int device_attached_traffic(struct device_attached *d, const char *name, u32 port_num,
			    struct base_traffic *traffic)
{
	u32 i = 0;

	while (i < d->hca_count && strcmp(device_hca_device(d->hca[i])->name, name) != 0)
		i++;
	return i < d->hca_count ? attach_traffic(d->attach, i, port_num - 1, traffic) : -ENOENT;
}

struct ib_device *device_attached_device(struct device_attached *d, u32 index)
{
	return device_hca_device(d->hca[index]);
}

void device_attached_close_windows(const struct device_attached *d)
{
	wire_shm_close_windows(d->wire);
}

void device_attached_free(struct device_attached *d)
{
	close_devices(d);
	device_faults_free(&d->faults);
	device_threads_set_outside(NULL);
	wire_shm_free(d->wire);
	device_threads_put();
	attach_close(d->attach);
	base_free(d);
}

void device_attached_forked(struct device_attached *d)
{
	attach_forked(d->attach);
}
