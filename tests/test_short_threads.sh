#!/bin/sh
# Many short threads: the location of a thread that has ended is the next one's, so that any number of them is traced in
# the memory of those that run at a time; none is lost, and the trace is exact.
set -u
. "$(dirname "$0")/lib.sh"
command -v mpicc.mpich >/dev/null || skip "no MPICH"
cd "$work" || exit 1
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O2 -w "$tests/programs/short_threads.c" -o short_threads -lpthread 2>said ||
    fail "compile: $(head -n 1 said)"
export REFRAIN_THROTTLE=off # which goes by time

# traced NAME THREADS EXPECTED ARGUMENTS...: traces with room for THREADS threads at a time, and prints the last line.
traced() {
    name=$1
    expected=$3
    rm -rf run
    mkdir run
    REFRAIN_MODE=both REFRAIN_THREADS=$2 REFRAIN_TOTAL_MEMORY=1M REFRAIN_DIRECTORY=run \
        timeout 300 mpiexec.mpich -n 1 ./short_threads "$4" "$5" ${6:+"$6"} >out 2>err || fail "$name: $(head -n 1 err)"
    [ "$(cat out)" = "short_threads: $expected" ] && pass || fail "$name: printed $(head -n 1 out)"
    trace=$(the_trace run)
    exact "$trace" "$name"
    refrain info --verbose "$trace" >info
    lost=$(grep '^  lost' info | head -n 1)
    [ -z "$lost" ] && pass || fail "$name:$lost"
    locations=$(awk -F '\t' '{ thread = 0; for (i = 5; i <= NF; i++) if ($i ~ /^thread=/) thread = substr($i, 8)
                               print thread }' recorded | sort -u | tr '\n' ' ')
}

# calls N: checks that the trace has this number of calls of MPI_Sendrecv.
calls() {
    n=$(grep -c "	enter	MPI_Sendrecv	" recorded)
    [ "$n" -eq "$1" ] && pass || fail "$name: $n calls, not $1"
}

traced "one after the other" 2 10000 10000 1
calls 15000
[ "$locations" = "0 1 " ] && pass || fail "$name: threads $locations"
traced "three at a time" 4 3000 3000 3
calls 4500
[ "$locations" = "0 1 2 3 " ] || [ "$locations" = "0 1 2 " ] || [ "$locations" = "0 1 " ] && pass || fail "$name: threads $locations"
traced "the main thread ends first" 2 left 100 1 leave
calls 151

# Paths and metrics start from zero with each thread.
REFRAIN_CALL_PATH=on traced "with call paths" 2 300 300 1
calls 450
summary
