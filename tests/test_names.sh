#!/bin/sh
# Names with control characters move no cursor and begin no line or column, in the output of the commands and in the text
# formats.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
mpi=mpich
command -v mpicc.mpich >/dev/null || mpi=openmpi
REFRAIN_MPICC=mpicc.$mpi refrain-mpicc -w -I"$tests/../include" "$tests/programs/odd_names.c" -o odd_names 2>said ||
    fail "compile: $(head -n 1 said)"
mkdir run
REFRAIN_DIRECTORY=run launch $mpi 2 ./odd_names >out 2>err || fail "status $?, $(head -n 1 err)"
trace=$(the_trace run)

# plain FILE TEXT ALLOWED: there are no control characters in it but those and ends of lines.
plain() {
    found=$(LC_ALL=C tr -d "\n$3" <"$1" | LC_ALL=C tr -d -c '\000-\037\177' | od -An -tx1 | head -n 1)
    [ -s "$1" ] && [ -z "$found" ] && pass || fail "$2: control characters: $found"
}
for command in info stats 'stats --by=function' 'stats --by=call-path' formulas overhead 'top --once'; do
    # shellcheck disable=SC2086 # a command with its options
    refrain $command "$trace" >said 2>err || { grep -q 'unrecognized\|no such\|unknown' err && continue; }
    plain said "refrain $command" ''
done
refrain diff "$trace" "$trace" >said 2>err
plain said "refrain diff" ''
# Its name in each of the outputs that have names.
refrain info --verbose "$trace" | grep -qF 'comm a\tb\nc\x1b[31m"\<&>\x01\x0d\x7f: 2 ranks' && pass || fail "info: $(refrain info --verbose "$trace" | grep comm=2)"
refrain stats "$trace" | grep -qF 'region a\tb\nc\x1b[31m"\<&>\x01\x0d\x7f' && pass || fail "stats: $(refrain stats "$trace" | grep -F region)"
refrain formulas "$trace" | grep -qF 'counter a\tb\nc\x1b[31m' && pass || fail "formulas: $(refrain formulas "$trace" | grep -F counter)"
for format in text paraver picl alog chrome; do
    refrain reconstruct -q --all --format=$format -o "out.$format" "$trace" 2>err || fail "$format: $(head -n 1 err)"
    for file in "out.$format" out.pcf out.row; do
        [ ! -f "$file" ] || plain "$file" "$format" '\t'
    done
done
[ -z "$(awk -F '\t' 'NF < 3 { print NR }' out.text)" ] && pass || fail "text: a line with fewer than three columns"
if available python3; then
    for command in info stats formulas; do
        refrain $command --json "$trace" >said 2>err
        python3 -c 'import json; json.load(open("said"))' 2>err && pass || fail "$command --json: $(tail -n 1 err)"
    done
    python3 -c 'import json; json.load(open("out.chrome"))' 2>err && pass || fail "chrome: $(tail -n 1 err)"
fi
summary
