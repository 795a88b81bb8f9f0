/* weigh.c: estimates work: when a function is entered in the trace, and which decisions and loops get a probe with
 * --detail=all (construct.h).
 *
 * Even a disabled probe prevents optimisations. A function with a leave probe makes no tail call, is not turned into
 * a loop, and is inlined less often. Beside an MPI call or a loop this costs nothing. But in a function of ten
 * instructions that leads to an event once in a million calls, it costs a third of the time. So a small function,
 * which has no loop and does little but call, is entered at its call only if each call leads to an event. Otherwise
 * it is entered late, at the first of its own MPI calls. If it has no MPI calls it is never entered: the functions
 * that it calls have probes of their own, and seem to be called from the place that called the small function.
 *
 *     void post(int value) { if (full()) flush(); }                    never entered: flush() has its own probes
 *     void flush(void) { MPI_Send(...); count = 0; }                   entered: each call is an event
 *     int compare(...) { if (lost) MPI_Send(...); return a < b; }      entered late
 *     void step(void) { exchange(); compute(); }                       entered: nothing is known of its two callees
 *
 * With --detail=all, decisions, loops and loop-free functions without events get a probe if there is enough work
 * between two probes. 200 tokens are some 100 instructions (0.3 to 0.5 per token in SQLite and zlib, compiled by gcc
 * -O2), about 10 ns. A disabled probe costs about five instructions, including the registers and stack that it needs
 * in the code around it. So a program should take at most some 5 % longer. Tokens are counted along an average path
 * (average_path()): if an iteration mostly ends with a `continue` in its first lines, it is little work, however
 * long the rest of the loop body is. */
#include "construct.h"
#include <limits.h>
#include <string.h>

#define SMALL_TOKENS 120u /* of the body, as it is spelled */
#define WORK_TOKENS 200   /* enough to pay for a probe */
#define UNKNOWN_ALWAYS 1u /* calls of possibly large functions that are always made */
#define UNKNOWN_AT_ALL 3u /* calls of possibly large functions in all, conditional ones included */

static bool is_inside(const struct refrain_constructs *constructs, unsigned around, unsigned i) {
    return i > around && i < constructs->items[around].after;
}

/* True if this goto may jump back to a label. A computed goto may. */
static bool jumps_back(const struct refrain_constructs *constructs, unsigned around, unsigned jump) {
    const char *name = constructs->items[jump].name;
    if (!name)
        return true;
    for (unsigned i = jump; is_inside(constructs, around, i); i--)
        if (constructs->items[i].kind == REFRAIN_LABEL && constructs->items[i].name &&
            strcmp(constructs->items[i].name, name) == 0)
            return true;
    return false;
}

/* True if the construct around it decides whether it is executed. */
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

struct path {
    double work;      /* tokens that are executed */
    double continues; /* probability that control continues after the construct */
};

/* An average path through a construct; for a loop, through one iteration. Each branch of a decision is taken half of
 * the time, and an inner loop makes two iterations. A jump in a loop or switch leads to the code after it, and every
 * label is reached. */
static struct path average_path(const struct refrain_constructs *constructs, unsigned i) {
    const struct refrain_construct *construct = &constructs->items[i];
    struct path path = {0, 1};
    unsigned token = construct->first_token;
    for (unsigned child = i + 1; child < construct->after; child = constructs->items[child].after) {
        const struct refrain_construct *inside = &constructs->items[child];
        struct path through = average_path(constructs, child);
        double probability = is_chosen(constructs, child) ? 0.5 : 1;
        path.work += path.continues * (inside->first_token > token ? inside->first_token - token : 0);
        path.work +=
            path.continues * probability * (refrain_is_loop(inside) && !is_once(inside) ? 2 : 1) * through.work;
        path.continues *= 1 - probability * (1 - through.continues);
        if (inside->kind == REFRAIN_LABEL)
            path.continues = 1;
        if (inside->end_token > token)
            token = inside->end_token;
    }
    path.work += path.continues * (construct->end_token > token ? construct->end_token - token : 0);
    if (construct->kind >= REFRAIN_BREAK && construct->kind <= REFRAIN_GOTO)
        path.continues = 0;
    else if (refrain_is_loop(construct) || construct->kind == REFRAIN_SWITCH)
        path.continues = 1;
    return path;
}

static bool is_little_work(const struct refrain_constructs *constructs, unsigned i) {
    return average_path(constructs, i).work <= WORK_TOKENS;
}

static bool is_small(const struct refrain_constructs *constructs, const struct refrain_function *function,
                     unsigned most_tokens) {
    if (function->construct == REFRAIN_NO_INDEX || function->left_alone || function->is_main ||
        function->n_tokens > most_tokens || constructs->calls_setjmp)
        return false;
    for (unsigned i = function->construct + 1; is_inside(constructs, function->construct, i); i++) {
        const struct refrain_construct *construct = &constructs->items[i];
        if ((refrain_is_loop(construct) && !is_once(construct)) ||
            (construct->kind == REFRAIN_GOTO && jumps_back(constructs, function->construct, i)))
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

/* The outermost construct within `around` that decides whether construct `i` is executed; REFRAIN_NO_INDEX: it
 * always is. An earlier return decides this, too. */
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

/* True for an MPI call or a user region. */
static bool is_event(const struct refrain_construct *construct) {
    return construct->callee == REFRAIN_NO_INDEX &&
           (construct->kind == REFRAIN_MPI_CALL || (construct->kind == REFRAIN_CALL && construct->name &&
                                                    strncmp(construct->name, "refrain_region_", 15) == 0));
}

static bool has_probe_of_own(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    return construct->kind == REFRAIN_MPI_CALL && !construct->shared &&
           (construct->placed || refrain_macro_around(constructs, construct) != REFRAIN_NO_INDEX);
}

/* Contents of a function or loop that determine its weight. */
struct weight {
    unsigned always, at_all; /* calls of possibly large functions: always made; in all */
    unsigned condition;      /* of its own MPI calls */
    bool own;                /* it has MPI calls of its own */
    bool each_time;          /* each call leads to an event */
    bool scattered;          /* its MPI calls depend on several conditions, or one of them has no probe */
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

/* Whether each call leads to an event, and the weight of a function, depend on its callees. So all small functions
 * begin as light, until their callees show otherwise. */
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

/* True if an iteration of the loop is too little work for probes of decisions in it. */
static bool is_light(const struct refrain_constructs *constructs, unsigned loop) {
    if (constructs->items[loop].certain || !is_little_work(constructs, loop))
        return false;
    for (unsigned i = loop + 1; is_inside(constructs, loop, i); i++)
        if (constructs->items[i].kind == REFRAIN_GOTO)
            return false;
    struct weight weight = weigh(constructs, loop);
    return !calls_much(&weight);
}

/* A loop costs its surroundings two probes: its own, and the one per iteration, because the outer loop can then not
 * use a counter. So a loop without events gets a probe if one iteration pays for one probe, as it makes two or more
 * iterations. */
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
