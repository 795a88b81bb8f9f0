/* proxy_numbers.c: numbers that follow from the number of ranks, and positions of ranks in grids (proxy_formula.h).
 *
 *     number         7     side(2, 0)     3 * ranks + 1     800 / ranks
 *     coordinate     rank, or the position of the rank along a dimension of a grid: rank % side(2, 1) */
#define _GNU_SOURCE
#include "predict/proxy_search.h"

#include "predict/proxy_terms.inc"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    case 8:
        return side_of(ranks, 3, 0) * side_of(ranks, 3, 1);
    default:
        return log2_of(side_of(ranks, 2, (int)number - 9));
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
                                             "(side(3, 0) * side(3, 1))",
                                             "log2_of(side(2, 0))",
                                             "log2_of(side(2, 1))"};
    for (size_t i = 0; i < TERMS; i++) {
        struct term *term = &search->terms[search->n_terms];
        snprintf(term->text, sizeof term->text, "%s", texts[i]);
        term->divides = strncmp(texts[i], "log2", 4) != 0; /* a logarithm may be 0 */
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

void refrain_formula_add_coordinates(struct search *search) {
    add_terms(search);
    if (search->no_memory)
        return;
    add_coordinate(search, NULL, NULL);
    if (search->n_runs == 1) {
        add_divisors(search);
        return;
    }
    for (size_t i = 1; i < search->n_terms; i++) {
        if (!search->terms[i].divides)
            continue;
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
        if (!term->divides || x == y || (both && !bends(search, term, first, second)))
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

/* True if the number is a * (x - 1) / y in each run, where what is divided leaves no rest. */
static bool is_share(const struct search *search, const int64_t *number, size_t first, const struct term *x,
                     const struct term *y, int64_t *a) {
    int64_t above = x->by_run[first] - 1, below = y->by_run[first];
    if (x == y || above <= 0 || number[first] * below % above)
        return false;
    *a = number[first] * below / above;
    bool fits = *a != 0;
    for (size_t k = 0; k < search->n_runs && fits; k++)
        fits = !search->present[k] || number[k] * y->by_run[k] == *a * (x->by_run[k] - 1);
    return fits;
}

/* Looks for a * (term - 1) / another term, such as the inner faces of all parts of a grid. */
static bool shared(const struct search *search, const int64_t *number, size_t first, char *text) {
    int64_t a;
    for (size_t i = 0; i < search->n_terms; i++)
        for (size_t k = 0; k < search->n_terms; k++) {
            const struct term *x = &search->terms[i], *y = &search->terms[k];
            if (!x->divides || !y->divides || !is_share(search, number, first, x, y, &a))
                continue;
            snprintf(text, MOST_TEXT, "%" PRId64 " * (%.28s - 1) / %.28s", a, x->text, y->text);
            return true;
        }
    return false;
}

/* Looks for one of the first n terms / 2. */
static bool halved(const struct search *search, const int64_t *number, size_t n, char *text) {
    for (size_t i = 0; i < n; i++) {
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

bool refrain_formula_number(const struct search *search, const int64_t *number, char *text) {
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
    if (n > FEWEST &&
        (halved(search, number, 1, text) || times_and_plus(search, number, first, other, false, text) ||
         divided(search, number, first, other, false, text) || halved(search, number, search->n_terms, text)))
        return true; /* the first term is the number of ranks, whose half may be the product of sides by chance */
    return n > FEWEST + 1 && (times_and_plus(search, number, first, other, true, text) ||
                              divided(search, number, first, other, true, text) || shared(search, number, first, text));
}
