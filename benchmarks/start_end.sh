#!/bin/sh
# start_end.sh: what tracing adds to the start and the end of a process; start_end.sh --help says more.
set -u
. "$(dirname "$0")/lib.sh"
runs=15
ranks="1 4 16"

usage() {
    cat <<'END'
NAME
    start_end.sh - the time that tracing adds to start and end

SYNOPSIS
    benchmarks/start_end.sh [--runs N] [--ranks LIST] [--tools DIR]

DESCRIPTION
    Runs a program that does nothing but MPI_Init, a barrier and MPI_Finalize, plain and traced by turns, and prints for
    each number of ranks the times of the least of the runs, of each run those of the rank that took longest: from the
    start of the process to main, from MPI_Finalize to its end, and the processor time of a rank.

OPTIONS
    --runs N      runs of each kind (default 15)
    --ranks LIST  numbers of ranks (default "1 4 16")
    --tools DIR   the directory of refrain and refrain-mpicc (default: that of refrain on PATH)
    --help        this text
END
}

options "runs ranks tools" "$@"
gcc -O1 "$here/start_end.c" -o "$work/start_end" && "$mpicc" -O1 -DPROGRAM "$here/start_end.c" -o "$work/plain" &&
    refrain-cc "$mpicc" -O1 -DPROGRAM "$here/start_end.c" -o "$work/traced" || exit 1
echo "| ranks | program | start to main, us | Finalize to end, us | processor time of a rank, us |"
echo "|---|---|---|---|---|"
for n in $ranks; do
    : >"$work/plain.$n"
    : >"$work/traced.$n"
    for run in $(seq "$runs"); do
        for program in plain traced; do
            REFRAIN_DIRECTORY=$work/traces refrain-run "$mpiexec" -n "$n" "$work/start_end" "$work/$program" |
                awk '{ for (i = 1; i <= 3; i++) if ($i > most[i]) most[i] = $i } END { print most[1], most[2], most[3] }' >>"$work/$program.$n"
            rm -rf "$work/traces"
        done
    done
    for program in plain traced; do
        awk -v n="$n" -v program=$program '
            { for (i = 1; i <= 3; i++) if (NR == 1 || $i < least[i]) least[i] = $i }
            END { printf "| %s | %s | %d | %d | %d |\n", n, program, least[1], least[2], least[3] }' "$work/$program.$n"
    done
done
