#!/bin/sh
# REFRAIN_METRICS: totals per place, on every rank and thread. Events that cannot be counted are named, and nothing else changes.
set -u
. "$(dirname "$0")/lib.sh"
x86_64_only "false_perf.c makes its system calls as x86-64 does"

REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w -pthread "$tests/programs/metrics.c" -o "$work/metrics" ||
    fail "compile"
cc -O1 -w -shared -fPIC "$tests/false_perf.c" -o "$work/false_perf.so" || fail "compile false_perf.c"

# counted NAME METRICS [ARGUMENT]: traces into $work/NAME.refrain, with false events if FALSE is set.
counted() {
    rm -rf "$work/made"
    (
        [ -z "${FALSE:-}" ] || export REFRAIN_FALSE_PERF="$FALSE"
        REFRAIN_TOTAL_MEMORY=${MEMORY:-6M} REFRAIN_THREADS=2 REFRAIN_DIRECTORY=$work/made REFRAIN_METRICS=$2 \
            preload=$work/false_perf.so launch mpich 2 "$work/metrics" ${3:+"$3"}
    ) >"$work/out" 2>&1
    status=$?
    trace=$(the_trace "$work/made") && mv "$trace" "$work/$1.refrain" || fail "$1: no trace: $(head -n 3 "$work/out")"
}

# value FILE EXPRESSION: of the JSON in it, which the expression has as j.
value() {
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
def of(name): return next(f for f in j["functions"] if f["name"] == name)["metrics"]
def lost(): return sum(p["losses"].get("metrics", 0) for p in j["processes"])
def state(rank, name): return next(m for m in j["processes"][rank]["metrics"] if m["name"] == name)
print(eval(sys.argv[2]))' "$1" "$2" 2>&1
}
is() {
    got=$(value "$2" "$3")
    [ "$got" = "$4" ] && pass || fail "$1: $got instead of $4"
}

counted faults page-faults,task-clock
refrain info --json "$work/faults.refrain" >"$work/info"
if [ "$(value "$work/info" 'state(0, "page-faults")["counted"]')" != True ]; then
    echo "the kernel lets nothing be counted here: only that is tested"
    is "not counted" "$work/info" 'state(0, "page-faults")["state"].startswith("not counted")' True
    summary
    exit
fi

# The pages of both ranks and threads, and some of the C library; no pages at other places.
refrain stats --json "$work/faults.refrain" >"$work/stats"
is "pages where they are touched" "$work/stats" '6000 <= of("touch")["page-faults"] <= 6100' True
is "pages elsewhere" "$work/stats" 'of("idle")["page-faults"] <= 20' True
is "time on a processor" "$work/stats" '0 < of("touch")["task-clock"]' True
is "ranks and all" "$work/stats" 'sum(r["metrics"]["page-faults"] for r in j["ranks"]) == j["metrics"]["page-faults"]' True
is "of each rank" "$work/stats" '[r["metrics"]["page-faults"] >= n for r, n in zip(j["ranks"], (4500, 1500))]' "[True, True]"
is "nothing lost" "$work/info" 'lost()' 0
refrain stats --by function --csv "$work/faults.refrain" >"$work/csv"
check "CSV" grep -q '"page-faults","task-clock"$' "$work/csv"
check "as text" sh -c 'refrain stats "$0" | grep -q "page-faults  *task-clock  *count  what"' "$work/faults.refrain"
check "text by rank" sh -c 'refrain stats --by rank "$0" | grep -q "page-faults  *task-clock"' "$work/faults.refrain"
check "of a window nothing" sh -c 'refrain stats --from 50% "$0" 2>&1 | grep -q "known of the whole run only"' \
    "$work/faults.refrain"
check "info" sh -c 'refrain info --verbose "$0" | grep -q "metrics   counted: page-faults, task-clock"' "$work/faults.refrain"

# In one file of all ranks, and of processes that were killed.
refrain pack "$work/faults.refrain" -o "$work/pack" || fail "pack"
refrain stats --json "$work/pack" >"$work/packed"
is "packed" "$work/packed" "j['metrics'] == $(value "$work/stats" 'j["metrics"]')" True
counted killed page-faults kill
refrain stats --quick --json "$work/killed.refrain" >"$work/stats"
is "killed" "$work/stats" '6000 <= of("touch")["page-faults"] <= 6100' True

# Events that cannot be counted.
FALSE=none counted none instructions,page-faults,PAPI_L3_TCM
check "no such event" sh -c 'refrain info --verbose "$0" | grep -q "metrics   instructions: not counted: this machine"' \
    "$work/none.refrain"
refrain stats --json "$work/none.refrain" >"$work/stats"
is "the others are" "$work/stats" 'list(j["metrics"])' "['page-faults']"
FALSE=user counted user instructions
check "user mode" sh -c 'refrain info --verbose "$0" | grep -q "metrics   instructions: counted in user mode only"' \
    "$work/user.refrain"
refrain stats --json "$work/user.refrain" >"$work/stats"
is "counted all the same" "$work/stats" '6000 <= of("touch")["instructions"] <= 6100' True
FALSE=forbidden counted forbidden instructions,page-faults
check "forbidden" sh -c 'refrain info --verbose "$0" | grep -q "metrics   page-faults: not counted: the kernel or the container"' \
    "$work/forbidden.refrain"
[ "$(refrain stats "$work/forbidden.refrain" | grep -c page-faults)" = 0 ] && pass || fail "a column of nothing"

# Names, and descriptors that the program closes.
counted names pagefaults,page-faults close
check "the name that was meant" grep -q "there is no event pagefaults (is page-faults meant?)" "$work/out"
refrain info --json "$work/names.refrain" >"$work/info"
is "an unknown name" "$work/info" 'state(0, "pagefaults")["counted"]' False
is "closed counters are lost" "$work/info" 'lost() > 0 and lost() < 30' True
[ "$status" = 0 ] && pass || fail "closed counters: the program ends with $status: $(cat "$work/out")"

# A file of the program may get the number of such a descriptor. No byte of it may be read, and it must stay open.
counted reuse page-faults,task-clock reuse
[ "$(sort -u "$work/out")" = "reused 4" ] && pass || fail "numbers used again: $(cat "$work/out")"
refrain info --json "$work/reuse.refrain" >"$work/info"
is "what is not counted then is lost" "$work/info" 'lost() > 0' True

refrain record --metrics=instrutions true >"$work/out" 2>&1
[ $? = 2 ] && grep -q "no event instrutions; did you mean instructions?" "$work/out" && pass || fail "record --metrics"

# With room for few places, counts without room are counted as lost.
MEMORY=560K counted small page-faults
refrain info --json "$work/small.refrain" >"$work/info"
is "little memory" "$work/info" 'len(j["processes"])' 2
summary
