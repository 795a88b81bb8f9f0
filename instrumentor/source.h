/* source.h: a C file as libclang sees it, with the spelled text beside it (file -> walk.h, place.c). */
#ifndef REFRAIN_SOURCE_H
#define REFRAIN_SOURCE_H

#include "lex.h"
#include "text.h"
#include <clang-c/Index.h>

/* A macro invocation in the file itself, outermost only. */
struct refrain_macro_use {
    unsigned begin, end;
    CXCursor cursor;
    signed char whole; /* 1: expands to one operand whatever stands around it; 0: not; -1: not looked at yet */
};

struct refrain_source {
    CXIndex index;
    CXTranslationUnit unit;
    CXFile file;
    const char *bytes;
    size_t length;
    struct refrain_text united;   /* its text, where that holds other files (unite.h) */
    struct refrain_list included; /* those */
    bool has_ifunc;               /* the word occurs in it */
    struct refrain_tokens tokens;
    struct refrain_macro_use *macros; /* by offset */
    size_t n_macros, macro_capacity;
    struct refrain_list word_macros; /* words of the inserted text (inserted.h) that somebody defines as macros */
    struct refrain_span *errors;     /* offsets in the file where clang reported an error */
    size_t n_errors, error_capacity;
    struct refrain_span
        *frozen; /* by offset: operands of sizeof, typeof, attributes, asm, ...: no probe may stand there */
    size_t n_frozen, frozen_capacity;
};

/* Parses `path`; false with one line in `reason` when the file has to be left alone: always when something outside it
 * does not parse, with `strict` on every error. */
bool refrain_source_open(struct refrain_source *source, const char *path, const char *const *flags, size_t n_flags,
                         bool strict, struct refrain_text *reason);
void refrain_source_close(struct refrain_source *source);

/* Offsets of a cursor in the file (of the macro invocation, where a macro made it); false when it is in another file.
 */
bool refrain_source_extent(const struct refrain_source *source, CXCursor cursor, struct refrain_span *span);

/* The macro invocation that holds the byte at `offset`; null when none does. */
struct refrain_macro_use *refrain_source_macro_at(const struct refrain_source *source, unsigned offset);

/* Whether a macro is invoked within the span. */
bool refrain_source_macro_within(const struct refrain_source *source, struct refrain_span span);

/* Whether the invocation expands to a literal or to something in parentheses. */
bool refrain_source_macro_is_whole(const struct refrain_source *source, struct refrain_macro_use *macro);

/* Whether the definition's text holds `word`. */
bool refrain_source_macro_has_word(const struct refrain_source *source, const struct refrain_macro_use *macro,
                                   const char *word);

/* Whether the byte at `offset` lies where no probe may stand. */
bool refrain_source_is_frozen(const struct refrain_source *source, unsigned offset);

#endif
