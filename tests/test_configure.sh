#!/bin/sh
# Which MPI libraries the configuration finds (cmake/FindMpiCompilers.cmake): compiler wrappers of both families, wrappers
# that print warnings, and programs that are no wrappers. The wrappers here are scripts that print given lines.
set -u
. "$(dirname "$0")/lib.sh"
root=$(cd "$tests/.." && pwd)

mpich=$(mpicc.mpich -show | tr ' ' '\n' | sed -n 's/^-I//p' | head -n 1)
openmpi=$(mpicc.openmpi -show | tr ' ' '\n' | sed -n 's/^-I//p' | head -n 1)
# wrapper NAME LINE...: an mpicc that prints these lines for -show.
wrapper() {
    name=$1
    shift
    printf '%s\n' "$@" >"$work/$name.shown"
    printf '#!/bin/sh\necho "%s: this wrapper will be removed" >&2\ncat "%s"\n' "$name" "$work/$name.shown" >"$work/$name"
    chmod +x "$work/$name"
}
cat >"$work/find.cmake" <<END
cmake_minimum_required(VERSION 3.25)
include($root/cmake/Summary.cmake)
include($root/cmake/FindMpiCompilers.cmake)
foreach(mpi \${REFRAIN_MPIS})
    message("\${mpi}|\${REFRAIN_\${mpi}_CC}|\${REFRAIN_\${mpi}_OPTIONS}|\${REFRAIN_\${mpi}_LIBRARIES}")
endforeach()
refrain_print_summary()
END
compiler=$(command -v gcc)
cmake=$(command -v cmake)
# find_mpis [-DREFRAIN_MPICC=...]: returns the status of cmake; its output is in "found".
find_mpis() {
    PATH=${path-$PATH} "$cmake" -DPROJECT_BINARY_DIR="$work" -DCMAKE_C_COMPILER="$compiler" "$@" -P "$work/find.cmake" \
        >"$work/found" 2>&1
}

# MPICH built from source names its library libmpi, like Open MPI: mpi.h decides.
wrapper source "gcc -I$mpich -L/opt/mpich/lib -Wl,-rpath -Wl,/opt/mpich/lib -lmpi"
find_mpis -DREFRAIN_MPICC="$work/source" || fail "MPICH from source: $(cat "$work/found")"
grep -qx "mpich|$work/source|-I$mpich|-L/opt/mpich/lib;-Wl,-rpath;-Wl,/opt/mpich/lib;-lmpi" "$work/found" && pass ||
    fail "MPICH from source: $(cat "$work/found")"
wrapper warns "warning: a module is not loaded" "mpicc: note: -lold and -I/old are ignored" "gcc -I $openmpi -lmpi" "see: -h for help"
find_mpis -DREFRAIN_MPICC="$work/warns" || fail "a wrapper that warns: $(cat "$work/found")"
grep -qx "openmpi|$work/warns|-I$openmpi|-lmpi" "$work/found" && pass || fail "a wrapper that warns: $(cat "$work/found")"
find_mpis "-DREFRAIN_MPICC=$work/source;$work/warns" && [ "$(grep -c '^[a-z]*|' "$work/found")" -eq 2 ] && pass ||
    fail "one of each family: $(cat "$work/found")"
find_mpis "-DREFRAIN_MPICC=$work/source;$work/source" && fail "two of one family" || pass
tr -s "\n " " " <"$work/found" | grep -q "are of one family (mpich); build refrain once" && pass || fail "two of one family: $(cat "$work/found")"

# Without MPI, MPI is left out, and the summary says so. A named wrapper that is not one is an error.
wrapper other "gcc -I/usr/include -lmpi"
find_mpis -DREFRAIN_MPICC="$work/other" && fail "a wrapper without mpi.h" || pass
mkdir "$work/bin"
path=$work/bin find_mpis || fail "no MPI: $(cat "$work/found")"
grep -q "MPI calls: needs an mpicc" "$work/found" && pass || fail "no MPI: $(cat "$work/found")"
# The only mpicc on the path is none: the summary names it.
printf '#!%s\nexit 1\n' "$(command -v sh)" >"$work/bin/mpicc"
chmod +x "$work/bin/mpicc"
path=$work/bin find_mpis || fail "an mpicc that fails: $(cat "$work/found")"
grep -q "$work/bin/mpicc -show names no mpi.h" "$work/found" && pass || fail "an mpicc that fails: $(cat "$work/found")"
summary
