#!/bin/sh
# formats.sh BIN [TRACE...]: measures all formats, as a page in Markdown (benchmarks/report/formats.md): bytes an event, events a
# second of processor time, the time relative to text and to OTF2, and the largest memory. Also the bytes that viewers of SLOG-1
# and SLOG-2 read for windows of runs 1, 10 and 100 times as long. Takes about four minutes.
# Without TRACE it makes traces of tests/programs/control.c on 2 ranks with ROUNDS (100 1000 10000) rounds.
# REPEATS (3): each time is the least of this number of interleaved runs. Needs python3.
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
        REFRAIN_DIRECTORY=$work/run refrain-run mpiexec.mpich -n 2 "$work/control" "$rounds" >/dev/null
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

# measure TRACE REPEATS: a line for each run of each format: format, bytes, seconds, KB.
measure() {
    for repeat in $(seq "$2"); do
        for format in $formats; do
            rm -rf "$work/out" && mkdir "$work/out"
            seconds=$(python3 -c "$timed" refrain reconstruct "$1" --format "$format" -o "$work/out/out") || {
                echo "$format of $(basename "$1") cannot be written" >&2
                exit 1
            }
            echo "$format $(find "$work/out" -type f -printf '%s\n' | awk '{ n += $1 } END { printf "%d", n }') $seconds"
            echo "$(basename "$1"), run $repeat of $2: $format" >&2
        done
    done
    rm -rf "$work/out"
}

# table EVENTS: the rows of a table of the measured figures, the smallest format first.
table() {
    awk -v events="$1" '
        function over(s, other) { return (other > 0 ? sprintf("%.2f", s / other) : "") }
        { bytes[$1] = $2; if (!($1 in least) || $3 < least[$1]) least[$1] = $3; if ($4 > most[$1]) most[$1] = $4 }
        END {
            for (format in least) {
                s = least[format] > 0 ? least[format] : 0.001
                printf("| %s | %d | %.1f | %.1f million | %s | %s | %.1f MB |\n", format, bytes[format], bytes[format] / events,
                    events / s / 1e6, over(s, least["text"]), over(s, least["otf2"]), most[format] / 1024)
            }
        }' "$work/figures" | sort -t '|' -n -k 4,4
}

# windows TRACE: the bytes of SLOG-1 and SLOG-2 that are read for short and long windows in the middle of the run.
windows() {
    for format in slog1 slog2; do
        refrain reconstruct "$1" --format $format -o "$work/log.$format" --force 2>/dev/null
    done
    refrain reconstruct "$1" --format text -o - 2>/dev/null | awk -F '\t' 'NR == 1 { first = $2 } { last = $2 } END { print first, last }' >"$work/ends"
    read -r first last <"$work/ends"
    for share in 0.0001 0.01 1; do
        row="| $2 | $share |"
        for format in slog1 slog2; do
            # Of SLOG-1, which has no previews of drawn things, all of a run is all of its file.
            window=$(awk -v a="$first" -v b="$last" -v s=$share 'BEGIN { m = (a + b) / 2; w = (b - a) * s / 2; printf "%.9f %.9f", m - w, m + w }')
            # shellcheck disable=SC2086 # two numbers
            [ $format-$share = slog1-1 ] && read_bytes=$(stat -c %s "$work/log.$format") ||
                read_bytes=$(python3 "$here/../tests/formats/read_$format.py" "$work/log.$format" --window $window)
            row="$row $read_bytes of $(stat -c %s "$work/log.$format") |"
        done
        echo "$row"
    done
}

cat <<END
# What each format takes

\`benchmarks/formats.sh BIN\` makes this of \`tests/programs/control.c\` on 2 ranks. Events are those of \`--format text --all\`: postings and completions,
which some formats leave out, too. Speed is events a second of processor time, reading and replaying the trace included, the best of $repeats runs
of each format, which take turns; beside it the time over that of the text and of OTF2. Memory is the most that the process had.
END
for trace in "$@"; do
    events=$(refrain reconstruct "$trace" --format text --all -o - 2>/dev/null | wc -l)
    measure "$trace" "$repeats" >"$work/figures"
    printf '\n%s: %s events\n\n' "$(basename "$trace" .refrain)" "$events"
    echo "| format | bytes | bytes/event | events/s | time over text | over OTF2 | memory |"
    echo "|---|---|---|---|---|---|---|"
    table "$events"
    windows "$trace" "$events" >>"$work/windows"
done
cat <<END

What a viewer reads to draw a window of so much of the run's time, in bytes, of the bytes of the file:

| events | window | slog1 | slog2 |
|---|---|---|---|
END
cat "$work/windows"
