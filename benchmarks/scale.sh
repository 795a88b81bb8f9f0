#!/bin/sh
# Proxies of several runs (refrain proxy) on a number of ranks of which there was no run: are the events of all MPI calls those of the workload
# on that many ranks, times and places aside? The runs are on 4, 8, 16 and 32 ranks, or 4, 9, 16, 25 and 36 where a workload needs squares.
# There are more ranks than processors, so times are not compared.
#   scale.sh --tools BIN [--ranks N] [--only NAME]... [--out FILE.md]
# BIN has the built tools. Default: the workloads on 64 ranks (16 minutes). MPICH.
set -eu
usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
}
. "$(dirname "$0")/lib.sh"
ranks=64 only='' out=
options "tools ranks only+ out" "$@"

# traced DIRECTORY RANKS PROGRAM...: a run, whose trace is the directory.
traced() {
    trace=$1 n=$2
    shift 2
    rm -rf "$work/run" "$trace"
    timeout 300 refrain record --quiet --no-report --directory "$work/run" "$mpiexec" -n "$n" "$@" >/dev/null 2>"$work/error" </dev/null || return 1
    mv "$work"/run/*.refrain "$trace"
}

calls() {
    refrain reconstruct --quiet "$1" --format text --all | awk -f "$here/../tests/calls.awk" | sort -s -n -k 1,1
}

# row NAME SIZE ITERATIONS RUNS...: a line of the table
row() {
    name=$1 size=$2 iterations=$3
    shift 3
    head="| $name --size $size --iterations $iterations | $(echo "$*" | tr ' ' ,)"
    traces=
    for n in "$@" "$ranks"; do
        traced "$work/$n.refrain" "$n" "$work/plain/$name" --size "$size" --iterations "$iterations" || {
            echo "$head | | | | on $n ranks: $(grep -v '^-' "$work/error" | head -n 1) |"
            return
        }
        [ "$n" = "$ranks" ] || traces="$traces $work/$n.refrain"
    done
    # shellcheck disable=SC2086 # a list of traces
    if ! refrain proxy --force $traces -o "$work/proxy.c" 2>"$work/error"; then
        echo "$head | | | | $(head -n 1 "$work/error" | sed 's/.*refrain: //') |"
        return
    fi
    without=$(sed -n 's/^refrain: \([0-9,]*\) values follow no formula.*/\1/p' "$work/error")
    calls "$work/$ranks.refrain" >"$work/wanted"
    events=$(wc -l <"$work/wanted")
    if [ -n "$without" ]; then
        echo "$head | $events | | $without | |"
        return
    fi
    "$mpicc" -O2 "$work/proxy.c" -o "$work/proxy"
    if ! traced "$work/proxy.refrain" "$ranks" "$work/proxy"; then
        echo "$head | $events | | 0 | $(grep -v '^-' "$work/error" | head -n 1) |"
        return
    fi
    calls "$work/proxy.refrain" >"$work/got"
    echo "$head | $events | $(diff --speed-large-files "$work/wanted" "$work/got" | grep -c '^<' || true) | 0 | |"
}

rows() {
    while read -r name arguments; do
        case " $only " in
        "  " | *" $name "*)
            # shellcheck disable=SC2086 # the arguments are words
            row "$name" $arguments
            ;;
        esac
    done <<'END'
heat 160 3 4 8 16 32
ft 64 2 4 8 16 32
mg 64 2 4 8 16 32
cg 1400 2 4 8 16 32
lu 64 2 4 8 16 32
bt 64 2 4 9 16 25 36
sp 64 2 4 9 16 25 36
is 12 2 4 8 16 32
ep 12 1 4 8 16 32
matmul 192 3 4 8 16 32
nbody 1536 3 4 8 16 32
meshcg 120 2 4 8 16 32
hybrid 64 3 4 8 16 32
advect 192 5 4 8 16 32
END
}

build "$mpicc" "$work/plain" "heat ft mg cg lu bt sp is ep matmul nbody meshcg hybrid advect"
table() {
    echo "| workload | made of runs on | events on $ranks ranks | that differ | values without a formula | |"
    echo "|---|---|---:|---:|---:|---|"
    rows
}
if [ -n "$out" ]; then
    {
        printf '# Proxies on other numbers of ranks\n\nWritten by `benchmarks/scale.sh` with %s. Each proxy was made of runs on fewer ranks, and run on %s. If a value follows no formula that\nholds in all runs, the proxy refuses other numbers of ranks.\n\n' \
            "$(refrain --version)" "$ranks"
        table
    } >"$out"
else
    table
fi
