/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What can go wrong between a process and the daemon of its fabric: 900 ... Part of causes.h. */
CAUSE(900, ATTACH_RUN_DIR, "the run directory cannot be used (errno {0})",
      "Let XDG_RUNTIME_DIR name a directory of yours that nobody else may enter")
CAUSE(901, ATTACH_START, "the daemon of the fabric cannot be started or reached (errno {0})",
      "Start verbenad by hand to see what it says")
CAUSE(902, ATTACH_REFUSED, "the daemon of the fabric refused this process (errno {0})",
      "Look at verbena status; end a daemon of another version with SIGTERM")
CAUSE(903, ATTACH_LOST, "the daemon of the fabric does not answer (errno {0})",
      "Look whether verbenad still runs")
CAUSE(904, ATTACH_MEMORY, "memory or a descriptor to share with others cannot be had (errno {0})",
      "Raise the limits of open files and of memory")
CAUSE(905, ATTACH_NUMBERS, "the fabric has no queue pair numbers left (errno {0})",
      "End processes that hold many queue pairs")
CAUSE(920, ATTACH_FABRIC_NAME, "the fabric's name is not of letters, digits, '-', '_' and '.'",
      "Choose a short name of these, which neither begins with '.' nor is '-'")
CAUSE(921, ATTACH_NO_DAEMON,
      "there is no program verbenad beside this one, as installed, or in the PATH",
      "Install it there, or let VERBENAD name it")
CAUSE(922, ATTACH_TWICE, "this process is attached to a daemon's fabric already",
      "Remove that host first: a process has one place on one fabric")
