/* sheet_head.c: writes the sheet of all ranks as the beginning of a pack, before the times (fold.h, packed_ranks.h). */
#include "fold.h"
#include "packed_file.h"
#include "packed_image.h"
#include "row_learn.h"
#include "shape_guess.h"

#include <string.h>

#define FIRST_STRUCTURE_BYTES ((size_t)64 << 10)
#define FIRST_KEPT 256u

/* A row that later rows may repeat. */
struct kept {
    const struct refrain_fold_row *row;
    uint64_t hash; /* of its values */
};

struct writing {
    const struct refrain_sheet *sheet;
    struct refrain_packed_coder structure;
    struct refrain_guess *guess; /* of the current record */
    struct kept *kept;
    size_t n_kept, room_kept;
    uint64_t *values; /* of a row */
    uint64_t rows_used;
    struct refrain_fold_report *report;
};

static void put(struct writing *writing, enum refrain_packed_kind kind, uint64_t value) {
    refrain_packed_code_value(&writing->structure, kind, &value);
}

static void put_stream_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    put(stream->data, kind, *value);
}

static void put_stream_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes,
                             size_t n) {
    struct writing *writing = stream->data;
    refrain_packed_code_bytes(&writing->structure, kind, bytes, n);
}

/* True if the row has the values in writing->values. */
static bool is_row(const struct writing *writing, const struct refrain_fold_row *row, size_t n) {
    const uint64_t *value = writing->values;
    if (row->n != n)
        return false;
    for (size_t i = 0; i < refrain_fold_runs(row); i++) {
        const struct refrain_fold_run *run = refrain_fold_run_at(row, i);
        for (uint64_t k = 0; k < run->n; k++)
            if (*value++ != refrain_fold_run_value(run, k))
                return false;
    }
    return true;
}

/* If an earlier row has these values, writes its number and sets *again. Else keeps this row for later ones. False
 * without memory. */
static bool put_repeated(struct writing *writing, const struct refrain_fold_row *row, bool *again) {
    size_t n = (size_t)row->n;
    uint64_t hash = refrain_packed_checksum(writing->values, n * sizeof *writing->values);
    *again = true;
    for (size_t i = 0; i < writing->n_kept; i++)
        if (writing->kept[i].hash == hash && is_row(writing, writing->kept[i].row, n)) {
            put(writing, REFRAIN_PACKED_HAS, REFRAIN_ROW_REPEATED);
            put(writing, REFRAIN_PACKED_KEY, i);
            return true;
        }
    *again = false;
    if (writing->n_kept == writing->room_kept) {
        size_t room = writing->room_kept ? writing->room_kept * 2 : FIRST_KEPT;
        struct kept *more = refrain_fold_grow(writing->sheet->memory, writing->kept, room * sizeof *more);
        if (!more)
            return false;
        writing->kept = more;
        writing->room_kept = room;
    }
    writing->kept[writing->n_kept++] = (struct kept){row, hash};
    return true;
}

static bool put_row(struct writing *writing, enum refrain_packed_kind kind, const struct refrain_fold_row *row) {
    struct refrain_packed_stream stream = {.data = writing, .value = put_stream_value, .bytes = put_stream_bytes};
    size_t n = (size_t)row->n, trace_file_bytes;
    const void *trace_file;
    bool again;
    writing->report->rows++;
    if (refrain_fold_row_is_same(row)) {
        writing->report->same_rows++;
        put(writing, REFRAIN_PACKED_HAS, REFRAIN_ROW_SAME);
        put(writing, kind, n ? row->first.base : 0);
        return true;
    }
    refrain_fold_row_values(row, writing->values);
    if (!put_repeated(writing, row, &again) || again)
        return again;
    const struct refrain_learner *learner = refrain_row_learn(writing->values, n, &trace_file, &trace_file_bytes);
    if (learner) {
        writing->report->learned_rows++;
        put(writing, REFRAIN_PACKED_HAS, REFRAIN_ROW_LEARNED);
        writing->rows_used =
            refrain_packed_write_learner(trace_file, trace_file_bytes, learner, writing->rows_used, &stream);
        return true;
    }
    put(writing, REFRAIN_PACKED_HAS, REFRAIN_ROW_PLAIN);
    for (size_t i = 0; i < n; i++)
        put(writing, kind, writing->values[i]);
    return true;
}

static bool put_shape(struct writing *writing, const struct refrain_fold_shape *shape) {
    bool done = true;
    put(writing, REFRAIN_PACKED_ITEMS, shape->n);
    refrain_packed_code_bytes(&writing->structure, REFRAIN_PACKED_NAME, shape->kinds, (size_t)shape->n);
    for (uint64_t i = 0; done && i < shape->n; i++) {
        writing->report->values += shape->rows[i].n;
        done = put_row(writing, shape->kinds[i], &shape->rows[i]);
    }
    return done;
}

/* Writes a shape of a record that has several. */
static bool put_shape_by_guess(struct writing *writing, const struct refrain_fold_shape *shape) {
    bool done = true;
    put(writing, REFRAIN_PACKED_ITEMS, shape->n);
    refrain_guess_begin_shape(writing->guess);
    for (uint64_t i = 0; done && i < shape->n; i++) {
        const struct refrain_fold_row *row = &shape->rows[i];
        bool same = refrain_fold_row_is_same(row);
        struct refrain_guess_symbol symbol = {same && row->n ? row->first.base : 0, shape->kinds[i], same};
        const struct refrain_guess_symbol *guessed = refrain_guess_next(writing->guess);
        bool right = guessed && refrain_guess_is(guessed, &symbol);
        if (guessed)
            put(writing, REFRAIN_PACKED_GUESSED, right);
        if (right) {
            writing->report->rows++;
            writing->report->same_rows++;
        } else {
            put(writing, REFRAIN_PACKED_KIND, symbol.kind);
            done = put_row(writing, shape->kinds[i], row);
        }
        writing->report->values += row->n;
        refrain_guess_append(writing->guess, &symbol);
    }
    return done;
}

static bool put_structure(struct writing *writing) {
    const struct refrain_sheet *sheet = writing->sheet;
    bool done = true;
    put(writing, REFRAIN_PACKED_COUNT_OF, sheet->n_texts);
    for (size_t i = 0; i < sheet->n_texts; i++) {
        put(writing, REFRAIN_PACKED_NAME_LENGTH, sheet->texts[i].length);
        refrain_packed_code_bytes(&writing->structure, REFRAIN_PACKED_TEXT, sheet->texts[i].bytes,
                                  sheet->texts[i].length);
    }
    put(writing, REFRAIN_PACKED_COUNT_OF, sheet->n_records);
    for (size_t i = 0; done && i < sheet->n_records; i++) {
        const struct refrain_fold_record *record = &sheet->records[i];
        put(writing, REFRAIN_PACKED_COUNT_OF, record->key - (i > 0 ? record[-1].key : 0));
        done = put_row(writing, REFRAIN_PACKED_USED, &record->shape_of);
        if (record->n_shapes == 1)
            done = done && put_shape(writing, record->shapes);
        else
            refrain_guess_begin(writing->guess);
        for (size_t k = 0; done && record->n_shapes > 1 && k < record->n_shapes; k++)
            done = put_shape_by_guess(writing, &record->shapes[k]);
    }
    return done;
}

/* Codes the structure, leaving `before` bytes free before it. *n: its length. Null without memory. */
static unsigned char *code_structure(struct writing *writing, size_t before, size_t *n) {
    struct refrain_fold_memory *memory = writing->sheet->memory;
    struct refrain_packed_models *models = refrain_fold_allocate(memory, sizeof *models);
    unsigned char *bytes = NULL;
    *n = 0;
    for (size_t room = FIRST_STRUCTURE_BYTES; models && *n == 0; room *= 2) {
        refrain_fold_free(memory, bytes);
        bytes = refrain_fold_allocate(memory, before + room);
        if (!bytes)
            break;
        *writing->report = (struct refrain_fold_report){0};
        writing->n_kept = 0;
        writing->rows_used = REFRAIN_HEADER_BYTES;
        refrain_packed_models_begin(models);
        refrain_packed_coder_open(&writing->structure, models, bytes + before, room, false);
        if (!put_structure(writing))
            break;
        *n = refrain_packed_coder_close(&writing->structure);
    }
    refrain_fold_free(memory, models);
    if (*n > 0)
        return bytes;
    refrain_fold_free(memory, bytes);
    return NULL;
}

unsigned char *refrain_sheet_head(struct refrain_sheet *sheet, size_t *n, struct refrain_fold_report *report) {
    struct refrain_ranks_header header = {.version = REFRAIN_TRACE_VERSION, .header_bytes = sizeof header};
    struct writing writing = {.sheet = sheet, .report = report};
    size_t index_bytes = sheet->n_ranks * sizeof *sheet->index, before = sizeof header + index_bytes, structure;
    writing.values = refrain_fold_allocate(sheet->memory, sheet->n_ranks * sizeof *writing.values);
    writing.guess = refrain_fold_allocate(sheet->memory, sizeof *writing.guess);
    unsigned char *head = writing.values && writing.guess ? code_structure(&writing, before, &structure) : NULL;
    refrain_fold_free(sheet->memory, writing.values);
    refrain_fold_free(sheet->memory, writing.guess);
    refrain_fold_free(sheet->memory, writing.kept);
    refrain_row_end();
    if (!head)
        return NULL;
    uint64_t at = before + structure;
    for (size_t i = 0; i < sheet->n_ranks; i++) {
        sheet->index[i].at = at;
        at += sheet->index[i].coded_bytes + sheet->index[i].copied_bytes;
    }
    memcpy(header.magic, REFRAIN_RANKS_MAGIC, sizeof header.magic);
    header.n_ranks = (uint32_t)sheet->n_ranks;
    header.structure_bytes = report->structure_bytes = structure;
    header.rows_bytes = writing.rows_used;
    memcpy(head + sizeof header, sheet->index, index_bytes);
    header.checksum = refrain_packed_checksum(head + sizeof header, index_bytes + structure);
    memcpy(head, &header, sizeof header);
    *n = before + structure;
    return head;
}
