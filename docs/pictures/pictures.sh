#!/bin/sh
# pictures.sh BUILD MODULES: makes the pictures of docs/view.md, from a build with tests and MPICH (the machine should do
# nothing else meanwhile: the first three show a run on 4 ranks). MODULES has playwright-core; chromium is installed.
# Look at them, and adapt the figures in docs/view.md.
set -eu
docs=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$docs/../.." && pwd)
build=$(cd "${1:?the build directory}" && pwd)
modules=$(cd "${2:?the directory with node_modules of playwright-core}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="$build/bin:$PATH" REFRAIN_MPICC=mpicc.mpich
cd "$work"

# The matrix multiplication: the shortest of five runs, which was disturbed least.
for source in matmul distribute multiply; do
    refrain-mpicc -g -O2 -c "$top/tests/programs/matmul/$source.c"
done
refrain-mpicc matmul.o distribute.o multiply.o -o matmul
for run in 1 2 3 4 5; do
    REFRAIN_DIRECTORY=run-$run refrain-run mpiexec.mpich -n 4 ./matmul 200 20 >/dev/null
    refrain info --json run-$run/*.refrain >info.json
    echo "$(python3 -c 'import json; print(max(p["end_ns"] for p in json.load(open("info.json"))["processes"]))') run-$run"
done | sort -n >runs
shortest=$(sed -n '1s/.* //p' runs)
refrain view "$shortest"/*.refrain -o matmul.html
refrain reconstruct "$shortest"/*.refrain --format text -o matmul.txt
from=$(awk -F '\t' '$3 == "enter" && $4 == "distribute" { print $2; exit }' matmul.txt)

# A stencil on 64 ranks, and on 4, slower from step 120 on: with a simulated clock. In tests a function of it has a name of
# 43 characters that a page must not run; here it has a usual one.
zeros=$(printf '%38s' '' | sed 's/ /\\x00/g')
LC_ALL=C sed "s/<img src=x onerror=document.title='broken'>/relax$zeros/" "$build/bin/many_ranks" >stencil
chmod +x stencil
LD_LIBRARY_PATH=$build/lib ./stencil 64 100 ranks.refrain
LD_LIBRARY_PATH=$build/lib ./stencil 4 200 before.refrain
LD_LIBRARY_PATH=$build/lib ./stencil 4 200 after.refrain 120
refrain view ranks.refrain -o ranks.html
refrain view before.refrain after.refrain -o two.html

node "$docs/pictures.mjs" "$modules" "$work" "$docs" "$from"
# A palette makes them a third of the size, where ImageMagick is there.
! command -v convert >/dev/null || for picture in "$docs"/view-*.png; do
    convert "$picture" -dither None -colors 255 "PNG8:$picture"
done
