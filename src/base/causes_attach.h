/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What can go wrong between a process and the daemon of its fabric: 900 ... Part of causes.h. */
CAUSE(900, ATTACH_RUN_DIR, "the run directory cannot be used ({0:errno}): {1:text}",
      "Let XDG_RUNTIME_DIR name a directory of yours that nobody else may enter")
CAUSE(901, ATTACH_START, "the daemon of the fabric cannot be started or reached ({0:errno})",
      "Start verbenad by hand to see what it says")
CAUSE(902, ATTACH_GROUPS,
      "all {0} multicast groups of the fabric are in use, or this process is in the group 65,535 times",
      "Leave some, or end programs that have joined them")
CAUSE(903, ATTACH_LOST, "the daemon of the fabric does not answer ({0:errno})",
      "Look whether verbenad still runs")
CAUSE(904, ATTACH_MEMORY, "memory or a descriptor to share with others cannot be had ({0:errno})",
      "Raise the limits of open files and of memory")
CAUSE(905, ATTACH_NUMBERS, "the fabric has no queue pair numbers left ({0:errno})",
      "End processes that hold many queue pairs")
CAUSE(906, ATTACH_OTHER_VERSION,
      "the daemon of the fabric speaks version {0} of its protocol, this process version {1}",
      "End that daemon, verbenad, with SIGTERM, or use the library that belongs to it")
CAUSE(907, ATTACH_FULL, "{0} processes are attached to the fabric already", "End some of them")
CAUSE(908, ATTACH_USER, "the daemon of the fabric belongs to user {0}, this process to user {1}",
      "Let XDG_RUNTIME_DIR name a directory of yours")
CAUSE(910, ATTACH_GONE, "the daemon of the fabric is gone ({0:errno})",
      "Connections go on; this process looks for the next daemon, and meets nobody new until then")
CAUSE(911, ATTACH_TIMEOUT, "the daemon of the fabric has not answered for {0} ms",
      "Look whether verbenad is stopped, or the machine very busy")
CAUSE(912, ATTACH_CLAIM_UNKNOWN,
      "the daemon knows nothing of the fabric that this process was attached to",
      "Connections go on; to meet others, start the program again")
CAUSE(913, ATTACH_CLAIM_DEAD,
      "process {0} did not come back to the next daemon for so long that it was given up",
      "Connections to it are lost; start the program again")
CAUSE(914, ATTACH_CLAIM_TAKEN, "process {0} of the fabric is pid {1}, not pid {2}",
      "A claim of an attachment must come from the process that has it")
CAUSE(915, ATTACH_NO_SPACE, "there is no space left for the run directory: {1:text}",
      "Make room there, or let XDG_RUNTIME_DIR name another directory of yours")
CAUSE(916, ATTACH_NO_MEMFD,
      "memory or a descriptor to share with others is refused by the kernel ({0:errno})",
      "Look for a filter (seccomp) that forbids memfd_create(), eventfd() or getrandom()")
CAUSE(917, ATTACH_IDLE, "VERBENA_IDLE is {1:text}, and may be a number of seconds, or -1 for never",
      "Set it so, or not at all: see verbena(7)")
CAUSE(918, ATTACH_FILE_SIZE,
      "the limit of the size of files does not allow what processes of a fabric share",
      "Raise it: ulimit -f unlimited")
CAUSE(919, ATTACH_MISSED,
      "pid {0} cannot be met: there is no room for its memory or a descriptor ({1:errno})",
      "Raise the limits of open files and of memory; it is tried again when there is something to send")
CAUSE(920, ATTACH_FABRIC_NAME, "the fabric's name is not of letters, digits, '-', '_' and '.'",
      "Choose a short name of these, which neither begins with '.' nor is '-'")
CAUSE(921, ATTACH_NO_DAEMON,
      "there is no program verbenad beside this one, as installed, or in the PATH",
      "Install it there, or let VERBENAD name it")
CAUSE(922, ATTACH_TWICE, "this process is attached to a daemon's fabric already",
      "Remove that host first: a process has one place on one fabric")
CAUSE(923, ATTACH_NO_MADS,
      "the fabric of the daemon has no topology, so its ports have neither QP 0 nor QP 1",
      "Start it with one: verbena fabric up --topology FILE; or use a fabric inside the process")
CAUSE(924, ATTACH_METHOD_TAKEN,
      "pid {3}, on the same host, receives method {0:x} of class {1:x}, version {2}, already",
      "End that program, or have it unregister; or leave the method out of method_mask")
CAUSE(925, ATTACH_AGENTS, "the daemon of the fabric has no room for more agents ({0} of a process)",
      "Unregister some")
CAUSE(926, ATTACH_METHOD_LOST,
      "pid {3}, on the same host, receives method {0:x} of class {1:x}, version {2}, since the daemon was "
      "started again: an agent of this process does not any more",
      "Register it again once that program has ended")
