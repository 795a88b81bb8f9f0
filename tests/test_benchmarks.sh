#!/bin/sh
# The benchmarks: bad input is refused with one line and status 2; a quick run of one workload makes a whole report.
set -u
. "$(dirname "$0")/lib.sh"
run=$tests/../benchmarks/run.sh

for option in --only --ranks --runs --pairs --minutes; do
    says 2 "$option needs a value" sh "$run" $option
done
says 2 "no workload 'tetris'" sh "$run" --only tetris
says 2 "from 1 to 64, not '65'" sh "$run" --ranks 2,65
says 2 "from 1 to 100, not '0'" sh "$run" --pairs 0
says 2 "unknown argument" sh "$run" --fast
says 2 "refrain-cc are not in '/nowhere'" sh "$run" --tools /nowhere
[ "$(sh "$run" --list | wc -l)" -ge 15 ] && pass || fail "--list: $(sh "$run" --list | wc -l) workloads"

cost=$tests/../benchmarks/cost.sh
says 2 "tools is needed" sh "$cost"
says 2 "no directory '/nowhere'" sh "$cost" --tools /nowhere
says 2 "no part 'all'" sh "$cost" --tools "$bin" --part all
says 2 "no workload 'tetris'" sh "$cost" --tools "$bin" --only tetris
says 2 "whole number, not '0'" sh "$cost" --tools "$bin" --rounds 0

says 2 "tools is needed" sh "$tests/../benchmarks/patterns.sh"
make -s -j2 -C "$tests/../benchmarks/workloads" CC=mpicc.mpich BUILD="$work/plain" ONLY="bt lu nbody heat" >"$work/said" 2>&1 ||
    fail "the workloads do not build: $(head -n 1 "$work/said")"
says 2 "nbody:*--size" "$work/plain/nbody" --size 0
says 2 "heat:*--iterations" "$work/plain/heat" --iterations -3
says 2 "bt:*2 ranks*square" launch mpich 2 "$work/plain/bt"
says 2 "lu:*3 ranks*power of two" launch mpich 3 "$work/plain/lu"

sh "$run" --tools "$bin" --quick --only heat --ranks 2 --out "$work/report" >"$work/said" 2>&1 || fail "run.sh --quick: $(tail -n 1 "$work/said")"
report=$work/report/report.md
grep -q "^1 of 1 exact" "$report" && pass || fail "heat is not exact: $(grep exact "$report" | tail -n 1)"
for section in "## Cost (" "### Overhead by least laps" "### Memory" "## Cost of one probe" "## Cost of one value" "## Exactness" "## Capture" "## Programs" "## Size"; do
    awk -v s="$section" 'index($0, s) == 1 { on = 1; next } on && /^#/ && !/^###/ { exit } on && /^\| [a-zA-Z]/ { n++ } END { exit n < 2 }' "$report" &&
        pass || fail "no table in: $section"
done
grep -q '^| 4. the whole run is recorded | .* 1 of 1 runs' "$report" && pass || fail "the paper's Table 3: $(grep '^| [1-4]' "$report")"
head -n 1 "$work/report/results.csv" | grep -qx "program,ranks,metric,value,min,max" && pass || fail "results.csv"
for plot in overhead capture size characteristics; do
    grep -q "</svg>" "$work/report/$plot.svg" && pass || fail "$plot.svg"
done
check "cost.sh" sh "$cost" --tools "$bin" --part workloads --only heat --ranks 1 --rounds 1 --out "$work/cost.md"
grep -q '^| heat | 1 | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* |' "$work/cost.md" && grep -q '^- Workloads, default detail: .* 1 figures$' "$work/cost.md" &&
    pass || fail "cost.sh: $(cat "$work/cost.md")"
check "cost.sh --beside" sh "$cost" --tools "$bin" --beside "$bin" --only heat --ranks 1 --rounds 1 --out "$work/beside.md"
grep -q '^| heat | 1 | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* |$' "$work/beside.md" && pass ||
    fail "cost.sh --beside: $(cat "$work/beside.md")"
check "patterns.sh" sh "$tests/../benchmarks/patterns.sh" --tools "$bin" --runs 1 --rounds 20 --out "$work/patterns.md"
[ "$(grep -c '^| .* | [0-9.]* | [0-9.]* | [-0-9.]* | [-0-9.]* |' "$work/patterns.md")" -ge 19 ] && pass || fail "patterns.sh: $(cat "$work/patterns.md")"
# EZTrace has its rows, or the report has the reason why not.
grep -q "### EZTrace" "$report" || grep -q "EZTrace.*left out" "$report" && pass || fail "nothing about EZTrace"
summary
