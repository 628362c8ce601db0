/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Performance management: the layout of its attributes. All fields are in network order. */
#ifndef VERBENA_RDMA_IB_PMA_H
#define VERBENA_RDMA_IB_PMA_H

#include <rdma/ib_mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CapabilityMask of ClassPortInfo. */
#define IB_PMA_CLASS_CAP_ALLPORTSELECT cpu_to_be16(1 << 8)
#define IB_PMA_CLASS_CAP_EXT_WIDTH cpu_to_be16(1 << 9)
#define IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF cpu_to_be16(1 << 10)
#define IB_PMA_CLASS_CAP_XMIT_WAIT cpu_to_be16(1 << 12)

/* Attributes. */
#define IB_PMA_CLASS_PORT_INFO cpu_to_be16(0x0001)
#define IB_PMA_PORT_SAMPLES_CONTROL cpu_to_be16(0x0010)
#define IB_PMA_PORT_SAMPLES_RESULT cpu_to_be16(0x0011)
#define IB_PMA_PORT_COUNTERS cpu_to_be16(0x0012)
#define IB_PMA_PORT_COUNTERS_EXT cpu_to_be16(0x001D)
#define IB_PMA_PORT_SAMPLES_RESULT_EXT cpu_to_be16(0x001E)

#define IB_PMA_DATA_SIZE 192

/**
 * struct ib_pma_mad - MAD of performance management.
 * @mad_hdr: Header.
 * @reserved: 0.
 * @data: The attribute.
 */
struct ib_pma_mad {
	struct ib_mad_hdr mad_hdr;
	u8 reserved[40];
	u8 data[IB_PMA_DATA_SIZE];
} __packed;

/**
 * struct ib_pma_portsamplescontrol - PortSamplesControl.
 * @opcode: Op code that some counters are about.
 * @port_select: Port.
 * @tick: Unit of time: 10 ns x (tick + 1).
 * @counter_width: Width of the counters (2:0): 0 for 16 bits, 1 for 20, ... 4 for 32.
 * @counter_mask0_9: CounterMask of counters 0 to 9, three bits each (29:0).
 * @counter_mask10_14: The same of 10 to 14 (14:0).
 * @sample_mechanisms: How many there are, less one.
 * @sample_status: 0 done, 1 waits for its start, 2 runs.
 * @option_mask: Optional counters that can be sampled.
 * @vendor_mask: The same of a vendor's.
 * @sample_start: Ticks until it begins.
 * @sample_interval: Ticks that it lasts.
 * @tag: Goes back with the result.
 * @counter_select: What each counter counts.
 * @reserved1: 0.
 * @samples_only_option_mask: Optional counters that only a sample has.
 * @reserved2: 0.
 */
struct ib_pma_portsamplescontrol {
	u8 opcode;
	u8 port_select;
	u8 tick;
	u8 counter_width;
	__be32 counter_mask0_9;
	__be16 counter_mask10_14;
	u8 sample_mechanisms;
	u8 sample_status;
	__be64 option_mask;
	__be64 vendor_mask;
	__be32 sample_start;
	__be32 sample_interval;
	__be16 tag;
	__be16 counter_select[15];
	__be32 reserved1;
	__be64 samples_only_option_mask;
	__be32 reserved2[28];
} __packed;

/* What a counter of a sample counts. */
#define IB_PMA_PORT_XMIT_DATA cpu_to_be16(0x0001)
#define IB_PMA_PORT_RCV_DATA cpu_to_be16(0x0002)
#define IB_PMA_PORT_XMIT_PKTS cpu_to_be16(0x0003)
#define IB_PMA_PORT_RCV_PKTS cpu_to_be16(0x0004)
#define IB_PMA_PORT_XMIT_WAIT cpu_to_be16(0x0005)

#define IB_PMA_SAMPLE_STATUS_DONE 0x00
#define IB_PMA_SAMPLE_STATUS_STARTED 0x01
#define IB_PMA_SAMPLE_STATUS_RUNNING 0x02

/**
 * struct ib_pma_portsamplesresult - PortSamplesResult.
 * @tag: As in the control.
 * @sample_status: As in the control, low two bits.
 * @counter: Counters.
 */
struct ib_pma_portsamplesresult {
	__be16 tag;
	__be16 sample_status;
	__be32 counter[15];
} __packed;

/**
 * struct ib_pma_portsamplesresult_ext - PortSamplesResultExtended.
 * @tag: As in the control.
 * @sample_status: As in the control, low two bits.
 * @extended_width: Top two bits: 1 for 48 bits, 2 for 64.
 * @counter: Counters.
 */
struct ib_pma_portsamplesresult_ext {
	__be16 tag;
	__be16 sample_status;
	__be32 extended_width;
	__be64 counter[15];
} __packed;

/**
 * struct ib_pma_portcounters - PortCounters. Each sticks at its maximum.
 * @reserved: 0.
 * @port_select: Port.
 * @counter_select: Set: those to be cleared, IB_PMA_SEL_*.
 * @symbol_error_counter: Symbol errors.
 * @link_error_recovery_counter: Recoveries of the link.
 * @link_downed_counter: Recoveries that failed.
 * @port_rcv_errors: Packets received that were damaged.
 * @port_rcv_remphys_errors: Packets marked bad by who sent them.
 * @port_rcv_switch_relay_errors: Packets that a switch could not send on.
 * @port_xmit_discards: Packets that could not go out.
 * @port_xmit_constraint_errors: Packets that were not allowed out.
 * @port_rcv_constraint_errors: Packets that were not allowed in.
 * @reserved1: CounterSelect2.
 * @link_overrun_errors: LocalLinkIntegrityErrors (7:4), ExcessiveBufferOverrunErrors (3:0).
 * @reserved2: QP1Dropped.
 * @vl15_dropped: SMPs lost.
 * @port_xmit_data: Words of four bytes.
 * @port_rcv_data: Words of four bytes.
 * @port_xmit_packets: Packets.
 * @port_rcv_packets: Packets.
 * @port_xmit_wait: Ticks that something waited for credits.
 */
struct ib_pma_portcounters {
	u8 reserved;
	u8 port_select;
	__be16 counter_select;
	__be16 symbol_error_counter;
	u8 link_error_recovery_counter;
	u8 link_downed_counter;
	__be16 port_rcv_errors;
	__be16 port_rcv_remphys_errors;
	__be16 port_rcv_switch_relay_errors;
	__be16 port_xmit_discards;
	u8 port_xmit_constraint_errors;
	u8 port_rcv_constraint_errors;
	u8 reserved1;
	u8 link_overrun_errors;
	__be16 reserved2;
	__be16 vl15_dropped;
	__be32 port_xmit_data;
	__be32 port_rcv_data;
	__be32 port_xmit_packets;
	__be32 port_rcv_packets;
	__be32 port_xmit_wait;
} __packed;

/* CounterSelect of PortCounters. */
#define IB_PMA_SEL_SYMBOL_ERROR cpu_to_be16(0x0001)
#define IB_PMA_SEL_LINK_ERROR_RECOVERY cpu_to_be16(0x0002)
#define IB_PMA_SEL_LINK_DOWNED cpu_to_be16(0x0004)
#define IB_PMA_SEL_PORT_RCV_ERRORS cpu_to_be16(0x0008)
#define IB_PMA_SEL_PORT_RCV_REMPHYS_ERRORS cpu_to_be16(0x0010)
#define IB_PMA_SEL_PORT_RCV_SWITCH_RELAY_ERRORS cpu_to_be16(0x0020)
#define IB_PMA_SEL_PORT_XMIT_DISCARDS cpu_to_be16(0x0040)
#define IB_PMA_SEL_PORT_XMIT_CONSTRAINT_ERRORS cpu_to_be16(0x0080)
#define IB_PMA_SEL_PORT_RCV_CONSTRAINT_ERRORS cpu_to_be16(0x0100)
#define IB_PMA_SEL_LOCAL_LINK_INTEGRITY_ERRORS cpu_to_be16(0x0200)
#define IB_PMA_SEL_EXCESSIVE_BUFFER_OVERRUNS cpu_to_be16(0x0400)
#define IB_PMA_SEL_PORT_VL15_DROPPED cpu_to_be16(0x0800)
#define IB_PMA_SEL_PORT_XMIT_DATA cpu_to_be16(0x1000)
#define IB_PMA_SEL_PORT_RCV_DATA cpu_to_be16(0x2000)
#define IB_PMA_SEL_PORT_XMIT_PACKETS cpu_to_be16(0x4000)
#define IB_PMA_SEL_PORT_RCV_PACKETS cpu_to_be16(0x8000)

/**
 * struct ib_pma_portcounters_ext - PortCountersExtended.
 * @reserved: 0.
 * @port_select: Port.
 * @counter_select: Set: those to be cleared, IB_PMA_SELX_*.
 * @reserved1: CounterSelect2.
 * @port_xmit_data: Words of four bytes.
 * @port_rcv_data: Words of four bytes.
 * @port_xmit_packets: Packets.
 * @port_rcv_packets: Packets.
 * @port_unicast_xmit_packets: Packets.
 * @port_unicast_rcv_packets: Packets.
 * @port_multicast_xmit_packets: Packets.
 * @port_multicast_rcv_packets: Packets.
 */
struct ib_pma_portcounters_ext {
	u8 reserved;
	u8 port_select;
	__be16 counter_select;
	__be32 reserved1;
	__be64 port_xmit_data;
	__be64 port_rcv_data;
	__be64 port_xmit_packets;
	__be64 port_rcv_packets;
	__be64 port_unicast_xmit_packets;
	__be64 port_unicast_rcv_packets;
	__be64 port_multicast_xmit_packets;
	__be64 port_multicast_rcv_packets;
} __packed;

/* CounterSelect of PortCountersExtended. */
#define IB_PMA_SELX_PORT_XMIT_DATA cpu_to_be16(0x0001)
#define IB_PMA_SELX_PORT_RCV_DATA cpu_to_be16(0x0002)
#define IB_PMA_SELX_PORT_XMIT_PACKETS cpu_to_be16(0x0004)
#define IB_PMA_SELX_PORT_RCV_PACKETS cpu_to_be16(0x0008)
#define IB_PMA_SELX_PORT_UNI_XMIT_PACKETS cpu_to_be16(0x0010)
#define IB_PMA_SELX_PORT_UNI_RCV_PACKETS cpu_to_be16(0x0020)
#define IB_PMA_SELX_PORT_MULTI_XMIT_PACKETS cpu_to_be16(0x0040)
#define IB_PMA_SELX_PORT_MULTI_RCV_PACKETS cpu_to_be16(0x0080)

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_PMA_H */
