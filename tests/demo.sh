#!/bin/sh
# demo.sh: installs missing packages, builds refrain, traces a matrix multiplication on 4 ranks, and reconstructs its events.
# BUILD names the build directory (default: build), RESULTS the directory for the results (default: demo-results, made anew).
# In the documentation of an installed refrain, it uses this refrain, and the results go to demo-results in the current directory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
if [ -f "$here/setup.sh" ]; then
    build=${BUILD:-$root/build}
    results=${RESULTS:-$root/demo-results}
    programs=$here/programs
    sh "$here/setup.sh"
    sh "$here/build.sh" "$build" -DREFRAIN_TESTS=OFF
    bin=$build/bin
else
    results=${RESULTS:-$PWD/demo-results}
    programs=$here
    for tool in refrain gcc mpiexec.mpich; do
        command -v $tool >/dev/null || {
            echo "demo.sh: there is no $tool here: apt-get install refrain refrain-mpich gcc mpich libmpich-dev" >&2
            exit 1
        }
    done
    bin=$(dirname "$(command -v refrain)")
fi
rm -rf "$results"
mkdir -p "$results"

echo "== instrumenting and compiling $programs/matmul"
mpi=mpich
mpicc=mpicc.mpich
command -v $mpicc >/dev/null 2>&1 || mpicc=mpicc
cd "$programs/matmul"
for source in matmul distribute multiply; do
    REFRAIN_MPICC=$mpicc "$bin/refrain-mpicc" -O2 -c $source.c -o "$results/$source.o"
done
REFRAIN_MPICC=$mpicc "$bin/refrain-mpicc" "$results"/matmul.o "$results"/distribute.o "$results"/multiply.o -o "$results/matmul"

cd "$results"
echo "== a run on 4 ranks writes:"
"$bin/refrain" size ./matmul --ranks 4
echo "== running on 4 ranks, formulas and recorded events of the same run side by side"
REFRAIN_MODE=both "$bin/refrain-run" mpiexec.$mpi -n 4 ./matmul 200 20
trace=$(ls -d matmul-*.refrain)

echo "== refrain info"
"$bin/refrain" info "$trace"
echo "== refrain formulas"
"$bin/refrain" formulas "$trace" | head -n 40
echo "== reconstructing"
"$bin/refrain" reconstruct "$trace" -o otf2
"$bin/refrain" reconstruct "$trace" --format text -o events.txt
"$bin/refrain" events "$trace" -o recorded.txt --format text
echo "== the first events"
head -n 12 events.txt
echo "== exactness: reconstructed against recorded, every field but time"
"$bin/refrain" compare recorded.txt events.txt
echo
echo "Results in $results:"
echo "  $trace    the trace (refrain info | formulas | stats | reconstruct)"
echo "  otf2/traces.otf2    the reconstructed events, for otf2-print, ViTE, Vampir, ..."
echo "  events.txt    the same as text"
