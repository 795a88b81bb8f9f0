#!/bin/sh
# libclang.sh [VERSION...]: builds refrain with each libclang from 14 on that is installed (libclang-VERSION-dev), or with these,
# and runs the tests of the instrumentor with it. BUILD begins the names of the build directories (default: build-libclang),
# OPTIONS are further ones for CMake.
# On Debian 12 there are 14, 15, 16 and 19, on Debian 13 there are 17 to 19 (apt-get install libclang-19-dev).
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
