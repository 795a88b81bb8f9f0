/* lex.h: the tokens of a source file as they are spelled, with byte offsets (source file -> place.c).
 *
 * libclang provides the constructs; the positions of insertions are found in the text. Comments, preprocessing
 * directives and skipped branches of the preprocessor contain no tokens. */
#ifndef REFRAIN_LEX_H
#define REFRAIN_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum refrain_token_kind { REFRAIN_TOKEN_WORD, REFRAIN_TOKEN_NUMBER, REFRAIN_TOKEN_TEXT, REFRAIN_TOKEN_PUNCTUATION };

struct refrain_token {
    unsigned begin, end; /* byte offsets */
    unsigned char kind;  /* enum refrain_token_kind */
    unsigned pragma;     /* 1 + index of the last #pragma between this token and the one before, 0 = none */
};

struct refrain_span {
    unsigned begin, end;
};

struct refrain_tokens {
    const char *bytes;
    struct refrain_token *items;
    size_t count, capacity;
    struct refrain_span *pragmas; /* their text after the word "pragma"; of _Pragma, its string */
    size_t n_pragmas, pragma_capacity;
};

/* Divides `bytes` into tokens, without the ranges in `skipped` (sorted). `tokens->bytes` points to `bytes`. */
void refrain_lex(struct refrain_tokens *tokens, const char *bytes, size_t length, const struct refrain_span *skipped,
                 size_t n_skipped);

/* Index of the first token that begins at or after `offset`; number of tokens if there is none. */
size_t refrain_lex_at(const struct refrain_tokens *tokens, unsigned offset);

bool refrain_lex_is(const struct refrain_tokens *tokens, size_t index, const char *spelling);

/* Index of the parenthesis that closes the one at `open`; number of tokens if there is none. */
size_t refrain_lex_match(const struct refrain_tokens *tokens, size_t open);

/* True if the bytes [begin, end) contain `word` as a whole word. */
bool refrain_lex_has_word(const char *bytes, struct refrain_span span, const char *word);

void refrain_lex_free(struct refrain_tokens *tokens);

#endif
