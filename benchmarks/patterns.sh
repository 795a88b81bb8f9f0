#!/bin/sh
# The cost of tracing for communication patterns for which refrain has no special code (patterns.c). The runs of the
# variants are interleaved, and the least of each counts, since noise only adds time. One rank, so that no call waits;
# processor time.
#
#     clocks    each call reads the clock twice (mpi_clocks.h), which is the least that any tracer does
#     record    refrain record: the program as it is
#     default   built with refrain-mpicc
#     eztrace   EZTrace with its module for MPICH, where it is installed
#
# The table has nanoseconds a call: plain, what two clock reads add, and what each tracer adds beyond these.
#   patterns.sh --tools BIN [--beside BIN] [--runs N] [--rounds N] [--pattern TEXT] [--out FILE.md]
# BIN has the built tools. --beside: another build of refrain, which runs in the same turns as "record" and is shown
# beside it. Default: 9 runs of 3000 rounds (two minutes). MPICH.
set -eu
usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
}
. "$(dirname "$0")/lib.sh"
tools='' beside='' runs=9 rounds=3000 pattern='' out=
options "tools beside runs rounds pattern out" "$@"
[ -x "$tools/refrain" ] || {
    echo "patterns.sh: --tools is needed: the directory of the built tools, with refrain in it" >&2
    exit 2
}
[ -z "$beside" ] || [ -x "$beside/refrain" ] || {
    echo "patterns.sh: no refrain in --beside '$beside'" >&2
    exit 2
}
$mpicc -O2 -w "$here/patterns.c" -o "$work/plain"
refrain-cc "$mpicc" -O2 -w "$here/patterns.c" -o "$work/default"
sh "$here/mpi_clocks.sh" "$work/clocks.so" -DCLOCKS
variants="plain clocks record default"
[ -z "$beside" ] || variants="$variants beside"
! eztrace_avail 2>/dev/null | grep -q ^mpich || variants="$variants eztrace"

# once VARIANT: the lines of one run, with the variant before them.
once() {
    rm -rf "$work/run"
    mkdir "$work/run"
    program=$work/plain
    case $1 in
    plain) set -- "$1" ;;
    clocks) set -- "$1" env LD_PRELOAD="$work/clocks.so" ;;
    record) set -- "$1" refrain record -q -d "$work/run" ;;
    beside) set -- "$1" "$beside/refrain" record -q -d "$work/run" ;;
    default) set -- "$1" env REFRAIN_DIRECTORY="$work/run" && program=$work/default ;;
    eztrace) set -- "$1" eztrace -t mpich -o "$work/run/eztrace" ;;
    esac
    variant=$1
    shift
    "$@" "$program" "$rounds" "$pattern" 2>/dev/null | grep "	" | sed "s/^/$variant	/" >>"$work/times"
}

i=0
: >"$work/times"
while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    for variant in $variants; do
        [ ! -t 2 ] || printf '\rrun %d of %d: %-8s' $i "$runs" "$variant" >&2
        once "$variant"
    done
done
[ ! -t 2 ] || printf '\r\033[K' >&2

{
    echo "Nanoseconds of processor time an MPI call, least of $runs runs of $rounds rounds on one rank, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)."
    echo "plain: the call and the work of the program between calls. clocks: what two clock reads add. The others: what they add beyond the clocks."
    echo
    awk -F '\t' -v variants="$variants" '
        BEGIN { n_variants = split(variants, variant, " ") }
        !($2 in known) { known[$2] = 1; name[++n] = $2 }
        { calls[$2] = $3; if (!(($1, $2) in least) || $4 < least[$1, $2]) least[$1, $2] = $4 }
        function each(v, p) { return least[v, p] / calls[p] }
        END {
            header = "| pattern | calls a round | plain | clocks |"; line = "|---|---|---|---|"
            for (v = 3; v <= n_variants; v++) { header = header " " variant[v] " |"; line = line "---|" }
            print header "\n" line
            for (i = 1; i <= n; i++) {
                p = name[i]
                row = sprintf("| %s | %.2f | %.1f | %.1f |", p, calls[p], each("plain", p), each("clocks", p) - each("plain", p))
                for (v = 3; v <= n_variants; v++)
                    row = row sprintf(" %.1f |", each(variant[v], p) - each("clocks", p))
                print row
            }
        }' "$work/times"
} | if [ -n "$out" ]; then cat >"$out"; else cat; fi
