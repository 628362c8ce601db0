#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Programs of many kinds under `verbena run`: with dlopen(), threads, fork() and exec(), a sanitizer;
# and with what status they end.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc

work=$XDG_RUNTIME_DIR
verbena=$VERBENA_BUILD_DIR/verbena
flags=(-std=gnu17 -Wall -Wextra -Werror -g -O1 -pthread)

ends() { # ends STATUS COMMAND...: so does it under verbena run
	local ended=0
	timeout 60 "$verbena" run -- "${@:2}" >"$work/out" 2>&1 || ended=$?
	((ended == $1)) && return
	echo "ended with $ended, not $1: ${*:2}"
	cat "$work/out"
	return 1
}

for status in 0 1 77 126 127 255; do
	ends "$status" sh -c "exit $status"
done
ends 127 "$work/nothing"
ends 126 "$work"
ends 137 sh -c 'kill -KILL $$'

# Into some the loader preloads nothing: they are told so, and run all the same.
echo 'int main(void) { return 7; }' >"$work/alone.c"
gcc "${flags[@]}" -static -o "$work/alone" "$work/alone.c"
ends 7 "$work/alone"
grep -q '^verbena run: .*/alone is linked statically, so the loader preloads nothing into it' "$work/out"

# However it says what it becomes, the other program gets all arguments, and the environment.
cat >"$work/becomes.c" <<'C'
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	static const char show[] = "echo $0 $1 $2 $WHICH";
	char *const envp[] = {"WHICH=given", NULL};

	(void)argc;
	if (!strcmp(argv[1], "execl"))
		execl("/bin/sh", "sh", "-c", show, "a", "b", "c", (char *)NULL);
	else if (!strcmp(argv[1], "execlp"))
		execlp("sh", "sh", "-c", show, "a", "b", "c", (char *)NULL);
	else
		execle("/bin/sh", "sh", "-c", show, "a", "b", "c", (char *)NULL, envp);
	return 1;
}
C
gcc "${flags[@]}" -o "$work/becomes" "$work/becomes.c"
for way in execl execlp execle; do
	WHICH=inherited ends 0 "$work/becomes" "$way"
	wanted='a b c inherited'
	[[ $way != execle ]] || wanted='a b c given'
	[[ $(<"$work/out") == "$wanted" ]] || { echo "$way: $(<"$work/out")" && exit 1; }
done

# A program that is built with a sanitizer would not start if the sanitizer's library came second.
[[ $preload_library == *libasan* ]] && exit 0 # in such a build ours has one itself, too

# A thread with 32 KiB of stack: what starts a daemon, and what finds one, with and without more to read.
gcc "${flags[@]}" -o "$work/small_stack" programs/small_stack.c -libverbs
ends 0 "$work/small_stack" rxe0
VERBENA_FAULTS='drop=2%; rnr=1%' VERBENA_EXPLAIN=0 ends 0 "$work/small_stack" rxe0
VERBENA_HOST=other VERBENA_PROFILE=mlx5 ends 0 "$work/small_stack" mlx5_0

gcc "${flags[@]}" -o "$work/many" programs/many.c
gcc "${flags[@]}" -fsanitize=address -o "$work/many.asan" programs/many.c
for program in many many.asan; do
	ends 0 "$work/$program"
	# In a child of fork() AddressSanitizer's allocator is locked for good if a thread was about to use it.
	[[ $program == many.asan ]] || ends 0 "$work/$program" forked
	ends 0 "$work/$program" executed
	(($(grep -c 'all sent and compared' "$work/out") == 2))
done

# Found by its name, and it still finds what it is for.
cat >"$work/wrong.c" <<'C'
#include <stdlib.h>
#include <infiniband/verbs.h>
int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	char *room = malloc(8);

	(void)argv;
	room[7 + argc] = list != NULL;
	return room[7 + argc];
}
C
gcc -g -O0 -fsanitize=address -o "$work/wrong" "$work/wrong.c" -libverbs
PATH=$work:$PATH ends 1 wrong
grep -q 'heap-buffer-overflow' "$work/out"
