#!/bin/sh
# refrain report: runs with one fault each, whose first finding has to be that fault by kind, place and rank, and faultless
# ones, of which nothing is found. Most are texts with exact times (faults.py), a few are runs of faults.c.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# asserts TEXT: Python, true of the report r in the file report.
asserts() {
    python3 -c 'import json, sys; r = json.load(open("report")); f = r["findings"]; assert eval(sys.argv[1]), [(x["kind"], x["rank"], x["sentence"]) for x in f]' "$1" 2>said
}

# ---- exact times ----
python3 "$tests/faults.py" write >cases || fail "faults.py"
while read -r name; do
    refrain -q convert --format text "$name.txt" -o "$name.refrain" && refrain -q report --json "$name.refrain" -o "$name.json" ||
        fail "$name"
done <cases
python3 "$tests/faults.py" check >said && pass || fail "$(cat said)"
[ "$(wc -l <cases)" -ge 25 ] && pass || fail "there are only $(wc -l <cases) cases"

# The line of an inlined function is unknown.
sed 's/burn\tfile=fault.c\tline=10$/burn\tfile=fault.c\tline=0/' one_computes_longer.txt >inlined.txt
refrain -q convert --format text inlined.txt -o inlined.refrain && refrain -q report --json inlined.refrain >report
asserts '"burn(), fault.c, " in f[0]["sentence"]' && pass || fail "without a line: $(tail -n 1 said)"

# Costs are the lost time of the ranks. Waiting is followed over more than one rank.
refrain -q report --json one_computes_longer.refrain >report
asserts 'abs(f[0]["cost_ns"] - 60e6) < 1e6 and f[0]["waits_in"]["name"] == "MPI_Allreduce" and f[0]["waits_in"]["line"] == 30' && pass || fail "cost: $(tail -n 1 said)"
asserts 'abs(r["efficiency"]["load_balance"] - 0.75) < 0.01 and abs(r["efficiency"]["parallel"] - 0.75) < 0.01' && pass || fail "efficiency: $(tail -n 1 said)"
refrain -q report --json chain_of_before.refrain >report
asserts 'len(f) == 1 and abs(f[0]["cost_ns"] - 60e6) < 1e6 and "40.0" in f[0]["detail"]' && pass || fail "chain: $(tail -n 1 said)"
refrain -q report --json large_messages.refrain >report
asserts 'abs(r["efficiency"]["transfer"] - 1 / 3) < 0.01 and r["efficiency"]["load_balance"] > 0.99' && pass || fail "transfer: $(tail -n 1 said)"
asserts 'not r["remark"]' && pass || fail "a remark: $(tail -n 1 said)"
refrain -q report --json without_cores.refrain >report
asserts '"no core of their own" in r["remark"]' && pass || fail "no remark: $(tail -n 1 said)"
refrain -q report --json one_iteration.refrain >report
asserts 'len(f) == 1 and abs(f[0]["cost_ns"] - 4 * 18e6) < 1e6 and f[0]["waits_in"]["name"] == "MPI_Allreduce" and r["repetition"]["iterations"] == 29 and r["repetition"]["longest"] == 21' && pass || fail "repetition: $(tail -n 1 said)"
refrain -q report --json one_after_the_other.refrain >report
asserts 'len([x for x in f if x["call"]["line"] == 20]) == 1 and "Besides, this call " in f[0]["detail"] and "MPI_Send" not in f[0]["detail"]' && pass || fail "merged: $(tail -n 1 said)"
# Ranks may have waited for each other in calls that make communicators, not in those that make datatypes.
refrain -q report --json communicators.refrain >report
asserts 'f[0]["at_most"] and "waiting for other ranks is not known" in f[0]["detail"]' && pass || fail "communicators: $(tail -n 1 said)"
refrain -q report --json datatypes.refrain >report
asserts 'not f[0]["at_most"] and "waiting" not in f[0]["detail"]' && pass || fail "datatypes: $(tail -n 1 said)"
# Small accesses are a finding of their file, and no other finding has their time.
refrain -q report --json small_writes.refrain >report
asserts 'len(f) == 1 and abs(f[0]["cost_ns"] - 4 * 50 * 300e3) < 1e3 and f[0]["rank"] is None and f[0]["sentence"].startswith("out.dat is written in 400 accesses of 768 bytes on average, by MPI_File_write fault.c:52 and others on several ranks, which takes 60.0")' && pass || fail "small writes: $(tail -n 1 said)"
refrain -q report --json --least 30 one_computes_longer.refrain >report
asserts 'not f' && pass || fail "least: $(tail -n 1 said)"
refrain -q report --json even.refrain >report
asserts 'any("communication is" in s for s in r["well"]) and any("events only" in s for s in r["unknown"])' && pass || fail "well: $(tail -n 1 said)"

# The rank that computes longest in each part; the other threads of waiting ranks.
refrain -q report --json load_that_moves.refrain >report
asserts '"rank 0 until 6" in f[0]["sentence"] and "then rank 2 until 18" in f[0]["sentence"] and f[0]["sentence"].split("then rank 3;")[1] and abs(f[0]["cost_ns"] - 3 * 80e6) < 4e6' && pass || fail "moving load: $(tail -n 1 said)"
refrain -q report --json idle_threads.refrain >report
asserts 'f[0]["sentence"].startswith("12 further threads of 4 ranks are idle for 79 % of the time, 456.69 ms; on rank 0, most while the first thread is in serial(), fault.c:10") and abs(f[0]["cost_ns"] - 114e6) < 1e6' && pass || fail "idle threads: $(tail -n 1 said)"
refrain -q report --json waits_beside_threads.refrain >report
asserts 'abs(f[0]["cost_ns"] - 120e6) < 2e6 and f[0]["sentence"].startswith("the others wait 120.00 ms, in MPI_Barrier fault.c:30, while threads of their own compute for 120.00 ms of that, most in work(), fault.c:12") and "rank 0 computes in burn()" in f[0]["detail"]' && pass || fail "waits beside threads: $(tail -n 1 said)"

refrain -q report --json odd_in_many_places.refrain >report
asserts '"no single place takes much longer in it" in f[0]["sentence"]' && pass || fail "many places: $(tail -n 1 said)"

# The critical path in pieces of the run, each with the place of most of the path in it.
refrain -q report --json load_that_moves.refrain >report
asserts '[p["rank"] for p in r["path"]] == [0, 1, 2, 3] and all(p["function"]["name"] == "burn" and p["rank_ns"] > 0.9 * p["path_ns"] for p in r["path"])' && pass || fail "path: $(tail -n 1 said)"
asserts 'r["path"][0]["from_ns"] == r["from_ns"] and r["path"][-1]["to_ns"] == r["to_ns"] and sum(p["path_ns"] for p in r["path"]) == r["to_ns"] - r["from_ns"] and all(a["to_ns"] == b["from_ns"] for a, b in zip(r["path"], r["path"][1:]))' && pass || fail "length of the path: $(tail -n 1 said)"
refrain -q stats --by critical-path --json load_that_moves.refrain >stats && python3 -c 'import json
r, s = json.load(open("report")), json.load(open("stats"))
burn = next(row for row in s["rows"] if row["name"] == "burn")
on_path = sum(p["place_ns"] for p in r["path"])
assert abs(on_path - burn["path_ns"]) < 0.02 * burn["path_ns"], (on_path, burn)' 2>said && pass || fail "path beside stats: $(tail -n 1 said)"

# Rank 1 leaves the barrier so late that rank 0 has done thousands of things since. What rank 0 did before is no longer
# known by then, and most of the critical path is that: the report does not name the largest of the small rest.
awk 'function at(rank, ms, what) { printf "%d\t%.9f\t%s\n", rank, ms / 1000, what }
    function call(rank, name, from, to) {
        at(rank, from, "enter\t" name "\tfile=a.c\tline=1")
        if (name == "MPI_Barrier")
            at(rank, to, "collective\tMPI_Barrier\tsent=0\treceived=0\tcomm=0")
        at(rank, to, "leave\t" name)
    }
    BEGIN {
        for (rank = 0; rank < 2; rank++) call(rank, "MPI_Init", 1, 2)
        call(0, "burn", 2, 402); call(0, "MPI_Barrier", 402, 402.0001)
        for (i = 0; i < 6000; i++) { call(0, "f", 403 + i / 50, 403.01 + i / 50); call(0, "g", 403.01 + i / 50, 403.02 + i / 50) }
        call(1, "MPI_Barrier", 2, 530); call(1, "rest", 531, 600)
        call(0, "MPI_Finalize", 524, 525); call(1, "MPI_Finalize", 601, 602)
    }' | sort -s -t "$(printf '\t')" -k2,2g >far_ahead.txt
refrain -q convert --format text far_ahead.txt -o far_ahead.refrain && refrain -q report --json far_ahead.refrain >report
asserts 'not r["critical_path"] and "what 67 % of the critical path is" in r["unknown"]' && pass || fail "an unknown path: $(tail -n 1 said)"

# The same sentences as text and as a page. Names are data.
COLUMNS=100 refrain -q report serial_phase.refrain >text
grep -q 'only rank 0 computes in read_input(), fault.c:5' text && grep -q '^71 % of the critical path is computing in read_input(), fault.c:5, most of it on rank 0' text && grep -q '^parallel efficiency' text && pass || fail "text: $(cat text)"
refrain -q report even.refrain | grep -q '^nothing that costs 2.0 % of the run or more was found' && pass || fail "text of even"
refrain -q report html_in_names.refrain -o names.html && pass || fail "page"
grep -q '&lt;img src=x onerror=alert(1)&gt;&amp;&quot;' names.html && ! grep -q '<img src=x' names.html && pass || fail "a name is not data"
if refrain help | grep -q '^ *view '; then
    [ "$(grep -c 'src="data:image/svg+xml,%3Csvg' names.html)" -eq 2 ] && pass || fail "pictures"
fi
says 1 "exists; --force" refrain -q report html_in_names.refrain -o names.html
refrain -q report --json html_in_names.refrain -o names.json && python3 -c 'import json; json.load(open("names.json"))' && pass || fail "JSON in a file"

# Runs without findings.
printf '0\t0.000000001\tenter\tf\tfile=a.c\tline=1\n0\t0.000000001\tleave\tf\n' >nothing.txt
refrain -q convert --format text nothing.txt -o nothing.refrain && refrain -q report --json nothing.refrain >report
asserts 'not f and any("no events" in s for s in r["unknown"])' && pass || fail "nothing: $(tail -n 1 said)"
grep -v "^3" even.txt >cut.txt && head -n 1000 cut.txt | grep -v '^1' >less.txt
refrain -q convert --format text less.txt -o less.refrain && refrain -q report --json less.refrain >report
asserts 'any("no file" in s or "other ends" in s for s in r["unknown"])' && pass || fail "missing: $(tail -n 1 said)"

# A run that is over at once; one without an end; one of whose times most are kept for several blocks together.
for rank in 0 1; do
    printf "$rank\t0.1\tenter\tMPI_Init\tfile=\tline=0\n$rank\t0.2\tleave\tMPI_Init\n"
    printf "$rank\t0.20000$((rank * 5 + 1))\tenter\tMPI_Finalize\tfile=\tline=0\n$rank\t0.21\tleave\tMPI_Finalize\n"
done | sort -s -t "$(printf '\t')" -k2,2g >short.txt
refrain -q convert --format text short.txt -o short.refrain && refrain -q report --json short.refrain >report
asserts 'r["remark"].startswith("the run took only 6.00 us between")' && pass || fail "short: $(tail -n 1 said)"
grep -v MPI_Finalize even.txt >unended.txt
refrain -q convert --format text unended.txt -o unended.refrain && refrain -q report --json unended.refrain >report
asserts 'any("came to its end" in s for s in r["unknown"])' && pass || fail "unended: $(tail -n 1 said)"
refrain -q report --json even.refrain >report
asserts 'not r["remark"] and not any("came to its end" in s for s in r["unknown"])' && pass || fail "even: $(tail -n 1 said)"
for memory in 8192 0 1M; do
    REFRAIN_TIME_MEMORY=$memory "$bin/many_ranks" 3 1500 "times-$memory" || fail "many_ranks"
    refrain -q report --json "times-$memory" >report
    case $memory in
    8192) asserts 'any("for several together" in s for s in r["unknown"]) and any("but for their times" in s for s in r["well"])' ;;
    0) asserts 'any("all times are means" in s for s in r["unknown"])' ;;
    *) asserts 'not any("exact times" in s for s in r["unknown"]) and any(s.endswith("events are exact") for s in r["well"])' ;;
    esac && pass || fail "times in $memory: $(tail -n 1 said) $(cat report)"
done

# ---- runs ----
command -v mpicc.mpich >/dev/null || { summary; exit; }
mpicc.mpich -g -O1 "$tests/programs/faults.c" -o faults || fail "compile"

# run WHICH: records it, and makes a report of findings that cost at least a tenth of the run.
run() {
    rm -rf run
    timeout 120 refrain record -d run mpiexec.mpich -n 4 ./faults "$1" >out 2>recorded
    trace=$(the_trace run)
    refrain -q report --json --least 10 "$trace" >report 2>error || fail "$1: $(cat error recorded)"
}
line() {
    grep -n "/\* $1 \*/" "$tests/programs/faults.c" | cut -d : -f 1
}
run imbalance
asserts "f[0]['kind'] == 'imbalance' and f[0]['rank'] == 2 and f[0]['call']['line'] == $(line IMBALANCE) and f[0]['call']['in_function'] == 'imbalance'" && pass || fail "imbalance: $(tail -n 1 said)"
grep -q 'next: refrain report' recorded && grep -q '% of the run: rank 2 computes before MPI_Allreduce faults.c:' recorded && pass || fail "record's last line: $(cat recorded)"
run chain
asserts "f[0]['kind'] == 'delay_chain' and f[0]['rank'] == 0 and f[0]['call']['line'] == $(line CHAIN)" && pass || fail "chain: $(tail -n 1 said)"
run serial
asserts "f[0]['kind'] == 'serial_phase' and f[0]['rank'] == 0 and f[0]['call']['line'] == $(line SERIAL)" && pass || fail "serial: $(tail -n 1 said)"
run killed
asserts "f[0]['kind'] == 'imbalance' and f[0]['rank'] == 2 and any('did not end by themselves' in s for s in r['unknown'])" && pass || fail "killed: $(tail -n 1 said)"
rm -rf run
timeout 120 refrain record --no-report -d run mpiexec.mpich -n 2 ./faults even >out 2>recorded
[ "$(wc -l <recorded)" -eq 1 ] && pass || fail "--no-report: $(cat recorded)"
summary
