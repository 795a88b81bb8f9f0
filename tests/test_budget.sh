#!/bin/sh
# A program that is random by design runs to its end within the budget, in memory and on disk; what does not fit is counted,
# marked, and replayed with totals right.
set -u
. "$(dirname "$0")/lib.sh"

source=$tests/programs/random.c
mpicc.mpich -O1 -w "$source" -o "$work/plain" || fail "compile"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$source" -o "$work/traced" || fail "compile"


for memory in 3M 4M 8M; do
    limit=$((${memory%M} * 1024))
    mkdir "$work/run"
    export REFRAIN_TOTAL_MEMORY=$memory REFRAIN_DIRECTORY="$work/run"
    plain=$(mpiexec.mpich -n 1 "$work/plain" 300000)
    traced=$(mpiexec.mpich -n 1 "$work/traced" 300000)
    [ "$plain" = "$traced" ] && pass || fail "$memory: printed $traced, untraced $plain"
    bytes=$(du -s --block-size=1K "$work"/run/*.refrain | cut -f 1)
    [ "$bytes" -le "$limit" ] && pass || fail "$memory: $bytes KiB on disk"
    trace=$(the_trace "$work/run")
    check "$memory: info" refrain info "$trace"
    check "$memory: reconstruct" refrain reconstruct "$trace" --format text -o "$work/text" --force
    # Totals: as many messages as there were, whether or not each is exact.
    sends=$(awk -F '\t' '$3 == "send"' "$work/text" | wc -l)
    marked=$(grep -c 'approximate$' "$work/text")
    echo "$memory: $sends messages of ${traced%% *}, $marked lines marked approximate"
    [ "$sends" = "${traced%% *}" ] && pass || fail "$memory: $sends messages reconstructed of ${traced%% *}"
    lost=$(refrain info "$trace" | grep -c "nothing was lost")
    if [ "$lost" = 1 ]; then
        [ "$marked" = 0 ] && pass || fail "$memory: nothing was lost, but $marked lines are marked"
    else
        [ "$marked" -gt 0 ] && pass || fail "$memory: something was lost, but no line is marked"
    fi
    rm -rf "$work/run"
done
unset REFRAIN_TOTAL_MEMORY REFRAIN_DIRECTORY

# Resident memory that the monitor adds: the peak of a traced run less that of an untraced one.
cat >"$work/peak.c" <<'END'
#include <stdio.h>
#include <sys/resource.h>
static __attribute__((destructor)) void report(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "peak %ld\n", usage.ru_maxrss);
}
END
gcc -shared -fPIC "$work/peak.c" -o "$work/peak.so" || fail "compile"
resident() {
    mpiexec.mpich -n 1 -genv LD_PRELOAD "$work/peak.so" "$@" 2>&1 >/dev/null | sed -n 's/^peak //p'
}
mkdir "$work/run"
export REFRAIN_DIRECTORY="$work/run"
untraced=$(resident "$work/plain" 300000)
for memory in 4M 8M; do
    traced=$(REFRAIN_TOTAL_MEMORY=$memory resident "$work/traced" 300000)
    added=$((traced - untraced))
    echo "REFRAIN_TOTAL_MEMORY=$memory: $added KiB resident memory added"
    [ "$added" -le $((${memory%M} * 1024)) ] && pass || fail "$memory: $added KiB added"
done
summary
