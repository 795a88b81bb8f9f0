#!/bin/sh
# Patterns of communication that no part of refrain knows (benchmarks/patterns.c): what is reconstructed must equal what
# was recorded in the same run, with and without call paths, in a program as it is and in an instrumented one.
#   test_patterns.sh BIN
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
export REFRAIN_MODE=both REFRAIN_THROTTLE=off # which goes by time

source=$tests/../benchmarks/patterns.c
patterns=$(grep -c '^    {"' "$source")
for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    mpicc.$mpi -O2 -w "$source" -o "plain-$mpi" 2>said || fail "$mpi: compile: $(head -n 1 said)"
    REFRAIN_MPICC=mpicc.$mpi refrain-mpicc -O2 -w "$source" -o "traced-$mpi" 2>said || fail "$mpi: compile: $(head -n 1 said)"
    for ranks in 2 3; do
        rm -rf run
        mkdir run
        REFRAIN_DIRECTORY=run launch $mpi $ranks "./traced-$mpi" 6 >out 2>said || fail "$mpi, $ranks ranks: $(head -n 1 said)"
        [ "$(grep -c '	' out)" = "$patterns" ] && pass || fail "$mpi, $ranks ranks: $(grep -c '	' out) of $patterns patterns"
        exact "$(the_trace run)" "$mpi, $ranks ranks, instrumented"
        refrain info "$(the_trace run)" >info
        grep -q "nothing was lost" info && pass || fail "$mpi, $ranks ranks: $(grep lost info)"
    done
    for depth in off 8; do
        rm -rf run
        mkdir run
        case $mpi in
        mpich) set -- env LD_PRELOAD="$bin/../lib/librefrain-yield.so" refrain record -q --no-report -d run mpiexec.mpich -n 2 ;;
        *) set -- refrain record -q --no-report -d run mpiexec.openmpi --allow-run-as-root --oversubscribe -n 2 ;;
        esac
        REFRAIN_CALL_PATH=$depth timeout 120 "$@" "./plain-$mpi" 6 >out 2>said ||
            fail "$mpi, call paths $depth: $(head -n 1 said)"
        exact "$(the_trace run)" "$mpi, call paths $depth"
    done
done
summary
