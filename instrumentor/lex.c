/* lex.c: divides a source file into tokens (lex.h). */
#include "lex.h"
#include "text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct lexer {
    struct refrain_tokens *tokens;
    const char *bytes;
    unsigned at, length;
    bool line_start; /* no token since the newline */
    unsigned pragma; /* for the next token */
};

/* Length of a line splice (backslash, newline) at `at`, else 0. */
static unsigned splice(const struct lexer *lexer, unsigned at) {
    if (at + 1 < lexer->length && lexer->bytes[at] == '\\') {
        if (lexer->bytes[at + 1] == '\n')
            return 2;
        if (lexer->bytes[at + 1] == '\r' && at + 2 < lexer->length && lexer->bytes[at + 2] == '\n')
            return 3;
    }
    return 0;
}

static char byte(const struct lexer *lexer, unsigned at) {
    return at < lexer->length ? lexer->bytes[at] : '\0';
}

/* Skips a comment at the current position. False if there is none. */
static bool skip_comment(struct lexer *lexer) {
    if (byte(lexer, lexer->at) != '/')
        return false;
    unsigned at = lexer->at + 1;
    while (splice(lexer, at))
        at += splice(lexer, at);
    if (byte(lexer, at) == '*') {
        at++;
        while (at < lexer->length && !(lexer->bytes[at] == '*' && byte(lexer, at + 1) == '/'))
            at++;
        lexer->at = at + 2 < lexer->length ? at + 2 : lexer->length;
        return true;
    }
    if (byte(lexer, at) == '/') {
        while (at < lexer->length && lexer->bytes[at] != '\n')
            at += splice(lexer, at) ? splice(lexer, at) : 1;
        lexer->at = at;
        return true;
    }
    return false;
}

static void skip_quoted(struct lexer *lexer) {
    char quote = lexer->bytes[lexer->at++];
    while (lexer->at < lexer->length && lexer->bytes[lexer->at] != quote && lexer->bytes[lexer->at] != '\n') {
        unsigned spliced = splice(lexer, lexer->at);
        lexer->at += spliced ? spliced : lexer->bytes[lexer->at] == '\\' ? 2 : 1;
    }
    if (byte(lexer, lexer->at) == quote)
        lexer->at++;
    if (lexer->at > lexer->length)
        lexer->at = lexer->length;
}

static void add_pragma(struct lexer *lexer, unsigned begin, unsigned end) {
    struct refrain_tokens *tokens = lexer->tokens;
    tokens->pragmas =
        refrain_memory_grow(tokens->pragmas, &tokens->pragma_capacity, tokens->n_pragmas + 1, sizeof *tokens->pragmas);
    tokens->pragmas[tokens->n_pragmas++] = (struct refrain_span){begin, end};
    lexer->pragma = (unsigned)tokens->n_pragmas;
}

/* Skips a preprocessing directive up to its newline, which stays. */
static void skip_directive(struct lexer *lexer) {
    lexer->at++;
    while (byte(lexer, lexer->at) == ' ' || byte(lexer, lexer->at) == '\t')
        lexer->at++;
    unsigned begin = lexer->at;
    bool pragma = lexer->length - begin >= 6 && memcmp(lexer->bytes + begin, "pragma", 6) == 0;
    bool message = false; /* #error and #warning may contain a single quote */
    if (lexer->length - lexer->at >= 7)
        message =
            memcmp(lexer->bytes + lexer->at, "error", 5) == 0 || memcmp(lexer->bytes + lexer->at, "warning", 7) == 0;
    while (lexer->at < lexer->length && lexer->bytes[lexer->at] != '\n') {
        unsigned spliced = splice(lexer, lexer->at);
        if (spliced)
            lexer->at += spliced;
        else if (skip_comment(lexer))
            continue;
        else if (!message && (lexer->bytes[lexer->at] == '"' || lexer->bytes[lexer->at] == '\''))
            skip_quoted(lexer);
        else
            lexer->at++;
    }
    if (pragma)
        add_pragma(lexer, begin + 6, lexer->at);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void skip_word(struct lexer *lexer, bool number) {
    while (lexer->at < lexer->length) {
        char c = lexer->bytes[lexer->at];
        unsigned spliced = splice(lexer, lexer->at);
        if (spliced)
            lexer->at += spliced;
        else if (is_word(c) || (number && c == '.'))
            lexer->at++;
        else if (number && (c == '+' || c == '-') && strchr("eEpP", lexer->bytes[lexer->at - 1]))
            lexer->at++;
        else
            break;
    }
}

static void skip_punctuation(struct lexer *lexer) {
    static const char *const doubled[] = {"&&", "||", "==", "!=", "<=", ">=", "->", "++", "--", "<<", ">>", "+=", "-=",
                                          "*=", "/=", "%=", "&=", "|=", "^=", "::", "##", "<%", "%>", "<:", ":>"};
    for (size_t i = 0; i < sizeof doubled / sizeof doubled[0]; i++) {
        if (byte(lexer, lexer->at) == doubled[i][0] && byte(lexer, lexer->at + 1) == doubled[i][1]) {
            lexer->at += 2;
            return;
        }
    }
    lexer->at++;
}

static void add(struct lexer *lexer, unsigned begin, enum refrain_token_kind kind) {
    struct refrain_tokens *tokens = lexer->tokens;
    tokens->items = refrain_memory_grow(tokens->items, &tokens->capacity, tokens->count + 1, sizeof *tokens->items);
    tokens->items[tokens->count++] = (struct refrain_token){begin, lexer->at, (unsigned char)kind, lexer->pragma};
    lexer->pragma = 0;
    lexer->line_start = false;
}

static void one_token(struct lexer *lexer) {
    unsigned begin = lexer->at;
    char c = lexer->bytes[begin];
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)byte(lexer, begin + 1)))) {
        skip_word(lexer, true);
        add(lexer, begin, REFRAIN_TOKEN_NUMBER);
    } else if (is_word(c)) {
        skip_word(lexer, false);
        char next = byte(lexer, lexer->at);
        bool prefix = lexer->at - begin <= 2 && strchr("LuU", c); /* L"", u8"" ... */
        if (prefix && (next == '"' || next == '\'')) {
            skip_quoted(lexer);
            add(lexer, begin, REFRAIN_TOKEN_TEXT);
        } else {
            add(lexer, begin, REFRAIN_TOKEN_WORD);
        }
    } else if (c == '"' || c == '\'') {
        skip_quoted(lexer);
        add(lexer, begin, REFRAIN_TOKEN_TEXT);
    } else {
        skip_punctuation(lexer);
        add(lexer, begin, REFRAIN_TOKEN_PUNCTUATION);
    }
}

/* _Pragma("text") is equivalent to #pragma text; its tokens are removed again. */
static void fold_pragma_operator(struct lexer *lexer) {
    struct refrain_tokens *tokens = lexer->tokens;
    size_t n = tokens->count;
    if (n < 4 || !refrain_lex_is(tokens, n - 1, ")") || !refrain_lex_is(tokens, n - 4, "_Pragma"))
        return;
    tokens->count = n - 4;
    add_pragma(lexer, tokens->items[n - 2].begin, tokens->items[n - 2].end);
}

void refrain_lex(struct refrain_tokens *tokens, const char *bytes, size_t length, const struct refrain_span *skipped,
                 size_t n_skipped) {
    struct lexer lexer = {.tokens = tokens, .bytes = bytes, .length = (unsigned)length, .line_start = true};
    size_t skip = 0;
    tokens->bytes = bytes;
    while (lexer.at < lexer.length) {
        while (skip < n_skipped && skipped[skip].end <= lexer.at)
            skip++;
        if (skip < n_skipped && skipped[skip].begin <= lexer.at) {
            lexer.at = skipped[skip].end;
            lexer.line_start = true;
            while (lexer.at > 0 && lexer.bytes[lexer.at - 1] != '\n' && lexer.at > skipped[skip].begin)
                lexer.at--; /* the range ends inside the line of the closing directive */
            skip++;
            continue;
        }
        char c = bytes[lexer.at];
        if (c == '\n') {
            lexer.line_start = true;
            lexer.at++;
        } else if (isspace((unsigned char)c)) {
            lexer.at++;
        } else if (splice(&lexer, lexer.at)) {
            lexer.at += splice(&lexer, lexer.at);
        } else if (skip_comment(&lexer)) {
            continue;
        } else if (lexer.line_start && (c == '#' || (c == '%' && byte(&lexer, lexer.at + 1) == ':'))) {
            skip_directive(&lexer);
        } else {
            one_token(&lexer);
            fold_pragma_operator(&lexer);
        }
    }
}

size_t refrain_lex_at(const struct refrain_tokens *tokens, unsigned offset) {
    size_t low = 0, high = tokens->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tokens->items[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool refrain_lex_is(const struct refrain_tokens *tokens, size_t index, const char *spelling) {
    if (index >= tokens->count)
        return false;
    const struct refrain_token *token = &tokens->items[index];
    if (tokens->bytes[token->begin] != spelling[0])
        return false;
    size_t n = strlen(spelling);
    return token->end - token->begin == n && memcmp(tokens->bytes + token->begin, spelling, n) == 0;
}

size_t refrain_lex_match(const struct refrain_tokens *tokens, size_t open) {
    size_t depth = 0;
    for (size_t i = open; i < tokens->count; i++) {
        if (refrain_lex_is(tokens, i, "("))
            depth++;
        else if (refrain_lex_is(tokens, i, ")") && --depth == 0)
            return i;
    }
    return tokens->count;
}

bool refrain_lex_has_word(const char *bytes, struct refrain_span span, const char *word) {
    size_t n = strlen(word);
    for (unsigned at = span.begin; at + n <= span.end; at++) {
        bool starts = at == span.begin || !is_word(bytes[at - 1]);
        if (starts && memcmp(bytes + at, word, n) == 0 && (at + n == span.end || !is_word(bytes[at + n])))
            return true;
    }
    return false;
}

void refrain_lex_free(struct refrain_tokens *tokens) {
    free(tokens->items);
    free(tokens->pragmas);
    *tokens = (struct refrain_tokens){0};
}
