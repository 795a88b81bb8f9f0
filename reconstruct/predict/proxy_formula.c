/* proxy_formula.c: the search for an expression (proxy_formula.h).
 *
 *     expression     leaf     (condition ? leaf : expression)
 *     condition      coordinate == 0     coordinate == size - 1     coordinate % 2 == 0     coordinate < size / 2 ...
 *     leaf           number     coordinate + number     (coordinate + number) % size     rank ^ number ...
 *     number         7     side(2, 0)     3 * ranks + 1     800 / ranks
 *     coordinate     rank, or the position of the rank along a dimension of a grid: rank % side(2, 1)
 *
 * The forms are tried from the simplest on, and the first one that has all values is taken. */
#define _GNU_SOURCE
#include "predict/proxy_formula.h"

#include "predict/proxy_terms.inc"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of several runs: how many must have a constant. A number with one or two constants must hold in one or two more. */
#define FEWEST 2
#define DEEPEST 3          /* conditions in one another */
#define MOST_WORK 40000000 /* points looked at before the search gives up */
#define MOST_ALONE 8       /* ranks that may be exceptions by their number */
#define MOST_VALUE (INT64_C(1) << 50)
#define MOST_COORDINATES 64
#define MOST_TEXT 96 /* bytes of a number or coordinate */
#define MOST_FORMULA 1024

/* A number that depends on the number of ranks alone. */
struct term {
    char text[MOST_TEXT];
    int64_t *by_run;
};

/* (rank / divisor) % size */
struct coordinate {
    char text[MOST_TEXT], size[MOST_TEXT], divisor[MOST_TEXT];
    int64_t *divisors, *sizes; /* by run */
};

enum { TERMS = 9 };

struct search {
    size_t n_runs;
    const int64_t *ranks;
    struct term terms[TERMS];
    size_t n_terms;
    struct coordinate coordinates[MOST_COORDINATES];
    size_t n_coordinates;
    int64_t *numbers;          /* by run: what a leaf adds */
    int64_t *slopes;           /* by run: what a leaf multiplies by */
    bool *present;             /* by run: it has points */
    int64_t alone[MOST_ALONE]; /* ranks with another value than most */
    size_t n_alone;
    bool constants; /* numbers that depend on the number of ranks are not looked for */
    size_t work;
    bool no_memory;
};

typedef struct refrain_formula_point point;

/* ---- terms and coordinates ---- */

static bool same_by_run(const struct search *search, const int64_t *a, const int64_t *b) {
    return memcmp(a, b, search->n_runs * sizeof *a) == 0;
}

static int64_t term_of(int64_t ranks, size_t number) {
    switch (number) {
    case 0:
        return ranks;
    case 1:
    case 2:
        return side_of(ranks, 2, (int)number - 1);
    case 3:
    case 4:
    case 5:
        return side_of(ranks, 3, (int)number - 3);
    case 6:
        return log2_of(ranks);
    case 7:
        return side_of(ranks, 3, 1) * side_of(ranks, 3, 2);
    default:
        return side_of(ranks, 3, 0) * side_of(ranks, 3, 1);
    }
}

/* Terms that are the same in all runs as one before are left out. */
static void add_terms(struct search *search) {
    static const char *const texts[TERMS] = {"ranks",
                                             "side(2, 0)",
                                             "side(2, 1)",
                                             "side(3, 0)",
                                             "side(3, 1)",
                                             "side(3, 2)",
                                             "log2_of(ranks)",
                                             "(side(3, 1) * side(3, 2))",
                                             "(side(3, 0) * side(3, 1))"};
    for (size_t i = 0; i < TERMS; i++) {
        struct term *term = &search->terms[search->n_terms];
        snprintf(term->text, sizeof term->text, "%s", texts[i]);
        term->by_run = malloc(search->n_runs * sizeof *term->by_run);
        if (!term->by_run) {
            search->no_memory = true;
            return;
        }
        for (size_t k = 0; k < search->n_runs; k++)
            term->by_run[k] = term_of(search->ranks[k], i);
        size_t before = 0;
        while (before < search->n_terms && !same_by_run(search, search->terms[before].by_run, term->by_run))
            before++;
        if (before < search->n_terms)
            free(term->by_run);
        else
            search->n_terms++;
    }
}

/* Adds a coordinate unless it is known, or a run's ranks do not divide into such sizes. Null: a divisor of 1, or all
 * ranks that are left. */
static void add_coordinate(struct search *search, const struct term *divisor, const struct term *size) {
    if (search->n_coordinates == MOST_COORDINATES)
        return;
    struct coordinate *coordinate = &search->coordinates[search->n_coordinates];
    coordinate->divisors = malloc(2 * search->n_runs * sizeof *coordinate->divisors);
    if (!coordinate->divisors) {
        search->no_memory = true;
        return;
    }
    coordinate->sizes = coordinate->divisors + search->n_runs;
    bool divides = true, moves = false;
    for (size_t k = 0; k < search->n_runs; k++) {
        int64_t d = divisor ? divisor->by_run[k] : 1, of = search->ranks[k] / d, s = size ? size->by_run[k] : of;
        divides &= d * of == search->ranks[k] && s > 0 && of % s == 0;
        moves |= s > 1;
        coordinate->divisors[k] = d;
        coordinate->sizes[k] = s;
    }
    size_t before = 0;
    while (before < search->n_coordinates &&
           (!same_by_run(search, search->coordinates[before].divisors, coordinate->divisors) ||
            !same_by_run(search, search->coordinates[before].sizes, coordinate->sizes)))
        before++;
    if (before < search->n_coordinates || !divides || !moves) {
        free(coordinate->divisors);
        return;
    }
    const char *by = divisor ? divisor->text : "1", *whole = divisor ? " / " : "", *part = size ? " % " : "";
    snprintf(coordinate->divisor, sizeof coordinate->divisor, "%s", by);
    snprintf(coordinate->text, sizeof coordinate->text, "rank%s%.30s%s%.30s", whole, divisor ? by : "", part,
             size ? size->text : "");
    if (size)
        snprintf(coordinate->size, sizeof coordinate->size, "%s", size->text);
    else
        snprintf(coordinate->size, sizeof coordinate->size, divisor ? "(ranks / %.60s)" : "ranks", by);
    search->n_coordinates++;
}

/* Of one run, sizes are the divisors of its number of ranks. */
static void add_divisors(struct search *search) {
    int64_t ranks = search->ranks[0], one, other;
    struct term divisor = {.by_run = &one}, size = {.by_run = &other};
    for (one = 2; one < ranks && one <= 4096; one++) {
        if (ranks % one)
            continue;
        snprintf(divisor.text, sizeof divisor.text, "%" PRId64, one);
        add_coordinate(search, NULL, &divisor);
        add_coordinate(search, &divisor, NULL);
    }
    for (one = 2; one < ranks && one <= 64; one++)
        for (other = 2; ranks % one == 0 && one * other < ranks && other <= 64; other++) {
            snprintf(divisor.text, sizeof divisor.text, "%" PRId64, one);
            snprintf(size.text, sizeof size.text, "%" PRId64, other);
            add_coordinate(search, &divisor, &size);
        }
}

static const struct term *term_like(const struct search *search, const char *text) {
    for (size_t i = 0; i < search->n_terms; i++)
        if (strcmp(search->terms[i].text, text) == 0)
            return &search->terms[i];
    return NULL;
}

static void add_coordinates(struct search *search) {
    add_coordinate(search, NULL, NULL);
    if (search->n_runs == 1) {
        add_divisors(search);
        return;
    }
    for (size_t i = 1; i < search->n_terms; i++) {
        add_coordinate(search, NULL, &search->terms[i]);
        add_coordinate(search, &search->terms[i], NULL);
    }
    const struct term *middle = term_like(search, "side(3, 1)");
    for (int last = 0; last < 3 && middle; last += 2) {
        const struct term *first = term_like(search, last ? "side(3, 2)" : "side(3, 0)");
        if (first)
            add_coordinate(search, first, middle);
    }
}

static int64_t coordinate_of(const struct coordinate *coordinate, const point *p) {
    return p->rank / coordinate->divisors[p->run] % coordinate->sizes[p->run];
}

/* ---- numbers by run ---- */

/* True if a term has more than two values in the runs that have points, as a line needs that is more than chance. */
static bool bends(const struct search *search, const struct term *term, size_t first, size_t second) {
    int64_t x = term->by_run[first], y = term->by_run[second];
    for (size_t k = 0; k < search->n_runs; k++)
        if (search->present[k] && term->by_run[k] != x && term->by_run[k] != y)
            return true;
    return false;
}

/* Looks for a * term + b, where b is 0 or a is 1 unless `both`. */
static bool times_and_plus(const struct search *search, const int64_t *number, size_t first, size_t second, bool both,
                           char *text) {
    for (size_t i = 0; i < search->n_terms; i++) {
        const struct term *term = &search->terms[i];
        int64_t x = term->by_run[first], y = term->by_run[second], from = number[first], to = number[second];
        if (x == y || (to - from) % (y - x) || (both && !bends(search, term, first, second)))
            continue;
        int64_t a = (to - from) / (y - x), b = from - a * x;
        bool fits = a != 0 && (both || b == 0 || a == 1);
        for (size_t k = 0; k < search->n_runs && fits; k++)
            fits = !search->present[k] || number[k] == a * term->by_run[k] + b;
        if (!fits)
            continue;
        char factor[32] = "", added[32] = "";
        if (a == -1)
            strcpy(factor, "-");
        else if (a != 1)
            snprintf(factor, sizeof factor, "%" PRId64 " * ", a);
        if (b)
            snprintf(added, sizeof added, " %c %" PRId64, b < 0 ? '-' : '+', b < 0 ? -b : b);
        snprintf(text, MOST_TEXT, b ? "(%s%.40s%s)" : "%s%.40s%s", factor, term->text, added);
        return true;
    }
    return false;
}

/* Looks for a / term + b, where b is 0 unless `both`; what is divided leaves no rest. */
static bool divided(const struct search *search, const int64_t *number, size_t first, size_t second, bool both,
                    char *text) {
    for (size_t i = 0; i < search->n_terms; i++) {
        const struct term *term = &search->terms[i];
        int64_t x = term->by_run[first], y = term->by_run[second], b = 0;
        if (x == y || (both && !bends(search, term, first, second)))
            continue;
        if (both)
            b = (number[second] * y - number[first] * x) / (y - x);
        int64_t a = (number[first] - b) * x;
        bool fits = a != 0;
        for (size_t k = 0; k < search->n_runs && fits; k++)
            fits = !search->present[k] || (number[k] - b) * term->by_run[k] == a;
        if (!fits)
            continue;
        if (b)
            snprintf(text, MOST_TEXT, "(%" PRId64 " / %.40s %c %" PRId64 ")", a, term->text, b < 0 ? '-' : '+',
                     b < 0 ? -b : b);
        else
            snprintf(text, MOST_TEXT, "%" PRId64 " / %.40s", a, term->text);
        return true;
    }
    return false;
}

/* Looks for term / 2. */
static bool halved(const struct search *search, const int64_t *number, char *text) {
    for (size_t i = 0; i < search->n_terms; i++) {
        bool fits = true;
        for (size_t k = 0; k < search->n_runs && fits; k++)
            fits = !search->present[k] || (number[k] * 2 == search->terms[i].by_run[k] && number[k]);
        if (fits) {
            snprintf(text, MOST_TEXT, "%.60s / 2", search->terms[i].text);
            return true;
        }
    }
    return false;
}

/* Writes the number that each run has, as far as it has points. */
static bool find_number(const struct search *search, const int64_t *number, char *text) {
    size_t first = SIZE_MAX, other = SIZE_MAX, n = 0;
    for (size_t k = 0; k < search->n_runs; k++) {
        if (!search->present[k])
            continue;
        n++;
        first = first == SIZE_MAX ? k : first;
        other = number[k] != number[first] && other == SIZE_MAX ? k : other;
    }
    if (first == SIZE_MAX || (n < FEWEST && search->n_runs > 1))
        return false;
    if (other == SIZE_MAX) {
        snprintf(text, MOST_TEXT, "%" PRId64, number[first]);
        return true;
    }
    if (search->constants)
        return false;
    if (n > FEWEST && (times_and_plus(search, number, first, other, false, text) ||
                       divided(search, number, first, other, false, text) || halved(search, number, text)))
        return true;
    return n > FEWEST + 1 && (times_and_plus(search, number, first, other, true, text) ||
                              divided(search, number, first, other, true, text));
}

/* ---- leaves ---- */

enum form { EQUAL, PLUS, EXCHANGED, ROTATED, SLOPE, TRANSPOSED, BLOCK, FORMS };

static int64_t positive(int64_t value, int64_t size) {
    return (value % size + size) % size;
}

/* What a leaf of this form has to add at this point. False: no such leaf has this value here. */
static bool left_over(const struct search *search, enum form form, const struct coordinate *c, const point *p,
                      int64_t *left) {
    int64_t at = coordinate_of(c, p), d = c->divisors[p->run], size = c->sizes[p->run], ranks = search->ranks[p->run];
    if (p->value < 0 && form != EQUAL)
        return false; /* it means no rank, and follows from no arithmetic */
    switch (form) {
    case EQUAL:
        *left = p->value;
        return true;
    case PLUS:
        *left = p->value - at;
        return true;
    case EXCHANGED:
        *left = p->value ^ p->rank;
        return true;
    case ROTATED:
        *left = positive(p->value / d - at, size);
        return p->value < ranks && p->value - p->value / d % size * d == p->rank - at * d;
    case TRANSPOSED: /* of a grid of ranks / size rows */
        *left = p->value - (at * (ranks / size) + p->rank / size);
        return d == 1;
    case SLOPE:
        *left = p->value - search->slopes[p->run] * at;
        return true;
    default: /* BLOCK: the slope is how many there are in all */
        *left = p->value - block(search->slopes[p->run], size, at);
        return true;
    }
}

/* Finds how fast values grow with a coordinate in each run, from two points. */
static bool find_slopes(struct search *search, const struct coordinate *c, const point *points, size_t n) {
    for (size_t k = 0; k < search->n_runs; k++) {
        const point *first = NULL;
        search->slopes[k] = 0;
        for (size_t i = 0; i < n; i++) {
            if (points[i].run != k)
                continue;
            first = first ? first : &points[i];
            int64_t steps = coordinate_of(c, &points[i]) - coordinate_of(c, first);
            if (!steps)
                continue;
            if ((points[i].value - first->value) % steps)
                return false;
            search->slopes[k] = (points[i].value - first->value) / steps;
            break;
        }
    }
    return true;
}

/* Finds how many things there are in all in each run, if each position has a block of them. */
static bool find_totals(struct search *search, const struct coordinate *c, const point *points, size_t n) {
    for (size_t k = 0; k < search->n_runs; k++) {
        int64_t least = INT64_MAX, more = 0;
        for (size_t i = 0; i < n; i++)
            if (points[i].run == k)
                least = points[i].value < least ? points[i].value : least;
        for (size_t i = 0; i < n; i++) {
            int64_t at = points[i].run == k ? coordinate_of(c, &points[i]) : -1;
            if (at < 0 || points[i].value == least)
                continue;
            if (points[i].value != least + 1)
                return false;
            more = at + 1 > more ? at + 1 : more;
        }
        search->slopes[k] = least == INT64_MAX ? 0 : least * c->sizes[k] + more;
    }
    return true;
}

/* Writes a text of at most MOST_FORMULA bytes. A longer one is cut, which refrain_formula_find() sees by its length. */
__attribute__((format(printf, 2, 3))) static void put(char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, MOST_FORMULA, format, arguments);
    va_end(arguments);
}

static void write_sum(const char *sum, const char *number, char *text) {
    if (strcmp(number, "0") == 0)
        put(text, "%s", sum);
    else if (number[0] == '-')
        put(text, "(%s - %s)", sum, number + 1);
    else
        put(text, "(%s + %s)", sum, number);
}

static void write_leaf(enum form form, const struct coordinate *c, const char *number, const char *slope, char *text) {
    char sum[MOST_FORMULA];
    bool is_rank = strcmp(c->text, "rank") == 0, unit = strcmp(c->divisor, "1") == 0;
    switch (form) {
    case EQUAL:
        put(text, "%s", number);
        break;
    case PLUS:
        write_sum(c->text, number, text);
        break;
    case EXCHANGED:
        put(text, "(rank ^ %s)", number);
        break;
    case ROTATED:
        if (is_rank)
            put(text, "((rank + %s) %% ranks)", number);
        else
            put(text, "(rank + ((%s + %s) %% %s - %s)%s%s)", c->text, number, c->size, c->text, unit ? "" : " * ",
                unit ? "" : c->divisor);
        break;
    case TRANSPOSED:
        snprintf(sum, sizeof sum, "rank %% %s * (ranks / %s) + rank / %s", c->size, c->size, c->size);
        write_sum(sum, number, text);
        break;
    case SLOPE:
        snprintf(sum, sizeof sum, is_rank ? "%s * %s" : "%s * (%s)", slope, c->text);
        write_sum(sum, number, text);
        break;
    default:
        put(text, "block(%s, %s, %s)", slope, c->size, c->text);
    }
}

static bool is_constant(const char *number) {
    return number[strspn(number, "-0123456789")] == '\0';
}

/* Looks for a leaf of one form. */
static bool find_leaf_of(struct search *search, enum form form, const struct coordinate *c, const point *points,
                         size_t n, char *text) {
    char number[MOST_TEXT], slope[MOST_TEXT] = "";
    if (form == SLOPE && !find_slopes(search, c, points, n))
        return false;
    if (form == BLOCK && !find_totals(search, c, points, n))
        return false;
    search->work += form == SLOPE || form == BLOCK ? n : 1;
    memset(search->present, 0, search->n_runs * sizeof *search->present);
    bool directed = search->n_runs == 1 || form != ROTATED; /* of two positions each is before and after the other */
    for (size_t i = 0; i < n; i++) {
        const point *p = &points[i];
        int64_t left;
        search->work++;
        if (!left_over(search, form, c, p, &left) || (form == BLOCK && left) ||
            (search->present[p->run] && search->numbers[p->run] != left))
            return false;
        if (form == ROTATED && c->sizes[p->run] == 1)
            continue; /* by any number */
        directed |= c->sizes[p->run] > 2;
        search->present[p->run] = true;
        search->numbers[p->run] = left;
    }
    bool sloped = form == SLOPE || form == BLOCK;
    if (!directed || !find_number(search, search->numbers, number) ||
        (sloped && !find_number(search, search->slopes, slope)))
        return false;
    if (sloped && (strcmp(slope, "0") == 0 || strcmp(slope, "1") == 0))
        return false; /* the other forms say that */
    if (sloped && !is_constant(slope) && (form == BLOCK || !is_constant(number)))
        return false; /* too much to choose */
    if (form == EXCHANGED && number[0] == '(')
        return false; /* distances of exchanges are no sums */
    write_leaf(form, c, number, slope, text);
    return true;
}

/* True if all ranks of a run have the same value. */
static bool same_in_runs(const point *points, size_t n) {
    bool same = true;
    for (size_t i = 1; i < n && same; i++)
        same = points[i].run != points[i - 1].run || points[i].value == points[i - 1].value;
    return same;
}

/* In which order forms are tried. */
static const struct {
    enum form form;
    bool rank_alone; /* of all coordinates only the rank */
    bool constant;   /* numbers that depend on the number of ranks are not looked for */
} attempts[] = {
    {EQUAL, true, true},     {EQUAL, true, false}, /* first, and alone for values that are the same on all ranks */
    {PLUS, true, true},      {EXCHANGED, true, true}, {ROTATED, true, true},     {PLUS, true, false},
    {PLUS, false, true},     {ROTATED, false, true},  {SLOPE, false, true},      {TRANSPOSED, false, true},
    {BLOCK, false, true},    {ROTATED, true, false},  {EXCHANGED, true, false},  {PLUS, false, false},
    {ROTATED, false, false}, {SLOPE, false, false},   {TRANSPOSED, false, false}};

static bool find_leaf(struct search *search, const point *points, size_t n, char *text) {
    size_t most = sizeof attempts / sizeof *attempts;
    if (search->n_runs > 1 && same_in_runs(points, n))
        most = 2;
    for (size_t k = 0; k < most; k++) {
        size_t coordinates = attempts[k].rank_alone ? 1 : search->n_coordinates;
        search->constants = attempts[k].constant;
        for (size_t i = 0; i < coordinates && search->work < MOST_WORK; i++)
            if (find_leaf_of(search, attempts[k].form, &search->coordinates[i], points, n, text))
                return true;
    }
    return false;
}

/* ---- conditions ---- */

enum test { FIRST, LAST, EVEN, LOWER, SECOND, LAST_BUT_ONE, TESTS }; /* from TESTS on: the rank is search->alone[...] */

static bool passes(const struct search *search, enum test test, const struct coordinate *c, const point *p) {
    int64_t at = coordinate_of(c, p), size = c->sizes[p->run];
    switch (test) {
    case FIRST:
        return at == 0;
    case LAST:
        return at == size - 1;
    case EVEN:
        return at % 2 == 0;
    case LOWER:
        return at < size / 2;
    case SECOND:
        return at == 1;
    case LAST_BUT_ONE:
        return at == size - 2;
    default:
        return p->rank == search->alone[test - TESTS];
    }
}

static void write_test(const struct search *search, enum test test, const struct coordinate *c, bool negated,
                       char *text) {
    const char *equal = negated ? "!=" : "==", *less = negated ? ">=" : "<";
    switch (test) {
    case FIRST:
        put(text, "%s %s 0", c->text, equal);
        break;
    case LAST:
        put(text, "%s %s %s - 1", c->text, equal, c->size);
        break;
    case EVEN:
        put(text, strcmp(c->text, "rank") == 0 ? "%s %% 2 %s 0" : "(%s) %% 2 %s 0", c->text, equal);
        break;
    case LOWER:
        put(text, "%s %s %s / 2", c->text, less, c->size);
        break;
    case SECOND:
        put(text, "%s %s 1", c->text, equal);
        break;
    case LAST_BUT_ONE:
        put(text, "%s %s %s - 2", c->text, equal, c->size);
        break;
    default:
        put(text, "rank %s %" PRId64, equal, search->alone[test - TESTS]);
    }
}

/* Divides the points into those that pass a test, which come first in `parts`, and the others. Returns how many pass;
 * 0 if one part has too few runs to say anything of others. */
static size_t divide(const struct search *search, enum test test, const struct coordinate *c, const point *points,
                     size_t n, point *parts) {
    size_t pass = 0, fail = 0, passing_runs = 0, failing_runs = 0, last_pass = SIZE_MAX, last_fail = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        bool passing = passes(search, test, c, &points[i]);
        size_t *last = passing ? &last_pass : &last_fail; /* points are ordered by run */
        *(passing ? &passing_runs : &failing_runs) += *last != points[i].run;
        *last = points[i].run;
        pass += passing;
    }
    size_t needed = search->n_runs > 1 ? FEWEST : 1, at = 0;
    if (passing_runs < needed || failing_runs < needed)
        return 0;
    for (size_t i = 0; i < n; i++)
        parts[passes(search, test, c, &points[i]) ? at++ : pass + fail++] = points[i];
    return pass;
}

/* Writes a choice between two texts. A condition whose values are 0 and 1 is written as such. */
static void write_choice(const char *yes, const char *no, const char *test, const char *negated, bool is_condition,
                         char *text) {
    if (is_condition && strcmp(yes, "1") == 0)
        put(text, strcmp(no, "0") == 0 ? "%s" : "(%s || %s)", test, no);
    else if (is_condition && strcmp(yes, "0") == 0)
        put(text, strcmp(no, "1") == 0 ? "%s" : "(%s && %s)", negated, no);
    else if (is_condition && strcmp(no, "0") == 0)
        put(text, "(%s && %s)", test, yes);
    else if (is_condition && strcmp(no, "1") == 0)
        put(text, "(%s || %s)", negated, yes);
    else
        put(text, "(%s ? %s : %s)", test, yes, no);
}

/* Looks for an expression with one condition on this coordinate, and at most so many others in its parts. */
static bool find_choice(struct search *search, enum test test, const struct coordinate *c, const point *points,
                        size_t n, int depth, bool is_condition, char *text);

static bool find_expression(struct search *search, const point *points, size_t n, int depth, bool is_condition,
                            char *text) {
    if (find_leaf(search, points, n, text))
        return true;
    if (search->n_runs > 1 && same_in_runs(points, n))
        return false;                        /* so few numbers would fit many choices by chance */
    for (int most = 0; most < depth; most++) /* simple choices first */
        for (enum test test = FIRST; test < TESTS + search->n_alone; test++) {
            size_t coordinates = test < TESTS ? search->n_coordinates : 1;
            for (size_t i = 0; i < coordinates && search->work < MOST_WORK; i++)
                if (find_choice(search, test, &search->coordinates[i], points, n, most, is_condition, text))
                    return true;
        }
    return false;
}

static bool find_choice(struct search *search, enum test test, const struct coordinate *c, const point *points,
                        size_t n, int depth, bool is_condition, char *text) {
    char yes[MOST_FORMULA], no[MOST_FORMULA], condition[MOST_FORMULA], negated[MOST_FORMULA];
    point *parts = malloc(n * sizeof *parts);
    size_t pass = parts ? divide(search, test, c, points, n, parts) : 0;
    search->no_memory |= !parts;
    search->work += n;
    bool found = false;
    if (pass) {
        bool yes_is_leaf = find_leaf(search, parts, pass, yes);
        bool no_is_leaf = find_leaf(search, parts + pass, n - pass, no);
        found = yes_is_leaf && no_is_leaf;
        if (!found && depth > 0 && yes_is_leaf)
            found = find_expression(search, parts + pass, n - pass, depth, is_condition, no);
        else if (!found && depth > 0 && no_is_leaf)
            found = find_expression(search, parts, pass, depth, is_condition, yes);
    }
    free(parts);
    write_test(search, test, c, false, condition);
    write_test(search, test, c, true, negated);
    if (found)
        write_choice(yes, no, condition, negated, is_condition, text);
    return found;
}

/* ---- the search ---- */

static void close_search(struct search *search) {
    for (size_t i = 0; i < search->n_terms; i++)
        free(search->terms[i].by_run);
    for (size_t i = 0; i < search->n_coordinates; i++)
        free(search->coordinates[i].divisors);
    free(search->numbers);
    free(search->slopes);
    free(search->present);
    free(search);
}

/* The value that most points have, if a value is that of more than half of them. */
static int64_t usual_value(const point *points, size_t n) {
    int64_t usual = 0;
    size_t votes = 0;
    for (size_t i = 0; i < n; i++) {
        usual = votes ? usual : points[i].value;
        votes = points[i].value == usual ? votes + 1 : votes - 1;
    }
    return usual;
}

/* Lists the ranks that have another value than most, unless they are many. */
static void find_alone(struct search *search, const point *points, size_t n) {
    int64_t usual = usual_value(points, n);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < search->n_alone && search->alone[k] != points[i].rank)
            k++;
        if (points[i].value == usual || k < search->n_alone)
            continue;
        if (search->n_alone == MOST_ALONE) {
            search->n_alone = 0;
            return;
        }
        search->alone[search->n_alone++] = points[i].rank;
    }
}

/* True if sums and products of the values do not overflow. */
static bool small(const point *points, size_t n) {
    bool small = true;
    for (size_t i = 0; i < n && small; i++)
        small = points[i].value > -MOST_VALUE && points[i].value < MOST_VALUE;
    return small;
}

char *refrain_formula_find(const struct refrain_formula_point *points, size_t n, const int64_t *ranks, size_t n_runs,
                           bool is_condition) {
    char text[MOST_FORMULA];
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return NULL;
    search->n_runs = n_runs;
    search->ranks = ranks;
    search->numbers = malloc(n_runs * sizeof *search->numbers);
    search->slopes = malloc(n_runs * sizeof *search->slopes);
    search->present = malloc(n_runs * sizeof *search->present);
    search->no_memory = !search->numbers || !search->slopes || !search->present;
    if (!search->no_memory)
        add_terms(search);
    if (!search->no_memory)
        add_coordinates(search);
    find_alone(search, points, n);
    bool found =
        !search->no_memory && (small(points, n) ? find_expression(search, points, n, DEEPEST, is_condition, text)
                                                : find_leaf_of(search, EQUAL, search->coordinates, points, n, text));
    close_search(search);
    return found && strlen(text) < MOST_FORMULA - 1 ? strdup(text) : NULL;
}
