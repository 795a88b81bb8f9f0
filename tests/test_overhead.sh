#!/bin/sh
# refrain overhead: every probe of a known program is counted, and costs add up. A build with the filter that it writes
# excludes the most expensive functions. The instrumentor reports filters that match nothing.
set -u
. "$(dirname "$0")/lib.sh"
unset REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_WRAPPER
REFRAIN_MPICC=mpicc.mpich
export REFRAIN_MPICC
cd "$work" || exit 1
cat >program.c <<'END_OF_PROGRAM'
#include <mpi.h>
#include <refrain/refrain.h>
#include <stdio.h>
static int often(int n) {
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += n * i;
    for (int i = 0; i < n % 2; i++)
        MPI_Barrier(MPI_COMM_SELF);
    return sum;
}
static int seldom(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += often(i);
    return sum;
}
int main(int argc, char **argv) {
    int sum = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        refrain_region_begin("round");
        sum += seldom(1000);
        refrain_region_end();
    }
    MPI_Finalize();
    printf("%d\n", sum);
    return 0;
}
END_OF_PROGRAM

# traced FILTER NAME: builds with the filter, runs, names the trace in $trace. All probes stay in the code.
REFRAIN_PATCH=off
export REFRAIN_PATCH
traced() {
    # shellcheck disable=SC2086 # may be empty
    refrain-mpicc $1 -O2 -I"$tests/../include" program.c -o program || fail "$2: build"
    rm -rf "$2"
    mkdir "$2"
    REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=$2 ./program >"$2.said" || fail "$2: run"
    trace=$(the_trace "$2")
}

# field FILTER: of the JSON.
field() {
    python3 -c "import json, sys; o = json.load(open('json')); print($1)"
}
kind="{k['kind']: k['number'] for k in o['kinds']}"
function="{f['function']: f for f in o['functions']}"

traced "" before
check "refrain overhead" refrain overhead "$trace"
check "... --json" sh -c "refrain overhead --json '$trace' >json"
[ "$(field "[$kind[k] for k in ('enter', 'leave', 'iteration', 'loop end', 'region begin', 'region end', 'call begin')]")" = \
    "[10011, 10011, 15010, 10011, 10, 10, 5002]" ] && pass || fail "counts: $(field "$kind")"
[ "$(field "[($function[f]['activations'], $function[f]['probes']) for f in ('often', 'seldom', 'main')]")" = \
    "[(10000, 35000), (10, 10030), (1, 33)]" ] && pass || fail "functions: $(field "$function")"
[ "$(field "0 < o['seconds'] < o['run_seconds'] and abs(sum(k['seconds'] for k in o['kinds']) - o['seconds']) < 1e-9")" = True ] &&
    pass || fail "costs do not add up: $(cat json)"
[ "$(field "abs(100 * o['seconds'] / o['run_seconds'] - o['percent']) < 1e-6")" = True ] && pass || fail "percent"
[ "$(field "[f['function'] for f in o['functions']][0]")" = often ] && pass || fail "the dearest function is not the first"
# With cold caches the cost is higher. Starting takes time. The pages are those of the file.
[ "$(field "(o['seconds_in_cold_caches'] is None or o['seconds_in_cold_caches'] > o['seconds']) and 0 < o['seconds_to_begin'] < o['run_seconds'] and o['pages'] > 3 and o['seconds_for_pages'] > 0")" = True ] &&
    pass || fail "in place: $(cat json)"
[ "$(field "0 < o['seconds_to_pack'] < 10 and o['processes_not_packed'] == 0")" = True ] && pass || fail "packing: $(cat json)"
[ "$(uname -m)" != x86_64 ] || [ "$(field "o['seconds_in_cold_caches'] is None")" = False ] && pass || fail "cold caches were not measured"
refrain overhead "$trace" | sed -n 1,3p | tr '\n' ' ' | grep -qE "probes took at least .* up to .* leaves nothing of the monitor .* besides these .* s to set up and in MPI_Init" &&
    pass || fail "heading: $(refrain overhead "$trace" | head -n 3)"
refrain overhead --lines 1 "$trace" | grep -q "^... and 2 more" && pass || fail "--lines"

refrain overhead --limit 0 -o app.filter "$trace" >/dev/null && grep -q "EXCLUDE often " app.filter && ! grep -q "EXCLUDE main" app.filter && pass ||
    fail "the filter: $(cat app.filter)"
refrain overhead --filter - --limit 100 "$trace" >none
[ "$(grep -c EXCLUDE none) $(grep -c SCOREP_REGION_NAMES none)" = "0 2" ] && pass || fail "--limit 100: $(cat none)"
traced --filter=app.filter after
check "the same with the filter" cmp before.said after.said
refrain overhead --json "$trace" >json
[ "$(field "'often' not in $function and $function['main']['probes'] == 43 and $kind['call begin'] == 5002")" = True ] && pass ||
    fail "with the filter: $(cat json)"

# A filter that is there stays as it is until the new one is complete.
cp app.filter old.filter
ln app.filter same.filter
check "a new filter" sh -c "refrain overhead --limit 100 -o app.filter '$trace' >/dev/null"
cmp -s same.filter old.filter && [ "$(grep -c EXCLUDE app.filter)" = 0 ] && pass || fail "written over in place"
(
    ulimit -f 0
    refrain overhead --limit 100 -o same.filter "$trace" 2>&1 >/dev/null
    echo "status $?"
) | cat >said
grep -q "same.filter: cannot be written" said && grep -q "status 1" said && cmp -s same.filter old.filter && pass ||
    fail "no room for a filter: $(cat said)"
[ ! -e same.filter.part ] && pass || fail "a part of a filter is left"

# Impossible requests.
REFRAIN_MODE=events REFRAIN_DIRECTORY=events ./program >/dev/null
says 1 "mode events" refrain overhead "$(the_trace events)"
for option in "--limit many" "--limit 101" "--lines -1"; do
    # shellcheck disable=SC2086
    refrain overhead $option "$trace" >/dev/null 2>&1
    [ $? -eq 2 ] && pass || fail "$option is taken"
done
says 1 "/nowhere/filter" refrain overhead -o /nowhere/filter "$trace"

# A name that is longer than its column moves the columns of all lines.
sed 's/seldom/seldom_with_a_name_that_is_longer_than_the_column/' program.c >long.c
mkdir long
refrain-mpicc -O2 -I"$tests/../include" long.c -o long_name && REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=long ./long_name >/dev/null || fail "a long name: build, run"
refrain overhead "$(the_trace long)" >text
awk '/^function/ { at = index($0, "percent") + 6; next }
    at && NF { n++; if (substr($0, at, 1) !~ /[0-9]/ || substr($0, at + 1) !~ /^(  |$)/) wrong++ } END { exit wrong || n != 4 }' text && pass || fail "columns: $(cat text)"

# Patterns of the instrumentor's filter that match nothing.
cat >typed.filter <<'END_OF_FILTER'
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE oftne seldom *dom
  INCLUDE nothing_like_it
SCOREP_REGION_NAMES_END
SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */progam.c other/program.c
SCOREP_FILE_NAMES_END
END_OF_FILTER
refrain-mpicc --filter=typed.filter -O2 -I"$tests/../include" -c program.c -o program.o 2>said
[ $? -eq 0 ] && [ ! -s said ] && pass || fail "a filter while compiling: $(cat said)"
refrain-mpicc --filter=typed.filter program.o -o program 2>said
[ $? -eq 0 ] && grep -q "typed.filter: 'oftne' matches no function of the program; did you mean 'often'?" said &&
    grep -q "'\*/progam.c' matches no file of the program; did you mean 'program.c'?" said &&
    [ "$(wc -l <said)" -eq 2 ] && pass || fail "a filter while linking: $(cat said)"
refrain-mpicc --filter=typed.filter --refrain-verbose program.o -o program 2>said
grep -q "'nothing_like_it' matches no function of the program$" said && pass || fail "--verbose: $(cat said)"
refrain-mpicc --filter=typed.filter -O2 -I"$tests/../include" program.c -o program 2>said
[ "$(wc -l <said)" -eq 2 ] && pass || fail "a filter in one command: $(cat said)"
refrain-mpicc --filter=typed.filter nothere.o -o program 2>said
[ $? -eq 1 ] && ! grep -q oftne said && pass || fail "a filter and a link that fails: $(cat said)"
summary
