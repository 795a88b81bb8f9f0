/* ranks_read.c: makes the images of all processes from a pack (packed_ranks.h, trace_parts.h). */
#include "common/array.h"
#include "model/copied_times.h"
#include "model/trace_parts.h"
#include "packed/packed_file.h"
#include "packed/packed_image.h"
#include "packed/packed_ranks.h"
#include "packed/shape_guess.h"
#include "sequence/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES ((uint64_t)1 << 28)
/* The most values that a byte of the structure can hold: each takes at least 1/2000 of a bit. */
#define MOST_BYTES_A_BYTE 2000u

/* One value per rank. */
struct row {
    uint64_t same;
    const uint64_t *values; /* null: all are the same */
};

/* One of the values of a shape, for each rank that has the shape. */
struct shape_value {
    struct row row;
    unsigned char kind;
};

struct shape {
    uint64_t n; /* number of values of a rank */
    size_t capacity;
    struct shape_value *values;
    size_t position; /* position of the next rank among those of the shape */
};

struct record {
    struct row shapes;
    struct shape *all;
    size_t n_shapes;
};

struct text {
    char *bytes;
    uint64_t length;
};

struct ranks {
    const struct refrain_ranks_header *header;
    const struct refrain_ranks_index *index;
    struct refrain_packed_models *models;
    struct refrain_packed_coder coder;
    struct refrain_packed_stream stream; /* of the structure */
    struct text *texts; /* arrays grow while values are read, as a count in a damaged file may be huge */
    size_t n_texts, capacity_texts;
    struct record *records;
    size_t n_records, capacity_records;
    struct refrain_guess *guess; /* of the current record */
    uint64_t **kept;             /* rows that later rows may repeat */
    size_t n_kept, capacity_kept;
    unsigned char *rows_image;
    uint64_t rows_used;
    void **owned;
    size_t n_owned, capacity_owned;
    uint64_t values; /* in memory; bounded, as a damaged file may ask for any number */
};

static void *own(struct ranks *ranks, uint64_t n, size_t bytes) {
    if (!REFRAIN_ARRAY_ROOM(ranks->owned, ranks->n_owned, ranks->capacity_owned))
        return NULL;
    ranks->values += n;
    void *memory = ranks->values > MOST_VALUES * 8 ? NULL : calloc(n ? n : 1, bytes);
    if (memory)
        ranks->owned[ranks->n_owned++] = memory;
    return memory;
}

static void release(struct ranks *ranks) {
    for (size_t i = 0; i < ranks->n_records; i++)
        for (size_t c = 0; c < ranks->records[i].n_shapes; c++)
            free(ranks->records[i].all[c].values);
    free(ranks->records);
    free(ranks->texts);
    for (size_t i = 0; i < ranks->n_owned; i++)
        free(ranks->owned[i]);
    free(ranks->owned);
    free(ranks->kept);
}

/* ---- the structure ---- */

static void next_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    struct ranks *ranks = stream->data;
    refrain_packed_code_value(&ranks->coder, kind, value);
    if (ranks->coder.full)
        refrain_packed_fail(stream, "the structure ends too early");
}

static void next_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    struct ranks *ranks = stream->data;
    refrain_packed_code_bytes(&ranks->coder, kind, bytes, n);
    if (ranks->coder.full)
        refrain_packed_fail(stream, "the structure ends too early");
}

static uint64_t number(struct ranks *ranks, enum refrain_packed_kind kind, uint64_t most) {
    uint64_t value = 0;
    if (!ranks->stream.wrong)
        next_value(&ranks->stream, kind, &value);
    if (value > most)
        refrain_packed_fail(&ranks->stream, "the structure makes no sense");
    return ranks->stream.wrong ? 0 : value;
}

/* Upper bound of the bytes that the structure can stand for. */
static uint64_t most_bytes(const struct ranks *ranks) {
    uint64_t most = (ranks->header->structure_bytes + 1) * MOST_BYTES_A_BYTE;
    return most < MOST_VALUES ? most : MOST_VALUES;
}

static bool read_texts(struct ranks *ranks) {
    uint64_t n = number(ranks, REFRAIN_PACKED_COUNT_OF, MOST_VALUES);
    while (ranks->n_texts < n && !ranks->stream.wrong) {
        if (!REFRAIN_ARRAY_ROOM(ranks->texts, ranks->n_texts, ranks->capacity_texts))
            return false;
        struct text *text = &ranks->texts[ranks->n_texts];
        text->length = number(ranks, REFRAIN_PACKED_NAME_LENGTH, most_bytes(ranks));
        text->bytes = own(ranks, text->length, 1);
        if (!text->bytes)
            return false;
        next_bytes(&ranks->stream, REFRAIN_PACKED_TEXT, text->bytes, text->length);
        ranks->n_texts++;
    }
    return true;
}

/* Keeps the values of a row, which a later row may repeat. */
static bool keep(struct ranks *ranks, uint64_t *values) {
    if (!REFRAIN_ARRAY_ROOM(ranks->kept, ranks->n_kept, ranks->capacity_kept))
        return false;
    ranks->kept[ranks->n_kept++] = values;
    return true;
}

static void read_learned(struct ranks *ranks, uint64_t *values, uint64_t n) {
    struct refrain_learner learner = {0};
    if (!refrain_packed_read_learner(ranks->rows_image, ranks->header->rows_bytes, &ranks->rows_used, &learner,
                                     &ranks->stream))
        return;
    struct refrain_sequence sequence;
    int64_t value;
    uint64_t got = 0;
    refrain_sequence_open(&sequence, ranks->rows_image, ranks->header->rows_bytes, &learner);
    while (got < n && refrain_sequence_next(&sequence, &value))
        values[got++] = (uint64_t)value;
    if (got < n)
        refrain_packed_fail(&ranks->stream, "a row over the ranks ends too early");
    refrain_sequence_close(&sequence);
}

static bool read_row(struct ranks *ranks, enum refrain_packed_kind kind, uint64_t n, struct row *row) {
    uint64_t form = number(ranks, REFRAIN_PACKED_HAS, REFRAIN_ROW_FORMS - 1);
    *row = (struct row){0};
    if (form == REFRAIN_ROW_SAME) {
        next_value(&ranks->stream, kind, &row->same);
        return true;
    }
    if (form == REFRAIN_ROW_REPEATED) {
        uint64_t which = number(ranks, REFRAIN_PACKED_KEY, ranks->n_kept ? ranks->n_kept - 1 : 0);
        /* the first word is the length */
        if (which >= ranks->n_kept || ranks->kept[which][0] != n)
            refrain_packed_fail(&ranks->stream, "a row over the ranks is of others");
        else
            row->values = ranks->kept[which] + 1;
        return true;
    }
    uint64_t *values = own(ranks, n + 1, sizeof *values);
    if (!values || !keep(ranks, values))
        return false;
    values[0] = n;
    row->values = values + 1;
    if (form == REFRAIN_ROW_LEARNED)
        read_learned(ranks, values + 1, n);
    for (uint64_t i = 0; form == REFRAIN_ROW_PLAIN && i < n && !ranks->stream.wrong; i++)
        next_value(&ranks->stream, kind, &values[1 + i]);
    return true;
}

static uint64_t row_value(const struct row *row, size_t i) {
    return row->values ? row->values[i] : row->same;
}

/* Room for one more value; null without memory. */
static struct shape_value *add_value(struct shape *shape) {
    if (!REFRAIN_ARRAY_ROOM(shape->values, shape->n, shape->capacity))
        return NULL;
    shape->values[shape->n] = (struct shape_value){0};
    return &shape->values[shape->n++];
}

static bool read_shape(struct ranks *ranks, struct shape *shape, uint64_t members) {
    uint64_t n = number(ranks, REFRAIN_PACKED_ITEMS, most_bytes(ranks));
    unsigned char *kinds = own(ranks, n, 1);
    if (!kinds)
        return false;
    next_bytes(&ranks->stream, REFRAIN_PACKED_NAME, kinds, n);
    for (uint64_t i = 0; i < n && !ranks->stream.wrong; i++) {
        struct shape_value *value = add_value(shape);
        if (!value)
            return false;
        value->kind = kinds[i];
        if (value->kind >= REFRAIN_PACKED_KINDS)
            refrain_packed_fail(&ranks->stream, "a value of unknown kind");
        else if (!read_row(ranks, value->kind, members, &value->row))
            return false;
    }
    return true;
}

/* Reads one of several shapes of a record, by guesses from the shapes before it. */
static bool read_shape_by_guess(struct ranks *ranks, struct shape *shape, uint64_t members) {
    uint64_t n = number(ranks, REFRAIN_PACKED_ITEMS, MOST_VALUES);
    refrain_guess_begin_shape(ranks->guess);
    for (uint64_t i = 0; i < n && !ranks->stream.wrong; i++) {
        struct shape_value *value = add_value(shape);
        if (!value)
            return false;
        struct row *row = &value->row;
        const struct refrain_guess_symbol *guessed = refrain_guess_next(ranks->guess);
        struct refrain_guess_symbol symbol;
        if (guessed && number(ranks, REFRAIN_PACKED_GUESSED, 1)) {
            symbol = *guessed;
            row->same = symbol.value;
        } else {
            symbol.kind = (unsigned char)number(ranks, REFRAIN_PACKED_KIND, REFRAIN_PACKED_KINDS - 1);
            if (!read_row(ranks, symbol.kind, members, row))
                return false;
            symbol.same = !row->values;
            symbol.value = row->same;
        }
        value->kind = symbol.kind;
        refrain_guess_append(ranks->guess, &symbol);
    }
    return true;
}

static bool read_record(struct ranks *ranks, struct record *record) {
    uint32_t n = ranks->header->n_ranks;
    number(ranks, REFRAIN_PACKED_COUNT_OF, UINT64_MAX); /* the key of the record, which a reader does not need */
    if (!read_row(ranks, REFRAIN_PACKED_USED, n, &record->shapes))
        return false;
    for (uint32_t i = 0; i < n && !ranks->stream.wrong; i++) {
        uint64_t shape = row_value(&record->shapes, i);
        if (shape > n)
            refrain_packed_fail(&ranks->stream, "a record has more shapes than ranks");
        else if (shape > record->n_shapes)
            record->n_shapes = shape;
    }
    record->all = own(ranks, record->n_shapes, sizeof *record->all);
    if (!record->all)
        record->n_shapes = 0;
    uint64_t *members = calloc(record->n_shapes + 1, sizeof *members);
    bool done = record->all && members;
    for (uint32_t i = 0; done && i < n && !ranks->stream.wrong; i++)
        members[row_value(&record->shapes, i)]++;
    if (record->n_shapes > 1)
        refrain_guess_begin(ranks->guess);
    for (size_t c = 0; done && c < record->n_shapes && !ranks->stream.wrong; c++)
        done = record->n_shapes > 1 ? read_shape_by_guess(ranks, &record->all[c], members[c + 1])
                                    : read_shape(ranks, &record->all[c], members[c + 1]);
    free(members);
    return done;
}

static bool read_structure(struct ranks *ranks) {
    if (!read_texts(ranks))
        return false;
    uint64_t n = number(ranks, REFRAIN_PACKED_COUNT_OF, MOST_VALUES);
    while (ranks->n_records < n && !ranks->stream.wrong) {
        if (!REFRAIN_ARRAY_ROOM(ranks->records, ranks->n_records, ranks->capacity_records))
            return false;
        ranks->records[ranks->n_records] = (struct record){0};
        if (!read_record(ranks, &ranks->records[ranks->n_records++]))
            return false;
    }
    return true;
}

/* ---- a rank ---- */

struct reading {
    struct ranks *ranks;
    size_t rank; /* row of the index */
    const struct refrain_ranks_index *index;
    const unsigned char *coded, *copied; /* its times */
    size_t copied_bytes;
    struct refrain_packed_coder coder;
    size_t copied_at, timeline_bytes;
    uint64_t record, value; /* the next record and value */
};

/* Returns the next value of the rank from the structure. */
static bool take(struct reading *reading, enum refrain_packed_kind kind, uint64_t *value) {
    for (; reading->record < reading->ranks->n_records; reading->record++, reading->value = 0) {
        struct record *record = &reading->ranks->records[reading->record];
        uint64_t number = row_value(&record->shapes, reading->rank);
        if (number == 0)
            continue;
        struct shape *shape = &record->all[number - 1];
        if (reading->value >= shape->n)
            continue;
        *value = row_value(&shape->values[reading->value].row, shape->position);
        return shape->values[reading->value++].kind == kind;
    }
    return false;
}

static void rank_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    struct reading *reading = stream->data;
    if (!refrain_packed_is_time(kind)) {
        if (!take(reading, kind, value))
            refrain_packed_fail(stream, "the records of a rank do not follow each other");
        return;
    }
    refrain_packed_code_value(&reading->coder, kind, value);
    if (reading->coder.full)
        refrain_packed_fail(stream, "the times of a rank end too early");
}

static void rank_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    struct reading *reading = stream->data;
    uint64_t which = 0;
    if (kind == REFRAIN_PACKED_TIMELINE) {
        reading->timeline_bytes += n;
        if (reading->timeline_bytes <= REFRAIN_PACKED_CODED_TIMES) {
            refrain_packed_code_bytes(&reading->coder, kind, bytes, n);
        } else if (n <= reading->copied_bytes - reading->copied_at) {
            memcpy(bytes, reading->copied + reading->copied_at, n);
            reading->copied_at += n;
        } else {
            refrain_packed_fail(stream, "the times of a rank end too early");
        }
        return;
    }
    if (!take(reading, kind, &which) || which >= reading->ranks->n_texts || reading->ranks->texts[which].length != n)
        refrain_packed_fail(stream, "a name is not what it should be");
    else
        memcpy(bytes, reading->ranks->texts[which].bytes, n);
}

static void release_image(struct refrain_process *process) {
    free(process->mapped);
}

static enum refrain_status read_rank(struct reading *reading, struct refrain_process *process,
                                     struct refrain_error *error) {
    struct refrain_packed_stream stream = {.data = reading, .value = rank_value, .bytes = rank_bytes};
    uint64_t bytes = reading->index->image_bytes;
    void *image = bytes >= REFRAIN_HEADER_BYTES && bytes <= (uint64_t)REFRAIN_ALIGNMENT_BYTES << 32
                      ? calloc(1, (size_t)bytes)
                      : NULL;
    if (!image)
        return REFRAIN_FAIL_MEMORY(error);
    process->mapped = image;
    process->mapped_bytes = process->image_bytes = (size_t)bytes;
    process->release = release_image;
    process->image = image;
    process->header = image;
    process->file_bytes = (size_t)(reading->index->coded_bytes + reading->index->copied_bytes);
    refrain_packed_models_begin(reading->ranks->models);
    refrain_packed_coder_open(&reading->coder, reading->ranks->models, (unsigned char *)(uintptr_t)reading->coded,
                              (size_t)reading->index->coded_bytes, true);
    if (!refrain_packed_read(image, (size_t)bytes, &stream))
        return REFRAIN_FAIL(error, "%s: damaged: %s", process->path,
                            stream.wrong ? stream.wrong : "an image is too small");
    enum refrain_status status = refrain_image_check(process->path, process->header, bytes, error);
    return status ? status : refrain_image_begin(process, error);
}

/* Adds the rank whose times are at `times`. */
static enum refrain_status add_rank(struct reading *reading, struct refrain_trace *trace, const char *path,
                                    const unsigned char *times, struct refrain_error *error) {
    const struct refrain_ranks_index *index = reading->index;
    const char *wrong = "of a form that this refrain does not know";
    unsigned char *expanded = NULL;
    char name[4096];
    snprintf(name, sizeof name, "%.4000s (rank %d)", path, index->rank);
    reading->coded = times;
    reading->copied = times + index->coded_bytes;
    reading->copied_bytes = (size_t)index->copied_bytes;
    if (index->copied_form == REFRAIN_COPIED_ZSTD)
        reading->copied = expanded = refrain_copied_expand(reading->copied, reading->copied_bytes,
                                                           (size_t)index->image_bytes, &reading->copied_bytes, &wrong);
    if (!reading->copied || index->copied_form >= REFRAIN_COPIED_FORMS)
        return REFRAIN_FAIL(error, "%s: %s", name, wrong);
    struct refrain_process *process = refrain_trace_add_process(trace, name, NULL);
    enum refrain_status status = process ? read_rank(reading, process, error) : REFRAIN_FAIL_MEMORY(error);
    free(expanded);
    return status;
}

/* Moves the rows of the shapes of this rank to the next rank. */
static void pass_rank(struct ranks *ranks, size_t rank) {
    for (uint64_t i = 0; i < ranks->n_records; i++) {
        uint64_t number = row_value(&ranks->records[i].shapes, rank);
        if (number > 0)
            ranks->records[i].all[number - 1].position++;
    }
}

static enum refrain_status read_ranks(struct ranks *ranks, struct refrain_trace *trace, const char *path,
                                      const unsigned char *file, size_t length, struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    for (uint32_t i = 0; !status && i < ranks->header->n_ranks; i++) {
        const struct refrain_ranks_index *index = &ranks->index[i];
        struct reading reading = {.ranks = ranks, .rank = i, .index = index};
        bool whole = index->at <= length && index->coded_bytes <= length - index->at &&
                     index->copied_bytes <= length - index->at - index->coded_bytes;
        if (whole && refrain_packed_checksum(file + index->at, (size_t)(index->coded_bytes + index->copied_bytes)) ==
                         index->checksum)
            status = add_rank(&reading, trace, path, file + index->at, error);
        else
            trace->n_damaged++;
        pass_rank(ranks, i);
    }
    if (!status && trace->n_processes == 0)
        status = REFRAIN_FAIL(
            error, "%s: cut short or damaged: no rank's part is whole; copy it again from where it was made", path);
    return status;
}

bool refrain_ranks_are_packed(const void *bytes, size_t length) {
    return length >= sizeof REFRAIN_RANKS_MAGIC - 1 &&
           memcmp(bytes, REFRAIN_RANKS_MAGIC, sizeof REFRAIN_RANKS_MAGIC - 1) == 0;
}

enum refrain_status refrain_ranks_unpack(struct refrain_trace *trace, const char *path, const void *bytes,
                                         size_t length, struct refrain_error *error) {
    const struct refrain_ranks_header *header = bytes;
    struct ranks ranks = {.header = header};
    if (length < sizeof *header)
        return REFRAIN_FAIL(error, "%s: truncated: copy it again from where it was made (%zu bytes)", path, length);
    if (refrain_image_check_version(path, header->version, error))
        return REFRAIN_ERROR;
    uint64_t index_bytes = (uint64_t)header->n_ranks * sizeof *ranks.index, rest = length - sizeof *header;
    if (header->header_bytes != sizeof *header || header->n_ranks > REFRAIN_MOST_RANKS || index_bytes > rest ||
        header->structure_bytes > rest - index_bytes)
        return REFRAIN_FAIL(error,
                            "%s: cut short: not even what all ranks have in common is there; copy it again from where "
                            "it was made (%zu bytes)",
                            path, length);
    const unsigned char *file = bytes, *structure = file + sizeof *header + index_bytes;
    if (header->rows_bytes > MOST_VALUES * 64 || header->rows_bytes < REFRAIN_HEADER_BYTES ||
        refrain_packed_checksum(file + sizeof *header, (size_t)(index_bytes + header->structure_bytes)) !=
            header->checksum)
        return REFRAIN_FAIL(
            error, "%s: damaged: the checksum of what all ranks have in common, bytes %zu to %llu, is wrong", path,
            sizeof *header, (unsigned long long)(sizeof *header + index_bytes + header->structure_bytes - 1));
    ranks.index = (const struct refrain_ranks_index *)(header + 1);
    ranks.models = own(&ranks, 1, sizeof *ranks.models);
    ranks.rows_image = own(&ranks, header->rows_bytes, 1);
    ranks.guess = own(&ranks, 1, sizeof *ranks.guess);
    ranks.rows_used = REFRAIN_HEADER_BYTES;
    ranks.stream = (struct refrain_packed_stream){.data = &ranks, .value = next_value, .bytes = next_bytes};
    enum refrain_status status = REFRAIN_OK;
    if (ranks.models && ranks.rows_image) {
        refrain_packed_models_begin(ranks.models);
        refrain_packed_coder_open(&ranks.coder, ranks.models, (unsigned char *)(uintptr_t)structure,
                                  (size_t)header->structure_bytes, true);
    }
    if (!ranks.models || !ranks.rows_image || !ranks.guess || !read_structure(&ranks))
        status = REFRAIN_FAIL_MEMORY(error);
    else if (ranks.stream.wrong)
        status = REFRAIN_FAIL(error, "%s: damaged: %s", path, ranks.stream.wrong);
    else
        status = read_ranks(&ranks, trace, path, file, length, error);
    trace->pack_structure_bytes = header->structure_bytes;
    trace->pack_bytes = length;
    release(&ranks);
    return status;
}
