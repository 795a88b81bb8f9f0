/* walk_counted.c: a walk begins; where its timeline has items of several blocks, after another one that counts what
 * these have to share out (walk_rank.h, walk_shares.h). */
#include "arena.h"
#include "walk_parts.h"

struct refrain_walk *refrain_walk_open(const void *image, size_t image_bytes, unsigned thread, const char **what,
                                       uint64_t *offset) {
    struct refrain_walk *walk = refrain_walk_begin(image, image_bytes, thread, what, offset);
    if (!walk || !refrain_time_cursor_shares(&walk->times.cursor))
        return walk;
    const char *ignored;
    struct refrain_arena *arena = refrain_arena_use(NULL); /* it does not outlast this call */
    struct refrain_walk *counting = refrain_walk_begin(image, image_bytes, thread, &ignored, &(uint64_t){0});
    if (counting) {
        struct refrain_record record;
        struct refrain_walk_shares shares = {0};
        counting->counting = &shares;
        refrain_walk_contexts_open(&shares.contexts);
        counting->contexts = &shares.contexts;
        while (!counting->approximate && !counting->times.ended && refrain_walk_next(counting, &record))
            continue;
        shares.contexts.incomplete |= counting->approximate || !counting->ended;
        refrain_walk_shares_finish(&shares, &counting->learners, counting->stack[counting->depth - 1].context);
        refrain_walk_close(counting);
        refrain_arena_use(arena);
        refrain_walk_shares_copy(&walk->shares, &shares); /* without memory: by the profiles alone */
        refrain_arena_use(NULL);
        walk->contexts = walk->shares.contexts.n_spots ? &walk->shares.contexts : NULL;
        refrain_walk_shares_close(&shares);
    }
    refrain_arena_use(arena);
    return walk;
}
