#!/bin/sh
# Collectives and messages of one site, one right after the other, are told by a few counters (monitor/call_streak.h):
# the trace is that of a run in which each is told by itself, whatever comes between two of them or within one, and of a
# killed run, too. (Polls are in test_polls.sh.)
#   test_streaks.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

cd "$work" || exit 1
export REFRAIN_MODE=both REFRAIN_THROTTLE=off # which goes by time

# run MPI RANKS WHAT...: with the trace in run.
run() {
    rm -rf run
    mkdir run
    run_mpi=$1 run_ranks=$2
    shift 2
    REFRAIN_DIRECTORY=run launch "$run_mpi" "$run_ranks" ./streaks "$@" >out 2>err
}

for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    for options in -O2 "--detail=calls -O0"; do
        [ "$mpi $options" != "openmpi -O2" ] || continue
        # shellcheck disable=SC2086 # a list of options
        REFRAIN_MPICC=mpicc.$mpi refrain-mpicc $options -w -I"$tests/../include" \
            "$tests/programs/call_streaks.c" -o streaks 2>err || fail "$mpi, $options: $(head -n 1 err)"
        for ranks in 1 2; do
            name="$mpi, $options, $ranks ranks"
            run $mpi $ranks 3000 || fail "$name: $(head -n 1 err)"
            exact "$(the_trace run)" "$name"
            refrain formulas "$(the_trace run)" >by_streak
            # With a filter that leaves nothing out of this program, all calls are told the long way.
            REFRAIN_RECORD_FILTER=-MPI_Pcontrol run $mpi $ranks 3000 || fail "$name, filtered: $(head -n 1 err)"
            refrain formulas "$(the_trace run)" >one_by_one
            check "$name: learned as one by one" cmp by_streak one_by_one
        done
        for what in between inside messages; do
            run $mpi 2 300 $what
            exact "$(the_trace run)" "$mpi, $options, killed $what"
        done
    done
done
summary
