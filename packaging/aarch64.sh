#!/bin/sh
# aarch64.sh: the monitor with its generic probes and the reading library, compiled for aarch64 with Debian's cross compiler,
# warnings being errors; their unit tests run under qemu. BUILD names the build directory (default: build-aarch64).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-aarch64}
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $tool >/dev/null || {
        echo "aarch64.sh: there is no $tool: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" >&2
        exit 1
    }
done
sh "$root/tests/build.sh" "$build" -DCMAKE_TOOLCHAIN_FILE="$root/packaging/aarch64.cmake" -DREFRAIN_CORE_ONLY=ON \
    -DREFRAIN_WERROR=ON
readelf -h "$build/lib/librefrain.so" | grep AArch64
cd "$build"
ctest --output-on-failure --timeout 900
