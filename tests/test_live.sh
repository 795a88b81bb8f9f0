#!/bin/sh
# A trace is readable while the job runs: what is reconstructed then is the beginning of what was recorded in the end.
set -u
. "$(dirname "$0")/lib.sh"

REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/control" || fail "compile"
mkdir "$work/run"
REFRAIN_MODE=both REFRAIN_DIRECTORY=$work/run launch mpich 2 "$work/control" 6000 >/dev/null &
running=$!
looks=0
while kill -0 $running 2>/dev/null && [ $looks -lt 6 ]; do
    sleep 0.3
    trace=$(the_trace "$work/run") && [ -f "$trace/rank-1.trace" ] || continue
    looks=$((looks + 1))
    check "look $looks: info" refrain info "$trace"
    check "look $looks: reconstruct" refrain reconstruct "$trace" --format text -o "$work/look$looks"
done
wait $running
[ $looks -ge 2 ] && pass || fail "the run was over before it could be looked at"
trace=$(the_trace "$work/run")
check "events" refrain events "$trace" --format text -o "$work/recorded"
look=1
while [ $look -le $looks ]; do
    for rank in 0 1; do
        grep -P "^$rank\t" "$work/look$look" | cut -f 1,3- >"$work/a"
        n=$(wc -l <"$work/a")
        grep -P "^$rank\t" "$work/recorded" | cut -f 1,3- | head -n "$n" >"$work/b"
        if [ "$n" -gt 0 ] && cmp -s "$work/a" "$work/b"; then
            pass
        else
            fail "look $look, rank $rank: the $n lines read while it ran are not the beginning of the run"
            diff "$work/b" "$work/a" | head -n 4
        fi
    done
    look=$((look + 1))
done
summary
