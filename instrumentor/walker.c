/* walker.c: children, positions in the text, and the array of constructs (walk.h). */
#include "walk.h"
#include <stdlib.h>
#include <string.h>

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    struct refrain_children *children = data;
    children->items =
        refrain_memory_grow(children->items, &children->capacity, children->count + 1, sizeof *children->items);
    children->items[children->count++] = cursor;
    return CXChildVisit_Continue;
}

struct refrain_children refrain_walk_children(CXCursor cursor) {
    struct refrain_children children = {0};
    clang_visitChildren(cursor, collect, &children);
    return children;
}

struct refrain_span refrain_walk_extent(const struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_span span;
    if (!refrain_source_extent(walker->source, cursor, &span))
        span = (struct refrain_span){REFRAIN_NO_INDEX, 0};
    return span;
}

char *refrain_walk_name(CXCursor cursor) {
    CXString name = clang_getCursorSpelling(cursor);
    const char *chars = clang_getCString(name);
    char *copy = refrain_text_copy(chars ? chars : "");
    clang_disposeString(name);
    return copy;
}

/* ---- constructs ---- */

static void find_tokens(const struct refrain_walker *walker, struct refrain_construct *construct, CXCursor cursor) {
    struct refrain_span span = refrain_walk_extent(walker, cursor);
    if (span.begin == REFRAIN_NO_INDEX)
        return;
    construct->first_token = (unsigned)refrain_lex_at(&walker->source->tokens, span.begin);
    construct->end_token = (unsigned)refrain_lex_at(&walker->source->tokens, span.end);
}

unsigned refrain_walk_open(struct refrain_walker *walker, enum refrain_node_kind kind, CXCursor cursor) {
    struct refrain_constructs *constructs = walker->constructs;
    constructs->items =
        refrain_memory_grow(constructs->items, &constructs->capacity, constructs->count + 1, sizeof *constructs->items);
    struct refrain_construct *construct = &constructs->items[constructs->count];
    *construct = (struct refrain_construct){.kind = kind,
                                            .parent = walker->parent,
                                            .after = (unsigned)constructs->count + 1,
                                            .function = walker->function,
                                            .callee = REFRAIN_NO_INDEX,
                                            .slot = REFRAIN_NO_SLOT};
    if (walker->options->all && !walker->options->every)
        find_tokens(walker, construct, cursor);
    CXString file;
    clang_getPresumedLocation(clang_getCursorLocation(cursor), &file, &construct->line, &construct->column);
    const char *name = clang_getCString(file);
    construct->file = refrain_constructs_file(constructs, name ? name : "");
    clang_disposeString(file);
    walker->parent = (unsigned)constructs->count;
    return (unsigned)constructs->count++;
}

struct refrain_construct *refrain_walk_at(struct refrain_walker *walker, unsigned index) {
    return &walker->constructs->items[index];
}

void refrain_walk_close(struct refrain_walker *walker, unsigned index) {
    refrain_walk_at(walker, index)->after = (unsigned)walker->constructs->count;
    walker->parent = refrain_walk_at(walker, index)->parent;
}

void refrain_walk_place(struct refrain_walker *walker, unsigned index, bool placed, struct refrain_span span) {
    refrain_walk_at(walker, index)->placed = placed && !walker->frozen;
    refrain_walk_at(walker, index)->at = span;
}

/* ---- functions ---- */

struct refrain_function *refrain_walk_find_function(const struct refrain_constructs *constructs, CXCursor declaration) {
    if (!constructs->table_size)
        return NULL;
    CXCursor canonical = clang_getCanonicalCursor(declaration);
    size_t i = clang_hashCursor(canonical) % constructs->table_size;
    for (; constructs->table[i]; i = (i + 1) % constructs->table_size) {
        struct refrain_function *function = &constructs->functions[constructs->table[i] - 1];
        if (clang_equalCursors(function->canonical, canonical))
            return function;
    }
    return NULL;
}

void refrain_walk_note_address(struct refrain_walker *walker, CXCursor reference) {
    CXCursor target = clang_getCursorReferenced(reference);
    if (clang_getCursorKind(target) == CXCursor_FunctionDecl) {
        struct refrain_function *function = refrain_walk_find_function(walker->constructs, target);
        if (function)
            function->address_taken = true;
    }
}
