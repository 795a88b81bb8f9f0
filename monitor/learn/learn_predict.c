/* learn_predict.c: moves the prediction in a loop of items (learn_predict.h). */
#define _GNU_SOURCE
#include "learn_predict.h"
#include "learn_expect.h"
#include "learn_formula.h"
#include "run/pool.h"
#include <refrain/trace.h>

void refrain_predict_from(struct refrain_learner *learner, struct refrain_formula *formula, unsigned item,
                          uint64_t done, uint64_t limit) {
    const struct refrain_item *loop = &refrain_formula_items(formula)[item];
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        formula->loops[h].counter = 0;
    struct refrain_open_loop *within = &formula->loops[loop->height];
    within->counter = done;
    within->limit = limit;
    within->item = item;
    within->outer = REFRAIN_LOOP_HEIGHTS;
    formula->innermost = loop->height;
    formula->position = (uint8_t)(item + 1);
    learner->until = learner->confirmed;
}

/* Predicts the value at `position`, which is in the loop at `height`. */
static inline void predict_value(struct refrain_learner *learner, struct refrain_formula *formula, unsigned height,
                                 unsigned position) {
    const struct refrain_item *items = refrain_formula_items(formula), *item = &items[position];
    struct refrain_open_loop *within = &formula->loops[height];
    learner->expect = refrain_value_in_loops(formula, item, height);
    if (items[within->item].span == 2) { /* a loop over one value: predicts all its iterations */
        learner->stride = item->stride[height];
        refrain_learn_promise(learner, within->limit - within->counter);
        within->counter = within->limit - 1;
    } else {
        learner->stride = 0;
        refrain_learn_promise(learner, 1);
    }
    formula->position = (uint8_t)(position + 1);
    formula->innermost = (uint8_t)height;
}

/* The prediction enters the loop at `position`. Returns its height. */
static inline unsigned begin_loop(struct refrain_formula *formula, const struct refrain_item *loop, unsigned position,
                                  unsigned outer, int64_t iterations) {
    formula->loops[loop->height] =
        (struct refrain_open_loop){.limit = (uint64_t)iterations, .item = position, .outer = outer};
    return loop->height;
}

bool refrain_predict_next(struct refrain_learner *learner, struct refrain_formula *formula) {
    const struct refrain_item *items = refrain_formula_items(formula);
    unsigned height = formula->innermost, position = formula->position;
    bool fruitless = false;
    for (;;) {
        struct refrain_open_loop *within = &formula->loops[height];
        const struct refrain_item *loop = &items[within->item];
        if (position == within->item + loop->span) {
            within->counter++;
            if (within->counter < within->limit) {
                position = within->item + 1;
                if (within->outer == REFRAIN_LOOP_HEIGHTS) {
                    if (fruitless)
                        break;
                    fruitless = true;
                }
            } else if (within->outer == REFRAIN_LOOP_HEIGHTS) {
                break;
            } else {
                within->counter = 0;
                height = within->outer;
            }
            continue;
        }
        const struct refrain_item *item = &items[position];
        if (item->kind == REFRAIN_ITEM_LOOP) {
            int64_t iterations = refrain_value_in_loops(formula, item, height);
            if (iterations <= 0) {
                position += item->span;
                continue;
            }
            height = begin_loop(formula, item, position++, height, iterations);
            continue;
        }
        predict_value(learner, formula, height, position);
        return true;
    }
    formula->position = (uint8_t)position;
    formula->innermost = (uint8_t)height;
    learner->until = learner->confirmed;
    return false;
}

_Static_assert(sizeof(struct refrain_item) % REFRAIN_ALIGNMENT_BYTES == 0, "items have references");
#define ITEM_ALIGNMENT_UNITS (sizeof(struct refrain_item) / REFRAIN_ALIGNMENT_BYTES)

/* Predicts the next value of a loop of constant values. On the last item of the body, `back` is the span of the whole
 * loop: after it comes the first item behind the loop's head. */
static inline void predict_in_cycle(struct refrain_learner *learner) {
    const struct refrain_item *item = refrain_at_reference(learner->next_item);
    learner->expect = item->base;
    refrain_learn_promise(learner, 1);
    learner->next_item +=
        (uint32_t)(item->back ? (2 - item->back) * (int)ITEM_ALIGNMENT_UNITS : (int)ITEM_ALIGNMENT_UNITS);
}

void refrain_predict_cycle(struct refrain_learner *learner, const struct refrain_item *loop) {
    learner->next_item = 0;
    if (loop->span == 2)
        return;
    for (unsigned i = 1; i < loop->span; i++)
        if (loop[i].kind != REFRAIN_ITEM_VALUE || loop[i].stride[loop->height] != 0)
            return;
    learner->next_item = refrain_reference(&loop[1]);
    learner->stride = 0;
}

void refrain_predict_cycle_end(struct refrain_learner *learner, struct refrain_formula *formula,
                               const struct refrain_item *loop) {
    unsigned values = loop->span - 1u, first = (unsigned)(loop - refrain_formula_items(formula)) + 1;
    if (!learner->next_item)
        return;
    formula->loops[loop->height].counter = (uint64_t)loop->base + learner->confirmed / values;
    formula->position = (uint8_t)(first + learner->confirmed % values + (refrain_learn_left(learner) > 0));
    learner->next_item = 0;
}

void refrain_predict_ahead(struct refrain_learner *learner) {
    if (learner->state == REFRAIN_PREDICT)
        refrain_predict_more(learner, refrain_at_reference(learner->body));
}

bool refrain_predict_more(struct refrain_learner *learner, struct refrain_formula *formula) {
    if (!learner->next_item)
        return refrain_predict_next(learner, formula);
    predict_in_cycle(learner);
    return true;
}
