/* proxy_steps.c: finds, for each item that a rank executes, which loops begin, go on and end, and which items are
 * skipped on the way (proxy_walk.h).
 *
 *     loop { a  b  c }      executed: a b c a c b
 *     iterations:           (a b c) (a . c) (. b .)      times of the loop: 3, of a: 1 1 0, of b: 1 0 1, of c: 1 1 0 */
#include "predict/proxy_walk.h"

static bool note(struct refrain_proxy_walk *walk, size_t item, int64_t value) {
    return refrain_proxy_append(&walk->proxy->items[item].times[walk->rank], value);
}

/* Opens a loop or body that has begun its first iteration. */
static bool open_loop(struct refrain_proxy_walk *walk, size_t item) {
    struct refrain_proxy_list *times = &walk->proxy->items[item].times[walk->rank];
    if (!REFRAIN_ARRAY_ROOM(walk->opens, walk->n_opens, walk->opens_capacity))
        return false;
    bool chooses = walk->proxy->items[item].chooses;
    walk->opens[walk->n_opens++] =
        (struct refrain_proxy_open){.item = item, .index = times->n, .iterations = chooses ? 0 : 1};
    /* Its number of iterations is not known yet: the last one is the best guess, since equal values take no memory. */
    return refrain_proxy_append(times, times->n ? refrain_proxy_at(times, times->n - 1) : 1);
}

/* Skips the children of the innermost loop up to a place. */
static bool skip_to(struct refrain_proxy_walk *walk, size_t place) {
    struct refrain_proxy_open *open = &walk->opens[walk->n_opens - 1];
    const struct refrain_proxy_item *loop = &walk->proxy->items[open->item];
    for (; open->place < place; open->place++)
        if (!note(walk, loop->children[open->place], 0))
            return false;
    return true;
}

static bool end_iteration(struct refrain_proxy_walk *walk) {
    const struct refrain_proxy_item *loop = &walk->proxy->items[walk->opens[walk->n_opens - 1].item];
    return loop->chooses || skip_to(walk, loop->n_children);
}

static bool close_loop(struct refrain_proxy_walk *walk) {
    if (!end_iteration(walk))
        return false;
    const struct refrain_proxy_open *open = &walk->opens[--walk->n_opens];
    return refrain_proxy_set(&walk->proxy->items[open->item].times[walk->rank], open->index, open->iterations);
}

/* The child of a loop that is the item, or that is around it; SIZE_MAX: the item is not in the loop. */
static size_t child_towards(const struct refrain_proxy *proxy, size_t loop, size_t item) {
    while (item != SIZE_MAX && proxy->items[item].parent != loop)
        item = proxy->items[item].parent;
    return item;
}

static bool choose(struct refrain_proxy_walk *walk, struct refrain_proxy_open *open, size_t place) {
    open->iterations++;
    return refrain_proxy_append(&walk->proxy->items[open->item].chosen[walk->rank], (int64_t)place);
}

bool refrain_proxy_begin_body(struct refrain_proxy_walk *walk, size_t function) {
    walk->proxy->functions[function].n[walk->rank]++;
    return open_loop(walk, walk->proxy->functions[function].body);
}

bool refrain_proxy_step(struct refrain_proxy_walk *walk, size_t item) {
    const struct refrain_proxy *proxy = walk->proxy;
    size_t body = walk->activations[walk->n_activations - 1].first_open;
    for (;;) {
        struct refrain_proxy_open *open = &walk->opens[walk->n_opens - 1];
        size_t child = child_towards(proxy, open->item, item);
        if (child == SIZE_MAX) {
            if (walk->n_opens - 1 == body || !close_loop(walk))
                return false;
            continue;
        }
        size_t place = proxy->items[child].place;
        if (proxy->items[open->item].chooses)
            return choose(walk, open, place);
        if (place < open->place) { /* behind: another iteration */
            if (!end_iteration(walk))
                return false;
            open->iterations++;
            open->place = 0;
        }
        if (!skip_to(walk, place))
            return false;
        open->place = place + 1;
        if (child == item)
            return note(walk, item, 1);
        if (!open_loop(walk, child))
            return false;
    }
}

bool refrain_proxy_end_body(struct refrain_proxy_walk *walk) {
    size_t body = walk->activations[walk->n_activations - 1].first_open;
    while (walk->n_opens > body)
        if (!close_loop(walk))
            return false;
    return true;
}
