#!/bin/sh
# check.sh: installs missing packages, builds refrain with gcc and with clang (warnings are errors), and runs all tests except
# the campaigns. BUILD names the build directory (default: build-check in the source tree). The exit status is 0 if all tests
# passed, and none was skipped for something that setup.sh installs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-check}
sh "$root/tests/setup.sh"
started=$(date +%s)
# That by clang is for its warnings, which do not depend on how well it optimises: -O0 comes behind the options of the targets.
# Each build has long parts for one processor, so both run at once.
mkdir -p "$build-clang"
sh "$root/tests/build.sh" "$build-clang" -DCMAKE_C_COMPILER=clang -DREFRAIN_WERROR=ON -DREFRAIN_TESTS=OFF \
    "-DCMAKE_C_COMPILE_OBJECT=<CMAKE_C_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -O0 -o <OBJECT> -c <SOURCE>" \
    -DCMAKE_BUILD_TYPE=Debug -DREFRAIN_STATIC_CLANG=OFF >"$build-clang/build.log" 2>&1 &
by_clang=$!
built=yes
sh "$root/tests/build.sh" "$build" -DCMAKE_C_COMPILER=gcc -DREFRAIN_WERROR=ON || built=
wait $by_clang || {
    built=
    cat "$build-clang/build.log" >&2
}
[ -n "$built" ] || exit 1
echo "== $(($(date +%s) - started)) seconds"
echo "== testing"
cd "$build"
status=0
TEST_ALL=1 ctest -j"$(nproc)" --output-on-failure --timeout 900 || status=$?
echo "== $(($(date +%s) - started)) seconds"
exit $status
