/* import_records.c: records of the events of a rank, in the windows of its event file (import_parts.h). */
#include "import_parts.h"

#include <string.h>

void refrain_import_begin_window(struct refrain_import_rank *rank) {
    static const struct refrain_events_header nothing;
    rank->window = refrain_sink_position(rank->events);
    refrain_sink_put_bytes(rank->events, &nothing, sizeof nothing);
}

void refrain_import_end_window(struct refrain_import_rank *rank) {
    struct refrain_events_header header = {.version = REFRAIN_EVENTS_VERSION,
                                           .header_bytes = REFRAIN_EVENTS_HEADER_BYTES,
                                           .thread = REFRAIN_EVENTS_ANY_THREAD,
                                           .bytes_used =
                                               (uint32_t)(refrain_sink_position(rank->events) - rank->window)};
    memcpy(header.magic, REFRAIN_EVENTS_MAGIC, sizeof header.magic);
    refrain_sink_patch(rank->events, rank->window, &header, sizeof header);
}

uint64_t refrain_import_put(struct refrain_import *import, const struct refrain_import_event *event,
                            enum refrain_record_kind kind, enum refrain_operation operation, const int64_t *parameters,
                            unsigned n) {
    struct refrain_import_rank *rank = &import->ranks[event->rank];
    uint64_t words[3 + REFRAIN_PARAMETERS] = {
        (uint64_t)kind | (uint64_t)event->thread << 8 | (uint64_t)(3 + n) << 24 | (uint64_t)operation << 32,
        REFRAIN_IMPORT_BASE_TICKS + (uint64_t)event->time_ns, refrain_import_number_of(import, rank, event->region)};
    static const unsigned char nothing[8 * (3 + REFRAIN_PARAMETERS)];
    for (unsigned i = 0; i < n; i++)
        words[3 + i] = (uint64_t)parameters[i];
    uint64_t at = refrain_sink_position(rank->events);
    size_t rest = REFRAIN_EVENTS_WINDOW_BYTES - (size_t)(at % REFRAIN_EVENTS_WINDOW_BYTES);
    if (rest == REFRAIN_EVENTS_WINDOW_BYTES || rest < (3 + n) * 8u) {
        refrain_import_end_window(rank);
        refrain_sink_put_bytes(rank->events, nothing, rest % REFRAIN_EVENTS_WINDOW_BYTES);
        refrain_import_begin_window(rank);
    }
    at = refrain_sink_position(rank->events);
    refrain_sink_put_bytes(rank->events, words, (3 + n) * 8u);
    return at;
}

void refrain_import_amend(struct refrain_import *import, int32_t rank, uint64_t record_at, unsigned parameter,
                          int64_t value) {
    refrain_sink_patch(import->ranks[rank].events, record_at + (3 + parameter) * 8u, &value, sizeof value);
}
