#!/bin/sh
# A run killed at any moment, on any rank, leaves a trace that is read up to the last probe.
set -u
. "$(dirname "$0")/lib.sh"

REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/control" || fail "compile"

killed=0
for try in 1 2 3 4 5 6 7 8 9 10; do
    run=$work/run$try
    mkdir "$run"
    REFRAIN_TOTAL_MEMORY=6M REFRAIN_MODE=both REFRAIN_DIRECTORY=$run \
        refrain-run mpiexec.mpich -n 2 "$work/control" 1000000 500 >"$run/out" 2>&1 &
    launcher=$!
    wait_for_traces "$run" 2
    sleep "0.$((try * 7 % 8))"
    # The ranks, in the order of their process ids; tries take turns.
    victim=$(processes_of "$work/control" | if [ $((try % 2)) = 0 ]; then head -n 1; else tail -n 1; fi)
    if [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null; then
        killed=$((killed + 1))
    fi
    wait $launcher 2>/dev/null
    for trace in "$run"/*.refrain; do
        [ -d "$trace" ] || continue
        check "try $try: info" refrain info --verbose "$trace"
        check "try $try: reconstruct" refrain reconstruct "$trace" --format text -o "$work/reconstructed" --force
        check "try $try: events" refrain events "$trace" --format text -o "$work/recorded" --force
        ranks=$(cut -f 1 "$work/recorded" | sort -u)
        for rank in $ranks; do
            awk -F '\t' -v rank="$rank" '$1 == rank' "$work/reconstructed" | cut -f 1,3- >"$work/a"
            awk -F '\t' -v rank="$rank" '$1 == rank' "$work/recorded" | cut -f 1,3- >"$work/b"
            if prefix "$work/a" "$work/b"; then
                pass
            else
                fail "try $try rank $rank: $(wc -l <"$work/b") lines recorded, $(wc -l <"$work/a") reconstructed"
                diff "$work/b" "$work/a" | head -n 4
            fi
        done
    done
    rm -rf "$run"
done
# Killed in MPI_Init, before the ranks have agreed where the trace belongs.
cat >"$work/early.c" <<'END'
#include <mpi.h>
#include <signal.h>
int PMPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return raise(SIGKILL);
}
int main(int argc, char **argv) { MPI_Init(&argc, &argv); }
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w "$work/early.c" -o "$work/early" || fail "compile early.c"
mkdir "$work/early.run"
REFRAIN_DIRECTORY=$work/early.run refrain-run mpiexec.mpich -n 2 "$work/early" >/dev/null 2>&1
early=0
for trace in "$work"/early.run/*.refrain; do
    check "killed in MPI_Init: info" refrain info --verbose "$trace"
    check "killed in MPI_Init: reconstruct" refrain reconstruct "$trace" --format text -o "$work/reconstructed" --force
    early=$((early + 1))
done
[ $early -ge 1 ] || fail "nothing was killed in MPI_Init"
[ $killed -ge 5 ] || fail "only $killed of 10 runs were killed in time"
summary
