/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Addresses of peers: address handles and the attributes they are made from. */
#ifndef VERBENA_RDMA_IB_VERBS_AH_H
#define VERBENA_RDMA_IB_VERBS_AH_H

#include <string.h>
#include <rdma/ib_verbs_port.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * rdma_create_ah() - Make an address handle.
 * @pd: The handle belongs to it and works with QPs of it only.
 * @ah_attr: Address; left as it is. With a GRH, sgid_index names the source GID. On RoCE the
 *	destination MAC must be filled in.
 * @flags: RDMA_CREATE_AH_SLEEPABLE if the call may sleep.
 *
 * Context: Any that @flags speaks truly of; without the flag it does not sleep.
 * Return: The handle, the caller's until rdma_destroy_ah(); or ERR_PTR: -EINVAL if the port, the
 *	GID index, the type or the address is not valid, a GRH is missing where it is needed, or
 *	sgid_attr and sgid_index disagree; -ENODATA if the GID entry is empty; -EOPNOTSUPP if the
 *	provider has no handles; -ENOMEM, also beyond max_ah.
 */
struct ib_ah *rdma_create_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr, u32 flags);

/**
 * rdma_create_user_ah() - Make an address handle for a process.
 * @pd: The handle belongs to it.
 * @ah_attr: Address. On RoCE the destination MAC is found here and filled in.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: As rdma_create_ah(), or an errno of the search for the MAC.
 */
struct ib_ah *rdma_create_user_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr,
				  struct ib_udata *udata);

/**
 * rdma_modify_ah() - Change where an address handle leads.
 * @ah: Which handle.
 * @ah_attr: New address, of the same type.
 *
 * Requests that were posted before keep the old address.
 *
 * Context: May sleep.
 * Return: 0; -EINVAL if the address is not valid or of another type; -EOPNOTSUPP if the provider
 *	cannot; another errno of the provider's.
 */
int rdma_modify_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);

/**
 * rdma_query_ah() - Read an address handle.
 * @ah: Which handle.
 * @ah_attr: Out. Its sgid_attr is borrowed: valid as long as the handle, not to be released.
 *
 * Return: 0; -EOPNOTSUPP if the provider cannot; another errno of the provider's.
 */
int rdma_query_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);

/**
 * rdma_destroy_ah_user() - Destroy an address handle on behalf of a process.
 * @ah: Which handle.
 * @flags: RDMA_DESTROY_AH_SLEEPABLE if the call may sleep.
 * @udata: The process's request, or NULL.
 *
 * Context: Any that @flags speaks truly of.
 * Return: 0; an errno of the provider's, the handle is then still there.
 */
int rdma_destroy_ah_user(struct ib_ah *ah, u32 flags, struct ib_udata *udata);

/**
 * rdma_destroy_ah() - Destroy an address handle.
 * @ah: Which handle. Requests already posted with it are sent all the same.
 * @flags: RDMA_DESTROY_AH_SLEEPABLE if the call may sleep.
 *
 * Context: Any that @flags speaks truly of.
 */
static inline void rdma_destroy_ah(struct ib_ah *ah, u32 flags)
{
	const int ret = rdma_destroy_ah_user(ah, flags, NULL);

	(void)WARN_ONCE(ret, "a kernel user's address handle was not destroyed");
}

/**
 * ib_init_ah_attr_from_wc() - The address to answer a datagram.
 * @device: Which received it.
 * @port_num: On which port.
 * @wc: Its completion.
 * @grh: First 40 bytes of its buffer; read only where the completion has IB_WC_GRH.
 * @ah_attr: Out. On success it may hold a GID entry: release with rdma_destroy_ah_attr().
 *
 * Context: May sleep.
 * Return: 0; -EPROTOTYPE if the port needs a GRH and the datagram had none; -ENOENT, -EINVAL or
 *	-ENODATA if its destination is none of our GIDs; -EINVAL if its header is of no known kind;
 *	an errno of the search for a MAC.
 */
int ib_init_ah_attr_from_wc(struct ib_device *device, u32 port_num, const struct ib_wc *wc,
			    const struct ib_grh *grh, struct rdma_ah_attr *ah_attr);

/**
 * ib_create_ah_from_wc() - An address handle to answer a datagram.
 * @pd: The handle belongs to it.
 * @wc: Completion of the datagram.
 * @grh: First 40 bytes of its buffer.
 * @port_num: Port that received it.
 *
 * Context: May sleep.
 * Return: The handle; or ERR_PTR of ib_init_ah_attr_from_wc() or rdma_create_ah().
 */
struct ib_ah *ib_create_ah_from_wc(struct ib_pd *pd, const struct ib_wc *wc,
				   const struct ib_grh *grh, u32 port_num);

/**
 * ib_get_gids_from_rdma_hdr() - Source and destination from the 40 bytes ahead of a datagram.
 * @hdr: The bytes.
 * @net_type: What they are.
 * @sgid: Out.
 * @dgid: Out.
 *
 * Return: 0; -EINVAL if an output is NULL or @net_type unknown.
 */
int ib_get_gids_from_rdma_hdr(const union rdma_network_hdr *hdr, enum rdma_network_type net_type,
			      union ib_gid *sgid, union ib_gid *dgid);

/**
 * ib_get_rdma_header_version() - Whether the 40 bytes ahead of a datagram are IPv4 or IPv6.
 * @hdr: The bytes; those of an IPv4 header are the last 20.
 *
 * A GRH counts as IPv6. What looks like both is IPv4 only if the header checksum is right.
 *
 * Return: 4 or 6; 0 if they are neither.
 */
int ib_get_rdma_header_version(const union rdma_network_hdr *hdr);

/**
 * rdma_copy_ah_attr() - Copy an address with its reference to a GID entry.
 * @dest: Out; what it held is overwritten, not released.
 * @src: Address.
 */
void rdma_copy_ah_attr(struct rdma_ah_attr *dest, const struct rdma_ah_attr *src);

/**
 * rdma_replace_ah_attr() - Release an address and put a copy of another in its place.
 * @old: Overwritten.
 * @replacement: Address, with a reference of its own.
 */
void rdma_replace_ah_attr(struct rdma_ah_attr *old, const struct rdma_ah_attr *replacement);

/**
 * rdma_move_ah_attr() - Release an address and move another into its place.
 * @dest: Overwritten.
 * @src: Loses its reference to the GID entry.
 */
void rdma_move_ah_attr(struct rdma_ah_attr *dest, struct rdma_ah_attr *src);

/**
 * rdma_destroy_ah_attr() - Release an address's reference to its GID entry.
 * @ah_attr: Address; may be released again.
 */
void rdma_destroy_ah_attr(struct rdma_ah_attr *ah_attr);

/**
 * rdma_move_grh_sgid_attr() - Fill in the GRH of an address from a GID entry.
 * @attr: Address.
 * @dgid: Destination.
 * @flow_label: 20 bits.
 * @hop_limit: Hops.
 * @traffic_class: Traffic class.
 * @sgid_attr: Source; its reference passes to @attr, for rdma_destroy_ah_attr().
 */
void rdma_move_grh_sgid_attr(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
			     u8 hop_limit, u8 traffic_class, const struct ib_gid_attr *sgid_attr);

/**
 * rdma_ah_find_type() - Kind of addresses that a port takes.
 * @dev: Which device.
 * @port_num: A valid port.
 *
 * Return: RoCE, OPA or InfiniBand; RDMA_AH_ATTR_TYPE_UNDEFINED for other protocols.
 */
static inline enum rdma_ah_attr_type rdma_ah_find_type(struct ib_device *dev, u32 port_num)
{
	if (rdma_protocol_roce(dev, port_num))
		return RDMA_AH_ATTR_TYPE_ROCE;
	if (!rdma_protocol_ib(dev, port_num))
		return RDMA_AH_ATTR_TYPE_UNDEFINED;
	return rdma_cap_opa_ah(dev, port_num) ? RDMA_AH_ATTR_TYPE_OPA : RDMA_AH_ATTR_TYPE_IB;
}

/**
 * rdma_ah_retrieve_dmac() - Where an address keeps its MAC.
 * @attr: Address.
 *
 * Return: 6 bytes in @attr; NULL unless its type is RoCE.
 */
static inline u8 *rdma_ah_retrieve_dmac(struct rdma_ah_attr *attr)
{
	return attr->type == RDMA_AH_ATTR_TYPE_ROCE ? attr->roce.dmac : NULL;
}

/**
 * rdma_ah_set_dlid() - Set the destination LID.
 * @attr: Address; nothing happens unless its type has LIDs.
 * @dlid: LID, of which InfiniBand keeps 16 bits.
 */
static inline void rdma_ah_set_dlid(struct rdma_ah_attr *attr, u32 dlid)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		attr->ib.dlid = (u16)dlid;
	else if (attr->type == RDMA_AH_ATTR_TYPE_OPA)
		attr->opa.dlid = dlid;
}

/**
 * rdma_ah_get_dlid() - Destination LID.
 * @attr: Address.
 *
 * Return: LID; 0 if the type has none.
 */
static inline u32 rdma_ah_get_dlid(const struct rdma_ah_attr *attr)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		return attr->ib.dlid;
	return attr->type == RDMA_AH_ATTR_TYPE_OPA ? attr->opa.dlid : 0;
}

/**
 * rdma_ah_set_sl() - Set the service level.
 * @attr: Address.
 * @sl: 0 to 15.
 */
static inline void rdma_ah_set_sl(struct rdma_ah_attr *attr, u8 sl)
{
	attr->sl = sl;
}

/**
 * rdma_ah_get_sl() - Service level.
 * @attr: Address.
 *
 * Return: 0 to 15.
 */
static inline u8 rdma_ah_get_sl(const struct rdma_ah_attr *attr)
{
	return attr->sl;
}

/**
 * rdma_ah_set_path_bits() - Set the low bits of the source LID.
 * @attr: Address; nothing happens unless its type has LIDs.
 * @src_path_bits: As many bits as the port's LMC.
 */
static inline void rdma_ah_set_path_bits(struct rdma_ah_attr *attr, u8 src_path_bits)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		attr->ib.src_path_bits = src_path_bits;
	else if (attr->type == RDMA_AH_ATTR_TYPE_OPA)
		attr->opa.src_path_bits = src_path_bits;
}

/**
 * rdma_ah_get_path_bits() - Low bits of the source LID.
 * @attr: Address.
 *
 * Return: Bits; 0 if the type has none.
 */
static inline u8 rdma_ah_get_path_bits(const struct rdma_ah_attr *attr)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		return attr->ib.src_path_bits;
	return attr->type == RDMA_AH_ATTR_TYPE_OPA ? attr->opa.src_path_bits : 0;
}

/**
 * rdma_ah_set_make_grd() - Ask for a GRH even inside the subnet.
 * @attr: Address; nothing happens unless its type is OPA.
 * @make_grd: Whether.
 */
static inline void rdma_ah_set_make_grd(struct rdma_ah_attr *attr, bool make_grd)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_OPA)
		attr->opa.make_grd = make_grd;
}

/**
 * rdma_ah_get_make_grd() - Whether a GRH is asked for even inside the subnet.
 * @attr: Address.
 *
 * Return: What was set; false unless the type is OPA.
 */
static inline bool rdma_ah_get_make_grd(const struct rdma_ah_attr *attr)
{
	return attr->type == RDMA_AH_ATTR_TYPE_OPA && attr->opa.make_grd;
}

/**
 * rdma_ah_set_port_num() - Set the source port.
 * @attr: Address.
 * @port_num: Port.
 */
static inline void rdma_ah_set_port_num(struct rdma_ah_attr *attr, u32 port_num)
{
	attr->port_num = port_num;
}

/**
 * rdma_ah_get_port_num() - Source port.
 * @attr: Address.
 *
 * Return: Port.
 */
static inline u32 rdma_ah_get_port_num(const struct rdma_ah_attr *attr)
{
	return attr->port_num;
}

/**
 * rdma_ah_set_static_rate() - Set the rate limit.
 * @attr: Address.
 * @static_rate: enum ib_rate.
 */
static inline void rdma_ah_set_static_rate(struct rdma_ah_attr *attr, u8 static_rate)
{
	attr->static_rate = static_rate;
}

/**
 * rdma_ah_get_static_rate() - Rate limit.
 * @attr: Address.
 *
 * Return: enum ib_rate.
 */
static inline u8 rdma_ah_get_static_rate(const struct rdma_ah_attr *attr)
{
	return attr->static_rate;
}

/**
 * rdma_ah_set_ah_flags() - Say whether the GRH is valid.
 * @attr: Address.
 * @flag: IB_AH_GRH or 0.
 */
static inline void rdma_ah_set_ah_flags(struct rdma_ah_attr *attr, enum ib_ah_flags flag)
{
	attr->ah_flags = (u8)flag;
}

/**
 * rdma_ah_get_ah_flags() - Whether the GRH is valid.
 * @attr: Address.
 *
 * Return: IB_AH_GRH or 0.
 */
static inline enum ib_ah_flags rdma_ah_get_ah_flags(const struct rdma_ah_attr *attr)
{
	return (enum ib_ah_flags)attr->ah_flags;
}

/**
 * rdma_ah_read_grh() - GRH of an address, to read.
 * @attr: Address.
 *
 * Return: Pointer into @attr; valid if rdma_ah_get_ah_flags() says so.
 */
static inline const struct ib_global_route *rdma_ah_read_grh(const struct rdma_ah_attr *attr)
{
	return &attr->grh;
}

/**
 * rdma_ah_retrieve_grh() - GRH of an address, to change.
 * @attr: Address.
 *
 * Return: Pointer into @attr.
 */
static inline struct ib_global_route *rdma_ah_retrieve_grh(struct rdma_ah_attr *attr)
{
	return &attr->grh;
}

/**
 * rdma_ah_set_dgid_raw() - Set the destination GID from bytes.
 * @attr: Address.
 * @dgid: 16 bytes in wire order.
 */
static inline void rdma_ah_set_dgid_raw(struct rdma_ah_attr *attr, void *dgid)
{
	memcpy(attr->grh.dgid.raw, dgid, sizeof(attr->grh.dgid));
}

/**
 * rdma_ah_set_subnet_prefix() - Set the upper half of the destination GID.
 * @attr: Address.
 * @prefix: Wire order.
 */
static inline void rdma_ah_set_subnet_prefix(struct rdma_ah_attr *attr, __be64 prefix)
{
	attr->grh.dgid.global.subnet_prefix = prefix;
}

/**
 * rdma_ah_set_interface_id() - Set the lower half of the destination GID.
 * @attr: Address.
 * @if_id: Wire order.
 */
static inline void rdma_ah_set_interface_id(struct rdma_ah_attr *attr, __be64 if_id)
{
	attr->grh.dgid.global.interface_id = if_id;
}

/**
 * rdma_ah_set_grh() - Fill in the GRH of an address and mark it valid.
 * @attr: Address. A reference to a GID entry that it holds is forgotten, not released.
 * @dgid: Destination; NULL keeps the one that is there.
 * @flow_label: 20 bits.
 * @sgid_index: Source, index in the port's GID table.
 * @hop_limit: Hops.
 * @traffic_class: Traffic class.
 */
static inline void rdma_ah_set_grh(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
				   u8 sgid_index, u8 hop_limit, u8 traffic_class)
{
	struct ib_global_route *grh = &attr->grh;

	attr->ah_flags = IB_AH_GRH;
	if (dgid)
		grh->dgid = *dgid;
	grh->flow_label = flow_label;
	grh->sgid_index = sgid_index;
	grh->hop_limit = hop_limit;
	grh->traffic_class = traffic_class;
	grh->sgid_attr = NULL;
}

/**
 * ib_lid_cpu16() - A LID that is known to have 16 bits.
 * @lid: LID; a longer one is complained about once.
 *
 * Return: Low 16 bits, host order.
 */
static inline u16 ib_lid_cpu16(u32 lid)
{
	(void)WARN_ON_ONCE(lid & 0xffff0000);
	return (u16)lid;
}

/**
 * ib_lid_be16() - A LID that is known to have 16 bits, in wire order.
 * @lid: LID; a longer one is complained about once.
 *
 * Return: Low 16 bits, wire order.
 */
static inline __be16 ib_lid_be16(u32 lid)
{
	return cpu_to_be16(ib_lid_cpu16(lid));
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_AH_H */
