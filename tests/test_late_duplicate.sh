#!/bin/sh
# MPI_Test does not wait for the name of a duplicate that MPI_Comm_idup has made, and the name is known in the end. With
# MPICH: Open MPI's MPI_Comm_idup posts collectives of its own as it goes on, which those of a rank that is held up
# between two calls do not match.
set -u
. "$(dirname "$0")/lib.sh"
command -v mpicc.mpich >/dev/null || skip "no MPICH"
cd "$work" || exit 1
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w "$tests/programs/late_duplicate.c" -o late_duplicate 2>said ||
    fail "compile: $(head -n 1 said)"
mkdir run
mkfifo fifo
REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch mpich 4 ./late_duplicate "$PWD/fifo" >out 2>err ||
    fail "status $?, $(head -n 1 err)"
[ "$(cat out)" = "late_duplicate: 4" ] && pass || fail "printed $(head -n 1 out)"
exact "$(the_trace run)" late_duplicate
! grep -q approximate reconstructed && pass || fail "$(grep -m 1 approximate reconstructed)"
refrain info --verbose "$(the_trace run)" >info
! grep -q '^  lost' info && pass || fail "$(grep -m 1 '^  lost' info)"
# The duplicates that are used, in two of four rounds: an exchange of four ranks each, in a communicator of four.
received=$(grep -c '	recv	MPI_Sendrecv	source=' reconstructed)
[ "$received" = 8 ] && pass || fail "$received messages received"
summary
