// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table of handles, and what keeps an object from being destroyed under a call. */
#include "uabi/uverbs_object.h"

#include <linux/err.h>
#include <string.h>

#include "base/cause.h"
#include "base/check.h"

#define FIRST_ROOM 16u
#define MAX_OBJECTS (1u << 22)

static int (*const destroy[UVERBS_TYPES])(struct uverbs_object *object, struct ib_udata *udata,
					  void *response) = {
	[UVERBS_TYPE_AH] = uverbs_destroy_ah, [UVERBS_TYPE_MW] = uverbs_destroy_mw,
	[UVERBS_TYPE_QP] = uverbs_destroy_qp, [UVERBS_TYPE_SRQ] = uverbs_destroy_srq,
	[UVERBS_TYPE_CQ] = uverbs_destroy_cq, [UVERBS_TYPE_MR] = uverbs_destroy_mr,
	[UVERBS_TYPE_PD] = uverbs_destroy_pd,
};

static int grow_locked(struct ib_uverbs_file *file) REQUIRES(file->objects.lock)
{
	const u32 room = file->objects.room ? 2 * file->objects.room : FIRST_ROOM;
	struct uverbs_object **slots;

	if (room > MAX_OBJECTS)
		return base_refuse(-ENOSPC, UVERBS_TOO_MANY, room, MAX_OBJECTS);
	slots = base_zalloc_array(room, sizeof(struct uverbs_object *));
	if (!slots)
		return base_refuse(-ENOMEM, NO_MEMORY, room * sizeof(struct uverbs_object *));
	if (file->objects.slots)
		memcpy(slots, file->objects.slots,
		       file->objects.room * sizeof(struct uverbs_object *));
	base_free(file->objects.slots);
	file->objects.next = file->objects.room;
	file->objects.slots = slots;
	file->objects.room = room;
	return 0;
}

/* The next free slot, round and round: a handle that was destroyed is not soon another's. */
static int place_locked(struct ib_uverbs_file *file, struct uverbs_object *object)
	REQUIRES(file->objects.lock)
{
	int ret = 0;

	if (2 * file->objects.count >= file->objects.room)
		ret = grow_locked(file);
	if (ret)
		return ret;
	while (file->objects.slots[file->objects.next % file->objects.room])
		file->objects.next++;
	object->uobject.id = (int)(file->objects.next++ % file->objects.room);
	file->objects.slots[object->uobject.id] = object;
	file->objects.count++;
	return 0;
}

struct uverbs_object *uverbs_object_new(struct ib_uverbs_file *file, enum uverbs_type type,
					size_t bytes)
{
	struct uverbs_object *object = base_zalloc(bytes);
	int ret;

	if (!object)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, bytes));
	object->type = type;
	object->uobject.ufile = file;
	object->uobject.context = file->context;
	spin_lock(&file->objects.lock);
	ret = place_locked(file, object);
	spin_unlock(&file->objects.lock);
	if (!ret)
		return object;
	base_free(object);
	return ERR_PTR(ret);
}

void uverbs_object_live(struct uverbs_object *object)
{
	struct ib_uverbs_file *file = object->uobject.ufile;

	spin_lock(&file->objects.lock);
	object->live = true;
	spin_unlock(&file->objects.lock);
}

void uverbs_object_drop(struct uverbs_object *object)
{
	struct ib_uverbs_file *file = object->uobject.ufile;

	spin_lock(&file->objects.lock);
	file->objects.slots[object->uobject.id] = NULL;
	file->objects.count--;
	spin_unlock(&file->objects.lock);
	base_free(object);
}

static struct uverbs_object *find_locked(struct ib_uverbs_file *file, enum uverbs_type type,
					 u32 handle) REQUIRES(file->objects.lock)
{
	struct uverbs_object *object = handle < file->objects.room ? file->objects.slots[handle]
								   : NULL;

	return object && object->live && object->type == type ? object : NULL;
}

static struct uverbs_object *refused(bool busy, u32 handle)
{
	return ERR_PTR(busy ? base_refuse(-EBUSY, UVERBS_BUSY, handle)
			    : base_refuse(-EINVAL, UVERBS_HANDLE, handle));
}

/* One more user, if there are at most @most, or (-1) one who destroys it. */
static inline struct uverbs_object *take(struct ib_uverbs_file *file, enum uverbs_type type,
					 u32 handle, int users, int most)
{
	struct uverbs_object *object;
	bool taken = false;

	spin_lock(&file->objects.lock);
	object = find_locked(file, type, handle);
	if (likely(object)) {
		const int now = atomic_read(&object->uobject.usecnt);

		taken = now >= 0 && now <= most;
		if (likely(taken))
			atomic_set(&object->uobject.usecnt, now + users);
	}
	spin_unlock(&file->objects.lock);
	return likely(taken) ? object : refused(object != NULL, handle);
}

static void give_back(struct uverbs_object *object, int users)
{
	struct ib_uverbs_file *file = object->uobject.ufile;

	spin_lock(&file->objects.lock);
	atomic_set(&object->uobject.usecnt, atomic_read(&object->uobject.usecnt) - users);
	spin_unlock(&file->objects.lock);
}

struct uverbs_object *uverbs_object_get(struct ib_uverbs_file *file, enum uverbs_type type,
					u32 handle)
{
	return take(file, type, handle, 1, INT_MAX - 1);
}

void uverbs_object_put(struct uverbs_object *object)
{
	if (object)
		give_back(object, 1);
}

int uverbs_object_destroy(struct uverbs_attr_bundle *attrs, enum uverbs_type type, u32 handle,
			  void *response)
{
	struct uverbs_object *object = take(uverbs_file_of(attrs), type, handle, -1, 0);
	int ret;

	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	attrs->uobject = &object->uobject;
	ret = destroy[type](object, &attrs->driver_udata, response);
	attrs->uobject = NULL;
	if (ret)
		give_back(object, -1);
	else
		uverbs_object_drop(object);
	return ret;
}

void uverbs_object_undo(struct uverbs_attr_bundle *attrs, struct uverbs_object *object)
{
	INVARIANT(!destroy[object->type](object, &attrs->driver_udata, NULL));
	uverbs_object_drop(object);
}

/* One of a type; no call is under way, so nothing is locked but for the tools' sake. */
static struct uverbs_object *any_of(struct ib_uverbs_file *file, enum uverbs_type type, u32 *from)
{
	struct uverbs_object *found = NULL;

	spin_lock(&file->objects.lock);
	for (; *from < file->objects.room && !found; ++*from) {
		struct uverbs_object *object = file->objects.slots[*from];

		if (object && object->type == type)
			found = object;
	}
	spin_unlock(&file->objects.lock);
	return found;
}

void uverbs_objects_free(struct ib_uverbs_file *file)
{
	struct uverbs_attr_bundle attrs = {.ufile = file, .context = file->context};

	for (int type = 0; type < UVERBS_TYPES; type++) {
		struct uverbs_object *object;
		u32 from = 0;

		while ((object = any_of(file, (enum uverbs_type)type, &from)) != NULL)
			uverbs_object_undo(&attrs, object);
	}
	INVARIANT(!file->objects.count);
	base_free(file->objects.slots);
}
