#!/bin/sh
# time_accuracy.sh: compares reconstructed times with the recorded ones of the same run; see time_accuracy.sh --help.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
list=$here/workloads/list.txt

usage() {
    cat <<'END'
NAME
    time_accuracy.sh - compare reconstructed times with the recorded ones of the same run, on the workloads

SYNOPSIS
    benchmarks/time_accuracy.sh [--only NAME]... [--ranks N[,N]...] [--times N] [--quick] [--out FILE]
                                [--minutes N] [--report FILE] [--tools DIR]
    benchmarks/time_accuracy.sh --from FILE... --report FILE

DESCRIPTION
    Runs each workload in mode both with as much memory for times as holds every block, with a tenth of that, and without
    any (means only, as before there were timelines); then for some five times as long with a hundredth of what that run
    would take: so much of the run as fits, ten and a hundred times as much. Sizes and iterations are such that a hundredth is still more than the least that a timeline
    needs (8 KB), which takes some hundred thousand blocks a rank. Writes a row for each to FILE,
    tab-separated: program, ranks, memory ("all", "1/10", "1/100", "none"), its bytes, events, blocks, the share of
    blocks whose time is kept singly, the length of the run in ms, then, before times of different ranks are made
    consistent: position error, largest and root mean square in ms and as a share of the run, block error, largest
    and root mean square in ms, share of events within a microsecond; last the most that a region's total differs by, in
    parts per million of the run.

    Programs that the paper has run once more with a tenth of the memory, and how far two runs lie apart goes to
    FILE.reruns, in the paper's terms: position and block spread in ms, of two recordings, of two reconstructions, and of
    one against the other. These carry the noise of the machine, the other figures do not.

    What it does is told on standard error. The report is written after each program, so that of a run that is ended
    early there is one. A program that fails is told and left out.

OPTIONS
    --only NAME   this workload; repeatable
    --ranks N     numbers of ranks (default 2,4)
    --times N     N times the iterations (default 1)
    --quick       shorter runs, and none with a hundredth of the memory
    --minutes N   begin no further program after so many minutes (default: no limit)
    --out FILE    (default ./time-accuracy.tsv); replaced
    --report FILE a page of these figures that begins with what they say
    --from FILE   measures nothing: the report of rows measured before; repeatable
    --tools DIR   the directory of refrain and refrain-cc (default: that of refrain on PATH)

EXIT STATUS
    0 measured; 1 something could not be built or run; 2 bad command line.
END
}

LONG_BYTES=920000  # that times would take, so that a hundredth is more than the least that a timeline needs
SHORT_BYTES=190000 # of what is also measured with more
memories='all 1/10 none 1/100' only='' ranks=2,4 times=1 out=time-accuracy.tsv tools='' report='' from=''
minutes=''
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage; exit ;;
    --quick) SHORT_BYTES=95000 memories='all 1/10 none' ;;
    --only | --ranks | --times | --out | --tools | --report | --from | --minutes)
        [ $# -gt 1 ] || { echo "time_accuracy.sh: $1 needs a value" >&2; exit 2; }
        case $1 in
        --only) only="$only $2" ;;
        --ranks) ranks=$2 ;;
        --times) times=$2 ;;
        --out) out=$2 ;;
        --minutes) minutes=$2 ;;
        --report) report=$2 ;;
        --from) from="$from $2" ;;
        --tools) tools=$2 ;;
        esac
        shift ;;
    *) echo "time_accuracy.sh: $1: no such option (see --help)" >&2; exit 2 ;;
    esac
    shift
done
write_report() {
    # shellcheck disable=SC2086 # names without blanks
    [ -z "$report" ] || awk -v version="$(refrain --version)" -f "$here/time_report.awk" $1 >"$report" || exit 1
}
if [ -n "$from" ]; then
    [ -n "$report" ] || { echo "time_accuracy.sh: --from needs --report" >&2; exit 2; }
    for file in $from; do
        [ ! -f "$file.reruns" ] || from="$from $file.reruns"
    done
    write_report "$from"
    exit
fi
[ -z "$tools" ] || PATH=$(cd "$tools" && pwd):$PATH
export PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-times.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
[ -n "$only" ] || only=$(awk -F'|' '/^[a-z]/ { gsub(/ /, "", $1); print $1 }' "$list")
REFRAIN_MPICC=${REFRAIN_MPICC:-$(command -v mpicc.mpich || echo mpicc)}
export REFRAIN_MPICC
make -s -C "$here/workloads" CC=refrain-mpicc BUILD="$work/programs" ONLY="$only" >"$work/said" 2>&1 || {
    echo "time_accuracy.sh: the workloads do not build: $(tail -n 1 "$work/said")" >&2
    exit 1
}
mpiexec=${MPIEXEC:-$(command -v mpiexec.mpich || echo mpiexec)}

# run PROGRAM RANKS MEMORY ARGUMENTS...: leaves the trace's path in $trace.
run() {
    program=$1 n=$2 time_bytes=$3
    shift 3
    rm -rf "$work/run"
    mkdir "$work/run"
    REFRAIN_MODE=both REFRAIN_TOTAL_MEMORY=64M REFRAIN_TIME_MEMORY=$time_bytes REFRAIN_DIRECTORY=$work/run \
        OMP_WAIT_POLICY=passive timeout 120 refrain-run "$mpiexec" -n "$n" "$work/programs/$program" "$@" >"$work/said" 2>&1 || {
        echo "time_accuracy.sh: $program on $n ranks: $(tail -n 1 "$work/said")" >&2
        return 1
    }
    trace=$(echo "$work"/run/*.refrain)
}

# arguments PROGRAM FACTOR: small problems with frequent events, with FACTOR times as many iterations.
arguments() {
    awk -v n="$1" -v times="$2" '$1 == n { printf "--size %d --iterations %d\n", $2, $3 * times }' <<'END'
matmul 40 2200
bt 12 900
sp 12 900
lu 12 2800
mg 16 1800
cg 1400 750
ft 32 160
is 12 52000
ep 12 3000
nbody 24 40000
samplesort 1000 22000
heat 40 60
meshcg 60 60
master 50 20
amr 24 6000
hybrid 16 13000
graph 12 800
assembly 60 900
particles 12 28000
advect 12 56000
barrier 2000 130
reduce 2000 100
END
}

# figures FILE: of compare --json: errors of all locations together.
figures() {
    awk -v FS='[:,]' '
        /"locations"|"regions"/ { part = $0 ~ /regions/ ? "regions" : "locations" }
        /"run_ns"/ && !run { run = $2 }
        /"position_error"/ { of = "position" }
        /"block_error"/ { of = "block" }
        /"position":|"block":/ { of = "" }
        part == "" && of && /"largest_ns"/ { largest[of] = $2 }
        part == "" && of && /"rms_ns"/ { rms[of] = $2 }
        part == "" && of && /"within_1us"/ { within[of] = $2 }
        part == "" && /"compared"/ { n = $2 }
        part == "regions" && /"difference_ns"/ { d = $2 < 0 ? -$2 : $2; if (d > most) most = d }
        END {
            printf "%.6f\t%.6f\t%.3g\t%.3g\t%.6f\t%.6f\t%.4f\t%.3f", largest["position"] / 1e6, rms["position"] / 1e6,
                largest["position"] / run, rms["position"] / run, largest["block"] / 1e6, rms["block"] / 1e6,
                within["position"] / n, most / run * 1e6
        }' "$1"
}

value() {
    awk -v FS='[:,]' -v key="\"$1\"" -v how="$2" '$0 ~ key { if (how == "sum") v += $2; else if ($2 > v) v = $2 }
        END { printf "%.0f", v }' "$3"
}

# most_bytes: that the times of a rank take, of the trace whose $work/info is.
most_bytes() {
    awk -v FS='[:,]' '/"times"/ { t = 1 } t && /"bytes"/ { if ($2 > v) v = $2; t = 0 } END { printf "%d", v }' "$work/info"
}

printf 'program\tranks\tmemory\tbytes\tevents\tblocks\tsingle\trun_ms' >"$out"
printf '\tposition_ms\tposition_rms_ms\tposition\tposition_rms\tblock_ms\tblock_rms_ms\twithin_1us\tregion_ppm\n' >>"$out"
printf 'program\tranks\trun_ms\tposition_ee\tposition_ss\tposition_se\tblock_ee\tblock_ss\tblock_se\n' >"$out.reruns"

say() {
    echo "time_accuracy.sh: $(($(date +%s) - began)) s: $*" >&2
}

# takes PROGRAM RANKS: succeeds if the program can run on this number of ranks.
takes() {
    case $(awk -F'|' -v n="$1" '$1 ~ "^" n " *$" { gsub(/ /, "", $4); print $4 }' "$list") in
    square) [ "$2" = 1 ] || [ "$2" = 4 ] || [ "$2" = 9 ] || [ "$2" = 16 ] ;;
    poweroftwo) [ $(($2 & ($2 - 1))) -eq 0 ] ;;
    esac
}

# compared A B FILE: the output of refrain compare.
compared() {
    timeout 300 refrain compare --json "$1" "$2" >"$3" 2>"$3.said" || {
        say "$program on $n ranks: $(tail -n 1 "$3.said")"
        return 1
    }
}

# widths FILE: the spreads of position and block over all locations, in ms.
widths() {
    awk -F'[:,]' '/"position": \{/ { s = 1 } /"block": \{/ { s = 2 } s && /"spread_ns"/ && !(s in w) { w[s] = $2 / 1e6 }
        END { printf "%.6f %.6f", w[1], w[2] }' "$1"
}

# kept MEMORY: the path of the trace with this memory.
kept() {
    echo "$work/kept-$(echo "$1" | tr -d /).refrain"
}

# add_row MEMORY: adds the row of the trace with this memory.
add_row() {
    trace=$(kept "$1")
    refrain info --json "$trace" >"$trace.info" || return 1
    awk -v p="$program" -v n="$n" -v m="$1" -v b="$(cat "$trace.bytes")" -v e="$(value compared max "$trace.compared")" \
        -v blocks="$(value blocks sum "$trace.info")" -v single="$(value single sum "$trace.info")" \
        -v run="$(value run_ns max "$trace.compared")" 'BEGIN {
            printf "%s\t%d\t%s\t%s\t%d\t%d\t%.4f\t%.3f\t", p, n, m, b, e, blocks, blocks ? single / blocks : 0, run / 1e6 }' >>"$out"
    figures "$trace.compared" >>"$out"
    echo >>"$out"
}

# needed: the bytes that all times of $trace would take, by the bytes a block in $work/whole.
needed() {
    refrain info --json "$trace" >"$work/info" || return 1
    awk -v blocks="$(value blocks sum "$work/info")" -v whole="$(cat "$work/whole")" \
        'BEGIN { split(whole, of, " "); printf "%d", of[1] / of[2] * blocks }'
}

# take FACTOR MEMORY BYTES: runs FACTOR times the iterations with BYTES of memory, and keeps the trace.
take() {
    # shellcheck disable=SC2046 # one word each
    run "$program" "$n" "$3" $(arguments "$program" "$1") || return 1
    rm -rf "$(kept "$2")"
    mv "$trace" "$(kept "$2")"
    trace=$(kept "$2")
    echo "$3" >"$trace.bytes"
}

# factor_for BYTES FACTOR IS: the factor with which the iterations take BYTES, if with FACTOR they take IS.
factor_for() {
    awk -v want="$1" -v factor="$2" -v is="$3" 'BEGIN { print (is > 0 ? factor * want / is : factor) }'
}

# take_whole: the run of which every block is kept, long enough for a tenth of its bytes to be of use.
take_whole() {
    take "$factor" all 24M && refrain info --json "$trace" >"$work/info" || return 1
    bytes=$(most_bytes)
    echo "$bytes" >"$trace.bytes"
    echo "$bytes $(value blocks sum "$work/info")" >"$work/whole"
}

# take_long: with a hundredth. How much it would take is known afterwards, as probes may be throttled: if need be it is run again.
take_long() {
    long=$(factor_for $((LONG_BYTES * times)) "$factor" "$bytes") hundredth=$((LONG_BYTES * times / 100))
    for try in 1 2; do
        take "$long" 1/100 "$hundredth" && need=$(needed) || return 1
        [ "$need" -lt $((hundredth * 80)) ] && [ "$try" = 1 ] || return 0
        long=$(factor_for $((LONG_BYTES * times)) "$long" "$need")
    done
}

# measure: a run with each size of the memory; two at a time are compared once they are over.
measure() {
    waiting='' factor=$(awk -v times="$times" 'BEGIN { print times / 5 }')
    take_whole || return 1
    if [ "$bytes" -lt $((SHORT_BYTES * times * 8 / 10)) ]; then
        factor=$(factor_for $((SHORT_BYTES * times)) "$factor" "$bytes")
        take_whole || return 1
    fi
    for memory in $memories; do
        case $memory in
        1/10) take "$factor" 1/10 $((bytes / 10)) || return 1 ;;
        none) take "$factor" none 0 || return 1 ;;
        1/100) take_long || return 1 ;;
        esac
    done
    for memory in $memories; do
        trace=$(kept "$memory")
        compared "$trace:events" "$trace:unaligned" "$trace.compared" &
        if [ -n "$waiting" ]; then
            wait "$waiting" || return 1
            waiting=''
            wait $! || return 1
        else
            waiting=$!
        fi
    done
    [ -z "$waiting" ] || wait "$waiting" || return 1
    for memory in $memories; do
        add_row "$memory" || return 1
    done
    case $program in
    matmul | bt | sp | lu | mg | cg) rerun ;;
    esac
}

# rerun: with a tenth of the memory once more, and how far the two runs lie apart.
rerun() {
    first=$(kept 1/10)
    # shellcheck disable=SC2046 # one word each
    run "$program" "$n" "$(cat "$first.bytes")" $(arguments "$program" "$factor") || return 1
    compared "$first:events" "$trace:events" "$work/ee" &
    waiting=$!
    compared "$first:stat" "$trace:stat" "$work/ss"
    sound=$?
    wait "$waiting" && [ $sound -eq 0 ] && compared "$first:events" "$trace:stat" "$work/se" || return 1
    echo "$(widths "$work/ee") $(widths "$work/ss") $(widths "$work/se")" |
        awk -v p="$program" -v n="$n" -v run="$(value run_ns max "$work/ee")" -v OFS='\t' \
            '{ print p, n, run / 1e6, $1, $3, $5, $2, $4, $6 }' >>"$out.reruns"
}

status=0
began=$(date +%s)
for n in $(echo "$ranks" | tr , ' '); do
    for program in $only; do
        takes "$program" "$n" || continue
        if [ -n "$minutes" ] && [ $(($(date +%s) - began)) -ge $((minutes * 60)) ]; then
            say "$program on $n ranks is left out: no time"
            printf 'left out\t%s\t%s\n' "$program" "$n" >>"$out.reruns"
            continue
        fi
        say "$program on $n ranks"
        measure || {
            say "$program on $n ranks failed"
            printf 'failed\t%s\t%s\n' "$program" "$n" >>"$out.reruns"
            status=1
        }
        rm -rf "$work"/kept-*
        write_report "$out $out.reruns"
    done
done
write_report "$out $out.reruns"
say "done"
exit $status
