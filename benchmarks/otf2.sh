#!/bin/sh
# otf2.sh BIN [STEPS]: measures how fast refrain writes OTF2 with one thread and with two, interleaved with the OTF2 library alone, which
# writes the same records from memory (otf2_alone.c). The trace is of a stencil on 8 ranks (tests/many_ranks.c), with 135 events a
# step: 148,000 steps (the default) make 20 million events. ROUNDS (7): each time is the least of this number of runs. refrain's times
# are those of the whole command, with opening and replaying the trace. To be run on a machine with two idle processors.
set -eu
bin=$(cd "${1:?the directory of the built tools}" && pwd)
steps=${2:-148000}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-otf2.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cc -O2 "$here/otf2_alone.c" -lotf2 -o "$work/otf2_alone"
"$bin/many_ranks" 8 "$steps" "$work/trace"

# refrain_writes THREADS: a line of who, processor seconds, seconds, KB.
refrain_writes() {
    rm -rf "$work/archive"
    /usr/bin/time -f "%U %S %e %M" -o "$work/took" \
        "$bin/refrain" reconstruct -q "$work/trace" --format otf2 -o "$work/archive" --threads "$1"
    awk -v threads="$1" '{ print "refrain,_" threads (threads > 1 ? "_threads" : "_thread"), $1 + $2, $3, $4 }' "$work/took" >>"$work/figures"
}

for _ in $(seq "${ROUNDS:-7}"); do
    refrain_writes 1
    refrain_writes 2
    mkdir "$work/alone"
    SMALL=1 "$work/otf2_alone" "$work/archive/traces.otf2" "$work/alone" 1 >"$work/said"
    rm -rf "$work/alone"
    awk '{ print "library_alone", $3, $8, "-" }' "$work/said" >>"$work/figures"
done
awk -v records="$(awk '{ print $1 }' "$work/said")" '
    !($1 in clock) || $3 < clock[$1] { clock[$1] = $3 }
    !($1 in processor) || $2 < processor[$1] { processor[$1] = $2 }
    $4 > most[$1] { most[$1] = $4 }
    END {
        printf "%d records\n", records
        n = split("library_alone refrain,_1_thread refrain,_2_threads", names, " ")
        for (i = 1; i <= n; i++) {
            name = shown = names[i]
            gsub("_", " ", shown)
            printf "%-20s %6.1f million/s of processor time, %6.1f by the clock, %.2f of the library by the clock", shown, records / processor[name] / 1e6,
                records / clock[name] / 1e6, clock["library_alone"] / clock[name]
            print (most[name] == "-" ? "" : sprintf(", %.1f MB", most[name] / 1024))
        }
    }' "$work/figures"
