/* source.h: a C file as libclang sees it, and its text (file -> walk.h, place.c). */
#ifndef REFRAIN_SOURCE_H
#define REFRAIN_SOURCE_H

#include "lex.h"
#include "text.h"
#include <clang-c/Index.h>

/* A macro invocation in the file itself; only outermost ones. */
struct refrain_macro_use {
    unsigned begin, end;
    CXCursor cursor;
    signed char whole; /* 1: expands to a single operand in any context; 0: does not; -1: not determined yet */
};

struct refrain_source {
    CXIndex index;
    CXTranslationUnit unit;
    CXFile file;
    const char *bytes;
    size_t length;
    struct refrain_text united;   /* its text, if that contains other files (unite.h) */
    struct refrain_list included; /* these files */
    bool has_ifunc;               /* the word occurs in it */
    struct refrain_tokens tokens;
    struct refrain_macro_use *macros; /* sorted by offset */
    size_t n_macros, macro_capacity;
    struct refrain_list word_macros; /* words of the inserted text (inserted.h) that are defined as macros somewhere */
    struct refrain_span *errors;     /* offsets in the file where clang reported an error */
    size_t n_errors, error_capacity;
    struct refrain_span *
        frozen; /* sorted by offset: operands of sizeof, typeof, attributes, asm, ...: no probe can be inserted there */
    size_t n_frozen, frozen_capacity;
};

/* Parses `path`. False with one line in `reason` if the file cannot be instrumented: if anything outside it does not
 * parse or, with `strict`, after any error. */
bool refrain_source_open(struct refrain_source *source, const char *path, const char *const *flags, size_t n_flags,
                         bool strict, struct refrain_text *reason);
void refrain_source_close(struct refrain_source *source);

/* Offsets of a cursor in the file (for code from a macro: of the invocation). False if it is in another file. */
bool refrain_source_extent(const struct refrain_source *source, CXCursor cursor, struct refrain_span *span);

/* The macro invocation that contains the byte at `offset`, or null. */
struct refrain_macro_use *refrain_source_macro_at(const struct refrain_source *source, unsigned offset);

/* True if a macro is invoked within the span. */
bool refrain_source_macro_within(const struct refrain_source *source, struct refrain_span span);

/* True if the invocation expands to a literal, or to text in parentheses. */
bool refrain_source_macro_is_whole(const struct refrain_source *source, struct refrain_macro_use *macro);

/* True if the text of the definition contains `word`. */
bool refrain_source_macro_has_word(const struct refrain_source *source, const struct refrain_macro_use *macro,
                                   const char *word);

/* True if no probe can be inserted at `offset`. */
bool refrain_source_is_frozen(const struct refrain_source *source, unsigned offset);

#endif
