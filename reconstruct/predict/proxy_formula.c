/* proxy_formula.c: the search for an expression (proxy_formula.h).
 *
 *     expression     leaf     (condition ? leaf : expression)
 *     condition      coordinate == 0     coordinate == size - 1     coordinate % 2 == 0     coordinate < size / 2 ...
 *     leaf           number     coordinate + number     (coordinate + number) % size     rank ^ number ...
 *
 * Numbers and coordinates are those of proxy_numbers.c.
 * Leaves are tried from the simplest on, and the first one that has all values is taken. Of conditions, the one with
 * the fewest and simplest parts is. */
#define _GNU_SOURCE
#include "predict/proxy_search.h"

#include "predict/proxy_terms.inc"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 3          /* conditions in one another */
#define MOST_WORK 40000000 /* points looked at before the search gives up */
#define MOST_VALUE (INT64_C(1) << 50)
#define MOST_FORMULA 1024

typedef struct refrain_formula_point point;

/* An expression that has all values. Of several, the one with the fewest and simplest parts is least likely to have
 * them by chance. */
struct candidate {
    char text[MOST_FORMULA];
    unsigned parts;       /* weights of its leaves and tests */
    uint64_t coordinates; /* bits: those that it uses, except the rank */
};

static unsigned cost_of(const struct candidate *candidate) {
    return candidate->parts + 2 * (unsigned)__builtin_popcountll(candidate->coordinates);
}
_Static_assert(MOST_COORDINATES <= 64, "a bit for each");

/* The bit of a coordinate; none for the rank, which is the first one. */
static uint64_t bit_of(const struct search *search, const struct coordinate *c) {
    return (UINT64_C(1) << (c - search->coordinates)) & ~UINT64_C(1);
}

/* ---- leaves ---- */

enum form { EQUAL, PLUS, EXCHANGED, ROTATED, SLOPE, TRANSPOSED, FOLDED, BLOCK, TURNED, FORMS };

static int64_t positive(int64_t value, int64_t size) {
    return (value % size + size) % size;
}

/* True if the coordinate is the column of an even grid that transposed() takes. */
static bool folds(const struct search *search, const struct coordinate *c, const point *p) {
    int64_t ranks = search->ranks[p->run], columns = c->sizes[p->run], rows = ranks / columns;
    return c->divisors[p->run] == 1 && columns % rows == 0 && columns == side_of(ranks, 2, 0);
}

static int64_t folded(const struct search *search, const struct coordinate *c, const point *p) {
    return transposed(p->rank, c->sizes[p->run], search->ranks[p->run] / c->sizes[p->run]);
}

/* What a leaf of this form has to add at this point. False: no such leaf has this value here. */
static bool left_over(const struct search *search, enum form form, const struct coordinate *c, const point *p,
                      int64_t *left) {
    int64_t at = refrain_formula_position(c, p), d = c->divisors[p->run], size = c->sizes[p->run],
            ranks = search->ranks[p->run];
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
    case FOLDED:
        *left = folds(search, c, p) ? p->value - folded(search, c, p) : 0;
        return folds(search, c, p);
    case SLOPE:
        *left = p->value - search->slopes[p->run] * at;
        return true;
    case TURNED: /* in a grid: in its row by the slope, and in its column by what is left over */
        *left = positive(p->value / size - p->rank / size, ranks / size);
        return d == 1 && p->value < ranks && positive(p->value - at, size) == positive(search->slopes[p->run], size);
    default: /* BLOCK: the slope is how many there are in all */
        *left = p->value - block(search->slopes[p->run], size, at);
        return true;
    }
}

/* Rotations by more than half of the size are written as rotations backward: of 4 positions the next but two is the one
 * before; of 2 it may be either. True if all are such; *numbers are then how far backward. `of_rows`: in the columns of
 * the grid of which the coordinate is the position in a row. */
static bool turn_backward(const struct search *search, const struct coordinate *c, bool of_rows, int64_t *numbers) {
    bool backward = true, more = false;
    for (size_t k = 0; k < search->n_runs && backward; k++) {
        int64_t size = of_rows ? search->ranks[k] / c->sizes[k] : c->sizes[k];
        backward = !search->present[k] || numbers[k] * 2 >= size;
        more |= search->present[k] && numbers[k] * 2 > size;
    }
    for (size_t k = 0; k < search->n_runs && backward && more; k++)
        numbers[k] = (of_rows ? search->ranks[k] / c->sizes[k] : c->sizes[k]) - numbers[k];
    return backward && more;
}

/* Finds how fast values grow with a coordinate in each run, from two points. False if in some run they do not. */
static bool find_slopes(struct search *search, const struct coordinate *c, const point *points, size_t n) {
    for (size_t k = 0; k < search->n_runs; k++) {
        const point *first = NULL;
        search->slopes[k] = 0;
        for (size_t i = 0; i < n; i++) {
            if (points[i].run != k)
                continue;
            first = first ? first : &points[i];
            int64_t steps = refrain_formula_position(c, &points[i]) - refrain_formula_position(c, first);
            if (!steps)
                continue;
            if ((points[i].value - first->value) % steps)
                return false;
            search->slopes[k] = (points[i].value - first->value) / steps;
            if (search->slopes[k] == 0)
                return false;
            break;
        }
    }
    return true;
}

/* Finds by how many positions values are turned in their rows, from the first point of each run. False if they are not:
 * other forms say that. */
static bool find_turns(struct search *search, const struct coordinate *c, const point *points, size_t n) {
    bool turned = true;
    for (size_t i = n; i-- > 0 && turned;) {
        int64_t size = c->sizes[points[i].run];
        search->slopes[points[i].run] = positive(points[i].value - refrain_formula_position(c, &points[i]), size);
        turned = search->slopes[points[i].run] != 0;
    }
    return turned;
}

/* Finds how many things there are in all in each run, if each position has a block of them: at least one, since that
 * some positions have one and others none is a condition. */
static bool find_totals(struct search *search, const struct coordinate *c, const point *points, size_t n) {
    for (size_t k = 0; k < search->n_runs; k++) {
        int64_t least = INT64_MAX, more = 0;
        for (size_t i = 0; i < n; i++)
            if (points[i].run == k)
                least = points[i].value < least ? points[i].value : least;
        for (size_t i = 0; i < n; i++) {
            int64_t at = points[i].run == k ? refrain_formula_position(c, &points[i]) : -1;
            if (at < 0 || points[i].value == least)
                continue;
            if (points[i].value != least + 1)
                return false;
            more = at + 1 > more ? at + 1 : more;
        }
        if (least < 1)
            return false;
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
        snprintf(sum, sizeof sum, "(rank %% %s * (ranks / %s) + rank / %s)", c->size, c->size, c->size);
        write_sum(sum, number, text);
        break;
    case FOLDED:
        snprintf(sum, sizeof sum, "transposed(rank, %s, ranks / %s)", c->size, c->size);
        write_sum(sum, number, text);
        break;
    case SLOPE:
        snprintf(sum, sizeof sum, is_rank ? "%s * %s" : "%s * (%s)", slope, c->text);
        write_sum(sum, number, text);
        break;
    case TURNED:
        put(text, "((rank / %s + %s) %% (ranks / %s) * %s + (rank + %s) %% %s)", c->size, number, c->size, c->size,
            slope, c->size);
        break;
    default:
        put(text, "block(%s, %s, %s)", slope, c->size, c->text);
    }
}

static bool is_constant(const char *number) {
    return number[strspn(number, "-0123456789")] == '\0';
}

/* True if what each run adds to a leaf has been found: from the points, whose values then leave nothing over. */
static bool fits_all(struct search *search, enum form form, const struct coordinate *c, const point *points, size_t n) {
    if ((form == SLOPE && !find_slopes(search, c, points, n)) ||
        (form == BLOCK && !find_totals(search, c, points, n)) || (form == TURNED && !find_turns(search, c, points, n)))
        return false;
    search->work += form == SLOPE || form == BLOCK || form == TURNED ? n : 1;
    memset(search->present, 0, search->n_runs * sizeof *search->present);
    bool directed = search->n_runs == 1 || (form != ROTATED && form != TURNED);
    for (size_t i = 0; i < n; i++) {
        const point *p = &points[i];
        int64_t left;
        search->work++;
        if (!left_over(search, form, c, p, &left) || (form == BLOCK && left) ||
            (search->present[p->run] && search->numbers[p->run] != left))
            return false;
        if (form == ROTATED && c->sizes[p->run] == 1)
            continue;                     /* by any number */
        directed |= c->sizes[p->run] > 2; /* of two positions each is before and after the other */
        search->present[p->run] = true;
        search->numbers[p->run] = left;
    }
    return directed;
}

/* Writes the number that each run has, backward if it is such a rotation. False if there is none. */
static bool write_turn(struct search *search, const struct coordinate *c, bool of_rows, int64_t *numbers, char *text) {
    char number[MOST_TEXT];
    bool backward = turn_backward(search, c, of_rows, numbers);
    if (!refrain_formula_number(search, numbers, number))
        return false;
    if (!backward)
        put(text, "%s", number);
    else if (of_rows)
        put(text, "ranks / %s - %s", c->size, number);
    else
        put(text, "%s - %s", c->size, number);
    return true;
}

/* Looks for a leaf of one form. */
static bool find_leaf_of(struct search *search, enum form form, const struct coordinate *c, const point *points,
                         size_t n, char *text) {
    char number[MOST_FORMULA], slope[MOST_FORMULA] = "";
    if (!fits_all(search, form, c, points, n))
        return false;
    if (form == ROTATED || form == TURNED) {
        if (!write_turn(search, c, form == TURNED, search->numbers, number) ||
            (form == TURNED && (strcmp(number, "0") == 0 || !write_turn(search, c, false, search->slopes, slope))))
            return false;
        write_leaf(form, c, number, slope, text);
        return true;
    }
    bool sloped = form == SLOPE || form == BLOCK;
    if (!refrain_formula_number(search, search->numbers, number) ||
        (sloped && !refrain_formula_number(search, search->slopes, slope)))
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
    unsigned weight; /* how much there is to choose in it */
} attempts[] = {
    {EQUAL, true, true, 0},       {EQUAL, true, false, 1}, /* alone for values that are the same on all ranks */
    {PLUS, true, true, 1},        {EXCHANGED, true, true, 2}, {ROTATED, true, true, 2},   {PLUS, true, false, 2},
    {PLUS, false, true, 2},       {ROTATED, false, true, 3},  {SLOPE, false, true, 3},    {TRANSPOSED, false, true, 3},
    {FOLDED, false, true, 4},     {TURNED, false, true, 4},   {BLOCK, false, true, 4},    {ROTATED, true, false, 4},
    {EXCHANGED, true, false, 4},  {PLUS, false, false, 4},    {ROTATED, false, false, 5}, {SLOPE, false, false, 5},
    {TRANSPOSED, false, false, 5}};

static bool find_leaf(struct search *search, const point *points, size_t n, struct candidate *found) {
    size_t most = sizeof attempts / sizeof *attempts;
    if (search->n_runs > 1 && same_in_runs(points, n))
        most = 2;
    for (size_t k = 0; k < most; k++) {
        size_t coordinates = attempts[k].rank_alone ? 1 : search->n_coordinates;
        search->constants = attempts[k].constant;
        for (size_t i = 0; i < coordinates && search->work < MOST_WORK; i++)
            if (find_leaf_of(search, attempts[k].form, &search->coordinates[i], points, n, found->text)) {
                found->parts = attempts[k].weight;
                found->coordinates = attempts[k].form == EQUAL ? 0 : bit_of(search, &search->coordinates[i]);
                return true;
            }
    }
    return false;
}

/* ---- conditions ---- */

enum test {
    FIRST,
    LAST,
    EVEN,
    LOWER,
    SECOND,
    LAST_BUT_ONE,
    DIAGONAL,
    TESTS
}; /* from TESTS on: the rank is search->alone[...] */

static bool passes(const struct search *search, enum test test, const struct coordinate *c, const point *p) {
    int64_t at = refrain_formula_position(c, p), size = c->sizes[p->run];
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
    case DIAGONAL:
        return folds(search, c, p) && folded(search, c, p) == p->rank;
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
    case DIAGONAL:
        put(text, "transposed(rank, %s, ranks / %s) %s rank", c->size, c->size, equal);
        break;
    default:
        put(text, "rank %s %" PRId64, equal, search->alone[test - TESTS]);
    }
}

/* Copies the points to `parts`, first the ones that pass a test, then the others. Returns how many pass;
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
                        size_t n, int depth, bool is_condition, struct candidate *found);

/* Looks for the simplest expression with one of these tests. */
static bool find_simplest(struct search *search, size_t first, size_t end, const point *points, size_t n, int most,
                          bool is_condition, struct candidate *found) {
    struct candidate other;
    bool any = false;
    for (size_t test = first; test < end; test++) {
        size_t coordinates = test < TESTS ? search->n_coordinates : 1;
        for (size_t i = 0; i < coordinates && search->work < MOST_WORK; i++) {
            if (!find_choice(search, (enum test)test, &search->coordinates[i], points, n, most, is_condition, &other) ||
                (any && cost_of(&other) >= cost_of(found)))
                continue;
            *found = other;
            any = true;
        }
    }
    return any;
}

static bool find_expression(struct search *search, const point *points, size_t n, int depth, bool is_condition,
                            struct candidate *found) {
    if (find_leaf(search, points, n, found))
        return true;
    if (search->n_runs > 1 && same_in_runs(points, n))
        return false;                        /* so few numbers would fit many choices by chance */
    for (int most = 0; most < depth; most++) /* simple choices first */
        if (find_simplest(search, FIRST, TESTS, points, n, most, is_condition, found) ||
            find_simplest(search, TESTS, TESTS + search->n_alone, points, n, most, is_condition, found))
            return true;
    return false;
}

static bool find_choice(struct search *search, enum test test, const struct coordinate *c, const point *points,
                        size_t n, int depth, bool is_condition, struct candidate *found) {
    static const unsigned weights[TESTS + 1] = {[FIRST] = 1,  [LAST] = 1,         [EVEN] = 2,     [LOWER] = 2,
                                                [SECOND] = 2, [LAST_BUT_ONE] = 2, [DIAGONAL] = 4, [TESTS] = 4};
    struct candidate yes, no;
    char condition[MOST_FORMULA], negated[MOST_FORMULA];
    point *parts = malloc(n * sizeof *parts);
    size_t pass = parts ? divide(search, test, c, points, n, parts) : 0;
    search->no_memory |= !parts;
    search->work += n;
    bool any = false;
    if (pass) {
        bool yes_is_leaf = find_leaf(search, parts, pass, &yes);
        bool no_is_leaf = find_leaf(search, parts + pass, n - pass, &no);
        any = yes_is_leaf && no_is_leaf;
        if (!any && depth > 0 && yes_is_leaf)
            any = find_expression(search, parts + pass, n - pass, depth, is_condition, &no);
        else if (!any && depth > 0 && no_is_leaf)
            any = find_expression(search, parts, pass, depth, is_condition, &yes);
    }
    free(parts);
    if (!any)
        return false;
    write_test(search, test, c, false, condition);
    write_test(search, test, c, true, negated);
    write_choice(yes.text, no.text, condition, negated, is_condition, found->text);
    found->parts = yes.parts + no.parts + weights[test < TESTS ? test : TESTS];
    found->coordinates = yes.coordinates | no.coordinates | (test < TESTS ? bit_of(search, c) : 0);
    return true;
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

static char *search_formula(const point *points, size_t n, const int64_t *ranks, size_t n_runs, bool is_condition) {
    struct candidate formula = {.parts = 0};
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
        refrain_formula_add_coordinates(search);
    find_alone(search, points, n);
    search->constants = true; /* for values that are too large to calculate with; the search sets it anew */
    bool found = !search->no_memory &&
                 (small(points, n) ? find_expression(search, points, n, DEEPEST, is_condition, &formula)
                                   : find_leaf_of(search, EQUAL, search->coordinates, points, n, formula.text));
    close_search(search);
    return found && strlen(formula.text) < MOST_FORMULA - 1 ? strdup(formula.text) : NULL;
}

/* ---- formulas that were found before ---- */

static uint64_t hash_of(const point *points, size_t n, bool is_condition) {
    uint64_t hash = is_condition;
    for (size_t i = 0; i < n; i++)
        hash = refrain_table_hash(hash ^ (uint64_t)points[i].value, (uint64_t)points[i].rank << 16 ^ points[i].run);
    return hash;
}

static bool same_points(const struct refrain_formula_found *found, const point *points, size_t n, bool is_condition) {
    bool same = found->n == n && found->is_condition == is_condition;
    for (size_t i = 0; i < n && same; i++)
        same = found->points[i].rank == points[i].rank && found->points[i].value == points[i].value &&
               found->points[i].run == points[i].run;
    return same;
}

char *refrain_formula_find(struct refrain_formulas *formulas, const struct refrain_formula_point *points, size_t n,
                           const int64_t *ranks, size_t n_runs, bool is_condition) {
    uint64_t hash = hash_of(points, n, is_condition), turn = 0;
    uintptr_t number;
    while ((number = refrain_table_number(&formulas->by_points, hash, turn))) {
        const struct refrain_formula_found *found = &formulas->all[number - 1];
        if (same_points(found, points, n, is_condition))
            return found->text ? strdup(found->text) : NULL;
        turn++;
    }
    struct refrain_formula_found found = {.n = n, .is_condition = is_condition};
    found.text = search_formula(points, n, ranks, n_runs, is_condition);
    found.points = malloc((n + 1) * sizeof *found.points);
    char *text = found.text ? strdup(found.text) : NULL;
    if (found.points && REFRAIN_ARRAY_ROOM(formulas->all, formulas->n, formulas->capacity) &&
        refrain_table_put(&formulas->by_points, hash, turn, formulas->n + 1)) {
        memcpy(found.points, points, n * sizeof *points);
        formulas->all[formulas->n++] = found;
        return text;
    }
    free(found.points); /* without memory it is not remembered */
    free(found.text);
    return text;
}

void refrain_formulas_close(struct refrain_formulas *formulas) {
    for (size_t i = 0; i < formulas->n; i++) {
        free(formulas->all[i].points);
        free(formulas->all[i].text);
    }
    free(formulas->all);
    refrain_table_close(&formulas->by_points);
    *formulas = (struct refrain_formulas){0};
}
