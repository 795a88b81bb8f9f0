#!/bin/sh
# refrain proxy: its program compiles without a warning, and its run has the MPI calls of the run that it was made of, with
# the same arguments; it says what it leaves out; runs that no program can repeat are refused with a line.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# calls TRACE: the events of its MPI calls by rank, without times and places.
calls() {
    refrain reconstruct --quiet "$1" --format text --all | awk -f "$tests/calls.awk" | sort -s -n -k 1,1
}

# repeats NAME MPI RANKS TRACE ARGUMENT...: the proxy that the arguments name has the calls of the trace.
repeats() {
    name=$1 mpi=$2 ranks=$3 original=$4
    shift 4
    if ! refrain proxy "$@" -o "$name.c" >said 2>&1; then
        fail "$name: $(head -n 1 said)"
        return
    fi
    cp said "$name.said"
    if ! "mpicc.$mpi" -O1 -Wall -Wextra -Werror "$name.c" -o "$name.proxy" >said 2>&1; then
        fail "$name: does not compile: $(head -n 3 said)"
        return
    fi
    recorded_run "$name.run" "$mpi" "$ranks" "./$name.proxy"
    calls "$original" >wanted
    calls "$trace" >got
    if [ -s wanted ] && cmp -s wanted got; then
        pass
    else
        fail "$name: $(wc -l <wanted) events, of the proxy $(wc -l <got): $(diff wanted got | head -n 5)"
    fi
}

for mpi in mpich openmpi; do
    "mpicc.$mpi" -O1 -w -g "$tests/programs/proxied.c" -o "proxied.$mpi" || fail "compile with $mpi"
    recorded_run "$mpi" "$mpi" 4 "./proxied.$mpi"
    repeats "proxied-$mpi" "$mpi" 4 "$trace" "$trace" --compute sleep
    [ ! -s "proxied-$mpi.said" ] && pass || fail "$mpi: says $(cat "proxied-$mpi.said")"
done
whole=$(the_trace mpich)
for wanted in '(rank ^ 1)' '((rank + 1) % ranks)' 'compute("ring' 'MPI_Waitall(2, &request[0]' 'proxied.c:'; do
    grep -qF -- "$wanted" proxied-mpich.c && pass || fail "no $wanted in the program"
done

# Functions of an instrumented program are functions of its proxy.
refrain-cc mpicc.mpich -O1 -w "$tests/programs/proxied.c" -o built || fail "build"
REFRAIN_DIRECTORY="$work/instrumented" launch mpich 4 ./built >said 2>&1
repeats built mpich 4 "$(the_trace instrumented)" "$(the_trace instrumented)" --compute memory
for wanted in 'static void ring_(void) {' 'static void persistent_(void) {' '        ring_();'; do
    grep -qF -- "$wanted" built.c && pass || fail "no $wanted in the program of the instrumented one"
done

# Several runs: a program for other numbers of ranks, too, unless some value follows no formula.
mpicc.mpich -O1 -w -g "$tests/programs/scaled.c" -o scaled || fail "compile scaled.c"
runs='' irregular=''
for n in 2 4 8; do
    recorded_run "scaled-$n" mpich $n ./scaled
    runs="$runs $trace"
    recorded_run "irregular-$n" mpich $n ./scaled 1
    irregular="$irregular $trace"
done
recorded_run scaled-16 mpich 16 ./scaled
repeats scaled mpich 16 "$trace" $runs
[ ! -s scaled.said ] && pass || fail "several runs: says $(cat scaled.said)"
for wanted in '4096 / ranks' 'block(1003, ranks, rank)' 'n1 = log2_of(ranks)' 'on 2, 4 and 8 ranks'; do
    grep -qF -- "$wanted" scaled.c && pass || fail "several runs: no $wanted in the program"
done
repeats irregular mpich 4 "$(the_trace irregular-4)" $irregular
grep -q "^refrain: 4 values follow no formula" irregular.said && pass || fail "irregular: $(head -n 1 irregular.said)"
launch mpich 3 ./scaled.proxy >said 2>&1 && fail "3 ranks instead of a power of two" || pass
grep -q "needs 2 or 4 or 8 or other such ranks and has 3" said && pass || fail "3 ranks, formulas: $(head -n 1 said)"
launch mpich 3 ./irregular.proxy >said 2>&1 && fail "3 ranks instead of 2, 4 or 8" || pass
grep -q "needs 2 or 4 or 8 ranks and has 3" said && pass || fail "3 ranks: $(head -n 1 said)"

# Loops are those of the source, also of ranks that make no call in an iteration; a function has other values for each caller.
refrain-cc mpicc.mpich -O1 -w "$tests/programs/called_twice.c" -o called-twice || fail "build called_twice.c"
twice=''
for n in 2 4 8 16; do
    REFRAIN_DIRECTORY="$work/twice-$n" launch mpich $n ./called-twice >said 2>&1
    last=$(the_trace "twice-$n") || fail "called_twice on $n ranks: $(head -n 1 said)"
    [ $n -eq 16 ] || twice="$twice $last"
done
# shellcheck disable=SC2086 # a list of traces
repeats twice mpich 16 "$last" $twice
[ ! -s twice.said ] && pass || fail "called twice: says $(cat twice.said)"
for wanted in 'n1 = 6; i1' 'n1 = log2_of(ranks); i1'; do
    grep -qF -- "$wanted" twice.c && pass || fail "called twice: no $wanted in the program"
done
[ "$(grep -c 'static void swap_[0-9]*_*(void) {' twice.c)" -ge 2 ] && pass || fail "called twice: $(grep -c 'swap_.*{' twice.c) functions swap"

set -- $runs
says 1 "has 2 ranks, as" refrain proxy "$1" "$1"
says 1 "runs of one program are expected" refrain proxy "$1" "$whole"

# Calls that are left out are listed, and take the time that they took.
mpicc.mpich -O1 -w "$tests/programs/mpi_rma.c" -I "$tests/../include" -o rma || fail "compile mpi_rma.c"
recorded_run rma-run mpich 2 ./rma
says 0 "are left out" refrain proxy "$trace" -o rma.c
grep -q '^ \* Calls that are left out:$' rma.c && grep -q '^ \*     [0-9]* MPI_Put$' rma.c && pass || fail "MPI_Put is not listed"
check "a program without one-sided calls" mpicc.mpich -O1 -Wall -Wextra -Werror rma.c -o rma.proxy
check "its run" launch mpich 2 ./rma.proxy

# Runs that no program can repeat
recorded_run inter mpich 4 ./proxied.mpich 1
says 1 "MPI_Intercomm_create ($tests/programs/proxied.c:" refrain proxy "$trace"
recorded_run killed mpich 4 ./proxied.mpich 2
says 1 "did not come to its end" refrain proxy "$trace"
REFRAIN_MODE=events REFRAIN_DIRECTORY="$work/events" launch mpich 2 ./built >said 2>&1
says 1 "recorded events and no formulas" refrain proxy "$(the_trace events)"
cp -r "$whole" some.refrain && rm some.refrain/rank-2.trace
says 1 "rank 2 has no trace" refrain proxy some.refrain

# The command line
says 1 "proxied-mpich.c" refrain proxy "$whole" -o proxied-mpich.c
says 0 "" refrain proxy "$whole" -f -o proxied-mpich.c
refrain proxy "$whole" >standard
cmp -s standard proxied-mpich.c && pass || fail "standard output has another program"
refrain proxy --compute walk "$whole" >said 2>&1
[ $? -eq 2 ] && grep -q "spin, sleep or memory" said && pass || fail "--compute walk: $(head -n 1 said)"
says 1 "nothing.refrain" refrain proxy nothing.refrain

# The program refuses another number of ranks.
launch mpich 2 ./proxied-mpich.proxy >said 2>&1 && fail "2 ranks instead of 4" || pass
grep -q "needs 4 ranks and has 2" said && pass || fail "2 ranks: $(head -n 1 said)"
summary
