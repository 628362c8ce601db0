#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The words of the command line: right ones do what --help says; wrong ones are refused with a
# sentence and status 2, before anything is done.
set -euo pipefail
verbena=${VERBENA_BUILD_DIR:?}/verbena
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "$*; the output:"
	cat "$work/out" "$work/err"
	exit 1
}

run() { # STATUS WORD...
	local wanted=$1 status=0
	shift
	timeout 60 "$verbena" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	[[ $status == "$wanted" ]] || fail "verbena $*: status $status, not $wanted"
}

says() { # TEXT WORD...: well, and TEXT is in the output
	local text=$1
	shift
	run 0 "$@"
	grep -qF -- "$text" "$work/out" || fail "verbena $*: does not say '$text'"
	[[ ! -s $work/err ]] || fail "verbena $*: complains"
}

refuses() { # TEXT WORD...: wrong, TEXT is the complaint, and there is no result
	local text=$1
	shift
	run 2 "$@"
	grep -qF -- "$text" "$work/err" || fail "verbena $*: does not complain '$text'"
	[[ ! -s $work/out ]] || fail "verbena $*: has output"
}

for help in --help -h '-?'; do
	says 'Usage: verbena COMMAND' "$help"
	for command in demo sim bench topo; do
		says "Usage: verbena $command" "$command" "$help"
	done
done
says 'verbena 0.' --version
refuses 'Usage: verbena COMMAND'
refuses "no command 'nonsense'" nonsense
for command in demo sim bench topo; do
	refuses '--nonsense' "$command" --nonsense
done

# Numbers are decimal digits, the whole word, in range.
for seeds in '' -1 +1 ' 1' 1x 0x1 3..1 1...3 1.. ..3 a..b 1..99999999999999999999; do
	refuses "'$seeds' is no range of seeds" sim --seeds "$seeds"
done
refuses 'too many seeds' sim --seeds 0..18446744073709551615
for jobs in 0 -1 x 2x 1025; do
	refuses "'$jobs' is no number of jobs" sim --jobs "$jobs" --seeds 1
	refuses "'$jobs' is no number of rounds" bench --rounds "$jobs" qp-memory
done
says '1 seed, 0 failed' sim --seeds 3
says '2 seeds, 0 failed' sim --seeds 3..4
says '2 seeds, 0 failed' sim --world rmpp --seeds 1..2
says '2 seeds, 0 failed' sim --world flaps --seeds 1..2
refuses "there is no world 'x'" sim --world x

# A file of seeds, as tests/sim/seeds is one.
printf '# some\n3..4  # two\n\n\t1\n' >"$work/seeds"
says '3 seeds, 0 failed' sim --file "$work/seeds"
says '4 seeds, 0 failed' sim --file "$work/seeds" --seeds 7
printf '1 2\n' >"$work/seeds"
refuses 'one range of seeds a line' sim --file "$work/seeds"
printf '1\nmany\n' >"$work/seeds"
refuses "'many' is no range" sim --file "$work/seeds"
refuses 'has no seeds' sim --file /dev/null
refuses 'No such file' sim --file "$work/absent"
refuses 'Is a directory' sim --file "$work"
refuses "'1..3' is no option" sim 1..3

# A trace is one seed's, and must be written.
says '1 seed, 0 failed' sim --seeds 3 --trace "$work/trace"
[[ -s $work/trace ]] || fail 'no trace'
refuses 'these are 2' sim --seeds 3..4 --trace "$work/trace"
refuses 'No such file' sim --seeds 3 --trace "$work/absent/trace"

says 'qp-memory' bench --list
refuses "begins with 'nonsense'" bench nonsense
refuses "begins with 'b'" bench qp-memory b
says 'rmpp-16m' bench --mad --list
refuses "begins with 'qp-memory'" bench --mad qp-memory
status=0 # how good it is does not matter here
timeout 60 "$verbena" bench --mad --rounds 1 --json >"$work/out" || status=$?
[[ $status -le 1 && $(grep -c '"median"' "$work/out") == $("$verbena" bench --mad --list | wc -l) ]] || fail 'bench --mad does not measure'
says 'send-lat-8' bench --stock --list send-lat
refuses "begins with 'qp-memory'" bench --stock qp-memory

# What is no file with bytes in it is refused; a FIFO does not keep us waiting for its writer.
mkfifo "$work/fifo"
: >"$work/empty"
for path in "$work" "$work/fifo" /dev/null; do
	refuses "'$path' is not a regular file" demo "$path"
done
refuses "'$work/empty' is empty" demo "$work/empty"
refuses "'$work/absent': No such file" demo "$work/absent"
refuses "'': No such file" demo ''
refuses "'b' is one too many" demo a b
printf x >"$work/one"
says '1 bytes written' demo "$work/one" # the provoked error is the same for the smallest file
if grep -q $'\033' "$work/out"; then
	fail 'colours in a file'
fi

# Plans: what is written is read again, and a wrong text has a line.
for plan in pair 'fat-tree 4' 'leaf-spine 4 2 2' 'dragonfly 2 4 2' 'torus 3 3' 'torus 2 3 4' 'ring 5'; do
	# shellcheck disable=SC2086 # words are wanted
	run 0 topo $plan
	cp "$work/out" "$work/plan"
	says ' cables' topo --check "$work/plan"
done
run 0 topo fat-tree 6
cp "$work/out" "$work/plan"
says '99 nodes: 54 channel adapters, 45 others; 369 ports, 162 cables' topo --check "$work/plan"
refuses 'either a kind of subnet' topo
refuses 'either a kind of subnet' topo ring 3 --check "$work/plan"
refuses "'tree' is no kind" topo tree
refuses 'fat-tree K' topo fat-tree
refuses 'ring N' topo ring 3 4
refuses "'x': a number" topo ring x
run 1 topo fat-tree 5
grep -q 'K is even' "$work/err" || fail 'a fat tree of odd switches'
sed '9s/.*/[1] "nobody"[1]/' "$work/plan" >"$work/wrong"
run 1 topo --check "$work/wrong"
grep -q ':9: no node is called "nobody"' "$work/err" || fail "no line: $(cat "$work/err")"
run 1 topo --check "$work/absent"
run 1 topo --check "$work"

# Output that is lost is a failure.
for words in --help 'sim --help' 'sim --seeds 3' 'topo pair' "demo $work/one"; do
	status=0
	# shellcheck disable=SC2086 # words are wanted
	"$verbena" $words >/dev/full 2>"$work/err" || status=$?
	: >"$work/out"
	[[ $status == 2 ]] || fail "verbena $words >/dev/full: status $status"
	grep -q 'could not be written' "$work/err" || fail "verbena $words >/dev/full: no complaint"
done
