#!/bin/sh
# The durations of a rank's blocks add up to its run time.
#   test_totals.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

# total NAME SOURCE... -- ARGUMENTS...
total() {
    name=$1
    shift
    sources=
    while [ "$1" != -- ]; do
        sources="$sources $tests/programs/$1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # a list of words
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w -I"$tests/../include" $sources -o "$work/$name" || fail "$name: compile"
    mkdir "$work/$name-run"
    REFRAIN_DIRECTORY=$work/$name-run launch mpich 2 "$work/$name" "$@" >/dev/null
    set -- "$(the_trace "$work/$name-run")"/rank-*.trace
    echo "$name"
    [ $# -eq 2 ] && "$bin/block_totals" "$@" && pass || fail "$name: blocks do not add up to the run time"
    refrain info --json "$(the_trace "$work/$name-run")" >"$work/info" || fail "$name: info"
    awk -F'[:,]' '/"run_ns"/ { run = $2 } /"blocks_ns"/ { n++; if ($2 < run * 0.999 || $2 > run * 1.001) exit 1 }
        END { exit n != 2 }' "$work/info" && pass || fail "$name: refrain info says otherwise: $(grep _ns "$work/info" | tr -d '\n')"
}

total control control.c -- 200
total objects objects.c -- 100
total regions regions.c -- 500
total matmul matmul/matmul.c matmul/distribute.c matmul/multiply.c -- 120 5
summary
