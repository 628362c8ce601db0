/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What subnet administration knows: attributes, records, and which of their components count. */
#ifndef VERBENA_RDMA_IB_SA_H
#define VERBENA_RDMA_IB_SA_H

#include <rdma/ib_mad.h>

#define OPA_SA_CLASS_VERSION 0x80

/* Methods beyond those that all classes have. */
enum {
	IB_SA_CLASS_VERSION = 2,
	IB_SA_METHOD_GET_TABLE = 0x12,
	IB_SA_METHOD_GET_TABLE_RESP = 0x92,
	IB_SA_METHOD_GET_TRACE_TBL = 0x13,
	IB_SA_METHOD_GET_MULTI = 0x14,
	IB_SA_METHOD_GET_MULTI_RESP = 0x94,
	IB_SA_METHOD_DELETE = 0x15,
	IB_SA_METHOD_DELETE_RESP = 0x95,
};

enum {
	IB_SA_ATTR_CLASS_PORTINFO = 0x01,
	IB_SA_ATTR_NOTICE = 0x02,
	IB_SA_ATTR_INFORM_INFO = 0x03,
	IB_SA_ATTR_NODE_REC = 0x11,
	IB_SA_ATTR_PORT_INFO_REC = 0x12,
	IB_SA_ATTR_SL2VL_REC = 0x13,
	IB_SA_ATTR_SWITCH_REC = 0x14,
	IB_SA_ATTR_LINEAR_FDB_REC = 0x15,
	IB_SA_ATTR_RANDOM_FDB_REC = 0x16,
	IB_SA_ATTR_MCAST_FDB_REC = 0x17,
	IB_SA_ATTR_SM_INFO_REC = 0x18,
	IB_SA_ATTR_LINK_REC = 0x20,
	IB_SA_ATTR_GUID_INFO_REC = 0x30,
	IB_SA_ATTR_SERVICE_REC = 0x31,
	IB_SA_ATTR_PARTITION_REC = 0x33,
	IB_SA_ATTR_PATH_REC = 0x35,
	IB_SA_ATTR_VL_ARB_REC = 0x36,
	IB_SA_ATTR_MC_MEMBER_REC = 0x38,
	IB_SA_ATTR_TRACE_REC = 0x39,
	IB_SA_ATTR_MULTI_PATH_REC = 0x3a,
	IB_SA_ATTR_SERVICE_ASSOC_REC = 0x3b,
	IB_SA_ATTR_INFORM_INFO_REC = 0xf3,
};

/* How a value of MTU, rate or packet life time is meant. */
enum ib_sa_selector {
	IB_SA_GT = 0,
	IB_SA_LT = 1,
	IB_SA_EQ = 2,
	IB_SA_BEST = 3, /* the largest MTU or rate, the least life time */
};

/* How a port is in a group; bit n of &ib_sa_mcmember_rec.join_state. */
enum ib_sa_mc_join_states {
	FULLMEMBER_JOIN,
	NONMEMBER_JOIN,
	SENDONLY_NONMEBER_JOIN,
	SENDONLY_FULLMEMBER_JOIN,
	NUM_JOIN_MEMBERSHIP_TYPES,
};

#define IB_SA_CAP_MASK2_SENDONLY_FULL_MEM_SUPPORT BIT(12)

#define IB_SA_COMP_MASK(n) ((ib_sa_comp_mask)cpu_to_be64(1ull << (n)))

/* PathRecord. */
#define IB_SA_PATH_REC_SERVICE_ID (IB_SA_COMP_MASK(0) | IB_SA_COMP_MASK(1))
#define IB_SA_PATH_REC_DGID IB_SA_COMP_MASK(2)
#define IB_SA_PATH_REC_SGID IB_SA_COMP_MASK(3)
#define IB_SA_PATH_REC_DLID IB_SA_COMP_MASK(4)
#define IB_SA_PATH_REC_SLID IB_SA_COMP_MASK(5)
#define IB_SA_PATH_REC_RAW_TRAFFIC IB_SA_COMP_MASK(6)
#define IB_SA_PATH_REC_FLOW_LABEL IB_SA_COMP_MASK(8)
#define IB_SA_PATH_REC_HOP_LIMIT IB_SA_COMP_MASK(9)
#define IB_SA_PATH_REC_TRAFFIC_CLASS IB_SA_COMP_MASK(10)
#define IB_SA_PATH_REC_REVERSIBLE IB_SA_COMP_MASK(11)
#define IB_SA_PATH_REC_NUMB_PATH IB_SA_COMP_MASK(12)
#define IB_SA_PATH_REC_PKEY IB_SA_COMP_MASK(13)
#define IB_SA_PATH_REC_QOS_CLASS IB_SA_COMP_MASK(14)
#define IB_SA_PATH_REC_SL IB_SA_COMP_MASK(15)
#define IB_SA_PATH_REC_MTU_SELECTOR IB_SA_COMP_MASK(16)
#define IB_SA_PATH_REC_MTU IB_SA_COMP_MASK(17)
#define IB_SA_PATH_REC_RATE_SELECTOR IB_SA_COMP_MASK(18)
#define IB_SA_PATH_REC_RATE IB_SA_COMP_MASK(19)
#define IB_SA_PATH_REC_PACKET_LIFE_TIME_SELECTOR IB_SA_COMP_MASK(20)
#define IB_SA_PATH_REC_PACKET_LIFE_TIME IB_SA_COMP_MASK(21)
#define IB_SA_PATH_REC_PREFERENCE IB_SA_COMP_MASK(22)

/* MCMemberRecord. */
#define IB_SA_MCMEMBER_REC_MGID IB_SA_COMP_MASK(0)
#define IB_SA_MCMEMBER_REC_PORT_GID IB_SA_COMP_MASK(1)
#define IB_SA_MCMEMBER_REC_QKEY IB_SA_COMP_MASK(2)
#define IB_SA_MCMEMBER_REC_MLID IB_SA_COMP_MASK(3)
#define IB_SA_MCMEMBER_REC_MTU_SELECTOR IB_SA_COMP_MASK(4)
#define IB_SA_MCMEMBER_REC_MTU IB_SA_COMP_MASK(5)
#define IB_SA_MCMEMBER_REC_TRAFFIC_CLASS IB_SA_COMP_MASK(6)
#define IB_SA_MCMEMBER_REC_PKEY IB_SA_COMP_MASK(7)
#define IB_SA_MCMEMBER_REC_RATE_SELECTOR IB_SA_COMP_MASK(8)
#define IB_SA_MCMEMBER_REC_RATE IB_SA_COMP_MASK(9)
#define IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME_SELECTOR IB_SA_COMP_MASK(10)
#define IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME IB_SA_COMP_MASK(11)
#define IB_SA_MCMEMBER_REC_SL IB_SA_COMP_MASK(12)
#define IB_SA_MCMEMBER_REC_FLOW_LABEL IB_SA_COMP_MASK(13)
#define IB_SA_MCMEMBER_REC_HOP_LIMIT IB_SA_COMP_MASK(14)
#define IB_SA_MCMEMBER_REC_SCOPE IB_SA_COMP_MASK(15)
#define IB_SA_MCMEMBER_REC_JOIN_STATE IB_SA_COMP_MASK(16)
#define IB_SA_MCMEMBER_REC_PROXY_JOIN IB_SA_COMP_MASK(17)

/* ServiceRecord. */
#define IB_SA_SERVICE_REC_SERVICE_ID IB_SA_COMP_MASK(0)
#define IB_SA_SERVICE_REC_SERVICE_GID IB_SA_COMP_MASK(1)
#define IB_SA_SERVICE_REC_SERVICE_PKEY IB_SA_COMP_MASK(2)
#define IB_SA_SERVICE_REC_SERVICE_LEASE IB_SA_COMP_MASK(4)
#define IB_SA_SERVICE_REC_SERVICE_KEY IB_SA_COMP_MASK(5)
#define IB_SA_SERVICE_REC_SERVICE_NAME IB_SA_COMP_MASK(6)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_0 IB_SA_COMP_MASK(7)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_1 IB_SA_COMP_MASK(8)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_2 IB_SA_COMP_MASK(9)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_3 IB_SA_COMP_MASK(10)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_4 IB_SA_COMP_MASK(11)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_5 IB_SA_COMP_MASK(12)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_6 IB_SA_COMP_MASK(13)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_7 IB_SA_COMP_MASK(14)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_8 IB_SA_COMP_MASK(15)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_9 IB_SA_COMP_MASK(16)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_10 IB_SA_COMP_MASK(17)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_11 IB_SA_COMP_MASK(18)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_12 IB_SA_COMP_MASK(19)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_13 IB_SA_COMP_MASK(20)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_14 IB_SA_COMP_MASK(21)
#define IB_SA_SERVICE_REC_SERVICE_DATA8_15 IB_SA_COMP_MASK(22)
#define IB_SA_SERVICE_REC_SERVICE_DATA16_0 IB_SA_COMP_MASK(23)
#define IB_SA_SERVICE_REC_SERVICE_DATA16_1 IB_SA_COMP_MASK(24)
#define IB_SA_SERVICE_REC_SERVICE_DATA16_2 IB_SA_COMP_MASK(25)
#define IB_SA_SERVICE_REC_SERVICE_DATA16_3 IB_SA_COMP_MASK(26)
#define IB_SA_SERVICE_REC_SERVICE_DATA16_4 IB_SA_COMP_MASK(27)
#define IB_SA_SERVICE_REC_SERVICE_DATA16_5 IB_SA_COMP_MASK(28)
#define IB_SA_SERVICE_REC_SERVICE_DATA16_6 IB_SA_COMP_MASK(29)
#define IB_SA_SERVICE_REC_SERVICE_DATA16_7 IB_SA_COMP_MASK(30)
#define IB_SA_SERVICE_REC_SERVICE_DATA32_0 IB_SA_COMP_MASK(31)
#define IB_SA_SERVICE_REC_SERVICE_DATA32_1 IB_SA_COMP_MASK(32)
#define IB_SA_SERVICE_REC_SERVICE_DATA32_2 IB_SA_COMP_MASK(33)
#define IB_SA_SERVICE_REC_SERVICE_DATA32_3 IB_SA_COMP_MASK(34)
#define IB_SA_SERVICE_REC_SERVICE_DATA64_0 IB_SA_COMP_MASK(35)
#define IB_SA_SERVICE_REC_SERVICE_DATA64_1 IB_SA_COMP_MASK(36)

/* GUIDInfoRecord. */
#define IB_SA_GUIDINFO_REC_LID IB_SA_COMP_MASK(0)
#define IB_SA_GUIDINFO_REC_BLOCK_NUM IB_SA_COMP_MASK(1)
#define IB_SA_GUIDINFO_REC_RES1 IB_SA_COMP_MASK(2)
#define IB_SA_GUIDINFO_REC_RES2 IB_SA_COMP_MASK(3)
#define IB_SA_GUIDINFO_REC_GID0 IB_SA_COMP_MASK(4)
#define IB_SA_GUIDINFO_REC_GID1 IB_SA_COMP_MASK(5)
#define IB_SA_GUIDINFO_REC_GID2 IB_SA_COMP_MASK(6)
#define IB_SA_GUIDINFO_REC_GID3 IB_SA_COMP_MASK(7)
#define IB_SA_GUIDINFO_REC_GID4 IB_SA_COMP_MASK(8)
#define IB_SA_GUIDINFO_REC_GID5 IB_SA_COMP_MASK(9)
#define IB_SA_GUIDINFO_REC_GID6 IB_SA_COMP_MASK(10)
#define IB_SA_GUIDINFO_REC_GID7 IB_SA_COMP_MASK(11)

/* Of which kind of port a path is. */
enum sa_path_rec_type {
	SA_PATH_REC_TYPE_IB,
	SA_PATH_REC_TYPE_ROCE_V1,
	SA_PATH_REC_TYPE_ROCE_V2,
	SA_PATH_REC_TYPE_OPA,
};

/**
 * struct sa_path_rec_ib - What only paths of InfiniBand have.
 * @dlid: LID of the destination.
 * @slid: LID of the source.
 * @raw_traffic: Raw packets may go there.
 */
struct sa_path_rec_ib {
	__be16 dlid;
	__be16 slid;
	u8 raw_traffic;
};

/**
 * struct sa_path_rec_roce - What only paths of RoCE have.
 * @route_resolved: The MAC address is known.
 * @dmac: MAC address of the destination, or of the router on the way.
 */
struct sa_path_rec_roce {
	bool route_resolved;
	u8 dmac[6];
};

/**
 * struct sa_path_rec_opa - What only paths of Omni-Path have.
 * @dlid: LID of the destination.
 * @slid: LID of the source.
 * @raw_traffic: Raw packets may go there.
 * @l2_8B: Header format.
 * @l2_10B: Header format.
 * @l2_9B: Header format.
 * @l2_16B: Header format.
 * @qos_type: QoS.
 * @qos_priority: QoS.
 */
struct sa_path_rec_opa {
	__be32 dlid;
	__be32 slid;
	u8 raw_traffic;
	u8 l2_8B;
	u8 l2_10B;
	u8 l2_9B;
	u8 l2_16B;
	u8 qos_type;
	u8 qos_priority;
};

/**
 * struct sa_path_rec - A path, as programs have it; not as it is on the wire.
 * @dgid: To where.
 * @sgid: From where.
 * @service_id: For which service.
 * @flow_label: GRH.
 * @hop_limit: GRH.
 * @traffic_class: GRH.
 * @reversible: It can be gone in both directions.
 * @numb_path: How many are wanted.
 * @pkey: Partition.
 * @qos_class: QoS.
 * @sl: SL.
 * @mtu_selector: enum ib_sa_selector.
 * @mtu: enum ib_mtu.
 * @rate_selector: enum ib_sa_selector.
 * @rate: enum ib_rate.
 * @packet_life_time_selector: enum ib_sa_selector.
 * @packet_life_time: 4.096 us * 2^value.
 * @preference: 0 is the best.
 * @ib: Of SA_PATH_REC_TYPE_IB.
 * @roce: Of the two of RoCE.
 * @opa: Of SA_PATH_REC_TYPE_OPA.
 * @rec_type: Which of these.
 * @flags: IB_PATH_*.
 */
struct sa_path_rec {
	union ib_gid dgid;
	union ib_gid sgid;
	__be64 service_id;
	__be32 flow_label;
	u8 hop_limit;
	u8 traffic_class;
	u8 reversible;
	u8 numb_path;
	__be16 pkey;
	__be16 qos_class;
	u8 sl;
	u8 mtu_selector;
	u8 mtu;
	u8 rate_selector;
	u8 rate;
	u8 packet_life_time_selector;
	u8 packet_life_time;
	u8 preference;
	union {
		struct sa_path_rec_ib ib;
		struct sa_path_rec_roce roce;
		struct sa_path_rec_opa opa;
	};
	enum sa_path_rec_type rec_type;
	u32 flags;
};

/**
 * struct ib_sa_mcmember_rec - A member of a multicast group, as programs have it.
 * @mgid: Group.
 * @port_gid: Member.
 * @qkey: Q_Key of the group.
 * @mlid: LID of the group.
 * @mtu_selector: enum ib_sa_selector.
 * @mtu: enum ib_mtu.
 * @traffic_class: GRH.
 * @pkey: Partition.
 * @rate_selector: enum ib_sa_selector.
 * @rate: enum ib_rate.
 * @packet_life_time_selector: enum ib_sa_selector.
 * @packet_life_time: 4.096 us * 2^value.
 * @sl: SL.
 * @flow_label: GRH.
 * @hop_limit: GRH.
 * @scope: Of the group.
 * @join_state: Bit 0 full member, 1 non-member, 2 sends only, 3 full member that sends only.
 * @proxy_join: Somebody else may join for it.
 */
struct ib_sa_mcmember_rec {
	union ib_gid mgid;
	union ib_gid port_gid;
	__be32 qkey;
	__be16 mlid;
	u8 mtu_selector;
	enum ib_mtu mtu;
	u8 traffic_class;
	__be16 pkey;
	u8 rate_selector;
	u8 rate;
	u8 packet_life_time_selector;
	u8 packet_life_time;
	u8 sl;
	__be32 flow_label;
	u8 hop_limit;
	u8 scope;
	u8 join_state;
	u8 proxy_join;
};

/**
 * struct ib_sa_service_rec - A service that somebody offers, as programs have it.
 * @id: Its number.
 * @gid: Who offers it.
 * @pkey: Partition.
 * @lease: Seconds.
 * @key: Of the record.
 * @name: Its name.
 * @data8: Its own.
 * @data16: Its own.
 * @data32: Its own.
 * @data64: Its own.
 */
struct ib_sa_service_rec {
	u64 id;
	union ib_gid gid;
	__be16 pkey;
	u32 lease;
	u8 key[16];
	u8 name[64];
	u8 data8[16];
	u16 data16[8];
	u32 data32[4];
	u64 data64[2];
};

/**
 * struct ib_sa_guidinfo_rec - Eight GUIDs of a port.
 * @lid: Of the port.
 * @block_num: Which eight.
 * @res1: 0.
 * @res2: 0.
 * @guid_info_list: They, 8 bytes each.
 */
struct ib_sa_guidinfo_rec {
	__be16 lid;
	u8 block_num;
	u8 res1;
	__be32 res2;
	u8 guid_info_list[64];
};

#endif /* VERBENA_RDMA_IB_SA_H */
