/* told.h: the tables of a unit, as bytes in the object file (instrumentor/tables.c -> monitor/unpack.c).
 *
 *     "" file.c\0 function\0 ... | \1 sizes, nodes, speakers and dependencies, all as numbers
 *     ^ strings                    ^ no name begins with this byte
 *
 *     sizes         how many bytes, nodes and so on there are: enum refrain_told_size
 *     nodes         the members of struct refrain_node in their order; for the slot its number plus 1, 0 for none;
 *                   for the kind its number and what REFRAIN_TOLD_ON and REFRAIN_TOLD_FILE add; the file only where it
 *                   is not that of the node before
 *     dependencies  two numbers each: to, from
 *     speakers      one number each: offset of the name in the strings
 *
 * A number is written as its difference from the number of the same kind before it: twice the absolute value, plus 1
 * when it is negative. The digits have base 127, the highest first, one byte each: 1 to 127 for the last digit, 129 to
 * 255 for the others. Readers skip bytes that are 0. The tables are one string because compilers take long for
 * initialisers of many numbers, and programs of many small files have more tables than code.
 */
#ifndef REFRAIN_TOLD_H
#define REFRAIN_TOLD_H

#include <stdbool.h>
#include <stddef.h>

enum refrain_told_size {
    REFRAIN_TOLD_NODES,
    REFRAIN_TOLD_SLOTS,
    REFRAIN_TOLD_DEPENDENCIES,
    REFRAIN_TOLD_SPEAKERS,
    REFRAIN_TOLD_SIZES
};

#define REFRAIN_TOLD_BASE 127u /* of the digits; a byte above REFRAIN_TOLD_BASE + 1 is not a number's last */
#define REFRAIN_TOLD_KINDS 32u /* more than there are kinds of nodes */
#define REFRAIN_TOLD_ON 32u    /* added to the kind where `base` of the slot is 1 (struct refrain_unit) */
#define REFRAIN_TOLD_FILE 64u  /* ... where the file is told */
#define REFRAIN_TOLD_NUMBERS '\1'

/* How many bytes the strings have, which is where the numbers begin; `limit` at most. */
static inline size_t refrain_told_strings_bytes(const char *told, size_t limit) {
    size_t at = 0;
    while (at < limit && told[at] != REFRAIN_TOLD_NUMBERS) {
        while (at < limit && told[at])
            at++;
        at++;
    }
    return at < limit ? at : limit;
}

struct refrain_told_reader {
    const unsigned char *at, *end;
};

/* Adds the next difference to the number before. False at the end. */
static inline bool refrain_told_read(struct refrain_told_reader *reader, unsigned *number) {
    unsigned value = 0;
    while (reader->at < reader->end) {
        unsigned digit = *reader->at++;
        if (digit == 0)
            continue;
        value = value * REFRAIN_TOLD_BASE + (digit - 1) % (REFRAIN_TOLD_BASE + 1);
        if (digit > REFRAIN_TOLD_BASE + 1)
            continue;
        *number = value % 2 ? *number - value / 2 : *number + value / 2;
        return true;
    }
    return false;
}

/* The sizes, with which the numbers begin. */
static inline bool refrain_told_read_sizes(struct refrain_told_reader *reader, unsigned sizes[REFRAIN_TOLD_SIZES]) {
    unsigned begin = 0;
    bool is_read = refrain_told_read(reader, &begin);
    for (unsigned i = 0; i < REFRAIN_TOLD_SIZES && is_read; i++) {
        sizes[i] = 0;
        is_read = refrain_told_read(reader, &sizes[i]);
    }
    return is_read;
}

#endif
