/* checkpoint.c: copies of a cursor's arena, and going back to them (checkpoint.h). */
#include "match/checkpoint.h"

#include <string.h>

static void drop_copy(struct refrain_cursor *cursor, struct refrain_arena_copy *copy) {
    cursor->checkpoint_bytes -= refrain_arena_copy_free(copy);
}

static void set_base(struct refrain_cursor *cursor, struct refrain_arena_copy *base) {
    drop_copy(cursor, cursor->base);
    cursor->base = refrain_arena_copy_hold(base);
}

/* A copy of the arena: its difference from the base. If the difference is more than half as large as the base, for
 * example because the replay has reached new parts of the program, the copy has all bytes instead and becomes the base
 * of the next ones. Null without memory. */
static struct refrain_arena_copy *copy_arena(struct refrain_cursor *cursor) {
    for (size_t i = 0; i < cursor->position.n; i++)
        refrain_location_stream_clear_unused(&cursor->position.locations[i]);
    struct refrain_arena_copy *copy = cursor->base ? refrain_arena_copy(cursor->arena, cursor->base) : NULL;
    bool differs = copy && refrain_arena_copy_bytes(copy) > refrain_arena_copy_bytes(cursor->base) / 2;
    if (differs)
        refrain_arena_copy_free(copy);
    if (!copy || differs) {
        copy = refrain_arena_copy(cursor->arena, NULL);
        if (copy)
            set_base(cursor, copy);
    }
    cursor->checkpoint_bytes += copy ? refrain_arena_copy_bytes(copy) : 0;
    return copy;
}

bool refrain_checkpoint_take(struct refrain_cursor *cursor, struct refrain_checkpoint *checkpoint) {
    *checkpoint = (struct refrain_checkpoint){cursor->position, copy_arena(cursor)};
    return checkpoint->memory != NULL;
}

void refrain_checkpoint_restore(struct refrain_cursor *cursor, const struct refrain_checkpoint *checkpoint) {
    refrain_arena_restore(cursor->arena, checkpoint->memory);
    cursor->position = checkpoint->position;
    memset(&cursor->error, 0, sizeof cursor->error);
}

void refrain_checkpoint_drop(struct refrain_cursor *cursor, struct refrain_checkpoint *checkpoint) {
    drop_copy(cursor, checkpoint->memory);
    checkpoint->memory = NULL;
}

void refrain_checkpoint_drop_base(struct refrain_cursor *cursor) {
    set_base(cursor, NULL);
}
