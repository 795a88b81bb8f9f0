#!/bin/sh
# formats.sh BIN [TRACE...]: what each format takes: bytes, bytes per event, seconds of processor time, events per second of it and
# memory, and the time over that of the text and of OTF2; and the bytes that viewers of SLOG-1 and SLOG-2 read for windows of traces
# 1, 10 and 100 times as long. Without traces it makes some: tests/programs/control.c on 2 ranks with ROUNDS (100 1000 10000) rounds.
# REPEATS (3): the least of so many runs, which take turns. Needs python3.
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
    for rounds in ${ROUNDS:-100 1000 10000}; do
        mkdir "$work/run"
        REFRAIN_DIRECTORY=$work/run refrain-run mpiexec.mpich -n 2 "$work/control" $rounds >/dev/null
        mv "$work"/run/*.refrain "$work/control-$rounds.refrain"
        rmdir "$work/run"
        set -- "$@" "$work/control-$rounds.refrain"
    done
fi

# Runs a command; prints its seconds of processor time and the most KB that it had in memory.
timed='import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{usage.ru_utime + usage.ru_stime:.3f} {usage.ru_maxrss}")
sys.exit(status)'

# The names of the formats, from the help.
formats=$(refrain reconstruct --help | awk '/^Formats:/ { on = 1; next } on && NF == 0 { exit } on { print $1 }')

for trace in "$@"; do
    rm -rf "$work/out" && mkdir "$work/out"
    events=$(refrain reconstruct "$trace" --format text --all -o - 2>/dev/null | wc -l)
    echo "$(basename "$trace"): $events events, least of $repeats runs"
    printf '%-10s %14s %12s %9s %12s %9s %9s %10s\n' format bytes bytes/event seconds events/s /text /otf2 peak-KB
    for repeat in $(seq "$repeats"); do
        for format in $formats; do
            rm -rf "$work/out" && mkdir "$work/out"
            seconds=$(python3 -c "$timed" refrain reconstruct "$trace" --format "$format" -o "$work/out/out") || continue
            echo "$format $(find "$work/out" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }') $seconds"
        done
    done >"$work/figures"
    awk -v events="$events" '
        function over(s, other) { return (other > 0 ? s / other : 0) }
        { bytes[$1] = $2; if (!($1 in least) || $3 < least[$1]) least[$1] = $3; if ($4 > most[$1]) most[$1] = $4 }
        END {
            for (format in least) {
                s = (least[format] > 0 ? least[format] : 0.001)
                printf("%-10s %14d %12.1f %9.3f %12.0f %9.2f %9.2f %10d\n", format, bytes[format], bytes[format] / events, s,
                    events / s, over(s, least["text"]), over(s, least["otf2"]), most[format])
            }
        }' \
        "$work/figures" | sort -n -k 3,3
    refrain reconstruct "$trace" --format slog1 -o "$work/log.slog1" --force 2>/dev/null
    refrain reconstruct "$trace" --format slog2 -o "$work/log.slog2" --force 2>/dev/null
    refrain reconstruct "$trace" --format text -o - 2>/dev/null | awk -F '\t' '
        NR == 1 { first = $2 } { last = $2 } END { print first, last }' >"$work/ends"
    read -r first last <"$work/ends"
    for share in 0.0001 0.01 1; do
        set -- $(awk -v a="$first" -v b="$last" -v s="$share" 'BEGIN { m = (a + b) / 2; w = (b - a) * s / 2; printf "%.9f %.9f", m - w, m + w }')
        for format in slog1 slog2; do
            echo "$format: $(python3 "$here/../tests/formats/read_$format.py" "$work/log.$format" --window "$1" "$2") bytes read for" \
                "$share of the run's time, of $(stat -c %s "$work/log.$format")"
        done
    done
    echo
done
