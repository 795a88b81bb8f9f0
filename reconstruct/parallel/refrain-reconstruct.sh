#!/bin/sh
# refrain-reconstruct: the program of the MPI whose launcher started it: mpiexec -n N refrain-reconstruct TRACE -o OUT.
here=$(dirname "$(readlink -f "$0")")
mpi=@REFRAIN_FIRST_MPI@
[ -z "${OMPI_COMM_WORLD_SIZE-}" ] || mpi=openmpi
[ -z "${PMI_SIZE-}" ] || mpi=mpich
if [ ! -x "$here/refrain-reconstruct-$mpi" ]; then
    echo "refrain-reconstruct: this refrain was built without $mpi; refrain reconstruct does the same in one process" >&2
    exit 1
fi
exec "$here/refrain-reconstruct-$mpi" "$@"
