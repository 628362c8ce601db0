#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The program in the README is examples/pingpong.c, compiles as the README says, and runs; and so do
# its commands for stock programs.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
source_dir=${VERBENA_SOURCE_DIR:?}
build_dir=${VERBENA_BUILD_DIR:?}
cd "$source_dir/tests/script"
. ./preload.inc
. ./pair.inc
work=$XDG_RUNTIME_DIR/work
mkdir "$work"

# shellcheck disable=SC2016 # backticks are what is looked for
sed -n '/^```c$/,/^```$/p' "$source_dir/README.md" | sed '1d;$d' >"$work/pingpong.c"
sed -n '/^#include/,$p' "$source_dir/examples/pingpong.c" | diff - "$work/pingpong.c"

# The README's command, for this build: its compiler, and the flags that its library wants.
line=$(grep -m1 -E '^ +cc -std=gnu17' "$source_dir/README.md")
line=${line//-Iinclude/-I$source_dir/include}
line=${line//build\/release\//$build_dir/}
line=${line/cc /${VERBENA_CC:?} }
cd "$work"
# shellcheck disable=SC2086 # words are wanted
$line ${VERBENA_CFLAGS:-} -o pingpong
./pingpong >output
printf 'beta got: ping\nalpha got: pong\n' | diff - output

# The two terminals: on a port that nobody else uses meanwhile.
free_port
mapfile -t lines < <(sed -nE "s|^ +\./verbena (run --host .* -- ib_write_bw)|$build_dir/verbena \1 -p $port|p" "$source_dir/README.md")
((${#lines[@]} == 2))
LD_PRELOAD=${runtime:-} bash -c "exec ${lines[0]}" >"$work/server" 2>&1 &
server=$!
until listens "$port"; do
	kill -0 "$server"
done
LD_PRELOAD=${runtime:-} bash -c "exec ${lines[1]}" >"$work/client" 2>&1
wait "$server"
grep -qE '^ 65536 +5000 ' "$work/client"

# One line without the launcher, where the loader finds the library by its name.
line=$(grep -E '^ +LD_PRELOAD=' "$source_dir/README.md")
line=${line/libverbena-preload.so/$preload_library}
env -C "$work" bash -c "$line" | grep '^hca_id' >/dev/null
