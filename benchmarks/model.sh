#!/bin/sh
# Models of the workloads (refrain model): are the events of the MPI calls that refrain extrapolate gives for another number of ranks those of
# a run on that many ranks, times and places aside? The runs are on 4, 8, 16 and 32 ranks, or 4, 9, 16, 25 and 36 where a workload needs squares.
#   model.sh --tools BIN [--only NAME]... [--out FILE.md]
# BIN has the built tools, with refrain-cc. There are more ranks than processors, so no times are compared. Open MPI, whose ranks give a
# processor that they do not need to others; 5 minutes.
set -eu
usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
}
. "$(dirname "$0")/lib.sh"
only='' out=
options "tools only+ out" "$@"
mpicc=mpicc.openmpi mpiexec=mpiexec.openmpi
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# traced DIRECTORY RANKS PROGRAM...: a run, whose trace is the directory.
traced() {
    trace=$1 n=$2
    shift 2
    rm -rf "$work/run" "$trace"
    REFRAIN_DIRECTORY="$work/run" timeout 300 "$mpiexec" -n "$n" "$@" >/dev/null 2>"$work/error" </dev/null || return 1
    mv "$work"/run/*.refrain "$trace"
}

# calls COMMAND...: the events that the command prints, by rank.
calls() {
    "$@" --quiet --format text --all | awk -f "$here/../tests/calls.awk" | sort -s -n -k 1,1 | awk -f "$here/../tests/comms.awk"
}

# row NAME SIZE ITERATIONS RANKS RUNS...: a line of the table
row() {
    name=$1 size=$2 iterations=$3 ranks=$4
    shift 4
    head="| $name --size $size --iterations $iterations | $(echo "$*" | tr ' ' ,) | $ranks"
    traces=
    for n in "$@" "$ranks"; do
        traced "$work/$n.refrain" "$n" "$work/built/$name" --size "$size" --iterations "$iterations" || {
            echo "$head | | | | | on $n ranks: $(grep -v '^-' "$work/error" | head -n 1) |"
            return
        }
        [ "$n" = "$ranks" ] || traces="$traces $work/$n.refrain"
    done
    # shellcheck disable=SC2086 # a list of traces
    if ! refrain model --force $traces -o "$work/model" 2>"$work/error"; then
        echo "$head | | | | | $(head -n 1 "$work/error" | sed 's/.*refrain: //') |"
        return
    fi
    without=$(json_number values_without_expression <"$work/model")
    calls refrain reconstruct "$work/$ranks.refrain" >"$work/wanted"
    events=$(wc -l <"$work/wanted")
    rm -rf "$work/got.refrain"
    if ! refrain --quiet extrapolate "$work/model" --ranks "$ranks" -o "$work/got.refrain" 2>"$work/error"; then
        echo "$head | $(wc -c <"$work/model") | $without | $events | | |"
        return
    fi
    calls refrain events "$work/got.refrain" >"$work/got"
    echo "$head | $(wc -c <"$work/model") | $without | $events | $(diff --speed-large-files "$work/wanted" "$work/got" | grep -c '^[<>]' || true) | |"
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
heat 160 3 64 4 8 16 32
ft 64 2 64 4 8 16 32
mg 64 2 64 4 8 16 32
cg 1400 2 64 4 8 16 32
lu 64 2 64 4 8 16 32
bt 60 2 100 4 9 16 25 36
sp 60 2 100 4 9 16 25 36
is 12 2 64 4 8 16 32
ep 12 1 64 4 8 16 32
matmul 192 3 64 4 8 16 32
nbody 1536 3 64 4 8 16 32
meshcg 120 2 64 4 8 16 32
hybrid 64 3 64 4 8 16 32
advect 192 5 32 4 8 16
END
}

build "refrain-cc $mpicc" "$work/built" "heat ft mg cg lu bt sp is ep matmul nbody meshcg hybrid advect" 2>"$work/error" || {
    cat "$work/error" >&2
    exit 1
}
table() {
    echo "| workload | runs on | extrapolated to | bytes of the model | values without an expression | events of the run | lines that differ | |"
    echo "|---|---|---:|---:|---:|---:|---:|---|"
    rows
}
if [ -n "$out" ]; then
    {
        printf '# Models on other numbers of ranks\n\nWritten by `benchmarks/model.sh` with %s. Each model was made of runs of the workload, built with `refrain-cc`, on fewer ranks. Events are those\nof MPI calls, compared in every field but time. If a value has no expression that holds in all runs, the model says nothing of other numbers, and\nnothing is compared.\n\n' \
            "$(refrain --version)"
        table
    } >"$out"
else
    table
fi
