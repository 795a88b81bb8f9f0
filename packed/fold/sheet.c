/* sheet.c: joins sheets (fold.h). */
#include "fold.h"

#include <string.h>

static void free_shape(struct refrain_fold_memory *memory, struct refrain_fold_shape *shape) {
    for (uint64_t i = 0; shape->rows && i < shape->n; i++)
        refrain_fold_row_free(memory, &shape->rows[i]);
    refrain_fold_free(memory, shape->rows);
    refrain_fold_free(memory, shape->kinds);
}

static void free_record(struct refrain_fold_memory *memory, struct refrain_fold_record *record) {
    for (size_t i = 0; i < record->n_shapes; i++)
        free_shape(memory, &record->shapes[i]);
    refrain_fold_free(memory, record->shapes);
    refrain_fold_row_free(memory, &record->shape_of);
}

void refrain_sheet_free(struct refrain_sheet *sheet) {
    if (!sheet)
        return;
    struct refrain_fold_memory *memory = sheet->memory;
    for (size_t i = 0; i < sheet->n_records; i++)
        free_record(memory, &sheet->records[i]);
    for (size_t i = 0; i < sheet->n_texts; i++)
        refrain_fold_free(memory, sheet->texts[i].bytes);
    refrain_fold_free(memory, sheet->records);
    refrain_fold_free(memory, sheet->texts);
    refrain_fold_free(memory, sheet->index);
    refrain_fold_free(memory, sheet);
}

/* ---- texts ---- */

/* Sets map[i] to the number in `sheet` of text i of `other`. Texts that are new in `sheet` are moved there. */
static bool add_texts(struct refrain_sheet *sheet, struct refrain_sheet *other, uint64_t *map) {
    for (size_t i = 0; i < other->n_texts; i++) {
        struct refrain_fold_text *text = &other->texts[i];
        size_t at = i < sheet->n_texts ? i : 0; /* common case: all ranks have the same texts */
        for (size_t k = 0; k < sheet->n_texts; k++, at = at + 1 < sheet->n_texts ? at + 1 : 0)
            if (sheet->texts[at].length == text->length &&
                memcmp(sheet->texts[at].bytes, text->bytes, text->length) == 0)
                goto found;
        if (sheet->n_texts == sheet->room_texts) {
            size_t room = sheet->room_texts ? sheet->room_texts * 2 : 64;
            struct refrain_fold_text *more = refrain_fold_grow(sheet->memory, sheet->texts, room * sizeof *more);
            if (!more)
                return false;
            sheet->texts = more;
            sheet->room_texts = room;
        }
        at = sheet->n_texts++;
        sheet->texts[at] = *text;
        text->bytes = NULL;
    found:
        map[i] = at;
    }
    return true;
}

static bool is_text(unsigned char kind) {
    return kind == REFRAIN_PACKED_NAME || kind == REFRAIN_PACKED_TEXT || kind == REFRAIN_PACKED_ARCHIVE;
}

/* ---- records ---- */

/* Appends the ranks of an equal shape. */
static bool add_shape(struct refrain_fold_memory *memory, struct refrain_fold_shape *shape,
                      const struct refrain_fold_shape *other, const uint64_t *texts) {
    bool done = true;
    for (uint64_t i = 0; done && i < other->n; i++)
        done =
            refrain_fold_row_add_row(memory, &shape->rows[i], &other->rows[i], is_text(other->kinds[i]) ? texts : NULL);
    return done;
}

/* Adds a shape that no earlier rank has; its contents are moved. */
static struct refrain_fold_shape *new_shape(struct refrain_fold_memory *memory, struct refrain_fold_record *record,
                                            struct refrain_fold_shape *other) {
    struct refrain_fold_shape *all =
        refrain_fold_grow(memory, record->shapes, (record->n_shapes + 1) * sizeof *record->shapes);
    if (!all)
        return NULL;
    record->shapes = all;
    struct refrain_fold_shape *shape = &all[record->n_shapes];
    *shape = (struct refrain_fold_shape){.n = other->n};
    shape->rows = refrain_fold_allocate(memory, (size_t)other->n * sizeof *shape->rows);
    if (!shape->rows)
        return NULL;
    record->n_shapes++;
    shape->kinds = other->kinds;
    other->kinds = NULL;
    return shape;
}

static struct refrain_fold_shape *find_shape(const struct refrain_fold_record *record,
                                             const struct refrain_fold_shape *other) {
    for (size_t i = 0; i < record->n_shapes; i++)
        if (record->shapes[i].n == other->n && memcmp(record->shapes[i].kinds, other->kinds, (size_t)other->n) == 0)
            return &record->shapes[i];
    return NULL;
}

static bool add_record(struct refrain_fold_memory *memory, struct refrain_fold_record *record,
                       struct refrain_fold_record *other, const uint64_t *texts) {
    uint64_t *number = refrain_fold_allocate(memory, (other->n_shapes + 1) * sizeof *number);
    bool done = number != NULL;
    for (size_t i = 0; done && i < other->n_shapes; i++) {
        struct refrain_fold_shape *from = &other->shapes[i], *shape = find_shape(record, from);
        const unsigned char *kinds = from->kinds;
        if (!shape)
            shape = new_shape(memory, record, from);
        done = shape != NULL;
        if (!done)
            break;
        number[i + 1] = (uint64_t)(shape - record->shapes) + 1;
        struct refrain_fold_shape with_kinds = {from->n, (unsigned char *)(uintptr_t)kinds, from->rows};
        done = add_shape(memory, shape, &with_kinds, texts);
    }
    done = done && refrain_fold_row_add_row(memory, &record->shape_of, &other->shape_of, number);
    refrain_fold_free(memory, number);
    return done;
}

/* Adds the keys that only `other` has. All earlier ranks have no shape for them. */
static bool add_keys(struct refrain_sheet *sheet, const struct refrain_sheet *other) {
    size_t missing = 0;
    for (size_t i = 0, k = 0; k < other->n_records; k++) {
        while (i < sheet->n_records && sheet->records[i].key < other->records[k].key)
            i++;
        missing += i == sheet->n_records || sheet->records[i].key != other->records[k].key;
    }
    if (missing == 0)
        return true;
    size_t n = sheet->n_records + missing;
    if (n > sheet->room_records) {
        struct refrain_fold_record *more = refrain_fold_grow(sheet->memory, sheet->records, (n + n / 2) * sizeof *more);
        if (!more)
            return false;
        sheet->records = more;
        sheet->room_records = n + n / 2;
    }
    size_t from = sheet->n_records, to = n, k = other->n_records;
    while (to > from) {
        bool own = from > 0 && (k == 0 || sheet->records[from - 1].key >= other->records[k - 1].key);
        if (own) {
            k -= k > 0 && sheet->records[from - 1].key == other->records[k - 1].key;
            sheet->records[--to] = sheet->records[--from];
        } else {
            struct refrain_fold_record *record = &sheet->records[--to];
            *record = (struct refrain_fold_record){.key = other->records[--k].key};
            record->shape_of.n = sheet->n_ranks;
            record->shape_of.first.n = sheet->n_ranks;
        }
    }
    sheet->n_records = n;
    return true;
}

static bool add_records(struct refrain_sheet *sheet, struct refrain_sheet *other, const uint64_t *texts) {
    bool done = add_keys(sheet, other);
    for (size_t i = 0, k = 0; done && i < sheet->n_records; i++) {
        struct refrain_fold_record *record = &sheet->records[i];
        if (k < other->n_records && other->records[k].key == record->key)
            done = add_record(sheet->memory, record, &other->records[k++], texts);
        else
            done =
                refrain_fold_row_add(sheet->memory, &record->shape_of, (struct refrain_fold_run){0, 0, other->n_ranks});
    }
    return done;
}

static bool add_index(struct refrain_sheet *sheet, const struct refrain_sheet *other) {
    size_t n = sheet->n_ranks + other->n_ranks;
    if (n > sheet->room_ranks) {
        struct refrain_ranks_index *more = refrain_fold_grow(sheet->memory, sheet->index, 2 * n * sizeof *more);
        if (!more)
            return false;
        sheet->index = more;
        sheet->room_ranks = 2 * n;
    }
    memcpy(sheet->index + sheet->n_ranks, other->index, other->n_ranks * sizeof *sheet->index);
    return true;
}

bool refrain_sheet_add(struct refrain_sheet *sheet, struct refrain_sheet *other) {
    uint64_t *texts = refrain_fold_allocate(sheet->memory, (other->n_texts + 1) * sizeof *texts);
    bool done = texts && add_texts(sheet, other, texts) && add_records(sheet, other, texts) && add_index(sheet, other);
    sheet->n_ranks += other->n_ranks;
    refrain_fold_free(sheet->memory, texts);
    refrain_sheet_free(other);
    return done;
}
