/* test_event_read.c: a thread's recorded events are read without a look at those of others
 * (reconstruct/replay/event_read.c). Of the windows of another thread only the headers can be read here. */
#define _GNU_SOURCE
#include "event_read.h"
#include "refrain/event_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define WINDOWS 6u /* of threads 0, 1, 2, 0, 1, 2 */
#define THREADS 3u
#define RECORD_BYTES 24u

static unsigned char *file;

/* Fills a window with records of the thread that count on from `next`. */
static uint64_t fill(unsigned char *window, uint32_t thread, uint64_t next) {
    struct refrain_events_header header = {
        .version = REFRAIN_EVENTS_VERSION, .header_bytes = REFRAIN_EVENTS_HEADER_BYTES, .thread = thread};
    uint32_t at = REFRAIN_EVENTS_HEADER_BYTES;
    for (; at + RECORD_BYTES <= REFRAIN_EVENTS_WINDOW_BYTES; at += RECORD_BYTES, next++)
        memcpy(window + at, (uint64_t[]){REFRAIN_RECORD_ENTER | thread << 8 | 3u << 24, next, next}, RECORD_BYTES);
    header.bytes_used = at;
    memcpy(header.magic, REFRAIN_EVENTS_MAGIC, sizeof header.magic);
    memcpy(window, &header, sizeof header);
    return next;
}

int main(void) {
    size_t bytes = (size_t)WINDOWS * REFRAIN_EVENTS_WINDOW_BYTES, page = 4096;
    uint64_t written[THREADS] = {0};
    file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (file == MAP_FAILED)
        return 2;
    for (uint32_t i = 0; i < WINDOWS; i++)
        written[i % THREADS] = fill(file + (size_t)i * REFRAIN_EVENTS_WINDOW_BYTES, i % THREADS, written[i % THREADS]);
    struct refrain_process process = {.events_path = "events", .events = file, .events_bytes = bytes};
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        for (uint32_t i = 0; i < WINDOWS; i++)
            mprotect(file + (size_t)i * REFRAIN_EVENTS_WINDOW_BYTES + page, REFRAIN_EVENTS_WINDOW_BYTES - page,
                     i % THREADS == thread ? PROT_READ : PROT_NONE);
        struct refrain_event_reader *reader;
        struct refrain_record record;
        struct refrain_error error;
        uint64_t n = 0, where;
        if (refrain_event_reader_open(&process, thread, &reader, &error))
            return puts("FAILED: the file is not opened"), 1;
        while (refrain_event_reader_next(reader, &record) && record.thread == thread && record.id == n)
            n++;
        bool wrong = refrain_event_reader_wrong(reader, &where);
        refrain_event_reader_close(reader);
        if (wrong || n != written[thread] || n == 0)
            return printf("FAILED: thread %u: %llu of %llu records\n", thread, (unsigned long long)n,
                          (unsigned long long)written[thread]),
                   1;
    }
    printf("%u threads\n", THREADS);
    return 0;
}
