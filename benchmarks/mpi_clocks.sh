#!/bin/sh
# mpi_clocks.sh OUT.so [-DCLOCKS]: builds mpi_clocks.h with a wrapper for every MPI function, for MPICH, to be preloaded.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: mpi_clocks.sh OUT.so [-DCLOCKS]}
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-clocks.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo '#include <mpi.h>' | mpicc.mpich -E -x c - >"$work/mpi.i"
# (MPI_Pcontrol has a variable number of arguments.)
sed "s/, OWN,/, PLAIN,/; s/, DOES,/, PLAIN,/; /MPI_Pcontrol/d" "$here/../include/refrain/mpi_calls.def" >"$work/all.def"
awk -f "$here/../monitor/mpi/mpi_generate.awk" -v out=plain -v header=mpi_clocks.h "$work/all.def" "$work/mpi.i" >"$work/clocks.c"
mpicc.mpich -O2 -w -fPIC -shared -ftls-model=initial-exec -I"$here" "$@" "$work/clocks.c" -o "$out"
