/* emit.c: the instrumented file (construct.h).
 *
 *     declarations, tables, constructor      in front, where no macro of the file's own is defined yet (tables.c)
 *     #line 1 "source.c"
 *     the file, probes inserted, no line moved
 *
 * The declarations are those of unit.h under names of their own, bound to the library's symbols by assembler names,
 * so that the file may include unit.h itself. They are weak: an object that is linked without the library runs as if
 * it had never been instrumented. What a probe does is out of line, since more than a call at each would cost the
 * compiler too much. Decisions return the program's own value, inline, so that the compiler still sees what depends on
 * it; without optimisation nothing is inline, since that would double the time to compile. What runs once is never
 * optimised.
 *
 * Whether a probe is on says a byte. A program full of probes that are off would load and test it at each of them, so
 * optimised code for x86-64 has an instruction of five bytes there instead: as compiled it jumps to the probe, and the
 * monitor makes another of it that does nothing, with one byte, where the probe is off (struct refrain_jump, unit.h).
 * The section that lists these instructions holds on to the code that they are in, so there are none with
 * -ffunction-sections, which is there for the linker to leave out what is not used. Leaving tests the frame instead:
 * who entered leaves, whatever was switched meanwhile. A compiler that cannot have these jumps, as gcc in a function of
 * its own level of optimisation, rejects the file, and the wrapper comes again with REFRAIN__NO_JUMPS; with -flto it
 * would reject it too late for that, so there are none either.
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
    "#ifdef __clang__\n"
    "#define REFRAIN__ONCE static __attribute__((__noinline__, __optnone__, __no_instrument_function__))\n"
    "#else\n"
    "#define REFRAIN__ONCE static __attribute__((__noinline__, __optimize__(0), __no_instrument_function__))\n"
    "#endif\n"
    "typedef struct refrain__frame { void *entry; void *slots; } refrain__frame;\n"
    "struct refrain__node { unsigned int kind, parent, slot, line, column, name, file; };\n"
    "struct refrain__dependency { unsigned char *to; unsigned char __const__ *from; };\n"
    "struct refrain__jump { int code, on; };\n"
    "struct refrain__unit {\n"
    "    unsigned int version, n_nodes, n_slots, strings_bytes;\n"
    "    struct refrain__node __const__ *nodes;\n"
    "    char __const__ *strings;\n"
    "    unsigned char *on;\n"
    "    unsigned char __const__ *base;\n"
    "    struct refrain__dependency __const__ *dependencies;\n"
    "    unsigned long n_dependencies;\n"
    "    struct refrain__jump __const__ *jumps, *jumps_end;\n"
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
    "    REFRAIN__WEAK(refrain_count);\n"
    "extern struct refrain__jump __const__ refrain__first_jump[] REFRAIN__WEAK(__start_refrain_jumps)\n"
    "    __attribute__((__visibility__(\"hidden\")));\n"
    "extern struct refrain__jump __const__ refrain__last_jump[] REFRAIN__WEAK(__stop_refrain_jumps)\n"
    "    __attribute__((__visibility__(\"hidden\")));\n";

static const char jumping[] =
    "#if defined __OPTIMIZE__ && !defined REFRAIN__NO_JUMPS && defined __x86_64__ && defined __ELF__ && \\\n"
    "    !defined __ILP32__ && \\\n"
    "    !defined __code_model_medium__ && !defined __code_model_large__ && \\\n"
    "    ((defined __clang__ && __clang_major__ >= 12) || (!defined __clang__ && __GNUC__ >= 9))\n"
    "#define REFRAIN__JUMPS\n"
    "REFRAIN__INLINE int refrain__is_on(unsigned int slot) {\n"
    "    __asm__ __inline__ goto(\"661: .byte 0xe9\\n\\t.long %l[refrain__jump] - . - 4\\n\\t\"\n"
    "        \".pushsection refrain_jumps, \\\"a\\\", @progbits\\n\\t.long 661b - .\\n\\t.long %c0 + %c1 - "
    ".\\n\\t.popsection\"\n"
    "        : : \"i\"(refrain__on), \"i\"(slot) : \"cc\" : refrain__jump);\n"
    "    return 0;\n"
    "refrain__jump:\n"
    "    return 1;\n"
    "}\n"
    "#endif\n";

static const char definitions[] =
    "#ifndef REFRAIN__JUMPS\n"
    "#define refrain__is_on(slot) refrain__on[slot]\n"
    "#endif\n"
    "REFRAIN__OUT refrain__frame refrain__open(unsigned int slot, void *frame_address) {\n"
    "    refrain__frame frame = {(void *)0, (void *)0};\n"
    "    if (refrain__on[slot] && refrain__do_enter)\n"
    "        frame = refrain__do_enter(&refrain__u, slot, frame_address);\n"
    "    return frame;\n"
    "}\n"
    "REFRAIN__INLINE refrain__frame refrain__enter(unsigned int slot, void *frame_address) {\n"
    "    refrain__frame frame = {(void *)0, (void *)0};\n"
    "    if (refrain__is_on(slot))\n"
    "        frame = refrain__open(slot, frame_address);\n"
    "    return frame;\n"
    "}\n"
    "REFRAIN__INLINE void refrain__leave(refrain__frame *frame) {\n"
    "    if (frame->entry)\n"
    "        refrain__do_leave(frame);\n"
    "}\n"
    "REFRAIN__OUT void refrain__at(refrain__frame *frame, unsigned int slot) {\n"
    "    if (refrain__on[slot] && frame->entry)\n"
    "        refrain__do_at(frame, slot);\n"
    "}\n"
    "REFRAIN__OUT void refrain__tell_if(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    if (refrain__on[slot] && frame->entry)\n"
    "        (void)refrain__do_if(frame, slot, value);\n"
    "}\n"
    "REFRAIN__OUT void refrain__tell_loop(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    if (refrain__on[slot] && frame->entry)\n"
    "        (void)refrain__do_loop(frame, slot, value);\n"
    "}\n"
    "REFRAIN__OUT void refrain__tell_count(refrain__frame *frame, unsigned int slot, unsigned long count) {\n"
    "    if (refrain__on[slot] && frame->entry)\n"
    "        refrain__do_count(frame, slot, count);\n"
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
    "    if (refrain__is_on(slot))\n"
    "        refrain__at(frame, slot);\n"
    "}\n"
    "REFRAIN__INLINE int refrain__maybe_if(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    if (refrain__is_on(slot))\n"
    "        refrain__tell_if(frame, slot, value);\n"
    "    return value;\n"
    "}\n"
    "REFRAIN__INLINE int refrain__maybe_loop(refrain__frame *frame, unsigned int slot, int value) {\n"
    "    if (refrain__is_on(slot))\n"
    "        refrain__tell_loop(frame, slot, value);\n"
    "    return value;\n"
    "}\n"
    "REFRAIN__INLINE int refrain__count(refrain__frame *frame, unsigned int slot, unsigned long *count, int value) {\n"
    "    if (value) {\n"
    "        ++*count;\n"
    "    } else {\n"
    "        if (refrain__is_on(slot))\n"
    "            refrain__tell_count(frame, slot, *count);\n"
    "        *count = 0;\n"
    "    }\n"
    "    return value;\n"
    "}\n"
    "REFRAIN__ONCE void refrain__unpack(void) {\n"
    "    unsigned char __const__ *at = (unsigned char __const__ *)refrain__packed;\n"
    "    unsigned char __const__ *end = at + sizeof refrain__packed;\n"
    "    unsigned int now[7] = {0, 0, 0, 0, 0, 0, 0}, value = 0, field = 0, digit;\n"
    "    unsigned int *to = (unsigned int *)refrain__nodes;\n"
    "    while (at < end) {\n"
    "        digit = *at++;\n"
    "        if (digit)\n"
    "            value = value * 63 + digit % 64 - 1;\n"
    "        if (digit == 0 || digit > 64)\n"
    "            continue;\n"
    "        now[field] = value % 2 ? now[field] - value / 2 : now[field] + value / 2;\n"
    "        to[field] = now[field];\n"
    "        value = 0;\n"
    "        if (++field < 7)\n"
    "            continue;\n"
    "        field = 0;\n"
    "        to[0] %= 32;\n"
    "        to[2] = to[2] ? to[2] - 1 : 4294967295u;\n"
    "        if (now[2])\n"
    "            refrain__base[to[2]] = (unsigned char)(now[0] / 32);\n"
    "        to += 7;\n"
    "    }\n"
    "}\n"
    "static void __attribute__((__constructor__(101), __no_instrument_function__)) refrain__begin(void) {\n"
    "    if (refrain__do_register) {\n"
    "        refrain__unpack();\n"
    "        refrain__do_register(&refrain__u);\n"
    "    }\n"
    "}\n"
    "static void __attribute__((__destructor__(101), __no_instrument_function__)) refrain__end(void) {\n"
    "    if (refrain__do_unregister)\n"
    "        refrain__do_unregister(&refrain__u);\n"
    "}\n"
    "#undef REFRAIN__WEAK\n"
    "#undef REFRAIN__INLINE\n"
    "#undef REFRAIN__OUT\n"
    "#undef REFRAIN__ONCE\n"
    "#undef REFRAIN__JUMPS\n"
    "#undef refrain__is_on\n";

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
                        " refrain__frame refrain__f __attribute__((__cleanup__(refrain__leave), __unused__)) = "
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

/* ---- the file ---- */

static void write_line_directive(struct refrain_text *out, const char *file) {
    refrain_text_string(out, "#line 1 \"");
    for (const char *at = file; *at; at++)
        refrain_text_format(out, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
    refrain_text_string(out, "\"\n");
}

/* Has each function a section of its own? */
static bool has_sections(const struct refrain_instrument_options *options) {
    bool sections = false;
    for (size_t i = 0; i < options->n_flags; i++) {
        sections |= strcmp(options->flags[i], "-ffunction-sections") == 0;
        sections &= strcmp(options->flags[i], "-fno-function-sections") != 0;
    }
    return sections;
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
    refrain_tables_write(constructs, options, n_slots, out);
    if (!options->late && !has_sections(options))
        refrain_text_string(out, jumping);
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
