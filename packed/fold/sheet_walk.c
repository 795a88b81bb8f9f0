/* sheet_walk.c: makes a sheet of one rank, and its times, of the rank's trace file (fold.h). */
#include "beat.h"
#include "fold.h"
#include "packed_file.h"
#include "packed_image.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    struct refrain_sheet *sheet;
    struct refrain_packed_coder times;
    struct refrain_beat_room *room_of_beat;
    unsigned char *copied; /* timelines that are copied, not coded */
    size_t copied_bytes, capacity_copied, timeline_bytes;
    /* the current record */
    unsigned char *kinds;
    uint64_t *values, key;
    size_t n, room;
    bool any; /* the current record has values */
};

static bool no_memory(struct refrain_packed_stream *stream) {
    refrain_packed_fail(stream, "there is no memory for it");
    return false;
}

/* The current record is complete: adds it to the sheet. */
static bool end_record(struct refrain_packed_stream *stream) {
    struct walk *walk = stream->data;
    struct refrain_sheet *sheet = walk->sheet;
    if (!walk->any)
        return true;
    if (sheet->n_records > 0 && walk->key <= sheet->records[sheet->n_records - 1].key) {
        refrain_packed_fail(stream, "its records are in no order");
        return false;
    }
    if (sheet->n_records == sheet->room_records) {
        size_t room = sheet->room_records ? sheet->room_records * 2 : 256;
        struct refrain_fold_record *more = refrain_fold_grow(sheet->memory, sheet->records, room * sizeof *more);
        if (!more)
            return no_memory(stream);
        sheet->records = more;
        sheet->room_records = room;
    }
    struct refrain_fold_record *record = &sheet->records[sheet->n_records++];
    *record = (struct refrain_fold_record){.key = walk->key, .shape_of = {.n = 1, .first = {1, 0, 1}}};
    struct refrain_fold_shape *shape = record->shapes = refrain_fold_allocate(sheet->memory, sizeof *shape);
    if (!shape)
        return no_memory(stream);
    record->n_shapes = 1;
    shape->kinds = refrain_fold_allocate(sheet->memory, walk->n);
    shape->rows = refrain_fold_allocate(sheet->memory, walk->n * sizeof *shape->rows);
    if (!shape->kinds || !shape->rows)
        return no_memory(stream);
    shape->n = walk->n;
    memcpy(shape->kinds, walk->kinds, walk->n);
    for (size_t i = 0; i < walk->n; i++)
        shape->rows[i] = (struct refrain_fold_row){.n = 1, .first = {walk->values[i], 0, 1}};
    walk->n = 0;
    return true;
}

static void begin_record(struct refrain_packed_stream *stream, uint64_t key) {
    struct walk *walk = stream->data;
    if (!end_record(stream))
        return;
    walk->key = key;
    walk->any = true;
}

static void add_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t value) {
    struct walk *walk = stream->data;
    struct refrain_fold_memory *memory = walk->sheet->memory;
    if (walk->n == walk->room) {
        size_t room = walk->room ? walk->room * 2 : 256;
        unsigned char *kinds = refrain_fold_grow(memory, walk->kinds, room);
        walk->kinds = kinds ? kinds : walk->kinds;
        uint64_t *values = refrain_fold_grow(memory, walk->values, room * sizeof *values);
        walk->values = values ? values : walk->values;
        if (!kinds || !values) {
            no_memory(stream);
            return;
        }
        walk->room = room;
    }
    walk->any = true; /* values before the first record (the positions of pinned archives) become a record with key 0 */
    walk->kinds[walk->n] = (unsigned char)kind;
    walk->values[walk->n++] = value;
}

static void add_any_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    struct walk *walk = stream->data;
    if (refrain_packed_is_time(kind))
        refrain_packed_code_value(&walk->times, kind, value);
    else
        add_value(stream, kind, *value);
}

/* The number of a text, which is stored once. */
static uint64_t text_number(struct refrain_packed_stream *stream, const void *bytes, size_t n) {
    struct refrain_sheet *sheet = ((struct walk *)stream->data)->sheet;
    for (size_t i = 0; i < sheet->n_texts; i++)
        if (sheet->texts[i].length == n && memcmp(sheet->texts[i].bytes, bytes, n) == 0)
            return i;
    if (sheet->n_texts == sheet->room_texts) {
        size_t room = sheet->room_texts ? sheet->room_texts * 2 : 64;
        struct refrain_fold_text *more = refrain_fold_grow(sheet->memory, sheet->texts, room * sizeof *more);
        if (!more)
            return no_memory(stream);
        sheet->texts = more;
        sheet->room_texts = room;
    }
    unsigned char *copy = refrain_fold_allocate(sheet->memory, n);
    if (!copy)
        return no_memory(stream);
    memcpy(copy, bytes, n);
    sheet->texts[sheet->n_texts] = (struct refrain_fold_text){copy, n};
    return sheet->n_texts++;
}

static void add_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    struct walk *walk = stream->data;
    if (kind != REFRAIN_PACKED_TIMELINE) {
        add_value(stream, kind, text_number(stream, bytes, n));
        return;
    }
    walk->timeline_bytes += n;
    if (walk->timeline_bytes <= REFRAIN_PACKED_CODED_TIMES) {
        refrain_packed_code_bytes(&walk->times, kind, bytes, n);
    } else if (n <= walk->capacity_copied - walk->copied_bytes) {
        memcpy(walk->copied + walk->copied_bytes, bytes, n);
        walk->copied_bytes += n;
    } else {
        refrain_packed_fail(stream, "its times do not fit");
    }
}

static bool find_beat(struct refrain_packed_stream *stream, const void *trace_file, size_t trace_file_bytes,
                      const struct refrain_learner *learner, struct refrain_beat *beat) {
    const struct walk *walk = stream->data;
    return refrain_beat_find(walk->room_of_beat, trace_file, trace_file_bytes, learner, beat);
}

/* Upper bound of the bytes of coded times. */
static size_t most_times(uint64_t used) {
    return (size_t)(used + used / 4) + 4096;
}

/* Joins the parts of the times in memory of their exact size. */
static unsigned char *put_times(struct walk *walk, struct refrain_ranks_index *index, const unsigned char *coded,
                                size_t coded_bytes) {
    unsigned char *times = refrain_fold_allocate(walk->sheet->memory, coded_bytes + walk->copied_bytes);
    if (!times)
        return NULL;
    memcpy(times, coded, coded_bytes);
    memcpy(times + coded_bytes, walk->copied, walk->copied_bytes);
    index->coded_bytes = coded_bytes;
    index->copied_bytes = walk->copied_bytes;
    index->checksum = refrain_packed_checksum(times, coded_bytes + walk->copied_bytes);
    return times;
}

struct refrain_sheet *refrain_sheet_of_trace_file(struct refrain_fold_memory *memory, const void *trace_file,
                                                  uint64_t used, unsigned char **times, const char **wrong) {
    struct walk walk = {.sheet = refrain_fold_allocate(memory, sizeof *walk.sheet), .capacity_copied = (size_t)used};
    struct refrain_packed_stream stream = {
        .data = &walk, .record = begin_record, .value = add_any_value, .bytes = add_bytes, .beat = find_beat};
    struct refrain_packed_models *models = refrain_fold_allocate(memory, sizeof *models);
    /* Only the used part of this memory is touched, and it is cut to its size afterwards. */
    unsigned char *coded = malloc(most_times(used));
    walk.copied = malloc((size_t)used);
    *times = NULL;
    *wrong = NULL;
    walk.room_of_beat = refrain_fold_allocate(memory, sizeof *walk.room_of_beat);
    if (walk.sheet) {
        walk.sheet->memory = memory;
        walk.sheet->index = refrain_fold_allocate(memory, sizeof *walk.sheet->index);
    }
    if (walk.sheet && walk.sheet->index && models && walk.room_of_beat && coded && walk.copied) {
        struct refrain_ranks_index *index = walk.sheet->index;
        walk.sheet->n_ranks = walk.sheet->room_ranks = 1;
        refrain_packed_models_begin(models);
        refrain_packed_coder_open(&walk.times, models, coded, most_times(used), false);
        index->rank = ((const struct refrain_header *)trace_file)->rank;
        index->image_bytes = refrain_packed_write(trace_file, (size_t)used, &stream);
        size_t n = refrain_packed_coder_close(&walk.times);
        if (!stream.wrong && n == 0)
            refrain_packed_fail(&stream, "its times do not fit");
        if (!stream.wrong && end_record(&stream))
            *times = put_times(&walk, index, coded, n);
        *wrong = memory->spent ? NULL : stream.wrong;
    }
    refrain_fold_free(memory, models);
    refrain_fold_free(memory, walk.room_of_beat);
    free(coded);
    free(walk.copied);
    refrain_fold_free(memory, walk.kinds);
    refrain_fold_free(memory, walk.values);
    if (*times)
        return walk.sheet;
    refrain_sheet_free(walk.sheet);
    return NULL;
}
