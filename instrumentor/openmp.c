/* openmp.c: makes regions of OpenMP constructs (openmp.h). */
#include "openmp.h"
#include "place.h"
#include <refrain/construct_names.h>
#include <stdlib.h>
#include <string.h>

#define LAST_LINE 32767u /* after this line, insertions have no lines of their own (edit.c), but pragmas need one */

void refrain_openmp_open(struct refrain_openmp *openmp, const struct refrain_source *source,
                         const struct refrain_instrument_options *options) {
    bool on = false;
    size_t capacity = 0;
    for (size_t i = 0; i < options->n_flags; i++)
        on |= strncmp(options->flags[i], "-D_OPENMP=", 10) == 0;
    if (!on || source->tokens.n_pragmas == 0)
        return;
    openmp->n_pragmas = source->tokens.n_pragmas;
    openmp->pragmas = refrain_memory_grow(NULL, &capacity, openmp->n_pragmas, sizeof *openmp->pragmas);
    memset(openmp->pragmas, 0, openmp->n_pragmas * sizeof *openmp->pragmas);
    for (size_t i = 0; i < openmp->n_pragmas; i++)
        openmp->pragmas[i].is_openmp =
            refrain_directive_read(&openmp->pragmas[i].directive, source->bytes, source->tokens.pragmas[i]);
}

void refrain_openmp_free(struct refrain_openmp *openmp) {
    free(openmp->pragmas);
    free(openmp->locks);
    *openmp = (struct refrain_openmp){0};
}

/* ---- statements ---- */

static bool has_kind(const struct refrain_pragma *pragma, enum refrain_directive_kind kind) {
    return pragma->is_openmp && pragma->directive.kind == kind;
}

/* True if the pragma has no statement. */
static bool stands_alone(const struct refrain_pragma *pragma) {
    return has_kind(pragma, REFRAIN_DIRECTIVE_BARRIER) || has_kind(pragma, REFRAIN_DIRECTIVE_TASKWAIT);
}

/* True if the extent that clang gives covers the whole statement, except perhaps a semicolon. */
static bool is_whole(CXCursor statement) {
    enum CXCursorKind kind = clang_getCursorKind(statement);
    if (kind == CXCursor_CompoundStmt || kind == CXCursor_NullStmt)
        return true;
    if (kind != CXCursor_ForStmt && kind != CXCursor_WhileStmt && kind != CXCursor_IfStmt &&
        kind != CXCursor_SwitchStmt && kind != CXCursor_LabelStmt)
        return false;
    struct refrain_children children = refrain_walk_children(statement);
    bool whole = children.count > 0 && is_whole(children.items[children.count - 1]);
    free(children.items);
    return whole;
}

/* The end of the statement, with its semicolon; 0 if a macro makes its beginning or end. */
static unsigned end_of(const struct refrain_walker *walker, CXCursor statement, struct refrain_span span) {
    const struct refrain_source *source = walker->source;
    if (span.end == 0 || refrain_source_macro_at(source, span.begin))
        return 0;
    if (is_whole(statement))
        return refrain_source_macro_at(source, span.end - 1) ? 0 : span.end;
    size_t next = refrain_lex_at(&source->tokens, span.end);
    struct refrain_macro_use *macro = refrain_source_macro_at(source, span.end - 1);
    if (!refrain_lex_is(&source->tokens, next, ";") ||
        refrain_source_macro_at(source, source->tokens.items[next].begin))
        return 0;
    return macro && !refrain_source_macro_is_whole(source, macro) ? 0 : source->tokens.items[next].end;
}

void refrain_openmp_note_statement(struct refrain_walker *walker, CXCursor statement, struct refrain_span span) {
    struct refrain_openmp *openmp = walker->openmp;
    const struct refrain_tokens *tokens = &walker->source->tokens;
    size_t token = refrain_lex_at(tokens, span.begin);
    if (!openmp->pragmas || token == tokens->count || tokens->items[token].begin != span.begin)
        return;
    unsigned earlier = token > 0 ? tokens->items[token - 1].end : 0, next = span.begin;
    bool is_for = clang_getCursorKind(statement) == CXCursor_ForStmt;
    for (unsigned i = tokens->items[token].pragma; i-- > 0 && tokens->pragmas[i].begin >= earlier;) {
        struct refrain_pragma *pragma = &openmp->pragmas[i];
        if (pragma->is_openmp && pragma->directive.kind != REFRAIN_DIRECTIVE_WITHOUT_WAIT) {
            struct refrain_construct *around = refrain_walk_at(walker, walker->parent);
            walker->constructs->functions[walker->function].has_loop = true; /* it deserves a region */
            around->holds = around->certain = true;
        }
        if (!stands_alone(pragma)) {
            pragma->next = next;
            pragma->end = end_of(walker, statement, span);
            pragma->is_for = is_for;
            if (pragma->end == 0)
                pragma->reason = "a macro makes its statement";
        }
        next = pragma->directive.hash;
    }
}

void refrain_openmp_note_lock(struct refrain_walker *walker, const char *function, struct refrain_span call) {
    struct refrain_openmp *openmp = walker->openmp;
    bool nest = strcmp(function, "omp_set_nest_lock") == 0;
    if (!openmp->pragmas || walker->frozen || (!nest && strcmp(function, "omp_set_lock") != 0) ||
        walker->constructs->functions[walker->function].left_alone)
        return;
    openmp->locks =
        refrain_memory_grow(openmp->locks, &openmp->lock_capacity, openmp->n_locks + 1, sizeof *openmp->locks);
    openmp->locks[openmp->n_locks++] = (struct refrain_lock_call){.at = call, .nest = nest};
}

/* ---- which constructs become regions ---- */

static unsigned line_at(const struct refrain_source *source, unsigned offset, struct refrain_text *file) {
    unsigned line;
    CXString name;
    clang_getPresumedLocation(clang_getLocationForOffset(source->unit, source->file, offset), file ? &name : NULL,
                              &line, NULL);
    if (file) {
        const char *chars = clang_getCString(name);
        refrain_text_string(file, chars ? chars : "");
        clang_disposeString(name);
    }
    return line;
}

static const struct refrain_function *function_at(const struct refrain_constructs *constructs, unsigned offset) {
    for (size_t f = 0; f < constructs->n_functions; f++)
        if (constructs->functions[f].construct != REFRAIN_NO_INDEX && offset >= constructs->functions[f].whole.begin &&
            offset < constructs->functions[f].whole.end)
            return &constructs->functions[f];
    return NULL;
}

/* True if the statement contains a pragma with this word. */
static bool holds(const struct refrain_openmp *openmp, const char *bytes, size_t i, const char *word) {
    for (size_t inner = i + 1; inner < openmp->n_pragmas; inner++)
        if (openmp->pragmas[inner].is_openmp && openmp->pragmas[inner].directive.hash < openmp->pragmas[i].end &&
            refrain_lex_has_word(bytes, openmp->pragmas[inner].directive.name, word))
            return true;
    return false;
}

/* Why the construct cannot be instrumented; null: it can. */
static const char *find_reason(const struct refrain_constructs *constructs, const struct refrain_source *source,
                               const struct refrain_pragma *pragma) {
    const struct refrain_directive *directive = &pragma->directive;
    const struct refrain_function *function = function_at(constructs, directive->hash);
    bool loop = directive->kind == REFRAIN_DIRECTIVE_FOR || directive->second == REFRAIN_DIRECTIVE_FOR;
    if (directive->reason || pragma->reason)
        return directive->reason ? directive->reason : pragma->reason;
    if (!function)
        return "it is in no function";
    if (function->left_alone)
        return function->left_alone;
    if (!stands_alone(pragma) && pragma->end == 0)
        return "its statement was not found";
    if (loop && !pragma->is_for)
        return "its statement is no for loop";
    if (line_at(source, directive->hash, NULL) > LAST_LINE)
        return "its line is beyond the 32,767th";
    return NULL;
}

void refrain_openmp_decide(struct refrain_constructs *constructs, const struct refrain_source *source) {
    struct refrain_openmp *openmp = constructs->openmp;
    unsigned blocked_until = 0;
    bool device = false;
    for (size_t i = 0; i < openmp->n_pragmas; i++) {
        struct refrain_pragma *pragma = &openmp->pragmas[i];
        const struct refrain_directive *directive = &pragma->directive;
        if (!pragma->is_openmp)
            continue;
        device |= refrain_lex_has_word(source->bytes, source->tokens.pragmas[i], "declare") &&
                  refrain_lex_has_word(source->bytes, source->tokens.pragmas[i], "target");
        if (directive->kind == REFRAIN_DIRECTIVE_WITHOUT_WAIT)
            continue;
        pragma->reason = find_reason(constructs, source, pragma);
        bool cancelled = holds(openmp, source->bytes, i, "cancel") || holds(openmp, source->bytes, i, "cancellation");
        bool other = refrain_lex_has_word(source->bytes, source->tokens.pragmas[i], "target") ||
                     refrain_lex_has_word(source->bytes, source->tokens.pragmas[i], "teams");
        if (directive->hash < blocked_until)
            pragma->reason = "what it is in is left as it is";
        else if (cancelled)
            pragma->reason = "it may be cancelled";
        else if (device)
            pragma->reason = "the file has code for devices";
        if ((cancelled || other) && pragma->end > blocked_until)
            blocked_until = pragma->end;
        if (pragma->reason) {
            struct refrain_text text = {0}, file = {0};
            unsigned line = line_at(source, directive->hash, &file);
            refrain_text_format(&text, "omp %.*s: %s", (int)(directive->name.end - directive->name.begin),
                                source->bytes + directive->name.begin, pragma->reason);
            refrain_constructs_leave(constructs, file.bytes, line, text.bytes);
            refrain_text_free(&text);
            refrain_text_free(&file);
        }
    }
}

/* ---- inserted text ---- */

struct place {
    const char *bytes;
    struct refrain_text file; /* last component of the path, as in a string literal */
    unsigned line;
};

static struct place place_of(const struct refrain_source *source, unsigned offset) {
    struct refrain_text path = {0};
    struct place place = {.bytes = source->bytes, .line = line_at(source, offset, &path)};
    refrain_text_string(&place.file, "");
    for (const char *at = refrain_text_basename(path.bytes ? path.bytes : ""); *at; at++)
        refrain_text_format(&place.file, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
    refrain_text_free(&path);
    return place;
}

static void begin(struct refrain_text *out, const struct place *place, enum refrain_construct_class class,
                  struct refrain_span argument, bool block) {
    refrain_text_format(out, "refrain__begin_construct(\"" REFRAIN_OPENMP_PREFIX "%s", refrain_construct_word(class));
    for (unsigned at = argument.begin; at < argument.end; at++)
        if (!strchr(" \t\r\n\\\"", place->bytes[at]) || at == argument.begin)
            refrain_text_format(out, "%s%c", at == argument.begin ? "(" : "", place->bytes[at]);
    refrain_text_format(out, "%s%s @%s:%u\"); ", argument.begin ? ")" : "", block ? " " REFRAIN_CONSTRUCT_BLOCK : "",
                        place->file.bytes, place->line);
}

static const char *const end_region = " refrain__end_construct();";

/* A region in which the thread waits for the team. */
static void barrier(struct refrain_text *out, const struct place *place) {
    refrain_text_string(out, " ");
    begin(out, place, REFRAIN_CONSTRUCT_IMPLICIT_BARRIER, (struct refrain_span){0}, false);
    refrain_text_format(out, "\n#pragma omp barrier\n%s", end_region);
}

static enum refrain_construct_class class_of(enum refrain_directive_kind kind) {
    static const enum refrain_construct_class classes[] = {[REFRAIN_DIRECTIVE_PARALLEL] = REFRAIN_CONSTRUCT_PARALLEL,
                                                           [REFRAIN_DIRECTIVE_FOR] = REFRAIN_CONSTRUCT_FOR,
                                                           [REFRAIN_DIRECTIVE_SECTIONS] = REFRAIN_CONSTRUCT_SECTIONS,
                                                           [REFRAIN_DIRECTIVE_SECTION] = REFRAIN_CONSTRUCT_SECTION,
                                                           [REFRAIN_DIRECTIVE_SINGLE] = REFRAIN_CONSTRUCT_SINGLE,
                                                           [REFRAIN_DIRECTIVE_MASTER] = REFRAIN_CONSTRUCT_MASTER,
                                                           [REFRAIN_DIRECTIVE_CRITICAL] = REFRAIN_CONSTRUCT_CRITICAL,
                                                           [REFRAIN_DIRECTIVE_ORDERED] = REFRAIN_CONSTRUCT_ORDERED,
                                                           [REFRAIN_DIRECTIVE_TASK] = REFRAIN_CONSTRUCT_TASK,
                                                           [REFRAIN_DIRECTIVE_TASKWAIT] = REFRAIN_CONSTRUCT_TASKWAIT,
                                                           [REFRAIN_DIRECTIVE_BARRIER] = REFRAIN_CONSTRUCT_BARRIER};
    return classes[kind];
}

static bool shares_work(enum refrain_directive_kind kind) {
    return kind == REFRAIN_DIRECTIVE_FOR || kind == REFRAIN_DIRECTIVE_SECTIONS || kind == REFRAIN_DIRECTIVE_SINGLE;
}

/* True if the construct has a region on the thread that reaches it, around the work of the other threads. */
static bool has_outside(enum refrain_directive_kind kind) {
    return kind != REFRAIN_DIRECTIVE_MASTER && kind != REFRAIN_DIRECTIVE_SECTION && kind != REFRAIN_DIRECTIVE_TASK;
}

/* True if the block of the construct has a region. */
static bool has_block(enum refrain_directive_kind kind) {
    return kind == REFRAIN_DIRECTIVE_PARALLEL || kind == REFRAIN_DIRECTIVE_SINGLE ||
           kind == REFRAIN_DIRECTIVE_CRITICAL || kind == REFRAIN_DIRECTIVE_ORDERED || !has_outside(kind);
}

/* ---- insertions ---- */

/* True if the construct ends with a barrier that can be written explicitly. */
static bool ends_in_barrier(const struct refrain_directive *directive, const char *bytes) {
    return shares_work(directive->kind) && !refrain_directive_clause(directive, bytes, "nowait") &&
           !refrain_directive_clause(directive, bytes, "copyprivate");
}

/* Position for further clauses. */
static unsigned clauses_end(const struct refrain_directive *directive) {
    if (directive->n_clauses)
        return directive->clauses[directive->n_clauses - 1].end;
    return directive->second != REFRAIN_DIRECTIVE_OTHER ? directive->second_name.end : directive->name.end;
}

/* The region on the thread that reaches the construct. */
static void edit_outside(const struct refrain_pragma *pragma, const struct place *place, struct refrain_edits *edits) {
    const struct refrain_directive *directive = &pragma->directive;
    struct refrain_text opening = {0}, closing = {0};
    refrain_text_string(&opening, "{ ");
    begin(&opening, place, class_of(directive->kind), directive->argument, false);
    bool waits = ends_in_barrier(directive, place->bytes);
    if (waits)
        barrier(&closing, place);
    refrain_text_format(&closing, "%s }", end_region);
    unsigned end = stands_alone(pragma) ? directive->end : pragma->end;
    refrain_edit_wrap(edits, directive->hash, end, opening.bytes, closing.bytes);
    if (waits)
        refrain_edit_splice(edits, clauses_end(directive), refrain_text_copy(" nowait"));
}

/* The region of its block. */
static void edit_block(const struct refrain_pragma *pragma, const struct place *place, struct refrain_edits *edits) {
    const struct refrain_directive *directive = &pragma->directive;
    struct refrain_text opening = {0}, closing = {0};
    refrain_text_string(&opening, "{ ");
    begin(&opening, place, class_of(directive->kind), directive->argument, has_outside(directive->kind));
    if (directive->kind == REFRAIN_DIRECTIVE_PARALLEL)
        barrier(&closing, place);
    refrain_text_format(&closing, "%s }", end_region);
    refrain_edit_wrap(edits, pragma->next, pragma->end, opening.bytes, closing.bytes);
}

/* parallel for, parallel sections: splits the pragma in two. Clauses of the first are copied, and commented out in
 * the second. */
static void edit_combined(const struct refrain_pragma *pragma, const struct place *place, struct refrain_edits *edits) {
    const struct refrain_directive *directive = &pragma->directive;
    struct refrain_text split = {0}, closing = {0};
    for (unsigned i = 0; i < directive->n_clauses; i++) {
        const struct refrain_clause *clause = &directive->clauses[i];
        if (!refrain_clause_is_of_parallel(clause, place->bytes))
            continue;
        refrain_text_string(&split, " ");
        refrain_text_bytes(&split, place->bytes + clause->word.begin, clause->end - clause->word.begin);
        refrain_edit_splice(edits, clause->word.begin, refrain_text_copy("/*"));
        refrain_edit_splice(edits, clause->end, refrain_text_copy("*/"));
    }
    refrain_text_format(&split, "\n#line %u\n{ ", place->line);
    begin(&split, place, REFRAIN_CONSTRUCT_PARALLEL, (struct refrain_span){0}, true);
    begin(&split, place, class_of(directive->second), (struct refrain_span){0}, false);
    refrain_text_format(&split, "\n#line %u\n#pragma omp", place->line);
    refrain_edit_splice(edits, directive->name.end, split.bytes);
    refrain_edit_splice(edits, clauses_end(directive), refrain_text_copy(" nowait"));
    barrier(&closing, place);
    refrain_text_format(&closing, "%s%s }", end_region, end_region);
    refrain_edit_wrap(edits, pragma->next, pragma->end, refrain_text_copy(""), closing.bytes);
}

static void edit_lock(const struct refrain_lock_call *lock, const struct refrain_source *source,
                      struct refrain_edits *edits) {
    struct place place = place_of(source, lock->at.begin);
    struct refrain_text opening = {0};
    refrain_text_format(&opening, "(refrain__begin_construct(\"" REFRAIN_OPENMP_PREFIX "%s @%s:%u\"), ",
                        refrain_construct_word(REFRAIN_CONSTRUCT_SET_LOCK), place.file.bytes, place.line);
    refrain_edit_wrap(edits, lock->at.begin, lock->at.end, opening.bytes,
                      refrain_text_copy(", refrain__end_construct())"));
    refrain_text_free(&place.file);
}

bool refrain_openmp_edit(const struct refrain_openmp *openmp, const struct refrain_source *source,
                         struct refrain_edits *edits) {
    size_t before = edits->count;
    for (size_t i = 0; i < openmp->n_pragmas; i++) {
        const struct refrain_pragma *pragma = &openmp->pragmas[i];
        enum refrain_directive_kind kind = pragma->directive.kind;
        if (!pragma->is_openmp || pragma->reason || kind == REFRAIN_DIRECTIVE_WITHOUT_WAIT)
            continue;
        struct place place = place_of(source, pragma->directive.hash);
        if (has_outside(kind))
            edit_outside(pragma, &place, edits);
        if (pragma->directive.second != REFRAIN_DIRECTIVE_OTHER)
            edit_combined(pragma, &place, edits);
        else if (has_block(kind))
            edit_block(pragma, &place, edits);
        refrain_text_free(&place.file);
    }
    for (size_t i = 0; i < openmp->n_locks; i++)
        edit_lock(&openmp->locks[i], source, edits);
    return edits->count > before;
}
