#!/bin/sh
# refrain diff: it finds a real change and its size, and does not report mere variation; tables and statuses.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# A program of two regions: `steady` takes about a millisecond, `changes` as many microseconds as its argument says. The
# program advances its own clock, which also advances a little at each read, so other load of the machine has no effect.
# It prints the total nanoseconds of the second region.
cat >clock.c <<'END'
#include <time.h>
static long long now_ns = 1000000000;
void take_ns(long long ns) {
    now_ns += ns;
}
int clock_gettime(clockid_t id, struct timespec *time) {
    now_ns += 30;
    time->tv_sec = now_ns / 1000000000;
    time->tv_nsec = now_ns % 1000000000;
    return 0;
}
END
cat >two.c <<'END'
#include <refrain/refrain.h>
#include <stdio.h>
#include <stdlib.h>
void take_ns(long long ns);
static long long took_ns;
static void steady(void) {
    refrain_region_begin("steady");
    take_ns(1000000 + rand() % 100000);
    refrain_region_end();
}
static void changes(long us) {
    refrain_region_begin("changes");
    long long ns = us * 1000ll + rand() % 100000;
    take_ns(ns);
    took_ns += ns;
    refrain_region_end();
}
int main(int argc, char **argv) {
    int n = atoi(argv[2]);
    srand((unsigned)atoi(argv[argc > 3 ? 3 : 1]));
    for (int i = 0; i < n; i++) {
        steady();
        changes(atol(argv[1]));
    }
    printf("%lld\n", took_ns);
    return argc < 3;
}
END
gcc -O1 -c clock.c -o clock.o && refrain-cc gcc -O1 -rdynamic -I"$tests/../include" two.c clock.o -o two || fail "compile"
# makes NAME ARGUMENT...: a trace in the directory NAME.
makes() {
    name=$1
    shift
    mkdir "$name"
    REFRAIN_CLOCK=gettime REFRAIN_DIRECTORY=$name ./two "$@" >"$name.ns" || fail "$name"
    the_trace "$name" >"$name.path"
}
makes a 1000 100
makes b 3000 100
makes more 1000 120
a=$(cat a.path) b=$(cat b.path) more=$(cat more.path)

refrain diff --json "$a" "$b" >b.json && refrain diff --csv "$a" "$b" >b.csv && refrain diff --json "$a" "$a" >same.json &&
    refrain diff --json "$a" "$more" >more.json && pass || fail "refrain diff"
cat >agree.py <<'END'
import csv, json, sys
failed = 0
def check(what, holds, *shown):
    global failed
    if not holds:
        failed += 1
        print(what, *shown)
def rows(name):
    return {row["what"]: row for row in json.load(open(name))["rows"]}
b, same, more = rows("b.json"), rows("same.json"), rows("more.json")
truth = int(open("b.ns").read()) - int(open("a.ns").read())
check("the change", b["changes"]["beyond_noise"] and abs(b["changes"]["change_ns"] - truth) < 0.001 * truth, truth, b["changes"])
check("it comes first", list(b)[0] == "changes", list(b))
check("what only varies", not b["steady"]["beyond_noise"] and b["steady"]["change_ns"] != 0, b["steady"])
check("nothing differs from itself", all(row["change_ns"] == 0 and not row["beyond_noise"] for row in same.values()), same)
check("more calls", all(more[name]["beyond_noise"] and more[name]["b"]["calls"] == 120 for name in ("steady", "changes")), more)
check("CSV", [row["what"] for row in csv.DictReader(open("b.csv"))] == list(b))
sys.exit(failed != 0)
END
python3 agree.py >said 2>&1 && pass || fail "$(head -n 5 said)"
refrain diff "$a" "$b" >said && grep -qE "^ *[0-9.]+ ms +\+[0-9.]+ ms +\+[0-9.]+ % .* 100  changes" said && pass || fail "text: $(cat said)"
refrain diff --exit-code "$a" "$b" >said 2>&1
[ $? -eq 3 ] && grep -q "time>5%: exceeded" said && pass || fail "status of what differs"
refrain diff --exit-code "$a" "$a" >said 2>&1
[ $? -eq 0 ] && grep -q "others differ by no more than their noise" said && pass || fail "status of what does not"

# Several runs of each side: medians, and the noise of repeated runs. Limits fail what is longer by more than both.
for run in 1 2 3; do
    makes same-a$run 1000 100 $run
    makes same-b$run 1000 100 4$run
    makes later$run 1100 100 5$run
done
makes slow 1400 100 6
makes slow-too 1400 100 7
runs() {
    for name in "$@"; do
        cat "$name.path" 2>/dev/null || echo "$name"
    done
}
# fails STATUS RUN... -- LIMIT...
fails() {
    status=$1 runs=
    shift
    while [ "$1" != -- ]; do
        runs="$runs $(runs "$1")"
        shift
    done
    shift
    # shellcheck disable=SC2086 # a list of words
    refrain diff --json $runs --fail-if "$@" >"limits.json" 2>said
    got=$?
    [ $got -eq "$status" ] && pass || fail "status $got of $runs with $*: $(cat said)"
}
a="same-a1 same-a2 same-a3 against" same="same-b1 same-b2 same-b3" later="later1 later2 later3"
# shellcheck disable=SC2086 # lists of words
{
    fails 0 $a $same -- 'time>1%' 'changes>1%' 'waiting>10%'
    fails 0 $a $later -- 'time>7%' 'steady>5%' 'changes>5%+20ms' 'changes>1s'
    fails 3 $a $later -- 'time>7%' 'time>3%'
    fails 3 $a $later -- 'changes>8ms'
    fails 3 $a $later -- 'changes>5%'
    python3 - <<'END' 2>said && pass || fail "runs: $(tail -n 1 said)"
import json, math, statistics
diff = json.load(open("limits.json"))
row, = (row for row in diff["rows"] if row["what"] == "changes")
a, b = row["a"]["runs_ns"], row["b"]["runs_ns"]
assert len(a) == len(b) == 3 and row["change_ns"] == statistics.median(b) - statistics.median(a), row
noise = 1.2533 * math.sqrt((2 * statistics.variance(a) + 2 * statistics.variance(b)) / 4 * (1 / 3 + 1 / 3))
assert abs(row["noise_ns"] - noise) < 1e-6 * noise and row["beyond_noise"], (row, noise)
limit, = diff["limits"]
assert limit["exceeded"] and limit["percent"] == 5, limit
assert limit["a_ns"] == row["a"]["ns"] == statistics.median(a), (limit, row)
assert diff["whole"]["time"]["noise_ns"] > 0 and len(diff["a"]["traces"]) == 3 and diff["a"]["run_ns"] == diff["whole"]["time"]["a_ns"], diff["whole"]
END
    # A change that repeated runs of one side have as well is chance; of single runs the limit alone decides.
    fails 0 same-a1 slow same-a2 against later1 later2 slow-too -- 'changes>5%'
    fails 3 same-a1 later1 -- 'changes>5%'
    fails 3 same-a1 against later1 later2 -- 'changes>5%'
    fails 2 same-a1 later1 -- 'nothing>5%'
    fails 2 same-a1 later1 -- 'time>5x'
    fails 2 same-a1 later1 -- 'time'
    fails 2 same-a1 later1 later2 -- 'time>5%'
    fails 2 same-a1 against -- 'time>5%'
}
# shellcheck disable=SC2046 # a list of words
refrain diff $(runs $a $later) >said && grep -qE "^ *[0-9.]+ ms +\+[0-9.]+ ms +\+[0-9.]+ % .* 100  changes" said && ! grep -q steady said && pass || fail "text of runs: $(cat said)"
a=$(cat a.path)
# Visits that take longer and longer in both runs, and 3 % longer each in the second: less than they differ from one
# another, but each of them changed.
awk 'BEGIN { for (run = 0; run < 2; run++) { t = 0; for (i = 1; i <= 64; i++) { took = 0.001 * i * (1 + 0.03 * run)
     printf "0\t%.9f\tenter\twork\n0\t%.9f\tleave\twork\n", t, t + took >(run ? "longer.txt" : "grows.txt")
     t += took + 0.0005 } } }'
refrain convert grows.txt -o grows.refrain >/dev/null && refrain convert longer.txt -o longer.refrain >/dev/null &&
    refrain diff --json grows.refrain longer.refrain >grows.json && pass || fail "growing visits"
python3 -c 'import json
row, = (row for row in json.load(open("grows.json"))["rows"] if row["what"].startswith("work"))
assert row["beyond_noise"] and abs(row["change_ns"] - 62400000) < 1000 and row["noise_ns"] < 8000000, row' 2>said && pass || fail "$(tail -n 1 said)"
for view in function call-path source-line partner rank wait; do
    refrain diff --by $view "$a" "$b" >said 2>error && [ ! -s error ] && pass || fail "--by $view: $(cat error)"
done
refrain diff "$a" >said 2>&1
[ $? -eq 2 ] && pass || fail "one trace only"
refrain diff "$a" nowhere.refrain >said 2>&1
[ $? -eq 1 ] && pass || fail "a trace that is not there"
summary
