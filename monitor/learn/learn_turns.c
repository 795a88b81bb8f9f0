/* learn_turns.c: see learn_turns.h. */
#define _GNU_SOURCE
#include "learn_turns.h"
#include "learn_expect.h"
#include "learn_formula.h"
#include "learn_predict.h"

/* A part of a loop's body: a value, or a run of them. */
struct part {
    const struct refrain_item *value;
    unsigned item;   /* the part's own */
    unsigned height; /* of the run; of a value, that of the loop around it */
    unsigned span;   /* items */
    uint64_t n;      /* values */
};

/* The part at `item` of the body of a loop at `height`. False where it is something else, or is not the same in all
 * iterations. */
static inline bool part_at(struct refrain_formula *formula, unsigned height, unsigned item, struct part *part) {
    const struct refrain_item *at = &refrain_formula_items(formula)[item];
    *part = (struct part){.value = at, .item = item, .height = height, .span = 1, .n = 1};
    if (at->kind == REFRAIN_ITEM_LOOP && at->span == 2 && at->stride[height] == 0) {
        int64_t iterations = refrain_value_in_loops(formula, at, height);
        part->value = at + 1;
        part->height = at->height;
        part->span = 2;
        part->n = iterations > 0 ? (uint64_t)iterations : 0;
    }
    return part->value->kind == REFRAIN_ITEM_VALUE && part->value->stride[height] == 0;
}

/* Values of an iteration of the loop at `loop`; 0 where they are not such, or more than `most`. */
static unsigned values_of(struct refrain_formula *formula, unsigned loop, unsigned most) {
    const struct refrain_item *items = refrain_formula_items(formula);
    struct part part;
    uint64_t n = 0;
    for (unsigned i = loop + 1; i < loop + items[loop].span; i += part.span) {
        if (!part_at(formula, items[loop].height, i, &part) || part.n > most)
            return 0;
        n += part.n;
    }
    return n > most ? 0 : (unsigned)n;
}

/* How many values of the loop's iteration came before where the prediction is, which `left` more are predicted of. */
static unsigned values_before(struct refrain_formula *formula, unsigned loop, uint64_t left) {
    unsigned height = refrain_formula_items(formula)[loop].height, position = formula->position;
    struct part part;
    uint64_t n = 0;
    for (unsigned i = loop + 1; i < position; i += part.span) {
        part_at(formula, height, i, &part);
        bool is_in = formula->innermost != height && position <= i + part.span;
        /* The counter of a run that is predicted is at its end. */
        n += is_in && position == i + 1 ? formula->loops[part.height].counter : part.n;
    }
    return (unsigned)(n - left);
}

/* The prediction is before value n of the iteration; behind the last, which ends it, with the last one's number + 1. */
static void go_to(struct refrain_learner *learner, struct refrain_formula *formula, unsigned loop, uint64_t n) {
    unsigned height = refrain_formula_items(formula)[loop].height, i = loop + 1;
    struct part part;
    formula->innermost = (uint8_t)height;
    learner->until = learner->confirmed;
    for (; n > 0; i += part.span) {
        part_at(formula, height, i, &part);
        if (n < part.n) {
            formula->loops[part.height] =
                (struct refrain_open_loop){.counter = n, .limit = part.n, .item = i, .outer = height};
            formula->innermost = (uint8_t)part.height;
            i++;
            break;
        }
        n -= part.n;
    }
    formula->position = (uint8_t)i;
}

/* The loop in whose iterations values take turns, if they do: a run is a part of it. */
static struct refrain_open_loop *loop_of(struct refrain_formula *formula) {
    struct refrain_open_loop *within = &formula->loops[formula->innermost];
    bool is_run = refrain_formula_items(formula)[within->item].span == 2;
    return is_run && within->outer != REFRAIN_LOOP_HEIGHTS ? &formula->loops[within->outer] : within;
}

bool refrain_turns_find(const struct refrain_learner *learner, unsigned most, struct refrain_turns *turns) {
    uint64_t left = refrain_learn_left(learner);
    if (learner->state != REFRAIN_PREDICT || left > most)
        return false;
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    const struct refrain_open_loop *loop = loop_of(formula);
    unsigned n = values_of(formula, loop->item, most);
    if (n < 2)
        return false;
    unsigned next = values_before(formula, loop->item, left);
    uint64_t iterations = loop->limit - loop->counter;
    if (iterations > UINT32_MAX)
        iterations = UINT32_MAX;
    *turns = (struct refrain_turns){formula, loop->item, n, next % n, iterations * n - next};
    return true;
}

int64_t refrain_turns_value(const struct refrain_turns *turns, unsigned i) {
    struct refrain_formula *formula = (struct refrain_formula *)turns->formula;
    unsigned height = refrain_formula_items(formula)[turns->loop].height, item = turns->loop + 1;
    uint64_t n = (turns->next + i) % turns->n;
    struct part part;
    while (part_at(formula, height, item, &part) && n >= part.n) {
        n -= part.n;
        item += part.span;
    }
    uint64_t value = (uint64_t)refrain_value_in_loops(formula, part.value, height);
    return (int64_t)(part.span == 1 ? value : value + n * (uint64_t)part.value->stride[part.height]);
}

void refrain_turns_hold(struct refrain_learner *learner) {
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    unsigned loop = loop_of(formula)->item;
    go_to(learner, formula, loop, values_before(formula, loop, refrain_learn_left(learner)));
}

void refrain_turns_pass(struct refrain_learner *learner, uint64_t n) {
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_open_loop *loop = loop_of(formula);
    unsigned values = values_of(formula, loop->item, UINT32_MAX);
    uint64_t now = values_before(formula, loop->item, 0) + n, whole = now ? (now - 1) / values : 0;
    loop->counter += whole; /* the last iteration ends when the next value is looked for */
    go_to(learner, formula, loop->item, now - whole * values);
    refrain_predict_ahead(learner);
}
