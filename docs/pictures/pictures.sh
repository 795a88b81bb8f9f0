#!/bin/sh
# pictures.sh BUILD MODULES: makes the pictures of docs/view.md, from a build with tests and MPICH. MODULES has
# playwright-core; chromium is installed. Look at them, and adapt the figures in docs/view.md.
set -eu
docs=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$docs/../.." && pwd)
build=$(cd "${1:?the build directory}" && pwd)
modules=$(cd "${2:?the directory with node_modules of playwright-core}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="$build/bin:$PATH" REFRAIN_MPICC=mpicc.mpich
cd "$work"

# The late sender. Its ranks pause where others would compute, so that it looks alike on a busy machine.
refrain-mpicc -g -O2 "$top/examples/late_sender.c" -o late_sender
REFRAIN_DIRECTORY=late refrain-run mpiexec.mpich -n 4 ./late_sender >/dev/null
refrain view late/*.refrain -o late.html
refrain reconstruct late/*.refrain --format text -o late.txt
from=$(awk -F '\t' '$3 == "enter" && $4 == "step" { print $2; exit }' late.txt)

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
