#!/bin/sh
# csmith.sh: checks that random C programs compute the same with and without probes.
#
#   csmith.sh COUNT SEED TOOLS    COUNT programs that end, from SEED on; TOOLS: directory of the built tools (needs librefrain)
#
# Each program is compiled with gcc and clang at -O0 and -O2, plainly and with refrain-cc --detail=every. Both must print the
# same checksum. A failed program is kept in csmith-failed-<seed>.c, with its compiler and options in the name.
set -u
if [ $# -ne 3 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
count=$1 first=$2 tools=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
include=
for directory in /usr/include/csmith /usr/include/csmith-*; do
    [ -f "$directory/csmith.h" ] && include=$directory
done
if [ -z "$include" ] || ! command -v csmith >/dev/null; then
    echo "csmith.sh: csmith or its headers are missing: apt-get install csmith libcsmith-dev" >&2
    exit 2
fi
# Traces of all programs are not tested here.
export REFRAIN_MODE="${REFRAIN_MODE:-stat}" REFRAIN_DIRECTORY="$work"

limit_seconds=1 traced_limit_seconds=120 failed=0 compared=0 slow=0 seed=$first
while [ "$seed" -lt $((first + count)) ]; do
    source=$work/csmith-$seed.c
    csmith --seed "$seed" --max-funcs 8 >"$source" || exit 2
    # csmith's programs need not end, and an optimiser may assume that a loop ends although it does not.
    gcc -w -O0 -I"$include" "$source" -o "$work/plain" || exit 2
    timeout $limit_seconds "$work/plain" >/dev/null 2>&1
    if [ $? -eq 124 ]; then
        slow=$((slow + 1)) seed=$((seed + 1)) count=$((count + 1))
        continue
    fi
    for compiler in gcc clang; do
        for level in -O0 -O2; do
            flags="-w $level -I$include"
            # shellcheck disable=SC2086
            $compiler $flags "$source" -o "$work/plain" || exit 2
            timeout $traced_limit_seconds "$work/plain" >"$work/plain.out" 2>&1
            status=$?
            # shellcheck disable=SC2086
            if "$tools/refrain-cc" --detail=every $compiler $flags "$source" -o "$work/traced" 2>"$work/messages" &&
                nm "$work/traced" | grep -q refrain__u; then
                timeout $traced_limit_seconds "$work/traced" >"$work/traced.out" 2>&1
                [ $? -eq $status ] && cmp -s "$work/plain.out" "$work/traced.out" && verdict=same || verdict=differs
            else
                verdict="was not instrumented"
            fi
            compared=$((compared + 1))
            rm -rf "$work"/*.refrain
            if [ "$verdict" != same ]; then
                failed=$((failed + 1))
                echo "seed $seed, $compiler $level: $verdict" >&2
                sed -n 1,3p "$work/messages" >&2
                cp "$source" "csmith-failed-$seed-$compiler$level.c"
            fi
        done
    done
    seed=$((seed + 1))
    [ -t 1 ] && printf '\r%d of %d' $((seed - first)) "$count"
done
echo "csmith: seeds $first to $((seed - 1)), $slow skipped as they do not end, $compared comparisons, $failed failed"
[ "$failed" -eq 0 ] && [ "$compared" -gt 0 ]
