#!/bin/sh
# time_accuracy.sh: how close reconstructed times are to the recorded ones of the same run; time_accuracy.sh --help says how.
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
    benchmarks/time_accuracy.sh [--only NAME]... [--ranks N[,N]...] [--times N] [--out FILE] [--tools DIR]

DESCRIPTION
    Runs each workload in mode both with as much memory for times as holds every block, with a tenth and with a
    hundredth of that, and without any (means only, as before there were timelines), and writes a row for each to FILE,
    tab-separated: program, ranks, memory ("all", "1/10", "1/100", "none"), its bytes, events, blocks, the share of
    blocks whose time is kept singly, the length of the run in ms, then before and after times of different ranks are
    made consistent: position error, largest and root mean square in ms and as a share of the run, block error, largest
    and root mean square in ms, share of events within a microsecond; last the most that a region's total differs by, in
    parts per million of the run.

OPTIONS
    --only NAME   this workload; repeatable
    --ranks N     numbers of ranks (default 2,4)
    --times N     N times the usual iterations, so that a hundredth of the memory is more than the least (default 1)
    --out FILE    (default ./time-accuracy.tsv); replaced
    --tools DIR   the directory of refrain and refrain-cc (default: that of refrain on PATH)

EXIT STATUS
    0 measured; 1 something could not be built or run; 2 bad command line.
END
}

only= ranks=2,4 times=1 out=time-accuracy.tsv tools=
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage; exit ;;
    --only | --ranks | --times | --out | --tools)
        [ $# -gt 1 ] || { echo "time_accuracy.sh: $1 needs a value" >&2; exit 2; }
        case $1 in
        --only) only="$only $2" ;;
        --ranks) ranks=$2 ;;
        --times) times=$2 ;;
        --out) out=$2 ;;
        --tools) tools=$2 ;;
        esac
        shift ;;
    *) echo "time_accuracy.sh: $1: no such option (see --help)" >&2; exit 2 ;;
    esac
    shift
done
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
        timeout 120 refrain-run "$mpiexec" -n "$n" "$work/programs/$program" "$@" >"$work/said" 2>&1 || {
        echo "time_accuracy.sh: $program on $n ranks: $(tail -n 1 "$work/said")" >&2
        return 1
    }
    trace=$(echo "$work"/run/*.refrain)
}

# arguments PROGRAM: with the iterations asked for.
arguments() {
    awk -F'|' -v n="$1" -v times="$times" '{ gsub(/ /, "", $1) } $1 == n {
        k = split($3, word, " ")
        for (i = 1; i <= k; i++)
            printf "%s ", word[i - 1] == "--iterations" ? word[i] * times : word[i]
    }' "$list"
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

printf 'program\tranks\tmemory\tbytes\tevents\tblocks\tsingle\trun_ms' >"$out"
for when in before after; do
    printf '\t%s_position_ms\t%s_position_rms_ms\t%s_position\t%s_position_rms\t%s_block_ms\t%s_block_rms_ms\t%s_within_1us\t%s_region_ppm' \
        $when $when $when $when $when $when $when $when >>"$out"
done
echo >>"$out"
status=0
for program in $only; do
    for n in $(echo "$ranks" | tr , ' '); do
        all=
        for memory in all 1/10 1/100 none; do
            case $memory in
            all) bytes=24M ;;
            1/10) bytes=$((all / 10)) ;;
            1/100) bytes=$((all / 100)) ;;
            none) bytes=0 ;;
            esac
            # shellcheck disable=SC2046 # one word each
            run "$program" "$n" "$bytes" $(arguments "$program") || { status=1; break; }
            refrain info --json "$trace" >"$work/info" &&
                refrain compare --json "$trace:events" "$trace:unaligned" >"$work/before" &&
                refrain compare --json "$trace:events" "$trace:stat" >"$work/after" || { status=1; break; }
            threads=$(value threads max "$work/info")
            [ $memory != all ] || all=$(($(awk -v FS='[:,]' '/"times"/ { t = 1 } t && /"bytes"/ { if ($2 > v) v = $2; t = 0 }
                END { print v }' "$work/info") + 0))
            blocks=$(value blocks sum "$work/info")
            single=$(value single sum "$work/info")
            awk -v p="$program" -v n="$n" -v m="$memory" -v b="$bytes" -v e="$(value compared max "$work/after")" \
                -v blocks="$blocks" -v single="$single" -v run="$(value run_ns max "$work/before")" 'BEGIN {
                    printf "%s\t%d\t%s\t%s\t%d\t%d\t%.4f\t%.3f\t", p, n, m, b, e, blocks, blocks ? single / blocks : 0,
                        run / 1e6 }' >>"$out"
            figures "$work/before" >>"$out"
            printf '\t' >>"$out"
            figures "$work/after" >>"$out"
            echo >>"$out"
        done
    done
done
exit $status
