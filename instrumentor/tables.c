/* tables.c: writes the tables of a unit, as C (construct.h).
 *
 *     constructs that are kept           -> nodes        \
 *                                                         refrain__tables: strings, numbers (refrain/unit_tables.h)
 *     calls, and what enables probes     -> dependencies /
 *
 * It also writes refrain__u, the memory into which the monitor unpacks the tables. */
#include "construct.h"
#include "tables_assembler.h"
#include <refrain/unit_tables.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- strings ---- */

struct string {
    unsigned offset;  /* 0: free */
    unsigned speaker; /* its number among the speakers plus 1; 0: none */
};

/* The strings of the unit, each once. */
struct strings {
    struct refrain_text text;
    struct string *table; /* by hash */
    size_t table_size, used;
};

static size_t string_entry(const struct strings *strings, const char *string) {
    size_t hash = 5381;
    for (const char *at = string; *at; at++)
        hash = hash * 33 + (unsigned char)*at;
    size_t i = hash % strings->table_size;
    while (strings->table[i].offset && strcmp(strings->text.bytes + strings->table[i].offset, string) != 0)
        i = (i + 1) % strings->table_size;
    return i;
}

static void widen(struct strings *strings) {
    struct string *old = strings->table;
    size_t old_size = strings->table_size, capacity = 0;
    strings->table_size = old_size * 2 + 61;
    strings->table = refrain_memory_grow(NULL, &capacity, strings->table_size, sizeof *strings->table);
    memset(strings->table, 0, strings->table_size * sizeof *strings->table);
    for (size_t i = 0; i < old_size; i++)
        if (old[i].offset)
            strings->table[string_entry(strings, strings->text.bytes + old[i].offset)] = old[i];
    free(old);
}

/* `string`, not empty, among the strings; added if it is new. Valid until the next one is added. */
static struct string *string_of(struct strings *strings, const char *string) {
    if (strings->used * 2 >= strings->table_size)
        widen(strings);
    struct string *entry = &strings->table[string_entry(strings, string)];
    if (!entry->offset) {
        entry->offset = (unsigned)strings->text.length;
        strings->used++;
        refrain_text_bytes(&strings->text, string, strlen(string) + 1);
    }
    return entry;
}

static unsigned string_offset(struct strings *strings, const char *string) {
    return string && *string ? string_of(strings, string)->offset : 0;
}

/* ---- nodes ---- */

/* A node has seven numbers, and compilers are slow on initialisers with many numbers. Programs of many small files
 * have more tables than code. So all numbers are packed into one string (refrain/unit_tables.h). It has no zero
 * bytes, so it can be divided into rows that are as short as C90 requires of literals. */
#define ROW_BYTES 500u

enum { FIELDS = 7 };

struct packed {
    struct refrain_text bytes;
    unsigned before[FIELDS];
    unsigned n_nodes;
};

static void pack_byte(struct packed *packed, unsigned byte) {
    refrain_text_bytes(&packed->bytes, &(char){(char)byte}, 1);
}

static void write_byte(struct refrain_text *out, unsigned byte) {
    char digits[4] = {'\\', (char)('0' + byte / 64), (char)('0' + byte / 8 % 8), (char)('0' + byte % 8)};
    unsigned skipped = byte < 8 ? 2 : byte < 64 ? 1 : 0; /* the next character is a backslash or the end */
    refrain_text_bytes(out, digits, 1);
    refrain_text_bytes(out, digits + 1 + skipped, 3 - skipped);
}

/* Writes the strings, and after them the packed numbers, as one object with one address. All rows have the same
 * length in memory, so the bytes are distributed evenly. */
static void write_tables(const struct refrain_text *strings, const struct refrain_text *packed,
                         struct refrain_text *out) {
    unsigned n = (unsigned)packed->length, rows = (n + ROW_BYTES - 1) / ROW_BYTES;
    unsigned row_bytes = (n + rows - 1) / rows;
    refrain_text_format(out,
                        "static struct { unsigned char strings[%zu], packed[%u][%u]; } __const__ refrain__tables\n"
                        "    __attribute__((__used__, __aligned__(1))) = {\n{",
                        strings->length, rows, row_bytes + 1);
    for (size_t i = 0; i < strings->length; i++) /* as numbers, because C90 limits the length of a literal */
        refrain_text_format(out, "%s%u,", i % 32 ? "" : "\n", (unsigned char)strings->bytes[i]);
    refrain_text_string(out, "}, {");
    for (unsigned i = 0; i < n; i++) {
        if (i % row_bytes == 0)
            refrain_text_string(out, i ? "\",\n\"" : "\n\"");
        write_byte(out, (unsigned char)packed->bytes[i]);
    }
    refrain_text_string(out, "\"}};\n");
}

static void pack_number(struct packed *packed, unsigned *before, unsigned value) {
    unsigned long difference = value < *before ? 2ul * (*before - value) + 1 : 2ul * (value - *before);
    unsigned digits[8], n = 0;
    *before = value;
    do
        digits[n++] = (unsigned)(difference % REFRAIN_TABLES_BASE) + 1;
    while (difference /= REFRAIN_TABLES_BASE);
    while (n-- > 0)
        pack_byte(packed, digits[n] + (n ? REFRAIN_TABLES_BASE + 1 : 0));
}

/* Initial state of the byte that enables the probe (unit.h, `base`). */
static unsigned base_of(const struct refrain_construct *construct, bool all) {
    return construct->wanted && (construct->certain || all);
}

static void write_node(struct packed *packed, enum refrain_node_kind kind, unsigned parent,
                       const struct refrain_construct *construct, bool all, unsigned name, unsigned file) {
    unsigned slot = construct->slot == REFRAIN_NO_SLOT ? 0 : construct->slot + 1;
    unsigned fields[FIELDS] = {(unsigned)kind, parent, slot, construct->line, construct->column, name, file};
    fields[0] += REFRAIN_TABLES_ON * base_of(construct, all);
    bool has_file = file != packed->before[FIELDS - 1];
    fields[0] += REFRAIN_TABLES_FILE * has_file;
    for (unsigned i = 0; i < (has_file ? FIELDS : FIELDS - 1u); i++)
        pack_number(packed, &packed->before[i], fields[i]);
    packed->n_nodes++;
}

static unsigned parent_node(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    unsigned up = construct->parent;
    while (up != REFRAIN_NO_INDEX && !constructs->items[up].kept)
        up = constructs->items[up].parent;
    return up == REFRAIN_NO_INDEX ? 0 : constructs->items[up].node;
}

/* ---- probes that other files enable ---- */

/* The dependencies of the unit in the form in which they are written: numbers below n_slots are slots; n_slots + i
 * is speaker i, the name of a function that makes events, or may. */
struct dependencies {
    struct strings *strings;
    unsigned *names; /* of the speakers, as offsets */
    size_t n_names, capacity;
    struct packed *packed;
    unsigned to, from; /* of the dependency before */
    unsigned n, n_slots;
};

static unsigned speaker(struct dependencies *dependencies, const char *name) {
    struct string *string = string_of(dependencies->strings, name);
    if (!string->speaker) {
        dependencies->names = refrain_memory_grow(dependencies->names, &dependencies->capacity,
                                                  dependencies->n_names + 1, sizeof *dependencies->names);
        dependencies->names[dependencies->n_names++] = string->offset;
        string->speaker = (unsigned)dependencies->n_names;
    }
    return dependencies->n_slots + string->speaker - 1;
}

static void depend(struct dependencies *dependencies, unsigned to, unsigned from) {
    pack_number(dependencies->packed, &dependencies->to, to);
    pack_number(dependencies->packed, &dependencies->from, from);
    dependencies->n++;
}

/* The enclosing construct that has a probe, or REFRAIN_NO_INDEX. */
static unsigned wanted_around(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    unsigned up = construct->parent;
    while (up != REFRAIN_NO_INDEX && !constructs->items[up].wanted)
        up = constructs->items[up].parent;
    return up;
}

static bool is_uncertain_call(const struct refrain_construct *construct) {
    return (construct->kind == REFRAIN_CALL || construct->kind == REFRAIN_MPI_CALL) && construct->interesting &&
           !construct->certain;
}

/* A probe is enabled if a probe inside its construct is, or if a function called there makes events. So each
 * construct with a probe is linked to the next one around it. */
static void write_construct_dependency(struct dependencies *dependencies, const struct refrain_constructs *constructs,
                                       unsigned i) {
    const struct refrain_construct *construct = &constructs->items[i];
    unsigned around = wanted_around(constructs, construct);
    bool leads_on = around != REFRAIN_NO_INDEX && !constructs->items[around].certain;
    if (construct->follows && !construct->certain)
        depend(dependencies, construct->slot, constructs->items[around].slot);
    else if (construct->wanted && !construct->certain && leads_on)
        depend(dependencies, constructs->items[around].slot, construct->slot);
    if (!is_uncertain_call(construct) || !(construct->wanted || leads_on))
        return;
    unsigned to = construct->wanted ? construct->slot : constructs->items[around].slot;
    if (construct->callee == REFRAIN_NO_INDEX)
        depend(dependencies, to, speaker(dependencies, construct->name));
    else if (constructs->functions[construct->callee].traced)
        depend(dependencies, to, constructs->items[constructs->functions[construct->callee].construct].slot);
}

/* Writes all dependencies. */
static void pack_dependencies(const struct refrain_constructs *constructs, struct dependencies *dependencies) {
    for (size_t f = 0; f < constructs->n_functions; f++) {
        const struct refrain_function *function = &constructs->functions[f];
        if (function->traced && !function->is_static)
            depend(dependencies, speaker(dependencies, function->name), constructs->items[function->construct].slot);
    }
    for (size_t i = 0; i < constructs->count; i++)
        write_construct_dependency(dependencies, constructs, (unsigned)i);
    for (size_t f = 0; f < constructs->n_functions; f++)
        if (constructs->functions[f].passes)
            depend(dependencies, speaker(dependencies, constructs->functions[f].name),
                   speaker(dependencies, constructs->items[constructs->functions[f].construct].name));
    unsigned before = 0;
    for (size_t i = 0; i < dependencies->n_names; i++)
        pack_number(dependencies->packed, &before, dependencies->names[i]);
}

/* Memory into which the monitor unpacks (refrain_unit_words). It takes no space in the object file. */
static void write_room(const unsigned *sizes, struct refrain_text *out) {
    unsigned on = sizes[REFRAIN_TABLES_SLOTS] + 1;
    unsigned base = (on * 2 + 7) / 8 * 8 - on; /* without padding at the end: -Wpadded */
    refrain_text_format(out,
                        "static struct {\n"
                        "    unsigned long words[%lu];\n"
                        "    unsigned char on[%u], base[%u];\n"
                        "} refrain__u __attribute__((__used__));\n"
                        "#define REFRAIN__ON \"refrain__u + %lu\"\n"
                        "#ifdef REFRAIN__ON\n"
                        "#endif\n"
                        "#define REFRAIN__SLOTS %zu\n"
                        "#define REFRAIN__PLACE %zu\n"
                        "#define REFRAIN__SLOT_BYTES %uul\n"
                        "#if defined REFRAIN__SLOTS && defined REFRAIN__PLACE && defined REFRAIN__SLOT_BYTES\n"
                        "#endif\n",
                        refrain_unit_words(sizes), on, base, sizeof(unsigned long) * refrain_unit_words(sizes),
                        offsetof(struct refrain_unit, slots) / sizeof(unsigned long),
                        offsetof(struct refrain_unit, place) / sizeof(unsigned long), REFRAIN_UNIT_SLOT_BYTES);
}

void refrain_tables_write(struct refrain_constructs *constructs, const struct refrain_instrument_options *options,
                          unsigned n_slots, struct refrain_text *out) {
    struct strings strings = {0};
    struct packed packed = {0}, tables = {0};
    refrain_text_bytes(&strings.text, "", 1);
    unsigned unit_name = string_offset(&strings, options->source);
    struct refrain_construct unit = {
        .slot = REFRAIN_NO_SLOT, .line = constructs->n_small_functions, .column = constructs->n_light};
    write_node(&packed, REFRAIN_UNIT, 0, &unit, false, unit_name, unit_name);
    for (size_t i = 0; i < constructs->count; i++) {
        struct refrain_construct *construct = &constructs->items[i];
        if (!construct->kept)
            continue;
        construct->node = packed.n_nodes;
        write_node(&packed, construct->kind, parent_node(constructs, construct), construct, options->all,
                   string_offset(&strings, construct->name),
                   string_offset(&strings, constructs->files.items[construct->file]));
    }
    for (size_t i = 0; i < constructs->n_left; i++) {
        struct refrain_construct left = {.slot = REFRAIN_NO_SLOT, .line = constructs->left[i].line};
        write_node(&packed, REFRAIN_LEFT, 0, &left, false, string_offset(&strings, constructs->left[i].text),
                   string_offset(&strings, constructs->files.items[constructs->left[i].file]));
    }
    if (constructs->n_more_left) {
        const struct refrain_construct more = {.slot = REFRAIN_NO_SLOT};
        char text[64];
        snprintf(text, sizeof text, "and %zu more places of this file", constructs->n_more_left);
        write_node(&packed, REFRAIN_LEFT, 0, &more, false, string_offset(&strings, text), unit_name);
    }
    for (size_t f = 0; f < constructs->n_functions;
         f++) /* so that unmatched.c finds the names that the filter may match */
        if (constructs->functions[f].excluded)
            string_offset(&strings, constructs->functions[f].name);
    struct dependencies dependencies = {.strings = &strings, .packed = &packed, .n_slots = n_slots};
    pack_dependencies(constructs, &dependencies);
    unsigned sizes[REFRAIN_TABLES_SIZES] = {[REFRAIN_TABLES_NODES] = packed.n_nodes,
                                            [REFRAIN_TABLES_SLOTS] = n_slots,
                                            [REFRAIN_TABLES_DEPENDENCIES] = dependencies.n,
                                            [REFRAIN_TABLES_SPEAKERS] = (unsigned)dependencies.n_names};
    pack_byte(&tables, REFRAIN_TABLES_NUMBERS);
    for (unsigned i = 0; i < REFRAIN_TABLES_SIZES; i++)
        pack_number(&tables, &(unsigned){0}, sizes[i]);
    refrain_text_bytes(&tables.bytes, packed.bytes.bytes, packed.bytes.length);
    if (options->assembler) {
        refrain_tables_write_assembler(&strings.text, &tables.bytes, sizes, out);
    } else {
        write_room(sizes, out);
        write_tables(&strings.text, &tables.bytes, out);
    }
    free(dependencies.names);
    refrain_text_free(&strings.text);
    free(strings.table);
    refrain_text_free(&packed.bytes);
    refrain_text_free(&tables.bytes);
}
