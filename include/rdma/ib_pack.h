/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packet headers field by field, BTH opcodes, and headers of UD packets. */
#ifndef VERBENA_RDMA_IB_PACK_H
#define VERBENA_RDMA_IB_PACK_H

#include <rdma/ib_verbs.h>

/* Bytes of each header on the wire. */
enum {
	IB_LRH_BYTES = 8,
	IB_ETH_BYTES = 14,
	IB_VLAN_BYTES = 4,
	IB_GRH_BYTES = 40,
	IB_IP4_BYTES = 20,
	IB_UDP_BYTES = 8,
	IB_BTH_BYTES = 12,
	IB_DETH_BYTES = 8,
	IB_EXT_ATOMICETH_BYTES = 28,
	IB_EXT_XRC_BYTES = 4,
	IB_ICRC_BYTES = 4,
};

/* LRH: what follows it. */
enum {
	IB_LNH_RAW = 0,
	IB_LNH_IP = 1,
	IB_LNH_IBA_LOCAL = 2,
	IB_LNH_IBA_GLOBAL = 3,
};

/* BTH opcodes: bits 7 to 5 are the service, 4 to 0 the operation. */
enum {
	IB_OPCODE_RC = 0x00,
	IB_OPCODE_UC = 0x20,
	IB_OPCODE_RD = 0x40,
	IB_OPCODE_UD = 0x60,
	IB_OPCODE_CNP = 0x80,
	IB_OPCODE_MSP = 0xe0,

	IB_OPCODE_SEND_FIRST = 0x00,
	IB_OPCODE_SEND_MIDDLE = 0x01,
	IB_OPCODE_SEND_LAST = 0x02,
	IB_OPCODE_SEND_LAST_WITH_IMMEDIATE = 0x03,
	IB_OPCODE_SEND_ONLY = 0x04,
	IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE = 0x05,
	IB_OPCODE_RDMA_WRITE_FIRST = 0x06,
	IB_OPCODE_RDMA_WRITE_MIDDLE = 0x07,
	IB_OPCODE_RDMA_WRITE_LAST = 0x08,
	IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x09,
	IB_OPCODE_RDMA_WRITE_ONLY = 0x0a,
	IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x0b,
	IB_OPCODE_RDMA_READ_REQUEST = 0x0c,
	IB_OPCODE_RDMA_READ_RESPONSE_FIRST = 0x0d,
	IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE = 0x0e,
	IB_OPCODE_RDMA_READ_RESPONSE_LAST = 0x0f,
	IB_OPCODE_RDMA_READ_RESPONSE_ONLY = 0x10,
	IB_OPCODE_ACKNOWLEDGE = 0x11,
	IB_OPCODE_ATOMIC_ACKNOWLEDGE = 0x12,
	IB_OPCODE_COMPARE_SWAP = 0x13,
	IB_OPCODE_FETCH_ADD = 0x14,
	IB_OPCODE_SEND_LAST_WITH_INVALIDATE = 0x16,
	IB_OPCODE_SEND_ONLY_WITH_INVALIDATE = 0x17,
	IB_OPCODE_FLUSH = 0x1c,
	IB_OPCODE_ATOMIC_WRITE = 0x1d,

	IB_OPCODE_RC_SEND_FIRST = 0x00,
	IB_OPCODE_RC_SEND_MIDDLE = 0x01,
	IB_OPCODE_RC_SEND_LAST = 0x02,
	IB_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE = 0x03,
	IB_OPCODE_RC_SEND_ONLY = 0x04,
	IB_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE = 0x05,
	IB_OPCODE_RC_RDMA_WRITE_FIRST = 0x06,
	IB_OPCODE_RC_RDMA_WRITE_MIDDLE = 0x07,
	IB_OPCODE_RC_RDMA_WRITE_LAST = 0x08,
	IB_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x09,
	IB_OPCODE_RC_RDMA_WRITE_ONLY = 0x0a,
	IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x0b,
	IB_OPCODE_RC_RDMA_READ_REQUEST = 0x0c,
	IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST = 0x0d,
	IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE = 0x0e,
	IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST = 0x0f,
	IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY = 0x10,
	IB_OPCODE_RC_ACKNOWLEDGE = 0x11,
	IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE = 0x12,
	IB_OPCODE_RC_COMPARE_SWAP = 0x13,
	IB_OPCODE_RC_FETCH_ADD = 0x14,
	IB_OPCODE_RC_SEND_LAST_WITH_INVALIDATE = 0x16,
	IB_OPCODE_RC_SEND_ONLY_WITH_INVALIDATE = 0x17,
	IB_OPCODE_RC_FLUSH = 0x1c,
	IB_OPCODE_RC_ATOMIC_WRITE = 0x1d,
	IB_OPCODE_UC_SEND_FIRST = 0x20,
	IB_OPCODE_UC_SEND_MIDDLE = 0x21,
	IB_OPCODE_UC_SEND_LAST = 0x22,
	IB_OPCODE_UC_SEND_LAST_WITH_IMMEDIATE = 0x23,
	IB_OPCODE_UC_SEND_ONLY = 0x24,
	IB_OPCODE_UC_SEND_ONLY_WITH_IMMEDIATE = 0x25,
	IB_OPCODE_UC_RDMA_WRITE_FIRST = 0x26,
	IB_OPCODE_UC_RDMA_WRITE_MIDDLE = 0x27,
	IB_OPCODE_UC_RDMA_WRITE_LAST = 0x28,
	IB_OPCODE_UC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x29,
	IB_OPCODE_UC_RDMA_WRITE_ONLY = 0x2a,
	IB_OPCODE_UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x2b,
	IB_OPCODE_RD_SEND_FIRST = 0x40,
	IB_OPCODE_RD_SEND_MIDDLE = 0x41,
	IB_OPCODE_RD_SEND_LAST = 0x42,
	IB_OPCODE_RD_SEND_LAST_WITH_IMMEDIATE = 0x43,
	IB_OPCODE_RD_SEND_ONLY = 0x44,
	IB_OPCODE_RD_SEND_ONLY_WITH_IMMEDIATE = 0x45,
	IB_OPCODE_RD_RDMA_WRITE_FIRST = 0x46,
	IB_OPCODE_RD_RDMA_WRITE_MIDDLE = 0x47,
	IB_OPCODE_RD_RDMA_WRITE_LAST = 0x48,
	IB_OPCODE_RD_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x49,
	IB_OPCODE_RD_RDMA_WRITE_ONLY = 0x4a,
	IB_OPCODE_RD_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x4b,
	IB_OPCODE_RD_RDMA_READ_REQUEST = 0x4c,
	IB_OPCODE_RD_RDMA_READ_RESPONSE_FIRST = 0x4d,
	IB_OPCODE_RD_RDMA_READ_RESPONSE_MIDDLE = 0x4e,
	IB_OPCODE_RD_RDMA_READ_RESPONSE_LAST = 0x4f,
	IB_OPCODE_RD_RDMA_READ_RESPONSE_ONLY = 0x50,
	IB_OPCODE_RD_ACKNOWLEDGE = 0x51,
	IB_OPCODE_RD_ATOMIC_ACKNOWLEDGE = 0x52,
	IB_OPCODE_RD_COMPARE_SWAP = 0x53,
	IB_OPCODE_RD_FETCH_ADD = 0x54,
	IB_OPCODE_UD_SEND_ONLY = 0x64,
	IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE = 0x65,
};

/* Opcode of a service: IB_OPCODE(RC, SEND_ONLY). */
#define IB_OPCODE(transport, op) (IB_OPCODE_##transport + IB_OPCODE_##op)

/**
 * struct ib_field - Description of a packed field (bit-level packer).
 * @struct_offset_bytes: Offset in the unpacked structure.
 * @struct_size_bytes: Size there (0 = reserved bits).
 * @offset_words: 32-bit word in the packed header.
 * @offset_bits: Bit offset from the most significant bit.
 * @size_bits: Width.
 * @field_name: Name.
 */
struct ib_field {
	size_t struct_offset_bytes;
	size_t struct_size_bytes;
	int offset_words;
	int offset_bits;
	int size_bits;
	char *field_name;
};

/**
 * struct ib_unpacked_lrh - LRH fields.
 * @virtual_lane: VL.
 * @link_version: 0.
 * @service_level: SL.
 * @link_next_header: LNH.
 * @destination_lid: DLID.
 * @packet_length: Words from LRH to ICRC.
 * @source_lid: SLID.
 */
struct ib_unpacked_lrh {
	u8 virtual_lane;
	u8 link_version;
	u8 service_level;
	u8 link_next_header;
	__be16 destination_lid;
	__be16 packet_length;
	__be16 source_lid;
};

/**
 * struct ib_unpacked_grh - GRH fields.
 * @ip_version: 6.
 * @traffic_class: TClass.
 * @flow_label: 20 bits.
 * @payload_length: Bytes after GRH incl. ICRC.
 * @next_header: 0x1B.
 * @hop_limit: Hops.
 * @source_gid: SGID.
 * @destination_gid: DGID.
 */
struct ib_unpacked_grh {
	u8 ip_version;
	u8 traffic_class;
	__be32 flow_label;
	__be16 payload_length;
	u8 next_header;
	u8 hop_limit;
	union ib_gid source_gid;
	union ib_gid destination_gid;
};

/**
 * struct ib_unpacked_bth - BTH fields.
 * @opcode: Opcode.
 * @solicited_event: SE.
 * @mig_req: M.
 * @pad_count: 0..3.
 * @transport_header_version: 0.
 * @pkey: P_Key.
 * @destination_qpn: 24 bits.
 * @ack_req: A.
 * @psn: 24 bits.
 */
struct ib_unpacked_bth {
	u8 opcode;
	u8 solicited_event;
	u8 mig_req;
	u8 pad_count;
	u8 transport_header_version;
	__be16 pkey;
	__be32 destination_qpn;
	u8 ack_req;
	__be32 psn;
};

/**
 * struct ib_unpacked_deth - DETH fields.
 * @qkey: Q_Key.
 * @source_qpn: 24 bits.
 */
struct ib_unpacked_deth {
	__be32 qkey;
	__be32 source_qpn;
};

/**
 * struct ib_unpacked_eth - Ethernet header.
 * @dmac_h: First 4 bytes.
 * @dmac_l: Last 2 bytes.
 * @smac_h: First 2 bytes.
 * @smac_l: Last 4 bytes.
 * @type: Ethertype.
 */
struct ib_unpacked_eth {
	u8 dmac_h[4];
	u8 dmac_l[2];
	u8 smac_h[2];
	u8 smac_l[4];
	__be16 type;
};

/**
 * struct ib_unpacked_ip4 - IPv4 header.
 * @ver: 4.
 * @hdr_len: 5.
 * @tos: TOS.
 * @tot_len: Total length.
 * @id: Id.
 * @frag_off: Flags and offset.
 * @ttl: TTL.
 * @protocol: 17.
 * @check: Checksum.
 * @saddr: Source.
 * @daddr: Destination.
 */
struct ib_unpacked_ip4 {
	u8 ver;
	u8 hdr_len;
	u8 tos;
	__be16 tot_len;
	__be16 id;
	__be16 frag_off;
	u8 ttl;
	u8 protocol;
	__sum16 check;
	__be32 saddr;
	__be32 daddr;
};

/**
 * struct ib_unpacked_udp - UDP header.
 * @sport: Source port.
 * @dport: 4791.
 * @length: Length.
 * @csum: Checksum.
 */
struct ib_unpacked_udp {
	__be16 sport;
	__be16 dport;
	__be16 length;
	__be16 csum;
};

/**
 * struct ib_unpacked_vlan - VLAN tag.
 * @tag: TCI.
 * @type: Ethertype.
 */
struct ib_unpacked_vlan {
	__be16 tag;
	__be16 type;
};

/**
 * struct ib_ud_header - Parsed UD packet header.
 * @lrh_present: Flag.
 * @lrh: LRH.
 * @eth_present: Flag.
 * @eth: Ethernet.
 * @vlan_present: Flag.
 * @vlan: VLAN.
 * @grh_present: Flag.
 * @grh: GRH.
 * @ipv4_present: Flag.
 * @ip4: IPv4.
 * @udp_present: Flag.
 * @udp: UDP.
 * @bth: BTH.
 * @deth: DETH.
 * @immediate_present: Flag.
 * @immediate_data: Immediate.
 */
struct ib_ud_header {
	int lrh_present;
	struct ib_unpacked_lrh lrh;
	int eth_present;
	struct ib_unpacked_eth eth;
	int vlan_present;
	struct ib_unpacked_vlan vlan;
	int grh_present;
	struct ib_unpacked_grh grh;
	int ipv4_present;
	struct ib_unpacked_ip4 ip4;
	int udp_present;
	struct ib_unpacked_udp udp;
	struct ib_unpacked_bth bth;
	struct ib_unpacked_deth deth;
	int immediate_present;
	__be32 immediate_data;
};

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ib_pack() - Write an unpacked structure as it is on the wire.
 * @desc: Its fields; struct_size_bytes 0 is a reserved field, written as 0.
 * @desc_len: How many.
 * @structure: To be read; members of more than one byte are big-endian.
 * @buf: To be written; only the bits of the fields are.
 */
void ib_pack(const struct ib_field *desc, int desc_len, void *structure, void *buf);

/**
 * ib_unpack() - The other way round.
 * @desc: Its fields; reserved ones are passed over.
 * @desc_len: How many.
 * @buf: To be read.
 * @structure: To be written, in its members that fields name.
 */
void ib_unpack(const struct ib_field *desc, int desc_len, void *buf, void *structure);

/**
 * ib_ud_header_init() - Begin the headers of a UD packet.
 * @payload_bytes: Bytes of the datagram.
 * @lrh_present: There is an LRH.
 * @eth_present: There is an Ethernet header.
 * @vlan_present: With a VLAN tag.
 * @grh_present: There is a GRH, or an IPv6 header.
 * @ip_version: 4 or 6 for RoCE v2, else 0.
 * @udp_present: There is a UDP header.
 * @immediate_present: There is immediate data.
 * @header: Out: lengths, kinds of next headers, opcode and pad count are set, all else is 0.
 *
 * Return: 0; -EINVAL if UDP is asked for without IP version 4 or 6.
 */
int ib_ud_header_init(int payload_bytes, int lrh_present, int eth_present, int vlan_present,
		      int grh_present, int ip_version, int udp_present, int immediate_present,
		      struct ib_ud_header *header);

/**
 * ib_ud_header_pack() - Write the headers of a UD packet as they are on the wire.
 * @header: Which are present, and what is in them.
 * @buf: Out: room for all of them.
 *
 * Return: Bytes written.
 */
int ib_ud_header_pack(struct ib_ud_header *header, void *buf);

/**
 * ib_ud_header_unpack() - Read the headers of an InfiniBand UD packet from the wire.
 * @buf: From the LRH on: at least 72 bytes.
 * @header: Out.
 *
 * Return: 0; -EINVAL if the link version, what follows the LRH, the GRH's version or next header,
 *	the opcode or the transport version is none of a UD packet's.
 */
int ib_ud_header_unpack(void *buf, struct ib_ud_header *header);

/**
 * ib_ud_ip4_csum() - Checksum of a UD packet's IPv4 header.
 * @header: The checksum in it does not count.
 *
 * Return: Checksum, wire order.
 */
__sum16 ib_ud_ip4_csum(struct ib_ud_header *header);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_PACK_H */
