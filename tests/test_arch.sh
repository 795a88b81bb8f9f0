#!/bin/sh
# The monitor without code for a certain processor, and for aarch64. The reconstruction of an instrumented program without
# MPI equals its recording. The part for aarch64 needs its compiler (gcc-aarch64-linux-gnu), and qemu-aarch64 (qemu-user)
# to run the program.
#   test_arch.sh BIN
set -u
. "$(dirname "$0")/lib.sh"
monitor=$tests/../monitor
options="-std=gnu11 -O1 -w -I$tests/../include"

# library OUT COMPILER OPTIONS...: the monitor as it is for any processor.
library() {
    out=$1
    shift
    mkdir -p "$(dirname "$out")"
    "$@" -shared -fPIC -fvisibility=hidden -ftls-model=initial-exec -Wl,-soname,librefrain.so -I"$tests/.." \
        -I"$monitor" -I"$monitor/learn" -I"$tests/../packed" -I"$tests/../packed/fold" "$monitor"/*.c "$monitor"/arch/*.c \
        "$monitor"/arch/generic/*.c "$monitor"/learn/*.c "$monitor"/run/*.c "$monitor"/sample/*.c "$monitor"/sites/*.c "$tests"/../packed/*.c -o "$out" -pthread -ldl
}

# traced WHAT COMMAND...: runs the command, and checks its output, and that the replay equals the recording.
traced() {
    what=$1
    shift
    rm -rf "$work/run"
    mkdir "$work/run"
    REFRAIN_THREADS=4 REFRAIN_MODE=both REFRAIN_DIRECTORY=$work/run "$@" 60 >"$work/out" 2>"$work/err" &&
        cmp -s "$work/expected" "$work/out" && pass || fail "$what: $(head -n 2 "$work/out" "$work/err")"
    exact "$(the_trace "$work/run")" "$what" && [ "$events" -gt 1000 ] && pass || fail "$what: $events events"
}

program=$tests/programs/without_mpi.c
# shellcheck disable=SC2086 # lists of words
gcc $options -DREFRAIN_DISABLE "$program" -pthread -o "$work/plain" && "$work/plain" 60 >"$work/expected" || fail "plain"

# Probes without optimisation are functions that are called, on any processor.
# shellcheck disable=SC2086
check "any processor" library "$work/any/librefrain.so" gcc $options -DREFRAIN_ARCH_GENERIC
# shellcheck disable=SC2086
check "compile" refrain-cc --detail=all gcc $options -O0 "$program" -pthread -o "$work/any/program"
traced "any processor" env LD_PRELOAD="$work/any/librefrain.so" "$work/any/program"

cross=aarch64-linux-gnu-gcc
if command -v $cross >/dev/null; then
    # shellcheck disable=SC2086
    check "aarch64" library "$work/arm/librefrain.so" $cross $options -Wall -Werror -Wno-unused
    # shellcheck disable=SC2086
    check "instrument" refrain-instrument "$program" -o "$work/arm/program.c" --detail=all -- $options &&
        check "compile for aarch64" $cross $options -O2 "$work/arm/program.c" -L"$work/arm" -lrefrain -pthread -o "$work/arm/program"
    if command -v qemu-aarch64 >/dev/null; then
        traced "aarch64" qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$work/arm" "$work/arm/program"
    else
        echo "not run for aarch64: qemu-user is not installed"
    fi
else
    echo "not built for aarch64: gcc-aarch64-linux-gnu is not installed"
fi
summary
