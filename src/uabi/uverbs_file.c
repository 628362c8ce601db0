// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Opening and closing a verbs device. */
#include "uabi/uverbs_file.h"

#include <errno.h>
#include <linux/err.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/environment.h"
#include "uabi/explain.h"
#include "uabi/uverbs.h"
#include "uabi/uverbs_cmd.h"
#include "uabi/uverbs_events.h"
#include "uabi/uverbs_object.h"

#define DEVICE_MODE (S_IFCHR | 0666)

static struct ib_uverbs_file *file_of(struct uabi_file *file)
{
	return container_of(file, struct ib_uverbs_file, file);
}

static ssize_t file_write(struct uabi_file *file, const void *buf, size_t bytes)
{
	ssize_t ret;

	explain_begin();
	ret = uverbs_write(file_of(file), buf, bytes);
	if (unlikely(ret < 0))
		explain_refusal((int)ret);
	return ret;
}

static bool file_write_again(struct uabi_file *file, const void *buf, size_t bytes)
{
	return uverbs_write_again(file_of(file), buf, bytes);
}

static int file_ioctl(struct uabi_file *file, unsigned long request, void *arg)
{
	struct ib_uverbs_file *ufile = file_of(file);
	int ret;

	if (request != RDMA_VERBS_IOCTL || ufile->mode == UVERBS_MODE_WRITE)
		return base_refuse(-ENOTTY, UVERBS_IOCTL, request);
	explain_begin();
	ret = uverbs_ioctl(ufile, arg);
	if (ret < 0)
		explain_refusal(ret);
	return ret;
}

static int file_fstat(struct uabi_file *file, struct stat *st)
{
	st->st_mode = DEVICE_MODE;
	st->st_rdev = uverbs_devt(file_of(file)->minor);
	return 0;
}

static void device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct ib_uverbs_file *file = container_of(handler, struct ib_uverbs_file, events);

	uverbs_raise_async(file->async, event->element.port_num, event->event, NULL);
}

/* No call is under way and none can come: only events may. */
static void file_release(struct uabi_file *file)
{
	struct ib_uverbs_file *ufile = file_of(file);

	if (ufile->context) {
		ib_unregister_event_handler(&ufile->events);
		uverbs_objects_free(ufile);
		ib_dealloc_ucontext(ufile->context);
	}
	uverbs_events_put(ufile->async);
	uverbs_memory_free(ufile);
	ib_device_put(ufile->device);
	base_free(ufile);
}

static const struct uabi_file_ops file_ops = {
	.write = file_write,
	.write_again = file_write_again,
	.ioctl = file_ioctl,
	.fstat = file_fstat,
	.release = file_release,
};

static enum uverbs_mode mode_of_environment(void)
{
	static const char *const names[] = {"ioctl", "invoke", "write", NULL};
	static const enum uverbs_mode modes[] = {UVERBS_MODE_IOCTL, UVERBS_MODE_INVOKE,
						 UVERBS_MODE_WRITE};
	const int choice = base_environment_choice("VERBENA_UABI_MODE", names);

	return choice < 0 ? UVERBS_MODE_IOCTL : modes[choice];
}

int uverbs_open(unsigned int minor, struct uabi_file **file, int *backing_fd)
{
	struct ib_device *device = uverbs_device_get(minor);
	struct ib_uverbs_file *ufile;
	int ret = -ENOMEM;

	if (!device)
		return base_refuse(-ENXIO, UABI_NO_DEVICE, minor);
	ufile = base_zalloc(sizeof(*ufile));
	if (!ufile) {
		base_refuse(-ENOMEM, NO_MEMORY, sizeof(*ufile));
		goto put_device;
	}
	ret = uverbs_memory_init(ufile, backing_fd);
	if (ret)
		goto free_file;
	uabi_file_init(&ufile->file, &file_ops);
	ufile->device = device;
	ufile->minor = minor;
	ufile->mode = mode_of_environment();
	mutex_init(&ufile->context_lock);
	spin_lock_init(&ufile->objects.lock);
	INIT_IB_EVENT_HANDLER(&ufile->events, device, device_event);
	*file = &ufile->file;
	return 0;

free_file:
	base_free(ufile);
put_device:
	ib_device_put(device);
	return ret;
}
