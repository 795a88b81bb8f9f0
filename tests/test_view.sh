#!/bin/sh
# The page of refrain view in a real browser: what it shows of four runs is what reconstruct says of them (view.mjs).
set -u
. "$(dirname "$0")/lib.sh"

sources=$tests/../reconstruct/view
if ! refrain view --help >/dev/null 2>&1 || ! command -v npm >/dev/null || ! command -v chromium >/dev/null; then
    pass
    echo "skipped: refrain view, npm or chromium is missing"
    summary
    exit
fi

# ---- traces: a real run, one that was killed, one with threads, one of many ranks

mkdir "$work/demo" "$work/killed" "$work/hybrid"
for source in matmul distribute multiply; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O2 -c "$tests/programs/matmul/$source.c" -o "$work/$source.o" || fail "compile $source"
done
REFRAIN_MPICC=mpicc.mpich refrain-mpicc "$work"/*.o -o "$work/matmul" || fail "link matmul"
REFRAIN_DIRECTORY=$work/demo check "matmul" launch mpich 4 "$work/matmul" 60 5
check "hybrid" make -s -C "$tests/../benchmarks/workloads" CC="env REFRAIN_MPICC=mpicc.mpich refrain-mpicc" \
    BUILD="$work/workloads" ONLY=hybrid
OMP_NUM_THREADS=2 REFRAIN_DIRECTORY=$work/hybrid check "hybrid" launch mpich 2 "$work/workloads/hybrid"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/control" || fail "compile control"
REFRAIN_TOTAL_MEMORY=6M REFRAIN_DIRECTORY=$work/killed refrain-run mpiexec.mpich -n 2 "$work/control" 1000000 500 >/dev/null 2>&1 &
launcher=$!
sleep 0.6
for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe")" != "$work/control" ] || kill -9 "${process#/proc/}"
done
wait $launcher 2>/dev/null
check "64 ranks" "$bin/many_ranks" 64 40 "$work/many.refrain"
check "a rank is missing" rm "$work/many.refrain/rank-9.trace"

for name in demo killed hybrid many; do
    trace=$work/$name.refrain
    [ $name = many ] || trace=$(the_trace "$work/$name") || fail "$name: no trace"
    check "$name: view" refrain view "$trace" -o "$work/$name.html"
    check "$name: reconstruct" refrain reconstruct "$trace" --format text -o "$work/$name.txt"
done
refrain view "$work/many.refrain" -o "$work/many.html" 2>"$work/said"
[ $? -eq 1 ] && grep -q "exists" "$work/said" && pass || fail "an existing page is overwritten"
mkdir "$work/empty.refrain"
refrain view "$work/empty.refrain" -o "$work/empty.html" 2>"$work/said"
[ $? -eq 1 ] && grep -q "rank-N.trace" "$work/said" && [ ! -e "$work/empty.html" ] && pass || fail "an empty trace: $(cat "$work/said")"
grep -q "<img src=x" "$work/many.html" && fail "a name from the program is markup in the page" || pass

# ---- the browser

mkdir "$work/modules"
cp "$sources/package.json" "$sources/package-lock.json" "$work/modules"
check "npm" npm ci --prefix "$work/modules" --no-audit --no-fund
timeout 300 node "$tests/view.mjs" "$work/modules" "$work" >"$work/browser.out" 2>&1
cat "$work/browser.out"
[ "$(tail -n 1 "$work/browser.out")" = "all of it" ] && pass || fail "the browser's tests did not come to their end"
passed=$((passed + $(grep -c '^ok ' "$work/browser.out")))
failed=$((failed + $(grep -c '^FAILED' "$work/browser.out")))
summary
