/* unit_tables.h: the tables of a unit, as bytes in the object file (instrumentor/tables.c -> monitor/run/unpack.c).
 *
 *     "" file.c\0 function\0 ... | \1 sizes, nodes, speakers and dependencies, all as numbers
 *     ^ strings                    ^ no name begins with this byte
 *
 *     sizes         how many bytes, nodes and so on there are: enum refrain_tables_size
 *     nodes         the members of struct refrain_node in their order; for the slot its number plus 1, 0 for none;
 *                   for the kind its number and what REFRAIN_TABLES_ON and REFRAIN_TABLES_FILE add; the file only
 *                   where it is not that of the node before
 *     dependencies  two numbers each: to, from
 *     speakers      one number each: offset of the name in the strings
 *
 * A number is written as its difference from the number of the same kind before it: twice the absolute value, plus 1
 * when it is negative. The digits have base 127, the highest first, one byte each: 1 to 127 for the last digit, 129 to
 * 255 for the others. Readers skip bytes that are 0. The tables are one string because compilers take long for
 * initialisers of many numbers, and programs of many small files have more tables than code.
 */
#ifndef REFRAIN_UNIT_TABLES_H
#define REFRAIN_UNIT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

enum refrain_tables_size {
    REFRAIN_TABLES_NODES,
    REFRAIN_TABLES_SLOTS,
    REFRAIN_TABLES_DEPENDENCIES,
    REFRAIN_TABLES_SPEAKERS,
    REFRAIN_TABLES_SIZES
};

#define REFRAIN_TABLES_BASE 127u /* of the digits; a byte above REFRAIN_TABLES_BASE + 1 is not a number's last */
#define REFRAIN_TABLES_KINDS 32u /* more than there are kinds of nodes */
#define REFRAIN_TABLES_ON 32u    /* added to the kind if `base` of the slot is 1 (struct refrain_unit) */
#define REFRAIN_TABLES_FILE 64u  /* added to the kind if the file is given */
#define REFRAIN_TABLES_NUMBERS '\1'

/* Bytes of the strings, `limit` at most; the numbers begin there. */
static inline size_t refrain_tables_strings_bytes(const char *tables, size_t limit) {
    size_t at = 0;
    while (at < limit && tables[at] != REFRAIN_TABLES_NUMBERS) {
        while (at < limit && tables[at])
            at++;
        at++;
    }
    return at < limit ? at : limit;
}

struct refrain_tables_reader {
    const unsigned char *at, *end;
};

/* Adds the next difference to the number before. False at the end. */
static inline bool refrain_tables_read(struct refrain_tables_reader *reader, unsigned *number) {
    unsigned value = 0;
    while (reader->at < reader->end) {
        unsigned digit = *reader->at++;
        if (digit == 0)
            continue;
        value = value * REFRAIN_TABLES_BASE + (digit - 1) % (REFRAIN_TABLES_BASE + 1);
        if (digit > REFRAIN_TABLES_BASE + 1)
            continue;
        *number = value % 2 ? *number - value / 2 : *number + value / 2;
        return true;
    }
    return false;
}

/* Reads the sizes, which come first. */
static inline bool refrain_tables_read_sizes(struct refrain_tables_reader *reader,
                                             unsigned sizes[REFRAIN_TABLES_SIZES]) {
    unsigned begin = 0;
    bool is_read = refrain_tables_read(reader, &begin);
    for (unsigned i = 0; i < REFRAIN_TABLES_SIZES && is_read; i++) {
        sizes[i] = 0;
        is_read = refrain_tables_read(reader, &sizes[i]);
    }
    return is_read;
}

#endif
