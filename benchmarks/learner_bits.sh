#!/bin/sh
# The size of sequences without a rule: bits a value in the monitor's learner, beside the sequence's empirical entropy and zstd
# (-19; each value in as few bytes as the largest one needs), as a table in Markdown.
#
#   learner_bits.sh [VALUES]     default: 200000 of each kind
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bits.XXXXXX")
trap 'rm -rf "$work"' EXIT
command -v zstd >/dev/null || {
    echo "learner_bits.sh: no zstd: apt-get install zstd" >&2
    exit 2
}
learn=$root/monitor/learn sequence=$root/reconstruct/sequence common=$root/reconstruct/common n=${1:-200000}
"${CC:-cc}" -O2 -I "$root/include" -I "$root/monitor" -I "$learn" -I "$root/reconstruct" -I "$root" "$root/benchmarks/learner_bits.c" \
    "$learn"/learn*.c "$sequence/sequence.c" "$sequence/terms.c" "$common/arena.c" "$common/difference.c" "$sequence/tally.c" "$sequence/numbered.c" -lm -o "$work/bits"
echo "| $n values | learner, bits | entropy | zstd -19 | learner / the smaller of the two | ns a value |"
echo "|---|---|---|---|---|---|"
for kind in $("$work/bits" list); do
    "$work/bits" "$kind" "$n" "$work/values" >"$work/line"
    zstd -19 -q -c "$work/values" | wc -c | cat "$work/line" - | tr '\n' '\t' | awk -F '\t' -v n="$n" '{
        zstd = $5 * 8 / n
        better = zstd < $3 ? zstd : $3
        printf "| %s | %.2f | %.2f | %.2f | %.2f | %s |\n", $1, $2, $3, zstd, $2 / better, $4 }'
done
