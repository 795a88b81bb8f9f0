#!/bin/sh
# refrain record traces OpenMP's constructs through OMPT, in C and Fortran: programs behave as without it, the trace is exact,
# and has each construct as often as the program executes it, with the times that threads work and wait.
#   test_ompt.sh BIN
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
programs=$tests/programs/openmp
omp=$(ls /usr/lib/llvm-*/lib/libomp.so 2>/dev/null | head -n 1)
available clang && [ -n "$omp" ] || { echo "no libomp: skipped"; exit 77; }
export OMP_WAIT_POLICY=passive OMP_CANCELLATION=true REFRAIN_THREADS=8

# record PROGRAM ARGUMENTS...: in run.
record() {
    rm -rf run
    mkdir run
    REFRAIN_MODE=both timeout 120 refrain record --no-report -d run "$@" >out 2>err || fail "$which: status $?: $(head -n 1 err)"
}

# is NAME EXPECTED: how often regions of that name, with this comment in their line, were entered.
is() {
    line=$(grep -n "/\* $2 \*/" "$programs/ompt.c" | head -n 1 | cut -d : -f 1)
    n=$(awk -F '\t' -v name="!\$omp $1 @ompt.c:$line" '$3 == "enter" && $4 == name { n++ } END { print n + 0 }' recorded)
    [ "$n" = "$3" ] && pass || fail "$which: $1 $2: $n, not $3"
}

for mpi in mpich openmpi; do
    which=$mpi
    MPICH_CC=clang OMPI_CC=clang mpicc.$mpi -g -O1 -fopenmp "$programs/ompt.c" -o "ompt-$mpi" 2>said || fail "$mpi: compile: $(head -n 1 said)"
    timeout 60 "./ompt-$mpi" 3 0 >plain.out 2>&1 || fail "$mpi: plain: status $?"
    record "./ompt-$mpi" 3 20
    check "$mpi: same output" cmp plain.out out
    exact "$(the_trace run)" "$mpi"
    is parallel team 3
    is "parallel sblock" team 9
    is "implicit barrier" team 3
    is for loop 9
    is sections sections 9
    is "critical(1)" held 9
    is "critical(1) sblock" held 9
    is "critical(2) sblock" nameless 9
    is "set_lock(3)" set 9
    is barrier explicit 9
    is master master 3
    is "single sblock" single 3
    is task task 24
    is taskwait tree 31
    is ordered\ sblock "one after another" 9
    is parallel inner 2
    is "parallel sblock" inner 4
    is parallel cancelled 1
    # A thread that waits for the next team is in no region.
    awk -F '\t' '/thread=/ { last = NR } $4 == "MPI_Finalize" && $3 == "enter" { end = NR } END { exit !(last && last < end) }' recorded &&
        pass || fail "$mpi: events of other threads after MPI_Finalize"
    refrain stats --by construct --csv "$(the_trace run)" >csv && python3 - 2>said <<'END' && pass || fail "$mpi: stats: $(tail -n 1 said): $(cat csv)"
import csv
rows = list(csv.DictReader(open("csv")))
loop = max((row for row in rows if row["construct"] == "for"), key=lambda row: int(row["most_ns"]))
team = max((row for row in rows if row["construct"] == "parallel"), key=lambda row: int(row["inside_ns"]))
# A thread sleeps for 0.02 s in each of three rounds, and the two others wait for it.
assert loop["most_thread"] != "0" and int(loop["most_ns"]) >= 60e6, loop
assert int(loop["waiting_ns"]) > 60e6 and int(loop["least_ns"]) < int(loop["most_ns"]) / 2, loop
assert team["times"] == "3" and team["threads"] == "3" and int(team["inside_ns"]) >= 60e6, team
END
done

what=formats
which=formats
refrain reconstruct "$(the_trace run)" --format otf2 -o otf2 2>said && refrain reconstruct "$(the_trace run)" --format epilog -o elg 2>>said ||
    fail "reconstruct: $(head -n 1 said)"
otf2-print -Werror otf2/traces.otf2 >printed 2>complaints
[ ! -s complaints ] && pass || fail "otf2-print: $(head -n 2 complaints)"
for pair in "FORK:parallel @" "JOIN:parallel @" "TEAM_BEGIN:parallel sblock @" "TEAM_END:parallel sblock @" \
    "ACQUIRE_LOCK:critical.* sblock @" "RELEASE_LOCK:critical.* sblock @"; do
    [ "$(grep -c "^THREAD_${pair%%:*} " printed)" = "$(grep -c "enter	!.omp ${pair#*:}" recorded)" ] && pass || fail "otf2: ${pair%%:*}"
done
check "epilog" python3 "$tests/formats/read_epilog.py" elg

# gfortran's code runs with libomp, too.
which=fortran
if available gfortran; then
    gfortran -g -fopenmp -c -w $(mpifort.mpich -show | tr ' ' '\n' | grep '^-I') "$programs/ompt.f90" -o f.o 2>said &&
        mpifort.mpich f.o "$omp" -Wl,-rpath,"$(dirname "$omp")" -o fortran 2>>said || fail "fortran: compile: $(head -n 1 said)"
    record ./fortran
    [ "$(cat out)" = "turns 9, rounds 3" ] && pass || fail "fortran: output: $(cat out)"
    exact "$(the_trace run)" fortran
    [ "$(grep -c 'enter	!$omp parallel sblock @ompt.f90:' recorded)" = 9 ] &&
        [ "$(grep -c 'enter	!$omp critical(1) sblock @ompt.f90:' recorded)" = 9 ] && pass || fail "fortran: constructs: $(grep -c omp recorded)"
fi

# Not with REFRAIN_OMPT=off. Programs with probes have the constructs of the instrumentor only.
which=off
REFRAIN_OMPT=off record ./ompt-mpich 3 0
refrain reconstruct "$(the_trace run)" --format text -o - 2>/dev/null | grep -q "!.omp" && fail "REFRAIN_OMPT=off: constructs" || pass
which=instrumented
MPICH_CC=clang refrain-cc mpicc.mpich -g -O1 -fopenmp -w "$programs/ompt.c" -o probes 2>said || fail "compile: $(head -n 1 said)"
REFRAIN_THROTTLE=off record ./probes 3 0
exact "$(the_trace run)" instrumented
is parallel team 3
summary
