#!/bin/sh
# debian_programs.sh BIN [NAME...]: traces MPI programs of Debian packages as they are with refrain record in mode both. The
# reconstruction must equal the recording, and the exit status must be that of the program. Not part of the tests, since
# it needs packages that these do not need:
#
#     apt-get install hpcc scalapack-mpi-test python3-mpi4py netpipe-openmpi netpipe-mpich2 mumps-test ptscotch
#
# A program whose package is not installed is skipped, with a line. NAME: only these programs.
set -u
. "$(dirname "$0")/lib.sh"
shift
names=$*
cd "$work" || exit 1
tried=0
missing=

# program NAME MPI RANKS COMMAND...: runs the command in a directory of its own, which has its input.
program() {
    name=$1
    mpi=$2
    ranks=$3
    shift 3
    case " $names " in
    "  " | *" $name "*) ;;
    *) return ;;
    esac
    command -v "$1" >/dev/null || {
        missing="$missing $name"
        return
    }
    tried=$((tried + 1))
    mkdir -p "$name"
    cd "$name" || exit 1
    [ "$mpi" = openmpi ] && set -- mpiexec.openmpi --allow-run-as-root --oversubscribe --mca btl self,vader -n "$ranks" "$@" ||
        set -- mpiexec.mpich -n "$ranks" "$@"
    timeout 600 refrain-run "$@" >plain 2>&1
    plain=$?
    timeout 900 refrain record -q --mode both --memory "${MEMORY:-64M}" --directory run "$@" >out 2>said
    status=$?
    [ $status = $plain ] && pass || fail "$name: status $status, without refrain $plain: $(tail -n 3 said)"
    trace=$(the_trace run) && exact "$trace" "$name" &&
        printf '%-28s %9s events, %s\n' "$name" "$events" "$(refrain info --verbose "$trace" | grep -c 'nothing was lost') of $ranks ranks lost nothing"
    refrain info --verbose "$trace" 2>/dev/null | grep '^  lost' | sort | uniq -c
    refrain stats "$trace" >stats 2>&1 && pass || fail "$name: stats: $(head -n 1 stats)"
    cd .. && rm -rf "$name"
}

library=/usr/lib/$(gcc -dumpmachine 2>/dev/null || echo x86_64-linux-gnu)

# HPC Challenge, its smallest problem.
mkdir -p hpcc
sed -e '6s/.*/100          Ns/' -e 's/^[0-9]*  *\(.*PxQ\)/1 \1/' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpcc/hpccinf.txt 2>/dev/null
program hpcc openmpi 4 hpcc

# ScaLAPACK: the BLACS and PBLAS testers in C and Fortran, and drivers of each kind.
for mpi in mpich openmpi; do
    tests_of=$library/scalapack/$mpi-tests
    for test in xCbtest xFbtest xdlu xdllt xdqr xdbrd xdhrd xdsep xdsvd xcinv xsls PBLAS/dpb1tst PBLAS/zpb3tst PBLAS/TIMING/spb2tim; do
        name=scalapack-$mpi-$(basename $test)
        mkdir -p "$name"
        cp "$tests_of"/*.dat "$tests_of"/PBLAS/*.dat "$tests_of"/PBLAS/TIMING/*.dat "$tests_of"/BLACS/*.dat "$name" 2>/dev/null
        program "$name" $mpi 4 "$tests_of/$test"
    done
done

# MUMPS reads its problem from standard input.
for kind in s d c z; do
    input=/usr/lib/mumps/input_simpletest_real
    case $kind in c | z) input=/usr/lib/mumps/input_simpletest_cmplx ;; esac
    program mumps-$kind openmpi 2 sh -c "exec /usr/lib/mumps/${kind}simpletest <$input"
done

program netpipe-openmpi openmpi 2 NPopenmpi -u 8192 -n 20 -o np.out
program netpipe-openmpi2 openmpi 2 NPopenmpi2 -u 8192 -n 5 -o np.out
program netpipe-mpich2 mpich 2 NPmpich2 -u 8192 -n 20 -o np.out

# PT-SCOTCH orders the graph of a grid.
mkdir -p ptscotch
awk 'BEGIN {
    n = 24
    print 0
    print n * n, 4 * n * (n - 1)
    print 0, 0
    for (i = 0; i < n * n; i++) {
        line = ""
        degree = 0
        x = i % n
        y = int(i / n)
        if (x > 0) { line = line " " i - 1; degree++ }
        if (x < n - 1) { line = line " " i + 1; degree++ }
        if (y > 0) { line = line " " i - n; degree++ }
        if (y < n - 1) { line = line " " i + n; degree++ }
        print degree line
    }
}' >ptscotch/grid.grf
REFRAIN_THREADS=2 program ptscotch openmpi 3 dgord grid.grf /dev/null

# mpi4py: its own benchmarks and programs.
program mpi4py-hello openmpi 4 /usr/bin/python3 -m mpi4py.bench helloworld
program mpi4py-ring openmpi 4 /usr/bin/python3 -m mpi4py.bench ringtest -n 1000 -l 20
mkdir -p mpi4py-futures
cat >mpi4py-futures/squares.py <<'END'
from mpi4py.futures import MPICommExecutor
with MPICommExecutor() as executor:
    if executor is not None:
        print(sum(executor.map(abs, range(-50, 50))))
END
REFRAIN_THREADS=2 program mpi4py-futures openmpi 3 /usr/bin/python3 squares.py

[ -z "$missing" ] || echo "not installed:$missing"
[ $tried -gt 0 ] || exit 1
summary
