/* emit.c: writes the instrumented file (construct.h).
 *
 *     declarations, tables, probes           first, before any macro of the file is defined (tables.c)
 *     #line 1 "source.c"
 *     the file with probes inserted; each of its tokens keeps its line and column (edit.h)
 *
 * The text before the file comes from inserted/ and tables.c. The probe of a condition is inline and
 * returns the value of the condition, so that the compiler optimises the branch as before.
 *
 * In optimised code a probe is a site (inserted/sites.h). There are no sites with -ffunction-sections: a section
 * lists all sites and refers to their code, so the linker could not drop unused functions. gcc
 * rejects sites in a function with its own level of optimisation; the wrapper then tries again with
 * REFRAIN__NO_SITES. With -flto it would reject them only at link time, so there are none either. */
#include "construct.h"
#include "edit.h"
#include "inserted.h"
#include "openmp.h"
#include <stdlib.h>
#include <string.h>

/* ---- edits ---- */

static char *probe_call(const struct refrain_construct *construct, const char *head, const char *probe,
                        const char *tail) {
    struct refrain_text text = {0};
    refrain_text_format(&text, "%srefrain__%s(&refrain__f, %u%s", head, probe, construct->slot, tail);
    return text.bytes;
}

/* The counter is a local variable of the function, so that the compiler keeps it in a register. */
static char *count_call(const struct refrain_construct *construct) {
    struct refrain_text text = {0};
    refrain_text_format(&text, "refrain__count(&refrain__f, %u, &refrain__n%u, !!(", construct->slot, construct->slot);
    return text.bytes;
}

/* A probe at a place. The probe of an MPI call only stores the place (inserted/end.h). */
static char *place_call(const struct refrain_construct *construct, const char *head, const char *tail) {
    struct refrain_text text = {0};
    bool mpi = construct->kind == REFRAIN_MPI_CALL;
    refrain_text_format(&text, "%srefrain__%s%u)%s", head, mpi ? "call(" : "at(&refrain__f, ", construct->slot, tail);
    return text.bytes;
}

/* The text in front of an MPI call: it enters the activation if it is not entered yet, then records the place. `slot`:
 * slot of the function. */
static char *late_call(const struct refrain_construct *construct, unsigned slot, bool statement) {
    struct refrain_text text = {0};
    refrain_text_format(&text,
                        "%s(void)(refrain__e.entered || (refrain__e.entered = 1, refrain__enter(&refrain__f, %u))), ",
                        statement ? "" : "(", slot);
    char *enters = text.bytes, *late = place_call(construct, enters, statement ? "; " : ", ");
    free(enters);
    return late;
}

static void place_late(struct refrain_edits *edits, const struct refrain_construct *construct, unsigned slot) {
    if (construct->kind == REFRAIN_MACRO)
        refrain_edit_insert(edits, construct->at.begin, late_call(construct, slot, true));
    else
        refrain_edit_wrap(edits, construct->at.begin, construct->at.end, late_call(construct, slot, false),
                          refrain_text_copy(")"));
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
        refrain_edit_wrap(edits, begin, end, place_call(construct, "(", ", "), refrain_text_copy(")"));
        break;
    case REFRAIN_MACRO:
        refrain_edit_insert(edits, begin, place_call(construct, "", "; "));
        break;
    default:
        break;
    }
}

static void place_frame(struct refrain_edits *edits, const struct refrain_constructs *constructs,
                        const struct refrain_function *function) {
    const struct refrain_construct *top = &constructs->items[function->construct];
    struct refrain_text text = {0};
    if (function->entry == REFRAIN_ENTERED_LATE)
        refrain_text_format(&text,
                            " refrain__frame refrain__f; refrain__late refrain__e "
                            "__attribute__((__cleanup__(refrain__leave_%u))) = refrain__not_yet(&refrain__f);",
                            top->slot);
    else
        refrain_text_format(&text,
                            " refrain__frame refrain__f __attribute__((__cleanup__(refrain__leave_%u))); "
                            "int refrain__e __attribute__((__unused__)) = refrain__enter(&refrain__f, %u);",
                            top->slot, top->slot);
    for (unsigned i = function->construct + 1; i < top->after; i++)
        if (constructs->items[i].counted)
            refrain_text_format(&text, " unsigned long refrain__n%u = 0;", constructs->items[i].slot);
    refrain_edit_insert(edits, function->frame_offset, text.bytes);
    if (constructs->calls_setjmp && function->head_offset != REFRAIN_NO_INDEX)
        refrain_edit_insert(edits, function->head_offset, refrain_text_copy("__attribute__((__noinline__)) "));
}

/* A cleanup function gets only the address of the object, so each function needs its own. */
static void write_leaves(const struct refrain_constructs *constructs, struct refrain_text *out) {
    for (size_t f = 0; f < constructs->n_functions; f++)
        if (constructs->functions[f].traced && constructs->functions[f].entry != REFRAIN_NEVER_ENTERED)
            refrain_text_format(out, "REFRAIN__LEAVES(%u, %s)\n",
                                constructs->items[constructs->functions[f].construct].slot,
                                constructs->functions[f].entry == REFRAIN_ENTERED_LATE ? "late, refrain__leave_late"
                                                                                       : "frame, refrain__leave");
}

static void collect_edits(struct refrain_edits *edits, const struct refrain_constructs *constructs) {
    for (size_t f = 0; f < constructs->n_functions; f++) {
        const struct refrain_function *function = &constructs->functions[f];
        if (!function->traced || function->entry == REFRAIN_NEVER_ENTERED)
            continue;
        const struct refrain_construct *top = &constructs->items[function->construct];
        place_frame(edits, constructs, function);
        for (unsigned i = function->construct + 1; i < top->after; i++)
            if (constructs->items[i].wanted && function->entry == REFRAIN_ENTERED_LATE)
                place_late(edits, &constructs->items[i], top->slot);
            else if (constructs->items[i].wanted)
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

/* True if each function has a section of its own. */
static bool has_sections(const struct refrain_instrument_options *options) {
    bool sections = false;
    for (size_t i = 0; i < options->n_flags; i++) {
        sections |= strcmp(options->flags[i], "-ffunction-sections") == 0;
        sections &= strcmp(options->flags[i], "-fno-function-sections") != 0;
    }
    return sections;
}

static unsigned line_at(const void *context, unsigned offset) {
    const struct refrain_source *source = context;
    unsigned line;
    clang_getPresumedLocation(clang_getLocationForOffset(source->unit, source->file, offset), NULL, &line, NULL);
    return line;
}

void refrain_emit(struct refrain_constructs *constructs, const struct refrain_source *source,
                  const struct refrain_instrument_options *options, unsigned n_slots, struct refrain_text *out) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const char *bytes = source->bytes;
    size_t skipped = source->length >= 3 && memcmp(bytes, byte_order_mark, 3) == 0 ? 3 : 0;
    struct refrain_edits edits = {0};
    write_line_directive(out, "<refrain>");
    const struct refrain_list *words = &source->word_macros;
    for (size_t i = 0; i < words->count; i++)
        refrain_text_format(out, "#pragma push_macro(\"%s\")\n#undef %s\n", words->items[i], words->items[i]);
    refrain_text_string(out, refrain_inserted_declarations);
    refrain_tables_write(constructs, options, n_slots, out);
    if (!options->lto) {
        refrain_text_string(out, refrain_inserted_units);
        refrain_text_string(out, refrain_inserted_entries);
    }
    if (!options->lto && !has_sections(options))
        refrain_text_string(out, refrain_inserted_sites);
    refrain_text_string(out, refrain_inserted_calls);
    write_leaves(constructs, out);
    refrain_text_string(out, refrain_inserted_end);
    if (refrain_openmp_edit(constructs->openmp, source, &edits))
        refrain_text_string(out, refrain_inserted_constructs);
    /* Without optimisation, gcc keeps the order of the file. If the file of the user begins with assembly, that would
     * land in the data section of the tables above, so an empty function comes before it. */
    refrain_text_string(out, "#ifndef __OPTIMIZE__\nstatic void __attribute__((__used__, __no_instrument_function__)) "
                             "refrain__code(void) {\n}\n#endif\n");
    for (size_t i = 0; i < words->count; i++)
        refrain_text_format(out, "#pragma pop_macro(\"%s\")\n", words->items[i]);
    write_line_directive(out, options->source);
    collect_edits(&edits, constructs);
    refrain_edit_apply(&edits, bytes, skipped, source->length, line_at, source, out);
    refrain_edit_free(&edits);
}
