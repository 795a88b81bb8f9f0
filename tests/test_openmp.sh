#!/bin/sh
# OpenMP's constructs as regions: programs behave as without probes, and the trace is exact. It has each thread's time in a
# construct, at its barrier and in critical sections. refrain names the constructs that it leaves unchanged.
#   test_openmp.sh BIN
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
programs=$tests/programs/openmp
export OMP_WAIT_POLICY=passive OMP_CANCELLATION=true REFRAIN_THROTTLE=off REFRAIN_THREADS=8 # throttling goes by time

# build COMPILER OPTIONS PROGRAM: plain-PROGRAM and PROGRAM.
build() {
    # shellcheck disable=SC2086 # a list of options
    $1 $2 -fopenmp -w "$programs/$3.c" -o "plain-$3" && refrain-cc "$1" $2 -fopenmp -w "$programs/$3.c" -o "$3" 2>said ||
        fail "$1 $2 $3: compile"
    [ ! -s said ] || fail "$1 $2 $3: compile says: $(head -n 1 said)"
}

# trace COMMAND...: in run.
trace() {
    rm -rf run
    mkdir run
    REFRAIN_MODE=both REFRAIN_DIRECTORY=run timeout 120 "$@" >out 2>err
}

# entered PATTERN: how often regions of that name were entered.
entered() {
    awk -F '\t' -v name="$1" '$3 == "enter" && index($4, "!$omp " name " @") == 1 { n++ } END { print n + 0 }' recorded
}

# line COMMENT: of the pragma with this comment.
line() {
    grep -n "#pragma.*$1" "$programs/constructs.c" | cut -d : -f 1
}

# is NAME VALUE EXPECTED
is() {
    [ "$2" = "$3" ] && pass || fail "$which: $1: $2, not $3"
}

for compiler in gcc clang; do
    available $compiler || continue
    for options in -O0 -O2 "-O1 -g -std=c99 -D_GNU_SOURCE"; do
        which="$compiler $options"
        build $compiler "$options" constructs
        timeout 120 ./plain-constructs 3 >plain.out 2>&1 || fail "$which: plain: status $?"
        trace ./constructs 3 || fail "$which: status $?: $(head -n 1 err)"
        check "$which: same output" cmp plain.out out
        exact "$(the_trace run)" "$which"
        # Three rounds with teams of four threads.
        is "orphaned for loops, on 5 threads" "$(grep -c "enter	!.omp for @constructs.c:$(line "/\* orphaned")" recorded)" 15
        is "orphaned critical sections" "$(entered 'critical(in_turn)')" 15
        is "their blocks" "$(entered 'critical(in_turn) sblock')" 15
        is "nested teams' critical sections" "$(entered 'critical(inner) sblock')" 36
        is "teams" "$(grep -c "enter	!.omp parallel @constructs.c:$(line "// outer")" recorded)" 3
        is "teams in them" "$(grep -c "enter	!.omp parallel @constructs.c:$(line "// inner")" recorded)" 18
        is "their threads" "$(grep -c "enter	!.omp parallel sblock @constructs.c:$(line "// inner")" recorded)" 36
        is "locks" "$(entered set_lock)" 36
        is "single constructs' blocks in teams of 4" "$(grep -c 'enter	!$omp single sblock' recorded)" 15
        # A team ends in the middle of the run; its other threads may be in a probe.
        trace ./constructs 1 exit
        [ $? -eq 3 ] && exact "$(the_trace run)" "$which, ended by exit" ended || fail "$which: exit: status $?"
    done
    refrain info --verbose "$(the_trace run)" >info
    for left in "constructs.c:[0-9]*: omp parallel: a default clause other than shared" \
        "constructs.c:[0-9]*: omp for: what it is in is left as it is" "constructs.c:[0-9]*: omp parallel: it may be cancelled" \
        "constructs.c:[0-9]*: omp cancel: what it is in is left as it is" \
        "constructs.c:[0-9]*: omp single: its statement was not found" "constructs.c:[0-9]*: omp task: an untied task" \
        "constructs.c:[0-9]*: omp taskloop: no region is kept for it"; do
        grep -q "$left" info && pass || fail "$compiler: info does not say: $left: $(grep -A 30 'left as' info)"
    done

    # The second thread sleeps for 0.1 s in all when the first one is there, which waits for it.
    which=$compiler
    build $compiler -O2 imbalance
    trace ./imbalance 5 20 || fail "$compiler: imbalance: $(head -n 1 err)"
    exact "$(the_trace run)" "$compiler, imbalance"
    refrain reconstruct "$(the_trace run)" --format text -o - | python3 -c '
import sys
inside, begun = {}, {}
for text in sys.stdin:
    if text.startswith("#"):
        continue
    rank, time, kind, name, *rest = text.rstrip("\n").split("\t")
    thread = next((int(r[7:]) for r in rest if r.startswith("thread=")), 0)
    if kind == "enter":
        begun.setdefault((thread, name), []).append(float(time))
    elif kind == "leave":
        inside[thread, name] = inside.get((thread, name), 0) + float(time) - begun[thread, name].pop()
line = {name.split(" @")[0]: name for _, name in inside}
barriers = sorted({name for _, name in inside if "implicit barrier" in name}, key=lambda name: int(name.split(":")[1]))
critical = [name for _, name in inside if name.startswith("!$omp critical(held) @") and _ == 0][0]
assert inside[1, line["!$omp for"]] >= 0.1 and inside[0, barriers[0]] > 0.05, inside
assert inside[0, critical] > 0.05, inside
' && pass || fail "$compiler: times of the imbalance"
done

# Formats: forks, teams and locks, and nothing that a reader complains of.
what=formats
build gcc -O2 constructs
trace ./constructs 2 || fail "constructs: status $?"
exact "$(the_trace run)" "for formats"
refrain reconstruct "$(the_trace run)" --format otf2 -o otf2 2>said && refrain reconstruct "$(the_trace run)" --format epilog -o elg 2>>said ||
    fail "reconstruct: $(head -n 1 said)"
otf2-print -Werror otf2/traces.otf2 >printed 2>complaints
[ ! -s complaints ] && pass || fail "otf2-print: $(head -n 2 complaints)"
otf2-print -G otf2/traces.otf2 >definitions 2>complaints
[ ! -s complaints ] && pass || fail "otf2-print -G: $(head -n 2 complaints)"
which=otf2
for pair in "FORK:parallel @" "JOIN:parallel @" "TEAM_BEGIN:parallel sblock @" "TEAM_END:parallel sblock @" \
    "ACQUIRE_LOCK:critical.* sblock @" "RELEASE_LOCK:critical.* sblock @"; do
    is "${pair%%:*}" "$(grep -c "^THREAD_${pair%%:*} " printed)" "$(grep -c "enter	!.omp ${pair#*:}" recorded)"
done
for role in PARALLEL LOOP SECTIONS SINGLE CRITICAL_SBLOCK IMPLICIT_BARRIER; do
    grep -q "omp.*, *$role\b\|REGION.*omp.*$role" definitions && pass || fail "no region of role $role"
done
check "epilog" python3 "$tests/formats/read_epilog.py" elg
which=epilog
python3 "$tests/formats/read_epilog.py" elg >lines
is lines "$(grep -c omp lines)" "$(grep -c omp reconstructed)"

# Statistics, of the run whose second thread sleeps.
build gcc -O2 imbalance
trace ./imbalance 5 20
refrain stats --by construct --json "$(the_trace run)" >json && refrain stats --by construct --csv "$(the_trace run)" >csv &&
    refrain stats --by construct "$(the_trace run)" >text || fail "stats"
python3 - <<'END' && pass || fail "stats --by construct: $(cat text)"
import csv, json
rows = {(row["construct"], row["place"]): row for row in json.load(open("json"))["rows"]}
loop = next(row for (name, _), row in rows.items() if name == "for")
held = sorted((row for (name, _), row in rows.items() if name == "critical(held)"), key=lambda row: row["inside_ns"])
assert loop["times"] == 10 and loop["threads"] == 2 and loop["most_thread"] == 1, loop
assert loop["most_ns"] >= 100e6 and loop["waiting_ns"] > 0 and loop["imbalance_percent"] > 0, loop
assert loop["inside_ns"] == loop["least_ns"] + loop["most_ns"], loop
assert len(held) == 2 and held[1]["inside_ns"] >= 100e6 and held[0]["waiting_ns"] > 0, held
assert held[1]["times"] == 5 and held[0]["times"] == 5, held
assert [int(row["inside_ns"]) for row in csv.DictReader(open("csv"))] == [row["inside_ns"] for row in json.load(open("json"))["rows"]]
END
[ "$(grep -c 'imbalance.c:' text)" = "$(($(wc -l <csv) - 1))" ] && pass || fail "stats as text: $(cat text)"
refrain stats --by construct --rank 0 "$(the_trace run)" >said 2>&1 && fail "--by construct with --rank" || pass

# Compiled without OpenMP the pragmas are none.
refrain-cc gcc -O1 -w "$programs/imbalance.c" -Wl,--unresolved-symbols=ignore-all -o serial 2>said
grep -q omp said && fail "without -fopenmp: $(head -n 1 said)" || pass
nm serial | grep -q refrain_region_begin && fail "without -fopenmp there are regions" || pass
summary
