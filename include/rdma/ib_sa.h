/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What subnet administration knows: attributes, records, and which of their components count. */
#ifndef VERBENA_RDMA_IB_SA_H
#define VERBENA_RDMA_IB_SA_H

#include <linux/completion.h>
#include <linux/string.h>
#include <rdma/ib_mad.h>

#ifdef __cplusplus
extern "C" {
#endif

struct net_device;

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

/**
 * sa_path_is_roce() - Whether a path is one of RoCE.
 * @rec: Path.
 */
static inline bool sa_path_is_roce(const struct sa_path_rec *rec)
{
	return rec->rec_type == SA_PATH_REC_TYPE_ROCE_V1 ||
	       rec->rec_type == SA_PATH_REC_TYPE_ROCE_V2;
}

/**
 * sa_path_is_opa() - Whether a path is one of Omni-Path.
 * @rec: Path.
 */
static inline bool sa_path_is_opa(const struct sa_path_rec *rec)
{
	return rec->rec_type == SA_PATH_REC_TYPE_OPA;
}

/**
 * sa_path_set_slid() - Set the source LID of a path that has LIDs.
 * @rec: Path.
 * @slid: Host order.
 */
static inline void sa_path_set_slid(struct sa_path_rec *rec, u32 slid)
{
	if (rec->rec_type == SA_PATH_REC_TYPE_IB)
		rec->ib.slid = cpu_to_be16((u16)slid);
	else if (sa_path_is_opa(rec))
		rec->opa.slid = cpu_to_be32(slid);
}

/**
 * sa_path_set_dlid() - Set the destination LID of a path that has LIDs.
 * @rec: Path.
 * @dlid: Host order.
 */
static inline void sa_path_set_dlid(struct sa_path_rec *rec, u32 dlid)
{
	if (rec->rec_type == SA_PATH_REC_TYPE_IB)
		rec->ib.dlid = cpu_to_be16((u16)dlid);
	else if (sa_path_is_opa(rec))
		rec->opa.dlid = cpu_to_be32(dlid);
}

/**
 * sa_path_get_slid() - Source LID, 32 bits; 0 of a path without LIDs.
 * @rec: Path.
 */
static inline __be32 sa_path_get_slid(const struct sa_path_rec *rec)
{
	if (rec->rec_type == SA_PATH_REC_TYPE_IB)
		return cpu_to_be32(be16_to_cpu(rec->ib.slid));
	return sa_path_is_opa(rec) ? rec->opa.slid : 0;
}

/**
 * sa_path_get_dlid() - Destination LID, 32 bits; 0 of a path without LIDs.
 * @rec: Path.
 */
static inline __be32 sa_path_get_dlid(const struct sa_path_rec *rec)
{
	if (rec->rec_type == SA_PATH_REC_TYPE_IB)
		return cpu_to_be32(be16_to_cpu(rec->ib.dlid));
	return sa_path_is_opa(rec) ? rec->opa.dlid : 0;
}

/**
 * sa_path_get_dmac() - Where a path keeps its MAC address; NULL unless it is RoCE's.
 * @rec: Path.
 */
static inline u8 *sa_path_get_dmac(struct sa_path_rec *rec)
{
	return sa_path_is_roce(rec) ? rec->roce.dmac : NULL;
}

/**
 * sa_path_set_dmac() - Set the MAC address of a path of RoCE.
 * @rec: Path.
 * @dmac: 6 bytes.
 */
static inline void sa_path_set_dmac(struct sa_path_rec *rec, const u8 *dmac)
{
	if (sa_path_is_roce(rec))
		memcpy(rec->roce.dmac, dmac, sizeof(rec->roce.dmac));
}

/**
 * struct ib_sa_client - Who asks: its queries are ended before it is unregistered.
 * @users: Queries and groups, and the registration.
 * @comp: All are gone.
 */
struct ib_sa_client {
	refcount_t users;
	struct completion comp;
};

struct ib_sa_query;

/**
 * ib_sa_register_client() - Be able to ask the SA, on all devices.
 * @client: The caller's, until ib_sa_unregister_client().
 *
 * Ports of devices for which there is no memory are as if they had no SA.
 *
 * Context: May sleep; not a handler.
 */
void ib_sa_register_client(struct ib_sa_client *client);

/**
 * ib_sa_unregister_client() - Be no client any more; waits until all its queries have ended and its groups
 *	are freed.
 * @client: From ib_sa_register_client().
 *
 * Context: May sleep; not a handler.
 */
void ib_sa_unregister_client(struct ib_sa_client *client);

/**
 * ib_sa_cancel_query() - Have a query end: its callback is called with -EINTR, later, unless it has ended.
 * @id: As returned by the call that began it.
 * @query: As that call told.
 *
 * Context: Any, callbacks included.
 */
void ib_sa_cancel_query(int id, struct ib_sa_query *query);

/**
 * ib_sa_path_rec_get() - Ask for a path.
 * @client: Client.
 * @device: Device. It is there until the call returns.
 * @port_num: Port.
 * @rec: What is asked for.
 * @comp_mask: Which of its members count: IB_SA_PATH_REC_*.
 * @timeout_ms: After that long without an answer it ends.
 * @gfp_mask: Whether it may sleep.
 * @callback: Called once, maybe before this returns, if this returns no error. status: 0; -ETIMEDOUT;
 *	-EINTR: cancelled, or the device is gone; -EINVAL: the SA has refused, or has no such path; -EIO.
 *	resp: the path, or NULL. num_prs: 1, or 0.
 * @context: For @callback.
 * @query: Out: for ib_sa_cancel_query().
 *
 * It is sent up to ten times in @timeout_ms.
 *
 * Context: Any, callbacks included.
 * Return: Id, for ib_sa_cancel_query(), not negative. Or, with a cause: -ENODEV if the port has no SA or
 *	@client is not registered; -EAGAIN if no subnet manager is known yet; -ENOMEM; or what
 *	ib_post_send_mad() says.
 */
int ib_sa_path_rec_get(struct ib_sa_client *client, struct ib_device *device, u32 port_num,
		       struct sa_path_rec *rec, ib_sa_comp_mask comp_mask, unsigned long timeout_ms,
		       gfp_t gfp_mask,
		       void (*callback)(int status, struct sa_path_rec *resp, unsigned int num_prs,
					void *context),
		       void *context, struct ib_sa_query **query);

/**
 * ib_sa_mcmember_rec_query() - Ask about a member of a group, have it join or leave. Clients use
 *	ib_sa_join_multicast().
 * @client: Client.
 * @device: Device. It is there until the call returns.
 * @port_num: Port.
 * @method: IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET or IB_SA_METHOD_DELETE.
 * @rec: Record.
 * @comp_mask: Which of its members count: IB_SA_MCMEMBER_REC_*.
 * @timeout_ms: See ib_sa_path_rec_get(), as for all that follows.
 * @gfp_mask: Whether it may sleep.
 * @callback: Called once.
 * @context: For @callback.
 * @query: Out.
 *
 * Context: Any, callbacks included.
 * Return: As ib_sa_path_rec_get(); -EINVAL for another method.
 */
int ib_sa_mcmember_rec_query(struct ib_sa_client *client, struct ib_device *device, u32 port_num,
			     u8 method, struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask comp_mask,
			     unsigned long timeout_ms, gfp_t gfp_mask,
			     void (*callback)(int status, struct ib_sa_mcmember_rec *resp,
					      void *context),
			     void *context, struct ib_sa_query **query);

/**
 * ib_sa_service_rec_query() - Ask for a service, offer it or withdraw it.
 * @client: Client.
 * @device: Device. It is there until the call returns.
 * @port_num: Port.
 * @method: IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET or IB_SA_METHOD_DELETE.
 * @rec: Record; its numbers are in host order but for @pkey.
 * @comp_mask: Which of its members count: IB_SA_SERVICE_REC_*.
 * @timeout_ms: See ib_sa_path_rec_get(), as for all that follows.
 * @gfp_mask: Whether it may sleep.
 * @callback: Called once.
 * @context: For @callback.
 * @query: Out.
 *
 * Context: Any, callbacks included.
 * Return: As ib_sa_path_rec_get(); -EINVAL for another method.
 */
int ib_sa_service_rec_query(struct ib_sa_client *client, struct ib_device *device, u32 port_num,
			    u8 method, struct ib_sa_service_rec *rec, ib_sa_comp_mask comp_mask,
			    unsigned long timeout_ms, gfp_t gfp_mask,
			    void (*callback)(int status, struct ib_sa_service_rec *resp,
					     void *context),
			    void *context, struct ib_sa_query **query);

/**
 * struct ib_sa_multicast - A membership.
 * @rec: As asked for, then as the group is.
 * @comp_mask: Which members of @rec counted.
 * @callback: See ib_sa_join_multicast().
 * @context: The client's.
 */
struct ib_sa_multicast {
	struct ib_sa_mcmember_rec rec;
	ib_sa_comp_mask comp_mask;
	int (*callback)(int status, struct ib_sa_multicast *multicast);
	void *context;
};

/**
 * ib_sa_join_multicast() - Have a port join a group, once, however many ask for it.
 * @client: Client.
 * @device: Device. It is there until the call returns; a membership of one that goes is worth nothing any more,
 *	and is still to be freed.
 * @port_num: Port.
 * @rec: Group, and how to be in it: join_state is one bit or several.
 * @comp_mask: Which of its members count: IB_SA_MCMEMBER_REC_*.
 * @gfp_mask: Whether it may sleep.
 * @callback: Called once with how it went: 0, -EINVAL (refused, or the group is another than asked for),
 *	-ETIMEDOUT, ...; and again with -ENETRESET if the membership is lost, since the subnet manager or the
 *	port has changed: then join again. If it returns anything but 0 the membership is freed, else it is to be
 *	by ib_sa_free_multicast().
 * @context: For &ib_sa_multicast.context.
 *
 * Context: Any, callbacks included. @callback is called where work is done (<linux/workqueue.h>).
 * Return: The membership; or ERR_PTR, with a cause, as ib_sa_path_rec_get().
 */
struct ib_sa_multicast *ib_sa_join_multicast(
	struct ib_sa_client *client, struct ib_device *device, u32 port_num,
	struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask comp_mask, gfp_t gfp_mask,
	int (*callback)(int status, struct ib_sa_multicast *multicast), void *context);

/**
 * ib_sa_free_multicast() - Have done with a membership. The port leaves the group if nobody else is in it.
 * @multicast: From ib_sa_join_multicast().
 *
 * Context: May sleep; not its callback. No callback runs any more when it returns.
 */
void ib_sa_free_multicast(struct ib_sa_multicast *multicast);

/**
 * ib_sa_get_mcmember_rec() - What the group is that a port is in.
 * @device: Device.
 * @port_num: Port.
 * @mgid: Group.
 * @rec: Out.
 *
 * Context: Any.
 * Return: 0; -EADDRNOTAVAIL, with a cause, if the port is not in it.
 */
int ib_sa_get_mcmember_rec(struct ib_device *device, u32 port_num, union ib_gid *mgid,
			   struct ib_sa_mcmember_rec *rec);

/**
 * ib_init_ah_from_mcmember() - The address of a group.
 * @device: Device.
 * @port_num: Port.
 * @rec: Group, and the port's GID.
 * @ndev: Network interface of that GID, or NULL for any.
 * @gid_type: Its kind; of InfiniBand IB_GID_TYPE_IB.
 * @ah_attr: Out; to be released by rdma_destroy_ah_attr().
 *
 * Context: Any, does not sleep.
 * Return: 0; -ENOENT if the port does not have the GID.
 */
int ib_init_ah_from_mcmember(struct ib_device *device, u32 port_num, struct ib_sa_mcmember_rec *rec,
			     struct net_device *ndev, enum ib_gid_type gid_type,
			     struct rdma_ah_attr *ah_attr);

/**
 * ib_init_ah_attr_from_path() - The address at the end of a path.
 * @device: Device.
 * @port_num: Port.
 * @rec: Path.
 * @ah_attr: Out; to be released by rdma_destroy_ah_attr().
 * @sgid_attr: Entry of the GID to send from, or NULL: the path's. Used if there is a GRH: with RoCE, or
 *	if the path has a hop limit.
 *
 * Context: Any, does not sleep.
 * Return: 0; -ENOENT if the port does not have the path's source GID; -EINVAL, with a cause, if a path of
 *	RoCE has no MAC address yet.
 */
int ib_init_ah_attr_from_path(struct ib_device *device, u32 port_num, struct sa_path_rec *rec,
			      struct rdma_ah_attr *ah_attr, const struct ib_gid_attr *sgid_attr);

/**
 * ib_sa_pack_path() - Write a path as it is on the wire.
 * @rec: Path of InfiniBand.
 * @attribute: Out: 64 bytes.
 */
void ib_sa_pack_path(struct sa_path_rec *rec, void *attribute);

/**
 * ib_sa_unpack_path() - Read a path from the wire.
 * @attribute: 64 bytes.
 * @rec: Out; its members that are not on the wire stay.
 */
void ib_sa_unpack_path(void *attribute, struct sa_path_rec *rec);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_SA_H */
