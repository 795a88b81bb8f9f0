#!/bin/sh
# start_end.sh: measures what tracing adds to the start and the end of a process; see start_end.sh --help.
set -u
. "$(dirname "$0")/lib.sh"
runs=15
ranks="1 4 16 64"
report=
load=$(cut -d " " -f 1 /proc/loadavg)

usage() {
    cat <<'END'
NAME
    start_end.sh - the time that tracing adds to start and end

SYNOPSIS
    benchmarks/start_end.sh [--runs N] [--ranks LIST] [--report FILE] [--tools DIR]

DESCRIPTION
    Runs a program that does nothing but MPI_Init, a barrier and MPI_Finalize, plain and traced by turns, and prints for
    each number of ranks the times of the least of the runs, of each run those of the rank that took longest: from the
    start of the process to main, from MPI_Finalize to its end, both together, and the processor time of a rank; then what
    tracing added: to the least, and the median of what it added to each pair of runs. Ranks that wait yield (refrain-run),
    so that there may be more of them than processors. From 16 ranks on a third of the runs is made.

    A second table is of as many processes at once that end without a call of MPI: none of them waits for another.

OPTIONS
    --runs N      runs of each kind (default 15)
    --ranks LIST  numbers of ranks (default "1 4 16 64", some two minutes on two cores)
    --report FILE a page of these figures
    --tools DIR   the directory of refrain and refrain-mpicc (default: that of refrain on PATH)
    --help        this text

EXIT STATUS
    0 measured; 1 something could not be built or run; 2 bad command line.
END
}

options "runs ranks report tools" "$@"
gcc -O1 "$here/start_end.c" -o "$work/start_end" && "$mpicc" -O1 -DPROGRAM "$here/start_end.c" -o "$work/plain" &&
    refrain-cc "$mpicc" -O1 -DPROGRAM "$here/start_end.c" -o "$work/traced" || exit 1

# once PROGRAM RANKS FILE COMMAND...: appends the output of the command to $work/FILE.PROGRAM.RANKS. Fails if the command fails. Traces
# stay until the end: if many files were deleted in the last minutes, ext4 takes longer to find room for a new one.
once() {
    program=$1
    processes=$2
    file=$work/$3.$1.$2
    shift 3
    REFRAIN_DIRECTORY=$work/traces "$@" "$work/$program" </dev/null >"$work/times" 2>"$work/said" && cat "$work/times" >>"$file" && return
    echo "start_end.sh: $program, $processes processes, failed: $(tail -n 1 "$work/said")" >&2
    return 1
}

# with_mpi PROGRAM RANKS: a line of start, end, both and processor time.
with_mpi() {
    rm -f "$work/each.$1.$2"
    once "$1" "$2" each refrain-run "$mpiexec" -n "$2" "$work/start_end" &&
        awk -v n="$2" '
        { for (i = 1; i <= 3; i++) if ($i > most[i]) most[i] = $i; if ($1 + $2 > both) both = $1 + $2 }
        END { print most[1], most[2], both, most[3]; exit NR != n }' "$work/each.$1.$2" >>"$work/$1.$2"
}

# together PROGRAM RANKS: runs RANKS processes without MPI; a line with the time of all and the processor time of one.
together() {
    once "$1" "$2" together "$work/start_end" "$2"
}

table() {
    echo "| ranks | program | start to main, us | Finalize to end, us | both, us | processor time of a rank, us |"
    echo "|---|---|---|---|---|---|"
    for n in $ranks; do
        [ -s "$work/traced.$n" ] || continue
        paste -d ' ' "$work/plain.$n" "$work/traced.$n" | awk -v n="$n" '
            function median(column,    i, j, t, value) {
                for (i = 1; i <= NR; i++)
                    value[i] = added[i, column]
                for (i = 2; i <= NR; i++)
                    for (j = i; j > 1 && value[j] < value[j - 1]; j--) { t = value[j]; value[j] = value[j - 1]; value[j - 1] = t }
                return NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2
            }
            function row(name, a, b, c, d) { printf "| %d | %s | %d | %d | %d | %d |\n", n, name, a, b, c, d }
            {
                for (i = 1; i <= 8; i++)
                    if (NR == 1 || $i < least[i])
                        least[i] = $i
                for (i = 1; i <= 4; i++)
                    added[NR, i] = $(i + 4) - $i
            }
            END {
                row("plain", least[1], least[2], least[3], least[4])
                row("traced", least[5], least[6], least[7], least[8])
                row("added to the least", least[5] - least[1], least[6] - least[2], least[7] - least[3], least[8] - least[4])
                row("added, median", median(1), median(2), median(3), median(4))
            }'
    done
}

table_of_processes() {
    echo "| processes at once, without MPI | plain, all, us | traced, all, us | added, by process, us | added processor time of one, us |"
    echo "|---|---|---|---|---|"
    for n in $ranks; do
        [ -s "$work/together.traced.$n" ] || continue
        paste -d ' ' "$work/together.plain.$n" "$work/together.traced.$n" | awk -v n="$n" '
            { for (i = 1; i <= 4; i++) if (NR == 1 || $i < least[i]) least[i] = $i }
            END { printf "| %d | %d | %d | %d | %d |\n", n, least[1], least[3], (least[3] - least[1]) / n, least[4] - least[2] }'
    done
}

page() {
    cat <<END
# Start and end

\`benchmarks/start_end.sh\`: a program that does nothing but MPI_Init, a barrier and MPI_Finalize, plain and traced by turns, on
$(nproc) processors of $(uname -m), $(date -u +%Y-%m-%d), load $load before; $runs runs of each kind, a third of that from 16 ranks on. Times in microseconds: the
least of the runs, of each run those of the rank that took longest. "Added, median" is the median of the differences of pairs of runs.

$(table)

With more ranks than processors a rank that starts has to share them with those that are in MPI_Init already, which poll for it: the same
program without a call of MPI shows what is left where nobody waits. Tracing adds to it the same processor time for each process, however
many there are.

$(table_of_processes)

A traced process sets up its memory at its first probe, which is before \`main\`'s first statement, and writes its trace file when it ends.
END
}

failed=0
for n in $ranks; do
    of_these=$runs
    [ "$n" -lt 16 ] || of_these=$(((runs + 2) / 3))
    for run in $(seq "$of_these"); do
        [ ! -t 2 ] || printf '\r%s ranks, run %s of %s ' "$n" "$run" "$of_these" >&2
        with_mpi plain "$n" && with_mpi traced "$n" && together plain "$n" && together traced "$n" && continue
        rm -f "$work/plain.$n" "$work/traced.$n" "$work"/together.*."$n"
        failed=1
        break
    done
done
[ ! -t 2 ] || printf '\r%40s\r' '' >&2
if [ -n "$report" ]; then
    page >"$report" || failed=1
else
    table
    echo
    table_of_processes
fi
exit $failed
