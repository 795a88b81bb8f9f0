/* workload.c: command line, set-up and result line of all workloads. */
#include "workload.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define MAXIMUM_ITERATIONS 10000000L
#define MAXIMUM_LAPS 4096

/* When each lap ended, after the start at [0]; what comes after the last that fits is part of that one. */
static struct timespec laps[MAXIMUM_LAPS + 1];
static int n_laps;

static void quit(int status) {
    MPI_Finalize();
    exit(status);
}

static void print_help(const struct workload *w) {
    static const char *const ranks[] = {
        [WORKLOAD_ANY] = "1 to 1024",
        [WORKLOAD_SQUARE] = "squares from 1 to 1024",
        [WORKLOAD_POWER_OF_TWO] = "powers of two from 1 to 1024",
    };
    const struct workload_spec *s = w->spec;
    printf("%s: %s\n", s->name, s->purpose);
    printf("  --size N        %s, %ld to %ld (default %ld)\n", s->size_meaning, s->size_minimum, s->size_maximum,
           s->size);
    printf("  --iterations N  %s (default %ld)\n", s->iteration_meaning, s->iterations);
    printf("  --time          also print seconds, peak memory and a figure of the result\n");
    printf("  --laps          also print the nanoseconds that each piece of the work took rank 0\n");
    printf("  --help          print this\n");
    printf("ranks: %s\n", ranks[s->ranks]);
}

static long read_number(const struct workload *w, const char *option, const char *text, long lowest, long highest) {
    char *end = NULL;
    errno = 0;
    long n = text ? strtol(text, &end, 10) : 0;
    workload_require(w, text && end != text && *end == 0 && errno == 0 && n >= lowest && n <= highest,
                     "%s %s: give a whole number from %ld to %ld", option, text ? text : "(nothing)", lowest, highest);
    return n;
}

static bool ranks_allowed(enum workload_ranks kind, int ranks) {
    switch (kind) {
    case WORKLOAD_SQUARE: {
        int root = (int)lround(sqrt(ranks));
        return root * root == ranks;
    }
    case WORKLOAD_POWER_OF_TWO:
        return (ranks & (ranks - 1)) == 0;
    default:
        return true;
    }
}

void workload_begin(struct workload *w, const struct workload_spec *spec, int *argc, char ***argv) {
    int level = MPI_THREAD_SINGLE;
    if (spec->thread_level)
        MPI_Init_thread(argc, argv, spec->thread_level, &level);
    else
        MPI_Init(argc, argv);
    *w = (struct workload){.spec = spec, .size = spec->size, .iterations = spec->iterations};
    MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w->ranks);
    for (int i = 1; i < *argc; i++) {
        const char *option = (*argv)[i];
        if (strcmp(option, "--help") == 0) {
            if (w->rank == 0)
                print_help(w);
            quit(0);
        } else if (strcmp(option, "--size") == 0) {
            w->size = read_number(w, option, (*argv)[++i], spec->size_minimum, spec->size_maximum);
        } else if (strcmp(option, "--iterations") == 0) {
            w->iterations = read_number(w, option, (*argv)[++i], 1, MAXIMUM_ITERATIONS);
        } else if (strcmp(option, "--time") == 0) {
            w->report = true;
        } else if (strcmp(option, "--laps") == 0) {
            w->report_laps = true;
        } else {
            workload_require(w, false, "unknown option %s: see --help", option);
        }
    }
    workload_require(w, w->ranks <= WORKLOAD_MAXIMUM_RANKS, "%d ranks are too many: at most %d", w->ranks,
                     WORKLOAD_MAXIMUM_RANKS);
    workload_require(w, ranks_allowed(spec->ranks, w->ranks), "cannot run on %d ranks: the number must be a %s",
                     w->ranks, spec->ranks == WORKLOAD_SQUARE ? "square" : "power of two");
    workload_require(w, level >= spec->thread_level, "the MPI library does not give the thread level it needs");
    workload_start(w);
}

void workload_require(const struct workload *w, bool condition, const char *format, ...) {
    if (condition)
        return;
    if (w->rank == 0) {
        va_list arguments;
        va_start(arguments, format);
        fprintf(stderr, "%s: ", w->spec->name);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
        va_end(arguments);
    }
    quit(2);
}

void workload_start(struct workload *w) {
    MPI_Barrier(MPI_COMM_WORLD);
    w->started = MPI_Wtime();
    n_laps = 0;
    clock_gettime(CLOCK_MONOTONIC, &laps[0]);
}

void workload_lap(void) {
    if (n_laps < MAXIMUM_LAPS)
        n_laps++;
    clock_gettime(CLOCK_MONOTONIC, &laps[n_laps]);
}

static void print_laps(const struct workload *w) {
    printf("%s laps", w->spec->name);
    for (int i = 1; i <= n_laps; i++)
        printf(" %lld", (laps[i].tv_sec - laps[i - 1].tv_sec) * 1000000000LL + (laps[i].tv_nsec - laps[i - 1].tv_nsec));
    printf("\n");
}

int workload_end(struct workload *w, bool verified, double check) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double used[] = {MPI_Wtime() - w->started, (double)usage.ru_maxrss * 1024}, most[2] = {0};
    int mine = verified, all = 0;
    MPI_Reduce(used, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (w->rank == 0) {
        printf("%s ranks=%d size=%ld iterations=%ld %s\n", w->spec->name, w->ranks, w->size, w->iterations,
               all ? "VERIFIED" : "FAILED");
        if (w->report)
            printf("%s seconds=%.6f resident=%.0f check=%.12e\n", w->spec->name, most[0], most[1], check);
        if (w->report_laps)
            print_laps(w);
        fflush(stdout);
    }
    MPI_Finalize();
    return all ? 0 : 1;
}

bool workload_close(double value, double expected, double tolerance) {
    return fabs(value - expected) <= tolerance * fabs(expected);
}

void *workload_new(size_t count, size_t bytes) {
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory) {
        fprintf(stderr, "out of memory: %zu times %zu bytes; take a smaller --size\n", count, bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}
