#!/bin/sh
# build.sh BUILD [CMAKE-ARGUMENT...]: configures and builds refrain with its tests in BUILD. Shows the progress. Prints
# nothing if nothing has changed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
shift
echo "== building in $build"
# Ninja starts half as many processes as make. An existing directory keeps its generator.
generator=
[ -f "$build/CMakeCache.txt" ] || ! command -v ninja >/dev/null || generator="-G Ninja"
# shellcheck disable=SC2086 # two words, or none
cmake $generator -S "$root" -B "$build" -DREFRAIN_TESTS=ON "$@" >"$build.configure.log" 2>&1 || {
    cat "$build.configure.log" >&2
    exit 1
}
rm -f "$build.configure.log"
cmake --build "$build" --parallel "$(nproc)"
