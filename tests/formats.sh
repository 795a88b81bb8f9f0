#!/bin/sh
# formats.sh: every format on every workload: tests/formats.sh BIN [NAME...]
#
# Builds the demo's matrix multiplication and the benchmarks' workloads (or those that are named), traces each with 2 ranks (4 where it takes a square), writes
# it in every format, and reads that back with the format's own reader, which must find the events of the text. Of a long run the
# first 60,000 events are written (EVENTS), so that the readers, which are Python, take minutes and not hours. OTF2 is read by
# otf2-print, and by refrain convert, whose events must be the text's.
set -u
. "$(dirname "$0")/lib.sh"
shift
workloads=$tests/../benchmarks/workloads
events=${EVENTS:-60000}
[ $# -gt 0 ] || set -- demo $(awk -F'|' '/^[a-z]/ { gsub(/ /, "", $1); print $1 }' "$workloads/list.txt")
export OMP_NUM_THREADS=2 REFRAIN_MPICC=mpicc.mpich

for name in "$@"; do
    mkdir -p "$work/run" "$work/build"
    arguments=
    if [ "$name" = demo ]; then
        refrain-mpicc -O2 -w -o "$work/build/demo" "$tests"/programs/matmul/*.c || fail "$name: compile"
        arguments="60 5"
    else
        make -s -C "$workloads" CC=refrain-mpicc BUILD="$work/build" ONLY="$name" >"$work/said" 2>&1 || fail "$name: $(head -n 3 "$work/said")"
    fi
    ranks=$(awk -F'|' -v name="$name" '{ gsub(/ /, "", $1) } $1 == name { print $4 ~ /square/ ? 4 : 2 }' "$workloads/list.txt")
    # shellcheck disable=SC2086 # several arguments
    REFRAIN_DIRECTORY=$work/run launch mpich "${ranks:-2}" "$work/build/$name" $arguments >"$work/said" 2>&1 || fail "$name: $(tail -n 2 "$work/said")"
    trace=$(the_trace "$work/run") || fail "$name: no trace"
    # The window: up to the time of the event after which it would be too long.
    to=$(refrain reconstruct "$trace" --format text --all -o - --quiet 2>/dev/null | sed -n "${events}{p;q;}" | cut -f 2)
    set_to=${to:+--to $to}
    for form in text whole; do
        # shellcheck disable=SC2086
        refrain reconstruct "$trace" --format text --all -o "$work/$form" --force --quiet $set_to || fail "$name: text"
    done
    n=$(wc -l <"$work/text")
    for reader in "$tests"/formats/read_*.py; do
        format=${reader##*/read_}
        format=${format%.py}
        rm -rf "$work/out" && mkdir "$work/out"
        # shellcheck disable=SC2086
        if ! refrain reconstruct "$trace" --format "$format" -o "$work/out/out" --quiet $set_to 2>"$work/said"; then
            fail "$name: $format: $(cat "$work/said")"
        elif ! python3 "$reader" "$work/out/out" >"$work/read" 2>"$work/said"; then
            fail "$name: $format cannot be read: $(tail -n 1 "$work/said")"
        elif ! python3 "$tests/formats/compare.py" "$work/text" "$work/read" "$work/whole" >"$work/said" 2>&1; then
            fail "$name: $format differs: $(cat "$work/said")"
        else
            pass
        fi
    done
    rm -rf "$work/otf2" "$work/converted.refrain"
    # shellcheck disable=SC2086
    check "$name: otf2" refrain reconstruct "$trace" -o "$work/otf2" --quiet $set_to
    otf2-print "$work/otf2/traces.otf2" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] && pass || fail "$name: otf2-print: $(head -n 2 "$work/said")"
    check "$name: convert" refrain convert "$work/otf2" -o "$work/converted.refrain" --quiet
    refrain events "$work/converted.refrain" --all -o "$work/again" --force --quiet
    # OTF2 says the communicator of a posted receive when that completes, which may lie behind the window.
    for form in text again; do
        sed '/\trecv-post\t/ { s/\tcomm=[^\t]*//; s/\tapproximate$//; }' "$work/$form" >"$work/$form.events"
    done
    cmp -s "$work/text.events" "$work/again.events" && pass ||
        fail "$name: OTF2 and back: $(diff "$work/text.events" "$work/again.events" | head -n 3)"
    echo "$name: $n events"
    rm -rf "$work/run"
done
summary
