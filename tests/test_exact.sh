#!/bin/sh
# Instrumented programs print the same as the originals, and their reconstruction equals the recording of the same
# run.
#   test_exact.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

flags="-std=gnu11 -w -I$tests/../include"

# build KIND COMMAND SOURCES...: $directory/KIND, compiled and linked by that command, once. All but the last source go into a
# static library.
build() {
    kind=$1 command=$2
    shift 2
    [ ! -e "$directory/$kind" ] || return 0
    main=
    library=
    for source; do
        [ -z "$main" ] || {
            object=$directory/$kind-$(basename "$main" .c).o
            # shellcheck disable=SC2086 # lists of words
            $command $flags -O1 -c "$tests/programs/$main" -o "$object" && ar rc "$directory/lib$kind.a" "$object"
            library=$directory/lib$kind.a
        }
        main=$source
    done
    # shellcheck disable=SC2086
    $command $flags -O1 "$tests/programs/$main" $library -o "$directory/$kind" 2>"$work/said" || {
        fail "$name: $kind compile: $(head -n 1 "$work/said")"
        return 1
    }
    [ ! -s "$work/said" ] || fail "$name: $kind compile says: $(head -n 1 "$work/said")"
}

# program NAME MPI RANKS DETAIL SOURCES... -- ARGUMENTS...: builds it plain and instrumented, runs both, compares. MPI is mpich,
# openmpi, or a compiler for programs without MPI. The plain one is built and run once for all details.
program() {
    name=$1 mpi=$2 ranks=$3 detail=$4
    shift 4
    sources=
    while [ "$1" != -- ]; do
        sources="$sources $1"
        shift
    done
    shift
    case $mpi in
    mpich | openmpi) compiler=mpicc.$mpi launcher="launch $mpi $ranks" ;;
    *) compiler=$mpi launcher="timeout 60" ;;
    esac
    directory=$work/$name-$mpi run=$work/$name-$mpi/$ranks
    mkdir -p "$run"
    # shellcheck disable=SC2086 # a list of words
    build plain "$compiler -DREFRAIN_DISABLE" $sources && build "$detail" "refrain-cc --detail=$detail $compiler" $sources || return
    if [ ! -e "$run/status" ]; then
        $launcher "$directory/plain" "$@" >"$run/plain.out" 2>"$run/plain.err"
        echo $? >"$run/status"
        sort "$run/plain.out" >"$run/a"
    fi
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$run/traces $launcher "$directory/$detail" "$@" >"$run/traced.out" 2>"$run/traced.err"
    status=$?
    name="$name on $ranks ranks ($mpi, $detail)"
    [ $status -eq "$(cat "$run/status")" ] || fail "$name: status $status, was $(cat "$run/status"): $(head -n 3 "$run/traced.err")"
    sort "$run/traced.out" >"$run/b"
    [ -s "$run/a" ] || fail "$name: the plain program prints nothing"
    check "$name: same output" cmp "$run/a" "$run/b"
    exact "$(the_trace "$run/traces")" "$name"
    rm -rf "$run/traces"
}

matmul="matmul/distribute.c matmul/multiply.c matmul/matmul.c"
statics="statics/one.c statics/two.c statics/statics.c"
for ranks in 1 2 3 4; do
    for detail in communication all; do
        # shellcheck disable=SC2086
        program matmul mpich $ranks $detail $matmul -- 24 3
        program control mpich $ranks $detail control.c -- 12
    done
    # shellcheck disable=SC2086
    program statics mpich $ranks communication $statics -- 9
    program orders mpich $ranks communication orders.c -- 10
    program objects mpich $ranks communication objects.c -- 8
    program regions mpich $ranks communication regions.c -- 5
done
program leaving mpich 1 all leaving.c -- 5
for compiler in gcc clang; do
    program alone $compiler 1 communication alone.c -- 20
    program alone $compiler 1 all alone.c -- 20
done
# shellcheck disable=SC2086
program matmul openmpi 3 communication $matmul -- 24 3
program control openmpi 2 communication control.c -- 12
program control openmpi 4 all control.c -- 12
export MPICH_CC=clang
rm -rf "$work/control-mpich" "$work/orders-mpich"
program control mpich 2 all control.c -- 12
program orders mpich 2 communication orders.c -- 10
echo "${total_events:-0} events compared"
summary
