/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What Verbena offers beyond the kernel's verbs: a fabric inside the process to have devices on, or
 * a place on one that several processes share, faults, and the reason for every refusal and every
 * error.
 *
 * The shortest use: verbena_fabric_new(), verbena_host_add() twice, then the verbs of
 * <rdma/ib_verbs.h> on the two devices. To meet other processes, stock programs under
 * `verbena run` among them: verbena_host_attach(). Progress is made by whoever polls, and by an engine
 * thread when nobody does; a program has nothing to do for it.
 *
 * NULL or an error pointer instead of a fabric, device or QP is refused with -EINVAL, or, where
 * nothing is returned, does nothing.
 */
#ifndef VERBENA_VERBENA_H
#define VERBENA_VERBENA_H

#include <stdbool.h>
#include <stdint.h>

#include <rdma/ib_verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

struct verbena_fabric;

/**
 * struct verbena_faults - What goes wrong on the links of a fabric.
 * @seed: Decides which packets are hit; same seed and same packets, same faults.
 * @drop_ppm: Of a million packets, how many are lost.
 * @duplicate_ppm: How many arrive twice.
 * @reorder_ppm: How many are overtaken by later ones.
 * @corrupt_ppm: How many have a bit flipped; the CRC then makes the receiver drop them.
 * @delay_ns: By how much every packet is late.
 *
 * All zero: a clean fabric. Each rate is at most 1,000,000.
 */
struct verbena_faults {
	uint64_t seed;
	uint32_t drop_ppm;
	uint32_t duplicate_ppm;
	uint32_t reorder_ppm;
	uint32_t corrupt_ppm;
	uint64_t delay_ns;
};

/**
 * struct verbena_fabric_options - How a fabric shall be. All zero is fine.
 * @name: Appears in the log; NULL for "fabric". Copied.
 * @subnet_prefix: Upper half of all GIDs, host order; 0 for the default, 0xfe80000000000000.
 * @faults: From the start; see verbena_fabric_faults().
 * @topology: Switches, channel adapters and cables, as ibnetdiscover prints them: a subnet, which the
 *	built-in manager brings up, and hosts of which verbena_host_add() puts a program on. NULL: one switch,
 *	which gives LIDs by itself.
 * @capture: From the start; see verbena_fabric_capture().
 */
struct verbena_fabric_options {
	const char *name;
	uint64_t subnet_prefix;
	struct verbena_faults faults;
	const char *topology;
	const char *capture;
};

/**
 * enum verbena_personality - Whose user library a device speaks to when stock programs use it.
 * @VERBENA_PERSONALITY_NONE: Nobody's: the device is for the kernel API.
 * @VERBENA_PERSONALITY_RXE: librxe's: rings of its format, inline data, memory windows.
 * @VERBENA_PERSONALITY_HFI1: libhfi1verbs', which is rdmavt's own.
 * @VERBENA_PERSONALITY_HFI1_V1: The same without shared rings: every verb is a command.
 */
enum verbena_personality {
	VERBENA_PERSONALITY_NONE,
	VERBENA_PERSONALITY_RXE,
	VERBENA_PERSONALITY_HFI1,
	VERBENA_PERSONALITY_HFI1_V1,
};

/**
 * struct verbena_host_options - How a host's HCA shall be. All zero is fine.
 * @device_name: Name of the ib_device; a "%d" becomes the first free number. NULL for
 *	"verbena%d". Copied.
 * @node_guid: GUID of node and port, host order; 0 has the fabric choose one.
 * @lid: LID of the port, 1 to 0xbfff; 0 has the fabric choose one.
 * @lmc: The port answers to 2^lmc LIDs; 0 to 7. @lid is a multiple of that.
 * @mtu: Largest path MTU; 0 for IB_MTU_4096.
 * @pkeys: P_Key table of the port, @pkey_count entries. NULL for the default key, 0xffff. Copied.
 * @pkey_count: Entries of @pkeys, at most 16.
 * @keys_same: Give MRs an R_Key that equals the L_Key, for programs that rely on it. By default
 *	they differ, so that mixing them up is found.
 * @personality: What stock programs take the device for.
 */
struct verbena_host_options {
	const char *device_name;
	uint64_t node_guid;
	uint16_t lid;
	uint8_t lmc;
	enum ib_mtu mtu;
	const uint16_t *pkeys;
	unsigned int pkey_count;
	bool keys_same;
	enum verbena_personality personality;
};

/**
 * struct verbena_stats - What happened on a fabric since it was made.
 * @packets: Packets that hosts sent, retransmissions included.
 * @bytes: Their bytes, from the first header to the CRCs.
 * @dropped: Lost by a fault, by a link that is down, or for want of a destination.
 * @duplicated: Delivered twice by a fault.
 * @reordered: Overtaken by a fault.
 * @corrupted: Damaged by a fault.
 * @retransmitted: Request packets that RC requesters sent again.
 * @timeouts: ACK timers of RC requesters that expired.
 * @seq_naks: NAKs for a PSN out of sequence that requesters received.
 * @rnr_naks: RNR NAKs that requesters received.
 */
struct verbena_stats {
	uint64_t packets;
	uint64_t bytes;
	uint64_t dropped;
	uint64_t duplicated;
	uint64_t reordered;
	uint64_t corrupted;
	uint64_t retransmitted;
	uint64_t timeouts;
	uint64_t seq_naks;
	uint64_t rnr_naks;
};

/**
 * verbena_fabric_new() - Make a fabric inside this process: one switch, no hosts yet.
 * @options: Copied; NULL is all zero.
 *
 * Context: Any thread, may sleep. The first fabric of a process starts the engine thread.
 * Return: The fabric, the caller's until verbena_fabric_free(); ERR_PTR(-EINVAL) if a rate of the
 *	faults exceeds 1,000,000, or the topology makes no sense; ERR_PTR(-EEXIST) if it has a GUID twice;
 *	another negative errno if the capture cannot be written;
 *	ERR_PTR(-ETIMEDOUT) if it does not come up; ERR_PTR(-ENOMEM); ERR_PTR(-EAGAIN) if no thread could be started.
 */
struct verbena_fabric *verbena_fabric_new(const struct verbena_fabric_options *options);

/**
 * verbena_fabric_free() - Remove all hosts as by verbena_host_remove(), then the fabric.
 * @fabric: From verbena_fabric_new(), failed or not, or NULL.
 *
 * Context: A thread that may sleep; not a handler of a completion or an event.
 */
void verbena_fabric_free(struct verbena_fabric *fabric);

/**
 * verbena_host_add() - Add a host with one HCA with one port, and connect it to the switch.
 * @fabric: Where. If it has a topology the host is one of those that are there: the program gets its channel
 *	adapter, with its ports, GUIDs and LIDs.
 * @hostname: Becomes the node description, with the device's name; at most 40 bytes. Copied. With a
 *	topology: a description that is there, or its first word.
 * @options: Copied; NULL is all zero.
 *
 * The port is ACTIVE and has its LID when the call returns, and the clients of
 * ib_register_client() have been told of the device.
 *
 * Context: A thread that may sleep; not a handler of a completion or an event.
 * Return: The registered device, until verbena_host_remove(); or ERR_PTR:
 *	-EINVAL if an option is out of range or @hostname is NULL, empty or too long;
 *	-EEXIST if the GUID or one of the LIDs is taken;
 *	-ENFILE if a fixed device name is taken;
 *	-ENOSPC if there is no free LID, or no room for its ports; -ENOENT if the topology has no such host that is free; -ENOMEM.
 */
struct ib_device *verbena_host_add(struct verbena_fabric *fabric, const char *hostname,
				   const struct verbena_host_options *options);

/**
 * verbena_host_attach() - Be on a host of a fabric that several processes share.
 * @fabric: Its name: letters, digits, '-', '_', '.'. NULL for $VERBENA_FABRIC or, without that,
 *	"default", which is where `verbena run` has its programs.
 * @hostname: Name of the host; other processes may be on the same. NULL for $VERBENA_HOST or,
 *	without that, the machine's name.
 * @options: As for verbena_host_add(). GUID and LID are wishes that count if the host
 *	is new; the LMC is always 0.
 *
 * The fabric is kept by a daemon, verbenad, one for each name and user, which is started if it does
 * not run: the program that VERBENAD names, or the one beside this library, where both are
 * installed, or in the PATH. The host's device then is a device of this process as by
 * verbena_host_add(); its QPs talk to those of stock programs and of other programs like this one.
 * Addresses and QP numbers are exchanged by the program's own means, as on real hardware.
 *
 * A process has one such place at a time, and any number of fabrics of its own besides.
 * verbena_host_remove() gives it up; another one may be had then. The child of a fork has none: nothing of the parent's may be used there, but the
 * child may attach on its own account. exec and the end of the process end it.
 *
 * Context: A thread that may sleep; not a handler of a completion or an event.
 * Return: The registered device, until verbena_host_remove(); or ERR_PTR, with a cause:
 *	-EBUSY if this process has a place already;
 *	-EINVAL if @fabric or @hostname is no name, or an option is out of range;
 *	-ENOENT if there is no program verbenad; -ENOEXEC or -ETIMEDOUT if it does not get up;
 *	-EPERM or another errno if $XDG_RUNTIME_DIR/verbena, else /tmp/verbena-UID, is not a folder of
 *	this user alone;
 *	-ECONNREFUSED if the daemon refuses: it has no room, or is of another version;
 *	-ENFILE if a fixed device name is taken in this process;
 *	-EMFILE if there are no descriptors left; -EAGAIN if no thread could be started; -ENOMEM.
 */
struct ib_device *verbena_host_attach(const char *fabric, const char *hostname,
				      const struct verbena_host_options *options);

/**
 * verbena_host_remove() - Take a host away, as if its HCA were unplugged.
 * @device: From verbena_host_add(), or verbena_host_attach().
 *
 * The remove callbacks of clients run. Objects that still exist afterwards stay valid for their
 * destroy functions only; their QPs are in ERR and what was queued has been flushed. Of a fabric
 * that others share only this process is gone.
 *
 * Context: A thread that may sleep; not a handler of a completion or an event.
 */
void verbena_host_remove(struct ib_device *device);

/**
 * verbena_fabric_faults() - Change what goes wrong on the links from now on.
 * @fabric: Of which all links are meant.
 * @faults: Copied; NULL heals everything. The sequence of faults starts anew from the seed.
 *
 * Context: Any thread.
 * Return: 0; -EINVAL if a rate exceeds 1,000,000, with nothing changed.
 */
int verbena_fabric_faults(struct verbena_fabric *fabric, const struct verbena_faults *faults);

/**
 * verbena_fabric_stats() - Read the counters of a fabric.
 * @fabric: Which.
 * @stats: Out. Taken without stopping traffic: the members may be of slightly different moments.
 *
 * Traffic between two QPs of one device does not touch the fabric and is not counted.
 *
 * Context: Any thread.
 */
void verbena_fabric_stats(struct verbena_fabric *fabric, struct verbena_stats *stats);

/**
 * verbena_port_set_link() - Unplug or plug the cable of a port.
 * @device: From verbena_host_add(), or verbena_host_attach(): then it is the host's port, so all
 *	processes of the host lose it and have it again, and hear of it.
 * @port_num: 1 ...
 * @up: false drops whatever the port sends or should receive and raises IB_EVENT_PORT_ERR; true
 *	makes the port ACTIVE with its old LID and raises IB_EVENT_PORT_ACTIVE. No change, no event.
 *
 * On a fabric that is shared with others events come from the engine thread, soon after the call; and what
 * a process has unplugged is plugged in when it ends, if no other process has unplugged it as well.
 *
 * Context: Any thread, may sleep; of a device of verbena_host_attach(): no handler of a completion or an
 *	event.
 * Return: 0; -EINVAL if there is no such port; of a shared fabric, if its daemon is gone, -ENOTCONN, and if
 *	it does not answer, -ETIMEDOUT, with a cause.
 */
int verbena_port_set_link(struct ib_device *device, uint32_t port_num, bool up);

/**
 * verbena_fabric_impair_cable() - Have a cable of a fabric that has a topology lose packets, or be slow.
 * @fabric: Which.
 * @node: Description of a switch or channel adapter: one of the cable's ends.
 * @port_num: Its port, 1 ...
 * @loss_ppm: Of a million packets so many are lost, whichever way they go; PortRcvErrors tells of them. Packets to
 *	multicast groups are not lost.
 * @delay_ns: How late each packet is.
 *
 * Both are added to what verbena_fabric_faults() asks for, and 0 ends either. Which packets are lost &verbena_faults.seed
 * decides, be the rates there zero: the same each time if all threads do the same each time.
 *
 * Context: Any thread, may sleep.
 * Return: 0; -EINVAL if the fabric has no topology, or for more than a million; -ENOENT if there is no such node
 *	or port, or no cable there; -ENOMEM.
 */
int verbena_fabric_impair_cable(struct verbena_fabric *fabric, const char *node, uint32_t port_num,
				uint32_t loss_ppm, uint64_t delay_ns);

/**
 * verbena_fabric_capture() - Write all packets of a fabric to a file that wireshark and tshark read.
 * @fabric: Which.
 * @path: It is made, or emptied: pcap, with ERF records of InfiniBand from the LRH to the VCRC, and the time of the
 *	monotonic clock. NULL: no more, and the file is complete.
 *
 * Packets are written where they are sent, before they meet faults. Those between two QPs of one device are none.
 *
 * Context: A thread that may sleep; not a handler of a completion or an event.
 * Return: 0; a negative errno if the file cannot be made, with the one before going on, or if of the one that
 *	ends something could not be written.
 */
int verbena_fabric_capture(struct verbena_fabric *fabric, const char *path);

/**
 * verbena_fabric_set_cable() - Break or mend a cable of a fabric that has a topology.
 * @fabric: Which.
 * @node: Description of a switch or channel adapter: one of the cable's ends.
 * @port_num: Its port, 1 ...
 * @whole: false: both ends go Down, and what the subnet manager hears of it has it find other ways; true:
 *	they train, and it has them Active again.
 *
 * Context: Any thread, may sleep.
 * Return: 0, also if nothing changes; -EINVAL if the fabric has no topology; -ENOENT if there is no such node or
 *	port, or no cable there.
 */
int verbena_fabric_set_cable(struct verbena_fabric *fabric, const char *node, uint32_t port_num,
			     bool whole);

/**
 * struct verbena_connect_options - How two QPs are connected. All zero is fine.
 * @mtu: Path MTU; 0 for the smaller of the two ports'.
 * @timeout: ACK timeout code, 4.096 us * 2^timeout, up to 31; 0 for 14 (67 ms).
 * @retry_cnt: Retries after timeouts and sequence errors plus one, 1 to 8; 0 for 8 (seven retries).
 * @rnr_retry: RNR retries plus one, 1 to 8; 0 for 8 (for ever).
 * @min_rnr_timer: RNR timer code; 0 for 1 (10 us).
 * @rd_atomic: READs and atomics outstanding each way; 0 for 16.
 * @access: qp_access_flags; 0 for remote reads, writes and atomics.
 * @pkey_index: Index of the P_Key in both ports' tables.
 * @sq_psn_a: First PSN that the first QP sends and the second expects; 24 bits.
 * @sq_psn_b: The same the other way round.
 */
struct verbena_connect_options {
	enum ib_mtu mtu;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint8_t min_rnr_timer;
	uint8_t rd_atomic;
	int access;
	uint16_t pkey_index;
	uint32_t sq_psn_a;
	uint32_t sq_psn_b;
};

/**
 * verbena_qp_connect() - Bring two QPs from RESET to RTS, connected to each other.
 * @a: RC or UC, in RESET, of a Verbena device.
 * @b: Of the same type and fabric; may be on the same device.
 * @options: Copied; NULL is all zero.
 *
 * What a connection manager does over the network, for two QPs of one process: ib_modify_qp() to
 * INIT, RTR and RTS on both sides.
 *
 * Context: A thread that may sleep.
 * Return: 0; -EINVAL if the types differ or are not RC or UC, the devices are of two fabrics, or an
 *	option is out of range; otherwise what ib_query_port() or ib_modify_qp() refused. The QPs
 *	may be in any state then.
 */
int verbena_qp_connect(struct ib_qp *a, struct ib_qp *b,
		       const struct verbena_connect_options *options);

/**
 * verbena_ud_ready() - Bring a UD QP from RESET to RTS.
 * @qp: UD, in RESET.
 * @qkey: Its Q_Key.
 *
 * Context: A thread that may sleep.
 * Return: 0, or what ib_modify_qp() refused.
 */
int verbena_ud_ready(struct ib_qp *qp, uint32_t qkey);

/**
 * verbena_last_cause() - Why the last call on this thread that was refused was refused.
 *
 * Calls of the verbs and of this header that return an error say so; success does not clear it,
 * nor does what becomes of requests later: for that see verbena_qp_cause().
 *
 * Context: Any thread.
 * Return: A sentence, valid until this thread has asked for seven more; "" if nothing was refused
 *	yet.
 */
const char *verbena_last_cause(void);

/**
 * verbena_last_cause_id() - The same as a number.
 *
 * Return: The id, for verbena_cause_name(); 0 if nothing was refused yet on this thread.
 */
uint32_t verbena_last_cause_id(void);

/**
 * verbena_qp_cause() - What drove a QP into an error state.
 * @qp: Any QP of a Verbena device. It must not be destroyed meanwhile.
 *
 * The first cause is kept: the flood of flushed requests that follows does not cover it. Where the
 * program itself moved the QP to ERR, as ib_drain_qp() does, it says so. Bringing the QP back to
 * RESET forgets it, and so does RTS after SQE.
 *
 * Context: Any thread.
 * Return: A sentence, valid until this thread has asked for seven more; NULL if nothing has driven
 *	the QP into an error state, or @qp is NULL or an error pointer.
 */
const char *verbena_qp_cause(struct ib_qp *qp);

/**
 * verbena_cause_name() - Name of a cause, for logs and for comparing.
 * @id: From verbena_last_cause_id() or ib_wc.vendor_err.
 *
 * Return: A constant such as "MODIFY_MISSING"; "NONE" for 0, "UNKNOWN" for a number that no
 *	cause has.
 */
const char *verbena_cause_name(uint32_t id);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_VERBENA_H */
