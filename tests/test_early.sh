#!/bin/sh
# Threads that reach probes while another thread opens the trace file: their lost events are counted.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
programs=$tests/programs/early
cc -O1 -c "$programs/threads.c" -o threads.o || fail "compile threads.c"
refrain-cc --detail=every cc -O1 "$programs/work.c" threads.o -lpthread -o early 2>said || fail "compile: $(head -n 1 said)"
for run in 1 2 3 4 5; do
    REFRAIN_DIRECTORY=$run REFRAIN_THREADS=3 REFRAIN_THROTTLE=off sh -c 'mkdir "$REFRAIN_DIRECTORY" && ./early' 2>err ||
        fail "status $?, $(head -n 1 err)"
    trace=$(the_trace "$run")
    told=$(refrain reconstruct --format=text -o - "$trace" 2>said | grep -c '	enter	work')
    lost=$(refrain info --json "$trace" | sed -n 's/.*"interrupted": \([0-9]*\).*/\1/p' | head -n 1)
    # A call that is not in the trace has passed at least one probe, at its entry.
    [ "$told" -le 40000 ] && [ $((told + ${lost:-0})) -ge 40000 ] && pass || fail "$told calls told, ${lost:-0} lost"
done
summary
