#!/bin/sh
# Calls that go alike are counted in one place, and told in bulk (monitor/call_round.h): the trace is that of a run in
# which each is told by itself, of a run that is killed while some are not told yet, too.
#   test_rounds.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

command -v mpicc.mpich >/dev/null || skip "no MPICH"
cd "$work" || exit 1
export REFRAIN_MODE=both REFRAIN_THREADS=2 REFRAIN_THROTTLE=off # which goes by time

# run WHAT...: with the trace in run.
run() {
    rm -rf run
    mkdir run
    REFRAIN_DIRECTORY=run timeout 120 ./rounds "$@" >out 2>err
}

for options in -O0 -O2 "--detail=calls -O2"; do
    # shellcheck disable=SC2086 # a list of options
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc $options -w -pthread -I"$tests/../include" "$tests/programs/rounds.c" \
        -o rounds 2>err || fail "$options: $(head -n 1 err)"
    run 7000 || fail "$options: $(head -n 1 err)"
    exact "$(the_trace run)" "$options"
    refrain formulas "$(the_trace run)" >by_round
    # With a filter that leaves nothing out of this program, all calls are told the long way.
    REFRAIN_RECORD_FILTER=-MPI_Pcontrol run 7000 || fail "$options, filtered: $(head -n 1 err)"
    refrain formulas "$(the_trace run)" >one_by_one
    check "$options: learned as without rounds" cmp by_round one_by_one
    for what in "3200 threads" "1400 kill" "1400 inside" "1400 waits"; do
        # shellcheck disable=SC2086 # two words
        run $what
        exact "$(the_trace run)" "$options, $what"
    done
done
summary
