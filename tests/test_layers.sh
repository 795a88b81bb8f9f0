#!/bin/sh
# refrain stats --layer: calls in a file of wrappers, or in given functions, are shown at the caller of these. Call paths
# and instrumented programs have the caller on the stack, inlined functions in the debug information.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# rows BY LAYER...: name, place and calls of each row, with these layers.
rows() {
    by=$1
    shift
    refrain -q stats --by "$by" --json "$@" trace.refrain >out.json 2>said || fail "--by $by $*: $(cat said)"
    python3 -c 'import json
for row in sorted(json.load(open("out.json"))["rows"], key=lambda row: row["what"]):
    print(row["what"], row.get("calls"), row.get("waiting_ns"), sep="|")' >rows
}

# ---- exact times: two functions call two wrappers; rank 1 waits 4 ms in one of them ----
python3 - >trace.txt <<'END'
lines = []
def at(rank, ms, event, name, fields=""):
    lines.append((ms, f"{rank}\t{ms / 1000:.9f}\t{event}\t{name}{fields}"))
def function(name, line, file="solve.c"):
    return f"\tfile={file}\tline={line}"
for rank in 0, 1:
    at(rank, 0, "enter", "main", function("main", 1, "main.c"))
    at(rank, 1 + 4 * (rank == 0), "enter", "solve", function("solve", 10))
    start = 1 + 4 * (rank == 0)
    at(rank, start, "enter", "mp_exchange", function("mp_exchange", 5, "mpistubs.c"))
    name = "MPI_Recv" if rank else "MPI_Send"
    at(rank, start, "enter", name, "\tfile=mpistubs.c\tline=" + ("7" if rank else "6"))
    if rank == 0:
        at(0, 5, "send", name, "\tdest=1\ttag=0\tbytes=8\tcomm=0")
    else:
        at(1, 5.5, "recv", name, "\tsource=0\ttag=0\tbytes=8\tcomm=0")
    at(rank, 6, "leave", name)
    at(rank, 6, "leave", "mp_exchange")
    at(rank, 7, "leave", "solve")
    at(rank, 8, "enter", "finish", function("finish", 30))
    at(rank, 8, "enter", "mp_sync", function("mp_sync", 15, "mpistubs.c"))
    at(rank, 8, "enter", "MPI_Barrier", "\tfile=mpistubs.c\tline=16")
    at(rank, 8, "collective", "MPI_Barrier", "\tsent=0\treceived=0\tcomm=0")
    at(rank, 9, "leave", "MPI_Barrier")
    at(rank, 9, "leave", "mp_sync")
    at(rank, 9, "leave", "finish")
    at(rank, 10, "leave", "main")
print("\n".join(text for _, text in sorted(lines, key=lambda line: line[0])))
END
refrain -q convert --format text trace.txt -o trace.refrain || fail "convert"
for layer in mpistubs.c 'mpi*.c' 'mp_*'; do
    rows source-line --layer "$layer"
    grep -q '^MPI_Recv in solve(), solve.c:10|1|' rows && grep -q '^MPI_Send in solve(), solve.c:10|1|' rows &&
        grep -q '^MPI_Barrier in finish(), solve.c:30|2|' rows && ! grep -q 'mp_' rows && pass || fail "$layer: $(cat rows)"
done
rows source-line --layer mp_sync
grep -q '^MPI_Barrier in finish(), solve.c:30|2|' rows && grep -q '^mp_exchange()|2|' rows && pass || fail "one function: $(cat rows)"
rows source-line --layer mp_sync --layer mp_exchange
! grep -q '^mp_' rows && pass || fail "two layers: $(cat rows)"
rows source-line --layer mpistubs.c --layer 'solve'
grep -q '^MPI_Recv in main(), main.c:1|1|' rows && pass || fail "a caller that is a layer: $(cat rows)"
refrain -q stats --by wait --json --layer mpistubs.c trace.refrain >out.json && python3 -c 'import json
row, = json.load(open("out.json"))["rows"]
assert row["waiting_ns"] == 4000000 and "MPI_Recv in solve(), solve.c:10 for MPI_Send in solve(), solve.c:10" in row["what"], row' 2>said && pass || fail "waits: $(tail -n 1 said)"
# The totals are the same as without layers.
refrain -q stats --json trace.refrain >plain.json && refrain -q stats --json --layer mpistubs.c trace.refrain >layer.json && python3 -c 'import json
plain, layer = json.load(open("plain.json")), json.load(open("layer.json"))
for key in "computing_ns", "waiting_ns", "transmission_ns", "ranks", "balance":
    assert plain[key] == layer[key], key
names = {row["what"]: row for row in layer["functions"]}
assert not [name for name in names if name.startswith("mp_")], names' 2>said && pass || fail "sums: $(tail -n 1 said)"
rows call-path --layer mpistubs.c
grep -q 'MPI_Barrier in finish' rows && ! grep -q mp_ rows && pass || fail "call paths: $(cat rows)"
refrain -q stats --folded --layer mpistubs.c trace.refrain | grep -q '^main;solve;MPI_Send ' && pass || fail "--folded"
refrain -q stats --by critical-path --json --layer mpistubs.c trace.refrain >out.json && ! grep -q mp_ out.json && pass || fail "critical path: $(cat out.json)"
says 1 "has no function and no file of that name" refrain -q stats --layer nothing.c trace.refrain
refrain -q stats --by counter --layer mpistubs.c trace.refrain >out 2>said
[ $? -eq 2 ] && pass || fail "--by counter"

# ---- a program with a file of wrappers ----
available mpicc.mpich || { summary; exit; }
cat >mpistubs.c <<'END'
#include <mpi.h>
#include "mpistubs.h"
void mp_sync(void) { MPI_Barrier(MPI_COMM_WORLD); }
void mp_sum(double *value) { MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
END
echo 'void mp_sync(void); void mp_sum(double *);' >mpistubs.h
cat >program.c <<'END'
#include <mpi.h>
#include "mpistubs.h"
__attribute__((noinline)) void relax(double *v) { mp_sum(v); mp_sum(v); __asm__ volatile(""); }
__attribute__((noinline)) void finish(void) { mp_sync(); __asm__ volatile(""); }
int main(int argc, char **argv) {
    double value = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++)
        relax(&value);
    finish();
    MPI_Finalize();
}
END
mpicc.mpich -g -O1 -fno-optimize-sibling-calls program.c mpistubs.c -o program || fail "compile"
for option in --call-path ""; do
    rm -rf run
    # shellcheck disable=SC2086 # no option is none
    timeout 120 refrain -q record --no-report $option -d run mpiexec.mpich -n 2 ./program >out 2>&1 || fail "record: $(cat out)"
    rm -rf trace.refrain && mv "$(the_trace run)" trace.refrain
    refrain stats --by source-line --layer mpistubs.c trace.refrain >out 2>said || fail "stats: $(cat said)"
    if [ "$option" ]; then
        grep -q '40 .*MPI_Allreduce in relax(), program.c:3' out && grep -q '2 .*MPI_Barrier in finish(), program.c:4' out && pass || fail "$option: $(cat out)"
    else
        grep -q 'MPI_Allreduce  mpistubs.c:4' out && grep -q '42 of 42 calls in layers stay where they are.*--call-path' said && pass || fail "without call paths: $(cat out said)"
    fi
done
summary
