// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Records of what the manager has found and set: nodes, ports, links, switches and their tables. */
#include <linux/byteorder.h>
#include <string.h>

#include "sm/sa_priv.h"

#define UD_MULTICAST (1u << 9)
#define MULTI_PATH (1u << 10)
#define CAP_MASK_MATCH (1u << 13)
#define ALIAS_GUIDS (1u << 5) /* CapabilityMask2 */
#define SENDS_ONLY_FULL (1u << 12)
#define RESPONSE_TIME 18u
#define INFO 4u /* where SMInfo, NodeInfo and PortInfo begin in their records */
#define TABLE 8u
#define M_KEY_BYTES 8u

#define FIELDS(table) .field = (table), .fields = sizeof(table) / sizeof((table)[0])

/* The LID that a port answers to: of a switch that of port 0. */
static u16 lid_of(const struct sm_net *net, u32 port)
{
	const struct sm_node *node = sm_node_of(net, port);

	return sm_is_switch(node) ? net->port[node->first_port].lid : net->port[port].lid;
}

static void get_class_port_info(struct sa_query *q)
{
	u8 record[SA_MOST_RECORD] = {IB_MGMT_BASE_VERSION, IB_SA_CLASS_VERSION};

	sa_put16(record + 2, UD_MULTICAST | MULTI_PATH | CAP_MASK_MATCH);
	sa_put32(record + 4, (SENDS_ONLY_FULL | ALIAS_GUIDS) << 5 | RESPONSE_TIME);
	(void)sa_offer(q, record);
}

const struct sa_attribute sa_class_port_info = {
	.id = IB_SA_ATTR_CLASS_PORTINFO,
	.bytes = 72,
	.get = get_class_port_info,
	.no_table = true,
};

/* clang-format off */
static const struct sa_field node_fields[] = {
	SA_BYTES(0, 2),	   /* LID */
	{0},
	SA_BYTES(4, 1),	   /* BaseVersion */
	SA_BYTES(5, 1),	   /* ClassVersion */
	SA_BYTES(6, 1),	   /* NodeType */
	SA_BYTES(7, 1),	   /* NumPorts */
	SA_BYTES(8, 8),	   /* SystemImageGUID */
	SA_BYTES(16, 8),   /* NodeGUID */
	SA_BYTES(24, 8),   /* PortGUID */
	SA_BYTES(32, 2),   /* PartitionCap */
	SA_BYTES(34, 2),   /* DeviceID */
	SA_BYTES(36, 4),   /* Revision */
	SA_BYTES(40, 1),   /* LocalPortNum */
	SA_BYTES(41, 3),   /* VendorID */
	SA_TEXT(44, 64),   /* NodeDescription */
};
/* clang-format on */

static bool offer_node(struct sa_query *q, u32 index)
{
	const struct sm_port *port = &q->net->port[index];
	const struct sm_node *node = sm_node_of(q->net, index);
	u8 record[SA_MOST_RECORD] = {0};
	struct ib_node_info info = node->info;

	if (!port->lid)
		return true;
	info.port_guid = cpu_to_be64(port->guid);
	if (!sm_is_switch(node))
		info.local_port_num = port->num;
	sa_put16(record, port->lid);
	memcpy(record + INFO, &info, sizeof(info));
	memcpy(record + INFO + sizeof(info), node->description, sizeof(node->description));
	return sa_offer(q, record);
}

const struct sa_attribute sa_node_record = {
	.id = IB_SA_ATTR_NODE_REC,
	.bytes = 112,
	FIELDS(node_fields),
	.offer = offer_node,
};

#define CAP_MASK_BIT 7u

/* clang-format off */
static const struct sa_field port_fields[] = {
	SA_BYTES(0, 2),	    /* EndportLID */
	SA_BYTES(2, 1),	    /* PortNum */
	{0},
	SA_BYTES(4, 8),	    /* M_Key */
	SA_BYTES(12, 8),    /* GidPrefix */
	SA_BYTES(20, 2),    /* LID */
	SA_BYTES(22, 2),    /* MasterSMLID */
	SA_BYTES(24, 4),    /* CapabilityMask */
	SA_BYTES(28, 2),    /* DiagCode */
	SA_BYTES(30, 2),    /* M_KeyLeasePeriod */
	SA_BYTES(32, 1),    /* LocalPortNum */
	SA_BYTES(33, 1),    /* LinkWidthEnabled */
	SA_BYTES(34, 1),    /* LinkWidthSupported */
	SA_BYTES(35, 1),    /* LinkWidthActive */
	SA_BITS(36, 0, 4),  /* LinkSpeedSupported */
	SA_BITS(36, 4, 4),  /* PortState */
	SA_BITS(37, 0, 4),  /* PortPhysicalState */
	SA_BITS(37, 4, 4),  /* LinkDownDefaultState */
	SA_BITS(38, 0, 2),  /* M_KeyProtectBits */
	{0},
	SA_BITS(38, 5, 3),  /* LMC */
	SA_BITS(39, 0, 4),  /* LinkSpeedActive */
	SA_BITS(39, 4, 4),  /* LinkSpeedEnabled */
	SA_BITS(40, 0, 4),  /* NeighborMTU */
	SA_BITS(40, 4, 4),  /* MasterSMSL */
	SA_BITS(41, 0, 4),  /* VLCap */
	SA_BITS(41, 4, 4),  /* InitType */
	SA_BYTES(42, 1),    /* VLHighLimit */
	SA_BYTES(43, 1),    /* VLArbitrationHighCap */
	SA_BYTES(44, 1),    /* VLArbitrationLowCap */
	SA_BITS(45, 0, 4),  /* InitTypeReply */
	SA_BITS(45, 4, 4),  /* MTUCap */
	SA_BITS(46, 0, 3),  /* VLStallCount */
	SA_BITS(46, 3, 5),  /* HOQLife */
	SA_BITS(47, 0, 4),  /* OperationalVLs */
	SA_BITS(47, 4, 1),  /* PartitionEnforcementInbound */
	SA_BITS(47, 5, 1),  /* PartitionEnforcementOutbound */
	SA_BITS(47, 6, 1),  /* FilterRawInbound */
	SA_BITS(47, 7, 1),  /* FilterRawOutbound */
	SA_BYTES(48, 2),    /* M_KeyViolations */
	SA_BYTES(50, 2),    /* P_KeyViolations */
	SA_BYTES(52, 2),    /* Q_KeyViolations */
	SA_BYTES(54, 1),    /* GUIDCap */
	{0},
	SA_BITS(55, 3, 5),  /* SubnetTimeOut */
	{0},
	SA_BITS(56, 3, 5),  /* RespTimeValue */
	SA_BITS(57, 0, 4),  /* LocalPhyErrors */
	SA_BITS(57, 4, 4),  /* OverrunErrors */
	SA_BYTES(58, 2),    /* MaxCreditHint */
	{0},
	SA_BYTES(61, 3),    /* LinkRoundTripLatency */
	SA_BYTES(64, 2),    /* CapabilityMask2 */
	SA_BITS(66, 0, 4),  /* LinkSpeedExtActive */
	SA_BITS(66, 4, 4),  /* LinkSpeedExtSupported */
	{0},
	SA_BITS(67, 3, 5),  /* LinkSpeedExtEnabled */
};
/* clang-format on */

/* Bit 31 of the modifier: the capabilities asked for are enough. */
static bool has_capabilities(const struct sa_query *q, const u8 *record)
{
	const u32 wanted = sa_get32(q->asked + 24);

	return !(q->modifier >> 31) || (sa_get32(record + 24) & wanted) == wanted;
}

static bool offer_port(struct sa_query *q, u32 index)
{
	const struct sm_port *port = &q->net->port[index];
	u8 record[SA_MOST_RECORD] = {0};

	if (!port->known || !lid_of(q->net, index))
		return true;
	sa_put16(record, lid_of(q->net, index));
	record[2] = port->num;
	memcpy(record + INFO, &port->info, sizeof(port->info));
	if (!q->trusted)
		memset(record + INFO, 0, M_KEY_BYTES);
	return has_capabilities(q, record) ? sa_offer(q, record) : true;
}

static void get_ports(struct sa_query *q)
{
	if (!sa_has(q, CAP_MASK_BIT))
		q->modifier = 0;
	if (q->modifier >> 31)
		q->mask &= ~(1ull << CAP_MASK_BIT);
	sa_each_port(q, offer_port);
}

const struct sa_attribute sa_port_info_record = {
	.id = IB_SA_ATTR_PORT_INFO_REC,
	.bytes = 72,
	FIELDS(port_fields),
	.get = get_ports,
};

static const struct sa_field link_fields[] = {
	SA_BYTES(0, 2), /* FromLID */
	SA_BYTES(2, 1), /* FromPort */
	SA_BYTES(3, 1), /* ToPort */
	SA_BYTES(4, 2), /* ToLID */
};

static bool offer_link(struct sa_query *q, u32 index)
{
	const struct sm_net *net = q->net;
	const u32 peer = net->port[index].peer;
	u8 record[SA_MOST_RECORD] = {0};

	if (peer == SM_NONE || !lid_of(net, index) || !lid_of(net, peer))
		return true;
	sa_put16(record, lid_of(net, index));
	record[2] = net->port[index].num;
	record[3] = net->port[peer].num;
	sa_put16(record + 4, lid_of(net, peer));
	return sa_offer(q, record);
}

const struct sa_attribute sa_link_record = {
	.id = IB_SA_ATTR_LINK_REC,
	.bytes = 8,
	FIELDS(link_fields),
	.offer = offer_link,
};

/* clang-format off */
static const struct sa_field switch_fields[] = {
	SA_BYTES(0, 2),	   /* LID */
	{0},
	SA_BYTES(4, 2),	   /* LinearFDBCap */
	SA_BYTES(6, 2),	   /* RandomFDBCap */
	SA_BYTES(8, 2),	   /* MulticastFDBCap */
	SA_BYTES(10, 2),   /* LinearFDBTop */
	SA_BYTES(12, 1),   /* DefaultPort */
	SA_BYTES(13, 1),   /* DefaultMulticastPrimaryPort */
	SA_BYTES(14, 1),   /* DefaultMulticastNotPrimaryPort */
	SA_BITS(15, 0, 5), /* LifeTimeValue */
	SA_BITS(15, 5, 1), /* PortStateChange */
	SA_BYTES(16, 2),   /* LIDsPerPort */
	SA_BYTES(18, 2),   /* PartitionEnforcementCap */
	SA_BITS(20, 0, 1), /* InboundEnforcementCap */
	SA_BITS(20, 1, 1), /* OutboundEnforcementCap */
	SA_BITS(20, 2, 1), /* FilterRawInboundCap */
	SA_BITS(20, 3, 1), /* FilterRawOutboundCap */
	SA_BITS(20, 4, 1), /* EnhancedPort0 */
};
/* clang-format on */

#define SWITCH_INFO_BYTES 20u

/* The switch whose port 0 it is; NULL if it is another port. */
static const struct sm_switch *switch_at(const struct sm_net *net, u32 port)
{
	const struct sm_node *node = sm_node_of(net, port);

	return sm_is_switch(node) && !net->port[port].num && net->port[port].lid
		       ? &net->sw[node->sw]
		       : NULL;
}

static bool offer_switch(struct sa_query *q, u32 port)
{
	const struct sm_switch *sw = switch_at(q->net, port);
	u8 record[SA_MOST_RECORD] = {0};

	if (!sw || !sw->known)
		return true;
	sa_put16(record, q->net->port[port].lid);
	memcpy(record + INFO, sw->info, SWITCH_INFO_BYTES);
	return sa_offer(q, record);
}

const struct sa_attribute sa_switch_record = {
	.id = IB_SA_ATTR_SWITCH_REC,
	.bytes = 24,
	FIELDS(switch_fields),
	.offer = offer_switch,
};

static const struct sa_field lft_fields[] = {
	SA_BYTES(0, 2), /* LID */
	SA_BYTES(2, 2), /* BlockNum */
};

static bool offer_lft(struct sa_query *q, u32 port)
{
	const struct sm_switch *sw = switch_at(q->net, port);
	const u32 blocks = (q->net->lids + SM_BLOCK - 1) / SM_BLOCK;
	u8 record[SA_MOST_RECORD] = {0};
	bool more = true;

	for (u32 i = 0; sw && sw->lft && more && i < blocks; i++) {
		sa_put16(record, q->net->port[port].lid);
		sa_put16(record + 2, (u16)i);
		memcpy(record + TABLE, sw->lft + (size_t)i * SM_BLOCK, SM_BLOCK);
		more = sa_offer(q, record);
	}
	return more;
}

const struct sa_attribute sa_lft_record = {
	.id = IB_SA_ATTR_LINEAR_FDB_REC,
	.bytes = 72,
	FIELDS(lft_fields),
	.offer = offer_lft,
};

static const struct sa_field mft_fields[] = {
	SA_BYTES(0, 2),	  /* LID */
	SA_BITS(2, 0, 4), /* Position */
	{0},
	SA_BITS(2, 7, 9), /* BlockNum */
};

static bool offer_mft(struct sa_query *q, u32 port)
{
	const struct sm_switch *sw = switch_at(q->net, port);
	const u32 positions = sw ? sm_mft_positions(q->net, sw) : 0;
	u8 record[SA_MOST_RECORD] = {0};
	bool more = true;

	for (u32 i = 0; sw && more && i < sw->mft_blocks * positions; i++) {
		sa_put16(record, q->net->port[port].lid);
		sa_put16(record + 2, (u16)(i % positions << 12 | i / positions));
		memcpy(record + TABLE, sw->mft[i].want, sizeof(sw->mft[i].want));
		more = sa_offer(q, record);
	}
	return more;
}

const struct sa_attribute sa_mft_record = {
	.id = IB_SA_ATTR_MCAST_FDB_REC,
	.bytes = 72,
	FIELDS(mft_fields),
	.offer = offer_mft,
};

/* clang-format off */
static const struct sa_field sm_fields[] = {
	SA_BYTES(0, 2),	   /* LID */
	{0},
	SA_BYTES(4, 8),	   /* GUID */
	SA_BYTES(12, 8),   /* SM_Key */
	SA_BYTES(20, 4),   /* ActCount */
	SA_BITS(24, 0, 4), /* Priority */
	SA_BITS(24, 4, 4), /* SMState */
};
/* clang-format on */

/* Our key is for those that know it. */
static bool offer_us(struct sa_query *q)
{
	const struct sm *sm = q->sa->sm;
	u8 record[SA_MOST_RECORD] = {0};

	sa_put16(record, sm_lid(sm));
	sa_put64(record + INFO, q->net->port[q->net->own].guid);
	if (q->trusted)
		sa_put64(record + INFO + 8, sm->options.key);
	sa_put32(record + INFO + 16, sm->activity);
	record[INFO + 20] = (u8)((u32)sm->options.priority << 4 | sm->state);
	return sa_offer(q, record);
}

static void get_sms(struct sa_query *q)
{
	const struct sm_net *net = q->net;
	bool more = offer_us(q);

	for (u32 i = 0; more && i < net->others; i++) {
		const struct sm_other *other = &net->other[i];
		u8 record[SA_MOST_RECORD] = {0};

		if (!other->known)
			continue;
		sa_put16(record, net->port[other->port].lid);
		sa_put64(record + INFO, other->guid);
		sa_put32(record + INFO + 16, other->activity);
		record[INFO + 20] = (u8)(other->priority << 4 | other->state);
		more = sa_offer(q, record);
	}
}

const struct sa_attribute sa_sm_info_record = {
	.id = IB_SA_ATTR_SM_INFO_REC,
	.bytes = 32,
	FIELDS(sm_fields),
	.get = get_sms,
};

#define G(n) SA_BYTES(TABLE + 8 * (n), 8)

static const struct sa_field guid_fields[] = {
	SA_BYTES(0, 2), /* LID */
	SA_BYTES(2, 1), /* BlockNum */
	{0},
	{0},
	G(0),
	G(1),
	G(2),
	G(3),
	G(4),
	G(5),
	G(6),
	G(7),
};

/* The first of all is the port's own. */
static bool offer_guids(struct sa_query *q, u32 index)
{
	const struct sm_port *port = &q->net->port[index];
	u8 record[SA_MOST_RECORD] = {0};
	bool more = true;

	for (u32 block = 0; port->lid && more && block < port->guid_blocks; block++) {
		sa_put16(record, port->lid);
		record[2] = (u8)block;
		for (u32 i = 0; i < SM_GUID_BLOCK; i++)
			sa_put64(record + TABLE + 8 * i,
				 port->guids ? port->guids[block * SM_GUID_BLOCK + i] : 0);
		if (!block)
			sa_put64(record + TABLE, port->guid);
		more = sa_offer(q, record);
	}
	return more;
}

const struct sa_attribute sa_guid_info_record = {
	.id = IB_SA_ATTR_GUID_INFO_REC,
	.bytes = 72,
	FIELDS(guid_fields),
	.offer = offer_guids,
	.set = sa_set_guids,
	.remove = sa_remove_guids,
};
