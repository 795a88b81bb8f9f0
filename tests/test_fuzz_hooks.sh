#!/bin/sh
# Damaged assembler text, with sanitizers: the reader of refrain's assembler never fails, and the text with probes has
# all lines of the text without. What the assembler rejects is assembled as it was, after one line.
set -u
. "$(dirname "$0")/lib.sh"
available g++ && available gfortran || skip "no compilers of C++ and Fortran"

cd "$work" || exit 1
options="-g1 -fno-optimize-sibling-calls -S"
# shellcheck disable=SC2046,SC2086 # lists of words
{
    mpi=$(mpicxx.mpich -show -c | tr ' ' '\n' | grep '^-I')
    check "text of C++" g++ -O2 $options $mpi "$tests/programs/hooks.cc" -o cxx.s
    check "text of C++, sections" g++ -O1 -ffunction-sections $options $mpi "$tests/programs/hooks_callbacks.cc" -o sections.s
    mpi=$(mpifort.mpich -show -c | tr ' ' '\n' | grep '^-I')
    check "text of Fortran" gfortran -O3 $options $mpi "$tests/programs/hooks.f90" -o fortran.s
}
rounds=100
[ "${REFRAIN_FUZZ:-0}" = 0 ] || rounds=20000
check "damaged texts" "$bin/fuzz_hooks" 1 "$rounds" cxx.s sections.s fortran.s

# assemble NAME: the assembler as gcc calls it. What it says is in said, the status in $status.
assemble() {
    REFRAIN_HOOKS=: "$bin/../lib/refrain-assembler/as" --64 -o "$1.o" "$1.s" 2>said
    status=$?
}
assemble cxx
check "text as it is" test "$status" -eq 0
check "... has probes" sh -c 'nm cxx.o | grep -q refrain__tables'
check "... and nothing is said" test ! -s said
{ cat cxx.s && printf '\t.text\n.Lrefrain_hook:\n'; } >clash.s
assemble clash
check "a name of the probes in the text: assembled" test "$status" -eq 0
check "... without probes" sh -c '! nm clash.o | grep -q refrain__tables'
check "... after one line" test "$(wc -l <said)" -eq 1
head -c 3000 cxx.s >short.s
printf '\tcall\tMPI_Send\n\tnonsense' >>short.s
as --64 -o plain.o short.s 2>plain
assemble short
check "what is no assembler: rejected" test "$status" -ne 0
check "... with the messages about the text itself" sh -c 'grep -v "^refrain: " said | cmp - plain'
printf '\0' >>cxx.s
assemble cxx
check "a NUL in the text: assembled as it is" test "$status" -eq 0
: >empty.s
assemble empty
check "no text at all" test "$status" -eq 0
summary
