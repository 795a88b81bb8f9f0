/* walk_file.c: walks the functions of a file (walk.h). */
#include "openmp.h"
#include "place.h"
#include "walk.h"
#include "warn.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool head_has_word(const struct refrain_source *source, struct refrain_span head, const char *word) {
    return refrain_lex_has_word(source->bytes, head, word);
}

static bool has_error(const struct refrain_source *source, struct refrain_span span) {
    for (size_t i = 0; i < source->n_errors; i++)
        if (source->errors[i].begin >= span.begin && source->errors[i].begin <= span.end)
            return true;
    return false;
}

static const char *reason_to_leave(const struct refrain_walker *walker, CXCursor cursor,
                                   const struct refrain_function *function, struct refrain_span whole,
                                   struct refrain_span body) {
    static const char *const attributes[] = {
        "naked",         "__naked__",  "no_instrument_function", "__no_instrument_function__", "interrupt",
        "__interrupt__", "gnu_inline", "__gnu_inline__"};
    const struct refrain_source *source = walker->source;
    struct refrain_span head = {whole.begin, body.begin};
    if (function->is_inline && clang_Cursor_getStorageClass(cursor) != CX_SC_Static)
        return "an inline function that other files see may not refer to this file's tables";
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (head_has_word(source, head, attributes[i]))
            return "its attributes forbid it";
    if (function->misunderstood)
        return "libclang does not understand it";
    size_t token = refrain_lex_at(&source->tokens, whole.begin);
    if (token < source->tokens.count && source->tokens.items[token].begin == whole.begin) {
        unsigned pragma = source->tokens.items[token].pragma;
        if (pragma && head_has_word(source, source->tokens.pragmas[pragma - 1], "declare"))
            return "a pragma makes variants of it";
    }
    if (refrain_source_macro_at(source, body.begin))
        return "a macro begins its body";
    if (function->excluded)
        return "the filter file excludes it";
    return NULL;
}

/* True for an ifunc resolver: it runs before the program is relocated, so it must not call anything. */
static bool is_resolver(const struct refrain_source *source, const char *name) {
    const struct refrain_tokens *tokens = &source->tokens;
    for (size_t i = 0; source->has_ifunc && i + 2 < tokens->count; i++) {
        if (!refrain_lex_is(tokens, i, "ifunc") && !refrain_lex_is(tokens, i, "__ifunc__"))
            continue;
        const struct refrain_token *text = &tokens->items[i + 2];
        if (text->end - text->begin == strlen(name) + 2 &&
            memcmp(tokens->bytes + text->begin + 1, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

static void walk_function(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_function *function = refrain_walk_find_function(walker->constructs, cursor);
    struct refrain_children children = refrain_walk_children(cursor);
    CXCursor body = children.count ? children.items[children.count - 1] : clang_getNullCursor();
    free(children.items);
    if (!function || clang_getCursorKind(body) != CXCursor_CompoundStmt)
        return;
    struct refrain_span whole = refrain_walk_extent(walker, cursor), body_span = refrain_walk_extent(walker, body);
    bool here = whole.begin != REFRAIN_NO_INDEX && body_span.begin != REFRAIN_NO_INDEX;
    function->is_inline = clang_Cursor_isFunctionInlined(cursor);
    function->is_static = clang_getCursorLinkage(cursor) != CXLinkage_External;
    function->is_main = strcmp(function->name, "main") == 0;
    function->whole = whole;
    function->misunderstood = here && has_error(walker->source, whole);
    function->excluded = here && !refrain_filter_takes_function(walker->options->filter, function->name);
    function->left_alone = here ? reason_to_leave(walker, cursor, function, whole, body_span) : "it is in a header";
    function->head_offset = REFRAIN_NO_INDEX;
    function->n_tokens = here ? (unsigned)(refrain_lex_at(&walker->source->tokens, body_span.end) -
                                           refrain_lex_at(&walker->source->tokens, body_span.begin))
                              : UINT_MAX;
    if (here && !function->left_alone && is_resolver(walker->source, function->name))
        function->left_alone = "it runs before the program is relocated";
    if (here && !function->left_alone && !refrain_place_frame(walker->source, body_span.begin, &function->frame_offset))
        function->left_alone = "its body does not begin with a brace that is spelled";
    if (here && !function->is_inline && !refrain_source_macro_at(walker->source, whole.begin) &&
        clang_getCursorKind(cursor) == CXCursor_FunctionDecl)
        function->head_offset = whole.begin;
    walker->function = (unsigned)(function - walker->constructs->functions);
    walker->parent = walker->macro = REFRAIN_NO_INDEX;
    walker->frozen = walker->canonical = walker->shared = false;
    unsigned construct = refrain_walk_open(walker, REFRAIN_FUNCTION, cursor);
    function->construct = construct;
    function->line = refrain_walk_at(walker, construct)->line;
    refrain_walk_at(walker, construct)->name = refrain_text_copy(function->name);
    refrain_walk_cursor(walker, body);
    refrain_walk_close(walker, construct);
}

static bool speaks_of_events(CXCursor function) {
    CXString spelling = clang_getCursorSpelling(function);
    const char *name = clang_getCString(spelling);
    bool speaks = name && (strncmp(name, "MPI_", 4) == 0 || strcmp(name, "refrain_region_begin") == 0 ||
                           (strcmp(name, "main") == 0 && clang_isCursorDefinition(function)));
    clang_disposeString(spelling);
    return speaks;
}

static enum CXChildVisitResult find_definitions(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    struct refrain_constructs *constructs = data;
    if (!constructs->speaks_of_events && clang_getCursorKind(cursor) == CXCursor_FunctionDecl)
        constructs->speaks_of_events = speaks_of_events(cursor);
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    constructs->functions = refrain_memory_grow(constructs->functions, &constructs->function_capacity,
                                                constructs->n_functions + 1, sizeof *constructs->functions);
    constructs->functions[constructs->n_functions++] =
        (struct refrain_function){.canonical = clang_getCanonicalCursor(cursor),
                                  .name = refrain_walk_name(cursor),
                                  .construct = REFRAIN_NO_INDEX};
    return CXChildVisit_Continue;
}

static void build_table(struct refrain_constructs *constructs) {
    size_t size = constructs->n_functions * 2 + 1, capacity = 0;
    constructs->table = refrain_memory_grow(NULL, &capacity, size, sizeof *constructs->table);
    constructs->table_size = size;
    memset(constructs->table, 0, size * sizeof *constructs->table);
    for (size_t f = 0; f < constructs->n_functions; f++) {
        size_t i = clang_hashCursor(constructs->functions[f].canonical) % size;
        while (constructs->table[i])
            i = (i + 1) % size;
        constructs->table[i] = (unsigned)f + 1;
    }
}

static enum CXChildVisitResult take_addresses(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        refrain_walk_note_address(data, cursor);
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult walk_top(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor))
        walk_function(data, cursor);
    else if (kind == CXCursor_VarDecl && !clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        clang_visitChildren(cursor, take_addresses, data);
    return CXChildVisit_Continue;
}

/* Reports an error of libclang outside of all functions that it found: it may have lost a function there. */
static void note_lost(const struct refrain_walker *walker) {
    const struct refrain_source *source = walker->source;
    unsigned last = 0;
    for (size_t i = 0; walker->options->verbose && i < source->n_errors; i++) {
        const struct refrain_constructs *constructs = walker->constructs;
        unsigned at = source->errors[i].begin, line;
        bool shown = false;
        for (size_t f = 0; f < constructs->n_functions && !shown; f++)
            shown = constructs->functions[f].misunderstood && at >= constructs->functions[f].whole.begin &&
                    at <= constructs->functions[f].whole.end;
        clang_getPresumedLocation(clang_getLocationForOffset(source->unit, source->file, at), NULL, &line, NULL);
        if (!shown && line != last)
            refrain_note(walker->options, line, "libclang does not understand this; a function here is left alone");
        last = shown ? last : line;
    }
}

void refrain_walk(struct refrain_constructs *constructs, struct refrain_openmp *openmp,
                  const struct refrain_source *source, const struct refrain_instrument_options *options) {
    struct refrain_walker walker = {.constructs = constructs, .source = source, .options = options, .openmp = openmp};
    CXCursor unit = clang_getTranslationUnitCursor(source->unit);
    *constructs = (struct refrain_constructs){.openmp = openmp};
    refrain_openmp_open(openmp, source, options);
    clang_visitChildren(unit, find_definitions, constructs);
    build_table(constructs);
    clang_visitChildren(unit, walk_top, &walker);
    note_lost(&walker);
    refrain_openmp_decide(constructs, source);
}
