#!/bin/sh
# Sentences of the README and of docs/memory.md on settings, limits and losses, each with a small program of one or two ranks.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
export REFRAIN_MPICC=mpicc.mpich REFRAIN_MODE=both

# traced RANKS COMMAND...: its output is in out and err, its trace is $trace.
traced() {
    rm -rf run
    REFRAIN_DIRECTORY=run launch mpich "$@" >out 2>err
    status=$?
    trace=$(the_trace run) || trace=/nowhere
}

# says TEXT COMMAND...: checks that a line of the output matches.
says() {
    pattern=$1
    shift
    "$@" >said 2>&1
    grep -q -- "$pattern" said && pass || fail "$pattern: $(head -n 3 said)"
}

# kib BYTES: as refrain shows them.
kib() {
    awk -v n="$1" 'BEGIN { printf n < 1048576 ? "%.1f KiB" : "%.1f MiB", n < 1048576 ? n / 1024 : n / 1048576 }'
}

# A dozen MPI functions in 256K: nothing is lost.
cat >dozen.c <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, out = 1, in, all[64];
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 200; i++) {
        MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        if (i % 3 == 0)
            MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Bcast(&out, 1, MPI_INT, i % size, MPI_COMM_WORLD);
        MPI_Gather(&out, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (i % 50 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
END_OF_C
refrain-mpicc -O1 -w dozen.c -o dozen || fail "compile dozen"
REFRAIN_TOTAL_MEMORY=256K traced 2 ./dozen
exact "$trace" "256K"
[ "$(refrain info --verbose "$trace" | grep -c 'nothing was lost')" = 2 ] && pass || fail "256K: $(refrain info --verbose "$trace" | grep lost)"

# Settings out of range: a line, the default, and the program runs.
for setting in REFRAIN_FORMULA_LENGTH=3 REFRAIN_FORMULA_LENGTH=129 REFRAIN_THREADS=257 REFRAIN_EVENT_MEMORY=100K REFRAIN_MODE=some; do
    traced 1 env "$setting" ./dozen
    [ $status = 0 ] && [ -d "$trace" ] && [ "$(grep -c "^refrain: $setting: .* used$" err)" = 1 ] && pass || fail "$setting: $(cat err)"
done
for setting in REFRAIN_FORMULA_LENGTH=4 REFRAIN_FORMULA_LENGTH=128 REFRAIN_EVENT_MEMORY=1M; do
    traced 1 env "$setting" ./dozen
    [ ! -s err ] && pass || fail "$setting: $(cat err)"
    exact "$trace" "$setting"
done

# Each thread takes 50K to 100K, also a thread that never starts.
REFRAIN_THREADS=256 REFRAIN_TOTAL_MEMORY=40M traced 1 ./dozen
exact "$trace" "256 threads"
says 'nothing was lost' refrain info --verbose "$trace"

# Paused from the start: no MPI call is in the trace, and refrain says how many there were.
REFRAIN_PAUSED=on traced 1 ./dozen
refrain events "$trace" >lines
[ "$(grep -c 'MPI_' lines)" = 0 ] && pass || fail "paused: $(grep -m 1 MPI_ lines)"
says 'paused .* MPI calls in them are not in the trace' refrain info --verbose "$trace"

# A child of fork() is not traced, and refrain says so; its parent is. The same holds if the child runs another program.
cat >forks.c <<'END_OF_C'
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>
static void work(int n) {
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    work(3);
    for (int runs_another = 0; runs_another < 2; runs_another++) {
        pid_t child = fork();
        if (child == 0) {
            if (runs_another)
                execlp("true", "true", (char *)0);
            _exit(0);
        }
        waitpid(child, 0, 0);
        work(4);
    }
    return MPI_Finalize();
}
END_OF_C
refrain-mpicc -O1 -w forks.c -o forks || fail "compile forks"
traced 2 ./forks
exact "$trace" "fork"
says 'lost  *2 processes forked: the child' refrain info --verbose "$trace"

# A process that executes another program, or ends by _exit, is not reported as killed; its events up to then are in its
# trace. Both programs are traced if both are built with refrain.
cat >becomes.c <<'END_OF_C'
#include <mpi.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "itself") == 0)
        execl(argv[0], argv[0], "nothing", (char *)0);
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (strcmp(argv[1], "another") == 0)
        execl("/bin/true", "true", (char *)0);
    if (strcmp(argv[1], "missing") == 0)
        execl("/nowhere/true", "true", (char *)0);
    if (strcmp(argv[1], "_exit") == 0)
        _exit(0);
    return 0;
}
END_OF_C
refrain-mpicc -O1 -w becomes.c -o becomes || fail "compile becomes"
for how in another _exit missing; do
    traced 1 ./becomes $how
    [ $status = 0 ] && pass || fail "becomes $how: status $status"
    exact "$trace" "becomes $how"
    [ "$(cut -f 4 recorded | sort -u | grep -c '^MPI_')" = 3 ] && pass || fail "becomes $how: $(cut -f 4 recorded | sort -u)"
    end='killed, or ended by _exit or exec'
    [ $how != missing ] || end=finished
    says "^rank 0 on .*: $end after" refrain info --verbose "$trace"
done
rm -rf run
REFRAIN_DIRECTORY=run launch mpich 1 ./becomes itself >out 2>err || fail "becomes itself: status $?"
for trace in run/*.refrain; do
    refrain info --verbose "$trace"
done >info
[ "$(grep -c '^rank 0 (MPI_Init has not returned) on .*: killed, or ended by _exit or exec' info)" = 1 ] &&
    [ "$(grep -c '^rank 0 on .*: finished' info)" = 1 ] && pass || fail "becomes itself: $(grep ^rank info)"

# C++: exceptions that pass through functions whose destructors call MPI.
cat >throws.cc <<'END_OF_CC'
#include <mpi.h>
#include <stdexcept>
struct Guard {
    ~Guard() { MPI_Barrier(MPI_COMM_WORLD); }
};
static int deep(int n, bool fails) {
    Guard guard;
    int sum = 0;
    if (n == 0 && fails)
        throw std::runtime_error("deep");
    MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return n == 0 ? sum : deep(n - 1, fails) + sum;
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 50; i++)
        try {
            deep(i % 5, i % 3 == 0);
        } catch (const std::exception &) {
            MPI_Bcast(&i, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    return MPI_Finalize();
}
END_OF_CC
if available mpicxx.mpich; then
    REFRAIN_MPICXX=mpicxx.mpich refrain-mpicxx -O1 throws.cc -o throws || fail "compile throws"
    traced 2 ./throws
    exact "$trace" "exceptions"
    says 'nothing was lost' refrain info --verbose "$trace"
    # 50 trees of 1 to 5 calls; 17 of them throw in the innermost one, before it adds up. Of two ranks.
    calls=$(awk -F '\t' '$3 == "enter" { n[$4]++ } END { print n["MPI_Barrier"], n["MPI_Allreduce"], n["MPI_Bcast"] }' recorded)
    [ "$calls" = "300 266 34" ] && pass || fail "exceptions: $calls calls"
fi

# A signal handler that jumps out of a probe ends the tracing of its thread: the loss is counted, and the program continues.
cat >jumps.c <<'END_OF_C'
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
static sigjmp_buf out;
static volatile double x;
static void jump(int signal) {
    (void)signal;
    siglongjmp(out, 1);
}
static void probed(int n) {
    if (n % 2)
        x += 1;
    else
        x *= 0.5;
}
int main(int argc, char **argv) {
    volatile int jumps = 0;
    double sum;
    MPI_Init(&argc, &argv);
    signal(SIGALRM, jump);
    for (volatile int i = 0; i < 100; i++)
        if (sigsetjmp(out, 1) == 0) {
            struct itimerval timer = {{0, 0}, {0, 500 + i * 7}};
            setitimer(ITIMER_REAL, &timer, 0);
            for (int n = 0;; n++)
                probed(n);
        } else {
            jumps++;
        }
    MPI_Allreduce((void *)&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Finalize() || jumps != 100;
}
END_OF_C
refrain-mpicc --detail=every -O1 -w jumps.c -o jumps || fail "compile jumps"
REFRAIN_THROTTLE=off traced 1 ./jumps
[ $status = 0 ] && pass || fail "jumps: status $status, $(head -n 1 err)"
# The abandoned probe may have updated only one of the two.
refrain events "$trace" | cut -f 3- >recorded && refrain reconstruct "$trace" --format text -o - | cut -f 3- >replayed || fail "jumps: cannot be read"
[ "$(wc -l <recorded)" -gt 10 ] && [ "$(diff recorded replayed | grep -c '^[<>]')" -le 1 ] && pass ||
    fail "jumps: $(wc -l <recorded) events, $(diff recorded replayed | grep -c '^[<>]') of them differ"
says 'lost .* probes that a signal handler ran inside another, or after it jumped out of one' refrain info --verbose "$trace"

# A source file has one name, whether a call's line is from tables or from debug information.
refrain-mpicc -O1 -w -g dozen.c -o dozen-g || fail "compile dozen-g"
for mode in both events; do
    REFRAIN_MODE=$mode traced 1 ./dozen-g
    refrain events "$trace" >lines
    files=$(awk -F '\t' '$3 == "enter" { print $5 }' lines | sort -u | tr '\n' ' ')
    [ "$files" = "file=dozen.c " ] && pass || fail "names of a source file, $mode: $files"
done

# Requests under way: 2,000 with 1M, 20,000 with the default.
cat >requests.c <<'END_OF_C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]) / 2;
    MPI_Request *request = malloc(2 * n * sizeof *request);
    char *in = malloc(n), *out = calloc(n, 1);
    MPI_Init(&argc, &argv);
    for (int i = 0; i < n; i++)
        MPI_Irecv(in + i, 1, MPI_CHAR, 0, i % 7, MPI_COMM_SELF, &request[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend(out + i, 1, MPI_CHAR, 0, i % 7, MPI_COMM_SELF, &request[n + i]);
    MPI_Waitall(2 * n, request, MPI_STATUSES_IGNORE);
    return MPI_Finalize();
}
END_OF_C
refrain-mpicc -O1 -w requests.c -o requests || fail "compile requests"
for run in 1M,2000 16M,20000; do
    REFRAIN_TOTAL_MEMORY=${run%,*} traced 1 ./requests "${run#*,}"
    exact "$trace" "${run#*,} requests"
    says 'nothing was lost' refrain info --verbose "$trace"
done

# Calls at the end stay jumps in small functions that make no MPI call themselves: a hundred million in a row need no stack.
cat >tail.c <<'END_OF_C'
#include <mpi.h>
#include <stdlib.h>
static int odd(long n);
static int even(long n) {
    return n == 0 ? 1 : odd(n - 1);
}
static int odd(long n) {
    return n == 0 ? 0 : even(n - 1);
}
int main(int argc, char **argv) {
    int is_even;
    MPI_Init(&argc, &argv);
    is_even = even(atol(argv[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize() || !is_even;
}
END_OF_C
refrain-mpicc -O2 -w tail.c -o tail || fail "compile tail"
traced 1 ./tail 100000000
[ $status = 0 ] && pass || fail "calls at the end: status $status"
exact "$trace" "calls at the end"

# A collective with an invalid root fails: nothing is received.
cat >root.c <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
    int value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(&value, 1, MPI_INT, 77, MPI_COMM_WORLD);
    MPI_Reduce(&value, 0, 1, MPI_INT, MPI_SUM, 99, MPI_COMM_WORLD);
    return MPI_Finalize();
}
END_OF_C
refrain-mpicc -O1 -w root.c -o root || fail "compile root"
traced 2 ./root
exact "$trace" "a wrong root"
refrain events "$trace" | grep collective >lines
[ "$(wc -l <lines)" = 4 ] && [ "$(grep -c 'sent=0	received=0	' lines)" = 4 ] && pass || fail "a wrong root: $(head -n 2 lines)"

# Branches that mostly stay the same, or alternate: when the memory is full, each event is replayed as often as it occurred,
# and the order is similar to that of the run (0.76 of the events; 0.64 if only the counts of the outcomes were known).
refrain-mpicc -O1 -w "$tests/programs/sticky.c" -o sticky || fail "compile sticky"
REFRAIN_TOTAL_MEMORY=266K REFRAIN_THROTTLE=off traced 1 ./sticky 1 10000
refrain reconstruct "$trace" --format text -o - 2>/dev/null | cut -f 3- | sed 's/	approximate$//' >replayed
refrain events "$trace" | cut -f 3- >recorded
sort replayed >replayed-events
sort recorded | cmp -s - replayed-events && pass || fail "sticky branches: other events"
diff --speed-large-files recorded replayed | awk -v n="$(wc -l <recorded)" '/^</ { gone++ } END { exit n == 0 || gone > 0.3 * n }' && pass ||
    fail "sticky branches: $(diff --speed-large-files recorded replayed | grep -c '^<') of $(wc -l <recorded) events are elsewhere"

# A trace file that there was no room to pack has holes: its length, and its size on disk.
REFRAIN_TOTAL_MEMORY=728K traced 1 ./dozen
refrain info --verbose "$trace" >info
stat -c '%s %b' "$trace/rank-0.trace" | {
    read -r length blocks
    [ $((blocks * 512)) -ge "$length" ] || grep -q "file $(kib "$length") ($(kib $((blocks * 512))) on disk)$" info
} && grep -q '^trace size .* in 1 file' info && pass || fail "holes: $(stat -c '%s %b' "$trace/rank-0.trace"), $(grep ' file' info)"
summary
