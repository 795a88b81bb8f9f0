#!/bin/sh
# what_if.sh BIN [RANKS]: compares predictions of refrain what-if with runs that were changed in fact (what_if.c), as a table. Each figure
# is the time from MPI_Init to MPI_Finalize, the least of three runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${1:?the directory of the built tools}" && pwd)
ranks=${2:-4}
PATH=$bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
REFRAIN_MPICC=mpicc.mpich REFRAIN_DETAIL=every refrain-mpicc -O1 -g "$here/what_if.c" -o "$work/what_if"

# seconds CASE CHANGED: $work/CASE-CHANGED.refrain is the fastest of three runs; its seconds.
seconds() {
    best=
    for i in 1 2 3; do
        rm -rf "$work/run"
        mkdir "$work/run"
        (cd "$work/run" && refrain-run mpiexec.mpich -n "$ranks" "$work/what_if" "$1" "$2" </dev/null)
        time=$(refrain stats --quiet --by critical-path --json "$work"/run/*.refrain |
            python3 -c 'import json, sys; d = json.load(sys.stdin); print((d["to_ns"] - d["from_ns"]) / 1e9)')
        if [ -z "$best" ] || [ "$(echo "$time < $best" | bc)" = 1 ]; then
            best=$time
            rm -rf "$work/$1-$2.refrain"
            mv "$work"/run/*.refrain "$work/$1-$2.refrain"
        fi
    done
    echo "$best"
}

echo "| program | change | as it was, s | predicted, s | changed in fact, s | difference, % |"
echo "|---|---|---:|---:|---:|---:|"
while read -r name option; do
    was=$(seconds "$name" 0)
    real=$(seconds "$name" 1)
    # shellcheck disable=SC2086 # an option and its value
    refrain what-if --quiet --json "$work/$name-0.refrain" $option |
        python3 -c 'import json, sys
name, option, was, real = sys.argv[1:]
run = json.load(sys.stdin)["run_ns"] / 1e9
print("| %s | `%s` | %.3f | %.3f | %.3f | %+.1f |" % (name, option, float(was), run, float(real), 100 * (run / float(real) - 1)))' \
            "$name" "$option" "$was" "$real"
done <<'END'
pipeline --faster burn()=2
turns --balance step()
barriers --no-wait MPI_Barrier
synchronous --faster burn()=2
large --faster burn()=2
halo --faster burn()=2
root --faster burn()=2
END
