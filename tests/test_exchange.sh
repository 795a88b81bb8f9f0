#!/bin/sh
# The steps that the processes of refrain-reconstruct tell each other (test_exchange.c), by each MPI and one to three
# processes.
set -u
. "$(dirname "$0")/lib.sh"
parallel_only
for mpi in mpich openmpi; do
    [ -x "$bin/refrain-reconstruct-$mpi" ] || continue
    for processes in 1 2 3; do
        launch "$mpi" "$processes" "$bin/test_exchange-$mpi" >"$work/said" 2>&1 && pass ||
            fail "$processes processes of $mpi: $(head -n 5 "$work/said")"
        grep -q '^[1-9][0-9]* passed, 0 failed$' "$work/said" && pass || fail "$mpi: $(tail -n 2 "$work/said")"
    done
done
summary
