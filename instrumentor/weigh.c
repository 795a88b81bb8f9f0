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
 * The same holds for a turn of a loop. A loop is light if a turn does as little as a small function: then decisions in
 * it have no probe. One of a few dozen instructions at most is tiny: the loop or the small function around it tells as
 * much.
 */
#include "construct.h"
#include <string.h>

#define SMALL_TOKENS 120u /* of the body, as it is spelled */
#define LEAF_TOKENS 360u  /* of the body of a function that reaches no event */
#define TINY_TOKENS 60u   /* of a loop */
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

static bool is_small(const struct refrain_constructs *constructs, const struct refrain_function *function,
                     unsigned most_tokens) {
    if (function->construct == REFRAIN_NO_INDEX || function->left_alone || function->is_main ||
        function->n_tokens > most_tokens || constructs->calls_setjmp)
        return false;
    for (unsigned i = function->construct + 1; is_inside(constructs, function->construct, i); i++) {
        const struct refrain_construct *construct = &constructs->items[i];
        bool once = construct->constant && construct->few; /* do { } while (0) */
        if ((refrain_is_loop(construct) && !once) ||
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
    for (size_t f = 0; f < constructs->n_functions; f++)
        if (!constructs->speaks_of_events || !constructs->functions[f].reaches)
            constructs->functions[f].small = is_small(constructs, &constructs->functions[f], LEAF_TOKENS);
}

/* The outermost construct within `around` that decides whether control comes to construct `i`; REFRAIN_NO_INDEX: it
 * always does. A return before it decides as well. */
static unsigned condition_of(const struct refrain_constructs *constructs, unsigned around, unsigned i) {
    unsigned outermost = REFRAIN_NO_INDEX;
    for (unsigned child = i; is_inside(constructs, around, child); child = constructs->items[child].parent) {
        unsigned up = constructs->items[child].parent;
        const struct refrain_construct *parent = &constructs->items[up];
        bool chosen = (parent->kind == REFRAIN_IF || parent->kind == REFRAIN_CONDITIONAL)
                          ? constructs->items[child].kind == REFRAIN_BLOCK
                          : parent->kind == REFRAIN_SWITCH ||
                                ((parent->kind == REFRAIN_AND || parent->kind == REFRAIN_OR) && child >= parent->right);
        outermost = chosen ? up : outermost;
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

/* A turn of it costs no more than its probe. */
static bool is_tiny(const struct refrain_construct *loop) {
    return !loop->holds && loop->n_tokens <= TINY_TOKENS;
}

/* A turn of the loop is as little as an activation of a small function. */
static bool is_light(const struct refrain_constructs *constructs, unsigned loop) {
    const struct refrain_construct *construct = &constructs->items[loop];
    if (construct->certain || construct->n_tokens > SMALL_TOKENS)
        return false;
    for (unsigned i = loop + 1; is_inside(constructs, loop, i); i++)
        if (constructs->items[i].kind == REFRAIN_GOTO ||
            (refrain_is_loop(&constructs->items[i]) && !constructs->items[i].few && !is_tiny(&constructs->items[i])))
            return false;
    struct weight weight = weigh(constructs, loop);
    return !calls_much(&weight);
}

void refrain_find_light(struct refrain_constructs *constructs) {
    for (unsigned i = 0; i < constructs->count; i++) {
        struct refrain_construct *construct = &constructs->items[i];
        unsigned around = refrain_loop_around(constructs, construct);
        if (refrain_is_loop(construct))
            construct->left_out =
                is_tiny(construct) &&
                (around != REFRAIN_NO_INDEX || constructs->functions[construct->function].n_tokens <= SMALL_TOKENS);
        else if (construct->kind >= REFRAIN_IF && construct->kind <= REFRAIN_SWITCH)
            construct->left_out = around != REFRAIN_NO_INDEX && !construct->certain && is_light(constructs, around);
    }
}
