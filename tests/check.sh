#!/bin/sh
# check.sh: installs missing packages, builds refrain with gcc, compiles it with clang (warnings of both are errors), and runs all
# tests except the campaigns. BUILD names the build directory (default: build-check in the source tree). The exit status is 0 if
# all tests passed, and none was skipped for something that setup.sh installs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-check}
sh "$root/tests/setup.sh"
started=$(date +%s)
sh "$root/tests/build.sh" "$build" -DCMAKE_C_COMPILER=gcc -DREFRAIN_WERROR=ON
echo "== compiling with clang"
python3 "$root/tests/clang.py" "$build"
echo "== $(($(date +%s) - started)) seconds"
echo "== testing"
cd "$build"
status=0
TEST_ALL=1 ctest -j"$(nproc)" --output-on-failure --timeout 900 || status=$?
echo "== $(($(date +%s) - started)) seconds"
exit $status
