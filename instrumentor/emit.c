/* emit.c: the instrumented file (construct.h).
 *
 *     declarations, tables, constructor      in front, where no macro of the file's own is defined yet
 *     #line 1 "source.c"
 *     the file, probes inserted, no line moved
 *
 * The declarations are those of unit.h under names of their own, bound to the library's symbols by assembler names, so
 * that the file may include unit.h itself. They are weak: an object that is linked without the library runs as if it
 * had never been instrumented: the functions that look are out of line, since a branch at every probe would cost the
 * compiler more than the call costs the program. Decisions return the program's own value, inline, so that the compiler
 * still sees what depends on it; without optimisation nothing is inline, since that would double the time to compile.
 */
#include "construct.h"
#include "edit.h"
#include <stdlib.h>
#include <string.h>

static const char declarations[] =
    "#define REFRAIN__WEAK(symbol) __asm__(#symbol) __attribute__((__weak__))\n"
    "#ifdef __OPTIMIZE__\n"
    "#define REFRAIN__INLINE static __inline__ __attribute__((__always_inline__, __artificial__, __unused__, "
    "__no_instrument_function__))\n"
    "#else\n"
    "#define REFRAIN__INLINE static __attribute__((__unused__, __no_instrument_function__))\n"
    "#endif\n"
    "#define REFRAIN__OUT static __attribute__((__noinline__, __unused__, __no_instrument_function__))\n"
    "typedef struct refrain__frame { void *entry; void *slots; } refrain__frame;\n"
    "struct refrain__node { unsigned int kind, parent, slot, line, column, name, file; };\n"
    "struct refrain__dependency { unsigned char *to; unsigned char __const__ *from; };\n"
    "struct refrain__unit {\n"
    "    unsigned int version, n_nodes, n_slots, strings_bytes;\n"
    "    struct refrain__node __const__ *nodes;\n"
    "    char __const__ *strings;\n"
    "    unsigned char *on;\n"
    "    unsigned char __const__ *base;\n"
    "    struct refrain__dependency __const__ *dependencies;\n"
    "    unsigned long n_dependencies;\n"
    "    unsigned long record;\n"
    "    void *slots;\n"
    "    struct refrain__unit *next;\n"
    "};\n"
    "extern void refrain__do_register(struct refrain__unit *unit) REFRAIN__WEAK(refrain_register);\n"
    "extern void refrain__do_unregister(struct refrain__unit *unit) REFRAIN__WEAK(refrain_unregister);\n"
    "extern refrain__frame refrain__do_enter(struct refrain__unit *unit, unsigned int slot, void *frame_address)\n"
    "    REFRAIN__WEAK(refrain_enter);\n"
    "extern void refrain__do_leave(refrain__frame *frame) REFRAIN__WEAK(refrain_leave);\n"
    "extern void refrain__do_at(refrain__frame *frame, unsigned int slot) REFRAIN__WEAK(refrain_at);\n"
    "extern int refrain__do_if(refrain__frame *frame, unsigned int slot, int value) REFRAIN__WEAK(refrain_if);\n"
    "extern int refrain__do_loop(refrain__frame *frame, unsigned int slot, int value) REFRAIN__WEAK(refrain_loop);\n"
    "extern void refrain__do_count(refrain__frame *frame, unsigned int slot, unsigned long count)\n"
    "    REFRAIN__WEAK(refrain_count);\n";

static const char definitions[] =
    "REFRAIN__INLINE refrain__frame refrain__enter(unsigned int slot, void *frame_address) {\n"
    "    refrain__frame frame = {(void *)0, (void *)0};\n"
    "    if (refrain__on[slot] && refrain__do_enter)\n"
    "        frame = refrain__do_enter(&refrain__u, slot, frame_address);\n"
    "    return frame;\n"
    "}\n"
    "REFRAIN__LEAVE void refrain__leave(refrain__frame *frame) {\n"
    "    if (frame->entry)\n"
    "        refrain__do_leave(frame);\n"
    "}\n"
    "REFRAIN__OUT void refrain__at(refrain__frame *frame, unsigned int slot) {\n"
    "    if (frame->entry)\n"
    "        refrain__do_at(frame, slot);\n"
    "}\n"
    "REFRAIN__OUT void refrain__tell_if(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    if (frame->entry)\n"
    "        (void)refrain__do_if(frame, slot, value);\n"
    "}\n"
    "REFRAIN__OUT void refrain__tell_loop(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    if (frame->entry)\n"
    "        (void)refrain__do_loop(frame, slot, value);\n"
    "}\n"
    "REFRAIN__INLINE int refrain__if(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    refrain__tell_if(frame, slot, value);\n"
    "    return value;\n"
    "}\n"
    "REFRAIN__INLINE int refrain__loop(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    refrain__tell_loop(frame, slot, value);\n"
    "    return value;\n"
    "}\n"
    "REFRAIN__INLINE void refrain__maybe_at(refrain__frame *frame, unsigned int slot) {\n"
    "    if (refrain__on[slot])\n"
    "        refrain__at(frame, slot);\n"
    "}\n"
    "REFRAIN__INLINE int refrain__maybe_if(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    if (refrain__on[slot])\n"
    "        refrain__tell_if(frame, slot, value);\n"
    "    return value;\n"
    "}\n"
    "REFRAIN__INLINE int refrain__maybe_loop(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    if (refrain__on[slot])\n"
    "        refrain__tell_loop(frame, slot, value);\n"
    "    return value;\n"
    "}\n"
    "REFRAIN__OUT void refrain__tell_count(refrain__frame *frame, unsigned int slot, unsigned long count) {\n"
    "    if (frame->entry)\n"
    "        refrain__do_count(frame, slot, count);\n"
    "}\n"
    "REFRAIN__INLINE int refrain__count(refrain__frame *frame, unsigned int slot, unsigned long *count, int value) {\n"
    "    if (value) {\n"
    "        ++*count;\n"
    "    } else {\n"
    "        if (refrain__on[slot])\n"
    "            refrain__tell_count(frame, slot, *count);\n"
    "        *count = 0;\n"
    "    }\n"
    "    return value;\n"
    "}\n"
    "static void __attribute__((__constructor__(101), __no_instrument_function__)) refrain__begin(void) {\n"
    "    if (refrain__do_register)\n"
    "        refrain__do_register(&refrain__u);\n"
    "}\n"
    "static void __attribute__((__destructor__(101), __no_instrument_function__)) refrain__end(void) {\n"
    "    if (refrain__do_unregister)\n"
    "        refrain__do_unregister(&refrain__u);\n"
    "}\n"
    "#undef REFRAIN__WEAK\n"
    "#undef REFRAIN__INLINE\n"
    "#undef REFRAIN__OUT\n"
    "#undef REFRAIN__LEAVE\n";

/* ---- edits ---- */

static char *take(struct refrain_text *text) {
    return text->bytes;
}

/* May the monitor switch the probe off? It does so where a function makes no event after all (unit.h). */
static bool has_switch(const struct refrain_construct *construct) {
    return !construct->certain ||
           (construct->kind == REFRAIN_CALL && construct->callee == REFRAIN_NO_INDEX && !construct->elsewhere);
}

static char *probe_call(const struct refrain_construct *construct, const char *head, const char *probe,
                        const char *tail) {
    struct refrain_text text = {0};
    refrain_text_format(&text, "%srefrain__%s%s(&refrain__f, %u%s", head, has_switch(construct) ? "maybe_" : "", probe,
                        construct->slot, tail);
    return take(&text);
}

/* The count lives in the function's own frame, where the compiler keeps it in a register. */
static char *count_call(const struct refrain_construct *construct) {
    struct refrain_text text = {0};
    refrain_text_format(&text, "refrain__count(&refrain__f, %u, &refrain__n%u, !!(", construct->slot, construct->slot);
    return take(&text);
}

static void place_probe(struct refrain_edits *edits, const struct refrain_construct *construct) {
    unsigned begin = construct->at.begin, end = construct->at.end;
    switch (construct->kind) {
    case REFRAIN_IF:
    case REFRAIN_CONDITIONAL:
    case REFRAIN_AND:
    case REFRAIN_OR:
        refrain_edit_wrap(edits, begin, end, probe_call(construct, "", "if", ", !!("), refrain_text_copy("))"));
        break;
    case REFRAIN_WHILE:
    case REFRAIN_FOR:
    case REFRAIN_DO:
        refrain_edit_wrap(edits, begin, end,
                          construct->counted ? count_call(construct) : probe_call(construct, "", "loop", ", !!("),
                          refrain_text_copy("))"));
        break;
    case REFRAIN_SWITCH:
        refrain_edit_wrap(edits, begin, end, probe_call(construct, "", "at", "), ("), refrain_text_copy(")"));
        break;
    case REFRAIN_CALL:
    case REFRAIN_MPI_CALL:
        refrain_edit_wrap(edits, begin, end, probe_call(construct, "(", "at", "), "), refrain_text_copy(")"));
        break;
    case REFRAIN_MACRO:
        refrain_edit_insert(edits, begin, probe_call(construct, "", "at", "); "));
        break;
    default:
        break;
    }
}

static void place_frame(struct refrain_edits *edits, const struct refrain_constructs *constructs,
                        const struct refrain_function *function) {
    const struct refrain_construct *top = &constructs->items[function->construct];
    struct refrain_text text = {0};
    refrain_text_format(&text,
                        " refrain__frame refrain__f __attribute__((__cleanup__(refrain__leave))) = "
                        "refrain__enter(%u, __builtin_frame_address(0));",
                        top->slot);
    for (unsigned i = function->construct + 1; i < top->after; i++)
        if (constructs->items[i].counted)
            refrain_text_format(&text, " unsigned long refrain__n%u = 0;", constructs->items[i].slot);
    refrain_edit_insert(edits, function->frame_offset, take(&text));
    if (constructs->calls_setjmp && function->head_offset != REFRAIN_NO_INDEX)
        refrain_edit_insert(edits, function->head_offset, refrain_text_copy("__attribute__((__noinline__)) "));
}

static void collect_edits(struct refrain_edits *edits, const struct refrain_constructs *constructs) {
    for (size_t f = 0; f < constructs->n_functions; f++) {
        const struct refrain_function *function = &constructs->functions[f];
        if (!function->traced)
            continue;
        const struct refrain_construct *top = &constructs->items[function->construct];
        place_frame(edits, constructs, function);
        for (unsigned i = function->construct + 1; i < top->after; i++)
            if (constructs->items[i].wanted)
                place_probe(edits, &constructs->items[i]);
    }
}

/* ---- tables ---- */

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

static void write_node(struct refrain_text *out, enum refrain_node_kind kind, unsigned parent, unsigned slot,
                       const struct refrain_construct *construct, unsigned name, unsigned file) {
    refrain_text_format(out, "{%uu,%uu,%uu,%uu,%uu,%uu,%uu},\n", (unsigned)kind, parent, slot,
                        construct ? construct->line : 0, construct ? construct->column : 0, name, file);
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
static unsigned write_switches(const struct refrain_constructs *constructs, bool all, unsigned n_slots,
                               struct refrain_text *out) {
    struct refrain_text table = {0}, base = {0};
    struct refrain_list declared = {0};
    unsigned n = 0, slots = 0;
    for (size_t i = 0; i < constructs->count; i++) {
        const struct refrain_construct *construct = &constructs->items[i];
        if (!construct->wanted)
            continue;
        for (; slots < construct->slot; slots++)
            refrain_text_string(&base, "0,");
        refrain_text_string(&base, construct->certain ? "1," : all ? "2," : "0,");
        slots++;
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
    for (; slots < n_slots; slots++)
        refrain_text_string(&base, "0,");
    refrain_text_format(out, "static unsigned char refrain__on[%u];\nstatic unsigned char __const__ refrain__base[%u] = {",
                        n_slots, n_slots);
    refrain_text_bytes(out, base.bytes, base.length);
    refrain_text_format(out, "};\nstatic struct refrain__dependency __const__ refrain__dependencies[%u] = {\n", n + 1);
    refrain_text_bytes(out, table.bytes, table.length);
    refrain_text_string(out, "{(unsigned char *)0, (unsigned char *)0}};\n");
    refrain_text_free(&table);
    refrain_text_free(&base);
    refrain_list_free(&declared);
    return n;
}

static void write_tables(struct refrain_constructs *constructs, const struct refrain_instrument_options *options,
                         unsigned n_slots, struct refrain_text *out) {
    struct strings strings = {0};
    struct refrain_text nodes = {0};
    unsigned n_nodes = 1;
    refrain_text_bytes(&strings.text, "", 1);
    unsigned unit_name = string_offset(&strings, options->source);
    write_node(&nodes, REFRAIN_UNIT, 0, REFRAIN_NO_SLOT, NULL, unit_name, unit_name);
    for (size_t i = 0; i < constructs->count; i++) {
        struct refrain_construct *construct = &constructs->items[i];
        if (!construct->kept)
            continue;
        construct->node = n_nodes++;
        write_node(&nodes, construct->kind, parent_node(constructs, construct), construct->slot, construct,
                   string_offset(&strings, construct->name),
                   string_offset(&strings, constructs->files.items[construct->file]));
    }
    refrain_text_format(out, "static struct refrain__node __const__ refrain__nodes[%u] = {\n%s};\n", n_nodes,
                        nodes.bytes);
    /* as numbers: C90 limits the length of a literal */
    refrain_text_format(out, "static unsigned char __const__ refrain__strings[%zu] = {", strings.text.length);
    for (size_t i = 0; i < strings.text.length; i++)
        refrain_text_format(out, "%s%u,", i % 32 ? "" : "\n", (unsigned char)strings.text.bytes[i]);
    refrain_text_string(out, "};\n");
    unsigned n_dependencies = write_switches(constructs, options->all, n_slots, out);
    refrain_text_format(out,
                        "static struct refrain__unit refrain__u = {%uu, %uu, %uu, %zuu, refrain__nodes,\n"
                        "    (char __const__ *)refrain__strings, refrain__on, refrain__base, refrain__dependencies, %uul,\n"
                        "    0ul, (void *)0, (struct refrain__unit *)0};\n",
                        REFRAIN_UNIT_VERSION, n_nodes, n_slots, strings.text.length, n_dependencies);
    refrain_text_free(&strings.text);
    free(strings.table);
    refrain_text_free(&nodes);
}

/* ---- the file ---- */

static void write_line_directive(struct refrain_text *out, const char *file) {
    refrain_text_string(out, "#line 1 \"");
    for (const char *at = file; *at; at++)
        refrain_text_format(out, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
    refrain_text_string(out, "\"\n");
}

void refrain_emit(struct refrain_constructs *constructs, const struct refrain_source *source,
                  const struct refrain_instrument_options *options, unsigned n_slots, struct refrain_text *out) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const char *bytes = source->bytes;
    size_t skipped = source->length >= 3 && memcmp(bytes, byte_order_mark, 3) == 0 ? 3 : 0;
    struct refrain_edits edits = {0};
    write_line_directive(out, "<refrain>");
    for (size_t i = 0; i < source->n_keyword_macros; i++)
        refrain_text_format(out, "#pragma push_macro(\"%s\")\n#undef %s\n", source->keyword_macros[i],
                            source->keyword_macros[i]);
    refrain_text_string(out, declarations);
    write_tables(constructs, options, n_slots, out);
    /* Out of line it compiles faster; small functions, which only --detail=all traces, want it inline. */
    refrain_text_format(out, "#define REFRAIN__LEAVE REFRAIN__%s\n", options->all ? "INLINE" : "OUT");
    refrain_text_string(out, definitions);
    for (size_t i = 0; i < source->n_keyword_macros; i++)
        refrain_text_format(out, "#pragma pop_macro(\"%s\")\n", source->keyword_macros[i]);
    write_line_directive(out, options->source);
    collect_edits(&edits, constructs);
    for (size_t i = 0; i < edits.count; i++) {
        edits.items[i].offset -= (unsigned)skipped;
        edits.items[i].partner -= (unsigned)skipped;
    }
    refrain_edit_apply(&edits, bytes + skipped, source->length - skipped, out);
    refrain_edit_free(&edits);
}
