/* names_file.c: converts the names of code addresses to bytes and back (names_file.h). */
#define _GNU_SOURCE
#include "files/names_file.h"
#include "model/trace_parts.h"
#include "packed/packed_file.h"
#include <refrain/varint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

struct reading {
    struct refrain_trace *trace;
    const unsigned char *bytes;
    unsigned n, at;
    const char **texts; /* [0] is "" */
    uint64_t n_texts;
    const char *wrong; /* null: no damage so far */
};

static uint64_t fail(struct reading *reading, const char *wrong) {
    reading->wrong = reading->wrong ? reading->wrong : wrong;
    return 0;
}

static uint64_t number(struct reading *reading, uint64_t most) {
    uint64_t value;
    if (reading->wrong || !refrain_varint_get(reading->bytes, reading->n, &reading->at, &value))
        return fail(reading, "a number is cut off");
    return value <= most ? value : fail(reading, "a number is too large");
}

/* Reads a count of items, each of at least `least_bytes` bytes. */
static size_t count(struct reading *reading, unsigned least_bytes) {
    uint64_t n = number(reading, UINT64_MAX);
    return n <= (reading->n - reading->at) / least_bytes ? (size_t)n : fail(reading, "there is less than is said");
}

static void *allocate(struct reading *reading, size_t n, size_t bytes) {
    void *memory = reading->wrong ? NULL : refrain_trace_allocate(reading->trace, n, bytes);
    if (!memory)
        fail(reading, "there is no memory for it");
    return memory;
}

/* Reads a text: it ends with a zero byte, and has no control characters. */
static const char *text(struct reading *reading) {
    size_t length = count(reading, 1);
    const unsigned char *begin = reading->bytes + reading->at;
    if (reading->wrong || length == reading->n - reading->at) {
        fail(reading, "a text is cut off");
        return "";
    }
    for (size_t i = 0; i < length; i++)
        if (begin[i] < ' ' || begin[i] == 127)
            fail(reading, "a text has a control character");
    if (begin[length] != 0)
        fail(reading, "a text does not end");
    reading->at += (unsigned)length + 1;
    return reading->wrong ? "" : (const char *)begin;
}

static void read_texts(struct reading *reading) {
    size_t n = count(reading, 2);
    reading->texts = allocate(reading, n + 1, sizeof *reading->texts);
    if (!reading->texts)
        return;
    reading->texts[0] = "";
    for (size_t i = 1; i <= n; i++)
        reading->texts[i] = text(reading);
    reading->n_texts = n;
}

static const char *text_of(struct reading *reading) {
    return reading->texts[number(reading, reading->n_texts)];
}

static void read_address(struct reading *reading, struct refrain_names_address *address, uint64_t before) {
    address->address = before + number(reading, UINT64_MAX - before);
    address->is_function = number(reading, 1);
    address->is_tried = true;
    size_t n = count(reading, 3);
    if (n > REFRAIN_NAMES_MOST_FRAMES)
        fail(reading, "an address has too many frames");
    address->frames = allocate(reading, n, sizeof *address->frames);
    for (size_t i = 0; address->frames && i < n; i++) {
        address->frames[i].function = text_of(reading);
        address->frames[i].file = text_of(reading);
        address->frames[i].line = (uint32_t)number(reading, UINT32_MAX);
    }
    address->n_frames = address->frames ? (unsigned)n : 0;
}

static void read_code(struct reading *reading, struct refrain_names_code *code) {
    code->path = text_of(reading);
    code->build_id = text_of(reading);
    code->file_bytes = number(reading, UINT64_MAX);
    code->changed_ns = number(reading, UINT64_MAX);
    code->asked_s = number(reading, UINT64_MAX);
    code->level = (unsigned)number(reading, REFRAIN_NAMES_LINES);
    size_t n = count(reading, 3);
    code->addresses = allocate(reading, n, sizeof *code->addresses);
    for (size_t i = 0; !reading->wrong && i < n; i++)
        read_address(reading, &code->addresses[i], i ? code->addresses[i - 1].address : 0);
    code->n = reading->wrong ? 0 : n;
}

const char *refrain_names_read(struct refrain_trace *trace, struct refrain_names *names, const unsigned char *bytes,
                               size_t n) {
    struct refrain_names_header header;
    *names = (struct refrain_names){0};
    if (n < sizeof header || n > REFRAIN_NAMES_MOST_BYTES)
        return "of another length than names can have";
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, REFRAIN_NAMES_MAGIC, sizeof header.magic) != 0 ||
        header.version != REFRAIN_NAMES_VERSION || header.header_bytes != sizeof header)
        return "of another version";
    if (header.bytes != n - sizeof header ||
        header.checksum != refrain_packed_checksum(bytes + sizeof header, n - sizeof header))
        return "cut short or damaged";
    struct reading reading = {.trace = trace, .bytes = bytes + sizeof header, .n = (unsigned)header.bytes};
    read_texts(&reading);
    size_t codes = reading.wrong ? 0 : count(&reading, 7);
    names->codes = allocate(&reading, codes, sizeof *names->codes);
    for (size_t i = 0; !reading.wrong && i < codes; i++)
        read_code(&reading, &names->codes[i]);
    names->n = reading.wrong ? 0 : codes;
    return reading.wrong;
}

/* ---- writing ---- */

struct writing {
    FILE *file;
    const char **texts; /* sorted, without duplicates */
    size_t n_texts;
};

static void put(struct writing *writing, uint64_t value) {
    unsigned char bytes[REFRAIN_VARINT_BYTES];
    fwrite(bytes, 1, refrain_varint_put(bytes, value), writing->file);
}

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_text(struct writing *writing, const char *text) {
    const char **found =
        *text ? bsearch(&text, writing->texts, writing->n_texts, sizeof *writing->texts, compare) : NULL;
    put(writing, found ? (uint64_t)(found - writing->texts) + 1 : 0);
}

static size_t count_texts(const struct refrain_names *names) {
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++) {
        n += 2;
        for (size_t k = 0; k < names->codes[i].n; k++)
            n += 2 * names->codes[i].addresses[k].n_frames;
    }
    return n;
}

/* Collects all texts of the table, sorted, without duplicates. False without memory. */
static bool collect_texts(struct writing *writing, const struct refrain_names *names) {
    size_t n = 0;
    const char **all = malloc((count_texts(names) + 1) * sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < names->n; i++) {
        const struct refrain_names_code *code = &names->codes[i];
        all[n++] = code->path;
        all[n++] = code->build_id;
        for (size_t k = 0; k < code->n; k++)
            for (unsigned f = 0; f < code->addresses[k].n_frames; f++) {
                all[n++] = code->addresses[k].frames[f].function;
                all[n++] = code->addresses[k].frames[f].file;
            }
    }
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; i < n; i++)
        if (*all[i] && (writing->n_texts == 0 || strcmp(all[writing->n_texts - 1], all[i]) != 0))
            all[writing->n_texts++] = all[i];
    writing->texts = all;
    return true;
}

static void put_code(struct writing *writing, const struct refrain_names_code *code) {
    uint64_t n = 0, before = 0;
    for (size_t i = 0; i < code->n; i++)
        n += code->addresses[i].is_tried;
    put_text(writing, code->path);
    put_text(writing, code->build_id);
    put(writing, code->file_bytes);
    put(writing, code->changed_ns);
    put(writing, code->asked_s);
    put(writing, code->level);
    put(writing, n);
    for (size_t i = 0; i < code->n; i++) {
        const struct refrain_names_address *address = &code->addresses[i];
        if (!address->is_tried)
            continue;
        put(writing, address->address - before);
        before = address->address;
        put(writing, address->is_function);
        put(writing, address->n_frames);
        for (unsigned f = 0; f < address->n_frames; f++) {
            put_text(writing, address->frames[f].function);
            put_text(writing, address->frames[f].file);
            put(writing, address->frames[f].line);
        }
    }
}

static void put_all(struct writing *writing, const struct refrain_names *names) {
    struct refrain_names_header header = {0};
    fwrite(&header, 1, sizeof header, writing->file);
    put(writing, writing->n_texts);
    for (size_t i = 0; i < writing->n_texts; i++) {
        put(writing, strlen(writing->texts[i]));
        fwrite(writing->texts[i], 1, strlen(writing->texts[i]) + 1, writing->file);
    }
    put(writing, names->n);
    for (size_t i = 0; i < names->n; i++)
        put_code(writing, &names->codes[i]);
}

const unsigned char *refrain_names_write(struct refrain_trace *trace, const struct refrain_names *names, size_t *n) {
    struct refrain_names_header header = {.version = REFRAIN_NAMES_VERSION, .header_bytes = sizeof header};
    struct writing writing = {0};
    char *bytes = NULL;
    unsigned char *owned = NULL;
    if (!collect_texts(&writing, names) || !(writing.file = open_memstream(&bytes, n))) {
        free(writing.texts);
        return NULL;
    }
    put_all(&writing, names);
    if (fclose(writing.file) == 0 && *n <= REFRAIN_NAMES_MOST_BYTES && (owned = refrain_trace_allocate(trace, *n, 1))) {
        memcpy(header.magic, REFRAIN_NAMES_MAGIC, sizeof header.magic);
        header.bytes = *n - sizeof header;
        header.checksum = refrain_packed_checksum(bytes + sizeof header, *n - sizeof header);
        memcpy(owned, bytes, *n);
        memcpy(owned, &header, sizeof header);
    }
    free(bytes);
    free(writing.texts);
    return owned;
}
