#!/bin/sh
# Long repetitions of equal calls, and everything that can end a repetition, or occur between or inside its calls. The
# trace must be exact, also that of a killed run, and times must belong to the call or to the code before it, as in
# the run.
#   test_alike.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

cd "$work" || exit 1
export REFRAIN_MODE=both REFRAIN_THREADS=2 REFRAIN_THROTTLE=off # which goes by time

# build MPI OPTIONS PROGRAM
build() {
    # shellcheck disable=SC2086 # a list of options
    REFRAIN_MPICC=mpicc.$1 refrain-mpicc $2 -w -pthread -I"$tests/../include" "$tests/programs/$3.c" -o "$3" 2>err ||
        fail "$1, $2, $3: $(head -n 1 err)"
}

# run MPI RANKS PROGRAM WHAT...: with the trace in run.
run() {
    rm -rf run
    mkdir run
    run_mpi=$1 run_ranks=$2
    shift 2
    REFRAIN_DIRECTORY=run launch "$run_mpi" "$run_ranks" ./"$@" >out 2>err
}

# Milliseconds of the longest poll, and of the longest time between two.
longest() {
    refrain reconstruct "$(the_trace run)" --format text -o - | awk -F '\t' '
        $4 != "MPI_Test" { next }
        $3 == "enter" { if (left && $2 - left > between) between = $2 - left; entered = $2 }
        $3 == "leave" { left = $2; if (left - entered > inside) inside = left - entered }
        END { printf "%d %d\n", inside * 1000 + 0.01, between * 1000 + 0.01 }'
}

for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    for options in -O2 "--detail=calls -O0"; do
        build $mpi "$options" in_a_row
        run $mpi 2 in_a_row 1500 || fail "$mpi, $options: $(head -n 1 err)"
        exact "$(the_trace run)" "in a row, $mpi, $options"
        for what in between inside messages; do
            run $mpi 2 in_a_row 300 $what
            exact "$(the_trace run)" "in a row, $mpi, $options, killed $what" ended # one rank by the launcher
        done
    done
done

command -v mpicc.mpich >/dev/null || { summary; exit; } # said above
for options in -O2 "--detail=calls -O0"; do
    build mpich "$options" alike
    run mpich 1 alike 4000 || fail "$options: $(head -n 1 err)"
    exact "$(the_trace run)" "alike, $options"
    for what in "3200 threads" "1400 kill" "1400 inside" "1400 waits"; do
        # shellcheck disable=SC2086 # two words
        run mpich 1 alike $what
        exact "$(the_trace run)" "alike, $options, $what"
    done
    build mpich "$options" polls
    run mpich 1 polls 1500 || fail "polls, $options: $(head -n 1 err)"
    exact "$(the_trace run)" "polls, $options"
    for what in between inside; do
        run mpich 1 polls 30 $what
        exact "$(the_trace run)" "polls, $options, killed $what"
    done
    for mode in stat both; do
        REFRAIN_MODE=$mode run mpich 1 polls 0 times || fail "polls, $options, times: $(head -n 1 err)"
        # A poll takes 30 ms, and the time between two polls is 20 ms; on a busy machine more.
        times=$(longest)
        check "$options, $mode: the slow poll took ${times% *} ms" test "${times% *}" -ge 30
        check "$options, $mode: the slow time between polls took ${times#* } ms" test "${times#* }" -ge 20
    done
done
summary
