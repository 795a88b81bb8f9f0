/* walk_contexts.c: contexts and spots, counted and fitted (walk_contexts.h). */
#include "times/walk_contexts.h"
#include "common/arena.h"
#include "common/array.h"

#include <string.h>

#define MOST_CONTEXTS 8192u
#define MOST_SPOTS 65536u

/* ---- counting ---- */

void refrain_walk_contexts_open(struct refrain_walk_contexts *all) {
    *all = (struct refrain_walk_contexts){0};
    all->incomplete = !REFRAIN_ARENA_ROOM(all->contexts, all->n_contexts, all->capacity_contexts) ||
                      !REFRAIN_ARENA_ROOM(all->spots, all->n_spots, all->capacity_spots) ||
                      !REFRAIN_ARENA_ROOM(all->kinds, all->n_kinds, all->capacity_kinds);
    if (all->incomplete)
        return;
    all->contexts[0] = (struct refrain_walk_context){0};
    all->spots[0] = (struct refrain_walk_spot){0};
    all->kinds[0] = (struct refrain_walk_kind){.loose = true}; /* the thread's */
    all->n_contexts = all->n_spots = all->n_kinds = 1;
}

uint32_t refrain_walk_contexts_spot(struct refrain_walk_contexts *all, uint32_t context, uint64_t offset) {
    if (all->incomplete)
        return 0;
    uint32_t number = (uint32_t)refrain_table_number(&all->table, context, offset);
    if (number || all->counted)
        return number;
    number = (uint32_t)all->n_spots;
    if (number == MOST_SPOTS || !REFRAIN_ARENA_ROOM(all->spots, all->n_spots, all->capacity_spots) ||
        !refrain_table_put(&all->table, context, offset, number)) {
        all->incomplete = true;
        return 0;
    }
    all->spots[all->n_spots++] = (struct refrain_walk_spot){.offset = offset, .context = context, .factor = 1};
    return number;
}

uint32_t refrain_walk_contexts_inner(const struct refrain_walk_contexts *all, uint32_t context, uint64_t offset) {
    return all->incomplete ? 0 : all->spots[refrain_table_number(&all->table, context, offset)].inner;
}

/* The number of the kind that begins at that place; 0 without memory. */
static uint32_t kind_of(struct refrain_walk_contexts *all, uint64_t offset, uint64_t total_ticks) {
    for (uint32_t i = 1; i < all->n_kinds; i++)
        if (all->kinds[i].offset == offset)
            return i;
    if (!REFRAIN_ARENA_ROOM(all->kinds, all->n_kinds, all->capacity_kinds)) {
        all->incomplete = true;
        return 0;
    }
    all->kinds[all->n_kinds] = (struct refrain_walk_kind){.offset = offset, .total_ticks = total_ticks};
    return (uint32_t)all->n_kinds++;
}

uint32_t refrain_walk_contexts_enter(struct refrain_walk_contexts *all, uint32_t context, uint64_t offset,
                                     uint64_t total_ticks) {
    uint32_t spot = refrain_walk_contexts_spot(all, context, offset);
    if (spot == 0 || all->spots[spot].inner || all->counted)
        return spot && all->spots[spot].inner ? all->spots[spot].inner : context;
    uint32_t kind = kind_of(all, offset, total_ticks);
    if (kind == 0 || all->n_contexts == MOST_CONTEXTS ||
        !REFRAIN_ARENA_ROOM(all->contexts, all->n_contexts, all->capacity_contexts)) {
        all->kinds[kind].loose = true; /* it is part of the one around it from here on */
        return context;
    }
    all->contexts[all->n_contexts] = (struct refrain_walk_context){.parent = context, .kind = kind};
    return all->spots[spot].inner = (uint32_t)all->n_contexts++;
}

void refrain_walk_contexts_end(struct refrain_walk_contexts *all, uint32_t context) {
    for (; context < all->n_contexts && context > 0; context = all->contexts[context].parent)
        all->kinds[all->contexts[context].kind].loose = true;
}

void refrain_walk_contexts_place(struct refrain_walk_contexts *all, uint64_t offset, int64_t ticks) {
    size_t n = all->n_places;
    if (n == 0 || all->places[n - 1].offset != offset) {
        if (!REFRAIN_ARENA_ROOM(all->places, all->n_places, all->capacity_places)) {
            all->incomplete = true;
            return;
        }
        all->places[all->n_places++] = (struct refrain_walk_spots_place){.offset = offset};
    }
    all->places[all->n_places - 1].ticks += ticks;
}

/* ---- the fit ---- */

#define FIRST_ROUNDS 1000u
#define ROUNDS 16u        /* from factors that were fitted before */
#define CLOSE_ENOUGH 1e-7 /* by which a total may differ */
#define MOST_CHANGE 4.0   /* of what is expected within a function, in one round */
#define MOST_FACTOR 64.0

/* What places and functions have left to share. */
static void find_left(struct refrain_walk_contexts *all) {
    for (size_t i = 0; i < all->n_places; i++) {
        all->places[i].mean_left = (double)all->places[i].ticks;
        all->places[i].visits = 0;
    }
    for (size_t i = 0; i < all->n_kinds; i++)
        all->kinds[i].left_ticks = (double)all->kinds[i].total_ticks;
    for (size_t i = 0; i < all->n_contexts; i++)
        all->contexts[i].sum = (double)all->contexts[i].told_ticks;
    for (size_t i = 1; i < all->n_spots; i++) {
        const struct refrain_walk_spot *spot = &all->spots[i];
        all->contexts[spot->context].sum += (double)spot->ticks;
        all->places[spot->place].mean_left -= (double)spot->ticks;
        all->places[spot->place].visits += (double)spot->visits;
    }
    for (size_t i = all->n_contexts; i-- > 1;) {
        const struct refrain_walk_context *context = &all->contexts[i];
        all->contexts[context->parent].sum += context->sum;
        all->kinds[context->kind].left_ticks -= context->sum;
    }
    for (size_t i = 0; i < all->n_places; i++) {
        struct refrain_walk_spots_place *place = &all->places[i];
        place->mean_left = place->visits > 0 && place->mean_left > 0 ? place->mean_left / place->visits : 0;
    }
}

/* What is expected within each function, by the factors as they are. */
static void expect(struct refrain_walk_contexts *all) {
    for (size_t i = 0; i < all->n_kinds; i++)
        all->kinds[i].expected = 0;
    for (size_t i = 0; i < all->n_contexts; i++)
        all->contexts[i].sum = 0;
    for (size_t i = 1; i < all->n_spots; i++) {
        const struct refrain_walk_spot *spot = &all->spots[i];
        all->contexts[spot->context].sum += (double)spot->visits * spot->factor * all->places[spot->place].mean_left;
    }
    for (size_t i = all->n_contexts; i-- > 1;) {
        const struct refrain_walk_context *context = &all->contexts[i];
        all->contexts[context->parent].sum += context->sum;
        all->kinds[context->kind].expected += context->sum;
    }
}

/* By what all that is expected within a function is too little. */
static double missing(const struct refrain_walk_kind *kind) {
    if (kind->loose || kind->expected <= 0)
        return 1;
    double ratio = kind->left_ticks / kind->expected;
    return ratio < 1 / MOST_CHANGE ? 1 / MOST_CHANGE : ratio > MOST_CHANGE ? MOST_CHANGE : ratio;
}

/* One round: functions to their totals, of those around a spot the mean, as all may tell of the same; then places to
 * theirs. Returns the most that was missing. */
static double come_closer(struct refrain_walk_contexts *all) {
    double most = 0;
    expect(all);
    for (size_t i = 1; i < all->n_contexts; i++) {
        struct refrain_walk_context *context = &all->contexts[i];
        const struct refrain_walk_context *parent = &all->contexts[context->parent];
        double change = missing(&all->kinds[context->kind]);
        double off = change > 1 ? change - 1 : 1 - change;
        bool changes = off > CLOSE_ENOUGH;
        context->changes = parent->changes + (changes ? change : 0);
        context->n_changes = parent->n_changes + changes;
        most = off > most ? off : most;
    }
    for (size_t i = 0; i < all->n_places; i++)
        all->places[i].weight = 0;
    for (size_t i = 1; i < all->n_spots; i++) {
        struct refrain_walk_spot *spot = &all->spots[i];
        const struct refrain_walk_context *context = &all->contexts[spot->context];
        double factor = spot->factor * (context->n_changes ? context->changes / context->n_changes : 1);
        spot->factor = factor < 1 / MOST_FACTOR ? 1 / MOST_FACTOR : factor > MOST_FACTOR ? MOST_FACTOR : factor;
        all->places[spot->place].weight += (double)spot->visits * spot->factor;
    }
    for (size_t i = 1; i < all->n_spots; i++) {
        struct refrain_walk_spot *spot = &all->spots[i];
        const struct refrain_walk_spots_place *place = &all->places[spot->place];
        if (spot->visits > 0 && place->weight > 0)
            spot->factor *= place->visits / place->weight;
    }
    return most;
}

static void fit(struct refrain_walk_contexts *all, unsigned rounds) {
    find_left(all);
    for (unsigned i = 0; i < rounds && come_closer(all) > CLOSE_ENOUGH; i++)
        continue;
    uint64_t until_next = all->visits_left / 16 > 4 * all->n_spots ? all->visits_left / 16 : 4 * all->n_spots;
    all->fit_at = all->visits_left > until_next ? all->visits_left - until_next : 0;
}

void refrain_walk_contexts_fit(struct refrain_walk_contexts *all) {
    fit(all, ROUNDS);
}

/* ---- a copy ---- */

static void *copy_of(const void *array, size_t n, size_t bytes) {
    void *copy = refrain_calloc(n ? n : 1, bytes);
    if (copy && n)
        memcpy(copy, array, n * bytes);
    return copy;
}

/* Which place each spot is of; what is of none has nothing to share. */
static void find_places(struct refrain_walk_contexts *all) {
    for (size_t i = 1; i < all->n_spots; i++) {
        struct refrain_walk_spot *spot = &all->spots[i];
        size_t from = 0, to = all->n_places;
        while (from < to) {
            size_t middle = (from + to) / 2;
            if (all->places[middle].offset < spot->offset)
                from = middle + 1;
            else
                to = middle;
        }
        if (from == all->n_places || all->places[from].offset != spot->offset) {
            spot->visits = 0;
            from = 0;
        }
        spot->place = (uint32_t)from;
        all->visits_left += spot->visits;
    }
}

void refrain_walk_contexts_copy(struct refrain_walk_contexts *copy, const struct refrain_walk_contexts *all) {
    *copy = (struct refrain_walk_contexts){0};
    if (all->incomplete || all->n_places == 0 || all->n_kinds < 2)
        return;
    *copy = *all;
    copy->kinds = copy_of(all->kinds, all->n_kinds, sizeof *all->kinds);
    copy->contexts = copy_of(all->contexts, all->n_contexts, sizeof *all->contexts);
    copy->spots = copy_of(all->spots, all->n_spots, sizeof *all->spots);
    copy->places = copy_of(all->places, all->n_places, sizeof *all->places);
    copy->table = (struct refrain_table){0};
    bool sound = true;
    for (size_t i = 1; i < all->n_spots && sound; i++)
        sound = refrain_table_put(&copy->table, all->spots[i].context, all->spots[i].offset, i);
    copy->capacity_kinds = all->n_kinds;
    copy->capacity_contexts = all->n_contexts;
    copy->capacity_spots = all->n_spots;
    copy->counted = true;
    if (!copy->kinds || !copy->contexts || !copy->spots || !copy->places || !sound) {
        refrain_walk_contexts_close(copy);
        return;
    }
    find_places(copy);
    fit(copy, FIRST_ROUNDS);
}

void refrain_walk_contexts_close(struct refrain_walk_contexts *all) {
    refrain_free(all->kinds);
    refrain_free(all->contexts);
    refrain_free(all->spots);
    refrain_free(all->places);
    refrain_table_close(&all->table);
    *all = (struct refrain_walk_contexts){0};
}
