#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The program in the README is examples/pingpong.c, compiles as the README says, and runs.
set -euo pipefail
source_dir=${VERBENA_SOURCE_DIR:?}
build_dir=${VERBENA_BUILD_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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
