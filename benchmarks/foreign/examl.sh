# shellcheck shell=sh disable=SC2034,SC2154,SC2016 # read by foreign.sh, which sets what is read here
# ExaML: the likelihood of an evolutionary tree of 49 species, on 2 ranks, which reduce a few numbers after each step.
source_package=examl
about="phylogenetics, MPI, 2 ranks"
needs="mpicc.mpich mpiexec.mpich"
compiler=mpicc.mpich
mpi=yes
binaries=examl/examl

# Its own parser writes the input as ExaML reads it; it makes no MPI call.
prepare() {
    make -C parser -f Makefile.SSE3.gcc CC=gcc && (cd testData && ../parser/parse-examl -s 49 -m DNA -n 49)
}

build() {
    make -C examl -f Makefile.SSE3.gcc CC="$CC" examl
}

# The smaller the number that it stops at, the more steps it makes.
load() {
    case $1 in
    small | quick) change=1000 ;;
    *) change=1 ;;
    esac
    examl=$PWD/examl/examl data=$PWD/testData
    (cd "$scratch" && rm -f ExaML_* && mpiexec.mpich -n 2 $under "$examl" -s "$data/49.binary" -t "$data/49.tree" -m GAMMA -f e -e $change \
        -n run -w "$scratch/" >said && grep '^Likelihood tree' said && cat ExaML_TreeFile.run)
}
