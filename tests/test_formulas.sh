#!/bin/sh
# refrain formulas, capture and compare: known sequences of loop counts, with the expected formula and type of each.
set -u
. "$(dirname "$0")/lib.sh"

{
    echo '#include <stdlib.h>'
    echo '#include <unistd.h>'
    echo 'volatile int sink;'
    for name in identity general iteration cycle nested several archive; do
        echo "static void $name(int n) { for (int i = 0; i < n; i++) sink += i; }"
    done
    cat <<'END_OF_C'
#define TIMES(n) for (int t = 0; t < (n); t++)
int main(int argc, char **argv) {
    TIMES(100) identity(3);
    TIMES(50) general(3);
    TIMES(40) general(5);
    TIMES(30) general(2);
    TIMES(200) iteration(1 + t % 9);
    cycle(7);
    TIMES(200) cycle("\2\2\5\1"[t % 4]);
    TIMES(20) for (int b = 0; b <= t; b++) nested(b + 1);
    TIMES(60) several(t % 2 ? 4 : 2);
    TIMES(90) several("\1\3\6"[t % 3]);
    srand(1);
    TIMES(3000) archive(rand() % 200);
    if (argc > 1)
        _exit(0);
    return 0;
}
END_OF_C
} >"$work/known.c"
# name, type, formula
cat >"$work/expected" <<'END_OF_TABLE'
archive archive
cycle cycle 7 (2 2 5 1)^50
general general 3^50 5^40 2^30
identity identity 3^100
iteration iteration (1 2 .. 9)^22 +2
nested nested 1 (1 2)^2 3 ((1+i)^{i<4+j})^{j<17}
several several (2 4)^30 (1 3 6)^30
END_OF_TABLE

refrain-cc --detail=every gcc -O1 "$work/known.c" -o "$work/known" || fail "compile"
mkdir "$work/run"
REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=$work/run "$work/known" || fail "run"
trace=$(the_trace "$work/run")
refrain formulas --full --sort values "$trace" >"$work/formulas" || fail "formulas"
refrain formulas --json "$trace" >"$work/json" || fail "formulas --json"
refrain info --json "$trace" >"$work/info" || fail "info --json"
python3 - "$work/info" <<'END_OF_PYTHON' && pass || fail "states of learners in JSON"
import json, sys
process = json.load(open(sys.argv[1]))["processes"][0]
assert sum(process["states"].values()) == process["learners"] and process["states"]["plain"] > 0, process["states"]
END_OF_PYTHON
while read -r name type formula; do
    line=$(awk -v n="$name" '$2 == n && $3 == "for"' "$work/formulas")
    case $line in
    *" count $type "*"$formula"*) pass ;;
    *) fail "$name: expected $type $formula, found $(echo "$line" | cut -c 1-200)" ;;
    esac
    grep -A 6 "\"function\": \"$name\"" "$work/json" | grep -q "\"type\": \"$type\"" && pass || fail "$name: type in JSON"
done <"$work/expected"
refrain formulas "$trace" --sort values | awk '/ for .* count / { if (last != "" && $6 > last) exit 1; last = $6 }' &&
    pass || fail "--sort values"

# Loops that are left by break, return, goto or longjmp are distinguished from those that end by their condition. A
# visit that is left early has its count, also the last visit of the run.
cat >"$work/leaving.c" <<'END_OF_C'
#include <setjmp.h>
volatile int sink;
static jmp_buf back;
__attribute__((noinline)) static void work(int n) { if (n < 0) longjmp(back, 1); sink += n; }
__attribute__((noinline)) static void by_break(int at) { for (int i = 0; i < 10; i++) { if (i == at) break; work(i); } work(9); }
__attribute__((noinline)) static void by_return(int at) { for (int i = 0; i < 10; i++) { if (i == at) return; work(i); } }
__attribute__((noinline)) static void by_goto(int at) { for (int i = 0; i < 10; i++) { if (i == at) goto out; work(i); } out: work(9); }
__attribute__((noinline)) static void by_jump(int at) { for (int i = 0; i < 10; i++) work(i == at ? -1 : i); }
__attribute__((noinline)) static void inner(int at) {
    for (int i = 0; i < 4; i++) { int j = 0; while (j < 10) { if (j == at) break; work(j++); } work(i); }
}
__attribute__((noinline)) static void back_to_outer(int at) {
    for (int i = 0; i < 4; i++) for (int j = 0; j < 10; j++) { if (j == at) break; work(j); }
}
__attribute__((noinline)) static void ends(int at) {
    for (int i = 0; i < 10; i++) {
        if (i == at) continue;
        for (int j = 0; j < i; j++) work(j);
        if (at == 99) break;
    }
    work(9);
}
__attribute__((noinline)) static void do_break(int at) { int i = 0; do { if (i == at) break; work(i); } while (++i < 10); }
__attribute__((noinline)) static void do_inside(int at) { int i = 0; do { for (int j = 0; j < 2; j++) { if (j == at) break; work(j); } } while (++i < 4); }
__attribute__((noinline)) static void always(int n) { for (int j = 0; j < 100; j++) { work(j); if (j + 1 == n) break; } }
__attribute__((noinline)) static void rising(void) { for (int t = 1; t < 20; t++) { for (int j = 0; j < 100; j++) { work(j); if (j + 1 == t) break; } work(t); } }
int main(void) {
    for (int t = 0; t < 15; t++)
        always("\2\4\11"[t % 3]);
    rising();
    for (int t = 0; t < 12; t++) {
        int at = t % 3 == 2 ? 20 : 3;
        by_break(at), by_return(at), by_goto(at), inner(at), back_to_outer(at), ends(at), do_break(at), do_inside(at);
        if (!setjmp(back))
            by_jump(at);
    }
    return 0;
}
END_OF_C
refrain-cc --detail=every gcc -O1 "$work/leaving.c" -o "$work/leaving" || fail "compile leaving.c"
mkdir "$work/left"
REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=$work/left "$work/leaving" || fail "run leaving"
refrain formulas --full "$(the_trace "$work/left")" >"$work/formulas.left"
awk '$4 == "count" && / left early$/ { print $2, $3 }' "$work/formulas.left" | sort | tr '\n' ';' >"$work/left.early"
left="always for;back_to_outer for;by_break for;by_goto for;by_jump for;by_return for;do_break do;inner while;rising for;"
[ "$(cat "$work/left.early")" = "$left" ] && pass || fail "left early: $(cat "$work/left.early")"
grep -q '^9 left early: ' "$work/formulas.left" && pass || fail "loops left early are not counted"
refrain formulas --json "$(the_trace "$work/left")" | grep -c '"left_early": true' | grep -qx 9 && pass || fail "left early in JSON"
formulas_are() { # the formulas of these loops: function, construct, formulas
    found=$(awk -v n="$1" -v c="$2" '$2 == n && $3 == c && $4 == "count" { sub(/^.* 0 +/, ""); sub(/  left early$/, ""); print }' "$work/formulas.left" | tr '\n' ';')
    [ "$found" = "$3" ] && pass || fail "$1: the loop's counts are $found, not $3"
}
formulas_are always for "(2 4 9)^5;"
formulas_are rising for "(1 2 .. 19);19;"
formulas_are by_break for "(4 4 10)^4;"
formulas_are by_jump for "(4 4 10)^4;"
formulas_are by_return for "(4 4 10)^4;"
formulas_are back_to_outer for "(4^8 10^4)^4;4^12;"

# Loops by length of formula: the last column has all of them, and no column has fewer than the one before it.
refrain capture "$trace" >"$work/capture" || fail "capture"
awk '/^share captured/ { on = 1 } on && /^loops/ { gsub(/%/, ""); for (i = 3; i <= NF; i++) if ($i < $(i - 1)) exit 1
    if ($NF != 100) exit 1; n++ } END { exit n != 2 }' "$work/capture" && pass || fail "capture by length: $(grep loops "$work/capture")"
# The archive is no formula, at any length; a cycle of four fits 12 items and not 4.
refrain capture --length 4 "$trace" | awk '/^loops/ { print $2, $NF, $(NF - 1); exit }' >"$work/four"
refrain capture --length 128 "$trace" | awk '/^loops/ { print $2, $NF, $(NF - 1); exit }' >"$work/most"
[ "$(cut -d ' ' -f 1 "$work/four")" = "$(cut -d ' ' -f 1 "$work/most")" ] && ! cmp -s "$work/four" "$work/most" && pass ||
    fail "capture --length: 4 $(cat "$work/four"), 128 $(cat "$work/most")"
for length in 3 129 x ""; do
    refrain capture --length "$length" "$trace" >/dev/null 2>&1
    [ $? -eq 2 ] && pass || fail "capture --length '$length' is refused"
done

# With another length of formulas the monitor learns the same. The limits are printed.
mkdir "$work/short"
for length in 4 128; do
    REFRAIN_THROTTLE=off REFRAIN_MODE=both REFRAIN_FORMULA_LENGTH=$length REFRAIN_DIRECTORY=$work/short "$work/known" 2>"$work/said"
    [ ! -s "$work/said" ] && exact "$(the_trace "$work/short")" "formulas of $length items"
    rm -rf "$work"/short/*
done
for length in 3 129 x; do
    REFRAIN_FORMULA_LENGTH=$length REFRAIN_DIRECTORY=$work/short "$work/known" 2>"$work/said"
    grep -q "REFRAIN_FORMULA_LENGTH.*$length.*4 to 128" "$work/said" && pass || fail "length $length: $(cat "$work/said")"
done

# Compare: a trace is exactly itself, and not another.
mkdir "$work/both" "$work/other"
REFRAIN_THROTTLE=off REFRAIN_MODE=both REFRAIN_DIRECTORY=$work/both "$work/known"
refrain compare --exact "$(the_trace "$work/both")" >"$work/said" && pass || fail "compare: $(tail -n 3 "$work/said")"
refrain compare --exact --json "$(the_trace "$work/both"):events" "$trace:stat" >/dev/null && pass || fail "compare two runs"
sed 's/archive(rand() % 200)/if (t != 2000) archive(1)/' "$work/known.c" >"$work/less.c"
refrain-cc --detail=every gcc -O1 "$work/less.c" -o "$work/less" || fail "compile"
REFRAIN_MODE=events REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=$work/other "$work/less"
refrain compare --exact "$(the_trace "$work/other")" "$trace" >"$work/said" 2>&1
[ $? -eq 3 ] && grep -q "first difference at event" "$work/said" && pass || fail "compare of different runs: $(tail -n 1 "$work/said")"
refrain capture "$(the_trace "$work/other")" 2>"$work/said"
[ $? -eq 1 ] && grep -q "mode events" "$work/said" && pass || fail "capture of a trace without formulas: $(cat "$work/said")"

# Partners without a rule, each of which has its tag, and each tag its size, are exact. Partners at the same distance
# share a line.
mkdir "$work/mpi"
cat >"$work/ring.c" <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++)
        if (rank % 2)
            MPI_Recv(&in, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank + 1 < size)
            MPI_Send(&i, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&size, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END_OF_C
for program in "$tests/programs/mpi_dependent.c" "$work/ring.c"; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 "$program" -o "$work/mpi/program" || fail "compile $program"
    rm -rf "$work"/mpi/*.refrain
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$work/mpi launch mpich 4 "$work/mpi/program" >/dev/null || fail "run $program"
    case $program in
    "$work"/*) break ;;
    esac
    exact "$(the_trace "$work/mpi")" mpi_dependent
done
refrain formulas "$(the_trace "$work/mpi")" >"$work/ring"
grep -q "MPI_Send .* 0,2  *(r+1)^10$" "$work/ring" && grep -q "MPI_Recv .* 1,3  *(r-1)^10$" "$work/ring" && pass ||
    fail "partners by distance: $(grep -E 'MPI_(Send|Recv)' "$work/ring")"
grep -q 'MPI_Bcast *root .* 1$' "$work/ring" && ! grep -q 'MPI_Barrier *root' "$work/ring" && pass ||
    fail "a root where there is one, and only there: $(grep -E 'MPI_(Bcast|Barrier)' "$work/ring")"

# Nonsense in a formula of a process that was killed: the offset and the reason.
mkdir "$work/killed"
REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=$work/killed "$work/known" and die || fail "run"
cp -r "$(the_trace "$work/killed")" "$work/damaged.refrain"
check "it has finished" trace_header finished "$work/damaged.refrain/rank-0.trace" 1
used=$(trace_header pool_used "$work/damaged.refrain/rank-0.trace")
head -c 8000 /dev/zero | tr '\0' '\377' |
    dd of="$work/damaged.refrain/rank-0.trace" bs=1 seek=$((used - 12000)) conv=notrunc 2>/dev/null
for command in info formulas capture; do
    refrain $command "$work/damaged.refrain" >/dev/null 2>"$work/said"
    [ $? -eq 1 ] && [ "$(wc -l <"$work/said")" -eq 1 ] && grep -qE "rank-0.trace: .*byte [0-9]+.*(archived|span|repetition|loop|unknown|reference)" "$work/said" && pass ||
        fail "$command of a damaged formula: $(cat "$work/said")"
done
summary
