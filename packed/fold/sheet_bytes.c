/* sheet_bytes.c: converts a sheet to bytes for another process of the job, and back (fold.h). Numbers have seven
 * bits per byte. */
#include "fold.h"

#include <string.h>

struct bytes {
    struct refrain_fold_memory *memory;
    unsigned char *all; /* written or read */
    size_t n, room;     /* n: position; room: capacity when writing, size when reading */
    bool failed;
};

/* ---- writing ---- */

static unsigned char *room_for(struct bytes *bytes, size_t n) {
    if (bytes->failed)
        return NULL;
    if (n > bytes->room - bytes->n) {
        size_t room = 2 * bytes->room + n + 4096;
        unsigned char *more = refrain_fold_grow(bytes->memory, bytes->all, room);
        if (!more) {
            bytes->failed = true;
            return NULL;
        }
        bytes->all = more;
        bytes->room = room;
    }
    bytes->n += n;
    return bytes->all + bytes->n - n;
}

static void put_bytes(struct bytes *bytes, const void *from, size_t n) {
    unsigned char *to = room_for(bytes, n);
    if (to && n > 0)
        memcpy(to, from, n);
}

static void put(struct bytes *bytes, uint64_t value) {
    unsigned char coded[10];
    size_t n = 0;
    for (; value >= 128; value >>= 7)
        coded[n++] = (unsigned char)(value | 128);
    coded[n++] = (unsigned char)value;
    put_bytes(bytes, coded, n);
}

static void put_row(struct bytes *bytes, const struct refrain_fold_row *row) {
    put(bytes, refrain_fold_runs(row));
    for (size_t i = 0; i < refrain_fold_runs(row); i++) {
        const struct refrain_fold_run *run = refrain_fold_run_at(row, i);
        put(bytes, run->n);
        put(bytes, run->base);
        if (run->n > 1)
            put(bytes, run->stride << 1 ^ (0 - (run->stride >> 63)));
    }
}

unsigned char *refrain_sheet_to_bytes(const struct refrain_sheet *sheet, size_t *n) {
    struct bytes bytes = {.memory = sheet->memory};
    put(&bytes, sheet->n_ranks);
    put_bytes(&bytes, sheet->index, sheet->n_ranks * sizeof *sheet->index);
    put(&bytes, sheet->n_texts);
    for (size_t i = 0; i < sheet->n_texts; i++) {
        put(&bytes, sheet->texts[i].length);
        put_bytes(&bytes, sheet->texts[i].bytes, sheet->texts[i].length);
    }
    put(&bytes, sheet->n_records);
    for (size_t i = 0; i < sheet->n_records; i++) {
        const struct refrain_fold_record *record = &sheet->records[i];
        put(&bytes, record->key);
        put_row(&bytes, &record->shape_of);
        put(&bytes, record->n_shapes);
        for (size_t k = 0; k < record->n_shapes; k++) {
            const struct refrain_fold_shape *shape = &record->shapes[k];
            put(&bytes, shape->n);
            put_bytes(&bytes, shape->kinds, (size_t)shape->n);
            for (uint64_t v = 0; v < shape->n; v++)
                put_row(&bytes, &shape->rows[v]);
        }
    }
    *n = bytes.n;
    if (!bytes.failed)
        return bytes.all;
    refrain_fold_free(sheet->memory, bytes.all);
    return NULL;
}

/* ---- reading ---- */

static const unsigned char *get_bytes(struct bytes *bytes, uint64_t n) {
    if (n > bytes->room - bytes->n)
        bytes->failed = true;
    if (bytes->failed)
        return NULL;
    bytes->n += (size_t)n;
    return bytes->all + bytes->n - n;
}

static uint64_t get(struct bytes *bytes) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const unsigned char *byte = get_bytes(bytes, 1);
        if (!byte)
            return 0;
        value |= (uint64_t)(*byte & 127) << shift;
        if (!(*byte & 128))
            break;
    }
    return value;
}

/* Allocates room for `n` objects, each of which needs at least a byte of the input. */
static void *room_of(struct bytes *bytes, uint64_t n, size_t each) {
    void *room = n > bytes->room - bytes->n ? NULL : refrain_fold_allocate(bytes->memory, (size_t)n * each);
    if (!room)
        bytes->failed = true;
    return room;
}

static void get_row(struct bytes *bytes, struct refrain_fold_row *row) {
    uint64_t n = get(bytes);
    if (n > 1) {
        row->more = room_of(bytes, n - 1, sizeof *row->more);
        row->n_more = row->room = row->more ? (uint32_t)(n - 1) : 0;
    }
    for (uint64_t i = 0; i < n && !bytes->failed; i++) {
        struct refrain_fold_run *run = i == 0 ? &row->first : &row->more[i - 1];
        run->n = get(bytes);
        run->base = get(bytes);
        uint64_t stride = run->n > 1 ? get(bytes) : 0;
        run->stride = stride >> 1 ^ (0 - (stride & 1));
        row->n += run->n;
    }
}

static void get_shape(struct bytes *bytes, struct refrain_fold_shape *shape) {
    uint64_t n = get(bytes);
    const unsigned char *kinds = get_bytes(bytes, n);
    shape->kinds = room_of(bytes, n, 1);
    shape->rows = room_of(bytes, n, sizeof *shape->rows);
    if (!kinds || !shape->kinds || !shape->rows) {
        bytes->failed = true;
        return;
    }
    memcpy(shape->kinds, kinds, (size_t)n);
    shape->n = n;
    for (uint64_t i = 0; i < n && !bytes->failed; i++)
        get_row(bytes, &shape->rows[i]);
}

static void get_records(struct bytes *bytes, struct refrain_sheet *sheet) {
    uint64_t n = get(bytes);
    sheet->records = room_of(bytes, n, sizeof *sheet->records);
    sheet->room_records = sheet->records ? (size_t)n : 0;
    for (; sheet->n_records < sheet->room_records && !bytes->failed; sheet->n_records++) {
        struct refrain_fold_record *record = &sheet->records[sheet->n_records];
        record->key = get(bytes);
        get_row(bytes, &record->shape_of);
        uint64_t shapes = get(bytes);
        record->shapes = room_of(bytes, shapes, sizeof *record->shapes);
        record->n_shapes = record->shapes ? (size_t)shapes : 0;
        for (size_t i = 0; i < record->n_shapes && !bytes->failed; i++)
            get_shape(bytes, &record->shapes[i]);
    }
}

static void get_texts(struct bytes *bytes, struct refrain_sheet *sheet) {
    uint64_t n = get(bytes);
    sheet->texts = room_of(bytes, n, sizeof *sheet->texts);
    sheet->room_texts = sheet->texts ? (size_t)n : 0;
    for (; sheet->n_texts < sheet->room_texts && !bytes->failed; sheet->n_texts++) {
        struct refrain_fold_text *text = &sheet->texts[sheet->n_texts];
        uint64_t length = get(bytes);
        const unsigned char *from = get_bytes(bytes, length);
        text->bytes = from ? refrain_fold_allocate(bytes->memory, (size_t)length) : NULL;
        if (!text->bytes) {
            bytes->failed = true;
            return;
        }
        memcpy(text->bytes, from, (size_t)length);
        text->length = (size_t)length;
    }
}

struct refrain_sheet *refrain_sheet_from_bytes(struct refrain_fold_memory *memory, const unsigned char *all, size_t n) {
    struct refrain_sheet *sheet = refrain_fold_allocate(memory, sizeof *sheet);
    if (!sheet)
        return NULL;
    sheet->memory = memory;
    struct bytes bytes = {.memory = memory, .all = (unsigned char *)(uintptr_t)all, .room = n};
    uint64_t n_ranks = get(&bytes);
    const unsigned char *index =
        n_ranks > REFRAIN_MOST_RANKS ? NULL : get_bytes(&bytes, n_ranks * sizeof *sheet->index);
    sheet->index = index ? refrain_fold_allocate(memory, (size_t)n_ranks * sizeof *sheet->index) : NULL;
    if (sheet->index) {
        memcpy(sheet->index, index, (size_t)n_ranks * sizeof *sheet->index);
        sheet->n_ranks = sheet->room_ranks = (size_t)n_ranks;
        get_texts(&bytes, sheet);
        get_records(&bytes, sheet);
    }
    if (sheet->index && !bytes.failed)
        return sheet;
    refrain_sheet_free(sheet);
    return NULL;
}
