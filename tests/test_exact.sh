#!/bin/sh
# Instrumented programs print what the originals print, and their reconstruction equals the recording of the same run.
set -u
. "$(dirname "$0")/lib.sh"

# program NAME MPI RANKS DETAIL SOURCES... -- ARGUMENTS...: builds it plain and instrumented, runs both, compares.
program() {
    name=$1 mpi=$2 ranks=$3 detail=$4
    shift 4
    sources=
    while [ "$1" != -- ]; do
        sources="$sources $tests/programs/$1"
        shift
    done
    shift
    flags="-O1 -std=gnu11 -w -I$tests/../include -L$bin/../lib"
    directory=$work/$name-$mpi-$detail
    if [ ! -d "$directory" ]; then
        mkdir "$directory"
        # shellcheck disable=SC2086 # lists of words
        mpicc.$mpi $flags $sources -o "$directory/plain" -Wl,-rpath,"$bin/../lib" $( [ "$name" = regions ] && echo -lrefrain) || {
            fail "$name: plain compile"
            return
        }
        # shellcheck disable=SC2086
        REFRAIN_MPICC=mpicc.$mpi refrain-mpicc --refrain-detail=$detail $flags $sources -o "$directory/traced" || {
            fail "$name: instrumented compile"
            return
        }
    fi
    run=$directory/$ranks
    mkdir "$run"
    launch "$mpi" "$ranks" "$directory/plain" "$@" >"$run/plain.out" 2>"$run/plain.err"
    expected=$?
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$run launch "$mpi" "$ranks" "$directory/traced" "$@" >"$run/traced.out" 2>"$run/traced.err"
    status=$?
    [ $status -eq $expected ] || fail "$name: status $status, was $expected: $(head -n 3 "$run/traced.err")"
    sort "$run/plain.out" >"$run/a"
    sort "$run/traced.out" >"$run/b"
    check "$name on $ranks ranks ($mpi, $detail): same output" cmp "$run/a" "$run/b"
    exact "$(the_trace "$run")" "$name on $ranks ranks ($mpi, $detail)"
    rm -rf "$run"
}

for ranks in 1 2 3 4; do
    for detail in communication all; do
        program matmul mpich $ranks $detail matmul/matmul.c matmul/distribute.c matmul/multiply.c -- 24 3
        program control mpich $ranks $detail control.c -- 12
    done
    program statics mpich $ranks communication statics/one.c statics/two.c statics/statics.c -- 9
    program orders mpich $ranks communication orders.c -- 10
    program objects mpich $ranks communication objects.c -- 8
done
program regions mpich 2 communication regions.c -- 5
program leaving mpich 1 all leaving.c -- 5
program control openmpi 2 communication control.c -- 12
program matmul openmpi 3 communication matmul/matmul.c matmul/distribute.c matmul/multiply.c -- 24 3
echo "$total_events events compared"
summary
