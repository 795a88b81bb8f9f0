#!/bin/sh
# refrain stats --by critical-path and --by parallelism: runs with exact times and a known path (paths.py), traces that lack
# a part of the path, and runs of a program, whose path is as long as the run.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# asserts FILE TEXT: Python, true of the JSON r in the file.
asserts() {
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); run = r["to_ns"] - r["from_ns"]; assert eval(sys.argv[2]), r' "$1" "$2" 2>said
}

# ---- exact times ----
python3 "$tests/paths.py" write >cases || fail "paths.py"
while read -r name; do
    refrain -q convert --format text "$name.txt" -o "$name.refrain" &&
        refrain -q stats --by critical-path --json "$name.refrain" >"$name.json" &&
        refrain -q stats --by parallelism --json "$name.refrain" >"$name.parallelism" || fail "$name"
done <cases
python3 "$tests/paths.py" check >said && pass || fail "$(cat said)"
[ "$(wc -l <cases)" -ge 40 ] && pass || fail "there are only $(wc -l <cases) cases"

# ---- text and CSV ----
COLUMNS=100 refrain -q stats --by critical-path serial_phase.refrain >text
grep -q '^critical path: 140.06 ms' text && grep -q ' 100.00 ms .* 0 .* read_input(), fault.c:5$' text && pass || fail "text: $(cat text)"
refrain -q stats --by critical-path --top 1 two_ranks.refrain | grep -q '^[0-9]* more: --top' && pass || fail "--top"
refrain -q stats --by critical-path --csv html_in_names.refrain | grep -q '^"computing","<img src=x onerror=alert(1)>&"".","fault.c",10,"",80000000,' && pass || fail "CSV"
refrain -q stats --by parallelism serial_phase.refrain >text
grep -q '^1.86 of 4 ranks compute at a time' text && grep -q '^ *1 *100.00 ms *71.40$' text && pass || fail "parallelism: $(cat text)"
refrain -q stats --by parallelism --csv serial_phase.refrain | grep -q '^1,100000000,71.39' && pass || fail "parallelism in CSV"

# ---- unknown data, and options that contradict each other ----
for option in --quick --folded "--rank 1" "--from 10%"; do
    # shellcheck disable=SC2086 # an option and its value
    refrain stats --by critical-path $option two_ranks.refrain >out 2>error
    [ $? -eq 2 ] && grep -q 'all ranks\|replays nothing' error && pass || fail "$option: $(cat error)"
done
# A rank without a file: the other ends of its messages are not there, and the path is as long as the run all the same.
grep -v '^0' two_ranks.txt >less.txt
refrain -q convert --format text less.txt -o less.refrain && refrain stats --by critical-path --json less.refrain >less.json 2>error
asserts less.json 'sum(x["path_ns"] for x in r["rows"]) == run > 0 and not r["path_changes"]' && grep -q 'without a send: 1' error && pass || fail "missing: $(cat error said)"
# A text that ends in the middle: calls that did not end are parts of the path until the last event.
head -n 40 ring.txt >cut.txt
refrain -q convert --format text cut.txt -o cut.refrain && refrain stats --by critical-path --json cut.refrain >cut.json 2>error
asserts cut.json 'sum(x["path_ns"] for x in r["rows"]) == run > 0' && grep -q 'no rank came to MPI_Finalize' error && pass || fail "cut: $(cat said error)"
printf '0\t0.000000001\tenter\tf\tfile=a.c\tline=1\n0\t0.000000001\tleave\tf\n' >nothing.txt
refrain -q convert --format text nothing.txt -o nothing.refrain && refrain -q stats --by critical-path --json nothing.refrain >nothing.json
asserts nothing.json 'run == 0 and not r["rows"]' && refrain -q stats --by parallelism nothing.refrain >out && pass || fail "nothing: $(cat said out)"
# More calls than are kept since the awaited one: its cause is unknown, and this is reported.
python3 - >many.txt <<'END'
lines = [(0, "0\t0.000000000\tenter\tMPI_Recv\tfile=a.c\tline=1"), (5, "1\t0.000000005\tenter\tMPI_Send\tfile=a.c\tline=2"),
         (5, "1\t0.000000005\tsend\tMPI_Send\tdest=0\ttag=0\tbytes=8\tcomm=0"), (6, "1\t0.000000006\tleave\tMPI_Send")]
for i in range(20000):
    lines += [(10 + 2 * i, f"1\t{(10 + 2 * i) / 1e9:.9f}\tenter\tMPI_Iprobe\tfile=a.c\tline=3"),
              (11 + 2 * i, f"1\t{(11 + 2 * i) / 1e9:.9f}\tleave\tMPI_Iprobe")]
lines += [(50000, "0\t0.000050000\trecv\tMPI_Recv\tsource=1\ttag=0\tbytes=8\tcomm=0"), (50000, "0\t0.000050000\tleave\tMPI_Recv")]
print("\n".join(line for _, line in lines))
END
refrain -q convert --format text many.txt -o many.refrain && refrain stats --by critical-path --json many.refrain >many.json 2>error
asserts many.json 'sum(r["path_ns"].values()) == run == 50000 and r["path_ns"]["unknown"] == 5' && pass || fail "many: $(cat error said)"

# ---- runs ----
command -v mpicc.mpich >/dev/null || { summary; exit; }
mpicc.mpich -g -O1 "$tests/programs/faults.c" -o faults || fail "compile"
timeout 120 refrain record --no-report -d run mpiexec.mpich -n 4 ./faults imbalance >out 2>recorded
refrain stats --by critical-path --json "$(the_trace run)" >run.json 2>error
asserts run.json 'sum(r["path_ns"].values()) == run and r["path_ns"]["unknown"] == 0' && pass || fail "run: $(cat error said)"
asserts run.json 'max(r["rows"][0]["ranks"], key=lambda of: of["path_ns"])["rank"] == 2' && pass || fail "not rank 2: $(cat said)"
rm -rf run
timeout 120 refrain record --no-report -d run mpiexec.mpich -n 4 ./faults killed >out 2>recorded
refrain stats --by critical-path --json "$(the_trace run)" >run.json 2>error
asserts run.json 'sum(r["path_ns"].values()) == run > 0' && grep -q 'no rank came to MPI_Finalize' error && pass || fail "killed: $(cat error said)"
summary
