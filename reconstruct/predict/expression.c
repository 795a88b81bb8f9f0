/* expression.c: parses an expression and evaluates it on the way (expression.h). A part that C would not evaluate is
 * parsed with `skips` set, so that nothing in it is undefined. */
#include "predict/expression.h"
#include "predict/proxy_terms.inc"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 256 /* parentheses and choices in one another */
#define MOST_ARGUMENTS 3
#define MOST_ARGUMENT INT32_MAX /* so that no function overflows */

struct parser {
    const char *at;
    int64_t rank, ranks;
    enum refrain_expression_result result;
    int depth;
    int skips;
};

/* What is undefined in a part that C would not evaluate does not matter. Parsing goes on after what is undefined, since
 * the rest may be no expression. */
static int64_t fail(struct parser *parser, enum refrain_expression_result result) {
    if (result == REFRAIN_EXPRESSION_WRONG || (!parser->result && !parser->skips))
        parser->result = result;
    return 0;
}

static bool is_wrong(const struct parser *parser) {
    return parser->result == REFRAIN_EXPRESSION_WRONG;
}

static bool take(struct parser *parser, const char *token) {
    while (*parser->at == ' ')
        parser->at++;
    size_t n = strlen(token);
    if (strncmp(parser->at, token, n) != 0)
        return false;
    parser->at += n;
    return true;
}

static int64_t choice(struct parser *parser);

/* ---- numbers, names, functions ---- */

static const struct {
    const char *name;
    int n_arguments;
} functions[] = {{"side", 2}, {"log2_of", 1}, {"block", 3}, {"transposed", 3}};

static int64_t call(struct parser *parser, size_t function, const int64_t *a) {
    for (int i = 0; i < functions[function].n_arguments; i++)
        if (a[i] < -MOST_ARGUMENT || a[i] > MOST_ARGUMENT)
            return fail(parser, REFRAIN_EXPRESSION_UNDEFINED);
    switch (function) {
    case 0:
        return a[0] >= 1 && a[0] <= 3 && a[1] >= 0 && a[1] < a[0] ? side_of(parser->ranks, (int)a[0], (int)a[1])
                                                                  : fail(parser, REFRAIN_EXPRESSION_UNDEFINED);
    case 1:
        return a[0] > 0 ? log2_of(a[0]) : fail(parser, REFRAIN_EXPRESSION_UNDEFINED);
    case 2:
        return a[1] > 0 ? block(a[0], a[1], a[2]) : fail(parser, REFRAIN_EXPRESSION_UNDEFINED);
    default:
        return a[1] > 0 && a[2] > 0 && a[1] >= a[2] ? transposed(a[0], a[1], a[2])
                                                    : fail(parser, REFRAIN_EXPRESSION_UNDEFINED);
    }
}

/* The arguments of a function in parentheses, and its value. */
static int64_t function_value(struct parser *parser, size_t function) {
    int64_t arguments[MOST_ARGUMENTS] = {0};
    int n = functions[function].n_arguments;
    bool sound = take(parser, "(");
    for (int i = 0; i < n && sound; i++) {
        arguments[i] = choice(parser);
        sound = take(parser, i + 1 < n ? "," : ")");
    }
    return sound ? call(parser, function, arguments) : fail(parser, REFRAIN_EXPRESSION_WRONG);
}

static int64_t name_value(struct parser *parser) {
    size_t n = 0;
    while (isalnum((unsigned char)parser->at[n]) || parser->at[n] == '_')
        n++;
    const char *name = parser->at;
    parser->at += n;
    if (n == 4 && strncmp(name, "rank", n) == 0)
        return parser->rank;
    if (n == 5 && strncmp(name, "ranks", n) == 0)
        return parser->ranks;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == n && strncmp(functions[i].name, name, n) == 0)
            return function_value(parser, i);
    parser->at = name;
    return fail(parser, REFRAIN_EXPRESSION_WRONG);
}

static int64_t number_value(struct parser *parser) {
    int64_t number = 0;
    const char *at = parser->at;
    for (; isdigit((unsigned char)*at); at++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *at - '0', &number))
            return fail(parser, REFRAIN_EXPRESSION_WRONG);
    parser->at = at;
    return number;
}

static int64_t primary(struct parser *parser) {
    bool negative = take(parser, "-");
    int64_t value;
    if (take(parser, "(")) {
        value = choice(parser);
        if (!take(parser, ")"))
            return fail(parser, REFRAIN_EXPRESSION_WRONG);
    } else {
        value = isdigit((unsigned char)*parser->at) ? number_value(parser) : name_value(parser);
    }
    if (negative && value == INT64_MIN)
        return fail(parser, REFRAIN_EXPRESSION_UNDEFINED);
    return negative ? -value : value;
}

/* ---- operators ---- */

/* From those that bind least on. */
static const struct {
    const char *text;
    int level;
} operators[] = {{"||", 0}, {"&&", 1}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4}, {"<", 4},
                 {">", 4},  {"^", 2},  {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"%", 6}};
enum { OR, AND, EQUAL, UNEQUAL, AT_MOST, AT_LEAST, LESS, MORE, EXCLUSIVE, PLUS, MINUS, TIMES, DIVIDED, REMAINDER };
#define LEVELS 7
#define OPERATORS (sizeof operators / sizeof *operators)

static int64_t operate(struct parser *parser, size_t operation, int64_t a, int64_t b) {
    int64_t value = 0;
    bool defined = true;
    switch (operation) {
    case EQUAL:
        return a == b;
    case UNEQUAL:
        return a != b;
    case AT_MOST:
        return a <= b;
    case AT_LEAST:
        return a >= b;
    case LESS:
        return a < b;
    case MORE:
        return a > b;
    case EXCLUSIVE:
        return a ^ b;
    case PLUS:
        defined = !__builtin_add_overflow(a, b, &value);
        break;
    case MINUS:
        defined = !__builtin_sub_overflow(a, b, &value);
        break;
    case TIMES:
        defined = !__builtin_mul_overflow(a, b, &value);
        break;
    default:
        defined = b != 0 && (a != INT64_MIN || b != -1);
        value = !defined ? 0 : operation == DIVIDED ? a / b : a % b;
    }
    return defined ? value : fail(parser, REFRAIN_EXPRESSION_UNDEFINED);
}

/* Takes the next operator, if it is of this level. OPERATORS: it is not. */
static size_t take_operator(struct parser *parser, int level) {
    for (size_t i = 0; i < OPERATORS; i++)
        if (operators[i].level == level && take(parser, operators[i].text))
            return i;
    return OPERATORS;
}

static int64_t operation(struct parser *parser, int level) {
    if (level == LEVELS)
        return primary(parser);
    int64_t value = operation(parser, level + 1);
    size_t found;
    while (!is_wrong(parser) && (found = take_operator(parser, level)) != OPERATORS) {
        bool decided = (found == OR && value) || (found == AND && !value);
        parser->skips += decided;
        int64_t other = operation(parser, level + 1);
        parser->skips -= decided;
        if (found == OR || found == AND)
            value = decided ? found == OR : other != 0;
        else
            value = operate(parser, found, value, other);
    }
    return value;
}

static int64_t choice(struct parser *parser) {
    if (++parser->depth > DEEPEST)
        return fail(parser, REFRAIN_EXPRESSION_WRONG);
    int64_t value = operation(parser, 0);
    if (!is_wrong(parser) && take(parser, "?")) {
        bool chosen = value != 0;
        parser->skips += !chosen;
        int64_t yes = choice(parser);
        parser->skips += chosen - !chosen;
        int64_t no = take(parser, ":") ? choice(parser) : fail(parser, REFRAIN_EXPRESSION_WRONG);
        parser->skips -= chosen;
        value = chosen ? yes : no;
    }
    parser->depth--;
    return value;
}

enum refrain_expression_result refrain_expression_evaluate(const char *text, int64_t rank, int64_t ranks,
                                                           int64_t *value, const char **end) {
    struct parser parser = {.at = text, .rank = rank, .ranks = ranks};
    *value = choice(&parser);
    while (*parser.at == ' ')
        parser.at++;
    if (*parser.at)
        parser.result = REFRAIN_EXPRESSION_WRONG;
    if (end)
        *end = parser.at;
    return parser.result;
}
