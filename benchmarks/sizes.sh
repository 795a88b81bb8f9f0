#!/bin/sh
# sizes.sh: measures the size of traces of the workloads, beside EZTrace; see sizes.sh --help.
set -u
. "$(dirname "$0")/lib.sh"
ranks=4
only=

usage() {
    cat <<'END'
NAME
    sizes.sh - how many bytes traces take on disk

SYNOPSIS
    benchmarks/sizes.sh [--only NAME]... [--ranks N] [--tools DIR]

DESCRIPTION
    Builds the workloads with refrain-mpicc, runs each with its default arguments, and prints a table in Markdown:

    most       bytes a rank that `refrain size` says before the run
    file       bytes of the largest rank-N.trace after it
    no times   the same with REFRAIN_TIME_MEMORY=0: formulas, counts and means, without the time of each block
    pack       bytes of all ranks in one file (refrain pack), without the times of blocks ...
    common     ... and of these what was learned, on all ranks together
    EZTrace    bytes a rank that EZTrace writes in the same run of the plain program, where it is installed

OPTIONS
    --only NAME   this workload; repeatable (default: all)
    --ranks N     ranks (default 4)
    --tools DIR   the directory of refrain and refrain-mpicc (default: that of refrain on PATH)
    --help        this text

EXIT STATUS
    0 measured; 1 something could not be built or run; 2 bad command line.
END
}

options "only+ ranks tools" "$@"
names=${only:-$(awk -F'|' '/^[a-z]/ {gsub(/ /, "", $1); print $1}' "$here/workloads/list.txt")}
build "refrain-cc $mpicc" "$work/traced" "$names" || exit 1
eztrace=
if command -v eztrace >/dev/null && eztrace_avail 2>/dev/null | grep -q ^mpich; then
    eztrace=yes
    build "$mpicc" "$work/plain" "$names" || exit 1
fi

# run COMMAND...: on all ranks, in a directory of its own.
run() {
    rm -rf "$work/run"
    mkdir "$work/run"
    (cd "$work/run" && OMP_NUM_THREADS=2 REFRAIN_DIRECTORY=$work/run refrain-run "$mpiexec" -n "$ranks" "$@") \
        >/dev/null 2>"$work/said" || {
        echo "sizes.sh: $* failed: $(tail -n 1 "$work/said")" >&2
        return 1
    }
}

largest() {
    for file in "$work"/run/*.refrain/rank-*.trace; do wc -c <"$file"; done | sort -n | tail -n 1
}

echo "| workload on $ranks ranks | most | file | no times | pack | common | EZTrace |"
echo "|---|---|---|---|---|---|---|"
failed=0
for name in $names; do
    arguments=$(awk -F'|' -v n="$name" '{gsub(/ /, "", $1)} $1 == n {print $3}' "$here/workloads/list.txt")
    most=$(refrain size "$work/traced/$name" --json | json_number bytes_per_rank)
    # shellcheck disable=SC2086 # a list of arguments
    run "$work/traced/$name" $arguments || { failed=1 && continue; }
    file=$(largest)
    # shellcheck disable=SC2086
    REFRAIN_TIME_MEMORY=0 run "$work/traced/$name" $arguments || { failed=1 && continue; }
    bare=$(largest)
    refrain pack "$work"/run/*.refrain -o "$work/pack" --force --json >"$work/report" || failed=1
    other=-
    if [ -n "$eztrace" ]; then
        # shellcheck disable=SC2086
        run eztrace -t mpich -o "$work/run/eztrace" "$work/plain/$name" $arguments &&
            other=$(($(cat $(find "$work/run" -type f) | wc -c) / ranks))
    fi
    echo "| $name | $most | $file | $bare | $(json_number bytes <"$work/report") |" \
        "$(json_number structure_bytes <"$work/report") | $other |"
done
exit $failed
