#!/bin/sh
# Polls that find nothing, one right after the other, are told by a few counters (monitor/call_streak.h): the trace is
# that of a run in which each is told by itself, whatever comes between two of them or within one, and of a killed run,
# too. What takes long is filed where it was, in the poll or before it.
#   test_polls.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

command -v mpicc.mpich >/dev/null || skip "no MPICH"
cd "$work" || exit 1
export REFRAIN_MODE=both REFRAIN_THREADS=1 REFRAIN_THROTTLE=off # which goes by time

# run WHAT...: with the trace in run.
run() {
    rm -rf run
    mkdir run
    REFRAIN_DIRECTORY=run timeout 120 ./polls "$@" >out 2>err
}

# Milliseconds of the longest poll, and of the longest time between two.
longest() {
    refrain reconstruct "$(the_trace run)" --format text -o - | awk -F '\t' '
        $4 != "MPI_Test" { next }
        $3 == "enter" { if (left && $2 - left > between) between = $2 - left; entered = $2 }
        $3 == "leave" { left = $2; if (left - entered > inside) inside = left - entered }
        END { printf "%d %d\n", inside * 1000 + 0.01, between * 1000 + 0.01 }'
}

for options in -O0 -O2 "--detail=calls -O2"; do
    # shellcheck disable=SC2086 # a list of options
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc $options -w -I"$tests/../include" "$tests/programs/polls.c" -o polls 2>err ||
        fail "$options: $(head -n 1 err)"
    run 3000 || fail "$options: $(head -n 1 err)"
    exact "$(the_trace run)" "$options"
    refrain formulas "$(the_trace run)" >by_streak
    # With a filter that leaves nothing out of this program, all calls are told the long way.
    REFRAIN_RECORD_FILTER=-MPI_Pcontrol run 3000 || fail "$options, filtered: $(head -n 1 err)"
    refrain formulas "$(the_trace run)" >one_by_one
    check "$options: learned as one by one" cmp by_streak one_by_one
    for what in between inside; do
        run 30 $what
        exact "$(the_trace run)" "$options, killed $what polls"
    done
    for mode in stat both; do
        REFRAIN_MODE=$mode run 0 times || fail "$options, times: $(head -n 1 err)"
        # A poll takes 30 ms and what is between two takes 20; on a busy machine more.
        times=$(longest)
        check "$options, $mode: the slow poll took ${times% *} ms" test "${times% *}" -ge 30
        check "$options, $mode: the slow time between polls took ${times#* } ms" test "${times#* }" -ge 20
    done
done
summary
