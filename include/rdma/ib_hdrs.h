/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packet headers as they are on the wire. */
#ifndef VERBENA_RDMA_IB_HDRS_H
#define VERBENA_RDMA_IB_HDRS_H

#include <linux/bits.h>
#include <linux/byteorder.h>
#include <rdma/ib_pack.h>

#define IB_SEQ_NAK (3 << 29)

/* AETH syndromes. */
#define IB_RNR_NAK 0x20
#define IB_NAK_PSN_ERROR 0x60
#define IB_NAK_INVALID_REQUEST 0x61
#define IB_NAK_REMOTE_ACCESS_ERROR 0x62
#define IB_NAK_REMOTE_OPERATIONAL_ERROR 0x63
#define IB_NAK_INVALID_RD_REQUEST 0x64

/* Bits of the BTH's words 0, 1 and 2. */
#define IB_BTH_SOLICITED BIT(23)
#define IB_BTH_MIG_REQ BIT(22)
#define IB_BTH_PAD_SHIFT 20
#define IB_BTH_PAD_MASK 3
#define IB_BTH_TVER_SHIFT 16
#define IB_BTH_TVER_MASK 0xf
#define IB_FECN_SHIFT 31
#define IB_FECN_MASK 1
#define IB_BECN_SHIFT 30
#define IB_BECN_MASK 1
#define IB_BTH_REQ_ACK BIT(31)
#define IB_PSN_MASK 0xffffff
#define IB_BTH_OPCODE_CNP 0x81

#define IB_AETH_CREDIT_SHIFT 24
#define IB_AETH_CREDIT_MASK 0x1f
#define IB_AETH_CREDIT_INVAL 0x1f
#define IB_AETH_NAK_SHIFT 29
#define IB_MSN_MASK 0xffffff

/**
 * struct ib_reth - RDMA extended transport header; only 4-byte aligned on the wire.
 * @vaddr: Remote address.
 * @rkey: R_Key.
 * @length: Bytes of the whole message.
 */
struct ib_reth {
	__be64 vaddr;
	__be32 rkey;
	__be32 length;
} __packed;

/**
 * struct ib_atomic_eth - Atomic extended transport header.
 * @vaddr: Remote address.
 * @rkey: R_Key.
 * @swap_data: Value to store, or to add.
 * @compare_data: Value to compare with.
 */
struct ib_atomic_eth {
	__be64 vaddr;
	__be32 rkey;
	__be64 swap_data;
	__be64 compare_data;
} __packed;

/**
 * union ib_ehdrs - Whatever follows the BTH.
 * @ud: Datagram.
 * @ud.deth: Q_Key and source QP.
 * @ud.imm_data: Immediate data.
 * @rc: RDMA request.
 * @rc.reth: RETH.
 * @rc.imm_data: Immediate data.
 * @at: Atomic response.
 * @at.aeth: AETH.
 * @at.atomic_ack_eth: Original value.
 * @imm_data: Immediate data of a SEND.
 * @aeth: AETH of a response.
 * @ieth: R_Key to invalidate.
 * @atomic_eth: Atomic request.
 */
union ib_ehdrs {
	struct {
		__be32 deth[2];
		__be32 imm_data;
	} ud;
	struct {
		struct ib_reth reth;
		__be32 imm_data;
	} rc;
	struct {
		__be32 aeth;
		__be64 atomic_ack_eth;
	} __packed at;
	__be32 imm_data;
	__be32 aeth;
	__be32 ieth;
	struct ib_atomic_eth atomic_eth;
} __packed;

/**
 * struct ib_other_headers - BTH and what follows.
 * @bth: The BTH's three words.
 * @u: Extension headers.
 */
struct ib_other_headers {
	__be32 bth[3];
	union ib_ehdrs u;
} __packed;

/**
 * struct ib_header - All headers of an InfiniBand packet.
 * @lrh: The LRH's four halfwords.
 * @u: With a GRH or without, as the LRH says.
 * @u.l: With a GRH.
 * @u.l.grh: GRH.
 * @u.l.oth: The rest.
 * @u.oth: Without.
 */
struct ib_header {
	__be16 lrh[4];
	union {
		struct {
			struct ib_grh grh;
			struct ib_other_headers oth;
		} l;
		struct ib_other_headers oth;
	} u;
} __packed;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ib_bth_get_opcode() - BTH opcode.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: Service and operation, see ib_pack.h.
 */
static inline u8 ib_bth_get_opcode(struct ib_other_headers *ohdr)
{
	return (u8)(be32_to_cpu(ohdr->bth[0]) >> 24);
}

/**
 * ib_bth_get_se() - BTH solicited event bit.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: 0 or 1.
 */
static inline u8 ib_bth_get_se(struct ib_other_headers *ohdr)
{
	return (u8)(be32_to_cpu(ohdr->bth[0]) >> 23 & 1);
}

/**
 * ib_bth_get_migreq() - BTH migration bit.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: 0 or 1.
 */
static inline u8 ib_bth_get_migreq(struct ib_other_headers *ohdr)
{
	return (u8)(be32_to_cpu(ohdr->bth[0]) >> 22 & 1);
}

/**
 * ib_bth_get_pad() - BTH pad count.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: Bytes behind the payload, 0 to 3.
 */
static inline u8 ib_bth_get_pad(struct ib_other_headers *ohdr)
{
	return (u8)(be32_to_cpu(ohdr->bth[0]) >> IB_BTH_PAD_SHIFT & IB_BTH_PAD_MASK);
}

/**
 * ib_bth_get_tver() - BTH transport version.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: 0 in every valid packet.
 */
static inline u8 ib_bth_get_tver(struct ib_other_headers *ohdr)
{
	return (u8)(be32_to_cpu(ohdr->bth[0]) >> IB_BTH_TVER_SHIFT & IB_BTH_TVER_MASK);
}

/**
 * ib_bth_get_pkey() - BTH P_Key.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: P_Key, host order.
 */
static inline u16 ib_bth_get_pkey(struct ib_other_headers *ohdr)
{
	return (u16)be32_to_cpu(ohdr->bth[0]);
}

/**
 * ib_bth_get_fecn() - BTH forward congestion bit.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: Whether the packet met congestion.
 */
static inline bool ib_bth_get_fecn(struct ib_other_headers *ohdr)
{
	return (be32_to_cpu(ohdr->bth[1]) >> IB_FECN_SHIFT & IB_FECN_MASK) != 0;
}

/**
 * ib_bth_get_becn() - BTH backward congestion bit.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: Whether our packets met congestion.
 */
static inline bool ib_bth_get_becn(struct ib_other_headers *ohdr)
{
	return (be32_to_cpu(ohdr->bth[1]) >> IB_BECN_SHIFT & IB_BECN_MASK) != 0;
}

/**
 * ib_bth_get_qpn() - BTH destination QP.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: 24-bit QP number.
 */
static inline u32 ib_bth_get_qpn(struct ib_other_headers *ohdr)
{
	return be32_to_cpu(ohdr->bth[1]) & IB_QPN_MASK;
}

/**
 * ib_bth_get_ackreq() - BTH acknowledge request bit.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: 0 or 1.
 */
static inline u8 ib_bth_get_ackreq(struct ib_other_headers *ohdr)
{
	return (u8)(be32_to_cpu(ohdr->bth[2]) >> 31);
}

/**
 * ib_bth_get_psn() - BTH PSN.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: 24-bit PSN.
 */
static inline u32 ib_bth_get_psn(struct ib_other_headers *ohdr)
{
	return be32_to_cpu(ohdr->bth[2]) & IB_PSN_MASK;
}

/**
 * ib_bth_is_solicited() - Whether the packet asks for a solicited event.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: The SE bit.
 */
static inline bool ib_bth_is_solicited(struct ib_other_headers *ohdr)
{
	return (be32_to_cpu(ohdr->bth[0]) & IB_BTH_SOLICITED) != 0;
}

/**
 * ib_bth_is_migration() - Whether the sender has migrated.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: The M bit.
 */
static inline bool ib_bth_is_migration(struct ib_other_headers *ohdr)
{
	return (be32_to_cpu(ohdr->bth[0]) & IB_BTH_MIG_REQ) != 0;
}

/**
 * ib_get_lnh() - LRH next header.
 * @hdr: The packet's headers from the LRH on.
 *
 * Return: IB_LNH_*.
 */
static inline u8 ib_get_lnh(struct ib_header *hdr)
{
	return (u8)(be16_to_cpu(hdr->lrh[0]) & 3);
}

/**
 * ib_get_sl() - LRH service level.
 * @hdr: The packet's headers from the LRH on.
 *
 * Return: 0 to 15.
 */
static inline u8 ib_get_sl(struct ib_header *hdr)
{
	return (u8)(be16_to_cpu(hdr->lrh[0]) >> 4 & 0xf);
}

/**
 * ib_get_lver() - LRH link version.
 * @hdr: The packet's headers from the LRH on.
 *
 * Return: 0 in every valid packet.
 */
static inline u8 ib_get_lver(struct ib_header *hdr)
{
	return (u8)(be16_to_cpu(hdr->lrh[0]) >> 8 & 0xf);
}

/**
 * ib_get_sc() - LRH virtual lane (OPA: low bits of the service channel).
 * @hdr: The packet's headers from the LRH on.
 *
 * Return: 0 to 15.
 */
static inline u8 ib_get_sc(struct ib_header *hdr)
{
	return (u8)(be16_to_cpu(hdr->lrh[0]) >> 12);
}

/**
 * ib_get_dlid() - LRH destination LID.
 * @hdr: The packet's headers from the LRH on.
 *
 * Return: LID, host order.
 */
static inline u16 ib_get_dlid(struct ib_header *hdr)
{
	return be16_to_cpu(hdr->lrh[1]);
}

/**
 * ib_get_slid() - LRH source LID.
 * @hdr: The packet's headers from the LRH on.
 *
 * Return: LID, host order.
 */
static inline u16 ib_get_slid(struct ib_header *hdr)
{
	return be16_to_cpu(hdr->lrh[3]);
}

/**
 * ib_get_qkey() - DETH Q_Key.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: Q_Key, host order.
 */
static inline u32 ib_get_qkey(struct ib_other_headers *ohdr)
{
	return be32_to_cpu(ohdr->u.ud.deth[0]);
}

/**
 * ib_get_sqpn() - DETH source QP.
 * @ohdr: The packet's headers from the BTH on.
 *
 * Return: 24-bit QP number.
 */
static inline u32 ib_get_sqpn(struct ib_other_headers *ohdr)
{
	return be32_to_cpu(ohdr->u.ud.deth[1]) & IB_QPN_MASK;
}

/**
 * get_ib_reth_vaddr() - Read the address of a RETH.
 * @eth: Header.
 *
 * Return: Host order.
 */
static inline u64 get_ib_reth_vaddr(struct ib_reth *eth)
{
	return be64_to_cpu(eth->vaddr);
}

/**
 * put_ib_reth_vaddr() - Write the address of a RETH.
 * @val: Host order.
 * @eth: Header.
 */
static inline void put_ib_reth_vaddr(u64 val, struct ib_reth *eth)
{
	eth->vaddr = cpu_to_be64(val);
}

/**
 * get_ib_ateth_vaddr() - Read the address of an AtomicETH.
 * @eth: Header.
 *
 * Return: Host order.
 */
static inline u64 get_ib_ateth_vaddr(struct ib_atomic_eth *eth)
{
	return be64_to_cpu(eth->vaddr);
}

/**
 * put_ib_ateth_vaddr() - Write the address of an AtomicETH.
 * @val: Host order.
 * @eth: Header.
 */
static inline void put_ib_ateth_vaddr(u64 val, struct ib_atomic_eth *eth)
{
	eth->vaddr = cpu_to_be64(val);
}

/**
 * get_ib_ateth_swap() - Read the swap (or add) value of an AtomicETH.
 * @eth: Header.
 *
 * Return: Host order.
 */
static inline u64 get_ib_ateth_swap(struct ib_atomic_eth *eth)
{
	return be64_to_cpu(eth->swap_data);
}

/**
 * put_ib_ateth_swap() - Write the swap (or add) value of an AtomicETH.
 * @val: Host order.
 * @eth: Header.
 */
static inline void put_ib_ateth_swap(u64 val, struct ib_atomic_eth *eth)
{
	eth->swap_data = cpu_to_be64(val);
}

/**
 * get_ib_ateth_compare() - Read the compare value of an AtomicETH.
 * @eth: Header.
 *
 * Return: Host order.
 */
static inline u64 get_ib_ateth_compare(struct ib_atomic_eth *eth)
{
	return be64_to_cpu(eth->compare_data);
}

/**
 * put_ib_ateth_compare() - Write the compare value of an AtomicETH.
 * @val: Host order.
 * @eth: Header.
 */
static inline void put_ib_ateth_compare(u64 val, struct ib_atomic_eth *eth)
{
	eth->compare_data = cpu_to_be64(val);
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_HDRS_H */
