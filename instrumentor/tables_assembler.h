/* tables_assembler.h: the tables of a unit as assembler, for hooks.c (tables.c). */
#ifndef REFRAIN_TABLES_ASSEMBLER_H
#define REFRAIN_TABLES_ASSEMBLER_H

#include "text.h"

/* Writes refrain__tables, the memory refrain__u, refrain__on (the bytes that enable probes), and the list of units.
 * `sizes`: by enum refrain_tables_size. */
void refrain_tables_write_assembler(const struct refrain_text *strings, const struct refrain_text *packed,
                                    const unsigned *sizes, struct refrain_text *out);

#endif
