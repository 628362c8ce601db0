#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# ./verbena where nothing is built, packages are missing, or the build folder is another user's: it
# says so, and what to do.
set -euo pipefail
cd "${VERBENA_SOURCE_DIR:?}"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$work/scripts" "$work/bin"
cp verbena "$work"
cp scripts/{install-packages,build-preset,packages} "$work/scripts"

# No package is installed, and there is no sudo.
printf '#!/bin/sh\nexit 0\n' >"$work/bin/dpkg-query"
chmod +x "$work/bin/dpkg-query"
for tool in awk bash cat comm dirname env id mkdir readlink sed sort; do
	ln -s "$(command -v "$tool")" "$work/bin/$tool"
done

as_user=()
((EUID)) || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod 755 "$work"

run() { # STATUS WORD...: by somebody without root
	local wanted=$1 status=0
	shift
	"${as_user[@]}" env -i PATH="$work/bin" bash "$work/verbena" "$@" >"$work/out" 2>"$work/err" ||
		status=$?
	if [[ $status != "$wanted" ]]; then
		echo "./verbena $*: status $status, not $wanted"
		cat "$work/out" "$work/err"
		exit 1
	fi
}

run 0 --help
grep -q 'Nothing is built yet' "$work/out"
run 2
grep -q 'Nothing is built yet' "$work/err"

for word in demo test; do
	run 1 "$word"
	grep -q 'neither root nor sudo' "$work/err"
	grep -q 'apt-get update && apt-get install .* cmake .* ninja-build' "$work/err"
done

# All packages are installed, but the tree was built by root.
awk '/^(build|test)/ { print "installed " $2 }' scripts/packages >"$work/installed"
# shellcheck disable=SC2016 # expanded when it runs
printf '#!/bin/sh\ncat "%s"\n' "$work/installed" >"$work/bin/dpkg-query"
mkdir "$work/build"
chmod 555 "$work/build"
run 1 demo
grep -q "may not write to $work/build" "$work/err"
