#!/bin/sh
# MPI calls whose place is the address they return to need no probe after a while: their sites leave the code. The trace
# is that of a run in which they stay, call by call, whatever the compiler made of the calls.
#   test_quiet.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

x86_64_only "code is changed on x86-64 only"
command -v mpicc.mpich >/dev/null || skip "no MPICH"
cd "$work" || exit 1
export REFRAIN_MODE=both
export REFRAIN_THROTTLE=off # which goes by time

# traced WHAT PATCH: runs quiet, with the trace in run.
traced() {
    rm -rf run
    mkdir run
    REFRAIN_DIRECTORY=run REFRAIN_PATCH=$2 timeout 120 ./quiet >out 2>err || fail "$1: $(head -n 1 err)"
    exact "$(the_trace run)" "$1, REFRAIN_PATCH=$2"
}

# said: the events with the line that each call was made from, and what was learned of every place.
said() {
    refrain events "$(the_trace run)" | cut -f 1,3-
    refrain formulas "$(the_trace run)"
}

# kept FROM TO: how many sites are quiet at the end.
kept() {
    n=$(sed -n 's/^quiet //p' err)
    [ "$n" -ge "$1" ] && [ "$n" -le "$2" ] && pass || fail "$what: $n sites are quiet, not $1 to $2"
}

for what in "gcc -O0" "gcc -O1" "gcc -O2" "gcc -O3" "clang -O3"; do
    [ "${what%% *}" = clang ] && export MPICH_CC=clang || unset MPICH_CC
    # shellcheck disable=SC2086 # two words
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc ${what#* } -w -I"$tests/../include" "$tests/programs/quiet.c" -o quiet 2>said ||
        fail "$what: $(head -n 1 said)"
    traced "$what" on
    case $what in *-O0) kept 0 0 ;; *) kept 4 20 ;; esac
    said >with
    traced "$what" off
    kept 0 0
    said >without
    check "$what: the same trace with sites that are quiet" cmp with without
    REFRAIN_THROTTLE=on traced "$what, throttled" on
done

# Several threads, of which some are between a site and its call when sites leave or come back.
unset MPICH_CC
export REFRAIN_THREADS=5 REFRAIN_THROTTLE=off
for what in "gcc -O2" "gcc -O3"; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc "${what#* }" -w -pthread -I"$tests/../include" "$tests/programs/quiet_threads.c" \
        -o quiet 2>said || fail "$what, threads: $(head -n 1 said)"
    for patch in on off; do
        traced "$what, threads" $patch
        per_location "$work/recorded" >$patch.events
        read -r _ middle end <err
        [ $patch = on ] || [ "$middle$end" = 00 ] || fail "$what, threads: sites are quiet with REFRAIN_PATCH=off"
        [ $patch = off ] || [ "$middle" -ge 2 ] || fail "$what, threads: $middle sites are quiet in the middle"
    done
    check "$what, threads: the same events with sites that are quiet" cmp on.events off.events
done
summary
