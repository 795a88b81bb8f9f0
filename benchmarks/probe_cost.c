/* probe_cost.c: measures the time of a probe, a learner step and an MPI wrapper, beside a read of the TSC and an empty
 * call.
 *
 *     cc -O2 -I include -I monitor -I instrumentor benchmarks/probe_cost.c -o probe_cost -L LIB -Wl,--no-as-needed \
 *         -lrefrain -Wl,-rpath,LIB
 *     mpicc -DPROBE_COST_MPI ... -lrefrain-mpich -lrefrain         with the MPI wrappers, too
 *     REFRAIN_DIRECTORY=/tmp ./probe_cost [operations per sample] [samples]
 *
 * The probes have the text of instrumented files, and are optimised in the same way. Each case is a loop of operations.
 * The cases are measured alternately, so that a slow moment of the machine affects all of them. It prints nanoseconds
 * an operation, less those of an empty loop: minimum, median, distance between the quartiles, and the median relative
 * to that of a read of the TSC. Throttling is off unless REFRAIN_THROTTLE is set, so that function probes show their
 * whole cost. */
#define _GNU_SOURCE
#include "inserted/declarations.h"

#include "learn.h"
#include <refrain/unit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef PROBE_COST_MPI
#include <mpi.h>
#endif

#define OPERATIONS 100000L
#define SAMPLES 21
#define MOST_SAMPLES 1000
#define LOOP_LENGTH 10

/* The tables that the instrumentor would have written for this file. */
enum slot {
    SLOT_MEASURED = 0, /* functions: 2 slots each */
    SLOT_CALLEE = 2,
    SLOT_IF_SAME = 4, /* decisions and loops: 3 */
    SLOT_IF_CYCLE = 7,
    SLOT_IF_RANDOM = 10,
    SLOT_LOOP = 13,
    SLOT_CALL = 16, /* calls: 2 */
    SLOTS = 18
};
static const char strings[] = "\0probe_cost.c\0measured\0callee";
enum { STRING_FILE = 1, STRING_MEASURED = 14, STRING_CALLEE = 23 };
#define NODE(kind, parent, slot, name)                                                                                 \
    { kind, parent, slot, __LINE__, 1, name, STRING_FILE }
static const struct refrain_node nodes[] = {
    NODE(REFRAIN_UNIT, 0, REFRAIN_NO_SLOT, STRING_FILE),
    NODE(REFRAIN_FUNCTION, 0, SLOT_MEASURED, STRING_MEASURED),
    NODE(REFRAIN_FUNCTION, 0, SLOT_CALLEE, STRING_CALLEE),
    NODE(REFRAIN_IF, 1, SLOT_IF_SAME, 0),
    NODE(REFRAIN_IF, 1, SLOT_IF_CYCLE, 0),
    NODE(REFRAIN_IF, 1, SLOT_IF_RANDOM, 0),
    NODE(REFRAIN_FOR, 1, SLOT_LOOP, 0),
    NODE(REFRAIN_CALL, 1, SLOT_CALL, STRING_CALLEE),
};
static struct {
    struct refrain_unit unit;
    unsigned char on[SLOTS];
} refrain__u;
static const unsigned char base[SLOTS] = {
    [SLOT_MEASURED] = 1,  [SLOT_CALLEE] = 1, [SLOT_IF_SAME] = 1, [SLOT_IF_CYCLE] = 1,
    [SLOT_IF_RANDOM] = 1, [SLOT_LOOP] = 1,   [SLOT_CALL] = 1};
static struct refrain__units units = {.version = REFRAIN_UNIT_VERSION,
                                      .sites = refrain__first_site,
                                      .sites_end = refrain__last_site,
                                      .unit = &refrain__u};
/* The unit is in no list of the linker's, which its probes would keep it in. */
#define REFRAIN__KEEP_UNIT
#include "inserted/sites.h"

#include "inserted/calls.h"

static inline void leave_SLOT_CALLEE(refrain__frame *frame) {
    refrain__leave(frame, SLOT_CALLEE + 1);
}

static inline void leave_SLOT_MEASURED(refrain__frame *frame) {
    refrain__leave(frame, SLOT_MEASURED + 1);
}

/* These functions have sites without being entered. */
#if defined(__x86_64__)
#define MAY_CALL() refrain__may_call()
#else
#define MAY_CALL() ((void)0)
#endif

/* The learner's step is inline; its rare part is the library's own. Here every value is as predicted. */
void refrain_learn_other(struct refrain_context *context, struct refrain_learner *learner, int64_t value,
                         enum refrain_learner_kind kind) {
    (void)context, (void)learner, (void)kind;
    fprintf(stderr, "probe_cost: the learner did not predict %lld\n", (long long)value);
    abort();
}

static volatile uint64_t sink;

#define HIDE(x) __asm__ volatile("" : "+r"(x))

static void empty_loop(refrain__frame *frame, long n) {
    (void)frame;
    for (long i = 0; i < n; i++)
        HIDE(i);
}

static __attribute__((noinline)) void nothing(void) {
    __asm__ volatile("");
}

static void empty_call(refrain__frame *frame, long n) {
    (void)frame;
    for (long i = 0; i < n; i++) {
        HIDE(i);
        nothing();
    }
}

static void tsc_read(refrain__frame *frame, long n) {
    (void)frame;
    for (long i = 0; i < n; i++) {
        HIDE(i);
#if defined(__x86_64__)
        sink = __builtin_ia32_rdtsc();
#endif
    }
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void clock_read(refrain__frame *frame, long n) {
    (void)frame;
    for (long i = 0; i < n; i++) {
        HIDE(i);
        sink = now_ns();
    }
}

static void learner_step(refrain__frame *frame, long n) {
    static struct refrain_learner learner = {.stride = 1, .until = UINT64_MAX, .state = REFRAIN_PREDICT};
    struct refrain_learner *hidden = &learner;
    int64_t value = learner.expect;
    (void)frame;
    for (long i = 0; i < n; i++) {
        __asm__ volatile("" : "+r"(hidden), "+r"(value) : : "memory"); /* the learner stays in memory, as in a slot */
        refrain_learn(NULL, hidden, value++, REFRAIN_KIND_CONTROL);
    }
}

static void probe_at(refrain__frame *frame, long n) {
    MAY_CALL();
    for (long i = 0; i < n; i++)
        refrain__at(frame, SLOT_CALL);
}

static void probe_if_same(refrain__frame *frame, long n) {
    MAY_CALL();
    for (long i = 0; i < n; i++)
        sink = (uint64_t)refrain__if(frame, SLOT_IF_SAME, 1);
}

static void probe_if_cycle(refrain__frame *frame, long n) {
    MAY_CALL();
    static long turn;
    for (long i = 0; i < n; i++)
        sink = (uint64_t)refrain__if(frame, SLOT_IF_CYCLE, ++turn % 4 == 0);
}

static void probe_if_random(refrain__frame *frame, long n) {
    MAY_CALL();
    static uint64_t random = 1;
    for (long i = 0; i < n; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sink = (uint64_t)refrain__if(frame, SLOT_IF_RANDOM, random >> 63);
    }
}

/* One operation is one evaluation of the condition; every LOOP_LENGTH-th leaves the loop. */
static void probe_loop(refrain__frame *frame, long n) {
    MAY_CALL();
    for (long i = 0; i < n; i++)
        sink = (uint64_t)refrain__loop(frame, SLOT_LOOP, i % LOOP_LENGTH != LOOP_LENGTH - 1);
}

static __attribute__((noinline)) void callee(void) {
    refrain__frame frame __attribute__((__cleanup__(leave_SLOT_CALLEE)));
    refrain__enter(&frame, SLOT_CALLEE);
}

static void probe_function(refrain__frame *frame, long n) {
    (void)frame;
    for (long i = 0; i < n; i++)
        callee();
}

#ifdef PROBE_COST_MPI
static void send_bare(refrain__frame *frame, long n) {
    (void)frame;
    for (long i = 0; i < n; i++)
        PMPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void send_wrapped(refrain__frame *frame, long n) {
    (void)frame;
    for (long i = 0; i < n; i++)
        MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}
#endif

static struct {
    const char *name;
    void (*run)(refrain__frame *, long);
    double ns[MOST_SAMPLES];
} cases[] = {
    {"empty loop", empty_loop, {0}},
    {"TSC read", tsc_read, {0}},
    {"clock_gettime", clock_read, {0}},
    {"empty call", empty_call, {0}},
    {"learner step, as predicted", learner_step, {0}},
    {"probe: call site", probe_at, {0}},
    {"probe: if, always the same", probe_if_same, {0}},
    {"probe: if, one in four", probe_if_cycle, {0}},
    {"probe: loop of ten", probe_loop, {0}},
    {"probe: function, enter and leave", probe_function, {0}},
#ifdef PROBE_COST_MPI
    {"PMPI_Send to nobody", send_bare, {0}},
    {"MPI_Send to nobody, wrapped", send_wrapped, {0}},
#endif
    {"probe: if, random", probe_if_random, {0}}, /* last: it uses up the pool */
};
#define CASES ((int)(sizeof cases / sizeof *cases))
enum { CASE_EMPTY, CASE_TSC };

static void take_samples(long operations, int samples) {
    refrain__frame frame __attribute__((__cleanup__(leave_SLOT_MEASURED)));
    refrain__enter(&frame, SLOT_MEASURED);
    for (int c = 0; c < CASES - 1; c++)
        cases[c].run(&frame, operations);
    for (int sample = 0; sample < samples; sample++)
        for (int c = 0; c < CASES - 1; c++) {
            uint64_t begin = now_ns();
            cases[c].run(&frame, operations);
            cases[c].ns[sample] = (double)(now_ns() - begin) / (double)operations;
        }
    for (int sample = 0; sample < samples; sample++) {
        uint64_t begin = now_ns();
        cases[CASES - 1].run(&frame, operations);
        cases[CASES - 1].ns[sample] = (double)(now_ns() - begin) / (double)operations;
    }
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_machine(long operations, int samples) {
    char line[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "model name", 10) != 0)
        ;
    if (file)
        fclose(file);
    char *model = strchr(line, ':');
    const char *mode = getenv("REFRAIN_MODE");
    printf("machine: %s", model ? model + 2 : "unknown\n");
    printf("mode %s, throttling %s, %d samples of %ld operations\n", mode ? mode : "stat", getenv("REFRAIN_THROTTLE"),
           samples, operations);
}

static void print_cases(int samples) {
    for (int c = 0; c < CASES; c++)
        qsort(cases[c].ns, (size_t)samples, sizeof(double), compare);
    double empty = cases[CASE_EMPTY].ns[samples / 2], tsc = cases[CASE_TSC].ns[samples / 2] - empty;
    printf("%-34s %9s %9s %9s %11s\n", "ns an operation", "least", "median", "quartiles", "of TSC read");
    for (int c = 0; c < CASES; c++) {
        const double *ns = cases[c].ns;
        double base = c == CASE_EMPTY ? 0 : empty, median = ns[samples / 2] - base;
        printf("%-34s %9.2f %9.2f %9.2f %11.2f\n", cases[c].name, ns[0] - base, median,
               ns[samples * 3 / 4] - ns[samples / 4], tsc > 0 ? median / tsc : 0.0);
    }
}

int main(int argc, char **argv) {
    long operations = argc > 1 ? strtol(argv[1], NULL, 10) : OPERATIONS;
    long samples = argc > 2 ? strtol(argv[2], NULL, 10) : SAMPLES;
    if (operations < 1 || samples < 1 || samples > MOST_SAMPLES || argc > 3) {
        fprintf(stderr, "usage: probe_cost [operations per sample] [samples, at most %d]\n", MOST_SAMPLES);
        return 2;
    }
    setenv("REFRAIN_THROTTLE", "off", 0);
    memset(refrain__u.on, 1, sizeof refrain__u.on);
    refrain__u.unit = (struct refrain_unit){.n_nodes = sizeof nodes / sizeof *nodes,
                                            .n_slots = SLOTS,
                                            .strings_bytes = sizeof strings,
                                            .nodes = nodes,
                                            .strings = strings,
                                            .on = refrain__u.on,
                                            .base = base};
    refrain__do_register(&units);
#ifdef PROBE_COST_MPI
    MPI_Init(&argc, &argv);
#endif
    take_samples(operations, (int)samples);
    print_machine(operations, (int)samples);
    print_cases((int)samples);
#ifdef PROBE_COST_MPI
    MPI_Finalize();
#endif
    refrain__do_unregister(&units);
    return 0;
}
