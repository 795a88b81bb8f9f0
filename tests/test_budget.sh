#!/bin/sh
# A random program ends within its limits of memory and disk. Events beyond the memory are counted and marked approximate,
# and their replay has the right totals.
set -u
. "$(dirname "$0")/lib.sh"

source=$tests/programs/random.c
mpicc.mpich -O1 -w "$source" -o "$work/plain" || fail "compile"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$source" -o "$work/traced" || fail "compile"


for memory in 3M 4M 8M; do
    limit=$((${memory%M} * 1024))
    mkdir "$work/run"
    export REFRAIN_TOTAL_MEMORY=$memory REFRAIN_DIRECTORY="$work/run"
    plain=$(mpiexec.mpich -n 1 "$work/plain" 300000)
    traced=$(mpiexec.mpich -n 1 "$work/traced" 300000)
    [ "$plain" = "$traced" ] && pass || fail "$memory: printed $traced, untraced $plain"
    bytes=$(du -s --block-size=1K "$work"/run/*.refrain | cut -f 1)
    [ "$bytes" -le "$limit" ] && pass || fail "$memory: $bytes KiB on disk"
    trace=$(the_trace "$work/run")
    check "$memory: info" refrain info --verbose "$trace"
    check "$memory: reconstruct" refrain reconstruct "$trace" --format text -o "$work/text" --force
    # Totals: the number of messages is that of the run, whether or not each is exact.
    sends=$(awk -F '\t' '$3 == "send"' "$work/text" | wc -l)
    marked=$(grep -c 'approximate$' "$work/text")
    echo "$memory: $sends messages of ${traced%% *}, $marked lines marked approximate"
    [ "$sends" = "${traced%% *}" ] && pass || fail "$memory: $sends messages reconstructed of ${traced%% *}"
    lost=$(refrain info --verbose "$trace" | grep -c "nothing was lost")
    if [ "$lost" = 1 ]; then
        [ "$marked" = 0 ] && pass || fail "$memory: nothing was lost, but $marked lines are marked"
    else
        [ "$marked" -gt 0 ] && pass || fail "$memory: something was lost, but no line is marked"
    fi
    rm -rf "$work/run"
done
unset REFRAIN_TOTAL_MEMORY REFRAIN_DIRECTORY

# A phase of chance that spends the memory does not cost the phase of rule after it.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/late.c" -o "$work/late" || fail "compile late"
mkdir "$work/run"
REFRAIN_TOTAL_MEMORY=540K REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=$work/run mpiexec.mpich -n 1 "$work/late" 600000 ||
    fail "late: status $?"
trace=$(the_trace "$work/run")
refrain formulas "$trace" >"$work/formulas"
grep -q 'main .* summary' "$work/formulas" && pass || fail "late: the memory was not spent: $(refrain info --verbose "$trace" | grep lost)"
late=$(grep -c ' regular .* 100.00 %' "$work/formulas")
[ "$late" -ge 18 ] && ! grep -q ' regular .* summary' "$work/formulas" && pass ||
    fail "late: what came after the memory was spent is not learned: $(grep -m 1 ' regular .* summary' "$work/formulas")"
rm -rf "$work/run"

# A quarter of a megabyte suffices to trace a plain MPI program: all is learned, and the reconstruction equals the
# recording.
cat >"$work/plain.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, sum, value[2] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 200; i++) {
        MPI_Request requests[2];
        MPI_Irecv(&value[0], 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&value[1], 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (i % 10 == 0)
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$work/plain.c" -o "$work/plain" || fail "compile plain"
mkdir "$work/run"
said=$(REFRAIN_TOTAL_MEMORY=256K refrain size "$work/plain" --json | tr -d ' ",' | sed -n 's/^total_bytes://p')
REFRAIN_TOTAL_MEMORY=256K REFRAIN_MODE=both REFRAIN_DIRECTORY="$work/run" launch mpich 2 "$work/plain" || fail "256K: status $?"
trace=$(the_trace "$work/run")
exact "$trace" "256K"
[ "$(refrain info --verbose "$trace" | grep -c "nothing was lost")" = 2 ] && pass || fail "256K: something was lost"
bytes=$(cat "$trace/rank-0.trace" | wc -c)
[ "$bytes" = "$said" ] && pass || fail "256K: $bytes bytes, refrain size said $said"
rm -rf "$work/run"

# Sixty-four threads have their tables in the memory that one has by default.
cat >"$work/many.c" <<'END'
#include <omp.h>
#include <stdio.h>
static double sums[64];
static double step(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += i % 3 ? i : -i;
    return sum;
}
int main(void) {
    for (int round = 0; round < 5; round++)
#pragma omp parallel num_threads(64)
        sums[omp_get_thread_num()] += step(100 + omp_get_thread_num());
    printf("%.0f\n", sums[63]);
    return 0;
}
END
REFRAIN_WRAPPER=on refrain-cc --detail=every gcc -O1 -w -fopenmp "$work/many.c" -o "$work/many" || fail "compile many"
mkdir "$work/run"
OMP_NUM_THREADS=64 REFRAIN_DIRECTORY="$work/run" "$work/many" >/dev/null || fail "64 threads: status $?"
refrain info --verbose "$(the_trace "$work/run")" >"$work/info"
grep -q "threads *64 of 64" "$work/info" && grep -q "nothing was lost" "$work/info" && pass || fail "64 threads: $(cat "$work/info")"
rm -rf "$work/run"

# Threads that never start use no memory: a program with a thousand places needs the same for 1 and for 64 threads.
{
    echo '#include <stdio.h>'
    echo '#include <string.h>'
    echo 'static volatile int sum;'
    for i in $(seq 150); do
        echo "static void step$i(int n) { if (n > $i) sum++; else sum--; }"
    done
    echo 'int main(void) {'
    for i in $(seq 150); do
        echo "    step$i((int)sizeof sum);"
    done
    cat <<'END'
    char line[512];
    long kib, all = 0, of_trace = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, " kB"))
            of_trace = strstr(line, ".trace") != NULL;
        if (sscanf(line, of_trace ? "Rss: %ld" : "Anonymous: %ld", &kib) == 1)
            all += kib;
    }
    printf("%ld\n", all);
    return 0;
}
END
} >"$work/pages.c"
REFRAIN_WRAPPER=on refrain-cc --detail=every gcc -O1 -w "$work/pages.c" -o "$work/pages" || fail "compile pages"
mkdir "$work/run"
one=$(REFRAIN_THREADS=1 REFRAIN_DIRECTORY=$work/run "$work/pages")
many=$(REFRAIN_THREADS=64 REFRAIN_DIRECTORY=$work/run "$work/pages")
echo "in memory: $one KiB for 1 thread, $many KiB for 64"
[ "$one" -gt 0 ] && [ $((many - one)) -le 128 ] && pass || fail "$many KiB in memory for 64 threads, $one for 1"
rm -rf "$work/run"

# Recorded events have a limit if one is set. Calls that find nothing then take no room, and events beyond the limit are
# counted.
cat >"$work/polls.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int flag, out = 1, in = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 4; round++) {
        MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
        for (int i = 0; i < 70000; i++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$work/polls.c" -o "$work/polls" || fail "compile polls"
for calls in 0 20000; do
    mkdir "$work/run"
    REFRAIN_MODE=both REFRAIN_EVENT_MEMORY=1M REFRAIN_DIRECTORY=$work/run mpiexec.mpich -n 1 "$work/polls" $calls ||
        fail "$calls calls with a limit: status $?"
    trace=$(the_trace "$work/run")
    bytes=$(stat -c %s "$trace/rank-0.events")
    [ "$bytes" -le 1048576 ] && pass || fail "$calls calls: $bytes bytes of recorded events"
    lost=$(refrain info --verbose "$trace" | grep -c 'recorded events that could not be written')
    if [ $calls = 0 ]; then
        [ "$lost" = 0 ] && pass || fail "polls: $(refrain info --verbose "$trace" | grep lost)"
        refrain events "$trace" | cut -f 1,3- >"$work/recorded"
        refrain reconstruct "$trace" --format text -o - | cut -f 1,3- >"$work/replayed"
        [ "$(grep -c 'enter	MPI_Test' "$work/recorded")" = 280000 ] && cmp -s "$work/recorded" "$work/replayed" && pass ||
            fail "polls: recorded $(wc -l <"$work/recorded"), replayed $(wc -l <"$work/replayed")"
        refrain events "$trace" | awk -F '\t' '$2 < last { exit 1 } { last = $2 }' && pass || fail "polls: times go back"
    else
        [ "$lost" = 1 ] && pass || fail "$calls calls: what goes beyond the limit is not said"
    fi
    rm -rf "$work/run"
done

# 64 threads are traced in the default memory, with a deep recursion in one of them.
cat >"$work/threads.c" <<'END'
#include <mpi.h>
#include <pthread.h>
static volatile int sum;
__attribute__((noinline)) static void down(int depth) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (depth > 0)
        down(depth - 1);
    sum += rank;
}
static void *work(void *depth) {
    down((int)(long)depth);
    return depth;
}
int main(int argc, char **argv) {
    pthread_t threads[63];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 63; i++)
        pthread_create(&threads[i], NULL, work, (void *)10L);
    for (int i = 0; i < 63; i++)
        pthread_join(threads[i], NULL);
    work((void *)(long)(argc > 1 ? 20000 : 12000));
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O0 -w "$work/threads.c" -o "$work/threads" -lpthread || fail "compile threads"
for arguments in "" deeper; do
    mkdir "$work/run"
    # No probe is throttled: disabled ones would not fill the shadow stack.
    # shellcheck disable=SC2086 # none or one
    REFRAIN_THROTTLE=off REFRAIN_MODE=both REFRAIN_THREADS=64 REFRAIN_DIRECTORY=$work/run "$work/threads" $arguments || fail "threads: status $?"
    refrain info --verbose "$(the_trace "$work/run")" >"$work/info"
    if [ -z "$arguments" ]; then
        exact "$(the_trace "$work/run")" "64 threads"
        grep -q "nothing was lost" "$work/info" && pass || fail "64 threads: $(grep -i -A 3 lost "$work/info")"
    else
        grep -q "nested too deeply" "$work/info" && pass || fail "deeper than the shadow stack, and nothing is said"
    fi
    rm -rf "$work/run"
done

# With little memory for learning, hardly any memory may be unused while values are lost. All calls must be at their own
# call sites: of 100, half are reached first, and half last, after calls with random values.
{
    echo '#include <mpi.h>'
    echo '#include <stdint.h>'
    echo 'static uint64_t seed = 1;'
    echo 'static int chance(int below) { seed = seed * 6364136223846793005u + 1442695040888963407u; return (seed >> 33) % below; }'
    echo 'static char to[64], from[64];'
    for phase in first last; do
        echo "static void $phase(void) {"
        seq 1 50 | sed 's/.*/MPI_Sendrecv(to, &, MPI_CHAR, 0, 1, from, 64, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);/'
        echo '}'
    done
    echo 'int main(int c, char **v) {'
    echo 'MPI_Init(&c, &v);'
    echo 'first();'
    echo 'for (int i = 0; i < 20000; i++)'
    echo 'if (chance(2))'
    echo 'MPI_Sendrecv(to, chance(64), MPI_CHAR, 0, chance(30), from, 64, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);'
    echo 'else'
    echo 'MPI_Allreduce(to, from, 1 + chance(60), MPI_CHAR, MPI_MAX, MPI_COMM_SELF);'
    echo 'last();'
    echo 'MPI_Finalize();'
    echo '}'
} >"$work/little.c"
mpicc.mpich -O1 -w "$work/little.c" -o "$work/little" || fail "compile little"
# number NAME: in the JSON of `refrain info`.
number() {
    tr -d ' ,' <"$work/json" | sed -n "s/^\"$1\"://p" | head -n 1
}
for memory in 300K 320K; do
    rm -rf "$work/little.run"
    refrain record -q --no-report --memory $memory --directory "$work/little.run" "$work/little" || fail "little: status $?"
    refrain info --json "$(the_trace "$work/little.run")" >"$work/json"
    unused=$(($(number bytes) - $(number pool_used_bytes)))
    [ "$(number summary_values)" -gt 0 ] && [ $((10 * unused)) -le "$(number bytes)" ] && pass ||
        fail "$memory: $unused of $(number bytes) bytes unused"
    [ "$(number stopped)" = false ] && ! grep -q '"calls"\|"sites"' "$work/json" && pass ||
        fail "$memory: $(grep '"stopped"\|"calls"\|"sites"' "$work/json")"
done

# Resident memory that the monitor adds: the peak of a traced run minus that of an untraced one.
cat >"$work/peak.c" <<'END'
#include <stdio.h>
#include <sys/resource.h>
static __attribute__((destructor)) void report(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "peak %ld\n", usage.ru_maxrss);
}
END
gcc -shared -fPIC "$work/peak.c" -o "$work/peak.so" || fail "compile"
resident() {
    mpiexec.mpich -n 1 -genv LD_PRELOAD "$work/peak.so" "$@" 2>&1 >/dev/null | sed -n 's/^peak //p'
}
mkdir "$work/run"
export REFRAIN_DIRECTORY="$work/run"
untraced=$(resident "$work/plain" 300000)
for memory in 2M 4M 8M; do
    traced=$(REFRAIN_TOTAL_MEMORY=$memory resident "$work/traced" 300000)
    added=$((traced - untraced))
    echo "REFRAIN_TOTAL_MEMORY=$memory: $added KiB resident memory added"
    [ "$added" -le $((${memory%M} * 1024)) ] && pass || fail "$memory: $added KiB added"
done
summary
