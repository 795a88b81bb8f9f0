#!/bin/sh
# Small functions, which are recorded late or never. Their events must be exact, and their code must be the plain
# compiler's while they are not recorded. Loops without events are vectorised, and calls at the end are jumps.
set -u
. "$(dirname "$0")/lib.sh"
unset REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_WRAPPER
REFRAIN_MPICC=mpicc.mpich
export REFRAIN_MPICC
cd "$work" || exit 1
include=$tests/../include
mpicc.mpich -O2 -I"$include" "$tests/programs/small.c" -o plain || exit 1
./plain >expected

# entered NAME: how often.
entered() {
    grep -c "	enter	$1	" recorded
}

for level in -O0 -O2 -O3; do
    for compiler in gcc clang; do
        variant="$compiler $level"
        MPICH_CC=$compiler check "$variant" refrain-mpicc $level -Wall -Wextra -Wpedantic -Wshadow -Werror \
            -I"$include" "$tests/programs/small.c" -o small
        rm -rf traces
        mkdir traces
        REFRAIN_MODE=both REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=traces ./small >said
        check "$variant: prints the same" cmp expected said
        exact "$(the_trace traces)" "$variant"
        counts="$(entered post) $(entered link) $(entered descend) $(entered flush) $(entered compare) $(entered macro)"
        counts="$counts $(entered deepen) $(entered exchange) $(entered step) $(entered again)"
        [ "$counts" = "0 0 0 17 10 5 5 6 6 1" ] && pass || fail "$variant: entered $counts"
        [ "$(grep -c "	enter	MPI_Barrier	" recorded)" = 37 ] && pass ||
            fail "$variant: $(grep -c "	enter	MPI_Barrier	" recorded) barriers"
    done
done

# code PROGRAM FUNCTION: the instructions, without addresses.
code() {
    objdump -d --no-show-raw-insn --no-addresses "$1" | sed -n "/^<$2>:/,/^$/p" | sed 's/^\t\([a-z]*\) .*/\1/; s/ *[<#].*//' |
        grep -v -e nop -e xchg
}
# leaves_by_jumps OBJECT FUNCTION: it leaves by jumps only.
leaves_by_jumps() {
    ! code "$1" "$2" | grep -qE '^(call|ret)'
}
MPICH_CC=gcc refrain-mpicc -O2 -I"$include" "$tests/programs/small.c" -o small
for name in link descend; do
    code plain $name >plain.code
    code small $name >small.code
    check "gcc's $name is the plain one" cmp plain.code small.code
    [ -s plain.code ] && pass || fail "no $name"
done
# With --detail=all small functions have no probes, either, and the trace has their number.
MPICH_CC=gcc refrain-mpicc --detail=all -O2 -I"$include" "$tests/programs/small.c" -o all
for name in link descend; do
    code plain $name >plain.code
    code all $name >small.code
    check "--detail=all: gcc's $name is the plain one" cmp plain.code small.code
done
for detail in all every; do
    rm -rf traces
    mkdir traces
    MPICH_CC=gcc refrain-mpicc --detail=$detail -O2 -I"$include" "$tests/programs/small.c" -o $detail
    REFRAIN_MODE=both REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=traces ./$detail >said
    exact "$(the_trace traces)" "--detail=$detail"
    refrain info --verbose "$(the_trace traces)" | grep -o 'light .*' >light.$detail
done
check "info says what --detail=all leaves out" grep -qx 'light     . small functions and .* have no probe; --detail=every gives them one' light.all
[ -s light.every ] && fail "--detail=every: $(cat light.every)" || pass

# told DETAIL: the lines of light.c whose decisions and loops are recorded, with their formulas.
told() {
    rm -rf traces
    mkdir traces
    refrain-cc --detail=$1 gcc -O2 "$tests/programs/light.c" -o light || fail "compile light.c"
    REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=traces ./light
    refrain formulas --full "$(the_trace traces)" | sed -n 's/.*light.c:\([0-9]*\) .* 100.00 %  0  *\([^ ].*\)$/\1: \2/p' | tr '\n' ';'
}
heavy="15: 40;16: 0^3 1 0^36;18: 7^40;24: 0^5 1 0^34;27: 40;"
[ "$(told all)" = "9: 40;$heavy" ] && pass || fail "--detail=all tells $(told all)"
[ "$(told every)" = "9: 40;10: (0 1)^20;12: 7^40;${heavy}28: (0 1^3)^10;" ] && pass || fail "--detail=every tells $(told every)"

# ---- loops without an event, and calls at the end ----

# packed OBJECT FUNCTION: how many of its instructions calculate with several values at once.
packed() {
    code "$1" "$2" | grep -cE '^v?(add|mul)pd$'
}
# With -ffast-math, which allows sums in any order.
for compiler in gcc clang; do
    [ "$(uname -m)" = x86_64 ] || break
    MPICH_CC=$compiler mpicc.mpich -O3 -ffast-math -c "$tests/programs/vectors.c" -o plain.o || exit 1
    for detail in communication all every; do
        MPICH_CC=$compiler refrain-mpicc --detail=$detail -O3 -ffast-math -c "$tests/programs/vectors.c" -o vectors.o ||
            fail "$compiler --detail=$detail"
        functions="squares add"
        [ $detail = every ] || functions="$functions clip" # a decision in it is told of
        for name in $functions; do
            counts="$(packed plain.o $name) $(packed vectors.o $name)"
            [ "$counts" != "0 0" ] && [ "${counts% *}" = "${counts#* }" ] && pass ||
                fail "$compiler, $detail: $name calculates with several values in $counts places"
        done
        [ $detail = every ] || check "$compiler: the call at the end is a jump" leaves_by_jumps vectors.o hand_on
    done
done
summary
