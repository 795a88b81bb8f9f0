#!/bin/sh
# The resident memory of each rank is in the trace: how much it needs at most, before which call that grew, and how it went
# over the run; in stats, the report and JSON, from trace files and packs.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
x86_64_only "refrain record preloads librefrain-record.so on x86-64"
available mpicc.mpich || { summary; exit; }
mpicc.mpich -g "$tests/programs/memory_grows.c" -o grows 2>said || fail "compile: $(head -n 2 said)"
mkdir run
timeout 120 refrain record --directory run --no-report mpiexec.mpich -n 3 ./grows >out 2>error && pass || fail "record: $(head -n 3 error)"
trace=$(the_trace run) || trace=/nowhere

# asserts FILE TEXT: Python, true of the memory m in this JSON; r: its ranks by number.
asserts() {
    python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))["memory"]
r = {x["rank"]: x for x in m["ranks"]}
mib = 1 << 20
assert eval("(" + sys.argv[2] + ")"), json.dumps(m)' "$1" "$2" 2>said
}
refrain -q stats --json "$trace" >stats.json && refrain -q report --json "$trace" >report.json && pass || fail "no JSON"
for file in stats report; do
    # Rank 1 needs 200 MiB more than the others, all of which came before the call in line 30.
    asserts $file.json 'sorted(r) == [0, 1, 2] and all(abs(r[1]["high_bytes"] - r[k]["high_bytes"] - 200 * mib) < 16 * mib for k in (0, 2)) and m["uneven"]' &&
        pass || fail "$file: $(tail -n 1 said)"
    asserts $file.json 'all(x["first_bytes"] < x["high_bytes"] < 400 * mib and r[0]["high_bytes"] < 200 * mib for x in r.values())' && pass || fail "$file: $(tail -n 1 said)"
    asserts $file.json '(m["growth"][0]["before"], m["growth"][0]["line"], m["growth"][0]["rank"]) == ("MPI_Allreduce", 30, 1) and abs(m["growth"][0]["rank_bytes"] - 200 * mib) < 8 * mib' &&
        pass || fail "$file: growth: $(tail -n 1 said)"
    # What MPI_Init took counts for it.
    asserts $file.json 'sum(g["bytes"] for g in m["growth"] if g["before"] == "MPI_Init") > mib' && pass || fail "$file: MPI_Init: $(tail -n 1 said)"
    # The line of rank 1 goes up and comes down again; times increase.
    asserts $file.json 'max(b for t, b in r[1]["points"]) > 200 * mib > r[1]["points"][-1][1] and 2 < len(r[1]["points"]) <= 128
        and all(a[0] < b[0] for x in r.values() for a, b in zip(x["points"], x["points"][1:]))' && pass || fail "$file: points: $(tail -n 1 said)"
done
refrain -q stats "$trace" | grep -q 'MiB of memory on rank 1, .* MiB on the mean of the other ranks; it grew most before MPI_Allreduce memory_grows.c:30, by .* MiB on rank 1' &&
    pass || fail "stats: $(refrain -q stats "$trace" | head -n 4)"
refrain -q report "$trace" | grep -q '^uneven memory: .* on rank 1' && pass || fail "report: $(refrain -q report "$trace" | head -n 4)"
# A window of the run, and the events alone, say nothing of memory that is untrue: a converted trace has none.
refrain -q reconstruct --format text -o grows.txt "$trace" && refrain -q convert --format text grows.txt -o again.refrain && refrain -q stats --json again.refrain >again.json &&
    asserts again.json 'm["ranks"] == [] and m["growth"] == [] and not m["uneven"]' && pass || fail "converted: $(tail -n 1 said)"
summary
