#!/bin/sh
# The reading library as WebAssembly must return the same as on this machine: model and events, of whole and of damaged
# traces.
set -u
. "$(dirname "$0")/lib.sh"
wasm=$bin/../lib/dump_images.wasm
[ -e "$wasm" ] || skip "built without clang with a C library for wasm32-wasi"
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || {
    echo "skipped: it takes node 20 or newer, which Debian 12 does not have"
    exit 77
}

# compare NAME RECORDED FILE...
compare() {
    name=$1
    shift
    "$bin/dump_images" "$@" >"$work/native"
    native=$?
    timeout 300 node --no-warnings "$tests/run_wasi.mjs" "$work" "$wasm" "$@" >"$work/wasm" 2>"$work/err"
    status=$?
    [ $status -eq $native ] && [ -s "$work/native" ] && cmp -s "$work/native" "$work/wasm" && pass || {
        fail "$name: status $status, here $native; $(wc -l <"$work/native") lines here, $(wc -l <"$work/wasm") there: $(head -n 2 "$work/err")"
        diff "$work/native" "$work/wasm" | head -n 4
    }
}

# It may import only the functions with which WASI's C library ends a program.
imports=$(node -e 'const m = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]))
    console.log(WebAssembly.Module.imports(m).map(i => i.name).sort().join(" "))' "$bin/../lib/refrain-read.wasm")
case $imports in
*open* | *path* | *clock*) fail "refrain-read.wasm takes: $imports" ;;
*) pass ;;
esac
for program in mpi_nonblocking mpi_threads mpi_comms; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/$program.c" -o "$work/$program" -lpthread || fail "compile"
    run=$work/$program-run
    mkdir "$run"
    (cd "$run" && REFRAIN_MODE=both REFRAIN_THREADS=8 REFRAIN_DIRECTORY=$run launch mpich 3 "$work/$program" >/dev/null)
    trace=$(the_trace "$run")
    compare "$program: reconstructed" 0 "$trace"/rank-*.trace
    compare "$program: recorded" 1 "$trace"/rank-*.trace
done
truncate -s 9000 "$trace/rank-1.trace"
compare "a truncated image" 0 "$trace"/rank-*.trace
summary
