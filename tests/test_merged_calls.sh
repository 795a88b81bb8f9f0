#!/bin/sh
# MPI calls that the compiler merges or duplicates: each call is recorded at the line of its source, as without
# optimisation, and with sites in the code as without them.
#   test_merged_calls.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

x86_64_only "code is changed on x86-64 only"
command -v mpicc.mpich >/dev/null || skip "no MPICH"
cd "$work" || exit 1
export REFRAIN_MODE=both
export REFRAIN_THROTTLE=off # which goes by time

# traced WHAT PATCH: runs the program, with the trace in run.
traced() {
    rm -rf run
    mkdir run
    REFRAIN_DIRECTORY=run REFRAIN_PATCH=$2 timeout 120 ./merged >out 2>err || fail "$1: $(head -n 1 err)"
    exact "$(the_trace run)" "$1, REFRAIN_PATCH=$2"
}

# said: the events with the line of each call, and the formulas of all places.
said() {
    refrain events "$(the_trace run)" | cut -f 1,3-
    refrain formulas "$(the_trace run)"
}

# The lines of calls that optimised code makes at one address.
alike=$(sed -n '/MPI_Bcast(data, [12], /=' "$tests/programs/merged_calls.c" | paste -sd '|')
for what in "gcc -O0" "gcc -O1" "gcc -O2" "gcc -O3" "clang -O3"; do
    [ "${what%% *}" = clang ] && export MPICH_CC=clang || unset MPICH_CC
    # shellcheck disable=SC2086 # two words
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc ${what#* } -w "$tests/programs/merged_calls.c" -o merged 2>said ||
        fail "$what: $(head -n 1 said)"
    traced "$what" on
    said >with
    traced "$what" off
    said >without
    check "$what: the same trace where the code stays as it is" cmp with without
    refrain events "$(the_trace run)" | cut -f 1,3- >events
    [ -f plain ] || cp events plain
    check "$what: the same lines as without optimisation" cmp plain events
    grep -E "line=($alike)\$" plain >plain.alike
    rm -rf run
    REFRAIN_MODE=events REFRAIN_DIRECTORY=run timeout 120 ./merged >out 2>err || fail "$what, mode events: $(head -n 1 err)"
    refrain events "$(the_trace run)" | cut -f 1,3- | grep -E "line=($alike)\$" >events
    check "$what: the same lines in mode events" cmp plain.alike events
    REFRAIN_THROTTLE=on traced "$what, throttled" on
done
summary
