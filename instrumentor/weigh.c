/* weigh.c: what is enough work to pay for a probe: when a function is entered, as far as the trace is concerned, and
 * which decisions and loops are told with --detail=all (construct.h).
 *
 * A probe that is off still costs what it keeps the compiler from: a function that says when it is left makes no tail
 * call, is turned into no loop, is put into its caller less readily. That is nothing beside an MPI call or a loop, and
 * a third of the time of a function of ten instructions that comes to an event once in a million times. So a small
 * function, which has no loop and does little but call, is entered when it is called only if it comes to an event each
 * time. Else it is entered late, when the first of its own MPI calls is made; or, where it has none, not at all: what
 * it calls tells of itself, and follows the place that the small function was called from.
 *
 *     void post(int value) { if (full()) flush(); }                    never entered: flush() tells of itself
 *     void flush(void) { MPI_Send(...); count = 0; }                   entered: each time an event
 *     int compare(...) { if (lost) MPI_Send(...); return a < b; }      entered late
 *     void step(void) { exchange(); compute(); }                       entered: two functions of which nothing is known
 *
 * With --detail=all decisions and loops that reach no event, and functions without a loop that reach none, have a probe
 * where what is done between two of them is enough work. 200 tokens are some 100 instructions (0.3 to 0.5 each in
 * SQLite and zlib, as gcc -O2 compiles them), 10 ns; a probe that is off, with the registers and the stack that the
 * code around it needs for it, is some five. So a program is to take some 5 % longer at most. The tokens that count are
 * those that control comes to, on an average way (way_through()): a turn of a loop that mostly ends with a `continue`
 * in its first lines is not much work, however long the rest is.
 */
#include "construct.h"
#include <limits.h>
#include <string.h>

#define SMALL_TOKENS 120u /* of the body, as it is spelled */
#define WORK_TOKENS 200   /* that pay for a probe */
#define UNKNOWN_ALWAYS 1u /* calls of functions that may be large, which are made each time */
#define UNKNOWN_AT_ALL 3u /* ... or on a condition */

static bool is_inside(const struct refrain_constructs *constructs, unsigned around, unsigned i) {
    return i > around && i < constructs->items[around].after;
}

/* Does control come back to a label by this goto? One that is computed may. */
static bool goes_back(const struct refrain_constructs *constructs, unsigned around, unsigned jump) {
    const char *name = constructs->items[jump].name;
    if (!name)
        return true;
    for (unsigned i = jump; is_inside(constructs, around, i); i--)
        if (constructs->items[i].kind == REFRAIN_LABEL && constructs->items[i].name &&
            strcmp(constructs->items[i].name, name) == 0)
            return true;
    return false;
}

/* Does what it is directly in decide whether control comes to it? */
static bool is_chosen(const struct refrain_constructs *constructs, unsigned i) {
    const struct refrain_construct *parent = &constructs->items[constructs->items[i].parent];
    if (parent->kind == REFRAIN_IF || parent->kind == REFRAIN_CONDITIONAL)
        return constructs->items[i].kind == REFRAIN_BLOCK;
    return parent->kind == REFRAIN_SWITCH ||
           ((parent->kind == REFRAIN_AND || parent->kind == REFRAIN_OR) && i >= parent->right);
}

static bool is_once(const struct refrain_construct *loop) { /* do { } while (0) */
    return loop->constant && loop->few;
}

struct way {
    double work; /* tokens that control comes to */
    double on;   /* how often it goes on behind what the way leads through */
};

/* An average way through a construct; through a loop, a turn of it. What a decision chooses is chosen half of the time,
 * and a loop inside makes two turns. A jump in a loop or switch is taken to lead behind it, and a label to be come to.
 */
static struct way way_through(const struct refrain_constructs *constructs, unsigned i) {
    const struct refrain_construct *construct = &constructs->items[i];
    struct way way = {0, 1};
    unsigned token = construct->first_token;
    for (unsigned child = i + 1; child < construct->after; child = constructs->items[child].after) {
        const struct refrain_construct *inside = &constructs->items[child];
        struct way through = way_through(constructs, child);
        double comes = is_chosen(constructs, child) ? 0.5 : 1;
        way.work += way.on * (inside->first_token > token ? inside->first_token - token : 0);
        way.work += way.on * comes * (refrain_is_loop(inside) && !is_once(inside) ? 2 : 1) * through.work;
        way.on *= 1 - comes * (1 - through.on);
        if (inside->kind == REFRAIN_LABEL)
            way.on = 1;
        if (inside->end_token > token)
            token = inside->end_token;
    }
    way.work += way.on * (construct->end_token > token ? construct->end_token - token : 0);
    if (construct->kind >= REFRAIN_BREAK && construct->kind <= REFRAIN_GOTO)
        way.on = 0;
    else if (refrain_is_loop(construct) || construct->kind == REFRAIN_SWITCH)
        way.on = 1;
    return way;
}

static bool is_little_work(const struct refrain_constructs *constructs, unsigned i) {
    return way_through(constructs, i).work <= WORK_TOKENS;
}

static bool is_small(const struct refrain_constructs *constructs, const struct refrain_function *function,
                     unsigned most_tokens) {
    if (function->construct == REFRAIN_NO_INDEX || function->left_alone || function->is_main ||
        function->n_tokens > most_tokens || constructs->calls_setjmp)
        return false;
    for (unsigned i = function->construct + 1; is_inside(constructs, function->construct, i); i++) {
        const struct refrain_construct *construct = &constructs->items[i];
        if ((refrain_is_loop(construct) && !is_once(construct)) ||
            (construct->kind == REFRAIN_GOTO && goes_back(constructs, function->construct, i)))
            return false;
    }
    return true;
}

void refrain_find_small(struct refrain_constructs *constructs) {
    for (size_t f = 0; f < constructs->n_functions; f++)
        constructs->functions[f].small = is_small(constructs, &constructs->functions[f], SMALL_TOKENS);
}

void refrain_find_leaves(struct refrain_constructs *constructs) {
    for (size_t f = 0; f < constructs->n_functions; f++) {
        struct refrain_function *function = &constructs->functions[f];
        if (!constructs->speaks_of_events || !function->reaches)
            function->small =
                is_small(constructs, function, UINT_MAX) && is_little_work(constructs, function->construct);
    }
}

/* The outermost construct within `around` that decides whether control comes to construct `i`; REFRAIN_NO_INDEX: it
 * always does. A return before it decides as well. */
static unsigned condition_of(const struct refrain_constructs *constructs, unsigned around, unsigned i) {
    unsigned outermost = REFRAIN_NO_INDEX;
    for (unsigned child = i; is_inside(constructs, around, child); child = constructs->items[child].parent) {
        unsigned up = constructs->items[child].parent;
        outermost = is_chosen(constructs, child) ? up : outermost;
    }
    for (unsigned before = around + 1; outermost == REFRAIN_NO_INDEX && before < i; before++)
        if ((constructs->items[before].kind == REFRAIN_RETURN || constructs->items[before].kind == REFRAIN_GOTO) &&
            constructs->items[before].after <= i)
            outermost = before;
    return outermost;
}

/* An MPI call or a user region. */
static bool is_event(const struct refrain_construct *construct) {
    return construct->callee == REFRAIN_NO_INDEX &&
           (construct->kind == REFRAIN_MPI_CALL || (construct->kind == REFRAIN_CALL && construct->name &&
                                                    strncmp(construct->name, "refrain_region_", 15) == 0));
}

static bool has_probe_of_own(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    return construct->kind == REFRAIN_MPI_CALL && !construct->shared &&
           (construct->placed || refrain_macro_around(constructs, construct) != REFRAIN_NO_INDEX);
}

/* What is inside a function or loop, as far as its weight depends on it. */
struct weight {
    unsigned always, at_all; /* calls of functions that may be large */
    unsigned condition;      /* of its own MPI calls */
    bool own;                /* it has such */
    bool each_time;          /* it comes to an event whenever it is called */
    bool scattered;          /* its MPI calls depend on several conditions, or one has no probe */
};

static struct weight weigh(const struct refrain_constructs *constructs, unsigned around) {
    struct weight weight = {0};
    for (unsigned i = around + 1; is_inside(constructs, around, i); i++) {
        const struct refrain_construct *construct = &constructs->items[i];
        if (!construct->interesting || (construct->kind != REFRAIN_CALL && construct->kind != REFRAIN_MPI_CALL))
            continue;
        unsigned condition = condition_of(constructs, around, i);
        bool always = condition == REFRAIN_NO_INDEX;
        if (is_event(construct)) {
            weight.each_time |= always;
            weight.scattered |=
                (weight.own && condition != weight.condition) || !has_probe_of_own(constructs, construct);
            weight.condition = condition;
            weight.own = true;
            continue;
        }
        const struct refrain_function *callee =
            construct->callee == REFRAIN_NO_INDEX ? NULL : &constructs->functions[construct->callee];
        weight.each_time |= always && callee && callee->each_time;
        if (callee ? callee->entry == REFRAIN_ENTERED : constructs->speaks_of_events) {
            weight.always += always;
            weight.at_all++;
        }
    }
    return weight;
}

static bool calls_much(const struct weight *weight) {
    return weight->always > UNKNOWN_ALWAYS || weight->at_all > UNKNOWN_AT_ALL;
}

/* Functions that come to an event each time do so through each other, and what a function weighs depends on what it
 * calls: all small ones are taken as light until what they call says otherwise. */
void refrain_weigh(struct refrain_constructs *constructs) {
    for (size_t f = 0; f < constructs->n_functions; f++)
        constructs->functions[f].entry = constructs->functions[f].small ? REFRAIN_NEVER_ENTERED : REFRAIN_ENTERED;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t f = constructs->n_functions; f-- > 0;) {
            struct refrain_function *function = &constructs->functions[f];
            if (function->construct == REFRAIN_NO_INDEX)
                continue;
            struct weight weight = weigh(constructs, function->construct);
            bool heavy = weight.each_time || weight.scattered || calls_much(&weight);
            enum refrain_entry_kind entry = !function->small || heavy ? REFRAIN_ENTERED
                                            : weight.own              ? REFRAIN_ENTERED_LATE
                                                                      : REFRAIN_NEVER_ENTERED;
            changed |= entry != function->entry || weight.each_time != function->each_time;
            function->entry = entry;
            function->each_time = weight.each_time;
        }
    }
}

/* ---- decisions and loops ---- */

/* A turn of the loop is too little work for probes of decisions in it. */
static bool is_light(const struct refrain_constructs *constructs, unsigned loop) {
    if (constructs->items[loop].certain || !is_little_work(constructs, loop))
        return false;
    for (unsigned i = loop + 1; is_inside(constructs, loop, i); i++)
        if (constructs->items[i].kind == REFRAIN_GOTO)
            return false;
    struct weight weight = weigh(constructs, loop);
    return !calls_much(&weight);
}

/* A loop costs what is around it two probes, its own and, since that counts no turns for itself then, that of its
 * turn: one that reaches no event is told where a turn of it pays for one of them, as it makes two or more. */
void refrain_find_light(struct refrain_constructs *constructs) {
    for (unsigned i = 0; i < constructs->count; i++) {
        struct refrain_construct *construct = &constructs->items[i];
        unsigned around = refrain_loop_around(constructs, construct);
        if (refrain_is_loop(construct))
            construct->left_out = !construct->holds && is_little_work(constructs, i) &&
                                  (around != REFRAIN_NO_INDEX ||
                                   is_little_work(constructs, constructs->functions[construct->function].construct));
        else if (construct->kind >= REFRAIN_IF && construct->kind <= REFRAIN_SWITCH)
            construct->left_out = around != REFRAIN_NO_INDEX && !construct->certain && is_light(constructs, around);
    }
}
