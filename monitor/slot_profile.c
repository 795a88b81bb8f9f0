/* slot_profile.c: durations of a slot's blocks over its visits, in a fixed number of buckets (refrain/trace.h). */
#define _GNU_SOURCE
#include "step.h"

#include <string.h>

struct refrain_profile *refrain_profile_make_room(struct refrain_slot *slot) {
    if (!slot->profile) {
        if (slot->count > 0)
            return NULL; /* there was no room at the first visit: a profile with a gap would mislead */
        size_t metrics_bytes = refrain_region.header->n_metrics * sizeof(uint64_t);
        struct refrain_profile *made = refrain_pool_take(sizeof *made + metrics_bytes, REFRAIN_POOL_VALUES);
        if (made)
            slot->profile = refrain_reference(made);
        return made;
    }
    struct refrain_profile *profile = refrain_at_reference(slot->profile);
    while (slot->count >> profile->shift >= REFRAIN_PROFILE_BUCKETS) {
        for (unsigned i = 0; i < REFRAIN_PROFILE_BUCKETS / 2; i++)
            profile->ticks[i] = profile->ticks[2 * i] + profile->ticks[2 * i + 1];
        memset(&profile->ticks[REFRAIN_PROFILE_BUCKETS / 2], 0, sizeof profile->ticks / 2);
        profile->shift++;
    }
    return profile;
}
