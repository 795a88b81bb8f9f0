/* who_sends.c: prints how many messages and bytes each rank sent to each other one. The words are explained in
 * refrain/read.h.  cc who_sends.c $(pkg-config --cflags --libs refrain-read) && ./a.out app-....refrain */
#include <refrain/read.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
    unsigned long messages;
    long long bytes;
};

int main(int argc, char **argv) {
    struct refrain_trace *trace;
    struct refrain_cursor *cursor;
    struct refrain_error error = {0};
    if (argc != 2)
        return fprintf(stderr, "usage: who_sends TRACE\n"), 2;
    if (refrain_trace_open(argv[1], false, &trace, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    size_t n = (size_t)refrain_trace_ranks(trace);
    struct pair *pairs = calloc(n * n + 1, sizeof *pairs);
    if (!pairs)
        return fprintf(stderr, "%s: no memory to count the messages of %zu ranks\n", argv[1], n), 1;
    if (refrain_cursor_open(trace, NULL, &cursor, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    for (const struct refrain_trace_event *event; (event = refrain_cursor_next(cursor));)
        if (event->kind == REFRAIN_EVENT_SEND && event->send.dest >= 0 && (size_t)event->send.dest < n) {
            struct pair *pair = &pairs[(size_t)event->rank * n + (size_t)event->send.dest];
            pair->messages++;
            pair->bytes += event->send.bytes;
        }
    for (size_t i = 0; i < n * n; i++)
        if (pairs[i].messages)
            printf("%zu -> %zu: %lu messages, %lld bytes\n", i / n, i % n, pairs[i].messages, pairs[i].bytes);
    enum refrain_status status = refrain_cursor_close(cursor, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    refrain_trace_close(trace);
    free(pairs);
    return (int)status;
}
