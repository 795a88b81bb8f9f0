/* ranks_write.c: see ranks_write.h. */
#include "ranks_write.h"
#include "packed_file.h"
#include "packed_ranks.h"
#include "relearn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_STRUCTURE_BYTES ((size_t)1 << 20)

/* What a rank's walk gives. */
struct rank {
    uint64_t *keys, *starts; /* of records: the key, and which value is the first */
    size_t n_records, capacity_records;
    unsigned char *kinds;
    uint64_t *values;
    size_t n_values, capacity_values;
    size_t next_record; /* while records are laid side by side */
    struct refrain_ranks_index index;
    unsigned char *times, *copied;
};

struct text {
    void *bytes;
    size_t length;
};

struct kept_row {
    uint64_t *values;
    size_t n;
};

struct writing {
    const struct refrain_trace *trace;
    struct rank *ranks, *rank; /* the one whose walk is under way */
    size_t n;
    struct text *texts;
    size_t n_texts, capacity_texts;
    struct kept_row *rows;
    size_t n_rows, capacity_rows;
    struct refrain_packed_models *models;
    struct refrain_packed_coder times, structure;
    size_t timeline_bytes, capacity_copied;
    uint64_t rows_used;
    struct refrain_ranks_report *report;
    bool no_memory;
};

/* Room for one more at *array; false without memory. */
static bool grow(struct writing *writing, void *array, size_t n, size_t *capacity, size_t bytes) {
    if (n < *capacity)
        return true;
    size_t more = *capacity ? *capacity * 2 : 256;
    void *larger = realloc(*(void **)array, more * bytes);
    if (!larger) {
        writing->no_memory = true;
        return false;
    }
    *(void **)array = larger;
    *capacity = more;
    return true;
}

/* ---- the walk over a rank ---- */

static void begin_record(struct refrain_packed_stream *stream, uint64_t key) {
    struct writing *writing = stream->data;
    struct rank *rank = writing->rank;
    size_t capacity = rank->capacity_records;
    if (rank->n_records > 0 && key <= rank->keys[rank->n_records - 1])
        refrain_packed_fail(stream, "its records are in no order");
    if (!grow(writing, &rank->keys, rank->n_records, &capacity, sizeof *rank->keys) ||
        !grow(writing, &rank->starts, rank->n_records, &rank->capacity_records, sizeof *rank->starts)) {
        refrain_packed_fail(stream, "there is no memory for it");
        return;
    }
    rank->keys[rank->n_records] = key;
    rank->starts[rank->n_records++] = rank->n_values;
}

static void add_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t value) {
    struct writing *writing = stream->data;
    struct rank *rank = writing->rank;
    size_t capacity = rank->capacity_values;
    if (rank->n_records == 0) /* where archives are pinned */
        begin_record(stream, 0);
    if (!grow(writing, &rank->kinds, rank->n_values, &capacity, sizeof *rank->kinds) ||
        !grow(writing, &rank->values, rank->n_values, &rank->capacity_values, sizeof *rank->values)) {
        refrain_packed_fail(stream, "there is no memory for it");
        return;
    }
    rank->kinds[rank->n_values] = (unsigned char)kind;
    rank->values[rank->n_values++] = value;
}

static void take_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    struct writing *writing = stream->data;
    if (refrain_packed_is_time(kind))
        refrain_packed_code_value(&writing->times, kind, value);
    else
        add_value(stream, kind, *value);
}

/* The number of a text, which is kept once. */
static uint64_t text_number(struct writing *writing, const void *bytes, size_t n) {
    for (size_t i = 0; i < writing->n_texts; i++)
        if (writing->texts[i].length == n && memcmp(writing->texts[i].bytes, bytes, n) == 0)
            return i;
    void *copy = malloc(n ? n : 1);
    if (!copy || !grow(writing, &writing->texts, writing->n_texts, &writing->capacity_texts, sizeof *writing->texts)) {
        writing->no_memory = true;
        free(copy);
        return 0;
    }
    memcpy(copy, bytes, n);
    writing->texts[writing->n_texts] = (struct text){copy, n};
    return writing->n_texts++;
}

static void take_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    struct writing *writing = stream->data;
    struct rank *rank = writing->rank;
    if (kind != REFRAIN_PACKED_TIMELINE) {
        add_value(stream, kind, text_number(writing, bytes, n));
        return;
    }
    writing->timeline_bytes += n;
    if (writing->timeline_bytes <= REFRAIN_PACKED_CODED_TIMES) {
        refrain_packed_code_bytes(&writing->times, kind, bytes, n);
    } else if (n <= writing->capacity_copied - rank->index.copied_bytes) {
        memcpy(rank->copied + rank->index.copied_bytes, bytes, n);
        rank->index.copied_bytes += n;
    }
}

static enum refrain_status walk_rank(struct writing *writing, const struct refrain_process *process,
                                     struct refrain_error *error) {
    struct refrain_packed_stream stream = {
        .data = writing, .record = begin_record, .value = take_value, .bytes = take_bytes};
    struct rank *rank = writing->rank;
    size_t room = process->region_bytes + process->region_bytes / 4 + 4096;
    rank->times = malloc(room);
    rank->copied = malloc(process->region_bytes);
    if (!rank->times || !rank->copied)
        return REFRAIN_FAIL_MEMORY(error);
    writing->timeline_bytes = 0;
    writing->capacity_copied = process->region_bytes;
    refrain_packed_models_begin(writing->models);
    refrain_packed_coder_open(&writing->times, writing->models, rank->times, room, false);
    rank->index.rank = process->header->rank;
    rank->index.image_bytes = refrain_packed_write(process->region, process->region_bytes, &stream);
    rank->index.coded_bytes = refrain_packed_coder_close(&writing->times);
    if (writing->no_memory)
        return REFRAIN_FAIL_MEMORY(error);
    if (!rank->index.image_bytes || !rank->index.coded_bytes)
        return REFRAIN_FAIL(error, "%s: cannot be packed: %s", process->path,
                            stream.wrong ? stream.wrong : "its times do not fit");
    unsigned char *fitting = realloc(rank->times, rank->index.coded_bytes + rank->index.copied_bytes);
    rank->times = fitting ? fitting : rank->times;
    if (!fitting)
        return REFRAIN_FAIL_MEMORY(error);
    memcpy(rank->times + rank->index.coded_bytes, rank->copied, rank->index.copied_bytes);
    free(rank->copied);
    rank->copied = NULL;
    rank->index.checksum = refrain_packed_checksum(rank->times, rank->index.coded_bytes + rank->index.copied_bytes);
    return REFRAIN_OK;
}

/* ---- the structure ---- */

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

static bool all_same(const uint64_t *values, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

static bool put_again(struct writing *writing, const uint64_t *values, size_t n) {
    for (size_t i = writing->n_rows; i-- > 0;)
        if (writing->rows[i].n == n && memcmp(writing->rows[i].values, values, n * sizeof *values) == 0) {
            put(writing, REFRAIN_PACKED_HAS, REFRAIN_ROW_AGAIN);
            put(writing, REFRAIN_PACKED_KEY, i);
            return true;
        }
    uint64_t *copy = malloc(n * sizeof *copy);
    if (!copy || !grow(writing, &writing->rows, writing->n_rows, &writing->capacity_rows, sizeof *writing->rows)) {
        writing->no_memory = true;
        free(copy);
        return true;
    }
    memcpy(copy, values, n * sizeof *copy);
    writing->rows[writing->n_rows++] = (struct kept_row){copy, n};
    return false;
}

static void put_row(struct writing *writing, enum refrain_packed_kind kind, const uint64_t *values, size_t n) {
    struct refrain_packed_stream stream = {.data = writing, .value = put_stream_value, .bytes = put_stream_bytes};
    writing->report->rows++;
    if (n == 0 || all_same(values, n)) {
        writing->report->same_rows++;
        put(writing, REFRAIN_PACKED_HAS, REFRAIN_ROW_SAME);
        put(writing, kind, n ? values[0] : 0);
        return;
    }
    if (put_again(writing, values, n))
        return;
    const void *region;
    size_t region_bytes;
    const struct refrain_learner *learner = refrain_relearn_row(values, n, &region, &region_bytes);
    if (learner) {
        writing->report->learned_rows++;
        put(writing, REFRAIN_PACKED_HAS, REFRAIN_ROW_LEARNED);
        writing->rows_used = refrain_packed_write_learner(region, region_bytes, learner, writing->rows_used, &stream);
        return;
    }
    put(writing, REFRAIN_PACKED_HAS, REFRAIN_ROW_PLAIN);
    for (size_t i = 0; i < n; i++)
        put(writing, kind, values[i]);
}

static const unsigned char *kinds_of(const struct rank *rank, size_t record, size_t *n) {
    size_t end = record + 1 < rank->n_records ? rank->starts[record + 1] : rank->n_values;
    *n = end - rank->starts[record];
    return rank->kinds + rank->starts[record];
}

/* The record that comes next on some rank: classes[i] is the shape that it has on rank i, 0 none. Returns how many
 * shapes there are; first[c]: a rank with shape c + 1. */
static size_t classify(struct writing *writing, uint64_t key, uint64_t *classes, size_t *first) {
    size_t n_classes = 0;
    for (size_t i = 0; i < writing->n; i++) {
        const struct rank *rank = &writing->ranks[i];
        classes[i] = 0;
        if (rank->next_record == rank->n_records || rank->keys[rank->next_record] != key)
            continue;
        size_t n, m, c = 0;
        const unsigned char *kinds = kinds_of(rank, rank->next_record, &n);
        for (; c < n_classes; c++) {
            const struct rank *other = &writing->ranks[first[c]];
            const unsigned char *others = kinds_of(other, other->next_record, &m);
            if (n == m && memcmp(kinds, others, n) == 0)
                break;
        }
        if (c == n_classes)
            first[n_classes++] = i;
        classes[i] = c + 1;
    }
    return n_classes;
}

static void put_class(struct writing *writing, const uint64_t *classes, uint64_t class, size_t first,
                      uint64_t *values) {
    size_t n;
    const struct rank *one = &writing->ranks[first];
    const unsigned char *kinds = kinds_of(one, one->next_record, &n);
    put(writing, REFRAIN_PACKED_ITEMS, n);
    refrain_packed_code_bytes(&writing->structure, REFRAIN_PACKED_NAME, (unsigned char *)(uintptr_t)kinds, n);
    for (size_t k = 0; k < n && !writing->no_memory; k++) {
        size_t members = 0;
        for (size_t i = 0; i < writing->n; i++)
            if (classes[i] == class) {
                const struct rank *rank = &writing->ranks[i];
                values[members++] = rank->values[rank->starts[rank->next_record] + k];
            }
        writing->report->values += members;
        put_row(writing, kinds[k], values, members);
    }
}

static uint64_t lowest_key(const struct writing *writing, bool *any) {
    uint64_t lowest = UINT64_MAX;
    *any = false;
    for (size_t i = 0; i < writing->n; i++) {
        const struct rank *rank = &writing->ranks[i];
        if (rank->next_record < rank->n_records) {
            *any = true;
            if (rank->keys[rank->next_record] < lowest)
                lowest = rank->keys[rank->next_record];
        }
    }
    return lowest;
}

static uint64_t count_records(struct writing *writing) {
    uint64_t n = 0;
    bool any;
    for (uint64_t key = lowest_key(writing, &any); any; key = lowest_key(writing, &any), n++)
        for (size_t i = 0; i < writing->n; i++) {
            struct rank *rank = &writing->ranks[i];
            rank->next_record += rank->next_record < rank->n_records && rank->keys[rank->next_record] == key;
        }
    for (size_t i = 0; i < writing->n; i++)
        writing->ranks[i].next_record = 0;
    return n;
}

static void put_records(struct writing *writing, uint64_t *classes, uint64_t *values, size_t *first) {
    uint64_t before = 0;
    bool any;
    put(writing, REFRAIN_PACKED_COUNT_OF, count_records(writing));
    for (uint64_t key = lowest_key(writing, &any); any && !writing->no_memory; key = lowest_key(writing, &any)) {
        put(writing, REFRAIN_PACKED_COUNT_OF, key - before);
        before = key;
        size_t n_classes = classify(writing, key, classes, first);
        put_row(writing, REFRAIN_PACKED_USED, classes, writing->n);
        for (size_t c = 0; c < n_classes; c++)
            put_class(writing, classes, c + 1, first[c], values);
        for (size_t i = 0; i < writing->n; i++)
            writing->ranks[i].next_record += classes[i] != 0;
    }
}

/* Codes all that ranks have in common; the bytes are the caller's to free. Null without memory. */
static unsigned char *write_structure(struct writing *writing, size_t *n) {
    uint64_t *classes = calloc(writing->n, sizeof *classes), *values = calloc(writing->n, sizeof *values);
    size_t *first = calloc(writing->n, sizeof *first), room = FIRST_STRUCTURE_BYTES;
    for (size_t i = 0; i < writing->n; i++)
        room += writing->ranks[i].n_values * 12; /* the most that a value takes */
    for (size_t i = 0; i < writing->n_texts; i++)
        room += writing->texts[i].length * 2 + 16;
    unsigned char *bytes = malloc(room);
    if (classes && values && first && bytes) {
        refrain_packed_models_begin(writing->models);
        refrain_packed_coder_open(&writing->structure, writing->models, bytes, room, false);
        put(writing, REFRAIN_PACKED_COUNT_OF, writing->n_texts);
        for (size_t i = 0; i < writing->n_texts; i++) {
            put(writing, REFRAIN_PACKED_NAME_LENGTH, writing->texts[i].length);
            refrain_packed_code_bytes(&writing->structure, REFRAIN_PACKED_TEXT, writing->texts[i].bytes,
                                      writing->texts[i].length);
        }
        put_records(writing, classes, values, first);
        *n = refrain_packed_coder_close(&writing->structure);
    } else {
        writing->no_memory = true;
    }
    free(classes);
    free(values);
    free(first);
    if (!writing->no_memory && *n > 0)
        return bytes;
    free(bytes);
    return NULL;
}

/* ---- the file ---- */

static bool write_file(const struct writing *writing, const unsigned char *structure, size_t structure_bytes,
                       FILE *file) {
    struct refrain_ranks_header header = {.version = REFRAIN_TRACE_VERSION, .header_bytes = sizeof header};
    size_t index_bytes = writing->n * sizeof(struct refrain_ranks_index);
    unsigned char *head = malloc(index_bytes + structure_bytes);
    if (!head)
        return false;
    struct refrain_ranks_index *index = (struct refrain_ranks_index *)head;
    uint64_t at = sizeof header + index_bytes + structure_bytes;
    for (size_t i = 0; i < writing->n; i++) {
        index[i] = writing->ranks[i].index;
        index[i].at = at;
        at += index[i].coded_bytes + index[i].copied_bytes;
    }
    memcpy(head + index_bytes, structure, structure_bytes);
    memcpy(header.magic, REFRAIN_RANKS_MAGIC, sizeof header.magic);
    header.n_ranks = (uint32_t)writing->n;
    header.structure_bytes = structure_bytes;
    header.rows_bytes = writing->rows_used;
    header.checksum = refrain_packed_checksum(head, index_bytes + structure_bytes);
    bool done = fwrite(&header, sizeof header, 1, file) == 1 &&
                fwrite(head, 1, index_bytes + structure_bytes, file) == index_bytes + structure_bytes;
    for (size_t i = 0; done && i < writing->n; i++) {
        size_t n = index[i].coded_bytes + index[i].copied_bytes;
        done = fwrite(writing->ranks[i].times, 1, n, file) == n;
        writing->report->times_bytes += n;
    }
    writing->report->index_bytes = sizeof header + index_bytes;
    writing->report->structure_bytes = structure_bytes;
    writing->report->bytes = at;
    free(head);
    return fflush(file) == 0 && done;
}

static void release(struct writing *writing) {
    for (size_t i = 0; writing->ranks && i < writing->n; i++) {
        struct rank *rank = &writing->ranks[i];
        free(rank->keys);
        free(rank->starts);
        free(rank->kinds);
        free(rank->values);
        free(rank->times);
        free(rank->copied);
    }
    for (size_t i = 0; i < writing->n_texts; i++)
        free(writing->texts[i].bytes);
    for (size_t i = 0; i < writing->n_rows; i++)
        free(writing->rows[i].values);
    free(writing->ranks);
    free(writing->texts);
    free(writing->rows);
    free(writing->models);
}

enum refrain_status refrain_ranks_write(const struct refrain_trace *trace, FILE *file, const char *path,
                                        struct refrain_ranks_report *report, struct refrain_error *error) {
    struct writing writing = {.trace = trace, .n = trace->n_processes, .report = report};
    *report = (struct refrain_ranks_report){0};
    writing.ranks = calloc(writing.n, sizeof *writing.ranks);
    writing.models = malloc(sizeof *writing.models);
    writing.rows_used = REFRAIN_HEADER_BYTES;
    enum refrain_status status = writing.ranks && writing.models ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < writing.n; i++) {
        writing.rank = &writing.ranks[i];
        status = walk_rank(&writing, &trace->processes[i], error);
    }
    size_t structure_bytes = 0;
    unsigned char *structure = status ? NULL : write_structure(&writing, &structure_bytes);
    if (!status && !structure)
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status && !write_file(&writing, structure, structure_bytes, file))
        status = REFRAIN_FAIL(error, "%s: cannot be written: %s", path, strerror(errno));
    free(structure);
    release(&writing);
    return status;
}
