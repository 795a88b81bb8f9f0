#!/bin/sh
# Times: those of the same run, recorded and reconstructed, on several threads, killed, with little memory; and clocks of
# several nodes that are wrong in a known way.
set -u
. "$(dirname "$0")/lib.sh"

REFRAIN_MPICC=mpicc.mpich
export REFRAIN_MPICC

# number KEY FILE: the first number of that name in JSON.
number() {
    sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p" "$2" | head -n 1
}

# off TRACE: by how many ns an event is off at most, before times of different ranks are made consistent.
off() {
    refrain compare --json "$1:events" "$1:unaligned" >"$work/compared" || echo "none"
    sed -n '/position_error/,/}/s/.*"largest_ns": *\([0-9]*\).*/\1/p' "$work/compared" | head -n 1
}

# traced NAME MEMORY COMMAND...: runs it in mode both; its trace is $trace.
traced() {
    name=$1 memory=$2
    shift 2
    rm -rf "$work/run"
    mkdir "$work/run"
    REFRAIN_MODE=both REFRAIN_TIME_MEMORY=$memory REFRAIN_DIRECTORY=$work/run "$@" >"$work/printed" 2>&1
    trace=$(the_trace "$work/run") || fail "$name: no trace: $(tail -n 1 "$work/printed")"
}

# ---- while there is memory, each event has the time of the run ----

refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/control" || fail "compile"
traced "control" 2M launch mpich 2 "$work/control" 100
most=$(off "$trace")
[ "$most" -le 16 ] && pass || fail "control: off by $most ns"
refrain compare --json "$trace" >"$work/aligned"
after=$(sed -n '/position_error/,/}/s/.*"largest_ns": *\([0-9]*\).*/\1/p' "$work/aligned" | head -n 1)
[ "$after" -le 16 ] && pass || fail "control: consistent times were moved, by up to $after ns"
refrain info --json "$trace" >"$work/info"
[ "$(number longest_span "$work/info")" = 1 ] && pass || fail "control: $(refrain info --verbose "$trace" | grep -m 1 times)"

# ---- the cost of probes is measured, and this leaves no other traces ----

python3 - "$work/info" <<'END' && pass || fail "costs of probes"
import json, sys
for process in json.load(open(sys.argv[1]))["processes"]:
    costs = process["probe_costs"]
    assert len(costs) == 13, costs
    for kind, cost in costs.items():
        reads_clock = kind in ("enter", "leave", "region begin", "region end", "call begin", "call return")
        assert 0 <= cost["after_ns"] and (0 < cost["before_ns"] if reads_clock else 0 <= cost["before_ns"]), (kind, cost)
    assert costs["enter"]["before_ns"] > costs["decision"]["before_ns"], costs
    assert process["losses"] == {}, process["losses"]
END
refrain stats --json "$trace" | grep -q calibration && fail "what was run to measure costs is in the trace" || pass

# ---- with less, items of several blocks ----

# A comparison with another run has the machine's noise.
refrain compare "$trace" | grep -q "machine's noise" && fail "compare: one run is taken for two" || pass
mv "$trace" "$work/before"
traced "little" 16K launch mpich 2 "$work/control" 100
refrain compare "$work/before" "$trace" | grep -q "machine's noise" && pass || fail "compare: noise of two runs is not told"
refrain info --json "$trace" >"$work/info"
[ "$(number longest_span "$work/info")" -gt 1 ] && pass || fail "little: no block shares its time"
[ "$(number bytes "$work/info")" -gt 0 ] && pass || fail "little: no bytes"
most=$(off "$trace")
run=$(number run_ns "$work/compared")
[ "$most" -gt 16 ] && [ "$((most * 20))" -lt "$run" ] && pass || fail "little: off by $most ns of $run"
exact "$trace" "little"

# ---- a slow visit stays where it was, whatever its neighbours are joined to ----

cat >"$work/slow.c" <<'END'
#include <mpi.h>
#include <refrain/refrain.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100000; i++) {
        if (i == 50000 && argc > 1)
            setenv("REFRAIN_FALSE_JUMP", argv[1], 1);
        refrain_region_begin("visit");
        if (i == 31415 || i == 77777)
            setenv("REFRAIN_FALSE_PASSED", i == 31415 ? "60000000" : "120000000", 1);
        refrain_region_end();
    }
    MPI_Finalize();
    return 0;
}
END
refrain-mpicc -O1 -w -I "$tests/../include" "$work/slow.c" -o "$work/slow" || fail "compile slow.c"
cc -O1 -shared -fPIC "$tests/false_clock.c" -o "$work/false_clock.so" || fail "compile false_clock.c"
# jump NANOSECONDS: runs it by a clock that goes on by a microsecond at each look, on whatever machine, and does so
# between the two slow visits.
jump() {
    REFRAIN_CLOCK=gettime REFRAIN_THROTTLE=off REFRAIN_FALSE_STEP=1000 preload=$work/false_clock.so launch mpich 1 "$work/slow" "$1"
}
# with the least memory that a timeline takes, no item is longer than a two-thousandth of the run
traced "slow, 8K" 8K jump 0
refrain info --json "$trace" >"$work/info"
awk -v longest="$(number longest_span_ns "$work/info")" -v run="$(number run_ns "$work/info")" \
    'BEGIN { exit !(longest > 0 && longest * 2000 < run) }' &&
    pass || fail "slow, 8K: an item of $(number longest_span_ns "$work/info") ns"
traced "slow" 16K jump 0
refrain info --json "$trace" >"$work/info"
[ "$(number longest_span "$work/info")" -gt 20 ] && pass || fail "slow: no block shares its time"
refrain events "$trace" >"$work/events.txt" && refrain reconstruct "$trace" --format text -o "$work/again.txt" --force ||
    fail "slow: text"
python3 - "$work/events.txt" "$work/again.txt" <<'END' && pass || fail "slow: the slow visits"
import sys
def visits(path):
    enter, found = 0, {}
    number = 0
    for line in open(path):
        fields = line.split("\t")
        if fields[3].strip() != "visit":
            continue
        if fields[2] == "enter":
            enter = float(fields[1])
        else:
            found[number] = (enter, float(fields[1]) - enter)
            number += 1
    return found
recorded, again = visits(sys.argv[1]), visits(sys.argv[2])
assert len(recorded) == len(again) == 100000, (len(recorded), len(again))
for visits in (recorded, again):
    slow = {number for number in visits if visits[number][1] > 0.03}
    assert slow == {31415, 77777}, slow
for number in slow:
    assert abs(recorded[number][0] - again[number][0]) < 0.00001, (number, recorded[number], again[number])
    assert abs(recorded[number][1] - again[number][1]) < 0.0005, (number, recorded[number], again[number])
END

# ---- sums are the totals of the run: a region with some long visits, and one without ----

cat >"$work/pass.h" <<'END'
#include <stdio.h>
#include <stdlib.h>
/* The false clock goes on. */
static void pass(int ns) {
    static char variable[48];
    static long passed;
    sprintf(variable, "REFRAIN_FALSE_PASSED=%ld", passed + ns);
    if (passed == 0)
        putenv(variable);
    passed += ns;
}
END
cat >"$work/uneven.c" <<'END'
#include <mpi.h>
#include <refrain/refrain.h>
#include "pass.h"
static void do_even(int n) {
    pass(2 * n);
}
static void do_uneven(int n) { /* not the same: which of two callers the time of one function is of is estimated */
    pass(2 * n);
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 60000; i++) {
        refrain_region_begin("even");
        do_even(100);
        refrain_region_end();
        refrain_region_begin("uneven");
        do_uneven(i % 2048 >= 2040 ? 200000 : 10);
        refrain_region_end();
    }
    MPI_Finalize();
    return 0;
}
END
# by_false_clock PROGRAM: runs it on one rank, with a clock that advances by 50 ns with each read, and by what the
# program sets.
by_false_clock() {
    REFRAIN_CLOCK=gettime REFRAIN_THROTTLE=off REFRAIN_FALSE_STEP=50 preload=$work/false_clock.so launch mpich 1 "$1"
}
refrain-mpicc -O1 -w -I "$tests/../include" "$work/uneven.c" -o "$work/uneven" || fail "compile uneven.c"
traced "uneven" 32K by_false_clock "$work/uneven"
# totals NAME SHARE REGION...: checks that the totals of the trace differ from the measured ones by less than this
# share of the run.
totals() {
    refrain compare --json "$trace:events" "$trace:unaligned" >"$work/compared"
    python3 - "$work/compared" "$@" >"$work/said" 2>&1 <<'END_OF_PYTHON' && pass || fail "$1: $(tail -n 1 "$work/said")"
import json, sys
compared = json.load(open(sys.argv[1]))
regions = {region["name"]: region for region in compared["regions"]}
for name in sys.argv[4:]:
    off = abs(regions[name]["difference_ns"]) / compared["run_ns"]
    assert off < float(sys.argv[3]), f"{name}: total is off by {100 * off:.4f} % of the run"
END_OF_PYTHON
}
totals "uneven" 0.0001 even uneven

# ---- the same if two functions call one function, which takes longer for one of them ----

cat >"$work/callers.c" <<'END'
#include <mpi.h>
#include <refrain/refrain.h>
#include "pass.h"
static void work(int n) {
    refrain_region_begin("work");
    pass(2 * n);
    refrain_region_end();
}
static void pass_on(int n) {
    refrain_region_begin("pass_on");
    work(n);
    refrain_region_end();
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 40000; i++) {
        refrain_region_begin("light");
        work(10);
        refrain_region_end();
        refrain_region_begin("heavy");
        pass_on(i % 3 ? 300 : 500);
        refrain_region_end();
        refrain_region_begin("middle");
        pass_on(100);
        refrain_region_end();
    }
    MPI_Finalize();
    return 0;
}
END
refrain-mpicc -O1 -w -I "$tests/../include" "$work/callers.c" -o "$work/callers" || fail "compile callers.c"
traced "callers" 16K by_false_clock "$work/callers"
totals "callers" 0.0001 light heavy middle pass_on work

# ---- loops and branches have their own time, without the time since the last clock read before them ----

cat >"$work/spans.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
#include "pass.h"
static void work(int ns) {
    pass(ns / 2);
    MPI_Barrier(MPI_COMM_SELF);
    pass(ns / 2);
}
static void begin_late(void) {
    pass(28000000);
    for (int i = 0; i < 3; i++) { /* LATE */
        pass(11000000);
        MPI_Barrier(MPI_COMM_SELF);
    }
    pass(5000000);
}
static void call_others(void) {
    for (int i = 0; i < 370; i++) /* CALLS */
        work(1000000);
}
static void nest(void) {
    for (int i = 0; i < 2000; i++) { /* OUTER */
        pass(3000);
        for (int k = 0; k < 4; k++) { /* INNER */
            MPI_Barrier(MPI_COMM_SELF);
            pass(10000);
        }
        work(7000);
    }
}
static void leave_early(int n) {
    for (int i = 0; i < 10; i++) { /* EARLY */
        MPI_Barrier(MPI_COMM_SELF);
        pass(1000000);
        if (i == n)
            break;
    }
    work(50000000);
}
static void choose(void) {
    for (int i = 0; i < 10; i++) { /* AROUND */
        if (i % 5) { /* IF */
            MPI_Barrier(MPI_COMM_SELF);
            pass(2000000);
            MPI_Barrier(MPI_COMM_SELF);
        } else
            work(1000000);
        work(4000000);
    }
}
static void begin_late_and_end(void) {
    pass(9000000);
    for (int i = 0; i < 1; i++) { /* ONCE */
        work(1000000);
        pass(9000000);
    }
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_late();
    call_others();
    nest();
    leave_early(3);
    choose();
    begin_late_and_end();
    return MPI_Finalize();
}
END
refrain-mpicc -g -O0 -w "$work/spans.c" -o "$work/spans" || fail "compile spans.c"
traced "spans" 2M by_false_clock "$work/spans"
refrain stats --json "$trace" >"$work/spans.json" && refrain stats --json --quick "$trace" >"$work/quick.json" || fail "spans: stats"
python3 - "$work/spans.c" "$work/spans.json" "$work/quick.json" >"$work/said" 2>&1 <<'END' && pass || fail "spans: $(tail -n 1 "$work/said")"
import json, sys
lines = {line.split("/*")[1].split()[0]: number
         for number, line in enumerate(open(sys.argv[1]), 1) if "{ /*" in line or ") /*" in line}
found = {}
def add(nodes):
    for node in nodes:
        found[node["kind"], node["line"]] = node
        add(node.get("children", []))
        add(node.get("branches", []))
add(json.load(open(sys.argv[2]))["functions"])
def check(kind, name, total_ms, own_ms, least_ms=None):
    node = found[kind, lines[name]]
    for key, ms in ("inclusive_ns", total_ms), ("own_ns", own_ms), ("least_ns", least_ms):
        # Each clock read takes 50 ns, also those for refrain itself.
        if ms is not None:
            assert abs(node[key] / 1e6 - ms) < 0.02 * ms + 0.05, (kind, name, key, node[key] / 1e6, ms)
    return node
assert check("loop", "LATE", 33, 33, 22)["iterations"] == 3
check("loop", "CALLS", 370, 0)
check("loop", "OUTER", 100, 2000 * (3 + 40) / 1e3)
check("loop", "INNER", 80, 80)
check("loop", "EARLY", 4, 4)  # without what is called behind it
check("loop", "AROUND", 8 * 2 + 2 * 1 + 10 * 4, 8 * 2)
assert check("then", "IF", 16, 16)["count"] == 8
branch = found["else", lines["IF"]]
assert branch["count"] == 2 and branch["inclusive_ns"] is None and branch["own_ns"] is None, branch
node = found["loop", lines["ONCE"]]  # nothing tells how much of what lies behind the call is the loop's
assert node["own_ns"] is None and 0.9e6 < node["inclusive_ns"] < 1.1e6, node
found.clear()
add(json.load(open(sys.argv[3]))["functions"])
loop = found["loop", lines["LATE"]]
assert loop["iterations"] == 3 and loop["own_ns"] is None and loop["inclusive_ns"] is None, loop
END
refrain stats "$trace" >"$work/said" 2>&1
grep -q "~33.* ms .* for .*3 times\|~33.* ms  *[0-9.]* %  *~33.* ms .*3  *for  spans.c" "$work/said" && grep -q ">=1.0.* ms with callees" "$work/said" &&
    grep -q -- "-  *-  *-  *-  *2  *else  spans.c" "$work/said" && pass || fail "spans: $(grep "spans.c" "$work/said" | head -n 4)"
mv "$trace" "$work/whole"
# If the probes of a function are disabled, its MPI calls belong to its caller, but not to loops of the caller.
cat >"$work/dormant.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
#include "pass.h"
static void often(int i) {
    for (int k = 0; k < 2; k++) /* OFTEN */
        if (i % 50 == 0)
            MPI_Barrier(MPI_COMM_SELF);
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2000000; i++) /* AROUND */
        often(i);
    return MPI_Finalize();
}
END
refrain-mpicc -g -O0 -w "$work/dormant.c" -o "$work/dormant" || fail "compile dormant.c"
traced "dormant" 2M launch mpich 1 "$work/dormant"
refrain stats --json "$trace" >"$work/spans.json" || fail "dormant: stats"
# Whether probes are frequent enough depends on the machine, so the rest is checked only if they were.
if grep -q '"throttled": true' "$work/spans.json"; then
    python3 - "$work/spans.json" >"$work/said" 2>&1 <<'END' && pass || fail "dormant: $(tail -n 1 "$work/said")"
import json, sys
functions = {function["name"]: function for function in json.load(open(sys.argv[1]))["functions"]}
often, main = functions["often"], functions["main"]
loop, around = often["children"][0], [child for child in main["children"] if child["kind"] == "loop"][0]
if often["throttled"]:
    assert loop["least_ns"] is None or loop["least_ns"] <= often["inclusive_ns"], (loop, often["inclusive_ns"])
if around["throttled"]:
    assert around["inclusive_ns"] <= main["inclusive_ns"], (around, main["inclusive_ns"])
END
    refrain stats "$trace" | grep "for  dormant.c:.*throttled" | grep -v "^ *>=" >"$work/said" && fail "dormant: $(cat "$work/said")" || pass
else
    echo "no probe of dormant.c was disabled: not looked at"
fi

# ---- none at all ----

traced "none" 0 launch mpich 2 "$work/control" 100
refrain info --verbose "$trace" | grep -q "times .*REFRAIN_TIME_MEMORY is 0" && pass || fail "none: info does not say so"
exact "$trace" "none"

# ---- less than a timeline needs ----

traced "few" 4K launch mpich 2 "$work/control" 20
refrain info --verbose "$trace" | grep -q "times .*REFRAIN_TIME_MEMORY is 4.* KiB, its threads need at least 8.* KiB" && pass ||
    fail "few: info does not say so: $(refrain info --verbose "$trace" | grep -m 1 times)"
exact "$trace" "few"

# ---- killed ----

killed_run() {
    refrain-run mpiexec.mpich -n 2 "$work/control" 1000000 500 &
    wait_for_traces "$REFRAIN_DIRECTORY" 2
    looks=0
    until [ "$(refrain events "$REFRAIN_DIRECTORY"/*.refrain 2>/dev/null | wc -l)" -gt 10000 ] || [ $looks -ge 600 ]; do
        looks=$((looks + 1))
        sleep 0.1
    done
    kill -9 $(processes_of "$work/control")
    wait
}
traced "killed" 2M killed_run
refrain compare --json "$trace:events" "$trace:unaligned" >"$work/compared"
within=$(sed -n '/position_error/,/}/s/.*"within_1us": *\([0-9]*\).*/\1/p' "$work/compared" | head -n 1)
pairs=$(sed -n '/"position"/,/}/s/.*"pairs": *\([0-9]*\).*/\1/p' "$work/compared" | head -n 1)
[ "$(number single "$work/compared")" = "" ] && [ "$pairs" -gt 1000 ] && pass || fail "killed: $pairs events"
refrain info --json "$trace" >"$work/info"
if [ "$(number longest_span "$work/info")" = 1 ]; then
    [ $((pairs - within)) -le 2 ] && pass || fail "killed: $((pairs - within)) of $pairs events are off"
else
    pass # it came further than memory for single blocks lasts
fi

# ---- threads ----

cat >"$work/threads.c" <<'END'
#include <mpi.h>
#include <pthread.h>
#include <refrain/refrain.h>
#include <unistd.h>
static void *work(void *data) {
    for (int i = 0; i < 2000; i++) {
        refrain_region_begin("piece");
        if (i % 500 == 0)
            usleep(1000);
        refrain_region_end();
    }
    return data;
}
int main(int argc, char **argv) {
    pthread_t threads[3];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
END
refrain-mpicc -O1 -w -I "$tests/../include" "$work/threads.c" -o "$work/threads" -pthread || fail "compile threads"
REFRAIN_THREADS=4
export REFRAIN_THREADS
traced "threads" 1M launch mpich 1 "$work/threads"
unset REFRAIN_THREADS
most=$(off "$trace")
[ "$most" -le 16 ] && pass || fail "threads: off by $most ns"
[ "$(number compared "$work/compared")" -gt 16000 ] && pass || fail "threads: $(number compared "$work/compared") events"

# ---- times without probes: the same computation with and without many regions ----

cat >"$work/probes.c" <<'END'
#include <mpi.h>
#include <refrain/refrain.h>
static volatile unsigned long result;
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 50000; i++) {
        if (rank == 0)
            refrain_region_begin("piece");
        for (int k = 0; k < 10; k++)
            result = result * 6364136223846793005UL + 1;
        if (rank == 0)
            refrain_region_end();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
refrain-mpicc -O1 -w -I "$tests/../include" "$work/probes.c" -o "$work/probes" || fail "compile probes.c"
traced "probes" 1M launch mpich 2 "$work/probes"
# between FILE: ns from the end of rank 0's first barrier to the beginning of its second, and rank 1's regions in that
# time.
between() {
    awk -F '\t' '$4 == "MPI_Barrier" {
            if ($3 == "leave") left[$1, ++n[$1]] = $2
            if ($3 == "enter") entered[$1, ++m[$1]] = $2
        }
        END { printf "%d %d\n", (entered[0, 2] - left[0, 1]) * 1e9, (left[1, 2] - entered[1, 2]) * 1e9 }' "$1"
}
for command in reconstruct events; do
    refrain "$command" "$trace" --format text -o "$work/plain.txt" --force || fail "$command"
    refrain "$command" "$trace" --compensate --format text -o "$work/compensated.txt" --force || fail "$command --compensate"
    plain=$(between "$work/plain.txt") compensated=$(between "$work/compensated.txt")
    [ "${compensated% *}" -lt "${plain% *}" ] && [ "${compensated% *}" -gt 0 ] && pass ||
        fail "$command --compensate: $compensated ns, $plain with probes"
    [ "${compensated#* }" -lt "${plain#* }" ] && pass ||
        fail "$command --compensate: rank 1 waits for $compensated ns, $plain with probes"
    [ "$(wc -l <"$work/compensated.txt")" = "$(wc -l <"$work/plain.txt")" ] && pass || fail "$command: events are missing"
done
refrain stats --compensate --json "$trace" >"$work/stats" && pass || fail "stats --compensate"
# Waiting elsewhere depends on MPI_Init. The time of rank 1 in its second barrier was checked above.
refrain stats --json "$trace" >"$work/stats.plain"
[ "$(number to_ns "$work/stats")" -lt "$(number to_ns "$work/stats.plain")" ] && pass ||
    fail "stats --compensate: the run is not shorter"
refrain diff --compensate "$trace" "$trace" >"$work/said" && pass || fail "diff --compensate: $(cat "$work/said")"

# ---- a clock that jumps ----

traced "jump" 1M jump 3000000000
refrain info --verbose "$trace" | grep -q "clock  *jumped .* gained 3.0* s against the real time clock" && pass ||
    fail "jump: $(refrain info --verbose "$trace" | grep clock)"
exact "$trace" "jump"
traced "jump back" 1M jump -30000000
refrain info --json "$trace" >"$work/info"
[ "$(number backwards "$work/info")" = 1 ] && pass || fail "jump back: $(refrain info --verbose "$trace" | grep -e clock -e earlier)"
[ "$(number clock_ahead_ns "$work/info")" = -30000000 ] && pass ||
    fail "jump back: $(number clock_ahead_ns "$work/info") ns ahead"
exact "$trace" "jump back"
traced "jump far back" 0 jump -3000000000
refrain info --verbose "$trace" | grep -q "clock  *jumped .* lost 3.0* s against the real time clock" && pass ||
    fail "jump far back: $(refrain info --verbose "$trace" | grep clock)"
exact "$trace" "jump far back"
# It would end before it began: it ends when its blocks do, of which the regions' times are shares.
refrain stats --json --quick "$trace" >"$work/stats"
python3 - "$work/stats" >"$work/said" 2>&1 <<'END_OF_PYTHON' && pass || fail "jump far back: $(tail -n 1 "$work/said")"
import json, sys
stats = json.load(open(sys.argv[1]))
assert stats["run_ns"] > 100e6, stats["run_ns"]
for function in stats["functions"]:
    assert function["own_ns"] + function["mpi_ns"] <= stats["run_ns"], function
END_OF_PYTHON
# The clock stands still in the recording and, from the next page of the timeline on, in the reconstruction. Sums in which it went
# back do not exceed the run.
for memory in 1M 0; do
    traced "jump back, $memory" $memory jump -30000000
    refrain stats --json --quick "$trace" >"$work/stats"
    refrain compare --json "$trace" >"$work/compared"
    python3 - $memory "$work/stats" "$work/compared" >"$work/said" 2>&1 <<'END_OF_PYTHON' && pass || fail "jump back, $memory: $(tail -n 1 "$work/said")"
import json, sys
memory, stats, compared = sys.argv[1], *map(lambda path: json.load(open(path)), sys.argv[2:])
for function in stats["functions"]:
    assert function["own_ns"] + function["mpi_ns"] <= stats["run_ns"], function
off = compared["position_error"]["largest_ns"]
# With means only, the error of an event is the difference between slow and other visits, or the time until the next
# page.
assert compared["exact"] and off <= (60e6 if memory == "0" else 1e6), f"off by {off} ns"
END_OF_PYTHON
done
traced "no jump" 1M jump 0
refrain info --verbose "$trace" | grep -q "clock  *CLOCK_MONOTONIC of the system" && pass || fail "no jump: info does not tell the clock"
refrain info --verbose "$trace" | grep -q "clock  *jumped" && fail "no jump: $(refrain info --verbose "$trace" | grep clock)" || pass

# ---- the same with too many ranks to treat each alone: ranks 0, 2 .. go back, 1, 3 .. ahead ----

jumps() {
    REFRAIN_MODE=stat REFRAIN_CLOCK=gettime REFRAIN_FALSE_STEP=1000 launch mpich 17 sh -c \
        'LD_PRELOAD="$LD_PRELOAD $0" exec "$@" $((PMI_RANK % 2 ? 3000000000 : -3000000000))' "$work/false_clock.so" "$work/slow"
}
traced "jumps" 64K jumps
refrain info --verbose "$trace" >"$work/info"
for line in "clock  *jumped or did not run evenly.*: on all ranks" \
    "clock  *[0-9]* reads were earlier than .*: on ranks 0-16:2$"; do
    grep -q "$line" "$work/info" && pass || fail "jumps: $(grep '^  clock' "$work/info")"
done
REFRAIN_TIME_MEMORY=0 many_ranks 17 8 "$work/means" || fail "many_ranks"
refrain info --verbose "$work/means" | grep -q "times  *are means .*: on all ranks" && pass ||
    fail "means of many ranks: $(refrain info --verbose "$work/means" | grep '^  times')"

# ---- several nodes ----

refrain-mpicc -O1 -w -I "$tests/../include" "$tests/programs/marks.c" -o "$work/marks" || fail "compile marks.c"
false_clocks() {
    REFRAIN_CLOCK=gettime REFRAIN_FALSE_NODE=2 preload=$work/false_clock.so launch mpich 6 "$work/marks" "$@"
}
traced "nodes" 1M false_clocks
cp "$work/printed" "$work/truth"
refrain info --json "$trace" >"$work/info"
[ "$(number nodes "$work/info")" = 3 ] && [ "$(number compared_twice "$work/info")" = 2 ] && pass ||
    fail "nodes: $(refrain info --verbose "$trace" | grep clocks)"
refrain events "$trace" >"$work/events"
# No message is received before it was sent: by more than the clocks may be wrong as recorded, at all as reconstructed.
error_ns=$(number error_ns "$work/info")
backwards() {
    awk -F '\t' -v most="$2" '
        { for (i = 5; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] } }
        $3 == "send" { sent[$1 "," v["dest"], ++n[$1 "," v["dest"]]] = $2 }
        $3 == "recv" { got[v["source"] "," $1, ++m[v["source"] "," $1]] = $2 }
        END {
            for (k in got) { pairs++; if (got[k] < sent[k] - most / 1e9) late++ }
            print pairs + 0, late + 0
        }' "$1"
}
refrain reconstruct "$trace" --format text -o "$work/reconstructed" --force || fail "nodes: reconstruct"
[ "$(backwards "$work/events" $((2 * error_ns)))" = "900 0" ] && pass ||
    fail "nodes: messages as recorded, backwards: $(backwards "$work/events" $((2 * error_ns)))"
[ "$(backwards "$work/reconstructed" 0)" = "900 0" ] && pass ||
    fail "nodes: messages as reconstructed, backwards: $(backwards "$work/reconstructed" 0)"
# The remaining errors of the clocks, by the true times that the program prints.
awk -F '\t' -v said="$error_ns" '
    FNR == 1 { file++ }
    file == 1 && NF == 2 { truth[$1, ++n[$1]] = $2 }
    file == 2 && $3 == "enter" && $4 == "mark" {
        d = $2 * 1e9 - (truth[$1, ++m[$1]] - truth[0, 1])
        if (m[$1] == 1 || d < least[$1]) least[$1] = d
    }
    END {
        for (r in least) { d = least[r] - least[0]; if (d < 0) d = -d; if (d > most) most = d; ranks++ }
        printf "clocks of %d ranks: off by at most %.1f us, said to be within %.1f us\n", ranks, most / 1e3, said / 1e3
        exit !(ranks == 6 && most <= said + 20000)
    }' "$work/truth" "$work/events" >"$work/left" && pass || fail "nodes: $(cat "$work/left")"
cat "$work/left"
refrain compare --json "$trace:unaligned" "$trace:stat" >"$work/moved"
moved=$(sed -n '/position_error/,/}/s/.*"largest_ns": *\([0-9]*\).*/\1/p' "$work/moved" | head -n 1)
[ "$moved" -le $((2 * error_ns + 20000)) ] && pass || fail "nodes: times were moved by up to $moved ns"

# refrain info prints this, too.
refrain info --json "$trace" >"$work/info"
[ "$(number largest_move_ns "$work/info")" -le "$moved" ] && pass ||
    fail "nodes: info says that times are moved by $(number largest_move_ns "$work/info") ns"
refrain info --moved "$trace" | grep -q "^moved  " && pass || fail "nodes: info does not say what is moved"

# The clock of one node jumps, so its second comparison does not show its rate.
traced "nodes, jump" 1M false_clocks jump
refrain info --json "$trace" >"$work/info"
[ "$(number compared_twice "$work/info")" = 1 ] && [ "$(number compared_once "$work/info")" = 1 ] && pass ||
    fail "nodes, jump: $(refrain info --verbose "$trace" | grep -A 3 clocks)"
refrain info --verbose "$trace" | grep -q " 1 was compared at the end, too, but that is not used" && pass ||
    fail "nodes, jump: $(refrain info --verbose "$trace" | grep -A 3 clocks)"

traced "nodes, killed" 1M false_clocks 20
refrain info --verbose "$trace" | grep -q "to within .* at the start; how differently they run since is not known" && pass ||
    fail "nodes, killed: $(refrain info --verbose "$trace" | grep -A 2 clocks)"
refrain info --verbose "$trace" | grep -q "ppm apart" && fail "nodes, killed: $(refrain info --verbose "$trace" | grep ppm)" || pass
refrain info --verbose "$trace" | grep -q "clocks .*3 nodes: 0 compared .* and at the end, 2 at the start only" && pass ||
    fail "nodes, killed: $(refrain info --verbose "$trace" | grep clocks)"
summary
