// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Partitions: what a port's P_Key table says, and its record. A port whose table is not known is in the default one. */
#include <linux/byteorder.h>
#include <string.h>

#include "sm/sa_priv.h"

#define FULL 0x8000u
#define TABLE 8u

static u32 count_of(const struct sm_port *port)
{
	return port->pkeys ? port->pkey_count : 1;
}

static u16 entry_of(const struct sm_port *port, u32 i)
{
	return port->pkeys ? port->pkeys[i] : (u16)SA_PKEY;
}

/* Both membership bits make no difference, and partition 0 is none. */
static bool is_same(u16 a, u16 b)
{
	return (a & ~FULL) && !((a ^ b) & ~FULL);
}

bool sa_has_pkey(const struct sm_port *port, u16 pkey)
{
	for (u32 i = 0; i < count_of(port); i++)
		if (is_same(entry_of(port, i), pkey))
			return true;
	return false;
}

static bool takes(const struct sm_port *to, u16 pkey, bool limited_too)
{
	for (u32 i = 0; i < count_of(to); i++)
		if (is_same(entry_of(to, i), pkey) &&
		    (((pkey | entry_of(to, i)) & FULL) || limited_too))
			return true;
	return false;
}

u16 sa_shared_pkey(const struct sm_port *from, const struct sm_port *to, u16 asked)
{
	for (u32 i = 0; i < count_of(from); i++) {
		const u16 pkey = entry_of(from, i);

		if ((!asked || is_same(pkey, asked)) && takes(to, pkey, from == to))
			return asked ? asked : pkey;
	}
	return 0;
}

static const struct sa_field fields[] = {
	SA_BYTES(0, 2), /* LID */
	SA_BYTES(2, 2), /* BlockNum */
	SA_BYTES(4, 1), /* PortNum */
};

static bool offer_tables(struct sa_query *q, u32 index)
{
	const struct sm_port *port = &q->net->port[index];
	const u32 blocks = port->lid && port->pkeys ? port->pkey_count / SM_PKEY_BLOCK : 0;
	u8 record[SA_MOST_RECORD] = {0};
	bool more = true;

	sa_put16(record, port->lid);
	record[4] = port->num;
	for (u32 block = 0; more && block < blocks; block++) {
		sa_put16(record + 2, (u16)block);
		for (u32 i = 0; i < SM_PKEY_BLOCK; i++)
			sa_put16(record + TABLE + 2 * i, port->pkeys[block * SM_PKEY_BLOCK + i]);
		more = sa_offer(q, record);
	}
	return more;
}

const struct sa_attribute sa_pkey_record = {
	.id = IB_SA_ATTR_PARTITION_REC,
	.bytes = 72,
	.field = fields,
	.fields = sizeof(fields) / sizeof(fields[0]),
	.offer = offer_tables,
};
