#!/bin/sh
# What refrain says of runs that are out of the ordinary is true: exit() with functions open, no MPI_Init, a communicator that
# was freed, too little memory, probes that were throttled on one rank only, threads that nobody announced.
set -u
. "$(dirname "$0")/lib.sh"
export REFRAIN_MPICC=mpicc.mpich

# traced NAME RANKS [ARGUMENTS...]: compiles $work/NAME.c, runs it; its trace is $trace.
traced() {
    name=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086 # none or several
    [ -x "$work/$name" ] || refrain-mpicc -O1 -w ${flags:-} "$work/$name.c" -o "$work/$name" || fail "$name: compile"
    rm -rf "$work/run"
    mkdir "$work/run"
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$work/run launch mpich "$ranks" "$work/$name" "$@" >"$work/out" 2>"$work/err"
    trace=$(the_trace "$work/run") || trace=/nowhere
}

# exit() ends open regions, in the recording and in the learned data: each format's writer gets a balanced run.
cat >"$work/exits.c" <<'END_OF_C'
#include <mpi.h>
#include <stdlib.h>
static void leave(int status) {
    MPI_Finalize();
    exit(status);
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    leave(0);
}
END_OF_C
traced exits 2
exact "$trace" "exit after MPI_Finalize"
for from in reconstruct events; do
    refrain $from "$trace" --format text -o - >"$work/lines"
    awk -F '\t' '$3 == "enter" { open[$1]++ } $3 == "leave" { open[$1]-- } END { exit open[0] || open[1] || NR < 12 }' \
        "$work/lines" && pass || fail "exit(): $from is not balanced: $(tail -n 2 "$work/lines")"
done

cat >"$work/never.c" <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
    int flag;
    if (argc > 5)
        MPI_Init(&argc, &argv);
    MPI_Initialized(&flag);
    return flag;
}
END_OF_C
traced never 1
refrain info --verbose "$trace" >"$work/info"
grep -q 'it never called MPI_Init).*: finished' "$work/info" && ! grep -q killed "$work/info" && pass ||
    fail "no MPI_Init: $(grep '^rank 0' "$work/info")"

cat >"$work/freed.c" <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
    MPI_Comm one, same;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    same = one;
    MPI_Comm_free(&one);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(same);
    return MPI_Finalize();
}
END_OF_C
traced freed 1
refrain reconstruct "$trace" --format text -o - >"$work/lines" 2>"$work/error"
[ "$(grep -c 'comm=unknown' "$work/lines")" = 3 ] && ! grep -q approximate "$work/lines" "$work/error" && pass ||
    fail "a freed communicator: $(cat "$work/error") $(grep collective "$work/lines" | head -n 1)"

# The memory that is asked for suffices, to the byte, and a byte less does not.
REFRAIN_TOTAL_MEMORY=1K traced freed 1
least=$(sed -n 's/.*1 thread need.* at least \([0-9]*\) ([0-9]*K).*/\1/p' "$work/err")
[ -n "$least" ] && pass || fail "too little memory: $(cat "$work/err")"
REFRAIN_TOTAL_MEMORY=$least traced freed 1
[ -d "$trace" ] && [ ! -s "$work/err" ] && pass || fail "$least bytes: $(cat "$work/err")"
REFRAIN_TOTAL_MEMORY=$((least - 4096)) traced freed 1
[ ! -d "$trace" ] && grep -q "at least $least " "$work/err" && pass || fail "4096 bytes less: $(cat "$work/err")"

# Rank 0 calls a function and runs a loop far more often than rank 1 does.
cat >"$work/hot.c" <<'END_OF_C'
#include <mpi.h>
#include <stdlib.h>
static volatile int sum;
__attribute__((noinline)) static void one_of_many_with_quite_a_long_name(int i) {
    if (i % 3 == 0)
        sum++;
    for (int k = 0; k < i % 4; k++)
        if (i == -k - 1)
            MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < (rank ? 10 : 3000000); i++)
        one_of_many_with_quite_a_long_name(i);
    for (int i = 0; i < 500; i++)
        if (rand() % 3 == 0)
            MPI_Barrier(MPI_COMM_SELF);
    return MPI_Finalize();
}
END_OF_C
traced hot 2
refrain formulas "$trace" >"$work/formulas"
refrain stats "$trace" >"$work/stats"
grep 'throttled$' "$work/formulas" | grep -q '100.00 %' && fail "a part of the visits is called 100 %" || pass
grep -q '_name *for .*>=[0-9]* *a part  0 .*throttled$' "$work/formulas" && grep -q '_name *for .*100.00 %  1 ' "$work/formulas" && pass ||
    fail "ranks that throttled are not told apart: $(grep 'name *for' "$work/formulas")"
grep -q '>=[0-9,]*  one_of_many_with_quite_a_long_name.*throttled on 1 of 2 ranks$' "$work/stats" && pass ||
    fail "stats: $(grep one_of_many "$work/stats")"
grep -q 'taken 3[0-9]\.[0-9] %$' "$work/formulas" && pass || fail "a decision by chance: $(grep ' if ' "$work/formulas")"
# The values that were seen are a part of all values, in each command that prints how many are exact.
[ "$(refrain info --verbose "$trace" | grep -c 'learned .* values that were seen, ')" = 1 ] && pass || fail "info: $(refrain info --verbose "$trace" | grep learned)"
refrain capture "$trace" | grep -q '^[0-9]* sequences throttled: ' && pass || fail "capture does not say that it knows a part"
refrain view "$trace" -o "$work/page.html" >/dev/null 2>&1
python3 - "$work/page.html" "$(grep -c 'throttled$' "$work/formulas")" <<'END_OF_PYTHON' && pass || fail "the page does not mark formulas of a part of the visits"
import base64, re, sys, zlib
parts = re.findall(r'<script type="text/plain" id="[\w-]+">([^<]*)</script>', open(sys.argv[1], encoding="utf-8").read())
marks = sum(len(re.findall(rb'"throttled": *true', zlib.decompress(base64.b64decode(part)))) for part in parts)
assert marks == int(sys.argv[2]) > 0, (marks, sys.argv[2])
END_OF_PYTHON
awk '/^source/ { at = index($0, "captured") } at && /hot.c:/ && substr($0, at - 1, 1) != " " { exit 1 }' "$work/formulas" && pass ||
    fail "columns: $(head -n 4 "$work/formulas")"

# A parameter that a call does not have is not shown: no target and lock of a fence, no mode of a closed file.
cat >"$work/absent.c" <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
    int at = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Win_create(&at, sizeof at, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
    return MPI_Finalize();
}
END_OF_C
traced absent 1
refrain formulas "$trace" | awk '$3 ~ /^MPI_Win/ { print $3, $4 }' | sort >"$work/parameters"
[ "$(tr '\n' ';' <"$work/parameters")" = "MPI_Win_create window;MPI_Win_fence window;MPI_Win_free window;MPI_Win_lock lock;MPI_Win_lock target;MPI_Win_lock window;MPI_Win_unlock target;MPI_Win_unlock window;" ] && pass ||
    fail "parameters that are absent: $(cat "$work/parameters")"
refrain capture "$trace" | awk '/^receivers/ { exit $2 != 2 }' && pass || fail "receivers: $(refrain capture "$trace" | grep receivers)"

# As many threads as OpenMP has; fewer if there is no memory for more.
cat >"$work/threads.c" <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#pragma omp parallel
    {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    return MPI_Finalize();
}
END_OF_C
unset OMP_NUM_THREADS
flags=-fopenmp traced threads 1
processors=$(nproc)
refrain info --verbose "$trace" | grep -q "threads   $processors of $processors" && pass || fail "threads: $(refrain info --verbose "$trace" | grep threads)"
summary
