#!/bin/sh
# MPI calls from code that was not instrumented appear under their return address, resolved to file and line; several
# executables in one job make one trace; objects linked without librefrain run untraced.
set -u
. "$(dirname "$0")/lib.sh"

cat >"$work/library.c" <<'END'
#include <mpi.h>
void exchange(int n) {
    int sum;
    for (int i = 0; i < n; i++)
        MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
END
cat >"$work/program.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include NAME
void exchange(int n);
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < 4; i++)
        exchange(i);
    work(rank);
    printf("rank %d\n", rank);
    return MPI_Finalize();
}
END
cat >"$work/first.h" <<'END'
static inline void work(int rank) { MPI_Send(&rank, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD); }
END
cat >"$work/second.h" <<'END'
static inline void work(int rank) {
    int other;
    if (rank == 1)
        MPI_Recv(&other, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
END
cd "$work" || exit 1
mpicc.mpich -g -O1 -fPIC -shared library.c -o liblibrary.so || fail "compile the library"
for name in first second; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -g -O1 "-DNAME=\"$name.h\"" program.c -o $name -L. -llibrary -Wl,-rpath,"$work" ||
        fail "compile $name"
done
mkdir run
export REFRAIN_DIRECTORY="$work/run"
REFRAIN_MODE=both launch mpich 1 ./first : -n 2 ./second >out 2>err || fail "run: $(head -n 2 err)"
[ "$(sort out | tr '\n' ' ')" = "rank 0 rank 1 rank 2 " ] && pass || fail "output: $(cat out)"
trace=$(the_trace run) && [ "$(ls "$trace"/*.trace | wc -l)" = 3 ] && pass || fail "not one trace of three ranks"
exact "$trace" "two executables"
refrain reconstruct "$trace" --format text -o text >/dev/null 2>&1
inside=$(awk -F '\t' '$3 == "enter" && $4 == "MPI_Allreduce" && $5 ~ /library\.c$/ && $6 == "line=5"' text | wc -l)
[ "$inside" = 18 ] && pass || fail "$inside of 18 calls of the library under its own line: $(grep -m 1 MPI_Allreduce text)"
header=$(awk -F '\t' '$3 == "enter" && $4 == "MPI_Send" && $5 ~ /first\.h$/' text | wc -l)
[ "$header" = 1 ] && pass || fail "the call in a header is not under the header's line: $(grep -m 1 'enter.*MPI_Send' text)"

# Instrumented objects, linked by the plain compiler: no librefrain, no trace, same behaviour.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 '-DNAME="second.h"' -c program.c -o program.o
mpicc.mpich program.o -o plain -L. -llibrary -Wl,-rpath,"$work" || fail "link without librefrain"
rm -rf run
mkdir run
launch mpich 1 ./plain >out 2>err && [ "$(cat out)" = "rank 0" ] && [ -z "$(ls run)" ] && pass || fail "without librefrain: $(cat out err)"
summary
