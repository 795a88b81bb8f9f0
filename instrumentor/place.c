/* place.c: finds positions for probes in the text (place.h). */
#include "place.h"

/* Index of the token that is spelled at `offset`; number of tokens if there is none. */
static size_t spelled(const struct refrain_source *source, unsigned offset) {
    size_t i = refrain_lex_at(&source->tokens, offset);
    if (i == source->tokens.count || source->tokens.items[i].begin != offset || refrain_source_macro_at(source, offset))
        return source->tokens.count;
    return i;
}

static bool is_spelled(const struct refrain_source *source, size_t i) {
    return i < source->tokens.count && !refrain_source_macro_at(source, source->tokens.items[i].begin);
}

/* The text between the parentheses that open with token `open`, if they close between `least` and `most`. */
static bool inside(const struct refrain_source *source, size_t open, unsigned least, unsigned most,
                   struct refrain_span *place) {
    if (!is_spelled(source, open) || !refrain_lex_is(&source->tokens, open, "("))
        return false;
    size_t close = refrain_lex_match(&source->tokens, open);
    if (!is_spelled(source, close))
        return false;
    place->begin = source->tokens.items[open].end;
    place->end = source->tokens.items[close].begin;
    return place->end >= least && place->end < most && !refrain_source_is_frozen(source, place->begin);
}

bool refrain_place_condition(const struct refrain_source *source, unsigned begin, const char *keyword,
                             struct refrain_span condition, unsigned body, struct refrain_span *place) {
    size_t i = spelled(source, begin);
    return refrain_lex_is(&source->tokens, i, keyword) && inside(source, i + 1, condition.end, body, place) &&
           condition.begin >= place->begin;
}

bool refrain_place_do(const struct refrain_source *source, struct refrain_span body, struct refrain_span condition,
                      struct refrain_span *place) {
    size_t i = refrain_lex_at(&source->tokens, body.end);
    if (refrain_lex_is(&source->tokens, i, ";") && is_spelled(source, i))
        i++;
    return refrain_lex_is(&source->tokens, i, "while") && is_spelled(source, i) &&
           inside(source, i + 1, condition.end, (unsigned)source->length, place) && condition.begin >= place->begin;
}

bool refrain_place_for(const struct refrain_source *source, unsigned begin, unsigned body, struct refrain_span *place) {
    const struct refrain_tokens *tokens = &source->tokens;
    size_t i = spelled(source, begin), semicolons[2];
    struct refrain_span header;
    if (!refrain_lex_is(tokens, i, "for") || !inside(source, i + 1, begin, body, &header))
        return false;
    unsigned found = 0, depth = 0;
    for (size_t t = i + 2; t < tokens->count && tokens->items[t].begin < header.end; t++) {
        if (refrain_lex_is(tokens, t, "(") || refrain_lex_is(tokens, t, "{") || refrain_lex_is(tokens, t, "["))
            depth++;
        else if (refrain_lex_is(tokens, t, ")") || refrain_lex_is(tokens, t, "}") || refrain_lex_is(tokens, t, "]"))
            depth--;
        else if (depth == 0 && refrain_lex_is(tokens, t, ";")) {
            if (found == 2 || !is_spelled(source, t))
                return false;
            semicolons[found++] = t;
        }
    }
    if (found != 2)
        return false;
    place->begin = tokens->items[semicolons[0]].end;
    place->end = semicolons[1] == semicolons[0] + 1 ? place->begin : tokens->items[semicolons[1]].begin;
    return true;
}

size_t refrain_place_operator(const struct refrain_source *source, struct refrain_span left, unsigned right) {
    size_t i = refrain_lex_at(&source->tokens, left.end);
    if (!is_spelled(source, i) || i + 1 >= source->tokens.count || source->tokens.items[i + 1].begin != right)
        return source->tokens.count;
    return i;
}

bool refrain_place_operand(const struct refrain_source *source, struct refrain_span operand, size_t operator,
                           struct refrain_span * place) {
    if (operator>= source->tokens.count || refrain_source_is_frozen(source, operand.begin))
        return false;
    struct refrain_macro_use *macro = refrain_source_macro_at(source, operand.begin);
    if (macro && (macro->begin != operand.begin || !refrain_source_macro_is_whole(source, macro)))
        return false;
    place->begin = operand.begin;
    place->end = source->tokens.items[operator].begin;
    return place->begin < place->end;
}

bool refrain_place_call(const struct refrain_source *source, struct refrain_span call) {
    size_t first = spelled(source, call.begin);
    if (first == source->tokens.count || call.end == 0 || refrain_source_is_frozen(source, call.begin))
        return false;
    size_t last = spelled(source, call.end - 1);
    return last > first && refrain_lex_is(&source->tokens, last, ")");
}

bool refrain_place_statement(const struct refrain_source *source, unsigned begin, unsigned previous) {
    const struct refrain_tokens *tokens = &source->tokens;
    size_t i = refrain_lex_at(tokens, begin);
    struct refrain_macro_use *macro = refrain_source_macro_at(source, begin);
    if (i == 0 || i == tokens->count || tokens->items[i].begin != begin || tokens->items[i].pragma || previous > begin)
        return false;
    if ((macro && macro->begin != begin) || refrain_source_is_frozen(source, begin))
        return false;
    return is_spelled(source, i - 1) && (refrain_lex_is(tokens, i - 1, ";") || refrain_lex_is(tokens, i - 1, ":") ||
                                         refrain_lex_is(tokens, i - 1, "{") || refrain_lex_is(tokens, i - 1, "}"));
}

bool refrain_place_frame(const struct refrain_source *source, unsigned body, unsigned *offset) {
    const struct refrain_tokens *tokens = &source->tokens;
    size_t i = spelled(source, body);
    if (!refrain_lex_is(tokens, i, "{") && !refrain_lex_is(tokens, i, "<%"))
        return false;
    while (refrain_lex_is(tokens, i + 1, "__label__")) {
        do
            i++;
        while (i < tokens->count && !refrain_lex_is(tokens, i, ";"));
        if (i == tokens->count)
            return false;
    }
    *offset = tokens->items[i].end;
    return true;
}
