/* import_records.c: writes the records of a rank to the extents of its event file (import_parts.h). */
#include "import/import_parts.h"

#include <string.h>

/* Small, so that the extents of many threads are still in the buffer of the sink while they are filled. */
#define EXTENT_BYTES 4096u

static void put_header(struct refrain_import_rank *rank, const struct refrain_import_location *location,
                       uint32_t thread, uint64_t next) {
    struct refrain_events_header header = {.version = REFRAIN_EVENTS_VERSION,
                                           .header_bytes = REFRAIN_EVENTS_HEADER_BYTES,
                                           .thread = thread,
                                           .bytes_used = location->extent_used,
                                           .extent_bytes = EXTENT_BYTES,
                                           .next = next};
    memcpy(header.magic, REFRAIN_EVENTS_MAGIC, sizeof header.magic);
    refrain_sink_patch(rank->events, location->extent, &header, sizeof header);
}

static void begin_extent(struct refrain_import_rank *rank, struct refrain_import_location *location, uint32_t thread) {
    static const unsigned char nothing[EXTENT_BYTES];
    uint64_t at = refrain_sink_position(rank->events);
    if (location->extent_used)
        put_header(rank, location, thread, at);
    location->extent = at;
    location->extent_used = REFRAIN_EVENTS_HEADER_BYTES;
    refrain_sink_put_bytes(rank->events, nothing, sizeof nothing);
}

void refrain_import_end_extents(struct refrain_import_rank *rank) {
    struct refrain_import_location nobody = {0};
    if (refrain_sink_position(rank->events) == 0) {
        begin_extent(rank, &nobody, 0);
        put_header(rank, &nobody, 0, REFRAIN_EVENTS_NO_EXTENT);
    }
    for (uint32_t i = 0; i < rank->n_threads; i++)
        if (rank->threads[i].extent_used)
            put_header(rank, &rank->threads[i], i, REFRAIN_EVENTS_NO_EXTENT);
}

uint64_t refrain_import_put(struct refrain_import *import, const struct refrain_import_event *event,
                            enum refrain_record_kind kind, enum refrain_operation operation, const int64_t *parameters,
                            unsigned n) {
    struct refrain_import_rank *rank = &import->ranks[event->rank];
    uint64_t words[3 + REFRAIN_PARAMETERS] = {
        (uint64_t)kind | (uint64_t)event->thread << 8 | (uint64_t)(3 + n) << 24 | (uint64_t)operation << 32,
        REFRAIN_IMPORT_BASE_TICKS + (uint64_t)event->time_ns, refrain_import_number_of(import, rank, event->region)};
    for (unsigned i = 0; i < n; i++)
        words[3 + i] = (uint64_t)parameters[i];
    struct refrain_import_location *location = &rank->threads[event->thread];
    if (location->extent_used == 0 || location->extent_used + (3 + n) * 8u > EXTENT_BYTES)
        begin_extent(rank, location, event->thread);
    uint64_t at = location->extent + location->extent_used;
    refrain_sink_patch(rank->events, at, words, (3 + n) * 8u);
    location->extent_used += (3 + n) * 8u;
    return at;
}

void refrain_import_amend(struct refrain_import *import, int32_t rank, uint64_t record_at, unsigned parameter,
                          int64_t value) {
    refrain_sink_patch(import->ranks[rank].events, record_at + (3 + parameter) * 8u, &value, sizeof value);
}
