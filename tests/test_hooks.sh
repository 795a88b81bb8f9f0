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
for options in "-O2" "-O0" "-O3 -g -pipe -fopenmp" "-O2 -ffunction-sections -Wl,--gc-sections"; do
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
for option in -flto -masm=intel; do
    check "$option" refrain-mpicxx $option -O2 -pthread -c "$tests/programs/hooks.cc" -o plain.o
    check "... has no probes" sh -c '! nm plain.o | grep -q refrain__tables'
done
says 0 '*-flto*no probes*' refrain-mpicxx -flto -O2 one.cpp other.cpp -o lto
says 0 '*-flto*no probes*' refrain-mpicxx --refrain-verbose -flto -O2 -c one.cpp -o lto.o
check "-fno-lto" refrain-mpicxx -flto -fno-lto -O2 -c one.cpp -o no-lto.o
check "... has probes" sh -c 'nm no-lto.o | grep -q refrain__tables'

# A function that nothing refers to, in a section of its own: the linker drops it with its list of sites.
cat >dead.cpp <<'END'
#include <mpi.h>
int missing();
void kept(int n) { for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_WORLD); }
void dead(int n) { for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_WORLD), missing(); }
int main(int argc, char **argv) { MPI_Init(&argc, &argv); kept(argc + 2); return MPI_Finalize(); }
END
check "--gc-sections with start-stop-gc" refrain-mpicxx -O2 -fno-inline -ffunction-sections dead.cpp -o dead \
    -Wl,--gc-sections,-z,start-stop-gc
run_exact dead mpich ./dead
counts kept 2
refrain-mpicxx -O2 -fno-inline -ffunction-sections dead.cpp -o dead -Wl,--gc-sections >said 2>&1
check "... and without it the linker says what to do" grep -q 'warning: --gc-sections.*start-stop-gc' said

# Exceptions that functions throw when MPI calls them: error handlers, operators, attributes.
callbacks_counts() {
    counts called_by_mpi::throws 24
    counts called_by_mpi::on_error 10
    counts called_by_mpi::reduce 10
    counts called_by_mpi::copied 2
    counts called_by_mpi::deleted 2
    counts MPI_Allreduce 24
    nested=$(awk -F'\t' '/enter\tMPI_Allreduce/ { print previous } { previous = $0 }' recorded | grep -c enter)
    check "the functions that an exception leaves have ended where it is caught" test "$nested" -eq 0
}
for mpi in mpich openmpi; do
    REFRAIN_MPICXX=mpicxx.$mpi
    check "hooks_callbacks.cc, $mpi" refrain-mpicxx -O2 "$tests/programs/hooks_callbacks.cc" -o "callbacks-$mpi"
    run_exact "callbacks-$mpi" "$mpi" "./callbacks-$mpi"
    callbacks_counts
done
REFRAIN_MPICXX=mpicxx.mpich

# Inputs of the same command that are not C++ or Fortran.
echo 'int plain(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }' >plain.c
printf '\t.section .note.GNU-stack\n\t.text\n\t.globl\tf\n\t.type\tf, @function\nf:\tret\n\t.size\tf, .-f\n' >hand.s
cat >calls.f90 <<'END'
program calls
    use mpi
    integer :: e
    call MPI_Init(e)
    call MPI_Finalize(e)
end program
END
check "Fortran and C in one command" refrain-mpifort --detail=all -O1 -g plain.c calls.f90 -o both
run_exact both mpich ./both
check "C++ and assembler in one command" refrain-mpicxx -O2 one.cpp other.cpp hand.s -o hand
says 0 '*no probes*' refrain-mpicxx --refrain-verbose -O2 one.cpp other.cpp hand.s -o hand

# What the assembler says is about the lines of the compiler's text.
cat >warns.cpp <<'END'
#include <mpi.h>
void f(int n) { for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_WORLD); asm(".warning \"mind this\""); }
END
refrain-mpicxx -O2 -c warns.cpp -o warns.o 2>said
check "a warning of the assembler" grep -q "^warns.cpp:2: .*mind this" said
check "... leaves the probes" sh -c 'nm warns.o | grep -q refrain__tables'

# A gcc with a fixed assembler, and clang under the name of gcc's compiler.
mkdir names
cat >names/g++ <<'END'
#!/bin/sh
case "$*" in *-print-prog-name=as*) echo /usr/bin/as ;; *) exec /usr/bin/g++ "$@" ;; esac
END
chmod +x names/g++
says 0 '*no probes*' refrain-cc "$work/names/g++" -c dead.cpp -I/usr/include/x86_64-linux-gnu/mpich -o fixed.o
if available clang++; then
    ln -s "$(command -v clang++)" names/c++
    says 0 '*neither*' refrain-cc --verbose "$work/names/c++" -c -x c++ plain.c -o clang.o
fi
summary
