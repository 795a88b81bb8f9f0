#!/bin/sh
# fuzz.sh SECONDS CORPUS TRACE...: libFuzzer on every layer that reads a trace (fuzz_trace.c), with coverage, the address and
# the undefined-behaviour sanitizer. Seeds are the regions of the traces; what it finds worth keeping goes to CORPUS, and an
# input that fails to the directory in which this is run.
# Some 1,600 inputs a second of processor time, with seeds of 30 to 60 KB: traces of small programs with
# REFRAIN_TOTAL_MEMORY=256K. What a trace says of its clock may keep a replay busy for minutes (walk_limits.c); a fuzzer's
# build walks 4,096 steps at most.
set -eu
seconds=${1:?seconds}
corpus=${2:?the directory of the corpus}
shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$corpus"
clang -O1 -std=gnu11 -I"$top/include" -I"$top/packed" "$top/tests/unpack_image.c" "$top"/packed/*.c -o "$work/unpack_image"
n=0
for trace in "$@"; do
    for region in "$trace"/rank-*.trace; do
        "$work/unpack_image" "$region" >"$corpus/seed-$n"
        n=$((n + 1))
    done
done
sources=$(ls "$top"/reconstruct/model/*.c "$top"/reconstruct/replay/*.c "$top"/packed/*.c "$top"/reconstruct/formats/*.c |
    grep -vE '/(write_otf2|otf2_[a-z]*)[.]c$')
# shellcheck disable=SC2086 # a list of files
clang -g -O2 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -std=gnu11 -D_GNU_SOURCE -w \
    -DREFRAIN_LIBFUZZER -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -DREFRAIN_VERSION='"fuzz"' -I"$top/include" -I"$top/reconstruct/model" -I"$top/reconstruct/replay" -I"$top/packed" \
    -I"$top/reconstruct/formats" "$top/tests/fuzz_trace.c" $sources -lm -o "$work/fuzz_trace"
ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=2:allocator_release_to_os_interval_ms=-1:quarantine_size_mb=16}
export ASAN_OPTIONS
"$work/fuzz_trace" -max_len=80000 -timeout=200 -rss_limit_mb=2000 -max_total_time="$seconds" -print_final_stats=1 "$corpus"
