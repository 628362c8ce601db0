/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Causes, part of causes.h: what stock programs ask of us, 950-999. */

CAUSE(950, UABI_FD, "descriptor {0} is none that can be ours", "Raise the limit of open files")
CAUSE(951, UABI_FD_PASSED,
      "descriptor {0} is a device of this process and cannot be passed to another",
      "Let the other process open the device by itself")
CAUSE(952, UABI_FORKED, "the device was opened before the fork, by the parent",
      "Open it again in the child")
CAUSE(953, UABI_PATH_LONG, "a path of {0} bytes does not fit in {1}",
      "Let XDG_RUNTIME_DIR name a directory with a shorter path")
CAUSE(954, UABI_TREE, "the private tree of sysfs cannot be made ({0:errno}, step {1})",
      "Let XDG_RUNTIME_DIR name a directory of yours that can be written, or make room in /tmp")
CAUSE(955, UABI_TREE_OWNER,
      "the directory for the private tree has mode {0:x} or belongs to user {1}, not to {2} alone",
      "Remove it, or let XDG_RUNTIME_DIR name another place")
CAUSE(956, UABI_NO_DEVICE, "there is no device uverbs{0}", "Look at what ibv_devices shows")
CAUSE(957, UABI_SYSCALL, "a system call of Verbena's own failed ({0:errno})",
      "Look at the limits of the process")
CAUSE(960, UVERBS_SHORT, "a command of {0} bytes; this one has at least {1}",
      "This is the work of libibverbs: look at its version")
CAUSE(961, UVERBS_COMMAND, "there is no command {0}", "This device does not offer it")
CAUSE(962, UVERBS_LENGTH, "the header says {0} bytes and the message has {1}",
      "This is the work of libibverbs: look at its version")
CAUSE(963, UVERBS_RESPONSE_ROOM, "an answer of {1} bytes in room for {0}",
      "This is the work of libibverbs: look at its version")
CAUSE(964, UVERBS_FAULT, "the {1} bytes at {0:x} are not mapped", "Pass a valid buffer")
CAUSE(965, UVERBS_NOT_CLEAR, "bytes beyond what is known are not zero",
      "The program's library is newer than Verbena and wants what is not offered")
CAUSE(966, UVERBS_RESERVED, "a reserved or unknown field is not zero ({0:x})",
      "The program's library is newer than Verbena and wants what is not offered")
CAUSE(967, UVERBS_NO_CONTEXT, "the first command on a device is GET_CONTEXT",
      "Open the device with ibv_open_device()")
CAUSE(968, UVERBS_HAVE_CONTEXT, "GET_CONTEXT was done before", "Open the device once more")
CAUSE(969, UVERBS_HANDLE, "there is no object of this kind with handle {0}",
      "Look whether it has been destroyed")
CAUSE(970, UVERBS_BUSY, "the object with handle {0} is in use by another call",
      "Let calls on an object end before it is destroyed")
CAUSE(971, UVERBS_CHANNEL, "descriptor {0} is no completion channel", "Pass one of this device")
CAUSE(972, UVERBS_COMP_VECTOR, "completion vector {0}; the device has {1}",
      "Look at num_comp_vectors")
CAUSE(973, UVERBS_METHOD, "object {0} has no method {1}", "This device does not offer it")
CAUSE(974, UVERBS_ATTRIBUTE, "object {0}, method {1}: attribute {2:x} is not known",
      "The program's library is newer than Verbena and wants what is not offered")
CAUSE(975, UVERBS_ATTRIBUTE_LENGTH, "attribute {0:x} has {1} bytes; at least {2} are needed",
      "This is the work of libibverbs: look at its version")
CAUSE(976, UVERBS_ATTRIBUTE_MISSING, "object {0}, method {1}: attribute {2:x} is missing",
      "This is the work of libibverbs: look at its version")
CAUSE(977, UVERBS_QP_TYPE,
      "the device has no QPs of type {0:type} for programs, as rxe's and rdmavt's drivers have none",
      "Use RC, UC or UD; docs/compat.md lists what else is not offered")
CAUSE(978, UVERBS_WRS, "{0} work requests with {1} SGEs of {2} bytes each do not fit in {3} bytes",
      "This is the work of libibverbs: look at its version")
CAUSE(979, UVERBS_TOO_MANY, "{0} of a kind are too many; {1} are possible", "Destroy some first")
CAUSE(980, UVERBS_MCAST_TWICE, "the QP is a member of this group already", "Attach it once")
CAUSE(981, UVERBS_MCAST_NONE, "the QP is no member of this group", "Attach it first")
CAUSE(982, UVERBS_IOCTL, "there is no ioctl {0:x} on a verbs device", "Use libibverbs")
CAUSE(983, NETLINK_REQUEST, "a netlink request of {0} bytes, type {1:x}, is not understood",
      "Only what rdma-core and iproute2 ask for is answered")
CAUSE(984, UVERBS_MR_OFFSET, "memory at {0:x} under address {1:x}: not the same offset in a page",
      "Choose an address with the same offset")
CAUSE(985, UVERBS_IN_GROUP, "the QP is still a member of a multicast group", "Detach it first")
CAUSE(986, UVERBS_PORT, "there is no port {0}", "Use a port of the device")
CAUSE(989, UABI_NO_PROVIDER,
      "libibverbs was told of a device, and has loaded no library for it, so the program has none",
      "Install the package ibverbs-providers: librxe-rdmav*.so and libhfi1verbs-rdmav*.so")
CAUSE(988, UVERBS_PD_IN_USE, "the PD with handle {0} still has objects: {1}",
      "Destroy its QPs, SRQs, AHs, MRs and windows first")
CAUSE(987, UVERBS_POST_TYPE, "a work request {0:wr} for a QP of type {1:type}",
      "Use an operation that the QP's type has")
