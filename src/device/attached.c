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
#include "mad/mad.h"
#include "wire/shm.h"

#define PROGRESS_BUDGET 64u
#define LATE_PACKETS 2048u
#define MAX_BLOCKS 4096u
#define BLOCK_QPNS (1u << DIRECTORY_QPN_BLOCK_BITS)
#define TIDS_APART 1021u

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

static void port_changed(void *ctx, uint32_t hca, uint32_t port, uint32_t what, bool up)
{
	struct device_attached *d = ctx;

	mutex_lock(&d->hca_lock);
	if (hca < d->hca_count && port < device_hca_device(d->hca[hca])->phys_port_cnt) {
		device_hca_refresh(d->hca[hca], port + 1);
		if (what & SUBNET_CHANGED_STATE)
			device_hca_link_changed(d->hca[hca], port + 1, up);
		device_hca_port_changed(d->hca[hca], port + 1, what & ~SUBNET_CHANGED_STATE);
	}
	mutex_unlock(&d->hca_lock);
}

/* Which port of the host a slot is: HCA * DIRECTORY_PORTS + port. Negative: none. */
static int find_port(const struct device_attached *d, uint32_t slot)
{
	for (int n = 0; n < (int)(DIRECTORY_HCAS * DIRECTORY_PORTS); n++)
		if (attach_slot(d->attach, (uint32_t)n / DIRECTORY_PORTS,
				(uint32_t)n % DIRECTORY_PORTS) == (int)slot)
			return n;
	return -ENOENT;
}

static int set_port_link(void *ctx, uint32_t slot, bool up, bool wait)
{
	struct device_attached *d = ctx;
	const int found = find_port(d, slot);
	const uint32_t n = (uint32_t)found;

	if (found < 0)
		return found;
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

static void refresh(struct device_hca *hca)
{
	for (u32 port_num = 1; port_num <= device_hca_profile(hca)->hca.ports; port_num++)
		device_hca_refresh(hca, port_num);
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
	for (u32 i = 0; i < d->hca_count; i++) {
		refresh(d->hca[i]);
		device_hca_set_cut(d->hca[i], d->cut);
	}
	mutex_unlock(&d->hca_lock);
}

static void known(void *ctx, uint64_t ids[DIRECTORY_PROCESSES / 64])
{
	struct device_attached *d = ctx;

	wire_shm_known(d->wire, ids);
}

static bool is_managed(const struct device_attached *d)
{
	return __atomic_load_n(&attach_directory(d->attach)->managed, __ATOMIC_ACQUIRE) != 0;
}

static int send_mad(void *ctx, uint32_t slot, const struct subnet_mad *mad)
{
	const struct device_attached *d = ctx;
	const int found = find_port(d, slot);
	const uint32_t n = (uint32_t)found;

	return found < 0
		       ? found
		       : attach_send_mad(d->attach, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS, mad);
}

static void bad_key(void *ctx, uint32_t slot, bool qkey, const struct subnet_mad *header)
{
	const struct device_attached *d = ctx;
	const int found = find_port(d, slot);
	const uint32_t n = (uint32_t)found;

	if (found >= 0)
		attach_bad_key(d->attach, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS, qkey, header);
}

static void take_mad(void *ctx, uint32_t hca, uint32_t port, const struct subnet_mad *mad)
{
	struct device_attached *d = ctx;
	const int slot = attach_slot(d->attach, hca, port);

	if (slot >= 0)
		wire_shm_receive_mad(d->wire, (uint32_t)slot, mad);
}

static int claim_agent(void *ctx, uint32_t slot, const struct mad_claim *claim)
{
	struct device_attached *d = ctx;
	const struct ib_mad_reg_req *req = claim->req;
	const u8 mgmt_class = req->mgmt_class;
	const bool smi = mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
			 mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	const int found = find_port(d, slot);
	const uint32_t n = (uint32_t)found;
	struct attach_agent agent = {.hca = n / DIRECTORY_PORTS,
				     .port = n % DIRECTORY_PORTS,
				     .hi_tid = claim->hi_tid,
				     .qpn = !smi,
				     .mgmt_class = mgmt_class,
				     .class_version = req->mgmt_class_version};

	if (found < 0)
		return base_refuse(-ENODEV, MAD_NO_PORT, claim->port_num);
	if (mgmt_class >= IB_MGMT_CLASS_VENDOR_RANGE2_START &&
	    mgmt_class <= IB_MGMT_CLASS_VENDOR_RANGE2_END)
		memcpy(agent.oui, req->oui, sizeof(agent.oui));
	for (unsigned int m = 0; m < IB_MGMT_MAX_METHODS; m++)
		if (test_bit((long)m, req->method_mask))
			agent.methods[m / 64] |= 1ull << (m % 64);
	return attach_add_agent(d->attach, &agent);
}

static void disclaim_agent(void *ctx, const struct mad_claim *claim)
{
	struct device_attached *d = ctx;

	attach_remove_agent(d->attach, claim->hi_tid);
}

/* No other process of the fabric has these; and a process before us with this id began with others. */
static void number_agents(const struct device_attached *d)
{
	const struct directory *dir = attach_directory(d->attach);
	const uint32_t first = attach_first_hi_tid(d->attach);
	const uint32_t generation = dir->process[attach_id(d->attach)].generation;

	mad_agents_number_from(first, ATTACH_TIDS);
	mad_agents_start_at(first + generation * TIDS_APART % ATTACH_TIDS);
}

static bool progress(void *ctx)
{
	struct device_attached *d = ctx;

	return wire_shm_progress(d->wire, PROGRESS_BUDGET) > 0;
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

	if (type == IB_QPT_SMI || type == IB_QPT_GSI)
		return is_managed(d) ? rvt_claim_special_qpn(qpt, type, port_num)
				     : base_refuse(-EOPNOTSUPP, ATTACH_NO_MADS);
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
		.send_mad = is_managed(d) ? send_mad : NULL,
		.bad_key = is_managed(d) ? bad_key : NULL,
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

static void see(void *viewer, uint32_t slot, struct directory_view *view)
{
	const struct device_attached *d = viewer;

	directory_read_view(attach_directory(d->attach), slot, view);
}

/* On an adapter of a topology, what that says counts. */
static void fit(struct device_attached *d, struct device_place *place,
		struct device_profile *profile)
{
	struct directory_view view;
	u32 ports = 0;
	int slot;

	for (; ports < DEVICE_MAX_PORTS; ports++) {
		slot = attach_slot(d->attach, d->hca_count, ports);
		if (slot < 0)
			break;
		if (!ports)
			see(d, (uint32_t)slot, &view);
	}
	if (ports)
		device_profile_fit(profile, ports, &view);
	place->view = see;
	place->viewer = d;
}

static int take_slots(const struct device_attached *d, const struct device_profile *profile,
		      struct device_place *place)
{
	for (u32 port = 0; port < profile->hca.ports; port++) {
		const int slot = attach_slot(d->attach, d->hca_count, port);

		if (slot < 0)
			return base_refuse(-EPROTO, ATTACH_LOST, EPROTO);
		place->slot[port] = (uint32_t)slot;
		if (!place->view)
			compare_port(&profile->hca.port[port], &place->fabric->ports[slot].config,
				     d->hca_count, port);
	}
	return 0;
}

static int open_device(struct device_attached *d, const char *host,
		       const struct device_profile *wanted, void *keys)
{
	struct device_profile profile = *wanted;
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
		.claim = claim_agent,
		.disclaim = disclaim_agent,
		.join = join,
	};
	struct device_hca *hca;
	int ret;

	if (attach_directory(d->attach)->managed)
		fit(d, &place, &profile);
	ret = take_slots(d, &profile, &place);
	if (ret)
		return ret;
	hca = device_hca_new_at(&place, host, &profile, d);
	if (IS_ERR(hca))
		return (int)PTR_ERR(hca);
	mutex_lock(&d->hca_lock);
	snprintf(attach_report(d->attach)->device[d->hca_count], BASE_REPORT_NAME, "%s",
		 device_hca_device(hca)->name);
	d->hca[d->hca_count++] = hca;
	refresh(hca); /* what has changed since it was looked at */
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
		.mad = take_mad,
		.known = known,
		.ctx = d,
	};
	int ret;

	for (u32 i = 0; i < profile->count; i++)
		hca[i] = profile->hca[i].hca;
	d->attach = attach_open(&config, &ret);
	if (!d->attach)
		return ret;
	number_agents(d);
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
	mad_agents_number_from(0, 0);
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
	mad_agents_number_from(0, 0);
	attach_close(d->attach);
	base_free(d);
}

void device_attached_forked(struct device_attached *d)
{
	attach_forked(d->attach);
}
