#!/bin/sh
# The monitor does not allocate: neither itself, nor, after start-up, through anything it calls (the count of all
# allocations in the process grows with the iterations exactly as much as the uninstrumented program's does).
set -u
. "$(dirname "$0")/lib.sh"

gcc -O1 -shared -fPIC "$tests/count_malloc.c" -o "$work/count.so" || fail "compile the counter"
mpicc.mpich -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/plain" || fail "compile"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/traced" || fail "compile"
mkdir "$work/run"
export REFRAIN_DIRECTORY="$work/run"

# counted PROGRAM ROUNDS: "FROM-REFRAIN ALL RANGES" of one rank
counted() {
    mpiexec.mpich -n 1 -genv LD_PRELOAD "$work/count.so" "$work/$1" "$2" 2>&1 >/dev/null |
        sed -n 's/^refrain-mallocs \([0-9]*\) of \([0-9]*\), \([0-9]*\) ranges$/\1 \2 \3/p'
}

set -- $(counted traced 20) $(counted traced 220) $(counted plain 20) $(counted plain 220)
echo "traced: $1 of $2 at 20 rounds, $4 of $5 at 220 (in $3 libraries); plain: $8, ${11}"
[ "$3" -ge 1 ] && pass || fail "librefrain was not found in the process"
[ "$2" -gt 0 ] && pass || fail "nothing was counted at all"
[ "$4" = 0 ] && pass || fail "librefrain allocated $4 times"
[ $(($5 - $2)) = $((${11} - $8)) ] && pass || fail "200 more rounds allocate $(($5 - $2)) times, $((${11} - $8)) uninstrumented"
summary
