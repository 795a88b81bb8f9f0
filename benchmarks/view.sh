#!/bin/sh
# view.sh BUILD [RANKS STEPS]...: measures the page of refrain view in chromium: its size, the time to open it and to show windows, and
# the frames of a scripted zoom. BUILD: a build directory with tests. Each pair of RANKS and STEPS is a run of tests/many_ranks.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- 4 100 64 1000 64 85000 1024 100
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-view.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$root/reconstruct/view/package.json" "$root/reconstruct/view/package-lock.json" "$work"
npm ci --prefix "$work" --no-audit --no-fund >"$work/npm.log" 2>&1 || {
    cat "$work/npm.log" >&2
    exit 1
}
echo "ranks   events      page-bytes  first-ms      read-ms       far-ms(median, most)      near-ms(median, most)     frame-ms(median, last but one, slowest)  late of 360"
while [ $# -ge 2 ]; do
    rm -rf "$work/run.refrain"
    "$build/bin/many_ranks" "$1" "$2" "$work/run.refrain"
    "$build/bin/refrain" view "$work/run.refrain" -o "$work/run.html" --force
    node "$root/benchmarks/view.mjs" "$work" "$work/run.html"
    shift 2
done
