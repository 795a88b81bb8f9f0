/* saved_parts.c: translates addresses to parts and back (saved_parts.h). */
#include "match/saved_parts.h"
#include "common/array.h"
#include "match/location_stream.h"
#include "match/saved_states.h"
#include "model/trace_parts.h"

#include <stdlib.h>
#include <string.h>

#define OFFSET_BITS 40
#define MOST_OFFSET (((uint64_t)1 << OFFSET_BITS) - 1)

/* ---- the parts ---- */

static bool add(struct refrain_saved_parts *parts, const void *begin, size_t bytes) {
    const uint64_t length = bytes;
    if (length > MOST_OFFSET || parts->n >= (size_t)1 << (64 - OFFSET_BITS) ||
        !REFRAIN_ARRAY_ROOM(parts->parts, parts->n, parts->capacity))
        return false;
    parts->parts[parts->n] = (struct refrain_saved_part){(uintptr_t)begin, bytes, (uint32_t)parts->n};
    parts->n++;
    return true;
}

static bool add_trace(struct refrain_saved_parts *parts, const struct refrain_trace *trace) {
    bool sound =
        add(parts, trace, sizeof *trace) && add(parts, trace->processes, trace->n_processes * sizeof *trace->processes);
    for (size_t i = 0; sound && i < trace->n_processes; i++)
        sound = add(parts, trace->processes[i].image, trace->processes[i].image_bytes);
    for (size_t i = 0; sound && i < trace->tables->n_owned; i++)
        sound = add(parts, trace->tables->owned[i].memory, trace->tables->owned[i].bytes);
    return sound;
}

static bool add_code(struct refrain_saved_parts *parts) {
    uintptr_t code[REFRAIN_WALK_CODE + 3];
    size_t n = refrain_walk_code(code);
    code[n++] = refrain_location_stream_code();
    code[n++] = refrain_inlined_stream_code();
    code[n++] = refrain_unknown_region_address();
    bool sound = true;
    parts->first_code = (uint32_t)parts->n;
    parts->n_code = (uint32_t)n;
    for (size_t i = 0; sound && i < n; i++)
        sound = add(parts, (const void *)code[i], 0);
    return sound;
}

static int compare(const void *a, const void *b) {
    const struct refrain_saved_part *one = a, *other = b;
    if (one->begin != other->begin)
        return one->begin < other->begin ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

bool refrain_saved_parts_open_chunks(struct refrain_saved_parts *parts, const struct refrain_trace *trace,
                                     const struct refrain_arena *arena, size_t n_chunks) {
    *parts = (struct refrain_saved_parts){0};
    bool sound =
        sizeof(uintptr_t) == sizeof(uint64_t) && add_trace(parts, trace) && add_code(parts) && add(parts, arena, 0);
    for (size_t i = 0; sound && i < n_chunks; i++) {
        size_t bytes, used;
        const void *memory = refrain_arena_chunk(arena, i, &bytes, &used);
        sound = add(parts, memory, bytes);
    }
    if (!sound || !(parts->sorted = malloc(parts->n * sizeof *parts->sorted)))
        return false;
    memcpy(parts->sorted, parts->parts, parts->n * sizeof *parts->sorted);
    qsort(parts->sorted, parts->n, sizeof *parts->sorted, compare);
    return true;
}

bool refrain_saved_parts_open(struct refrain_saved_parts *parts, const struct refrain_trace *trace,
                              const struct refrain_arena *arena) {
    return refrain_saved_parts_open_chunks(parts, trace, arena, refrain_arena_chunks(arena));
}

void refrain_saved_parts_close(struct refrain_saved_parts *parts) {
    free(parts->parts);
    free(parts->sorted);
    *parts = (struct refrain_saved_parts){0};
}

/* ---- addresses ---- */

/* The index in `sorted` behind the last part that begins at or before the address. */
static size_t index_behind(const struct refrain_saved_parts *parts, uintptr_t address) {
    size_t low = 0, high = parts->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (parts->sorted[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool holds(const struct refrain_saved_part *part, uintptr_t address) {
    return address >= part->begin && address - part->begin <= part->bytes;
}

/* Translates the address a to part and offset, if b has the same part and offset in the other replay. An address can
 * belong to two parts: to the end of one and the beginning of the next. */
static bool find_in_parts(const struct refrain_saved_parts *one, const struct refrain_saved_parts *other, uint64_t a,
                          uint64_t b, uint64_t *kept) {
    for (size_t i = index_behind(one, a); i-- > 0 && holds(&one->sorted[i], a);) {
        const struct refrain_saved_part *part = &one->sorted[i];
        uint64_t offset = a - part->begin;
        if (part->number >= other->n || b - other->parts[part->number].begin != offset)
            continue;
        *kept = (uint64_t)part->number << OFFSET_BITS | offset;
        return true;
    }
    return false;
}

static bool place_code(const struct refrain_saved_parts *parts, uint64_t word, uint64_t *kept) {
    for (uint32_t i = parts->first_code; i < parts->first_code + parts->n_code; i++)
        if (parts->parts[i].begin == word) {
            *kept = (uint64_t)i << OFFSET_BITS;
            return true;
        }
    return false;
}

bool refrain_saved_parts_place(const struct refrain_saved_parts *one, const struct refrain_saved_parts *other,
                               uint64_t a, uint64_t b, uint64_t *kept, bool *is_address) {
    *kept = a;
    *is_address = a != b || (a != 0 && place_code(one, a, kept));
    return a == b || find_in_parts(one, other, a, b, kept);
}

bool refrain_saved_parts_address(const struct refrain_saved_parts *parts, uint64_t *word) {
    uint64_t number = *word >> OFFSET_BITS, offset = *word & MOST_OFFSET;
    if (number >= parts->n || offset > parts->parts[number].bytes)
        return false;
    *word = parts->parts[number].begin + offset;
    return true;
}

/* ---- sums ---- */

uint64_t refrain_saved_sum(uint64_t sum, const void *bytes, size_t n) {
    const unsigned char *from = bytes;
    for (; n >= 8; n -= 8, from += 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    for (; n > 0; n--, from++)
        sum = ((sum ^ *from) * 0x9e3779b97f4a7c15u) ^ n;
    return sum ^ sum >> 32;
}

uint64_t refrain_saved_states_key(const struct refrain_trace *trace, uint64_t build, bool compensate) {
    uint64_t what[] = {build, trace->n_processes, trace->tables->n_owned, sizeof(struct refrain_cursor_options),
                       compensate};
    uint64_t sum = refrain_saved_sum(1, what, sizeof what);
    for (size_t i = 0; i < trace->n_processes; i++)
        sum = refrain_saved_sum(sum, trace->processes[i].image, trace->processes[i].image_bytes);
    return sum;
}
