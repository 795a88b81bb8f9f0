/* source.h: a parsed C file: libclang's view of it, its text, tokens and macro invocations, and the offsets where no
 * probe can be inserted (file -> walk.h, place.c, emit.c). */
#ifndef REFRAIN_SOURCE_H
#define REFRAIN_SOURCE_H

#include "lex.h"
#include "text.h"
#include <clang-c/Index.h>

/* A macro invocation in this file that is not inside another invocation. */
struct refrain_macro_use {
    unsigned begin, end;
    CXCursor cursor;
    signed char whole; /* 1, 0: the result of refrain_source_macro_is_whole(); -1: not computed yet */
};

struct refrain_source {
    CXIndex index;
    CXTranslationUnit unit;
    CXFile file;
    const char *bytes;
    size_t length;
    struct refrain_text united;   /* the text with the .c files that it includes put in; else empty (unite.h) */
    struct refrain_list included; /* names of these .c files */
    bool has_ifunc;               /* these bytes occur in the text: a cheap first test */
    struct refrain_tokens tokens;
    struct refrain_macro_use *macros; /* sorted by offset */
    size_t n_macros, macro_capacity;
    struct refrain_list
        word_macros; /* words of the inserted text (inserted.h) that the file or a header defines as macros */
    struct refrain_span *errors; /* offsets in the file where clang reported an error */
    size_t n_errors, error_capacity;
    struct refrain_span
        *frozen; /* sorted, disjoint: sizeof(...), typeof(...), attributes, asm ...; no probe may be inserted inside */
    size_t n_frozen, frozen_capacity;
};

/* Parses `path`. False with one line in `reason` if the file cannot be instrumented: an error in another file, a fatal
 * error, any error with `strict`, a text of 2 GiB or more, a file that includes itself, or a macro with a name that the
 * inserted text needs. Other errors in the file are kept in `errors`. The caller closes `source` in every case. */
bool refrain_source_open(struct refrain_source *source, const char *path, const char *const *flags, size_t n_flags,
                         bool strict, struct refrain_text *reason);
void refrain_source_close(struct refrain_source *source);

/* Offsets of a cursor in the file. Code from a macro has the offsets of the invocation. False if the cursor is in
 * another file. */
bool refrain_source_extent(const struct refrain_source *source, CXCursor cursor, struct refrain_span *span);

/* The macro invocation that contains the byte at `offset`, or null. */
struct refrain_macro_use *refrain_source_macro_at(const struct refrain_source *source, unsigned offset);

/* True if a macro is invoked within the span. */
bool refrain_source_macro_within(const struct refrain_source *source, struct refrain_span span);

/* True if the invocation expands to a literal, or to text in parentheses. */
bool refrain_source_macro_is_whole(const struct refrain_source *source, struct refrain_macro_use *macro);

/* True if the definition (name, parameters or body) contains `word`. Macros that it uses are not searched. */
bool refrain_source_macro_has_word(const struct refrain_source *source, const struct refrain_macro_use *macro,
                                   const char *word);

/* True if `offset` lies inside a frozen span; the beginning of a span does not. */
bool refrain_source_is_frozen(const struct refrain_source *source, unsigned offset);

#endif
