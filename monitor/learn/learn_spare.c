/* learn_spare.c: lists of formulas that were replaced, one for each size (learn_spare.h). The first word of such a
 * formula is the reference of the next one in the list. */
#include "learn_spare.h"
#include "arch/arch.h"
#include "context.h"
#include "learn_formula.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define LEAST_SHIFT 2u /* formulas have room for 4, 8, 16 ... items */

/* The list of the largest formulas with at most `items` items. */
static unsigned list_within(unsigned items) {
    return 31u - (unsigned)__builtin_clz(items) - LEAST_SHIFT;
}

/* The list of the smallest formulas with room for `items` items. */
static unsigned list_for(unsigned items) {
    unsigned list = list_within(items);
    return 1u << (list + LEAST_SHIFT) < items ? list + 1 : list;
}

static void add(struct refrain_context *context, uint32_t reference) {
    struct refrain_formula *formula = refrain_at_reference(reference);
    unsigned list = list_within(formula->capacity);
    if (list >= REFRAIN_SPARE_SIZES)
        return;
    memcpy(formula, &context->spare_formulas[list], sizeof *context->spare_formulas);
    context->spare_formulas[list] = reference;
}

/* Takes the first formula of the list at a higher reference than `behind`, zeroed. Null if there is none. */
static void *room_from(struct refrain_context *context, unsigned list, uint32_t behind) {
    void *before = &context->spare_formulas[list];
    uint32_t at = context->spare_formulas[list];
    for (; at && at <= behind; memcpy(&at, before, sizeof at))
        before = refrain_at_reference(at);
    if (!at)
        return NULL;
    void *room = refrain_at_reference(at);
    memcpy(before, room, sizeof at);
    __atomic_fetch_add(&refrain_trace_file.header->formulas_reused, 1, __ATOMIC_RELAXED);
    refrain_commit();
    memset(room, 0, refrain_formula_bytes(1u << (list + LEAST_SHIFT)));
    return room;
}

static struct refrain_formula *take_from(struct refrain_context *context, unsigned list) {
    struct refrain_formula *formula = room_from(context, list, 0);
    if (formula)
        formula->capacity = (uint8_t)(1u << (list + LEAST_SHIFT));
    return formula;
}

/* Takes memory of the pool first. A reader of the running process may still see a learner with the formula that it has
 * left. If another learner writes there meanwhile, the reader has to begin again (formulas_reused). */
struct refrain_formula *refrain_spare_take(struct refrain_context *context, unsigned items, enum refrain_pool_use use) {
    struct refrain_formula *formula = refrain_pool_take(refrain_formula_bytes(items), use);
    if (formula)
        formula->capacity = (uint8_t)items;
    for (unsigned list = list_for(items);
         !formula && list < REFRAIN_SPARE_SIZES && 1u << (list + LEAST_SHIFT) <= context->formula_length; list++)
        formula = take_from(context, list);
    return formula;
}

/* True if the list has more than `n` formulas. */
static bool has_more_than(const struct refrain_context *context, unsigned list, unsigned n) {
    uint32_t at = context->spare_formulas[list];
    for (unsigned passed = 0; at && passed < n; passed++)
        memcpy(&at, refrain_at_reference(at), sizeof at);
    return at != 0;
}

void *refrain_spare_take_bytes(struct refrain_context *context, size_t least, uint32_t behind, unsigned left,
                               size_t *bytes) {
    for (unsigned list = 0; list < REFRAIN_SPARE_SIZES; list++) {
        *bytes = refrain_formula_bytes(1u << (list + LEAST_SHIFT));
        bool fits = *bytes >= least && has_more_than(context, list, left);
        void *room = fits ? room_from(context, list, behind) : NULL;
        if (room)
            return room;
    }
    return NULL;
}

/* ---- formulas that were replaced ---- */

void refrain_spare_give(struct refrain_context *context, struct refrain_formula *formula) {
    uint32_t reference = refrain_reference(formula);
    if (context->journal->before.body == reference)
        context->waiting_formula = reference;
    else
        add(context, reference);
}

void refrain_spare_settle(struct refrain_context *context, bool undone) {
    if (context->waiting_formula && !undone)
        add(context, context->waiting_formula);
    context->waiting_formula = 0;
}
