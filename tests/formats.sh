#!/bin/sh
# formats.sh BIN [NAME...]: tests all formats on many programs.
#
# Builds the demo's matrix multiplication, the benchmarks' workloads and the MPI test programs (or those with the given NAMEs), and
# traces each. Writes the trace in every format, and reads it back with a reader of this format, which must find the events of
# the text. OTF2 is read by otf2-print, by ViTE if it is installed, and by refrain convert, whose events must equal the text. Of a
# long run, only the first 60,000 events are written (EVENTS), since the readers are written in Python. Then it writes a part from
# the middle, and one rank alone. Finally it writes all formats to a full disk, and a trace and a tenth of it, for which refrain
# must need the same memory. Takes about twenty minutes.
set -u
. "$(dirname "$0")/lib.sh"
. "$tests/formats/forms.sh"
shift
workloads=$tests/../benchmarks/workloads
events=${EVENTS:-60000}
# Left out: mpi_hang hangs, mpi_leave does not end normally, mpi_waiting and mpi_connect need arguments.
programs=$(cd "$tests/programs" && ls mpi_*.c | sed '/_hang\|_leave\|_waiting\|_connect/d; s/\.c$//')
[ $# -gt 0 ] || set -- demo $(awk -F'|' '/^[a-z]/ { gsub(/ /, "", $1); print $1 }' "$workloads/list.txt") control objects names $programs memory
export OMP_NUM_THREADS=2 REFRAIN_MPICC=mpicc.mpich

# trace_workload NAME: makes $work/NAME.refrain, with 2 ranks, or with 4 if it needs a square number.
trace_workload() {
    name=$1 arguments=
    mkdir -p "$work/run" "$work/build"
    if [ "$name" = demo ]; then
        refrain-mpicc -O2 -w -o "$work/build/demo" "$tests"/programs/matmul/*.c || fail "$name: compile"
        arguments="60 5"
    else
        make -s -C "$workloads" CC=refrain-mpicc BUILD="$work/build" ONLY="$name" >"$work/said" 2>&1 || fail "$name: $(head -n 3 "$work/said")"
    fi
    ranks=$(awk -F'|' -v name="$name" '{ gsub(/ /, "", $1) } $1 == name { print $4 ~ /square/ ? 4 : 2 }' "$workloads/list.txt")
    # shellcheck disable=SC2086 # several arguments
    REFRAIN_DIRECTORY=$work/run launch mpich "${ranks:-2}" "$work/build/$name" $arguments >"$work/said" 2>&1 || fail "$name: $(tail -n 2 "$work/said")"
    mv "$(the_trace "$work/run")" "$work/$name.refrain" || fail "$name: no trace"
    rm -rf "$work/run"
}

# both TRACE NAME OPTION...: all formats.
both() {
    round_trip "$@"
    otf2_round_trip "$@"
}

# peak FORMAT TRACE: the most KB that writing it took.
peak() {
    rm -rf "$work/to" && mkdir "$work/to"
    python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if status == 0 else 0)' \
        refrain reconstruct "$2" --format "$1" -o "$work/to/out"
}

# One program with three or ten times as many rounds: what a format takes more than text, as more of a longer trace is mapped. OTF2's
# library keeps chunks of each location, and has them all only in a longer run.
memory() {
    for rounds in 300 3000 10000 30000; do
        trace_program control 2 $rounds
        mv "$work/control.refrain" "$work/control-$rounds.refrain"
        eval "text_$rounds=$(peak text "$work/control-$rounds.refrain")"
    done
    for format in otf2 $formats; do
        short=300 long=3000
        [ "$format" != otf2 ] || short=10000 long=30000
        a=$(peak "$format" "$work/control-$short.refrain") b=$(peak "$format" "$work/control-$long.refrain")
        eval "more=\$((b - text_$long - (a - text_$short)))"
        echo "$format: $short rounds $a KB, $long rounds $b KB, $more KB more than text has more"
        [ "$a" -gt 0 ] && [ "$b" -gt 0 ] && [ "$more" -lt 3072 ] && pass || fail "$format: memory grows from $a to $b KB"
    done
}

for each in "$@"; do
    case $each in
    memory)
        memory
        continue
        ;;
    control) trace_program $each 2 4 ;;
    objects | names | mpi_*) trace_program $each 3 ;;
    *) trace_workload "$each" ;;
    esac
    whole=$work/$each.refrain
    refrain reconstruct "$whole" --format text -o "$work/times" --force --quiet
    n=$(wc -l <"$work/times")
    at() { sed -n "$1{p;q;}" "$work/times" | cut -f 2; }
    to=
    [ "$n" -le "$events" ] || to=$(at "$events")
    # shellcheck disable=SC2086 # none or two words
    both "$whole" "$each" ${to:+--to $to}
    most=$((n < events ? n : events))
    both "$whole" "$each, the middle" --from "$(at $((most / 3 + 1)))" --to "$(at $((most * 2 / 3 + 1)))"
    # shellcheck disable=SC2086
    [ "$(refrain info --verbose "$whole" --json | grep -c '"rank": 1,')" = 0 ] || both "$whole" "$each, rank 1" --ranks 1 ${to:+--to $to}
    [ "$n" -lt 20000 ] || full_disk "$whole" "$each"
    echo "$each: $n events"
    rm -rf "$whole"
done
summary
