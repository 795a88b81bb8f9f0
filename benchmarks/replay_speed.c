/* replay_speed.c: how fast the reading library gives events, and goes to any time: replay_speed TRACE
 * [CHECKPOINT-MBYTES].
 *
 * Processor time. Recorded events, where the trace has them, are what a plain read costs. Seeks are to times by chance,
 * after a pass in which the checkpoints are made, and read a thousand events. */
#define _GNU_SOURCE
#include <refrain/read.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define SEEKS 20
#define EVENTS_A_SEEK 1000

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void stop(const struct refrain_error *error) {
    fprintf(stderr, "replay_speed: %s\n", error->message);
    exit(1);
}

/* All events; returns the time of the last. */
static int64_t pass(struct refrain_cursor *cursor, const char *what) {
    const struct refrain_trace_event *event;
    double begin = now();
    unsigned long n = 0;
    int64_t last_ns = 0;
    for (; (event = refrain_cursor_next(cursor)); n++)
        last_ns = event->time_ns;
    double seconds = now() - begin;
    printf("%s: %lu events, %.2f s, %.1f million a second\n", what, n, seconds, (double)n / seconds / 1e6);
    return last_ns;
}

static void seek(struct refrain_cursor *cursor, int64_t last_ns) {
    struct refrain_error error = {0};
    double sum = 0, worst = 0;
    srandom(1);
    for (unsigned i = 0; i < SEEKS; i++) {
        double begin = now();
        if (refrain_cursor_seek(cursor, (int64_t)((double)last_ns * (double)random() / (double)RAND_MAX), &error))
            stop(&error);
        for (unsigned n = 0; n < EVENTS_A_SEEK && refrain_cursor_next(cursor); n++)
            ;
        double seconds = now() - begin;
        sum += seconds;
        worst = seconds > worst ? seconds : worst;
    }
    printf("a window anywhere: %.3f s, at most %.3f s\n", sum / SEEKS, worst);
}

int main(int argc, char **argv) {
    struct refrain_trace *trace;
    struct refrain_cursor *cursor;
    struct refrain_error error = {0};
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    size_t n;
    if (argc < 2)
        return fprintf(stderr, "usage: replay_speed TRACE [CHECKPOINT-MBYTES]\n"), 2;
    if (refrain_trace_open(argv[1], false, &trace, &error))
        stop(&error);
    if (refrain_cursor_open(trace, &options, &cursor, &error))
        stop(&error);
    pass(cursor, "replay");
    if (refrain_cursor_close(cursor, &error))
        stop(&error);
    options.checkpoint_bytes = (size_t)(argc > 2 ? atol(argv[2]) : 64) << 20;
    if (refrain_cursor_open(trace, &options, &cursor, &error))
        stop(&error);
    int64_t last_ns = pass(cursor, "replay with checkpoints");
    seek(cursor, last_ns);
    if (refrain_cursor_close(cursor, &error))
        stop(&error);
    const struct refrain_process_info *processes = refrain_trace_processes(trace, &n);
    options = (struct refrain_cursor_options)REFRAIN_CURSOR_ALL;
    options.recorded = true;
    if (n > 0 && processes[0].recorded) {
        if (refrain_cursor_open(trace, &options, &cursor, &error))
            stop(&error);
        pass(cursor, "recorded events");
        refrain_cursor_close(cursor, NULL);
    }
    refrain_trace_close(trace);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("memory: %ld MB\n", usage.ru_maxrss >> 10);
    return 0;
}
