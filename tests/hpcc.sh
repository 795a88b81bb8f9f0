#!/bin/sh
# hpcc.sh: builds and runs HPC Challenge (Debian's source package hpcc) with the wrapper. Its results must be those of a plain build,
# and the reconstruction must equal the recording. Takes long, and is not part of the tests. The source is downloaded with
# Debian's tools, or taken from a directory. Needs a BLAS (libblas-dev).
#
#   hpcc.sh BIN [MPI...]      MPI: mpich by default
#   HPCC_SOURCE=DIR           unpacked source of HPCC; else it is downloaded (apt needs a deb-src source)
#   HPCC_SIZE=N               order of the matrices, 100 by default
set -u
[ $# -ge 1 ] || {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
. "$(dirname "$0")/lib.sh"
shift
LC_ALL=C
export LC_ALL

HPCC_SOURCE=${HPCC_SOURCE:-$(debian_source hpcc)} || {
    fail "cannot download HPCC's source: $(tail -n 1 "$work/apt.log")"
    summary
    exit
}
[ -f "$HPCC_SOURCE/hpl/setup/Make.Linux_PII_FBLAS" ] || {
    fail "$HPCC_SOURCE: no hpl/setup/Make.Linux_PII_FBLAS in it"
    summary
    exit
}

# build NAME COMPILER: NAME/hpcc
build() {
    cp -R "$HPCC_SOURCE" "$work/$1"
    sed -e 's|^TOPdir .*|TOPdir = ../../..|' -e 's|^MPdir .*|MPdir =|' -e 's|^MPinc .*|MPinc =|' -e 's|^MPlib .*|MPlib =|' \
        -e 's|^LAdir .*|LAdir =|' -e 's|^LAlib .*|LAlib = -lblas|' -e "s|^CC .*|CC = $2|" -e "s|^LINKER .*|LINKER = $2|" \
        -e 's|^CCFLAGS .*|CCFLAGS = $(HPL_DEFS) -O2 -w|' \
        "$HPCC_SOURCE/hpl/setup/Make.Linux_PII_FBLAS" >"$work/$1/hpl/Make.refrain"
    make -C "$work/$1" arch=refrain >"$work/$1.log" 2>&1 && [ -x "$work/$1/hpcc" ]
}

# verdicts DIRECTORY: prints its results, without figures that differ from run to run.
verdicts() {
    grep -hoE 'PASSED|FAILED|^[A-Za-z_]*(Success|Failures|Failure|Errors)=[0-9.e+-]*' "$1/hpccoutf.txt" | sort | uniq -c
}

for mpi in ${*:-mpich}; do
    build "plain-$mpi" "mpicc.$mpi" || {
        fail "$mpi: does not compile: $(grep -m 1 -i error "$work/plain-$mpi.log")"
        continue
    }
    if REFRAIN_MPICC=mpicc.$mpi build "traced-$mpi" refrain-mpicc; then
        pass
    else
        fail "$mpi: does not compile under the wrapper: $(grep -m 1 -i error "$work/traced-$mpi.log")"
        continue
    fi
    for kind in plain traced; do
        sed -e "6s/.*/${HPCC_SIZE:-100}          Ns/" -e 's/^[0-9]*  *\(.*PxQ\)/1 \1/' -e '11s/.*/2 Ps/' -e '12s/.*/2 Qs/' \
            "$HPCC_SOURCE/_hpccinf.txt" >"$work/$kind-$mpi/hpccinf.txt"
        (cd "$work/$kind-$mpi" && REFRAIN_MODE=both REFRAIN_TOTAL_MEMORY=64M REFRAIN_DIRECTORY=$work/$kind-$mpi \
            launch "$mpi" 4 ./hpcc >out 2>&1) || fail "$mpi, $kind: status $?: $(tail -n 1 "$work/$kind-$mpi/out")"
        verdicts "$work/$kind-$mpi" >"$work/$kind-$mpi.verdicts"
    done
    [ -s "$work/plain-$mpi.verdicts" ] && cmp -s "$work/plain-$mpi.verdicts" "$work/traced-$mpi.verdicts" && pass ||
        fail "$mpi: other verdicts: $(diff "$work/plain-$mpi.verdicts" "$work/traced-$mpi.verdicts" | head -n 3 | tr '\n' ' ')"
    trace=$(the_trace "$work/traced-$mpi") && exact "$trace" "$mpi" && echo "$mpi: $events events as they were recorded"
done
summary
