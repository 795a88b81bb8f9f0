/* tables_assembler.c: writes the tables of a unit as assembler (hooks.h). The list of units is that of
 * inserted/units.h, whose strings are assembler. */
#include "tables_assembler.h"
#include "construct.h"
#include "inserted.h"
#include <refrain/unit.h>
#include <string.h>

static void write_bytes(const struct refrain_text *bytes, struct refrain_text *out) {
    for (size_t i = 0; i < bytes->length; i++)
        refrain_text_format(out, "%s%u", i % 32 ? "," : "\n\t.byte ", (unsigned char)bytes->bytes[i]);
}

/* Appends a string literal without its quotes, and returns what follows it. */
static const char *write_literal(const char *at, struct refrain_text *out) {
    for (at++; *at && *at != '"'; at++) {
        char byte = *at;
        if (byte == '\\')
            byte = *++at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
        refrain_text_bytes(out, &byte, 1);
    }
    return *at ? at + 1 : at;
}

static void write_list(struct refrain_text *out) {
    static const char begin[] = "__asm__(";
    for (const char *at = strstr(refrain_inserted_units, begin); at; at = strstr(at, begin)) {
        for (at += strlen(begin); *at && *at != ')';) {
            if (*at == '"') {
                at = write_literal(at, out);
            } else if (*at == 'R') { /* the macro that keeps the unit, the only word between the strings */
                refrain_text_string(out, "\t.reloc ., R_X86_64_NONE, .Lrefrain_distances\n\t");
                at += strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
            } else {
                at++;
            }
        }
        refrain_text_string(out, "\n");
    }
}

void refrain_tables_write_assembler(const struct refrain_text *strings, const struct refrain_text *packed,
                                    const unsigned *sizes, struct refrain_text *out) {
    unsigned long words = refrain_unit_words(sizes), on = sizes[REFRAIN_TABLES_SLOTS] + 1ul;
    refrain_text_format(out,
                        "\t.local refrain__u\n\t.comm refrain__u, %lu, 32\n\t.set refrain__on, refrain__u + %lu\n"
                        "\t.section .rodata\n\t.type refrain__tables, @object\n"
                        "\t.size refrain__tables, %zu\nrefrain__tables:",
                        sizeof(long) * words + 2 * on, sizeof(long) * words, strings->length + packed->length + 1);
    write_bytes(strings, out);
    write_bytes(packed, out);
    refrain_text_string(out, "\n\t.byte 0\n");
    write_list(out);
}
