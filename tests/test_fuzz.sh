#!/bin/sh
# Real traces, damaged at random, are read by every layer without a crash or a hang.
set -eu
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/trace" "$work/small"
REFRAIN_TOTAL_MEMORY=4M "$bin/test_replay" 7 4000 "$work/trace" >/dev/null
rounds=2400
[ "${REFRAIN_FUZZ:-0}" = 0 ] || rounds=1000000
"$bin/fuzz_image" "$work"/trace/*.refrain/rank-0.trace 1 $rounds
# The messages of formats about omitted data are printed only if a test fails.
"$bin/fuzz_trace" "$work"/trace/*.refrain/rank-0.trace 1 $((rounds / 16)) 2>"$work/said" || {
    tail -n 60 "$work/said"
    exit 1
}
# A small file is read more often.
REFRAIN_TOTAL_MEMORY=4M "$bin/test_replay" 7 300 "$work/small" >/dev/null
rm "$work"/small/*.refrain/rank-0.events
"$bin/refrain" pack "$work"/small/*.refrain -o "$work/small.refrain-pack" >/dev/null
for file in "$work"/small/*.refrain/rank-0.trace "$work/small.refrain-pack"; do
    "$bin/fuzz_packed" "$file" 1 $((rounds / 2))
done
