/* numbered.c: makes tables of the lists of call sites, overflow sites, user regions and communicators (numbered.h). */
#include "sequence/numbered.h"
#include "common/arena.h"

/* A list of records, each of which begins with the reference of the next one. */
struct list {
    const unsigned char *image;
    size_t image_bytes;
    uint64_t first;
    size_t record_bytes, number_at;
};

/* The record at a reference, or null if it is outside the image. */
static const unsigned char *record_at(const struct list *list, uint64_t reference) {
    uint64_t at = reference * REFRAIN_ALIGNMENT_BYTES;
    bool inside = reference != 0 && reference <= UINT32_MAX && at >= REFRAIN_HEADER_BYTES && at <= list->image_bytes &&
                  list->record_bytes <= list->image_bytes - at;
    return inside ? list->image + at : NULL;
}

static bool make_table(const struct list *list, uint64_t **offsets, size_t *n) {
    size_t most = list->image_bytes / sizeof(struct refrain_overflow_site),
           records = 0; /* the smallest record with a number */
    const unsigned char *record = record_at(list, list->first);
    *n = 0;
    for (; record && records < most; record = record_at(list, *(const uint32_t *)record), records++) {
        uint32_t number = *(const uint32_t *)(record + list->number_at);
        if (number < most && number >= *n)
            *n = (size_t)number + 1;
    }
    *offsets = refrain_calloc(*n ? *n : 1, sizeof **offsets);
    if (!*offsets)
        return false;
    record = record_at(list, list->first);
    for (; record && records > 0; record = record_at(list, *(const uint32_t *)record), records--) {
        uint32_t number = *(const uint32_t *)(record + list->number_at);
        if (number < *n)
            (*offsets)[number] = (uint64_t)(record - list->image);
    }
    return true;
}

/* Adds the rows of an overflow site, as far as there is room. */
static void add_rows(struct refrain_numbered *numbered, size_t most, const struct list *list, uint32_t overflow,
                     uint32_t reference) {
    const struct list rows = {list->image, list->image_bytes, reference, sizeof(struct refrain_overflow_row), 0};
    const unsigned char *record;
    while (numbered->n_rows < most && (record = record_at(&rows, reference))) {
        const struct refrain_overflow_row *row = (const void *)record;
        numbered->rows[++numbered->n_rows] = (struct refrain_numbered_row){
            .row = row, .next = numbered->overflow_sites[overflow].rows, .overflow = overflow};
        numbered->overflow_sites[overflow].rows = (uint32_t)numbered->n_rows;
        reference = row->next;
    }
}

/* Fills in the overflow sites, and at most `rows` of their rows. */
static void read_overflow_sites(struct refrain_numbered *numbered, const struct list *list, const uint64_t *offsets,
                                size_t rows) {
    for (size_t i = 0; i < numbered->n_overflow_sites; i++) {
        const struct refrain_overflow_site *overflow = (const void *)(list->image + offsets[i]);
        if (!offsets[i] || overflow->host >= numbered->n_call_sites)
            continue;
        struct refrain_numbered_overflow_site *made = &numbered->overflow_sites[i];
        made->host = numbered->call_sites[overflow->host];
        made->calls_left = overflow->calls;
        made->slot = overflow->slot;
        made->mixed |= (overflow->flags & REFRAIN_OVERFLOW_MIXED) != 0;
        if (overflow->host < numbered->n_overflow_sites)
            numbered->overflow_sites[overflow->host].mixed |= made->mixed;
        add_rows(numbered, rows, list, (uint32_t)i, overflow->rows);
    }
}

/* False without memory. */
static bool find_overflow_sites(struct refrain_numbered *numbered, const struct list *list) {
    uint64_t *offsets;
    size_t rows = list->first ? list->image_bytes / sizeof(struct refrain_overflow_row) : 0;
    bool sound = make_table(list, &offsets, &numbered->n_overflow_sites);
    numbered->overflow_sites = refrain_calloc(numbered->n_overflow_sites + 1, sizeof *numbered->overflow_sites);
    numbered->rows = refrain_calloc(rows + 1, sizeof *numbered->rows);
    sound = sound && numbered->overflow_sites && numbered->rows;
    if (sound)
        read_overflow_sites(numbered, list, offsets, rows);
    refrain_free(offsets);
    return sound;
}

bool refrain_numbered_open(struct refrain_numbered *numbered, const void *image, size_t image_bytes) {
    const struct refrain_header *header = image;
    const struct list call_sites = {image, image_bytes, header->call_sites, sizeof(struct refrain_call_site),
                                    offsetof(struct refrain_call_site, number)};
    const struct list overflow_sites = {image, image_bytes, header->overflow_sites,
                                        sizeof(struct refrain_overflow_site),
                                        offsetof(struct refrain_overflow_site, number)};
    const struct list regions = {image, image_bytes, header->regions, sizeof(struct refrain_region_name),
                                 offsetof(struct refrain_region_name, number)};
    const struct list communicators = {image, image_bytes, header->communicators, sizeof(struct refrain_communicator),
                                       offsetof(struct refrain_communicator, index)};
    *numbered = (struct refrain_numbered){.image = image};
    if (make_table(&call_sites, &numbered->call_sites, &numbered->n_call_sites) &&
        find_overflow_sites(numbered, &overflow_sites) &&
        make_table(&regions, &numbered->regions, &numbered->n_regions) &&
        make_table(&communicators, &numbered->communicators, &numbered->n_communicators))
        return true;
    refrain_numbered_close(numbered);
    return false;
}

void refrain_numbered_close(struct refrain_numbered *numbered) {
    refrain_free(numbered->call_sites);
    refrain_free(numbered->overflow_sites);
    refrain_free(numbered->rows);
    refrain_free(numbered->regions);
    refrain_free(numbered->communicators);
    *numbered = (struct refrain_numbered){0};
}

/* ---- rows of overflow sites ---- */

static bool has_left(const struct refrain_numbered_row *row, unsigned operation) {
    return row->row->operation == operation && row->given < row->row->count;
}

/* The row that is furthest behind, if all rows are delivered evenly; 0 none. *n: number of rows of this operation. */
static uint32_t next_row(const struct refrain_numbered *numbered, uint64_t overflow, unsigned operation, unsigned *n) {
    uint32_t best = 0;
    double best_due = 0;
    *n = 0;
    for (uint32_t i = numbered->overflow_sites[overflow].rows; i; i = numbered->rows[i].next) {
        const struct refrain_numbered_row *row = &numbered->rows[i];
        *n += row->row->operation == operation;
        double due = ((double)row->given + 0.5) / (double)row->row->count;
        if (has_left(row, operation) && (!best || due < best_due)) {
            best = i;
            best_due = due;
        }
    }
    return best;
}

/* The part of a total that delivery number `given` of `count` gets. */
static int64_t part_of(int64_t total, uint64_t given, uint64_t count) {
    __extension__ typedef __int128 wide;
    return (int64_t)((wide)total * (wide)(given + 1) / (wide)count - (wide)total * (wide)given / (wide)count);
}

bool refrain_numbered_take_row(struct refrain_numbered *numbered, uint64_t host, uint64_t overflow, bool any,
                               unsigned operation, int64_t *values, bool *sure) {
    unsigned n = 0;
    uint32_t found = overflow < numbered->n_overflow_sites ? next_row(numbered, overflow, operation, &n) : 0;
    for (uint32_t i = 1; any && !found && i <= numbered->n_rows; i++)
        if (numbered->overflow_sites[numbered->rows[i].overflow].host == host &&
            has_left(&numbered->rows[i], operation))
            found = i;
    if (!found)
        return false;
    const struct refrain_overflow_row *row = numbered->rows[found].row;
    uint64_t given = numbered->rows[found].given++;
    for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
        values[i] = row->amounts >> i & 1 ? part_of(row->values[i], given, row->count) : row->values[i];
    *sure = n == 1 && !row->differ;
    return true;
}

/* ---- communicators ---- */

static const struct refrain_communicator *communicator_at(const struct refrain_numbered *numbered, uint64_t index) {
    bool known = index < numbered->n_communicators && numbered->communicators[index];
    return known ? (const void *)(numbered->image + numbered->communicators[index]) : NULL;
}

bool refrain_numbered_same_members(const struct refrain_numbered *numbered, uint64_t a, uint64_t b) {
    const struct refrain_communicator *one = communicator_at(numbered, a), *other = communicator_at(numbered, b);
    return one && other && one->members == other->members && one->size == other->size &&
           one->remote_size == other->remote_size; /* equal lists of members are stored only once */
}
