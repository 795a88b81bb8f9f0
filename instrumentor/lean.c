/* lean.c: finds the MPI functions that a source can name (lean.h).
 *
 * Before parsing, it searches the source and the headers that the paths of -I, -iquote and -isystem lead to, even those
 * that the preprocessor will skip. After parsing, it searches all files that were included. A header from another
 * directory may name an MPI function whose prototype was left out. Then the source is parsed again with complete
 * headers. */
#include "lean.h"
#include "include.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH_LIMIT 64 /* files that include each other; deeper ones are not searched */

struct search {
    struct refrain_prototypes *prototypes;
    const char *const *flags;
    size_t n_flags;
    struct refrain_list seen;
    size_t depth;
};

static void see_text(struct search *search, const char *path, const struct refrain_text *text);

/* True if the file needs no search: it is one of MPI's own headers, or was searched already. */
static bool is_seen(const struct search *search, const char *path) {
    for (size_t i = 0; i < search->prototypes->n_headers; i++)
        if (strcmp(search->prototypes->headers[i].path, path) == 0)
            return true;
    for (size_t i = 0; i < search->seen.count; i++)
        if (strcmp(search->seen.items[i], path) == 0)
            return true;
    return false;
}

static void see_file(struct search *search, const char *path) {
    struct refrain_text text = {0};
    if (search->depth == DEPTH_LIMIT || is_seen(search, path))
        return;
    refrain_list_add(&search->seen, path);
    if (refrain_text_read(&text, path))
        see_text(search, path, &text);
    refrain_text_free(&text);
}

static void see_included(struct search *search, const char *from, const char *line) {
    static const char *const kinds[] = {"-iquote", "-I", "-isystem"};
    struct refrain_text path = {0}, name = {0};
    const char *begin = NULL;
    size_t quoted = refrain_include_name(line, false, &begin);
    size_t length = quoted ? quoted : refrain_include_name(line, true, &begin);
    if (length) {
        refrain_text_bytes(&name, begin, length);
        bool found = quoted && refrain_include_beside(from, name.bytes, &path);
        for (size_t k = quoted ? 0 : 1; k < sizeof kinds / sizeof kinds[0] && !found; k++)
            found = refrain_include_in(search->flags, search->n_flags, kinds[k], name.bytes, &path);
        if (found)
            see_file(search, path.bytes);
    }
    refrain_text_free(&path);
    refrain_text_free(&name);
}

static void see_text(struct search *search, const char *path, const struct refrain_text *text) {
    search->depth++;
    refrain_prototypes_name(search->prototypes, text->bytes, text->length);
    for (const char *at = text->bytes; (at = strstr(at, "include")); at += 7) {
        const char *line = at;
        while (line > text->bytes && line[-1] != '\n')
            line--;
        see_included(search, path, line);
    }
    search->depth--;
}

bool refrain_lean_prepare(struct refrain_prototypes *prototypes, const char *path, const struct refrain_text *text,
                          const char *const *flags, size_t n_flags) {
    struct search search = {.prototypes = prototypes, .flags = flags, .n_flags = n_flags};
    if (!text->bytes || !refrain_prototypes_read(prototypes, flags, n_flags))
        return false;
    for (size_t i = 0; i < n_flags; i++)
        refrain_prototypes_name(prototypes, flags[i], strlen(flags[i]));
    see_text(&search, path, text);
    refrain_list_free(&search.seen);
    refrain_prototypes_cut(prototypes);
    return true;
}

/* ---- after parsing ---- */

struct check {
    const struct refrain_prototypes *prototypes;
    CXTranslationUnit unit;
    CXFile *headers; /* those of the MPI */
    bool lacks;
};

static void check_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    (void)stack;
    struct check *check = data;
    size_t length = 0;
    const char *text = depth > 0 ? clang_getFileContents(check->unit, file, &length) : NULL;
    for (size_t i = 0; i < check->prototypes->n_headers && text; i++)
        if (file == check->headers[i])
            text = NULL;
    if (text)
        check->lacks |= refrain_prototypes_lack(check->prototypes, text, length);
}

/* True if the diagnostic may come from a missing prototype: it is an error, or it names a function whose prototype was
 * left out. Then the user should see the messages of a parse with complete headers. */
static bool is_lacked(const struct refrain_prototypes *prototypes, CXDiagnostic diagnostic) {
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
        return true;
    CXString spelling = clang_getDiagnosticSpelling(diagnostic);
    const char *text = clang_getCString(spelling);
    bool lacked = text && refrain_prototypes_lack(prototypes, text, strlen(text));
    clang_disposeString(spelling);
    return lacked;
}

bool refrain_lean_suffices(const struct refrain_prototypes *prototypes, CXTranslationUnit unit) {
    struct check check = {.prototypes = prototypes, .unit = unit};
    size_t capacity = 0;
    check.headers = refrain_memory_grow(NULL, &capacity, prototypes->n_headers, sizeof *check.headers);
    for (size_t i = 0; i < prototypes->n_headers; i++)
        check.headers[i] = clang_getFile(unit, prototypes->headers[i].path);
    clang_getInclusions(unit, check_file, &check);
    free(check.headers);
    unsigned n = clang_getNumDiagnostics(unit);
    for (unsigned i = 0; i < n && !check.lacks; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        check.lacks = is_lacked(prototypes, diagnostic);
        clang_disposeDiagnostic(diagnostic);
    }
    return !check.lacks;
}
