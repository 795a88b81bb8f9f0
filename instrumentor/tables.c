/* tables.c: what a unit tells of itself, as C (construct.h).
 *
 *     constructs that are kept -> nodes, packed -> what is on, and what switches it on -> struct refrain__unit
 */
#include "construct.h"
#include <stdlib.h>
#include <string.h>

/* ---- strings ---- */

/* The unit's strings, each once. */
struct strings {
    struct refrain_text text;
    unsigned *table; /* hash of the string -> offset, 0 = free */
    size_t table_size, used;
};

static size_t string_place(const struct strings *strings, const char *string) {
    size_t hash = 5381;
    for (const char *at = string; *at; at++)
        hash = hash * 33 + (unsigned char)*at;
    size_t i = hash % strings->table_size;
    while (strings->table[i] && strcmp(strings->text.bytes + strings->table[i], string) != 0)
        i = (i + 1) % strings->table_size;
    return i;
}

static void widen(struct strings *strings) {
    unsigned *old = strings->table;
    size_t old_size = strings->table_size, capacity = 0;
    strings->table_size = old_size * 2 + 61;
    strings->table = refrain_memory_grow(NULL, &capacity, strings->table_size, sizeof *strings->table);
    memset(strings->table, 0, strings->table_size * sizeof *strings->table);
    for (size_t i = 0; i < old_size; i++)
        if (old[i])
            strings->table[string_place(strings, strings->text.bytes + old[i])] = old[i];
    free(old);
}

/* Offset of `string` in the unit's strings, added when it is new. */
static unsigned string_offset(struct strings *strings, const char *string) {
    if (!string || !*string)
        return 0;
    if (strings->used * 2 >= strings->table_size)
        widen(strings);
    size_t place = string_place(strings, string);
    if (!strings->table[place]) {
        strings->table[place] = (unsigned)strings->text.length;
        strings->used++;
        refrain_text_bytes(&strings->text, string, strlen(string) + 1);
    }
    return strings->table[place];
}

/* ---- nodes ---- */

/* Compilers take long for the numbers of an initialiser, of which a node has seven. So the nodes are
 * packed: each field as its difference from the node before, twice its size, plus 1 when it is negative, in digits of
 * base 63 from the highest on, which are bytes: 1 to 63 the last of a number, 65 to 127 any other. The constructor
 * unpacks them (emit.c). A slot is kept plus 1, 0 being none; with the kind goes the base of the slot, times 32. No
 * byte is zero, so that the string may be cut into rows as short as C90 wants literals. */
#define ROW_BYTES 500

enum { FIELDS = 7 };

struct packed {
    struct refrain_text text; /* rows, as they are written */
    unsigned before[FIELDS];
    unsigned n_bytes, n_nodes;
};

static void pack_byte(struct packed *packed, unsigned byte) {
    if (packed->n_bytes % ROW_BYTES == 0)
        refrain_text_string(&packed->text, packed->n_bytes ? "\",\n\"" : "\"");
    char digits[4] = {'\\', (char)('0' + byte / 64), (char)('0' + byte / 8 % 8), (char)('0' + byte % 8)};
    unsigned skipped = byte < 8 ? 2 : byte < 64 ? 1 : 0; /* what follows is a backslash or the end */
    refrain_text_bytes(&packed->text, digits, 1);
    refrain_text_bytes(&packed->text, digits + 1 + skipped, 3 - skipped);
    packed->n_bytes++;
}

static void pack_number(struct packed *packed, unsigned *before, unsigned value) {
    unsigned long difference = value < *before ? 2ul * (*before - value) + 1 : 2ul * (value - *before);
    unsigned digits[8], n = 0;
    *before = value;
    do
        digits[n++] = (unsigned)(difference % 63) + 1;
    while (difference /= 63);
    while (n-- > 0)
        pack_byte(packed, digits[n] + (n ? 64 : 0));
}

/* What the probe's byte is when the program starts (unit.h, `base`). */
static unsigned base_of(const struct refrain_construct *construct, bool all) {
    return !construct->wanted ? 0 : construct->certain ? 1 : all ? 2 : 0;
}

static void write_node(struct packed *packed, enum refrain_node_kind kind, unsigned parent,
                       const struct refrain_construct *construct, bool all, unsigned name, unsigned file) {
    unsigned fields[FIELDS] = {(unsigned)kind, parent, 0, 0, 0, name, file};
    if (construct) {
        fields[0] += 32 * base_of(construct, all);
        fields[2] = construct->slot == REFRAIN_NO_SLOT ? 0 : construct->slot + 1;
        fields[3] = construct->line;
        fields[4] = construct->column;
    }
    for (unsigned i = 0; i < FIELDS; i++)
        pack_number(packed, &packed->before[i], fields[i]);
    packed->n_nodes++;
}

static unsigned parent_node(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    unsigned up = construct->parent;
    while (up != REFRAIN_NO_INDEX && !constructs->items[up].kept)
        up = constructs->items[up].parent;
    return up == REFRAIN_NO_INDEX ? 0 : constructs->items[up].node;
}

/* ---- what is switched on by what other files hold ---- */

/* Declares, once, the byte by which another unit tells that its function makes events. */
static void declare_speaker(struct refrain_text *out, struct refrain_list *declared, const char *name) {
    for (size_t i = 0; i < declared->count; i++)
        if (strcmp(declared->items[i], name) == 0)
            return;
    refrain_list_add(declared, name);
    refrain_text_format(out, "extern unsigned char refrain_speaks_%s __attribute__((__weak__));\n", name);
}

/* What the call's callee turns on: nothing when it is certain or makes no event. */
static void write_dependency(const struct refrain_constructs *constructs, const struct refrain_construct *call,
                             unsigned to, struct refrain_text *table, unsigned *n) {
    if (call->callee == REFRAIN_NO_INDEX) {
        refrain_text_format(table, "{refrain__on + %u, &refrain_speaks_%s},\n", to, call->name);
        ++*n;
        return;
    }
    const struct refrain_function *callee = &constructs->functions[call->callee];
    if (callee->traced) {
        refrain_text_format(table, "{refrain__on + %u, refrain__on + %u},\n", to,
                            constructs->items[callee->construct].slot);
        ++*n;
    }
}

/* The bytes that say which probes are on, and what turns them on. Returns the number of dependencies. */
static unsigned write_switches(const struct refrain_constructs *constructs, unsigned n_slots,
                               struct refrain_text *out) {
    struct refrain_text table = {0};
    struct refrain_list declared = {0};
    unsigned n = 0;
    for (size_t i = 0; i < constructs->count; i++) {
        const struct refrain_construct *construct = &constructs->items[i];
        if (!construct->wanted)
            continue;
        const struct refrain_function *function = &constructs->functions[construct->function];
        if (construct->kind == REFRAIN_FUNCTION && !function->is_static) {
            refrain_text_format(
                out, "unsigned char refrain_speaks_%s __attribute__((__weak__, __visibility__(\"default\")));\n",
                function->name);
            refrain_list_add(&declared, function->name);
            refrain_text_format(&table, "{&refrain_speaks_%s, refrain__on + %u},\n", function->name, construct->slot);
            n++;
        }
        for (unsigned c = (unsigned)i; !construct->certain && c < construct->after; c++) {
            const struct refrain_construct *call = &constructs->items[c];
            if ((call->kind != REFRAIN_CALL && call->kind != REFRAIN_MPI_CALL) || !call->interesting || call->certain)
                continue;
            if (call->callee == REFRAIN_NO_INDEX)
                declare_speaker(out, &declared, call->name);
            write_dependency(constructs, call, construct->slot, &table, &n);
        }
    }
    refrain_text_format(out,
                        "static unsigned char refrain__on[%u], refrain__base[%u];\n"
                        "static struct refrain__dependency __const__ refrain__dependencies[%u] = {\n",
                        n_slots, n_slots, n + 1);
    refrain_text_bytes(out, table.bytes, table.length);
    refrain_text_string(out, "{(unsigned char *)0, (unsigned char *)0}};\n");
    refrain_text_free(&table);
    refrain_list_free(&declared);
    return n;
}

void refrain_tables_write(struct refrain_constructs *constructs, const struct refrain_instrument_options *options,
                          unsigned n_slots, struct refrain_text *out) {
    struct strings strings = {0};
    struct packed packed = {0};
    refrain_text_bytes(&strings.text, "", 1);
    unsigned unit_name = string_offset(&strings, options->source);
    write_node(&packed, REFRAIN_UNIT, 0, NULL, false, unit_name, unit_name);
    for (size_t i = 0; i < constructs->count; i++) {
        struct refrain_construct *construct = &constructs->items[i];
        if (!construct->kept)
            continue;
        construct->node = packed.n_nodes;
        write_node(&packed, construct->kind, parent_node(constructs, construct), construct, options->all,
                   string_offset(&strings, construct->name),
                   string_offset(&strings, constructs->files.items[construct->file]));
    }
    refrain_text_format(out,
                        "static unsigned int refrain__nodes[%u][7];\n"
                        "static unsigned char __const__ refrain__packed[%u][%u] = {\n%s\"};\n",
                        packed.n_nodes, (packed.n_bytes + ROW_BYTES - 1) / ROW_BYTES, ROW_BYTES + 1, packed.text.bytes);
    /* as numbers: C90 limits the length of a literal */
    refrain_text_format(out, "static unsigned char __const__ refrain__strings[%zu] = {", strings.text.length);
    for (size_t i = 0; i < strings.text.length; i++)
        refrain_text_format(out, "%s%u,", i % 32 ? "" : "\n", (unsigned char)strings.text.bytes[i]);
    refrain_text_string(out, "};\n");
    unsigned n_dependencies = write_switches(constructs, n_slots, out);
    refrain_text_format(out,
                        "static struct refrain__unit refrain__u = {%uu, %uu, %uu, %zuu,\n"
                        "    (struct refrain__node __const__ *)refrain__nodes, (char __const__ *)refrain__strings,\n"
                        "    refrain__on, refrain__base, refrain__dependencies, %uul, refrain__first_site, "
                        "refrain__last_site,\n"
                        "    0ul, (void *)0, (struct refrain__unit *)0};\n",
                        REFRAIN_UNIT_VERSION, packed.n_nodes, n_slots, strings.text.length, n_dependencies);
    refrain_text_free(&strings.text);
    free(strings.table);
    refrain_text_free(&packed.text);
}
