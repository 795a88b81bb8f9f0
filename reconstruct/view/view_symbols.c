/* view_symbols.c: writes names of code addresses as bytes, and reads them (view_symbols.h). */
#define _GNU_SOURCE
#include "view/view_symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 9

char *refrain_view_symbols_write(const struct refrain_trace *trace, size_t *n) {
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, n);
    if (!file)
        return NULL;
    for (size_t i = 0; i < trace->n_symbols; i++) {
        const struct refrain_symbol *symbol = &trace->symbols[i];
        fprintf(file, "%s%c%s%c%" PRIu64 "%c%" PRIu64 "%c", symbol->object, 0, symbol->build_id, 0, symbol->file_bytes,
                0, symbol->changed_ns, 0);
        fprintf(file, "%" PRIx64 "%c%c%c", symbol->address, 0, symbol->is_function ? 'f' : 'c', 0);
        fprintf(file, "%s%c%s%c%" PRIu32 "%c", symbol->function ? symbol->function : "", 0,
                symbol->file ? symbol->file : "", 0, symbol->line, 0);
    }
    if (fclose(file) == 0)
        return bytes;
    free(bytes);
    return NULL;
}

/* Reads the next symbol's fields. Null if the bytes end before. */
static const char *next_fields(const char *at, const char *end, const char *fields[FIELDS]) {
    for (int i = 0; i < FIELDS; i++) {
        const char *stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!stop)
            return NULL;
        fields[i] = at;
        at = stop + 1;
    }
    return at;
}

static const char *known(const char *text) {
    return text[0] ? text : NULL;
}

struct refrain_symbol *refrain_view_symbols_read(const char *bytes, size_t length, size_t *n) {
    const char *fields[FIELDS], *end = bytes + length;
    size_t most = 0;
    for (const char *at = bytes; (at = next_fields(at, end, fields));)
        most++;
    struct refrain_symbol *symbols = calloc(most + 1, sizeof *symbols);
    *n = 0;
    for (const char *at = bytes; symbols && (at = next_fields(at, end, fields));)
        symbols[(*n)++] = (struct refrain_symbol){.object = fields[0],
                                                  .build_id = fields[1],
                                                  .file_bytes = strtoull(fields[2], NULL, 10),
                                                  .changed_ns = strtoull(fields[3], NULL, 10),
                                                  .address = strtoull(fields[4], NULL, 16),
                                                  .is_function = fields[5][0] == 'f',
                                                  .function = known(fields[6]),
                                                  .file = known(fields[7]),
                                                  .line = (uint32_t)strtoul(fields[8], NULL, 10)};
    return symbols;
}
