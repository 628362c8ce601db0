// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Ports that others have, too: before an agent receives requests whoever knows all of them is asked, and told when it
 * does not any more. Who only sends asks nobody, for answers find it by its number.
 */
#include "mad/mad_priv.h"

static bool wants_requests(const struct ib_mad_agent_private *agent)
{
	return agent->reg_req && mad_wants_any(agent->reg_req);
}

static struct mad_claim claim_of(const struct ib_mad_agent_private *agent)
{
	return (struct mad_claim){.port_num = mad_port_of(agent)->port_num,
				  .hi_tid = agent->agent.hi_tid,
				  .req = agent->reg_req};
}

int mad_claim(struct ib_mad_agent_private *agent)
{
	struct ib_mad_port_private *port = mad_port_of(agent);
	const struct mad_claim claim = claim_of(agent);
	int ret = 0;

	if (!wants_requests(agent))
		return 0;
	mutex_lock(&port->owner_lock);
	if (port->owner)
		ret = port->owner->claim(port->owner->ctx, &claim);
	mutex_unlock(&port->owner_lock);
	return ret;
}

void mad_disclaim(struct ib_mad_agent_private *agent)
{
	struct ib_mad_port_private *port = mad_port_of(agent);
	const struct mad_claim claim = claim_of(agent);

	if (!wants_requests(agent))
		return;
	mutex_lock(&port->owner_lock);
	if (port->owner)
		port->owner->disclaim(port->owner->ctx, &claim);
	mutex_unlock(&port->owner_lock);
}

void mad_disown(struct ib_mad_port_private *port)
{
	mutex_lock(&port->owner_lock);
	port->owner = NULL;
	mutex_unlock(&port->owner_lock);
}
