/* slog1_frames.c: the two passes over the frames of a SLOG-1 file (slog1_frames.h). */
#include "formats/slog1_frames.h"
#include "common/array.h"

#include <stdlib.h>

enum { HEAD_BYTES = 8 * 4, ENTRY_BYTES = 8 + 8 + 8, DIRECTORY_HEAD_BYTES = 8 + 8 + 4 };
#define DIRECTORY_BYTES (DIRECTORY_HEAD_BYTES + REFRAIN_SLOG1_DIRECTORY_ENTRIES * ENTRY_BYTES)
enum { CURRENT, INCOMING, PASSING, OUTGOING, SECTORS };

/* Records in the form of the file. */
struct records {
    unsigned char *bytes;
    size_t n_bytes, capacity;
    uint32_t n;
};

/* An entry of a directory. */
struct frame {
    uint64_t at; /* position in the file */
    double start, end;
};

struct refrain_slog1_frames {
    struct refrain_sink *out;
    uint64_t n;             /* number of written frames */
    struct records current; /* of the current frame */
    double earliest, latest,
        last_end; /* start of the earliest record so far; ends of the last record and of the last frame */
    uint64_t pending_bytes;
    uint64_t first_directory, last_directory;
    uint32_t most_bytes, last_bytes; /* of a frame */
    bool any, no_memory;
};

/* ---- numbers and records ---- */

void refrain_slog1_put(unsigned char **to, uint64_t value, unsigned bytes) {
    while (bytes-- > 0)
        *(*to)++ = (unsigned char)(value >> 8 * bytes);
}

void refrain_slog1_put_double(unsigned char **to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    refrain_slog1_put(to, bits, 8);
}

static uint64_t get(const unsigned char **from, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | *(*from)++;
    return value;
}

static double get_double(const unsigned char **from) {
    uint64_t bits = get(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t bytes_of(const struct refrain_slog1_record *record) {
    return (record->class == REFRAIN_SLOG1_ARROW ? REFRAIN_SLOG1_ARROW_BYTES : REFRAIN_SLOG1_STATE_BYTES) +
           4 * record->n_arguments;
}

static bool reserve(struct records *records, size_t bytes) {
    return REFRAIN_ARRAY_ROOMS(records->bytes, records->n_bytes, bytes, records->capacity);
}

static void put_record(unsigned char *to, const struct refrain_slog1_record *record) {
    refrain_slog1_put(&to, bytes_of(record), 2);
    refrain_slog1_put(&to, record->class, 2);
    refrain_slog1_put(&to, record->type, 2);
    refrain_slog1_put(&to, record->bebits, 1);
    refrain_slog1_put_double(&to, record->start);
    refrain_slog1_put_double(&to, record->duration);
    for (int i = 0; i < (record->class == REFRAIN_SLOG1_ARROW ? 2 : 1); i++) {
        refrain_slog1_put(&to, record->threads[i].node, 2);
        refrain_slog1_put(&to, 0, 1); /* unknown processor */
        refrain_slog1_put(&to, record->threads[i].thread, 4);
    }
    for (unsigned i = 0; i < record->n_arguments; i++)
        refrain_slog1_put(&to, record->arguments[i], 4);
}

static void get_record(const unsigned char *from, struct refrain_slog1_record *record) {
    from += 2;
    *record = (struct refrain_slog1_record){.class = (uint16_t)get(&from, 2)};
    record->type = (uint16_t)get(&from, 2);
    record->bebits = (uint8_t)get(&from, 1);
    record->start = get_double(&from);
    record->duration = get_double(&from);
}

/* Size of a record in the form of the file. */
static size_t size_at(const unsigned char *record) {
    return (size_t)record[0] << 8 | record[1];
}

static double start_at(const unsigned char *record) {
    const unsigned char *at = record + 7;
    return get_double(&at);
}

static bool append(struct records *records, const unsigned char *record) {
    if (!reserve(records, size_at(record)))
        return false;
    memcpy(records->bytes + records->n_bytes, record, size_at(record));
    records->n_bytes += size_at(record);
    records->n++;
    return true;
}

/* ---- first pass: forwards ---- */

static void put_directory(struct refrain_slog1_frames *frames) {
    unsigned char bytes[DIRECTORY_BYTES] = {0}, *at = bytes;
    uint64_t position = refrain_sink_position(frames->out);
    refrain_slog1_put(&at, frames->last_directory, 8);
    if (frames->last_directory) {
        unsigned char next[8], *to = next;
        refrain_slog1_put(&to, position, 8);
        refrain_sink_patch(frames->out, frames->last_directory + 8, next, sizeof next);
    } else {
        frames->first_directory = position;
    }
    frames->last_directory = position;
    refrain_sink_put_bytes(frames->out, bytes, sizeof bytes);
}

/* Position of the entry of a frame in its directory at `directory`. */
static uint64_t entry_at(uint64_t directory, uint64_t number) {
    return directory + DIRECTORY_HEAD_BYTES + number % REFRAIN_SLOG1_DIRECTORY_ENTRIES * ENTRY_BYTES;
}

static void put_entry(struct refrain_slog1_frames *frames, uint64_t directory, uint64_t number,
                      const struct frame *frame) {
    unsigned char entry[ENTRY_BYTES], *at = entry;
    refrain_slog1_put(&at, frame->at, 8);
    refrain_slog1_put_double(&at, frame->start);
    refrain_slog1_put_double(&at, frame->end);
    refrain_sink_patch(frames->out, entry_at(directory, number), entry, sizeof entry);
}

static void put_count(struct refrain_slog1_frames *frames) {
    unsigned char count[4], *at = count;
    refrain_slog1_put(&at, (frames->n - 1) % REFRAIN_SLOG1_DIRECTORY_ENTRIES + 1, 4);
    refrain_sink_patch(frames->out, frames->last_directory + 16, count, sizeof count);
}

static void put_head(unsigned char *head, const struct records *sectors) {
    for (int i = 0; i < SECTORS; i++) {
        refrain_slog1_put(&head, sectors[i].n_bytes, 4);
        refrain_slog1_put(&head, sectors[i].n, 4);
    }
}

static void fill(struct refrain_sink *out, uint64_t bytes) {
    static const unsigned char zeros[4096];
    for (; bytes > 0; bytes -= bytes < sizeof zeros ? bytes : sizeof zeros)
        refrain_sink_put_bytes(out, zeros, bytes < sizeof zeros ? (size_t)bytes : sizeof zeros);
}

static uint64_t target_bytes(uint64_t pending_bytes) {
    return pending_bytes * 4 > REFRAIN_SLOG1_FRAME_BYTES ? pending_bytes * 4 : REFRAIN_SLOG1_FRAME_BYTES;
}

/* Writes the current frame. Records that began before it are incoming. */
static void end_frame(struct refrain_slog1_frames *frames) {
    struct records sectors[SECTORS] = {{0}};
    struct frame frame = {.start = frames->n ? frames->last_end : frames->earliest, .end = frames->latest};
    unsigned char head[HEAD_BYTES];
    for (size_t at = 0; at < frames->current.n_bytes; at += size_at(frames->current.bytes + at)) {
        const unsigned char *record = frames->current.bytes + at;
        frames->no_memory |= !append(&sectors[start_at(record) < frame.start ? INCOMING : CURRENT], record);
    }
    uint64_t used = HEAD_BYTES + frames->current.n_bytes, bytes = target_bytes(frames->pending_bytes);
    if (used + frames->pending_bytes > bytes)
        bytes = used + frames->pending_bytes;
    if (frames->n % REFRAIN_SLOG1_DIRECTORY_ENTRIES == 0)
        put_directory(frames);
    frame.at = refrain_sink_position(frames->out);
    put_head(head, sectors);
    refrain_sink_put_bytes(frames->out, head, sizeof head);
    for (int i = CURRENT; i <= INCOMING; i++) {
        refrain_sink_put_bytes(frames->out, sectors[i].bytes ? sectors[i].bytes : head, sectors[i].n_bytes);
        free(sectors[i].bytes);
    }
    fill(frames->out, bytes - used);
    put_entry(frames, frames->last_directory, frames->n++, &frame);
    put_count(frames);
    frames->last_end = frame.end;
    frames->last_bytes = (uint32_t)bytes;
    frames->most_bytes = frames->last_bytes > frames->most_bytes ? frames->last_bytes : frames->most_bytes;
    frames->current.n = 0;
    frames->current.n_bytes = 0;
}

bool refrain_slog1_frames_add(struct refrain_slog1_frames *frames, const struct refrain_slog1_record *record,
                              uint64_t pending_bytes) {
    size_t bytes = bytes_of(record);
    if (frames->current.n > 0 &&
        HEAD_BYTES + frames->current.n_bytes + bytes + pending_bytes > target_bytes(pending_bytes))
        end_frame(frames);
    if (!reserve(&frames->current, bytes))
        return false;
    put_record(frames->current.bytes + frames->current.n_bytes, record);
    frames->current.n_bytes += bytes;
    frames->current.n++;
    frames->pending_bytes = pending_bytes;
    frames->latest = record->start + record->duration;
    if (!frames->any || record->start < frames->earliest)
        frames->earliest = record->start;
    frames->any = true;
    return !frames->no_memory;
}

/* ---- second pass: backwards ---- */

/* Reads the two sectors that the first pass wrote. */
static bool read_frame(struct refrain_slog1_frames *frames, const struct frame *frame, struct records *sectors) {
    unsigned char head[HEAD_BYTES];
    uint64_t at = frame->at + HEAD_BYTES;
    if (!refrain_sink_read(frames->out, frame->at, head, sizeof head))
        return false;
    const unsigned char *from = head;
    for (int i = CURRENT; i <= INCOMING; i++) {
        size_t bytes = (size_t)get(&from, 4);
        sectors[i].n_bytes = 0;
        if (!reserve(&sectors[i], bytes)) {
            frames->no_memory = true;
            return false;
        }
        sectors[i].n_bytes = bytes;
        sectors[i].n = (uint32_t)get(&from, 4);
        if (!refrain_sink_read(frames->out, at, sectors[i].bytes, bytes))
            return false;
        at += bytes;
    }
    sectors[PASSING].n = sectors[OUTGOING].n = 0;
    sectors[PASSING].n_bytes = sectors[OUTGOING].n_bytes = 0;
    return true;
}

static void visit_records(const struct records *records,
                          void (*visit)(void *data, const struct refrain_slog1_record *record), void *data) {
    struct refrain_slog1_record record;
    for (size_t at = 0; at < records->n_bytes; at += size_at(records->bytes + at)) {
        get_record(records->bytes + at, &record);
        visit(data, &record);
    }
}

/* `later` lists the records of later frames that began before the next frame. Such a record passes through this frame
 * if it began before it, and goes out of it otherwise. Afterwards `later` lists the records that began before this
 * frame. */
static bool add_pseudo_records(struct refrain_slog1_frames *frames, const struct frame *frame, struct records *sectors,
                               struct records *later) {
    struct records before = {0};
    bool good = true;
    for (size_t at = 0; at < later->n_bytes; at += size_at(later->bytes + at)) {
        const unsigned char *record = later->bytes + at;
        good &= append(&sectors[start_at(record) < frame->start ? PASSING : OUTGOING], record);
    }
    for (int i = INCOMING; i <= PASSING; i++)
        for (size_t at = 0; at < sectors[i].n_bytes; at += size_at(sectors[i].bytes + at))
            good &= append(&before, sectors[i].bytes + at);
    free(later->bytes);
    *later = before;
    frames->no_memory |= !good;
    return good;
}

static void write_pseudo_records(struct refrain_slog1_frames *frames, const struct frame *frame,
                                 const struct records *sectors) {
    unsigned char head[HEAD_BYTES];
    uint64_t at = frame->at + HEAD_BYTES + sectors[CURRENT].n_bytes + sectors[INCOMING].n_bytes;
    put_head(head, sectors);
    refrain_sink_patch(frames->out, frame->at, head, sizeof head);
    for (int i = PASSING; i <= OUTGOING; at += sectors[i++].n_bytes)
        if (sectors[i].n_bytes > 0)
            refrain_sink_patch(frames->out, at, sectors[i].bytes, sectors[i].n_bytes);
}

/* Writes the pseudo-records of a frame; `number` 0 is the first one. */
static bool second_pass(struct refrain_slog1_frames *frames, uint64_t directory, uint64_t number, struct frame *frame,
                        struct records *sectors, struct records *later) {
    unsigned char entry[ENTRY_BYTES];
    const unsigned char *from = entry;
    if (!refrain_sink_read(frames->out, entry_at(directory, number), entry, sizeof entry))
        return false;
    frame->at = get(&from, 8);
    frame->start = get_double(&from);
    frame->end = get_double(&from);
    if (!read_frame(frames, frame, sectors))
        return false;
    if (number == 0) /* no record of the run is before it */
        for (size_t at = 0; at < later->n_bytes; at += size_at(later->bytes + at))
            if (start_at(later->bytes + at) < frame->start)
                frame->start = start_at(later->bytes + at);
    if (!add_pseudo_records(frames, frame, sectors, later))
        return false;
    write_pseudo_records(frames, frame, sectors);
    put_entry(frames, directory, number, frame);
    return true;
}

bool refrain_slog1_frames_finish(struct refrain_slog1_frames *frames, struct refrain_slog1_summary *summary,
                                 void (*visit)(void *data, const struct refrain_slog1_record *record), void *data) {
    struct records sectors[SECTORS] = {{0}}, later = {0};
    struct frame frame = {0};
    if (frames->current.n > 0)
        end_frame(frames);
    if (frames->n == 0)
        put_directory(frames);
    else /* readers read the same number of bytes for each frame */
        fill(frames->out, frames->most_bytes - frames->last_bytes);
    *summary = (struct refrain_slog1_summary){.at = frames->first_directory,
                                              .frame_bytes = REFRAIN_SLOG1_FRAME_BYTES,
                                              .frames = frames->n,
                                              .start = frames->earliest,
                                              .end = frames->last_end};
    if (frames->most_bytes > summary->frame_bytes)
        summary->frame_bytes = frames->most_bytes;
    bool good = !frames->no_memory;
    uint64_t directory = frames->last_directory;
    for (uint64_t i = frames->n; good && i-- > 0;) {
        unsigned char previous[8];
        const unsigned char *from = previous;
        good = second_pass(frames, directory, i, &frame, sectors, &later);
        if (!good)
            break;
        visit_records(&sectors[CURRENT], visit, data);
        visit_records(&sectors[INCOMING], visit, data);
        summary->has_pseudo_records |= sectors[PASSING].n + sectors[OUTGOING].n > 0;
        if (i % REFRAIN_SLOG1_DIRECTORY_ENTRIES == 0 && i > 0) {
            good = refrain_sink_read(frames->out, directory, previous, sizeof previous);
            directory = get(&from, 8);
        }
    }
    for (int i = 0; i < SECTORS; i++)
        free(sectors[i].bytes);
    free(later.bytes);
    return good && !frames->out->failed;
}

/* ---- opening ---- */

struct refrain_slog1_frames *refrain_slog1_frames_open(struct refrain_sink *out) {
    struct refrain_slog1_frames *frames = calloc(1, sizeof *frames);
    if (frames)
        frames->out = out;
    return frames;
}

void refrain_slog1_frames_close(struct refrain_slog1_frames *frames) {
    if (frames)
        free(frames->current.bytes);
    free(frames);
}
