#!/bin/sh
# build.sh BUILD [CMAKE-ARGUMENT...]: configures and builds refrain with its tests in BUILD, with progress; quiet where
# nothing changed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
shift
echo "== building in $build"
cmake -S "$root" -B "$build" -DREFRAIN_TESTS=ON "$@" >"$build.configure.log" 2>&1 || {
    cat "$build.configure.log" >&2
    exit 1
}
rm -f "$build.configure.log"
cmake --build "$build" --parallel "$(nproc)"
