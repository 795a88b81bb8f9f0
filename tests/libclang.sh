#!/bin/sh
# libclang.sh [VERSION...]: builds refrain with each installed libclang from 14 on (libclang-VERSION-dev), or with the given ones, and
# runs the tests of the instrumentor with it. BUILD: beginning of the names of the build directories (default: build-libclang).
# OPTIONS: further options for CMake.
# Debian 12 has 14, 15, 16 and 19, Debian 13 has 17 to 19 (apt-get install libclang-19-dev).
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-libclang}
tests='test_(instrument|sources|exact|generated|messages|detail)'
if [ $# -eq 0 ]; then
    for header in /usr/lib/llvm-*/include/clang-c/Index.h; do
        version=${header#/usr/lib/llvm-}
        version=${version%%/*}
        [ "$version" != '*' ] && [ "$version" -ge 14 ] && set -- "$@" "$version"
    done
fi
[ $# -gt 0 ] || {
    echo "libclang.sh: no libclang from 14 on is in /usr/lib/llvm-*: apt-get install libclang-dev" >&2
    exit 1
}
passed=0
failed=0
for version; do
    echo "==== libclang $version"
    if sh "$root/tests/build.sh" "$build-$version" ${OPTIONS:-} -DREFRAIN_LLVM_DIR="/usr/lib/llvm-$version" -DREFRAIN_WERROR=ON &&
        ldd "$build-$version/lib/librefrain-instrument.so" | grep "libclang-$version" &&
        (cd "$build-$version" && ctest --output-on-failure --timeout 900 -R "^$tests\$"); then
        passed=$((passed + 1))
    else
        echo "FAILED: libclang $version"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
