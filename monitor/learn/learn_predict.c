/* learn_predict.c: the prediction in a loop of items (learn_predict.h). */
#define _GNU_SOURCE
#include "learn_predict.h"
#include "learn_expect.h"
#include "learn_formula.h"

/* In the loops that are open from the one at `height` outwards: the counters of all others are 0. */
static inline int64_t value_in_loops(const struct refrain_formula *formula, const struct refrain_item *item,
                                     unsigned height) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = height; h != REFRAIN_LOOP_HEIGHTS; h = formula->loops[h].outer)
        value += (uint64_t)item->stride[h] * formula->loops[h].counter;
    return (int64_t)value;
}

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
        int64_t value = value_in_loops(formula, item, height);
        if (item->kind == REFRAIN_ITEM_LOOP) {
            if (value <= 0) {
                position += item->span;
                continue;
            }
            struct refrain_open_loop *inner = &formula->loops[item->height];
            inner->counter = 0;
            inner->limit = (uint64_t)value;
            inner->item = position;
            inner->outer = height;
            height = item->height;
            position++;
            continue;
        }
        learner->expect = value;
        if (loop->span == 2) { /* a run: the loop is left when it is used up */
            learner->stride = item->stride[loop->height];
            refrain_learn_promise(learner, within->limit - within->counter);
            within->counter = within->limit - 1;
        } else {
            learner->stride = 0;
            refrain_learn_promise(learner, 1);
        }
        formula->position = (uint8_t)(position + 1);
        formula->innermost = (uint8_t)height;
        return true;
    }
    formula->position = (uint8_t)position;
    formula->innermost = (uint8_t)height;
    learner->until = learner->confirmed;
    return false;
}
