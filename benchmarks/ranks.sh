#!/bin/sh
# ranks.sh: measures the size of the common part of the ranks, by their number; see ranks.sh --help.
set -u
. "$(dirname "$0")/lib.sh"
ranks="16 64"

usage() {
    cat <<'END'
NAME
    ranks.sh - the bytes of what all ranks learned, by the number of ranks

SYNOPSIS
    benchmarks/ranks.sh [--ranks LIST] [--tools DIR]

DESCRIPTION
    Builds the workloads that are modelled on the NAS benchmarks, runs each for a few iterations on so many ranks of this machine
    with REFRAIN_PACK=on and REFRAIN_TOTAL_MEMORY=4M, and prints a table in Markdown: bytes of the structure (all that was learned, of
    all ranks together), bytes of the whole pack, and the milliseconds that packing took in MPI_Finalize.

OPTIONS
    --ranks LIST  numbers of ranks, squares and powers of two (default "16 64")
    --tools DIR   the directory of refrain and refrain-mpicc (default: that of refrain on PATH)
    --help        this text

EXIT STATUS
    0 measured; 1 something could not be built or run; 2 bad command line.
END
}

options "ranks tools" "$@"
build "refrain-cc $mpicc" "$work/traced" "bt sp lu mg cg ft is ep" || exit 1

failed=0
echo "| workload | ranks | structure | pack | packed in ms |"
echo "|---|---|---|---|---|"
while read -r name size iterations; do
    for n in $ranks; do
        rm -rf "$work/run"
        mkdir "$work/run"
        (cd "$work/run" && REFRAIN_THREADS=1 REFRAIN_TOTAL_MEMORY=4M REFRAIN_PACK=on REFRAIN_VERBOSE=on refrain-run "$mpiexec" -n "$n" \
            "$work/traced/$name" --size "$size" --iterations "$iterations") </dev/null >/dev/null 2>"$work/said"
        pack=$(echo "$work"/run/*.refrain-pack)
        if [ ! -f "$pack" ]; then
            echo "ranks.sh: $name on $n ranks failed: $(tail -n 1 "$work/said")" >&2
            failed=1
            continue
        fi
        echo "| $name | $n | $(refrain info --json "$pack" | json_number structure_bytes) | $(wc -c <"$pack") | $(sed -n 's/.*packed in \([0-9]*\) ms/\1/p' "$work/said") |"
    done
done <<'END'
ep 12 1
is 12 2
ft 64 1
mg 64 2
cg 1400 1
lu 64 1
sp 64 1
bt 64 1
END
exit $failed
