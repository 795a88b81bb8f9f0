/* event_read.c: reads the records of an event file in place, one thread at a time (event_read.h). Memory does not
 * grow with the file. */
#include "walk/event_read.h"
#include "common/arena.h"

#include <string.h>

struct refrain_event_reader {
    const unsigned char *file;
    uint64_t file_bytes;
    uint64_t at, end;      /* position in the current extent, and its end */
    uint64_t whole;        /* as end, but not beyond a truncated file: bytes up to here can be read */
    uint64_t next;         /* offset of the next extent */
    uint64_t latest_ticks; /* ticks of the latest record: an earlier clock read counts as this one */
    uint32_t thread;
    bool wrong; /* the bytes at `at` are neither a record nor the header of an extent */
    struct {
        uint64_t id, first_ticks, last_ticks;
        uint32_t events, returned; /* begins and ends of calls that the record stands for; those returned so far */
    } polls;                       /* calls that share one record (REFRAIN_RECORD_POLLS) */
};

enum refrain_status refrain_event_reader_open(const struct refrain_process *process, uint32_t thread,
                                              struct refrain_event_reader **result, struct refrain_error *error) {
    const char *path = process->events_path;
    struct refrain_events_header header;
    if (process->events_bytes < REFRAIN_EVENTS_HEADER_BYTES)
        return REFRAIN_FAIL(error, "%s: too short for an event file (%llu bytes)", path,
                            (unsigned long long)process->events_bytes);
    memcpy(&header, process->events, sizeof header);
    if (memcmp(header.magic, REFRAIN_EVENTS_MAGIC, sizeof header.magic) != 0)
        return REFRAIN_FAIL(error, "%s: is not an event file of refrain (byte 0: no mark of one)", path);
    if (header.header_bytes != REFRAIN_EVENTS_HEADER_BYTES)
        return REFRAIN_FAIL(error, "%s: its header makes no sense (%u bytes): the file is damaged", path,
                            header.header_bytes);
    if (header.version > REFRAIN_EVENTS_VERSION)
        return REFRAIN_FAIL(error,
                            "%s: written by a newer refrain (event file version %u, this one reads up to %u): update "
                            "refrain",
                            path, header.version, REFRAIN_EVENTS_VERSION);
    if (header.version < REFRAIN_EVENTS_OLDEST)
        return REFRAIN_FAIL(error,
                            "%s: written by an older refrain (event file version %u, this one reads from %u on): read "
                            "it with the refrain that wrote it, or trace the program again",
                            path, header.version, REFRAIN_EVENTS_OLDEST);
    struct refrain_event_reader *reader = refrain_calloc(1, sizeof *reader);
    if (!reader)
        return REFRAIN_FAIL_MEMORY(error);
    reader->file = process->events;
    reader->file_bytes = process->events_bytes;
    reader->thread = thread;
    *result = reader;
    return REFRAIN_OK;
}

/* Moves to the next extent with records of the thread. False if there is none, or if it is damaged. */
static bool next_extent(struct refrain_event_reader *reader) {
    static const char not_begun[8];
    struct refrain_events_header header;
    reader->wrong = reader->at < reader->whole;
    while (!reader->wrong && reader->next < reader->file_bytes && reader->file_bytes - reader->next >= sizeof header) {
        uint64_t begin = reader->next, rest = reader->file_bytes - begin;
        memcpy(&header, reader->file + begin, sizeof header);
        bool begun = memcmp(header.magic, not_begun, sizeof not_begun) != 0;
        uint32_t bytes = begun && header.extent_bytes ? header.extent_bytes : REFRAIN_EVENTS_EXTENT_BYTES;
        bool is_last = header.next == REFRAIN_EVENTS_NO_EXTENT, has_next = header.next && !is_last;
        reader->next += bytes;
        if (!begun)
            continue;
        reader->at = begin;
        reader->wrong = memcmp(header.magic, REFRAIN_EVENTS_MAGIC, sizeof header.magic) != 0 ||
                        header.header_bytes != REFRAIN_EVENTS_HEADER_BYTES || bytes % 8 ||
                        bytes > REFRAIN_EVENTS_EXTENT_BYTES || header.bytes_used < REFRAIN_EVENTS_HEADER_BYTES ||
                        header.bytes_used > bytes || (has_next && (header.next < reader->next || header.next % 8));
        if (reader->wrong || header.thread != reader->thread)
            continue;
        if (header.next)
            reader->next = is_last ? reader->file_bytes : header.next;
        reader->at = begin + REFRAIN_EVENTS_HEADER_BYTES;
        reader->whole = begin + header.bytes_used;
        reader->end = begin + (header.bytes_used < rest ? header.bytes_used : rest);
        if (has_next && header.next >= reader->file_bytes)
            reader->whole = header.next;
        if (reader->at < reader->end)
            return true;
    }
    return false;
}

/* Returns the next begin or end of a call from a record that stands for several calls. They divide its time evenly. */
static bool next_of_polls(struct refrain_event_reader *reader, struct refrain_record *record) {
    uint32_t i = reader->polls.returned, steps = reader->polls.events - 1;
    if (i == reader->polls.events)
        return false;
    unsigned __int128 span = reader->polls.last_ticks - reader->polls.first_ticks;
    *record = (struct refrain_record){.kind = i % 2 ? REFRAIN_RECORD_CALL_LEAVE : REFRAIN_RECORD_CALL_ENTER,
                                      .thread = reader->thread,
                                      .ticks = reader->polls.first_ticks + (uint64_t)(span * i / steps),
                                      .id = reader->polls.id};
    reader->polls.returned++;
    return true;
}

static bool begin_polls(struct refrain_event_reader *reader, const uint64_t *words, uint32_t n) {
    uint64_t calls = words[0] >> 32;
    if (n != 4 || calls < 1 || calls > REFRAIN_MOST_POLLS)
        return false;
    reader->polls.id = words[2];
    reader->polls.first_ticks = words[1];
    reader->polls.last_ticks = words[3] < words[1] ? words[1] : words[3];
    reader->polls.events = 2 * (uint32_t)calls;
    reader->polls.returned = 0;
    return true;
}

static bool next_record(struct refrain_event_reader *reader, struct refrain_record *record) {
    if (next_of_polls(reader, record))
        return true;
    while (!reader->wrong && (reader->at < reader->end || next_extent(reader))) {
        const uint64_t *words = (const void *)(reader->file + reader->at);
        if (reader->at + 24 > reader->end) {
            reader->wrong = true;
            return false;
        }
        uint32_t n = words[0] >> 24 & 255, thread = words[0] >> 8 & 0xffff;
        if (n < 3 || n > 3 + REFRAIN_PARAMETERS || reader->at + n * 8u > reader->end) {
            reader->wrong = true;
            return false;
        }
        bool polls = (words[0] & 255) == REFRAIN_RECORD_POLLS;
        if (thread != reader->thread || (polls && !begin_polls(reader, words, n))) {
            reader->wrong = true;
            return false;
        }
        reader->at += n * 8u;
        if (polls)
            return next_of_polls(reader, record);
        *record = (struct refrain_record){.kind = (uint8_t)words[0],
                                          .thread = thread,
                                          .operation = (uint32_t)(words[0] >> 32),
                                          .n_parameters = n - 3,
                                          .ticks = words[1],
                                          .id = words[2]};
        memcpy(record->parameters, words + 3, (n - 3) * 8u);
        return true;
    }
    return false;
}

bool refrain_event_reader_next(struct refrain_event_reader *reader, struct refrain_record *record) {
    if (!next_record(reader, record))
        return false;
    if (record->ticks < reader->latest_ticks)
        record->ticks = reader->latest_ticks;
    reader->latest_ticks = record->ticks;
    return true;
}

bool refrain_event_reader_wrong(const struct refrain_event_reader *reader, uint64_t *offset) {
    *offset = reader->at;
    return reader->wrong;
}

void refrain_event_reader_close(struct refrain_event_reader *reader) {
    refrain_free(reader);
}
