/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The MAD layer's rows of causes.h: 1000 to 1049. No include guard: see there. */
CAUSE(1000, MAD_NO_PORT,
      "port {0} has no management here: there is no such port, or its device is gone",
      "Use a port of a registered device")
CAUSE(1001, MAD_NO_QP, "port {0} has no QP {1}", "Look at rdma_cap_ib_smi() and rdma_cap_ib_cm()")
CAUSE(1002, MAD_QP_TYPE, "agents are not for QPs of type {0:type}", "Use IB_QPT_SMI or IB_QPT_GSI")
CAUSE(1003, MAD_RMPP_VERSION, "there is no RMPP of version {0}", "Use IB_MGMT_RMPP_VERSION, or 0")
CAUSE(1004, MAD_FLAGS,
      "registration flags {0:x}: there is only IB_MAD_USER_RMPP, for agents that register for requests",
      "Pass 0")
CAUSE(1005, MAD_NO_HANDLER,
      "the agent has no handler for what would come: who sends needs a send_handler, and who waits for a "
      "response or registers for requests a recv_handler",
      "Register it with both")
CAUSE(1006, MAD_CLASS_VERSION, "class version {0} is beyond the last, {1}", "Look at the class")
CAUSE(1007, MAD_CLASS, "nobody can register for class {0:x}",
      "Use 1 to 0x4f, or 0x81 for directed routes")
CAUSE(1008, MAD_NO_OUI, "class {0:x} is the vendors', and the request has no OUI", "Set oui")
CAUSE(1009, MAD_CLASS_RMPP,
      "MADs of class {0:x} have no RMPP header, and the agent has an RMPP version",
      "Register another agent for this class, with rmpp_version 0")
CAUSE(1010, MAD_CLASS_QP, "class {0:x} does not belong to QP {1}",
      "SMPs (classes 1 and 0x81) go by IB_QPT_SMI, all others by IB_QPT_GSI")
CAUSE(1011, MAD_METHOD_TAKEN,
      "another agent of the port receives method {0:x} of class {1:x}, version {2}, already",
      "Unregister that one first, or leave the method out of method_mask")
CAUSE(1012, MAD_OUIS, "class {0:x} has agents of {1} vendors already", "Use another class")
CAUSE(1013, MAD_HI_TIDS, "all {0} numbers of agents are in use", "Unregister agents")
CAUSE(1014, MAD_SMP_FORBIDDEN, "the agent may not send SMPs", "See who cleared its smp_allowed")
CAUSE(1015, MAD_NO_AH, "the MAD has no address", "Set ah, made with the PD of the agent's QP")
CAUSE(1016, MAD_LENGTHS,
      "{0} bytes of headers and {1} of data: headers have {2} to {3}, data at most {4}",
      "Pass ib_get_mad_data_offset() of the class, and the bytes behind it")
CAUSE(1017, MAD_NO_RMPP, "the agent does not leave RMPP to the MAD layer",
      "Register it with IB_MGMT_RMPP_VERSION and without IB_MAD_USER_RMPP")
CAUSE(1018, MAD_TOO_LONG, "{0} bytes do not fit into a MAD of {1}",
      "Send it by RMPP: set rmpp_active")
CAUSE(1019, MAD_ROUTE,
      "the directed route cannot begin here: hop pointer {0}, hop count {1}, direction {2} (1: returning)",
      "Begin with hop pointer 0; initial_path[1] is the port that it leaves by")
CAUSE(1020, MAD_PROCESS_RESULT, "the driver's process_mad said {0:x} to an SMP that ends here",
      "Look at the SMP: its class version, method, attribute and modifier")
CAUSE(1021, MAD_NOT_OUTSTANDING, "the MAD is not outstanding: it has completed, or was cancelled",
      "Ignore it: the send_handler is, or will be, called")
CAUSE(1022, MAD_CANCELLED, "the MAD was cancelled, or its agent unregistered", "Nothing is wrong")
CAUSE(1023, MAD_TIMEOUT, "no response came in time, though the MAD was sent as often as asked for",
      "See that somebody answers at that address, and that timeout_ms covers the way there and back")

CAUSE(1030, MAD_DROP_LENGTH,
      "port {0}: a MAD of {1} bytes is dropped: all have 256 (base version {2:x}, class {3:x}, method {4:x})",
      "Have the sender fill it up")
CAUSE(1031, MAD_DROP_VERSION, "port {0}: a MAD of base version {2:x} is dropped",
      "Have the sender use IB_MGMT_BASE_VERSION")
CAUSE(1032, MAD_DROP_CLASS,
      "port {0}: a MAD of class {3:x}, method {4:x}, attribute {5:x} is dropped: this QP does not take it",
      "Have the sender use QP 0 for SMPs, QP 1 for all others, and for CM method Send")
CAUSE(1033, MAD_DROP_ROUTE, "port {0}: an SMP whose directed route makes no sense here is dropped",
      "Look at its hop pointer, hop count and paths")
CAUSE(1034, MAD_DROP_NO_AGENT,
      "port {0}: a MAD of class {3:x}, method {4:x}, attribute {5:x} is dropped: nobody has registered for it",
      "Register an agent for class, version and method before it is sent")
CAUSE(1035, MAD_DROP_MEMORY, "port {0}: a MAD of {1} bytes is dropped for want of memory",
      "Free some, or raise the limit of the process")
CAUSE(1040, SA_NO_MANAGER, "port {0} knows of no subnet manager yet: its SM LID is 0",
      "Wait for IB_EVENT_SM_CHANGE, or see that there is a manager")
CAUSE(1041, SA_NO_PORT,
      "port {0} has nobody to ask: it has no SA, its device is gone, or no client is registered",
      "Look at rdma_cap_ib_sa(), and call ib_sa_register_client() first")
CAUSE(1042, SA_METHOD, "method {0:x} is not for records of attribute {1:x}",
      "Use IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET or IB_SA_METHOD_DELETE")
CAUSE(1043, SA_NO_DMAC, "the path of RoCE has no MAC address yet",
      "Resolve it, and set route_resolved")
CAUSE(1044, SA_NOT_MEMBER, "port {0} is not in that group",
      "Call ib_sa_join_multicast(), and wait for its callback")
