#!/bin/sh
# memory.sh: measures what real programs lose in little memory, and how much memory they leave unused; see memory.sh --help.
set -u
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/debian_inputs.sh"
only=
sizes="320K 400K 448K 640K 1M 2M 16M"

usage() {
    cat <<'END'
NAME
    memory.sh - what real programs lose in little memory, and how much of it is left

SYNOPSIS
    benchmarks/memory.sh [--only NAME]... [--sizes "SIZE..."] [--tools DIR]

DESCRIPTION
    Runs programs as Debian ships them, with a small input of their own, on 2 ranks of Open MPI under `refrain record`, and
    prints a table in Markdown. Of a program that is not installed (hpcc lammps cp2k openfoam openfoam-examples
    quantum-espresso) a line says so.

    values    share of the learned values that are not known one by one, all ranks
    times     share of the blocks whose own time is not known; where times ended early, of as many as in 64M
    calls     MPI calls that are shown at another call site of their function, all ranks
    counts    values that are counted as another, all ranks
    unused    of the trace file of the rank that used least of those that lost anything; * where nothing was lost

OPTIONS
    --only NAME   lammps, cp2k, pw, openfoam or hpcc; repeatable (default: all)
    --sizes LIST  REFRAIN_TOTAL_MEMORY, in this order (default: 320K 400K 448K 640K 1M 2M 16M)
    --tools DIR   the directory of refrain (default: that of refrain on PATH)
    --help        this text

EXIT STATUS
    0 measured; 1 a program failed; 2 bad command line.
END
}

options "only+ sizes tools" "$@"
OMP_NUM_THREADS=1 OMPI_MCA_btl=self,vader WM_PROJECT_DIR=/usr/share/openfoam
export OMP_NUM_THREADS OMPI_MCA_btl WM_PROJECT_DIR

# ---- runs ----

# losses: reads `refrain info --json`, and prints the numbers of blocks, blocks with a time of their own, values, exact
# values, calls and values without room. Then the unused and all KiB of the rank that left most unused, if possible of
# one that lost something. Then the number of timelines that ended early.
losses() {
    python3 -c 'import json, sys
total, left = [0] * 6, []
processes = json.load(sys.stdin)["processes"]
for process in processes:
    losses, times = process["losses"], process["times"]
    figures = [times["blocks"], times["single"], process["values"], process["values_exact"],
               losses.get("sites", 0) + losses.get("calls", 0), losses.get("counts", 0)]
    total = [sum(pair) for pair in zip(total, figures)]
    lost = figures[0] > figures[1] or times["stopped"] or figures[2] > figures[3] or figures[4] + figures[5] > 0
    left.append((lost, process["bytes"] - process["pool_used_bytes"], process["bytes"]))
unused, size = max(left)[1:]
print(*total, unused / 1024, size / 1024, sum(process["times"]["stopped"] for process in processes))'
}

# measure NAME MEMORY COMMAND...: prints the figures of losses(). In the program's directory.
measure() {
    memory=$2
    shift 2
    rm -rf trace
    timeout 600 refrain record -q --memory "$memory" --directory trace mpiexec.openmpi --allow-run-as-root \
        --oversubscribe -n 2 "$@" >out 2>said || return 1
    refrain info --json trace/*.refrain | losses
}

# program NAME COMMAND...
program() {
    name=$1
    shift
    case " ${only:-$name} " in *" $name "*) ;; *) return ;; esac
    if ! command -v "$1" >/dev/null; then
        echo "$name is not installed" >&2
        return
    fi
    mkdir "$work/$name" && cd "$work/$name" && "${name}_input" || failed=1
    # shellcheck disable=SC2046 # words
    set -- $(measure "$name" 64M "$@") -- "$@"
    [ $# -gt 10 ] || {
        echo "$name failed: $(tail -n 1 said)" >&2
        failed=1
        return
    }
    blocks=$1
    shift 10
    for size in $sizes; do
        measure "$name" "$size" "$@" | awk -v name="$name" -v size="$size" -v blocks="$blocks" '{
            if (!$9)
                blocks = $1 # how often a program polls differs from run to run
            times = blocks > $2 ? 100 * (1 - $2 / blocks) : 0
            lost = $3 > $4 || times > 0 || $5 + $6 > 0
            printf "| %s | %s | %.1f %% | %.1f %% | %d | %d | %d of %d (%d %%)%s |\n", name, size,
                   100 * (1 - $4 / $3), times, $5, $6, $7, $8, 100 * $7 / $8, lost ? "" : " *" }'
    done
}

failed=0
echo "| program | memory | values | times | calls | counts | unused KiB |"
echo "|---|---|---|---|---|---|---|"
program lammps lmp -in in.melt
program cp2k cp2k.psmp h2o.inp
program pw pw.x -in h2.in
program openfoam icoFoam -parallel
program hpcc hpcc
exit $failed
