#!/bin/sh
# Proxies of the workloads (refrain proxy) beside the workloads: are the events of all MPI calls the same, times and places aside, and
# does the run take as long? Time is that from MPI_Init to MPI_Finalize in traces of refrain record. A proxy is made of the fastest of several
# runs; then workload and proxy run in turns, and the least time of each counts.
#   proxy.sh --tools BIN [--runs N] [--ranks N] [--only NAME]... [--out FILE.md]
# BIN has the built tools. Default: 3 runs on 2 ranks. MPICH.
set -eu
usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
}
. "$(dirname "$0")/lib.sh"
runs=3 ranks=2 only='' out=
options "tools runs ranks only+ out" "$@"
names=$(sed -n 's/^\([a-z]*\) *|.*/\1/p' "$here/workloads/list.txt")
for name in $only; do
    case " $(echo $names) " in
    *" $name "*) ;;
    *) echo "proxy.sh: no workload $name; they are: $(echo $names)" >&2 && exit 2 ;;
    esac
done
[ -z "$only" ] || names=$only

# traced NAME PROGRAM...: a run, whose trace is $work/NAME.refrain if it is the fastest one of that name.
traced() {
    name=$1
    shift
    rm -rf "$work/run"
    refrain record --quiet --no-report --directory "$work/run" "$mpiexec" -n "$ranks" "$@" >/dev/null 2>"$work/error" </dev/null || {
        echo "| $workload | $(head -n 1 "$work/error" | sed 's/^[^ ]*: //') | | | | | |"
        return 1
    }
    time=$(refrain stats --quiet --by critical-path --json "$work"/run/*.refrain |
        python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["to_ns"] - d["from_ns"])')
    if [ ! -d "$work/$name.refrain" ] || [ "$time" -lt "$(cat "$work/$name.ns")" ]; then
        rm -rf "$work/$name.refrain"
        mv "$work"/run/*.refrain "$work/$name.refrain"
        echo "$time" >"$work/$name.ns"
    fi
}

calls() {
    refrain reconstruct --quiet "$1" --format text --all | awk -f "$here/../tests/calls.awk" | sort -s -n -k 1,1
}

# row NAME ARGUMENT...
row() {
    workload=$1
    shift
    i=0
    while [ $i -lt "$runs" ]; do
        i=$((i + 1))
        traced "$workload" "$work/plain/$workload" "$@" || return 0
    done
    if ! refrain proxy --quiet --force "$work/$workload.refrain" -o "$work/proxy.c" 2>"$work/error"; then
        echo "| $workload | $(head -n 1 "$work/error" | sed 's/.*refrain: //') | | | | | |"
        return
    fi
    "$mpicc" -O2 "$work/proxy.c" -o "$work/proxy"
    calls "$work/$workload.refrain" >"$work/wanted"
    rm -rf "$work/proxy.refrain"
    traced proxy "$work/proxy" || return 0
    calls "$work/proxy.refrain" >"$work/got"
    differ=$(diff --speed-large-files "$work/wanted" "$work/got" | grep -c '^<' || true)
    i=1
    while [ $i -lt "$runs" ]; do
        i=$((i + 1))
        traced "$workload" "$work/plain/$workload" "$@" || return 0
        traced proxy "$work/proxy" || return 0
    done
    awk -v name="$workload" -v events="$(wc -l <"$work/wanted")" -v differ="$differ" -v lines="$(wc -l <"$work/proxy.c")" \
        -v bytes="$(wc -c <"$work/proxy.c")" -v a="$(cat "$work/$workload.ns")" -v b="$(cat "$work/proxy.ns")" 'BEGIN {
            printf "| %s | %d | %d | %d, %.0f | %.3f | %.3f | %.3f |\n", name, events, differ, lines, bytes / 1024, a / 1e9, b / 1e9, b / a }'
}

# shellcheck disable=SC2086 # a list of names
build "$mpicc" "$work/plain" "$(echo $names)"
table() {
    echo "| workload | events of MPI calls | that differ | lines, KiB of the proxy | workload, s | proxy, s | ratio |"
    echo "|---|---:|---:|---:|---:|---:|---:|"
    for name in $names; do
        # shellcheck disable=SC2046 # the arguments are words
        row "$name" $(sed -n "s/^$name *|[^|]*|\([^|]*\)|.*/\1/p" "$here/workloads/list.txt")
        rm -rf "$work/$name.refrain"
    done
}
if [ -n "$out" ]; then
    {
        printf '# Proxies of the workloads\n\nWritten by `benchmarks/proxy.sh` with %s: %s ranks, a proxy of the fastest\nof %s runs, then as many runs of each in turns, of which the least time counts.\n\n' \
            "$(refrain --version)" "$ranks" "$runs"
        table
    } >"$out"
else
    table
fi
