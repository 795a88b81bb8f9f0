#!/bin/sh
# parallel.sh: how fast several processes write OTF2, beside one; parallel.sh --help says more.
set -u
. "$(dirname "$0")/lib.sh"
runs=7
ranks=8
steps=60000
processes=2

usage() {
    cat <<'END'
NAME
    parallel.sh - refrain-reconstruct by several processes, beside one

SYNOPSIS
    benchmarks/parallel.sh --tools DIR [--runs N] [--ranks N] [--steps N] [--processes N]

DESCRIPTION
    Generates the trace of a stencil with many_ranks (sends, receives and a reduction now and then; 8 of 13 events are of MPI),
    and writes it as OTF2 with refrain-reconstruct by one process and by several, by turns, which takes some two minutes.
    Prints the time of each in seconds, medians and least, how many times as fast the several are, and the processor time of
    all processes together. A machine with nothing else to do, and a processor for each process, is what it is for.

OPTIONS
    --runs N       runs of each kind (default 7)
    --ranks N      ranks of the trace (default 8)
    --steps N      of the stencil; a rank has some 17 events in each (default 60000)
    --processes N  processes (default 2)
    --tools DIR    the build's bin directory, which has many_ranks
    --help         this text

EXIT STATUS
    0 measured; 1 something could not be run, or what is written differs; 2 bad command line.
END
}

options "runs ranks steps processes tools" "$@"
many_ranks "$ranks" "$steps" "$work/trace" || exit 1

# once PROCESSES: a line of seconds and of processor seconds.
once() {
    rm -rf "$work/out.$1"
    /usr/bin/time -f "%e %U %S" -o "$work/took" "$mpiexec" -n "$1" refrain-reconstruct -q "$work/trace" -o "$work/out.$1" || return 1
    awk '{ print $1, $2 + $3 }' "$work/took" >>"$work/times.$1"
}

failed=0
for run in $(seq "$runs"); do
    [ ! -t 2 ] || printf '\rrun %s of %s ' "$run" "$runs" >&2
    once 1 && once "$processes" || exit 1
done
[ ! -t 2 ] || printf '\r%20s\r' '' >&2
# traces.otf2 holds a number that is drawn anew each time.
diff -r -x traces.otf2 "$work/out.1" "$work/out.$processes" >/dev/null || {
    echo "parallel.sh: $processes processes write something else than one" >&2
    failed=1
}

# middle COLUMN FILE, least COLUMN FILE
middle() {
    cut -d ' ' -f "$1" "$2" | sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

least() {
    cut -d ' ' -f "$1" "$2" | sort -n | head -n 1
}

echo "| processes | median, s | least, s | processor time of all, s |"
echo "|---|---|---|---|"
for n in 1 "$processes"; do
    echo "| $n | $(middle 1 "$work/times.$n") | $(least 1 "$work/times.$n") | $(least 2 "$work/times.$n") |"
done
awk -v a="$(middle 1 "$work/times.1")" -v b="$(middle 1 "$work/times.$processes")" \
    -v c="$(least 1 "$work/times.1")" -v d="$(least 1 "$work/times.$processes")" \
    'BEGIN { printf "\n%.2f times as fast by the medians, %.2f by the least.\n", a / b, c / d }'
exit $failed
