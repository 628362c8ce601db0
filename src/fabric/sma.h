/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the firmware of a port answers: SMA, PMA and congestion control. All of it under the subnet's lock.
 */
#ifndef FABRIC_SMA_H
#define FABRIC_SMA_H

#include "fabric/subnet_priv.h"

/* As the kernel's enum ib_process_mad_flags and enum ib_mad_result have them. */
#define FIRMWARE_IGNORE_MKEY 1
#define FIRMWARE_FAILURE 0
#define FIRMWARE_SUCCESS 1  /* not the firmware's: for an agent, if there is one */
#define FIRMWARE_REPLY 2    /* what came is its own answer now */
#define FIRMWARE_CONSUMED 4 /* that was it */

/**
 * struct firmware_query - A Get or Set that is being answered.
 * @subnet: Subnet.
 * @node: Whose.
 * @in_port: That it came in by.
 * @is_set: It is a Set.
 * @reregisters: It is a Set of PortInfo that has ClientReregister.
 * @modifier: Attribute modifier.
 * @mad: The MAD; becomes the answer.
 * @data: Its attribute.
 * @asked: What @data began with when it came: port and counters that are meant.
 */
struct firmware_query {
	struct subnet *subnet;
	struct subnet_node *node;
	uint8_t in_port;
	bool is_set;
	bool reregisters;
	uint32_t modifier;
	struct subnet_mad *mad;
	uint8_t *data;
	uint8_t asked[8];
};

/**
 * struct firmware_attribute - How one is answered. Both return IB_MGMT_MAD_STATUS_*, network order.
 * @id: Network order.
 * @switches: No others have it.
 * @get: Fills in &firmware_query.data, which is zero.
 * @set: Acts as &firmware_query.data says, all of it or nothing; @get has the last word. NULL: it cannot.
 */
struct firmware_attribute {
	__be16 id;
	bool switches;
	__be16 (*get)(struct firmware_query *query);
	__be16 (*set)(struct firmware_query *query);
};

#define FIRMWARE_OK ((__be16)0)
#define FIRMWARE_BAD_VERSION cpu_to_be16(IB_MGMT_MAD_STATUS_BAD_VERSION)
#define FIRMWARE_BAD_METHOD cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD)
#define FIRMWARE_NOT_HERE cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB)
#define FIRMWARE_BAD_VALUE cpu_to_be16(IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE)
#define FIRMWARE_BUSY cpu_to_be16(IB_MGMT_MAD_STATUS_BUSY)

/**
 * firmware_answer() - What the firmware says to a MAD that is for this port.
 * @subnet: Subnet.
 * @at: Port that it came in by.
 * @flags: FIRMWARE_IGNORE_MKEY.
 * @mad: The MAD; on FIRMWARE_REPLY the answer, without addresses.
 *
 * Return: FIRMWARE_FAILURE, or FIRMWARE_SUCCESS and at most one of the others.
 */
int firmware_answer(struct subnet *subnet, struct subnet_at at, int flags, struct subnet_mad *mad);

/** firmware_refuse() - Make an answer of a request, with nothing but a status. @status: Network order. */
void firmware_refuse(struct subnet_mad *mad, __be16 status);

/** sma_answer() - Classes 1 and 0x81. */
int sma_answer(struct subnet *subnet, struct subnet_node *node, uint8_t in_port, int flags,
	       struct subnet_mad *mad);

/** pma_answer() - Class 4. */
int pma_answer(struct subnet *subnet, struct subnet_node *node, uint8_t in_port,
	       struct subnet_mad *mad);

/** cca_answer() - Class 0x21. */
int cca_answer(struct subnet *subnet, struct subnet_node *node, uint8_t in_port,
	       struct subnet_mad *mad);

/**
 * firmware_gmp() - Answer by a table what asks the firmware by QP 1.
 * @query: With subnet, node, port, MAD and data.
 * @class_version: Of the class.
 * @table: Attributes.
 * @count: Of them.
 * @bytes: Of the attribute's data.
 *
 * Return: As firmware_answer().
 */
int firmware_gmp(struct firmware_query *query, uint8_t class_version,
		 const struct firmware_attribute *table, size_t count, size_t bytes);

/* pma_samples.c: gets and sets of PortSamplesControl and its results. */
__be16 pma_get_samples_control(struct firmware_query *query);
__be16 pma_set_samples_control(struct firmware_query *query);
__be16 pma_get_samples_result(struct firmware_query *query);
__be16 pma_get_samples_result_ext(struct firmware_query *query);

/* What a counter of a port has come to since it was last cleared, as @cleared says. */
uint64_t pma_count(const struct subnet_port *port, const uint64_t *cleared,
		   enum subnet_counter counter);

/* sma_node.c, sma_port.c, sma_tables.c: gets and sets of the attributes of their names. */
__be16 sma_get_node_info(struct firmware_query *query);
__be16 sma_get_node_description(struct firmware_query *query);
__be16 sma_get_switch_info(struct firmware_query *query);
__be16 sma_set_switch_info(struct firmware_query *query);
__be16 sma_get_guid_info(struct firmware_query *query);
__be16 sma_set_guid_info(struct firmware_query *query);
__be16 sma_get_port_info(struct firmware_query *query);
__be16 sma_set_port_info(struct firmware_query *query);
__be16 sma_get_pkeys(struct firmware_query *query);
__be16 sma_set_pkeys(struct firmware_query *query);
__be16 sma_get_sl2vl(struct firmware_query *query);
__be16 sma_set_sl2vl(struct firmware_query *query);
__be16 sma_get_vl_arb(struct firmware_query *query);
__be16 sma_set_vl_arb(struct firmware_query *query);
__be16 sma_get_lft(struct firmware_query *query);
__be16 sma_set_lft(struct firmware_query *query);
__be16 sma_get_mft(struct firmware_query *query);
__be16 sma_set_mft(struct firmware_query *query);

/* Whether who has sent a packet with this M_Key may see the key of @end. */
bool sma_may_see_mkey(const struct subnet_end *end, uint64_t mkey);

#endif
