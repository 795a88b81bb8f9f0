# shellcheck shell=sh disable=SC2034,SC2154,SC2016 # read by foreign.sh, which sets what is read here
# The HPC Challenge benchmarks: Linpack, matrix transpose, random access, FFT, latency and bandwidth, on 2 ranks.
source_package=hpcc
about="HPC Challenge, MPI, 2 ranks"
needs="mpicc.mpich mpiexec.mpich"
needs_library="blas"
compiler=mpicc.mpich
mpi=yes
binaries=hpcc

prepare() {
    sed -e 's,^CC .*,CC = '"$CC"',;s,^LINKER .*,LINKER = $(CC),' -e 's,^CCFLAGS .*,CCFLAGS = $(HPL_DEFS) -O2 -w,' \
        -e 's,^MPdir.*,MPdir =,;s,^MPinc.*,MPinc =,;s,^MPlib.*,MPlib =,;s,^LAlib.*,LAlib = -lblas,' \
        -e 's,^F2CDEFS.*,F2CDEFS = -DAdd__ -DF77_INTEGER=int -DStringSunStyle,' hpl/setup/Make.Linux_PII_FBLAS >hpl/Make.foreign
}

build() {
    make arch=foreign
}

# The output file has measured figures and results, and only the results are compared. Lines of processor time are left out, since
# they are missing if the time was too short to be measured.
load() {
    case $1 in
    small) n=100 ;;
    quick) n=200 ;;
    *) n=1000 ;;
    esac
    sed "s/^1000  *Ns/$n Ns/;s/^2  *Ps/1 Ps/" _hpccinf.txt >"$scratch/hpccinf.txt"
    hpcc=$PWD/hpcc
    (cd "$scratch" && rm -f hpccoutf.txt && mpiexec.mpich -n 2 $under "$hpcc" &&
        grep -c '^WALL.*PASSED\|[.] PASSED\|FAILED' hpccoutf.txt && grep 'HPL_N=\|PTRANS_n=\|Success=\|Errors=\|^End of HPC' hpccoutf.txt)
}
