#!/bin/sh
# Iterations that alternate: seven without a collective and one with it. They are delivered as one cycle, and must equal
# those of single steps, both if the timeline has each block and if blocks share times.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
for memory in 4M 800K 400K; do
    REFRAIN_TOTAL_MEMORY=$memory many_ranks 2 3000 "$memory" >out 2>&1 || fail "$memory: $(head -n 1 out)"
    for rank in 0 1; do
        test_replay cycles "$memory/rank-$rank.trace" >said 2>&1 && pass || fail "$memory, rank $rank: $(tail -n 1 said)"
        grep -q "some of which take turns" said && pass || fail "$memory, rank $rank: $(tail -n 1 said)"
    done
done
summary
