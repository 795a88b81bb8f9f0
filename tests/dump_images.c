/* dump_images.c: prints all that read.h returns for images, with each field of each event: dump_images RECORDED FILE...
 * The program is built for this machine and for WebAssembly, and test_wasm.sh compares the outputs. The program reads
 * the files, and gives their bytes to the library. */
#include "plain_event.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *read_file(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    *bytes = (size_t)ftell(file);
    void *contents = aligned_alloc(16, (*bytes + 16) & ~(size_t)15);
    rewind(file);
    if (contents && fread(contents, 1, *bytes, file) != *bytes)
        contents = NULL;
    fclose(file);
    return contents;
}

static void dump_trace(const struct refrain_trace *trace) {
    size_t n;
    const struct refrain_process_info *processes = refrain_trace_processes(trace, &n);
    printf("%" PRId32 " ranks from %" PRIu64 "\n", refrain_trace_ranks(trace), refrain_trace_start_ns(trace));
    for (size_t i = 0; i < n; i++)
        printf("process %" PRId32 " %d %d %d %s %s\n", processes[i].rank, processes[i].finished, processes[i].learned,
               processes[i].recorded, processes[i].executable, processes[i].environment);
    const struct refrain_location_info *locations = refrain_trace_locations(trace, &n);
    for (size_t i = 0; i < n; i++)
        printf("location %" PRId32 " %" PRIu32 " %" PRId64 " %" PRId64 "\n", locations[i].rank, locations[i].thread,
               locations[i].start_ns, locations[i].end_ns);
    const struct refrain_region_info *regions = refrain_trace_regions(trace, &n);
    for (size_t i = 0; i < n; i++)
        printf("region %" PRIu32 " %d %s %s %" PRIu32 " %s %d\n", regions[i].index, regions[i].kind, regions[i].name,
               regions[i].file, regions[i].line, regions[i].collective, regions[i].role);
    const struct refrain_comm_info *comms = refrain_trace_communicators(trace, &n);
    for (size_t i = 0; i < n; i++)
        printf("communicator %" PRIu32 " %s %" PRId32 " %" PRId32 "\n", comms[i].index, comms[i].name, comms[i].size,
               comms[i].remote_size);
    const struct refrain_loss_info *losses = refrain_trace_losses(trace, &n);
    for (size_t i = 0; i < n; i++)
        printf("loss %" PRId32 " %s %" PRIu64 "\n", losses[i].rank, losses[i].what, losses[i].count);
}

int main(int argc, char **argv) {
    struct refrain_error error = {0};
    struct refrain_trace *trace;
    struct refrain_cursor *cursor;
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    if (argc < 3)
        return fprintf(stderr, "usage: dump_images RECORDED FILE...\n"), 2;
    options.recorded = atoi(argv[1]) != 0;
    size_t n = (size_t)argc - 2;
    struct refrain_image *images = calloc(n, sizeof *images);
    for (size_t i = 0; images && i < n; i++) {
        char events[4096];
        const char *path = argv[i + 2];
        images[i].name = path;
        images[i].bytes = read_file(path, &images[i].length);
        snprintf(events, sizeof events, "%.*s.events", (int)(strlen(path) - strlen(".trace")), path);
        images[i].events = read_file(events, &images[i].events_length);
    }
    if (!images || refrain_trace_open_images(images, n, &trace, &error))
        return printf("%s\n", error.message), 1;
    dump_trace(trace);
    if (refrain_cursor_open(trace, &options, &cursor, &error))
        return printf("%s\n", error.message), 1;
    for (const struct refrain_trace_event *event; (event = refrain_cursor_next(cursor));) {
        struct plain_event plain = {0};
        plain_event(event, &plain);
        printf("%d %" PRIu32 " %" PRIu32 " %" PRId32 " %" PRIu32 " %" PRId64 " %" PRIu32 " %" PRId64, plain.kind,
               plain.approximate, plain.location, plain.rank, plain.thread, plain.time_ns, plain.region, plain.comm);
        for (unsigned i = 0; i < PLAIN_FIELDS; i++)
            printf(" %" PRId64, plain.fields[i]);
        putchar('\n');
    }
    if (refrain_cursor_close(cursor, &error))
        printf("%s\n", error.message);
    refrain_trace_close(trace);
    return 0;
}
