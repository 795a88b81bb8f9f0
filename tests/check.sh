#!/bin/sh
# check.sh: installs what is missing, builds refrain with gcc and with clang (warnings are errors), runs every test.
# BUILD names the build directory (default: build-check in the source tree). Exit status 0 when all passed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-check}
sh "$root/tests/setup.sh"
started=$(date +%s)
sh "$root/tests/build.sh" "$build-clang" -DCMAKE_C_COMPILER=clang -DREFRAIN_WERROR=ON -DREFRAIN_TESTS=OFF
sh "$root/tests/build.sh" "$build" -DCMAKE_C_COMPILER=gcc -DREFRAIN_WERROR=ON
echo "== testing"
cd "$build"
status=0
ctest -j"$(nproc)" --output-on-failure --timeout 900 || status=$?
echo "== $(($(date +%s) - started)) seconds"
exit $status
