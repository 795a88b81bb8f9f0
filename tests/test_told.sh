#!/bin/sh
# refrain.h in a program that is built without refrain. Without refrain it runs as ever. Under refrain record its
# regions, phases, iterations, markers and counters must be exact, also in all formats that support them. Pauses, by
# the program and from outside.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# record COMMAND...: records it on two ranks.
record() {
    rm -rf run
    timeout 120 refrain record -q --mode both --directory run mpiexec.mpich -n 2 "$@" >out 2>said ||
        fail "$*: status $?: $(cat said)"
}

# rank0 EVENT: names and values of rank 0's events of this kind.
rank0() {
    awk -F '\t' -v kind="$1" '$1 == 0 && $3 == kind { print $4, $5 }' reconstructed
}

mpicc.mpich -O2 -I "$tests/../include" "$tests/programs/record/told.c" -o told || fail "compile told"
timeout 60 refrain-run mpiexec.mpich -n 2 ./told 7 && pass || fail "without refrain: status $?"
record ./told 12
exact "$(the_trace run)" told
[ "$(rank0 counter | grep -c '^step value=')" = 12 ] && [ "$(rank0 counter | sed -n 's/^cells value=//p' | tail -n 1)" = 177 ] &&
    [ "$(rank0 counter | grep -c '^cells')" = 12 ] && pass || fail "counters: $(rank0 counter)"
[ "$(rank0 marker)" = "refined 
refined " ] && pass || fail "markers: $(rank0 marker)"
[ "$(rank0 enter | grep -v MPI_ | cut -d ' ' -f 1,2 | uniq -c | tr -s ' ' | tr '\n' ,)" = \
    " 1 set up, 1 solve file=, 1 loop file=, 12 step file=, 1 pauses file=, 3 paused file=," ] && pass ||
    fail "regions: $(rank0 enter | grep -v MPI_)"
refrain formulas "$(the_trace run)" | grep -q 'cells .* (100 107 .. 177)$' && pass || fail "formula of a counter"
refrain stats --quick --json "$(the_trace run)" >stats && refrain stats --by counter --csv "$(the_trace run)" >csv &&
    refrain stats "$(the_trace run)" >text && refrain view "$(the_trace run)" -o view.html >said 2>&1 || fail "stats: $(cat said)"
python3 - <<'END' && pass || fail "counters in stats: $(grep -A 12 '"counters"' stats)"
import json
cells, step, refined = json.load(open("stats"))["counters"]
assert (cells["name"], cells["kind"], cells["times"], cells["ranks"], cells["least"], cells["mean"], cells["most"]) == \
    ("cells", "counter", 24, 2, 100, 138.5, 177), cells
assert (step["name"], step["times"]) == ("step", 24), step
assert (refined["name"], refined["kind"], refined["times"], refined["least"]) == ("refined", "marker", 4, None), refined
END
[ "$(sed -n 2p csv)" = '"cells",counter,24,2,24,100,138.500000,177' ] && [ "$(wc -l <csv)" = 4 ] && pass || fail "by counter: $(cat csv)"
[ "$(grep -Ec '^ +24 +2 +100 +138.50 +177  cells$' text)" = 1 ] && pass || fail "counters as text: $(tail -n 4 text)"
# A pause is only a region with the number of calls in it. A request that completed in a pause is free again.
refrain info --verbose "$(the_trace run)" >info
[ "$(grep -c 'paused    3 times, for .*; 9 MPI calls in them are not in the trace' info)" = 2 ] && grep -q 'nothing was lost' info &&
    pass || fail "info: $(cat info)"
[ "$(grep -v untold reconstructed | grep -c 'tag=9')" = 0 ] && [ "$(grep -c 'tag=8' reconstructed)" = 12 ] && pass || fail "messages in pauses"
for format in chrome perfetto otf2 picl paraver; do
    refrain reconstruct "$(the_trace run)" --format "$format" -o "$format" >said 2>&1 || fail "$format: $(cat said)"
done
python3 - <<'END' && pass || fail "chrome"
import json
events = json.load(open("chrome"))["traceEvents"]
cells = [e["args"]["value"] for e in events if e["ph"] == "C" and e["name"] == "cells" and e["pid"] == 1]
marks = [e for e in events if e["ph"] == "i" and e["name"] == "refined"]
assert cells == [100 + 7 * i for i in range(12)] and len(marks) == 4, (cells, marks)
END
otf2-print -Werror otf2/traces.otf2 >printed 2>complaints
[ $? -eq 0 ] && [ ! -s complaints ] && [ "$(grep METRIC printed | grep -c '"cells"')" = 24 ] && pass ||
    fail "otf2: $(head -n 2 complaints) $(grep METRIC printed | head -n 2)"
REFRAIN_TOTAL_MEMORY=536K record ./told 300
exact "$(the_trace run)" "little memory"

# Instrumented, and with calls that are compiled away.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O2 -I "$tests/../include" "$tests/programs/record/told.c" -o told_traced || fail "compile"
record ./told_traced 12
exact "$(the_trace run)" instrumented
mpicc.mpich -O2 -DREFRAIN_DISABLE -I "$tests/../include" "$tests/programs/record/told.c" -o told_off || fail "compile"
! nm told_off | grep -q ' refrain_' && pass || fail "REFRAIN_DISABLE leaves $(nm told_off | grep refrain_)"

# Functions that were open are left in a pause.
cat >left.c <<'END'
#include <mpi.h>
#include <refrain/refrain.h>
static void call(int n) { for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_SELF); }
__attribute__((noinline)) static void half(int n) { call(n); refrain_pause(); call(n); }
__attribute__((noinline)) static void other(int n) { call(n); refrain_resume(); call(n); }
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 4; i++) {
        half(i);
        other(i);
        call(1);
    }
    return MPI_Finalize();
}
END
for flags in -O0 "-O2 -fno-inline"; do
    # shellcheck disable=SC2086 # words
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc $flags -I "$tests/../include" left.c -o left || fail "compile left"
    record ./left
    exact "$(the_trace run)" "left in a pause $flags"
    [ "$(rank0 leave | grep -c '^half')" = 4 ] && [ "$(rank0 enter | grep -c '^other')" = 0 ] && pass ||
        fail "left in a pause: $(rank0 leave)"
done

# A signal handler jumps out of the code that counts calls in a pause. Others can still count.
if [ "$(uname -m)" = x86_64 ]; then
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc --detail=calls -O2 -I "$tests/../include" "$tests/programs/record/untold_jumps.c" \
        -o untold_jumps || fail "compile untold_jumps"
    rm -rf run
    REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch mpich 1 ./untold_jumps 100 >out 2>said && [ "$(cat out)" = "100 jumps" ] &&
        pass || fail "jumps out of what counts: status $?: $(head -n 3 out said)"
    exact "$(the_trace run)" "jumps out of what counts"
    [ "$(rank0 enter | grep -c MPI_Barrier)" = 100 ] && pass || fail "calls after jumps: $(rank0 enter | grep -c MPI_Barrier)"
fi

# Threads that leave the tables of MPI's objects while they have locked them. Others can continue.
if [ "$(uname -m)" = x86_64 ]; then
    mpicc.mpich -O1 -pthread "$tests/programs/record/lock_jumps.c" -o lock_jumps || fail "compile lock_jumps"
    rm -rf run
    REFRAIN_DIRECTORY=run launch mpich 1 refrain record -q ./lock_jumps 100 >out 2>said && [ "$(grep left out)" = "68 left" ] &&
        pass || fail "threads that leave with the lock: status $?: $(head -n 3 out said)"
    refrain info --verbose "$(the_trace run)" >info || fail "threads that leave with the lock: no trace"
    grep -q 'signal handler' info && pass || fail "not counted as lost: $(cat info)"
fi

# One end of a message, or one member of a collective, is in a pause. Later events must have their own partners.
for mpi in mpich openmpi; do
    "mpicc.$mpi" -O1 -I "$tests/../include" "$tests/programs/record/pauses.c" -o pauses || fail "compile pauses"
    rm -rf run pairs.json
    REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch $mpi 2 refrain record -q ./pauses 3 many >said 2>&1 || fail "pauses: $(cat said)"
    exact "$(the_trace run)" "one end in a pause, $mpi"
    refrain reconstruct "$(the_trace run)" --format chrome -o pairs.json >said 2>&1
    grep -q 'have their other ends in a pause' said && ! grep -q without said && pass || fail "said: $(cat said)"
    untold=$(sed -n 's/^refrain: \([0-9]*\) .* have their other ends in a pause.*/\1/p' said)
    for command in "stats --by rank" "diff $(the_trace run)"; do
        # shellcheck disable=SC2086 # words
        refrain $command "$(the_trace run)" 2>said >/dev/null
        grep -q "$untold messages .* have their other ends in a pause" said && pass || fail "$command: $(cat said)"
    done
    [ "$(python3 "$tests/message_pairs.py" pairs.json)" = "33 0" ] && pass || fail "pairs, and wrong ones, with pauses under $mpi: $(python3 "$tests/message_pairs.py" pairs.json)"
done

# Built with refrain: a phase ends where the next one begins, also after MPI calls at other places.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O2 -w -I "$tests/../include" "$tests/programs/record/told.c" -o instrumented || fail "instrument told"
rm -rf run && mkdir run && (cd run && launch mpich 2 ../instrumented 12 >../out 2>&1) || fail "instrumented: $(cat out)"
refrain reconstruct "$(the_trace run)" --format text 2>/dev/null | awk -F '\t' '
    $4 !~ /^(set up|solve|step|pauses)$/ { next }
    { which = $1 " " ($4 == "step") } # steps are in a phase, and no two at once
    $3 == "enter" { n++; if (open[which]++) nested++ }
    $3 == "leave" { open[which]-- }
    END { print n + 0, nested + 0 }' >phases
[ "$(cat phases)" = "30 0" ] && pass || fail "phases of an instrumented program, and those in another one: $(cat phases)"

# From outside: paused at the start, resumed, paused.
rm -rf run
timeout 120 refrain record -q --paused --mode both --directory run mpiexec.mpich -n 2 ./told 5 wait >out 2>said &
job=$!
n=0
until refrain resume $job >resumed 2>error; [ "$(grep -c 'rank [01], process [0-9]*: resumed' resumed)" = 2 ] || [ $n -ge 300 ]; do
    n=$((n + 1))
    sleep 0.1
done
[ $n -lt 300 ] && pass || fail "refrain resume: $(cat resumed error)"
n=0
until refrain events --ranks 0 "$(the_trace run)" 2>/dev/null | grep -q MPI_Bcast || [ $n -ge 300 ]; do
    n=$((n + 1))
    sleep 0.1
done
refrain pause $job >paused 2>error && [ "$(grep -c ': paused' paused)" = 2 ] && pass || fail "refrain pause: $(cat paused error)"
: >"go on"
wait $job || fail "paused from outside: $(cat said)"
exact "$(the_trace run)" "paused from outside"
[ "$(rank0 enter | grep -c '^paused')" -ge 4 ] && grep -q MPI_Bcast reconstructed && pass ||
    fail "what was traced: $(cut -f 4 reconstructed | sort | uniq -c)"
refrain pause $$ >said 2>&1
[ $? = 1 ] && grep -q 'is not traced' said && pass || fail "refrain pause: $(cat said)"
refrain pause x >said 2>&1
[ $? = 2 ] && pass || fail "refrain pause x: $(cat said)"
summary
