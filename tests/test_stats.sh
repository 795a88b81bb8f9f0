#!/bin/sh
# refrain stats: its totals are those of the run. Waits of known length are found, by rank and by place. The tables of a
# trace agree with each other, with the whole, and with the tables of its parts.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -g -O1 "$tests/programs/mpi_waiting.c" -o waiting 2>said || fail "compile: $(head -n 2 said)"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -g -O1 "$tests"/programs/matmul/*.c -o matmul 2>said || fail "compile: $(head -n 2 said)"
mkdir late many
REFRAIN_MODE=both REFRAIN_DIRECTORY=late launch mpich 2 ./waiting late-sender 6 </dev/null >truth 2>error || fail "$(head -n 2 error)"
REFRAIN_MODE=both REFRAIN_DIRECTORY=many launch mpich 4 ./matmul >said 2>error || fail "$(head -n 2 error)"
late=$(the_trace late)
many=$(the_trace many)
truth=$(awk '{ sum[$1] = $2 } END { printf "%.0f\n", sum[1] - sum[0] }' truth)
line=$(grep -n "WAITS late-sender" "$tests/programs/mpi_waiting.c" | cut -d : -f 1)
cause=$(grep -n "LATE late-sender" "$tests/programs/mpi_waiting.c" | cut -d : -f 1)

for view in function call-path source-line partner rank wait; do
    refrain stats --by $view "$many" >said 2>error && [ "$(wc -l <said)" -gt 1 ] && [ ! -s error ] && pass || fail "--by $view: $(head -n 2 error)"
    refrain stats --by $view --json "$many" >"$view.json" && refrain stats --by $view --csv "$many" >"$view.csv" && pass || fail "--by $view --json, --csv"
done
refrain stats --json "$many" >all.json && refrain stats --json --quick "$many" >quick.json && refrain stats --json "$late" >late.json &&
    refrain stats --json --recorded --by rank "$late" >recorded.json && refrain stats --json --from 50% --by rank "$many" >second.json &&
    refrain stats --json --to 50% --by rank "$many" >first.json && refrain stats --folded "$many" >folded &&
    refrain stats --json --by partner --rank 1 "$many" >partner1.json && pass || fail "options of stats"
cat >agree.py <<'END'
import csv, json, sys
truth, line, cause = map(int, sys.argv[1:])
failed = 0
def check(what, a, b, off):
    global failed
    if abs(a - b) > off * max(abs(a), abs(b), 1):
        failed += 1
        print("%s: %s and %s" % (what, a, b))
def load(name):
    return json.load(open(name + ".json"))
def total(rows, key):
    return sum(row[key] or 0 for row in rows)
views = {name: load(name) for name in ("function", "call-path", "source-line", "partner", "rank", "wait")}
for name, view in views.items():
    lines = list(csv.DictReader(open(name + ".csv")))
    check(name + ": rows of CSV and JSON", len(lines), len(view["rows"]), 0)
    check(name + ": by", view["by"] == name and view["schema_version"] == 5, True, 0)
    for a, b in zip(lines, view["rows"]):
        check(name + ": what", a["what"] == b["what"], True, 0)
        check(name + ": waiting", int(a["waiting_ns"]), b["waiting_ns"], 0)
everything, ranks = load("all"), views["rank"]["rows"]
check("ranks", len(ranks), 4, 0)
check("waiting by rank", total(ranks, "waiting_ns"), everything["waiting_ns"], 0)
check("waiting by wait", total(views["wait"]["rows"], "waiting_ns"), everything["waiting_ns"], 0)
check("waiting caused", total(ranks, "caused_waiting_ns"), everything["waiting_ns"], 0)
check("waiting by line", total([r for r in views["source-line"]["rows"] if r["what"].startswith("MPI_")], "waiting_ns"), everything["waiting_ns"], 0)
check("transmission", total(ranks, "transmission_ns"), everything["transmission_ns"], 0)
check("management", total(ranks, "management_ns"), everything["management_ns"], 0)
check("each rank", sum(total(ranks, kind + "_ns") for kind in ("computing", "transmission", "management", "waiting", "paused")), total(ranks, "total_ns"), 0)
# A rank's replay lasts from its first event to its last; before and after them it was outside of all functions.
outside = everything["run_ns"] - total(ranks, "total_ns")
check("run time of the replay and of the profile", -1000 <= outside <= everything["outside_ns"] + 1000, True, 0)
check("messages sent", total(ranks, "messages"), total([r for r in views["partner"]["rows"] if " to " in r["what"]], "messages"), 0)
check("messages of matmul", total(ranks, "messages"), 18, 0)
check("bytes sent and received", total([r for r in views["partner"]["rows"] if " to " in r["what"]], "bytes"),
      total([r for r in views["partner"]["rows"] if " from " in r["what"]], "bytes"), 0)
halves = load("first")["rows"] + load("second")["rows"]
for key in ("total_ns", "waiting_ns", "computing_ns", "messages", "bytes"):
    check("halves, " + key, total(halves, key), total(ranks, key), 0.0001)
check("nothing is replayed behind the window", load("first")["replayed_events"] < everything["replayed_events"], True, 0)
check("what comes before is not counted", load("second")["replayed_events"] < everything["replayed_events"], True, 0)
folded = [l.rsplit(" ", 1) for l in open("folded")]
check("folded", sum(int(n) for _, n in folded), total([r for r in views["call-path"]["rows"] if r["depth"] == 0], "total_ns"), 0)
check("folded waiting", sum(int(n) for stack, n in folded if stack.endswith(";waiting")), everything["waiting_ns"], 0)
check("partners of rank 1", all(r["what"].startswith("rank 1 ") for r in load("partner1")["rows"]), True, 0)
quick = load("quick")
check("quick has no waiting", "waiting_ns" in quick, False, 0)
check("quick has the same functions", len(quick["functions"]), len(everything["functions"]), 0)
late = load("late")
found = [w for w in late["waits"] if w["kind"] == "late sender" and w["line"] == line and w["cause_line"] == cause]
check("late sender", found[0]["waiting_ns"], truth, 0.02)
check("its ranks", (found[0]["worst_rank"], found[0]["worst_cause_rank"]) == (0, 1), True, 0)
check("late rank", [r["caused_waiting_ns"] >= truth * 0.98 for r in late["ranks"]] == [False, True], True, 0)
check("balance", late["balance"]["waiting"]["most_rank"], 0, 0)
check("recorded", load("recorded")["rows"][0]["waiting_ns"], late["ranks"][0]["waiting_ns"], 0.02)
sys.exit(failed != 0)
END
python3 agree.py "$truth" "$line" "$cause" >said 2>&1 && pass || fail "$(head -n 5 said)"

# The overview for people.
refrain stats "$late" >said
for text in "computing [0-9.]* %, MPI [0-9.]* %: waiting" "^ranks  *least" "late sender: MPI_Recv mpi_waiting.c:$line for MPI_Send mpi_waiting.c:$cause; most rank 0 for 1" \
    "^ *time  *share  *own  *in MPI  *waiting  *count"; do
    grep -qE "$text" said && pass || fail "the overview lacks $text"
done
for columns in 80 100 160; do
    COLUMNS=$columns refrain stats --by function "$many" | awk -v n=$columns 'length > n { exit 1 }' && pass || fail "wider than $columns columns"
done
# One rank is missing: the rest is shown, and the unknown data are named.
cp -r "$many" less.refrain
rm less.refrain/rank-2.trace
refrain stats less.refrain >said 2>error && grep -q "rank 2 of 4 is missing" error && grep -q "3 ranks" said && pass || fail "a rank missing: $(cat error)"
for arguments in "--by size" "--from 1.5x" "--from 2s --to 1s" "--from 200%" "--from 1000s" "--quick --csv" "--csv --json"; do
    # shellcheck disable=SC2086 # lists of words
    refrain stats $arguments "$late" >said 2>&1
    [ $? -eq 2 ] && pass || fail "refrain stats $arguments: $(head -n 1 said)"
done

# What MPI functions are for is in the list of them: those that make and free things are no transmission. A pause is
# neither computing nor MPI.
cat >kinds.c <<'END'
#include <mpi.h>
#include <refrain/refrain.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Comm copy, none;
    MPI_Group all;
    MPI_Win window;
    int rank, *base;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_group(copy, &all);
    MPI_Comm_create(copy, all, &none);
    usleep(30000 * rank);
    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, copy, &base, &window);
    MPI_Win_fence(0, window);
    refrain_pause();
    usleep(100000);
    refrain_resume();
    MPI_Barrier(copy);
    for (int i = 0; i < 30; i++)
        if (i % 3)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Bcast(&rank, 1, MPI_INT, 0, copy);
    MPI_Win_free(&window);
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -I"$tests/../include" kinds.c -o kinds || fail "compile kinds"
mkdir kinds-run
REFRAIN_DIRECTORY=kinds-run launch mpich 2 ./kinds >said 2>error || fail "kinds: $(head -n 2 error)"
kinds=$(the_trace kinds-run)
refrain reconstruct "$kinds" --format text -o kinds.txt && refrain convert --quiet kinds.txt -o converted.refrain || fail "convert"
for of in "$kinds" converted.refrain; do
    name=$(basename "$of" .refrain | cut -d - -f 1)
    refrain stats --json "$of" >"$name.all" && refrain stats --json --by function "$of" >"$name.function" &&
        refrain stats --json --by function --rank 1 "$of" >"$name.one" && refrain stats --json --rank 1 "$of" >"$name.rank" && pass || fail "stats of $of"
done
cat >kinds.py <<'END'
import json, sys
def load(name):
    return json.load(open(name))
def functions(name):
    return {row["what"]: row for row in load(name)["rows"]}
everything, rows, one, rank = load("kinds.all"), functions("kinds.function"), functions("kinds.one"), load("kinds.rank")
whole = sum(everything[kind + "_ns"] for kind in ("computing", "transmission", "management", "waiting", "paused"))
assert whole == sum(r["total_ns"] for r in everything["ranks"]), everything
for name in ("MPI_Init", "MPI_Comm_dup", "MPI_Comm_create", "MPI_Win_allocate", "MPI_Win_free", "MPI_Finalize"):
    row = rows[name]
    assert row["management_ns"] == row["total_ns"] > 0 and row["transmission_ns"] == 0, row
for name in ("MPI_Win_fence", "MPI_Barrier", "MPI_Bcast"):
    row = rows[name]
    assert row["management_ns"] == 0 and row["transmission_ns"] + row["waiting_ns"] == row["total_ns"] > 0, row
assert everything["paused_ns"] == rows["paused"]["paused_ns"] == rows["paused"]["total_ns"] >= 200e6, rows["paused"]
assert rows["paused"]["own_ns"] == 0 and everything["balance"]["paused"]["least_ns"] >= 100e6, everything["balance"]
# With one rank selected, the others do not count as ranks without time.
assert one["MPI_Init"]["least_ns"] == one["MPI_Init"]["total_ns"], one["MPI_Init"]
for row in one.values():
    assert row["least_ns"] is None or row["least_ns"] == row["mean_ns"] == row["most_ns"] and row["imbalance_percent"] == 0, row
assert rank["balance"]["computing"]["least_rank"] == rank["balance"]["computing"]["most_rank"] == 1, rank["balance"]
assert all(r["total_ns"] is None and r["caused_waiting_ns"] is not None for r in rank["ranks"] if r["what"] == "rank 0"), rank["ranks"]
# A converted trace has only events, and its table is made of these.
converted, again = load("converted.all"), functions("converted.function")
assert {row["what"]: row for row in converted["functions"]} == again and converted["mpi_ns"] > 0.9 * everything["mpi_ns"], converted
assert again["MPI_Init"]["management_ns"] > 0.9 * rows["MPI_Init"]["management_ns"], again
END
python3 kinds.py >said 2>&1 && pass || fail "kinds: $(tail -n 1 said)"
refrain stats "$kinds" >said
grep -q '^computing .*management [0-9.]* %; paused [0-9.]* %$' said && grep -q '^management ' said && grep -q '^paused ' said && pass || fail "kinds: $(head -n 8 said)"
# Regions lie within each other as deep as a trace says, which may have been made so.
awk 'BEGIN { n = 50000; for (i = 1; i < 2 * n; i++) { d = i < n ? i : 2 * n - i
    printf "0\t%.6f\t%s\tf%d%s\n", i / 1e6, i < n ? "enter" : "leave", d - (i >= n), i < n ? "\tfile=a.c\tline=1" : "" }
    }' | sed '/\tf0$/d' >deep.txt
refrain convert --quiet deep.txt -o deep.refrain || fail "convert deep"
for how in "--by function" "--by call-path" --folded; do
    # shellcheck disable=SC2086 # a list of options
    check "deep paths, $how" timeout 60 refrain stats deep.refrain $how
done
says 2 "has events only" refrain stats --quick converted.refrain

# A line for each call, the longest first, as many as requested; the calls left out share a line. This holds for calls
# outside of all functions and below a function.
mpicc.mpich -O1 kinds.c -I"$tests/../include" -o plain || fail "compile plain"
timeout 120 refrain record -q --directory plain-run mpiexec.mpich -n 2 ./plain >said 2>&1 || fail "plain: $(cat said)"
for of in "$kinds" "$(the_trace plain-run)"; do
    refrain stats -t 5 "$of" | awk '/^ *time/ { table = 1; next } table' >said
    indented='[0-9]    [a-zM]'
    [ "$of" = "$kinds" ] || indented='[0-9]  [orM]'
    [ "$(grep -c "$indented" said)" = 5 ] && grep -q '[0-9] more (--top)$' said && pass || fail "5 lines of $of: $(cat said)"
    refrain stats --json "$of" >said
    python3 -c '
import json
stats = json.load(open("said"))
for of in [stats["outside_calls"]] + [f["children"] for f in stats["functions"]]:
    times = [c["mpi_ns"] + c.get("own_ns", 0) for c in of]
    assert times == sorted(times, reverse=True), times
assert stats["outside_calls"] or stats["functions"][0]["children"]' 2>error && pass || fail "order: $(tail -n 1 error)"
done
for view in wait function source-line rank; do
    [ "$(refrain stats -t 1 --by $view "$kinds" | grep -cv ' more (--top)')" = 2 ] && pass || fail "--by $view -t 1: $(refrain stats -t 1 --by $view "$kinds")"
done

# The numbers of communicators, which events have, have a legend.
cat >groups.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
    MPI_Comm halves, copies[3];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
    MPI_Comm_set_name(halves, rank % 2 ? "odd" : "even");
    MPI_Barrier(halves);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(i == 2 ? halves : MPI_COMM_WORLD, &copies[i]);
        MPI_Barrier(copies[i]);
    }
    return MPI_Finalize();
}
END
mpicc.mpich groups.c -o groups || fail "compile groups"
timeout 120 refrain record -q --directory groups-run mpiexec.mpich -n 6 ./groups >said 2>&1 || fail "groups: $(cat said)"
refrain info groups-run/*.refrain >info
grep -q '^comms       comm=2 even: 3 ranks 0-4 by 2; comm=3-4: 6 ranks 0-5 each; comm=5: 3 ranks 0-4 by 2; and 2 more, which --verbose lists$' info && pass ||
    fail "legend in short: $(grep comm= info)"
refrain info --verbose groups-run/*.refrain >info
grep -q '^comms       comm=2 even: 3 ranks 0-4 by 2$' info && grep -q '^            comm=6 odd: 3 ranks 1-5 by 2$' info &&
    grep -q '^            comm=3-4: 6 ranks 0-5 each$' info && grep -q '^            comm=5: 3 ranks 0-4 by 2$' info && pass ||
    fail "legend: $(grep comm= info)"
refrain info --json groups-run/*.refrain | python3 -c '
import json, sys
comms = json.load(sys.stdin)["communicators"]
assert comms[6] == {"comm": 6, "name": "odd", "members": [1, 3, 5]}, comms' && pass || fail "legend as JSON"

# A loop counts its iterations, also if they call functions with probes, and with a break. A do loop has one iteration
# more than its condition holds.
cat >loops.c <<'END'
#include <mpi.h>
__attribute__((noinline)) static void some(int n) {
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 60; i++) { /* CALLS */
        some(2);
        some(1);
    }
    int left = 5;
    do { /* DO */
        some(1);
    } while (--left > 0);
    for (int i = 0; i < 60; i++) { /* BREAK */
        some(1);
        if (i == 10)
            break;
    }
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 loops.c -o loops || fail "compile loops"
mkdir loops-run
REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=loops-run launch mpich 1 ./loops >said 2>error || fail "loops: $(head -n 2 error)"
refrain stats loops-run/*.refrain >said 2>error || fail "loops: $(head -n 2 error)"
for loop in CALLS:60 DO:5 BREAK:11; do
    line=$(grep -n "${loop%:*}" loops.c | cut -d : -f 1)
    got=$(awk -v at="loops.c:$line" '{ for (i = 2; i < NF; i++) if (($i == "for" || $i == "do") && $(i + 1) == at) print $(i - 1) }' said)
    [ "$got" = "${loop#*:}" ] && pass || fail "loop $loop: '$got' iterations: $(grep loops.c said)"
done

# If no two clock reads lie in a loop, its time is not shown: it would be mostly that of the code around it.
cat >bounds.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) { /* BOUNDED */
        usleep(10000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    usleep(50000);
    for (int i = 0; i < 1; i++) { /* ONCE */
        usleep(1000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < 5; i++) { /* NEVER */
        usleep(10000);
        if (argc > 5)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 bounds.c -o bounds || fail "compile bounds"
mkdir bounds-run
REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=bounds-run launch mpich 1 ./bounds >said 2>error || fail "bounds: $(head -n 2 error)"
refrain stats --json bounds-run/*.refrain >bounds.json && python3 - $(grep -n '/\* [BON]' bounds.c | cut -d : -f 1) <<'END' 2>said && pass || fail "bounds: $(tail -n 1 said)"
import json, sys
main, = json.load(open("bounds.json"))["functions"]
bounded, once, never = ([c for c in main["children"] if c["kind"] == "loop" and c["line"] == int(line)][0] for line in sys.argv[1:])
assert bounded["own_ns"] >= 30e6 and bounded["iterations"] == 3, bounded
assert once["own_ns"] is None and once["mpi_ns"] > 0 and never["own_ns"] is None and never["iterations"] == 5, (once, never)
assert main["own_ns"] >= 131e6, main
END
[ "$(refrain stats bounds-run/*.refrain | grep -c '^ *-  *-  *-  .*  for  bounds.c:')" = 2 ] && pass || fail "bounds: $(refrain stats bounds-run/*.refrain | grep bounds.c)"

# Of a recursion, the outermost level counts: no function takes longer than the run. Its callers have a line each, also
# without debug information.
cat >levels.c <<'END'
#include <mpi.h>
#include <unistd.h>
__attribute__((noinline)) static void dive(int n) {
    if (n > 0)
        dive(n - 1);
    usleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv) {
    int rank, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    dive(40);
    if (rank)
        usleep(20000);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank)
        usleep(20000);
    MPI_Bcast(&rank, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank)
        usleep(20000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, &got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 levels.c -o levels && mpicc.mpich -O1 levels.c -o bare || fail "compile levels"
mkdir levels-run bare-run
REFRAIN_DIRECTORY=levels-run launch mpich 2 ./levels >said 2>error || fail "levels: $(head -n 2 error)"
refrain stats --json levels-run/*.refrain >levels.json && python3 - levels.json <<'END' && pass || fail "levels: $(refrain stats levels-run/*.refrain | grep dive)"
import json, sys
stats = json.load(open(sys.argv[1]))
took = {f["name"]: f["inclusive_ns"] for f in stats["functions"]}
assert 80e6 < took["dive"] < took["main"] <= stats["run_ns"], (took, stats["run_ns"])
END
took=$(refrain stats levels-run/*.refrain | sed -n 's/.*dive()  levels.c:3  \([0-9.]* [mu]*s\) with callees.*/\1/p')
[ -n "$took" ] && [ "$took" = "$(refrain stats --by function levels-run/*.refrain | sed -n 's/^ *\([0-9.]* [mu]*s\) .*dive().*/\1/p')" ] && pass ||
    fail "levels: dive '$took': $(refrain stats --by function levels-run/*.refrain | grep dive)"
timeout 120 refrain record -q --directory bare-run mpiexec.mpich -n 2 ./bare >said 2>&1 || fail "bare: $(cat said)"
for view in wait source-line call-path; do
    refrain stats --by $view bare-run/*.refrain >said 2>error || fail "bare: $(head -n 2 error)"
    [ "$(grep -c 'MPI_Barrier in main+0x[0-9a-f]*' said)" = 2 ] && pass || fail "bare --by $view: $(grep Barrier said)"
done

# The time of other threads in a parallel region of a function is part of the function's time with callees.
cat >team.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int provided, flag;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#pragma omp parallel num_threads(3) private(flag)
    {
        for (int i = 0; i < 4; i++) {
            usleep(20000);
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
    }
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -fopenmp team.c -o team || fail "compile team"
mkdir team-run
REFRAIN_THREADS=3 REFRAIN_DIRECTORY=team-run launch mpich 1 ./team >said 2>error || fail "team: $(head -n 2 error)"
for quick in '' --quick; do
    # shellcheck disable=SC2086 # a word or none
    refrain stats --json $quick team-run/*.refrain >said && python3 -c '
import json
main, = json.load(open("said"))["functions"]
assert main["elsewhere_ns"] >= 100e6 and main["inclusive_ns"] + 1 >= main["own_ns"] + main["mpi_ns"] >= 150e6, main' 2>error && pass ||
        fail "team $quick: $(tail -n 1 error)"
done
refrain stats team-run/*.refrain | grep -q 'main()  team.c:3  .* with callees, .* of it in threads that did not call it' && pass ||
    fail "team: $(refrain stats team-run/*.refrain | grep 'main()')"

# A call in which MPI calls a function of the program is one call.
cat >within.c <<'END'
#include <mpi.h>
#include <stdio.h>
static void longest(void *in, void *inout, int *n, MPI_Datatype *type) {
    for (int i = 0; i < *n; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
    (void)type;
}
int main(int argc, char **argv) {
    int have[9], most[9];
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(longest, 1, &op);
    for (int i = 0; i < 9; i++)
        have[i] = argc + i;
    for (int i = 0; i < 20; i++) {
        MPI_Allreduce(have, most, 9, MPI_INT, op, MPI_COMM_WORLD);
        for (int flag = 0, passed = i % 3; passed-- > 0;)
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Op_free(&op);
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 within.c -o within || fail "compile within"
mkdir within-run
REFRAIN_MODE=both REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=within-run launch mpich 2 ./within >said 2>error || fail "within: $(head -n 2 error)"
refrain events within-run/*.refrain | cut -f 3,4 >events
[ "$(grep -c 'enter	longest' events)" -ge 20 ] && pass || fail "within: $(grep -c 'enter	longest' events) calls of the function"
for quick in '' --quick; do
    refrain stats $quick within-run/*.refrain >said
    for call in MPI_Allreduce MPI_Iprobe MPI_Finalize; do
        [ "$(awk -v call=$call 'NF > 10 && $(NF - 1) == call { print $(NF - 2) }' said)" = "$(grep -c "enter	$call" events)" ] && pass ||
            fail "within $quick: $(grep -c "enter	$call" events) calls: $(grep $call said)"
    done
done
summary
