/* test_event_read.c: a thread's recorded events are read without the events of other threads
 * (reconstruct/walk/event_read.c). In this test only the headers of another thread's extents can be read. If extents
 * have the position of the thread's next extent, not even these headers can be read after the first. */
#define _GNU_SOURCE
#include "refrain/event_file.h"
#include "walk/event_read.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define EXTENTS 6u /* of threads 0, 1, 2, 0, 1, 2 */
#define THREADS 3u
#define RECORD_BYTES 24u
#define PAGE_BYTES 4096u

static unsigned char *file;

/* Fills an extent with records of the thread that count on from `n`. */
static uint64_t fill(uint32_t extent, uint32_t extent_bytes, bool linked, uint64_t n) {
    uint32_t thread = extent % THREADS, at = REFRAIN_EVENTS_HEADER_BYTES;
    unsigned char *bytes = file + (size_t)extent * extent_bytes;
    for (; at + RECORD_BYTES <= extent_bytes; at += RECORD_BYTES, n++)
        memcpy(bytes + at, (uint64_t[]){REFRAIN_RECORD_ENTER | thread << 8 | 3u << 24, n, n}, RECORD_BYTES);
    struct refrain_events_header header = {.version = REFRAIN_EVENTS_VERSION,
                                           .header_bytes = REFRAIN_EVENTS_HEADER_BYTES,
                                           .thread = thread,
                                           .bytes_used = at,
                                           .extent_bytes = linked ? extent_bytes : 0};
    if (linked)
        header.next =
            extent + THREADS < EXTENTS ? (uint64_t)(extent + THREADS) * extent_bytes : REFRAIN_EVENTS_NO_EXTENT;
    memcpy(header.magic, REFRAIN_EVENTS_MAGIC, sizeof header.magic);
    memcpy(bytes, &header, sizeof header);
    return n;
}

/* Reads the records of a thread from a file of `bytes` bytes. Returns their number. *wrong: the file is damaged. */
static uint64_t read_thread(uint32_t thread, size_t bytes, bool *wrong) {
    struct refrain_process process = {.events_path = "events", .events = file, .events_bytes = bytes};
    struct refrain_event_reader *reader;
    struct refrain_record record;
    struct refrain_error error;
    uint64_t n = 0, where;
    *wrong = true;
    if (refrain_event_reader_open(&process, thread, &reader, &error))
        return 0;
    while (refrain_event_reader_next(reader, &record) && record.thread == thread && record.id == n)
        n++;
    *wrong = refrain_event_reader_wrong(reader, &where);
    refrain_event_reader_close(reader);
    return n;
}

static unsigned read_all(uint32_t extent_bytes, bool linked) {
    uint64_t written[THREADS] = {0};
    size_t bytes = (size_t)EXTENTS * extent_bytes;
    unsigned failed = 0;
    bool wrong;
    mprotect(file, bytes, PROT_READ | PROT_WRITE);
    memset(file, 0, bytes);
    for (uint32_t i = 0; i < EXTENTS; i++)
        written[i % THREADS] = fill(i, extent_bytes, linked, written[i % THREADS]);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        for (uint32_t i = 0; i < EXTENTS; i++) {
            size_t readable = i % THREADS == thread ? extent_bytes : linked && i > thread ? 0 : PAGE_BYTES;
            mprotect(file + (size_t)i * extent_bytes, extent_bytes, PROT_NONE);
            mprotect(file + (size_t)i * extent_bytes, readable, PROT_READ);
        }
        uint64_t n = read_thread(thread, bytes, &wrong);
        failed += wrong || n != written[thread] || n == 0;
        if (wrong || n != written[thread] || n == 0)
            printf("FAILED: thread %u: %llu of %llu records\n", thread, (unsigned long long)n,
                   (unsigned long long)written[thread]);
    }
    mprotect(file, bytes, PROT_READ);
    uint64_t n = read_thread(0, THREADS * extent_bytes, &wrong); /* half of the file */
    if (linked && (!wrong || n != written[0] / 2))
        failed += printf("FAILED: a file that is cut off at an extent: %llu records\n", (unsigned long long)n) > 0;
    return failed;
}

int main(void) {
    file = mmap(NULL, (size_t)EXTENTS * REFRAIN_EVENTS_EXTENT_BYTES, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (file == MAP_FAILED)
        return 2;
    unsigned failed = read_all(REFRAIN_EVENTS_EXTENT_BYTES, false) + read_all(2 * PAGE_BYTES, true);
    printf("%u threads, %u failed\n", THREADS, failed);
    return failed > 0;
}
