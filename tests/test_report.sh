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

# Costs are what the ranks lost; waiting is followed over more than one rank.
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
asserts 'len([x for x in f if x["call"]["line"] == 20]) == 1 and "Besides, MPI_Send" in f[0]["detail"]' && pass || fail "merged: $(tail -n 1 said)"
refrain -q report --json --least 30 one_computes_longer.refrain >report
asserts 'not f' && pass || fail "least: $(tail -n 1 said)"
refrain -q report --json even.refrain >report
asserts 'any("communication is" in s for s in r["well"]) and any("events only" in s for s in r["unknown"])' && pass || fail "well: $(tail -n 1 said)"

# The critical path of each is as long as the run, to the nanosecond, of known parts; a run without changes takes as long as it did.
while read -r name; do
    refrain -q stats --by critical-path --json "$name.refrain" >"$name.path" && refrain -q stats --by parallelism --json "$name.refrain" >"$name.ranks" || fail "$name"
done <cases
python3 - <<'END' >said && pass || fail "$(cat said)"
import json, sys
bad = 0
for name in open("cases").read().split():
    d, p = json.load(open(name + ".path")), json.load(open(name + ".ranks"))
    run = d["to_ns"] - d["from_ns"]
    good = {"length": sum(r["path_ns"] for r in d["rows"]) == sum(d["path_ns"].values()) == run > 0,
            "parts": d["path_ns"]["waiting"] == d["path_ns"]["unknown"] == 0,
            "as it was": abs(d["as_it_was_ns"] - run) <= run / 1000,
            "saved": all(0 <= r["saved_ns"] <= run for r in d["rows"][:12]),
            "ranks that compute": sum(r["time_ns"] for r in p["rows"]) == run,
            "mean": abs(sum(r["ranks"] * r["time_ns"] for r in p["rows"]) / run - p["mean_parallelism"]) < 1e-9}
    for what in [what for what in good if not good[what]]:
        print("critical path of", name + ":", what)
        bad = 1
sys.exit(bad)
END
# critical CASE TEXT: Python, true of the rows by name and line, of the whole d.
critical() {
    refrain -q stats --by critical-path --json "$1.refrain" >report && python3 -c '
import json, sys
d = json.load(open("report"))
r = {x["name"] + ":" + str(x["line"]): x for x in d["rows"]}
assert eval(sys.argv[1]), d' "$2" 2>said && pass || fail "critical path of $1: $(tail -n 1 said)"
}
critical one_computes_longer 'r["burn:10"]["rank"] == 2 and r["burn:10"]["path_ns"] == r["burn:10"]["rank_ns"] == 60e6 and d["path_changes"] == 1'
critical uneven_in_turns 'r["burn:10"]["path_ns"] == 120e6 and r["burn:10"]["rank_ns"] == 30e6 and d["path_changes"] == 40'
critical delay_chain 'r["end:12"]["rank"] == 3 and d["path_changes"] == 3'
critical late_sender 'r["other:14"]["path_ns"] == 44e6 and abs(r["other:14"]["saved_ns"] - 3.88e6) < 1e5'
critical datatypes 'r["burn:10"]["path_ns"] == 60e6 and abs(r["burn:10"]["saved_ns"] - 45e6) < 1e5'
COLUMNS=100 refrain -q stats --by critical-path serial_phase.refrain >text
grep -q '^critical path: 140.06 ms' text && grep -q ' 100.00 ms .* 0 .* read_input fault.c:5$' text && pass || fail "critical path as text: $(cat text)"
refrain -q stats --by critical-path --csv html_in_names.refrain | grep -q '^"computing","<img src=x onerror=alert(1)>&"".","fault.c",10,"",80000000,' && pass || fail "critical path as CSV"
refrain stats --by critical-path --rank 1 even.refrain >text 2>said
[ $? -eq 2 ] && grep -q 'all ranks' said && pass || fail "--rank was taken: $(cat said)"

# As text and as a page: the same sentences; names are data.
COLUMNS=100 refrain -q report serial_phase.refrain >text
grep -q 'only rank 0 computes in read_input(), fault.c:5' text && grep -q '^71 % of the critical path is computing in read_input(), fault.c:5, most of it on rank 0' text && grep -q '^parallel efficiency' text && pass || fail "text: $(cat text)"
refrain -q report even.refrain | grep -q '^nothing that costs 2.0 % of the run or more was found' && pass || fail "text of even"
refrain -q report html_in_names.refrain -o names.html && pass || fail "page"
grep -q '&lt;img src=x onerror=alert(1)&gt;&amp;&quot;' names.html && ! grep -q '<img src=x' names.html && pass || fail "a name is not data"
if refrain help | grep -q '^ *view '; then
    [ "$(grep -c 'src="data:image/svg+xml,%3Csvg' names.html)" -eq 2 ] && pass || fail "pictures"
fi
refrain -q report html_in_names.refrain -o names.html 2>error
[ $? -eq 1 ] && grep -q 'exists; --force' error && pass || fail "a page was replaced: $(cat error)"
refrain -q report --json html_in_names.refrain -o names.json && python3 -c 'import json; json.load(open("names.json"))' && pass || fail "JSON in a file"

# What there is nothing to say of.
printf '0\t0.000000001\tenter\tf\tfile=a.c\tline=1\n0\t0.000000001\tleave\tf\n' >nothing.txt
refrain -q convert --format text nothing.txt -o nothing.refrain && refrain -q report --json nothing.refrain >report
asserts 'not f and any("no events" in s for s in r["unknown"])' && pass || fail "nothing: $(tail -n 1 said)"
grep -v "^3" even.txt >cut.txt && head -n 1000 cut.txt | grep -v '^1' >less.txt
refrain -q convert --format text less.txt -o less.refrain && refrain -q report --json less.refrain >report
asserts 'any("no file" in s or "other ends" in s for s in r["unknown"])' && pass || fail "missing: $(tail -n 1 said)"

# ---- runs ----
command -v mpicc.mpich >/dev/null || { summary; exit; }
mpicc.mpich -g -O1 "$tests/programs/faults.c" -o faults || fail "compile"

# run WHICH: records it, and makes a report of what costs a tenth of the run.
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
