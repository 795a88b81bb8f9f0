#!/bin/sh
# refrain record --sample: functions have their shares of the processor's time, by caller and by MPI call, in every thread,
# also in packs, in live traces and in those of killed processes; programs do what they did.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
x86_64_only "samples are taken on x86-64"
mpicc.mpich -O2 -g "$tests/programs/samples.c" -o samples -lpthread || fail "compile"

# recorded OPTIONS RANKS COMMAND...: records; the output is in out and err, the trace is $trace.
recorded() {
    options=$1
    ranks=$2
    shift 2
    rm -rf run
    # shellcheck disable=SC2086 # a list of options
    refrain record --directory run --sample --no-report $options mpiexec.mpich -n "$ranks" "$@" >out 2>err
    status=$?
    trace=$(the_trace run) || trace=/nowhere
}

# value FILE FUNCTION MEMBER: the member of the row of this function; -1 if there is no row
value() {
    python3 -c '
import json, sys
rows = [row for row in json.load(open(sys.argv[1]))["rows"] if row["function"] == sys.argv[2]]
print(int(rows[0][sys.argv[3]]) if rows else -1)' "$@"
}

# member FILE NAME: of the whole
member() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$@"
}

# between TEXT LEAST VALUE MOST
between() {
    [ "$2" -le "$3" ] && [ "$3" -le "$4" ] && pass || fail "$1: $3 is not between $2 and $4"
}

# What does not depend on how fast the machine is: the shares of functions of one run. heavy takes three times as long as
# light, some 240 and 80 samples on two ranks.
recorded "" 2 ./samples 0.1
[ $status = 0 ] && [ "$(grep -o done out | wc -l)" = 2 ] && ! grep -q failed out && pass || fail "the program: $status $(cat out err | head -n 4)"
refrain samples --json "$trace" >all.json 2>said || fail "samples --json"
grep -q 'without a name' said && fail "names: $(cat said)" || pass
heavy=$(value all.json heavy own_samples)
light=$(value all.json light own_samples)
between "heavy" 100 "$heavy" 400
between "heavy to light" 200 $((100 * heavy / (light > 0 ? light : 1))) 450
between "jumps" 8 "$(value all.json jumps own_samples)" 40
between "aside, in a thread without MPI calls" 20 "$(value all.json aside own_samples)" 80
between "main with callees" $((heavy + light)) "$(value all.json main total_samples)" "$(member all.json samples)"
refrain samples --folded "$trace" >folded
# deep calls itself twenty times; its time with callees counts once.
[ "$(awk '/;deep[; ]/ { n += $NF } END { print n + 0 }' folded)" = "$(value all.json deep total_samples)" ] && pass || fail "deep with callees"
grep -qE '^main(;deep){21} [0-9]+$' folded && grep -qE '^aside [0-9]+$' folded && pass || fail "folded: $(head -n 5 folded)"
[ "$(awk '{ n += $NF } END { print n }' folded)" = $(($(member all.json samples) - $(member all.json lost))) ] && pass || fail "folded has other samples than all"
between "lost" 0 "$(member all.json lost)" 2
between "stacks that end early" 0 "$(member all.json cut_stacks)" $(($(member all.json samples) / 5))
# By call: heavy runs after the barrier, deep after the broadcast.
refrain samples --by call --csv "$trace" >calls
grep -qE '"?MPI_Barrier"?,.*,0,"?heavy"?,' calls && grep -qE '"?MPI_Bcast"?,.*,0,"?deep"?,' calls &&
    ! grep -qE 'MPI_Bcast.*,0,"?heavy' calls && pass || fail "by call: $(head -n 5 calls)"
refrain samples "$trace" >text && grep -q 'heavy  samples.c:' text && pass || fail "text: $(head -n 6 text)"
# One rank has half of it.
refrain samples --rank 0 --json "$trace" >one.json
[ "$(member one.json ranks)" = 1 ] && [ "$(member one.json samples)" -lt "$(member all.json samples)" ] && pass || fail "--rank"
# A pack of all ranks has the same.
refrain pack "$trace" -o packed.refrain-pack && refrain samples --json packed.refrain-pack >packed.json
cmp -s all.json packed.json && pass || fail "pack: $(diff all.json packed.json | head -n 4)"

# Over time: one function runs after the other, and each sample is in one part of the run.
cat >phases.c <<'END_OF_C'
#include <mpi.h>
#include <time.h>
static volatile unsigned long sink;
#define FOR(seconds)                                                                                                   \
    struct timespec t;                                                                                                 \
    double until = seconds;                                                                                            \
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);                                                                       \
    for (until += (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; (double)t.tv_sec + 1e-9 * (double)t.tv_nsec < until;    \
         clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))                                                                  \
        for (int i = 0; i < 100000; i++)                                                                               \
            sink++;
__attribute__((noinline)) void early(void) {
    FOR(0.6)
}
__attribute__((noinline)) void late(void) {
    FOR(0.6)
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    early();
    MPI_Barrier(MPI_COMM_WORLD);
    late();
    return MPI_Finalize();
}
END_OF_C
mpicc.mpich -O1 -g phases.c -o phases || fail "compile phases"
recorded "" 1 ./phases
refrain samples --by time --json "$trace" >time.json 2>said || fail "--by time: $(cat said)"
refrain report --json "$trace" >report.json 2>said || fail "report of phases: $(cat said)"
python3 - >said 2>&1 <<'END_OF_PYTHON' && pass || fail "over time: $(tail -n 3 said)"
import json
run = json.load(open("time.json"))
rows = {row["function"]: row for row in run["rows"]}
for row in run["rows"]:
    assert abs(sum(row["parts"]) - row["own_samples"]) < 1e-6 * (1 + row["own_samples"]), row
when = lambda name: sum(i * n for i, n in enumerate(rows[name]["parts"])) / sum(rows[name]["parts"])
assert when("early") + 2 < when("late"), (rows["early"]["parts"], rows["late"]["parts"])
parts = {row["function"]: row["parts"] for row in json.load(open("report.json"))["samples"]["functions"]}
assert sum(parts["early"][:3]) > sum(parts["late"][:3]) and sum(parts["early"][8:]) < sum(parts["late"][8:]), parts
END_OF_PYTHON
refrain samples --by time "$trace" | grep -qE '^ +[0-9].* early$' && pass || fail "--by time as text: $(refrain samples --by time "$trace" | head -n 6)"
refrain report "$trace" | grep -qE 'late phases.c:[0-9]+ \(.*\), from [0-9.]+ % in the first half of the run to [0-9]+ % in the second' && pass ||
    fail "the report does not say what changed: $(refrain report "$trace" | grep -A 3 '^functions')"
refrain samples --by time --csv "$trace" >time.csv
[ "$(awk -F , 'NR > 1 { n += $NF } END { printf "%.0f", n }' time.csv)" = $(($(member time.json samples) - $(member time.json lost))) ] && pass ||
    fail "--by time --csv has other samples"

# OTF2 has the call paths with their samples, and the memory of the rank as a metric.
if command -v otf2-print >/dev/null; then
    refrain reconstruct "$trace" -o otf2 2>said || fail "OTF2: $(cat said)"
    otf2-print -G otf2/traces.otf2 >definitions 2>&1
    otf2-print otf2/traces.otf2 >events 2>&1
    [ "$(sed -n 's/^CALLING_CONTEXT_PROPERTY.*Name: "samples".*Value: \([0-9]*\).*/\1/p' definitions | awk '{ n += $1 } END { print n + 0 }')" = \
        $(($(member time.json samples) - $(member time.json lost))) ] && pass || fail "calling contexts: $(grep -m 2 CALLING_CONTEXT_PROPERTY definitions)"
    grep -q 'METRIC .*"resident memory"' events && pass || fail "no memory in OTF2: $(grep -m 2 METRIC events)"
fi
if python3 -c 'import numpy' 2>/dev/null; then
    python=$bin/../python
    PYTHONPATH=$python python3 - "$trace" >said 2>&1 <<'END_OF_PYTHON' && pass || fail "Python: $(tail -n 3 said)"
import json, sys, refrain
run = json.load(open("time.json"))
with refrain.Trace(sys.argv[1]) as trace:
    samples, memory = trace.samples(), trace.memory()
    assert samples["samples"].sum() == run["samples"] - run["lost"], samples
    stacks = {stack for stack, function in zip(samples["stack"], samples["function"]) if function == "late"}
    assert stacks == {"main;late"}, stacks
    assert (samples["from_ns"] < samples["to_ns"]).all()
    assert memory.rows > 0 and (memory["bytes"] > 1 << 20).all() and (memory["time_ns"][1:] > memory["time_ns"][:-1]).all()
END_OF_PYTHON
fi

# The report names the functions that compute, and the one in which the late rank does.
cat >late.c <<'END_OF_C'
#include <mpi.h>
#include <time.h>
static volatile unsigned long sink;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
__attribute__((noinline, noclone)) void even(double seconds) {
    for (double end = now() + seconds; now() < end;)
        for (int i = 0; i < 100000; i++)
            sink++;
}
__attribute__((noinline, noclone)) void uneven(double seconds) {
    for (double end = now() + seconds; now() < end;)
        for (int i = 0; i < 100000; i++)
            sink++;
}
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        even(0.05);
        uneven(rank == 1 ? 0.4 : 0.01);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
END_OF_C
# Its segments lie far apart: the loader then knows each as a range of its own.
mpicc.mpich -O1 -g -Wl,-z,max-page-size=0x200000,-z,separate-code late.c -o late || fail "compile late"
recorded "" 2 ./late
refrain report --json "$trace" >late.json 2>said || fail "report of samples: $(cat said)"
python3 - >said 2>&1 <<'END_OF_PYTHON' && pass || fail "report of samples: $(tail -n 3 said)"
import json
report = json.load(open("late.json"))
samples = report["samples"]
functions = {row["function"]: row["samples"] for row in samples["functions"]}
assert functions["uneven"] > functions["even"] > 0, functions
assert sum(functions.values()) <= samples["outside_mpi"] <= samples["samples"], samples
named = [f["rank"] for f in report["findings"] if "rank 1 computes longer than the mean in uneven late.c:" in f["detail"]]
assert named and set(named) == {1}, report["findings"]
assert not any("in even late.c" in f["detail"] for f in report["findings"])
assert not any(row["object"].startswith(("linux-vdso", "/lib/x86_64-linux-gnu/libc.so")) for row in samples["functions"]), functions
END_OF_PYTHON
refrain report "$trace" >text && grep -q '^functions that compute, by .* samples' text && grep -qE '^ +[0-9]+ %  uneven late.c:[0-9]+ \(\+- [0-9.]+ %\)$' text &&
    pass || fail "report as text: $(grep -A 4 '^functions' text)"
refrain report "$trace" -o late.html && grep -q '<h2>Functions that compute</h2>' late.html && grep -q 'uneven late.c:' late.html && pass ||
    fail "report as a page"

# A deep recursion and little memory: each sample is counted somewhere, and the number of misplaced ones is reported.
recorded "--memory 400K" 1 ./samples 0.05 600
refrain samples --json "$trace" >deep.json 2>said
refrain samples --folded "$trace" 2>/dev/null >folded
[ $status = 0 ] && [ "$(awk '{ n += $NF } END { print n + 0 }' folded)" = $(($(member deep.json samples) - $(member deep.json lost))) ] &&
    grep -q 'counted at a caller' said && pass || fail "little memory: $(head -n 3 said)"
recorded "--memory 2M" 1 ./samples 0.05 600
refrain samples --json "$trace" >deep.json 2>said
[ $status = 0 ] && [ "$(value deep.json deep own_samples)" -gt 0 ] && grep -q 'followed only in part' said && pass ||
    fail "deep recursion: $(cat said | head -n 3)"

# A process that is killed keeps its samples.
cat >killed.c <<'END_OF_C'
#include <mpi.h>
#include <signal.h>
#include <time.h>
__attribute__((noinline)) void works(void) {
    struct timespec t;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_sec < 1);
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    works();
    raise(SIGKILL);
}
END_OF_C
mpicc.mpich -O2 -g killed.c -o killed || fail "compile killed"
recorded "" 1 ./killed
refrain samples --json "$trace" >killed.json 2>said
between "works, of a killed process" 30 "$(value killed.json works total_samples)" 110

# In little memory many call sites have no record of their own; a call site that comes after them is named all the same. The
# table of functions is small, too: with many samples in MPI_Init there is no room for works, which is counted at main then.
{
    sed '/^int main/,$d' killed.c
    echo 'int main(int argc, char **argv) {'
    echo '    int rank;'
    echo '    MPI_Init(&argc, &argv);'
    for i in $(seq 400); do
        echo '    MPI_Comm_rank(MPI_COMM_WORLD, &rank);'
    done
    echo '    MPI_Barrier(MPI_COMM_WORLD);'
    echo '    works();'
    echo '    return MPI_Finalize();'
    echo '}'
} >sites.c
mpicc.mpich -O2 -g sites.c -o sites || fail "compile sites"
recorded "--memory 280K" 1 ./sites
refrain info --json "$trace" | grep -q '"guests": 0' && fail "all call sites have records" || pass
refrain samples --by call --csv "$trace" 2>/dev/null | grep -qE '"?MPI_Barrier"?,.*,0,"?(works|main)"?,' && pass ||
    fail "works after MPI_Barrier: $(refrain samples --by call --csv "$trace" 2>&1 | head -n 5)"

# Without --sample there are no samples, and the command says what to do.
rm -rf run
refrain record --directory run --no-report mpiexec.mpich -n 1 ./samples 0.001 >out 2>err
refrain samples "$(the_trace run)" >out 2>said
[ $? = 1 ] && grep -q 'record --sample' said && pass || fail "no samples: $(cat said)"
refrain record --sample=0.5 true >out 2>said
[ $? = 2 ] && grep -q '2 to 1000' said && pass || fail "--sample=0.5: $(cat said)"
summary
