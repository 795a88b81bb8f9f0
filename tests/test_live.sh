#!/bin/sh
# A trace is readable while the job runs: what is reconstructed then is the beginning of what was recorded in the end.
set -u
. "$(dirname "$0")/lib.sh"

REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/control" || fail "compile"
mkdir "$work/run"
REFRAIN_MODE=both REFRAIN_DIRECTORY=$work/run launch mpich 2 "$work/control" 1000000 1000 >/dev/null 2>&1 &
running=$!
looks=0
tries=0
while [ $looks -lt 3 ] && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.2
    trace=$(the_trace "$work/run") && [ -f "$trace/rank-1.trace" ] || continue
    looks=$((looks + 1))
    check "look $looks: info" refrain info "$trace"
    check "look $looks: reconstruct" refrain reconstruct "$trace" --format text -o "$work/look$looks"
    kill -0 $running 2>/dev/null || fail "the run was over before look $looks ended"
done
[ $looks -eq 3 ] && pass || fail "no trace to look at"
# It has gone on long enough: what it recorded until it is ended is there all the same.
kill -9 $(refrain info --json "$trace" | sed -n 's/.*"pid": \([0-9]*\).*/\1/p')
wait $running 2>/dev/null
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
