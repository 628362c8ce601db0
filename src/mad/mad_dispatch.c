// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who receives which requests [rcp 16.4]: tables by class version, class and method, and by OUI. */
#include <linux/bitops.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "mad/mad_priv.h"

#define METHOD_MASK (IB_MGMT_MAX_METHODS - 1)

/* Class 0 is reserved; its place is that of directed routes, which are beyond the tables. */
static u8 class_index(u8 mgmt_class)
{
	return mad_is_directed(mgmt_class) ? 0 : mgmt_class;
}

static u8 vendor_index(u8 mgmt_class)
{
	return (u8)(mgmt_class - IB_MGMT_CLASS_VENDOR_RANGE2_START);
}

static bool is_subnet_class(u8 mgmt_class)
{
	return mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED || mad_is_directed(mgmt_class);
}

static bool has_oui(const u8 *oui)
{
	return oui[0] || oui[1] || oui[2];
}

int mad_dispatch_check(enum ib_qp_type qp_type, const struct ib_mad_reg_req *req, u8 rmpp_version)
{
	const u8 mgmt_class = req->mgmt_class;

	if (req->mgmt_class_version >= MAX_MGMT_VERSION)
		return base_refuse(-EINVAL, MAD_CLASS_VERSION, req->mgmt_class_version,
				   MAX_MGMT_VERSION - 1);
	if (!mgmt_class || (mgmt_class >= MAX_MGMT_CLASS && !mad_is_directed(mgmt_class)))
		return base_refuse(-EINVAL, MAD_CLASS, mgmt_class);
	if (mad_is_vendor_class(mgmt_class) && !has_oui(req->oui))
		return base_refuse(-EINVAL, MAD_NO_OUI, mgmt_class);
	if (rmpp_version && !ib_is_mad_class_rmpp(mgmt_class))
		return base_refuse(-EINVAL, MAD_CLASS_RMPP, mgmt_class);
	if (is_subnet_class(mgmt_class) != (qp_type == IB_QPT_SMI))
		return base_refuse(-EINVAL, MAD_CLASS_QP, mgmt_class, qp_type != IB_QPT_SMI);
	return 0;
}

static int find_oui(const struct ib_mad_mgmt_vendor_class *vendor, const u8 *oui)
{
	for (int i = 0; i < MAX_MGMT_OUI; i++)
		if (vendor->method_table[i] && !memcmp(vendor->oui[i], oui, sizeof(vendor->oui[i])))
			return i;
	return -1;
}

/* The table of a class, of one vendor's class; NULL: nobody is in it. */
static struct ib_mad_mgmt_method_table *methods_of(const struct ib_mad_port_private *port,
						   u8 class_version, u8 mgmt_class, const u8 *oui)
{
	const struct ib_mad_mgmt_version_table *version;
	const struct ib_mad_mgmt_vendor_class *vendor;
	int i;

	if (class_version >= MAX_MGMT_VERSION)
		return NULL;
	version = &port->version[class_version];
	if (!mad_is_vendor_class(mgmt_class)) {
		const u8 index = class_index(mgmt_class);

		if (!version->class_table || index >= MAX_MGMT_CLASS)
			return NULL;
		return version->class_table->method_table[index];
	}
	if (!version->vendor)
		return NULL;
	vendor = version->vendor->vendor_class[vendor_index(mgmt_class)];
	i = vendor ? find_oui(vendor, oui) : -1;
	return i < 0 ? NULL : vendor->method_table[i];
}

/* The table at @place, made if there is none; NULL without memory. */
#define MADE(place) ((place) ? (place) : ((place) = base_zalloc(sizeof(*(place)))))

static int make_class(struct ib_mad_mgmt_version_table *version, u8 mgmt_class,
		      struct ib_mad_mgmt_method_table **methods)
{
	if (MADE(version->class_table))
		*methods = MADE(version->class_table->method_table[class_index(mgmt_class)]);
	return *methods ? 0 : base_refuse(-ENOMEM, NO_MEMORY, sizeof(**methods));
}

static int make_vendor(struct ib_mad_mgmt_version_table *version, u8 mgmt_class, const u8 *oui,
		       struct ib_mad_mgmt_method_table **methods)
{
	struct ib_mad_mgmt_vendor_class *vendor = NULL;
	int i;

	if (MADE(version->vendor))
		vendor = MADE(version->vendor->vendor_class[vendor_index(mgmt_class)]);
	if (!vendor)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*vendor));
	for (i = 0; i < MAX_MGMT_OUI && vendor->method_table[i]; i++)
		;
	if (i == MAX_MGMT_OUI)
		return base_refuse(-EINVAL, MAD_OUIS, mgmt_class, MAX_MGMT_OUI);
	memcpy(vendor->oui[i], oui, sizeof(vendor->oui[i]));
	*methods = MADE(vendor->method_table[i]);
	return *methods ? 0 : base_refuse(-ENOMEM, NO_MEMORY, sizeof(**methods));
}

static bool wants(const struct ib_mad_reg_req *req, unsigned int method)
{
	return test_bit((long)method, req->method_mask);
}

bool mad_wants_any(const struct ib_mad_reg_req *req)
{
	for (unsigned int m = 0; m < IB_MGMT_MAX_METHODS; m++)
		if (wants(req, m))
			return true;
	return false;
}

static int check_free(const struct ib_mad_mgmt_method_table *methods,
		      const struct ib_mad_reg_req *req)
{
	for (unsigned int m = 0; methods && m < IB_MGMT_MAX_METHODS; m++)
		if (wants(req, m) && methods->agent[m])
			return base_refuse(-EINVAL, MAD_METHOD_TAKEN, m, req->mgmt_class,
					   req->mgmt_class_version);
	return 0;
}

/* Tables are of pointers of one kind or another: of all of them no entry is all bytes zero. */
static bool is_zero(const void *entries, size_t bytes)
{
	const u8 *byte = entries;

	for (size_t i = 0; i < bytes; i++)
		if (byte[i])
			return false;
	return true;
}

/* Frees what has no entry any more. */
#define FREE_UNUSED(table, entries)                                                   \
	do {                                                                          \
		if ((table) && is_zero((table)->entries, sizeof((table)->entries))) { \
			base_free(table);                                             \
			(table) = NULL;                                               \
		}                                                                     \
	} while (0)

static void free_unused(struct ib_mad_mgmt_version_table *version, u8 mgmt_class)
{
	if (!mad_is_vendor_class(mgmt_class)) {
		if (version->class_table)
			FREE_UNUSED(version->class_table->method_table[class_index(mgmt_class)],
				    agent);
		FREE_UNUSED(version->class_table, method_table);
		return;
	}
	if (version->vendor) {
		struct ib_mad_mgmt_vendor_class **vendor =
			&version->vendor->vendor_class[vendor_index(mgmt_class)];

		for (int i = 0; *vendor && i < MAX_MGMT_OUI; i++)
			FREE_UNUSED((*vendor)->method_table[i], agent);
		FREE_UNUSED(*vendor, method_table);
	}
	FREE_UNUSED(version->vendor, vendor_class);
}

int mad_dispatch_add(struct ib_mad_port_private *port, struct ib_mad_agent_private *agent)
{
	const struct ib_mad_reg_req *req = agent->reg_req;
	struct ib_mad_mgmt_version_table *version = &port->version[req->mgmt_class_version];
	struct ib_mad_mgmt_method_table *methods =
		methods_of(port, req->mgmt_class_version, req->mgmt_class, req->oui);
	int ret = check_free(methods, req);

	if (ret || !mad_wants_any(req))
		return ret;
	if (!methods && mad_is_vendor_class(req->mgmt_class))
		ret = make_vendor(version, req->mgmt_class, req->oui, &methods);
	else if (!methods)
		ret = make_class(version, req->mgmt_class, &methods);
	if (ret) {
		free_unused(version, req->mgmt_class);
		return ret;
	}
	for (unsigned int m = 0; m < IB_MGMT_MAX_METHODS; m++)
		if (wants(req, m))
			methods->agent[m] = agent;
	return 0;
}

void mad_dispatch_remove(struct ib_mad_port_private *port, struct ib_mad_agent_private *agent)
{
	const struct ib_mad_reg_req *req = agent->reg_req;
	struct ib_mad_mgmt_method_table *methods;

	if (!req)
		return;
	methods = methods_of(port, req->mgmt_class_version, req->mgmt_class, req->oui);
	for (unsigned int m = 0; methods && m < IB_MGMT_MAX_METHODS; m++)
		if (methods->agent[m] == agent)
			methods->agent[m] = NULL;
	free_unused(&port->version[req->mgmt_class_version], req->mgmt_class);
}

struct ib_mad_agent_private *mad_dispatch_find(struct ib_mad_port_private *port,
					       const struct ib_mad_hdr *hdr)
{
	const struct ib_vendor_mad *vendor = (const struct ib_vendor_mad *)hdr;
	const struct ib_mad_mgmt_method_table *methods =
		methods_of(port, hdr->class_version, hdr->mgmt_class, vendor->oui);

	return methods ? methods->agent[hdr->method & METHOD_MASK] : NULL;
}
