// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Requests that rdma-core and iproute2 make about devices (the kernel's nldev). */
#include "uabi/netlink.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/verbena_base.h>
#include <pthread.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/thread.h"
#include "base/umem.h"
#include "uabi/facts.h"
#include "uabi/file.h"
#include "uabi/uverbs.h"

#define ANSWER_BYTES 8192
#define ATTR_HDR_BYTES sizeof(struct nlattr)
#define MESSAGE_HDR_BYTES sizeof(struct nlmsghdr)

struct socket {
	struct uabi_file file;
	int fd; /* a copy of the program's, to learn its port id */
};

/* An answer under construction; what does not fit is not there and the send says so. */
struct answer {
	struct nlmsghdr *last;
	size_t bytes;
	bool full;
	union {
		char buf[ANSWER_BYTES];
		struct nlmsghdr align;
	};
};

struct request {
	const struct nlmsghdr *hdr;
	u32 port_id;
};

static struct {
	pthread_mutex_t lock;
	int fd;
	bool open;
	bool showed; /* atomic */
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int own_socket(void)
{
	int fd;

	if (own.open)
		return own.fd;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);
	if (fd < 0)
		return base_refuse(-errno, UABI_SYSCALL, (u32)errno);
	own.fd = uabi_fd_hide(fd);
	if (own.fd < 0) {
		close(fd);
		return own.fd;
	}
	own.open = true;
	return own.fd;
}

void uabi_netlink_forked(void)
{
	own.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	own.open = false;
	own.showed = false;
}

bool uabi_netlink_showed(void)
{
	return __atomic_load_n(&own.showed, __ATOMIC_RELAXED);
}

static size_t aligned(size_t bytes)
{
	return (bytes + NLMSG_ALIGNTO - 1) & ~(size_t)(NLMSG_ALIGNTO - 1);
}

static void *reserve(struct answer *a, size_t bytes)
{
	void *at = a->buf + a->bytes;

	if (a->full || aligned(bytes) > sizeof(a->buf) - a->bytes) {
		a->full = true;
		return NULL;
	}
	memset(at, 0, aligned(bytes));
	a->bytes += aligned(bytes);
	return at;
}

static void begin(struct answer *a, const struct request *r, u16 type, u16 flags)
{
	struct nlmsghdr *hdr = reserve(a, MESSAGE_HDR_BYTES);

	if (!hdr)
		return;
	hdr->nlmsg_type = type;
	hdr->nlmsg_flags = flags;
	hdr->nlmsg_seq = r->hdr->nlmsg_seq;
	hdr->nlmsg_pid = r->port_id;
	hdr->nlmsg_len = (u32)MESSAGE_HDR_BYTES;
	a->last = hdr;
}

static void put(struct answer *a, u16 type, const void *value, size_t bytes)
{
	struct nlattr *attr = reserve(a, ATTR_HDR_BYTES + bytes);

	if (!attr)
		return;
	attr->nla_type = type;
	attr->nla_len = (u16)(ATTR_HDR_BYTES + bytes);
	memcpy((char *)attr + ATTR_HDR_BYTES, value, bytes);
	a->last->nlmsg_len += (u32)aligned(ATTR_HDR_BYTES + bytes);
}

static void put_string(struct answer *a, u16 type, const char *value)
{
	put(a, type, value, strlen(value) + 1);
}

static void put_u8(struct answer *a, u16 type, u8 value)
{
	put(a, type, &value, sizeof(value));
}

static void put_u32(struct answer *a, u16 type, u32 value)
{
	put(a, type, &value, sizeof(value));
}

static void put_u64(struct answer *a, u16 type, u64 value)
{
	put(a, type, &value, sizeof(value));
}

static void put_name(struct answer *a, const struct uabi_device_facts *device)
{
	put_u32(a, RDMA_NLDEV_ATTR_DEV_INDEX, device->index);
	put_string(a, RDMA_NLDEV_ATTR_DEV_NAME, device->name);
}

static void put_device(struct answer *a, const struct uabi_device_facts *device)
{
	put_name(a, device);
	put_u32(a, RDMA_NLDEV_ATTR_PORT_INDEX, device->ports);
	put_u64(a, RDMA_NLDEV_ATTR_CAP_FLAGS, device->cap_flags);
	if (device->fw_ver[0])
		put_string(a, RDMA_NLDEV_ATTR_FW_VERSION, device->fw_ver);
	put_u64(a, RDMA_NLDEV_ATTR_NODE_GUID, device->node_guid);
	put_u64(a, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, device->sys_image_guid);
	put_u8(a, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, device->node_type);
	put_string(a, RDMA_NLDEV_ATTR_DEV_PROTOCOL, device->roce ? "roce" : "ib");
}

static void put_port(struct answer *a, const struct uabi_device_facts *device, u32 port)
{
	struct uabi_port_facts facts;

	put_name(a, device);
	put_u32(a, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	if (!uabi_port_facts(device->minor, port, &facts))
		return;
	if (!device->roce) {
		put_u64(a, RDMA_NLDEV_ATTR_CAP_FLAGS, facts.cap_flags);
		put_u64(a, RDMA_NLDEV_ATTR_SUBNET_PREFIX, facts.subnet_prefix);
		put_u32(a, RDMA_NLDEV_ATTR_LID, facts.lid);
		put_u32(a, RDMA_NLDEV_ATTR_SM_LID, facts.sm_lid);
		put_u8(a, RDMA_NLDEV_ATTR_LMC, facts.lmc);
	}
	put_u8(a, RDMA_NLDEV_ATTR_PORT_STATE, facts.state);
	put_u8(a, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, facts.phys_state);
}

/* The value of an attribute of the request; NULL if it is not there with at least @bytes. */
static const void *find(const struct request *r, u16 type, size_t bytes)
{
	size_t at = MESSAGE_HDR_BYTES;

	while (at + ATTR_HDR_BYTES <= r->hdr->nlmsg_len) {
		const struct nlattr *attr = (const void *)((const char *)r->hdr + at);

		if (attr->nla_len < ATTR_HDR_BYTES || attr->nla_len > r->hdr->nlmsg_len - at)
			return NULL;
		if ((attr->nla_type & NLA_TYPE_MASK) == type &&
		    attr->nla_len >= ATTR_HDR_BYTES + bytes)
			return (const char *)attr + ATTR_HDR_BYTES;
		at += aligned(attr->nla_len);
	}
	return NULL;
}

static bool find_u32(const struct request *r, u16 type, u32 *value)
{
	const void *at = find(r, type, sizeof(*value));

	if (at)
		memcpy(value, at, sizeof(*value));
	return at != NULL;
}

typedef void (*device_fn)(struct answer *a, const struct request *r,
			  const struct uabi_device_facts *device);

/* What the request names, or all devices. Returns how many there were. */
static unsigned int for_each_device(struct answer *a, const struct request *r, device_fn fn)
{
	struct uabi_device_facts device;
	unsigned int count = 0;
	u32 index = 0;
	const bool one = find_u32(r, RDMA_NLDEV_ATTR_DEV_INDEX, &index);

	for (unsigned int minor = 0; minor < UVERBS_MAX_DEVICES; minor++) {
		if (!uabi_device_facts(minor, &device) || (one && device.index != index))
			continue;
		fn(a, r, &device);
		count++;
	}
	return count;
}

static u16 dump_flags(const struct request *r)
{
	return r->hdr->nlmsg_flags & NLM_F_DUMP ? NLM_F_MULTI : 0;
}

static void answer_device(struct answer *a, const struct request *r,
			  const struct uabi_device_facts *device)
{
	begin(a, r, r->hdr->nlmsg_type, dump_flags(r));
	put_device(a, device);
}

static void answer_ports(struct answer *a, const struct request *r,
			 const struct uabi_device_facts *device)
{
	u32 wanted = 0;
	const bool one = find_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, &wanted);

	for (u32 port = 1; port <= device->ports; port++) {
		if (one && port != wanted)
			continue;
		begin(a, r, r->hdr->nlmsg_type, dump_flags(r));
		put_port(a, device, port);
	}
}

/* The kernel's own coding of a device number, which is not the C library's. */
static u64 huge_dev(dev_t number)
{
	const u64 high = major(number), low = minor(number);

	return (low & 0xff) | (high << 8) | ((low & ~0xffull) << 12);
}

static void answer_chardev(struct answer *a, const struct request *r,
			   const struct uabi_device_facts *device)
{
	char name[sizeof("uverbs") + 10];

	begin(a, r, r->hdr->nlmsg_type, 0);
	snprintf(name, sizeof(name), "uverbs%u", device->minor);
	put_string(a, RDMA_NLDEV_ATTR_CHARDEV_NAME, name);
	put_u64(a, RDMA_NLDEV_ATTR_CHARDEV, huge_dev(device->number));
	put_u64(a, RDMA_NLDEV_ATTR_CHARDEV_ABI, device->abi);
	put_u32(a, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, device->driver_id);
}

static void answer_system(struct answer *a, const struct request *r)
{
	begin(a, r, r->hdr->nlmsg_type, 0);
	put_u8(a, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1); /* shared */
	/* Copies are made by the processor in the owner's memory: fork does no harm. */
	put_u8(a, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
}

static void put_error(struct answer *a, const struct request *r, int error)
{
	struct nlmsgerr *body;

	begin(a, r, NLMSG_ERROR, 0);
	body = reserve(a, sizeof(*body));
	if (!body)
		return;
	body->error = error;
	body->msg = *r->hdr;
	a->last->nlmsg_len += (u32)sizeof(*body);
}

static void put_done(struct answer *a, const struct request *r)
{
	const int zero = 0;
	void *body;

	begin(a, r, NLMSG_DONE, NLM_F_MULTI);
	body = reserve(a, sizeof(zero));
	if (!body)
		return;
	memcpy(body, &zero, sizeof(zero));
	a->last->nlmsg_len += (u32)sizeof(zero);
}

static int answer_chardev_request(struct answer *a, const struct request *r)
{
	const char *client = find(r, RDMA_NLDEV_ATTR_CHARDEV_TYPE, sizeof("uverbs"));
	const size_t bytes_before = a->bytes;

	if (!client || strncmp(client, "uverbs", sizeof("uverbs")) != 0)
		return -ENODEV; /* rdma_cm and issm are looked for and may be absent */
	if (for_each_device(a, r, answer_chardev) == 1) {
		__atomic_store_n(&own.showed, true, __ATOMIC_RELAXED);
		return 0;
	}
	a->bytes = bytes_before;
	return -ENODEV;
}

static int answer_command(struct answer *a, const struct request *r)
{
	const bool dump = dump_flags(r) != 0;

	if (RDMA_NL_GET_CLIENT(r->hdr->nlmsg_type) != RDMA_NL_NLDEV)
		return base_refuse(-EOPNOTSUPP, NETLINK_REQUEST, r->hdr->nlmsg_len,
				   r->hdr->nlmsg_type);
	switch (RDMA_NL_GET_OP(r->hdr->nlmsg_type)) {
	case RDMA_NLDEV_CMD_GET:
		return for_each_device(a, r, answer_device) || dump ? 0 : -ENODEV;
	case RDMA_NLDEV_CMD_PORT_GET:
		return for_each_device(a, r, answer_ports) || dump ? 0 : -ENODEV;
	case RDMA_NLDEV_CMD_GET_CHARDEV:
		return answer_chardev_request(a, r);
	case RDMA_NLDEV_CMD_SYS_GET:
		answer_system(a, r);
		return 0;
	default:
		return base_refuse(-EOPNOTSUPP, NETLINK_REQUEST, r->hdr->nlmsg_len,
				   r->hdr->nlmsg_type);
	}
}

static void answer_request(struct answer *a, const struct request *r)
{
	const int ret = answer_command(a, r);

	if (ret)
		put_error(a, r, ret);
	else if (dump_flags(r))
		put_done(a, r);
	else if (r->hdr->nlmsg_flags & NLM_F_ACK)
		put_error(a, r, 0);
}

/* The socket's port id; the kernel chooses one when it is first used, so see that it is. */
static int port_id_of(int fd, u32 *port_id)
{
	struct sockaddr_nl addr = {.nl_family = AF_NETLINK};
	socklen_t bytes = sizeof(addr);

	if (getsockname(fd, (struct sockaddr *)&addr, &bytes))
		return base_refuse(-errno, UABI_SYSCALL, (u32)errno);
	if (!addr.nl_pid) {
		if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
			return base_refuse(-errno, UABI_SYSCALL, (u32)errno);
		bytes = sizeof(addr);
		if (getsockname(fd, (struct sockaddr *)&addr, &bytes))
			return base_refuse(-errno, UABI_SYSCALL, (u32)errno);
	}
	*port_id = addr.nl_pid;
	return 0;
}

static int send_answer(const struct answer *a, u32 port_id)
{
	struct sockaddr_nl addr = {.nl_family = AF_NETLINK, .nl_pid = port_id};
	int ret;

	if (a->full)
		return base_refuse(-EMSGSIZE, NO_MEMORY, sizeof(a->buf));
	pthread_mutex_lock(&own.lock);
	ret = own_socket();
	if (ret >= 0)
		ret = sendto(ret, a->buf, a->bytes, 0, (struct sockaddr *)&addr, sizeof(addr)) < 0
			      ? base_refuse(-errno, UABI_SYSCALL, (u32)errno)
			      : 0;
	pthread_mutex_unlock(&own.lock);
	return ret;
}

/* What a program's thread, whose stack may be small, has no room for. */
static int answer_it(const struct request *r)
{
	struct answer *a = base_zalloc(sizeof(*a));
	int ret;

	if (!a)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*a));
	answer_request(a, r);
	ret = send_answer(a, r->port_id);
	base_free(a);
	return ret;
}

static ssize_t netlink_write(struct uabi_file *file, const void *buf, size_t bytes)
{
	struct socket *s = container_of(file, struct socket, file);
	union {
		char raw[1024];
		struct nlmsghdr hdr;
	} copy;
	struct request request = {.hdr = &copy.hdr};
	int ret;
	BASE_UNCANCELLED;

	if (bytes < MESSAGE_HDR_BYTES || bytes > sizeof(copy))
		return base_refuse(-EINVAL, NETLINK_REQUEST, bytes, 0);
	if (base_umem_copy(copy.raw, buf, bytes))
		return base_refuse(-EFAULT, UVERBS_FAULT, (uintptr_t)buf, bytes);
	if (copy.hdr.nlmsg_len < MESSAGE_HDR_BYTES || copy.hdr.nlmsg_len > bytes)
		return base_refuse(-EINVAL, NETLINK_REQUEST, bytes, copy.hdr.nlmsg_type);
	ret = port_id_of(s->fd, &request.port_id);
	if (ret)
		return ret;
	ret = answer_it(&request);
	return ret ? ret : (ssize_t)bytes;
}

static void netlink_release(struct uabi_file *file)
{
	struct socket *s = container_of(file, struct socket, file);

	uabi_fd_unhide(s->fd);
	base_free(s);
}

static const struct uabi_file_ops netlink_ops = {
	.write = netlink_write,
	.release = netlink_release,
};

int uabi_netlink_open(int fd, struct uabi_file **file)
{
	struct socket *s = base_zalloc(sizeof(*s));
	int copy;

	if (!s)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*s));
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	s->fd = copy < 0 ? base_refuse(-errno, UABI_SYSCALL, (u32)errno) : uabi_fd_hide(copy);
	if (s->fd < 0) {
		const int ret = s->fd;

		if (copy >= 0)
			close(copy);
		base_free(s);
		return ret;
	}
	uabi_file_init(&s->file, &netlink_ops);
	*file = &s->file;
	return 0;
}
