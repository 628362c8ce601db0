#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Where little is given: an ordinary user in a directory that is not its own, with 64 KiB of memory to
# lock; a read-only root without /dev/shm; two containers that share nothing but the run directory;
# and a place where no socket can be made, which is said.
# shellcheck disable=SC1091,SC2016,SC2154 # what is sourced is not followed; $ is for the inner shell
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc

work=$XDG_RUNTIME_DIR
chmod 711 "$work"
mkdir "$work/user" "$work/root" "$work/bin"
# The build may be where nobody else gets.
cp "$VERBENA_BUILD_DIR"/{verbena,verbenad,libverbena-preload.so} "$work/bin"
verbena=$work/bin/verbena
user=()
if ((EUID == 0)); then
	chown 65534:65534 "$work/user"
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all)
fi

container=(unshare --mount --pid --fork --mount-proc)
((EUID == 0)) || container+=(--user --map-root-user)

# What runs in each place, as one of two ends; what it receives is compared.
end=(timeout 60 "$verbena" run --host)
pingpong=(ibv_rc_pingpong -c -s 20000 -n 100)

# works WHAT SERVER-PREFIX... -- CLIENT-PREFIX...
works() {
	local what=$1 ended=0 server_ended=0
	local -a before=()
	shift
	while [[ $1 != -- ]]; do
		before+=("$1")
		shift
	done
	shift
	free_port
	"${before[@]}" "${end[@]}" a -- "${pingpong[@]}" -p "$port" >"$server_out" 2>&1 &
	server=$!
	until listens "$port"; do
		kill -0 "$server" 2>/dev/null && continue
		wait "$server" || server_ended=$?
		echo "$what: the server ended with $server_ended"
		cat "$server_out"
		return 1
	done
	"$@" "${end[@]}" b -- "${pingpong[@]}" -p "$port" localhost >"$client_out" 2>&1 || ended=$?
	((ended == 0)) || kill "$server" 2>/dev/null || true
	wait "$server" || server_ended=$?
	((ended + server_ended == 0)) && grep -q '^100 iters' "$client_out" && return
	echo "$what: server $server_ended, client $ended"
	cat "$server_out" "$client_out"
	return 1
}

export XDG_RUNTIME_DIR=$work/user
user+=(bash -c 'cd / && ulimit -l 64 && ! touch here 2>/dev/null && exec "$@"' -)
works 'an ordinary user' "${user[@]}" -- "${user[@]}"

# No files, and so none that processes could share: that is said, and no signal ends the program.
limited() { # limited COMMAND...: what it says, and its status
	(ulimit -f 0 && "$verbena" run "$@" 2>&1 || echo "status $?") | cat >"$work/out"
}
limited -- ibv_devinfo
grep -q '^verbena: no RDMA device: the limit of the size of files does not allow .*ulimit -f unlimited' "$work/out"
grep -q '^status 255$' "$work/out"
limited --fabric - -- ibv_devinfo
grep -q 'PORT_ACTIVE' "$work/out"

if ! "${container[@]}" true 2>/dev/null; then
	echo 'no namespaces can be made here: containers and read-only roots are left out'
	exit 0
fi
bare=("${container[@]}" bash -c 'mount --make-rprivate / && mount -t tmpfs -o ro none /dev/shm &&
	mount --bind "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR" && mount -o remount,bind,ro / &&
	! mkdir /dev/shm/here 2>/dev/null && ! mkdir /var/tmp/here 2>/dev/null && exec "$@"' -)
export XDG_RUNTIME_DIR=$work/root
works 'containers with a read-only root and no /dev/shm' "${bare[@]}" -- "${bare[@]}"
works 'a container and its host' "${bare[@]}" --

# Without the package ibverbs-providers libibverbs finds nothing, and keeps silent.
export XDG_RUNTIME_DIR=$work/root
libraries=$(ldconfig -p | sed -nE 's|.* => (/.*)/libibverbs\.so\.1$|\1/libibverbs|p')
libraries=${libraries%%$'\n'*}
mkdir "$work/none"
"${container[@]}" bash -c 'mount --bind "$1" "$2" && exec "${@:3}"' - "$work/none" "$libraries" \
	"$verbena" run --host c -- ibv_devinfo >"$work/out" 2>&1 || true
if ! grep -q '^No IB devices found' "$work/out" ||
	! grep -q '^verbena\[.* c\]: libibverbs was told of a device, .*Install the package ibverbs-providers' "$work/out"; then
	cat "$work/out"
	exit 1
fi
