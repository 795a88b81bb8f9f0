/* source.c: parses a C file with libclang (source.h). */
#include "source.h"
#include "inserted.h"
#include "lean.h"
#include "unite.h"
#include <stdlib.h>
#include <string.h>

/* Macros with these names would change the meaning of the inserted text. */
static const char *const needed_words[] = {"__attribute__", "__asm__", "__inline__", "__const__", "__extension__"};

static void add_span(struct refrain_span **spans, size_t *count, size_t *capacity, struct refrain_span span) {
    *spans = refrain_memory_grow(*spans, capacity, *count + 1, sizeof **spans);
    (*spans)[(*count)++] = span;
}

static void append_clang(struct refrain_text *text, CXString string) {
    const char *chars = clang_getCString(string);
    refrain_text_string(text, chars ? chars : "");
    clang_disposeString(string);
}

bool refrain_source_extent(const struct refrain_source *source, CXCursor cursor, struct refrain_span *span) {
    CXSourceRange range = clang_getCursorExtent(cursor);
    CXFile begin_file, end_file;
    clang_getFileLocation(clang_getRangeStart(range), &begin_file, NULL, NULL, &span->begin);
    clang_getFileLocation(clang_getRangeEnd(range), &end_file, NULL, NULL, &span->end);
    return begin_file == source->file && end_file == source->file && span->begin <= span->end &&
           span->end <= source->length;
}

/* ---- errors ---- */

/* True if the error is about an attribute in a system header, in a form that the compiler knows and libclang does
 * not. (gcc's omp.h from version 13 on: __malloc__ (omp_free).) The declaration means the same without it. */
static bool is_of_attribute(CXDiagnostic diagnostic) {
    CXString text = clang_getDiagnosticSpelling(diagnostic);
    const char *chars = clang_getCString(text);
    bool is = clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Error && chars &&
              strstr(chars, "' attribute takes ") &&
              clang_Location_isInSystemHeader(clang_getDiagnosticLocation(diagnostic));
    clang_disposeString(text);
    return is;
}

/* Collects the positions of errors. A fatal error, or one outside the file, makes the whole file unusable. */
static bool collect_errors(struct refrain_source *source, bool strict, struct refrain_text *reason) {
    unsigned n = clang_getNumDiagnostics(source->unit);
    bool good = true;
    for (unsigned i = 0; i < n && good; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(source->unit, i);
        enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(diagnostic);
        if (severity >= CXDiagnostic_Error && !is_of_attribute(diagnostic)) {
            CXFile file;
            unsigned offset;
            clang_getFileLocation(clang_getDiagnosticLocation(diagnostic), &file, NULL, NULL, &offset);
            if (strict || severity == CXDiagnostic_Fatal || file != source->file) {
                refrain_text_string(reason, "it does not parse: ");
                append_clang(reason, clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation));
                good = false;
            } else {
                add_span(&source->errors, &source->n_errors, &source->error_capacity,
                         (struct refrain_span){offset, offset + 1});
            }
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return good;
}

/* ---- macros ---- */

struct collector {
    struct refrain_source *source;
    const char *bad_macro;
};

/* Notes a macro whose name is a word of the inserted text. */
static void note_word(struct refrain_source *source, const char *name) {
    for (const char *const *word = refrain_inserted_words; *word; word++) {
        if (strcmp(name, *word) != 0)
            continue;
        for (size_t k = 0; k < source->word_macros.count; k++)
            if (strcmp(source->word_macros.items[k], name) == 0)
                return;
        refrain_list_add(&source->word_macros, name);
        return;
    }
}

static void note_definition(struct collector *collector, CXCursor cursor) {
    CXString name = clang_getCursorSpelling(cursor);
    const char *chars = clang_getCString(name);
    if (chars && chars[0] >= 'a' && chars[0] <= 'z')
        note_word(collector->source, chars);
    if (chars && chars[0] == '_' && chars[1] == '_') {
        for (size_t i = 0; i < sizeof needed_words / sizeof needed_words[0]; i++)
            if (strcmp(chars, needed_words[i]) == 0)
                collector->bad_macro = needed_words[i];
    }
    clang_disposeString(name);
}

static enum CXChildVisitResult collect_macro(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    struct collector *collector = data;
    struct refrain_source *source = collector->source;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_MacroDefinition) {
        note_definition(collector, cursor);
    } else if (kind == CXCursor_MacroExpansion) {
        struct refrain_span span;
        if (!refrain_source_extent(source, cursor, &span) || span.begin == span.end)
            return CXChildVisit_Continue;
        if (source->n_macros && span.end <= source->macros[source->n_macros - 1].end)
            return CXChildVisit_Continue; /* inside the arguments of another invocation */
        source->macros =
            refrain_memory_grow(source->macros, &source->macro_capacity, source->n_macros + 1, sizeof *source->macros);
        source->macros[source->n_macros++] = (struct refrain_macro_use){span.begin, span.end, cursor, -1};
    } else if (kind < CXCursor_FirstPreprocessing) {
        return CXChildVisit_Break; /* the preprocessing record comes first */
    }
    return CXChildVisit_Continue;
}

static int compare_macros(const void *left, const void *right) {
    const struct refrain_macro_use *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

/* Sorts the invocations and keeps the outermost ones. */
static void order_macros(struct refrain_source *source) {
    size_t kept = 0;
    if (source->n_macros)
        qsort(source->macros, source->n_macros, sizeof *source->macros, compare_macros);
    for (size_t i = 0; i < source->n_macros; i++)
        if (kept == 0 || source->macros[i].begin >= source->macros[kept - 1].end)
            source->macros[kept++] = source->macros[i];
    source->n_macros = kept;
}

/* Index of the first invocation that ends after `offset`. */
static size_t macro_after(const struct refrain_source *source, unsigned offset) {
    size_t low = 0, high = source->n_macros;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (source->macros[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct refrain_macro_use *refrain_source_macro_at(const struct refrain_source *source, unsigned offset) {
    size_t i = macro_after(source, offset);
    return i < source->n_macros && source->macros[i].begin <= offset ? &source->macros[i] : NULL;
}

bool refrain_source_macro_within(const struct refrain_source *source, struct refrain_span span) {
    size_t i = macro_after(source, span.begin);
    return i < source->n_macros && source->macros[i].begin < span.end;
}

/* The text of the definition of the invoked macro, from its name on. */
static bool definition_text(const struct refrain_source *source, const struct refrain_macro_use *macro,
                            const char **bytes, size_t *length) {
    CXCursor definition = clang_getCursorReferenced(macro->cursor);
    if (clang_getCursorKind(definition) != CXCursor_MacroDefinition)
        return false;
    CXSourceRange range = clang_getCursorExtent(definition);
    CXFile file;
    unsigned begin, end;
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    size_t file_length = 0;
    const char *text = file ? clang_getFileContents(source->unit, file, &file_length) : NULL;
    if (!text || begin >= end || end > file_length)
        return false;
    *bytes = text + begin;
    *length = end - begin;
    return true;
}

bool refrain_source_macro_has_word(const struct refrain_source *source, const struct refrain_macro_use *macro,
                                   const char *word) {
    const char *bytes;
    size_t length;
    return definition_text(source, macro, &bytes, &length) &&
           refrain_lex_has_word(bytes, (struct refrain_span){0, (unsigned)length}, word);
}

bool refrain_source_macro_is_whole(const struct refrain_source *source, struct refrain_macro_use *macro) {
    const char *bytes;
    size_t length;
    if (macro->whole >= 0)
        return macro->whole;
    macro->whole = 0;
    if (!definition_text(source, macro, &bytes, &length))
        return false;
    struct refrain_tokens tokens = {0};
    refrain_lex(&tokens, bytes, length, NULL, 0);
    size_t body = 1; /* after the name */
    if (tokens.count > 1 && refrain_lex_is(&tokens, 1, "(") && tokens.items[1].begin == tokens.items[0].end)
        body = refrain_lex_match(&tokens, 1) + 1; /* after the parameters */
    if (body + 1 == tokens.count)
        macro->whole = tokens.items[body].kind == REFRAIN_TOKEN_NUMBER || tokens.items[body].kind == REFRAIN_TOKEN_TEXT;
    else if (body < tokens.count && refrain_lex_is(&tokens, body, "("))
        macro->whole = refrain_lex_match(&tokens, body) + 1 == tokens.count;
    refrain_lex_free(&tokens);
    return macro->whole;
}

/* ---- positions without control flow ---- */

/* True for words whose operand in parentheses is not evaluated, or is no expression. */
static bool freezes(const struct refrain_tokens *tokens, size_t i) {
    static const char *const words[] = {"sizeof",
                                        "typeof",
                                        "__typeof__",
                                        "__typeof",
                                        "typeof_unqual",
                                        "_Alignof",
                                        "__alignof__",
                                        "__alignof",
                                        "alignof",
                                        "_Alignas",
                                        "alignas",
                                        "_Static_assert",
                                        "static_assert",
                                        "_Generic",
                                        "asm",
                                        "__asm__",
                                        "__asm",
                                        "__attribute__",
                                        "__attribute",
                                        "__declspec",
                                        "__builtin_offsetof",
                                        "offsetof",
                                        "__builtin_types_compatible_p",
                                        "__builtin_choose_expr",
                                        "__builtin_constant_p",
                                        "__builtin_object_size",
                                        "__builtin_has_attribute",
                                        "__builtin_call_with_static_chain",
                                        "__builtin_va_arg_pack"};
    if (tokens->items[i].kind != REFRAIN_TOKEN_WORD)
        return false;
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        if (refrain_lex_is(tokens, i, words[w]))
            return true;
    return false;
}

static void collect_frozen(struct refrain_source *source) {
    const struct refrain_tokens *tokens = &source->tokens;
    for (size_t i = 0; i + 1 < tokens->count; i++) {
        if (!freezes(tokens, i))
            continue;
        size_t open = i + 1;
        while (open < tokens->count && tokens->items[open].kind == REFRAIN_TOKEN_WORD && open < i + 5)
            open++; /* asm volatile goto ( */
        if (!refrain_lex_is(tokens, open, "("))
            continue;
        size_t close = refrain_lex_match(tokens, open);
        if (close == tokens->count)
            continue;
        add_span(&source->frozen, &source->n_frozen, &source->frozen_capacity,
                 (struct refrain_span){tokens->items[i].begin, tokens->items[close].end});
        i = close;
    }
}

bool refrain_source_is_frozen(const struct refrain_source *source, unsigned offset) {
    size_t low = 0, high = source->n_frozen;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (source->frozen[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < source->n_frozen && source->frozen[low].begin < offset;
}

/* ---- opening ---- */

/* The file includes itself, so its text has several meanings at once. */
static void see_inclusion(CXFile included, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    (void)stack;
    const struct refrain_source *source = ((void **)data)[0];
    if (depth > 0 && included == source->file)
        *(bool *)((void **)data)[1] = true;
}

static bool includes_itself(struct refrain_source *source) {
    bool found = false;
    void *data[] = {source, &found};
    clang_getInclusions(source->unit, see_inclusion, data);
    return found;
}

static void lex_active(struct refrain_source *source) {
    CXSourceRangeList *list = clang_getSkippedRanges(source->unit, source->file);
    struct refrain_span *spans = NULL;
    size_t count = 0, capacity = 0;
    for (unsigned i = 0; list && i < list->count; i++) {
        struct refrain_span span;
        clang_getFileLocation(clang_getRangeStart(list->ranges[i]), NULL, NULL, NULL, &span.begin);
        clang_getFileLocation(clang_getRangeEnd(list->ranges[i]), NULL, NULL, NULL, &span.end);
        add_span(&spans, &count, &capacity, span);
    }
    if (list)
        clang_disposeSourceRangeList(list);
    refrain_lex(&source->tokens, source->bytes, source->length, spans, count);
    free(spans);
}

/* Parses the source, with reduced MPI headers (lean.h) if these suffice. */
static enum CXErrorCode parse(struct refrain_source *source, const char *path, const char *const *flags,
                              size_t n_flags) {
    bool united = refrain_unite(path, flags, n_flags, &source->united, &source->included) && source->included.count > 0;
    struct refrain_prototypes prototypes = {0};
    bool lean = refrain_lean_prepare(&prototypes, path, &source->united, flags, n_flags);
    size_t capacity = 0, count = 0;
    struct CXUnsavedFile *texts = refrain_memory_grow(NULL, &capacity, 1 + prototypes.n_headers, sizeof *texts);
    if (united)
        texts[count++] = (struct CXUnsavedFile){path, source->united.bytes, source->united.length};
    size_t n_united = count;
    for (size_t i = 0; lean && i < prototypes.n_headers; i++)
        texts[count++] = (struct CXUnsavedFile){prototypes.headers[i].path, prototypes.headers[i].cut.bytes,
                                                prototypes.headers[i].cut.length};
    enum CXErrorCode code;
    for (bool again = true; again; count = n_united) {
        code = clang_parseTranslationUnit2(source->index, path, flags, (int)n_flags, texts, (unsigned)count,
                                           CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing,
                                           &source->unit);
        again = count > n_united && (code != CXError_Success || !refrain_lean_suffices(&prototypes, source->unit));
        if (again && source->unit)
            clang_disposeTranslationUnit(source->unit);
        source->unit = again ? NULL : source->unit;
    }
    free(texts);
    refrain_prototypes_free(&prototypes);
    return code;
}

bool refrain_source_open(struct refrain_source *source, const char *path, const char *const *flags, size_t n_flags,
                         bool strict, struct refrain_text *reason) {
    *source = (struct refrain_source){.index = clang_createIndex(0, 0)};
    enum CXErrorCode code = parse(source, path, flags, n_flags);
    if (code != CXError_Success || !source->unit) {
        refrain_text_format(reason, "libclang cannot parse it with these options (code %d)", (int)code);
        return false;
    }
    source->file = clang_getFile(source->unit, path);
    source->bytes = source->file ? clang_getFileContents(source->unit, source->file, &source->length) : NULL;
    if (!source->bytes || source->length > 0x7fffffff) {
        refrain_text_string(reason, "libclang does not give its text");
        return false;
    }
    if (!collect_errors(source, strict, reason))
        return false;
    if (includes_itself(source)) {
        refrain_text_string(reason, "it includes itself");
        return false;
    }
    struct collector collector = {.source = source};
    clang_visitChildren(clang_getTranslationUnitCursor(source->unit), collect_macro, &collector);
    if (collector.bad_macro) {
        refrain_text_format(reason, "%s is defined as a macro", collector.bad_macro);
        return false;
    }
    order_macros(source);
    source->has_ifunc = memmem(source->bytes, source->length, "ifunc", 5) != NULL;
    lex_active(source);
    collect_frozen(source);
    return true;
}

void refrain_source_close(struct refrain_source *source) {
    refrain_lex_free(&source->tokens);
    free(source->macros);
    free(source->errors);
    free(source->frozen);
    refrain_list_free(&source->word_macros);
    refrain_list_free(&source->included);
    if (source->unit)
        clang_disposeTranslationUnit(source->unit);
    if (source->index)
        clang_disposeIndex(source->index);
    refrain_text_free(&source->united);
    *source = (struct refrain_source){0};
}
