/* checkpoint.h: a cursor's position kept as bytes, to go back to (cursor.c, the page's engine).
 *
 *     position            pointers into the arena, counters, the event read last
 *     copy of the arena   what differs from an earlier copy, the base; or all bytes that are not 0
 *
 * Everything that a cursor with checkpoints and its follower hold lies in one arena (common/arena.h). Memory that the
 * user of the cursor allocates there, such as the page's picture, is part of a checkpoint, too.
 *
 * The bytes hold addresses. They are valid in the process that made them, and in a WebAssembly memory where the same
 * calls gave the same addresses (view/engine.c). match/saved_states.h makes states that any process can load. */
#ifndef REFRAIN_CHECKPOINT_H
#define REFRAIN_CHECKPOINT_H

#include "match/cursor_parts.h"

/* Keeps the position of a cursor that has an arena. False without memory. */
bool refrain_checkpoint_take(struct refrain_cursor *cursor, struct refrain_checkpoint *checkpoint);

/* Moves the cursor to where it was. The checkpoint stays. */
void refrain_checkpoint_restore(struct refrain_cursor *cursor, const struct refrain_checkpoint *checkpoint);

/* Frees the checkpoint. A base stays as long as another copy needs it. */
void refrain_checkpoint_drop(struct refrain_cursor *cursor, struct refrain_checkpoint *checkpoint);

/* Forgets the base: the next checkpoint has all bytes. */
void refrain_checkpoint_drop_base(struct refrain_cursor *cursor);

#endif
