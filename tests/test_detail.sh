#!/bin/sh
# --detail=calls: the program's code is the plain compiler's; the trace holds MPI calls and user regions, exactly.
# --detail before the arguments of refrain-mpicc means the same as before the compiler of refrain-cc.
set -u
. "$(dirname "$0")/lib.sh"
unset REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_WRAPPER
REFRAIN_MPICC=mpicc.mpich
export REFRAIN_MPICC
cd "$work" || exit 1
cat >program.c <<'END'
#include <mpi.h>
#include <refrain/refrain.h>
static int small(int n) { return n % 3 ? n : n / 2; }
static int solve(int n) {
    int sum = 0, all;
    for (int i = 0; i < n; i++)
        sum += small(i);
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
int main(int argc, char **argv) {
    int total = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        refrain_region_begin("round");
        total += solve(i);
        refrain_region_end();
    }
    MPI_Finalize();
    return total == 0;
}
END
for option in --detail=calls --refrain-detail=calls; do
    check "refrain-mpicc $option" refrain-mpicc $option -O2 -I"$tests/../include" -c program.c -o calls.o
    check "... compiles the file as it is" sh -c "mpicc.mpich -O2 -I$tests/../include -c program.c -o plain.o && cmp plain.o calls.o"
done
REFRAIN_DETAIL=calls check "REFRAIN_DETAIL=calls" refrain-mpicc -O2 -I"$tests/../include" program.c -o calls
instrumented calls && fail "... has no tables" || pass
mkdir traces
REFRAIN_MODE=both REFRAIN_DIRECTORY=traces check "... runs" launch mpich 2 ./calls
exact "$(the_trace traces)" "--detail=calls"
check "... holds every MPI call" test "$(grep -c 'enter	MPI_Allreduce' recorded)" -eq 20
check "... and every user region" test "$(grep -c 'enter	round' recorded)" -eq 20
check "... and no function" sh -c '! grep -q "enter	\(main\|solve\|small\)" recorded'

for detail in communication all every; do
    refrain-mpicc --detail=$detail -O2 -I"$tests/../include" -c program.c -o mpicc.o
    refrain-cc --detail=$detail mpicc.mpich -O2 -I"$tests/../include" -c program.c -o cc.o
    check "refrain-mpicc --detail=$detail is refrain-cc's" cmp mpicc.o cc.o
done
check "... and the details differ" sh -c 'refrain-mpicc --detail=communication -O2 -I"$0" -c program.c -o some.o; ! cmp -s some.o mpicc.o' \
    "$tests/../include"
printf 'SCOREP_REGION_NAMES_BEGIN\nEXCLUDE *\nSCOREP_REGION_NAMES_END\n' >filter
refrain-mpicc --filter=filter -O2 -I"$tests/../include" -c program.c
instrumented program.o && fail "refrain-mpicc --filter=" || pass
# Own options in any order, with or without the prefix, before a compiler too.
for order in "--refrain-verbose --filter=filter" "--filter=filter --refrain-detail=all --refrain-verbose"; do
    for wrapper in refrain-mpicc refrain-cc; do
        compiler=mpicc.mpich
        [ $wrapper = refrain-cc ] || compiler=
        # shellcheck disable=SC2086 # words
        check "$wrapper $order" $wrapper $order $compiler -O2 -I"$tests/../include" -c program.c -o program.o
        instrumented program.o && fail "... is heeded" || pass
    done
done
check "an unknown detail is said" sh -c 'refrain-mpicc --detail=some -O2 -I"$0" -c program.c 2>&1 | grep -q "none of .calls., "' "$tests/../include"
check "--verbose is the compiler's own" sh -c 'refrain-mpicc --verbose -O2 -I"$0" -c program.c 2>&1 | grep -q "^gcc version"' "$tests/../include"
summary
