#!/bin/sh
# Functions of C++ and Fortran: their calls are in the trace under their names and lines, exactly, also when exceptions
# and longjmp leave them, in threads and static constructors. Filters, --detail=calls, and options without probes.
set -u
. "$(dirname "$0")/lib.sh"
unset REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_WRAPPER
export REFRAIN_THROTTLE=off REFRAIN_THREADS=4 REFRAIN_MODE=both
available g++ && available gfortran || skip "no compilers of C++ and Fortran"
cd "$work" || exit 1

# counts NAME TIMES: the trace has as many entries of this function.
counts() {
    check "$what_runs: $2 calls of $1" test "$(grep -cF "enter	$1" recorded)" -eq "$2"
}

# run_exact NAME MPI PROGRAM: on 2 ranks; what was learned is what was recorded.
run_exact() {
    what_runs=$1
    mkdir "traces-$1"
    REFRAIN_DIRECTORY=traces-$1 check "$1 runs" launch "$2" 2 "$3"
    exact "$(the_trace "traces-$1")" "$1"
}

cxx_counts() {
    counts main 2
    counts work::outer 80
    counts work::middle 80
    counts work::deepest 80
    counts work::Guard::~Guard 80
    counts work::caught 20
    counts 'work::sum<int>' 6
    counts 'work::sum<double>' 6
    counts 'work::sum<long>' 6
    counts work::Exchange::step 14
    counts jumps 2
    counts 'Table::Table' 2
}

export REFRAIN_MPICXX=mpicxx.mpich REFRAIN_MPIFORT=mpifort.mpich
for options in "-O2" "-O0" "-O3 -g -pipe -fopenmp"; do
    # shellcheck disable=SC2086 # a list of words
    check "hooks.cc $options" refrain-mpicxx $options -pthread "$tests/programs/hooks.cc" -o "cxx$options"
    run_exact "c++$options" mpich "./cxx$options"
    cxx_counts
done
# The exception leaves `deepest` where it is caught or where a destructor begins, not later.
nested=$(awk -F'\t' '/enter\twork::Guard/ { print previous } { previous = $0 }' recorded | grep -c 'enter')
check "no destructor begins inside of the function that threw" test "$nested" -eq 0
refrain stats --csv "$(the_trace traces-c++-O2)" >rows 2>/dev/null
line=$(grep -n 'void deepest' "$tests/programs/hooks.cc" | cut -d: -f1)
check "functions have their lines" grep -q "work::deepest.*hooks.cc\",$line," rows

check "hooks.f90" refrain-mpifort -O0 "$tests/programs/hooks.f90" -o fortran
run_exact fortran mpich ./fortran
counts main 2
counts grid::step 24
counts grid::exchange 24
counts relax 24
counts report 2
check "hooks.f90 -O2" refrain-mpifort -O2 "$tests/programs/hooks.f90" -o fortran2
run_exact fortran-O2 mpich ./fortran2
counts main 2
counts grid::step 24

REFRAIN_MPICXX=mpicxx.openmpi
check "hooks.cc with Open MPI" refrain-mpicxx -O2 -pthread "$tests/programs/hooks.cc" -o cxx-openmpi
run_exact openmpi openmpi ./cxx-openmpi
cxx_counts
REFRAIN_MPICXX=mpicxx.mpich

# Separate objects: a function in two of them, of which the linker keeps one; a call into another file.
cat >two.h <<'END'
#include <mpi.h>
template <typename T> __attribute__((noinline)) T twice(T n) { MPI_Barrier(MPI_COMM_WORLD); return n + n; }
int other(int n);
END
cat >one.cpp <<'END'
#include "two.h"
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int n = other(3) + twice(4);
    MPI_Finalize();
    return n == 14 ? 0 : 1;
}
END
cat >other.cpp <<'END'
#include "two.h"
int other(int n) { return twice(n); }
END
check "one.cpp" refrain-mpicxx -O2 -MD -c one.cpp
check "other.cpp" refrain-mpicxx -O2 -c other.cpp
check "... its dependencies name the source" grep -q 'one.o: one.cpp' one.d
check "... both linked" refrain-mpicxx one.o other.o -o two
run_exact two mpich ./two
counts 'twice<int>' 4

cat >filter <<'END'
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE work::*
  INCLUDE work::middle
SCOREP_REGION_NAMES_END
END
check "--filter" refrain-mpicxx --filter="$work/filter" -O2 -pthread "$tests/programs/hooks.cc" -o filtered
run_exact filtered mpich ./filtered
counts work:: 80
counts work::middle 80

check "--detail=calls" refrain-mpicxx --detail=calls -O2 -pthread -c "$tests/programs/hooks.cc" -o calls.o
check "... compiles the file as it is" sh -c "mpicxx.mpich -O2 -pthread -c $tests/programs/hooks.cc -o plain.o && cmp plain.o calls.o"
for option in -flto -ffunction-sections -masm=intel; do
    check "$option" refrain-mpicxx $option -O2 -pthread -c "$tests/programs/hooks.cc" -o plain.o
    check "... has no probes" sh -c '! nm plain.o | grep -q refrain__tables'
done
summary
