/* construct_regions.c: finds user regions that are constructs of OpenMP or pthreads (construct_regions.h). */
#include "model/construct_regions.h"

#include <stdlib.h>

static bool is_mutex(enum refrain_construct_class class) {
    return refrain_construct_locks(class) || refrain_construct_unlocks(class);
}

/* The text that identifies the lock in a name: its argument, or the part after the comma. Sets its length; null: the
 * name has no lock. A critical construct without a name has the empty text. */
static const char *lock_text(const struct refrain_construct_name *name, size_t *length) {
    const char *text = name->argument ? name->argument : "";
    const char *comma = memchr(text, ',', name->argument_length);
    *length = name->argument_length;
    if (name->class == REFRAIN_CONSTRUCT_CRITICAL)
        return text;
    if (refrain_construct_gives_back(name->class)) {
        *length = comma ? (size_t)(text + name->argument_length - comma) - 1 : 0;
        text = comma ? comma + 1 : NULL;
    }
    return is_mutex(name->class) && *length ? text : NULL;
}

/* The number of the lock of a construct: that of an earlier one with the same lock, or a new one. */
static uint32_t lock_of(const struct refrain_construct_regions *regions, const struct refrain_trace *trace, size_t n,
                        const struct refrain_construct_name *name, uint32_t *n_locks) {
    size_t length, other_length;
    const char *text = lock_text(name, &length);
    if (!text)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (!regions->of[i].lock)
            continue;
        const struct refrain_construct_name other = refrain_construct_name(trace->regions[i].name);
        const char *other_text = lock_text(&other, &other_length);
        if (is_mutex(other.class) == is_mutex(name->class) && other_length == length &&
            memcmp(other_text, text, length) == 0)
            return regions->of[i].lock;
    }
    return ++*n_locks;
}

bool refrain_construct_regions_make(struct refrain_construct_regions *regions, const struct refrain_trace *trace) {
    uint32_t n_locks = 0;
    regions->n = trace->n_regions;
    regions->any = regions->teams = regions->threads = false;
    regions->of = calloc(trace->n_regions + 1, sizeof *regions->of);
    for (size_t i = 0; regions->of && i < trace->n_regions; i++) {
        if (trace->regions[i].kind == REFRAIN_REGION_VALUE) {
            regions->of[i].number = strcmp(trace->regions[i].name, REFRAIN_PTHREAD_NUMBER) == 0;
            regions->threads |= regions->of[i].number;
            continue;
        }
        const struct refrain_construct_name name = refrain_construct_name(trace->regions[i].name);
        regions->of[i].lock = lock_of(regions, trace, i, &name, &n_locks);
        regions->of[i].class = name.class;
        regions->of[i].block = name.block;
        regions->any |= name.class != REFRAIN_CONSTRUCT_NONE;
        regions->teams |= name.class == REFRAIN_CONSTRUCT_PARALLEL;
    }
    return regions->of != NULL;
}

void refrain_construct_regions_free(struct refrain_construct_regions *regions) {
    free(regions->of);
    *regions = (struct refrain_construct_regions){0};
}
