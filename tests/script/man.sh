#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The man pages and the programs have the same options, commands and environment variables.
set -euo pipefail
cd "${VERBENA_SOURCE_DIR:?}"
build=${VERBENA_BUILD_DIR:?}
failed=0

same() { # same WHAT <file of one> <file of the other>
	if ! diff "$2" "$3" >"$work/diff"; then
		echo "$1 (<: only in the program, >: only in the page)"
		cat "$work/diff"
		failed=1
	fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

options_of_help() { # from argp's list: "  -f, --fabric=NAME   ...", "      --usage   ..."
	grep -E '^ {2,6}-' | sed -E 's/^ +//; s/ {2,}.*//; s/, / /g' | tr ' ' '\n' |
		grep -E '^-' | sed 's/=.*//' | sort -u
}

options_of_page() { # from the tags of its OPTIONS
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$1" | grep -A1 '^\.TP' | grep -E '^\.B[RI]? ' |
		sed 's/\\f.//g; s/\\-/-/g; s/", "/ /g' | tr ' ' '\n' | grep -E '^-' |
		sed 's/=.*//' | sort -u
}

compare() { # compare PAGE COMMAND...
	"${@:2}" --help | options_of_help >"$work/help"
	options_of_page "docs/man/$1" >"$work/page"
	[[ -s $work/help ]]
	same "options of $1" "$work/help" "$work/page"
}

"$build/verbena" --help | sed -nE 's/^  ([a-z]+) .*/\1/p' | grep -v '^test$' | sort >"$work/commands"
sed -n '/^\.SH COMMANDS/,/^\.SH OPTIONS/p' docs/man/verbena.1 | sed -n 's/^\.B //p' | sort >"$work/page"
same 'commands of verbena.1' "$work/commands" "$work/page"
while read -r command; do
	compare "verbena-$command.1" "$build/verbena" "$command"
done <"$work/commands"
compare verbenad.8 "$build/verbenad"

# Names in quotation marks by themselves: what getenv() is asked for, and tables of such.
grep -rhoE '"VERBENA(D|_[A-Z_]+)?"' src cli sim | tr -d '"' | sort -u >"$work/program"
sed -n '/^\.SH ENVIRONMENT/,/^\.SH THE/p' docs/man/verbena.7 | sed -n 's/^\.B \(VERBENA[A-Z_]*\)$/\1/p' |
	sort -u >"$work/page"
same 'variables of verbena.7' "$work/program" "$work/page"

# Every page is whole, and leads only to others that there are.
for page in docs/man/*; do
	name=$(basename "$page")
	sed 's|\\-|-|g' "$page" | grep -E "^\.TH ${name%.*} ${name##*.} " >/dev/null
	for section in NAME SYNOPSIS DESCRIPTION 'SEE ALSO'; do
		[[ $section == SYNOPSIS && $name == *.7 ]] || grep -q "^\.SH $section\$" "$page"
	done
	sed -nE '/^\.SH SEE ALSO/,$ s/^\.BR ([^ ]+) \(([0-9])\),?$/\1.\2/p' "$page" | sed 's/\\-/-/g' |
		while read -r other; do
			[[ -e docs/man/$other ]] || { echo "$page: there is no $other" && exit 1; }
		done
done
exit "$failed"
