/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Causes, part of causes.h: wire and fabric, 800-899. */

CAUSE(800, FABRIC_LID_RANGE,
      "base LID {0:x} with LMC {1}: LIDs are 1 to 0xbfff, a multiple of 2^LMC",
      "Choose another LID, or 0 to have one chosen")
CAUSE(801, FABRIC_LID_TAKEN, "of the {1} LIDs from {0:x} on some belong to another port",
      "Choose other LIDs, or 0 to have them chosen")
CAUSE(802, FABRIC_GUID_TAKEN, "GUID {0:x} belongs to another port",
      "Choose another GUID, or 0 to have one chosen")
CAUSE(803, FABRIC_NO_LID, "no {0} LIDs in a row are free", "Use a smaller LMC or fewer ports")
CAUSE(804, FABRIC_FULL, "the fabric has {0} ports already", "Remove some")
CAUSE(805, FABRIC_FAULT_RATE, "a rate of {0} in a million, more than {1}",
      "Give rates in packets of a million")
CAUSE(810, HOST_NAME, "the host name has {0} bytes, and must have 1 to {1}", "Choose another name")
CAUSE(811, HOST_MTU, "MTU code {0} is not one of 1 (256 bytes) to 5 (4096 bytes)",
      "Use an enum ib_mtu, or 0 for 4096 bytes")
CAUSE(812, HOST_PKEYS, "{0} P_Keys, more than {1}, or a count without a table",
      "Give at most that many, or none for the default key")
CAUSE(813, HOST_PORT, "port {0}: the device has ports 1 to {1}", "Use one of these")
CAUSE(814, HOST_THREAD, "the engine thread cannot be started ({0:errno})",
      "Raise the limit of processes")
CAUSE(825, HOST_PERSONALITY, "there is no personality {0}", "Use an enum verbena_personality")
CAUSE(826, HOST_ENVIRONMENT, "VERBENA_PERSONALITY is {0:text}, and may be rxe, hfi1 or hfi1-v1",
      "Set it so, or not at all: see verbena(7)")
CAUSE(815, CONNECT_TYPES, "QPs of types {0:type} and {1:type} cannot be connected to each other",
      "Connect two RC QPs or two UC QPs")
CAUSE(816, CONNECT_FABRICS, "QP {0:x} and QP {1:x} are on devices of two fabrics",
      "Add both hosts to one fabric")
CAUSE(817, CONNECT_TIMEOUT, "timeout {0}; codes are 1 to {1}", "Use 0 for 14: 67 ms")
CAUSE(818, CONNECT_RETRIES,
      "retry_cnt {0}, rnr_retry {1}; each is a number of retries plus one, 1 to {2}",
      "Use 0 for the most")
CAUSE(819, HOST_NO_OBJECT, "an object of the call is NULL or an error pointer ({0:errno})",
      "Look at what the call that should have made it returned")
CAUSE(827, HOST_PROFILE, "the profile cannot be used ({0:errno})",
      "Look at the line before this one")
CAUSE(828, HOST_PROFILE_LIBRARY, "there is no libverbena-profile.so beside the library",
      "Install it there, or do without VERBENA_PROFILE")
CAUSE(829, HOST_PORT_KEPT,
      "port {0}/{1} stays as the first process of this host has made it, with GUID {2:x}, LID {3:x} and a "
      "link that was {4:text}: the profile asks for something else",
      "Let the host's processes end, and the daemon after VERBENA_IDLE seconds; or choose another host")
CAUSE(830, LOST_PEER_DIED, "the process of QP {5:x}, pid {0} on host {1:text}, has died",
      "Look how that process ended")
CAUSE(831, LOST_NOBODY, "no process on the host of LID {1:x} has QP {0:x}, or it has ended",
      "Look whether the peer still runs, and whether the queue pair's number is the right one")
CAUSE(832, LOST_NO_PORT, "no port that can be reached has LID {0:x}",
      "Look whether the peer's host is up: verbena status")
CAUSE(833, LOST_NOT_INTRODUCED,
      "the daemon of the fabric has not introduced this process and pid {0} to each other",
      "Look whether verbenad runs, and whether it is stopped; if one of the two had no room for the other it "
      "has said so")
CAUSE(840, FAULT_VERB,
      "refused by a fault that was asked for, the clause at column {1} of the faults (it has chosen {0})",
      "Look at VERBENA_FAULTS, or what was handed to verbena_fabric_inject()")
CAUSE(841, FAULT_SPEC, "the text of the faults makes no sense at column {0}",
      "verbena run --faults and verbena_faults_check() say what is wrong; docs/faults.md has the grammar")
CAUSE(842, FAULT_KILL, "the queue pair was made to fail by a fault that was asked for",
      "Look at VERBENA_FAULTS, or what was handed to verbena_fabric_inject()")
CAUSE(843, FAULT_FIRST,
      "faults were asked for: the clause at column {0} has hit packet {1} (try {2}), the first of all packets",
      "VERBENA_FAULTS_TRACE=FILE lists what is hit")
CAUSE(844, FAULT_PORT,
      "faults were asked for: the clause at column {0} has hit the device or a port, by {1:text}",
      "The program finds an asynchronous event, and of a link that is down no more than that nothing "
      "arrives; VERBENA_FAULTS_TRACE=FILE lists what is hit")
CAUSE(845, FAULT_SUM,
      "faults that were asked for: of {5} packets {0} lost, {1} doubled, {2} late, {3} damaged, {4} "
      "without a receive",
      "VERBENA_FAULTS_TRACE=FILE lists them")
CAUSE(847, PEER_STALLED,
      "pid {0} on host {1:text} has taken nothing for {5} ms, and there is something for it",
      "See whether it is stopped, by SIGSTOP or a debugger: it is waited for as long as it lives, and "
      "goes on by SIGCONT")
CAUSE(848, PEER_GOES_ON, "pid {0} on host {1:text} goes on, after {5} ms", "Nothing was lost")
CAUSE(849, PEER_IN_WINDOW,
      "pid {0} on host {1:text} has been copying from or to memory of this process for {5} ms",
      "See whether it is stopped, by SIGSTOP or a debugger: it goes on by SIGCONT")
CAUSE(850, PEER_STAYS_IN_WINDOW,
      "pid {0} on host {1:text} is not waited for any longer, after {5} ms: it may still copy from or"
      " to memory of this process",
      "See whether it is stopped: let it go on (kill -CONT), or end it, before that memory is used for "
      "something else")
CAUSE(860, SUBNET_NODE, "a node of type {0} with {1} ports, or with a value that is out of range",
      "Types are 1 to 3, ports 1 to 254; see struct subnet_node_config")
CAUSE(861, SUBNET_NO_PORT, "node {0} does not exist, has no port {1}, or no such entry there",
      "Look at the nodes that there are")
CAUSE(862, SUBNET_CABLE, "no cable fits between node {0} port {1} and node {2} port {3}",
      "Use two ports that there are, and not port 0")
CAUSE(863, SUBNET_CABLE_TAKEN, "node {0} port {1} or node {2} port {3} has a cable already",
      "Pull it first")
CAUSE(870, TOPOLOGY, "the text of the topology is wrong in line {0}, which the log says more about",
      "verbena topo --check FILE says it, too; the text is as ibnetdiscover prints it")
CAUSE(871, TOPOLOGY_NO_HOST,
      "the topology has no channel adapter that is called like the host, or all are taken",
      "Use a description that the topology has, or its first word")
CAUSE(872, TOPOLOGY_NO_SWITCH,
      "the topology has no switch, so there is no place for the subnet manager",
      "Put one between the hosts")
CAUSE(873, TOPOLOGY_NOT_UP,
      "the subnet is not up after {0} s: {1} requests of its manager were sent, {2} of them lost, {3} refused",
      "Look for switches or hosts that answer wrongly; a topology of sane nodes comes up")
CAUSE(874, TOPOLOGY_PORTS, "the host has {0} ports in the topology, and a device at most {1}",
      "Give the program another host")
CAUSE(875, TOPOLOGY_NONE, "the fabric has no topology", "Hand one to verbena_fabric_new()")
CAUSE(876, TOPOLOGY_NO_NODE, "the topology has no node that is described like that",
      "Use the text that ibnetdiscover prints behind the #")
CAUSE(877, TOPOLOGY_NO_CABLE, "the node has no cable at port {0}", "Use a port that has one")
CAUSE(880, TOPOLOGY_FILE,
      "the file with the topology cannot be read or written ({0:errno}): {1:text}",
      "Name a file that can be read; verbena topo writes one")
CAUSE(881, TOPOLOGY_HOSTS, "the topology of the fabric has no such host, but others: {0:text}",
      "Let VERBENA_HOST, or --host of verbena run, name one of those that verbena fabric show lists")
CAUSE(882, TOPOLOGY_HCAS,
      "the program's profile has HCA {0} with {1} ports; of the host in the topology that has {2}",
      "Use a profile that fits the topology, or none")
CAUSE(883, TOPOLOGY_ATTACHED, "processes of the fabric that was are still there",
      "End them, or wait ten seconds after they have lost its daemon")
CAUSE(884, FABRIC_PLAIN, "the fabric is one switch: it was begun without a topology",
      "Bring one up: verbena fabric up --topology FILE, with another name if this one is in use")
CAUSE(885, FABRIC_IS_UP, "the fabric is up already",
      "verbena fabric down ends it; with --fabric NAME there can be others")
CAUSE(886, FABRIC_ATTACHED, "{0} processes are attached to the fabric",
      "End them; with --force they lose their ports")
CAUSE(887, FABRIC_DOWN, "the fabric was brought down by verbena fabric down --force",
      "Connections go on; to meet others, start the program again when a fabric is up")
CAUSE(888, FABRIC_MEMORY, "what is broken in the fabric cannot be written down ({0:errno})",
      "It is broken all the same, until the daemon ends; make room in the run directory")
CAUSE(889, FABRIC_VALUE,
      "so many packets cannot be lost, or be so late: at most {0} of a million, and {1} s",
      "Use a smaller number")
CAUSE(878, CAPTURE_FILE, "the file for the capture cannot be made ({0:errno})",
      "Choose a path that can be written")
CAUSE(879, CAPTURE_INCOMPLETE,
      "the capture is not complete: something could not be written to its file",
      "See whether the disk is full, or the file may not grow")
CAUSE(864, WAY_CABLE,
      "cables on the way to LID {2:x} and back lose {0} of a million packets, and are {1} us late",
      "See which ones: verbena fabric show; more retries help, or a longer timeout")
CAUSE(890, WAY_NOT_ACTIVE,
      "what is sent to LID {5:x} ends at port {4} of {0:text}: its link is not Active",
      "See whether the cable is whole and the subnet manager has swept: verbena fabric show")
CAUSE(891, WAY_NO_ROUTE, "{0:text} has no route for LID {5:x}",
      "Run a subnet manager, or see whether the LID is anybody's: verbena fabric show")
CAUSE(892, WAY_TURNS_BACK,
      "{0:text} sends what is for LID {5:x} back where it came from, by port {4}: it is discarded",
      "Have the subnet manager set the tables of the switches anew")
CAUSE(893, WAY_LOOPS, "the tables of switches send LID {5:x} round in circles; it ends at {0:text}",
      "Have the subnet manager set the tables of the switches anew")
CAUSE(894, WAY_BAD_PKEY, "port {4} of {0:text} does not let the P_Key pass on the way to LID {5:x}",
      "Use a partition of which both ends are members, or have the subnet manager add it to the switch")
CAUSE(895, WAY_NOT_ALLOWED,
      "at port {4} of {0:text} the SL has no VL: what is for LID {5:x} is discarded",
      "Use another SL, or have the subnet manager set the mapping of SLs to VLs anew")
CAUSE(896, WAY_NOT_OURS,
      "what is sent to LID {5:x} comes to port {4} of {0:text}, which has not got that LID",
      "Have the subnet manager set the tables of the switches anew")
CAUSE(897, WAY_NO_HOST, "LID {5:x} is a port where no process is attached",
      "Start the peer on the host that you mean: verbena fabric show lists them")
CAUSE(898, WAY_TOO_LONG,
      "packets for LID {5:x} are longer than the {4} bytes that a link on the way takes",
      "Give the queue pair the path MTU that a path record says")
CAUSE(899, WAY_UNKNOWN, "the daemon of the fabric has not said which way leads to LID {5:x}",
      "Look whether verbenad runs, and whether it is stopped")
