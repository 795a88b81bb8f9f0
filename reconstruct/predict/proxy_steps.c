/* proxy_steps.c: finds, for each item that a rank executes, which loops begin, go on and end, and which items are
 * skipped on the way (proxy_walk.h). The first walk counts which item follows which in an iteration of the source's
 * loops; the second notes what is executed and what is skipped.
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
    walk->opens[walk->n_opens++] = (struct refrain_proxy_open){
        .item = item, .previous = SIZE_MAX, .index = times->n, .iterations = chooses ? 0 : 1};
    /* Its number of iterations is not known yet: the last one is the best guess, since equal values take no memory. */
    return !walk->second || refrain_proxy_append(times, times->n ? refrain_proxy_at(times, times->n - 1) : 1);
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

/* The innermost loop begins another iteration. */
static bool begin_iteration(struct refrain_proxy_walk *walk) {
    if (!end_iteration(walk))
        return false;
    struct refrain_proxy_open *open = &walk->opens[walk->n_opens - 1];
    open->iterations += !walk->proxy->items[open->item].chooses;
    open->place = 0;
    open->previous = SIZE_MAX;
    return true;
}

static bool close_loop(struct refrain_proxy_walk *walk) {
    if (!end_iteration(walk))
        return false;
    const struct refrain_proxy_open *open = &walk->opens[--walk->n_opens];
    struct refrain_proxy_list *times = &walk->proxy->items[open->item].times[walk->rank];
    return !walk->second || refrain_proxy_set(times, open->index, open->iterations);
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

/* First walk: counts that one item followed another in an iteration of the innermost loop. */
static bool count_step(struct refrain_proxy_walk *walk, size_t place) {
    struct refrain_proxy_open *open = &walk->opens[walk->n_opens - 1];
    struct refrain_proxy_body *body = &walk->proxy->bodies[walk->proxy->items[open->item].inside];
    uintptr_t count = refrain_table_number(&body->followed, open->previous, place);
    bool counted = refrain_table_put(&body->followed, open->previous, place, count + 1);
    open->previous = place;
    return counted;
}

/* Second walk: control comes to a child of the innermost loop. */
static bool go_to(struct refrain_proxy_walk *walk, size_t place) {
    struct refrain_proxy_open *open = &walk->opens[walk->n_opens - 1];
    if (walk->proxy->items[open->item].chooses)
        return choose(walk, open, place);
    if (place < open->place && !begin_iteration(walk)) /* behind: another iteration */
        return false;
    bool skipped = skip_to(walk, place);
    open->place = place + 1;
    return skipped;
}

bool refrain_proxy_begin_body(struct refrain_proxy_walk *walk, size_t function) {
    walk->proxy->functions[function].n[walk->rank] += walk->second;
    return open_loop(walk, walk->proxy->functions[function].body);
}

/* Control comes to a loop or item, through the loops around it. A loop begins its first iteration. */
bool refrain_proxy_step(struct refrain_proxy_walk *walk, size_t item) {
    const struct refrain_proxy *proxy = walk->proxy;
    size_t body = walk->activations[walk->n_activations - 1].first_open;
    for (size_t child = SIZE_MAX; child != item;) {
        size_t loop = walk->opens[walk->n_opens - 1].item;
        child = child_towards(proxy, loop, item);
        if (child == SIZE_MAX) {
            if (walk->n_opens - 1 == body || !close_loop(walk))
                return false;
            continue;
        }
        size_t place = proxy->items[child].place;
        bool is_loop = proxy->items[child].region == NULL;
        if (!(walk->second ? go_to(walk, place) : count_step(walk, place)))
            return false;
        if (is_loop ? !open_loop(walk, child) : walk->second && !proxy->items[loop].chooses && !note(walk, child, 1))
            return false;
    }
    return true;
}

/* Closes the loops within a loop that is open in the innermost function; if it is not open, none. */
static bool close_inner(struct refrain_proxy_walk *walk, size_t loop, bool *is_open) {
    size_t number = walk->n_opens, body = walk->activations[walk->n_activations - 1].first_open;
    while (number > body && walk->opens[number - 1].item != loop)
        number--;
    *is_open = number > body;
    while (*is_open && walk->n_opens > number)
        if (!close_loop(walk))
            return false;
    return true;
}

bool refrain_proxy_iterate(struct refrain_proxy_walk *walk, size_t loop, bool has_run) {
    bool is_open;
    if (!close_inner(walk, loop, &is_open))
        return false;
    if (!is_open && !refrain_proxy_step(walk, loop))
        return false;
    return (!is_open && !has_run) || begin_iteration(walk);
}

bool refrain_proxy_end_loop(struct refrain_proxy_walk *walk, size_t loop, bool has_run) {
    bool is_open;
    if (!close_inner(walk, loop, &is_open))
        return false;
    if (!is_open && !has_run)
        return true;
    return (is_open || refrain_proxy_step(walk, loop)) && close_loop(walk);
}

bool refrain_proxy_end_body(struct refrain_proxy_walk *walk) {
    size_t body = walk->activations[walk->n_activations - 1].first_open;
    while (walk->n_opens > body)
        if (!close_loop(walk))
            return false;
    return true;
}
