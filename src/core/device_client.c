/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Clients: those who are told of each device. A client is on a device from its add() to its
 * remove(); devices come to clients and go from them in the order of registration and in its
 * reverse.
 *
 * The registry lock guards the lists and is never held over a callback; whoever finds a client's
 * callback running on another thread waits until it has returned.
 */
#include "core/device_priv.h"

#include <linux/bug.h>
#include <linux/slab.h>

#include "base/cause.h"

struct client_entry {
	struct list_head link;
	struct ib_client *client;
};

/* In the order of registration, which is that of client_id. */
static LIST_HEAD(clients);
static u32 next_client_id;

static struct core_client_use *find_use(struct ib_device *device, const struct ib_client *client)
{
	struct core_client_use *use;

	list_for_each_entry(use, &device->res->clients, link)
		if (use->client == client)
			return use;
	return NULL;
}

static bool is_registered(const struct ib_client *client)
{
	struct client_entry *entry;

	list_for_each_entry(entry, &clients, link)
		if (entry->client == client)
			return true;
	return false;
}

/* Whether @client is to be shown to @device now; if so it counts as being added. */
static bool begin_add(struct ib_device *device, struct ib_client *client,
		      struct core_client_use *use)
{
	struct core_client_use *later;
	struct list_head *behind = &device->res->clients;
	bool wanted;

	core_registry_lock();
	wanted = device->res->state == CORE_DEVICE_REGISTERED && is_registered(client) &&
		 !find_use(device, client) && (device->kverbs_provider || client->no_kverbs_req);
	if (wanted) {
		list_for_each_entry(later, &device->res->clients, link) {
			if (later->client->client_id > client->client_id) {
				behind = &later->link;
				break;
			}
		}
		list_add_tail(&use->link, behind);
		refcount_inc(&device->refcount);
	}
	core_registry_unlock();
	return wanted;
}

static void end_use(struct core_client_use *use)
{
	struct ib_device *device = use->device;

	core_registry_lock();
	list_del(&use->link);
	core_registry_unlock();
	kfree(use);
	base_wake();
	ib_device_put(device);
}

static int client_add(struct ib_device *device, struct ib_client *client)
{
	struct core_client_use *use = kzalloc(sizeof(*use), GFP_KERNEL);

	if (!use)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*use));
	use->device = device;
	use->client = client;
	use->state = CORE_CLIENT_ADDING;
	if (!begin_add(device, client, use)) {
		kfree(use);
		return 0;
	}
	if (client->add && client->add(device)) {
		end_use(use);
		return 0;
	}
	core_registry_lock();
	use->state = CORE_CLIENT_PRESENT;
	core_registry_unlock();
	base_wake();
	return 0;
}

static void client_remove(struct core_client_use *use)
{
	if (use->client->remove)
		use->client->remove(use->device, use->data);
	end_use(use);
}

int core_clients_add(struct ib_device *device)
{
	struct client_entry *entry;
	struct ib_client *client;
	u32 from = 0;
	int ret;

	for (;;) {
		client = NULL;
		core_registry_lock();
		list_for_each_entry(entry, &clients, link) {
			if (entry->client->client_id >= from) {
				client = entry->client;
				from = client->client_id + 1;
				break;
			}
		}
		core_registry_unlock();
		if (!client)
			return 0;
		ret = client_add(device, client);
		if (ret)
			return ret;
	}
}

static bool last_is_settled(void *arg)
{
	struct ib_device *device = arg;
	struct core_client_use *use;
	bool settled = true;

	core_registry_lock();
	if (!list_empty(&device->res->clients)) {
		use = list_last_entry(&device->res->clients, struct core_client_use, link);
		settled = use->state == CORE_CLIENT_PRESENT;
	}
	core_registry_unlock();
	return settled;
}

void core_clients_remove(struct ib_device *device)
{
	struct list_head *uses = &device->res->clients;
	struct core_client_use *use;

	for (;;) {
		(void)base_wait_until(last_is_settled, device, BASE_FOREVER_NS);
		use = NULL;
		core_registry_lock();
		if (list_empty(uses)) {
			core_registry_unlock();
			return;
		}
		use = list_last_entry(uses, struct core_client_use, link);
		if (use->state == CORE_CLIENT_PRESENT)
			use->state = CORE_CLIENT_REMOVING;
		else
			use = NULL;
		core_registry_unlock();
		if (use)
			client_remove(use);
	}
}

int ib_register_client(struct ib_client *client)
{
	struct client_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	struct ib_device *device;
	int ret = 0;

	if (!entry)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*entry));
	entry->client = client;
	core_registry_lock();
	if (is_registered(client)) {
		core_registry_unlock();
		kfree(entry);
		return base_refuse(-EBUSY, CLIENT_REGISTERED, client->client_id);
	}
	refcount_set(&client->uses, 1);
	init_completion(&client->uses_zero);
	client->client_id = next_client_id++;
	list_add_tail(&entry->link, &clients);
	core_registry_unlock();

	for (uint64_t number = 0; (device = core_device_next(number)); core_device_drop(device)) {
		number = device->res->number;
		if (!ret)
			ret = client_add(device, client);
	}
	if (ret)
		ib_unregister_client(client);
	return ret;
}

struct settle {
	struct ib_device *device;
	struct ib_client *client;
};

static bool use_is_settled(void *arg)
{
	const struct settle *settle = arg;
	struct core_client_use *use;
	bool settled;

	core_registry_lock();
	use = find_use(settle->device, settle->client);
	settled = !use || use->state == CORE_CLIENT_PRESENT;
	core_registry_unlock();
	return settled;
}

/* Whoever is at it on another thread finishes first. */
static void remove_from(struct ib_device *device, struct ib_client *client)
{
	struct settle settle = {.device = device, .client = client};
	struct core_client_use *use;
	bool mine;

	do {
		(void)base_wait_until(use_is_settled, &settle, BASE_FOREVER_NS);
		core_registry_lock();
		use = find_use(device, client);
		mine = use && use->state == CORE_CLIENT_PRESENT;
		if (mine)
			use->state = CORE_CLIENT_REMOVING;
		core_registry_unlock();
	} while (use && !mine);
	if (mine)
		client_remove(use);
}

void ib_unregister_client(struct ib_client *client)
{
	struct client_entry *entry, *found = NULL;
	struct ib_device *device;

	core_registry_lock();
	list_for_each_entry(entry, &clients, link)
		if (entry->client == client)
			found = entry;
	if (found)
		list_del(&found->link);
	core_registry_unlock();
	if (!found)
		return;
	kfree(found);
	for (uint64_t number = 0; (device = core_device_next(number)); core_device_drop(device)) {
		number = device->res->number;
		remove_from(device, client);
	}
}

void *ib_get_client_data(struct ib_device *device, struct ib_client *client)
{
	struct core_client_use *use;
	void *data;

	core_registry_lock();
	use = find_use(device, client);
	data = use ? use->data : NULL;
	core_registry_unlock();
	return data;
}

void ib_set_client_data(struct ib_device *device, struct ib_client *client, void *data)
{
	struct core_client_use *use;

	if (WARN_ON(IS_ERR(data)))
		data = NULL;
	core_registry_lock();
	use = find_use(device, client);
	if (use)
		use->data = data;
	core_registry_unlock();
	WARN_ON(!use);
}

void core_clients_forked(void)
{
	INIT_LIST_HEAD(&clients);
	next_client_id = 0;
}
