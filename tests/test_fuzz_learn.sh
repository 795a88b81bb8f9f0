#!/bin/sh
# The learner on sequences of random bytes, with sanitizers: values that are said to be exact must be exact, with any
# memory.
set -u
. "$(dirname "$0")/lib.sh"

root=$tests/..
options="-std=gnu11 -O1 -g -I $root/include -I $root/monitor -I $root/monitor/learn -I $root/reconstruct -I $root -fno-sanitize-recover=all"
sources="$tests/fuzz_learn.c $root/monitor/learn/*.c $root/reconstruct/sequence/*.c $root/reconstruct/common/*.c"
# shellcheck disable=SC2086 # lists of words
if [ "${REFRAIN_FUZZ:-0}" != 0 ] && command -v clang >/dev/null &&
    clang $options -DREFRAIN_LIBFUZZER -fsanitize=fuzzer,address,undefined $sources -o "$work/fuzz" 2>"$work/said"; then
    check "libFuzzer, five minutes" "$work/fuzz" -max_len=300 -max_total_time=300
else
    check "random bytes" "$bin/fuzz_learn" 1 800
fi
summary
