#!/bin/sh
# mpi_calls.def has every function of the installed mpi.h, and the library a wrapper for it. Prints the names that lack.
set -u
. "$(dirname "$0")/lib.sh"

calls=$tests/../include/refrain/mpi_calls.def
generator=$tests/../monitor/mpi/mpi_generate.awk
tried=0
for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    tried=$((tried + 1))
    echo '#include <mpi.h>' | "mpicc.$mpi" -E -x c - >"$work/mpi.i" || fail "$mpi: cannot preprocess mpi.h"
    missing=$(awk -f "$generator" -v out=check "$calls" "$work/mpi.i" | tr '\n' ' ')
    [ -z "$missing" ] && pass || fail "$mpi: mpi.h has, and mpi_calls.def lacks: $missing"

    library=$(find "$bin/.." -name "librefrain-$mpi.so" | head -n 1)
    [ -n "$library" ] && pass || { fail "$mpi: no librefrain-$mpi.so near $bin"; continue; }
    nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$work/defined"
    awk -f "$generator" -v out=has "$calls" "$work/mpi.i" | sed -n 's/^#define REFRAIN_HAS_\(MPI.*\) 1$/\1/p' | sort >"$work/declared"
    sed -n 's/^REFRAIN_MPI_CALL(\([A-Za-z0-9_]*\), FORTRAN.*/\1/p' "$calls" | sort >"$work/fortran"
    [ "$(wc -l <"$work/declared")" -gt 300 ] && pass || fail "$mpi: only $(wc -l <"$work/declared") functions found in mpi.h"
    missing=$(comm -23 "$work/declared" "$work/fortran" | comm -23 - "$work/defined" | tr '\n' ' ')
    [ -z "$missing" ] && pass || fail "$mpi: no wrapper in $library for: $missing"
    # Wrappers may be two functions: refrain_MPI_X_otherwise belongs to MPI_X (monitor/mpi/mpi_wrap.h).
    sed 's/^refrain_\(MPI_.*\)_otherwise$/\1/' "$work/defined" | sort -u >"$work/wrapped"
    other=$(comm -13 "$work/declared" "$work/wrapped" | tr '\n' ' ')
    [ -z "$other" ] && pass || fail "$mpi: $library exports more than MPI functions: $other"
    # All that the wrappers call is there: a program that uses none of them links.
    echo 'int main(void) { return 0; }' >"$work/empty.c"
    check "$mpi: links" "mpicc.$mpi" "$work/empty.c" -o "$work/empty" -Wl,--no-as-needed "$library" \
        -Wl,-rpath-link,"$(dirname "$library")"
done
[ "$tried" -gt 0 ] || fail "neither mpicc.mpich nor mpicc.openmpi is installed"
summary
