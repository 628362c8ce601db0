#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The workflow files for users' CI (docs/ci): both are YAML and do the same; what they do once Verbena
# is installed works; and what they do to install it names what there is.
# shellcheck disable=SC1091,SC2154 # what is sourced is not followed
set -euo pipefail
cd "$(dirname "$0")"
. ./preload.inc
. ./pair.inc
if [[ -n ${runtime:-} ]]; then
	echo 'a sanitizer is not for CI of users'
	exit 77
fi

work=$XDG_RUNTIME_DIR
python3 - "${VERBENA_SOURCE_DIR:?}/docs/ci" "$work" <<'END'
import sys
import yaml

folder, work = sys.argv[1:]
with open(folder + "/github-actions.yml", encoding="utf-8") as file:
    github = yaml.safe_load(file)
with open(folder + "/gitlab-ci.yml", encoding="utf-8") as file:
    gitlab = yaml.safe_load(file)["rdma"]
job = github["jobs"]["rdma"]
steps = [step["run"] for step in job["steps"] if "run" in step]
scripts = gitlab["before_script"] + gitlab["script"]
scripts[0] = scripts[0].replace("cd ..\n", "")
assert steps == scripts, "the two do not do the same"
assert github["env"] == gitlab["variables"], "the two have other variables"
assert job["container"] == gitlab["image"] == "debian:12"
with open(work + "/install", "w", encoding="utf-8") as file:
    file.write(steps[0])
with open(work + "/rest", "w", encoding="utf-8") as file:
    file.write("".join(steps[1:]))
with open(work + "/variables", "w", encoding="utf-8") as file:
    file.writelines(f"{name}='{value}'\n" for name, value in github["env"].items())
END

# shellcheck disable=SC1091 # was just made
. "$work/variables"
export RDMA_PROGRAM PATH=$VERBENA_BUILD_DIR:$PATH
free_port # not the one that others use at the same time
sed -i "s/ib_write_bw/& -p $port/" "$work/rest"
timeout 120 bash -eo pipefail "$work/rest" >"$work/out" 2>&1 || {
	cat "$work/out"
	exit 1
}
grep -q 'SHA-256' "$work/out"
(($(grep -cE '^ 65536 +5000 ' "$work/out") == 2)) # both ends report
grep -q '^hca_id:' "$work/out"

# The steps of the installation: the scripts, the preset and the option are there.
cd "$VERBENA_SOURCE_DIR"
grep -q '^scripts/install-packages build$' "$work/install"
cmake --list-presets=configure | grep '"release"' >/dev/null
grep -q '^option(VERBENA_TESTS ' CMakeLists.txt
sed -n 's/.*--no-install-recommends ca-certificates git //p' "$work/install" | tr ' ' '\n' >"$work/packages"
while read -r package; do
	grep -qE "^(build|test)	$package\$" scripts/packages
done <"$work/packages"
