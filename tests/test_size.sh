#!/bin/sh
# The trace has the same bytes at 1, 10 and 100 times the iterations, the bytes that `refrain size` said before.
set -u
. "$(dirname "$0")/lib.sh"

flags="-O1 -std=gnu11 -w"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc $flags "$tests/programs/control.c" -o "$work/control" || fail "compile"
for memory in "" 5M; do
    [ -z "$memory" ] || export REFRAIN_TOTAL_MEMORY=$memory
    said=$(refrain size "$work/control" --ranks 2 --json | tr -d ' ",' | sed -n 's/^total_bytes://p')
    for rounds in 5 50 500; do
        mkdir "$work/run"
        REFRAIN_DIRECTORY=$work/run launch mpich 2 "$work/control" $rounds >/dev/null
        bytes=$(cat "$work"/run/*.refrain/* | wc -c)
        if [ "$bytes" = "$said" ]; then
            pass
        else
            fail "${memory:-default} memory, $rounds rounds: $bytes bytes, refrain size said $said"
        fi
        reserved=$(($(du -s --block-size=512 "$work"/run/*.refrain | cut -f 1) * 512))
        limit=$(($(refrain size "$work/control" --ranks 2 --json | tr -d ' ",' | sed -n 's/^total_memory_bytes://p') * 2))
        if [ "$reserved" -le "$limit" ]; then
            pass
        else
            fail "${memory:-default} memory: $reserved bytes on disk for a limit of $limit"
        fi
        rm -rf "$work/run"
    done
done
summary
