#!/bin/sh
# formats.sh BIN [TRACE...]: what each format takes: bytes, bytes per event, seconds, events per second and memory, beside the
# text; and the bytes that a viewer of SLOG-2 reads for windows of traces 1, 10 and 100 times as long. Without traces it makes
# some: tests/programs/control.c on 2 ranks with 100, 1,000 and 10,000 rounds. REPEATS (3): the median of so many runs, which
# take turns. Needs python3.
set -eu
bin=$(cd "${1:?the directory of the built tools}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
PATH=$bin:$PATH
export PATH REFRAIN_LIBDIR="${REFRAIN_LIBDIR:-$bin/../lib}"
repeats=${REPEATS:-3}
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-formats.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

if [ $# -eq 0 ]; then
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$here/../tests/programs/control.c" -o "$work/control"
    for rounds in 100 1000 10000; do
        mkdir "$work/run"
        REFRAIN_DIRECTORY=$work/run refrain-run mpiexec.mpich -n 2 "$work/control" $rounds >/dev/null
        mv "$work"/run/*.refrain "$work/control-$rounds.refrain"
        rmdir "$work/run"
        set -- "$@" "$work/control-$rounds.refrain"
    done
fi

# Runs a command; prints its seconds and the most KB that it had in memory.
timed='import resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(f"{time.monotonic() - start:.3f} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}")
sys.exit(status)'

# The names of the formats, from the help.
formats=$(refrain reconstruct --help | awk '/^Formats:/ { on = 1; next } on && NF == 0 { exit } on { print $1 }')

for trace in "$@"; do
    rm -rf "$work/out" && mkdir "$work/out"
    events=$(refrain reconstruct "$trace" --format text --all -o - 2>/dev/null | wc -l)
    echo "$(basename "$trace"): $events events, medians of $repeats runs"
    printf '%-10s %14s %12s %9s %12s %10s\n' format bytes bytes/event seconds events/s peak-KB
    for repeat in $(seq "$repeats"); do
        for format in $formats; do
            rm -rf "$work/out" && mkdir "$work/out"
            seconds=$(python3 -c "$timed" refrain reconstruct "$trace" --format "$format" -o "$work/out/out") || continue
            echo "$format $(find "$work/out" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }') $seconds"
        done
    done >"$work/figures"
    for format in $formats; do
        awk -v format="$format" '$1 == format' "$work/figures" | sort -n -k 3,3 |
            awk -v events="$events" '{ bytes = $2; seconds[NR] = $3; if ($4 > most) most = $4 }
                END { if (NR) { s = seconds[int((NR + 1) / 2)]
                      printf "%-10s %14d %12.1f %9.2f %12.0f %10d\n", $1, bytes, bytes / events, s, events / (s > 0 ? s : 0.01), most } }'
    done
    refrain reconstruct "$trace" --format slog2 -o "$work/log.slog2" --force 2>/dev/null
    refrain reconstruct "$trace" --format text -o - 2>/dev/null | awk -F '\t' '
        NR == 1 { first = $2 } { last = $2 } END { print first, last }' >"$work/ends"
    read -r first last <"$work/ends"
    for share in 0.0001 0.01 1; do
        set -- $(awk -v a="$first" -v b="$last" -v s="$share" 'BEGIN { m = (a + b) / 2; w = (b - a) * s / 2; printf "%.9f %.9f", m - w, m + w }')
        echo "slog2: $(python3 "$here/../tests/formats/read_slog2.py" "$work/log.slog2" --window "$1" "$2") bytes read for" \
            "$share of the run's time, of $(stat -c %s "$work/log.slog2")"
    done
    echo
done
