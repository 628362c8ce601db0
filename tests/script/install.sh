#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# cmake --install into a folder that is then moved: everything finds everything there, and nothing
# refers to the build.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc
if [[ -n ${runtime:-} ]]; then
	echo 'a sanitizer is not for installing'
	exit 77
fi

source_dir=${VERBENA_SOURCE_DIR:?}
work=$XDG_RUNTIME_DIR/work
mkdir "$work"
DESTDIR=$work/root cmake --install "$VERBENA_BUILD_DIR" --prefix /opt/verbena >"$work/log"
mv "$work/root/opt/verbena" "$work/there"
. ./installed.inc "$work/there"

# No file says where it was built, nor where it was to be.
if grep -rIlE "$source_dir|/opt/verbena" "$prefix"; then
	echo 'these name the build or the prefix'
	exit 1
fi
man_pages=("$prefix"/share/man/man*/*)
((${#man_pages[@]} >= 8))

# A program that is running already can load the library, little thread-local storage as there is left.
python3 - "$lib/libverbena.so" <<'END'
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.verbena_cause_name.restype = ctypes.c_char_p
assert library.verbena_cause_name(0) == b"NONE"
END

# What the public headers declare, the library has.
python3 - "$source_dir" "$lib/libverbena.so" <<'END'
import subprocess
import sys

sys.path.insert(0, sys.argv[1] + "/scripts")
import csource

table = subprocess.run(["nm", "-D", "--defined-only", sys.argv[2]], check=True,
                       capture_output=True, text=True).stdout
exported = {line.split()[-1] for line in table.splitlines()}
declared = {s.name for path in csource.files("include/*.h") for s in csource.symbols(path)
            if s.kind == "prototype"}
inline = {s.name for path in csource.files("include/*.h") for s in csource.symbols(path)
          if s.kind in ("function", "macro")}
missing = sorted(declared - inline - exported - {"aligned"})  # __attribute__((aligned()))
if missing or len(declared) < 250:
    sys.exit(f"declared, but not in libverbena.so: {missing}")
END
