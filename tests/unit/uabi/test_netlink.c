// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* NETLINK_RDMA: requests as rdma-core and iproute2 make them, and bad ones. */
#include "uabi/netlink.h"

#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

/* Both this header and <rdma/ib_verbs.h> define the kinds of nodes. */
#define RDMA_NODE_UNSPECIFIED NETLINK_NODE_UNSPECIFIED
#define RDMA_NODE_IB_CA NETLINK_NODE_IB_CA
#define RDMA_NODE_IB_SWITCH NETLINK_NODE_IB_SWITCH
#define RDMA_NODE_IB_ROUTER NETLINK_NODE_IB_ROUTER
#define RDMA_NODE_RNIC NETLINK_NODE_RNIC
#define RDMA_NODE_USNIC NETLINK_NODE_USNIC
#define RDMA_NODE_USNIC_UDP NETLINK_NODE_USNIC_UDP
#include <rdma/rdma_netlink.h>
#undef RDMA_NODE_UNSPECIFIED
#undef RDMA_NODE_IB_CA
#undef RDMA_NODE_IB_SWITCH
#undef RDMA_NODE_IB_ROUTER
#undef RDMA_NODE_RNIC
#undef RDMA_NODE_USNIC
#undef RDMA_NODE_USNIC_UDP

#include "uabi_fixture.h"

struct request {
	struct nlmsghdr hdr;
	char attrs[64];
};

struct socket {
	int fd;
	struct uabi_file *file;
};

static struct socket open_socket(void)
{
	struct socket s = {.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK)};

	assert_true(s.fd >= 0);
	assert_int_equal(uabi_netlink_open(s.fd, &s.file), 0);
	return s;
}

static void close_socket(const struct socket *s)
{
	uabi_file_put(s->file);
	close(s->fd);
}

static struct request make_request(u16 op, u16 flags)
{
	return (struct request){.hdr = {.nlmsg_len = sizeof(struct nlmsghdr),
					.nlmsg_type = (u16)(RDMA_NL_NLDEV << 10 | op),
					.nlmsg_flags = flags,
					.nlmsg_seq = 42}};
}

static void add(struct request *r, u16 type, const void *value, size_t bytes)
{
	struct nlattr attr = {.nla_len = (u16)(sizeof(attr) + bytes), .nla_type = type};
	char *at = r->attrs + r->hdr.nlmsg_len - sizeof(r->hdr);

	memcpy(at, &attr, sizeof(attr));
	memcpy(at + sizeof(attr), value, bytes);
	r->hdr.nlmsg_len += (u32)((sizeof(attr) + bytes + 3) & ~3ul);
}

/* What the answer to @r says, message for message. */
static size_t ask(const struct socket *s, const struct request *r, char *answer, size_t room)
{
	ssize_t got;

	assert_int_equal(s->file->ops->write(s->file, r, r->hdr.nlmsg_len), r->hdr.nlmsg_len);
	got = recv(s->fd, answer, room, MSG_DONTWAIT);
	assert_true(got > 0);
	return (size_t)got;
}

static const struct nlmsghdr *message(const char *answer, size_t bytes, unsigned int index)
{
	size_t at = 0;

	for (;; index--) {
		const struct nlmsghdr *hdr = (const void *)(answer + at);

		assert_true(at + sizeof(*hdr) <= bytes);
		assert_true(hdr->nlmsg_len >= sizeof(*hdr) && hdr->nlmsg_len <= bytes - at);
		assert_int_equal(hdr->nlmsg_seq, 42);
		if (!index)
			return hdr;
		at += (hdr->nlmsg_len + 3) & ~3u;
	}
}

static const void *attribute(const struct nlmsghdr *hdr, u16 type)
{
	for (size_t at = sizeof(*hdr); at + sizeof(struct nlattr) <= hdr->nlmsg_len;) {
		const struct nlattr *attr = (const void *)((const char *)hdr + at);

		if (attr->nla_type == type)
			return attr + 1;
		at += (attr->nla_len + 3) & ~3ul;
	}
	return NULL;
}

static int error_of(const struct nlmsghdr *hdr)
{
	assert_int_equal(hdr->nlmsg_type, NLMSG_ERROR);
	return ((const struct nlmsgerr *)(const void *)(hdr + 1))->error;
}

static void dump__lists_devices_and_ends(void **state)
{
	const struct request r = make_request(RDMA_NLDEV_CMD_GET, NLM_F_REQUEST | NLM_F_DUMP);
	const struct socket s = open_socket();
	_Alignas(8) char answer[4096];
	size_t bytes = ask(&s, &r, answer, sizeof(answer));

	(void)state;
	assert_string_equal(attribute(message(answer, bytes, 0), RDMA_NLDEV_ATTR_DEV_NAME), "dut0");
	assert_true(message(answer, bytes, 0)->nlmsg_flags & NLM_F_MULTI);
	assert_int_equal(message(answer, bytes, 1)->nlmsg_type, NLMSG_DONE);
	close_socket(&s);
}

static void get__names_one_device(void **state)
{
	struct request r = make_request(RDMA_NLDEV_CMD_GET, NLM_F_REQUEST | NLM_F_ACK);
	const struct socket s = open_socket();
	struct ib_device *device = uverbs_device_get(0);
	_Alignas(8) char answer[4096];
	u32 index = device->index;
	size_t bytes;

	(void)state;
	ib_device_put(device);
	add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	bytes = ask(&s, &r, answer, sizeof(answer));
	assert_string_equal(attribute(message(answer, bytes, 0), RDMA_NLDEV_ATTR_DEV_NAME), "dut0");
	assert_int_equal(error_of(message(answer, bytes, 1)), 0); /* the acknowledgement */
	r = make_request(RDMA_NLDEV_CMD_GET, NLM_F_REQUEST);
	index = 4711;
	add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	bytes = ask(&s, &r, answer, sizeof(answer));
	assert_int_equal(error_of(message(answer, bytes, 0)), -ENODEV);
	close_socket(&s);
}

static void port_get__tells_the_lid(void **state)
{
	const struct request r = make_request(RDMA_NLDEV_CMD_PORT_GET, NLM_F_REQUEST | NLM_F_DUMP);
	const struct socket s = open_socket();
	_Alignas(8) char answer[4096];
	size_t bytes = ask(&s, &r, answer, sizeof(answer));
	u32 lid;

	(void)state;
	memcpy(&lid, attribute(message(answer, bytes, 0), RDMA_NLDEV_ATTR_LID), sizeof(lid));
	assert_int_equal(lid, 1);
	close_socket(&s);
}

static void get_chardev__finds_uverbs_only(void **state)
{
	struct request r = make_request(RDMA_NLDEV_CMD_GET_CHARDEV, NLM_F_REQUEST);
	const struct socket s = open_socket();
	_Alignas(8) char answer[4096];
	size_t bytes;

	(void)state;
	add(&r, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs", sizeof("uverbs"));
	bytes = ask(&s, &r, answer, sizeof(answer));
	assert_string_equal(attribute(message(answer, bytes, 0), RDMA_NLDEV_ATTR_CHARDEV_NAME),
			    "uverbs0");
	r = make_request(RDMA_NLDEV_CMD_GET_CHARDEV, NLM_F_REQUEST);
	add(&r, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "rdma_cm", sizeof("rdma_cm"));
	bytes = ask(&s, &r, answer, sizeof(answer));
	assert_int_equal(error_of(message(answer, bytes, 0)), -ENODEV);
	close_socket(&s);
}

static void sys_get__says_that_fork_is_harmless(void **state)
{
	const struct request r = make_request(RDMA_NLDEV_CMD_SYS_GET, NLM_F_REQUEST);
	const struct socket s = open_socket();
	_Alignas(8) char answer[4096];
	size_t bytes = ask(&s, &r, answer, sizeof(answer));
	const u8 *copy = attribute(message(answer, bytes, 0), RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK);

	(void)state;
	assert_non_null(copy);
	assert_int_equal(*copy, 1);
	close_socket(&s);
}

static void write__refuses_what_is_no_message(void **state)
{
	struct request r = make_request(RDMA_NLDEV_CMD_GET, NLM_F_REQUEST);
	const struct socket s = open_socket();
	_Alignas(8) char answer[4096];
	size_t bytes;

	(void)state;
	assert_int_equal(s.file->ops->write(s.file, &r, 3), -EINVAL);
	assert_cause(NETLINK_REQUEST);
	assert_int_equal(s.file->ops->write(s.file, &r, 1 << 20), -EINVAL);
	assert_int_equal(s.file->ops->write(s.file, NULL, sizeof(r.hdr)), -EFAULT);
	r.hdr.nlmsg_len = 1000;
	assert_int_equal(s.file->ops->write(s.file, &r, sizeof(r.hdr)), -EINVAL);
	r = make_request(200, NLM_F_REQUEST);
	bytes = ask(&s, &r, answer, sizeof(answer));
	assert_int_equal(error_of(message(answer, bytes, 0)), -EOPNOTSUPP);
	r = make_request(RDMA_NLDEV_CMD_GET_CHARDEV, NLM_F_REQUEST);
	add(&r, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs", sizeof("uverbs"));
	r.attrs[0] = 1; /* shorter than its own header */
	bytes = ask(&s, &r, answer, sizeof(answer));
	assert_int_equal(error_of(message(answer, bytes, 0)), -ENODEV);
	close_socket(&s);
}

#define WITH_FILE(name) cmocka_unit_test_setup_teardown(name, uabi_setup, uabi_teardown)

static const struct CMUnitTest tests[] = {
	WITH_FILE(dump__lists_devices_and_ends),
	WITH_FILE(get__names_one_device),
	WITH_FILE(port_get__tells_the_lid),
	WITH_FILE(get_chardev__finds_uverbs_only),
	WITH_FILE(sys_get__says_that_fork_is_harmless),
	WITH_FILE(write__refuses_what_is_no_message),
};

int main(void)
{
	return verbena_test_main(tests);
}
